package actions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/ghevent"
)

// Kind says what an event leads to.
type Kind int

const (
	// Ignore is to do nothing and to say nothing on GitHub: the event is not
	// for this action.
	Ignore Kind = iota
	// Run is to run and judge the head commit.
	Run
	// Skip is to run nothing and to conclude the check, so that it does not
	// hang where it is required.
	Skip
	// Refuse is to run nothing and to fail, since running would be dangerous.
	Refuse
	// Publish is to merge, judge and publish results of another run, and to
	// run nothing.
	Publish
	// Command is to do what a comment asks for, once it is read and its
	// author's permission is known.
	Command
)

// String returns the kind's name, as it appears in logs.
func (k Kind) String() string {
	return [...]string{"ignore", "run", "skip", "refuse", "publish", "command"}[k]
}

// Decision is what an event leads to.
type Decision struct {
	Kind Kind
	// Why is a word for the reason if the kind is [Skip], else empty.
	Why Why
	// Reason is one sentence or two for people, without markup.
	Reason string
}

// Why is a word for the reason to skip.
type Why string

// The reasons.
const (
	WhyMarker Why = "marker"
	WhyDraft  Why = "draft"
	WhyPaths  Why = "paths"
)

// Circumstances are what a decision depends on besides the event.
type Circumstances struct {
	// RunDrafts, SkipMarker, Paths and HasResults are from the inputs.
	RunDrafts, SkipMarker bool
	Paths                 []string
	HasResults            bool
	// CommitMessage is the head commit's, empty where it is not known; the
	// event's counts too.
	CommitMessage string
	// ChangedFiles are the paths that the pull request touches, old names of
	// renamed files included. Nil means that they are not known, and then no
	// filter holds anything back: better one run too many.
	ChangedFiles []string
}

// Decide says what an event leads to. It can be asked before the changed files
// are known, and once more with them if it says [Run] and there are paths.
// Paths that cannot be read hold nothing back; [ReadInputs] refuses them.
func Decide(e Event, c Circumstances) Decision {
	switch e.Name {
	case ghevent.PullRequest:
		return decidePull(e, c)
	case ghevent.PullRequestTarget:
		return Decision{Kind: Refuse, Reason: "pull_request_target runs with the secrets and the write token of the base repository, so code of a pull request must not run in it. " +
			"Use the pull_request event; for pull requests from forks, publish its results from a second workflow on workflow_run with the input results."}
	case ghevent.IssueComment:
		return decideComment(e)
	case ghevent.WorkflowRun:
		return decideWorkflowRun(e, c)
	case ghevent.MergeGroup, ghevent.Push:
		return decideCommit(e, c)
	case ghevent.WorkflowDispatch:
		return runOrPublish(c, "it was started by hand")
	default:
		return Decision{Kind: Ignore, Reason: fmt.Sprintf("The event %s leads to nothing here: use pull_request, merge_group, push, workflow_dispatch, workflow_run or issue_comment.", e.Name)}
	}
}

func decidePull(e Event, c Circumstances) Decision {
	switch {
	case e.Action == "closed" || e.Pull.Closed:
		return Decision{Kind: Ignore, Reason: "The pull request is closed."}
	case c.SkipMarker && !e.Fork && marked(c.CommitMessage):
		// A title is not asked: its author may be anybody. Who has pushed to a branch
		// of the repository may write.
		return skipped(WhyMarker, "The message of the head commit asks for it with [skip bench].")
	case e.Pull.Draft && !c.RunDrafts:
		return skipped(WhyDraft, "The pull request is a draft. It is benchmarked when it is ready for review, if ready_for_review is among the workflow's types; drafts: run benchmarks drafts too.")
	case c.untouched():
		return skipped(WhyPaths, "The pull request touches no file that the input paths names.")
	case e.Fork:
		return runOrPublish(c, "the pull request comes from a fork, so there are no secrets and the token may only read")
	}
	return runOrPublish(c, fmt.Sprintf("pull request %d is to be judged", e.PullNumber))
}

// decideCommit is for events whose commit is not one of an open pull request.
// Paths are no filter for them: a merge queue wants its check in any case.
func decideCommit(e Event, c Circumstances) Decision {
	switch {
	case e.Name == ghevent.MergeGroup && e.Action != "checks_requested":
		return Decision{Kind: Ignore, Reason: "The merge group asks for no checks."}
	case e.HeadSHA == "":
		return Decision{Kind: Ignore, Reason: fmt.Sprintf("%s was deleted, so there is no commit to judge.", e.Pushed.Ref)}
	case e.Name == ghevent.MergeGroup:
		// The message of its commit has the titles of pull requests in it.
		return runOrPublish(c, "the merge queue asks for it")
	case c.SkipMarker && (marked(e.Pushed.Message) || marked(c.CommitMessage)):
		return skipped(WhyMarker, "The message of the head commit asks for it with [skip bench].")
	}
	return runOrPublish(c, "there was a push to "+e.Pushed.Ref)
}

// decideWorkflowRun never runs: the workflow has the rights of the default
// branch, and the other run's code may be anybody's.
func decideWorkflowRun(e Event, c Circumstances) Decision {
	publishable := []string{"success", "failure", "neutral", "timed_out"}
	switch {
	case e.Action != "completed":
		return Decision{Kind: Ignore, Reason: "The other workflow has not ended: use the type completed."}
	case !c.HasResults:
		return Decision{Kind: Refuse, Reason: "workflow_run runs with the secrets and the write token of this repository, so code of another run must not run in it. " +
			"Download the ledgers of that run and name them in the input results, to publish them."}
	case !slices.Contains(publishable, e.Run.Conclusion):
		return Decision{Kind: Ignore, Reason: fmt.Sprintf("The other workflow ended as %q, so it has no results.", e.Run.Conclusion)}
	}
	return Decision{Kind: Publish, Reason: "Another workflow has results to publish."}
}

func decideComment(e Event) Decision {
	ignore := func(reason string) Decision { return Decision{Kind: Ignore, Reason: reason} }
	switch {
	case e.Action != "created":
		return ignore("A comment is read once, when it is created.")
	case e.Comment.Author.Bot || e.Sender.Bot:
		return ignore("Comments of bots are no commands.")
	case !command.Is(e.Comment.Body):
		return ignore("The comment does not begin with /bench.")
	case !e.Comment.OnPull:
		return ignore("Commands work on pull requests, and this is an issue.")
	}
	return Decision{Kind: Command, Reason: fmt.Sprintf("%s gave a command on pull request %d.", e.Comment.Author.Login, e.PullNumber)}
}

// marked reports whether a text asks for nothing to be run.
func marked(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "[skip bench]") || strings.Contains(text, "[bench skip]")
}

// untouched reports whether the changed files are known and the paths leave
// all of them out.
func (c Circumstances) untouched() bool {
	if len(c.Paths) == 0 || c.ChangedFiles == nil {
		return false
	}
	filter, err := ghevent.ParsePaths(c.Paths)
	return err == nil && !filter.Any(c.ChangedFiles)
}

func skipped(why Why, reason string) Decision {
	return Decision{Kind: Skip, Why: why, Reason: reason}
}

// runOrPublish is the way of an event that may run. A job that merges shards
// has been given their results and runs nothing.
func runOrPublish(c Circumstances, because string) Decision {
	if c.HasResults {
		return Decision{Kind: Publish, Reason: "The job merges and publishes results: " + because + "."}
	}
	return Decision{Kind: Run, Reason: "The job runs the benchmark: " + because + "."}
}
