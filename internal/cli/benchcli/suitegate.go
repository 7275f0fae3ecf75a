package benchcli

import (
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/suite"
	"github.com/ghx-dev/bench-action/internal/bench"
)

// The checks, whose names are what people read.
const (
	CheckSuite bench.CheckName = "Regression suite, passed"
	CheckFull  bench.CheckName = "Full test, mean reward"
)

const (
	percent = 100
	// maxNamed is how many tasks a reason names.
	maxNamed = 10
)

// SuiteSummary returns what there is to publish of a verdict. It has the two checks
// that decide, in percent, and neither modes nor scenarios: there is nothing
// that is compared. model is the agent's. Whether a check has passed is for
// the verdict to say, which knows all digits.
func SuiteSummary(v suite.Verdict, model string) bench.Summary {
	gate := bench.Gate{
		Passed: v.Passed, Verdict: bench.VerdictFail, Reason: v.Reason, Model: model,
		Checks: []bench.Check{suiteCheck(v.Suite), fullCheck(v.Full)},
	}
	if v.Passed {
		gate.Verdict = bench.VerdictPass
	}
	return bench.Summary{
		GeneratedAt: v.Timestamp, SchemaVersion: bench.SummarySchemaVersion, Gate: gate, Warnings: warnings(v),
		Modes: map[bench.Mode]bench.ModeSummary{}, Profiling: map[bench.Mode]bench.Profiling{},
	}
}

func suiteCheck(s suite.SuiteStep) bench.Check {
	c := bench.Check{Name: CheckSuite, Passed: s.Passed, Value: percent * s.PassRate, Threshold: percent * s.Threshold, Operator: bench.AtLeast}
	if len(s.Results) == 0 {
		// Nothing that could have been lost was lost.
		c.Value = percent
	}
	if !s.Passed {
		c.Reason = fmt.Sprintf("%d of %d tasks passed. Not so: %s.", s.EvalsPassed, s.EvalsTotal, notPassed(s.Results))
	}
	return c
}

func fullCheck(f suite.FullStep) bench.Check {
	c := bench.Check{Name: CheckFull, Passed: f.Passed, Value: percent * f.ValScore, Operator: bench.AtLeast}
	if f.Best != nil {
		c.Threshold = percent * *f.Best
	}
	if !f.Passed {
		c.Reason = fmt.Sprintf("The best so far is %s, this is %s.", suite.FormatScore(*f.Best), suite.FormatScore(f.ValScore))
	}
	return c
}

// notPassed names tasks that did not pass.
func notPassed(results harness.Results) string {
	var names []string
	for _, id := range results.IDs() {
		if !results[id].Passed() {
			names = append(names, id)
		}
	}
	more := ""
	if len(names) > maxNamed {
		more = fmt.Sprintf(" and %d others", len(names)-maxNamed)
		names = names[:maxNamed]
	}
	return strings.Join(names, ", ") + more
}

// warnings tell of tasks without a reward.
func warnings(v suite.Verdict) []string {
	warnings := []string{}
	for _, status := range []harness.Status{harness.Timeout, harness.Infrastructure, harness.Missing} {
		if n := v.Full.Results.Count(status); n > 0 {
			warnings = append(warnings, fmt.Sprintf("The full test has no reward for %d of %d tasks (%s), and timeout_policy is %s", n, len(v.Full.Results), status, v.Policy))
		}
	}
	return warnings
}
