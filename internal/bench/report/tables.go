package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// table is what all media show alike. Its texts are fit to show, see
// [oneLine], but not escaped for any medium. So many first columns are labels
// and so many last ones notes; figures are between them.
type table struct {
	title string
	// about says how to read the table; it may be empty.
	about         string
	head          []string
	rows          [][]cell
	labels, notes int
}

// cell is a text and whether it is good news.
type cell struct {
	Text string
	Tone tone
	// Link is the address of the page about it, empty for none.
	Link string
}

// tone is how a cell is coloured. The text says the same.
type tone string

const (
	neutral  tone = ""
	good     tone = "good"
	bad      tone = "bad"
	doubtful tone = "doubtful"
)

func plainCells(texts ...string) []cell {
	cells := make([]cell, len(texts))
	for i, text := range texts {
		cells[i].Text = text
	}
	return cells
}

// empty reports whether a table has nothing to show but labels.
func (t table) empty() bool { return len(t.rows) == 0 || len(t.head) == t.labels }

// checksTable has a line per check.
func checksTable(checks []bench.Check) table {
	t := table{head: []string{"Result", "Check", "Value", "Rule", "95% interval", "Notes"}, labels: 2, notes: 1}
	for _, c := range checks {
		t.rows = append(t.rows, plainCells(
			resultText(c), c.Name.Label(), c.ValueText(), c.RuleText(), c.IntervalText(), notesText(c),
		))
	}
	return t
}

func resultText(c bench.Check) string {
	if c.Passed {
		return "✅ pass"
	}
	return "❌ fail"
}

// notesText is evidence and note in one.
func notesText(c bench.Check) string {
	return strings.TrimSpace(bench.Sentence(c.EvidenceText()) + " " + noteOf(c))
}

// metric is a line in the table of modes.
type metric struct {
	label string
	of    func(bench.ModeSummary) string
	// change says how the candidate compares; nil where that is not computed.
	change func(bench.Delta) cell
	// missing reports whether there is nothing to compare; nil where change is.
	missing func(baseline, candidate bench.ModeSummary) bool
}

// ofNothing says that nothing is a share of a baseline's figure of 0.
func ofNothing(figure func(bench.ModeSummary) float64) func(baseline, candidate bench.ModeSummary) bool {
	return func(baseline, _ bench.ModeSummary) bool { return figure(baseline) == 0 }
}

// neverSucceeded says that two rates of 0 do not compare.
func neverSucceeded(baseline, candidate bench.ModeSummary) bool {
	return baseline.SuccessRate == 0 && candidate.SuccessRate == 0
}

func metrics() []metric {
	return []metric{
		{"Runs", func(m bench.ModeSummary) string { return bench.CountText(float64(m.Runs)) }, nil, nil},
		{"Success rate", func(m bench.ModeSummary) string { return bench.PercentText(m.SuccessRate) }, func(d bench.Delta) cell { return pointsCell(d.SuccessRateDeltaPct) }, neverSucceeded},
		{"Valid output", func(m bench.ModeSummary) string { return bench.PercentText(m.OutputValidityRate) }, nil, nil},
		{"Runner failures", func(m bench.ModeSummary) string { return bench.PercentText(m.RunnerFailureRate) }, nil, nil},
		{"Timeouts and stalls", func(m bench.ModeSummary) string { return bench.PercentText(m.TimeoutStallRate) }, nil, nil},
		{"Retries", func(m bench.ModeSummary) string { return bench.PercentText(m.RetryRate) }, nil, nil},
		{"Latency, median", func(m bench.ModeSummary) string { return bench.DurationText(m.MedianLatencyMS) }, func(d bench.Delta) cell { return withInterval(d.LatencyReductionPct, d.LatencyReductionCI) }, ofNothing(func(m bench.ModeSummary) float64 { return m.MedianLatencyMS })},
		{"Latency, p90", func(m bench.ModeSummary) string { return bench.DurationText(m.P90LatencyMS) }, nil, nil},
		{"Latency, p95", func(m bench.ModeSummary) string { return bench.DurationText(m.P95LatencyMS) }, nil, nil},
		{"Latency, IQR", func(m bench.ModeSummary) string { return bench.DurationText(m.IQRLatencyMS) }, nil, nil},
		{"Latency, CV", func(m bench.ModeSummary) string { return bench.PercentText(m.CVLatency) }, nil, nil},
		{"Active tokens, median", func(m bench.ModeSummary) string { return bench.CountText(m.MedianTokensActive) }, func(d bench.Delta) cell { return withInterval(d.TokensActiveReductionPct, d.TokensActiveReductionCI) }, ofNothing(func(m bench.ModeSummary) float64 { return m.MedianTokensActive })},
		{"Active tokens, p90", func(m bench.ModeSummary) string { return bench.CountText(m.P90TokensActive) }, nil, nil},
		{"Active tokens, p95", func(m bench.ModeSummary) string { return bench.CountText(m.P95TokensActive) }, nil, nil},
		{"All tokens, median", func(m bench.ModeSummary) string { return bench.CountText(m.MedianTokensTotal) }, func(d bench.Delta) cell { return lessOrMore(d.TokensReductionPct) }, ofNothing(func(m bench.ModeSummary) float64 { return m.MedianTokensTotal })},
		{"Tool calls, median", func(m bench.ModeSummary) string { return bench.CountText(m.MedianToolCalls) }, func(d bench.Delta) cell { return lessOrMore(d.ToolCallReductionPct) }, ofNothing(func(m bench.ModeSummary) float64 { return m.MedianToolCalls })},
		{"Cost in USD, median", func(m bench.ModeSummary) string { return bench.USDText(m.MedianCostUSD) }, func(d bench.Delta) cell { return lessOrMore(d.CostReductionPct) }, ofNothing(func(m bench.ModeSummary) float64 { return m.MedianCostUSD })},
	}
}

