package bench

import (
	"slices"
	"strings"
)

// CheckName names a check of the gate. It begins with the gate's name,
// "reliability_" or "efficiency_".
type CheckName string

// The checks (rule G6).
const (
	CheckSuccessRate       CheckName = "reliability_success_rate_non_inferior"
	CheckOutputValidity    CheckName = "reliability_output_validity"
	CheckRunnerFailureRate CheckName = "reliability_runner_failure_rate"
	CheckTimeoutStallRate  CheckName = "reliability_timeout_stall_rate"
	CheckRetryRate         CheckName = "reliability_retry_rate"
	CheckCoverage          CheckName = "efficiency_coverage"
	CheckTokensReduction   CheckName = "efficiency_tokens_active_reduction"
	CheckLatencyReduction  CheckName = "efficiency_latency_reduction"
	CheckToolCallReduction CheckName = "efficiency_tool_call_reduction"
	CheckCostReduction     CheckName = "efficiency_cost_reduction"
)

// CheckRule is all that is known of a check before there are rows. What computes
// its value is in package gate; all else that is about checks reads these.
type CheckRule struct {
	Name CheckName
	// Label names the check for people. What is behind a comma is left out where
	// there is little room.
	Label string
	// Judged says what has to be at least, or at most, the threshold.
	Judged string
	// Operator is how the value is compared with the threshold.
	Operator Operator
	// Points is true where the value is the candidate's less the baseline's, in
	// percentage points: other values are in percent. Drop is true where the
	// threshold is how far that may be below 0.
	Points, Drop bool
	// Reduction returns a scenario's reduction, nil where it has none. It is itself
	// nil unless the check is of a reduction, which may have no figure at all.
	Reduction func(ScenarioSummary) *float64
	// InEvery is true of a reduction without a figure unless every eligible scenario
	// has one (rule G5).
	InEvery bool
	// Rate returns the figure among those of the reliability gate; nil where it is
	// not among them.
	Rate func(Reliability) float64

	// Key is the threshold's name in expectations, KeyHelp says what it is.
	Key, KeyHelp string
	// usual are the thresholds of verify_pr and of verify_release for models that
	// have none of their own (rule G7), and threshold is where one is kept.
	usual     [2]float64
	threshold func(*Thresholds) *float64

	// Output is the action's output with the value, OutputHelp says what that is.
	Output, OutputHelp string
}

// Thresholds is one column of the gate (rules G7 and G8). All are in percent
// or percentage points but the number of samples.
type Thresholds struct {
	MinTokensActiveReductionPct  float64 `json:"minTokensActiveReductionPct"`
	MinLatencyReductionPct       float64 `json:"minLatencyReductionPct"`
	MinToolCallReductionPct      float64 `json:"minToolCallReductionPct"`
	MinEfficiencyCoveragePct     float64 `json:"minEfficiencyCoveragePct"`
	MaxSuccessRateDropPct        float64 `json:"maxSuccessRateDropPct"`
	MinOutputValidityRatePct     float64 `json:"minOutputValidityRatePct"`
	MaxRunnerFailureRatePct      float64 `json:"maxRunnerFailureRatePct"`
	MaxTimeoutStallRatePct       float64 `json:"maxTimeoutStallRatePct"`
	MaxRetryRatePct              float64 `json:"maxRetryRatePct"`
	MinSamplesPerScenarioPerMode int     `json:"minSamplesPerScenarioPerMode"`
	MinCostReductionPct          float64 `json:"minCostReductionPct"`
}

