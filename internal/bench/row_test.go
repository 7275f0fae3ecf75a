package bench_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// fullRow has every field, each with a value of its own.
func fullRow() bench.Row {
	set, session, variant, repo, commit, tree, took := "all", "ses_1", "high", "o/n", "c0ffee", "7ree", 5.5
	return bench.Row{
		Timestamp: "2026-02-25T17:35:31.510Z", RunID: "run-1", Mode: bench.GHX, ScenarioID: "a-001", ScenarioSet: &set, Iteration: 2,
		SessionID: &session, Success: true, OutputValid: true, LatencyMSWall: 1.5, SDKLatencyMS: &took,
		TimingBreakdown: &bench.TimingBreakdown{
			AssistantTotalMS: 1, AssistantPreReasoningMS: 2, AssistantReasoningMS: 3, AssistantBetweenReasoningAndToolMS: 4,
			AssistantPostToolMS: 5, ToolTotalMS: 6, ToolBashMS: 7, ToolStructuredOutputMS: 8, ObservedAssistantTurns: 9,
		},
		Tokens: bench.Tokens{Input: 1, Output: 2, Reasoning: 3, CacheRead: 4, CacheWrite: 5, Total: 15},
		Cost:   0.25, ToolCalls: 3, APICalls: 4, InternalRetryCount: 5, ExternalRetryCount: 6,
		Model:         bench.ModelRef{ProviderID: "openai", ModelID: "gpt-5.4", Mode: &variant},
		Git:           bench.GitRef{Repo: &repo, Commit: &commit, Tree: &tree},
		Error:         &bench.RowError{Type: bench.AssertionFailed, Message: "no"},
		SchemaVersion: 1,
		Attempts: []bench.Attempt{{
			Error: &bench.RowError{Type: bench.RunnerError, Message: "gone"}, LatencyMSWall: 1.25, Tokens: bench.Tokens{Input: 6, Output: 7, Reasoning: 8, CacheRead: 9, CacheWrite: 10, Total: 40},
			Cost: 0.25, UnreportedUSD: 0.5, Class: bench.ClassInfrastructure, Part: bench.PartProvider, ProviderFailure: "502",
		}},
		Checkpoints: []bench.CheckpointResult{{Name: "c", Kind: bench.CheckAnswer, Passed: true, Detail: "d"}},
		Turns:       7, ToolErrors: 8, ToolUse: []bench.ToolUse{{Name: "gh pr view", Calls: 6, Errors: 5, BadArguments: 4, Retries: 3, DeadEnds: 2, Bytes: 1}}, APIRequests: &bench.APIRequests{REST: 1, GraphQL: 2, Bytes: 3}, RefusedHosts: []string{"example.com"}, Unsupported: []string{"GET /user"},
		Continuations: 9, SeedID: "local", Order: &bench.Order{Kind: "interleaved", Seed: 10, Position: 11}, Variation: &bench.Variation{Seed: 12, Number: 13},
		Wire:  &bench.WireUsage{Calls: 14, Answers: 15, Untold: 16, Tokens: bench.Tokens{Input: 17, Output: 18, Reasoning: 19, CacheRead: 20, CacheWrite: 21, Total: 22}},
		Tools: map[string]string{"gh": "2.80.0"}, Simulated: true, ScenarioHash: "hash", ModeHash: "file",
		Changes: json.RawMessage(`[{"kind":"issue"}]`), FootprintJudged: new(true), FootprintUnjudged: "all but labels", RouteOK: new(true),
		Reward: &bench.Reward{Value: new(0.75), Status: "scored", Reason: "an agent that took too long"},
	}
}

