package dashboard_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/dashboard"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

// hostile is what an agent may write anywhere.
const hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)> \u202eturned \x1b[31m {{.Title}}"

// measured are the rows of runs, and what was said in their sessions.
func measured(t *testing.T) (map[string][]bench.Row, map[string]*agent.Transcript) {
	t.Helper()
	row := func(mode bench.Mode, iteration int, change func(*bench.Row)) bench.Row {
		session := "session"
		r := bench.Row{
			Timestamp: "2026-11-21T09:00:00.000Z", RunID: "r4", Mode: mode, ScenarioID: "pr-view-001", Iteration: iteration, SessionID: &session, Success: true, OutputValid: true,
			LatencyMSWall: 25_400, Tokens: bench.Tokens{Input: 12_000, Output: 800, CacheRead: 9_000, Total: 21_800}, Cost: 0.0421, ToolCalls: 7, ToolErrors: 1, Turns: 5,
			Model:    bench.ModelRef{ProviderID: "openai", ModelID: "gpt-5.3-codex"},
			Attempts: []bench.Attempt{{Cost: 0.0421}}, FootprintJudged: new(true),
		}
		if change != nil {
			change(&r)
		}
		return r
	}
	failed := row(bench.GHX, 1, func(r *bench.Row) {
		r.Success, r.Error = false, &bench.RowError{Type: bench.CheckpointFailed, Message: "the pull request is not merged: " + hostile}
		r.Attempts = []bench.Attempt{
			{Error: &bench.RowError{Type: bench.TimeoutStalled, Message: "nothing came for 90 s"}, Class: bench.ClassInfrastructure, Part: bench.PartProvider, Cost: 0.01},
			{Error: r.Error, Class: bench.ClassAgent, Cost: 0.0421},
		}
		r.Checkpoints = []bench.CheckpointResult{
			{Name: "the pull request is merged", Passed: false, Detail: "expected merged to be true, found false " + hostile},
			{Name: "nothing else was changed", Kind: bench.CheckFootprint, Passed: true},
		}
		r.ToolUse = []bench.ToolUse{{Name: "gh pr view", Calls: 3, Errors: 1, BadArguments: 1, Bytes: 4200}}
		r.FootprintJudged = new(true)
		require.NoError(t, r.SetChanges([]bench.Change{
			{Kind: bench.ChangeCreated, Object: "issue comment", Name: "aryeko/ghx#5", Title: hostile, Actor: "agent", Unallowed: "no comment was asked for",
				Fields: []bench.FieldChange{{Name: "body", After: hostile}}, Told: []bench.Told{{Login: "octocat", Reason: "author"}}},
			{Kind: bench.ChangeChanged, Object: "pull request", Name: "aryeko/ghx#5", Fields: []bench.FieldChange{{Name: "labels", Before: []any{"a"}, After: []any{"a", "b"}}}},
		}))
	})
	rows := map[string][]bench.Row{
		"r4": {
			row(bench.GHX, 2, func(r *bench.Row) {
				r.Error = &bench.RowError{Type: bench.RunnerError, Message: "the model's provider answered (503)"}
				r.Attempts = nil
			}),
			failed, row(bench.AgentDirect, 1, nil), row(bench.AgentDirect, 1, func(r *bench.Row) { r.ScenarioID = "issue-view-001" }),
		},
		"r2": {row(bench.GHX, 1, nil)}, // of a repository that octocat does not see
		"r3": {row(bench.GHX, 1, nil)}, // without a verdict
	}
	said := &agent.Transcript{SchemaVersion: 1, Provider: "opencode", SessionID: "session", Messages: []agent.Message{
		{Role: agent.User, Parts: []agent.Part{{Type: agent.PartText, Text: "Merge pull request 5."}}},
		{Role: agent.Assistant, Start: now, End: now.Add(1500 * time.Millisecond), Tokens: bench.Tokens{Total: 1234}, Parts: []agent.Part{
			{Type: agent.PartReasoning, Text: "I look first. " + hostile},
			{Type: agent.PartTool, Tool: &agent.ToolCall{Name: "bash", Input: json.RawMessage(`{"command":"gh pr view 5 --json x","description":"look"}`), Output: hostile, Error: "exit status 1"}},
			{Type: agent.PartTool, Tool: &agent.ToolCall{Name: hostile, Input: json.RawMessage(`{"a":"<b>"}`)}},
			{Type: agent.PartText, Text: "Done. " + hostile},
		}, Error: "overloaded (529)"},
		{Error: "12 messages more are not kept"},
	}}
	return rows, map[string]*agent.Transcript{"r4 pr-view-001/ghx/1": said, "r2 pr-view-001/ghx/1": said}
}

// tableOf returns the cells of a page's tables, a text for each row, without its markup.
func tableOf(page string) (rows []string) {
	for _, row := range strings.Split(page, "<tr>")[1:] {
		row, _, _ = strings.Cut(row, "</tr>")
		var text strings.Builder
		inTag := false
		for _, r := range row {
			switch {
			case r == '<':
				inTag = true
				text.WriteByte(' ')
			case r == '>':
				inTag = false
			case !inTag:
				text.WriteRune(r)
			}
		}
		rows = append(rows, strings.Join(strings.Fields(text.String()), " "))
	}
	return rows
}

func TestAScenariosSessionsStandSideBySide(t *testing.T) {
	t.Parallel()
	s := open(t, example(t))
	s.login(t)
	_, page := s.get(t, "/runs/r4/scenarios/pr-view-001")
	rows := tableOf(page)
	require.Len(t, rows, 4, page)
	assert.Equal(t, "agent_direct 1 of agent_direct passed 12,800 21,800 7 0.0421 25.4 s 1", rows[1], "the baseline is first")
	assert.Contains(t, rows[2], "ghx 1 of ghx failed the pull request is not merged: &lt;script")
	assert.Contains(t, rows[2], "12,800 21,800 7 0.0521 25.4 s 2")
	assert.Contains(t, rows[3], "ghx 2 of ghx infrastructure")
	assert.Contains(t, page, `<a href="/runs/r4/scenarios/pr-view-001/ghx/1">`)
	assert.NotContains(t, page, "issue-view-001")
	assert.Contains(t, page, `<a href="/runs/r4">Run r4</a>`)
}

// Who sees that a session failed sees why, what was expected and found, what was changed,
// and what was said.
func TestASessionIsToldOf(t *testing.T) {
	t.Parallel()
	s := open(t, example(t))
	s.login(t)
	_, page := s.get(t, "/runs/r4/scenarios/pr-view-001/ghx/1")
	for _, want := range []string{
		`<code>checkpoint_failed</code>`, "the pull request is not merged: &lt;script&gt;alert(1)",
		"expected merged to be true, found false", "nothing else was changed", "12,800", "0.0521", "25.4 s",
		"<code>runner_timeout_stalled_session</code>: nothing came for 90 s", "laid to infrastructure (provider)",
		"created issue comment aryeko/ghx#5", "not allowed", "no comment was asked for", "by agent, told octocat (author)", `[&#34;a&#34;,&#34;b&#34;]`,
		"Merge pull request 5.", "1,234 tokens, 1.5 s", "gh pr view 5 --json x", "exit status 1", "Broke off: overloaded (529)", "12 messages more are not kept", "⟨U&#43;202E⟩turned ⟨U&#43;001B⟩[31m", "{{.Title}}",
		`<a href="/runs/r4/scenarios/pr-view-001/agent_direct/1">in agent_direct</a>`, `<a href="/runs/r4/scenarios/pr-view-001/ghx/2">next repetition</a>`,
		`<a href="/api/v1/runs/r4/scenarios/pr-view-001/ghx/1/transcript">`,
	} {
		assert.Contains(t, page, want)
	}
	_, other := s.get(t, "/runs/r4/scenarios/pr-view-001/agent_direct/1")
	assert.Contains(t, other, "Nothing was changed.")
	assert.Contains(t, other, "None was kept")
	assert.NotContains(t, other, "Why it failed")
}

// The cell may have been run again by who could not store what was said then.
func TestTheTranscriptOfAnotherSessionIsNotShown(t *testing.T) {
	t.Parallel()
	source := example(t)
	source.transcripts["r4 pr-view-001/ghx/1"].SessionID = "another"
	s := open(t, source)
	s.login(t)
	_, page := s.get(t, "/runs/r4/scenarios/pr-view-001/ghx/1")
	assert.NotContains(t, page, "Merge pull request 5.")
	assert.Contains(t, page, "None was kept")
}

func TestARunLeadsToItsScenarios(t *testing.T) {
	t.Parallel()
	source := example(t)
	id := source.all[1].Summary.Scenarios[0].ID
	s := open(t, source)
	s.login(t)
	_, judged := s.get(t, "/runs/r4")
	assert.Contains(t, judged, `<a href="/runs/r4/scenarios/`+id+`">`+id+`</a></th>`)
	_, broken := s.get(t, "/runs/r3")
	assert.Contains(t, broken, `<a href="/runs/r3/scenarios/pr-view-001">pr-view-001 (1)</a>`, "also where nothing was judged")
}

// A scenario and a mode are named by others; their links lead where they should.
func TestNamesInLinksAreEscaped(t *testing.T) {
	t.Parallel()
	source := example(t)
	source.rows["r3"][0].ScenarioID, source.rows["r3"][0].Mode = `a"b?c#d%2f`, bench.GHXBase
	s := open(t, source)
	s.login(t)
	_, run := s.get(t, "/runs/r3")
	const at = "/runs/r3/scenarios/a%22b%3Fc%23d%252f"
	require.Contains(t, run, `href="`+at+`"`)
	_, scenario := s.get(t, at)
	require.Contains(t, scenario, `href="`+at+`/ghx@base/1"`)
	status, session := s.get(t, at+"/ghx@base/1")
	assert.Equal(t, 200, status)
	assert.Contains(t, session, "ghx@base, repetition 1")
}

var _ dashboard.Source = (*runs)(nil)
