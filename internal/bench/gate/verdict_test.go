package gate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// allPassed is the reason of a pass.
var allPassed = fmt.Sprintf("All %d checks passed", len(bench.CheckNames()))

// better returns rows with which all checks pass: the candidate needs
// half of everything.
func better(scenarios ...string) []*bench.Row {
	var rows []*bench.Row
	for _, s := range scenarios {
		rows = append(rows, runs(8, bench.AgentDirect, s, need(2))...)
		rows = append(rows, runs(8, bench.GHX, s)...)
	}
	return rows
}

func TestG6TheGateMakesEveryCheckInItsPlaceAndPassesWhenAllPass(t *testing.T) {
	summary := summarize(t, better("a-001", "b-001"), quick())
	var names []bench.CheckName
	for _, c := range summary.Gate.Checks {
		names = append(names, c.Name)
		assert.True(t, c.Passed, c.Name)
	}
	assert.Equal(t, bench.CheckNames(), names, "bench/checks.go lists the checks and gate/checks.go makes them; one that is not listed stands first")
	assert.True(t, summary.Gate.Passed)
	assert.Equal(t, bench.VerdictPass, summary.Gate.Verdict)
	assert.Contains(t, summary.Gate.Reason, allPassed)
}

func TestG6EveryCheckCanFailTheGateAlone(t *testing.T) {
	t.Run("G6: a lower success rate", func(t *testing.T) {
		rows := better("a-001", "b-001")
		failed(bench.CheckpointFailed, "merged: want true, is false")(rows[15])
		requireFailing(t, rows, bench.CheckSuccessRate)
	})
	t.Run("G6: invalid output", func(t *testing.T) {
		rows := better("a-001", "b-001")
		rows[15].OutputValid, rows[0].OutputValid = false, false
		requireFailing(t, rows, bench.CheckOutputValidity)
	})
	t.Run("G6: retries", func(t *testing.T) {
		rows := better("a-001", "b-001")
		for i := 8; i < 12; i++ {
			rows[i].ExternalRetryCount = 1
		}
		requireFailing(t, rows, bench.CheckRetryRate)
	})
	t.Run("G6: cost in one scenario", func(t *testing.T) {
		rows := better("a-001", "b-001")
		for i := 8; i < 16; i++ {
			rows[i].Cost = 0.019
		}
		requireFailing(t, rows, bench.CheckCostReduction)
	})
	for name, alter := range map[bench.CheckName]change{
		bench.CheckTokensReduction:   func(r *bench.Row) { r.Tokens.CacheRead -= 100 },
		bench.CheckLatencyReduction:  func(r *bench.Row) { r.LatencyMSWall *= 2 },
		bench.CheckToolCallReduction: func(r *bench.Row) { r.ToolCalls *= 2 },
	} {
		t.Run("G6: "+string(name), func(t *testing.T) {
			rows := better("a-001", "b-001")
			for _, row := range rows {
				if row.Mode == bench.GHX {
					alter(row)
				}
			}
			requireFailing(t, rows, name)
		})
	}
	t.Run("G6: coverage", func(t *testing.T) {
		requireFailing(t, join(better("a-001"), runs(2, bench.AgentDirect, "b-001"), runs(2, bench.GHX, "b-001")), bench.CheckCoverage)
	})
	t.Run("G6: runner failures, also of the baseline so that success is equal", func(t *testing.T) {
		rows := better("a-001", "b-001")
		for _, i := range []int{7, 15, 23, 31} {
			rows[i].Error = &bench.RowError{Type: bench.RunnerError, Message: "gone"}
		}
		requireFailing(t, rows, bench.CheckRunnerFailureRate)
	})
	t.Run("G6: timeouts, which are runner failures too", func(t *testing.T) {
		rows := better("a-001", "b-001")
		rows[15].Error = &bench.RowError{Type: bench.TimeoutStalled}
		requireFailing(t, rows, bench.CheckTimeoutStallRate)
	})
}

