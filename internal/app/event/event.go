// Package event reads the webhook payloads that the App reacts to.
//
// Only what is used is read, and read leniently: GitHub adds fields, and some
// genuine payloads have dates and numbers in odd forms.
package event

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// The events that lead to something, by the name in X-GitHub-Event.
const (
	PullRequest              = "pull_request"
	IssueComment             = "issue_comment"
	CheckRun                 = "check_run"
	CheckSuite               = "check_suite"
	MergeGroup               = "merge_group"
	WorkflowRun              = "workflow_run"
	Installation             = "installation"
	InstallationRepositories = "installation_repositories"
	Ping                     = "ping"
)

// Event is what happened. Parts that an event does not have are nil.
type Event struct {
	// Name is the event's, Action what happened, such as "opened".
	Name, Action string
	// InstallationID is 0 where the event has none.
	InstallationID int64
	Repo           Repo
	Sender         Account
	Pull           *Pull
	Comment        *Comment
	Check          *Check
	Suite          *Suite
	Group          *Group
	Run            *Run
	// Label is the one that was added to or removed from a pull request.
	Label string
	// Rebased is true if the base of a pull request was changed.
	Rebased bool
	// Button is the identifier of the button of a check run that was pressed.
	Button string
	// RemovedRepos are the full names of repositories that an installation
	// lost.
	RemovedRepos []string
}

// Repo is the repository that an event is about.
type Repo struct {
	ID            int64
	Owner, Name   string
	DefaultBranch string
}

// FullName returns "owner/name".
func (r Repo) FullName() string { return r.Owner + "/" + r.Name }

// Account is somebody who acts.
type Account struct {
	Login string
	// Bot is true for Apps and bots. It goes by the account's type: a login
	// may end in anything.
	Bot bool
}

// Pull is a pull request. A comment's event says of it only the number, the
// state, the author and the labels.
type Pull struct {
	Number           int
	Author           Account
	HeadSHA, HeadRef string
	BaseSHA, BaseRef string
	// HeadRepo is the full name, empty where the repository was deleted.
	HeadRepo      string
	Fork          bool
	Draft, Closed bool
	Labels        []string
	// UpdatedAt is when it was last changed, such as by a push; zero if that is
	// not said.
	UpdatedAt time.Time
}

// Comment is a comment in a conversation.
type Comment struct {
	ID     int64
	Body   string
	Author Account
	// At is when it was written, Edited is true if it was changed since.
	At     time.Time
	Edited bool
	// OnPull is false for one on an issue.
	OnPull bool
}

// Check is a check run. AppID says whose it is, ExternalID is what its maker
// called it.
type Check struct {
	ID         int64
	AppID      int64
	Name       string
	ExternalID string
	HeadSHA    string
	Pulls      []int
}

// Suite is a check suite.
type Suite struct {
	ID      int64
	AppID   int64
	HeadSHA string
	Pulls   []int
}

// Group is a group of a merge queue.
type Group struct{ HeadSHA, HeadRef, BaseSHA, BaseRef string }

// Run is a run of a workflow.
type Run struct {
	ID      int64
	Attempt int
	// Path is the workflow file's, Title what the run is called.
	Path, Title string
	// Event is what started it, Conclusion how it ended.
	Event, Conclusion string
	HeadSHA           string
}

// Parse reads a payload. The error is of kind invalid and says what is missing.
func Parse(name string, body []byte) (Event, error) {
	var p payload
	if err := json.Unmarshal(body, &p); err != nil {
		return Event{}, fault.Invalidf("the payload of %s cannot be read: %w", name, err)
	}
	e := p.event(name)
	if lack := e.lacks(); lack != "" {
		return Event{}, fault.Invalidf("the payload of %s lacks %s", name, lack)
	}
	return e, nil
}

// lacks returns what the event cannot be handled without, empty if all is
// there.
func (e Event) lacks() string {
	ofRepo := []string{PullRequest, IssueComment, CheckRun, CheckSuite, MergeGroup, WorkflowRun}
	switch {
	case slices.Contains(ofRepo, e.Name) && (e.Repo.Owner == "" || e.Repo.Name == ""):
		return "repository"
	case e.Name != Ping && e.InstallationID == 0:
		return "installation"
	case e.Name == PullRequest && (e.Pull == nil || e.Pull.Number <= 0 || e.Pull.HeadSHA == ""):
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

func sameRepo(a, b string) bool { return strings.EqualFold(a, b) }
