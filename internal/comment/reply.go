package comment

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/markdown"
)

// Accepted answers a command that starts or changes a run: what will be run,
// on which commit, and what it is thought to cost. The sticky comment tells
// the rest.
func Accepted(name command.Name, r Run) string {
	what := map[command.Name]string{
		command.Run: "the benchmark runs", command.Retry: "what is missing is run", command.Cancel: "the run is being stopped",
		command.Approve: "this commit of a fork is measured; the next push ends the approval",
	}[name]
	var out strings.Builder
	fmt.Fprintf(&out, "👍 `/bench %s`: %s.\n", name, what)
	if r.Commit != "" {
		fmt.Fprintf(&out, "\nCommit %s, suite %s.\n", r.commit(r.Commit, r.Links.Commit), strong(markdown.Text(r.Suite, maxName)))
	}
	if r.Plan != nil && name != command.Cancel {
		fmt.Fprintf(&out, "\n%s", r.Plan.table())
	}
	for _, notice := range r.Notices[:min(len(r.Notices), maxNotices)] {
		fmt.Fprintf(&out, "\n%s\n", markdown.Text(notice, maxSentence))
	}
	if link := markdown.Link("Follow the run", r.Links.Job); link != "" {
		fmt.Fprintf(&out, "\n%s\n", link)
	}
	return out.String()
}

// Refusal is why a command is not carried out.
type Refusal string

// The refusals.
const (
	// NoPermission: the comment's author may not write to the repository.
	NoPermission Refusal = "no_permission"
	// UnknownCommit: the commit is not the pull request's head.
	UnknownCommit Refusal = "unknown_commit"
	// Outdated: somebody pushed after the comment was written.
	Outdated Refusal = "outdated"
	// NotApproved: the commit is a fork's and nobody approved it.
	NotApproved Refusal = "not_approved"
	// NothingToDo: there is no run to stop, or nothing is missing.
	NothingToDo Refusal = "nothing_to_do"
	// Closed: the pull request is closed.
	Closed Refusal = "closed"
	// OverBudget: the estimate is above what may be spent.
	OverBudget Refusal = "over_budget"
	// NotHere: the command exists, but not where it was given.
	NotHere Refusal = "not_here"
	// OtherBenchmark: the command has words for another benchmark.
	OtherBenchmark Refusal = "other_benchmark"
	// Answered: evidence has decided what is asked on that commit.
	Answered Refusal = "answered"
	// NoForks: the settings have no commits of forks measured.
	NoForks Refusal = "no_forks"
	// OwnBranch: there is nothing to approve, since the commit is not a fork's.
	OwnBranch Refusal = "own_branch"
	// KeyToFork: what would be run of a fork gets the model's key.
	KeyToFork Refusal = "key_to_fork"
)

// refusals are the reason and the mend.
var refusals = map[Refusal]string{
	NoPermission:   needs("write"),
	UnknownCommit:  "that commit is not the head of this pull request. Copy the name of the newest commit that you read.",
	Outdated:       "there was a push after your comment, so it is not clear which commit you mean. Look at the new one and comment again.",
	NotApproved:    "the commit comes from a fork, and nobody has approved it. Read it, then comment `/bench approve` and its 40 digits.",
	NothingToDo:    "there is nothing to do: no run is going on, or nothing is missing.",
	Closed:         "the pull request is closed. Open it again to measure it.",
	OverBudget:     "it is thought to cost more than may be spent. Name fewer scenarios or repetitions, or raise the budget in the settings.",
	NotHere:        "that command is for the App, which is not installed here.",
	OtherBenchmark: "what follows it is for the benchmark ghx, and another one is run here. Comment `/bench run` alone.",
	Answered:       "evidence has decided that on this commit, and its verdict stands: asked again until it passes, anything would. `/bench status` shows it; push a change to have it measured.",
	OwnBranch:      "the commit is on a branch of this repository, where those who push may write. Comment `/bench run`.",
	KeyToFork:      "the benchmark that is run here gives the model's key to the code that it measures, so no commit of a fork is measured. Read it, and push it to a branch of this repository.",
	NoForks:        "the commit comes from a fork, and the settings say `forks: never`. Change them on the base branch, or push the commit to this repository.",
}

