package comment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/markdown"
)

// How much of a text that is not ours is shown, in characters.
const (
	maxName     = 100
	maxSentence = 300
	maxReason   = 1200
	maxTitle    = 200
	shortCommit = 7
	maxProblem  = 600
	maxNotices  = 3
)

// headline is the verdict: a sign, a word or two, and what there is to add in
// half a line.
type headline struct{ icon, word, detail string }

// title writes it as plain text.
func (h headline) title() string {
	if h.detail == "" {
		return h.word
	}
	return h.word + ": " + h.detail
}

// headlineText is the headline as a title of a page, without markup.
func (r Run) headlineText() string {
	h := r.headline()
	return strings.TrimSpace(h.icon + " " + markdown.Clean(h.title(), maxTitle))
}

func (r Run) headline() headline {
	switch r.Phase {
	case Queued:
		return headline{"🕒", "QUEUED", ""}
	case Running:
		return headline{"⏳", "RUNNING", r.progressText()}
	case Stopped:
		return headline{"⏹️", "STOPPED", "no verdict"}
	case Broken:
		switch fault.KindOf(r.Problem) {
		case fault.Invalid:
			return headline{"✋", "NOT RUN", "something in the settings must be mended"}
		case fault.Tool:
			return headline{"❌", bench.VerdictFail.Word(), "the tool that is measured does not work"}
		default:
			return headline{"⚠️", "NO VERDICT", "infrastructure failure"}
		}
	case Skipped:
		return r.skipHeadline()
	default:
		return r.verdictHeadline()
	}
}

func (r Run) verdictHeadline() headline {
	s := r.Summary
	if s == nil {
		return headline{"⚪", bench.VerdictNone.Word(), "there is no result"}
	}
	if r.Unverified {
		return headline{"✋", bench.VerdictInconclusive.Word(), "unverified"}
	}
	if len(r.Contested) > 0 {
		return headline{"✋", bench.VerdictInconclusive.Word(), "the commit is another pull request's too"}
	}
	h := headline{map[bench.Verdict]string{bench.VerdictPass: "✅", bench.VerdictFail: "❌"}[s.Gate.Verdict], s.Gate.Verdict.Word(), r.checksDetail()}
	if s.Simulated {
		h.icon, h.word = "", h.word+" (simulated)"
	}
	h.icon = cmp.Or(h.icon, "⚪")
	return h
}

// checksDetail counts the checks that failed and names them, and counts those
// that passed in doubt; of a verdict by evidence it is the cause. It is empty without a
// verdict.
func (r Run) checksDetail() string {
	var failed []string
	doubts := 0
	for _, c := range r.checks() {
		switch {
		case !c.Passed && c.Uncertain:
			failed = append(failed, shortLabel(c.Name)+", in doubt")
		case !c.Passed:
			failed = append(failed, shortLabel(c.Name))
		case c.Uncertain:
			doubts++
		}
	}
	if nothing := r.Summary.NothingCompared(); nothing != "" {
		return markdown.Clean(nothing, maxSentence)
	}
	var detail string
	switch total := len(r.checks()); {
	case r.Summary.Evidence != nil:
		return markdown.Clean(r.Summary.Evidence.Cause.Text, maxSentence)
	case r.Summary.Gate.Verdict != bench.VerdictPass && r.Summary.Gate.Verdict != bench.VerdictFail:
		return ""
	case len(failed) == 0:
		detail = fmt.Sprintf("all %d checks passed", total)
	default:
		detail = fmt.Sprintf("%d of %d checks failed (%s)", len(failed), total, strings.Join(failed, "; "))
	}
	if doubts > 0 {
		detail += fmt.Sprintf(", %d passed in doubt", doubts)
	}
	return detail
}

// shortLabel is a check's label without what is measured of it.
func shortLabel(name bench.CheckName) string {
	label, _, _ := strings.Cut(markdown.Clean(name.Label(), maxName), ",")
	return strings.ToLower(label)
}

// checks are the gate's, as many as there are rules for; none where there was
// nothing to compare, which is one cause and not six failed checks (rule V11).
func (r Run) checks() []bench.Check {
	if r.Summary == nil || r.Summary.NothingCompared() != "" {
		return nil
	}
	checks := r.Summary.Gate.Checks
	return checks[:min(len(checks), len(bench.CheckNames()))]
}

// head is the first part of every page.
func (r Run) head() section {
	h := r.headline()
	var out strings.Builder
	e := r.evidence()
	if e != nil {
		fmt.Fprintf(&out, "%s\n\n", e.Comparison(func(name string) string { return markdown.Code(name, maxName) }))
	}
	fmt.Fprintf(&out, "## %s %s\n", h.icon, markdown.Text(h.title(), maxTitle))
	fmt.Fprintf(&out, "\n%s\n", strings.Join(r.facts(), " · "))
	paragraphs := []string{r.because(), r.gates(), r.caveats(), r.nextStep()}
	if e != nil {
		paragraphs = nil // they stand below the endpoints
	}
	for _, paragraph := range paragraphs {
		if paragraph != "" {
			fmt.Fprintf(&out, "\n%s\n", paragraph)
		}
	}
	return section{open: out.String()}
}