// checkRules has the checks in the order in which they are shown.
var checkRules = []CheckRule{
	{
		Name: CheckSuccessRate, Label: "Success rate, difference",
		Judged: "success rate not lower than the baseline's by more than the allowed drop", Operator: AtLeast, Points: true, Drop: true,
		Rate: func(r Reliability) float64 { return r.SuccessRateDeltaPct },
		Key:  "maxSuccessRateDropPct", KeyHelp: "Most that the candidate's success rate may be below the baseline's, in percentage points.",
		usual: [2]float64{3, 1}, threshold: func(t *Thresholds) *float64 { return &t.MaxSuccessRateDropPct },
		Output: "success-rate-delta-pct", OutputHelp: "The candidate's success rate less the baseline's, in percentage points.",
	},
	{
		Name: CheckOutputValidity, Label: "Valid output", Judged: "share of valid answers at least", Operator: AtLeast,
		Rate: func(r Reliability) float64 { return r.OutputValidityRatePct },
		Key:  "minOutputValidityRatePct", KeyHelp: "Least share of the candidate's runs with valid output, in percent.",
		usual: [2]float64{95, 96}, threshold: func(t *Thresholds) *float64 { return &t.MinOutputValidityRatePct },
		Output: "output-validity-pct", OutputHelp: "How many of the candidate's answers were valid, in percent.",
	},
	{
		Name: CheckRunnerFailureRate, Label: "Runner failures", Judged: "share of runner failures at most", Operator: AtMost,
		Rate: func(r Reliability) float64 { return r.RunnerFailureRatePct },
		Key:  "maxRunnerFailureRatePct", KeyHelp: "Most runner failures among the candidate's runs, in percent.",
		usual: [2]float64{7, 6}, threshold: func(t *Thresholds) *float64 { return &t.MaxRunnerFailureRatePct },
		Output: "runner-failure-pct", OutputHelp: "How many of its cells were runner failures, in percent.",
	},
	{
		Name: CheckTimeoutStallRate, Label: "Timeouts and stalls", Judged: "share of timeouts and stalls at most", Operator: AtMost,
		Rate: func(r Reliability) float64 { return r.TimeoutStallRatePct },
		Key:  "maxTimeoutStallRatePct", KeyHelp: "Most timeouts and stalls among the candidate's runs, in percent.",
		usual: [2]float64{4, 3}, threshold: func(t *Thresholds) *float64 { return &t.MaxTimeoutStallRatePct },
		Output: "timeout-stall-pct", OutputHelp: "How many of its cells timed out or stalled, in percent.",
	},
	{
		Name: CheckRetryRate, Label: "Retries", Judged: "share of rows tried more than once at most", Operator: AtMost,
		Rate: func(r Reliability) float64 { return r.RetryRatePct },
		Key:  "maxRetryRatePct", KeyHelp: "Most of the candidate's runs that needed a retry, in percent.",
		usual: [2]float64{20, 18}, threshold: func(t *Thresholds) *float64 { return &t.MaxRetryRatePct },
		Output: "retry-pct", OutputHelp: "How many of its cells needed a retry, in percent.",
	},
	{
		Name: CheckCoverage, Label: "Scenarios compared",
		Judged: "share of scenarios with enough stable rows in both modes at least", Operator: AtLeast,
		Key: "minEfficiencyCoveragePct", KeyHelp: "Least share of scenarios that count for efficiency, in percent.",
		usual: [2]float64{70, 75}, threshold: func(t *Thresholds) *float64 { return &t.MinEfficiencyCoveragePct },
		Output: "coverage-pct", OutputHelp: "How many of the scenarios count for efficiency, in percent.",
	},
	{
		Name: CheckTokensReduction, Label: "Active tokens, reduction", Judged: "median reduction of active tokens at least", Operator: AtLeast,
		Reduction: func(s ScenarioSummary) *float64 { return s.TokensActiveReductionPct },
		Key:       "minTokensActiveReductionPct", KeyHelp: leastReduction + "Of the tokens that were not read from a cache.",
		usual: [2]float64{10, 12}, threshold: func(t *Thresholds) *float64 { return &t.MinTokensActiveReductionPct },
		Output: "tokens-active-reduction-pct", OutputHelp: "How much fewer active tokens the candidate needs than the baseline, in percent: the median over scenarios.",
	},
	{
		Name: CheckLatencyReduction, Label: "Latency, reduction", Judged: "median reduction of latency at least", Operator: AtLeast,
		Reduction: func(s ScenarioSummary) *float64 { return s.LatencyReductionPct },
		Key:       "minLatencyReductionPct", KeyHelp: leastReduction + "Of the time from prompt to answer.",
		usual: [2]float64{10, 12}, threshold: func(t *Thresholds) *float64 { return &t.MinLatencyReductionPct },
		Output: "latency-reduction-pct", OutputHelp: "How much less time it needs, in percent: the median over scenarios.",
	},
	{
		Name: CheckToolCallReduction, Label: "Tool calls, reduction", Judged: "median reduction of tool calls at least", Operator: AtLeast,
		Reduction: func(s ScenarioSummary) *float64 { return s.ToolCallReductionPct },
		Key:       "minToolCallReductionPct", KeyHelp: leastReduction + "Of the number of tool calls.",
		usual: [2]float64{15, 18}, threshold: func(t *Thresholds) *float64 { return &t.MinToolCallReductionPct },
		Output: "tool-call-reduction-pct", OutputHelp: "How many fewer tool calls it makes, in percent: the median over scenarios.",
	},
	{
		Name: CheckCostReduction, Label: "Cost, reduction", Judged: "reduction of cost in **every** scenario at least", Operator: AtLeast,
		Reduction: func(s ScenarioSummary) *float64 { return s.CostReductionPct }, InEvery: true,
		Key: "minCostReductionPct", KeyHelp: leastReduction + "Of the cost, in every scenario.",
		usual: [2]float64{10, 15}, threshold: func(t *Thresholds) *float64 { return &t.MinCostReductionPct },
		Output: "cost-reduction-pct", OutputHelp: "How much less it costs, in percent: the lowest of the scenarios.",
	},
}