func needs(permission string) string {
	return "it needs " + permission + " permission to this repository. Ask somebody who has it."
}

// Refused answers a command that is not carried out: why, and how to mend it.
func Refused(name command.Name, why Refusal) string {
	reason, known := refusals[why]
	if !known {
		reason = markdown.Text(bench.Sentence(string(why)), maxSentence)
	}
	return notDone(name, reason)
}

// notDone answers a command that is not carried out. The reason is Markdown.
func notDone(name command.Name, reason string) string {
	return fmt.Sprintf("👎 `/bench %s`: %s\n", name, reason)
}

// Unpermitted is the answer [NoPermission] where the settings ask for a
// permission: write, maintain or admin.
func Unpermitted(name command.Name, permission string) string {
	return notDone(name, needs(markdown.Text(permission, maxName)))
}

// RefusalMark is hidden in the answer to somebody whose commands lead to nothing, of
// which there is one on a pull request: see [ForOne].
func RefusalMark(login string) string {
	return "<!-- bench-refused " + notInLogins.ReplaceAllString(login, "") + " -->"
}

// ForOne is an answer to somebody whose commands lead to nothing: further ones of that
// kind change it, so that nobody can fill a conversation with our answers.
func ForOne(login, body string) string {
	return body + "\n<sub>This is the answer to all commands of " + markdown.Code(login, maxName) + " here that change nothing.</sub>\n"
}

var notInLogins = regexp.MustCompile(`[^A-Za-z0-9_\[\]-]`)

// Unaffordable is the answer [OverBudget] with its reason, such as [TooDear]'s.
func Unaffordable(name command.Name, reason string) string {
	return notDone(name, markdown.Text(bench.Sentence(reason), maxSentence))
}

// WithoutSettings answers where the settings file is not on the base branch.
func WithoutSettings(name command.Name, path, branch string) string {
	return notDone(name, fmt.Sprintf("there is no %s on the base branch %s, so it is not known what to run. A file with one line is enough: `model: openai/gpt-5.3-codex`.",
		markdown.Code(path, maxName), markdown.Code(branch, maxName)))
}

// WithBrokenSettings answers where the settings cannot be used. Of the problem,
// what [fault.Public] returns is shown, each of its lines as one.
func WithBrokenSettings(name command.Name, problem error) string {
	return notDone(name, "the settings on the base branch cannot be used. Mend them there:\n\n"+listed(problem))
}

// WithBrokenInputs answers where the inputs of the workflow cannot be used.
func WithBrokenInputs(name command.Name, problem error) string {
	return notDone(name, "the inputs of the workflow on the default branch cannot be used. Mend them there:\n\n"+listed(problem))
}

// listed lists the lines of a problem.
func listed(problem error) string {
	var list strings.Builder
	for line := range strings.Lines(fault.Public(problem)) {
		if text := markdown.Text(strings.TrimSpace(line), maxSentence); text != "" {
			list.WriteString("- " + text + "\n")
		}
	}
	return strings.TrimSuffix(list.String(), "\n")
}

// Failed answers a command that could not be carried out, however often that
// was tried. Of the problem, what [fault.Public] returns is shown; the delivery
// is what the log of the App calls it.
func Failed(name command.Name, problem error, delivery string) string {
	return notDone(name, fmt.Sprintf("it could not be carried out (%s): comment it again, and if that fails too, look for the delivery %s in the log of the App.",
		markdown.Text(strings.TrimSuffix(fault.Public(problem), "."), maxSentence), markdown.Code(delivery, maxName)))
}

// Mistaken answers a comment for which [command.Parse] or [command.Command.Check]
// returned an error, and lists the commands that there are, all if none is
// given.
func Mistaken(err error, only ...command.Name) string {
	return "👎 " + fault.Public(err) + "\n\n<details><summary>Commands</summary>\n\n" + command.HelpText(only...) + "\n</details>\n"
}

// Helped answers "/bench help".
func Helped(only ...command.Name) string { return "## Commands\n\n" + command.HelpText(only...) }

