package model

import (
	"errors"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// CreateBlob stores a file's content in a repository, where no commit has it
// yet.
func (s *State) CreateBlob(actor ID, repo *Repo, content []byte) (gitstore.Hash, error) {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return gitstore.Hash{}, err
	}
	s.Advance()
	hash, err := repo.Git.WriteBlob(content)
	if err != nil {
		return hash, unprocessable("%s", err)
	}
	return hash, nil
}

// CreateTree stores the tree that changes make of a base, which is a tree, a
// commit, or zero for the empty tree.
func (s *State) CreateTree(actor ID, repo *Repo, base gitstore.Hash, changes []gitstore.Change) (gitstore.Hash, error) {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return gitstore.Hash{}, err
	}
	for _, c := range changes {
		if _, known := repo.Git.Type(c.Blob); c.Content == nil && !c.Delete && !known {
			return gitstore.Hash{}, unprocessable("tree.sha %s is not a valid blob", c.Blob)
		}
	}
	s.Advance()
	tree, err := repo.Git.WriteTree(base, changes)
	switch {
	case errors.Is(err, gitstore.ErrNotFound):
		return tree, unprocessable("GitRPC::BadObjectState")
	case err != nil:
		return tree, unprocessable("tree.path contains a malformed path component")
	default:
		return tree, nil
	}
}

// CreateCommit stores a commit that no branch has yet. Author and committer
// are the actor, and the time is now, unless the commit says otherwise.
func (s *State) CreateCommit(actor ID, repo *Repo, spec gitstore.CommitSpec) (gitstore.Commit, error) {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return gitstore.Commit{}, err
	}
	if kind, _ := repo.Git.Type(spec.Tree); kind != plumbing.TreeObject {
		return gitstore.Commit{}, unprocessable("Tree SHA does not exist")
	}
	for _, parent := range spec.Parents {
		if kind, _ := repo.Git.Type(parent); kind != plumbing.CommitObject {
			return gitstore.Commit{}, unprocessable("Parent SHA does not exist or is not a commit object")
		}
	}
	s.Advance()
	return s.writeCommit(actor, repo, spec)
}

// CreateTag stores an annotated tag that no ref names yet. The tagger is the
// actor, now, unless the tag says otherwise.
func (s *State) CreateTag(actor ID, repo *Repo, spec gitstore.TagSpec) (gitstore.Tag, error) {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return gitstore.Tag{}, err
	}
	if _, known := repo.Git.Type(spec.Target); !known {
		return gitstore.Tag{}, unprocessable("Object does not exist")
	}
	s.Advance()
	if spec.Tagger.Name == "" {
		spec.Tagger = s.Signature(actor)
	}
	if spec.Tagger.When.IsZero() {
		spec.Tagger.When = s.Now
	}
	hash, err := repo.Git.WriteTag(spec)
	if err != nil {
		return gitstore.Tag{}, unprocessable("%s", err)
	}
	return repo.Git.Tag(hash)
}
