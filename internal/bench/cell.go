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

// ParseCell reads what [Cell.String] writes.
func ParseCell(text string) (Cell, error) {
	parts := strings.Split(text, "/")
	if len(parts) != 3 || parts[0] == "" {
		return Cell{}, fmt.Errorf("cell %q: want <scenario>/<mode>/<iteration>, for example pr-merge-001/ghx/1", text)
	}
	mode, err := ParseMode(parts[1])
	if err != nil {
		return Cell{}, fmt.Errorf("cell %q: %w", text, err)
	}
	iteration, err := strconv.Atoi(parts[2])
	if err != nil || iteration < 1 {
		return Cell{}, fmt.Errorf("cell %q: iteration %q is not a whole number of 1 or more", text, parts[2])
	}
	return Cell{ScenarioID: parts[0], Mode: mode, Iteration: iteration}, nil
}
