package model

import (
	"slices"
	"strings"
	"time"
)

// DiscussionCategory is a kind of discussion that a repository has.
type DiscussionCategory struct {
	ID                             ID
	Name, Slug, Emoji, Description string
	// Answerable ones are questions, of which a comment can be the answer.
	Answerable bool
	// Announcing ones are begun by maintainers alone.
	Announcing bool
	CreatedAt  time.Time
}

// Discussion is a discussion of a repository. Its number is of those of issues.
type Discussion struct {
	ID          ID
	RepoID      ID
	Number      int
	CategoryID  ID
	AuthorID    ID
	Title, Body string
	// AnswerID is the comment that is the answer, 0 for none.
	AnswerID       ID
	AnswerChosenBy ID
	AnswerChosenAt *time.Time
	Closed         bool
	// StateReason is why it is closed: resolved, outdated or duplicate; reopened
	// for one that was.
	StateReason          string
	ClosedAt             *time.Time
	Locked               bool
	LockReason           string
	Labels               []ID
	Upvoters             []ID
	CreatedAt, UpdatedAt time.Time
}

func (d *Discussion) clone() *Discussion {
	c := *d
	c.AnswerChosenAt, c.ClosedAt = copyOf(d.AnswerChosenAt), copyOf(d.ClosedAt)
	c.Labels, c.Upvoters = slices.Clone(d.Labels), slices.Clone(d.Upvoters)
	return &c
}

// DiscussionComment is a comment on a discussion, or a reply to one.
type DiscussionComment struct {
	ID           ID
	RepoID       ID
	DiscussionID ID
	// ReplyToID is the comment that it replies to, 0 for none.
	ReplyToID ID
	AuthorID  ID
	Body      string
	// Minimized is why it is hidden, empty if it is not.
	Minimized string
	Upvoters  []ID
	// DeletedAt is when it was deleted, if it stays for its replies; else nil.
	DeletedAt            *time.Time
	CreatedAt, UpdatedAt time.Time
}

func (c *DiscussionComment) clone() *DiscussionComment {
	own := *c
	own.Upvoters, own.DeletedAt = slices.Clone(c.Upvoters), copyOf(c.DeletedAt)
	return &own
}

const (
	discussionResource        = "Discussion"
	discussionCommentResource = "DiscussionComment"
)

// defaultCategories are those that a repository has from the day on which its
// discussions are turned on.
var defaultCategories = []DiscussionCategory{
	{Name: "Announcements", Slug: "announcements", Emoji: ":mega:", Description: "Updates from maintainers", Announcing: true},
	{Name: "General", Slug: "general", Emoji: ":speech_balloon:", Description: "Chat about anything and everything here"},
	{Name: "Ideas", Slug: "ideas", Emoji: ":bulb:", Description: "Share ideas for new features"},
	{Name: "Polls", Slug: "polls", Emoji: ":ballot_box:", Description: "Take a vote from the community"},
	{Name: "Q&A", Slug: "q-a", Emoji: ":pray:", Description: "Ask the community for help", Answerable: true},
	{Name: "Show and tell", Slug: "show-and-tell", Emoji: ":raised_hands:", Description: "Show off something you've made"},
}

// OfferDiscussions turns a repository's discussions on or off. They stay when
// they are turned off, and are not shown.
func (s *State) OfferDiscussions(repo *Repo, on bool) {
	repo.HasDiscussions = on
	if !on || len(repo.DiscussionCategories) > 0 {
		return
	}
	for _, c := range defaultCategories {
		c.ID, c.CreatedAt = s.newID(), s.Now
		repo.DiscussionCategories = append(repo.DiscussionCategories, c)
	}
}

// Category returns the category of an id, with the repository that has it; nil
// for none.
func (s *State) Category(id ID) (*DiscussionCategory, *Repo) {
	for r := range s.Repos.All() {
		if c := r.Category(id); c != nil {
			return c, r
		}
	}
	return nil, nil
}

