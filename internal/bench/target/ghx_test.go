package target_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/envelope"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/scenarios"
)

// ghxBench is the unmodified ghx, with gh at its side, in a place.
type ghxBench struct {
	*realtool.Bench
	t       testing.TB
	place   *target.Place
	program string
}

func openGHX(t testing.TB, sandbox *target.Sandbox) *ghxBench {
	t.Helper()
	return openGHXIn(t, sandbox, target.Needs{})
}

// openGHXIn is [openGHX] in a world.
func openGHXIn(t testing.TB, sandbox *target.Sandbox, needs target.Needs) *ghxBench {
	t.Helper()
	program, gh := realtool.Find(t, realtool.GHX()), realtool.Find(t, realtool.GH())
	place, err := sandbox.Prepare(t.Context(), needs)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, place.Close()) })
	path := "PATH=" + filepath.Dir(gh) + string(os.PathListSeparator) + os.Getenv("PATH")
	return &ghxBench{realtool.Open(t, place.GitHub, append(place.Env, path)...), t, place, program}
}

// ghxReply is what ghx says about a capability that it ran.
type ghxReply struct {
	OK   bool `json:"ok"`
	Data any  `json:"data"`
	// Error is nil if there is none.
	Error *struct{ Code, Message string } `json:"error"`
	Meta  struct {
		Route string `json:"route_used"`
	} `json:"meta"`
}

// run runs a capability in the fixtures repository.
func (g *ghxBench) run(capability string, input map[string]any) ghxReply {
	g.t.Helper()
	var reply ghxReply
	text := g.text(capability, input)
	require.NoError(g.t, json.Unmarshal([]byte(text), &reply), "%s: %s", capability, text)
	return reply
}

// text is run that returns what ghx printed.
func (g *ghxBench) text(capability string, input map[string]any) string {
	g.t.Helper()
	encoded, err := json.Marshal(input)
	require.NoError(g.t, err)
	return g.Run(g.t, g.program, "run", capability, "--input", string(encoded), "--verbose").Stdout
}

// read asks GitHub as another account.
func (g *ghxBench) read(task string, input map[string]any) any {
	g.t.Helper()
	answer, err := checkpoint.NewGitHubReader(verifier(g.t, g.place)).Read(g.t.Context(), bench.Read{Task: task, Input: input})
	require.NoError(g.t, err)
	return plain(g.t, answer)
}

// plain is a value as it looks after a way through JSON.
func plain(t testing.TB, value any) any {
	t.Helper()
	encoded, err := json.Marshal(value)
	require.NoError(t, err)
	var out any
	require.NoError(t, json.Unmarshal(encoded, &out))
	return out
}

// partOf asserts that everything that is in a JSON value is in another one too:
// an object's fields by name, a list's elements in their places.
func partOf(t testing.TB, whole, part any, at string) {
	t.Helper()
	switch part := part.(type) {
	case map[string]any:
		object, _ := whole.(map[string]any)
		for name, value := range part {
			if assert.Contains(t, object, name, at) {
				partOf(t, object[name], value, at+"."+name)
			}
		}
	case []any:
		list, _ := whole.([]any)
		if assert.Len(t, list, len(part), at) {
			for n, value := range part {
				partOf(t, list[n], value, fmt.Sprintf("%s.%d", at, n))
			}
		}
	default:
		assert.Equal(t, part, whole, at)
	}
}

func TestGHXListsItsCapabilities(t *testing.T) {
	g := openGHX(t, seeded(t))
	listed := map[string]bool{}
	for line := range strings.Lines(g.Must(t, g.program, "capabilities", "list")) {
		name, _, _ := strings.Cut(line, " ")
		listed[name] = true
	}
	for _, s := range shippedScenarios(t) {
		for _, id := range append(s.ExpectedCapabilities, s.Task) {
			assert.True(t, id == "" || listed[id], "%s needs %s", s.ID, id)
		}
	}
	assert.Contains(t, g.Must(t, g.program, "capabilities", "explain", "pr.threads.reply"), `"threadId"`)
	assert.Zero(t, g.place.Usage(), "nothing of this is asked of GitHub")
}

func shippedScenarios(t testing.TB) []bench.Scenario {
	t.Helper()
	library, err := scenario.Load(scenarios.Files)
	require.NoError(t, err)
	return library.All()
}

