package bench

// SummarySchemaVersion is the version of the summary fields that are ours.
const SummarySchemaVersion = 1

// Summary is what a set of rows comes to: figures per mode, their differences
// and the gate (rules G1 to G16). Names and places of the fields that the
// original harness wrote are its own (rule G12).
type Summary struct {
	// GeneratedAt is RFC 3339 in UTC with milliseconds.
	GeneratedAt string               `json:"generatedAt"`
	Modes       map[Mode]ModeSummary `json:"modes"`
	// Profiling holds the modes that have rows with a timing breakdown.
	Profiling map[Mode]Profiling `json:"profiling"`
	// Delta compares candidate and baseline; nil unless both have rows.
	Delta *Delta `json:"deltaVsAgentDirect"`
	Gate  Gate   `json:"gateV2"`

	// The fields below are ours.

	SchemaVersion int `json:"schemaVersion"`
	// Simulated is true if any row is: no model was involved (rule G15).
	Simulated bool `json:"simulated"`
	// RunIDs are those of the rows, the earliest run first.
	RunIDs []string `json:"runIds"`
	// Scenarios has one entry per scenario, sorted by id.
	Scenarios []ScenarioSummary `json:"scenarios"`
	// Missing tells which planned cells have no row, by reason (rule R9).
	Missing []MissingCells `json:"missing"`
	// CostUSD is the cost of all attempts of all rows.
	CostUSD float64 `json:"costUsd"`
	// Warnings are doubts about the figures, as sentences.
	Warnings []string `json:"warnings"`
	// Regressions compares with the history (rule G14).
	Regressions []Regression `json:"regressions"`
	// LeftOut counts what the verdict does not look at, for whatever reason; what
	// has no row is in Missing.
	LeftOut []LeftOut `json:"leftOut,omitempty"`
	// ToolChanges are how the candidate's agents used tools otherwise than the
	// baseline's, the clearest change first, at most one for each tool.
	ToolChanges []UseChange `json:"toolChanges,omitempty"`
	// Surface is how what the candidate's tool shows agents differs from what the
	// baseline's does; nil where the two are not of one tool, or nobody has looked.
	Surface *SurfaceChange `json:"surface,omitempty"`
	// Versions are those of all that took part, as the rows state them: agent,
	// programs, harness, proxy, sandbox. Nil in summaries that are older.
	Versions Versions `json:"versions,omitempty"`
	// Evidence is nil unless the profile decides by it.
	Evidence *Evidence `json:"evidence,omitempty"`
}

// ModeSummary has a mode's figures over all its completed rows (rule G1).
// Rates are in percent, latencies in milliseconds.
type ModeSummary struct {
	Mode Mode `json:"mode"`
	// ModelSignature lists the distinct models of the rows, sorted and joined
	// with a comma.
	ModelSignature     string  `json:"modelSignature"`
	Runs               int     `json:"runs"`
	SuccessRate        float64 `json:"successRate"`
	OutputValidityRate float64 `json:"outputValidityRate"`
	RunnerFailureRate  float64 `json:"runnerFailureRate"`
	TimeoutStallRate   float64 `json:"timeoutStallRate"`
	RetryRate          float64 `json:"retryRate"`
	MedianLatencyMS    float64 `json:"medianLatencyMs"`
	MedianTokensTotal  float64 `json:"medianTokensTotal"`
	MedianTokensActive float64 `json:"medianTokensActive"`
	MedianToolCalls    float64 `json:"medianToolCalls"`
	P90LatencyMS       float64 `json:"p90LatencyMs"`
	P95LatencyMS       float64 `json:"p95LatencyMs"`
	IQRLatencyMS       float64 `json:"iqrLatencyMs"`
	CVLatency          float64 `json:"cvLatency"`
	P90TokensActive    float64 `json:"p90TokensActive"`
	P95TokensActive    float64 `json:"p95TokensActive"`
	MedianCostUSD      float64 `json:"medianCostUsd"`

	// The fields below are ours.

	// FootprintNotJudged counts the runs that ended in an answer and in which it
	// could not be judged what was changed (rule S12).
	FootprintNotJudged int `json:"footprintNotJudged,omitempty"`
	// RouteOKRate is of the runs in which the scenario names a route, or what
	// ghx alone reports; nil where none does (rule S13).
	RouteOKRate *float64 `json:"routeOkRate,omitempty"`
	// MeanReward is that of tasks of another system's benchmark, from 0 to 1, one
	// without a reward counting as 0; nil where no row is of one.
	MeanReward *float64 `json:"meanReward,omitempty"`
}

