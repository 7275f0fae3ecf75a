// Package model is the sandbox's GitHub without its protocols: users,
// repositories, issues, pull requests, reviews, checks and Actions runs, and
// the rules by which they change.
//
// A [State] is a whole world. Reads may run at the same time; the caller keeps
// writes apart from everything else. Operations that GitHub refuses return a
// [*Problem].
package model

import (
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// ID is a database id. Ids are given in order from one counter per world, so
// that the same requests make the same ids.
type ID = int64

// State is a world.
type State struct {
	// Now is the world's clock as of the last write. It moves by [Tick] with every
	// write, and by itself only where it follows another clock, so that equal
	// worlds tell equal times.
	Now    time.Time
	LastID ID

	Users      Table[User]
	Repos      Table[Repo]
	Labels     Table[Label]
	Milestones Table[Milestone]
	Issues     Table[Issue]
	Comments   Table[Comment]
	Reviews    Table[Review]
	Threads    Table[Thread]
	// ReviewComments are the comments of threads.
	ReviewComments Table[ReviewComment]
	Workflows      Table[Workflow]
	Runs           Table[Run]
	Jobs           Table[Job]
	Artifacts      Table[Artifact]
	CheckSuites    Table[CheckSuite]
	CheckRuns      Table[CheckRun]
	Statuses       Table[CommitStatus]
	Environments   Table[Environment]
	Deployments    Table[Deployment]
	// DeploymentStatuses are what was said about deployments.
	DeploymentStatuses Table[DeploymentStatus]
	Apps               Table[App]
	Installations      Table[Installation]
	Hooks              Table[Hook]
	Events             Table[Event]
	Reactions          Table[Reaction]
	Releases           Table[Release]
	Projects           Table[Project]
	ProjectFields      Table[ProjectField]
	ProjectItems       Table[ProjectItem]
	Gists              Table[Gist]
	Notifications      Table[Notification]
	Teams              Table[Team]
	CommitComments     Table[CommitComment]
	Invitations        Table[Invitation]
	GistComments       Table[GistComment]
	Discussions        Table[Discussion]
	// DiscussionComments are what was said on discussions, replies included.
	DiscussionComments Table[DiscussionComment]
	// Activities are what feeds are made of, oldest first.
	Activities Table[Activity]

	// Scripts say how Actions jobs end; see [Script].
	Scripts []Script

	// only is nil but for requests of a narrowed credential.
	only *narrowing
	// happened is what webhooks have not been told of yet.
	happened []Happening
	// everything is told of all that happens, nil for nobody.
	everything *Listener
	// inboxes is true while what is done sends notifications.
	inboxes bool
	// told takes what happened, nil for nobody.
	told func(*State)
	// recording is nil but within [State.Atomically]; watcher may be nil.
	recording *recording
	watcher   Watcher
	// definitions are the workflow files that were read.
	definitions *definitions
	// clock is what Now follows, nil if that moves with writes alone.
	clock func() time.Time
	// visited is how many rows were looked at by the last act of
	// [State.Atomically] that was kept.
	visited int
}

// Epoch is when a new world's clock starts.
var Epoch = time.Date(2026, time.January, 5, 9, 0, 0, 0, time.UTC)

// Tick is how far a write moves the world's clock.
const Tick = time.Second

// firstID is the id before the first one; GitHub's ids are large numbers, and
// clients that mix up ids and numbers are noticed.
const firstID = 1_000_000

// New returns an empty world that has GitHub Actions as its only App.
func New() *State {
	s := &State{Now: Epoch, LastID: firstID, definitions: &definitions{read: map[gitstore.Hash]definition{}}}
	s.addActionsApp()
	return s
}

// Advance moves the clock by one tick, or to the time of the clock that it
// follows, and returns the new time. Every operation that writes calls it once.
func (s *State) Advance() time.Time {
	if s.clock == nil {
		s.Now = s.Now.Add(Tick)
	}
	s.Now = s.Time()
	return s.Now
}

// Follow has the world's clock follow another one from now on. It never goes
// back. What is written in one second is written at one time, as on GitHub.
func (s *State) Follow(clock func() time.Time) { s.clock = clock }

// Time returns what time it is in the world, in full seconds as GitHub tells it.
func (s *State) Time() time.Time {
	if s.clock != nil {
		if at := s.clock().UTC().Truncate(time.Second); at.After(s.Now) {
			return at
		}
	}
	return s.Now
}

func (s *State) newID() ID {
	s.LastID++
	return s.LastID
}

// Clone returns an independent copy of the world. Git objects, which never
// change, are shared.
func (s *State) Clone() *State { return s.cloned(false) }

// CloneIndexed is [State.Clone] with the indexes of [State.Index].
func (s *State) CloneIndexed() *State { return s.cloned(true) }

func (s *State) cloned(indexed bool) *State {
	c := *s
	for _, t := range tables {
		t.separate(&c, indexed)
	}
	for _, repo := range c.Repos.rows {
		repo.Git = repo.Git.Clone()
	}
	c.Scripts, c.happened, c.recording, c.watcher, c.told = cloneScripts(s.Scripts), nil, nil, nil, nil
	return &c
}

// Row returns a pointer to the row of an id, to be read, of whatever table; nil
// if there is none.
func (s *State) Row(id ID) any {
	for _, t := range tables {
		if row := t.row(s, id); row != nil {
			return row
		}
	}
	return nil
}

// Repo returns the repository of that name, nil if there is none. Owner and
// name are compared without case, as GitHub does. One that was renamed answers
// to its former names too, as long as no other one has them.
func (s *State) Repo(owner, name string) *Repo {
	if r := s.repoNamed(owner, name); r != nil {
		return r
	}
	return s.Renamed(owner, name)
}

// User returns the user, organization or bot of that login, nil if there is
// none.
func (s *State) User(login string) *User {
	return s.Users.First(func(u *User) bool { return strings.EqualFold(u.Login, login) })
}

// ghost is the login of those who are gone.
const ghost = "ghost"

// Login returns a user's login, "ghost" for one that is gone.
func (s *State) Login(id ID) string {
	if u := s.Users.Get(id); u != nil {
		return u.Login
	}
	return ghost
}

// FullName returns "owner/name" of a repository.
func (s *State) FullName(r *Repo) string { return s.Login(r.OwnerID) + "/" + r.Name }

// Issue returns an issue or pull request by number, nil if there is none.
func (s *State) Issue(repo *Repo, number int) *Issue {
	return s.Issues.only(issueByNumber, key{of: repo.ID, n: number})
}

// Pull returns a pull request by number, nil if there is none or the number is
// an issue's.
func (s *State) Pull(repo *Repo, number int) *Issue {
	if i := s.Issue(repo, number); i != nil && i.Pull != nil {
		return i
	}
	return nil
}

// PullByID returns the pull request with the pull request id, which is not
// the id of its issue.
func (s *State) PullByID(id ID) *Issue {
	return s.Issues.only(issueByPull, key{of: id})
}

// copyOf returns a pointer to a copy of *p, nil for nil.
func copyOf[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}
