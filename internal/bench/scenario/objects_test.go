package scenario_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/scenarios"
)

// The vocabulary of footprints is what a sandbox's log can say, no more and no
// less: one object of each kind is made, with something in every field.
func TestS12TheVocabularyOfFootprintsIsThatOfTheChangeLog(t *testing.T) {
	vocabulary := map[string]map[string]string{}
	for _, c := range everyChange(t) {
		fields := vocabulary[c.Object.Kind]
		if fields == nil {
			fields = map[string]string{}
			vocabulary[c.Object.Kind] = fields
		}
		for _, f := range c.Fields {
			name := f.Name
			if strings.HasPrefix(name, "values.") {
				name = "values.*"
			}
			types := append(strings.Split(fields[name], " or "), jsonType(t, f))
			slices.Sort(types)
			fields[name] = strings.TrimPrefix(strings.Join(slices.Compact(types), " or "), " or ")
		}
	}
	testkit.CheckGolden(t, "footprints can name what the log of a sandbox can tell of", "objects.json", written(vocabulary))
}

// Editors offer what the schema gives as examples.
func TestS12TheSchemaOffersTheKindsOfObjects(t *testing.T) {
	var kinds map[string]any
	data, err := os.ReadFile("objects.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &kinds))
	var schema struct {
		Defs struct {
			Footprint struct {
				Items struct {
					Properties struct{ Object struct{ Examples []string } }
				}
			}
		} `json:"$defs"`
	}
	data, err = fs.ReadFile(scenarios.Files, "schema.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &schema))
	assert.Equal(t, slices.Sorted(maps.Keys(kinds)), schema.Defs.Footprint.Items.Properties.Object.Examples)
}

// written is a vocabulary as a file, a field on a line.
func written(vocabulary map[string]map[string]string) []byte {
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(vocabulary)) {
		var fields []string
		for _, name := range slices.Sorted(maps.Keys(vocabulary[kind])) {
			fields = append(fields, fmt.Sprintf("    %q: %q", name, vocabulary[kind][name]))
		}
		kinds = append(kinds, fmt.Sprintf("  %q: {\n%s\n  }", kind, strings.Join(fields, ",\n")))
	}
	return []byte("{\n" + strings.Join(kinds, ",\n") + "\n}\n")
}

// jsonType is the type of a field's value.
func jsonType(t *testing.T, f changes.Field) string {
	switch value := f.After.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case int, int64:
		return "integer"
	case float64:
		return "number"
	case map[string]any:
		return "object"
	case []any:
		return "array of " + jsonType(t, changes.Field{Name: f.Name, After: value[0]})
	default:
		require.Fail(t, "a value of no type of JSON", "%s: %T", f.Name, value)
		return ""
	}
}

// everyChange makes a row of every table, with something in each of its fields,
// refs of every kind, and moves an issue to another repository.
func everyChange(t *testing.T) []changes.Change {
	t.Helper()
	s := model.New()
	owner := s.AddUser(model.NewUser{Login: "octocat"})
	repo := s.AddRepo(model.NewRepo{Owner: owner.ID, Name: "hello"})
	require.NoError(t, s.PushInitial(owner.ID, repo, []gitstore.Change{{Path: "a.txt", Content: []byte("a\n")}}, "first"))
	_, err := s.WriteFile(owner.ID, repo, model.FileWrite{Path: "b.txt", Message: "second", Content: []byte("b\n"), Branch: "main"})
	require.NoError(t, err)
	moved, err := s.OpenIssue(owner.ID, repo, model.NewIssue{Title: "It is broken"})
	require.NoError(t, err)
	tip, _ := s.BranchHead(repo, "main")
	before := s.Clone()

	f := filler{ids: map[string]model.ID{"RepoID": repo.ID, "OwnerID": owner.ID}, commit: tip.String(), git: repo.Git}
	var filled []func()
	for table, value := range reflect.ValueOf(s).Elem().Fields() {
		add := value.Addr().MethodByName("Add")
		if !add.IsValid() || add.Type().NumIn() != 2 {
			continue
		}
		s.LastID++
		row := reflect.New(add.Type().In(1).Elem())
		add.Call([]reflect.Value{reflect.ValueOf(s.LastID), row})
		f.ids[table.Name], f.ids[strings.TrimSuffix(table.Name, "s")+"ID"] = s.LastID, cmp.Or(f.ids[strings.TrimSuffix(table.Name, "s")+"ID"], s.LastID)
		filled = append(filled, func() { f.fill(table.Name, row.Elem()) })
	}
	for _, fill := range filled {
		fill()
	}
	issue := *s.Issues.Get(f.ids["Issues"])
	issue.ID, issue.Pull = s.LastID+1, nil
	s.Issues.Add(issue.ID, &issue)
	number := s.ProjectFields.Add(s.LastID+2, &model.ProjectField{ID: s.LastID + 2, Name: "Estimate", Type: model.FieldNumber})
	s.ProjectItems.Get(f.ids["ProjectItems"]).Values = map[model.ID]model.ProjectValue{number.ID: {Number: 1.5}, f.ids["ProjectFields"]: {Text: "Todo"}}
	for _, name := range []string{"refs/heads/topic", "refs/tags/v1", "refs/notes/commits"} {
		require.NoError(t, repo.Git.SetRef(name, tip))
	}
	moved.RepoID = f.ids["Repos"]
	return sandboxtest.Between(before, s)
}

// filler puts something into every field.
type filler struct {
	// ids are those of rows, by the fields and tables that have them.
	ids    map[string]model.ID
	commit string
	git    *gitstore.Store
}

func (f *filler) fill(name string, value reflect.Value) {
	switch at := value.Addr().Interface().(type) {
	case *time.Time:
		*at = model.Epoch
		return
	case **gitstore.Store:
		*at = f.git.Clone()
		return
	}
	switch value.Kind() {
	case reflect.String:
		value.SetString(map[bool]string{true: f.commit, false: "text"}[strings.HasSuffix(name, "SHA")])
	case reflect.Bool:
		value.SetBool(true)
	case reflect.Int, reflect.Uint8, reflect.Float64:
		value.Set(reflect.ValueOf(1).Convert(value.Type()))
	case reflect.Int64:
		value.SetInt(cmp.Or(f.ids[name], f.ids["OwnerID"]))
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		f.fill(name, value.Elem())
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		f.fill(name, value.Index(0))
	case reflect.Map:
		key, element := reflect.New(value.Type().Key()).Elem(), reflect.New(value.Type().Elem()).Elem()
		f.fill(name, key)
		f.fill(name, element)
		value.Set(reflect.MakeMap(value.Type()))
		value.SetMapIndex(key, element)
	case reflect.Struct:
		for field, inner := range value.Fields() {
			if field.IsExported() {
				f.fill(field.Name, inner)
			}
		}
	}
}
