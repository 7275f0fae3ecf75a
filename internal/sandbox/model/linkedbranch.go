package model

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// LinkedBranch is a branch on which an issue is worked on.
type LinkedBranch struct {
	ID     ID
	RepoID ID
	Name   string
}

var notInBranchNames = regexp.MustCompile(`[^a-z0-9]+`)

// CreateLinkedBranch makes a branch for an issue. One without a name gets that
// of the issue's number and title.
func (s *State) CreateLinkedBranch(actor ID, i *Issue, repo *Repo, name string, at gitstore.Hash) (LinkedBranch, error) {
	if err := s.require(actor, s.Repos.Get(i.RepoID), PermWrite); err != nil {
		return LinkedBranch{}, err
	}
	if name == "" {
		name = fmt.Sprintf("%d-%s", i.Number, strings.Trim(notInBranchNames.ReplaceAllString(strings.ToLower(i.Title), "-"), "-"))
	}
	name = strings.TrimPrefix(name, headsPrefix)
	if err := s.CreateRef(actor, repo, headsPrefix+name, at); err != nil {
		return LinkedBranch{}, err
	}
	branch := LinkedBranch{ID: s.newID(), RepoID: repo.ID, Name: name}
	i.Branches = append(i.Branches, branch)
	return branch, nil
}

// linkPull links a pull request that was opened from a linked branch into the
// default one to the issues of that branch, in whose place it is from then on.
func (s *State) linkPull(actor ID, pull *Issue, from end) {
	if pull.Pull.BaseRef != s.Repos.Get(pull.RepoID).DefaultBranch {
		return
	}
	isIt := func(b LinkedBranch) bool { return b.RepoID == from.repo.ID && b.Name == from.ref }
	for _, i := range s.Issues.with(issueByBranch, key{of: from.repo.ID, text: from.ref}) {
		i.Branches = slices.DeleteFunc(i.Branches, isIt)
		pull.Pull.LinkedIssues = append(pull.Pull.LinkedIssues, i.ID)
		s.record(actor, i, Event{Kind: "connected", SubjectID: pull.ID})
		s.record(actor, pull, Event{Kind: "connected", SubjectID: i.ID})
	}
}

// DeleteLinkedBranch takes the link away, not the branch.
func (s *State) DeleteLinkedBranch(actor ID, i *Issue, id ID) error {
	if err := s.require(actor, s.Repos.Get(i.RepoID), PermWrite); err != nil {
		return err
	}
	s.Advance()
	i.Branches = slices.DeleteFunc(i.Branches, func(b LinkedBranch) bool { return b.ID == id })
	return nil
}

// LinkedBranches returns those of an issue that are still there.
func (s *State) LinkedBranches(i *Issue) []LinkedBranch {
	return slices.DeleteFunc(slices.Clone(i.Branches), func(b LinkedBranch) bool {
		repo := s.Repos.Get(b.RepoID)
		if repo == nil {
			return true
		}
		_, exists := s.BranchHead(repo, b.Name)
		return !exists
	})
}

// IssueOfBranch returns the issue of a linked branch, nil if there is none.
func (s *State) IssueOfBranch(id ID) (*Issue, LinkedBranch) {
	isIt := func(b LinkedBranch) bool { return b.ID == id }
	i := s.Issues.First(func(i *Issue) bool { return slices.ContainsFunc(i.Branches, isIt) })
	if i == nil {
		return nil, LinkedBranch{}
	}
	return i, i.Branches[slices.IndexFunc(i.Branches, isIt)]
}
