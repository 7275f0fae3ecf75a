package comment

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/markdown"
)

// maxWorst is how many scenarios are told in words.
const maxWorst = 3

// badness of a scenario, compared field by field, the first one first.
type badness struct {
	// lost is the drop of the success rate, in percentage points.
	lost float64
	// failed is the share of the candidate's runs that failed, in percent.
	failed float64
	// unstable is true if the scenario has too few stable runs to count.
	unstable bool
	// least is the lowest of its reductions, in percent.
	least float64
}

func (r Run) badness(s bench.ScenarioSummary) badness {
	b, c := s.Modes[r.Summary.Gate.Baseline], s.Modes[r.Summary.Gate.Candidate]
	bad := badness{failed: 100 - successRate(c), unstable: !s.Eligible}
	bad.lost = max(0, successRate(b)-successRate(c))
	if known := reductions(s); len(known) > 0 {
		bad.least = slices.MinFunc(known, func(a, b reduction) int { return cmp.Compare(a.value, b.value) }).value
	}
	return bad
}

// successRate is in percent, 100 without runs: there is nothing to blame.
func successRate(m bench.ScenarioModeSummary) float64 {
	if m.Runs == 0 {
		return 100
	}
	return 100 * float64(m.Successes) / float64(m.Runs)
}

// isBad looks at no loss: what is lost has failed.
func (b badness) isBad() bool { return b.failed > 0 || b.unstable || b.least < 0 }

func (b badness) compare(other badness) int {
	unstable := map[bool]int{true: 1}
	return cmp.Or(
		cmp.Compare(other.lost, b.lost), cmp.Compare(other.failed, b.failed),
		cmp.Compare(unstable[other.unstable], unstable[b.unstable]), cmp.Compare(b.least, other.least),
	)
}

// reduction is one of a scenario's reductions, in percent.
type reduction struct {
	noun  string
	value float64
}

// reductions are those that are known.
func reductions(s bench.ScenarioSummary) []reduction {
	var known []reduction
	for _, r := range []struct {
		noun  string
		value *float64
	}{
		{"active tokens", s.TokensActiveReductionPct}, {"latency", s.LatencyReductionPct},
		{"tool calls", s.ToolCallReductionPct}, {"cost", s.CostReductionPct},
	} {
		if r.value != nil && isFinite(*r.value) {
			known = append(known, reduction{r.noun, *r.value})
		}
	}
	return known
}

// byBadness returns the scenarios, the worst first.
func (r Run) byBadness() []bench.ScenarioSummary {
	if r.Summary == nil {
		return nil
	}
	return slices.SortedStableFunc(slices.Values(r.Summary.Scenarios), func(a, b bench.ScenarioSummary) int {
		return r.badness(a).compare(r.badness(b))
	})
}

// worst are the scenarios that are worth a look, the worst first.
func (r Run) worst() []bench.ScenarioSummary {
	if len(r.checks()) == 0 {
		return nil
	}
	return slices.DeleteFunc(r.byBadness(), func(s bench.ScenarioSummary) bool { return !r.badness(s).isBad() })
}

// worstScenarios says of the worst scenarios what is bad.
func (r Run) worstScenarios() section {
	s := section{rank: rankWorst, title: "the worst scenarios", noun: "scenario"}
	worst := r.worst()
	for _, scenario := range worst[:min(maxWorst, len(worst))] {
		s.items = append(s.items, "- "+r.scenarioLink(scenario.ID)+": "+r.complaints(scenario, markdown.Code)+"\n")
	}
	return s.under("Worst scenarios")
}

// scenarioLink names a scenario, as a link to its sessions if there is such a page.
func (r Run) scenarioLink(id string) string {
	name := markdown.Code(id, maxName)
	if r.Links.Scenarios == "" {
		return name
	}
	return cmp.Or(markdown.Link(name, r.Links.Scenarios+url.PathEscape(id)), name)
}

// surface is what changed for agents, which no session was needed to find.
func (r Run) surface() section {
	s := section{rank: rankSurface, title: "what changed for agents", noun: "change"}
	change := r.Surface
	if r.Summary != nil && r.Summary.Surface != nil {
		change = r.Summary.Surface
	}
	if change == nil {
		return section{}
	}
	for _, sentence := range change.Sentences(func(name string) string { return markdown.Code(name, maxName) }) {
		s.add(func() string { return "- " + sentence + "\n" })
	}
	for _, note := range change.Notes {
		s.add(func() string { return "- not compared: " + markdown.Text(note, maxSentence) + "\n" })
	}
	return s.under("What agents see of " + markdown.Code(string(change.Candidate), maxName) + ", against " + markdown.Code(string(change.Baseline), maxName) + " (found without a model)")
}

// maxTools is how many tools are named that were used otherwise.
const maxTools = 3

// toolChanges lead to why the candidate did not pass.
func (r Run) toolChanges() section {
	s := section{rank: rankTools, title: "tools used otherwise", noun: "tool"}
	if r.Summary == nil || r.Summary.Gate.Verdict == bench.VerdictPass {
		return section{}
	}
	told := map[string]bool{}
	for _, c := range r.Summary.ToolChanges {
		if !told[c.Name] && len(told) < maxTools {
			told[c.Name] = true
			s.items = append(s.items, "- "+markdown.Code(c.Name, maxName)+": "+c.Text()+"\n")
		}
	}
	return s.under("Used otherwise than by the baseline (a lead, no proof)")
}

// quote writes a text that is not ours, cut to that many characters, for some
// medium.
type quote func(s string, most int) string

