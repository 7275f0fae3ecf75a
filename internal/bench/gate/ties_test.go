package gate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// inEveryOrder summarizes rows in their order and the other way round.
func inEveryOrder(t *testing.T, rows []*bench.Row, see func(bench.Summary)) {
	t.Helper()
	for range 2 {
		see(summarize(t, rows, quick()))
		rows = slices.Clone(rows)
		slices.Reverse(rows)
	}
}

func ran(timestamp, run string, iteration int) change {
	return func(r *bench.Row) { r.Timestamp, r.RunID, r.Iteration = timestamp, run, iteration }
}

// Of errors of one type the earliest is told: by the time, the run and the iteration.
func TestG17TheExampleOfAnErrorDoesNotDependOnTheOrderOfRows(t *testing.T) {
	for name, second := range map[string]change{
		"by time":      ran("2026-03-01T12:00:01.000Z", "run-0", 1),
		"by run":       ran("2026-03-01T12:00:00.000Z", "run-2", 1),
		"by iteration": ran("2026-03-01T12:00:00.000Z", "run-1", 3),
	} {
		rows := join(
			runs(1, bench.GHX, "a-001", failed(bench.CheckpointFailed, "the first"), ran("2026-03-01T12:00:00.000Z", "run-1", 2)),
			runs(1, bench.GHX, "a-001", failed(bench.CheckpointFailed, "a later one"), second),
		)
		inEveryOrder(t, rows, func(s bench.Summary) {
			assert.Equal(t, "the first", s.Scenarios[0].Modes[bench.GHX].ExampleError, name)
		})
	}
}

func TestG17TheDoubtThatIsToldDoesNotDependOnTheOrderOfRows(t *testing.T) {
	doubted := func(total int64) change {
		return func(r *bench.Row) {
			r.Turns, r.Wire = 2, &bench.WireUsage{Answers: 2, Tokens: bench.Tokens{Total: total}}
		}
	}
	const now, later = "2026-03-01T12:00:00.000Z", "2026-03-01T12:00:01.000Z"
	for first, rows := range map[string][]*bench.Row{
		"b/ghx/1": join(runs(1, bench.GHX, "a", doubted(5000), ran(later, "run-1", 1)), runs(1, bench.GHX, "b", doubted(5000), ran(now, "run-1", 1))),
		"a/ghx/1": join(runs(1, bench.GHX, "a", doubted(5000), ran(now, "run-1", 1)), runs(1, bench.GHX, "b", doubted(5000), ran(now, "run-1", 1))),
	} {
		inEveryOrder(t, rows, func(s bench.Summary) {
			assert.Contains(t, strings.Join(s.Warnings, "\n"), "The tokens of 2 rows are in doubt; the first is "+first+",")
		})
	}
}

func TestG17WhatWasNotJudgedDoesNotDependOnTheOrderOfRows(t *testing.T) {
	partly := func(said string) change { return func(r *bench.Row) { r.FootprintUnjudged = said } }
	rows := join(
		runs(1, bench.GHX, "a-001", changed(false), partly("not judged are boards")),
		runs(1, bench.GHX, "a-001", changed(false), partly("not judged are labels")),
		runs(1, bench.GHX, "a-001", changed(true)),
	)
	for range rows {
		rows = append(rows[1:], rows[0])
		inEveryOrder(t, rows, func(s bench.Summary) {
			assert.Contains(t, strings.Join(s.Warnings, "\n"), "in ghx (2 of 3 runs): not judged are boards")
		})
	}
}

func TestOneRowThatAsksForWhatTheSandboxLacksIsAWarning(t *testing.T) {
	rows := runs(1, bench.GHX, "a-001", func(r *bench.Row) { r.Unsupported = []string{"GET /a"} })
	assert.Contains(t, summarize(t, rows, quick()).Warnings, "In 1 row the agent asked for what GitHub has and the sandbox lacks: GET /a (1)")
}

func TestWarningsAndReasonsNameTheFigureAndTheScenariosThatHaveIt(t *testing.T) {
	same := join(runs(6, bench.AgentDirect, "a-001"), runs(6, bench.GHX, "a-001"))
	for name, noun := range map[bench.CheckName]string{
		bench.CheckTokensReduction: "active tokens", bench.CheckLatencyReduction: "latency",
		bench.CheckToolCallReduction: "tool calls", bench.CheckCostReduction: "cost",
	} {
		assert.Contains(t, strings.Join(check(t, summarize(t, same, quick()), name).Warnings, "\n"), "are equal in "+noun+", so interval")
	}
	rows := join(runs(3, bench.AgentDirect, "a-001"), runs(3, bench.GHX, "a-001"),
		runs(3, bench.AgentDirect, "b-001", func(r *bench.Row) { r.ToolCalls = 0 }), runs(3, bench.GHX, "b-001"))
	assert.Contains(t, check(t, summarize(t, rows, quick()), bench.CheckToolCallReduction).Reason, "in the median of 1 scenario,", "b-001 has none")
}

func TestAPThatCanBeJustAsLowAsItMustIsNoWarning(t *testing.T) {
	opts := quick()
	opts.Thresholds.MinSamplesPerScenarioPerMode = 1
	of := func(a, b int) string {
		rows := join(
			runs(1, bench.AgentDirect, "a-001", need(2)), runs(a, bench.GHX, "a-001"),
			runs(1, bench.AgentDirect, "b-001", need(2)), runs(b, bench.GHX, "b-001"),
		)
		return strings.Join(check(t, summarize(t, rows, opts), bench.CheckLatencyReduction).Warnings, "\n")
	}
	assert.Contains(t, of(4, 6), "p cannot be below 0.057", "of 5 times 7 labellings two are as extreme")
	assert.NotContains(t, of(4, 7), "p cannot be below", "of 5 times 8")
}
