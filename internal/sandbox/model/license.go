package model

import (
	"regexp"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

var licenseName = regexp.MustCompile(`(?i)^(licen[sc]e|copying|unlicense)([-.].*)?$`)

// LicenseFile finds the file at the root of a commit that has its license.
func LicenseFile(git *gitstore.Store, commit gitstore.Hash) (gitstore.TreeEntry, bool) {
	root, err := git.Entry(commit, "")
	if err != nil {
		return gitstore.TreeEntry{}, false
	}
	entries, err := git.Tree(root.Hash, false)
	if err != nil {
		return gitstore.TreeEntry{}, false
	}
	for _, e := range entries {
		if e.Type == "blob" && licenseName.MatchString(e.Name) {
			return e, true
		}
	}
	return gitstore.TreeEntry{}, false
}

// GenerateRepo makes a repository whose branches begin with the files of a
// template's, each in one commit: the default one, or all of them.
func (s *State) GenerateRepo(actor ID, template *Repo, in NewRepo, all bool) (*Repo, error) {
	if err := s.require(actor, template, PermRead); err != nil {
		return nil, err
	}
	if !template.IsTemplate {
		return nil, unprocessable("%s is not a template repository.", s.FullName(template))
	}
	in.DefaultBranch = template.DefaultBranch
	repo, err := s.CreateRepo(actor, in)
	if err != nil {
		return nil, err
	}
	repo.TemplateID = template.ID
	for _, ref := range template.Git.Refs(headsPrefix) {
		if !all && ref.Name != headsPrefix+template.DefaultBranch {
			continue
		}
		if err := s.beginBranch(actor, repo, template, ref); err != nil {
			return nil, err
		}
	}
	return repo, nil
}

// beginBranch commits all the files of another repository's branch as the first
// commit of a branch.
func (s *State) beginBranch(actor ID, repo, from *Repo, ref gitstore.Ref) error {
	entries, err := from.Git.Tree(ref.Hash, true)
	if err != nil {
		return err
	}
	var files []gitstore.Change
	for _, e := range entries {
		if e.Type != "blob" {
			continue
		}
		content, err := from.Git.Blob(e.Hash)
		if err != nil {
			return err
		}
		files = append(files, gitstore.Change{Path: e.Path, Content: append([]byte{}, content...), Mode: e.Mode})
	}
	commit, err := s.commitChanges(actor, repo, gitstore.CommitSpec{Message: "Initial commit"}, files...)
	if err != nil {
		return err
	}
	return s.setRef(actor, repo, ref.Name, commit.Hash)
}
