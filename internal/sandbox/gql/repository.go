package gql

import (
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func repositoryFields() map[string]graphql.Resolver {
	is := func(get func(*model.Repo) bool) graphql.Resolver {
		return prop(func(_ *query, r *model.Repo) any { return get(r) })
	}
	fields := map[string]graphql.Resolver{
		"Repository.name":                prop(func(_ *query, r *model.Repo) any { return r.Name }),
		"Repository.nameWithOwner":       prop(func(q *query, r *model.Repo) any { return q.s.FullName(r) }),
		"Repository.owner":               prop(func(q *query, r *model.Repo) any { return q.s.Users.Get(r.OwnerID) }),
		"Repository.description":         prop(func(_ *query, r *model.Repo) any { return orNil(r.Description) }),
		"Repository.homepageUrl":         prop(func(_ *query, r *model.Repo) any { return orNil(r.Homepage) }),
		"Repository.sshUrl":              prop(func(q *query, r *model.Repo) any { return "git@github.com:" + q.s.FullName(r) + ".git" }),
		"Repository.visibility":          prop(func(_ *query, r *model.Repo) any { return visibility(r) }),
		"Repository.isPrivate":           is(func(r *model.Repo) bool { return r.Private }),
		"Repository.isArchived":          is(func(r *model.Repo) bool { return r.Archived }),
		"Repository.isEmpty":             is((*model.Repo).Empty),
		"Repository.hasIssuesEnabled":    is(func(r *model.Repo) bool { return r.HasIssues }),
		"Repository.hasWikiEnabled":      is(func(r *model.Repo) bool { return model.Offers(r.HasWiki) }),
		"Repository.hasProjectsEnabled":  is(func(r *model.Repo) bool { return model.Offers(r.HasProjects) }),
		"Repository.isTemplate":          is(func(r *model.Repo) bool { return r.IsTemplate }),
		"Repository.mergeCommitAllowed":  is(func(r *model.Repo) bool { return r.AllowMerge }),
		"Repository.squashMergeAllowed":  is(func(r *model.Repo) bool { return r.AllowSquash }),
		"Repository.rebaseMergeAllowed":  is(func(r *model.Repo) bool { return r.AllowRebase }),
		"Repository.autoMergeAllowed":    is(func(r *model.Repo) bool { return r.AllowAutoMerge }),
		"Repository.deleteBranchOnMerge": is(func(r *model.Repo) bool { return r.DeleteBranchOnMerge }),
		"Repository.isInOrganization": prop(func(q *query, r *model.Repo) any {
			return q.s.Users.Get(r.OwnerID).Type == model.TypeOrganization
		}),
		"Repository.pushedAt":         prop(func(_ *query, r *model.Repo) any { return r.PushedAt }),
		"Repository.stargazerCount":   prop(func(_ *query, r *model.Repo) any { return len(r.Stargazers) }),
		"Repository.viewerHasStarred": prop(func(q *query, r *model.Repo) any { return slices.Contains(r.Stargazers, q.actor) }),
		"Repository.forkCount":        prop(func(_ *query, r *model.Repo) any { return r.ForkCount }),
		"Repository.viewerPermission": prop(func(q *query, r *model.Repo) any {
			return strings.ToUpper(q.s.Permission(q.actor, r).String())
		}),
		"Repository.viewerCanAdminister": prop(func(q *query, r *model.Repo) any {
			return q.s.Permission(q.actor, r) >= model.PermAdmin
		}),
		"Repository.viewerDefaultMergeMethod": constant("MERGE"),
		"Repository.assignableUsers": connection(func(q *query, r *model.Repo, args graphql.Args) ([]*model.User, error) {
			return matching(q.s.Assignable(r), args.String("query"), func(u *model.User) string { return u.Login + " " + u.Name }), nil
		}),
		"Repository.mentionableUsers": connection(func(q *query, r *model.Repo, args graphql.Args) ([]*model.User, error) {
			return matching(q.s.Assignable(r), args.String("query"), func(u *model.User) string { return u.Login + " " + u.Name }), nil
		}),
		"Repository.suggestedActors": connection(func(q *query, r *model.Repo, args graphql.Args) ([]*model.User, error) {
			return matching(q.s.Assignable(r), args.String("query"), func(u *model.User) string { return u.Login + " " + u.Name }), nil
		}),
		"Repository.watchers": connection(func(q *query, r *model.Repo, _ graphql.Args) ([]*model.User, error) {
			return rows(&q.s.Users, r.Watchers), nil
		}),
		"Repository.viewerSubscription": prop(func(q *query, r *model.Repo) any {
			return string(r.SubscriptionOf(q.actor))
		}),
		"Repository.viewerDefaultCommitEmail":   prop(func(q *query, _ *model.Repo) any { return q.s.Signature(q.actor).Email }),
		"Repository.viewerPossibleCommitEmails": prop(func(q *query, _ *model.Repo) any { return []string{q.s.Signature(q.actor).Email} }),
		"Repository.openGraphImageUrl": prop(func(q *query, r *model.Repo) any {
			return "https://opengraph.githubassets.com/1/" + q.s.FullName(r)
		}),
		"Repository.isFork":             prop(func(_ *query, r *model.Repo) any { return r.ParentID != 0 }),
		"Repository.parent":             prop(parentOf),
		"Repository.templateRepository": prop(templateOf),
		"Repository.issue":              field(repositoryIssue),
		"Repository.pullRequest":        field(repositoryPull),
		"Repository.issueOrPullRequest": field(repositoryIssueOrPull),
		"Repository.issues":             connection(issuesOf),
		"Repository.pullRequests":       connection(pullsOf),
	}
	for _, name := range []string{"isDisabled", "isMirror", "isLocked",
		"usesCustomOpenGraphImage", "isSecurityPolicyEnabled", "isUserConfigurationRepository"} {
		fields["Repository."+name] = constant(false)
	}
	for _, name := range []string{"isBlankIssuesEnabled"} {
		fields["Repository."+name] = constant(true)
	}
	for _, name := range []string{"archivedAt", "diskUsage"} {
		fields["Repository."+name] = constant(nil)
	}
	return fields
}

// parentOf resolves what a repository was forked from, as far as the viewer may
// see it.
func parentOf(q *query, r *model.Repo) any {
	parent := q.s.Repos.Get(r.ParentID)
	if parent == nil || q.s.Permission(q.actor, parent) < model.PermRead {
		return nil
	}
	return parent
}

// templateOf resolves what a repository was generated from, as far as the viewer
// may see it.
func templateOf(q *query, r *model.Repo) any {
	template := q.s.Repos.Get(r.TemplateID)
	if template == nil || q.s.Permission(q.actor, template) < model.PermRead {
		return nil
	}
	return template
}

func visibility(r *model.Repo) string {
	if r.Private {
		return "PRIVATE"
	}
	return "PUBLIC"
}

func repositoryIssue(q *query, r *model.Repo, args graphql.Args) (any, error) {
	number := args.Int("number")
	if i := q.s.Issue(r, number); i != nil && i.Pull == nil && r.HasIssues {
		return i, nil
	}
	return nil, unresolved("an Issue with the number of %d.", number)
}

func repositoryPull(q *query, r *model.Repo, args graphql.Args) (any, error) {
	number := args.Int("number")
	if i := q.s.Pull(r, number); i != nil {
		return i, nil
	}
	return nil, unresolved("a PullRequest with the number of %d.", number)
}

func repositoryIssueOrPull(q *query, r *model.Repo, args graphql.Args) (any, error) {
	number := args.Int("number")
	if i := q.s.Issue(r, number); i != nil && (i.Pull != nil || r.HasIssues) {
		return i, nil
	}
	return nil, unresolved("an issue or pull request with the number of %d.", number)
}

// matching returns the items whose text contains the words of a query.
func matching[T any](items []T, words string, text func(T) string) []T {
	words = strings.ToLower(words)
	return slices.DeleteFunc(items, func(item T) bool { return !strings.Contains(strings.ToLower(text(item)), words) })
}

// labelFields resolves labels and milestones, and a repository's lists of
// them.
func labelFields() map[string]graphql.Resolver {
	return map[string]graphql.Resolver{
		"Repository.label": lookup(func(q *query, r *model.Repo, args graphql.Args) any {
			return present(q.s.Label(r, args.String("name")))
		}),
		"Repository.labels": connection(func(q *query, r *model.Repo, args graphql.Args) ([]*model.Label, error) {
			labels := matching(q.s.LabelsOf(r), args.String("query"), func(l *model.Label) string { return l.Name })
			return orderLabels(labels, args.Object("orderBy")), nil
		}),
		"Repository.milestone": lookup(func(q *query, r *model.Repo, args graphql.Args) any {
			return present(q.s.Milestone(r, args.Int("number")))
		}),
		"Repository.milestones": connection(milestonesOf),
		"Label.name":            prop(func(_ *query, l *model.Label) any { return l.Name }),
		"Label.color":           prop(func(_ *query, l *model.Label) any { return l.Color }),
		"Label.description":     prop(func(_ *query, l *model.Label) any { return orNil(l.Description) }),
		"Label.isDefault":       prop(func(_ *query, l *model.Label) any { return l.Default }),
		"Milestone.number":      prop(func(_ *query, m *model.Milestone) any { return m.Number }),
		"Milestone.title":       prop(func(_ *query, m *model.Milestone) any { return m.Title }),
		"Milestone.description": prop(func(_ *query, m *model.Milestone) any { return orNil(m.Description) }),
		"Milestone.state":       prop(func(_ *query, m *model.Milestone) any { return milestoneState(m) }),
		"Milestone.closed":      prop(func(_ *query, m *model.Milestone) any { return m.Closed }),
		"Milestone.closedAt":    prop(func(_ *query, m *model.Milestone) any { return m.ClosedAt }),
		"Milestone.dueOn":       prop(func(_ *query, m *model.Milestone) any { return m.DueOn }),
		"Milestone.creator":     prop(func(q *query, m *model.Milestone) any { return present(q.s.Users.Get(m.CreatorID)) }),
	}
}

// orderLabels sorts labels that are in order of creation.
func orderLabels(labels []*model.Label, order graphql.Args) []*model.Label {
	if order.Enum("field") == "NAME" {
		slices.SortStableFunc(labels, func(a, b *model.Label) int {
			return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
		})
	}
	return directed(labels, order)
}

func milestonesOf(q *query, r *model.Repo, args graphql.Args) ([]*model.Milestone, error) {
	states, order := args.Strings("states"), args.Object("orderBy")
	milestones := q.s.Milestones.Where(func(m *model.Milestone) bool {
		return m.RepoID == r.ID && (len(states) == 0 || slices.Contains(states, milestoneState(m)))
	})
	slices.SortStableFunc(milestones, func(a, b *model.Milestone) int {
		switch order.Enum("field") {
		case "UPDATED_AT":
			return a.UpdatedAt.Compare(b.UpdatedAt)
		case "DUE_DATE":
			return compareDue(a, b)
		default:
			return a.Number - b.Number
		}
	})
	milestones = directed(milestones, order)
	return matching(milestones, args.String("query"), func(m *model.Milestone) string { return m.Title }), nil
}

// compareDue puts milestones without a date last.
func compareDue(a, b *model.Milestone) int {
	switch {
	case a.DueOn == nil && b.DueOn == nil:
		return 0
	case a.DueOn == nil:
		return 1
	case b.DueOn == nil:
		return -1
	default:
		return a.DueOn.Compare(*b.DueOn)
	}
}

func milestoneState(m *model.Milestone) string {
	if m.Closed {
		return "CLOSED"
	}
	return "OPEN"
}
