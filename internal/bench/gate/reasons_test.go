package gate_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
)

func TestReasonsOfFailedChecksNameCountsAndTheWorstScenarios(t *testing.T) {
	checkpoint := failed(bench.CheckpointFailed, "merged: want true, is false")
	cases := []struct {
		name  string
		rows  []*bench.Row
		check bench.CheckName
		want  string
	}{
		{
			"success: against the baseline, with an example",
			join(runs(4, bench.AgentDirect, "a-001"), runs(4, bench.AgentDirect, "b-001"),
				runs(3, bench.GHX, "a-001"), runs(1, bench.GHX, "a-001", checkpoint),
				runs(2, bench.GHX, "b-001"), runs(2, bench.GHX, "b-001", checkpoint)),
			bench.CheckSuccessRate,
			"3 of 8 ghx runs failed, against 0 of 8 of agent_direct: " +
				"b-001 (2 of 4; checkpoint_failed: merged: want true, is false) and a-001 (1 of 4; checkpoint_failed: merged: want true, is false)",
		},
		{
			"runner failures: the example is one of them",
			join(runs(2, bench.AgentDirect, "a-001"), runs(1, bench.GHX, "a-001", checkpoint), runs(1, bench.GHX, "a-001", failed(bench.RunnerError, "exit status 1"))),
			bench.CheckRunnerFailureRate,
			"1 of 2 ghx runs were runner failures: a-001 (1 of 2; runner_error: exit status 1)",
		},
		{
			"an error without a message",
			join(runs(1, bench.AgentDirect, "a-001"), runs(1, bench.GHX, "a-001", failed(bench.TimeoutStalled, ""))),
			bench.CheckTimeoutStallRate,
			"1 of 1 ghx run timed out or stalled: a-001 (1 of 1; runner_timeout_stalled_session)",
		},
		{
			"retries have no example",
			join(runs(1, bench.AgentDirect, "a-001"), runs(1, bench.GHX, "a-001", func(r *bench.Row) { r.ExternalRetryCount = 1 })),
			bench.CheckRetryRate,
			"1 of 1 ghx run needed a retry: a-001 (1 of 1)",
		},
		{
			"coverage: the numbers of stable runs",
			join(runs(3, bench.AgentDirect, "a-001"), runs(1, bench.GHX, "a-001"), runs(3, bench.AgentDirect, "b-001"), runs(3, bench.GHX, "b-001")),
			bench.CheckCoverage,
			"1 of 2 scenarios lack 3 stable runs in each mode: a-001 (3 in agent_direct and 1 in ghx)",
		},
		{
			"reductions: the furthest first, three at most",
			join(
				runs(3, bench.AgentDirect, "a-001", need(4)), runs(3, bench.GHX, "a-001", need(4)),
				runs(3, bench.AgentDirect, "b-001", need(4)), runs(3, bench.GHX, "b-001", need(5)),
				runs(3, bench.AgentDirect, "c-001", need(4)), runs(3, bench.GHX, "c-001", need(3.8)),
				runs(3, bench.AgentDirect, "d-001", need(4)), runs(3, bench.GHX, "d-001", need(3.9)),
			),
			bench.CheckLatencyReduction,
			"The reduction in latency is 1.2% in the median of 4 scenarios, the minimum is 10%; " +
				"furthest from it: b-001 (−25%), a-001 (0%), d-001 (2.5%) and 1 more",
		},
		{
			"a figure just below its threshold does not look equal to it",
			join(runs(3, bench.AgentDirect, "a-001", need(1)), runs(3, bench.GHX, "a-001", need(0.9003))),
			bench.CheckLatencyReduction,
			"The reduction in latency is 9.97% in the median of 1 scenario, the minimum is 10%; furthest from it: a-001 (10%)",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := check(t, summarize(t, c.rows, quick()), c.check)
			assert.False(t, got.Passed)
			assert.Equal(t, c.want, got.Reason)
		})
	}
}

func TestReasonsQuoteTextFromOutsideAsPlainText(t *testing.T) {
	hostile := "first\n\n::error::second\x1b[31m \u202eright to left\u202c\u200b \t end"
	rows := join(runs(1, bench.AgentDirect, "a-001"), runs(1, bench.GHX, "a-001", failed(bench.CheckpointFailed, hostile)))
	got := check(t, summarize(t, rows, quick()), bench.CheckSuccessRate).Reason
	assert.Contains(t, got, "checkpoint_failed: first ::error::second[31m right to left end)")

	long := strings.Repeat("é", 5000)
	rows = join(runs(1, bench.AgentDirect, "a-001"), runs(1, bench.GHX, "a-001", failed(bench.CheckpointFailed, long)))
	got = check(t, summarize(t, rows, quick()), bench.CheckSuccessRate).Reason
	assert.Less(t, utf8.RuneCountInString(got), 320)
	assert.Contains(t, got, strings.Repeat("é", 200)+"…")
}
