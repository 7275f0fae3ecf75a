package bench

// HistoryEntry is one line of .bench/history.jsonl: what a run came to.
type HistoryEntry struct {
	Timestamp  string               `json:"timestamp"`
	Commit     *string              `json:"commit"`
	Branch     *string              `json:"branch"`
	Profile    GateProfile          `json:"profile"`
	Modes      map[Mode]ModeSummary `json:"modes"`
	GatePassed bool                 `json:"gate_passed"`

	// The fields below are ours, optional on reading.

	SchemaVersion int    `json:"schema_version,omitempty"`
	RunID         string `json:"run_id,omitempty"`
	ScenarioSet   string `json:"scenario_set,omitempty"`
	Model         string `json:"model,omitempty"`
	// Cells and CostUSD tell what a cell costs, for estimates.
	Cells     int     `json:"cells,omitempty"`
	CostUSD   float64 `json:"cost_usd,omitempty"`
	Simulated bool    `json:"simulated,omitempty"`
	// Aside says that the run was not one of the default branch: it tells the
	// price, and nothing else is measured by it.
	Aside bool `json:"aside,omitempty"`
	// Tools are the versions of what took part, as rows state them, and
	// BaseCommit is that of mode [GHXBase], nil without it.
	Tools      map[string]string `json:"tools,omitempty"`
	BaseCommit *string           `json:"base_commit,omitempty"`
	// ModeFiles tells of the modes that are not a part of this program.
	ModeFiles map[Mode]ModeFact `json:"mode_files,omitempty"`
	// Scenarios are by id; nil where a run does not tell.
	Scenarios map[string]HistoryScenario `json:"scenarios,omitempty"`
	// Noise is how much sessions of one scenario vary, by mode.
	Noise map[Mode]HistoryNoise `json:"noise,omitempty"`
}

// HistorySchemaVersion is the version of the fields of a [HistoryEntry] that are
// ours.
const HistorySchemaVersion = 1

// HistoryScenario is what a run came to in a scenario.
type HistoryScenario struct {
	// Hash is that of the scenario's content, empty if it is not known.
	Hash  string                   `json:"hash,omitempty"`
	Modes map[Mode]HistorySessions `json:"modes"`
}

// HistorySessions are a scenario's sessions in one mode.
type HistorySessions struct {
	Runs      int `json:"runs"`
	Successes int `json:"successes"`
	// MedianLatencyMS is of the stable ones, 0 without any.
	MedianLatencyMS float64 `json:"median_latency_ms,omitempty"`
	// Outcomes has a + or a - per session that is not void, in the order of
	// their iterations: it succeeded, or not.
	Outcomes string `json:"outcomes,omitempty"`
}

// HistoryNoise is the standard deviation of the logarithms of sessions' cost and
// latency within a scenario, by the median distance from the scenario's median.
type HistoryNoise struct {
	// Sessions are those that it is of.
	Sessions   int     `json:"sessions"`
	CostLog    float64 `json:"cost_log"`
	LatencyLog float64 `json:"latency_log"`
}

// Regression is a figure that is worse than the history's (rule G14).
type Regression struct {
	// Metric is "median_latency_ms" or "success_rate_pct". Both are of a typical
	// scenario: the geometric mean of the scenarios' medians, and the mean of
	// their rates.
	Metric string `json:"metric"`
	Mode   Mode   `json:"mode"`
	// Current and RecentAverage are in the metric's unit.
	Current       float64 `json:"current"`
	RecentAverage float64 `json:"recentAverage"`
	// DeltaPct is the change in percent for latency, in percentage points for
	// the success rate; ThresholdPct is the largest that is no warning, by how
	// much the earlier runs differ. Both are signed: a drop of the success rate
	// is negative.
	DeltaPct     float64 `json:"deltaPct"`
	ThresholdPct float64 `json:"thresholdPct"`
	// Runs is how many earlier runs it is compared with, and Interval that of the
	// change, so wide that 19 runs of 20 without a change have no warning. Runs
	// that were reported by an older version have neither.
	Runs     int       `json:"runs,omitempty"`
	Interval *Interval `json:"interval,omitempty"`
}
