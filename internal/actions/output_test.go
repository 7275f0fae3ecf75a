package actions_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/bench"
)

// checkValues are the values of the checks of [judged].
var checkValues = map[bench.CheckName]float64{
	bench.CheckSuccessRate: 1.5, bench.CheckOutputValidity: 2.5, bench.CheckRunnerFailureRate: 3.5, bench.CheckTimeoutStallRate: 4.5, bench.CheckRetryRate: 5.5,
	bench.CheckCoverage: 6.5, bench.CheckTokensReduction: 7.5, bench.CheckLatencyReduction: 8.5, bench.CheckToolCallReduction: 9.5, bench.CheckCostReduction: 10.5,
}

// judged is a summary whose checks pass.
func judged(change func(*bench.Summary)) *bench.Summary {
	some := 1.0
	s := &bench.Summary{
		CostUSD:   0.1 + 0.2,
		Scenarios: []bench.ScenarioSummary{{ID: "a", Eligible: true, TokensActiveReductionPct: &some, LatencyReductionPct: &some, ToolCallReductionPct: &some, CostReductionPct: &some}},
		Gate:      bench.Gate{Profile: bench.VerifyPR, Passed: true, Verdict: bench.VerdictPass},
	}
	for _, name := range bench.CheckNames() {
		s.Gate.Checks = append(s.Gate.Checks, bench.Check{Name: name, Passed: true, Value: checkValues[name]})
	}
	if change != nil {
		change(s)
	}
	return s
}

// fails has one check not pass.
func fails(name bench.CheckName) func(*bench.Summary) {
	return func(s *bench.Summary) {
		for i := range s.Gate.Checks {
			s.Gate.Checks[i].Passed = s.Gate.Checks[i].Name != name
		}
	}
}

func values(r actions.Result) map[string]string {
	all := map[string]string{}
	for _, v := range actions.Values(r) {
		all[v.Name] = v.Text
	}
	return all
}

func TestOutputsTellTheVerdictAndEveryFigureOfTheGate(t *testing.T) {
	got := values(actions.Result{
		Conclusion: "success", Summary: judged(nil), RunID: "20250101T000000Z-ab",
		SummaryJSON: ".bench/r/summary.json", SummaryMD: ".bench/r/summary.md", ReportHTML: ".bench/r/report.html", Rows: ".bench/r",
		CheckRunURL: "https://github.com/o/r/runs/1", CommentURL: "https://github.com/o/r/pull/1#issuecomment-2",
	})
	for name, want := range map[string]string{
		"conclusion": "success", "passed": "true", "reliability-passed": "true", "efficiency-passed": "true",
		"success-rate-delta-pct": "1.5", "output-validity-pct": "2.5", "runner-failure-pct": "3.5", "timeout-stall-pct": "4.5", "retry-pct": "5.5",
		"coverage-pct": "6.5", "tokens-active-reduction-pct": "7.5", "latency-reduction-pct": "8.5", "tool-call-reduction-pct": "9.5", "cost-reduction-pct": "10.5",
		"cost-usd": "0.3", "simulated": "false", "run-id": "20250101T000000Z-ab",
		"summary-json": ".bench/r/summary.json", "summary-md": ".bench/r/summary.md", "report-html": ".bench/r/report.html", "rows": ".bench/r",
		"check-run-url": "https://github.com/o/r/runs/1", "comment-url": "https://github.com/o/r/pull/1#issuecomment-2",
	} {
		assert.Equal(t, want, got[name], name)
	}
	for name, value := range got {
		assert.NotEmpty(t, value, "output %s", name)
	}
}

