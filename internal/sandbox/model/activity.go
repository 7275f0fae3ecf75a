package model

import (
	"slices"
	"strings"
	"time"
)

// Activity is an entry of feeds: what happened in a repository, as it was shown
// when it happened.
type Activity struct {
	ID ID
	// Type is GitHub's word for it, such as PushEvent.
	Type    string
	ActorID ID
	RepoID  ID
	// OrgID is the organization that the repository belonged to, 0 for none.
	OrgID ID
	// Public is false for what happened while the repository was private.
	Public bool
	// Payload is a JSON object.
	Payload string
	// Move is what a push, or what changes refs otherwise, did; nil for all else. Feeds
	// have nothing of those that make or remove a ref: their Type is empty.
	Move      *RefMove `json:",omitempty"`
	CreatedAt time.Time
}

// RefMove is a ref that was moved from Before to After, of which one may be empty.
type RefMove struct {
	Ref, Before, After string
	Forced             bool
}

func (a *Activity) clone() *Activity { return copyOf(a) }

const (
	// MaxFeed is how many entries a feed has.
	MaxFeed = 300
	// maxActivities is how many entries are kept for all feeds; of more than that
	// the newer half stays.
	maxActivities = 20 * MaxFeed
	// firstActivity is the id before the first one: those of feeds are apart from
	// all others, so that feeds change no other ids.
	firstActivity = 40_000_000_000
)

// activityTypes are the entries that happenings are, by event and action.
var activityTypes = map[string][]string{
	"CommitCommentEvent":            {"commit_comment created"},
	"CreateEvent":                   {"create", "repository created"},
	"DeleteEvent":                   {"delete"},
	"DiscussionEvent":               {"discussion created"},
	"ForkEvent":                     {"fork"},
	"IssueCommentEvent":             {"issue_comment created"},
	"IssuesEvent":                   {"issues opened", "issues closed", "issues reopened", "issues assigned", "issues unassigned", "issues labeled", "issues unlabeled"},
	"MemberEvent":                   {"member added"},
	"PublicEvent":                   {"public"},
	"PullRequestEvent":              {"pull_request opened", "pull_request closed", "pull_request reopened", "pull_request assigned", "pull_request unassigned", "pull_request labeled", "pull_request unlabeled"},
	"PullRequestReviewEvent":        {"pull_request_review submitted", "pull_request_review edited", "pull_request_review dismissed"},
	"PullRequestReviewCommentEvent": {"pull_request_review_comment created"},
	"PushEvent":                     {"push"},
	"ReleaseEvent":                  {"release published"},
	"WatchEvent":                    {"watch started"},
}

// activityOf has the types by event and action.
var activityOf = func() map[string]string {
	types := map[string]string{}
	for name, happenings := range activityTypes {
		for _, h := range happenings {
			types[h] = name
		}
	}
	return types
}()

// Activity is the type of the entry of feeds that a happening is, empty for what
// feeds have nothing of. A push that makes or removes a ref is in them as that, and a
// fork as one.
func (h Happening) Activity() string {
	name := h.Event
	if h.Action != "" {
		name += " " + h.Action
	}
	if h.Repo == nil || h.Hook != nil || h.Event == "push" && (h.Before == "" || h.After == "") || h.Event == "repository" && h.Repo.ParentID != 0 {
		return ""
	}
	return activityOf[name]
}

// feeds reports whether a happening becomes an entry of feeds, which are filled
// when inboxes are.
func (s *State) feeds(h Happening) bool {
	return s.inboxes && (h.Activity() != "" || h.Event == "push" && h.Hook == nil)
}

// NewActivityID is the id of the next entry of feeds.
func (s *State) NewActivityID() ID {
	if last := len(s.Activities.order); last > 0 {
		return s.Activities.order[last-1] + 1
	}
	return firstActivity + 1
}

// AddActivity adds the newest entry of feeds.
func (s *State) AddActivity(a Activity) {
	if s.Activities.Len() >= maxActivities {
		all := slices.Collect(s.Activities.All())
		for _, old := range all[:len(all)/2] {
			s.Activities.Delete(old.ID)
		}
	}
	s.Activities.Add(a.ID, &a)
}

// Feed returns the newest entries of a feed, newest first: those that the viewer
// may see, or everybody if only public ones are wanted.
func (s *State) Feed(viewer ID, public bool, has func(a *Activity, repo *Repo) bool) []*Activity {
	var feed []*Activity
	for _, id := range slices.Backward(s.Activities.order) {
		a := s.Activities.peek(id)
		if a == nil || a.Type == "" || len(feed) == MaxFeed {
			continue
		}
		repo := s.Repos.peek(a.RepoID)
		if repo != nil && (!public || a.Public && !repo.Private) && s.Permission(viewer, repo) >= PermRead && has(a, repo) {
			feed = append(feed, a)
		}
	}
	return feed
}

// Moves returns what was done to the branches of a repository, newest first.
func (s *State) Moves(repo *Repo) []*Activity {
	moves := s.Activities.Where(func(a *Activity) bool {
		return a.RepoID == repo.ID && a.Move != nil && strings.HasPrefix(a.Move.Ref, headsPrefix)
	})
	slices.Reverse(moves)
	return moves
}

// MoveKind is GitHub's word for what a move was.
func (s *State) MoveKind(repo *Repo, m RefMove) string {
	branch := strings.TrimPrefix(m.Ref, headsPrefix)
	merged := s.Issues.First(func(i *Issue) bool {
		return i.RepoID == repo.ID && i.Pull != nil && i.Pull.Merged() && i.Pull.MergeCommitSHA == m.After && i.Pull.BaseRef == branch
	})
	switch {
	case m.Before == "":
		return "branch_creation"
	case m.After == "":
		return "branch_deletion"
	case merged != nil && slices.ContainsFunc(s.EventsOf(merged), func(e *Event) bool { return e.Kind == EventQueued }):
		return "merge_queue_merge"
	case merged != nil:
		return "pr_merge"
	case m.Forced:
		return "force_push"
	default:
		return "push"
	}
}

// Receives reports whether an entry is one of those that a user is shown: of what
// others do in repositories that he watches, or that he follows.
func (s *State) Receives(user *User, a *Activity, repo *Repo) bool {
	return a.ActorID != user.ID && (slices.Contains(s.watchers(repo.ID), user.ID) || slices.Contains(user.Following, a.ActorID))
}

// activities checks the feeds of a world that was read from a file.
func (v *validation) activities() {
	for a := range v.s.Activities.All() {
		if v.problem == nil && a.ID <= firstActivity {
			v.problem = &Problem{Kind: Invalid, Message: "an entry of feeds has an id that was never given"}
		}
	}
}
