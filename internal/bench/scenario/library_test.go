package scenario_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

func ids(scenarios []bench.Scenario) []string {
	var ids []string
	for _, s := range scenarios {
		ids = append(ids, s.ID)
	}
	return ids
}

func TestLoadReportsEveryProblemOfEveryFileAtOnce(t *testing.T) {
	folder := minimal()
	change(t, folder, writeFile, "timeout_ms", 0)
	change(t, folder, writeFile, "task", 5)
	change(t, folder, readFile, "task", "issue.veiw")
	folder[flowFile] = "{"
	change(t, folder, "sets.json", "mine", []string{"read-0001"})

	_, err := scenario.Load(files(t, folder))
	require.Error(t, err)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	var problems jsondoc.Problems
	require.True(t, errors.As(err, &problems))
	var at []string
	for _, p := range problems {
		at = append(at, p.File+" "+p.Path)
		assert.Positive(t, p.Line)
		assert.Positive(t, p.Column)
	}
	assert.Equal(t, []string{
		flowFile + " ",
		readFile + " task",
		"sets.json mine[0]",
		writeFile + " task",
		writeFile + " timeout_ms",
	}, at)
}

func TestLoadReadsScenarios(t *testing.T) {
	library := load(t, minimal())
	s, err := library.Scenario("write-001")
	require.NoError(t, err)
	assert.Equal(t, bench.Atomic, s.Type, "the type that may be left out")
	assert.Equal(t, 60000, s.TimeoutMS)
	assert.Equal(t, "resources.pr.number", s.Fixture.Bindings["input.prNumber"])
	assert.Equal(t, "MERGED", s.Assertions.Checkpoints[0].ExpectedValue)
	assert.Len(t, library.All(), 12)
	assert.Equal(t, []string{"ci-verify-pr", "ci-verify-release", "default", "workflows"}, library.Sets())

	s, err = library.Scenario("flow-wf-001")
	require.NoError(t, err)
	assert.Equal(t, bench.Workflow, s.Type)
	assert.Equal(t, object{"unresolvedOnly": true}, s.Assertions.Checkpoints[0].VerificationInput)
}

func TestLoadReadsWholeNumbersAsInt(t *testing.T) {
	folder := minimal()
	change(t, folder, writeFile, "assertions/checkpoints", []any{look("field_equals", "expected_value", object{"number": 9007199254740993, "additions": 0.5})})
	s, err := load(t, folder).Scenario("write-001")
	require.NoError(t, err)
	assert.Equal(t, object{"number": 9007199254740993, "additions": 0.5}, s.Assertions.Checkpoints[0].ExpectedValue)
}

func TestAFileThatCannotBeReadIsAProblem(t *testing.T) {
	fsys := files(t, minimal())
	fsys["bad.json"] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("nowhere.json")}
	problems := scenario.Check(fsys, nil).Problems
	require.Len(t, problems, 1)
	assert.Equal(t, "bad.json:1:1: the file is missing", problems[0].String())

	fsys["bad.json"] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("write")}
	problems = scenario.Check(fsys, nil).Problems
	require.Len(t, problems, 1)
	assert.Contains(t, problems[0].String(), "bad.json:1:1: cannot be read: ")
}

func TestAFolderThatIsNotThereIsAProblem(t *testing.T) {
	_, err := scenario.Load(os.DirFS(filepath.Join(t.TempDir(), "nowhere")))
	require.Error(t, err)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.Contains(t, err.Error(), ".:1:1: cannot be read: ")
	assert.Contains(t, err.Error(), "sets.json:1:1: the file is missing")
}

