package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// The ways in which a required check can be lacking.
const (
	lackExpected = "expected"
	lackPending  = "pending"
	lackFailing  = "failing"
)

// judgeChecks asks for the checks of what a ref shall be: of a merge, those of
// the head.
func judgeChecks(s *State, c refChange, rule Rule) []string {
	switch {
	case c.deletes(), c.creates() && rule.Checks.DoNotEnforceCreate:
		return nil
	case c.pull == nil:
		return checkWords(s.lackingChecks(c.repo, c.to.String(), rule.Checks))
	}
	words := checkWords(s.lackingChecks(c.repo, c.pull.Pull.HeadSHA, rule.Checks))
	if rule.Checks.Strict && !contains(c.repo, plumbing.NewHash(c.pull.Pull.HeadSHA), c.from) {
		words = append(words, headBehind)
	}
	return words
}

// lackingCheck is a check that has not passed, and how it stands.
type lackingCheck struct{ context, state string }

// lackingChecks returns the required checks that have not passed at a commit,
// and how many are required.
func (s *State) lackingChecks(repo *Repo, sha string, rule *ChecksRule) (lacking []lackingCheck, required int) {
	for _, check := range rule.Checks {
		if state := s.checkState(repo, sha, check); state != "" {
			lacking = append(lacking, lackingCheck{check.Context, state})
		}
	}
	return lacking, len(rule.Checks)
}

// checkState returns how a required check stands at a commit, empty if it has
// passed. A status of that name must have passed, too.
func (s *State) checkState(repo *Repo, sha string, check RequiredCheck) string {
	state, rollup := lackExpected, s.Rollup(repo, sha)
	for _, status := range rollup.Statuses {
		if status.Context != check.Context || check.IntegrationID != 0 {
			continue
		}
		switch status.Conclusion() {
		case Success:
			state = ""
		case "":
			state = lackPending
		default:
			state = lackFailing
		}
	}
	if state == lackPending || state == lackFailing {
		return state
	}
	for _, run := range rollup.Runs {
		if run.Name != check.Context || check.IntegrationID != 0 && run.AppID != check.IntegrationID {
			continue
		}
		switch {
		case run.Status != Completed:
			state = lackPending
		case run.Passed():
			state = ""
		default:
			state = lackFailing
		}
	}
	return state
}

// CheckSource returns the App that the newest check of a name in a repository is
// of, 0 for none.
func (s *State) CheckSource(repo *Repo, name string) ID {
	var app ID
	for run := range s.CheckRuns.All() {
		if run.RepoID == repo.ID && run.Name == name {
			app = run.AppID
		}
	}
	return app
}

// checkWords says which checks are lacking.
func checkWords(lacking []lackingCheck, required int) []string {
	if len(lacking) == 0 {
		return nil
	}
	if required == 1 {
		return []string{fmt.Sprintf("Required status check %q is %s.", lacking[0].context, lacking[0].state)}
	}
	var counts []string
	for _, state := range []string{lackExpected, lackFailing, lackPending} {
		n := 0
		for _, check := range lacking {
			if check.state == state {
				n++
			}
		}
		if n == len(lacking) {
			return []string{fmt.Sprintf("%d of %d required status checks are %s.", n, required, state)}
		}
		if n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, state))
		}
	}
	return []string{fmt.Sprintf("%d of %d required status checks have not succeeded: %s.", len(lacking), required, inWords(counts))}
}

// inWords lists things as in a sentence.
func inWords(things []string) string {
	if len(things) < 3 {
		return strings.Join(things, " and ")
	}
	return strings.Join(things[:len(things)-1], ", ") + ", and " + things[len(things)-1]
}

// Requires reports whether a pull request needs a check to pass, by its name and
// the App that it is of, 0 for none.
func (s *State) Requires(i *Issue, context string, app ID) bool {
	for _, source := range sourcesFor(s.Repos.Get(i.RepoID), headsPrefix+i.Pull.BaseRef) {
		for _, rule := range source.rules {
			if rule.Type == RuleStatusChecks && slices.ContainsFunc(rule.Checks.Checks, func(check RequiredCheck) bool {
				return check.Context == context && (check.IntegrationID == 0 || check.IntegrationID == app)
			}) {
				return true
			}
		}
	}
	return false
}