func TestR2ARowHasTheOriginalsNamesInTheirOrder(t *testing.T) {
	text, err := json.Marshal(fullRow())
	require.NoError(t, err)
	original := `{"timestamp":"2026-02-25T17:35:31.510Z","run_id":"run-1","mode":"ghx","scenario_id":"a-001","scenario_set":"all","iteration":2,` +
		`"session_id":"ses_1","success":true,"output_valid":true,"latency_ms_wall":1.5,"sdk_latency_ms":5.5,` +
		`"timing_breakdown":{"assistant_total_ms":1,"assistant_pre_reasoning_ms":2,"assistant_reasoning_ms":3,` +
		`"assistant_between_reasoning_and_tool_ms":4,"assistant_post_tool_ms":5,"tool_total_ms":6,"tool_bash_ms":7,` +
		`"tool_structured_output_ms":8,"observed_assistant_turns":9},` +
		`"tokens":{"input":1,"output":2,"reasoning":3,"cache_read":4,"cache_write":5,"total":15},"cost":0.25,"tool_calls":3,"api_calls":4,` +
		`"internal_retry_count":5,"external_retry_count":6,"model":{"provider_id":"openai","model_id":"gpt-5.4","mode":"high"},` +
		`"git":{"repo":"o/n","commit":"c0ffee","tree":"7ree"},"error":{"type":"assertion_failed","message":"no"},`
	assert.Equal(t, original, string(text[:min(len(text), len(original))]))
	testkit.CheckGolden(t, "rows are read by other programs, by these names", "testdata/row.json", append(text, '\n'))
}

// zero returns the names of all fields below a value that are zero.
func zero(name string, v reflect.Value) (names []string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return zero(name, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			names = append(names, zero(name+"."+v.Type().Field(i).Name, v.Field(i))...)
		}
		return names
	case reflect.Slice:
		if v.Len() > 0 {
			return zero(name, v.Index(0))
		}
	default:
	}
	if v.IsZero() {
		return []string{name}
	}
	return nil
}

func TestR2TheFullRowHasEveryField(t *testing.T) {
	assert.Equal(t, []string{"Row.Extra"}, zero("Row", reflect.ValueOf(fullRow())), "what fullRow lacks is not tested below: set it there")
}

func TestR2EveryFieldOfARowIsExplained(t *testing.T) {
	text, err := os.ReadFile("../../docs/metrics.md")
	require.NoError(t, err)
	_, fields, found := strings.Cut(string(text), "\n## What a row has\n")
	require.True(t, found)
	fields, _, _ = strings.Cut(fields, "\n## ")
	for i := range reflect.TypeFor[bench.Row]().NumField() {
		if name, _, _ := strings.Cut(reflect.TypeFor[bench.Row]().Field(i).Tag.Get("json"), ","); name != "-" {
			assert.True(t, strings.Contains(fields, "`"+name+"`"), "docs/metrics.md does not say what a row's %s is", name)
		}
	}
}

func TestR2WhatIsUnknownIsNull(t *testing.T) {
	text, err := json.Marshal(bench.Row{})
	require.NoError(t, err)
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(text, &fields))
	for _, name := range []string{"scenario_set", "session_id", "sdk_latency_ms", "error"} {
		assert.Equal(t, "null", string(fields[name]), name)
	}
	assert.JSONEq(t, `{"provider_id":"","model_id":"","mode":null}`, string(fields["model"]))
	assert.JSONEq(t, `{"repo":null,"commit":null}`, string(fields["git"]))
	assert.NotContains(t, fields, "timing_breakdown", "it is optional")
	assert.Len(t, fields, 20, "of ours there is none")
}

func TestR3ARowIsReadAsItWasWritten(t *testing.T) {
	row := fullRow()
	text, err := json.Marshal(row)
	require.NoError(t, err)
	var read bench.Row
	require.NoError(t, json.Unmarshal(text, &read))
	assert.Equal(t, row, read)
}

func TestR3UnknownFieldsAreKeptAndWrittenBack(t *testing.T) {
	var row bench.Row
	require.NoError(t, json.Unmarshal([]byte(`{"run_id":"r","zeta":[1,2],"latency_ms_agent":21577,"alpha":{"b":null}}`), &row))
	assert.Equal(t, map[string]json.RawMessage{
		"zeta": json.RawMessage(`[1,2]`), "latency_ms_agent": json.RawMessage(`21577`), "alpha": json.RawMessage(`{"b":null}`),
	}, row.Extra)
	text, err := json.Marshal(row)
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(string(text), `,"alpha":{"b":null},"latency_ms_agent":21577,"zeta":[1,2]}`), string(text))
	var again bench.Row
	require.NoError(t, json.Unmarshal(text, &again))
	assert.Equal(t, row, again)
	var one bench.Row
	require.NoError(t, json.Unmarshal([]byte(`{"run_id":"r","zeta":1}`), &one))
	assert.Equal(t, map[string]json.RawMessage{"zeta": json.RawMessage("1")}, one.Extra, "one is kept as several are")
}

