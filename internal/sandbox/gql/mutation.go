package gql

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// mutator runs a mutation with its input object.
type mutator func(q *query, in graphql.Args) (payload, error)

// payload is what a mutation returns, by field.
type payload map[string]any

// mutation makes a resolver of a mutation, which is done as a whole or not. Its
// payload repeats the client's id.
func mutation(name string, run mutator) graphql.Resolver {
	return field(func(q *query, _ any, args graphql.Args) (any, error) {
		in := args.Object("input")
		var out payload
		err := q.s.Atomically(func() (err error) {
			out, err = run(q, in)
			return err
		})
		if problem, ok := errors.AsType[*model.Problem](err); ok && problem.Lacking {
			return nil, &graphql.Error{Type: "FORBIDDEN", Message: fmt.Sprintf("%s does not have the correct permissions to execute `%s`",
				q.s.Login(q.actor), strings.ToUpper(name[:1])+name[1:])}
		}
		if err != nil {
			return nil, err
		}
		out["clientMutationId"] = orNil(in.String("clientMutationId"))
		out["actor"] = present(q.s.Users.Get(q.actor))
		return out, nil
	})
}

// change makes a mutation of one that changes an object, which an input field
// names by its global id. The changed object is the payload's field.
func change[T any](id, shown string, find func(*query, string) (T, error), apply func(q *query, obj T, in graphql.Args) error) mutator {
	return func(q *query, in graphql.Args) (payload, error) {
		obj, err := find(q, in.String(id))
		if err != nil {
			return nil, err
		}
		return payload{shown: obj}, apply(q, obj, in)
	}
}

// text returns an input's text, nil where it was not given.
func text(in graphql.Args, name string) *string {
	if !in.Has(name) {
		return nil
	}
	value := in.String(name)
	return &value
}

// setState is an edit that sets the state of an issue or pull request.
func setState(state string) func(q *query, i *model.Issue, in graphql.Args) error {
	return func(q *query, i *model.Issue, in graphql.Args) error {
		edit := model.IssueEdit{State: &state}
		if in.Has("stateReason") {
			reason := strings.ToLower(in.Enum("stateReason"))
			edit.StateReason = &reason
		}
		return q.s.EditIssue(q.actor, q.repoOf(i), i, edit)
	}
}

func issueMutations() map[string]mutator {
	return map[string]mutator{
		"createIssue": createIssue,
		"updateIssue": change("id", "issue", issueByID, updateIssue),
		"closeIssue":  change("issueId", "issue", issueByID, setState("closed")),
		"reopenIssue": change("issueId", "issue", issueByID, setState("open")),
		"deleteIssue": deleteIssue,
		"updateIssueIssueType": change("issueId", "issue", issueByID, func(q *query, i *model.Issue, in graphql.Args) error {
			name, err := q.issueTypeName(q.repoOf(i), in.String(issueTypeID))
			if err != nil {
				return err
			}
			return q.s.EditIssue(q.actor, q.repoOf(i), i, model.IssueEdit{Type: &name})
		}),
		"addComment": addComment,
		"addAssigneesToAssignable": change("assignableId", "assignable", typed[*model.Issue], func(q *query, i *model.Issue, in graphql.Args) error {
			users, err := q.userIDs(in.Strings("assigneeIds"))
			if err != nil {
				return err
			}
			return q.s.AddAssignees(q.actor, q.repoOf(i), i, users)
		}),
		"removeAssigneesFromAssignable": change("assignableId", "assignable", typed[*model.Issue], func(q *query, i *model.Issue, in graphql.Args) error {
			users, err := q.userIDs(in.Strings("assigneeIds"))
			if err != nil {
				return err
			}
			return q.s.RemoveAssignees(q.actor, q.repoOf(i), i, users)
		}),
	}
}

func labelMutations() map[string]mutator {
	return map[string]mutator{
		"createLabel":               createLabel,
		"deleteLabel":               deleteLabel,
		"updateLabel":               change("id", "label", typed[*model.Label], updateLabel),
		"addLabelsToLabelable":      changeEither("labelableId", "labelable", addLabels, labelDiscussion(true)),
		"removeLabelsFromLabelable": changeEither("labelableId", "labelable", removeLabels, labelDiscussion(false)),
	}
}

// labelNames returns the names of a repository's labels by their global ids.
func (q *query) labelNames(repo *model.Repo, nodes []string) ([]string, error) {
	labels, err := allTyped[*model.Label](q, nodes)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(labels))
	for n, l := range labels {
		if l.RepoID != repo.ID {
			return nil, noNode(nodes[n])
		}
		names = append(names, l.Name)
	}
	return names, nil
}

// logins returns the logins of users by their global ids.
func (q *query) logins(nodes []string) ([]string, error) {
	users, err := allTyped[*model.User](q, nodes)
	logins := make([]string, 0, len(users))
	for _, u := range users {
		logins = append(logins, u.Login)
	}
	return logins, err
}

// milestoneNumber returns the number of a repository's milestone by its global
// id, 0 for none.
func (q *query) milestoneNumber(repo *model.Repo, node string) (int, error) {
	if node == "" {
		return 0, nil
	}
	m, err := typed[*model.Milestone](q, node)
	if err != nil {
		return 0, err
	}
	if m.RepoID != repo.ID {
		return 0, noNode(node)
	}
	return m.Number, nil
}