// StatusReply answers "/bench status": how far the run is, or what the last
// one came to. It has no marker.
func StatusReply(r Run) string {
	sections := []section{r.head(), r.notices(), r.progressBar(), r.planBefore(), r.changes(), r.foot()}
	return fit(sections, MaxComment, r.reportLink())
}

// StandingReply answers "/bench status" where no more is known of the last run than its
// comment says, nil if there is none. Head is the pull request's head commit now.
func StandingReply(suite string, last *Marker, head string) string {
	if last == nil {
		return fmt.Sprintf("There is no run of %s on this pull request yet: comment `/bench run`.\n", strong(markdown.Text(suite, maxName)))
	}
	var out strings.Builder
	fmt.Fprintf(&out, "## %s\n\n", markdown.Text(cmp.Or(last.Headline, conclusionWords[last.Conclusion]), maxTitle))
	fmt.Fprintf(&out, "%s · commit %s · %s\n", strong(markdown.Text(last.Suite, maxName)), Run{}.commit(last.Commit, ""), last.Time.UTC().Format("2006-01-02 15:04 UTC"))
	if last.Commit != head {
		fmt.Fprintf(&out, "\nThat is of an earlier commit. The head is %s now, and has no verdict yet.\n", Run{}.commit(head, ""))
	}
	out.WriteString("\nThe comment about the run, further up, has the figures.\n")
	return out.String()
}

// Explained answers "/bench explain": every figure of a scenario, and its first
// error in each mode. Of a cell, its mode alone is shown.
func Explained(r Run, cell bench.Cell) string {
	id := markdown.Code(cell.ScenarioID, maxName)
	for _, s := range r.byBadness() {
		if s.ID == cell.ScenarioID {
			return fit([]section{r.notices(), r.explanation(s, cell.Mode), r.foot()}, MaxComment, r.reportLink())
		}
	}
	if r.Summary == nil {
		return r.unexplained()
	}
	return fmt.Sprintf("👎 The last run has no scenario %s.\n", id)
}

// unexplained answers "/bench explain" as long as nothing was judged.
func (r Run) unexplained() string {
	why, mend := "the last run ended before anything was judged.", "`/bench status` says why."
	switch r.Phase {
	case Queued:
		why, mend = "the last run has not begun.", "Ask again when it has ended."
	case Running:
		why, mend = "the last run goes on ("+r.progressText()+").", "Ask again when it has ended."
	default:
	}
	if link := markdown.Link("Look at the run", cmp.Or(r.Links.Job, r.Links.Check)); link != "" {
		mend += " " + link + "."
	}
	return notDone(command.Explain, why+" "+mend)
}

func (r Run) explanation(s bench.ScenarioSummary, only bench.Mode) section {
	var out strings.Builder
	fmt.Fprintf(&out, "## %s\n\n| Mode | Successes | Stable | Active tokens | All tokens | Latency | Tool calls | Cost in USD |\n|:---|---:|---:|---:|---:|---:|---:|---:|\n", markdown.Code(s.ID, maxName))
	errors := ""
	for _, m := range r.explained(s, only) {
		f := s.Modes[m]
		fmt.Fprintf(&out, "| %s | %s | %d | %s | %s | %s | %s | %s |\n", markdown.CodeCell(string(m), maxName), successText(f), f.Stable,
			bench.CountText(f.MedianTokensActive), countText(f.MedianTokensTotal), bench.DurationText(f.MedianLatencyMS), bench.CountText(f.MedianToolCalls), bench.USDText(f.MedianCostUSD))
		if len(f.Errors) > 0 {
			errors += fmt.Sprintf("- %s: %s\n", mode(m), errorsText(f, markdown.Code))
		}
	}
	out.WriteString("\nMedians over stable runs.\n")
	if errors != "" {
		out.WriteString("\n" + errors)
	}
	return section{open: out.String()}
}

func countText(figure *float64) string {
	if figure == nil {
		return bench.NoFigure
	}
	return bench.CountText(*figure)
}

func (r Run) explained(s bench.ScenarioSummary, only bench.Mode) []bench.Mode {
	if _, ran := s.Modes[only]; ran {
		return []bench.Mode{only}
	}
	modes := bench.BaselineFirst(s.Modes, r.Summary.Gate.Baseline)
	return modes[:min(len(modes), maxModes)]
}
