package actions

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"github.com/google/go-github/v60/github"
)

// payload is what is read of an event's payload. Which of it there is depends
// on the event.
type payload struct {
	Action     string `json:"action"`
	Repository struct {
		ID       int64  `json:"id"`
		FullName string `json:"full_name"`
		// DefaultBranch is its name.
		DefaultBranch string `json:"default_branch"`
	} `json:"repository"`
	Sender      *github.User               `json:"sender"`
	PullRequest *github.PullRequest        `json:"pull_request"`
	Issue       *github.Issue              `json:"issue"`
	Comment     *github.IssueComment       `json:"comment"`
	WorkflowRun *github.WorkflowRun        `json:"workflow_run"`
	MergeGroup  *github.MergeGroup         `json:"merge_group"`
	HeadCommit  *github.HeadCommit         `json:"head_commit"`
	Ref         string                     `json:"ref"`
	Before      string                     `json:"before"`
	After       string                     `json:"after"`
	Inputs      map[string]json.RawMessage `json:"inputs"`
}

// fill sets what the payload says of an event whose name and repository are
// known. The error says what is missing.
func (p payload) fill(e *Event, getenv func(string) string) error {
	e.Action, e.DefaultBranch = p.Action, p.Repository.DefaultBranch
	switch {
	case e.Name == EventIssueComment && p.Issue != nil && p.Comment != nil:
		p.comment(e)
	case e.Name == EventWorkflowRun && p.WorkflowRun != nil:
		p.workflowRun(e)
	case e.Name == EventMergeGroup && p.MergeGroup != nil:
		group := p.MergeGroup
		e.HeadSHA, e.BaseSHA, e.Ref, e.HeadRepository = group.GetHeadSHA(), group.GetBaseSHA(), group.GetHeadRef(), e.FullName()
		e.CommitMessage = group.GetHeadCommit().GetMessage()
	case e.Name == EventPush:
		e.Ref, e.HeadSHA, e.BaseSHA, e.HeadRepository = p.Ref, commit(p.After), commit(p.Before), e.FullName()
		e.CommitMessage = p.HeadCommit.GetMessage()
	case e.Name == EventWorkflowDispatch:
		e.Ref, e.HeadSHA, e.HeadRepository = cmp.Or(p.Ref, getenv("GITHUB_REF")), getenv("GITHUB_SHA"), e.FullName()
		e.Inputs = p.inputs()
		if sha := e.Inputs[commitInput]; isCommit(sha) {
			e.HeadSHA = sha
		}
	case p.PullRequest != nil:
		p.pullRequest(e)
	case e.needsMore():
		return errors.New("the payload is not one of this event")
	}
	return nil
}

// needsMore reports whether nothing can be said of an event without its own
// part of the payload.
func (e *Event) needsMore() bool {
	switch e.Name {
	case EventPullRequest, EventPullRequestTarget, EventIssueComment, EventWorkflowRun, EventMergeGroup:
		return true
	default:
		return false
	}
}

func (p payload) pullRequest(e *Event) {
	pull := p.PullRequest
	head := pull.GetHead()
	e.HeadSHA, e.BaseSHA, e.HeadBranch = head.GetSHA(), pull.GetBase().GetSHA(), head.GetRef()
	e.comesFrom(head.GetRepo())
	e.Pull = PullRequest{
		Number: pull.GetNumber(), Title: pull.GetTitle(), Body: pull.GetBody(),
		Draft: pull.GetDraft(), Closed: pull.GetState() == stateClosed, Merged: pull.GetMerged(),
	}
	e.Pull.label(pull.Labels)
}

const stateClosed = "closed"

func (p payload) comment(e *Event) {
	issue, comment := p.Issue, p.Comment
	e.Comment = Comment{
		ID: comment.GetID(), Body: comment.GetBody(), Author: comment.GetUser().GetLogin(),
		Association: comment.GetAuthorAssociation(), OnPull: issue.IsPullRequest(), At: comment.GetCreatedAt().Time,
		Bot: isBot(comment.GetUser()) || isBot(p.Sender),
	}
	if !e.Comment.OnPull {
		return
	}
	e.Pull = PullRequest{
		Number: issue.GetNumber(), Title: issue.GetTitle(), Body: issue.GetBody(),
		Draft: issue.GetDraft(), Closed: issue.GetState() == stateClosed,
	}
	e.Pull.label(issue.Labels)
}

// isBot goes by the account's type: a login may end in anything.
func isBot(user *github.User) bool { return user.GetType() == "Bot" }

func (p payload) workflowRun(e *Event) {
	run := p.WorkflowRun
	e.HeadSHA, e.HeadBranch, e.CommitMessage = run.GetHeadSHA(), run.GetHeadBranch(), run.GetHeadCommit().GetMessage()
	e.comesFrom(run.GetHeadRepository())
	e.Run = WorkflowRun{ID: run.GetID(), Conclusion: run.GetConclusion(), Event: run.GetEvent()}
	for _, pull := range run.PullRequests {
		// A branch may be the head of a pull request to another repository.
		if pull.GetBase().GetRepo().GetID() == p.Repository.ID {
			e.Run.Pulls = append(e.Run.Pulls, pull.GetNumber())
		}
	}
	if len(e.Run.Pulls) == 1 {
		e.Pull.Number = e.Run.Pulls[0]
	}
}

// comesFrom sets the repository of the head. A deleted one was a fork.
func (e *Event) comesFrom(head *github.Repository) {
	e.HeadRepository = head.GetFullName()
	e.Fork = !strings.EqualFold(e.HeadRepository, e.FullName())
}

func (pull *PullRequest) label(labels []*github.Label) {
	for _, label := range labels {
		pull.Labels = append(pull.Labels, label.GetName())
	}
}

// inputs returns a dispatch's inputs as texts, as the workflow sees them.
func (p payload) inputs() map[string]string {
	inputs := map[string]string{}
	for name, value := range p.Inputs {
		text := string(value)
		// What is no JSON string stands as it is: true, 3.
		if err := json.Unmarshal(value, &text); err != nil {
			text = string(value)
		}
		inputs[name] = text
	}
	return inputs
}

// commitInput is the input of a dispatch that names the commit to judge, where
// it is not the one of the workflow: the App dispatches a workflow of the
// default branch for the head of a pull request.
const commitInput = "sha"

// isCommit reports whether a text is a whole hash.
func isCommit(text string) bool {
	const sha1, sha256 = 40, 64
	return (len(text) == sha1 || len(text) == sha256) && strings.Trim(text, "0123456789abcdef") == "" && commit(text) != ""
}

// commit returns a hash, nothing for the one of zeros, which stands for none.
func commit(sha string) string {
	if strings.Trim(sha, "0") == "" {
		return ""
	}
	return sha
}
