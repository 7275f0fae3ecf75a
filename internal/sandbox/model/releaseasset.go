package model

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// Asset is a file of a release.
type Asset struct {
	ID          ID
	Name        string
	Label       string
	ContentType string
	Content     []byte
	UploaderID  ID
	CreatedAt   time.Time
}

// NewAsset describes a file to add to a release.
type NewAsset struct {
	Name, Label, ContentType string
	Content                  []byte
}

const assetResource = "ReleaseAsset"

var notInAssetNames = regexp.MustCompile(`[^\w.+@-]+`)

// assetName is what GitHub makes of a name: one dot of all special characters together,
// and none at its ends.
func assetName(name string) string {
	return strings.Trim(notInAssetNames.ReplaceAllString(name, "."), ".")
}

// AddAsset adds a file to a release. Its name must be free there.
func (s *State) AddAsset(actor ID, r *Release, in NewAsset) (*Asset, error) {
	if err := s.require(actor, s.Repos.Get(r.RepoID), PermWrite); err != nil {
		return nil, err
	}
	in.Name = assetName(in.Name)
	switch {
	case in.Name == "":
		return nil, invalid(assetResource, "name", "missing_field")
	case len(in.Content) == 0:
		return nil, &Problem{Kind: BadRequest, Message: "Bad Content-Length: 0"}
	case slices.ContainsFunc(r.Assets, func(a Asset) bool { return a.Name == in.Name }):
		return nil, invalid(assetResource, "name", "already_exists")
	}
	now := s.Advance()
	r.Assets = append(r.Assets, Asset{
		ID: s.newID(), Name: in.Name, Label: in.Label, ContentType: orElse(in.ContentType, "application/octet-stream"),
		Content: slices.Clone(in.Content), UploaderID: actor, CreatedAt: now,
	})
	return &r.Assets[len(r.Assets)-1], nil
}

// AssetOf returns a repository's asset and its release.
func (s *State) AssetOf(viewer ID, repo *Repo, id ID) (*Release, *Asset, error) {
	for _, r := range s.ReleasesOf(viewer, repo) {
		if at := slices.IndexFunc(r.Assets, func(a Asset) bool { return a.ID == id }); at >= 0 {
			return r, &r.Assets[at], nil
		}
	}
	return nil, nil, notFound()
}

// DeleteAsset removes a file from a release.
func (s *State) DeleteAsset(actor ID, r *Release, id ID) error {
	if err := s.require(actor, s.Repos.Get(r.RepoID), PermWrite); err != nil {
		return err
	}
	s.Advance()
	r.Assets = slices.DeleteFunc(slices.Clone(r.Assets), func(a Asset) bool { return a.ID == id })
	return nil
}

// AssetEdit changes an asset; nil fields stay.
type AssetEdit struct{ Name, Label *string }

// EditAsset renames a file of a release, or labels it otherwise.
func (s *State) EditAsset(actor ID, r *Release, id ID, edit AssetEdit) error {
	if err := s.require(actor, s.Repos.Get(r.RepoID), PermWrite); err != nil {
		return err
	}
	if edit.Name != nil {
		*edit.Name = assetName(*edit.Name)
		switch {
		case *edit.Name == "":
			return invalid(assetResource, "name", "missing_field")
		case slices.ContainsFunc(r.Assets, func(a Asset) bool { return a.ID != id && a.Name == *edit.Name }):
			return invalid(assetResource, "name", "already_exists")
		}
	}
	s.Advance()
	r.Assets = slices.Clone(r.Assets)
	a := &r.Assets[slices.IndexFunc(r.Assets, func(a Asset) bool { return a.ID == id })]
	if edit.Name != nil {
		a.Name = *edit.Name
	}
	if edit.Label != nil {
		a.Label = *edit.Label
	}
	return nil
}
