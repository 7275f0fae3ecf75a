package bench

// Evidence is what blocks of sessions show, and how surely (rules V1 to V14).
// Changes of success are in percentage points, positive where the candidate
// succeeds more often; other changes are in percent of the baseline, positive
// where the candidate needs more.
type Evidence struct {
	// Profile is [ProfileRegression] or [ProfileClaim].
	Profile  GateProfile `json:"profile"`
	Compared Compared    `json:"compared"`
	// Verdict is pass, fail or inconclusive, which people read as can't tell.
	Verdict Verdict `json:"verdict"`
	Cause   Cause   `json:"cause"`
	// Sentence is the cause with the figures that belong to it, without its full
	// stop.
	Sentence string `json:"sentence"`
	// Final is true if no further block can change the verdict.
	Final   bool    `json:"final"`
	Margins Margins `json:"margins"`
	// Schedule are the planned looks, by blocks of every scenario; Looks are
	// those that were reached, the last of which gave the verdict.
	Schedule []int  `json:"schedule"`
	Looks    []Look `json:"looks"`
	// Endpoints are success, cost and latency as of the last look; none where
	// nothing was compared.
	Endpoints []Endpoint `json:"endpoints"`
	// Described are changes that are told and not tested (rule V3).
	Described []Described        `json:"described"`
	Scenarios []ScenarioEvidence `json:"scenarios"`
	// Baseline and Candidate are what the sessions of the last look came to.
	Baseline  SessionTotals `json:"baseline"`
	Candidate SessionTotals `json:"candidate"`
	// BlocksNotJudged counts those that the last look does not see: what came
	// after the end of the sequence, or before a look was whole.
	BlocksNotJudged int `json:"blocksNotJudged"`
	// Further is what it would take to say more; nil where the verdict is final
	// or more blocks would not help.
	Further *Further `json:"further"`
	// EnoughRepetitions is about how many repetitions of every scenario a new plan
	// would take to tell where this one is used up; 0 where none would be enough, or
	// none would count.
	EnoughRepetitions int `json:"enoughRepetitions,omitempty"`
	// LeftOut counts and names the rows that are in no block, in one that is void, or
	// in one that the last look does not see.
	LeftOut []LeftOut `json:"leftOut"`
}

// Margins say what counts as not worse (rule V1).
type Margins struct {
	// SuccessDropPct is the drop of the success rate, in percentage points,
	// that is too much.
	SuccessDropPct float64 `json:"successDropPct"`
	// CostRatio and LatencyRatio are the candidate's figure over the baseline's
	// that is too much. A claim looks at the two minima instead.
	CostRatio    float64 `json:"costRatio"`
	LatencyRatio float64 `json:"latencyRatio"`
	// MinCostReductionPct and MinLatencyReductionPct are what is claimed to be
	// saved, in percent of the baseline. A regression does not look at them.
	MinCostReductionPct    float64 `json:"minCostReductionPct"`
	MinLatencyReductionPct float64 `json:"minLatencyReductionPct"`
}

// EndpointName names what is judged.
type EndpointName string

// The endpoints, in order (rule V2).
const (
	EndpointSuccess EndpointName = "success"
	EndpointCost    EndpointName = "cost"
	EndpointLatency EndpointName = "latency"
)

// Measure is what stands for an endpoint, or is described.
type Measure string

// The measures. Total tokens stand in for the cost where there is no price.
const (
	MeasureSuccess Measure = "success_rate"
	MeasureCost    Measure = "cost_usd"
	MeasureTokens  Measure = "tokens_total"
	MeasureActive  Measure = "tokens_active"
	MeasureLatency Measure = "latency_ms"
)

// Cause says why a verdict is what it is.
type Cause struct {
	Kind CauseKind `json:"kind"`
	// Endpoints are what the cause is about, if it is about some.
	Endpoints []EndpointName `json:"endpoints,omitempty"`
	// Scenario is the one that is worst off, if the cause is one.
	Scenario string `json:"scenario,omitempty"`
	// Text is one sentence without its full stop.
	Text string `json:"text"`
}

