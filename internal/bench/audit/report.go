package audit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
)

// Result is what became of a mutant.
type Result string

// The results.
const (
	// Failed: it did not pass, as it should not.
	Failed Result = "failed"
	// Equal: it passed, and changed and answered the same as the right play: it
	// is not wrong.
	Equal Result = "equal"
	// Passed: it passed, and is not the same.
	Passed Result = "passed"
)

// Mutant is a wrong agent, and what became of it.
type Mutant struct {
	Scenario string     `json:"scenario"`
	Mode     bench.Mode `json:"mode"`
	// Play is the name of the right play that it was made of, empty for the
	// mode's usual one.
	Play string `json:"play,omitempty"`
	Kind Kind   `json:"kind"`
	// Name tells it from the others of its play; it is the same in every
	// variation. Words say what it does.
	Name   string `json:"name"`
	Words  string `json:"words"`
	Result Result `json:"result"`
	// Why says why it failed.
	Why string `json:"why,omitempty"`
	// Changes are the net ones of a mutant that passed; Mend says what would have
	// it fail.
	Changes []bench.Change `json:"changes,omitempty"`
	Mend    string         `json:"mend,omitempty"`
	// Accepted is the reason why it passes rightly, empty if there is none.
	Accepted string `json:"accepted,omitempty"`
	// place is where in the data it answers something else.
	place place
}

// Weak reports whether the mutant shows that its scenario is weak.
func (m Mutant) Weak() bool { return m.Result == Passed && m.Accepted == "" }

// Problem is why something could not be audited, or a list is not true.
type Problem struct {
	Scenario string     `json:"scenario"`
	Mode     bench.Mode `json:"mode,omitempty"`
	Play     string     `json:"play,omitempty"`
	Text     string     `json:"text"`
}

// String is the problem in one line.
func (p Problem) String() string {
	where := strings.TrimSpace(p.Scenario + " " + string(p.Mode))
	if p.Play != "" {
		where += "/" + p.Play
	}
	return where + ": " + p.Text
}

// Report is what an audit found.
type Report struct {
	// Plays counts the right plays, Tried the mutants.
	Plays int `json:"plays"`
	Tried int `json:"tried"`
	// Mutants are those that were tried, in the order of scenarios and plays.
	Mutants  []Mutant  `json:"mutants"`
	Problems []Problem `json:"problems"`
}

// Weak returns the mutants that pass and may not.
func (r Report) Weak() []Mutant {
	return slices.DeleteFunc(slices.Clone(r.Mutants), func(m Mutant) bool { return !m.Weak() })
}

// Count counts the mutants with a result.
func (r Report) Count(result Result) int {
	n := 0
	for _, m := range r.Mutants {
		if m.Result == result {
			n++
		}
	}
	return n
}

func (r *Report) problem(j job, text string) {
	r.Problems = append(r.Problems, Problem{j.scenario.ID, j.play.Mode, j.play.Name, text})
}

// forgive notes which answers are not wrong after all: another value of a field
// that the task does not ask for, and the lack of one whose value may be
// another: that is told of already.
func (r *Report) forgive(s bench.Scenario) {
	loose := map[string]bool{}
	for _, m := range r.Mutants {
		if place, other := strings.CutSuffix(m.Name, suffixOther); other && m.Kind == OtherAnswer && m.Result == Passed {
			loose[place+suffixLeftOut] = true
		}
	}
	for i := range r.Mutants {
		m := &r.Mutants[i]
		if m.Kind == OtherAnswer && m.Result == Passed && (loose[m.Name] || !asksFor(s, m.place)) {
			m.Result, m.Changes, m.Mend = Equal, nil, ""
		}
	}
}

// asksFor reports whether a scenario asks for the field of data that a place is
// in: requires it, or names it in its prompt in quotes, as prompts do.
func asksFor(s bench.Scenario, at place) bool {
	for _, step := range at {
		name, is := step.(string)
		if is && !slices.Contains(s.Assertions.RequiredDataFields, name) && !strings.Contains(s.PromptTemplate, strconv.Quote(name)) {
			return false
		}
	}
	return true
}

// mend says what would have a mutant fail.
func mend(m mutant, tried runner.Tried) string {
	s := tried.Scenario.Scenario
	switch m.kind {
	case MadeUp, OtherAnswer, OtherOutcome:
		return mendAnswer(m, s)
	case Unasked:
		return "have the input name what the task is about, bound to a resource of the fixtures"
	case OtherVariation:
		return "bind what the task is about to fixtures that vary, and check it with expected_data, a footprint or checkpoints"
	case LeaveOutAll, LeaveOut:
		return "add a checkpoint that fails without it"
	default:
		return mendWrites(tried)
	}
}

func mendWrites(tried runner.Tried) string {
	switch {
	case !tried.Judged && scenario.Mutates(tried.Scenario.Scenario):
		return "add a footprint that allows what the right plays change, and nothing else"
	case len(tried.Changes) == 0:
		return "add a checkpoint that fails where nothing was changed"
	default:
		var changes []string
		for _, c := range tried.Changes {
			changes = append(changes, c.String())
		}
		return fmt.Sprintf("have the footprint allow less, or add a checkpoint: it allows %s", strings.Join(changes, ", "))
	}
}

func mendAnswer(m mutant, s bench.Scenario) string {
	if s.Assertions.ExpectedData == nil {
		return "add expected_data, so that what is answered is compared with what GitHub says"
	}
	if m.kind != OtherAnswer {
		return "have expected_data compare every required field"
	}
	return fmt.Sprintf("have expected_data compare it, or leave it out of the play's answer if the prompt does not ask for it: expected_data compares %s", strings.Join(fieldsOf(s), ", "))
}
