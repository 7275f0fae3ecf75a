package model

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// closingWord matches GitHub's keywords that close an issue, before "#3",
// "owner/name#3" or an issue's address.
var closingWord = regexp.MustCompile(
	`(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:https://github\.com/([\w.-]+/[\w.-]+)/issues/|([\w.-]+/[\w.-]+)?#)(\d+)\b`)

// ClosingIssues returns the repository's issues that a text says it closes
// ("fixes #3"), open or closed.
func (s *State) ClosingIssues(repo *Repo, text string) []*Issue {
	var found []*Issue
	for _, match := range closingWord.FindAllStringSubmatch(text, -1) {
		number, err := strconv.Atoi(match[3])
		named := match[1] + match[2]
		if err != nil || named != "" && !strings.EqualFold(named, s.FullName(repo)) {
			continue
		}
		if i := s.Issue(repo, number); i != nil && i.Pull == nil && !slices.Contains(found, i) {
			found = append(found, i)
		}
	}
	return found
}

// Closes returns the issues that merging a pull request closes: those that its
// body names and those that it is linked to, if it goes into the default branch.
func (s *State) Closes(i *Issue) []*Issue {
	repo := s.Repos.Get(i.RepoID)
	if i.Pull.BaseRef != repo.DefaultBranch {
		return nil
	}
	issues := s.ClosingIssues(repo, i.Body)
	for _, id := range i.Pull.LinkedIssues {
		if linked := s.Issues.Get(id); linked != nil && !slices.Contains(issues, linked) {
			issues = append(issues, linked)
		}
	}
	return issues
}

// ClosingPulls returns the pull requests that close an issue when they are
// merged, those that are open no longer among them.
func (s *State) ClosingPulls(i *Issue) []*Issue {
	closes := func(pull *Issue) bool { return slices.Contains(s.Closes(pull), i) }
	return append(s.Issues.whereOf(pullByRepo, key{of: i.RepoID}, closes), s.Issues.whereOf(pullByLinked, key{of: i.ID}, func(pull *Issue) bool {
		return pull.RepoID != i.RepoID && closes(pull)
	})...)
}
