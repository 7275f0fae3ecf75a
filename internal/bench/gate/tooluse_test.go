package gate_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
)

// using has the rows' agents use tools in turn: the first row the first list.
func using(lists ...[]bench.ToolUse) change {
	row := 0
	return func(r *bench.Row) {
		r.ToolUse = lists[row%len(lists)]
		row++
	}
}

func called(name string, calls int) bench.ToolUse {
	return bench.ToolUse{Name: name, Calls: calls, Bytes: int64(1000 * calls)}
}

func toolChanges(t *testing.T, rows []*bench.Row) []bench.UseChange {
	t.Helper()
	var c gate.Collector
	for _, row := range rows {
		require.NoError(t, c.Add(row))
	}
	summary, err := c.Summarize(gate.Options{})
	require.NoError(t, err)
	return summary.ToolChanges
}

// namesOf are of the tools that changed.
func namesOf(changes []bench.UseChange) []string {
	var names []string
	for _, c := range changes {
		names = append(names, c.Name)
	}
	return names
}

func TestTheToolThatIsUsedOtherwiseIsNamedFirst(t *testing.T) {
	before := using(
		[]bench.ToolUse{called("bash", 3), called("srv_read", 1), called("srv_list", 2)},
		[]bench.ToolUse{called("bash", 4), called("srv_read", 1), called("srv_list", 1)},
	)
	// Half the time the agent takes the one for the other.
	after := using(
		[]bench.ToolUse{called("bash", 4), called("srv_read", 2), called("srv_list", 2)},
		[]bench.ToolUse{called("bash", 3), {Name: "srv_read", Calls: 4, Errors: 3, BadArguments: 3, Retries: 3}, called("srv_list", 1)},
	)
	rows := join(
		runs(8, bench.AgentDirect, "a", before), runs(8, bench.AgentDirect, "b", before), runs(8, bench.AgentDirect, "c", before),
		runs(8, bench.GHX, "a", after), runs(8, bench.GHX, "b", after), runs(8, bench.GHX, "c", after),
	)
	changes := toolChanges(t, rows)
	require.Equal(t, []string{"srv_read"}, namesOf(changes), "what is used alike is not named")
	assert.Equal(t, bench.UseCalls, changes[0].Measure)
	assert.Equal(t, "called 1 → 3 times a session", changes[0].Text())
	assert.Greater(t, changes[0].Score, 5.0)
	assert.False(t, changes[0].Alike)
}

func TestAFewToolsAreTold(t *testing.T) {
	const many = 12
	used := func(mode string, calls int) change {
		var uses []bench.ToolUse
		for i := range many {
			uses = append(uses, called(fmt.Sprintf("both%d", i), calls), called(fmt.Sprintf("%s%d", mode, i), 1+i*5%many))
		}
		return using(uses)
	}
	changes := toolChanges(t, join(runs(8, bench.AgentDirect, "a", used("old", 1)), runs(8, bench.GHX, "a", used("new", 9))))
	require.Len(t, changes, 10+10+5)
	calls := map[bool][]float64{}
	for i, c := range changes {
		assert.Equal(t, i >= 10, c.Alone)
		assert.Equal(t, bench.UseCalls, c.Measure)
		if c.Alone {
			calls[c.Candidate > 0] = append(calls[c.Candidate > 0], c.Baseline+c.Candidate)
		}
	}
	assert.Equal(t, map[bool][]float64{true: {12, 11, 10, 9, 8, 7, 6, 5, 4, 3}, false: {12, 11, 10, 9, 8}}, calls, "the most called first")
}

func TestWrongArgumentsAreMoreThanErrors(t *testing.T) {
	wrong := using([]bench.ToolUse{{Name: "ghx run pr.view", Calls: 3, Errors: 2, BadArguments: 2, Retries: 2}})
	rows := join(runs(4, bench.AgentDirect, "a", using([]bench.ToolUse{called("gh pr view", 1)})), runs(4, bench.GHX, "a", wrong))
	changes := toolChanges(t, rows)
	require.Equal(t, []string{"ghx run pr.view", "ghx run pr.view", "gh pr view"}, namesOf(changes), "what went wrong leads")
	assert.Equal(t, bench.UseBadArguments, changes[0].Measure)
	assert.Equal(t, "called with wrong arguments 0 → 2 times a session", changes[0].Text())
	assert.Equal(t, "never varies", changes[0].ScoreText(), "a standard error that is assumed is no figure")
}

