package scripted_test

import (
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/scripted"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/envelope"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/scenarios"
)

func TestMain(m *testing.M) {
	testkit.CollectLess()
	os.Exit(m.Run())
}

var library = sync.OnceValues(func() (*scenario.Library, error) { return scenario.Load(scenarios.Files) })

// set returns the scenarios of a set; those of all sets if it has no name.
func set(t *testing.T, name string) []bench.Scenario {
	t.Helper()
	shipped, err := library()
	require.NoError(t, err)
	if name == "" {
		return shipped.All()
	}
	chosen, err := shipped.Set(name)
	require.NoError(t, err)
	return chosen
}

// mutating returns the scenarios that change something. Where GitHub is to
// refuse, checkpoints tell why it does, and the audit makes the wrong agents:
// outcome and footprint fail them.
func mutating(t *testing.T) []bench.Scenario {
	t.Helper()
	return slices.DeleteFunc(set(t, ""), func(s bench.Scenario) bool {
		return !scenario.Mutates(s) || s.Assertions.Outcome() == bench.OutcomeError
	})
}

// modesOf returns the modes that a scenario can be played in: those of its
// plan. The MCP server has no tools for some tasks.
func modesOf(t *testing.T, s bench.Scenario) []bench.Mode {
	t.Helper()
	data, err := os.ReadFile("plans/" + s.ID + ".json")
	require.NoError(t, err)
	var plan struct{ Modes map[bench.Mode]any }
	require.NoError(t, json.Unmarshal(data, &plan))
	for _, mode := range []bench.Mode{bench.AgentDirect, bench.GHX} {
		require.Contains(t, plan.Modes, mode)
	}
	return slices.Sorted(maps.Keys(plan.Modes))
}

// forEach runs a test for every scenario in every mode that it has.
func forEach(t *testing.T, chosen []bench.Scenario, test func(t *testing.T, s bench.Scenario, mode bench.Mode)) {
	t.Helper()
	require.NotEmpty(t, chosen)
	for _, s := range chosen {
		for _, mode := range modesOf(t, s) {
			t.Run(s.ID+"/"+string(mode), func(t *testing.T) { test(t, s, mode) })
		}
	}
}

// attempt is what an attempt at a scenario came to.
type attempt struct {
	// judgement is the zero value for a workflow.
	judgement   envelope.Judgement
	checkpoints []bench.CheckpointResult
	readable    bool
	measures    agent.Measures
	usage       target.Usage
}

func (a attempt) broken() []bench.CheckpointResult {
	return slices.DeleteFunc(slices.Clone(a.checkpoints), func(c bench.CheckpointResult) bool { return c.Passed })
}

// try makes an attempt as a runner does: in a fresh sandbox, judged by the
// scenario's assertions and by what another account reads afterwards.
func try(t *testing.T, s bench.Scenario, mode bench.Mode, kinds ...scripted.Kind) attempt {
	t.Helper()
	place := newPlaceFor(t, s)
	resolved, err := scenario.Resolve(s, place.Manifest)
	require.NoError(t, err)
	assertions := scenario.WithoutRoute(resolved.Scenario.Assertions)
	verifier, err := clientOf(place.Verifier)
	require.NoError(t, err)
	track := checkpoint.NewTrack(checkpoint.NewGitHubReader(verifier), assertions.Checkpoints)
	track.Watch(t.Context(), place.OnWrite)

	provider, err := scripted.New(withoutPause(kinds...))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, provider.Close()) })
	session, err := provider.Start(t.Context(), agent.Setup{Mode: mode, Env: place.Env})
	require.NoError(t, err)
	turn, err := session.Prompt(t.Context(), agent.Prompt{
		Text: resolved.Prompt, Play: agent.Play{ScenarioID: s.ID, Input: resolved.Input, Iteration: 1, Attempt: 1},
	})
	require.NoError(t, err)
	transcript, err := session.Transcript(t.Context())
	require.NoError(t, err)

	a := attempt{measures: agent.Measure(transcript), usage: place.Usage()}
	if s.Type != bench.Workflow {
		a.judgement = envelope.Judge(turn.Text, assertions, a.measures.ToolCalls)
	}
	a.checkpoints, a.readable = track.Run(t.Context(), checkpoint.Poll{})
	return a
}

