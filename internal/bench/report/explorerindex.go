package report

import (
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// index is what an explorer's script knows of all attempts: enough to find one. Rows are
// columns of numbers, which mean places in the lists.
type index struct {
	Scenarios []indexScenario `json:"scenarios"`
	Modes     []string        `json:"modes"`
	// Roles are what modes are in the comparison, empty if nothing.
	Roles    []string       `json:"roles"`
	Outcomes []indexOutcome `json:"outcomes"`
	Classes  []string       `json:"classes"`
	Tools    []string       `json:"tools"`
	Marks    []string       `json:"marks"`
	Columns  [][2]string    `json:"columns"`
	Words    []string       `json:"words"`

	Scenario  []int `json:"scenario"`
	Mode      []int `json:"mode"`
	Iteration []int `json:"iteration"`
	Outcome   []int `json:"outcome"`
	Class     []int `json:"class"`
	// Mark is a set of bits, Tool those that were used.
	Mark []int   `json:"mark"`
	Tool [][]int `json:"tool"`
	// Part and At say where the attempt's page is; Part is −1 where the cell has no row.
	Part []int `json:"part"`
	At   []int `json:"at"`
	// Texts are the figures of each row in words, and why it failed.
	Texts [][]int `json:"texts"`

	places map[string]int
}

type indexScenario struct {
	ID string `json:"id"`
	// Worse says by a sort's name how much worse the candidate is, Text the same in words.
	Worse map[string]float64 `json:"worse,omitempty"`
	Text  map[string]string  `json:"text,omitempty"`
}

type indexOutcome struct {
	Word string `json:"word"`
	Sign string `json:"sign"`
	Tone string `json:"tone"`
}

// The outcomes, each with a sign of its own, so that colour is not all that tells them
// apart.
var indexOutcomes = []indexOutcome{
	{"passed", "✓", "good"}, {"failed", "✕", "bad"}, {"infrastructure", "!", "quiet"}, {notRun, "·", "none"},
}

const notRun = "not run"

// mark is something about a row that one may look for.
type mark struct {
	name, text string
	of         func(*bench.Row) bool
}

var marks = []mark{
	{"invalid", "output not valid", func(r *bench.Row) bool { return !r.OutputValid }},
	{"runner", "runner failure", func(r *bench.Row) bool { return r.Error.RunnerFailure() }},
	{"timeout", "timed out or stalled", func(r *bench.Row) bool { return r.TimeoutOrStall() }},
	{"retried", "tried more than once", func(r *bench.Row) bool { return r.ExternalRetryCount > 0 }},
	{"call", "a tool call failed", func(r *bench.Row) bool { return r.ToolErrors > 0 }},
	{"unallowed", "changed what it may not", func(r *bench.Row) bool {
		return slices.ContainsFunc(r.ChangeList(), func(c bench.Change) bool { return c.Unallowed != "" })
	}},
}

// The orders of scenarios, by what the candidate is worst in.
const (
	sortFailures = "failures"
	sortTokens   = "tokens"
	sortLatency  = "latency"
	sortCalls    = "calls"
	sortCost     = "cost"
)

func sortChoices() []choice {
	return []choice{{sortFailures, "most failures"}, {sortTokens, "more active tokens"}, {sortLatency, "more latency"}, {sortCalls, "more tool calls"}, {sortCost, "more cost"}}
}

func outcomeChoices() (all []choice) {
	for _, o := range indexOutcomes {
		all = append(all, choice{o.Word, o.Sign + " " + o.Word})
	}
	return all
}

func markChoices() (all []choice) {
	for _, m := range marks {
		all = append(all, choice{m.name, m.text})
	}
	return all
}

// attemptColumns are the heads of the table of attempts, and whether they are figures.
var attemptColumns = [][2]string{
	{"Why it failed", ""}, {"Active tokens", "figure"}, {"All tokens", "figure"}, {"Tool calls", "figure"}, {"Cost, USD", "figure"}, {"Duration", "figure"}, {"Attempts", "figure"},
}

// maxTools is how many names of tools, which agents may make up, the index has.
const maxTools = 1000

func (x *index) rows() int { return len(x.Scenario) }

// place returns where a name is in a list, which it is added to.
func (x *index) place(kind, name string, list *[]string) int {
	if x.places == nil {
		x.places, x.Classes = map[string]int{" class ": 0}, []string{""}
	}
	at, known := x.places[kind+name]
	if !known {
		at = len(*list)
		x.places[kind+name], *list = at, append(*list, name)
	}
	return at
}

func (x *index) cell(scenario string, mode bench.Mode, iteration int) {
	name := "scenario " + scenario
	x.place("mode ", string(mode), &x.Modes)
	at, known := x.places[name]
	if !known {
		at = len(x.Scenarios)
		x.places[name], x.Scenarios = at, append(x.Scenarios, indexScenario{ID: scenario})
	}
	x.Scenario, x.Mode, x.Iteration = append(x.Scenario, at), append(x.Mode, x.places["mode "+string(mode)]), append(x.Iteration, iteration)
}

// add notes a row, whose page is somewhere in a part.
func (x *index) add(row *bench.Row, a *Attempt, part, at int) {
	x.cell(row.ScenarioID, row.Mode, row.Iteration)
	outcome := slices.IndexFunc(indexOutcomes, func(o indexOutcome) bool { return o.Word == a.Word })
	class := ""
	if n := len(row.Attempts); n > 0 && row.Error != nil {
		class = string(row.Attempts[n-1].Class)
	}
	set := 0
	for i, m := range marks {
		if m.of(row) {
			set |= 1 << i
		}
	}
	tools := []int{}
	for _, use := range row.ToolUse {
		name := oneLine(use.Name)
		if _, known := x.places["tool "+name]; known || len(x.Tools) < maxTools {
			tools = append(tools, x.place("tool ", name, &x.Tools))
		}
	}
	line := NewAttemptLine(row)
	var texts []int
	for _, text := range []string{line.Why, line.Active, line.Total, line.Calls, line.Cost, line.Duration, line.Tries} {
		texts = append(texts, x.place("word ", text, &x.Words))
	}
	x.Outcome, x.Class, x.Mark = append(x.Outcome, outcome), append(x.Class, x.place("class ", class, &x.Classes)), append(x.Mark, set)
	x.Tool, x.Part, x.At, x.Texts = append(x.Tool, tools), append(x.Part, part), append(x.At, at), append(x.Texts, texts)
}

// finish adds what the summary knows: cells without a row, roles, and how the candidate
// compares in each scenario.
func (x *index) finish(s bench.Summary) {
	for _, part := range s.Missing {
		for _, cell := range part.Cells {
			x.cell(cell.ScenarioID, cell.Mode, cell.Iteration)
			x.Outcome, x.Class, x.Mark = append(x.Outcome, len(indexOutcomes)-1), append(x.Class, 0), append(x.Mark, 0)
			x.Tool, x.Part, x.At, x.Texts = append(x.Tool, []int{}), append(x.Part, -1), append(x.At, 0), append(x.Texts, []int{})
		}
	}
	x.Outcomes, x.Columns = indexOutcomes, attemptColumns
	for _, m := range marks {
		x.Marks = append(x.Marks, m.name)
	}
	for _, mode := range x.Modes {
		x.Roles = append(x.Roles, roleOf(s, bench.Mode(mode)))
	}
	for i := range s.Scenarios {
		if at, known := x.places["scenario "+s.Scenarios[i].ID]; known {
			x.Scenarios[at].compare(s, &s.Scenarios[i])
		}
	}
	if s.Evidence == nil {
		return
	}
	for _, e := range s.Evidence.Scenarios {
		if at, known := x.places["scenario "+e.ID]; known {
			x.Scenarios[at].worse(sortCost, e.Cost.Change, figureText(e.Cost, bench.ChangeText))
			x.Scenarios[at].worse(sortLatency, e.Latency.Change, figureText(e.Latency, bench.ChangeText))
		}
	}
}

func (i *indexScenario) worse(by string, much float64, text string) {
	if i.Worse == nil {
		i.Worse, i.Text = map[string]float64{}, map[string]string{}
	}
	if text != bench.NoFigure && !math.IsNaN(much) && !math.IsInf(much, 0) {
		i.Worse[by], i.Text[by] = much, text
	}
}

// compare says how the candidate is against the baseline.
func (i *indexScenario) compare(s bench.Summary, of *bench.ScenarioSummary) {
	candidate, baseline := of.Modes[s.Gate.Candidate], of.Modes[s.Gate.Baseline]
	var solved []string
	for _, mode := range bench.BaselineFirst(of.Modes, s.Gate.Baseline) {
		solved = append(solved, oneLine(string(mode))+" "+successText(*of, mode))
	}
	i.worse(sortFailures, rate(candidate)-rate(baseline), strings.Join(solved, "; "))
	if s.NothingCompared() != "" {
		return
	}
	for by, reduction := range map[string]*float64{
		sortTokens: of.TokensActiveReductionPct, sortLatency: of.LatencyReductionPct, sortCalls: of.ToolCallReductionPct, sortCost: of.CostReductionPct,
	} {
		if reduction != nil {
			i.worse(by, -*reduction, bench.ReductionText(*reduction))
		}
	}
}

// rate is the share of runs that failed.
func rate(m bench.ScenarioModeSummary) float64 {
	return float64(m.Runs-m.Successes) / float64(max(1, m.Runs))
}

func (x *index) names() []string {
	var all []string
	for _, s := range x.Scenarios {
		all = append(all, s.ID)
	}
	slices.Sort(all)
	return all
}

// checkQuery is what to look for where a check fails.
var checkQuery = map[bench.CheckName]url.Values{
	bench.CheckSuccessRate:       {"outcome": {"failed"}, "sort": {sortFailures}},
	bench.CheckOutputValidity:    {"mark": {"invalid"}, "sort": {sortFailures}},
	bench.CheckRunnerFailureRate: {"mark": {"runner"}, "sort": {sortFailures}},
	bench.CheckTimeoutStallRate:  {"mark": {"timeout"}, "sort": {sortFailures}},
	bench.CheckRetryRate:         {"mark": {"retried"}, "sort": {sortFailures}},
	bench.CheckCoverage:          {"sort": {sortFailures}},
	bench.CheckTokensReduction:   {"sort": {sortTokens}},
	bench.CheckLatencyReduction:  {"sort": {sortLatency}},
	bench.CheckToolCallReduction: {"sort": {sortCalls}},
	bench.CheckCostReduction:     {"sort": {sortCost}},
}

var endpointQuery = map[bench.EndpointName]url.Values{
	bench.EndpointSuccess: checkQuery[bench.CheckSuccessRate], bench.EndpointCost: {"sort": {sortCost}}, bench.EndpointLatency: {"sort": {sortLatency}},
}

// attemptsLink leads to the attempts that a query is about, those of the candidate where
// it says what happened.
func attemptsLink(query url.Values, candidate bench.Mode) string {
	if query = maps.Clone(query); query == nil {
		return "#attempts"
	}
	if query.Has("mark") || query.Has("outcome") {
		query.Set("mode", string(candidate))
	}
	return "#attempts?" + strings.ReplaceAll(query.Encode(), "+", "%20")
}

func scenarioLink(id string) string { return "#scenario/" + url.PathEscape(id) }

// link has the page's figures lead to the attempts that they are of.
func (p *page) link(s bench.Summary) {
	for i, c := range checksOf(s) {
		p.Checks[i].Link = attemptsLink(checkQuery[c.Name], s.Gate.Candidate)
	}
	for i := range p.Scenarios.Rows {
		p.Scenarios.Rows[i][0].Link = scenarioLink(s.Scenarios[i].ID)
	}
	if e := s.Evidence; e != nil {
		for i, endpoint := range e.Endpoints {
			p.Endpoints.Rows[i][1].Link = attemptsLink(endpointQuery[endpoint.Name], s.Gate.Candidate)
		}
		for i := range p.Evidence {
			if title := p.Evidence[i].Title; title != evidenceByScenario && title != taskWords.Replace(evidenceByScenario) {
				continue
			}
			for at := range p.Evidence[i].Rows {
				p.Evidence[i].Rows[at][0].Link = scenarioLink(e.Scenarios[at].ID)
			}
		}
	}
	for i := range p.Failures {
		p.Failures[i].Link = scenarioLink(p.Failures[i].id) + "?outcome=failed&mode=" + url.QueryEscape(p.Failures[i].Mode)
	}
}
