package model

import (
	"slices"
	"strings"
)

// CommentOnDiscussion comments on a discussion, or replies to a comment on it.
func (s *State) CommentOnDiscussion(actor ID, d *Discussion, replyTo *DiscussionComment, body string) (*DiscussionComment, error) {
	repo := s.Repos.Get(d.RepoID)
	if err := s.require(actor, repo, PermRead); err != nil {
		return nil, err
	}
	switch {
	case d.Locked && s.Permission(actor, repo) < PermTriage:
		return nil, forbidden("Unable to create comment because discussion is locked.")
	case replyTo != nil && replyTo.DiscussionID != d.ID:
		return nil, unprocessable("Parent comment is not on this discussion")
	case replyTo != nil && replyTo.ReplyToID != 0:
		return nil, unprocessable("Parent comment is already in a thread, cannot reply to it")
	}
	if err := checkDiscussionComment(body); err != nil {
		return nil, err
	}
	d.UpdatedAt = s.Advance()
	c := &DiscussionComment{ID: s.newID(), RepoID: repo.ID, DiscussionID: d.ID, AuthorID: actor, Body: body, CreatedAt: s.Now, UpdatedAt: s.Now}
	if replyTo != nil {
		c.ReplyToID = replyTo.ID
	}
	s.noteDiscussion(actor, d, c.ID)
	s.tellMentioned(actor, repo.ID, c.ID, "", body)
	return s.DiscussionComments.Add(c.ID, c), nil
}

func checkDiscussionComment(body string) error {
	if strings.TrimSpace(body) == "" {
		return invalid(discussionCommentResource, "body", "missing_field")
	}
	return checkBody(discussionCommentResource, body)
}

// noteDiscussion notes that those who watch a repository or take part in a
// discussion are told of what was said there.
func (s *State) noteDiscussion(actor ID, d *Discussion, row ID) {
	if !s.notifies() {
		return
	}
	reasons := map[ID]string{}
	for _, id := range s.watchers(d.RepoID) {
		reasons[id] = ToldSubscribed
	}
	for _, c := range s.DiscussionComments.find(commentByDiscussion, key{of: d.ID}) {
		reasons[c.AuthorID] = toldComment
	}
	reasons[d.AuthorID] = toldAuthor
	in := s.Repos.peek(d.RepoID)
	for _, id := range sortedKeys(reasons) {
		if s.hears(actor, id, in) {
			s.recording.notes = append(s.recording.notes, note{user: id, row: row, reason: reasons[id]})
		}
	}
}

// EditDiscussionComment changes what was said. Its author may, and who may write.
func (s *State) EditDiscussionComment(actor ID, c *DiscussionComment, body string) error {
	if err := s.requireOfOthers(actor, s.Repos.Get(c.RepoID), c.AuthorID, PermWrite); err != nil {
		return err
	}
	if c.DeletedAt != nil {
		return notFound()
	}
	if err := checkDiscussionComment(body); err != nil {
		return err
	}
	c.UpdatedAt = s.Advance()
	s.tellMentioned(actor, c.RepoID, c.ID, c.Body, body)
	c.Body = body
	return nil
}

// DeleteDiscussionComment removes what was said, for its author and those who may
// triage. What was replied to stays, without its text and its author.
func (s *State) DeleteDiscussionComment(actor ID, c *DiscussionComment) error {
	if err := s.requireOfOthers(actor, s.Repos.Get(c.RepoID), c.AuthorID, PermTriage); err != nil {
		return err
	}
	now := s.Advance()
	d := s.Discussions.Get(c.DiscussionID)
	s.because(CauseDeletion, func() {
		s.dropReactions(c.ID)
		if d.AnswerID == c.ID {
			d.AnswerID, d.AnswerChosenBy, d.AnswerChosenAt = 0, 0, nil
		}
	})
	if len(s.CommentsOfDiscussion(d, c.ID)) > 0 {
		c.Body, c.AuthorID, c.DeletedAt = "", 0, &now
		return nil
	}
	s.DiscussionComments.Delete(c.ID)
	return nil
}

// AnswerDiscussion makes a comment the answer of its discussion, or no more. Who
// asked may, and who may triage.
func (s *State) AnswerDiscussion(actor ID, c *DiscussionComment, is bool) error {
	d := s.Discussions.Get(c.DiscussionID)
	repo := s.Repos.Get(d.RepoID)
	if err := s.requireOfOthers(actor, repo, d.AuthorID, PermTriage); err != nil {
		return err
	}
	switch {
	case !repo.Category(d.CategoryID).Answerable:
		return unprocessable("Discussion category does not support answers")
	case is && c.DeletedAt != nil:
		return notFound()
	case !is && d.AnswerID != c.ID:
		return unprocessable("Comment is not the answer of the discussion")
	}
	now := s.Advance()
	if d.UpdatedAt = now; !is {
		d.AnswerID, d.AnswerChosenBy, d.AnswerChosenAt = 0, 0, nil
	} else if d.AnswerID != c.ID {
		d.AnswerID, d.AnswerChosenBy, d.AnswerChosenAt = c.ID, actor, &now
	}
	return nil
}

// Upvote adds a user's vote for a discussion or a comment on one, or takes it
// back. What one has said oneself has one's vote already.
func (s *State) Upvote(actor, repo ID, voters *[]ID, wanted bool) error {
	if err := s.require(actor, s.Repos.Get(repo), PermRead); err != nil {
		return err
	}
	s.Advance()
	if wanted == slices.Contains(*voters, actor) {
		return nil
	}
	if *voters = without(*voters, actor); wanted {
		*voters = append(*voters, actor)
	}
	return nil
}

// dropDiscussions removes the discussions of a repository that is deleted.
func (s *State) dropDiscussions(repo ID) {
	deleteOf(&s.Discussions, repo, func(d *Discussion) (ID, ID) { return d.ID, d.RepoID })
	deleteOf(&s.DiscussionComments, repo, func(c *DiscussionComment) (ID, ID) { return c.ID, c.RepoID })
}

// discussions checks the discussions of a world that was read from a file.
func (v *validation) discussions() {
	each(v, "discussion", &v.s.Discussions, func(d *Discussion) ID { return d.ID }, func(d *Discussion, must demand) {
		repo := v.s.Repos.Get(d.RepoID)
		must(repo != nil, lacksRepo)
		must(repo != nil && repo.Category(d.CategoryID) != nil, "its category is missing")
		answer := v.s.DiscussionComments.Get(d.AnswerID)
		must(d.AnswerID == 0 || answer != nil && answer.DiscussionID == d.ID, "its answer is missing")
	})
	each(v, "discussion comment", &v.s.DiscussionComments, func(c *DiscussionComment) ID { return c.ID }, func(c *DiscussionComment, must demand) {
		d, above := v.s.Discussions.Get(c.DiscussionID), v.s.DiscussionComments.Get(c.ReplyToID)
		must(d != nil && d.RepoID == c.RepoID, "its discussion is missing")
		must(c.ReplyToID == 0 || above != nil && above.DiscussionID == c.DiscussionID && above.ReplyToID == 0, "what it replies to is missing")
	})
}
