package model

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Gist is a user's gist.
type Gist struct {
	ID ID
	// Name is what its address ends with: 32 hexadecimal digits.
	Name        string
	OwnerID     ID
	Description string
	Public      bool
	// Files are in order of their names.
	Files []GistFile
	// Revisions are what they were, oldest first.
	Revisions  []GistRevision
	Stargazers []ID
	// ParentID is the gist that it was forked from, 0 for none.
	ParentID             ID
	CreatedAt, UpdatedAt time.Time
}

// GistFile is a file of a gist.
type GistFile struct{ Name, Text string }

func (g *Gist) clone() *Gist {
	c := *g
	c.Files, c.Revisions, c.Stargazers = slices.Clone(g.Files), slices.Clone(g.Revisions), slices.Clone(g.Stargazers)
	for n := range c.Revisions {
		c.Revisions[n].Files = slices.Clone(c.Revisions[n].Files)
	}
	return &c
}

const gistResource = "Gist"

// GistEdit is a change of a gist, or what a new one is to be.
type GistEdit struct {
	// Description stays as it is if nil.
	Description *string
	// Files are those that change, by their names. Nil and what says nothing remove
	// one, and what has a name alone gives it that; GitHub removes what becomes empty
	// too, as gh relies on to rename.
	Files map[string]*GistFile
}

// CreateGist makes a gist of the actor's.
func (s *State) CreateGist(actor ID, public bool, in GistEdit) (*Gist, error) {
	id := s.LastID + 1
	sum := sha256.Sum256(fmt.Appendf(nil, "gist %d", id))
	g := &Gist{Name: hex.EncodeToString(sum[:16]), OwnerID: actor, Public: public}
	if err := g.apply(in); err != nil {
		return nil, err
	}
	now := s.Advance()
	g.ID, g.CreatedAt, g.UpdatedAt = s.newID(), now, now
	g.revise(actor, now)
	return s.Gists.Add(g.ID, g), nil
}

// EditGist changes a gist of the actor's.
func (s *State) EditGist(actor ID, g *Gist, edit GistEdit) error {
	if g.OwnerID != actor {
		return notFound()
	}
	changed := g.clone()
	if err := changed.apply(edit); err != nil {
		return err
	}
	*g = *changed
	g.UpdatedAt = s.Advance()
	g.revise(actor, g.UpdatedAt)
	return nil
}

// apply changes a gist, or leaves it half changed and tells why.
func (g *Gist) apply(edit GistEdit) error {
	assign(&g.Description, edit.Description)
	was := slices.Clone(g.Files)
	for name := range edit.Files {
		g.Files = slices.DeleteFunc(g.Files, func(f GistFile) bool { return f.Name == name })
	}
	for _, name := range slices.Sorted(maps.Keys(edit.Files)) {
		file := edit.Files[name]
		if file == nil {
			continue
		}
		text, at := file.Text, slices.IndexFunc(was, func(f GistFile) bool { return f.Name == name })
		switch {
		case text != "":
		case at < 0:
			return invalid(gistResource, "files", "missing_field")
		case file.Name == "" || file.Name == name:
			continue
		default:
			text = was[at].Text
		}
		as := orElse(file.Name, name)
		g.Files = append(slices.DeleteFunc(g.Files, func(f GistFile) bool { return f.Name == as }), GistFile{Name: as, Text: text})
	}
	if len(g.Files) == 0 {
		return invalid(gistResource, "files", "missing_field")
	}
	slices.SortFunc(g.Files, func(a, b GistFile) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// DeleteGist removes a gist of the actor's.
func (s *State) DeleteGist(actor ID, g *Gist) error {
	if g.OwnerID != actor {
		return notFound()
	}
	s.Advance()
	s.because(CauseDeletion, func() { s.dropGist(g) })
	s.Gists.Delete(g.ID)
	return nil
}

// GistsOf returns a user's gists, newest first; the secret ones for himself
// alone.
func (s *State) GistsOf(viewer, user ID) []*Gist {
	found := s.Gists.Where(func(g *Gist) bool { return g.OwnerID == user && (g.Public || viewer == user) })
	slices.Reverse(found)
	return found
}

// Gist returns the gist of a name, nil if there is none. Whoever knows the
// name of a secret one may read it.
func (s *State) Gist(name string) *Gist {
	return s.Gists.First(func(g *Gist) bool { return g.Name == name })
}
