package comment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/markdown"
)

// nextStep proposes what to do, or is empty where there is nothing to do.
func (r Run) nextStep() string {
	var steps []string
	switch r.Phase {
	case Queued, Running:
	case Stopped:
		steps = append(steps, r.retryStep())
	case Broken:
		steps = r.mendSteps()
	case Skipped:
		steps = append(steps, r.skipMend())
	default:
		steps = r.verdictSteps()
	}
	steps = slices.DeleteFunc(steps, func(step string) bool { return step == "" })
	if len(steps) == 0 {
		return ""
	}
	return "**What to do:** " + strings.Join(steps, " ")
}

func (r Run) can(name command.Name) bool { return slices.Contains(r.Commands, name) }

func (r Run) retryStep() string {
	if r.can(command.Retry) {
		return "Comment `/bench retry` to run what is missing."
	}
	return "Run the job again."
}

func (r Run) mendSteps() []string {
	switch fault.KindOf(r.Problem) {
	case fault.Invalid, fault.Tool:
		return []string{"Mend it and push; nothing was run and nothing was spent on agents."}
	default:
		return []string{"This says nothing about the change.", r.retryStep()}
	}
}

func (r Run) verdictSteps() []string {
	switch {
	case r.Summary == nil:
		return []string{r.retryStep()}
	case r.Unverified:
		return []string{r.trustedStep()}
	case len(r.Contested) > 0:
		return []string{"Close one of them, or push a commit of its own to one, and measure it again."}
	case r.Summary.Simulated:
		return []string{r.modelStep()}
	case r.Summary.Evidence != nil:
		return r.evidenceSteps(r.Summary.Evidence)
	case r.Summary.Gate.Verdict == bench.VerdictFail:
		return r.failSteps()
	case r.Summary.Gate.Verdict != bench.VerdictPass:
		return []string{r.retryStep()}
	case r.doubts() > 0:
		return []string{"The verdict stands, but an interval lies on both sides of its threshold.", r.moreRepetitions()}
	default:
		return nil
	}
}

// trustedStep says how rows are made that nobody of the change had a hand in.
func (r Run) trustedStep() string {
	const reads = "For a maintainer: read the change, then "
	if isCommitName(r.Commit) && r.can(command.Approve) {
		return reads + "comment `/bench approve " + r.Commit + "`."
	}
	return reads + "push the commit to a branch of this repository."
}

// modelStep says where a model is named. To go on with a run is the App's alone,
// which is told in the repository what to run; an Action is told in its workflow.
func (r Run) modelStep() string {
	if r.can(command.Retry) {
		return "Name a model in `.github/bench.yml` on the base branch (`model: provider/model`) for a verdict that counts."
	}
	return "Set a provider and a model for a verdict that counts."
}

// evidenceSteps are the next step, and how to take it here.
func (r Run) evidenceSteps(e *bench.Evidence) []string {
	if worst := e.WorstScenario(); e.Verdict == bench.VerdictFail && worst != "" {
		return []string{"Begin with the scenario that is worst off, " + r.scenarioLink(worst) + ".", r.askWhy(worst), "Then mend it and push.", bench.OnlyAnotherCommit}
	}
	steps := []string{markdown.Text(e.NextStep(), maxReason)}
	if e.Verdict == bench.VerdictInconclusive && !e.Final {
		steps = append(steps, r.retryStep())
	}
	return steps
}

func (r Run) failSteps() []string {
	var steps []string
	if worst := r.worst(); len(worst) > 0 {
		steps = append(steps, "Begin with the worst scenario, "+r.scenarioLink(worst[0].ID)+".", r.askWhy(worst[0].ID))
	}
	if r.doubts() > 0 {
		steps = append(steps, r.moreRepetitions())
	}
	return steps
}

// askWhy says how to see a scenario's sessions: by a command, which the App alone takes,
// or in what a workflow keeps. Of a task of another benchmark the App has a page, which is
// linked already.
func (r Run) askWhy(id string) string {
	if r.can(command.Explain) {
		ask := "/bench explain " + id
		if _, _, err := command.Parse(ask); err != nil {
			return ""
		}
		return "Comment `" + ask + "` to see what happened in it."
	}
	if job := markdown.Link("the workflow's run", r.Links.Job); job != "" {
		return "The report with every attempt is among the artifacts of " + job + "."
	}
	return ""
}

// caveats say of a verdict by fixed thresholds that failed how sure it is, and that it may
// be about what was there before.
func (r Run) caveats() string {
	if r.Phase != Finished || r.Summary == nil || r.Summary.Evidence != nil || r.Summary.Simulated || r.Summary.Gate.Verdict != bench.VerdictFail {
		return ""
	}
	var parts []string
	failed := slices.DeleteFunc(slices.Clone(r.checks()), func(c bench.Check) bool { return c.Passed })
	if len(failed) > 0 && !slices.ContainsFunc(failed, func(c bench.Check) bool { return !c.Uncertain }) {
		parts = append(parts, "**How sure:** Not sure. What failed is in doubt: with so few runs it may be chance.")
	}
	if baseline := r.Summary.Gate.Baseline; baseline != "" && !baseline.OfBase() && slices.ContainsFunc(failed, ofTwoGates) {
		parts = append(parts, "**Compared with:** "+mode(baseline)+", another tool, not with the commit before this change. What failed may be older than the change.")
	}
	return strings.Join(parts, "\n\n")
}