// routeMetric is a line for summaries in which a mode has a rate of it.
var routeMetric = metric{"Route as asked", func(m bench.ModeSummary) string {
	if m.RouteOKRate == nil {
		return bench.NoFigure
	}
	return bench.PercentText(*m.RouteOKRate)
}, nil, nil}

// withInterval adds the interval of a reduction, in the words of lessOrMore.
func withInterval(reduction float64, ci bench.Interval) cell {
	c := lessOrMore(reduction)
	if ci != (bench.Interval{}) {
		c.Text += " (" + rangeText(ci) + ")"
	}
	return c
}

// rangeText writes the interval of a reduction.
func rangeText(ci bench.Interval) string {
	if ci[0] > 0 {
		return bench.NumberText(ci[0], 1) + " to " + bench.PercentText(ci[1])
	}
	return lessOrMore(ci[0]).Text + " to " + lessOrMore(ci[1]).Text
}

// modesTable has a column per mode and, if the modes were compared, one for
// how the candidate compares with the baseline.
func modesTable(s bench.Summary) table {
	modes := bench.BaselineFirst(s.Modes, s.Gate.Baseline)
	var titles []string
	for _, mode := range modes {
		titles = append(titles, modeTitle(s, mode))
	}
	t := table{title: "Modes", head: append([]string{"Figure"}, titles...), labels: 1}
	compared := s.Delta != nil && s.NothingCompared() == ""
	if compared {
		t.head = append(t.head, "Candidate against baseline")
		t.about = pooledNotice(s)
	}
	lines := metrics()
	if slices.ContainsFunc(modes, func(mode bench.Mode) bool { return s.Modes[mode].RouteOKRate != nil }) {
		lines = append(lines, routeMetric)
	}
	if ofBenchmark(s) {
		const afterSuccess = 2
		lines = slices.Insert(lines, afterSuccess, rewardMetric)
	}
	for _, m := range lines {
		line := plainCells(m.label)
		for _, mode := range modes {
			line = append(line, cell{Text: m.of(s.Modes[mode])})
		}
		if compared {
			line = append(line, changeOf(s, m))
		}
		t.rows = append(t.rows, line)
	}
	return t.worded(s)
}

// pooledNotice says why a comparison of modes may say otherwise than what decides.
func pooledNotice(s bench.Summary) string {
	within := "a check compares within each scenario, and its p-value ranks runs there"
	if s.Evidence != nil {
		within = "the evidence compares pairs of sessions of one scenario"
	}
	return "Medians over the runs of all scenarios together; " + within + ", so their figures and intervals differ from these."
}

// changeOf is empty where there is no comparison, and [bench.NoFigure] where a
// figure to compare is missing.
func changeOf(s bench.Summary, m metric) cell {
	if m.change == nil {
		return cell{}
	}
	baseline, candidate := s.Modes[s.Gate.Baseline], s.Modes[s.Gate.Candidate]
	if m.of(baseline) == bench.NoFigure || m.of(candidate) == bench.NoFigure || m.missing(baseline, candidate) {
		return cell{Text: bench.NoFigure}
	}
	return m.change(*s.Delta)
}

func titlesOf(modes []bench.Mode) []string {
	var titles []string
	for _, mode := range modes {
		titles = append(titles, oneLine(string(mode)))
	}
	return titles
}

