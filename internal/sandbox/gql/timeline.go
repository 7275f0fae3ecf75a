package gql

import (
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

		"assigned":   {"AssignedEvent", "ASSIGNED_EVENT", model.NodeAssigned},
		"unassigned": {"UnassignedEvent", "UNASSIGNED_EVENT", model.NodeUnassigned},
		"labeled":    {"LabeledEvent", "LABELED_EVENT", model.NodeLabeled},
		"unlabeled":  {"UnlabeledEvent", "UNLABELED_EVENT", model.NodeUnlabeled},
		"connected":  {"ConnectedEvent", "CONNECTED_EVENT", model.NodeConnected},
		"closed":     {"ClosedEvent", "CLOSED_EVENT", model.NodeClosed},
		"reopened":   {"ReopenedEvent", "REOPENED_EVENT", model.NodeReopened},
	}
}

func timelineType(e *model.Event) string         { return timelineKinds()[e.Kind].name }
func timelineNode(e *model.Event) model.NodeKind { return timelineKinds()[e.Kind].node }

// timelineFields resolves the events of issues.
func timelineFields() map[string]graphql.Resolver {
	fields := map[string]graphql.Resolver{
		"Issue.timelineItems": connection(timelineOf),
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
		"closed": {"stateReason": prop(func(q *query, e *model.Event) any { return stateReason(q, e) })},
	}
	about[model.EventCrossReferenced] = crossReference()
	about["unassigned"], about["unlabeled"], about["reopened"] = about["assigned"], about["labeled"], about["closed"]
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

// stateReason is why an issue was closed last; the reasons before are not
// kept.
func stateReason(q *query, e *model.Event) any {
	i := q.s.Issues.Get(e.IssueID)
	if i.Closed != (e.Kind == "closed") {
		return nil
	}
	return orNil(strings.ToUpper(i.StateReason))
}

// timelineOf returns an issue's comments and events, oldest first.
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