// What the scenarios ask for, ghx does with one capability, and both its answer
// and what has become of GitHub are judged as an agent's.
func TestGHXDoesWhatTheScenariosAsk(t *testing.T) {
	sandbox := seeded(t)
	sandbox.FindWorlds(func(name string) (*world.World, error) { return world.Load(scenarios.Files, name) }, nil)
	for _, s := range shippedScenarios(t) {
		if s.Type == bench.Workflow {
			continue
		}
		t.Run(s.ID, func(t *testing.T) {
			t.Parallel()
			g := openGHXIn(t, sandbox, target.Needs{World: s.World()})
			resolved, err := scenario.Resolve(s, g.place.Manifest)
			require.NoError(t, err)
			assertions := scenario.WithoutRoute(resolved.Scenario.Assertions)
			track := checkpoint.NewTrack(checkpoint.NewGitHubReader(verifier(t, g.place)), assertions.Checkpoints)
			printed := g.text(s.Task, resolved.Input)
			judgement := envelope.Judge(answerOf(t, printed), assertions, 1)
			if says, fails := ghxFailsByItself()[s.Task]; fails {
				assert.Contains(t, printed, says)
				assert.False(t, judgement.Success)
			} else {
				assert.Empty(t, judgement.Reasons)
				assert.True(t, judgement.Success)
			}
			results, readable := track.Run(t.Context(), checkpoint.Poll{})
			assert.True(t, readable)
			for _, r := range results {
				assert.True(t, r.Passed, "%s: %s", r.Name, r.Detail)
			}
		})
	}
}

// answerOf is the answer that an agent makes of what ghx printed: ghx leaves
// out data and an error that there are not.
func answerOf(t testing.TB, printed string) string {
	t.Helper()
	answer := map[string]any{"data": nil, "error": nil}
	require.NoError(t, json.Unmarshal([]byte(printed), &answer), printed)
	encoded, err := json.Marshal(answer)
	require.NoError(t, err)
	return string(encoded)
}

// The threads of the workflow's scenario are answered and resolved one after
// the other, in one chain each.
func TestGHXSettlesReviewThreads(t *testing.T) {
	g := openGHX(t, seeded(t))
	pull := g.in(map[string]any{"prNumber": number(t, g.place, "pr_with_reviews"), "unresolvedOnly": true})
	list, _ := g.run("pr.threads.list", pull).Data.(map[string]any)
	open, _ := list["items"].([]any)
	require.Len(t, open, 3)
	for _, thread := range open {
		id := thread.(map[string]any)["id"]
		steps, err := json.Marshal([]map[string]any{
			{"task": "pr.threads.reply", "input": map[string]any{"threadId": id, "body": "Done."}},
			{"task": "pr.threads.resolve", "input": map[string]any{"threadId": id}},
		})
		require.NoError(t, err)
		var chain struct {
			Status  string
			Results []ghxReply
		}
		out := g.Must(t, g.program, "chain", "--steps", string(steps), "--verbose")
		require.NoError(t, json.Unmarshal([]byte(out), &chain), out)
		assert.Equal(t, "success", chain.Status)
		require.Len(t, chain.Results, 2)
		assert.True(t, chain.Results[0].OK && chain.Results[1].OK, out)
	}
	threads, _ := g.read("pr.threads.list", map[string]any{
		"owner": target.Owner, "name": target.FixturesName, "prNumber": pull["prNumber"], "unresolvedOnly": false, "includeOutdated": true, "first": 100,
	}).(map[string]any)
	for n, thread := range threads["items"].([]any) {
		thread, _ := thread.(map[string]any)
		assert.Equal(t, true, thread["isResolved"])
		comments, _ := thread["comments"].([]any)
		assert.Len(t, comments, map[bool]int{true: 1, false: 2}[n == 0], "the first was resolved before")
	}
}

// in is an input that names the fixtures repository.
func (g *ghxBench) in(input map[string]any) map[string]any {
	named := map[string]any{"owner": target.Owner, "name": target.FixturesName}
	for key, value := range input {
		named[key] = value
	}
	return named
}

func TestGHXSaysWhatIsWrong(t *testing.T) {
	g := openGHX(t, seeded(t))
	missing := g.run("issue.view", g.in(map[string]any{"issueNumber": 999}))
	assert.False(t, missing.OK)
	require.NotNil(t, missing.Error)
	assert.Equal(t, "NOT_FOUND", missing.Error.Code)
	assert.Contains(t, missing.Error.Message, "Could not resolve to an Issue with the number of 999.")

	g.Env = append(g.Env, "GITHUB_TOKEN=ghp_none", "GH_TOKEN=ghp_none")
	stranger := g.run("repo.view", g.in(nil))
	assert.False(t, stranger.OK)
	require.NotNil(t, stranger.Error)
	assert.Contains(t, stranger.Error.Message, "Bad credentials")
}

func TestR7WhatGHXAsksIsCounted(t *testing.T) {
	g := openGHX(t, seeded(t))
	var writes atomic.Int64
	g.place.OnWrite(func() { writes.Add(1) })
	require.True(t, g.run("issue.view", g.in(map[string]any{"issueNumber": number(t, g.place, "issue")})).OK)
	assert.Equal(t, 1, g.place.Usage().Requests.GraphQL)
	assert.Zero(t, writes.Load())
	require.True(t, g.run("issue.comments.create", g.in(map[string]any{"issueNumber": number(t, g.place, "issue"), "body": "x"})).OK)
	assert.EqualValues(t, 1, writes.Load())
	assert.Empty(t, g.Attempt.Usage().Refused)
}