// CauseKind is what a verdict is due to.
type CauseKind string

// ComparedNothing reports whether the cause is that nothing was compared, which
// uses nothing of the error budget.
func (k CauseKind) ComparedNothing() bool {
	return k == CauseNothingSucceeded || k == CauseDeadBaseline || k == CauseVoid
}

// The causes of a PASS or a FAIL.
const (
	CauseNotWorse          CauseKind = "not_worse"
	CauseWorseWithinMargin CauseKind = "worse_within_margin"
	CauseHarm              CauseKind = "harm"
)

// The causes of not being able to tell.
const (
	// CauseNoLook is that not every scenario has enough blocks for a look.
	CauseNoLook CauseKind = "no_complete_look"
	// CauseNothingSucceeded and CauseDeadBaseline are that there is nothing to
	// compare with (rule V11).
	CauseNothingSucceeded CauseKind = "nothing_succeeded"
	CauseDeadBaseline     CauseKind = "dead_baseline"
	// CauseVoid is that too much is void; CauseVoidsApart that one mode has more
	// of it, and CauseVoidsMatter that it would be no PASS if voids were failures
	// (rule N10).
	CauseVoid        CauseKind = "void"
	CauseVoidsApart  CauseKind = "voids_apart"
	CauseVoidsMatter CauseKind = "voids_matter"
	// CauseNotSideBySide is that the modes do not overlap in time (rule V9).
	CauseNotSideBySide CauseKind = "not_side_by_side"
	// CauseNotShown is that neither harm nor its absence is shown, CauseBudget that it
	// is not and that there was no money for the looks that were left.
	CauseNotShown CauseKind = "not_shown"
	CauseBudget   CauseKind = "budget"
	// CausePlanUnknown, CauseSetAfterwards, CauseRowsMissing, CauseRowsChanged and
	// CauseEarlierSequence are that a PASS does not count: it is not known what
	// was planned, settings were chosen after the first session, a row was taken
	// away or changed, or another run has used the error budget (rule V7).
	CausePlanUnknown     CauseKind = "plan_unknown"
	CauseSetAfterwards   CauseKind = "set_afterwards"
	CauseRowsMissing     CauseKind = "rows_missing"
	CauseRowsChanged     CauseKind = "rows_changed"
	CauseEarlierSequence CauseKind = "earlier_sequence"
	// CauseScenarioHarmed is that all would be well but for some scenarios.
	CauseScenarioHarmed CauseKind = "scenario_harmed"
	// CauseSeparateRuns is that of figures without a verdict: two runs share no
	// blocks (rule V9).
	CauseSeparateRuns CauseKind = "separate_runs"
)

// Look is what was decided after that many blocks of every scenario.
type Look struct {
	Blocks  int     `json:"blocks"`
	Verdict Verdict `json:"verdict"`
	Cause   Cause   `json:"cause"`
	// Tests are those of the three endpoints.
	Tests []EndpointTests `json:"tests"`
	Voids Voids           `json:"voids"`
}

// EndpointTests are the tests of an endpoint at a look.
type EndpointTests struct {
	Name    EndpointName `json:"name"`
	Measure Measure      `json:"measure"`
	// Harm is that the candidate is worse; NotWorse that it is not worse than
	// the margin allows. Of a claim, harm is that it does not save what is
	// claimed, and not worse that it does.
	Harm     Test `json:"harm"`
	NotWorse Test `json:"notWorse"`
	// Untold says that no session of either has such a figure, as of a benchmark that
	// does not tell it: there is no change, and the tests show nothing.
	Untold bool `json:"untold,omitempty"`
}

// Test is a one-sided test.
type Test struct {
	Z     float64 `json:"z"`
	Bound float64 `json:"bound"`
	// Shown is true if z reaches the bound.
	Shown bool `json:"shown"`
}

