package scripted_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/scripted"
	"github.com/ghx-dev/bench-action/internal/bench/envelope"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
)

var errDeadline = errors.New("the deadline")

// promptUntil prompts an agent that has to be stopped, and returns when that
// was.
func promptUntil(t *testing.T, d *demo, deadline time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), deadline, errDeadline)
	defer cancel()
	start := time.Now()
	_, err := d.prompt(ctx, "do it!")
	require.ErrorIs(t, err, errDeadline)
	require.Equal(t, deadline, time.Since(start))
}

func TestNoFirstAnswerNeverSaysAWord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDemo(t, bench.AgentDirect, withoutPause(scripted.NoFirstAnswer))
		promptUntil(t, d, time.Minute)
		assert.Empty(t, d.events)
		assert.Empty(t, d.github.requests)
		assert.Zero(t, agent.Measure(d.transcript(t)).Turns)
	})
}

func TestStallBeginsAndFallsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDemo(t, bench.AgentDirect, withoutPause(scripted.Stall))
		promptUntil(t, d, time.Minute)
		assert.Equal(t, []agent.Event{agent.EventAnswer}, d.events)
		assert.Equal(t, 1, agent.Measure(d.transcript(t)).Turns)
		assert.Positive(t, agent.Measure(d.transcript(t)).Tokens.Total, "what was said costs")
	})
}

func TestNoFinalAnswerDoesEverythingAndGivesSignsOfLifeForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		options := withoutPause(scripted.NoFinalAnswer)
		options.Pause = time.Second
		d := newDemo(t, bench.AgentDirect, options)
		promptUntil(t, d, time.Minute+time.Millisecond)
		assert.Len(t, tools(d.transcript(t)), 2)
		assert.Equal(t, 1+58, countOf(d.events, agent.EventProgress), "one for the second turn, and one a second after it")
	})
}

func countOf(events []agent.Event, kind agent.Event) int {
	n := 0
	for _, e := range events {
		if e == kind {
			n++
		}
	}
	return n
}

func TestCrashLeavesADeadProcess(t *testing.T) {
	d := newDemo(t, bench.AgentDirect, withoutPause(scripted.Crash))
	_, err := d.prompt(t.Context(), "do it!")
	require.EqualError(t, err, "the agent's process has died")
	require.NotErrorIs(t, err, agent.ErrStopSuite)
	_, err = d.prompt(t.Context(), "are you there?")
	require.EqualError(t, err, "the agent's process has died")
	assert.Equal(t, 1, agent.Measure(d.transcript(t)).Turns)
}

func TestSpoiltAnswers(t *testing.T) {
	tests := []struct {
		kind         scripted.Kind
		first, again bool
	}{
		{scripted.InvalidJSON, false, false},
		{scripted.NoEnvelope, false, false},
		{scripted.LateEnvelope, false, true},
		{scripted.Verbose, true, true},
		{scripted.Slow, true, true},
	}
	for _, tt := range tests {
		t.Run(string(tt.kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDemo(t, bench.AgentDirect, withoutPause(tt.kind))
				answer, err := d.prompt(t.Context(), "do it!")
				require.NoError(t, err)
				_, found := envelope.Extract(answer)
				assert.Equal(t, tt.first, found, "an envelope in %s", answer)
				answer, err = d.prompt(t.Context(), scenario.ContinuationPrompt(bench.Assertions{}))
				require.NoError(t, err)
				_, found = envelope.Extract(answer)
				assert.Equal(t, tt.again, found, "an envelope in %s", answer)
			})
		})
	}
}

func TestWrongRouteTellsAnotherOne(t *testing.T) {
	for mode, want := range map[bench.Mode]string{bench.GHX: "cli", bench.GHXBase: "graphql"} {
		d := newDemo(t, mode, withoutPause(scripted.WrongRoute))
		answer, err := d.prompt(t.Context(), "do it!")
		require.NoError(t, err)
		env, _ := envelope.Extract(answer)
		assert.Equal(t, map[string]any{"route_used": want}, env.Value("meta"), "mode %s", mode)
		assert.Contains(t, d.github.requests[0].Header.Get("User-Agent"), map[bench.Mode]string{bench.GHX: "ghx", bench.GHXBase: "GitHub CLI"}[mode],
			"the requests still take the real route")
	}
	d := newDemo(t, bench.AgentDirect, withoutPause(scripted.WrongRoute))
	answer, err := d.prompt(t.Context(), "do it!")
	require.NoError(t, err)
	assert.Contains(t, answer, `"meta":{}`, "without ghx there is no route to tell")
}

func TestIdleWritesNothingAndClaimsSuccess(t *testing.T) {
	d := newDemo(t, bench.AgentDirect, withoutPause(scripted.Idle))
	answer, err := d.prompt(t.Context(), "do it!")
	require.NoError(t, err)
	env, _ := envelope.Extract(answer)
	assert.True(t, env.OK)
	assert.Len(t, tools(d.transcript(t)), 2, "the tool calls look like those of an agent that works")
	for _, r := range d.github.requests {
		assert.Equal(t, "GET", r.Method)
	}
}

func TestWrongObjectActsOnWhatThePlanFinds(t *testing.T) {
	d := newDemo(t, bench.AgentDirect, withoutPause(scripted.WrongObject))
	_, err := d.prompt(t.Context(), "do it!")
	require.NoError(t, err)
	assert.Equal(t, "/repos/o/r/titles", d.github.requests[0].URL.Path)
	assert.Equal(t, `{"title":"Another title"}`, d.github.sent[3])
	calls := tools(d.transcript(t))
	require.Len(t, calls, 2, "looking for it is no tool call of its own")
	assert.Contains(t, string(calls[1].Input), "Another title")
}

