package model

import "fmt"

// Synced is how a fork's branch was brought up to date.
type Synced struct {
	// Kind is "fast-forward", "merge" or "none".
	Kind string
	// Message tells it in words, Upstream names the branch as owner:branch.
	Message, Upstream string
}

// SyncFork brings a branch of a fork up to the one of its name in the
// repository that it was forked from.
func (s *State) SyncFork(actor ID, repo *Repo, branch string) (Synced, error) {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return Synced{}, err
	}
	parent := s.Repos.Get(repo.ParentID)
	if parent == nil {
		return Synced{}, unprocessable("Repository is not a fork")
	}
	theirs, exists := s.BranchHead(parent, branch)
	own, known := s.BranchHead(repo, branch)
	if !exists || !known {
		return Synced{}, &Problem{Kind: NotFound, Message: "Branch not found"}
	}
	sync := Synced{Upstream: s.Login(parent.OwnerID) + ":" + branch}
	if err := fetchHead(repo, parent, theirs); err != nil {
		return Synced{}, err
	}
	if contains(repo, own, theirs) {
		sync.Kind, sync.Message = "none", fmt.Sprintf("This branch is not behind the upstream %s.", sync.Upstream)
		return sync, nil
	}
	s.Advance()
	if contains(repo, theirs, own) {
		sync.Kind, sync.Message = "fast-forward", fmt.Sprintf("Successfully fetched and fast-forwarded from the upstream %s.", sync.Upstream)
		return sync, s.moveRef(actor, repo, headsPrefix+branch, theirs, byFork)
	}
	merged, err := s.mergeOf(actor, repo, own, theirs, fmt.Sprintf("Merge branch '%s' into %s", sync.Upstream, branch),
		&Problem{Kind: Conflict, Message: "There are merge conflicts"})
	if err != nil {
		return Synced{}, err
	}
	sync.Kind, sync.Message = "merge", fmt.Sprintf("Successfully fetched and merged from the upstream %s.", sync.Upstream)
	return sync, s.moveRef(actor, repo, headsPrefix+branch, merged.Hash, byFork)
}
