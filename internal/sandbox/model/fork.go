package model

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// Fork copies a repository into an account, a user's own or an organization of
// his. An account has one fork of a repository, which is returned if it is
// there, as is a repository of the account's own. An empty name is the repository's,
// with a number if that is taken. With defaultOnly it has no other branch
// than the default one.
func (s *State) Fork(actor ID, repo *Repo, account ID, name string, defaultOnly bool) (*Repo, error) {
	if err := s.require(actor, repo, PermRead); err != nil {
		return nil, err
	}
	if owner := s.Users.Get(account); account != actor && (owner == nil || owner.Members[actor] == "") {
		return nil, forbidden("You do not have permission to create repositories in this organization.")
	}
	if repo.Empty() {
		return nil, forbidden("The repository exists, but it contains no Git content. Empty repositories cannot be forked.")
	}
	if repo.OwnerID == account {
		return repo, nil
	}
	if known := s.Repos.First(func(r *Repo) bool { return r.OwnerID == account && r.ParentID == repo.ID }); known != nil {
		return known, nil
	}
	if name == "" {
		name = s.freeName(s.Login(account), repo.Name)
	} else if err := s.checkRepoName(account, name); err != nil {
		return nil, err
	}
	fork := s.AddRepo(NewRepo{
		Owner: account, Name: name, Description: repo.Description, Private: repo.Private, DefaultBranch: repo.DefaultBranch,
	})
	fork.ParentID, fork.HasIssues, fork.Git = repo.ID, false, repo.Git.Clone()
	for _, ref := range fork.Git.Refs(headsPrefix) {
		if defaultOnly && ref.Name != headsPrefix+repo.DefaultBranch {
			fork.Git.DeleteRef(ref.Name)
		}
	}
	s.because(CauseCreation, func() { repo.ForkCount++ })
	return fork, nil
}

// freeName is a name for a fork: the repository's, with the first number behind it that
// makes it one of which the account has none.
func (s *State) freeName(owner, name string) string {
	free := name
	for n := 1; s.repoNamed(owner, free) != nil; n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// Source returns the repository at the root of those that were forked from one
// another.
func (s *State) Source(repo *Repo) *Repo {
	for parent := s.Repos.Get(repo.ParentID); parent != nil; parent = s.Repos.Get(repo.ParentID) {
		repo = parent
	}
	return repo
}

// HeadRepo returns the repository that a pull request's head is in, nil if it
// is gone.
func (s *State) HeadRepo(i *Issue) *Repo {
	return s.Repos.Get(cmp.Or(i.Pull.HeadRepoID, i.RepoID))
}

// FromFork reports whether a pull request comes from another repository.
func (p *Pull) FromFork() bool { return p.HeadRepoID != 0 }

// headOwner is the login of whom a pull request's head belongs to.
func (s *State) headOwner(i *Issue) string {
	if r := s.HeadRepo(i); r != nil {
		return s.Login(r.OwnerID)
	}
	return "unknown"
}

// splitHead finds the repository and branch that a new pull request names as
// its head: a branch, or its owner and a colon before it. The repository is nil
// if that owner has none that belongs with this one.
func (s *State) splitHead(repo *Repo, head string) (*Repo, string) {
	owner, branch, qualified := strings.Cut(head, ":")
	if !qualified || strings.EqualFold(owner, s.Login(repo.OwnerID)) {
		return repo, cmp.Or(branch, head)
	}
	return s.InNetwork(repo, owner), branch
}

// InNetwork returns the repository of an owner that belongs with another one, nil
// if he has none.
func (s *State) InNetwork(repo *Repo, owner string) *Repo {
	source := s.Source(repo).ID
	return s.Repos.First(func(r *Repo) bool { return strings.EqualFold(s.Login(r.OwnerID), owner) && s.Source(r).ID == source })
}

// end is a branch of a repository that a pull request comes from.
type end struct {
	repo *Repo
	ref  string
}

// pullsFrom returns the open pull requests that come from a branch, into
// whatever repository.
func (s *State) pullsFrom(e end) []*Issue {
	return s.Issues.whereOf(openPullByHead, key{of: e.repo.ID}, func(i *Issue) bool { return i.Pull.HeadRef == e.ref })
}

// fetchHead brings a commit of a head's repository into that of its base.
func fetchHead(base, head *Repo, tip gitstore.Hash) error {
	if base == head {
		return nil
	}
	return base.Git.Take(head.Git, tip)
}

// maintains reports whether a user may push to a branch of a fork because its
// owner let the maintainers of a pull request's base do so. An empty branch
// stands for any.
func (s *State) maintains(actor ID, repo *Repo, branch string) bool {
	for _, i := range s.Issues.find(openPullByHead, key{of: repo.ID}) {
		if i.Pull.HeadRepoID == repo.ID && i.Pull.MaintainerCanModify && (branch == "" || i.Pull.HeadRef == branch) &&
			s.Permission(actor, s.Repos.Get(i.RepoID)) >= PermWrite {
			return true
		}
	}
	return false
}

// requireBranch refuses to move a ref for those who may neither write to the
// repository nor maintain a pull request from the branch.
func (s *State) requireBranch(actor ID, repo *Repo, ref string) error {
	if branch, isBranch := strings.CutPrefix(ref, headsPrefix); isBranch && !repo.Archived && s.maintains(actor, repo, branch) {
		return nil
	}
	return s.require(actor, repo, PermWrite)
}

// moveHead moves the head of a pull request to a commit of its base's
// repository.
func (s *State) moveHead(actor ID, i *Issue, tip gitstore.Hash) error {
	head := s.HeadRepo(i)
	if head == nil {
		return unprocessable("The head repository has been deleted.")
	}
	if err := fetchHead(head, s.Repos.Get(i.RepoID), tip); err != nil {
		return err
	}
	if err := s.requireBranch(actor, head, headsPrefix+i.Pull.HeadRef); err != nil {
		return err
	}
	return s.moveRef(actor, head, headsPrefix+i.Pull.HeadRef, tip, byRefs)
}

// headTip returns the tip of a pull request's branch, if it is still there,
// after bringing it into the base's repository.
func (s *State) headTip(i *Issue) (string, bool) {
	head := s.HeadRepo(i)
	if head == nil {
		return "", false
	}
	tip, exists := s.BranchHead(head, i.Pull.HeadRef)
	if !exists || fetchHead(s.Repos.Get(i.RepoID), head, tip) != nil {
		return "", false
	}
	return tip.String(), true
}
