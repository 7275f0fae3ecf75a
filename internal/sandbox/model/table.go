package model

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
)

// Table is an insertion-ordered set of rows of one kind. The zero value is
// empty. Its rows are changed in place through the pointers that it returns.
type Table[T any] struct {
	rows  map[ID]*T
	order []ID
}

// Add stores row under id, which must be free.
func (t *Table[T]) Add(id ID, row *T) *T {
	if t.rows == nil {
		t.rows = map[ID]*T{}
	}
	t.rows[id] = row
	t.order = append(t.order, id)
	return row
}

// Get returns the row of that id, nil if there is none.
func (t *Table[T]) Get(id ID) *T { return t.rows[id] }

// Delete removes the row of that id.
func (t *Table[T]) Delete(id ID) {
	if _, known := t.rows[id]; !known {
		return
	}
	delete(t.rows, id)
	t.order = slices.DeleteFunc(t.order, func(o ID) bool { return o == id })
}

// Len returns the number of rows.
func (t *Table[T]) Len() int { return len(t.order) }

// All yields the rows in the order in which they were added.
func (t *Table[T]) All() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for _, id := range t.order {
			if !yield(t.rows[id]) {
				return
			}
		}
	}
}

// Where returns the rows for which keep is true, in order.
func (t *Table[T]) Where(keep func(*T) bool) []*T {
	var found []*T
	for row := range t.All() {
		if keep(row) {
			found = append(found, row)
		}
	}
	return found
}

// First returns the first row for which match is true, nil if there is none.
func (t *Table[T]) First(match func(*T) bool) *T {
	for row := range t.All() {
		if match(row) {
			return row
		}
	}
	return nil
}

func cloneTable[T any](t Table[T], clone func(*T) *T) Table[T] {
	c := Table[T]{rows: make(map[ID]*T, len(t.rows)), order: slices.Clone(t.order)}
	for id, row := range t.rows {
		c.rows[id] = clone(row)
	}
	return c
}

// entry is a row as it is saved.
type entry[T any] struct {
	ID  ID `json:"id"`
	Row *T `json:"row"`
}

// MarshalJSON writes the rows in order, each with its id.
func (t Table[T]) MarshalJSON() ([]byte, error) {
	entries := make([]entry[T], 0, len(t.order))
	for _, id := range t.order {
		entries = append(entries, entry[T]{ID: id, Row: t.rows[id]})
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