func requireFailing(t *testing.T, rows []*bench.Row, want bench.CheckName) {
	t.Helper()
	summary := summarize(t, rows, quick())
	for _, c := range summary.Gate.Checks {
		require.Equal(t, c.Name != want, c.Passed, "%s: %s", c.Name, c.Reason)
	}
	assert.NotEmpty(t, check(t, summary, want).Reason)
	assert.False(t, summary.Gate.Passed)
	assert.Equal(t, bench.VerdictFail, summary.Gate.Verdict)
	assert.Contains(t, summary.Gate.Reason, string(want))
}

func TestG3RatesThatEqualTheirThresholdPass(t *testing.T) {
	// 299 of 300 and 290 of 300 differ by 3 points, which the difference of
	// the two rates as floating point numbers exceeds.
	rows := join(
		runs(299, bench.AgentDirect, "a-001"), runs(1, bench.AgentDirect, "a-001", failed(bench.CheckpointFailed, "x")),
		runs(290, bench.GHX, "a-001"), runs(10, bench.GHX, "a-001", failed(bench.CheckpointFailed, "x")),
	)
	got := check(t, summarize(t, rows, quick()), bench.CheckSuccessRate)
	assert.Equal(t, -3.0, got.Value)
	assert.Equal(t, -3.0, got.Threshold)
	assert.True(t, got.Passed)
}

func TestG3ReliabilityIsOverAllRowsOfTheCandidate(t *testing.T) {
	rows := better("a-001")
	failed(bench.RunnerError, "gone")(rows[0])
	failed(bench.TimeoutStalled, "stalled")(rows[8])
	rows[9].ExternalRetryCount = 2
	got := summarize(t, rows, quick()).Gate.Reliability
	assert.Equal(t, &bench.Reliability{
		SuccessRateDeltaPct: 0, OutputValidityRatePct: 87.5, RunnerFailureRatePct: 12.5, TimeoutStallRatePct: 12.5, RetryRatePct: 12.5,
	}, got)
}

func TestG6WithoutBothModesThereIsNoVerdict(t *testing.T) {
	gateOf := summarize(t, runs(8, bench.AgentDirect, "a-001"), quick()).Gate
	assert.False(t, gateOf.Passed)
	assert.Equal(t, bench.VerdictNone, gateOf.Verdict)
	assert.Contains(t, gateOf.Reason, "no rows of ghx")
	assert.Nil(t, gateOf.Reliability)
	assert.Nil(t, gateOf.Efficiency)
	assert.Empty(t, gateOf.Checks)
}

func TestR9AnIncompletePlanHasNoVerdict(t *testing.T) {
	opts := quick()
	opts.Missing = []bench.MissingCells{
		{Reason: bench.MissingBudget, Cells: []bench.Cell{{ScenarioID: "b-001", Mode: bench.GHX, Iteration: 1}, {ScenarioID: "b-001", Mode: bench.GHX, Iteration: 2}}},
		{Reason: bench.MissingNeverRan, Cells: []bench.Cell{{ScenarioID: "b-001", Mode: bench.GHX, Iteration: 3}}},
	}
	t.Run("R9: figures are shown, even where a scenario has no row of a mode", func(t *testing.T) {
		summary := summarize(t, join(better("a-001"), runs(3, bench.AgentDirect, "b-001")), opts)
		assert.False(t, summary.Gate.Passed)
		assert.Equal(t, bench.VerdictNone, summary.Gate.Verdict)
		assert.Equal(t, "The plan is incomplete: 3 cells have no row, 2 beyond the budget and 1 never ran", summary.Gate.Reason)
		assert.Len(t, summary.Gate.Checks, len(bench.CheckNames()))
		assert.Equal(t, 2, summary.Gate.Efficiency.TotalScenarioCount)
		assert.Equal(t, opts.Missing, summary.Missing)
	})
	t.Run("R9: all cells of a mode are missing", func(t *testing.T) {
		reason := summarize(t, runs(3, bench.AgentDirect, "b-001"), opts).Gate.Reason
		assert.Contains(t, reason, "3 cells have no row")
		assert.Contains(t, reason, "no rows of ghx")
	})
	t.Run("R9: an empty list of missing cells is none", func(t *testing.T) {
		opts.Missing = []bench.MissingCells{{Reason: bench.MissingStopped}}
		assert.Equal(t, bench.VerdictPass, summarize(t, better("a-001"), opts).Gate.Verdict)
	})
}