func createIssue(q *query, in graphql.Args) (payload, error) {
	repo, err := typed[*model.Repo](q, in.String("repositoryId"))
	if err != nil {
		return nil, err
	}
	issue := model.NewIssue{Title: in.String("title"), Body: in.String("body")}
	if issue.Labels, err = q.labelNames(repo, in.Strings("labelIds")); err != nil {
		return nil, err
	}
	if issue.Assignees, err = q.logins(in.Strings("assigneeIds")); err != nil {
		return nil, err
	}
	if issue.Milestone, err = q.milestoneNumber(repo, in.String("milestoneId")); err != nil {
		return nil, err
	}
	if issue.Type, err = q.issueTypeName(repo, in.String(issueTypeID)); err != nil {
		return nil, err
	}
	var parent *model.Issue
	if in.Has("parentIssueId") {
		if parent, err = issueByID(q, in.String("parentIssueId")); err != nil {
			return nil, err
		}
	}
	i, err := q.s.OpenIssue(q.actor, repo, issue)
	if err == nil && parent != nil {
		err = q.s.AddSubIssue(q.actor, parent, i, false)
	}
	return payload{"issue": i}, err
}

// issueTypeID is the field of inputs that has the type of an issue.
const issueTypeID = "issueTypeId"

// issueTypeName returns the name of a type of a repository's issues by its global id,
// empty for none.
func (q *query) issueTypeName(repo *model.Repo, node string) (string, error) {
	if node == "" {
		return "", nil
	}
	for _, t := range q.s.Users.Get(repo.OwnerID).IssueTypes {
		if model.NodeID(model.NodeIssueType, 0, t.ID) == node {
			return t.Name, nil
		}
	}
	return "", noNode(node)
}

func updateIssue(q *query, i *model.Issue, in graphql.Args) error {
	edit, err := q.issueEdit(q.repoOf(i), in)
	if err != nil {
		return err
	}
	// Null clears the type, so its presence counts.
	if _, given := in[issueTypeID]; given {
		name, err := q.issueTypeName(q.repoOf(i), in.String(issueTypeID))
		if err != nil {
			return err
		}
		edit.Type = &name
	}
	return q.s.EditIssue(q.actor, q.repoOf(i), i, edit)
}

// issueEdit reads what updateIssue and updatePullRequest have in common.
func (q *query) issueEdit(repo *model.Repo, in graphql.Args) (model.IssueEdit, error) {
	edit := model.IssueEdit{Title: text(in, "title"), Body: text(in, "body")}
	if in.Has("state") {
		state := strings.ToLower(in.Enum("state"))
		edit.State = &state
	}
	if in.Has("labelIds") {
		names, err := q.labelNames(repo, in.Strings("labelIds"))
		if err != nil {
			return edit, err
		}
		edit.Labels = &names
	}
	if in.Has("assigneeIds") {
		logins, err := q.logins(in.Strings("assigneeIds"))
		if err != nil {
			return edit, err
		}
		edit.Assignees = &logins
	}
	// Null clears the milestone, so its presence counts.
	if _, given := in["milestoneId"]; given {
		number, err := q.milestoneNumber(repo, in.String("milestoneId"))
		if err != nil {
			return edit, err
		}
		edit.Milestone = &number
	}
	return edit, nil
}

func deleteIssue(q *query, in graphql.Args) (payload, error) {
	i, err := issueByID(q, in.String("issueId"))
	if err != nil {
		return nil, err
	}
	repo := q.repoOf(i)
	return payload{"repository": repo}, q.s.DeleteIssue(q.actor, repo, i)
}

func addComment(q *query, in graphql.Args) (payload, error) {
	i, err := typed[*model.Issue](q, in.String("subjectId"))
	if err != nil {
		return nil, err
	}
	c, err := q.s.CreateComment(q.actor, q.repoOf(i), i, in.String("body"))
	return payload{"commentEdge": graphql.Edge[*model.Comment]{Node: c}, "subject": i}, err
}

func addLabels(q *query, i *model.Issue, in graphql.Args) error {
	names, err := q.labelNames(q.repoOf(i), in.Strings("labelIds"))
	if err != nil {
		return err
	}
	return q.s.AddLabels(q.actor, q.repoOf(i), i, names)
}

// removeLabels takes labels off; those that are not on are left alone.
func removeLabels(q *query, i *model.Issue, in graphql.Args) error {
	labels, err := allTyped[*model.Label](q, in.Strings("labelIds"))
	if err != nil {
		return err
	}
	for _, l := range labels {
		if !slices.Contains(i.Labels, l.ID) {
			continue
		}
		if err := q.s.RemoveLabel(q.actor, q.repoOf(i), i, l.Name); err != nil {
			return err
		}
	}
	return nil
}

func createLabel(q *query, in graphql.Args) (payload, error) {
	repo, err := typed[*model.Repo](q, in.String("repositoryId"))
	if err != nil {
		return nil, err
	}
	l, err := q.s.CreateLabel(q.actor, repo, model.NewLabel{
		Name: in.String("name"), Color: in.String("color"), Description: in.String("description"),
	})
	return payload{"label": l}, err
}

func deleteLabel(q *query, in graphql.Args) (payload, error) {
	l, err := typed[*model.Label](q, in.String("id"))
	if err != nil {
		return nil, err
	}
	return payload{}, q.s.DeleteLabel(q.actor, q.s.Repos.Get(l.RepoID), l)
}

func updateLabel(q *query, l *model.Label, in graphql.Args) error {
	return q.s.EditLabel(q.actor, q.s.Repos.Get(l.RepoID), l, model.LabelEdit{
		Name: text(in, "name"), Color: text(in, "color"), Description: text(in, "description"),
	})
}
