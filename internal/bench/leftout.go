package bench

import (
	"cmp"
	"slices"
	"strings"
)

// LeftOut counts rows that are left out for one reason.
type LeftOut struct {
	Reason string `json:"reason"`
	Rows   int    `json:"rows"`
	// Cells are those of the rows, in order; of what older versions have counted the
	// first 20.
	Cells []Cell `json:"cells"`
}

// Text says how many rows were left out, and why.
func (l LeftOut) Text() string {
	rows := CountText(float64(l.Rows)) + " rows"
	if l.Rows == 1 {
		rows = "1 row"
	}
	return rows + ": " + l.Reason
}

// CellsText lists at most so many of the cells, each as write has it, and says how
// many more there are, and where.
func (l LeftOut) CellsText(most int, write func(string) string) string {
	var names []string
	for _, c := range l.Cells[:min(most, len(l.Cells))] {
		names = append(names, write(c.String()))
	}
	text := strings.Join(names, ", ")
	more := l.Rows - len(names)
	if more > 0 {
		text += " and " + CountText(float64(more)) + " more"
	}
	if more > 0 && len(l.Cells) == l.Rows {
		text += ", all in summary.json"
	}
	return text
}

// Omissions counts rows that are left out, by reason, and keeps their cells. The
// zero value is ready to use.
type Omissions struct {
	byReason map[string]*LeftOut
	// names are those of scenarios and modes, which share the text of no row.
	names map[string]string
}

// Add counts a row.
func (o *Omissions) Add(reason string, cell Cell) {
	cell.ScenarioID, cell.Mode = o.name(cell.ScenarioID), Mode(o.name(string(cell.Mode)))
	l := o.of(reason)
	l.Rows++
	l.Cells = append(l.Cells, cell)
}

// Merge adds what others counted.
func (o *Omissions) Merge(others ...LeftOut) {
	for _, other := range others {
		l := o.of(other.Reason)
		l.Rows += other.Rows
		l.Cells = append(l.Cells, other.Cells...)
	}
}

func (o *Omissions) name(text string) string {
	if known, ok := o.names[text]; ok {
		return known
	}
	if o.names == nil {
		o.names = map[string]string{}
	}
	own := strings.Clone(text)
	o.names[own] = own
	return own
}

func (o *Omissions) of(reason string) *LeftOut {
	if o.byReason == nil {
		o.byReason = map[string]*LeftOut{}
	}
	if o.byReason[reason] == nil {
		o.byReason[reason] = &LeftOut{Reason: reason, Cells: []Cell{}}
	}
	return o.byReason[reason]
}

// List returns what was counted, sorted by reason; it is not nil.
func (o *Omissions) List() []LeftOut {
	list := []LeftOut{}
	for _, l := range o.byReason {
		slices.SortFunc(l.Cells, compareCells)
		list = append(list, *l)
	}
	slices.SortFunc(list, func(a, b LeftOut) int { return strings.Compare(a.Reason, b.Reason) })
	return list
}

func compareCells(a, b Cell) int {
	return cmp.Or(strings.Compare(a.ScenarioID, b.ScenarioID), strings.Compare(string(a.Mode), string(b.Mode)), cmp.Compare(a.Iteration, b.Iteration))
}
