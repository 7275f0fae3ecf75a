package model

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
)

// Table is an insertion-ordered set of rows of one kind. The zero value is
// empty. Its rows are changed in place through the pointers that Add, Get,
// Where and First return; while changes are recorded, those note what rows
// were. The rows of All are only read.
type Table[T any] struct {
	rows map[ID]*T
	// order has the ids of rows in the order in which they were added, and
	// those of some rows that are gone.
	order []ID
	// found are the indexes, nil for none.
	found []found
	// record is nil unless changes are recorded.
	record *record[T]
	// past is true for a table that shows rows as they were at the last cut of
	// the record.
	past bool
}

// Add stores row under id, which must be free.
func (t *Table[T]) Add(id ID, row *T) *T {
	if t.rows == nil {
		t.rows = map[ID]*T{}
	}
	t.rows[id] = row
	t.order = append(t.order, id)
	if t.record != nil {
		t.record.added(id, row)
	}
	return row
}

// Get returns the row of that id, nil if there is none.
func (t *Table[T]) Get(id ID) *T { return t.touched(id, t.peek(id)) }

// peek is [Table.Get] for a row that is only read.
func (t *Table[T]) peek(id ID) *T {
	if t.past {
		if e, known := t.record.rows[id]; known {
			return e.before
		}
	}
	return t.rows[id]
}

// touched notes what a row is before it may be changed, and returns it.
func (t *Table[T]) touched(id ID, row *T) *T {
	if t.record != nil && !t.past && row != nil {
		t.record.touch(id, row)
	}
	return row
}

// Delete removes the row of that id.
func (t *Table[T]) Delete(id ID) {
	row, known := t.rows[id]
	if !known {
		return
	}
	delete(t.rows, id)
	if t.record != nil {
		t.record.touch(id, row).gone = true
		return
	}
	t.tidy()
}

// tidy forgets the ids of rows that are gone, once they are many.
func (t *Table[T]) tidy() {
	const few = 16
	if len(t.order) > 2*len(t.rows)+few {
		t.order = slices.DeleteFunc(slices.Clone(t.order), func(id ID) bool { return t.rows[id] == nil })
	}
}

// Len returns the number of rows.
func (t *Table[T]) Len() int { return len(t.rows) }

// All yields the rows in the order in which they were added, to be read and not
// changed.
func (t *Table[T]) All() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for _, row := range t.each {
			if !yield(row) {
				return
			}
		}
	}
}

// each yields ids and rows in order.
func (t *Table[T]) each(yield func(ID, *T) bool) {
	for _, id := range t.order {
		t.visit()
		if row := t.peek(id); row != nil && !yield(id, row) {
			return
		}
	}
}

// visit counts a row that is looked at, while changes are recorded.
func (t *Table[T]) visit() {
	if t.record != nil {
		t.record.visited++
	}
}

// Where returns the rows for which keep is true, in order.
func (t *Table[T]) Where(keep func(*T) bool) []*T {
	var found []*T
	for id, row := range t.each {
		if keep(row) {
			found = append(found, t.touched(id, row))
		}
	}
	return found
}

// First returns the first row for which match is true, nil if there is none.
func (t *Table[T]) First(match func(*T) bool) *T {
	for id, row := range t.each {
		if match(row) {
			return t.touched(id, row)
		}
	}
	return nil
}

// entry is a row as it is saved.
type entry[T any] struct {
	ID  ID `json:"id"`
	Row *T `json:"row"`
}

// MarshalJSON writes the rows in order, each with its id.
func (t Table[T]) MarshalJSON() ([]byte, error) {
	entries := make([]entry[T], 0, len(t.rows))
	for id, row := range t.each {
		entries = append(entries, entry[T]{ID: id, Row: row})
	}
	return json.Marshal(entries)
}

// UnmarshalJSON reads what [Table.MarshalJSON] writes.
func (t *Table[T]) UnmarshalJSON(data []byte) error {
	var entries []entry[T]
	if err := json.Unmarshal(data, &entries); err != nil {
		return err
	}
	*t = Table[T]{}
	for _, e := range entries {
		if e.Row == nil || t.Get(e.ID) != nil {
			return fmt.Errorf("row %d is empty or there twice", e.ID)
		}
		t.Add(e.ID, e.Row)
	}
	return nil
}
