package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// judgePull asks for a pull request. One that meets the rule may be merged, or
// its head pushed.
func judgePull(s *State, c refChange, rule Rule) []string {
	if !c.moves() {
		return nil
	}
	pull := c.pull
	if pull == nil {
		branch := strings.TrimPrefix(c.ref, headsPrefix)
		heads := s.openPulls(c.repo, func(p *Pull) bool { return p.BaseRef == branch && p.HeadSHA == c.to.String() })
		if len(heads) == 0 || !contains(c.repo, c.to, c.from) {
			return []string{needsPull}
		}
		pull = heads[0]
	}
	words := s.reviewWords(pull, rule.Pull)
	if rule.Pull.RequiredReviewThreadResolution && s.unresolved(pull) {
		words = append(words, "A conversation must be resolved before this pull request can be merged.")
	}
	if allowed := rule.Pull.AllowedMergeMethods; c.method != "" && len(allowed) > 0 && !slices.Contains(allowed, c.method) {
		words = append(words, methodNames[c.method]+" are not allowed on this repository.")
	}
	return words
}

// judgeConversations asks for the conversations of a pull request that is merged
// to be resolved.
func judgeConversations(s *State, c refChange, _ Rule) []string {
	if c.pull == nil || !s.unresolved(c.pull) {
		return nil
	}
	return []string{"All comments must be resolved."}
}

func (s *State) unresolved(i *Issue) bool {
	return slices.ContainsFunc(s.ThreadsOf(0, i), func(t *Thread) bool { return !t.Resolved })
}

// reviewWords says which reviews a rule still asks for.
func (s *State) reviewWords(i *Issue, rule *PullRule) []string {
	var words []string
	reviews := s.verdicts(i)
	approvals := approved(reviews)
	if rule.RequiredApprovingReviewCount > 0 && slices.ContainsFunc(reviews, func(r *Review) bool { return r.State == ReviewChangesRequested }) {
		words = append(words, "Changes have been requested.")
	}
	switch n := rule.RequiredApprovingReviewCount; {
	case len(approvals) >= n:
	case n == 1:
		words = append(words, "At least 1 approving review is required by reviewers with write access.")
	default:
		words = append(words, fmt.Sprintf("At least %d approving reviews are required by reviewers with write access.", n))
	}
	if waiting := s.teamsAwaited(i, rule, approvals); waiting != "" {
		words = append(words, waiting)
	}
	if rule.RequireCodeOwnerReview {
		if owners := s.ownersAwaited(i, approvals); owners != "" {
			words = append(words, "Waiting on code owner review from "+owners+".")
		}
	}
	if rule.RequireLastPushApproval && !slices.ContainsFunc(approvals, func(r *Review) bool {
		return r.AuthorID != s.lastPusher(i) && r.CommitSHA == i.Pull.HeadSHA
	}) {
		words = append(words, "New changes require approval from someone other than the last pusher.")
	}
	return words
}

func approved(reviews []*Review) []*Review {
	return slices.DeleteFunc(slices.Clone(reviews), func(r *Review) bool { return r.State != ReviewApproved })
}

// lastPusher is who has pushed the head of a pull request last; its author where
// that is not known.
func (s *State) lastPusher(i *Issue) ID {
	if head := s.HeadRepo(i); head != nil && head.Pushers[headsPrefix+i.Pull.HeadRef] != 0 {
		return head.Pushers[headsPrefix+i.Pull.HeadRef]
	}
	return i.AuthorID
}

// teamsAwaited says which team of a rule has not approved enough, empty if all
// have.
func (s *State) teamsAwaited(i *Issue, rule *PullRule, approvals []*Review) string {
	if len(rule.RequiredReviewers) == 0 {
		return ""
	}
	files, err := s.PullDiff(i)
	for _, required := range rule.RequiredReviewers {
		team := s.Teams.Get(required.Reviewer.ID)
		touched := err != nil || slices.ContainsFunc(files, func(f gitstore.FileDiff) bool {
			return slices.ContainsFunc(required.FilePatterns, func(pattern string) bool { return fnmatch(pattern, f.Path) })
		})
		if team == nil || !touched {
			continue
		}
		given := 0
		for _, r := range approvals {
			if slices.Contains(team.Members, r.AuthorID) {
				given++
			}
		}
		if given < required.MinimumApprovals {
			return fmt.Sprintf("Waiting on %d more approval from %s/%s.", required.MinimumApprovals-given, s.Login(team.OrgID), team.Slug)
		}
	}
	return ""
}

// ReviewDecision returns APPROVED, CHANGES_REQUESTED, REVIEW_REQUIRED or, where
// no review is required and none is decisive, empty.
func (s *State) ReviewDecision(i *Issue) string {
	required, lacking := false, false
	for _, source := range sourcesFor(s.Repos.Get(i.RepoID), headsPrefix+i.Pull.BaseRef) {
		for _, rule := range source.rules {
			if rule.Type == RulePullRequest && (rule.Pull.RequiredApprovingReviewCount > 0 || rule.Pull.RequireCodeOwnerReview) {
				required, lacking = true, lacking || len(s.reviewWords(i, rule.Pull)) > 0
			}
		}
	}
	reviews := s.verdicts(i)
	switch {
	case slices.ContainsFunc(reviews, func(r *Review) bool { return r.State == ReviewChangesRequested }):
		return string(ReviewChangesRequested)
	case lacking:
		return "REVIEW_REQUIRED"
	case required, len(approved(reviews)) > 0:
		return string(ReviewApproved)
	default:
		return ""
	}
}
