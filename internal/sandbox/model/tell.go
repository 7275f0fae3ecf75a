package model

import (
	"regexp"
	"slices"
	"strings"
)

// Told is somebody whom GitHub sends a notification of a change, which nothing
// takes back.
type Told struct {
	UserID ID
	Reason string
}

// The reasons, by the names that GitHub's notifications have them under.
const (
	ToldAssigned        = "assign"
	ToldReviewRequested = "review_requested"
	ToldMentioned       = "mention"
	ToldTeamMentioned   = "team_mention"
	// ToldState is for those who are subscribed to an issue or pull request that
	// is closed or reopened.
	ToldState = "state_change"
	// ToldSubscribed is for those who watch a repository in which an issue or
	// pull request is opened, or a release is published.
	ToldSubscribed = "subscribed"
)

// tell notes that users are sent a notification of what becomes of a row of a
// repository: but for who does it, for those who may not read the repository,
// and for those who ignore it.
func (s *State) tell(actor, repo, row ID, reason string, users ...ID) {
	if !s.notifies() {
		return
	}
	in := s.Repos.peek(repo)
	for _, id := range users {
		told := Told{id, reason}
		if s.hears(actor, id, in) && !slices.Contains(s.recording.told[row], told) {
			s.recording.told[row] = append(s.recording.told[row], told)
			s.recording.notes = append(s.recording.notes, note{user: id, row: row, reason: reason, mentions: reason == ToldMentioned})
		}
	}
}

// tellWatchers tells those who watch a repository, as its owner does.
func (s *State) tellWatchers(actor, repo, row ID) {
	s.tell(actor, repo, row, ToldSubscribed, s.watchers(repo)...)
}

func (s *State) watchers(repo ID) []ID {
	r := s.Repos.peek(repo)
	return append(slices.Clone(r.Watchers), r.OwnerID)
}

// tellSubscribers tells those who watch the repository, and those who take part
// in an issue or pull request.
func (s *State) tellSubscribers(actor ID, i *Issue) {
	if !s.notifies() {
		return
	}
	users := append(s.watchers(i.RepoID), i.AuthorID)
	users = append(users, i.Assignees...)
	for _, c := range s.Comments.find(commentByIssue, key{of: i.ID}) {
		users = append(users, c.AuthorID)
	}
	if i.Pull != nil {
		users = append(users, i.Pull.RequestedReviewers...)
		for _, r := range s.Reviews.find(reviewByIssue, key{of: i.ID}) {
			users = append(users, r.AuthorID)
		}
	}
	slices.Sort(users)
	s.tell(actor, i.RepoID, i.ID, ToldState, slices.Compact(users)...)
}

var (
	// mention matches @login and @organization/team.
	mention = regexp.MustCompile(`(?:^|[^\w/@.-])@([A-Za-z0-9][\w-]*)(?:/([\w-]+))?`)
	// code is where nobody is mentioned.
	code = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
)

// tellMentioned tells those whom a text of a row mentions and did not mention
// before.
func (s *State) tellMentioned(actor, repo, row ID, before, text string) {
	if !s.notifies() {
		return
	}
	known := mentions(before)
	for _, m := range mentions(text) {
		if slices.Contains(known, m) {
			continue
		}
		u := s.User(m[0])
		switch {
		case u == nil:
		case m[1] == "":
			s.tell(actor, repo, row, ToldMentioned, u.ID)
		default:
			if t := s.Team(actor, u, m[1]); t != nil && !t.Quiet {
				s.tell(actor, repo, row, ToldTeamMentioned, t.Members...)
			}
		}
	}
}

// The kinds of the events by which a timeline tells whom a text mentions, and that he is
// subscribed from then on. They are his own.
const (
	EventMentioned  = "mentioned"
	EventSubscribed = "subscribed"
)

// recordMention has the timeline of an issue or pull request tell that a text there
// mentions a user.
func (s *State) recordMention(user ID, i *Issue) {
	s.record(user, i, Event{Kind: EventMentioned})
	if i.AuthorID != user && !slices.ContainsFunc(s.EventsOf(i), func(e *Event) bool { return e.Kind == EventSubscribed && e.ActorID == user }) {
		s.record(user, i, Event{Kind: EventSubscribed})
	}
}

// mentions returns whom a text mentions, each once: a login in small letters,
// with the slug of a team or an empty text.
func mentions(text string) [][2]string {
	var found [][2]string
	for _, m := range mention.FindAllStringSubmatch(code.ReplaceAllLiteralString(text, " "), -1) {
		if one := [2]string{strings.ToLower(m[1]), m[2]}; !slices.Contains(found, one) {
			found = append(found, one)
		}
	}
	return found
}
