package gql

import (
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// moderationMutations lock, pin, move and link issues.
func moderationMutations() map[string]mutator {
	return map[string]mutator{
		"lockLockable": changeEither("lockableId", "lockedRecord", func(q *query, i *model.Issue, in graphql.Args) error {
			return q.s.Lock(q.actor, i, lockReason(in.Enum("lockReason")))
		}, func(q *query, d *model.Discussion, in graphql.Args) error {
			return q.s.LockDiscussion(q.actor, d, true, lockReason(in.Enum("lockReason")))
		}),
		"unlockLockable": changeEither("lockableId", "unlockedRecord", func(q *query, i *model.Issue, _ graphql.Args) error {
			return q.s.Unlock(q.actor, i)
		}, func(q *query, d *model.Discussion, _ graphql.Args) error {
			return q.s.LockDiscussion(q.actor, d, false, "")
		}),
		"pinIssue":           change("issueId", "issue", issueByID, pin(true)),
		"unpinIssue":         change("issueId", "issue", issueByID, pin(false)),
		"transferIssue":      change("issueId", "issue", issueByID, transferIssue),
		"createLinkedBranch": createLinkedBranch,
		"deleteLinkedBranch": deleteLinkedBranch,
		"clearLabelsFromLabelable": changeEither("labelableId", "labelable", func(q *query, i *model.Issue, _ graphql.Args) error {
			return q.s.EditIssue(q.actor, q.repoOf(i), i, model.IssueEdit{Labels: &[]string{}})
		}, func(q *query, d *model.Discussion, _ graphql.Args) error {
			return q.s.LabelDiscussion(q.actor, d, nil, d.Labels)
		}),
	}
}

// lockReason is the name that the model has for a reason.
func lockReason(name string) string {
	if name == "OFF_TOPIC" {
		return "off-topic"
	}
	return strings.ReplaceAll(strings.ToLower(name), "_", " ")
}

func pin(pinned bool) func(q *query, i *model.Issue, in graphql.Args) error {
	return func(q *query, i *model.Issue, _ graphql.Args) error { return q.s.Pin(q.actor, i, pinned) }
}

func transferIssue(q *query, i *model.Issue, in graphql.Args) error {
	to, err := typed[*model.Repo](q, in.String("repositoryId"))
	if err != nil {
		return err
	}
	return q.s.Transfer(q.actor, i, to, in.Bool("createLabelsIfMissing"))
}

// linkedBranch is a branch with the issue that it is for.
type linkedBranch struct {
	issue *model.Issue
	model.LinkedBranch
}

func createLinkedBranch(q *query, in graphql.Args) (payload, error) {
	i, err := issueByID(q, in.String("issueId"))
	if err != nil {
		return nil, err
	}
	repo := q.repoOf(i)
	if in.Has("repositoryId") {
		if repo, err = typed[*model.Repo](q, in.String("repositoryId")); err != nil {
			return nil, err
		}
	}
	branch, err := q.s.CreateLinkedBranch(q.actor, i, repo, in.String("name"), plumbing.NewHash(in.String("oid")))
	return payload{"issue": i, "linkedBranch": linkedBranch{i, branch}}, err
}

func deleteLinkedBranch(q *query, in graphql.Args) (payload, error) {
	branch, err := typed[linkedBranch](q, in.String("linkedBranchId"))
	if err != nil {
		return nil, err
	}
	return payload{"issue": branch.issue}, q.s.DeleteLinkedBranch(q.actor, branch.issue, branch.ID)
}

func linkedBranchFields() map[string]graphql.Resolver {
	return map[string]graphql.Resolver{
		"Issue.linkedBranches": connection(func(q *query, i *model.Issue, _ graphql.Args) ([]linkedBranch, error) {
			var branches []linkedBranch
			for _, b := range q.s.LinkedBranches(i) {
				branches = append(branches, linkedBranch{i, b})
			}
			return branches, nil
		}),
		"LinkedBranch.ref": prop(func(q *query, b linkedBranch) any {
			return refNamed(q.s.Repos.Get(b.RepoID), headsPrefix+b.Name)
		}),
	}
}
