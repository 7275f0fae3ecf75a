package model

import (
	"slices"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// RenameBranch gives a branch another name, with what names it: the default
// branch, its own rule of protection, and the bases of open pull requests. Open
// pull requests from it are closed. Who may write may, and for the default branch
// and protected ones administrators.
func (s *State) RenameBranch(actor ID, repo *Repo, from, to string) error {
	least := PermWrite
	_, own := repo.Protection[from]
	if _, _, protected := repo.ProtectionOf(from); protected || from == repo.DefaultBranch {
		least = PermAdmin
	}
	if err := s.require(actor, repo, least); err != nil {
		return err
	}
	tip, exists := s.BranchHead(repo, from)
	_, taken := s.BranchHead(repo, to)
	switch {
	case !exists:
		return &Problem{Kind: NotFound, Message: "Branch not found"}
	case gitstore.ValidRefName(headsPrefix+to) != nil:
		return unprocessable("%s is not a valid branch name", to)
	case taken:
		return unprocessable("A branch named %s already exists", to)
	}
	s.Advance()
	if err := repo.Git.SetRef(headsPrefix+to, tip); err != nil {
		return unprocessable("Reference update failed")
	}
	repo.PushedAt, repo.UpdatedAt = s.Now, s.Now
	s.emit(Happening{Event: "create", RepoID: repo.ID, ActorID: actor, Ref: headsPrefix + to, After: tip.String()})
	if repo.DefaultBranch == from {
		repo.DefaultBranch = to
	}
	if own {
		repo.Protection[to] = repo.Protection[from]
		delete(repo.Protection, from)
	}
	if by, known := repo.Pushers[headsPrefix+from]; known {
		repo.Pushers[headsPrefix+to] = by
		delete(repo.Pushers, headsPrefix+from)
	}
	repo.renamedBranch(from, to)
	s.because(CauseRename, func() {
		for _, pr := range s.openPulls(repo, func(p *Pull) bool { return p.BaseRef == from }) {
			s.retarget(actor, repo, pr, to)
		}
		for _, pr := range slices.Clone(s.pullsFrom(end{repo, from})) {
			s.closeIssue(actor, pr, "", closer{})
		}
	})
	repo.Git.DeleteRef(headsPrefix + from)
	s.emit(Happening{Event: "delete", RepoID: repo.ID, ActorID: actor, Ref: headsPrefix + from, Before: tip.String()})
	return nil
}

// renamedBranch has the former names of a branch lead to the one that it has now.
func (r *Repo) renamedBranch(from, to string) {
	if r.FormerBranches == nil {
		r.FormerBranches = map[string]string{}
	}
	delete(r.FormerBranches, to)
	for former, name := range r.FormerBranches {
		if name == from {
			r.FormerBranches[former] = to
		}
	}
	r.FormerBranches[from] = to
}
