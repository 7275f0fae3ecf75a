package gate_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// change alters a row that is otherwise a success.
type change func(*bench.Row)

// need sets what the row's agent needed, in all four measures: units of 100
// active tokens, 1000 ms, 4 tool calls and 0.01 USD.
func need(units float64) change {
	return func(r *bench.Row) {
		r.Tokens = bench.Tokens{Total: 5000 + int64(100*units), CacheRead: 5000}
		r.LatencyMSWall = 1000 * units
		r.ToolCalls = int(4 * units)
		r.Cost = 0.01 * units
	}
}

// failed makes the row one with an error.
func failed(kind bench.ErrorType, message string) change {
	return func(r *bench.Row) {
		r.Success, r.OutputValid = false, kind == bench.CheckpointFailed
		r.Error = &bench.RowError{Type: kind, Message: message}
	}
}

// runs returns n equal rows of a scenario.
func runs(n int, mode bench.Mode, scenario string, changes ...change) []*bench.Row {
	rows := make([]*bench.Row, n)
	for i := range rows {
		rows[i] = &bench.Row{
			RunID: "run-1", Mode: mode, ScenarioID: scenario, Iteration: i + 1, Success: true, OutputValid: true,
			Model: bench.ModelRef{ProviderID: "openai", ModelID: "gpt-5.3-codex"},
		}
		need(1)(rows[i])
		for _, alter := range changes {
			alter(rows[i])
		}
	}
	return rows
}

func join(groups ...[]*bench.Row) []*bench.Row {
	var rows []*bench.Row
	for _, group := range groups {
		rows = append(rows, group...)
	}
	return rows
}

// quick are options for tests that do not look at random figures.
func quick() gate.Options {
	return gate.Options{Profile: bench.VerifyPR, Thresholds: bench.DefaultThresholds(bench.VerifyPR), Resamples: 20}
}

// check returns the check of that name.
func check(t *testing.T, summary bench.Summary, name bench.CheckName) bench.Check {
	t.Helper()
	for _, c := range summary.Gate.Checks {
		if c.Name == name {
			return c
		}
	}
	require.Fail(t, "no such check", string(name))
	return bench.Check{}
}

func TestR8ErrorsCountByTheirTypeAndInOldRowsByTheirMessage(t *testing.T) {
	cases := []struct {
		name             string
		kind             bench.ErrorType
		message          string
		failure, timeout float64
	}{
		{"no first answer", bench.TimeoutNoFirstAnswer, "", 100, 100},
		{"a stall", bench.TimeoutStalled, "", 100, 100},
		{"no final answer", bench.TimeoutNoFinalAnswer, "", 100, 100},
		{"an old row that speaks of a timeout", bench.RunnerError, "Session timed out.", 100, 100},
		{"an old row that speaks of something else", bench.RunnerError, "install failed", 100, 0},
		{"an assertion that speaks of a timeout is the agent's failure", bench.AssertionFailed, "timeout", 0, 0},
		{"a checkpoint", bench.CheckpointFailed, "", 0, 0},
	}
	for _, c := range cases {
		t.Run("R8: "+c.name, func(t *testing.T) {
			got := summarize(t, runs(2, bench.GHX, "a-001", failed(c.kind, c.message)), quick()).Modes[bench.GHX]
			assert.Equal(t, c.failure, got.RunnerFailureRate)
			assert.Equal(t, c.timeout, got.TimeoutStallRate)
			assert.Zero(t, got.SuccessRate)
		})
	}
}

func TestG1FiguresOfAModeAreOverAllItsRows(t *testing.T) {
	rows := join(
		runs(3, bench.MCP, "a-001"),
		runs(1, bench.MCP, "a-001", need(9), failed(bench.RunnerError, "gone")),
		runs(1, bench.MCP, "b-001", need(5), func(r *bench.Row) { r.ExternalRetryCount = 1 }),
	)
	rows[4].TimingBreakdown = &bench.TimingBreakdown{AssistantTotalMS: 400, ToolBashMS: 30}
	summary := summarize(t, rows, quick())
	got := summary.Modes[bench.MCP]
	assert.Equal(t, 5, got.Runs)
	assert.Equal(t, 80.0, got.SuccessRate)
	assert.Equal(t, 80.0, got.OutputValidityRate)
	assert.Equal(t, 20.0, got.RunnerFailureRate)
	assert.Equal(t, 20.0, got.RetryRate)
	assert.Equal(t, 1000.0, got.MedianLatencyMS)
	assert.InDelta(t, 7400, got.P90LatencyMS, 1e-9, "the failed row's 9000 counts: 5000 + 0.6·4000")
	assert.InDelta(t, 8200, got.P95LatencyMS, 1e-9)
	assert.InDelta(t, 4000, got.IQRLatencyMS, 1e-9)
	assert.InDelta(t, 100*3200.0/3400, got.CVLatency, 1e-9)
	assert.InDelta(t, 100, got.MedianTokensActive, 1e-9)
	assert.InDelta(t, 740, got.P90TokensActive, 1e-9)
	assert.InDelta(t, 820, got.P95TokensActive, 1e-9)
	assert.InDelta(t, 5100, got.MedianTokensTotal, 1e-9)
	assert.InDelta(t, 4, got.MedianToolCalls, 1e-9)
	assert.InDelta(t, 0.01, got.MedianCostUSD, 1e-9)
	assert.Equal(t, bench.Profiling{RunsWithProfiling: 1, MedianAssistantTotalMS: 400, MedianToolBashMS: 30},
		summary.Profiling[bench.MCP], "over the one row with a timing breakdown")
}

