package model

// tellDiscussion tells of a discussion, and of each thing that became of it.
func tellDiscussion(s *State, before, after *Discussion) {
	d := either(before, after)
	if !s.stays(d.RepoID) {
		return
	}
	tell := func(action string, h Happening) {
		h.Event, h.Action, h.RepoID, h.Discussion = "discussion", action, d.RepoID, d
		s.emit(h)
	}
	switch {
	case before == nil:
		tell("created", Happening{ActorID: after.AuthorID})
		return
	case after == nil:
		tell("deleted", Happening{})
		return
	}
	if changes := changesOf(edited{"title", before.Title, after.Title}, edited{"body", before.Body, after.Body}); changes != nil {
		tell("edited", Happening{Changes: changes})
	}
	if before.CategoryID != after.CategoryID {
		tell("category_changed", Happening{Subject: before.CategoryID})
	}
	if before.AnswerID != after.AnswerID {
		if before.AnswerID != 0 {
			tell("unanswered", Happening{Subject: s.discussionComment(before.AnswerID)})
		}
		if after.AnswerID != 0 {
			tell("answered", Happening{Subject: s.discussionComment(after.AnswerID)})
		}
	}
	if before.Closed != after.Closed {
		tell(onOff(after.Closed, "closed", "reopened"), Happening{})
	}
	if before.Locked != after.Locked {
		tell(onOff(after.Locked, "locked", "unlocked"), Happening{})
	}
	for _, id := range difference(after.Labels, before.Labels) {
		tell("labeled", Happening{LabelID: id})
	}
	for _, id := range difference(before.Labels, after.Labels) {
		tell("unlabeled", Happening{LabelID: id})
	}
}

// discussionComment returns a comment as it is, or as it was if it is gone.
func (s *State) discussionComment(id ID) *DiscussionComment {
	if c := s.DiscussionComments.peek(id); c != nil {
		return c
	}
	if known := s.DiscussionComments.record.rows[id]; known != nil {
		return known.first
	}
	return nil
}

// tellDiscussionComment tells of what was said on a discussion, which is told of
// as a whole where it is gone.
func tellDiscussionComment(s *State, before, after *DiscussionComment) {
	c := either(before, after)
	h := Happening{Event: "discussion_comment", RepoID: c.RepoID, Discussion: s.Discussions.peek(c.DiscussionID), Subject: c}
	switch {
	case h.Discussion == nil || !s.stays(c.RepoID):
		return
	case before == nil:
		h.Action, h.ActorID = "created", c.AuthorID
	case after == nil, before.DeletedAt == nil && after.DeletedAt != nil:
		h.Action, h.Subject = "deleted", before
	case before.Body != after.Body:
		h.Action, h.Changes = "edited", changesOf(edited{"body", before.Body, after.Body})
	default:
		return
	}
	s.emit(h)
}
