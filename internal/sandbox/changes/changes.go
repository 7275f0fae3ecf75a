// Package changes tells two states of a sandbox apart: which objects are new,
// gone or not what they were, in words that a person reads and a test compares.
//
// Rows are compared field by field, whatever their kind, so that what the model
// learns is told of without being named here. What follows from other changes
// is left out: timelines, check suites, the jobs of runs and their check runs.
package changes

import (
	"cmp"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// Kind is what became of an object.
type Kind string

// The kinds.
const (
	Created Kind = "created"
	Changed Kind = "changed"
	Deleted Kind = "deleted"
)

// Change is what became of one object.
type Change struct {
	Kind Kind `json:"change"`
	Object
	// Fields are those that differ; of a new object those that are not empty,
	// of one that is gone none.
	Fields []Field `json:"fields,omitempty"`
}

// Object names an object.
type Object struct {
	// Kind is a noun such as "pull request" or "branch".
	Kind string `json:"object"`
	// Name tells it from others of its kind, such as "octocat/hello#5".
	Name string `json:"name"`
	// Title is what it is called or how its text begins; possibly empty.
	Title string `json:"title,omitempty"`
	// ID is its database id, 0 for a ref.
	ID model.ID `json:"id,omitempty"`
}

// String is the object's kind and name.
func (o Object) String() string { return o.Kind + " " + o.Name }

// Field is a part of an object. Its name is made of small letters and
// underscores; of a part of a part it has a point, such as "pull.draft".
type Field struct {
	Name   string `json:"name"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Between returns how a state differs from what it was before, table by table,
// each in the order of creation, and the refs of repositories last. Neither
// state may change meanwhile.
func Between(before, after *model.State) []Change {
	var found []Change
	was, is := tables(before), tables(after)
	for n := range is {
		if slices.Contains(followers, is[n].name) {
			continue
		}
		found = append(found, rowChanges(before, after, was[n], is[n])...)
	}
	return append(found, refChanges(before, after)...)
}

// followers are the tables whose rows follow from those of others.
var followers = []string{"Events", "CheckSuites", "Jobs"}

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

// rows yields a table's rows, as pointers, in order.
func (t table) rows() iter.Seq[reflect.Value] {
	return t.pointer.MethodByName("All").Call(nil)[0].Seq()
}

// get returns the row with an id, nil if there is none.
func (t table) get(id model.ID) reflect.Value {
	return t.pointer.MethodByName("Get").Call([]reflect.Value{reflect.ValueOf(id)})[0]
}

func idOf(row reflect.Value) model.ID { return row.Elem().FieldByName("ID").Int() }

// byID returns a table's rows by their ids.
func (t table) byID() map[model.ID]reflect.Value {
	all := map[model.ID]reflect.Value{}
	for row := range t.rows() {
		all[idOf(row)] = row
	}
	return all
}

func rowChanges(before, after *model.State, was, is table) []Change {
	var found []Change
	now, then := is.byID(), was.byID()
	for row := range was.rows() {
		if _, still := now[idOf(row)]; !still && !follows(before, row.Interface()) {
			found = append(found, Change{Kind: Deleted, Object: named(before, row)})
		}
	}
	for row := range is.rows() {
		old, known := then[idOf(row)]
		if known && unchanged(old, row) || follows(after, row.Interface()) {
			continue
		}
		if !known {
			found = append(found, Change{Kind: Created, Object: named(after, row), Fields: filled(after, row)})
			continue
		}
		if fields := differing(before, after, old, row); len(fields) > 0 {
			found = append(found, Change{Kind: Changed, Object: named(after, row), Fields: fields})
		}
	}
	return found
}

// unchanged reports whether a row is what it was in every field. A repository,
// which holds its git objects, is looked at part by part instead.
func unchanged(old, row reflect.Value) bool {
	_, isRepo := row.Interface().(*model.Repo)
	return !isRepo && reflect.DeepEqual(old.Interface(), row.Interface())
}

// follows reports whether a row says what another one says too: the check run
// of a job of Actions.
func follows(s *model.State, row any) bool {
	run, isCheck := row.(*model.CheckRun)
	if !isCheck {
		return false
	}
	app := s.App(model.ActionsSlug)
	return app != nil && run.AppID == app.ID
}

// pullRefs are those that follow pull requests.
const pullRefs = "refs/pull/"

// refChanges tells what became of branches and tags.
func refChanges(before, after *model.State) []Change {
	var found []Change
	for repo := range before.Repos.All() {
		if after.Repos.Get(repo.ID) == nil {
			found = append(found, movedRefs(before, repo, refsOf(repo), nil)...)
		}
	}
	for repo := range after.Repos.All() {
		found = append(found, movedRefs(after, repo, refsOf(before.Repos.Get(repo.ID)), refsOf(repo))...)
	}
	return found
}

func refsOf(repo *model.Repo) map[string]gitstore.Hash {
	refs := map[string]gitstore.Hash{}
	if repo == nil || repo.Git == nil {
		return refs
	}
	for _, ref := range repo.Git.Refs("") {
		if !strings.HasPrefix(ref.Name, pullRefs) {
			refs[ref.Name] = ref.Hash
		}
	}
	return refs
}

func movedRefs(s *model.State, repo *model.Repo, was, is map[string]gitstore.Hash) []Change {
	var found []Change
	for name, old := range was {
		if _, still := is[name]; !still {
			found = append(found, Change{Kind: Deleted, Object: refObject(s, repo, name, old)})
		}
	}
	for name, now := range is {
		old, known := was[name]
		switch {
		case !known:
			found = append(found, Change{Kind: Created, Object: refObject(s, repo, name, now), Fields: []Field{{"commit", "", now.String()}}})
		case old != now:
			found = append(found, Change{Kind: Changed, Object: refObject(s, repo, name, now), Fields: []Field{{"commit", old.String(), now.String()}}})
		}
	}
	slices.SortFunc(found, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Object.Kind, b.Object.Kind), cmp.Compare(a.Name, b.Name))
	})
	return found
}

// refObject names a ref; its title is the first line of its commit's message.
func refObject(s *model.State, repo *model.Repo, name string, at gitstore.Hash) Object {
	o := Object{Kind: "ref", Name: s.FullName(repo) + ": " + name}
	for prefix, kind := range map[string]string{"refs/heads/": "branch", "refs/tags/": "tag"} {
		if short, found := strings.CutPrefix(name, prefix); found {
			o.Kind, o.Name = kind, s.FullName(repo)+": "+short
		}
	}
	if commit, err := repo.Git.Commit(at); err == nil {
		o.Title = firstLine(commit.Message)
	}
	return o
}
