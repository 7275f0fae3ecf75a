package model

import (
	"fmt"
	"iter"
	"maps"
	"slices"
)

// key is what rows are found by: the id of what they belong to, a number of
// theirs, a text. What does not count is zero.
type key struct {
	of   ID
	n    int
	text string
}

// index finds the rows of a table by their keys.
//
// What it holds is right while nothing is changed; meanwhile rows that may
// have been changed are looked at one by one, until the recording ends. So
// only a state whose changes are all recorded has indexes; others look at
// every row.
type index[T any] struct {
	// place is that of the index among those of its table.
	place int
	// keys calls has with each key of a row.
	keys func(row *T, has func(key))
}

// has reports whether a row, which may be nil, has a key.
func (x index[T]) has(row *T, wanted key) bool {
	found := false
	if row != nil {
		x.keys(row, func(k key) { found = found || k == wanted })
	}
	return found
}

// found are the ids of rows by their keys, in order. Lists are replaced and never
// changed, so that copies can share them.
type found map[key]idList

func (f found) add(k key, id ID) { f[k] = f[k].with(id) }

func (f found) remove(k key, id ID) {
	if f[k] = f[k].without(id); len(f[k]) == 0 {
		delete(f, k)
	}
}

// move gives a row other keys than it had.
func (f found) move(id ID, was, is []key) {
	for _, k := range was {
		if !slices.Contains(is, k) {
			f.remove(k, id)
		}
	}
	for _, k := range is {
		if !slices.Contains(was, k) {
			f.add(k, id)
		}
	}
}

// find yields the ids and rows with a key, in order, to be read.
func (t *Table[T]) find(x index[T], k key) iter.Seq2[ID, *T] {
	return func(yield func(ID, *T) bool) {
		if t.found == nil {
			for id, row := range t.each {
				if x.has(row, k) && !yield(id, row) {
					return
				}
			}
			return
		}
		for id := range t.ids(x, k) {
			t.visit()
			if row := t.peek(id); row != nil && !yield(id, row) {
				return
			}
		}
	}
}

// ids yields the ids of rows with a key, in order: those of the index, and in
// the place of rows that may have been changed those that have the key now.
func (t *Table[T]) ids(x index[T], k key) iter.Seq[ID] {
	list := t.found[x.place][k]
	if t.record == nil || len(t.record.rows) == 0 {
		return list.all()
	}
	changed := slices.Sorted(maps.Keys(t.record.rows))
	has := slices.DeleteFunc(slices.Clone(changed), func(id ID) bool { return !x.has(t.peek(id), k) })
	return func(yield func(ID) bool) {
		for id := range list.all() {
			if _, is := slices.BinarySearch(changed, id); is {
				continue
			}
			for len(has) > 0 && has[0] < id {
				if !yield(has[0]) {
					return
				}
				has = has[1:]
			}
			if !yield(id) {
				return
			}
		}
		for _, id := range has {
			if !yield(id) {
				return
			}
		}
	}
}

// count returns how many rows have a key.
func (t *Table[T]) count(x index[T], k key) int {
	n := 0
	if t.found == nil {
		for range t.find(x, k) {
			n++
		}
		return n
	}
	n = t.found[x.place][k].len()
	if t.record == nil {
		return n
	}
	for id, r := range t.record.rows {
		if x.has(r.first, k) {
			n--
		}
		if x.has(t.peek(id), k) {
			n++
		}
	}
	return n
}

// firstOf is [Table.First] among the rows with a key.
func (t *Table[T]) firstOf(x index[T], k key, match func(*T) bool) *T {
	for id, row := range t.find(x, k) {
		if match(row) {
			return t.touched(id, row)
		}
	}
	return nil
}

// only is [Table.First] for a key that one row has at most.
func (t *Table[T]) only(x index[T], k key) *T { return t.firstOf(x, k, func(*T) bool { return true }) }

// whereOf is [Table.Where] among the rows with a key.
func (t *Table[T]) whereOf(x index[T], k key, keep func(*T) bool) []*T {
	var rows []*T
	for id, row := range t.find(x, k) {
		if keep(row) {
			rows = append(rows, t.touched(id, row))
		}
	}
	return rows
}

// with returns all rows with a key, in order.
func (t *Table[T]) with(x index[T], k key) []*T {
	return t.whereOf(x, k, func(*T) bool { return true })
}

func (d tableOf[T]) build(s *State) { d.in(s).found = d.built(s) }

// built returns the indexes of a table as they must be.
func (d tableOf[T]) built(s *State) []found {
	all := make([]found, len(d.indexes))
	for n, x := range d.indexes {
		all[n] = found{}
		for id, row := range d.in(s).each {
			x.keys(row, func(k key) { all[n].add(k, id) })
		}
	}
	return all
}

// reindex brings the indexes of a table up to date when a recording ends.
func (d tableOf[T]) reindex(t *Table[T]) {
	if t.found == nil {
		return
	}
	for n, x := range d.indexes {
		for id, r := range t.record.rows {
			var was, is []key
			if r.first != nil {
				x.keys(r.first, func(k key) { was = append(was, k) })
			}
			if !r.gone {
				x.keys(r.row, func(k key) { is = append(is, k) })
			}
			t.found[n].move(id, was, is)
		}
	}
}

// check compares the indexes of a table with what they must be.
func (d tableOf[T]) check(s *State) error {
	if d.in(s).found == nil {
		return nil
	}
	for n, right := range d.built(s) {
		if !maps.EqualFunc(d.in(s).found[n], right, idList.equal) {
			return fmt.Errorf("index %d of %s does not fit its rows", n, d.name)
		}
	}
	return nil
}

// indexedTable is a table of states that has indexes, whatever its rows are.
type indexedTable interface {
	build(s *State)
	check(s *State) error
}

// Index makes lookups fast. All changes from then on must be made by
// [State.Atomically]. Copies by [State.Clone] start without, those by
// [State.CloneIndexed] have it.
func (s *State) Index() {
	for _, t := range tables {
		if it, is := t.(indexedTable); is {
			it.build(s)
		}
	}
}

// CheckIndexes reports an index that does not fit its rows, for tests.
func (s *State) CheckIndexes() error {
	for _, t := range tables {
		if it, is := t.(indexedTable); is {
			if err := it.check(s); err != nil {
				return err
			}
		}
	}
	return nil
}