// facts say what was compared, and where.
func (r Run) facts() []string {
	facts := []string{strong(markdown.Text(r.Suite, maxName))}
	if s := r.Summary; s != nil {
		if s.Evidence == nil && s.Gate.Candidate != "" && s.Gate.Baseline != "" {
			facts = append(facts, mode(s.Gate.Candidate)+" against "+mode(s.Gate.Baseline))
		}
		facts = append(facts, markdown.Code(string(s.Gate.Profile), maxName), markdown.Code(s.Gate.Model, maxName))
	} else if r.Plan != nil && !r.showsPlan() {
		facts = append(facts, r.Plan.facts()...)
	}
	if r.Commit != "" {
		facts = append(facts, "commit "+r.commit(r.Commit, r.Links.Commit))
	}
	if r.Shards > 1 {
		facts = append(facts, "merged from "+counted(r.Shards, "shard"))
	}
	return slices.DeleteFunc(facts, func(fact string) bool { return fact == "" })
}

func strong(text string) string {
	if text == "" {
		return ""
	}
	return "**" + text + "**"
}

func mode(m bench.Mode) string { return markdown.Code(string(m), maxName) }

// commit writes the beginning of a commit's name.
func (r Run) commit(name, address string) string {
	name = markdown.Clean(name, maxName)
	short := markdown.Code(name[:min(len(name), shortCommit)], maxName)
	return cmp.Or(markdown.Link(short, address), short)
}

// unverified is why a verdict of such rows is none.
const unverified = "The figures below were made by code that the pull request controls, so they may be invented: nobody else has looked."

// because says why there is no verdict, where there is none.
func (r Run) because() string {
	switch r.Phase {
	case Queued:
		return r.waitingText()
	case Running:
		return ""
	case Stopped:
		return markdown.Text(bench.Sentence(cmp.Or(r.Reason, "The run was stopped")), maxSentence) + r.soFar()
	case Broken:
		return markdown.Text(bench.Sentence(fault.Public(r.Problem)), maxProblem) + r.soFar()
	case Skipped:
		return r.skipReason()
	default:
		if r.Unverified && r.Summary != nil {
			return unverified
		}
		if r.Summary != nil && len(r.Contested) > 0 {
			return fmt.Sprintf("This commit is the head of %s too, into another branch. A check is of a commit, and what was compared with the base of one pull request says nothing about the other.", r.others())
		}
		if s := r.Summary; s != nil && (s.Gate.Verdict != bench.VerdictPass && s.Gate.Verdict != bench.VerdictFail) {
			return markdown.Text(bench.Sentence(r.Summary.Gate.Reason), maxProblem)
		}
		return ""
	}
}

// others names the other pull requests of the commit.
func (r Run) others() string {
	var names []string
	for _, number := range r.Contested[:min(len(r.Contested), maxNotices)] {
		names = append(names, fmt.Sprintf("pull request %d", number))
	}
	return strings.Join(names, ", ")
}

// waitingText says what a queued run waits for.
func (r Run) waitingText() string {
	if r.Waiting == nil {
		return "Waiting for a place to run."
	}
	text := "Waiting for a place to run: it is next in line"
	if n := r.Waiting.Ahead; n > 0 {
		text = fmt.Sprintf("Waiting for a place to run: %s before it in line", beforeIt(n))
	}
	if begins := r.Waiting.Begins; !begins.IsZero() {
		text += ", and it begins at about " + begins.UTC().Format("15:04") + " UTC"
		if begins.Sub(r.At) >= 12*time.Hour {
			text += " on " + begins.UTC().Format("2 January")
		}
	}
	return text + "."
}

func beforeIt(n int) string {
	if n == 1 {
		return "one run is"
	}
	return bench.CountText(float64(n)) + " runs are"
}

// soFar says how far a run came that did not come to its end.
func (r Run) soFar() string {
	if r.Progress == nil {
		return ""
	}
	return " It had come to " + r.progressText() + "."
}

// progressText writes done cells, time and cost.
func (r Run) progressText() string {
	p := r.Progress
	if p == nil {
		return "getting ready"
	}
	noun := cmp.Or(p.Noun, "cell")
	text := counted(p.Done, noun)
	if p.Cells > 0 {
		text = fmt.Sprintf("%s of %s", bench.CountText(float64(p.Done)), counted(p.Cells, noun))
	}
	if p.Elapsed >= time.Second {
		text += ", " + duration(p.Elapsed)
	}
	if p.CostUSD > 0 {
		text += ", " + r.spent(p.CostUSD)
	}
	return text
}

func duration(d time.Duration) string {
	return bench.DurationText(float64(d.Round(time.Second).Milliseconds()))
}

// spent writes what a run has cost, and of one without a model that it is made
// up.
func (r Run) spent(amount float64) string {
	if r.Summary != nil && r.Summary.Simulated || r.Plan != nil && r.Plan.Simulated {
		return bench.USDAmount(amount) + " (simulated)"
	}
	return bench.USDAmount(amount)
}

// gates says of each of the two gates whether it passed.
func (r Run) gates() string {
	checks := r.checks()
	if len(checks) == 0 || r.Unverified || len(r.Contested) > 0 {
		return ""
	}
	if !slices.ContainsFunc(checks, ofTwoGates) {
		return passedText(checks) // of another benchmark
	}
	var reliability, efficiency []bench.Check
	for _, c := range checks {
		if c.Name.OfReliability() {
			reliability = append(reliability, c)
		} else {
			efficiency = append(efficiency, c)
		}
	}
	return "**Reliability** " + passedText(reliability) + " · **Efficiency** " + passedText(efficiency)
}

// ofTwoGates reports whether a check is one of the gates of reliability and efficiency.
func ofTwoGates(c bench.Check) bool { return slices.Contains(bench.CheckNames(), c.Name) }

func passedText(checks []bench.Check) string {
	passed := 0
	for _, c := range checks {
		if c.Passed {
			passed++
		}
	}
	icon := "✅"
	if passed < len(checks) {
		icon = "❌"
	}
	return fmt.Sprintf("%s %d of %s passed", icon, passed, counted(len(checks), "check"))
}
