package model

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing"
)

// StatusState is how a commit status says that a commit stands.
type StatusState string

// The states of a commit status.
const (
	StatusError   StatusState = "error"
	StatusFailure StatusState = "failure"
	StatusPending StatusState = "pending"
	StatusSuccess StatusState = "success"
)

// CommitStatus is what somebody says about a commit in one context, such as
// "ci/build". What is said later in the same context counts in its place.
type CommitStatus struct {
	ID          ID
	RepoID      ID
	CommitSHA   string
	CreatorID   ID
	State       StatusState
	Context     string
	Description string
	TargetURL   string
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

func (c *CommitStatus) clone() *CommitStatus { return copyOf(c) }

// GitHub's limits on commit statuses.
const (
	maxStatuses          = 1000
	maxStatusDescription = 140
)

// defaultContext is the context of a status that names none.
const defaultContext = "default"

// NewStatus is what a request says about a commit. An empty Context is the
// default one.
type NewStatus struct {
	State                           StatusState
	Context, Description, TargetURL string
}

// CreateStatus says something about a commit, named by its full SHA. Who may
// push may.
func (s *State) CreateStatus(actor ID, repo *Repo, sha string, in NewStatus) (*CommitStatus, error) {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return nil, err
	}
	if in.Context == "" {
		in.Context = defaultContext
	}
	_, err := repo.Git.Commit(plumbing.NewHash(sha))
	switch {
	case err != nil:
		return nil, unprocessable("No commit found for SHA: %s", sha)
	case !slices.Contains([]StatusState{StatusError, StatusFailure, StatusPending, StatusSuccess}, in.State):
		return nil, custom("Status", "state", "state is not included in the list")
	case in.TargetURL != "" && !strings.HasPrefix(in.TargetURL, "http://") && !strings.HasPrefix(in.TargetURL, "https://"):
		return nil, custom("Status", "target_url", "Target url must use http(s) scheme")
	case utf8.RuneCountInString(in.Description) > maxStatusDescription:
		return nil, custom("Status", "description", "description is too long (maximum is %d characters)", maxStatusDescription)
	}
	said := 0
	for _, c := range s.StatusesAt(repo, sha) {
		if c.Context == in.Context {
			said++
		}
	}
	if said >= maxStatuses {
		return nil, custom("Status", "", "This SHA and context has reached the maximum number of statuses.")
	}
	now := s.Advance()
	c := &CommitStatus{
		ID: s.newID(), RepoID: repo.ID, CommitSHA: sha, CreatorID: actor, State: in.State, Context: in.Context, Description: in.Description,
		TargetURL: in.TargetURL, CreatedAt: now, UpdatedAt: now,
	}
	s.Statuses.Add(c.ID, c)
	s.emit(Happening{Event: "status", RepoID: repo.ID, ActorID: actor, Status: c})
	if c.State != StatusPending {
		s.mergeReady(repo, sha)
	}
	return c, nil
}

// StatusesAt returns all that was said about a commit, oldest first.
func (s *State) StatusesAt(repo *Repo, sha string) []*CommitStatus {
	return s.Statuses.with(statusByCommit, key{of: repo.ID, text: sha})
}

// latestStatuses returns the last status of each context, in the order in which
// the contexts came up.
func (s *State) latestStatuses(repo *Repo, sha string) []*CommitStatus {
	var latest []*CommitStatus
	for _, c := range s.Statuses.find(statusByCommit, key{of: repo.ID, text: sha}) {
		if at := slices.IndexFunc(latest, func(known *CommitStatus) bool { return known.Context == c.Context }); at >= 0 {
			latest[at] = c
			continue
		}
		latest = append(latest, c)
	}
	return latest
}

// Conclusion returns how a status counts: empty while it is pending.
func (c *CommitStatus) Conclusion() Conclusion {
	switch c.State {
	case StatusSuccess:
		return Success
	case StatusPending:
		return ""
	case StatusError, StatusFailure:
	}
	return Failure
}