func (r Run) doubts() (n int) {
	for _, c := range r.checks() {
		if c.Uncertain {
			n++
		}
	}
	return n
}

// moreRepetitions proposes twice as many.
func (r Run) moreRepetitions() string {
	if !r.can(command.Run) || r.Plan == nil || r.Plan.Repetitions.Most < 1 || 2*r.Plan.Repetitions.Most > command.MaxRepetitions {
		return "More repetitions would tell."
	}
	return fmt.Sprintf("More repetitions would tell: `/bench run --repetitions %d`.", 2*r.Plan.Repetitions.Most)
}

func (r Run) skipHeadline() headline {
	switch r.Skip {
	case SkipMarker:
		return headline{"⏭️", "SKIPPED", "[skip bench]"}
	case SkipDraft:
		return headline{"✋", "WAITING", "a draft"}
	case SkipPaths:
		return headline{"⏭️", "SKIPPED", "nothing of concern changed"}
	case SkipLabel:
		return headline{"⏭️", "SKIPPED", "its labels say so"}
	case SkipTrigger:
		return headline{"⏭️", "SKIPPED", "the settings do not ask for it"}
	case SkipForks:
		return headline{"✋", "NOT RUN", "from a fork"}
	case SkipPermission:
		return headline{"✋", "WAITING", "somebody who may write is to ask for it"}
	case SkipApproval:
		return headline{"✋", "WAITING", "a fork's commit needs approval"}
	case SkipSecrets:
		return headline{"✋", "WAITING", "a run that Dependabot starts has no key"}
	default:
		return headline{"⏭️", "SKIPPED", ""}
	}
}

// SkipText says why a run never began, and how to have its commit measured all
// the same. What is in it of code is in backticks, and nothing else is.
func (r Run) SkipText() string {
	return strings.TrimSpace(r.skipReason() + " " + r.skipMend())
}

func (r Run) skipReason() string {
	switch r.Skip {
	case SkipMarker:
		return "The head commit's message says `[skip bench]`, so nothing was measured."
	case SkipDraft:
		return "The pull request is a draft, so nothing was measured."
	case SkipPaths:
		return "No changed file is among the paths that the benchmark is for, so nothing was measured."
	case SkipLabel:
		return "The labels of the pull request, and the settings, keep it from being measured by itself."
	case SkipTrigger:
		return "The settings do not have groups of the merge queue measured, so nothing was measured."
	case SkipForks:
		return "Pull requests from forks are not measured here, so nothing was measured."
	case SkipPermission:
		return "Who opened or labelled the pull request may not write here, so nothing was measured by itself."
	case SkipApproval:
		return "The commit comes from a fork. Its code is not run before somebody with write permission has read it."
	case SkipSecrets:
		return "Dependabot started the run, and GitHub gives such runs none of this repository's secrets. Without the model's key nothing was measured."
	default:
		return "Nothing was measured."
	}
}

// skipMend says how to have the commit measured all the same.
func (r Run) skipMend() string {
	steps := map[Skip]string{
		SkipMarker: "Take `[skip bench]` out of the commit's message",
		SkipDraft:  "Mark the pull request as ready for review",
		SkipPaths:  "If it is of concern, add its path to the settings",
		SkipLabel:  "Give or take the label that the settings name",
	}[r.Skip]
	switch {
	case r.Skip == SkipApproval && isCommitName(r.Commit) && r.can(command.Approve):
		return r.trustedStep() + " The next push ends the approval."
	case r.Skip == SkipTrigger:
		return "Set `triggers: {merge_group: true}` in the settings to have them measured."
	case r.Skip == SkipForks:
		return "Push the commit to a branch of this repository, or set `forks: approve` in the settings."
	case r.Skip == SkipPermission && r.can(command.Run):
		return "Somebody with write permission comments `/bench run`."
	case r.Skip == SkipPermission:
		return "Somebody with write permission has it measured."
	case r.Skip == SkipApproval:
		return "Somebody with write permission reads the change and approves this commit."
	case r.Skip == SkipSecrets:
		return "Somebody with write permission comments `/bench run`, or gives the key to Dependabot too: `gh secret set NAME --app dependabot`."
	case steps == "":
		return ""
	case r.can(command.Run):
		return steps + ", or comment `/bench run`."
	default:
		return steps + "."
	}
}

const commitDigits = 40

func isCommitName(s string) bool {
	return len(s) == commitDigits && strings.Trim(s, "0123456789abcdef") == ""
}