func TestN1TheHashIsThatOfTheContent(t *testing.T) {
	const text = `{"id": "read-001", "name": "View", "task": "repo.view", "input": {"owner": "o", "name": "n"},
		"prompt_template": "{{task}}", "timeout_ms": 10000, "allowed_retries": 0, "assertions": {"must_succeed": true}, "tags": []}`
	hash := func(text string) string {
		folder := minimal()
		folder[readFile] = text
		s, err := load(t, folder).Scenario("read-001")
		require.NoError(t, err)
		return s.Hash
	}
	want := hash(text)
	assert.Equal(t, "20c25e22c7570aa8509b296d363d511a8baf4089cc37d33406cac50772c6058d", want,
		"rows of earlier runs have this hash")

	same := map[string]string{
		"another order and spacing": `{"tags":[],"assertions":{"must_succeed":true},"allowed_retries":0,"timeout_ms":10000,"prompt_template":"{{task}}",
			"input":{"name":"n","owner":"o"},"task":"repo.view","name":"View","id":"read-001"}`,
		"another spelling of numbers and strings": `{"id": "read-001", "name": "\u0056iew", "task": "repo.view", "input": {"owner": "o", "name": "n"},
			"prompt_template": "{{task}}", "timeout_ms": 1e4, "allowed_retries": 0, "assertions": {"must_succeed": true}, "tags": []}`,
		"a schema for editors": `{"$schema": "../schema.json", "id": "read-001", "name": "View", "task": "repo.view", "input": {"owner": "o", "name": "n"},
			"prompt_template": "{{task}}", "timeout_ms": 10000, "allowed_retries": 0, "assertions": {"must_succeed": true}, "tags": []}`,
	}
	for name, text := range same {
		t.Run(name+" is the same content", func(t *testing.T) { assert.Equal(t, want, hash(text)) })
	}
	t.Run("another timeout is another content", func(t *testing.T) {
		assert.NotEqual(t, want, hash(`{"id": "read-001", "name": "View", "task": "repo.view", "input": {"owner": "o", "name": "n"},
			"prompt_template": "{{task}}", "timeout_ms": 10001, "allowed_retries": 0, "assertions": {"must_succeed": true}, "tags": []}`))
	})
}

func TestSelect(t *testing.T) {
	library := load(t, minimal())
	tests := []struct {
		name, set string
		ids       []string
		want      []string
		wantErr   string
	}{
		{"a set, in its order", "ci-verify-pr", nil, []string{"write-001", "write-002"}, ""},
		{"ids, in the order given", "", []string{"write-002", "read-001"}, []string{"write-002", "read-001"}, ""},
		{"the default set if nothing is named", "", nil, []string{"read-001", "read-002", "read-003", "read-004", "read-005", "read-006"}, ""},
		{"an unknown set that is like one", "ci-verify", nil, nil, `unknown scenario set "ci-verify": did you mean "ci-verify-pr"?`},
		{"an unknown set that is like none", "nightly", nil, nil, `unknown scenario set "nightly": want one of ["ci-verify-pr" "ci-verify-release" "default" "workflows"]`},
		{"an unknown id", "", []string{"raed-001"}, nil, `unknown scenario "raed-001": did you mean "read-001"?`},
		{"an id twice", "", []string{"read-001", "read-001"}, nil, `scenario "read-001" is named twice: want each once, and repetitions for more runs`},
		{"a set and ids", "default", []string{"read-001"}, nil, `both a scenario set ("default") and scenarios are named: want one of the two`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			selected, err := scenario.Select(library, tt.set, tt.ids)
			if tt.wantErr != "" {
				require.EqualError(t, err, tt.wantErr)
				assert.Equal(t, fault.Invalid, fault.KindOf(err))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, ids(selected))
		})
	}
}

func TestS4RouteAssertionsApplyToGHXAloneAndDecideNothing(t *testing.T) {
	given := bench.Assertions{
		ExpectedOutcome: bench.OutcomeSuccess, ExpectedRouteUsed: bench.RouteGraphQL,
		RequiredMetaFields: []string{"capability_id", "route_used", "attempts"},
	}
	without := given
	without.ExpectedRouteUsed = ""
	without.RequiredMetaFields = []string{"capability_id", "attempts"}
	assert.Equal(t, without, scenario.WithoutRoute(given))
	assert.Equal(t, []string{"capability_id", "route_used", "attempts"}, given.RequiredMetaFields, "the scenario's own assertions stay")

	alone := bench.Assertions{ExpectedRouteUsed: bench.RouteGraphQL, RequiredMetaFields: []string{"route_used"}}
	route, some := scenario.Route(given)
	assert.True(t, some)
	assert.Equal(t, alone, route)
	_, some = scenario.Route(bench.Assertions{RequiredMetaFields: []string{"attempts"}})
	assert.False(t, some)
}