// Profiling has the medians of the timing breakdowns, in milliseconds.
type Profiling struct {
	RunsWithProfiling                        int     `json:"runsWithProfiling"`
	MedianAssistantTotalMS                   float64 `json:"medianAssistantTotalMs"`
	MedianAssistantReasoningMS               float64 `json:"medianAssistantReasoningMs"`
	MedianAssistantBetweenReasoningAndToolMS float64 `json:"medianAssistantBetweenReasoningAndToolMs"`
	MedianToolTotalMS                        float64 `json:"medianToolTotalMs"`
	MedianToolBashMS                         float64 `json:"medianToolBashMs"`
	MedianAssistantPostToolMS                float64 `json:"medianAssistantPostToolMs"`
}

// Interval is a 95 % confidence interval, lower bound first.
type Interval [2]float64

// Delta compares the candidate's pooled medians with the baseline's (G1).
// Reductions are in percent of the baseline, positive where the candidate
// needs less. The intervals are those of resampling rows within scenario and
// mode; they are zeros where the baseline's median is 0 in every resample.
type Delta struct {
	TokensReductionPct       float64  `json:"tokensReductionPct"`
	TokensActiveReductionPct float64  `json:"tokensActiveReductionPct"`
	LatencyReductionPct      float64  `json:"latencyReductionPct"`
	ToolCallReductionPct     float64  `json:"toolCallReductionPct"`
	SuccessRateDeltaPct      float64  `json:"successRateDeltaPct"`
	OutputValidityRatePct    float64  `json:"outputValidityRatePct"`
	CostReductionPct         float64  `json:"costReductionPct"`
	TokensActiveReductionCI  Interval `json:"tokensActiveReductionCI"`
	LatencyReductionCI       Interval `json:"latencyReductionCI"`
}

// GateProfile names a column of thresholds.
type GateProfile string

// The gate profiles (rule G7).
const (
	VerifyPR      GateProfile = "verify_pr"
	VerifyRelease GateProfile = "verify_release"
)

// The profiles that decide by evidence (rule G18).
const (
	// ProfileRegression asks whether the candidate is not worse.
	ProfileRegression GateProfile = "regression"
	// ProfileClaim asks whether it saves what is claimed.
	ProfileClaim GateProfile = "claim"
)

// GateProfiles lists the profiles.
func GateProfiles() []GateProfile {
	return []GateProfile{VerifyPR, VerifyRelease, ProfileRegression, ProfileClaim}
}

// ByEvidence reports whether the profile decides by evidence rather than by
// checks.
func (p GateProfile) ByEvidence() bool { return p == ProfileRegression || p == ProfileClaim }

// Verdict is what the gate says.
type Verdict string

const (
	// VerdictPass says that all checks pass, or that it is shown what the
	// profile asks for.
	VerdictPass Verdict = "pass"
	// VerdictFail says that a check fails, or that harm is shown.
	VerdictFail Verdict = "fail"
	// VerdictNone says that there is nothing to judge, because a mode or a part
	// of the plan is missing.
	VerdictNone Verdict = "none"
	// VerdictInconclusive says that there is something to judge, and that it is
	// too little, or too mixed, to tell (rule V6).
	VerdictInconclusive Verdict = "inconclusive"
)

// Gate is the dual gate's result (rules G3 to G7).
type Gate struct {
	Profile GateProfile `json:"profile"`
	// Passed is true if and only if Verdict is [VerdictPass].
	Passed bool `json:"passed"`
	// Reliability and Efficiency are nil without rows of both modes.
	Reliability *Reliability `json:"reliability"`
	Efficiency  *Efficiency  `json:"efficiency"`
	// Checks are those of [CheckRules] in their order, or none; a profile that
	// decides by evidence has none.
	Checks []Check `json:"checks"`

	// The fields below are ours.

	Verdict Verdict `json:"verdict"`
	// Reason is one sentence that says why the verdict is what it is.
	Reason    string `json:"reason"`
	Baseline  Mode   `json:"baseline"`
	Candidate Mode   `json:"candidate"`
	// Model is the "provider/model" whose thresholds were asked for.
	Model string `json:"model"`
	// ModelExpectations is true if that model has thresholds of its own, false
	// if the defaults were used (rule G8).
	ModelExpectations bool `json:"modelExpectations"`
}

// Reliability has the figures of the reliability gate, in percent and
// percentage points (rule G3).
type Reliability struct {
	SuccessRateDeltaPct   float64 `json:"successRateDeltaPct"`
	OutputValidityRatePct float64 `json:"outputValidityRatePct"`
	RunnerFailureRatePct  float64 `json:"runnerFailureRatePct"`
	TimeoutStallRatePct   float64 `json:"timeoutStallRatePct"`
	RetryRatePct          float64 `json:"retryRatePct"`
}

