// Package ghevent reads what GitHub says that happened, which is the same whether a
// webhook delivers it to the App or a file hands it to a workflow.
//
// Only what is used is read, and read leniently: GitHub adds fields, and some
// genuine payloads have dates and numbers in odd forms. What an event leads to
// is said elsewhere, in two policies: the App's and the action's.
package ghevent

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// The events that lead to something, by the name in X-GitHub-Event and in
// GITHUB_EVENT_NAME.
const (
	PullRequest              = "pull_request"
	PullRequestTarget        = "pull_request_target"
	IssueComment             = "issue_comment"
	CheckRun                 = "check_run"
	CheckSuite               = "check_suite"
	MergeGroup               = "merge_group"
	Push                     = "push"
	WorkflowRun              = "workflow_run"
	WorkflowDispatch         = "workflow_dispatch"
	Installation             = "installation"
	InstallationRepositories = "installation_repositories"
	Ping                     = "ping"
)

// Event is what happened. Parts that an event does not have are nil.
type Event struct {
	// Name is the event's, Action what happened, such as "opened".
	Name, Action string
	// InstallationID is 0 where the event was not delivered to an App.
	InstallationID int64
	Repo           Repo
	Sender         Account
	Pull           *Pull
	Comment        *Comment
	Check          *Check
	Suite          *Suite
	Group          *Group
	Pushed         *Pushed
	Run            *Run
	// Label is the one that was added to or removed from a pull request.
	Label string
	// Rebased is true if the base of a pull request was changed.
	Rebased bool
	// Button is the identifier of the button of a check run that was pressed.
	Button string
	// Commit is the one that the input sha of a dispatch names, empty if that
	// names none.
	Commit string
	// RemovedRepos are the full names of repositories that an installation
	// lost.
	RemovedRepos []string
}

// Repo is the repository that an event is about.
type Repo struct {
	Owner, Name string
	// DefaultBranch is that branch's name.
	DefaultBranch string
}

// FullName returns "owner/name".
func (r Repo) FullName() string { return r.Owner + "/" + r.Name }

// Owns reports whether a head is of this repository and of no fork. The name of a
// head's repository is empty where that was deleted: it was a fork.
func (r Repo) Owns(headRepo string) bool { return strings.EqualFold(headRepo, r.FullName()) }

// Account is somebody who acts.
type Account struct {
	Login string
	// Bot is true for Apps and bots. It goes by the account's type: a login
	// may end in anything.
	Bot bool
}

// Pull is a pull request. A comment's event says of it only the number, the
// state and the labels.
type Pull struct {
	Number           int
	HeadSHA          string
	BaseSHA, BaseRef string
	// HeadRepo is the full name, empty where the repository was deleted.
	HeadRepo string
	Fork     bool
	// ByBot is true if a bot or an App has opened it.
	ByBot bool
	// Closed is true of merged ones too.
	Draft, Closed bool
	Labels        []string
	// UpdatedAt is when it was last changed, such as by a push; zero if that is
	// not said.
	UpdatedAt time.Time
}

// Comment is a comment in a conversation.
type Comment struct {
	ID   int64
	Body string
	// Author is a bot also where an App wrote in a person's name.
	Author Account
	// At is when it was written, zero if that is not said. Edited is true if it
	// was changed since.
	At     time.Time
	Edited bool
	// OnPull is false for one on an issue.
	OnPull bool
}

// Check is a check run. AppID says whose it is.
type Check struct {
	ID, AppID int64
	HeadSHA   string
	Pulls     []int
}

// Suite is a check suite.
type Suite struct {
	AppID   int64
	HeadSHA string
	Pulls   []int
}

// Group is a group of a merge queue.
type Group struct{ HeadSHA, BaseSHA, BaseRef string }

// Pushed is a push to a branch or a tag.
type Pushed struct {
	// Ref is the full one, such as "refs/heads/main".
	Ref string
	// HeadSHA is empty where the ref was deleted, BaseSHA where it was made.
	HeadSHA, BaseSHA string
	// Message is that of the head commit.
	Message string
	// Files are the paths that its commits touch; nil where that is not known, as
	// of a push that takes commits away.
	Files []string
}

// Run is a run of a workflow.
type Run struct {
	ID int64
	// Title is what the run is called.
	Title string
	// Event is what started it, Conclusion how it ended.
	Event, Conclusion string
	HeadSHA           string
	// Attempt is how often it was started, from 1, and Path the workflow's file,
	// which may have an @ and a ref behind it.
	Attempt int
	Path    string
	// HeadRepo is the full name, empty where the repository was deleted, and
	// HeadBranch the name of the branch in it.
	HeadRepo, HeadBranch string
	// Pulls are the pull requests that the event names. For a head in a fork there
	// are none: which one it is has then to be asked from the API. Nothing that the
	// run itself has written may say so: code of the fork wrote it.
	Pulls []int
}

// Parse reads a payload. The error is of kind invalid and says what is missing.
func Parse(name string, body []byte) (Event, error) {
	var p payload
	if err := json.Unmarshal(body, &p); err != nil {
		return Event{}, fault.Invalidf("the payload of %s cannot be read: %w", name, err)
	}
	e := p.event(name)
	return e.with(e.lacks())
}

// ParseDelivery is [Parse] for an App, whose deliveries say in which installation
// of it something happened.
func ParseDelivery(name string, body []byte) (Event, error) {
	e, err := Parse(name, body)
	ofRepo := []string{PullRequest, IssueComment, CheckRun, CheckSuite, MergeGroup, Push, WorkflowRun}
	switch {
	case err != nil:
		return Event{}, err
	case slices.Contains(ofRepo, name) && (e.Repo.Owner == "" || e.Repo.Name == ""):
		return e.with("repository")
	case name != Ping && e.InstallationID == 0:
		return e.with("installation")
	default:
		return e, nil
	}
}

// with returns the event, or the error about what it lacks.
func (e Event) with(lack string) (Event, error) {
	if lack != "" {
		return Event{}, fault.Invalidf("the payload of %s lacks %s", e.Name, lack)
	}
	return e, nil
}

// lacks returns what the event cannot be handled without, empty if all is
// there.
func (e Event) lacks() string {
	switch {
	case (e.Name == PullRequest || e.Name == PullRequestTarget) && (e.Pull == nil || e.Pull.Number <= 0 || e.Pull.HeadSHA == ""):
		return "pull_request"
	case e.Name == IssueComment && (e.Comment == nil || e.Pull == nil || e.Pull.Number <= 0):
		return "comment or issue"
	case e.Name == CheckRun && (e.Check == nil || e.Check.HeadSHA == ""):
		return "check_run"
	case e.Name == CheckSuite && (e.Suite == nil || e.Suite.HeadSHA == ""):
		return "check_suite"
	case e.Name == MergeGroup && (e.Group == nil || e.Group.HeadSHA == ""):
		return "merge_group"
	case e.Name == WorkflowRun && (e.Run == nil || e.Run.ID <= 0):
		return "workflow_run"
	default:
		return ""
	}
}
