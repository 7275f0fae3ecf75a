package gql

import (
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// subIssues counts an issue's sub-issues.
type subIssues struct{ total, completed int }

// dependencies counts the issues that an issue waits for, and those that wait
// for it.
type dependencies struct{ openBlockers, blockers, openBlocked, blocked int }

// relationFields resolves what issues have to do with each other.
func relationFields() map[string]graphql.Resolver {
	sub := func(get func(subIssues) int) graphql.Resolver {
		return prop(func(_ *query, n subIssues) any { return get(n) })
	}
	dependency := func(get func(dependencies) int) graphql.Resolver {
		return prop(func(_ *query, n dependencies) any { return get(n) })
	}
	return map[string]graphql.Resolver{
		"Issue.parent": prop(func(q *query, i *model.Issue) any {
			if parent := q.s.Parent(i); parent != nil && q.sees(parent) {
				return parent
			}
			return nil
		}),
		"Issue.subIssues": connection(func(q *query, i *model.Issue, _ graphql.Args) ([]*model.Issue, error) {
			return q.s.IssuesByID(q.actor, i.SubIssues), nil
		}),
		"Issue.blockedBy": connection(func(q *query, i *model.Issue, args graphql.Args) ([]*model.Issue, error) {
			return directed(q.s.IssuesByID(q.actor, i.BlockedBy), args.Object("orderBy")), nil
		}),
		"Issue.blocking": connection(func(q *query, i *model.Issue, args graphql.Args) ([]*model.Issue, error) {
			return directed(q.s.IssuesByID(q.actor, q.s.Blocked(i)), args.Object("orderBy")), nil
		}),
		"Issue.subIssuesSummary": prop(func(q *query, i *model.Issue) any {
			all := q.s.IssuesByID(q.actor, i.SubIssues)
			return subIssues{total: len(all), completed: len(all) - countOpen(all)}
		}),
		"Issue.issueDependenciesSummary": prop(func(q *query, i *model.Issue) any {
			blockers, blocked := q.s.IssuesByID(q.actor, i.BlockedBy), q.s.IssuesByID(q.actor, q.s.Blocked(i))
			return dependencies{countOpen(blockers), len(blockers), countOpen(blocked), len(blocked)}
		}),
		"Issue.closedByPullRequestsReferences": connection(closingPulls),
		"Issue.issueType":                      prop(func(q *query, i *model.Issue) any { return present(q.s.TypeOf(i)) }),
		"Repository.issueTypes":                connection(issueTypes),
		"IssueType.name":                       prop(func(_ *query, t *model.IssueType) any { return t.Name }),
		"IssueType.color":                      prop(func(_ *query, t *model.IssueType) any { return t.Color }),
		"IssueType.description":                prop(func(_ *query, t *model.IssueType) any { return orNil(t.Description) }),
		"IssueType.isEnabled":                  prop(func(_ *query, t *model.IssueType) any { return t.Enabled }),
		"SubIssuesSummary.total":               sub(func(n subIssues) int { return n.total }),
		"SubIssuesSummary.completed":           sub(func(n subIssues) int { return n.completed }),
		"SubIssuesSummary.percentCompleted": sub(func(n subIssues) int {
			return n.completed * 100 / max(n.total, 1)
		}),
		"IssueDependenciesSummary.blockedBy":      dependency(func(n dependencies) int { return n.openBlockers }),
		"IssueDependenciesSummary.totalBlockedBy": dependency(func(n dependencies) int { return n.blockers }),
		"IssueDependenciesSummary.blocking":       dependency(func(n dependencies) int { return n.openBlocked }),
		"IssueDependenciesSummary.totalBlocking":  dependency(func(n dependencies) int { return n.blocked }),
	}
}

// issueTypes returns the types that issues of a repository may have: those of
// the organization that it belongs to.
func issueTypes(q *query, r *model.Repo, args graphql.Args) ([]*model.IssueType, error) {
	var all []*model.IssueType
	for _, t := range q.s.Users.Get(r.OwnerID).IssueTypes {
		all = append(all, &t)
	}
	order := args.Object("orderBy")
	if order.Enum("field") == "NAME" {
		slices.SortStableFunc(all, func(a, b *model.IssueType) int { return strings.Compare(a.Name, b.Name) })
	}
	return directed(all, order), nil
}

// closingPulls returns the pull requests that close an issue when they are
// merged.
func closingPulls(q *query, i *model.Issue, args graphql.Args) ([]*model.Issue, error) {
	return slices.DeleteFunc(q.s.ClosingPulls(i), func(pull *model.Issue) bool {
		return !q.sees(pull) || pull.Closed && !args.Bool("includeClosedPrs") || args.Bool("userLinkedOnly") && !linked(pull, i)
	}), nil
}

// closingIssues returns the issues that merging a pull request closes.
func closingIssues(q *query, pull *model.Issue, args graphql.Args) ([]*model.Issue, error) {
	return slices.DeleteFunc(q.s.Closes(pull), func(i *model.Issue) bool {
		return !q.sees(i) || args.Bool("userLinkedOnly") && !linked(pull, i)
	}), nil
}

// linked reports whether a pull request closes an issue whatever its body says.
func linked(pull, i *model.Issue) bool { return slices.Contains(pull.Pull.LinkedIssues, i.ID) }

func countOpen(issues []*model.Issue) int {
	open := 0
	for _, i := range issues {
		if !i.Closed {
			open++
		}
	}
	return open
}

func relationMutations() map[string]mutator {
	return map[string]mutator{
		"addSubIssue":          addSubIssue,
		"removeSubIssue":       related("subIssueId", "subIssue", (*model.State).RemoveSubIssue),
		"addBlockedBy":         related("blockingIssueId", "blockingIssue", (*model.State).AddBlocker),
		"removeBlockedBy":      related("blockingIssueId", "blockingIssue", (*model.State).RemoveBlocker),
		"reprioritizeSubIssue": change("issueId", "issue", issueByID, moveSubIssue),
	}
}

// related makes a mutation of one that is about two issues: the one of the
// input's issueId, and another one, which is shown too.
func related(id, shown string, apply func(s *model.State, actor model.ID, i, other *model.Issue) error) mutator {
	return func(q *query, in graphql.Args) (payload, error) {
		i, err := issueByID(q, in.String("issueId"))
		if err != nil {
			return nil, err
		}
		other, err := issueByID(q, in.String(id))
		if err != nil {
			return nil, err
		}
		return payload{"issue": i, shown: other}, apply(q.s, q.actor, i, other)
	}
}

// addSubIssue takes the sub-issue by its id or its address.
func addSubIssue(q *query, in graphql.Args) (payload, error) {
	parent, err := issueByID(q, in.String("issueId"))
	if err != nil {
		return nil, err
	}
	sub, _ := q.resource(in.String("subIssueUrl")).(*model.Issue)
	if in.Has("subIssueId") {
		if sub, err = issueByID(q, in.String("subIssueId")); err != nil {
			return nil, err
		}
	}
	if sub == nil {
		return nil, unresolved("an Issue with the URL of '%s'.", in.String("subIssueUrl"))
	}
	return payload{"issue": parent, "subIssue": sub}, q.s.AddSubIssue(q.actor, parent, sub, in.Bool("replaceParent"))
}

func moveSubIssue(q *query, parent *model.Issue, in graphql.Args) error {
	given := slices.DeleteFunc([]string{"beforeId", "afterId"}, func(name string) bool { return !in.Has(name) })
	if len(given) != 1 {
		return &graphql.Error{Type: "UNPROCESSABLE", Message: "Exactly one of afterId and beforeId must be given."}
	}
	sub, err := issueByID(q, in.String("subIssueId"))
	if err != nil {
		return err
	}
	other, err := issueByID(q, in.String(given[0]))
	if err != nil {
		return err
	}
	return q.s.MoveSubIssue(q.actor, parent, sub.ID, other.ID, given[0] == "beforeId")
}