func TestWhatOneModeAloneUsedIsTold(t *testing.T) {
	merging := using(
		[]bench.ToolUse{called("prtool merge", 2), called("prtool help", 1)},
		[]bench.ToolUse{{Name: "prtool merge", Calls: 1, Errors: 1, DeadEnds: 1}},
		[]bench.ToolUse{called("prtool merge", 2)}, []bench.ToolUse{called("prtool merge", 1)},
	)
	plainly := using([]bench.ToolUse{{Name: "gh pr merge", Calls: 1, Errors: 1, DeadEnds: 1}})
	rows := join(
		runs(4, bench.AgentDirect, "a", plainly), runs(4, bench.GHX, "a", merging),
		runs(4, bench.AgentDirect, "b", plainly), runs(4, bench.GHX, "b", merging),
	)
	var told []string
	for _, c := range toolChanges(t, rows) {
		told = append(told, c.Name+": "+c.Text()+", "+c.ScoreText())
	}
	assert.Equal(t, []string{
		"prtool merge: called by the candidate alone, 0.2 failed (0 → 1.5 times a session), —",
		"prtool help: called by the candidate alone, none failed (0 → 0.2 times a session), —",
		"gh pr merge: called by the baseline alone, all failed (1 → 0 times a session), —",
	}, told)

	once := toolChanges(t, join(runs(1, bench.AgentDirect, "a", plainly), runs(1, bench.GHX, "a", merging)))
	assert.Equal(t, []string{"prtool merge", "prtool help", "gh pr merge"}, namesOf(once), "one session is enough to say it")
}

func TestRareUseIsNotNone(t *testing.T) {
	lists := make([][]bench.ToolUse, 40)
	lists[7] = []bench.ToolUse{called("prtool merge", 1)}
	row := 0
	rarely := func(r *bench.Row) { r.ToolUse, r.ToolCalls, row = lists[row], 0, row+1 }
	idle := func(r *bench.Row) { r.ToolUse, r.ToolCalls = nil, 0 }
	changes := toolChanges(t, join(runs(40, bench.AgentDirect, "a", idle), runs(40, bench.GHX, "a", rarely)))
	require.Len(t, changes, 1)
	assert.Equal(t, "called by the candidate alone, none failed (0 → 0.025 times a session)", changes[0].Text())
}

func TestNoiseIsNoChangeOfTools(t *testing.T) {
	noisy := using(
		[]bench.ToolUse{called("gh pr view", 1)}, []bench.ToolUse{called("gh pr view", 5)},
		[]bench.ToolUse{called("gh pr view", 2)}, []bench.ToolUse{called("gh pr view", 3)},
	)
	rows := join(runs(4, bench.AgentDirect, "a", noisy), runs(3, bench.GHX, "a", noisy))
	assert.Empty(t, toolChanges(t, rows))
}

func TestToolsAreComparedWithinScenarios(t *testing.T) {
	rows := join(
		runs(4, bench.AgentDirect, "a", using([]bench.ToolUse{called("gh pr view", 1)})),
		runs(2, bench.AgentDirect, "b", using([]bench.ToolUse{called("gh pr view", 9)})),
		runs(2, bench.GHX, "a", using([]bench.ToolUse{called("gh pr view", 1)})),
		runs(4, bench.GHX, "b", using([]bench.ToolUse{called("gh pr view", 9)})),
	)
	assert.Empty(t, toolChanges(t, rows), "how many rows a scenario has does not count")
}