func TestR3ARowThatIsReadOverAnotherHasNothingOfIt(t *testing.T) {
	row := fullRow()
	row.Extra = map[string]json.RawMessage{"old": json.RawMessage("1")}
	require.NoError(t, json.Unmarshal([]byte(`{"run_id":"new"}`), &row))
	assert.Equal(t, bench.Row{RunID: "new"}, row)
}

func TestRowsThatAreNone(t *testing.T) {
	for _, text := range []string{`[]`, `"row"`, `{"iteration":"one"}`, `{"tokens":[]}`, `{`} {
		var row bench.Row
		assert.Error(t, json.Unmarshal([]byte(text), &row), text)
	}
}

func TestR4ActiveTokensAreThoseNotReadFromACache(t *testing.T) {
	assert.Equal(t, int64(375), bench.Tokens{Input: 282, Output: 85, Reasoning: 8, CacheRead: 11520, Total: 11895}.Active())
	sum := bench.Tokens{Input: 1, Output: 2, Reasoning: 3, CacheRead: 4, CacheWrite: 5, Total: 6}.
		Add(bench.Tokens{Input: 10, Output: 20, Reasoning: 30, CacheRead: 40, CacheWrite: 50, Total: 60})
	assert.Equal(t, bench.Tokens{Input: 11, Output: 22, Reasoning: 33, CacheRead: 44, CacheWrite: 55, Total: 66}, sum)
}

func TestR8WhatAnErrorCountsAs(t *testing.T) {
	cases := []struct {
		name                   string
		err                    *bench.RowError
		runnerFailure, timeout bool
	}{
		{"no error", nil, false, false},
		{"the harness or the agent's process", &bench.RowError{Type: bench.RunnerError, Message: "exit status 1"}, true, false},
		{"no first answer", &bench.RowError{Type: bench.TimeoutNoFirstAnswer}, true, true},
		{"a stall", &bench.RowError{Type: bench.TimeoutStalled}, true, true},
		{"no final answer", &bench.RowError{Type: bench.TimeoutNoFinalAnswer}, true, true},
		{"a runner failure of a later version", &bench.RowError{Type: "runner_out_of_memory"}, true, false},
		{"a timeout of a later version", &bench.RowError{Type: "runner_timeout_tool"}, true, true},
		{"a failed assertion, whatever it says", &bench.RowError{Type: bench.AssertionFailed, Message: "timeout"}, false, false},
		{"a failed checkpoint, whatever it says", &bench.RowError{Type: bench.CheckpointFailed, Message: "stalled"}, false, false},
		{"a type that only looks alike", &bench.RowError{Type: "the_runner_error"}, false, false},
	}
	for _, c := range cases {
		t.Run("R8: "+c.name, func(t *testing.T) {
			assert.Equal(t, c.runnerFailure, c.err.RunnerFailure())
			assert.Equal(t, c.timeout, c.err.TimeoutOrStall())
		})
	}
}

func TestR8OldRowsSpeakOfTimeouts(t *testing.T) {
	for message, want := range map[string]bool{
		"timeout":                               true,
		"Timeout waiting for first assistant":   true,
		"request TIMEOUT.":                      true,
		"(timeout)":                             true,
		"it timed out":                          true,
		"it Timed\n out":                        true,
		"session stall":                         true,
		"the session has stalled: no progress":  true,
		"STALLED":                               true,
		"i/o timeout":                           true,
		"":                                      false,
		"timeouts happen":                       false,
		"read_timeout is 3":                     false,
		"timeout2":                              false,
		"installed":                             false,
		"stalling":                              false,
		"timed by the clock, out of the window": false,
		"it timed":                              false,
		"exit status 1":                         false,
	} {
		row := bench.Row{Error: &bench.RowError{Type: bench.RunnerError, Message: message}}
		assert.Equal(t, want, row.TimeoutOrStall(), "%q", message)
		row.SchemaVersion = bench.RowSchemaVersion
		assert.False(t, row.TimeoutOrStall(), "%q in a row of ours, which has types for it", message)
	}
	timedOut := bench.Row{SchemaVersion: bench.RowSchemaVersion, Error: &bench.RowError{Type: bench.TimeoutStalled}}
	assert.True(t, timedOut.TimeoutOrStall())
	assert.False(t, (&bench.Row{}).TimeoutOrStall())
}