func TestEveryShippedScenarioSucceedsInEveryMode(t *testing.T) {
	forEach(t, set(t, ""), func(t *testing.T, s bench.Scenario, mode bench.Mode) {
		a := try(t, s, mode)
		if s.Type != bench.Workflow {
			assert.Empty(t, a.judgement.Reasons)
			assert.True(t, a.judgement.Success)
		}
		assert.Len(t, a.checkpoints, len(s.Assertions.Checkpoints))
		assert.True(t, a.readable)
		assert.Empty(t, a.broken())
		if s.Assertions.Outcome() == bench.OutcomeSuccess {
			assert.Zero(t, a.measures.ToolErrors)
			assert.Positive(t, a.usage.Requests.REST+a.usage.Requests.GraphQL)
		}
	})
}

func TestEveryShippedPlanIsOfAShippedScenario(t *testing.T) {
	shipped, err := library()
	require.NoError(t, err)
	provider, err := scripted.New(scripted.Options{})
	require.NoError(t, err)
	files, err := fs.Glob(os.DirFS("plans"), "*.json")
	require.NoError(t, err)
	for _, file := range files {
		if file != "schema.json" {
			id := strings.TrimSuffix(file, ".json")
			_, err := shipped.Scenario(id)
			assert.NoError(t, err, file)
			assert.NotEmpty(t, provider.Plays(id), file)
		}
	}
}

func TestS6AnAgentThatChangesNothingFails(t *testing.T) {
	testkit.NeedComplete(t)
	forEach(t, mutating(t), func(t *testing.T, s bench.Scenario, mode bench.Mode) {
		a := try(t, s, mode, scripted.Idle)
		if s.Type != bench.Workflow {
			assert.Empty(t, a.judgement.Reasons, "the answer alone gives it away")
		}
		assert.True(t, a.readable)
		assert.NotEmpty(t, a.broken(), "the checkpoints do not see that nothing was done")
	})
}

func TestS6AnAgentThatActsOnTheWrongObjectFails(t *testing.T) {
	testkit.NeedComplete(t)
	forEach(t, mutating(t), func(t *testing.T, s bench.Scenario, mode bench.Mode) {
		a := try(t, s, mode, scripted.WrongObject)
		assert.True(t, a.readable)
		assert.NotEmpty(t, a.broken(), "the checkpoints do not see that it was the wrong one")
	})
}

func TestGHXNeedsLessThanDirectToolsToChangeSomething(t *testing.T) {
	// The gate asks for 10 to 18 %, so that this much is no accident of a
	// threshold.
	const least = 0.15
	for _, s := range set(t, "ci-verify-release") {
		t.Run(s.ID, func(t *testing.T) {
			direct, ghx := try(t, s, bench.AgentDirect).measures, try(t, s, bench.GHX).measures
			for name, pair := range map[string][2]int64{
				"active tokens": {direct.Tokens.Active(), ghx.Tokens.Active()},
				"tool calls":    {int64(direct.ToolCalls), int64(ghx.ToolCalls)},
				"turns":         {int64(direct.Turns), int64(ghx.Turns)},
			} {
				assert.GreaterOrEqual(t, 1-float64(pair[1])/float64(pair[0]), least, "%s: %d are saved down to %d", name, pair[0], pair[1])
			}
		})
	}
}

// wire counts the bytes of bodies that each use of a tool sends and receives.
type wire struct{ uses []traffic }

type traffic struct{ sent, received int64 }

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	use := &w.uses[len(w.uses)-1]
	use.sent += r.ContentLength
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		response.Body = &counted{response.Body, &use.received}
	}
	return response, err
}

type counted struct {
	io.ReadCloser
	n *int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	*c.n += int64(n)
	return n, err
}