func TestRowsThatDoNotTellHaveNoPart(t *testing.T) {
	older := func(r *bench.Row) { r.ToolUse, r.ToolCalls = nil, 1 }
	rows := join(
		runs(4, bench.AgentDirect, "a", using([]bench.ToolUse{called("gh pr view", 2)})),
		runs(4, bench.GHX, "a", using([]bench.ToolUse{called("gh pr view", 2)})), runs(40, bench.GHX, "a", older),
		runs(40, bench.GHX, "a", failed(bench.RunnerError, "no"), func(r *bench.Row) { r.ToolCalls = 0 }),
	)
	assert.Empty(t, toolChanges(t, rows))
	idle := func(r *bench.Row) { r.ToolUse, r.ToolCalls = nil, 0 }
	changes := toolChanges(t, append(rows, runs(40, bench.GHX, "a", idle)...))
	assert.Equal(t, []string{"gh pr view"}, namesOf(changes), "an agent that calls nothing tells that")
}

func TestBytesAreTold(t *testing.T) {
	large := func(bytes int64) change { return using([]bench.ToolUse{{Name: "srv.read", Calls: 1, Bytes: bytes}}) }
	rows := join(runs(4, bench.AgentDirect, "a", large(2_000)), runs(4, bench.GHX, "a", large(90_000)))
	changes := toolChanges(t, rows)
	require.Len(t, changes, 1)
	assert.Equal(t, "returned 2,000 → 90,000 bytes a session", changes[0].Text())
	assert.Empty(t, toolChanges(t, join(runs(4, bench.AgentDirect, "a", large(2_000)), runs(4, bench.GHX, "a", large(2_100)))))
}

func TestATinyChangeOfBytesIsNotTold(t *testing.T) {
	returning := func(bytes int64) change { return using([]bench.ToolUse{{Name: "srv.read", Calls: 1, Bytes: bytes}}) }
	from := func(before, after int64) []bench.UseChange {
		return toolChanges(t, join(runs(40, bench.AgentDirect, "a", returning(before)), runs(40, bench.GHX, "a", returning(after))))
	}
	assert.Empty(t, from(200, 299), "it is a half more, and less than 100 bytes")
	assert.Len(t, from(200, 300), 1)
	assert.Empty(t, from(5_000, 5_499), "it is more than 100 bytes, and less than a tenth")
	assert.Len(t, from(5_000, 5_500), 1)
}

func TestToolsAreComparedWhereBothModesHaveRows(t *testing.T) {
	rows := join(
		runs(4, bench.AgentDirect, "baseline-first", using([]bench.ToolUse{called("gh pr view", 70)})),
		runs(4, bench.GHX, "candidate-alone", using([]bench.ToolUse{called("gh pr view", 90), called("prtool merge", 1)})),
		runs(4, bench.AgentDirect, "b", using([]bench.ToolUse{called("gh pr view", 1)})),
		runs(4, bench.GHX, "b", using([]bench.ToolUse{called("gh pr view", 5)})),
		runs(4, bench.AgentDirect, "baseline-alone", using([]bench.ToolUse{called("gh pr view", 70), called("oldtool merge", 1)})),
	)
	var c gate.Collector
	for _, row := range rows {
		require.NoError(t, c.Add(row))
	}
	summary, err := c.Summarize(gate.Options{Missing: []bench.MissingCells{
		{Reason: bench.MissingStopped, Cells: []bench.Cell{
			{ScenarioID: "candidate-alone", Mode: bench.AgentDirect, Iteration: 1}, {ScenarioID: "baseline-alone", Mode: bench.GHX, Iteration: 1},
			{ScenarioID: "baseline-first", Mode: bench.GHX, Iteration: 1},
		}},
	}})
	require.NoError(t, err)
	require.Equal(t, []string{"gh pr view"}, namesOf(summary.ToolChanges), "what was used elsewhere only is no change")
	assert.Equal(t, "called 1 → 5 times a session", summary.ToolChanges[0].Text())
}