func TestOutputsWithoutAValueAreEmpty(t *testing.T) {
	none := values(actions.Result{Conclusion: "skipped"})
	assert.Len(t, none, len(actions.Outputs()))
	for name, value := range none {
		if name != "conclusion" {
			assert.Empty(t, value, name)
		}
	}
	noVerdict := values(actions.Result{Summary: &bench.Summary{Gate: bench.Gate{Profile: bench.VerifyPR, Verdict: bench.VerdictNone}, CostUSD: 2}})
	assert.Equal(t, "false", noVerdict["passed"], "G6: without both modes there is no verdict, and it does not pass")
	assert.Empty(t, noVerdict["reliability-passed"])
	assert.Empty(t, noVerdict["coverage-pct"])
	assert.Equal(t, "2", noVerdict["cost-usd"])

	other := values(actions.Result{Summary: &bench.Summary{Gate: bench.Gate{Passed: true, Verdict: bench.VerdictPass}}})
	assert.Equal(t, "true", other["passed"])
	assert.Empty(t, other["cost-usd"], "another benchmark than ghx does not tell it")
}

func TestTheTwoGatesAreToldApart(t *testing.T) {
	got := values(actions.Result{Summary: judged(func(s *bench.Summary) {
		s.Gate.Passed = false
		fails(bench.CheckCostReduction)(s)
	})})
	assert.Equal(t, "false", got["passed"])
	assert.Equal(t, "true", got["reliability-passed"])
	assert.Equal(t, "false", got["efficiency-passed"])
}

func TestAReductionThatDoesNotExistIsNoZero(t *testing.T) {
	got := values(actions.Result{Summary: judged(func(s *bench.Summary) {
		s.Scenarios[0].ToolCallReductionPct = nil
		s.Scenarios[0].CostReductionPct = nil
	})})
	assert.Empty(t, got["tool-call-reduction-pct"])
	assert.Empty(t, got["cost-reduction-pct"])
	assert.Equal(t, "7.5", got["tokens-active-reduction-pct"])

	some := 1.0
	part := values(actions.Result{Summary: judged(func(s *bench.Summary) {
		s.Scenarios = append(s.Scenarios,
			bench.ScenarioSummary{ID: "b", Eligible: true, LatencyReductionPct: &some},
			bench.ScenarioSummary{ID: "c"})
	})})
	assert.Empty(t, part["cost-reduction-pct"], "G5: every eligible scenario has to have a cost")
	assert.Equal(t, "7.5", part["tokens-active-reduction-pct"], "G4: the median is over those that have one")
}

func TestG15OutputsSayThatNoModelWasInvolved(t *testing.T) {
	got := values(actions.Result{Conclusion: "neutral", Summary: judged(func(s *bench.Summary) { s.Simulated = true })})
	assert.Equal(t, "true", got["simulated"])
	assert.Equal(t, "false", got["passed"], "a step that deploys what passed must not take a show for a verdict")
}

func TestFiguresAreNumbersThatAWorkflowCanCompute(t *testing.T) {
	for value, want := range map[float64]string{
		0: "0", math.Copysign(0, -1): "0", -3.25: "-3.25", 1e-9: "0", -1e-9: "0", 200.0 / 3: "66.666667", 1e15: "1000000000000000", math.NaN(): "", math.Inf(1): "",
	} {
		got := values(actions.Result{Summary: judged(func(s *bench.Summary) { s.Gate.Checks[0].Value = value })})
		assert.Equal(t, want, got["success-rate-delta-pct"], "%v", value)
	}
}

func TestOutputsOfRowsThatMayBeInventedDoNotPass(t *testing.T) {
	got := values(actions.Result{Conclusion: "neutral", Unverified: true, Summary: judged(nil)})
	for _, name := range []string{"passed", "reliability-passed", "efficiency-passed"} {
		assert.Equal(t, "false", got[name], "a step that deploys what passed must not take %s from them", name)
	}
}

func TestOneFailedCheckFailsItsGateWhicheverItIs(t *testing.T) {
	for _, name := range bench.CheckNames() {
		got, gate := values(actions.Result{Summary: judged(fails(name))}), "efficiency-passed"
		if name.OfReliability() {
			gate = "reliability-passed"
		}
		assert.Equal(t, "false", got[gate], name)
	}
}
