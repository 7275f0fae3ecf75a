package scripted_test

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/scripted"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

func plansOf(files map[string]string) fstest.MapFS {
	folder := fstest.MapFS{}
	for name, content := range files {
		folder[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return folder
}

// smallPlan has one turn, whose fields are given.
func smallPlan(turn string) string {
	return "{\"scenario\": \"x-001\", \"modes\": {\"mcp\": {\"answer\": \"1\", \"turns\": [\n" + turn + "\n]}}}"
}

// otherWay is an alternative that answers with its name. No route is none.
func otherWay(name, mode, route string) string {
	if route != "" {
		route = fmt.Sprintf(`, "route": %q`, route)
	}
	return fmt.Sprintf(`{ "name": %q, "mode": %q%s, "answer": %q, "turns": [{ "tool": "bash", "command": "x" }] }`, name, mode, route, strconv.Quote(name))
}

// withAlternatives is a plan with alternatives, each on a line of its own.
func withAlternatives(alternatives ...string) string {
	return `{"scenario": "x-001", "modes": {"mcp": {"answer": "\"usual\"", "turns": [{"tool": "bash", "command": "x"}]}}, "alternatives": [` +
		"\n " + strings.Join(alternatives, ",\n ") + "]}"
}

func TestS16AlternativesArePlayedByTheirNames(t *testing.T) {
	const id = "x-001"
	plan := withAlternatives(otherWay("first", "mcp", ""), otherWay("second", "ghx", "cli"))
	provider, err := scripted.New(scripted.Options{Pause: -1, Plans: plansOf(map[string]string{id + ".json": plan})})
	require.NoError(t, err)
	plays := []scripted.Play{{Mode: bench.MCP}, {bench.MCP, "first"}, {bench.GHX, "second"}}
	assert.Equal(t, plays, provider.Plays(id))
	assert.Empty(t, provider.Plays("y-001"))
	played := func(p scripted.Play) (string, error) {
		session, err := provider.Playing(p.Alternative).Start(t.Context(), agent.Setup{Mode: p.Mode, Env: demoEnv})
		require.NoError(t, err)
		turn, err := session.Prompt(t.Context(), agent.Prompt{Play: agent.Play{ScenarioID: id}})
		return turn.Text, err
	}
	for _, play := range plays {
		answer, err := played(play)
		require.NoError(t, err)
		assert.Equal(t, cmp.Or(play.Alternative, "usual"), answer)
	}
	for _, wrong := range []scripted.Play{{bench.MCP, "second"}, {bench.MCP, "third"}} {
		_, err = played(wrong)
		assert.ErrorContains(t, err, fmt.Sprintf("its plan has no alternative %q in mode mcp", wrong.Alternative))
	}
}

func TestPlansSayWhatIsWrongAndWhere(t *testing.T) {
	tests := []struct {
		name, file, plan, want string
	}{
		{"no JSON", "x-001.json", "{", `x-001.json:1:2: want a field's name in double quotes, found the end of the file`},
		{"a field with a typing error", "x-001.json", `{"scenario": "x-001", "mods": {}}`, `x-001.json:1:23: mods: unknown field "mods": did you mean "modes"?`},
		{"an unknown mode", "x-001.json", `{"scenario": "x-001", "modes": {"gh": {"turns": [], "answer": "1"}}}`,
			`x-001.json:1:33: modes.gh: unknown field "gh": did you mean "ghx"?`},
		{"another scenario than the file's", "y-001.json", smallPlan(`{"tool": "bash", "command": "x"}`),
			`y-001.json:1:14: scenario: must be "y-001", as the file is called, is "x-001"`},
		{"bash without a command", "x-001.json", smallPlan(`{"tool": "bash"}`), `x-001.json:2:1: modes.mcp.turns[0].command: is missing`},
		{"another tool with a command", "x-001.json", smallPlan(`{"tool": "get_me", "arguments": "{}", "command": "x"}`),
			`x-001.json:2:39: modes.mcp.turns[0].command: is not allowed here: remove it`},
		{"a request to both APIs", "x-001.json", smallPlan(`{"tool": "get_me", "arguments": "{}", "calls": [{"query": "query{x}", "path": "/user"}]}`),
			`x-001.json:2:71: modes.mcp.turns[0].calls[0].path: is not allowed here: remove it`},
		{"ghx without a route", "x-001.json", `{"scenario": "x-001", "modes": {"ghx": {"answer": "1", "turns": [{"tool": "bash", "command": "x"}]}}}`,
			`x-001.json:1:40: modes.ghx.route: is missing`},
		{"a command that is no template", "x-001.json", smallPlan(`{"tool": "bash", "command": "gh {{.repo"}`),
			`x-001.json:2:29: modes.mcp.turns[0].command: is not jq that can be run: "{{" has no "}}" after it`},
		{"an expression that is no jq", "x-001.json", smallPlan(`{"tool": "get_me", "arguments": "{a: }"}`),
			`x-001.json:2:33: modes.mcp.turns[0].arguments: is not jq that can be run: unexpected token "}" in "{a: }"`},
		{"an expression with an unknown function", "x-001.json", smallPlan(`{"tool": "get_me", "arguments": "{}", "calls": [{"path": "/user", "each": ".input | lst"}]}`),
			`x-001.json:2:75: modes.mcp.turns[0].calls[0].each: is not jq that can be run: function not defined: lst/0 in ".input | lst"`},
		{"a repetition in a repetition", "x-001.json", smallPlan(`{"tool": "get_me", "arguments": "{}", "each": "[1]", "calls": [{"path": "/user", "each": "[1]"}]}`),
			`x-001.json:2:90: modes.mcp.turns[0].calls[0].each: is not possible in a turn that has each itself: take one of them away`},
		{"two alternatives of one name", "x-001.json", withAlternatives(otherWay("a", "mcp", ""), otherWay("a", "mcp", "")),
			`x-001.json:3:12: alternatives[1].name: is that of another alternative too: give each a name of its own`},
		{"an alternative of ghx without a route", "x-001.json", withAlternatives(otherWay("a", "ghx", "")), `x-001.json:2:2: alternatives[0].route: is missing`},
		{"an alternative of another mode with one", "x-001.json", withAlternatives(otherWay("a", "mcp", "cli")),
			`x-001.json:2:32: alternatives[0].route: is not allowed here: remove it`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scripted.New(scripted.Options{Plans: plansOf(map[string]string{tt.file: tt.plan})})
			require.Error(t, err)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.Equal(t, "read plans: "+tt.want, err.Error())
		})
	}
}

func TestPlansReportAllProblemsOfAllFiles(t *testing.T) {
	_, err := scripted.New(scripted.Options{Plans: plansOf(map[string]string{
		"x-001.json": "[]", "more/y-001.json": smallPlan(`{"tool": "bash", "command": "{{"}`),
	})})
	var problems jsondoc.Problems
	require.ErrorAs(t, err, &problems)
	assert.Len(t, problems, 3)
}

func TestAScenarioHasOnePlanInAFolder(t *testing.T) {
	plan := smallPlan(`{"tool": "bash", "command": "x"}`)
	_, err := scripted.New(scripted.Options{Plans: plansOf(map[string]string{"a/x-001.json": plan, "b/x-001.json": plan})})
	require.EqualError(t, err, `read plans: b/x-001.json:1:1: the scenario has a plan already, a/x-001.json: take one of them away`)
}

func TestGivenPlansGoBeforeTheShippedOnes(t *testing.T) {
	d := newDemo(t, bench.MCP, scripted.Options{Pause: -1, Plans: plansOf(map[string]string{
		"repo-view-001.json": strings.Replace(demoPlan, "demo-001", "repo-view-001", 1),
		"schema.json":        "a copy of the schema is no plan",
	})})
	turn, err := d.session.Prompt(t.Context(), agent.Prompt{Play: agent.Play{ScenarioID: "repo-view-001", Input: map[string]any{"title": "x"}}})
	require.NoError(t, err)
	assert.Equal(t, "opened", turn.Text)
}

func TestTurnsAndRequestsAreRepeatedForEachItem(t *testing.T) {
	const plan = `{
  "scenario": "demo-001",
  "modes": {
    "mcp": {
      "turns": [
        { "tool": "get", "arguments": "{}", "calls": [{ "as": "pages", "each": "[1, 2]", "path": "/page/{{.item}}" }] },
        { "tool": "read", "arguments": "{n: .item.n}", "each": ".r.pages", "calls": [{ "as": "read", "path": "/read/{{.item.n}}" }] },
        { "tool": "never", "arguments": "{}", "each": "[]", "calls": [{ "as": "none", "path": "/never" }] }
      ],
      "answer": ["[.r.read[].n, .r.none]", "| tojson"]
    }
  }
}`
	options := withoutPause()
	options.Plans = plansOf(map[string]string{"demo-001.json": plan})
	d := newDemo(t, bench.MCP, options)
	d.github.bodies = map[string]string{
		"GET /page/1": `{"n": 10}`, "GET /page/2": `{"n": 20}`, "GET /read/10": `{"n": 100}`, "GET /read/20": `{"n": 200}`,
	}
	answer, err := d.prompt(t.Context(), "do it!")
	require.NoError(t, err)
	assert.Equal(t, `[100,200,[]]`, answer)
	calls := tools(d.transcript(t))
	require.Len(t, calls, 3)
	assert.JSONEq(t, `{"n": 20}`, string(calls[2].Input))
}
