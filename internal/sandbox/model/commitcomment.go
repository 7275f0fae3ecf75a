package model

import (
	"slices"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// CommitComment is a comment on a commit, outside of pull requests.
type CommitComment struct {
	ID        ID
	RepoID    ID
	CommitSHA string
	AuthorID  ID
	Body      string
	// Path is the file that it is about, empty for the commit as a whole.
	// Position is the line in the file's diff, Line the line of the file; nil
	// for none.
	Path           string
	Position, Line *int
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

func (c *CommitComment) clone() *CommitComment {
	own := *c
	own.Position, own.Line = copyOf(c.Position), copyOf(c.Line)
	return &own
}

const commitCommentResource = "CommitComment"

// NewCommitComment describes a comment on a commit.
type NewCommitComment struct {
	Body, Path     string
	Position, Line *int
}

// CommentOnCommit comments on a commit of a repository.
func (s *State) CommentOnCommit(actor ID, repo *Repo, commit gitstore.Hash, in NewCommitComment) (*CommitComment, error) {
	if err := s.require(actor, repo, PermRead); err != nil {
		return nil, err
	}
	if in.Body == "" {
		return nil, invalid(commitCommentResource, "body", "missing_field")
	}
	if err := checkBody(commitCommentResource, in.Body); err != nil {
		return nil, err
	}
	if in.Path != "" {
		if _, err := repo.Git.Entry(commit, in.Path); err != nil {
			return nil, invalid(commitCommentResource, "path", "invalid")
		}
	}
	now := s.Advance()
	c := &CommitComment{
		ID: s.newID(), RepoID: repo.ID, CommitSHA: commit.String(), AuthorID: actor, Body: in.Body, Path: in.Path, Position: in.Position, Line: in.Line,
		CreatedAt: now, UpdatedAt: now,
	}
	s.tellMentioned(actor, repo.ID, c.ID, "", in.Body)
	return s.CommitComments.Add(c.ID, c), nil
}

// EditCommitComment changes the text of a comment on a commit. Its author may,
// and those who may write to the repository.
func (s *State) EditCommitComment(actor ID, c *CommitComment, body string) error {
	if err := s.requireOfOthers(actor, s.Repos.Get(c.RepoID), c.AuthorID, PermWrite); err != nil {
		return err
	}
	if body == "" {
		return invalid(commitCommentResource, "body", "missing_field")
	}
	if err := checkBody(commitCommentResource, body); err != nil {
		return err
	}
	s.tellMentioned(actor, c.RepoID, c.ID, c.Body, body)
	c.Body, c.UpdatedAt = body, s.Advance()
	return nil
}

// DeleteCommitComment removes a comment on a commit, for the same users.
func (s *State) DeleteCommitComment(actor ID, c *CommitComment) error {
	if err := s.requireOfOthers(actor, s.Repos.Get(c.RepoID), c.AuthorID, PermWrite); err != nil {
		return err
	}
	s.Advance()
	s.because(CauseDeletion, func() { s.dropReactions(c.ID) })
	s.CommitComments.Delete(c.ID)
	return nil
}

// CommentsOn returns the comments on a commit, oldest first.
func (s *State) CommentsOn(repo *Repo, commit string) []*CommitComment {
	return s.CommitComments.with(commentByCommit, key{of: repo.ID, text: commit})
}

// CommitCommentsIn returns the comments on all commits of a repository, oldest
// first.
func (s *State) CommitCommentsIn(repo *Repo) []*CommitComment {
	return s.CommitComments.Where(func(c *CommitComment) bool { return c.RepoID == repo.ID })
}

// CommitCommentCount is how many comments a commit has.
func (s *State) CommitCommentCount(repo *Repo, commit string) int {
	return s.CommitComments.count(commentByCommit, key{of: repo.ID, text: commit})
}

// Invitation is an offer to become a collaborator of a repository, that the
// invited user has not answered yet.
type Invitation struct {
	ID                   ID
	RepoID               ID
	InviteeID, InviterID ID
	Permission           Permission
	CreatedAt            time.Time
}

func (i *Invitation) clone() *Invitation { return copyOf(i) }

// AddCollaborator lets a user do something in a repository. Who is a
// collaborator already, or a member of the organization that owns it, has it at
// once, and the invitation is nil; others are invited.
func (s *State) AddCollaborator(actor ID, repo *Repo, user *User, p Permission) (*Invitation, error) {
	if err := s.require(actor, repo, PermAdmin); err != nil {
		return nil, err
	}
	switch {
	case user.ID == repo.OwnerID:
		return nil, custom(repoResource, "", "Repository owner cannot be a collaborator")
	case user.Type != TypeUser:
		return nil, notFound()
	}
	now := s.Advance()
	if s.collaborates(user.ID, repo) || s.Users.Get(repo.OwnerID).Members[user.ID] != "" {
		repo.Collaborators[user.ID] = p
		return nil, nil
	}
	if known := s.Invitations.First(func(i *Invitation) bool { return i.RepoID == repo.ID && i.InviteeID == user.ID }); known != nil {
		known.Permission = p
		return known, nil
	}
	i := &Invitation{ID: s.newID(), RepoID: repo.ID, InviteeID: user.ID, InviterID: actor, Permission: p, CreatedAt: now}
	return s.Invitations.Add(i.ID, i), nil
}

// RemoveCollaborator takes away what a user was given in a repository, and an
// invitation. One may leave oneself.
func (s *State) RemoveCollaborator(actor ID, repo *Repo, user ID) error {
	if err := s.requireOfOthers(actor, repo, user, PermAdmin); err != nil {
		return err
	}
	s.Advance()
	delete(repo.Collaborators, user)
	for _, i := range s.InvitationsTo(repo) {
		if i.InviteeID == user {
			s.Invitations.Delete(i.ID)
		}
	}
	return nil
}

// InvitationsTo returns the open invitations to a repository.
func (s *State) InvitationsTo(repo *Repo) []*Invitation {
	return s.Invitations.Where(func(i *Invitation) bool { return i.RepoID == repo.ID })
}

// InvitationsFor returns the open invitations of a user.
func (s *State) InvitationsFor(user ID) []*Invitation {
	return s.Invitations.Where(func(i *Invitation) bool { return i.InviteeID == user })
}

// ChangeInvitation offers something else.
func (s *State) ChangeInvitation(actor ID, i *Invitation, p Permission) error {
	if err := s.require(actor, s.Repos.Get(i.RepoID), PermAdmin); err != nil {
		return err
	}
	s.Advance()
	i.Permission = p
	return nil
}

// WithdrawInvitation takes an invitation back.
func (s *State) WithdrawInvitation(actor ID, i *Invitation) error {
	if err := s.require(actor, s.Repos.Get(i.RepoID), PermAdmin); err != nil {
		return err
	}
	s.Advance()
	s.Invitations.Delete(i.ID)
	return nil
}

// AnswerInvitation accepts the actor's invitation, or declines it.
func (s *State) AnswerInvitation(actor ID, i *Invitation, accept bool) error {
	if i.InviteeID != actor {
		return notFound()
	}
	s.Advance()
	if accept {
		s.Repos.Get(i.RepoID).Collaborators[actor] = i.Permission
	}
	s.Invitations.Delete(i.ID)
	return nil
}

// PermissionNamed returns the permission that a request names: by GitHub's
// older words pull and push, or by those of roles.
func PermissionNamed(name string) (Permission, bool) {
	names := map[string]Permission{
		"pull": PermRead, "read": PermRead, "triage": PermTriage, "push": PermWrite, "write": PermWrite, "maintain": PermMaintain, "admin": PermAdmin,
	}
	p, known := names[name]
	return p, known
}

// TeamPermission is what a user has in a repository by his teams.
func (s *State) teamPermission(user ID, repo *Repo) Permission {
	most := PermNone
	for _, t := range s.Teams.find(teamByRepo, key{of: repo.ID}) {
		if slices.Contains(t.Members, user) {
			most = max(most, t.Repos[repo.ID])
		}
	}
	return most
}
