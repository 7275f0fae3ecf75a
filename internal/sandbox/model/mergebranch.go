package model

import (
	"fmt"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// BranchMerge asks for something to be merged into a branch, without a pull
// request.
type BranchMerge struct {
	// Base is the branch, Head a branch, tag or commit.
	Base, Head string
	// Message is the commit's; empty means GitHub's own.
	Message string
}

// MergeBranch merges into a branch and returns the merge's commit, nil if the
// branch has everything already.
func (s *State) MergeBranch(actor ID, repo *Repo, in BranchMerge) (*gitstore.Commit, error) {
	if err := s.requireBranch(actor, repo, headsPrefix+in.Base); err != nil {
		return nil, err
	}
	own, exists := s.BranchHead(repo, in.Base)
	if !exists {
		return nil, &Problem{Kind: NotFound, Message: "Base does not exist"}
	}
	theirs, err := repo.Git.Resolve(in.Head)
	if err != nil {
		return nil, &Problem{Kind: NotFound, Message: "Head does not exist"}
	}
	if contains(repo, own, theirs) {
		return nil, nil
	}
	s.Advance()
	message := orElse(in.Message, fmt.Sprintf("Merge %s into %s", in.Head, in.Base))
	commit, err := s.mergeOf(actor, repo, own, theirs, message, &Problem{Kind: Conflict, Message: "Merge conflict"})
	if err != nil {
		return nil, err
	}
	return &commit, s.moveRef(actor, repo, headsPrefix+in.Base, commit.Hash, byMergeAPI)
}

// mergeOf writes the commit that merges one commit into another. Where they
// conflict, the error is the given one.
func (s *State) mergeOf(actor ID, repo *Repo, own, theirs gitstore.Hash, message string, conflict error) (gitstore.Commit, error) {
	tree, conflicts, err := repo.Git.MergeTrees(own, theirs)
	if err == nil && len(conflicts) > 0 {
		err = conflict
	}
	if err != nil {
		return gitstore.Commit{}, err
	}
	return s.writeCommit(actor, repo, gitstore.CommitSpec{Tree: tree, Parents: []gitstore.Hash{own, theirs}, Message: message})
}
