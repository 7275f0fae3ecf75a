package model

import (
	"reflect"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// dismissStale dismisses the approvals of a pull request whose head has moved,
// where a rule for its base wants that: if it changes something else than before.
func (s *State) dismissStale(actor ID, i *Issue, before []gitstore.FileDiff) {
	after, err := s.PullDiff(i)
	if err == nil && reflect.DeepEqual(before, after) {
		return
	}
	for _, r := range s.Reviews.with(reviewByIssue, key{of: i.ID}) {
		if r.State == ReviewApproved {
			s.dismiss(actor, i, r)
		}
	}
}

func (s *State) dismiss(actor ID, i *Issue, r *Review) {
	r.State, r.UpdatedAt = ReviewDismissed, s.Now
	s.record(actor, i, Event{Kind: "review_dismissed", SubjectID: r.ID})
	s.emit(Happening{Event: "pull_request_review", Action: "dismissed", RepoID: r.RepoID, ActorID: actor, Issue: i, Review: r})
}

// dismissesStale reports whether a rule wants approvals dismissed that are not of
// what a pull request changes now.
func (s *State) dismissesStale(i *Issue) bool {
	for _, source := range sourcesFor(s.Repos.Get(i.RepoID), headsPrefix+i.Pull.BaseRef) {
		for _, rule := range source.rules {
			if rule.Type == RulePullRequest && rule.Pull.DismissStaleReviewsOnPush {
				return true
			}
		}
	}
	return false
}
