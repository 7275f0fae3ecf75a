package model

import (
	"fmt"

	"github.com/go-git/go-git/v5/plumbing"
)

// QueueMerge does what a merge queue does with a pull request that can be
// merged: it makes the branch of a merge group, on which checks run before the
// base gets it, and returns the branch. What rules ask of a merge must be met
// before. The sandbox has no queue: it is for
// tests of what listens to merge groups.
func (s *State) QueueMerge(actor ID, i *Issue) (branch string, err error) {
	repo := s.Repos.Get(i.RepoID)
	if err := s.require(actor, repo, PermWrite); err != nil {
		return "", err
	}
	base, known := s.BranchHead(repo, i.Pull.BaseRef)
	if !known || i.Closed {
		return "", unprocessable("Pull request is not mergeable")
	}
	if i.Pull.Draft {
		return "", unprocessable("Pull request is still a draft")
	}
	if err := s.permitted(mergeOfPull(actor, repo, i, base, MethodMerge), byMerging); err != nil {
		return "", err
	}
	merged, err := testMerge(repo.Git, base, plumbing.NewHash(i.Pull.HeadSHA))
	if err != nil {
		return "", err
	}
	if merged.IsZero() {
		return "", unprocessable("Pull request is not mergeable")
	}
	s.Advance()
	branch = fmt.Sprintf("gh-readonly-queue/%s/pr-%d-%s", i.Pull.BaseRef, i.Number, base)
	if err := s.setRef(actor, repo, headsPrefix+branch, merged); err != nil {
		return "", err
	}
	s.emit(Happening{
		Event: "merge_group", Action: "checks_requested", RepoID: repo.ID, ActorID: actor, Issue: i,
		Ref: headsPrefix + branch, Before: base.String(), After: merged.String(),
	})
	s.startRuns(trigger{repo: repo, actor: actor, event: "merge_group", branch: branch, sha: merged.String()})
	return branch, nil
}
