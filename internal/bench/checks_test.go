package bench_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
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
	names := thresholdNames(t)
	for _, name := range []string{
		"minTokensActiveReductionPct", "minLatencyReductionPct", "minToolCallReductionPct", "minEfficiencyCoveragePct",
		"maxSuccessRateDropPct", "minOutputValidityRatePct", "maxRunnerFailureRatePct", "maxTimeoutStallRatePct",
		"maxRetryRatePct", "minSamplesPerScenarioPerMode", "minCostReductionPct",
	} {
		assert.Contains(t, names, name)
	}
}

// thresholdNames returns the thresholds by their names in JSON, all of them 0.
func thresholdNames(t *testing.T) map[string]float64 {
	t.Helper()
	text, err := json.Marshal(bench.Thresholds{})
	require.NoError(t, err)
	var names map[string]float64
	require.NoError(t, json.Unmarshal(text, &names))
	return names
}

func TestG7EveryThresholdIsThatOfOneCheck(t *testing.T) {
	unheld := thresholdNames(t)
	delete(unheld, "minSamplesPerScenarioPerMode") // it says which rows the checks of efficiency are made of
	for _, rule := range bench.CheckRules() {
		assert.Contains(t, unheld, rule.Key, "the threshold of %s is no field of bench.Thresholds, or another check's too", rule.Name)
		delete(unheld, rule.Key)
		var one bench.Thresholds
		require.NoError(t, json.Unmarshal([]byte(`{"`+rule.Key+`": 7}`), &one))
		assert.InDelta(t, 7, math.Abs(rule.Threshold(one)), 0, "%s is held to another threshold than %s", rule.Name, rule.Key)
	}
	assert.Empty(t, unheld, "thresholds that no check of internal/bench/checks.go is held to")
}

// What a check may be without: see [bench.CheckRule].
var optionalOfACheck = []string{"Points", "Drop", "Reduction", "InEvery", "Rate"}

func TestG6NothingIsForgottenOfACheck(t *testing.T) {
	labels, outputs := map[string]bench.CheckName{}, map[string]bench.CheckName{}
	for _, rule := range bench.CheckRules() {
		of := reflect.ValueOf(rule)
		for i := range of.NumField() {
			if name := of.Type().Field(i).Name; !slices.Contains(optionalOfACheck, name) {
				assert.False(t, of.Field(i).IsZero(), "%s has no %s in internal/bench/checks.go", rule.Name, name)
			}
		}
		assert.Regexp(t, "^(reliability|efficiency)_", string(rule.Name), "a check is of one of the two gates")
		assert.Empty(t, labels[rule.Label], "%s has the label of another check", rule.Name)
		assert.Empty(t, outputs[rule.Output], "%s has the output of another check", rule.Name)
		labels[rule.Label], outputs[rule.Output] = rule.Name, rule.Name
	}
}

func TestG6TheTenChecksInTheirOrder(t *testing.T) {
	assert.Equal(t, []bench.CheckName{
		"reliability_success_rate_non_inferior", "reliability_output_validity", "reliability_runner_failure_rate",
		"reliability_timeout_stall_rate", "reliability_retry_rate", "efficiency_coverage", "efficiency_tokens_active_reduction",
		"efficiency_latency_reduction", "efficiency_tool_call_reduction", "efficiency_cost_reduction",
	}, bench.CheckNames())
}
