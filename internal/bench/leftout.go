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
	// Cells are the first of them, at most [MaxCellsNamed], in order.
	Cells []Cell `json:"cells"`
}

// MaxCellsNamed is how many of the rows that are left out are named.
const MaxCellsNamed = 20

// Text says how many rows were left out, and why.
func (l LeftOut) Text() string {
	rows := CountText(float64(l.Rows)) + " rows"
	if l.Rows == 1 {
		rows = "1 row"
	}
	return rows + ": " + l.Reason
}

// Omissions counts rows that are left out, by reason, and keeps the first cells
// of each. The zero value is ready to use.
type Omissions struct{ byReason map[string]*LeftOut }

// Add counts a row.
func (o *Omissions) Add(reason string, cell Cell) {
	l := o.of(reason)
	l.Rows++
	l.Cells = append(l.Cells, cell)
	// Cutting now and then keeps those that come first in any order of rows.
	if len(l.Cells) >= 8*MaxCellsNamed {
		l.cut()
	}
}

// Merge adds what others counted.
func (o *Omissions) Merge(others ...LeftOut) {
	for _, other := range others {
		l := o.of(other.Reason)
		l.Rows += other.Rows
		l.Cells = append(l.Cells, other.Cells...)
		l.cut()
	}
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
		l.cut()
		list = append(list, *l)
	}
	slices.SortFunc(list, func(a, b LeftOut) int { return strings.Compare(a.Reason, b.Reason) })
	return list
}

// cut keeps the first cells, without what else their texts are part of.
func (l *LeftOut) cut() {
	slices.SortFunc(l.Cells, compareCells)
	l.Cells = slices.Clone(l.Cells[:min(len(l.Cells), MaxCellsNamed)])
	for i := range l.Cells {
		l.Cells[i].ScenarioID = strings.Clone(l.Cells[i].ScenarioID)
		l.Cells[i].Mode = Mode(strings.Clone(string(l.Cells[i].Mode)))
	}
}

func compareCells(a, b Cell) int {
	return cmp.Or(strings.Compare(a.ScenarioID, b.ScenarioID), strings.Compare(string(a.Mode), string(b.Mode)), cmp.Compare(a.Iteration, b.Iteration))
}