// Efficiency has the figures of the efficiency gate, over stable rows (G4).
type Efficiency struct {
	MinSamplesPerScenarioPerMode  int     `json:"minSamplesPerScenarioPerMode"`
	EligibleScenarioCount         int     `json:"eligibleScenarioCount"`
	TotalScenarioCount            int     `json:"totalScenarioCount"`
	CoveragePct                   float64 `json:"coveragePct"`
	TokensComparableScenarioCount int     `json:"tokensComparableScenarioCount"`
	TokensActiveReductionPct      float64 `json:"tokensActiveReductionPct"`
	// TokensTotalReductionPct is described beside that of active tokens, and nothing is
	// judged by it; nil where no scenario has one, and in older summaries.
	TokensTotalReductionPct        *float64 `json:"tokensTotalReductionPct,omitempty"`
	LatencyReductionPct            float64  `json:"latencyReductionPct"`
	ToolCallReductionPct           float64  `json:"toolCallReductionPct"`
	ScenarioWinRateTokensActivePct float64  `json:"scenarioWinRateTokensActivePct"`
}

// Operator relates a check's value to its threshold.
type Operator string

// The operators.
const (
	AtLeast Operator = ">="
	AtMost  Operator = "<="
)

// Check is what a check came to.
type Check struct {
	Name      CheckName `json:"name"`
	Passed    bool      `json:"passed"`
	Value     float64   `json:"value"`
	Threshold float64   `json:"threshold"`
	Operator  Operator  `json:"operator"`

	// The fields below are ours; they never change Passed (rule G13).

	// Interval is nil where the figure has none.
	Interval *Interval `json:"interval"`
	// Uncertain is true if the interval straddles the threshold.
	Uncertain bool `json:"uncertain"`
	// PValue and EffectSize (Cliff's delta, positive where the candidate
	// needs less) are nil except for the reductions.
	PValue     *float64 `json:"p_value"`
	EffectSize *float64 `json:"effect_size"`
	// Reason says in one sentence why the check failed or is in doubt; empty
	// where there is nothing to say.
	Reason string `json:"reason,omitempty"`
	// Warnings are doubts about this figure, as sentences.
	Warnings []string `json:"warnings,omitempty"`
}

// ScenarioSummary has one scenario's figures.
type ScenarioSummary struct {
	ID    string                       `json:"id"`
	Modes map[Mode]ScenarioModeSummary `json:"modes"`
	// Eligible is true if the scenario counts for efficiency (rule G4).
	Eligible bool `json:"eligible"`
	// The reductions are nil where the scenario is not eligible or the
	// baseline's median is 0; that of the cost also where the candidate's is.
	TokensActiveReductionPct *float64 `json:"tokensActiveReductionPct"`
	// TokensTotalReductionPct is nil in older summaries, too.
	TokensTotalReductionPct *float64 `json:"tokensTotalReductionPct,omitempty"`
	LatencyReductionPct     *float64 `json:"latencyReductionPct"`
	ToolCallReductionPct    *float64 `json:"toolCallReductionPct"`
	CostReductionPct        *float64 `json:"costReductionPct"`
}

// ScenarioModeSummary has one scenario's figures in one mode. The medians are
// over its stable rows, 0 without any.
type ScenarioModeSummary struct {
	Runs      int `json:"runs"`
	Successes int `json:"successes"`
	Stable    int `json:"stable"`
	// PassHatK[k-1] estimates the probability that k attempts in a row all
	// succeed, for k from 1 to Runs, at most 8 (tau-bench, arXiv:2406.12045).
	PassHatK []float64 `json:"passHatK"`
	// MeanReward is as that of [ModeSummary].
	MeanReward         *float64 `json:"meanReward,omitempty"`
	MedianTokensActive float64  `json:"medianTokensActive"`
	// MedianTokensTotal is nil in older summaries.
	MedianTokensTotal *float64 `json:"medianTokensTotal,omitempty"`
	MedianLatencyMS   float64  `json:"medianLatencyMs"`
	MedianToolCalls   float64  `json:"medianToolCalls"`
	MedianCostUSD     float64  `json:"medianCostUsd"`
	// Errors counts the rows with an error, by type.
	Errors map[ErrorType]int `json:"errors,omitempty"`
	// ExampleError is the message of the earliest row with an error, as plain text
	// and cut to 200 characters.
	ExampleError string `json:"exampleError,omitempty"`
	// UnallowedChanges are those of the earliest row that has any, as sentences in
	// plain text, each cut to 200 characters; at most [MaxUnallowedChanges].
	UnallowedChanges []string `json:"unallowedChanges,omitempty"`
}

// MaxUnallowedChanges is how many changes that were not allowed a summary tells
// of a scenario and mode.
const MaxUnallowedChanges = 5

// MissingReason is why a planned cell has no row.
type MissingReason string

// The reasons (rule R9).
const (
	MissingStopped  MissingReason = "stopped"
	MissingBudget   MissingReason = "budget"
	MissingNeverRan MissingReason = "never_ran"
)

// MissingCells are planned cells without a row.
type MissingCells struct {
	Reason MissingReason `json:"reason"`
	Cells  []Cell        `json:"cells"`
}
