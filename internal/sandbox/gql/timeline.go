package gql

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// timelineKind is a kind of event that timelines show.
type timelineKind struct {
	// name is the event's type, filter its name among the item types.
	name, filter string
	node         model.NodeKind
}

// timelineKinds returns the kinds by the name that events have in the model.
func timelineKinds() map[string]timelineKind {
	return map[string]timelineKind{
		model.EventCrossReferenced: {"CrossReferencedEvent", "CROSS_REFERENCED_EVENT", model.NodeCrossReferred},

		"assigned":               {"AssignedEvent", "ASSIGNED_EVENT", "AE"},
		"unassigned":             {"UnassignedEvent", "UNASSIGNED_EVENT", "UNAE"},
		"labeled":                {"LabeledEvent", "LABELED_EVENT", "LE"},
		"unlabeled":              {"UnlabeledEvent", "UNLABELED_EVENT", "UNLE"},
		"connected":              {"ConnectedEvent", "CONNECTED_EVENT", "CONE"},
		"closed":                 {"ClosedEvent", "CLOSED_EVENT", "CE"},
		"reopened":               {"ReopenedEvent", "REOPENED_EVENT", "REE"},
		"renamed":                {"RenamedTitleEvent", "RENAMED_TITLE_EVENT", "RTE"},
		"milestoned":             {"MilestonedEvent", "MILESTONED_EVENT", "MIE"},
		"demilestoned":           {"DemilestonedEvent", "DEMILESTONED_EVENT", "DEME"},
		"locked":                 {"LockedEvent", "LOCKED_EVENT", "LOE"},
		"unlocked":               {"UnlockedEvent", "UNLOCKED_EVENT", "UNLOE"},
		"pinned":                 {"PinnedEvent", "PINNED_EVENT", "PINE"},
		"unpinned":               {"UnpinnedEvent", "UNPINNED_EVENT", "UNPE"},
		"transferred":            {"TransferredEvent", "TRANSFERRED_EVENT", "TRE"},
		"merged":                 {"MergedEvent", "MERGED_EVENT", "ME"},
		"head_ref_deleted":       {"HeadRefDeletedEvent", "HEAD_REF_DELETED_EVENT", "HRDE"},
		"head_ref_force_pushed":  {"HeadRefForcePushedEvent", "HEAD_REF_FORCE_PUSHED_EVENT", "HRFPE"},
		"review_requested":       {"ReviewRequestedEvent", "REVIEW_REQUESTED_EVENT", "RRE"},
		"review_request_removed": {"ReviewRequestRemovedEvent", "REVIEW_REQUEST_REMOVED_EVENT", "RRRE"},
		"review_dismissed":       {"ReviewDismissedEvent", "REVIEW_DISMISSED_EVENT", "RDE"},
		"base_ref_changed":       {"BaseRefChangedEvent", "BASE_REF_CHANGED_EVENT", "BRCE"},
		"convert_to_draft":       {"ConvertToDraftEvent", "CONVERT_TO_DRAFT_EVENT", "CTDE"},
		"ready_for_review":       {"ReadyForReviewEvent", "READY_FOR_REVIEW_EVENT", "RFRE"},
		"auto_merge_enabled":     {"AutoMergeEnabledEvent", "AUTO_MERGE_ENABLED_EVENT", "AMEE"},
		"auto_merge_disabled":    {"AutoMergeDisabledEvent", "AUTO_MERGE_DISABLED_EVENT", "AMDE"},
		model.EventQueued:        {"AddedToMergeQueueEvent", "ADDED_TO_MERGE_QUEUE_EVENT", "ATMQE"},
		model.EventDequeued:      {"RemovedFromMergeQueueEvent", "REMOVED_FROM_MERGE_QUEUE_EVENT", "RFMQE"},
		"comment_deleted":        {"CommentDeletedEvent", "COMMENT_DELETED_EVENT", "CDE"},
		"sub_issue_added":        {"SubIssueAddedEvent", "SUB_ISSUE_ADDED_EVENT", "SIAE"},
		"sub_issue_removed":      {"SubIssueRemovedEvent", "SUB_ISSUE_REMOVED_EVENT", "SIRE"},
		"parent_issue_added":     {"ParentIssueAddedEvent", "PARENT_ISSUE_ADDED_EVENT", "PIAE"},
		"parent_issue_removed":   {"ParentIssueRemovedEvent", "PARENT_ISSUE_REMOVED_EVENT", "PIRE"},
		model.EventReferenced:    {"ReferencedEvent", "REFERENCED_EVENT", "REFE"},
		model.EventMentioned:     {"MentionedEvent", "MENTIONED_EVENT", "MEE"},
		model.EventSubscribed:    {"SubscribedEvent", "SUBSCRIBED_EVENT", "SE"},
	}
}

func timelineType(e *model.Event) string         { return timelineKinds()[e.Kind].name }
func timelineNode(e *model.Event) model.NodeKind { return timelineKinds()[e.Kind].node }

// isTimelineNode reports whether global ids of a kind are those of events.
func isTimelineNode(kind model.NodeKind) bool {
	for _, k := range timelineKinds() {
		if k.node == kind {
			return true
		}
	}
	return false
}