// Voids tell how much of what a look saw is void (rule N10).
type Voids struct {
	// Blocks counts those that are void, on either side, and Of all.
	Blocks int `json:"blocks"`
	Of     int `json:"of"`
	// Baseline and Candidate count the void sessions of each mode.
	Baseline  int `json:"baseline"`
	Candidate int `json:"candidate"`
}

// Endpoint is what is known of success, cost or latency.
type Endpoint struct {
	EndpointTests
	Change float64 `json:"change"`
	// Interval is a repeated 95 % interval, which holds at whatever look the
	// sequence stops; nil where there are too few blocks for one.
	Interval *Interval `json:"interval"`
	// Margin is the change that is too much.
	Margin float64 `json:"margin"`
	// Detectable is the least change for the worse that this look shows in four
	// cases of five; nil where it would show none.
	Detectable *float64 `json:"detectable"`
}

// Described is a change that is told beside the endpoints, in percent of the
// baseline; nil where a mode has nothing.
type Described struct {
	Measure Measure `json:"measure"`
	// TypicalPct is the median change of a block. TotalPct is that of the sums,
	// in which a few sessions that run wild show.
	TypicalPct *float64 `json:"typicalPct"`
	TotalPct   *float64 `json:"totalPct"`
	// PerSolvedPct is that of the sums over the tasks that were solved.
	PerSolvedPct *float64 `json:"perSolvedPct"`
}

// ScenarioEvidence has the figures of one scenario.
type ScenarioEvidence struct {
	ID                 string `json:"id"`
	BaselineSuccesses  int    `json:"baselineSuccesses"`
	CandidateSuccesses int    `json:"candidateSuccesses"`
	Success            Figure `json:"success"`
	Cost               Figure `json:"cost"`
	Latency            Figure `json:"latency"`
	// Harmed names the endpoints on which the scenario withholds a PASS.
	Harmed []EndpointName `json:"harmed,omitempty"`
	// Without is the verdict if the scenario is left out (rule V12); empty where
	// it is the only one.
	Without Verdict `json:"without,omitempty"`
	// Blocks are those that the last look saw, in the order of their iterations, void
	// ones last. Nil in older summaries, and where the look saw more than
	// [MaxBlocksTold] in all.
	Blocks []BlockEvidence `json:"blocks,omitempty"`
}

// MaxBlocksTold is how many blocks are told one by one.
const MaxBlocksTold = 2000

// BlockEvidence is one iteration of a scenario in both modes.
type BlockEvidence struct {
	Iteration int             `json:"iteration"`
	Baseline  SessionEvidence `json:"baseline"`
	Candidate SessionEvidence `json:"candidate"`
}

// SessionEvidence is what one session came to, with all its attempts.
type SessionEvidence struct {
	Solved bool `json:"solved"`
	// Void is true if what failed was around the session (rule N10).
	Void bool `json:"void,omitempty"`
	// Cost is in the measure of the endpoint cost: USD, or tokens in total.
	Cost      float64 `json:"cost"`
	LatencyMS float64 `json:"latencyMs"`
}

// Figure is a change with its interval. The interval of few blocks may be much
// wider than a plot.
type Figure struct {
	Change   float64  `json:"change"`
	Interval Interval `json:"interval"`
	// Untold is that of [EndpointTests].
	Untold bool `json:"untold,omitempty"`
}

// SessionTotals are what sessions of a mode came to.
type SessionTotals struct {
	Sessions     int     `json:"sessions"`
	Solved       int     `json:"solved"`
	CostUSD      float64 `json:"costUsd"`
	LatencyMS    float64 `json:"latencyMs"`
	TokensActive float64 `json:"tokensActive"`
	TokensTotal  float64 `json:"tokensTotal"`
}

// Further is what it would take to say more.
type Further struct {
	// Sessions and CostUSD are what would still be run, up to Blocks of every
	// scenario. CostUSD is nil without a price.
	Sessions int      `json:"sessions"`
	CostUSD  *float64 `json:"costUsd"`
	Blocks   int      `json:"blocks"`
	// Enough is false if, as things look now, even the last look cannot tell.
	Enough bool `json:"enough"`
}
