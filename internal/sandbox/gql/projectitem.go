package gql

import (
	"maps"
	"slices"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// draftIssue is the draft that an item is.
type draftIssue struct{ item *model.ProjectItem }

// fieldValue is the value of a field for an item. For fields that show what
// the item is about, it has no value of its own.
type fieldValue struct {
	item  *model.ProjectItem
	field *model.ProjectField
	model.ProjectValue
}

// valueTypes are the types of values, by the type of their field.
var valueTypes = map[model.FieldType]string{
	model.FieldTitle: "Text", model.FieldText: "Text", model.FieldNumber: "Number", model.FieldDate: "Date",
	model.FieldSingleSelect: "SingleSelect", model.FieldIteration: "Iteration", model.FieldLabels: "Label", model.FieldAssignees: "User",
	model.FieldReviewers: "Reviewer", model.FieldMilestone: "Milestone", model.FieldRepository: "Repository", model.FieldPulls: "PullRequest",
}

// typeOfProjects is [typeOf] for what projects consist of.
func typeOfProjects(obj any) string {
	switch obj := obj.(type) {
	case *model.Project:
		return "ProjectV2"
	case *model.ProjectField:
		switch obj.Type {
		case model.FieldSingleSelect:
			return "ProjectV2SingleSelectField"
		case model.FieldIteration:
			return "ProjectV2IterationField"
		default:
			return "ProjectV2Field"
		}
	case *model.ProjectItem:
		return "ProjectV2Item"
	case draftIssue:
		return "DraftIssue"
	case fieldValue:
		return "ProjectV2ItemField" + valueTypes[obj.field.Type] + "Value"
	default:
		return ""
	}
}

// factsOfProjects are those of what projects consist of.
func (q *query) factsOfProjects(obj any) facts {
	switch o := obj.(type) {
	case *model.Project:
		return facts{node: model.NodeID(model.NodeProject, o.OwnerID, o.ID), id: o.ID, path: q.s.ProjectPage(o), created: o.CreatedAt, updated: o.UpdatedAt}
	case *model.ProjectField:
		return facts{node: model.FieldNodeID(o), id: o.ID, created: o.CreatedAt, updated: o.UpdatedAt}
	case *model.ProjectItem:
		return facts{node: model.NodeID(model.NodeProjectItem, o.ProjectID, o.ID), id: o.ID, created: o.CreatedAt, updated: o.UpdatedAt}
	case draftIssue:
		d := o.item.Draft
		return facts{
			node: model.NodeID(model.NodeDraftIssue, o.item.ProjectID, d.ID), id: d.ID, author: d.AuthorID, body: d.Body, created: d.CreatedAt, updated: d.UpdatedAt,
		}
	case fieldValue:
		id := max(o.ID, o.item.ID)
		kind := model.NodeKind("PVTF" + valueTypes[o.field.Type][:1] + "V")
		return facts{node: model.NodeID(kind, o.field.ID, id), id: id, created: o.CreatedAt, updated: o.UpdatedAt}
	default:
		return facts{}
	}
}

// projectObject returns what of a project has a global id, nil if it is none.
func (q *query) projectObject(kind model.NodeKind, id model.ID) any {
	switch kind {
	case model.NodeProject:
		return present(q.s.Projects.Get(id))
	case model.NodeField, model.NodeSingleSelect, model.NodeIteration:
		return present(q.s.ProjectFields.Get(id))
	case model.NodeProjectItem:
		return present(q.s.ProjectItems.Get(id))
	case model.NodeDraftIssue:
		if i := q.s.ProjectItems.First(func(i *model.ProjectItem) bool { return i.Draft != nil && i.Draft.ID == id }); i != nil {
			return draftIssue{i}
		}
	default:
	}
	return nil
}

// seesProject reports whether the user may see something of a project; true
// for what is of none.
func (q *query) seesProject(obj any) bool {
	var id model.ID
	switch o := obj.(type) {
	case *model.Project:
		id = o.ID
	case *model.ProjectField:
		id = o.ProjectID
	case *model.ProjectItem:
		id = o.ProjectID
	case draftIssue:
		id = o.item.ProjectID
	default:
		return true
	}
	return q.s.ProjectPermission(q.actor, q.s.Projects.Get(id)) >= model.ProjectRead
}

// about returns the issue that an item is about, if the user may see it; else
// nil.
func (q *query) about(i *model.ProjectItem) *model.Issue {
	if issue := q.s.Issues.Get(i.IssueID); issue != nil && q.sees(issue) {
		return issue
	}
	return nil
}

func itemType(q *query, i *model.ProjectItem) any {
	issue := q.about(i)
	switch {
	case i.Draft != nil:
		return "DRAFT_ISSUE"
	case issue == nil:
		return "REDACTED"
	case issue.Pull != nil:
		return "PULL_REQUEST"
	default:
		return "ISSUE"
	}
}

func projectItemFields() map[string]graphql.Resolver {
	draft := func(get func(*model.DraftIssue) any) graphql.Resolver {
		return prop(func(_ *query, d draftIssue) any { return get(d.item.Draft) })
	}
	return map[string]graphql.Resolver{
		"ProjectV2Item.type":       prop(itemType),
		"ProjectV2Item.isArchived": prop(func(_ *query, i *model.ProjectItem) any { return i.Archived }),
		"ProjectV2Item.creator":    prop(func(q *query, i *model.ProjectItem) any { return present(q.s.Users.Get(i.CreatorID)) }),
		"ProjectV2Item.project":    prop(func(q *query, i *model.ProjectItem) any { return q.s.Projects.Get(i.ProjectID) }),
		"ProjectV2Item.content": prop(func(q *query, i *model.ProjectItem) any {
			if i.Draft != nil {
				return draftIssue{i}
			}
			return present(q.about(i))
		}),
		"ProjectV2Item.fieldValues": connection(func(q *query, i *model.ProjectItem, _ graphql.Args) ([]fieldValue, error) {
			return q.values(i), nil
		}),
		"ProjectV2Item.fieldValueByName": lookup(func(q *query, i *model.ProjectItem, args graphql.Args) any {
			for _, v := range q.values(i) {
				if v.field.Name == args.String("name") {
					return v
				}
			}
			return nil
		}),
		"DraftIssue.title":    draft(func(d *model.DraftIssue) any { return d.Title }),
		"DraftIssue.body":     draft(func(d *model.DraftIssue) any { return d.Body }),
		"DraftIssue.bodyText": draft(func(d *model.DraftIssue) any { return d.Body }),
		"DraftIssue.creator":  prop(func(q *query, d draftIssue) any { return present(q.s.Users.Get(d.item.Draft.AuthorID)) }),
		"DraftIssue.assignees": connection(func(q *query, d draftIssue, _ graphql.Args) ([]*model.User, error) {
			return rows(&q.s.Users, d.item.Draft.Assignees), nil
		}),
	}
}

// values returns the values of an item that there are, in the order of the
// project's fields.
func (q *query) values(i *model.ProjectItem) []fieldValue {
	var found []fieldValue
	for _, f := range q.s.FieldsOf(q.s.Projects.Get(i.ProjectID)) {
		if own, has := i.Values[f.ID]; has {
			found = append(found, fieldValue{i, f, own})
		} else if q.shows(i, f.Type) {
			found = append(found, fieldValue{i, f, model.ProjectValue{CreatorID: i.CreatorID, CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt}})
		}
	}
	return found
}

// shows reports whether a field has something to show of what an item is
// about.
func (q *query) shows(i *model.ProjectItem, kind model.FieldType) bool {
	issue := q.about(i)
	switch {
	case kind == model.FieldTitle:
		return i.Draft != nil || issue != nil
	case kind == model.FieldAssignees && i.Draft != nil:
		return len(i.Draft.Assignees) > 0
	case issue == nil:
		return false
	}
	switch kind {
	case model.FieldRepository:
		return true
	case model.FieldAssignees:
		return len(issue.Assignees) > 0
	case model.FieldLabels:
		return len(issue.Labels) > 0
	case model.FieldMilestone:
		return issue.MilestoneID != 0
	case model.FieldReviewers:
		return issue.Pull != nil && len(issue.Pull.RequestedReviewers) > 0
	default:
		return false
	}
}

func projectValueFields() map[string]graphql.Resolver {
	value := func(get func(fieldValue) any) graphql.Resolver {
		return prop(func(_ *query, v fieldValue) any { return get(v) })
	}
	option := func(get func(*model.ProjectOption) any) graphql.Resolver {
		return value(func(v fieldValue) any { return get(v.field.Option(v.Choice)) })
	}
	iteration := func(get func(*model.ProjectIteration) any) graphql.Resolver {
		return value(func(v fieldValue) any { return get(v.field.Iteration(v.Choice)) })
	}
	fields := map[string]graphql.Resolver{
		"ProjectV2ItemFieldValueCommon.item":    value(func(v fieldValue) any { return v.item }),
		"ProjectV2ItemFieldValueCommon.creator": prop(func(q *query, v fieldValue) any { return present(q.s.Users.Get(v.CreatorID)) }),
		"ProjectV2ItemFieldTextValue.text":      prop(valueText),
		"ProjectV2ItemFieldNumberValue.number":  value(func(v fieldValue) any { return v.Number }),
		"ProjectV2ItemFieldDateValue.date":      value(func(v fieldValue) any { return v.Text }),

		"ProjectV2ItemFieldSingleSelectValue.optionId":    value(func(v fieldValue) any { return v.Choice }),
		"ProjectV2ItemFieldSingleSelectValue.name":        option(func(o *model.ProjectOption) any { return o.Name }),
		"ProjectV2ItemFieldSingleSelectValue.color":       option(func(o *model.ProjectOption) any { return o.Color }),
		"ProjectV2ItemFieldSingleSelectValue.description": option(func(o *model.ProjectOption) any { return o.Description }),
		"ProjectV2ItemFieldIterationValue.iterationId":    value(func(v fieldValue) any { return v.Choice }),
		"ProjectV2ItemFieldIterationValue.title":          iteration(func(i *model.ProjectIteration) any { return i.Title }),
		"ProjectV2ItemFieldIterationValue.startDate":      iteration(func(i *model.ProjectIteration) any { return i.Start }),
		"ProjectV2ItemFieldIterationValue.duration":       iteration(func(i *model.ProjectIteration) any { return i.Days }),
		"ProjectV2ItemFieldLabelValue.labels": connection(func(q *query, v fieldValue, _ graphql.Args) ([]*model.Label, error) {
			return rows(&q.s.Labels, q.about(v.item).Labels), nil
		}),
		"ProjectV2ItemFieldUserValue.users": connection(func(q *query, v fieldValue, _ graphql.Args) ([]*model.User, error) {
			if v.item.Draft != nil {
				return rows(&q.s.Users, v.item.Draft.Assignees), nil
			}
			return rows(&q.s.Users, q.about(v.item).Assignees), nil
		}),
		"ProjectV2ItemFieldReviewerValue.reviewers": connection(func(q *query, v fieldValue, _ graphql.Args) ([]*model.User, error) {
			return rows(&q.s.Users, q.about(v.item).Pull.RequestedReviewers), nil
		}),
		"ProjectV2ItemFieldPullRequestValue.pullRequests": connection(func(*query, fieldValue, graphql.Args) ([]*model.Issue, error) { return nil, nil }),
		"ProjectV2ItemFieldMilestoneValue.milestone": prop(func(q *query, v fieldValue) any {
			return present(q.s.Milestones.Get(q.about(v.item).MilestoneID))
		}),
		"ProjectV2ItemFieldRepositoryValue.repository": prop(func(q *query, v fieldValue) any {
			return present(q.s.Repos.Get(q.about(v.item).RepoID))
		}),
	}
	for _, kind := range slices.Collect(maps.Values(valueTypes)) {
		fields["ProjectV2ItemField"+kind+"Value.field"] = value(func(v fieldValue) any { return v.field })
	}
	return fields
}

// valueText is a text, or what the item is about is called.
func valueText(q *query, v fieldValue) any {
	switch {
	case v.field.Type != model.FieldTitle:
		return v.Text
	case v.item.Draft != nil:
		return v.item.Draft.Title
	default:
		return q.about(v.item).Title
	}
}
