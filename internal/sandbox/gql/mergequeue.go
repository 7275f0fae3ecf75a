package gql

import (
	"net/url"
	"slices"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// mergeQueue is that of a branch; queueEntry is a pull request as it is, or was, in one.
type (
	mergeQueue struct {
		repo   *model.Repo
		branch string
		*model.QueueRule
	}
	queueEntry struct {
		pull *model.Issue
		model.QueueEntry
	}
)

// queueOf returns the merge queue of a branch, nil if it has none.
func (q *query) queueOf(repo *model.Repo, branch string) any {
	if rule := q.s.QueueRule(repo, branch); rule != nil {
		return mergeQueue{repo, branch, rule}
	}
	return nil
}

// entryOf returns the entry of a pull request in a merge queue, nil if it is in none.
func entryOf(i *model.Issue) any {
	if i.Pull.Queue == nil {
		return nil
	}
	return queueEntry{i, *i.Pull.Queue}
}

// queueOfEvent resolves the queue that an event of a pull request is about.
var queueOfEvent = prop(func(q *query, e *model.Event) any {
	return q.queueOf(q.s.Repos.Get(e.RepoID), q.s.Issues.Get(e.IssueID).Pull.BaseRef)
})

// state is GitHub's MergeQueueEntryState.
func (q *query) entryState(e queueEntry) string {
	if e.Head == "" {
		return "QUEUED"
	}
	return "AWAITING_CHECKS"
}

// position is the place of an entry in its queue, from 1; 0 if it is in it no more.
func (q *query) position(e queueEntry) int {
	queue := q.s.Queue(q.repoOf(e.pull), e.pull.Pull.BaseRef)
	return 1 + slices.IndexFunc(queue, func(i *model.Issue) bool { return i.Pull.Queue.ID == e.ID })
}

func mergeQueueFields() map[string]graphql.Resolver {
	fields := map[string]graphql.Resolver{
		"Repository.mergeQueue": lookup(func(q *query, r *model.Repo, args graphql.Args) any {
			branch := args.String("branch")
			if branch == "" {
				branch = r.DefaultBranch
			}
			return q.queueOf(r, branch)
		}),
		"PullRequest.mergeQueue":      prop(func(q *query, i *model.Issue) any { return q.queueOf(q.repoOf(i), i.Pull.BaseRef) }),
		"PullRequest.mergeQueueEntry": prop(func(_ *query, i *model.Issue) any { return entryOf(i) }),
		"PullRequest.isInMergeQueue":  prop(func(_ *query, i *model.Issue) any { return i.Pull.Queue != nil }),
		"PullRequest.isMergeQueueEnabled": prop(func(q *query, i *model.Issue) any {
			return q.s.QueueRule(q.repoOf(i), i.Pull.BaseRef) != nil
		}),
		"MergeQueue.entries": connection(func(q *query, m mergeQueue, _ graphql.Args) ([]queueEntry, error) {
			var entries []queueEntry
			for _, i := range q.s.Queue(m.repo, m.branch) {
				entries = append(entries, queueEntry{i, *i.Pull.Queue})
			}
			return entries, nil
		}),
	}
	page := func(q *query, m mergeQueue) string {
		return "/" + q.s.FullName(m.repo) + "/queue/" + url.PathEscape(m.branch)
	}
	for name, of := range map[string]func(*query, mergeQueue) any{
		"id":                            func(_ *query, m mergeQueue) any { return named("MQ", m.repo.ID, m.branch) },
		"repository":                    func(_ *query, m mergeQueue) any { return m.repo },
		"resourcePath":                  func(q *query, m mergeQueue) any { return page(q, m) },
		"url":                           func(q *query, m mergeQueue) any { return webURL + page(q, m) },
		"configuration":                 func(_ *query, m mergeQueue) any { return *m.QueueRule },
		"nextEntryEstimatedTimeToMerge": func(*query, mergeQueue) any { return nil },
	} {
		fields["MergeQueue."+name] = prop(of)
	}
	for name, of := range map[string]func(*query, queueEntry) any{
		"id":                   func(_ *query, e queueEntry) any { return model.NodeID("MQE", e.pull.RepoID, e.ID) },
		"position":             func(q *query, e queueEntry) any { return q.position(e) },
		"state":                func(q *query, e queueEntry) any { return q.entryState(e) },
		"jump":                 func(_ *query, e queueEntry) any { return e.Jumped },
		"solo":                 func(*query, queueEntry) any { return false },
		"enqueuedAt":           func(_ *query, e queueEntry) any { return e.EnqueuedAt },
		"enqueuer":             func(q *query, e queueEntry) any { return present(q.s.Users.Get(e.ByID)) },
		"pullRequest":          func(_ *query, e queueEntry) any { return e.pull },
		"mergeQueue":           func(q *query, e queueEntry) any { return q.queueOf(q.repoOf(e.pull), e.pull.Pull.BaseRef) },
		"baseCommit":           func(q *query, e queueEntry) any { return commitOf(q.repoOf(e.pull), e.Base) },
		"headCommit":           func(q *query, e queueEntry) any { return commitOf(q.repoOf(e.pull), e.Head) },
		"estimatedTimeToMerge": func(*query, queueEntry) any { return nil },
	} {
		fields["MergeQueueEntry."+name] = prop(of)
	}
	for name, of := range map[string]func(*query, model.QueueRule) any{
		"checkResponseTimeout":          func(_ *query, r model.QueueRule) any { return r.CheckTimeout },
		"maximumEntriesToBuild":         func(_ *query, r model.QueueRule) any { return r.MaxBuilt },
		"maximumEntriesToMerge":         func(_ *query, r model.QueueRule) any { return r.MaxMerged },
		"mergeMethod":                   func(_ *query, r model.QueueRule) any { return r.Method },
		"mergingStrategy":               func(_ *query, r model.QueueRule) any { return r.Grouping },
		"minimumEntriesToMerge":         func(_ *query, r model.QueueRule) any { return r.MinMerged },
		"minimumEntriesToMergeWaitTime": func(_ *query, r model.QueueRule) any { return r.MinMergedWaits },
	} {
		fields["MergeQueueConfiguration."+name] = prop(of)
	}
	return fields
}

// enqueue puts a pull request into the merge queue of its base.
func enqueue(q *query, in graphql.Args) (payload, error) {
	i, err := pullByID(q, in.String("pullRequestId"))
	if err != nil {
		return nil, err
	}
	entry, err := q.s.Enqueue(q.actor, i, in.Bool("jump"), in.String("expectedHeadOid"))
	if err != nil {
		return nil, err
	}
	return payload{"mergeQueueEntry": queueEntry{i, *entry}}, nil
}

// dequeue takes a pull request out of the merge queue that it is in.
func dequeue(q *query, in graphql.Args) (payload, error) {
	i, err := pullByID(q, in.String("id"))
	if err != nil {
		return nil, err
	}
	was := entryOf(i)
	if err := q.s.Dequeue(q.actor, i); err != nil {
		return nil, err
	}
	return payload{"mergeQueueEntry": was}, nil
}
