package bench_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
)

func TestG7DefaultThresholds(t *testing.T) {
	cases := []struct {
		name    string
		of      func(bench.Thresholds) float64
		pr, rel float64
	}{
		{"max success-rate drop", func(t bench.Thresholds) float64 { return t.MaxSuccessRateDropPct }, 3, 1},
		{"min output validity", func(t bench.Thresholds) float64 { return t.MinOutputValidityRatePct }, 95, 96},
		{"max runner failure", func(t bench.Thresholds) float64 { return t.MaxRunnerFailureRatePct }, 7, 6},
		{"max timeout or stall", func(t bench.Thresholds) float64 { return t.MaxTimeoutStallRatePct }, 4, 3},
		{"max retry", func(t bench.Thresholds) float64 { return t.MaxRetryRatePct }, 20, 18},
		{"min samples", func(t bench.Thresholds) float64 { return float64(t.MinSamplesPerScenarioPerMode) }, 3, 5},
		{"min coverage", func(t bench.Thresholds) float64 { return t.MinEfficiencyCoveragePct }, 70, 75},
		{"min active-token reduction", func(t bench.Thresholds) float64 { return t.MinTokensActiveReductionPct }, 10, 12},
		{"min latency reduction", func(t bench.Thresholds) float64 { return t.MinLatencyReductionPct }, 10, 12},
		{"min tool-call reduction", func(t bench.Thresholds) float64 { return t.MinToolCallReductionPct }, 15, 18},
		{"min cost reduction", func(t bench.Thresholds) float64 { return t.MinCostReductionPct }, 10, 15},
	}
	for _, c := range cases {
		t.Run("G7: "+c.name, func(t *testing.T) {
			assert.InDelta(t, c.pr, c.of(bench.DefaultThresholds(bench.VerifyPR)), 0)
			assert.InDelta(t, c.rel, c.of(bench.DefaultThresholds(bench.VerifyRelease)), 0)
		})
	}
	assert.Equal(t, bench.DefaultThresholds(bench.VerifyPR), bench.DefaultThresholds("unknown"))
}

func TestG8ThresholdsHaveTheOriginalsNames(t *testing.T) {
	text, err := json.Marshal(bench.Thresholds{})
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"minTokensActiveReductionPct": 0, "minLatencyReductionPct": 0, "minToolCallReductionPct": 0, "minEfficiencyCoveragePct": 0,
		"maxSuccessRateDropPct": 0, "minOutputValidityRatePct": 0, "maxRunnerFailureRatePct": 0, "maxTimeoutStallRatePct": 0,
		"maxRetryRatePct": 0, "minSamplesPerScenarioPerMode": 0, "minCostReductionPct": 0}`, string(text))
}

func TestG6TheTenChecksInTheirOrder(t *testing.T) {
	assert.Equal(t, []bench.CheckName{
		"reliability_success_rate_non_inferior", "reliability_output_validity", "reliability_runner_failure_rate",
		"reliability_timeout_stall_rate", "reliability_retry_rate", "efficiency_coverage", "efficiency_tokens_active_reduction",
		"efficiency_latency_reduction", "efficiency_tool_call_reduction", "efficiency_cost_reduction",
	}, bench.CheckNames())
}
