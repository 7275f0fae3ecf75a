package scenario_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/fault"
)

const shop = `start: 2025-09-01T08:00:00Z
agent: noor
accounts: [{login: noor}]
repositories:
- name: noor/shop
  files: [{path: README.md, text: hello}]
  issues: [{title: "A {{number: 1-9}}", as: issue}]
resources: {other: {is: issue, with: {lines: 3}}}
`

// inWorld is the minimal folder with one scenario in a world.
func inWorld(t *testing.T, text string) object {
	t.Helper()
	folder := minimal()
	change(t, folder, readFile, "fixture/world", "shop")
	if text != "" {
		folder["worlds/shop.yaml"] = text
	}
	folder["worlds/shop/package.json"] = object{"no": "scenario"}
	return folder
}

func TestS18AScenarioIsInAWorldOfItsFolder(t *testing.T) {
	library, err := scenario.Load(files(t, inWorld(t, shop)))
	require.NoError(t, err)
	s, err := library.Scenario("read-001")
	require.NoError(t, err)
	assert.Equal(t, "shop", s.World())
	w, err := library.World("shop")
	require.NoError(t, err)
	assert.Equal(t, "shop", w.Name)
	_, err = library.World("shp")
	require.Error(t, err)
	assert.Equal(t, `no scenario is in a world "shp": did you mean "shop"?`, err.Error())
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	plain, err := library.Scenario("read-002")
	require.NoError(t, err)
	assert.Empty(t, plain.World())

	// Rows of another world are of another scenario.
	changed, err := scenario.Load(files(t, inWorld(t, strings.Replace(shop, "hello", "hi", 1))))
	require.NoError(t, err)
	other, err := changed.Scenario("read-001")
	require.NoError(t, err)
	assert.NotEqual(t, s.Hash, other.Hash)
	same, err := changed.Scenario("read-002")
	require.NoError(t, err)
	assert.Equal(t, plain.Hash, same.Hash)
}

func TestS18EachScenarioInNoWorldIsTold(t *testing.T) {
	folder := inWorld(t, "")
	change(t, folder, "read/read-002.json", "fixture/world", "shop")
	assert.Equal(t, []string{
		`read/read-001.json: fixture.world: there is no world "shop": want a file worlds/shop.yaml`,
		`read/read-002.json: fixture.world: there is no world "shop": want a file worlds/shop.yaml`,
	}, said(t, folder))
}

func TestS18AWorldMakesWhatItsScenariosStandOn(t *testing.T) {
	for name, c := range map[string]struct {
		text, path string
		value      any
		want       []string
	}{
		"a world that is not there": {"", "name", "n", []string{`read/read-001.json:13:14: fixture.world: there is no world "shop": want a file worlds/shop.yaml`}},
		"a world that is broken, told once": {strings.Replace(shop, "agent: noor", "agent: nobody", 1), "name", "n", []string{
			`worlds/shop.yaml:2:8: agent: there is no account "nobody"`,
		}},
		"a resource that nothing makes, bound": {shop, "fixture", object{"world": "shop", "requires": []any{"isue"}, "bindings": object{"input.issueNumber": "resources.isue.number"}}, []string{
			`fixture.requires[0]: nothing in the world "shop" makes "isue"`,
		}},
		"a file that is no world":       {"start: 3\n", "name", "n", []string{"worlds/shop.yaml:1:1: accounts: is missing", "worlds/shop.yaml:1:1: agent: is missing", "worlds/shop.yaml:1:8: start: must be a string, is 3"}},
		"a resource that nothing makes": {shop, "fixture/requires", []any{"issue", "isue"}, []string{`read/read-001.json:12:7: fixture.requires[1]: nothing in the world "shop" makes "isue": did you mean "issue"?`}},
		"a field that a resource lacks": {shop, "fixture/bindings", object{"input.issueNumber": "resources.issue.numbr"}, []string{
			`read/read-001.json:8:28: fixture.bindings["input.issueNumber"]: issue has no "numbr": did you mean "number"?`,
		}},
		"a field that a further name lacks": {shop, "fixture", object{"world": "shop", "requires": []any{"other"}, "bindings": object{"input.issueNumber": "resources.other.pages"}}, []string{
			`read/read-001.json:8:28: fixture.bindings["input.issueNumber"]: other has no "pages": it has author, database_id, id, lines, number, title, url`,
		}},
		"a reference to what is not there": {shop, "assertions/checkpoints", []any{look("field_equals", "verification_task", "issue.view", "verification_input", object{"owner": "o", "name": "n"}, "path", "state", "expected_value", "{{resources.issue.state}}")}, []string{
			`expected_value: issue has no "state"`,
		}},
		"a field that is drawn": {shop, "fixture", object{"world": "shop", "requires": []any{"other"}, "bindings": object{"input.issueNumber": "resources.other.lines"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			folder := inWorld(t, c.text)
			change(t, folder, readFile, c.path, c.value)
			var told []string
			for _, p := range scenario.Check(files(t, folder), nil).Problems {
				told = append(told, p.String())
			}
			require.Len(t, told, len(c.want), told)
			for i, want := range c.want {
				assert.Contains(t, told[i], want)
			}
		})
	}
}

// unreadable is a folder with a file that may not be read.
type unreadable struct {
	fs.FS
	file string
}

// Open refuses the file.
func (u unreadable) Open(name string) (fs.File, error) {
	if name == u.file {
		return nil, fs.ErrPermission
	}
	return u.FS.Open(name)
}

// Stat knows the file.
func (u unreadable) Stat(name string) (fs.FileInfo, error) { return fs.Stat(u.FS, name) }

func TestS18AWorldThatCannotBeReadIsAProblem(t *testing.T) {
	_, err := scenario.Load(unreadable{files(t, inWorld(t, shop)), "worlds/shop.yaml"})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "worlds/shop")
	assert.Contains(t, err.Error(), fs.ErrPermission.Error())
}
