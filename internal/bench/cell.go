package bench

import (
	"fmt"
	"strconv"
	"strings"
)

// Cell is one scenario in one mode for one iteration: the unit of a run, of
// resume and of sharding. It is comparable and may be a map key.
type Cell struct {
	ScenarioID string `json:"scenario_id"`
	Mode       Mode   `json:"mode"`
	// Iteration counts from 1.
	Iteration int `json:"iteration"`
}

// String returns the cell as people write it: "pr-merge-001/ghx/3".
func (c Cell) String() string {
	return c.ScenarioID + "/" + string(c.Mode) + "/" + strconv.Itoa(c.Iteration)
}

// ParseCell reads what [Cell.String] writes. The id of a scenario may have a / in it.
func ParseCell(text string) (Cell, error) {
	rest, number, _ := cutLast(text)
	id, name, found := cutLast(rest)
	if !found || id == "" {
		return Cell{}, fmt.Errorf("cell %q: want <scenario>/<mode>/<iteration>, for example pr-merge-001/ghx/1", text)
	}
	mode, err := ParseMode(name)
	if err != nil {
		return Cell{}, fmt.Errorf("cell %q: %w", text, err)
	}
	iteration, err := strconv.Atoi(number)
	if err != nil || iteration < 1 {
		return Cell{}, fmt.Errorf("cell %q: iteration %q is not a whole number of 1 or more", text, number)
	}
	return Cell{ScenarioID: id, Mode: mode, Iteration: iteration}, nil
}

// cutLast cuts a text at its last /.
func cutLast(text string) (before, after string, found bool) {
	at := strings.LastIndex(text, "/")
	if at < 0 {
		return "", text, false
	}
	return text[:at], text[at+1:], true
}