func TestG1ModelsOfAModeAreListedWithTheirVariants(t *testing.T) {
	high := "high"
	rows := join(
		runs(1, bench.MCP, "a-001", func(r *bench.Row) { r.Model.Mode = &high }),
		runs(2, bench.MCP, "a-001"),
	)
	assert.Equal(t, "openai/gpt-5.3-codex/<null>,openai/gpt-5.3-codex/high", summarize(t, rows, quick()).Modes[bench.MCP].ModelSignature)
}

func TestSummaryTellsRunsScenariosAndCostOfEveryAttempt(t *testing.T) {
	rows := join(runs(1, bench.GHX, "b-001"), runs(2, bench.GHX, "a-001"), runs(1, bench.MCP, "c-001"))
	rows[1].Attempts = []bench.Attempt{{Cost: 0.25}, {Cost: 0.5}}
	rows[3].RunID = "run-0"
	summary := summarize(t, rows, quick())
	assert.InDelta(t, 0.01+0.75+0.01+0.01, summary.CostUSD, 1e-12, "a row without attempts counts its own cost")
	assert.Equal(t, []string{"run-0", "run-1"}, summary.RunIDs, "by time, and where it is equal by id")
	var ids []string
	for _, s := range summary.Scenarios {
		ids = append(ids, s.ID)
	}
	assert.Equal(t, []string{"a-001", "b-001", "c-001"}, ids)
	assert.Len(t, summary.Scenarios[2].Modes, 1, "a mode without rows of a scenario is absent there")
}

func TestG13ScenariosHavePassHatKUpToEight(t *testing.T) {
	rows := join(
		runs(9, bench.GHX, "a-001"), runs(3, bench.GHX, "a-001", failed(bench.CheckpointFailed, "no comment"), need(7)),
		runs(2, bench.GHX, "b-001"),
	)
	summary := summarize(t, rows, quick())
	a := summary.Scenarios[0].Modes[bench.GHX]
	assert.Len(t, a.PassHatK, 8)
	assert.InDelta(t, 9.0/12, a.PassHatK[0], 1e-12)
	assert.InDelta(t, 9.0/12*8/11, a.PassHatK[1], 1e-12)
	assert.Equal(t, 9, a.Stable)
	assert.Equal(t, 1000.0, a.MedianLatencyMS, "medians are over stable rows")
	assert.Equal(t, map[bench.ErrorType]int{bench.CheckpointFailed: 3}, a.Errors)
	assert.Equal(t, "no comment", a.ExampleError)
	assert.Equal(t, []float64{1, 1}, summary.Scenarios[1].Modes[bench.GHX].PassHatK, "k is at most the number of runs")
}

// The mean reward is the benchmark's own figure: a reward of 0.7 is no whole one, and a
// task without one counts as 0, whatever the order.
func TestTheMeanRewardIsThatOfTheBenchmark(t *testing.T) {
	reward := func(value *float64) change { return func(row *bench.Row) { row.Reward = &bench.Reward{Value: value} } }
	rows := join(
		runs(3, bench.GHX, "a-001", reward(new(0.7))), runs(1, bench.GHX, "a-001", reward(nil)),
		runs(2, bench.GHX, "b-001", reward(new(1.0))), runs(1, bench.AgentDirect, "a-001"), runs(1, bench.AgentDirect, "b-001"),
	)
	for range 2 {
		slices.Reverse(rows)
		summary := summarize(t, rows, quick())
		assert.InDelta(t, 4.1/6, *summary.Modes[bench.GHX].MeanReward, 1e-9)
		assert.InDelta(t, 2.1/4, *summary.Scenarios[0].Modes[bench.GHX].MeanReward, 1e-9)
		assert.InDelta(t, 1.0, *summary.Scenarios[1].Modes[bench.GHX].MeanReward, 1e-9)
		assert.Nil(t, summary.Modes[bench.AgentDirect].MeanReward)
	}
}