// complaints are what is bad about a scenario.
func (r Run) complaints(s bench.ScenarioSummary, quote quote) string {
	var all []string
	baseline, candidate := r.Summary.Gate.Baseline, r.Summary.Gate.Candidate
	b, c := s.Modes[baseline], s.Modes[candidate]
	if failed := r.failedText(s, quote); failed != "" {
		all = append(all, failed)
	}
	if !s.Eligible {
		all = append(all, fmt.Sprintf("too few stable runs to compare (%s: %d, %s: %d)",
			quote(string(baseline), maxName), b.Stable, quote(string(candidate), maxName), c.Stable))
	}
	var more []string
	for _, reduction := range reductions(s) {
		if reduction.value < 0 {
			more = append(more, bench.PercentText(-reduction.value)+" more "+reduction.noun)
		}
	}
	if len(more) > 0 {
		all = append(all, strings.Join(more, ", "))
	}
	return strings.Join(all, "; ") + "."
}

// failedText counts the candidate's failed runs of a scenario and says how they failed;
// it is empty if none did.
func (r Run) failedText(s bench.ScenarioSummary, quote quote) string {
	b, c := s.Modes[r.Summary.Gate.Baseline], s.Modes[r.Summary.Gate.Candidate]
	failed := c.Runs - c.Successes
	if failed <= 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %s failed", failed, counted(c.Runs, "run"))
	if b.Runs > 0 {
		text += fmt.Sprintf(" (%s: %d of %d)", quote(string(r.Summary.Gate.Baseline), maxName), b.Runs-b.Successes, b.Runs)
	}
	if errors := errorsText(c, quote); errors != "" {
		text += ", " + errors
	}
	return text
}

// errorsText counts a scenario's errors by type and quotes the first one.
func errorsText(m bench.ScenarioModeSummary, quote quote) string {
	const maxTypes = 4
	types := slices.SortedFunc(maps.Keys(m.Errors), func(a, b bench.ErrorType) int {
		return cmp.Or(cmp.Compare(m.Errors[b], m.Errors[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, t := range types[:min(maxTypes, len(types))] {
		parts = append(parts, fmt.Sprintf("%d × %s", m.Errors[t], quote(string(t), maxName)))
	}
	if example := quote(m.ExampleError, maxSentence); example != "" {
		parts = append(parts, "for example "+example)
	}
	return strings.Join(parts, ", ")
}

// scenariosTable is a line per scenario, the worst first.
func (r Run) scenariosTable(most int) section {
	s := section{rank: rankScenarios, title: "scenarios", noun: "scenario"}
	scenarios := r.byBadness()
	if len(scenarios) == 0 {
		return section{}
	}
	modes := scenarioModes(r.Summary)
	s.hidden = max(0, len(scenarios)-most)
	s.open = "| Scenario |" + heads(modes) + " Active tokens | All tokens | Latency | Tool calls | Cost |\n|:---|" + strings.Repeat("---:|", len(modes)+5) + "\n"
	for _, scenario := range scenarios[:len(scenarios)-s.hidden] {
		line := "| " + markdown.CodeCell(scenario.ID, maxName) + " |"
		for _, m := range modes {
			line += " " + successText(scenario.Modes[m]) + " |"
		}
		for _, reduction := range []*float64{
			scenario.TokensActiveReductionPct, scenario.TokensTotalReductionPct, scenario.LatencyReductionPct, scenario.ToolCallReductionPct, scenario.CostReductionPct,
		} {
			if r.Summary.NothingCompared() != "" {
				reduction = nil
			}
			line += " " + reductionText(reduction) + " |"
		}
		s.items = append(s.items, line+"\n")
	}
	return s.folded(fmt.Sprintf("Scenarios (%s), the worst first: successes, and what the candidate needs", bench.CountText(float64(len(scenarios)))))
}

// maxModes is how many columns a table has for modes.
const maxModes = 6

func scenarioModes(s *bench.Summary) []bench.Mode {
	all := map[bench.Mode]bool{}
	for _, scenario := range s.Scenarios {
		for m := range scenario.Modes {
			all[m] = true
		}
	}
	modes := bench.BaselineFirst(all, s.Gate.Baseline)
	return modes[:min(len(modes), maxModes)]
}

func heads(modes []bench.Mode) string {
	var out strings.Builder
	for _, m := range modes {
		out.WriteString(" " + markdown.CodeCell(string(m), maxName) + " |")
	}
	return out.String()
}

func successText(m bench.ScenarioModeSummary) string {
	if m.Runs == 0 {
		return bench.NoFigure
	}
	return fmt.Sprintf("%d/%d", m.Successes, m.Runs)
}

func reductionText(value *float64) string {
	if value == nil {
		return bench.NoFigure
	}
	return bench.ReductionText(*value)
}

// failures list every scenario and mode with errors.
func (r Run) failures(most int) section {
	s := section{rank: rankFailures, title: "failures", noun: "failure"}
	for _, scenario := range r.byBadness() {
		for _, m := range bench.BaselineFirst(scenario.Modes, r.Summary.Gate.Baseline) {
			figures := scenario.Modes[m]
			if len(figures.Errors) == 0 {
				continue
			}
			if len(s.items) == most {
				s.hidden++
				continue
			}
			s.items = append(s.items, fmt.Sprintf("- %s in %s: %s\n", markdown.Code(scenario.ID, maxName), mode(m), errorsText(figures, markdown.Code)))
		}
	}
	return s.folded(fmt.Sprintf("Failures by scenario and mode (%s)", bench.CountText(float64(len(s.items)+s.hidden))))
}
