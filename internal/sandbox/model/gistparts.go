package model

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// GistRevision is what a gist was from some time on.
type GistRevision struct {
	// Version is 40 hexadecimal digits, as of a commit.
	Version string
	Files   []GistFile
	UserID  ID
	At      time.Time
}

// revise notes a gist's files as its newest revision, unless they are as before.
func (g *Gist) revise(actor ID, now time.Time) {
	if n := len(g.Revisions); n > 0 && slices.Equal(g.Revisions[n-1].Files, g.Files) {
		return
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", g.Name, len(g.Revisions), now.Format(time.RFC3339)))
	const digits = 20
	g.Revisions = append(slices.Clone(g.Revisions), GistRevision{Version: hex.EncodeToString(sum[:digits]), Files: slices.Clone(g.Files), UserID: actor, At: now})
}

// History returns a gist's revisions, newest first. One of a world from before
// there were any has one, as it is now.
func (g *Gist) History() []GistRevision {
	shown := g.clone()
	if len(shown.Revisions) == 0 {
		shown.revise(g.OwnerID, g.UpdatedAt)
	}
	slices.Reverse(shown.Revisions)
	return shown.Revisions
}

// GistComment is a comment on a gist.
type GistComment struct {
	ID                   ID
	GistID               ID
	AuthorID             ID
	Body                 string
	CreatedAt, UpdatedAt time.Time
}

func (c *GistComment) clone() *GistComment { return copyOf(c) }

const gistCommentResource = "GistComment"

// GistName is the name of the gist of an id, empty for one that is gone.
func (s *State) GistName(id ID) string {
	if g := s.Gists.Get(id); g != nil {
		return g.Name
	}
	return ""
}

// CommentsOfGist returns a gist's comments, oldest first.
func (s *State) CommentsOfGist(g *Gist) []*GistComment {
	return s.GistComments.with(commentByGist, key{of: g.ID})
}

func checkGistComment(body string) error {
	if strings.TrimSpace(body) == "" {
		return invalid(gistCommentResource, "body", "missing_field")
	}
	return checkBody(gistCommentResource, body)
}

// CommentOnGist comments on a gist.
func (s *State) CommentOnGist(actor ID, g *Gist, body string) (*GistComment, error) {
	if err := checkGistComment(body); err != nil {
		return nil, err
	}
	now := s.Advance()
	c := &GistComment{ID: s.newID(), GistID: g.ID, AuthorID: actor, Body: body, CreatedAt: now, UpdatedAt: now}
	return s.GistComments.Add(c.ID, c), nil
}

// EditGistComment changes a comment of the actor's.
func (s *State) EditGistComment(actor ID, c *GistComment, body string) error {
	if c.AuthorID != actor {
		return notFound()
	}
	if err := checkGistComment(body); err != nil {
		return err
	}
	c.Body, c.UpdatedAt = body, s.Advance()
	return nil
}

// DeleteGistComment removes a comment of the actor's, or on a gist of his.
func (s *State) DeleteGistComment(actor ID, c *GistComment) error {
	if g := s.Gists.Get(c.GistID); c.AuthorID != actor && g.OwnerID != actor {
		return notFound()
	}
	s.Advance()
	s.GistComments.Delete(c.ID)
	return nil
}

// StarGist has a user star a gist, or take the star back.
func (s *State) StarGist(actor ID, g *Gist, starred bool) {
	s.Advance()
	if starred == slices.Contains(g.Stargazers, actor) {
		return
	}
	if g.Stargazers = without(g.Stargazers, actor); starred {
		g.Stargazers = append(g.Stargazers, actor)
	}
}

// ForkGist copies a gist of somebody else's, once.
func (s *State) ForkGist(actor ID, g *Gist) (*Gist, error) {
	if g.OwnerID == actor {
		return nil, unprocessable("You cannot fork your own gist.")
	}
	if known := s.Gists.First(func(f *Gist) bool { return f.ParentID == g.ID && f.OwnerID == actor }); known != nil {
		return known, nil
	}
	files := map[string]*GistFile{}
	for _, f := range g.Files {
		files[f.Name] = copyOf(&f)
	}
	fork, err := s.CreateGist(actor, g.Public, GistEdit{Description: &g.Description, Files: files})
	if err != nil {
		return nil, err
	}
	fork.ParentID = g.ID
	return fork, nil
}

// ForksOfGist returns the forks of a gist, oldest first.
func (s *State) ForksOfGist(g *Gist) []*Gist {
	return s.Gists.Where(func(f *Gist) bool { return f.ParentID == g.ID })
}

// dropGist forgets what belongs to a gist that is deleted.
func (s *State) dropGist(g *Gist) {
	for _, c := range s.CommentsOfGist(g) {
		s.GistComments.Delete(c.ID)
	}
	for _, fork := range s.ForksOfGist(g) {
		fork.ParentID = 0
	}
}