func modeTitle(s bench.Summary, mode bench.Mode) string {
	title := oneLine(string(mode))
	if role := roleOf(s, mode); role != "" {
		title += " (" + role + ")"
	}
	return title
}

// scenariosTable has a line per scenario: successes of all runs in each mode,
// and how the candidate compares with the baseline over stable runs.
func scenariosTable(s bench.Summary) table {
	modes := scenarioModes(s)
	t := table{
		title: "Scenarios", about: "Successes of all runs per mode; then the candidate against the baseline, medians over stable runs. pass^k is the estimated chance that k runs in a row succeed.",
		head: slices.Concat([]string{"Scenario"}, titlesOf(modes), []string{"Active tokens", "All tokens", "Latency", "Tool calls", "Cost"}), labels: 1,
	}
	for _, scenario := range s.Scenarios {
		line := plainCells(oneLine(scenario.ID))
		for _, mode := range modes {
			line = append(line, successCell(s, scenario, mode))
		}
		for _, reduction := range []*float64{
			scenario.TokensActiveReductionPct, scenario.TokensTotalReductionPct, scenario.LatencyReductionPct,
			scenario.ToolCallReductionPct, scenario.CostReductionPct,
		} {
			if s.NothingCompared() != "" {
				reduction = nil
			}
			line = append(line, reductionCell(reduction))
		}
		t.rows = append(t.rows, line)
	}
	return t.worded(s)
}

func scenarioModes(s bench.Summary) []bench.Mode {
	all := map[bench.Mode]bool{}
	for _, scenario := range s.Scenarios {
		for mode := range scenario.Modes {
			all[mode] = true
		}
	}
	return bench.BaselineFirst(all, s.Gate.Baseline)
}

// successCell has a mode's successes, which are bad news of a candidate whose share of
// them is less than the baseline's.
func successCell(s bench.Summary, scenario bench.ScenarioSummary, mode bench.Mode) cell {
	c := cell{Text: successText(scenario, mode)}
	b, m := scenario.Modes[s.Gate.Baseline], scenario.Modes[mode]
	if mode == s.Gate.Candidate && m.Successes*b.Runs < b.Successes*m.Runs {
		c.Tone = bad
	}
	return c
}

// successText writes successes of runs, and pass^k for the largest k where
// that says more.
func successText(scenario bench.ScenarioSummary, mode bench.Mode) string {
	m, ran := scenario.Modes[mode]
	if !ran || m.Runs == 0 {
		return bench.NoFigure
	}
	text := bench.CountText(float64(m.Successes)) + "/" + bench.CountText(float64(m.Runs))
	if k := len(m.PassHatK); k > 1 && m.Successes < m.Runs {
		const rateDecimals = 2
		text += ", pass^" + bench.CountText(float64(k)) + " " + bench.NumberText(m.PassHatK[k-1], rateDecimals)
	}
	return withReward(text, m)
}

// profilingTable has the medians of where time went, a column per mode.
func profilingTable(s bench.Summary) table {
	modes := bench.BaselineFirst(s.Profiling, s.Gate.Baseline)
	t := table{
		title: "Where the time went", about: "Medians over the runs whose times are known.",
		head: append([]string{"Time"}, titlesOf(modes)...), labels: 1,
	}
	for _, m := range []struct {
		label string
		of    func(bench.Profiling) string
	}{
		{"Runs with times", func(p bench.Profiling) string { return bench.CountText(float64(p.RunsWithProfiling)) }},
		{"Assistant, in all", func(p bench.Profiling) string { return bench.DurationText(p.MedianAssistantTotalMS) }},
		{"Assistant, reasoning", func(p bench.Profiling) string { return bench.DurationText(p.MedianAssistantReasoningMS) }},
		{"From reasoning to a tool", func(p bench.Profiling) string { return bench.DurationText(p.MedianAssistantBetweenReasoningAndToolMS) }},
		{"Tools, in all", func(p bench.Profiling) string { return bench.DurationText(p.MedianToolTotalMS) }},
		{"Tools, bash", func(p bench.Profiling) string { return bench.DurationText(p.MedianToolBashMS) }},
		{"Assistant, after tools", func(p bench.Profiling) string { return bench.DurationText(p.MedianAssistantPostToolMS) }},
	} {
		line := plainCells(m.label)
		for _, mode := range modes {
			line = append(line, cell{Text: m.of(s.Profiling[mode])})
		}
		t.rows = append(t.rows, line)
	}
	return t
}