// Calls that fail are more of calls too; which of the two is said makes the difference
// between a lead and none.
func TestCallsThatFailAreToldBeforeCalls(t *testing.T) {
	once := using([]bench.ToolUse{called("ghx run", 1)})
	failing := func(calls, errors int) []bench.UseChange {
		again := using([]bench.ToolUse{{Name: "ghx run", Calls: calls, Errors: errors}})
		return toolChanges(t, join(runs(8, bench.AgentDirect, "a", once), runs(8, bench.GHX, "a", again)))
	}
	changes := failing(4, 3)
	require.Len(t, changes, 1)
	assert.Equal(t, "failed 0 → 3 times a session", changes[0].Text())
	assert.Equal(t, "called 1 → 9 times a session", failing(9, 3)[0].Text(), "it is much clearer that it is called more often")
}

func TestTheClearestChangeOfToolsIsTheFirst(t *testing.T) {
	before := using([]bench.ToolUse{called("aaa", 10), called("bbb", 10)}, []bench.ToolUse{called("aaa", 12), called("bbb", 12)})
	after := using([]bench.ToolUse{called("aaa", 16), called("bbb", 32)}, []bench.ToolUse{called("aaa", 18), called("bbb", 34)})
	changes := toolChanges(t, join(runs(8, bench.AgentDirect, "a", before), runs(8, bench.GHX, "a", after)))
	assert.Equal(t, []string{"bbb", "aaa"}, namesOf(changes))
}

// How much sessions vary takes two more of them than there are means.
func TestTooFewSessionsTellNoChangeOfTools(t *testing.T) {
	from := func(scenarios, baseline, candidate int) []bench.UseChange {
		var rows []*bench.Row
		for i := range scenarios {
			id := fmt.Sprint("s", i)
			rows = append(rows, runs(baseline, bench.AgentDirect, id, using([]bench.ToolUse{called("gh pr view", 1)}))...)
			rows = append(rows, runs(candidate, bench.GHX, id, using([]bench.ToolUse{called("gh pr view", 90)}))...)
		}
		return toolChanges(t, rows)
	}
	assert.Empty(t, from(1, 1, 1))
	assert.Empty(t, from(1, 1, 2))
	assert.Empty(t, from(4, 1, 1), "four sessions of each mode have four means")
	assert.Len(t, from(1, 2, 2), 1)
	assert.Len(t, from(2, 2, 1), 1)
}

func TestAChangeThatIsJustClearIsTold(t *testing.T) {
	returning := func(bytes int64) change { return using([]bench.ToolUse{{Name: "srv.read", Calls: 1, Bytes: bytes}}) }
	from := func(bytes int64) []bench.UseChange {
		return toolChanges(t, join(runs(2, bench.AgentDirect, "a", returning(0)), runs(2, bench.GHX, "a", returning(bytes))))
	}
	assert.Empty(t, from(349), "it is taken to vary by 100, so 3.49 standard errors")
	changes := from(350)
	require.Len(t, changes, 1)
	assert.Equal(t, 3.5, changes[0].Score) //nolint:testifylint // it is exact
}

// A tool that both modes could have called is compared, though one of them did not.
func TestToolsOfOneFamilyAreComparedAndOthersAreUsedAlone(t *testing.T) {
	for _, c := range []struct {
		baseline, candidate string
		alone               bool
	}{
		{"gh pr view", "gh issue view", false},
		{"gh pr view", "ghx pr view", true},
		{"srv_read", "srv_list", false},
		{"srv_read", "other_read", true},
		{"mcp__srv__read", "mcp__srv__list", false},
		{"srv.read", "srv.list", false},
		{"srv.read", "other.read", true},
		{"bash", "bash", false},
	} {
		calling := func(name string) change { return using([]bench.ToolUse{called(name, 9)}) }
		changes := toolChanges(t, join(runs(8, bench.AgentDirect, "a", calling(c.baseline)), runs(8, bench.GHX, "a", calling(c.candidate))))
		if c.baseline == c.candidate {
			assert.Empty(t, changes)
			continue
		}
		require.Len(t, changes, 2, c)
		for _, change := range changes {
			assert.Equal(t, c.alone, change.Alone, "%s beside %s", c.candidate, c.baseline)
		}
	}
}