// leastReduction begins the help of the reductions' thresholds.
const leastReduction = "Least reduction against the baseline, in percent; negative to allow a rise. "

// CheckRules lists the checks of the gate in the order in which they are shown.
func CheckRules() []CheckRule { return slices.Clone(checkRules) }

// CheckNames lists the names of [CheckRules].
func CheckNames() []CheckName {
	names := make([]CheckName, len(checkRules))
	for i, r := range checkRules {
		names[i] = r.Name
	}
	return names
}

// Rule returns the check's rule. That of an unknown check, such as one of another
// benchmark, has its name for a label and nothing else.
func (n CheckName) Rule() CheckRule {
	for _, r := range checkRules {
		if r.Name == n {
			return r
		}
	}
	return CheckRule{Name: n, Label: string(n)}
}

// Label names the check for people; an unknown check keeps its name. A
// reduction is how much less the candidate needs.
func (n CheckName) Label() string { return n.Rule().Label }

// OfReliability reports whether the check belongs to the reliability gate
// rather than to the efficiency gate.
func (n CheckName) OfReliability() bool { return strings.HasPrefix(string(n), "reliability_") }

// OfReduction reports whether the check is of a reduction.
func (n CheckName) OfReduction() bool { return n.Rule().Reduction != nil }

// Threshold returns what the value is compared with.
func (r CheckRule) Threshold(t Thresholds) float64 {
	threshold := *r.threshold(&t)
	if r.Drop {
		return 0 - threshold // rather than its negative, which would show a threshold of "-0"
	}
	return threshold
}

// DefaultThresholds returns the thresholds of a profile for models that have
// none of their own (rule G7, the first two columns).
func DefaultThresholds(profile GateProfile) Thresholds {
	column, t := 0, Thresholds{MinSamplesPerScenarioPerMode: 3}
	if profile == VerifyRelease {
		column, t.MinSamplesPerScenarioPerMode = 1, 5
	}
	for _, r := range checkRules {
		*r.threshold(&t) = r.usual[column]
	}
	return t
}
