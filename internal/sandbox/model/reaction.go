package model

import (
	"slices"
	"time"
)

// Reactions are the ways to react, with GitHub's names.
var Reactions = []string{"+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"}

// Reaction is a user's reaction to an issue, a pull request, a release, a
// discussion or a comment.
type Reaction struct {
	ID     ID
	RepoID ID
	// SubjectID is the id of what it is to.
	SubjectID ID
	UserID    ID
	Content   string
	CreatedAt time.Time
}

func (r *Reaction) clone() *Reaction { return copyOf(r) }

// React adds a reaction to an issue or comment of a repository. added is false
// if the user has reacted so before; then it is that reaction.
func (s *State) React(actor ID, repo *Repo, subject ID, content string) (r *Reaction, added bool, err error) {
	if err := s.require(actor, repo, PermRead); err != nil {
		return nil, false, err
	}
	if !slices.Contains(Reactions, content) {
		return nil, false, invalidValue("Reaction", "content", "invalid", content)
	}
	known := s.Reactions.firstOf(reactionBySubject, key{of: subject}, func(r *Reaction) bool { return r.UserID == actor && r.Content == content })
	if known != nil {
		return known, false, nil
	}
	r = &Reaction{ID: s.newID(), RepoID: repo.ID, SubjectID: subject, UserID: actor, Content: content, CreatedAt: s.Advance()}
	return s.Reactions.Add(r.ID, r), true, nil
}

// ReactionsTo returns the reactions to an issue or comment, oldest first.
func (s *State) ReactionsTo(subject ID) []*Reaction {
	return s.Reactions.with(reactionBySubject, key{of: subject})
}

// DeleteReaction takes a reaction back. Who reacted may, and administrators.
func (s *State) DeleteReaction(actor ID, r *Reaction) error {
	if err := s.requireOfOthers(actor, s.Repos.Get(r.RepoID), r.UserID, PermAdmin); err != nil {
		return err
	}
	s.Advance()
	s.Reactions.Delete(r.ID)
	return nil
}

// dropReactions removes the reactions to something that is gone.
func (s *State) dropReactions(subject ID) {
	for _, r := range s.ReactionsTo(subject) {
		s.Reactions.Delete(r.ID)
	}
}