func TestCollectorTellsWhatItHas(t *testing.T) {
	var c gate.Collector
	all := "all"
	rows := join(runs(2, bench.GHX, "a-001"), runs(1, bench.AgentDirect, "a-001", func(r *bench.Row) {
		r.Model.ModelID = "gpt-5.1-codex-mini"
		r.ScenarioSet = &all
	}))
	for _, row := range rows {
		require.NoError(t, c.Add(row))
		*row = bench.Row{} // The collector keeps a copy of what it needs.
	}
	assert.Equal(t, 3, c.Rows())
	assert.Equal(t, []bench.Mode{bench.GHX, bench.AgentDirect}, c.Modes())
	assert.Equal(t, []string{"openai/gpt-5.1-codex-mini", "openai/gpt-5.3-codex"}, c.Models())
	assert.Equal(t, "all", c.ScenarioSet())
}

func TestRowWithoutModeOrScenarioIsRefused(t *testing.T) {
	var c gate.Collector
	err := c.Add(&bench.Row{RunID: "run-7", ScenarioID: "a-001"})
	require.ErrorContains(t, err, "run-7")
	require.ErrorContains(t, err, "no mode")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	require.ErrorContains(t, c.Add(&bench.Row{Mode: bench.GHX}), "no scenario_id")
	assert.Zero(t, c.Rows())
}

func TestS20RowsThatNameWhatTheSandboxLacksAreCounted(t *testing.T) {
	lacking := func(names ...string) change { return func(r *bench.Row) { r.Unsupported = names } }
	rows := join(
		runs(3, bench.AgentDirect, "a-001", lacking("GET /b", "GET /a", "Repository.c")),
		runs(2, bench.GHX, "a-001", lacking("Repository.c")),
		runs(1, bench.GHX, "a-001"),
	)
	assert.Contains(t, summarize(t, rows, quick()).Warnings, "In 5 rows the agent asked for what GitHub has and the sandbox lacks: Repository.c (5), GET /a (3) and GET /b (3)")
	assert.NotContains(t, strings.Join(summarize(t, rows[5:], quick()).Warnings, " "), "lacks")
}

func TestG12ListsAreNeverNull(t *testing.T) {
	var c gate.Collector
	summary, err := c.Summarize(quick())
	require.NoError(t, err)
	data, err := json.Marshal(summary)
	require.NoError(t, err)
	for _, name := range []string{"runIds", "scenarios", "missing", "warnings", "regressions", "checks"} {
		assert.Contains(t, string(data), `"`+name+`":[]`)
	}
	for _, name := range []string{"modes", "profiling"} {
		assert.Contains(t, string(data), `"`+name+`":{}`)
	}
}

// changed gives the row changes and says whether they were judged.
func changed(judged bool, changes ...bench.Change) change {
	return func(r *bench.Row) {
		r.FootprintJudged = &judged
		_ = r.SetChanges(changes)
	}
}

func TestS12UnallowedChangesAreToldByTheFirstRowThatHasSome(t *testing.T) {
	unallowed := func(name, why string) bench.Change {
		return bench.Change{Kind: bench.ChangeDeleted, Object: "branch", Name: name, Unallowed: why}
	}
	why := "nothing of the kind may be deleted"
	first := bench.Change{
		Kind: bench.ChangeChanged, Object: "issue", Name: "o/n#1", Title: "A\u202e title", Unallowed: `its title may not change ("A title" → "")`,
	}
	many := []bench.Change{first}
	for range bench.MaxUnallowedChanges {
		many = append(many, unallowed("o/n: "+strings.Repeat("x", 300), why))
	}
	rows := join(
		runs(1, bench.GHX, "a-001", failed(bench.AssertionFailed, "no answer"), changed(true)),
		runs(1, bench.GHX, "a-001", failed(bench.CheckpointFailed, "too much"), changed(true, many...)),
		runs(1, bench.GHX, "a-001", failed(bench.CheckpointFailed, "too much"), changed(true, unallowed("o/n: later", why))),
		runs(1, bench.AgentDirect, "a-001", changed(true, bench.Change{Kind: bench.ChangeCreated, Object: "comment", Name: "1 on o/n#1"})),
	)
	summary := summarize(t, rows, quick())
	told := summary.Scenarios[0].Modes[bench.GHX].UnallowedChanges
	require.Len(t, told, bench.MaxUnallowedChanges)
	assert.Equal(t, `changed issue o/n#1 (A title): its title may not change ("A title" → "")`, told[0])
	assert.Regexp(t, "^deleted branch o/n: x{180}.*…$", told[1])
	assert.Empty(t, summary.Scenarios[0].Modes[bench.AgentDirect].UnallowedChanges, "what was allowed is not told")
}