// Category returns a repository's category of an id, nil for none.
func (r *Repo) Category(id ID) *DiscussionCategory {
	at := slices.IndexFunc(r.DiscussionCategories, func(c DiscussionCategory) bool { return c.ID == id })
	if at < 0 {
		return nil
	}
	return &r.DiscussionCategories[at]
}

// DiscussionsOf returns a repository's discussions, oldest first; none where they
// are turned off.
func (s *State) DiscussionsOf(repo *Repo) []*Discussion {
	if !repo.HasDiscussions {
		return nil
	}
	return s.Discussions.with(discussionByNumber, key{of: repo.ID})
}

// Discussion returns a discussion by its number, nil if there is none.
func (s *State) Discussion(repo *Repo, number int) *Discussion {
	if !repo.HasDiscussions {
		return nil
	}
	return s.Discussions.only(discussionByNumber, key{of: repo.ID, n: number})
}

// CommentsOfDiscussion returns what was said on a discussion, or for the id of a
// comment what was replied to it, oldest first.
func (s *State) CommentsOfDiscussion(d *Discussion, replyTo ID) []*DiscussionComment {
	return s.DiscussionComments.whereOf(commentByDiscussion, key{of: d.ID}, func(c *DiscussionComment) bool { return c.ReplyToID == replyTo })
}

// DiscussionCommentCount is how many comments and replies a discussion has.
func (s *State) DiscussionCommentCount(d *Discussion) int {
	return s.DiscussionComments.count(commentByDiscussion, key{of: d.ID})
}

// NewDiscussion describes a discussion to begin.
type NewDiscussion struct {
	Title, Body string
	CategoryID  ID
}

// CreateDiscussion begins a discussion.
func (s *State) CreateDiscussion(actor ID, repo *Repo, in NewDiscussion) (*Discussion, error) {
	if err := s.require(actor, repo, PermRead); err != nil {
		return nil, err
	}
	if !repo.HasDiscussions {
		return nil, unprocessable("Discussions are disabled for this repository")
	}
	if err := checkDiscussion(in.Title, in.Body); err != nil {
		return nil, err
	}
	if err := s.mayAnnounce(actor, repo, in.CategoryID); err != nil {
		return nil, err
	}
	s.Advance()
	repo.LastNumber++
	d := &Discussion{
		ID: s.newID(), RepoID: repo.ID, Number: repo.LastNumber, CategoryID: in.CategoryID, AuthorID: actor, Title: in.Title, Body: in.Body,
		CreatedAt: s.Now, UpdatedAt: s.Now,
	}
	s.tellWatchers(actor, repo.ID, d.ID)
	s.tellMentioned(actor, repo.ID, d.ID, "", in.Body)
	return s.Discussions.Add(d.ID, d), nil
}

func checkDiscussion(title, body string) error {
	if err := checkTitle(discussionResource, title); err != nil {
		return err
	}
	if strings.TrimSpace(body) == "" {
		return invalid(discussionResource, "body", "missing_field")
	}
	return checkBody(discussionResource, body)
}

// mayAnnounce refuses a category that a repository has not, and those who may not
// begin discussions of one.
func (s *State) mayAnnounce(actor ID, repo *Repo, category ID) error {
	c := repo.Category(category)
	if c == nil {
		return invalid(discussionResource, "category", "invalid")
	}
	if c.Announcing && s.Permission(actor, repo) < PermMaintain {
		return &Problem{Kind: Forbidden, Message: "Only maintainers can create announcements.", Lacking: true}
	}
	return nil
}

// DiscussionEdit changes a discussion; nil fields stay.
type DiscussionEdit struct {
	Title, Body *string
	CategoryID  *ID
}