func TestWrongObjectCanBeFoundOverGraphQL(t *testing.T) {
	options := withoutPause(scripted.WrongObject)
	options.Plans = plansOf(map[string]string{"demo-001.json": strings.Replace(demoPlan,
		`"find": "/repos/{{.repo}}/titles", "input": "{title: .found[0]}"`,
		`"query": "query Titles", "variables": "{of: .repo}", "input": "{title: .found.titles[1]}"`, 1)})
	d := newDemo(t, bench.AgentDirect, options)
	d.github.bodies["query Titles"] = `{"data":{"titles":["A title","A third title"]}}`
	_, err := d.prompt(t.Context(), "do it!")
	require.NoError(t, err)
	assert.Equal(t, `{"query":"query Titles","variables":{"of":"o/r"}}`, d.github.sent[0])
	assert.Equal(t, `{"title":"A third title"}`, d.github.sent[3])
}

func TestWrongObjectNeedsAnotherObject(t *testing.T) {
	for _, found := range []string{`["A title"]`, `[]`} {
		d := newDemo(t, bench.AgentDirect, withoutPause(scripted.WrongObject))
		d.github.bodies["GET /repos/o/r/titles"] = found
		_, err := d.prompt(t.Context(), "do it!")
		require.EqualError(t, err, `play scenario "demo-001" in mode agent_direct: there is no other object to act on in its place`, found)
	}

	options := withoutPause(scripted.WrongObject)
	options.Plans = plansOf(map[string]string{"demo-001.json": strings.Replace(demoPlan, demoPlan[strings.Index(demoPlan, `  "wrong`):strings.Index(demoPlan, `  "modes"`)], "", 1)})
	d := newDemo(t, bench.AgentDirect, options)
	_, err := d.prompt(t.Context(), "do it!")
	require.EqualError(t, err, `play scenario "demo-001" in mode agent_direct: its plan does not say how to find a wrong object: add wrong_object, or name other scenarios in the fault`)
}

func TestVerboseAndChattyCostMore(t *testing.T) {
	measures := func(kinds ...scripted.Kind) agent.Measures {
		d := newDemo(t, bench.AgentDirect, withoutPause(kinds...))
		_, err := d.prompt(t.Context(), "do it!")
		require.NoError(t, err)
		return agent.Measure(d.transcript(t))
	}
	plain, verbose, chatty := measures(), measures(scripted.Verbose), measures(scripted.Chatty)
	assert.Equal(t, plain.ToolCalls, verbose.ToolCalls)
	assert.Greater(t, verbose.Tokens.Reasoning, 10*plain.Tokens.Reasoning)
	assert.Greater(t, verbose.Tokens.Output, 5*plain.Tokens.Output)

	assert.Equal(t, scripted.ChattyFactor*plain.ToolCalls, chatty.ToolCalls)
	assert.Greater(t, chatty.Tokens.Active(), plain.Tokens.Active())
	assert.Zero(t, chatty.ToolErrors, "nothing is written twice")
}

func TestAChattyAgentGetsTheSameAnswer(t *testing.T) {
	const plan = `{
  "scenario": "demo-001",
  "modes": {
    "mcp": {
      "turns": [{ "tool": "read", "arguments": "{}", "each": "[1, 2]", "calls": [{ "as": "read", "path": "/read/{{.item}}" }] }],
      "answer": ".r.read | tojson"
    }
  }
}`
	options := withoutPause(scripted.Chatty)
	options.Plans = plansOf(map[string]string{"demo-001.json": plan})
	d := newDemo(t, bench.MCP, options)
	d.github.bodies = map[string]string{"GET /read/1": `10`, "GET /read/2": `20`}
	answer, err := d.prompt(t.Context(), "do it!")
	require.NoError(t, err)
	assert.Equal(t, `[10,20]`, answer)
	assert.Len(t, d.github.requests, 2*scripted.ChattyFactor)
}

func TestFaultsHitTheAttemptsThatTheyName(t *testing.T) {
	tests := []struct {
		name, fault        string
		iteration, attempt int
		want               bool
	}{
		{"all", "*/*=crash", 1, 1, true},
		{"all but warm-ups", "*/*=crash", 0, 1, false},
		{"warm-ups that are named", "*/*/0=crash", 0, 1, true},
		{"warm-ups alone", "*/*/0=crash", 1, 1, false},
		{"the iteration", "*/*/2=crash", 2, 1, true},
		{"another iteration", "*/*/2=crash", 1, 1, false},
		{"the attempt", "*/*/*/2=crash", 1, 2, true},
		{"another attempt", "*/*/*/2=crash", 1, 1, false},
		{"the mode", "mcp/demo-001=crash", 1, 1, true},
		{"another mode", "ghx/demo-001=crash", 1, 1, false},
		{"another scenario", "mcp/pr-merge-001=crash", 1, 1, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := scripted.ParseFault(tt.fault)
			require.NoError(t, err)
			d := newDemo(t, bench.MCP, scripted.Options{Pause: -1, Faults: []scripted.Fault{f}})
			play := demoPlay()
			play.Iteration, play.Attempt = tt.iteration, tt.attempt
			_, err = d.session.Prompt(t.Context(), agent.Prompt{Play: play})
			assert.Equal(t, tt.want, err != nil)
		})
	}
}