func TestTokensAreThoseOfTheStatedRule(t *testing.T) {
	testkit.NeedComplete(t)
	forEach(t, set(t, ""), func(t *testing.T, s bench.Scenario, mode bench.Mode) {
		place := newPlaceFor(t, s)
		resolved, err := scenario.Resolve(s, place.Manifest)
		require.NoError(t, err)
		w := &wire{}
		provider, err := scripted.New(scripted.Options{Pause: -1, HTTP: &http.Client{Transport: w}})
		require.NoError(t, err)
		const instructions = "Work with care."
		session, err := provider.Start(t.Context(), agent.Setup{Mode: mode, Env: place.Env, Instructions: instructions})
		require.NoError(t, err)
		_, err = session.Prompt(t.Context(), agent.Prompt{
			Text: resolved.Prompt, Play: agent.Play{ScenarioID: s.ID, Input: resolved.Input, Iteration: 1},
			OnEvent: func(e agent.Event) {
				if e == agent.EventToolStart {
					w.uses = append(w.uses, traffic{})
				}
			},
		})
		require.NoError(t, err)
		transcript, err := session.Transcript(t.Context())
		require.NoError(t, err)

		var total int64
		for _, use := range w.uses {
			total += use.sent + use.received
		}
		assert.Equal(t, place.Usage().Requests.Bytes, total, "the target counts the same bytes")
		assert.Equal(t, tokensByTheRule(transcript, int64(len(instructions)), w.uses), agent.Measure(transcript).Tokens)
	})
}

// tokensByTheRule applies the rule of the package comment to a transcript.
func tokensByTheRule(transcript agent.Transcript, fresh int64, uses []traffic) bench.Tokens {
	up := func(bytes int64) int64 { return (bytes + 3) / 4 }
	var sum bench.Tokens
	var known int64
	for _, m := range transcript.Messages {
		if m.Role == agent.User {
			fresh += int64(len(m.Parts[0].Text))
			continue
		}
		var reasoning, output, received int64
		for _, p := range m.Parts {
			switch p.Type {
			case agent.PartReasoning:
				reasoning += int64(len(p.Text))
			case agent.PartText:
				output += int64(len(p.Text))
			case agent.PartTool:
				output += int64(len(p.Tool.Input)) + uses[0].sent
				received, uses = uses[0].received, uses[1:]
			}
		}
		tokens := bench.Tokens{Input: up(fresh), CacheRead: up(known), Reasoning: up(reasoning), Output: up(output)}
		tokens.Total = tokens.Input + tokens.CacheRead + tokens.Reasoning + tokens.Output
		sum = sum.Add(tokens)
		known += fresh + reasoning + output
		fresh = received
	}
	return sum
}

func TestConformance(t *testing.T) {
	realtool.Exercise(t, func(t *testing.T) realtool.Harness {
		place := newPlace(t)
		provider, err := scripted.New(scripted.Options{Pause: -1, Faults: []scripted.Fault{
			{Scenario: "issue-view-001", Kind: scripted.NoFirstAnswer},
			{Scenario: "issue-list-001", Kind: scripted.Stall},
			{Scenario: "pr-list-001", Kind: scripted.Crash},
		}})
		require.NoError(t, err)
		prompt := func(id string) agent.Prompt {
			shipped, err := library()
			require.NoError(t, err)
			s, err := shipped.Scenario(id)
			require.NoError(t, err)
			resolved, err := scenario.Resolve(s, place.Manifest)
			require.NoError(t, err)
			return agent.Prompt{Text: resolved.Prompt, Play: agent.Play{ScenarioID: id, Input: resolved.Input, Iteration: 1, Attempt: 1}}
		}
		return realtool.Harness{
			Provider: provider, Setup: agent.Setup{Mode: bench.GHX, Env: place.Env},
			First: realtool.Exchange{Prompt: prompt("repo-view-001")}, Second: realtool.Exchange{Prompt: prompt("pr-view-001")},
			Silent: prompt("issue-view-001"), Stall: prompt("issue-list-001"), Crash: prompt("pr-list-001"),
		}
	})
}
