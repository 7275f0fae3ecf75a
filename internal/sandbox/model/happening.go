package model

import (
	"cmp"
	"slices"
	"strings"
)

// Happening is something that webhooks are told of. Which of its parts are
// there follows from its event.
type Happening struct {
	// Event and Action are GitHub's names; some events have no action.
	Event, Action string
	// RepoID is 0 for what is about an App's installation, or about an
	// organization, which OrgID is then. Repo is the repository as it is, or as
	// it was before it was deleted.
	RepoID ID
	OrgID  ID
	Repo   *Repo
	// ActorID is 0 for whoever makes the request that it happens by.
	ActorID ID
	// AppID is the only App that is told, 0 means all that want to know. Hook
	// is the only webhook of a repository or an organization that is told, nil
	// means the same.
	AppID ID
	Hook  *Hook

	Issue   *Issue
	Comment *Comment
	Review  *Review
	// Thread is that of a review comment, which may be gone with it.
	Thread       *Thread
	CheckRun     *CheckRun
	Suite        *CheckSuite
	Status       *CommitStatus
	Run          *Run
	Job          *Job
	Installation *Installation
	Discussion   *Discussion
	// Repos are those that an installation has got or lost.
	Repos []ID
	// LabelID, UserID and MilestoneID are what an issue or pull request has
	// got or lost.
	LabelID, UserID, MilestoneID ID
	// Ref has moved from Before to After, of which one may be empty. Of a pull
	// request's new head they are the commits alone.
	Ref, Before, After string
	Forced             bool
	// Changes are what was before, as GitHub shows it; nil for nothing.
	Changes map[string]any
	// Identifier is the button of a check run that was pressed, or why something left a
	// merge queue.
	Identifier string
	// Subject is what other events are about: the row, a part of one, or what is
	// made for it alone, such as [RelatedIssues].
	Subject any
	// To are those who are told.
	To []Listener
}

// maxHappened is how many happenings of one operation are kept; what goes
// beyond, nobody is told of.
const maxHappened = 1000

// emit notes what happened, if there is anybody to tell, or a feed to put it in.
func (s *State) emit(h Happening) {
	if !s.inboxes && !s.listensAnyone() || len(s.happened) >= maxHappened {
		return
	}
	if h.Repo == nil {
		h.Repo = s.Repos.peek(h.RepoID)
	}
	if h.Repo != nil && s.Users.peek(h.Repo.OwnerID).Type == TypeOrganization {
		h.OrgID = h.Repo.OwnerID
	}
	if h.To = s.listeners(h); len(h.To) > 0 || s.feeds(h) {
		s.happened = append(s.happened, h)
	}
}

// TellEverything has an address told of all that happens in repositories, in those that
// are yet to be made too, and in organizations. It is not part of the world: no request
// shows it, and it is in no snapshot.
func (s *State) TellEverything(config HookConfig) {
	s.everything = &Listener{HookID: 1, Config: config} // rows begin with [firstID]
}

// listensAnyone reports whether there is any webhook.
func (s *State) listensAnyone() bool {
	return s.everything != nil || s.Hooks.Len() > 0 || s.Apps.First(func(a *App) bool { return a.HookID != 0 }) != nil
}

// TakeHappened returns what happened since the last time, oldest first.
func (s *State) TakeHappened() []Happening {
	happened := s.happened
	s.happened = nil
	return happened
}

// The kinds of what webhooks belong to, as deliveries name them.
const (
	TargetRepository   = "repository"
	TargetOrganization = "organization"
	TargetApp          = "integration"
)

// Listener is a webhook that is told of a happening.
type Listener struct {
	// HookID is its own id; Target is that of what it belongs to, TargetType
	// which kind that is.
	HookID     ID
	Target     ID
	TargetType string
	// Installation is the one through which an App is told, nil for others.
	Installation *Installation
	Config       HookConfig
}

// listeners returns the webhooks that are told of a happening: those of the
// repository and of its organization in the order in which they were made, and
// those of Apps. Before these is the one that is told of everything.
func (s *State) listeners(h Happening) []Listener {
	var all []Listener
	for hook := range s.Hooks.All() {
		if hook.hears(h) {
			all = append(all, Listener{HookID: hook.ID, Target: hook.Owner(), TargetType: hook.TargetType(), Config: hook.Config})
		}
	}
	if h.Hook != nil {
		return all
	}
	if s.everything != nil && h.AppID == 0 && cmp.Or(h.RepoID, h.OrgID) != 0 {
		one := *s.everything
		one.Target, one.TargetType = h.RepoID, TargetRepository
		if h.RepoID == 0 {
			one.Target, one.TargetType = h.OrgID, TargetOrganization
		}
		all = append(all, one)
	}
	for a := range s.Apps.All() {
		if i, hears := s.heardBy(a, h); hears {
			all = append(all, Listener{HookID: a.HookID, Target: a.ID, TargetType: TargetApp, Installation: i, Config: a.Hook})
		}
	}
	return all
}

