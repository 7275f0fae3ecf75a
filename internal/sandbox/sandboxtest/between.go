package sandboxtest

import (
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// Between returns how a state differs from what it was before, table by table,
// each in the order of creation, and the refs of repositories last. Neither
// state may change meanwhile.
func Between(before, after *model.State) []changes.Change {
	return changes.Compared(before, after, rows(before, after), refs(before, after))
}

// rows yields all rows of two states, those that are gone first in each table.
func rows(before, after *model.State) iter.Seq[model.Touched] {
	return func(yield func(model.Touched) bool) {
		was, is := tables(before), tables(after)
		for n := range is {
			for row := range both(was[n], is[n]) {
				if !yield(row) {
					return
				}
			}
		}
	}
}

func both(was, is table) iter.Seq[model.Touched] {
	return func(yield func(model.Touched) bool) {
		then := maps.Collect(was.rows())
		now := maps.Collect(is.rows())
		for id, row := range was.rows() {
			if now[id] == nil && !yield(model.Touched{Table: is.name, ID: id, Before: row}) {
				return
			}
		}
		for id, row := range is.rows() {
			if !yield(model.Touched{Table: is.name, ID: id, Before: then[id], After: row}) {
				return
			}
		}
	}
}

// table is one of a state's tables, whatever its rows are.
type table struct {
	name string
	// pointer is to the [model.Table].
	pointer reflect.Value
}

// tables returns the tables of a state in the order in which it declares them.
func tables(s *model.State) []table {
	state := reflect.ValueOf(s).Elem()
	var all []table
	for n := range state.NumField() {
		field := state.Type().Field(n)
		if field.IsExported() && strings.HasPrefix(field.Type.Name(), "Table[") {
			all = append(all, table{field.Name, state.Field(n).Addr()})
		}
	}
	return all
}

// rows yields a table's rows, as pointers, by their ids and in order.
func (t table) rows() iter.Seq2[model.ID, any] {
	return func(yield func(model.ID, any) bool) {
		for row := range t.pointer.MethodByName("All").Call(nil)[0].Seq() {
			if !yield(row.Elem().FieldByName("ID").Int(), row.Interface()) {
				return
			}
		}
	}
}

// all returns the rows in order.
func (t table) all() []any {
	var rows []any
	for _, row := range t.rows() {
		rows = append(rows, row)
	}
	return rows
}

// refs yields the refs of all repositories that differ, in order of their
// names.
func refs(before, after *model.State) iter.Seq[model.MovedRef] {
	return func(yield func(model.MovedRef) bool) {
		for _, repo := range slices.Concat(gone(before, after), slices.Collect(after.Repos.All())) {
			was, is := refsOf(before.Repos.Get(repo.ID)), refsOf(after.Repos.Get(repo.ID))
			names := maps.Clone(is)
			maps.Copy(names, was)
			for _, name := range slices.Sorted(maps.Keys(names)) {
				if was[name] != is[name] && !yield(model.MovedRef{Repo: repo, Name: name, From: was[name], To: is[name]}) {
					return
				}
			}
		}
	}
}

// gone returns the repositories that are no more.
func gone(before, after *model.State) []*model.Repo {
	return before.Repos.Where(func(r *model.Repo) bool { return after.Repos.Get(r.ID) == nil })
}

func refsOf(repo *model.Repo) map[string]gitstore.Hash {
	refs := map[string]gitstore.Hash{}
	if repo == nil || repo.Git == nil {
		return refs
	}
	for _, ref := range repo.Git.Refs("") {
		refs[ref.Name] = ref.Hash
	}
	return refs
}
