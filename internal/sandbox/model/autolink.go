package model

import (
	"slices"
	"strings"
	"time"
)

// Autolink makes links of references with a prefix in a repository's texts.
type Autolink struct {
	ID               ID
	Prefix, Template string
	// Alphanumeric is false for references by numbers alone.
	Alphanumeric bool
	CreatedAt    time.Time
}

const autolinkResource = "KeyLink"

// AddAutolink adds an autolink. Prefixes differ.
func (s *State) AddAutolink(actor ID, repo *Repo, in Autolink) (Autolink, error) {
	if err := s.require(actor, repo, PermAdmin); err != nil {
		return in, err
	}
	switch {
	case in.Prefix == "":
		return in, invalid(autolinkResource, "key_prefix", "missing_field")
	case !strings.Contains(in.Template, "<num>"):
		return in, custom(autolinkResource, "url_template", "url_template must contain a <num> token")
	case slices.ContainsFunc(repo.Autolinks, func(a Autolink) bool { return strings.EqualFold(a.Prefix, in.Prefix) }):
		return in, invalid(autolinkResource, "key_prefix", "already_exists")
	}
	in.CreatedAt = s.Advance()
	in.ID = s.newID()
	repo.Autolinks = append(repo.Autolinks, in)
	return in, nil
}

// DeleteAutolink removes the autolink of an id.
func (s *State) DeleteAutolink(actor ID, repo *Repo, id ID) error {
	if err := s.require(actor, repo, PermAdmin); err != nil {
		return err
	}
	at := slices.IndexFunc(repo.Autolinks, func(a Autolink) bool { return a.ID == id })
	if at < 0 {
		return notFound()
	}
	s.Advance()
	repo.Autolinks = slices.Delete(slices.Clone(repo.Autolinks), at, at+1)
	return nil
}

// Safety are the settings of a repository about vulnerabilities. What they turn
// on finds none in a sandbox.
type Safety struct{ Alerts, Fixes, PrivateReporting bool }

// SetSafety turns a setting about vulnerabilities on or off.
func (s *State) SetSafety(actor ID, repo *Repo, setting func(*Safety) *bool, on bool) error {
	if err := s.require(actor, repo, PermAdmin); err != nil {
		return err
	}
	s.Advance()
	*setting(&repo.Safety) = on
	return nil
}
