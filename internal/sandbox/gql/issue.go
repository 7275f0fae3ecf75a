package gql

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// issueFields resolves what issues and pull requests share, and comments.
func issueFields() map[string]graphql.Resolver {
	both := map[string]graphql.Resolver{
		"number":           prop(func(_ *query, i *model.Issue) any { return i.Number }),
		"title":            prop(func(_ *query, i *model.Issue) any { return i.Title }),
		"state":            prop(func(_ *query, i *model.Issue) any { return issueState(i) }),
		"closed":           prop(func(_ *query, i *model.Issue) any { return i.Closed }),
		"closedAt":         prop(func(_ *query, i *model.Issue) any { return i.ClosedAt }),
		"locked":           prop(func(_ *query, i *model.Issue) any { return i.Locked }),
		"activeLockReason": prop(func(_ *query, i *model.Issue) any { return lockReasonName(i.LockReason) }),
		"milestone":        prop(func(q *query, i *model.Issue) any { return present(q.s.Milestones.Get(i.MilestoneID)) }),
		"labels": connection(func(q *query, i *model.Issue, args graphql.Args) ([]*model.Label, error) {
			return orderLabels(rows(&q.s.Labels, i.Labels), args.Object("orderBy")), nil
		}),
		"assignees": connection(func(q *query, i *model.Issue, _ graphql.Args) ([]*model.User, error) {
			return rows(&q.s.Users, i.Assignees), nil
		}),
		"comments": connection(func(q *query, i *model.Issue, args graphql.Args) ([]*model.Comment, error) {
			return directed(q.s.CommentsOf(i), args.Object("orderBy")), nil
		}),
	}
	fields := map[string]graphql.Resolver{
		"Issue.stateReason":  prop(func(_ *query, i *model.Issue) any { return orNil(strings.ToUpper(i.StateReason)) }),
		"Issue.isPinned":     prop(func(_ *query, i *model.Issue) any { return i.Pinned }),
		"IssueComment.issue": prop(func(q *query, c *model.Comment) any { return q.s.Issues.Get(c.IssueID) }),
		"IssueComment.pullRequest": prop(func(q *query, c *model.Comment) any {
			if i := q.s.Issues.Get(c.IssueID); i.Pull != nil {
				return i
			}
			return nil
		}),
	}
	for name, resolver := range both {
		fields["Issue."+name], fields["PullRequest."+name] = resolver, resolver
	}
	return fields
}

// rows returns the rows of a table by their ids, leaving out those that are
// gone.
func rows[T any](table *model.Table[T], ids []model.ID) []*T {
	found := make([]*T, 0, len(ids))
	for _, id := range ids {
		if row := table.Get(id); row != nil {
			found = append(found, row)
		}
	}
	return found
}

func issueState(i *model.Issue) string {
	switch {
	case i.Pull != nil && i.Pull.Merged():
		return "MERGED"
	case i.Closed:
		return "CLOSED"
	default:
		return "OPEN"
	}
}

// selection says which issues or pull requests of a repository are asked for;
// empty fields ask for nothing in particular.
type selection struct {
	pulls                          bool
	states, labels                 []string
	assignee, createdBy, mentioned string
	milestone                      string
	since                          time.Time
	head, base                     string
}

// anything is the value of a filter that asks for some assignee or milestone.
const anything = "*"

func issuesOf(q *query, r *model.Repo, args graphql.Args) ([]*model.Issue, error) {
	filter := args.Object("filterBy")
	return q.selected(r, selection{
		states:   append(args.Strings("states"), filter.Strings("states")...),
		labels:   append(args.Strings("labels"), filter.Strings("labels")...),
		assignee: filter.String("assignee"), createdBy: filter.String("createdBy"), mentioned: filter.String("mentioned"),
		milestone: cmp.Or(filter.String("milestoneNumber"), filter.String("milestone")), since: filter.Time("since"),
	}, args.Object("orderBy")), nil
}

func pullsOf(q *query, r *model.Repo, args graphql.Args) ([]*model.Issue, error) {
	return q.selected(r, selection{
		pulls: true, states: args.Strings("states"), labels: args.Strings("labels"),
		head: args.String("headRefName"), base: args.String("baseRefName"),
	}, args.Object("orderBy")), nil
}

func (q *query) selected(r *model.Repo, want selection, order graphql.Args) []*model.Issue {
	found := q.s.Issues.Where(func(i *model.Issue) bool { return i.RepoID == r.ID && want.has(q.s, r, i) })
	slices.SortStableFunc(found, func(a, b *model.Issue) int {
		var by int
		switch order.Enum("field") {
		case "UPDATED_AT":
			by = a.UpdatedAt.Compare(b.UpdatedAt)
		case "COMMENTS":
			by = cmp.Compare(q.s.CommentCount(a), q.s.CommentCount(b))
		}
		return cmp.Or(by, a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.Number, b.Number))
	})
	return directed(found, order)
}

func (want selection) has(s *model.State, r *model.Repo, i *model.Issue) bool {
	switch {
	case (i.Pull != nil) != want.pulls || i.Pull == nil && !r.HasIssues:
		return false
	case len(want.states) > 0 && !slices.Contains(want.states, issueState(i)):
		return false
	case i.UpdatedAt.Before(want.since):
		return false
	case want.createdBy != "" && !strings.EqualFold(want.createdBy, s.Login(i.AuthorID)):
		return false
	case want.mentioned != "" && !strings.Contains(strings.ToLower(i.Body), "@"+strings.ToLower(want.mentioned)):
		return false
	case i.Pull != nil && !(isOr(want.head, i.Pull.HeadRef) && isOr(want.base, i.Pull.BaseRef)):
		return false
	}
	return want.hasAssignee(s, i) && want.hasMilestone(s, i) && want.hasLabel(s, r, i)
}

func (want selection) hasAssignee(s *model.State, i *model.Issue) bool {
	if want.assignee == "" || want.assignee == anything {
		return want.assignee == "" || len(i.Assignees) > 0
	}
	u := s.User(want.assignee)
	return u != nil && slices.Contains(i.Assignees, u.ID)
}

func (want selection) hasMilestone(s *model.State, i *model.Issue) bool {
	m := s.Milestones.Get(i.MilestoneID)
	if want.milestone == "" || m == nil {
		return want.milestone == ""
	}
	return want.milestone == anything || want.milestone == strconv.Itoa(m.Number)
}

// hasLabel reports whether an issue has one of the labels: they are
// alternatives here, unlike in GitHub's REST API.
func (want selection) hasLabel(s *model.State, r *model.Repo, i *model.Issue) bool {
	return len(want.labels) == 0 || slices.ContainsFunc(want.labels, func(name string) bool {
		l := s.Label(r, name)
		return l != nil && slices.Contains(i.Labels, l.ID)
	})
}
