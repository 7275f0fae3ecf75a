package bench

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Compared says what a verdict by evidence is about (rule V14).
type Compared struct {
	Baseline  Side `json:"baseline"`
	Candidate Side `json:"candidate"`
	// Tasks counts the scenarios that have blocks.
	Tasks int `json:"tasks"`
}

// Side is one of the two that are compared.
type Side struct {
	Mode Mode `json:"mode"`
	// Commits are those of the tool in the side's rows, sorted; none where rows do
	// not say it, or where the mode has no tool of ours.
	Commits []string `json:"commits"`
	// Trees are the hashes of the tool's content, sorted; none where rows do not
	// say it.
	Trees []string `json:"trees,omitempty"`
}

// shortCommit is how many digits of a commit's name people read.
const shortCommit = 7

// text names the side and says what it is in the comparison.
func (s Side) text(name func(string) string, role string) string {
	text := name(string(s.Mode))
	if len(s.Commits) > 0 {
		text += " at " + name(s.Commits[0][:min(len(s.Commits[0]), shortCommit)])
	}
	if more := len(s.Commits) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if s.Mode.OfBase() {
		role += ", without the change"
	}
	return text + " (" + role + ")"
}

// Comparison says what was compared with what, on how much, without a full stop:
// "ghx at 0123456 (the candidate) against ghx@base at 89abcde (the baseline, without
// the change), on 12 tasks and 96 sessions". Names of modes and commits are written by
// name, which makes them fit for a medium.
func (e *Evidence) Comparison(name func(string) string) string {
	text := fmt.Sprintf("%s against %s, on %s and ", e.Compared.Candidate.text(name, "the candidate"), e.Compared.Baseline.text(name, "the baseline"), countOf(e.Compared.Tasks, "task"))
	if sessions := e.Baseline.Sessions + e.Candidate.Sessions; sessions > 0 {
		return text + countOf(sessions, "session")
	}
	return text + "no session that can be compared yet"
}

func countOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return CountText(float64(n)) + " " + noun + "s"
}

// NotRuledOut says how much worse the candidate may be for all that is known, as
// sentences under a label of a few words; both are empty where nothing was compared.
// Where harm is shown, it says within what limits the harm is.
func (e *Evidence) NotRuledOut() (label, text string) {
	if len(e.Endpoints) == 0 {
		return "", ""
	}
	var shown, open, unknown, untold []string
	for _, p := range e.Endpoints {
		switch least, worst, known := p.harm(); {
		case p.Untold:
			untold = append(untold, strings.ToLower(p.Label()))
		case !known:
			unknown = append(unknown, strings.ToLower(p.Label()))
		case e.Verdict == VerdictFail && p.Harm.Shown && least > 0:
			shown = append(shown, NumberText(least, decimalsOf(least))+" to "+p.harmText(worst))
		case worst > 0:
			open = append(open, p.harmText(worst))
		}
	}
	const confidence = ", with 95% confidence for each."
	label, text = "Not ruled out", "Nothing worse than the baseline"+confidence
	if len(open) > 0 {
		text = "Up to " + JoinWords(open) + confidence
	}
	if len(shown) > 0 {
		label = "How much worse"
		text = JoinWords(shown) + confidence + " That it stays below what is too much is not shown."
		if len(open) > 0 {
			text += " Up to " + JoinWords(open) + " is not ruled out."
		}
	}
	if len(unknown) > 0 {
		text += " Any change of " + strings.Join(unknown, " and ") + ": there are too few blocks for an interval."
	}
	if len(untold) > 0 {
		text += " Of " + strings.Join(untold, " and ") + " the benchmark tells nothing."
	}
	return label, text + e.unseen()
}

// harm is the interval as how much worse the candidate is, positive where that is worse
// than the baseline: the least, and the worst.
func (e Endpoint) harm() (least, worst float64, known bool) {
	switch {
	case e.Interval == nil || math.IsNaN(e.Interval[0]) || math.IsNaN(e.Interval[1]):
		return 0, 0, false
	case e.Name == EndpointSuccess:
		return -e.Interval[1], -e.Interval[0], true
	default:
		return e.Interval[0], e.Interval[1], true
	}
}

// harmText says how much worse: "30.9 points less success", "74.4% more cost".
func (e Endpoint) harmText(harm float64) string {
	if e.Name == EndpointSuccess {
		return NumberText(harm, decimalsOf(harm)) + " points less success"
	}
	return PercentText(harm) + " more " + e.noun()
}

// noun is the endpoint within a sentence.
func (t EndpointTests) noun() string {
	if t.Measure == MeasureTokens {
		return "total tokens (there is no price)"
	}
	return string(t.Name)
}

// unseen is the drop of success that would have gone unseen where it cannot be
// told whether there is one, as a further sentence.
func (e *Evidence) unseen() string {
	if e.Verdict != VerdictInconclusive {
		return ""
	}
	for _, p := range e.Endpoints {
		switch {
		case p.Name != EndpointSuccess || p.NotWorse.Shown || p.Harm.Shown:
		case p.Detectable == nil:
			return " No drop of success would have been seen."
		default:
			return " A drop of success under " + NumberText(math.Abs(*p.Detectable), decimalsOf(*p.Detectable)) + " points would most likely go unseen."
		}
	}
	return ""
}