func TestG10AnotherPairOfModesIsCompared(t *testing.T) {
	rows := join(runs(8, bench.GHXBase, "a-001", need(2)), runs(8, bench.GHX, "a-001"), runs(8, bench.AgentDirect, "a-001", need(9)))
	opts := quick()
	opts.Baseline, opts.Candidate = bench.GHXBase, bench.GHX
	summary := summarize(t, rows, opts)
	assert.Equal(t, bench.GHXBase, summary.Gate.Baseline)
	assert.Equal(t, bench.GHX, summary.Gate.Candidate)
	assert.Equal(t, 50.0, summary.Delta.LatencyReductionPct)
	assert.Equal(t, 50.0, check(t, summary, bench.CheckLatencyReduction).Value)
	assert.Len(t, summary.Modes, 3, "other modes are shown")

	opts.Baseline, opts.Candidate = bench.GHX, bench.GHXBase
	assert.Equal(t, -100.0, summarize(t, rows, opts).Delta.LatencyReductionPct)
	unnamed := summarize(t, rows, quick())
	assert.Equal(t, []bench.Mode{bench.AgentDirect, bench.GHX}, []bench.Mode{unnamed.Gate.Baseline, unnamed.Gate.Candidate})

	opts.Candidate = bench.GHX
	var c gate.Collector
	_, err := c.Summarize(opts)
	require.ErrorContains(t, err, "both ghx")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestG11RowsThatDifferAreNotComparable(t *testing.T) {
	set := func(name string) change { return func(r *bench.Row) { r.ScenarioSet = &name } }
	commit := func(sha string) change { return func(r *bench.Row) { r.Git.Commit = &sha } }
	file := func(hash string) change { return func(r *bench.Row) { r.ModeHash = hash } }
	model := func(id string) change { return func(r *bench.Row) { r.Model.ModelID = id } }
	cases := []struct {
		name      string
		candidate bench.Mode
		b, c      []*bench.Row
		// want are parts of the error; none if the rows are comparable.
		want []string
	}{
		{"old rows state no commit and are equal", bench.GHX, runs(1, bench.AgentDirect, "a-001"), runs(1, bench.GHX, "a-001"), nil},
		{"another scenario set", bench.GHX, runs(1, bench.AgentDirect, "a-001", set("all")), runs(1, bench.GHX, "a-001", set("default")),
			[]string{"scenario sets", "all in agent_direct only", "default in ghx only"}},
		{"no scenario set", bench.GHX, runs(1, bench.AgentDirect, "a-001", set("all")), runs(1, bench.GHX, "a-001"),
			[]string{"scenario sets", "all in agent_direct only", "<null> in ghx only"}},
		{"a scenario more", bench.GHX, runs(1, bench.AgentDirect, "a-001"), join(runs(1, bench.GHX, "a-001"), runs(1, bench.GHX, "b-001")),
			[]string{"scenarios", "b-001 in ghx only"}},
		{"another model", bench.GHX, runs(1, bench.AgentDirect, "a-001"), runs(1, bench.GHX, "a-001", model("gpt-5.4")),
			[]string{"models", "openai/gpt-5.3-codex in agent_direct only", "openai/gpt-5.4 in ghx only"}},
		{"two models in a mode", bench.GHX, runs(1, bench.AgentDirect, "a-001"), join(runs(1, bench.GHX, "a-001"), runs(1, bench.GHX, "a-001", model("gpt-5.4"))),
			[]string{"mode ghx", "2 models", "openai/gpt-5.3-codex and openai/gpt-5.4"}},
		{"two contents of a mode's file", "mine", runs(1, bench.AgentDirect, "a-001"), join(runs(1, "mine", "a-001", file("x")), runs(1, "mine", "a-001", file("y"))),
			[]string{"those of mode mine are of 2 contents of its file, x and y: report them apart"}},
		{"an old row of a mode does not say its file", "mine", runs(1, bench.AgentDirect, "a-001"), join(runs(1, "mine", "a-001", file("x")), runs(1, "mine", "a-001")), nil},
		{"two modes have two files", "mine", runs(1, "theirs", "a-001", file("y")), runs(1, "mine", "a-001", file("x")), nil},
		{"another commit", bench.GHX, runs(1, bench.AgentDirect, "a-001", commit("aaa")), runs(1, bench.GHX, "a-001", commit("bbb")),
			[]string{"commits", "aaa in agent_direct only", "bbb in ghx only"}},
		{"ghx of two commits is the point of comparing them", bench.GHXBase,
			runs(1, bench.GHX, "a-001", commit("aaa")), runs(1, bench.GHXBase, "a-001", commit("bbb")), nil},
		{"ghx of two commits with a scenario more", bench.GHXBase,
			runs(1, bench.GHX, "a-001", commit("aaa")), join(runs(1, bench.GHXBase, "a-001", commit("bbb")), runs(1, bench.GHXBase, "b-001", commit("bbb"))),
			[]string{"scenarios", "b-001 in ghx@base only"}},
	}
	for _, c := range cases {
		t.Run("G11: "+c.name, func(t *testing.T) {
			var collector gate.Collector
			for _, row := range join(c.b, c.c, runs(1, bench.MCP, "z-001", model("other"))) {
				require.NoError(t, collector.Add(row))
			}
			opts := quick()
			opts.Baseline, opts.Candidate = c.b[0].Mode, c.candidate
			_, err := collector.Summarize(opts)
			if len(c.want) == 0 {
				require.NoError(t, err, "a third mode that differs does not matter")
				return
			}
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			for _, part := range append(c.want, "not comparable") {
				assert.ErrorContains(t, err, part)
			}
		})
	}
}

func TestG15SimulatedRowsAreTold(t *testing.T) {
	simulated := func(r *bench.Row) { r.Simulated = true }
	all := summarize(t, runs(2, bench.GHX, "a-001", simulated), quick())
	assert.True(t, all.Simulated)
	assert.Empty(t, all.Warnings)
	mixed := summarize(t, join(runs(2, bench.GHX, "a-001", simulated), runs(3, bench.GHX, "a-001")), quick())
	assert.True(t, mixed.Simulated)
	assert.Contains(t, strings.Join(mixed.Warnings, "\n"), "2 of 5 rows are simulated")
	assert.False(t, summarize(t, runs(2, bench.GHX, "a-001"), quick()).Simulated)
}

func TestG8AModelWithoutThresholdsOfItsOwnIsAWarning(t *testing.T) {
	opts := quick()
	opts.Model = "openai/gpt-9"
	summary := summarize(t, better("a-001"), opts)
	assert.Contains(t, strings.Join(summary.Warnings, "\n"), "openai/gpt-9 has no thresholds of its own")
	assert.Equal(t, "openai/gpt-9", summary.Gate.Model)
	for _, alone := range []bench.Mode{bench.AgentDirect, bench.GHX} {
		assert.Empty(t, summarize(t, runs(2, alone, "a-001"), opts).Warnings, "there is nothing that a threshold is for")
	}
	regression := opts
	regression.Profile = bench.ProfileRegression
	assert.Empty(t, summarize(t, better("a-001"), regression).Warnings, "it looks at margins, and at no threshold")
	opts.ModelExpectations = true
	assert.Empty(t, summarize(t, better("a-001"), opts).Warnings)
}
