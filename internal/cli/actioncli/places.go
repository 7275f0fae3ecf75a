package actioncli

import (
	"os"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// thresholdKeys are the keys of expectations that checks are held to.
func thresholdKeys() map[bench.CheckName]string {
	return map[bench.CheckName]string{
		bench.CheckSuccessRate: "maxSuccessRateDropPct", bench.CheckOutputValidity: "minOutputValidityRatePct",
		bench.CheckRunnerFailureRate: "maxRunnerFailureRatePct", bench.CheckTimeoutStallRate: "maxTimeoutStallRatePct",
		bench.CheckRetryRate: "maxRetryRatePct", bench.CheckCoverage: "minEfficiencyCoveragePct",
		bench.CheckTokensReduction: "minTokensActiveReductionPct", bench.CheckLatencyReduction: "minLatencyReductionPct",
		bench.CheckToolCallReduction: "minToolCallReductionPct", bench.CheckCostReduction: "minCostReductionPct",
	}
}

// places finds the lines of the expectations that a verdict was held to, so
// that a failed check is explained where its threshold stands.
func (a *action) places(model string) comment.Places {
	file := a.inputs.Expectations
	if file == "" {
		return comment.Places{}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return comment.Places{}
	}
	document, problems := jsondoc.Parse(file, text)
	if len(problems) > 0 {
		return comment.Places{Problem: &comment.Place{Path: file, Line: problems[0].Line}}
	}
	places := comment.Places{Thresholds: map[bench.CheckName]comment.Place{}}
	for check, key := range thresholdKeys() {
		path := []string{"expectations", model, string(a.inputs.Profile), key}
		if _, there := document.At(path...); there {
			line, _ := document.KeyPosition(path...)
			places.Thresholds[check] = comment.Place{Path: file, Line: line}
		}
	}
	return places
}