// NextStep says what there is to do now, as sentences.
func (e *Evidence) NextStep() string {
	switch e.Verdict {
	case VerdictPass:
		if e.Cause.Kind == CauseWorseWithinMargin {
			return "Decide whether the change is worth what it costs. The verdict is final."
		}
		return "Nothing. The verdict is final."
	case VerdictFail:
		if worst := e.WorstScenario(); worst != "" {
			return "Begin with the scenario that is worst off, " + worst + ". " + OnlyAnotherCommit
		}
		return "Look at the sessions of the candidate. " + OnlyAnotherCommit
	default:
		return e.toTell()
	}
}

// OnlyAnotherCommit is what a FAIL by evidence leaves to do.
const OnlyAnotherCommit = "The verdict on this commit is final; the next commit gets one of its own."

// toTell says what it would take to tell.
func (e *Evidence) toTell() string {
	switch e.Cause.Kind {
	case CauseNoLook:
		return "Run the sessions that are missing."
	case CauseNothingSucceeded, CauseDeadBaseline:
		return "Look at a failed session of the baseline: the model, the fixtures or the tasks are at fault, not the change."
	case CauseVoid, CauseVoidsApart, CauseVoidsMatter:
		return "Run again when the model's provider answers as it should."
	case CauseNotSideBySide:
		return "Run both modes in one run."
	case CausePlanUnknown:
		return "Judge the folder of the run, in which its plan is."
	case CauseSetAfterwards:
		return "Judge by what was set before the first session."
	case CauseRowsMissing:
		return "Bring the row back. What is missing cannot be told from a failure."
	case CauseRowsChanged:
		return "Judge the rows as the run has written them."
	case CauseEarlierSequence:
		return "Change the tool: another commit has an error budget of its own."
	case CauseBudget:
		return "Go on with the run with a higher budget, or plan fewer repetitions with wider margins: bench plan tells what it takes."
	default: // neither harm nor its absence is shown
	}
	usedUp := "What was planned is used up: only more scenarios, or wider margins, would tell."
	if n := e.EnoughRepetitions; n > 0 {
		usedUp = fmt.Sprintf("What was planned is used up: a new run of about %d repetitions of every scenario would tell, as things look now, and so would more scenarios.", n)
	}
	switch f := e.Further; {
	case f == nil && e.Cause.Kind == CauseScenarioHarmed:
		return "Look at " + e.Cause.Scenario + ". " + usedUp
	case f == nil:
		return usedUp
	default:
		text := "Run about " + countOf(f.Sessions, "further session")
		if f.CostUSD != nil {
			text += fmt.Sprintf(" ($%.2f)", *f.CostUSD)
		}
		text += fmt.Sprintf(", up to %s of every scenario", countOf(f.Blocks, "repetition"))
		if !f.Enough {
			return text + "; even they may not tell."
		}
		return text + "."
	}
}

// WorstScenario is the one that is worst off in what the cause is about; empty
// if none is worse than the baseline.
func (e *Evidence) WorstScenario() (id string) {
	if len(e.Cause.Endpoints) == 0 || len(e.Scenarios) == 0 {
		return ""
	}
	if worst := e.WorstFirst()[0]; worst.harm(e.Cause.Endpoints[0]) > 0 {
		return worst.ID
	}
	return ""
}

// WorstFirst returns the scenarios in the order of how much worse they are in what the
// cause is about, endpoint by endpoint; of all three where it is about none.
func (e *Evidence) WorstFirst() []ScenarioEvidence {
	endpoints := e.Cause.Endpoints
	if len(endpoints) == 0 {
		endpoints = []EndpointName{EndpointSuccess, EndpointCost, EndpointLatency}
	}
	return slices.SortedStableFunc(slices.Values(e.Scenarios), func(a, b ScenarioEvidence) int {
		for _, endpoint := range endpoints {
			if order := cmp.Compare(b.harm(endpoint), a.harm(endpoint)); order != 0 {
				return order
			}
		}
		return 0
	})
}

// harm is how much worse the scenario is in an endpoint, positive where it is worse.
func (s ScenarioEvidence) harm(endpoint EndpointName) float64 {
	return map[EndpointName]float64{
		EndpointSuccess: -s.Success.Change, EndpointCost: s.Cost.Change, EndpointLatency: s.Latency.Change,
	}[endpoint]
}

// NothingCompared says in a sentence without its full stop why there is nothing to
// compare although both modes ran (rule V11): the baseline never succeeded, or
// there are too few blocks. It is empty where something was compared, and where a
// mode or a part of the plan is missing, which the gate's reason says.
func (s Summary) NothingCompared() string {
	if s.Evidence != nil {
		if len(s.Evidence.Endpoints) > 0 {
			return ""
		}
		return s.Evidence.Cause.Text
	}
	baseline, candidate := s.Modes[s.Gate.Baseline], s.Modes[s.Gate.Candidate]
	switch {
	case s.Gate.Verdict != VerdictFail || baseline.Runs == 0 || candidate.Runs == 0 || baseline.SuccessRate > 0:
		return ""
	case candidate.SuccessRate > 0:
		return DeadBaseline
	default:
		return NothingSucceeded
	}
}

// The causes of rule V11, without their full stops.
const (
	NothingSucceeded = "No session of either mode succeeded, so there is nothing to compare"
	DeadBaseline     = "No session of the baseline succeeded, so there is nothing to compare with"
)
