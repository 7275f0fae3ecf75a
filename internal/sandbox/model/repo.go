package model

import (
	"slices"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// NewUser describes a user to add.
type NewUser struct {
	Login, Name, Email string
	// Type is [TypeUser] if empty.
	Type UserType
}

// AddUser adds a user. The login must be free.
func (s *State) AddUser(in NewUser) *User {
	now := s.Advance()
	u := &User{
		ID: s.newID(), Login: in.Login, Name: in.Name, Email: in.Email, Type: in.Type,
		CreatedAt: now, UpdatedAt: now,
	}
	if u.Type == "" {
		u.Type = TypeUser
	}
	return s.Users.Add(u.ID, u)
}

// NewRepo describes a repository to add.
type NewRepo struct {
	Owner       ID
	Name        string
	Description string
	Private     bool
	// DefaultBranch is "main" if empty.
	DefaultBranch string
}

const mainBranch = "main"

// AddRepo adds an empty repository. The owner must exist and the name must be
// free.
func (s *State) AddRepo(in NewRepo) *Repo {
	now := s.Advance()
	r := &Repo{
		ID: s.newID(), OwnerID: in.Owner, Name: in.Name, Description: in.Description, Private: in.Private,
		DefaultBranch: in.DefaultBranch,
		HasIssues:     true,
		AllowMerge:    true, AllowSquash: true, AllowRebase: true,
		Collaborators: map[ID]Permission{},
		LastRunNumber: map[ID]int{},
		Protection:    map[string]Protection{},
		CreatedAt:     now, UpdatedAt: now, PushedAt: now,
		Git: gitstore.New(),
	}
	if r.DefaultBranch == "" {
		r.DefaultBranch = mainBranch
	}
	return s.Repos.Add(r.ID, r)
}

// NewMilestone describes a milestone to add.
type NewMilestone struct {
	Title, Description string
	Creator            ID
}

// AddMilestone adds an open milestone to a repository.
func (s *State) AddMilestone(repo *Repo, in NewMilestone) *Milestone {
	now := s.Advance()
	number := 1
	for _, m := range s.Milestones.find(milestoneByRepo, key{of: repo.ID}) {
		number = max(number, m.Number+1)
	}
	m := &Milestone{
		ID: s.newID(), RepoID: repo.ID, Number: number, Title: in.Title, Description: in.Description,
		CreatorID: in.Creator, CreatedAt: now, UpdatedAt: now,
	}
	return s.Milestones.Add(m.ID, m)
}

// Empty reports whether a repository has no commit yet.
func (r *Repo) Empty() bool { return len(r.Git.Refs(headsPrefix)) == 0 }

// Star has a user star a repository that he may read, or take the star back.
func (s *State) Star(user ID, repo *Repo, starred bool) {
	now := s.Advance()
	if starred == slices.Contains(repo.Stargazers, user) {
		return
	}
	repo.Stargazers = without(repo.Stargazers, user)
	delete(repo.StarredAt, user)
	if starred {
		repo.Stargazers = append(repo.Stargazers, user)
		if repo.StarredAt == nil {
			repo.StarredAt = map[ID]time.Time{}
		}
		repo.StarredAt[user] = now
	}
}

// Subscription is what a user is told of a repository, in GraphQL's words.
type Subscription string

// The subscriptions: to what one takes part in, to everything, to nothing.
const (
	Unsubscribed Subscription = "UNSUBSCRIBED"
	Subscribed   Subscription = "SUBSCRIBED"
	Ignored      Subscription = "IGNORED"
)

// SubscriptionOf returns a user's subscription.
func (r *Repo) SubscriptionOf(user ID) Subscription {
	switch {
	case slices.Contains(r.Watchers, user):
		return Subscribed
	case slices.Contains(r.Ignorers, user):
		return Ignored
	default:
		return Unsubscribed
	}
}

// Subscribe sets what a user is told of a repository that he may read.
func (s *State) Subscribe(user ID, repo *Repo, wanted Subscription) {
	now := s.Advance()
	if repo.SubscriptionOf(user) == wanted {
		return
	}
	repo.Watchers, repo.Ignorers = without(repo.Watchers, user), without(repo.Ignorers, user)
	delete(repo.WatchedAt, user)
	switch wanted {
	case Subscribed:
		repo.Watchers = append(repo.Watchers, user)
	case Ignored:
		repo.Ignorers = append(repo.Ignorers, user)
	default:
		return
	}
	if repo.WatchedAt == nil {
		repo.WatchedAt = map[ID]time.Time{}
	}
	repo.WatchedAt[user] = now
}