// EditDiscussion changes a discussion. Its author may, and who may write; others
// that may triage may give it another category.
func (s *State) EditDiscussion(actor ID, d *Discussion, edit DiscussionEdit) error {
	repo, least := s.Repos.Get(d.RepoID), PermTriage
	if edit.Title != nil || edit.Body != nil {
		least = PermWrite
	}
	if err := s.requireOfOthers(actor, repo, d.AuthorID, least); err != nil {
		return err
	}
	title, body := orOld(edit.Title, d.Title), orOld(edit.Body, d.Body)
	if err := checkDiscussion(title, body); err != nil {
		return err
	}
	if edit.CategoryID != nil && *edit.CategoryID != d.CategoryID {
		if err := s.mayAnnounce(actor, repo, *edit.CategoryID); err != nil {
			return err
		}
		d.CategoryID = *edit.CategoryID
		if !repo.Category(d.CategoryID).Answerable {
			d.AnswerID, d.AnswerChosenBy, d.AnswerChosenAt = 0, 0, nil
		}
	}
	d.UpdatedAt = s.Advance()
	s.tellMentioned(actor, repo.ID, d.ID, d.Body, body)
	d.Title, d.Body = title, body
	return nil
}

// orOld is a new value, or the old one for nil.
func orOld[T any](now *T, old T) T {
	if now == nil {
		return old
	}
	return *now
}

// CloseDiscussion closes a discussion for a reason: resolved, outdated or
// duplicate. Its author may, and who may triage.
func (s *State) CloseDiscussion(actor ID, d *Discussion, reason string) error {
	return s.setDiscussion(actor, d, func() {
		if !d.Closed {
			d.Closed, d.ClosedAt = true, copyOf(&d.UpdatedAt)
		}
		d.StateReason = reason
	})
}

// ReopenDiscussion opens a closed discussion again, for the same users.
func (s *State) ReopenDiscussion(actor ID, d *Discussion) error {
	return s.setDiscussion(actor, d, func() {
		if d.Closed {
			d.Closed, d.ClosedAt, d.StateReason = false, nil, "reopened"
		}
	})
}

func (s *State) setDiscussion(actor ID, d *Discussion, set func()) error {
	if err := s.requireOfOthers(actor, s.Repos.Get(d.RepoID), d.AuthorID, PermTriage); err != nil {
		return err
	}
	d.UpdatedAt = s.Advance()
	set()
	return nil
}

// LockDiscussion closes a discussion for comments of those who may not triage, or
// opens it again. The reason may be empty.
func (s *State) LockDiscussion(actor ID, d *Discussion, locked bool, reason string) error {
	if err := s.require(actor, s.Repos.Get(d.RepoID), PermTriage); err != nil {
		return err
	}
	s.Advance()
	d.Locked, d.LockReason = locked, reason
	return nil
}

// LabelDiscussion puts a repository's labels on a discussion, and takes others
// off, by their ids. Who may triage may.
func (s *State) LabelDiscussion(actor ID, d *Discussion, on, off []ID) error {
	if err := s.require(actor, s.Repos.Get(d.RepoID), PermTriage); err != nil {
		return err
	}
	s.Advance()
	for _, id := range on {
		if !slices.Contains(d.Labels, id) {
			d.Labels = append(d.Labels, id)
		}
	}
	for _, id := range off {
		d.Labels = without(d.Labels, id)
	}
	return nil
}

// DeleteDiscussion removes a discussion with what was said on it. Who may triage
// may.
func (s *State) DeleteDiscussion(actor ID, d *Discussion) error {
	if err := s.require(actor, s.Repos.Get(d.RepoID), PermTriage); err != nil {
		return err
	}
	s.Advance()
	s.because(CauseDeletion, func() {
		for _, c := range s.DiscussionComments.with(commentByDiscussion, key{of: d.ID}) {
			s.dropReactions(c.ID)
			s.DiscussionComments.Delete(c.ID)
		}
		s.dropReactions(d.ID)
		s.dropNotifications(d.ID)
	})
	s.Discussions.Delete(d.ID)
	return nil
}
