package gql

import (
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// moreEvents resolves the parts of events that are their kind's own, by kind and
// field. subject resolves the issue or pull request of an event.
func moreEvents(subject graphql.Resolver) map[string]map[string]graphql.Resolver {
	of := func(get func(*model.Event) any) graphql.Resolver {
		return prop(func(_ *query, e *model.Event) any { return get(e) })
	}
	from, to := of(func(e *model.Event) any { return e.From }), of(func(e *model.Event) any { return orNil(e.To) })
	actor := prop(func(q *query, e *model.Event) any { return present(q.s.Users.Get(e.ActorID)) })
	about := prop(func(q *query, e *model.Event) any { return present(q.s.Users.Get(e.SubjectID)) })
	other := prop(func(q *query, e *model.Event) any { return present(q.s.Issues.Get(e.SubjectID)) })
	page := prop(func(q *query, e *model.Event) any { return webURL + eventPath(q, e) })
	path := prop(func(q *query, e *model.Event) any { return eventPath(q, e) })
	commitNamed := func(sha func(*model.Event) string) graphql.Resolver {
		return prop(func(q *query, e *model.Event) any { return commitOf(q.s.Repos.Get(e.RepoID), sha(e)) })
	}
	made := commitNamed(func(e *model.Event) string { return e.CommitSHA })
	head := prop(func(q *query, e *model.Event) any {
		i := q.s.Issues.Get(e.IssueID)
		if repo := q.s.HeadRepo(i); repo != nil {
			return refNamed(repo, headsPrefix+i.Pull.HeadRef)
		}
		return nil
	})
	type parts = map[string]graphql.Resolver
	milestone := parts{"milestoneTitle": of(func(e *model.Event) any { return e.Title }), "subject": subject}
	reviewer := parts{"pullRequest": subject, "requestedReviewer": about}
	draft := parts{"pullRequest": subject, "url": page, "resourcePath": path}
	return map[string]parts{
		"renamed": {"currentTitle": of(func(e *model.Event) any { return e.To }), "previousTitle": from, "subject": subject}, "milestoned": milestone, "demilestoned": milestone,
		"locked":   {"lockable": subject, "lockReason": of(func(e *model.Event) any { return orNil(lockName(e.To)) })},
		"unlocked": {"lockable": subject}, "pinned": {"issue": subject}, "unpinned": {"issue": subject},
		"transferred": {"issue": subject, "fromRepository": prop(func(q *query, e *model.Event) any {
			if repo := q.s.Repos.Get(e.SubjectID); repo != nil && q.sees(repo) {
				return repo
			}
			return nil
		})},
		"merged": {"commit": made, "pullRequest": subject, "url": page, "resourcePath": path, "mergeRefName": of(func(e *model.Event) any { return e.To }),
			"mergeRef": prop(func(q *query, e *model.Event) any { return refNamed(q.s.Repos.Get(e.RepoID), headsPrefix+e.To) })},
		"head_ref_deleted": {"headRefName": from, "headRef": head, "pullRequest": subject},
		"head_ref_force_pushed": {"ref": head, "pullRequest": subject, "afterCommit": made,
			"beforeCommit": commitNamed(func(e *model.Event) string { return e.From })},
		"review_requested": reviewer, "review_request_removed": reviewer,
		"review_dismissed": {"pullRequest": subject, "url": page, "resourcePath": path, "dismissalMessage": to, "pullRequestCommit": constant(nil),
			"previousReviewState": of(func(e *model.Event) any { return strings.ToUpper(e.From) }),
			"review":              prop(func(q *query, e *model.Event) any { return present(q.s.Reviews.Get(e.SubjectID)) })},
		"base_ref_changed": {"currentRefName": to, "previousRefName": from, "pullRequest": subject},
		"convert_to_draft": draft, "ready_for_review": draft,
		"auto_merge_enabled": {"enabler": actor, "pullRequest": subject}, "auto_merge_disabled": {"disabler": actor, "pullRequest": subject},
		model.EventReferenced: {"commit": made, "subject": subject, "isCrossRepository": constant(false), "isDirectReference": constant(true),
			"commitRepository": prop(func(q *query, e *model.Event) any { return q.s.Repos.Get(e.RepoID) })},
		"comment_deleted":    {"deletedCommentAuthor": about},
		model.EventMentioned: {"databaseId": of(func(e *model.Event) any { return int(e.ID) })},
		model.EventQueued:    {"enqueuer": actor, "pullRequest": subject, "mergeQueue": queueOfEvent},
		model.EventDequeued:  {"enqueuer": actor, "pullRequest": subject, "mergeQueue": queueOfEvent, "reason": to, "beforeCommit": made},
		"sub_issue_added":    {"subIssue": other}, "sub_issue_removed": {"subIssue": other},
		"parent_issue_added": {"parent": other}, "parent_issue_removed": {"parent": other},
	}
}

// eventPath is the page of an event, which is a place on its issue's.
func eventPath(q *query, e *model.Event) string {
	return q.facts(q.s.Issues.Get(e.IssueID)).path + "#event-" + q.facts(e).node
}

// lockName is GraphQL's name of a reason to lock.
func lockName(reason string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_").Replace(reason))
}

// closerOf is the pull request or the commit that closed an issue; nil where
// somebody did.
func closerOf(q *query, e *model.Event) any {
	if i := q.s.Issues.Get(e.SubjectID); i != nil {
		return i
	}
	if plumbing.IsHash(e.CommitSHA) {
		return commitOf(q.s.Repos.Get(e.RepoID), e.CommitSHA)
	}
	return nil
}
