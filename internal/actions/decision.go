package actions

import (
	"fmt"
	"slices"

	"github.com/ghx-dev/bench-action/internal/comment"
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
	// Skip is why nothing is run if the kind is [Skip], else empty.
	Skip comment.Skip
	// Request is what a comment asks for if the kind is [Command].
	Request ghevent.Request
	// Reason is one sentence or two for people, without markup.
	Reason string
}

// Circumstances are what a decision depends on besides the event.
type Circumstances struct {
	// Rules are from the inputs. There are no labels among them, which a workflow's
	// own triggers and conditions look at.
	Rules ghevent.Rules
	// HasResults is true of folders with results, HasArtifacts of artifacts of another
	// run.
	HasResults, HasArtifacts bool
	// NoSecrets is true where a run has not got what it needs, because GitHub gives it
	// no secrets: see [Event.Secretless].
	NoSecrets bool
	// Head is what GitHub says of the pull request's head, nil if it was not asked.
	Head *ghevent.Head
}

// Decide says what an event leads to. It can be asked before GitHub was asked about
// the head, and once more with that if it says [Run], or [Skip] of a [ghevent.WorkflowRun].
func Decide(e Event, c Circumstances) Decision {
	if c.HasArtifacts && e.Name != ghevent.WorkflowRun {
		return Decision{Kind: Refuse, Reason: "results-artifact is for the event workflow_run, which says which run has ended: name folders in the input results."}
	}
	switch e.Name {
	case ghevent.PullRequest:
		return decidePull(e, c)
	case ghevent.PullRequestTarget:
		return Decision{Kind: Refuse, Reason: "pull_request_target runs with the secrets and the write token of the base repository, so code of a pull request must not run in it. " +
			"Use the pull_request event; somebody with write permission has a fork's commit measured with /bench approve, on issue_comment."}
	case ghevent.IssueComment:
		return decideComment(e)
	case ghevent.WorkflowRun:
		return decideWorkflowRun(e, c)
	case ghevent.MergeGroup, ghevent.Push:
		return decideCommit(e, c)
	case ghevent.WorkflowDispatch:
		return runOrPublish(e, c, "it was started by hand")
	default:
		return Decision{Kind: Ignore, Reason: fmt.Sprintf("The event %s leads to nothing here: use pull_request, merge_group, push, workflow_dispatch, workflow_run or issue_comment.", e.Name)}
	}
}

// decidePull follows the rules that the App has too. A fork is not held back, as it
// is there: GitHub gives its workflow no secrets, and asks for approval itself.
func decidePull(e Event, c Circumstances) Decision {
	if e.Action == "closed" || e.Pull.Closed {
		return Decision{Kind: Ignore, Reason: "The pull request is closed."}
	}
	if e.Action == "edited" && !e.Rebased {
		return Decision{Kind: Ignore, Reason: "Nothing was edited that is measured: the base branch is the same."}
	}
	head := ghevent.Head{Pull: *e.Pull}
	if c.Head != nil {
		head = *c.Head
	}
	switch why := c.Rules.Skip(head); {
	case why != "":
		return skipped(why)
	case e.Fork:
		return runOrPublish(e, c, "the pull request comes from a fork, so there are no secrets and the token may only read")
	default:
		return runOrPublish(e, c, fmt.Sprintf("pull request %d is to be judged", e.PullNumber))
	}
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
		return runOrPublish(e, c, "the merge queue asks for it")
	}
	marker := ghevent.Rules{SkipMarker: c.Rules.SkipMarker}
	if why := marker.Skip(ghevent.Head{CommitMessage: e.Pushed.Message}); why != "" {
		return skipped(why)
	}
	return runOrPublish(e, c, "there was a push to "+e.Pushed.Ref)
}

// decideWorkflowRun never runs: the workflow has the rights of the default
// branch, and the other run's code may be anybody's. That of a fork could not say on
// GitHub that its commit waits.
func decideWorkflowRun(e Event, c Circumstances) Decision {
	publishable := []string{"success", "failure", "neutral", "timed_out"}
	published := c.HasArtifacts && slices.Contains(publishable, e.Run.Conclusion)
	switch {
	case c.HasResults:
		return Decision{Kind: Refuse, Reason: "What is in a folder may come from anywhere. Name the artifact of the other run in results-artifact, which is fetched from GitHub, in place of results."}
	case e.Action != "completed":
		return Decision{Kind: Ignore, Reason: "The other workflow has not ended: use the type completed."}
	case published:
		return Decision{Kind: Publish, Reason: "Another workflow has results to publish."}
	case e.Fork && e.Run.Event == ghevent.PullRequest:
		return waits(c)
	case c.HasArtifacts:
		return Decision{Kind: Ignore, Reason: fmt.Sprintf("The other workflow ended as %q, so it has no results.", e.Run.Conclusion)}
	default:
		return Decision{Kind: Ignore, Reason: "The other workflow's run is of no fork's pull request, so it has told itself what it came to."}
	}
}

// waits is for a fork's commit that nobody here has had measured yet.
func waits(c Circumstances) Decision {
	if c.Head != nil {
		if why := c.Rules.Skip(*c.Head); why != "" {
			return skipped(why)
		}
	}
	return skipped(comment.SkipApproval)
}

// WithoutSecrets is what an event leads to whose run lacks the secrets that it needs:
// somebody who may write has to have the commit measured.
func (e Event) WithoutSecrets() Decision {
	if e.Fork {
		return skipped(comment.SkipApproval)
	}
	return skipped(comment.SkipSecrets)
}

func decideComment(e Event) Decision {
	request, no := e.Request()
	if no != "" {
		return Decision{Kind: Ignore, Reason: map[ghevent.NoRequest]string{
			ghevent.OnIssue: "Commands work on pull requests, and this is an issue.",
			ghevent.ByBot:   "Comments of bots are no commands.",
			ghevent.Edited:  "A comment is read once, when it is created.",
			ghevent.Talk:    "The comment does not begin with /bench.",
		}[no]}
	}
	return Decision{Kind: Command, Request: request, Reason: fmt.Sprintf("%s gave a command on pull request %d.", e.Comment.Author.Login, e.PullNumber)}
}

func skipped(why comment.Skip) Decision {
	return Decision{Kind: Skip, Skip: why, Reason: map[comment.Skip]string{
		comment.SkipMarker:   "The message of the head commit asks for it with [skip bench].",
		comment.SkipDraft:    "The pull request is a draft. It is benchmarked when it is ready for review, if ready_for_review is among the workflow's types; drafts: run benchmarks drafts too.",
		comment.SkipPaths:    "The pull request touches no file that the input paths names.",
		comment.SkipApproval: "The commit comes from a fork, whose runs get no secrets. Somebody with write permission reads it and comments /bench approve and its full name.",
		comment.SkipSecrets:  "Dependabot started the run, and such runs get none of the repository's secrets. Somebody with write permission comments /bench run, or gives the key to Dependabot too.",
	}[why]}
}

// runOrPublish is the way of an event that may run. A job that merges shards
// has been given their results and runs nothing.
func runOrPublish(e Event, c Circumstances, because string) Decision {
	switch {
	case c.HasResults:
		return Decision{Kind: Publish, Reason: "The job merges and publishes results: " + because + "."}
	case c.NoSecrets:
		return e.WithoutSecrets()
	default:
		return Decision{Kind: Run, Reason: "The job runs the benchmark: " + because + "."}
	}
}