// reliabilityFacts and efficiencyFacts are the two gates' figures, label and
// figure; nil without the figures.
func reliabilityFacts(g bench.Gate) [][2]string {
	r := g.Reliability
	if r == nil {
		return nil
	}
	var facts [][2]string
	for _, check := range bench.CheckRules() {
		switch {
		case check.Rate == nil:
		case check.Points:
			facts = append(facts, [2]string{check.Label, bench.PointsText(check.Rate(*r))})
		default:
			facts = append(facts, [2]string{check.Label, bench.PercentText(check.Rate(*r))})
		}
	}
	return facts
}

func efficiencyFacts(g bench.Gate) [][2]string {
	e := g.Efficiency
	if e == nil {
		return nil
	}
	return [][2]string{
		{"Scenarios compared", bench.CountText(float64(e.EligibleScenarioCount)) + " of " + bench.CountText(float64(e.TotalScenarioCount)) + " (" + bench.PercentText(e.CoveragePct) + ")"},
		{"Stable runs needed", bench.CountText(float64(e.MinSamplesPerScenarioPerMode)) + " per scenario and mode"},
		{"Active tokens", reductionText(g, bench.CheckTokensReduction, e.TokensActiveReductionPct)},
		{"All tokens", lessOrMoreText(e.TokensTotalReductionPct)},
		{"Latency", reductionText(g, bench.CheckLatencyReduction, e.LatencyReductionPct)},
		{"Tool calls", reductionText(g, bench.CheckToolCallReduction, e.ToolCallReductionPct)},
		{"Scenarios with fewer active tokens", winRateText(e)},
	}
}

// reductionText writes a reduction, [bench.NoFigure] where its check has none.
func reductionText(g bench.Gate, name bench.CheckName, reduction float64) string {
	for _, c := range g.Checks {
		if c.Name == name && !c.HasFigure() {
			return bench.NoFigure
		}
	}
	return lessOrMore(reduction).Text
}

func lessOrMoreText(reduction *float64) string {
	if reduction == nil {
		return bench.NoFigure
	}
	return lessOrMore(*reduction).Text
}

func winRateText(e *bench.Efficiency) string {
	if e.TokensComparableScenarioCount == 0 {
		return bench.NoFigure
	}
	return bench.PercentText(e.ScenarioWinRateTokensActivePct) + " of " + bench.CountText(float64(e.TokensComparableScenarioCount))
}

// contextFacts say what was compared; what is not known is left out.
func contextFacts(s bench.Summary) [][2]string {
	thresholds := "defaults, the model has none of its own"
	switch {
	case s.Gate.Profile == "", s.Gate.Profile == bench.ProfileRegression: // another benchmark has its own, and a regression margins
		thresholds = ""
	case s.Gate.ModelExpectations:
		thresholds = "the model's own"
	}
	cost := bench.USDText(s.CostUSD)
	if s.Simulated {
		cost += " (simulated)"
	}
	all := [][2]string{
		{"Profile", oneLine(string(s.Gate.Profile))},
		{"Candidate", oneLine(string(s.Gate.Candidate))},
		{"Baseline", oneLine(string(s.Gate.Baseline))},
		{"Model", oneLine(s.Gate.Model)},
		{"Thresholds", thresholds},
		{"Cost in USD", cost},
		{"Measured with", oneLine(s.Versions.Text())},
		{"Run", runsText(s.RunIDs)},
		{"Written", timeText(s.GeneratedAt)},
	}
	return slices.DeleteFunc(all, func(fact [2]string) bool { return fact[1] == "" })
}

// timeText writes a time to the minute, or as it is if it cannot be read.
func timeText(s string) string {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return oneLine(s)
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

func runsText(ids []string) string {
	const most = 3
	var listed []string
	for _, id := range ids[:min(most, len(ids))] {
		listed = append(listed, oneLine(id))
	}
	text := strings.Join(listed, ", ")
	if more := len(ids) - len(listed); more > 0 {
		text += " and " + plural(more, "other")
	}
	return text
}

// byGate splits the checks by gate.
func byGate(checks []bench.Check) (reliability, efficiency []bench.Check) {
	for _, c := range checks {
		if c.Name.OfReliability() {
			reliability = append(reliability, c)
		} else {
			efficiency = append(efficiency, c)
		}
	}
	return reliability, efficiency
}

func allPassed(checks []bench.Check) bool {
	return !slices.ContainsFunc(checks, func(c bench.Check) bool { return !c.Passed })
}

func passedOf(checks []bench.Check) string {
	passed := 0
	for _, c := range checks {
		if c.Passed {
			passed++
		}
	}
	return fmt.Sprintf("%d of %s passed", passed, plural(len(checks), "check"))
}
