package model

import (
	"cmp"
	"slices"
	"time"
)

// Notification is what a user is told of an issue, a pull request or a release,
// as one thread; or that he takes part in it, if he was told of nothing yet.
type Notification struct {
	ID        ID
	UserID    ID
	RepoID    ID
	SubjectID ID
	// LatestID is the issue, comment, review or release that the user was told of
	// last, for the reason.
	LatestID ID
	Reason   string
	Unread   bool
	// Done ones are not listed until there is something new.
	Done bool
	// Ignored ones tell of nothing but mentions; Subscribed is true for one that
	// the user asked for.
	Ignored, Subscribed bool
	// UpdatedAt is when the user was told last, the zero time if he never was.
	UpdatedAt time.Time
	// LastReadAt is nil if it was never read.
	LastReadAt *time.Time
}

func (n *Notification) clone() *Notification {
	c := *n
	c.LastReadAt = copyOf(n.LastReadAt)
	return &c
}

// The reasons that notifications alone have.
const (
	toldAuthor  = "author"
	toldComment = "comment"
	toldManual  = "manual"
)

// notificationID is the id of the thread of a user about something: no other ids
// are as large, and making one changes no other ids.
func notificationID(user, subject ID) ID {
	const bits = 32
	return user<<bits | subject
}

// note is a notification that is to be sent when an act ends.
type note struct {
	user, row ID
	// reason is empty for a user who is not told but takes part from now on.
	reason string
	// mentions is true if the row itself mentions him.
	mentions bool
}

// noteSubscribers notes that those who take part in an issue or pull request are
// told of what somebody said there, as are those who watch the repository, and
// that he takes part from now on. What it costs does not depend on how much was
// said.
func (s *State) noteSubscribers(actor ID, i *Issue, row ID) {
	if !s.notifies() {
		return
	}
	reasons := map[ID]string{}
	for _, id := range s.watchers(i.RepoID) {
		reasons[id] = ToldSubscribed
	}
	for _, n := range s.Notifications.find(notificationBySubject, key{of: i.ID}) {
		if !n.Ignored {
			reasons[n.UserID] = cmp.Or(n.Reason, toldComment)
		}
	}
	if i.Pull != nil {
		for _, id := range i.Pull.RequestedReviewers {
			reasons[id] = ToldReviewRequested
		}
	}
	for _, id := range i.Assignees {
		reasons[id] = ToldAssigned
	}
	reasons[i.AuthorID] = toldAuthor
	in := s.Repos.peek(i.RepoID)
	for _, id := range sortedKeys(reasons) {
		if s.hears(actor, id, in) {
			s.recording.notes = append(s.recording.notes, note{user: id, row: row, reason: reasons[id]})
		}
	}
	s.recording.notes = append(s.recording.notes, note{user: actor, row: row})
}

func sortedKeys(m map[ID]string) []ID {
	keys := make([]ID, 0, len(m))
	for id := range m {
		keys = append(keys, id)
	}
	slices.Sort(keys)
	return keys
}

// hears reports whether a user can be told of what somebody does in a
// repository.
func (s *State) hears(actor, id ID, in *Repo) bool {
	u := s.Users.peek(id)
	return id != actor && u != nil && u.Type == TypeUser && !slices.Contains(in.Ignorers, id) && s.Permission(id, in) >= PermRead
}

// FillInboxes has what is done from now on send notifications, or not: requests
// do, and what a world is filled with does not.
func (s *State) FillInboxes(on bool) { s.inboxes = on }

// notifies reports whether it is noted who is told of what is done: the log has it,
// and so have inboxes.
func (s *State) notifies() bool { return s.recording != nil && (s.watcher != nil || s.inboxes) }

// sendNotes makes threads of what was noted in an act, and has timelines tell of mentions.
func (s *State) sendNotes() {
	if !s.inboxes {
		return
	}
	for _, one := range s.recording.notes {
		subject, repo := s.subjectOf(one.row)
		if subject == 0 {
			continue
		}
		if i := s.Issues.peek(subject); i != nil && one.mentions {
			s.recordMention(one.user, i)
		}
		id := notificationID(one.user, subject)
		n := s.Notifications.Get(id)
		if n == nil {
			n = s.Notifications.Add(id, &Notification{ID: id, UserID: one.user, RepoID: repo, SubjectID: subject})
		}
		mentioned := one.reason == ToldMentioned || one.reason == ToldTeamMentioned
		if one.reason == "" || n.Ignored && !mentioned {
			continue
		}
		n.RepoID, n.LatestID, n.Reason, n.Unread, n.Done, n.UpdatedAt = repo, one.row, one.reason, true, false, s.Now
	}
	s.recording.notes = nil
}