// hears reports whether a webhook is told of a happening. That a repository is
// there, or is no more, is nothing that its own webhooks are told.
func (hook *Hook) hears(h Happening) bool {
	own := hook.RepoID != 0 && hook.RepoID == h.RepoID && (h.Event != "repository" || h.Action != "created" && h.Action != "deleted")
	switch {
	case h.Hook != nil:
		return h.Hook.ID == hook.ID && (h.Event != "meta" || hook.Active && wants(hook.Events, h.Event))
	case !hook.Active || h.AppID != 0, !own && (hook.OrgID == 0 || hook.OrgID != h.OrgID):
		return false
	default:
		return wants(hook.Events, h.Event)
	}
}

// heardBy reports whether an App is told of a happening, and returns the
// installation through which it is, nil for a ping.
func (s *State) heardBy(a *App, h Happening) (*Installation, bool) {
	switch {
	case a.HookID == 0 || h.AppID != 0 && h.AppID != a.ID:
		return nil, false
	case h.Event == "ping", h.Installation != nil:
		return h.Installation, true
	case !slices.Contains(a.Events, h.Event):
		return nil, false
	}
	var i *Installation
	if h.Repo != nil {
		i = s.InstallationIn(a, h.Repo)
	} else {
		i = s.InstallationOf(a, h.OrgID)
	}
	return i, i != nil && i.SuspendedAt == nil
}

// issueHappened tells of an issue or a pull request.
func (s *State) issueHappened(actor ID, i *Issue, action string, h Happening) {
	h.Event = "issues"
	if i.Pull != nil {
		h.Event = "pull_request"
	}
	h.Action, h.RepoID, h.ActorID, h.Issue = action, i.RepoID, actor, i
	s.emit(h)
}

// commentHappened tells of a comment on an issue or pull request.
func (s *State) commentHappened(actor ID, c *Comment, action string, changes map[string]any) {
	s.emit(Happening{
		Event: "issue_comment", Action: action, RepoID: c.RepoID, ActorID: actor, Issue: s.Issues.Get(c.IssueID), Comment: c, Changes: changes,
	})
}

// from is what GitHub shows of something that was changed.
func from(before any) map[string]any { return map[string]any{"from": before} }

// recorded tells of what an event of a timeline is about, where people or
// webhooks are told of it.
func (s *State) recorded(i *Issue, e Event) {
	switch e.Kind {
	case "assigned":
		s.tell(e.ActorID, i.RepoID, i.ID, ToldAssigned, e.SubjectID)
	case "review_requested":
		s.tell(e.ActorID, i.RepoID, i.ID, ToldReviewRequested, e.SubjectID)
	case "closed", "reopened":
		s.tellSubscribers(e.ActorID, i)
	}
	switch e.Kind {
	case "labeled", "unlabeled":
		s.issueHappened(e.ActorID, i, e.Kind, Happening{LabelID: e.LabelID})
	case "assigned", "unassigned", "review_requested", "review_request_removed":
		s.issueHappened(e.ActorID, i, e.Kind, Happening{UserID: e.SubjectID})
	case "milestoned", "demilestoned":
		s.issueHappened(e.ActorID, i, e.Kind, Happening{MilestoneID: e.SubjectID})
	case "locked", "unlocked", "pinned", "unpinned", "auto_merge_enabled", "auto_merge_disabled":
		s.issueHappened(e.ActorID, i, e.Kind, Happening{})
	case EventQueued:
		s.issueHappened(e.ActorID, i, "enqueued", Happening{})
	case EventDequeued:
		s.issueHappened(e.ActorID, i, "dequeued", Happening{Identifier: strings.ToUpper(e.To)})
	case "closed", "reopened":
		// Pull requests tell of it themselves.
		if i.Pull == nil {
			s.issueHappened(e.ActorID, i, e.Kind, Happening{})
		}
	}
}

// refHappened tells of a ref that has moved, come or gone; an empty hash stands
// for no such ref.
func (s *State) refHappened(actor ID, repo *Repo, ref, before, after string, forced bool) {
	h := Happening{RepoID: repo.ID, ActorID: actor, Ref: ref, Before: before, After: after, Forced: forced}
	for _, event := range []struct {
		name  string
		holds bool
	}{{"create", before == ""}, {"delete", after == ""}, {"push", true}} {
		if h.Event = event.name; event.holds {
			s.emit(h)
		}
	}
}

// requestSuites makes the check suites that Apps are asked for when a branch
// has a new commit.
func (s *State) requestSuites(actor ID, repo *Repo, branch, sha string) {
	for a := range s.Apps.All() {
		h := Happening{Event: "check_suite", Action: "requested", RepoID: repo.ID, Repo: repo, ActorID: actor, AppID: a.ID}
		if _, hears := s.heardBy(a, h); hears && a.Permissions["checks"] == "write" {
			h.Suite = s.suiteOf(a, repo, sha)
			h.Suite.HeadBranch = branch
			s.emit(h)
		}
	}
}