func TestS12WhereChangesCouldNotBeJudgedIsAWarning(t *testing.T) {
	rows := join(
		runs(3, bench.GHX, "a-001", changed(false)),
		runs(1, bench.GHX, "a-001", changed(true)),
		runs(1, bench.GHX, "a-001", changed(false), failed(bench.RunnerError, "the agent is gone")),
		runs(2, bench.AgentDirect, "a-001"),
	)
	summary := summarize(t, rows, quick())
	assert.Equal(t, 3, summary.Modes[bench.GHX].FootprintNotJudged, "a runner failure is one anyway")
	assert.Zero(t, summary.Modes[bench.AgentDirect].FootprintNotJudged, "older rows do not tell")
	warnings := strings.Join(summary.Warnings, "\n")
	assert.Contains(t, warnings, "What was changed could not be judged in ghx (3 of 5 runs), as on a live target")
	assert.NotContains(t, warnings, "agent_direct (")

	judged := summarize(t, runs(2, bench.GHX, "a-001", changed(true)), quick())
	assert.NotContains(t, strings.Join(judged.Warnings, "\n"), "What was changed")
}

func TestS12WhereChangesAreJudgedInPartIsAWarningOfItsOwn(t *testing.T) {
	partly := func(said string) change { return func(r *bench.Row) { r.FootprintUnjudged = said } }
	summary := summarize(t, join(
		runs(1, bench.GHX, "a-001", changed(false), partly("judged are issues; not judged are boards")),
		runs(1, bench.GHX, "a-001", changed(false)),
		runs(1, bench.GHX, "a-001", changed(false), partly("judged are issues; not judged are boards"), failed(bench.RunnerError, "the agent is gone")),
		runs(2, bench.AgentDirect, "a-001", changed(false), partly("judged are issues; not judged are boards")),
	), quick())
	warnings := strings.Join(summary.Warnings, "\n")
	assert.Contains(t, warnings, "could not be judged in ghx (1 of 3 runs), as on a live target")
	assert.Contains(t, warnings, "could be judged in part alone in agent_direct (2 of 2 runs) and ghx (1 of 3 runs): judged are issues; not judged are boards")
	assert.Equal(t, 2, summary.Modes[bench.GHX].FootprintNotJudged)
}

func TestS13TheShareOfRoutesIsOfTheRowsThatNameOne(t *testing.T) {
	route := func(ok bool) change { return func(r *bench.Row) { r.RouteOK = &ok } }
	rows := join(
		runs(3, bench.GHX, "a-001", route(true)), runs(1, bench.GHX, "a-001", route(false)), runs(4, bench.GHX, "b-001"),
		runs(4, bench.AgentDirect, "a-001"), runs(4, bench.AgentDirect, "b-001"),
	)
	summary := summarize(t, rows, quick())
	require.NotNil(t, summary.Modes[bench.GHX].RouteOKRate)
	assert.InDelta(t, 75, *summary.Modes[bench.GHX].RouteOKRate, 1e-9)
	assert.Nil(t, summary.Modes[bench.AgentDirect].RouteOKRate)
}

func TestN12DoubtsAboutTokensAreTold(t *testing.T) {
	counted := func(answers int, total int64) change {
		return func(r *bench.Row) {
			r.Turns, r.Wire = 2, &bench.WireUsage{Answers: answers, Tokens: bench.Tokens{Total: total}}
		}
	}
	rows := join(
		runs(3, bench.AgentDirect, "a", counted(2, 5100)), runs(1, bench.GHX, "a", counted(2, 5000)),
		runs(2, bench.GHX, "b", counted(5, 5100)), runs(3, bench.AgentDirect, "b"),
	)
	var c gate.Collector
	for _, row := range rows {
		require.NoError(t, c.Add(row))
	}
	summary, err := c.Summarize(gate.Options{})
	require.NoError(t, err)
	warnings := strings.Join(summary.Warnings, "\n")
	assert.Contains(t, warnings, "The tokens of 1 row are in doubt; the first is a/ghx/1, the agent reports 5,100 tokens, and the model's API 5,000")
	assert.Contains(t, warnings, "The tokens of 2 rows are in doubt; the first is b/ghx/1, the model answered 5 times")
}