// subjectOf returns the issue, pull request or release that a row is or belongs
// to, with its repository; 0 for one that is gone.
func (s *State) subjectOf(row ID) (subject, repo ID) {
	if c := s.Comments.peek(row); c != nil {
		row = c.IssueID
	} else if r := s.Reviews.peek(row); r != nil {
		row = r.IssueID
	} else if c := s.ReviewComments.peek(row); c != nil {
		if t := s.Threads.peek(c.ThreadID); t != nil {
			row = t.IssueID
		}
	}
	if c := s.DiscussionComments.peek(row); c != nil {
		row = c.DiscussionID
	}
	if d := s.Discussions.peek(row); d != nil {
		return d.ID, d.RepoID
	}
	if i := s.Issues.peek(row); i != nil {
		return i.ID, i.RepoID
	}
	if r := s.Releases.peek(row); r != nil {
		return r.ID, r.RepoID
	}
	return 0, 0
}

// NotificationsOf returns the threads of a user about what he may still see, the
// latest first.
func (s *State) NotificationsOf(user ID) []*Notification {
	var all []*Notification
	for _, n := range s.Notifications.find(notificationByUser, key{of: user}) {
		if s.seesNotification(n) {
			all = append(all, n)
		}
	}
	slices.SortStableFunc(all, func(a, b *Notification) int { return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(b.ID, a.ID)) })
	return all
}

func (s *State) seesNotification(n *Notification) bool {
	repo := s.Repos.peek(n.RepoID)
	subject, _ := s.subjectOf(n.SubjectID)
	return !n.UpdatedAt.IsZero() && !n.Done && repo != nil && subject != 0 && s.Permission(n.UserID, repo) >= PermRead
}

// Notification returns a user's thread, nil if he has none of that id.
func (s *State) Notification(user, id ID) *Notification {
	n := s.Notifications.peek(id)
	if n == nil || n.UserID != user || n.Done || !s.seesNotification(n) {
		return nil
	}
	return s.Notifications.Get(id)
}

// MarkNotifications makes a user's threads read, or unread: of one repository or
// for 0 of all, as far as they are no newer than a time.
func (s *State) MarkNotifications(user, repo ID, until time.Time, read bool) {
	now := s.Advance()
	for _, n := range s.Notifications.whereOf(notificationByUser, key{of: user}, func(n *Notification) bool {
		return n.Unread == read && !n.UpdatedAt.IsZero() && (repo == 0 || n.RepoID == repo) && !n.UpdatedAt.After(until)
	}) {
		n.mark(now, read)
	}
}

// MarkNotification makes one thread read.
func (s *State) MarkNotification(n *Notification) { n.mark(s.Advance(), true) }

func (n *Notification) mark(now time.Time, read bool) {
	if n.Unread = !read; read {
		n.LastReadAt = &now
	}
}

// FinishNotification takes a thread off the list until there is something new.
func (s *State) FinishNotification(n *Notification) {
	n.mark(s.Advance(), true)
	n.Done = true
}

// SubscribeThread has a user told of a thread, or of its mentions alone; with
// neither he is told as others are.
func (s *State) SubscribeThread(n *Notification, subscribed, ignored bool) {
	s.Advance()
	n.Subscribed, n.Ignored = subscribed, ignored
	if subscribed {
		n.Reason = toldManual
	}
}

// dropNotifications forgets what is told of something that is gone.
func (s *State) dropNotifications(subject ID) {
	for _, n := range s.Notifications.with(notificationBySubject, key{of: subject}) {
		s.Notifications.Delete(n.ID)
	}
}

// notifications checks the notifications of a world that was read from a file.
func (v *validation) notifications() {
	for n := range v.s.Notifications.All() {
		if v.problem == nil && (n.ID != notificationID(n.UserID, n.SubjectID) || v.s.Users.Get(n.UserID) == nil || !v.repo(n.RepoID)) {
			v.problem = &Problem{Kind: Invalid, Message: "a notification is of no user, or of no repository"}
		}
	}
}
