package bench

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

// DefaultThresholds returns the thresholds of a profile for models that have
// none of their own (rule G7, the first two columns).
func DefaultThresholds(profile GateProfile) Thresholds {
	if profile == VerifyRelease {
		return Thresholds{
			MaxSuccessRateDropPct:        1,
			MinOutputValidityRatePct:     96,
			MaxRunnerFailureRatePct:      6,
			MaxTimeoutStallRatePct:       3,
			MaxRetryRatePct:              18,
			MinSamplesPerScenarioPerMode: 5,
			MinEfficiencyCoveragePct:     75,
			MinTokensActiveReductionPct:  12,
			MinLatencyReductionPct:       12,
			MinToolCallReductionPct:      18,
			MinCostReductionPct:          15,
		}
	}
	return Thresholds{
		MaxSuccessRateDropPct:        3,
		MinOutputValidityRatePct:     95,
		MaxRunnerFailureRatePct:      7,
		MaxTimeoutStallRatePct:       4,
		MaxRetryRatePct:              20,
		MinSamplesPerScenarioPerMode: 3,
		MinEfficiencyCoveragePct:     70,
		MinTokensActiveReductionPct:  10,
		MinLatencyReductionPct:       10,
		MinToolCallReductionPct:      15,
		MinCostReductionPct:          10,
	}
}
