package actions

import (
	"math"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Output declares an output of the action.
type Output struct {
	Name string
	// Help says what it is, in one or two sentences.
	Help string
	// value is empty where there is none.
	value func(Result) string
}

// Result is what outputs are made of. Whatever is not there is empty.
type Result struct {
	// Conclusion is the check run's.
	Conclusion string
	// Summary is nil where nothing was judged. Of rows that are not verified it is
	// no verdict.
	Summary    *bench.Summary
	Unverified bool
	RunID      string
	// The paths are relative to the workspace, so that they hold outside of
	// the container too.
	SummaryJSON, SummaryMD, ReportHTML, Rows string
	CheckRunURL, CommentURL                  string
}

// Outputs lists the outputs in the order of action.yml.
func Outputs() []Output {
	outputs := []Output{
		{"conclusion", "The conclusion of the check run: success, failure, neutral, action_required, skipped or cancelled.", func(r Result) string { return r.Conclusion }},
		{"passed", "true if all checks pass and a model was involved, else false.", Result.passed},
		{"reliability-passed", "true if all checks of reliability pass, else false.", passedOf("reliability_")},
		{"efficiency-passed", "true if all checks of efficiency pass, else false.", passedOf("efficiency_")},
	}
	outputs = append(outputs, ofChecks(bench.CheckName.OfReduction)...)
	outputs = append(outputs, ofChecks(func(n bench.CheckName) bool { return !n.OfReduction() })...)
	return append(outputs, []Output{
		{"cost-usd", "What all attempts cost, in USD.", Result.cost},
		{"simulated", "true if no model was involved, so that the verdict is for show.", Result.simulated},
		{"summary-json", "The path of the summary in JSON, in the workspace.", func(r Result) string { return r.SummaryJSON }},
		{"summary-md", "The path of the summary in Markdown, in the workspace.", func(r Result) string { return r.SummaryMD }},
		{"report-html", "The path of the report, a page in one file, in the workspace. It is for benchmark ghx, as are the reductions, rates and rows.", func(r Result) string { return r.ReportHTML }},
		{"rows", "The path of the folder with the run's ledgers, in the workspace.", func(r Result) string { return r.Rows }},
		{"run-id", "The id of the run.", func(r Result) string { return r.RunID }},
		{"check-run-url", "The page of the check run.", func(r Result) string { return r.CheckRunURL }},
		{"comment-url", "The page of the comment.", func(r Result) string { return r.CommentURL }},
	}...)
}

// ofChecks are the outputs with the values of some of the gate's checks.
func ofChecks(wanted func(bench.CheckName) bool) []Output {
	var outputs []Output
	for _, check := range bench.CheckRules() {
		if wanted(check.Name) {
			outputs = append(outputs, Output{check.Output, check.OutputHelp, valueOf(check)})
		}
	}
	return outputs
}

// Value is an output with its value.
type Value struct{ Name, Text string }

// Values returns all outputs in their order. One without a value is empty.
func Values(r Result) []Value {
	var values []Value
	for _, output := range Outputs() {
		values = append(values, Value{output.Name, output.value(r)})
	}
	return values
}

// passed holds a simulated verdict back, and one on rows that may be invented:
// they are for show, and what follows in a workflow takes it for one (rule G15).
func (r Result) passed() string {
	if r.Summary == nil {
		return ""
	}
	return strconv.FormatBool(r.Summary.Gate.Passed && !r.Summary.Simulated && !r.Unverified)
}

// cost is not known of benchmarks that have no profile: they run programs that
// do not tell it.
func (r Result) cost() string {
	if r.Summary == nil || r.Summary.Gate.Profile == "" {
		return ""
	}
	return number(r.Summary.CostUSD)
}

func (r Result) simulated() string {
	if r.Summary == nil {
		return ""
	}
	return strconv.FormatBool(r.Summary.Simulated)
}

// checks returns the gate's checks, none if nothing was judged.
func (r Result) checks() []bench.Check {
	if r.Summary == nil {
		return nil
	}
	return r.Summary.Gate.Checks
}

// passedOf says whether the checks of one gate pass.
func passedOf(gate string) func(Result) string {
	return func(r Result) string {
		some, all := false, true
		for _, check := range r.checks() {
			if strings.HasPrefix(string(check.Name), gate) {
				some, all = true, all && check.Passed
			}
		}
		if !some {
			return ""
		}
		return strconv.FormatBool(all && !r.Unverified)
	}
}

// valueOf returns a check's value. A check of a reduction says 0 where there is no
// figure: where no scenario has one or, for the cost, where one lacks it (rule G5).
func valueOf(rule bench.CheckRule) func(Result) string {
	return func(r Result) string {
		for _, check := range r.checks() {
			if check.Name == rule.Name && hasFigure(r.Summary.Scenarios, rule) {
				return number(check.Value)
			}
		}
		return ""
	}
}

func hasFigure(scenarios []bench.ScenarioSummary, rule bench.CheckRule) bool {
	if rule.Reduction == nil {
		return true
	}
	with := 0
	for _, s := range scenarios {
		switch {
		case rule.Reduction(s) != nil:
			with++
		case s.Eligible && rule.InEvery:
			return false
		}
	}
	return with > 0
}

// number writes a figure so that workflows can compute with it: digits, and
// no more of them than say something.
func number(f float64) string {
	const decimals = 6
	scale := math.Pow10(decimals)
	rounded := math.Round(f*scale) / scale
	if math.IsNaN(rounded) || math.IsInf(rounded, 0) {
		return ""
	}
	// Adding 0 makes a plain zero of a negative one.
	return strconv.FormatFloat(rounded+0, 'f', -1, 64)
}