func TestR6AllAttemptsOfACellAreSpent(t *testing.T) {
	assert.InDelta(t, 0.5, (&bench.Row{Cost: 0.5}).SpentUSD(), 1e-12, "rows of the original harness list no attempts")
	row := bench.Row{Cost: 0.5, Attempts: []bench.Attempt{{Cost: 0.25}, {Cost: 0.5}}}
	assert.InDelta(t, 0.75, row.SpentUSD(), 1e-12)
}

func TestV3ARowMayBeUsedAgainWhateverItSays(t *testing.T) {
	commit := func(sha string) bench.GitRef { return bench.GitRef{Commit: &sha} }
	tree := func(sha, of string) bench.GitRef { return bench.GitRef{Commit: &sha, Tree: &of} }
	for name, c := range map[string]struct {
		row  bench.Row
		base bench.GitRef
		want bool
	}{
		"a row that failed":                                   {bench.Row{Mode: bench.GHX, Error: &bench.RowError{Type: bench.RunnerError}}, commit("b"), true},
		"a row of the candidate":                              {bench.Row{Mode: bench.GHX, Git: commit("h")}, commit("b"), true},
		"a base that is not known":                            {bench.Row{Mode: bench.GHXBase, Git: commit("old")}, bench.GitRef{}, true},
		"the same base":                                       {bench.Row{Mode: bench.GHXBase, Git: commit("b")}, commit("b"), true},
		"a base that has moved":                               {bench.Row{Mode: bench.GHXBase, Git: commit("old")}, commit("b"), false},
		"a base with the same content":                        {bench.Row{Mode: bench.GHXBase, Git: tree("old", "t")}, tree("b", "t"), true},
		"a row that does not say its base":                    {bench.Row{Mode: bench.GHXBase}, commit("b"), false},
		"a base of which only the content is known, the same": {bench.Row{Mode: bench.GHXBase, Git: bench.GitRef{Tree: new("t")}}, bench.GitRef{Tree: new("t")}, true},
		"a base of which only the content is known, another":  {bench.Row{Mode: bench.GHXBase, Git: bench.GitRef{Tree: new("old")}}, bench.GitRef{Tree: new("t")}, false},
		"content that only the row knows of":                  {bench.Row{Mode: bench.GHXBase, Git: tree("b", "t")}, commit("b"), true},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, c.row.Reusable(c.base)) })
	}
}

func TestR2TimesAreUTCWithMilliseconds(t *testing.T) {
	cet := time.FixedZone("CET", 3600)
	assert.Equal(t, "2026-02-25T17:35:31.510Z", bench.FormatTime(time.Date(2026, 2, 25, 18, 35, 31, 510_999_999, cet)))
	assert.Equal(t, "2026-02-25T00:00:00.000Z", bench.FormatTime(time.Date(2026, 2, 25, 0, 0, 0, 0, time.UTC)), "also where there are none")
}

func TestACellIsTheOneThatItsRowReports(t *testing.T) {
	row := fullRow()
	assert.Equal(t, bench.Cell{ScenarioID: "a-001", Mode: bench.GHX, Iteration: 2}, row.Cell())
}

func TestModelsAreNamedInTwoWays(t *testing.T) {
	variant := "high"
	m := bench.ModelRef{ProviderID: "openai", ModelID: "gpt-5.4"}
	assert.Equal(t, "openai/gpt-5.4", m.Key())
	assert.Equal(t, "openai/gpt-5.4/<null>", m.Signature())
	assert.Equal(t, "openai/gpt-5.4", m.Text())
	m.Mode = &variant
	assert.Equal(t, "openai/gpt-5.4", m.Key())
	assert.Equal(t, "openai/gpt-5.4/high", m.Signature())
}