// timelineFields resolves the events of issues.
func timelineFields() map[string]graphql.Resolver {
	fields := map[string]graphql.Resolver{
		"Issue.timelineItems":       connection(timelineOf),
		"PullRequest.timelineItems": connection(timelineOf),
	}
	subject := prop(func(q *query, e *model.Event) any { return q.s.Issues.Get(e.IssueID) })
	about := map[string]map[string]graphql.Resolver{
		"assigned": {
			"assignable": subject, "assignee": prop(func(q *query, e *model.Event) any { return present(q.s.Users.Get(e.SubjectID)) }),
		},
		"labeled": {
			"labelable": subject, "label": prop(func(q *query, e *model.Event) any { return labelOf(q, e) }),
		},
		"connected": {
			"source":            prop(func(q *query, e *model.Event) any { return q.s.Issues.Get(e.IssueID) }),
			"subject":           prop(func(q *query, e *model.Event) any { return q.s.Issues.Get(e.SubjectID) }),
			"isCrossRepository": prop(func(q *query, e *model.Event) any { return q.s.Issues.Get(e.SubjectID).RepoID != e.RepoID }),
		},
		"closed": {
			"stateReason": prop(func(q *query, e *model.Event) any { return stateReason(q, e) }), "closer": prop(closerOf),
		},
		"reopened": {"stateReason": prop(func(q *query, e *model.Event) any { return stateReason(q, e) })},
	}
	maps.Copy(about, moreEvents(subject))
	about[model.EventCrossReferenced] = crossReference()
	about["unassigned"], about["unlabeled"] = about["assigned"], about["labeled"]
	for kind, k := range timelineKinds() {
		fields[k.name+".actor"] = prop(func(q *query, e *model.Event) any { return present(q.s.Users.Get(e.ActorID)) })
		fields[k.name+".createdAt"] = prop(func(_ *query, e *model.Event) any { return e.CreatedAt })
		for name, resolver := range about[kind] {
			fields[k.name+"."+name] = resolver
		}
	}
	return fields
}

// crossReference resolves the events by which others tell that they refer to an
// issue: the source is the one that does.
func crossReference() map[string]graphql.Resolver {
	return map[string]graphql.Resolver{
		"source":            prop(func(q *query, e *model.Event) any { return q.s.Issues.Get(e.SubjectID) }),
		"target":            prop(func(q *query, e *model.Event) any { return q.s.Issues.Get(e.IssueID) }),
		"referencedAt":      prop(func(_ *query, e *model.Event) any { return e.CreatedAt }),
		"isCrossRepository": prop(func(q *query, e *model.Event) any { return q.s.Issues.Get(e.SubjectID).RepoID != e.RepoID }),
		"willCloseTarget": prop(func(q *query, e *model.Event) any {
			source := q.s.Issues.Get(e.SubjectID)
			return source.Pull != nil && !source.Closed && slices.Contains(q.s.Closes(source), q.s.Issues.Get(e.IssueID))
		}),
	}
}

// labelOf returns the label that an event is about; what is left of one that
// was deleted is its place.
func labelOf(q *query, e *model.Event) any {
	if l := q.s.Labels.Get(e.LabelID); l != nil {
		return l
	}
	return &model.Label{ID: e.LabelID, RepoID: e.RepoID, Name: "deleted", Color: "ededed"}
}

// stateReason is why an issue was closed or reopened.
func stateReason(_ *query, e *model.Event) any { return orNil(strings.ToUpper(e.To)) }

// timelineOf returns what was said on an issue or pull request and what became of
// it, oldest first.
func timelineOf(q *query, i *model.Issue, args graphql.Args) ([]any, error) {
	kinds, asked, since := timelineKinds(), args.Strings("itemTypes"), args.Time("since")
	wanted := func(filter string, at time.Time) bool {
		return (len(asked) == 0 || slices.Contains(asked, filter)) && !at.Before(since)
	}
	type item struct {
		at  time.Time
		obj any
	}
	var items []item
	for _, c := range q.s.CommentsOf(i) {
		if wanted("ISSUE_COMMENT", c.CreatedAt) {
			items = append(items, item{c.CreatedAt, c})
		}
	}
	if i.Pull != nil {
		commits, err := pullCommits(q, i, nil)
		if err != nil {
			return nil, err
		}
		for _, c := range commits {
			if wanted("PULL_REQUEST_COMMIT", c.Committer.When) {
				items = append(items, item{c.Committer.When, c})
			}
		}
		for _, r := range q.s.ReviewsOf(q.actor, i) {
			if r.SubmittedAt != nil && wanted("PULL_REQUEST_REVIEW", *r.SubmittedAt) {
				items = append(items, item{*r.SubmittedAt, r})
			}
		}
	}
	for _, e := range q.s.EventsOf(i) {
		if k, known := kinds[e.Kind]; known && wanted(k.filter, e.CreatedAt) && q.seesSubject(e) {
			items = append(items, item{e.CreatedAt, e})
		}
	}
	slices.SortStableFunc(items, func(a, b item) int { return a.at.Compare(b.at) })
	var objects []any
	for _, it := range items[min(max(args.Int("skip"), 0), len(items)):] {
		objects = append(objects, it.obj)
	}
	return objects, nil
}

// seesSubject reports whether the user may see the other issue or pull request
// that an event is about; true for events about none. What is gone refers to
// nothing.
func (q *query) seesSubject(e *model.Event) bool {
	subject := q.s.Issues.Get(e.SubjectID)
	if subject == nil {
		return e.Kind != model.EventCrossReferenced
	}
	return q.sees(subject)
}
