package gql

import (
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// projectFields resolves projects, and what leads to them.
func projectFields() map[string]graphql.Resolver {
	project := func(get func(*model.Project) any) graphql.Resolver {
		return prop(func(_ *query, p *model.Project) any { return get(p) })
	}
	mayAtLeast := func(role model.ProjectRole) graphql.Resolver {
		return prop(func(q *query, p *model.Project) any { return q.s.ProjectPermission(q.actor, p) >= role })
	}
	return map[string]graphql.Resolver{
		"ProjectV2Owner.projectV2":             field(projectOf),
		"ProjectV2Owner.projectsV2":            connection(projectsOf),
		"User.viewerCanCreateProjects":         prop(func(q *query, u *model.User) any { return q.s.MayCreateProjects(q.actor, u) }),
		"Organization.viewerCanCreateProjects": prop(func(q *query, u *model.User) any { return q.s.MayCreateProjects(q.actor, u) }),
		"Organization.viewerIsAMember":         prop(func(q *query, u *model.User) any { return u.Members[q.actor] != "" }),
		"Organization.viewerCanAdminister":     prop(func(q *query, u *model.User) any { return u.Members[q.actor] == model.OrgOwner }),
		"User.organizations": connection(func(q *query, u *model.User, _ graphql.Args) ([]*model.User, error) {
			return q.s.OrganizationsOf(u.ID), nil
		}),
		"Repository.projectsV2": connection(func(q *query, r *model.Repo, args graphql.Args) ([]*model.Project, error) {
			return q.projects(args, func(p *model.Project) bool { return slices.Contains(p.Repos, r.ID) }), nil
		}),
		"Team.projectsV2": connection(func(q *query, t *model.Team, args graphql.Args) ([]*model.Project, error) {
			state := args.Object("filterBy").Enum("state")
			return q.projects(args, func(p *model.Project) bool {
				return slices.Contains(p.Teams, t.ID) && (state == "" || (state == "CLOSED") == (p.ClosedAt != nil))
			}), nil
		}),
		"Team.projectV2": field(func(q *query, t *model.Team, args graphql.Args) (any, error) {
			number := args.Int("number")
			if p := q.s.Project(q.actor, q.s.Users.Get(t.OrgID), number); p != nil && slices.Contains(p.Teams, t.ID) {
				return p, nil
			}
			return nil, unresolved("a ProjectV2 with the number %d.", number)
		}),
		"Issue.projectItems":         connection(itemsAbout),
		"PullRequest.projectItems":   connection(itemsAbout),
		"ProjectV2.number":           project(func(p *model.Project) any { return p.Number }),
		"ProjectV2.title":            project(func(p *model.Project) any { return p.Title }),
		"ProjectV2.closed":           project(func(p *model.Project) any { return p.ClosedAt != nil }),
		"ProjectV2.closedAt":         project(func(p *model.Project) any { return p.ClosedAt }),
		"ProjectV2.public":           project(func(p *model.Project) any { return p.Public }),
		"ProjectV2.readme":           project(func(p *model.Project) any { return orNil(p.Readme) }),
		"ProjectV2.shortDescription": project(func(p *model.Project) any { return orNil(p.ShortDescription) }),
		"ProjectV2.template":         prop(func(_ *query, p *model.Project) any { return p.Template }),
		"ProjectV2.creator":          prop(func(q *query, p *model.Project) any { return present(q.s.Users.Get(p.CreatorID)) }),
		"ProjectV2.owner":            prop(func(q *query, p *model.Project) any { return present(q.s.Users.Get(p.OwnerID)) }),
		"ProjectV2.viewerCanClose":   mayAtLeast(model.ProjectWrite),
		"ProjectV2.viewerCanReopen":  mayAtLeast(model.ProjectWrite),
		"ProjectV2.viewerCanUpdate":  mayAtLeast(model.ProjectWrite),
		"ProjectV2.field": lookup(func(q *query, p *model.Project, args graphql.Args) any {
			return present(q.fieldNamed(p, args.String("name")))
		}),
		"ProjectV2.fields": connection(func(q *query, p *model.Project, args graphql.Args) ([]*model.ProjectField, error) {
			fields, order := q.s.FieldsOf(p), args.Object("orderBy")
			if order.Enum("field") == "NAME" {
				slices.SortStableFunc(fields, func(a, b *model.ProjectField) int { return strings.Compare(a.Name, b.Name) })
			}
			return directed(fields, order), nil
		}),
		"ProjectV2.items": connection(func(q *query, p *model.Project, args graphql.Args) ([]*model.ProjectItem, error) {
			items := slices.DeleteFunc(q.s.ItemsOf(p), func(i *model.ProjectItem) bool { return i.Archived })
			return directed(items, args.Object("orderBy")), nil
		}),
		"ProjectV2.teams": connection(func(q *query, p *model.Project, args graphql.Args) ([]*model.Team, error) {
			teams, err := teamsOf(q, q.s.Users.Get(p.OwnerID), args)
			return slices.DeleteFunc(teams, func(t *model.Team) bool { return !slices.Contains(p.Teams, t.ID) }), err
		}),
		"ProjectV2.repositories": connection(func(q *query, p *model.Project, _ graphql.Args) ([]*model.Repo, error) {
			return slices.DeleteFunc(rows(&q.s.Repos, p.Repos), func(r *model.Repo) bool {
				return q.s.Permission(q.actor, r) < model.PermRead
			}), nil
		}),
	}
}

func projectOf(q *query, u *model.User, args graphql.Args) (any, error) {
	number := args.Int("number")
	if p := q.s.Project(q.actor, u, number); p != nil {
		return p, nil
	}
	return nil, unresolved("a ProjectV2 with the number %d.", number)
}

func projectsOf(q *query, u *model.User, args graphql.Args) ([]*model.Project, error) {
	return q.projects(args, func(p *model.Project) bool { return p.OwnerID == u.ID }), nil
}

// projects returns the projects that a user sees and a connection's arguments
// ask for.
func (q *query) projects(args graphql.Args, match func(*model.Project) bool) []*model.Project {
	least := map[string]model.ProjectRole{"WRITE": model.ProjectWrite, "ADMIN": model.ProjectAdmin}[args.Enum("minPermissionLevel")]
	found := q.s.Projects.Where(func(p *model.Project) bool {
		return match(p) && q.s.ProjectPermission(q.actor, p) >= max(least, model.ProjectRead) && p.Matches(args.String("query"))
	})
	order := args.Object("orderBy")
	slices.SortStableFunc(found, func(a, b *model.Project) int {
		switch order.Enum("field") {
		case "TITLE":
			return strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title))
		case "UPDATED_AT":
			return a.UpdatedAt.Compare(b.UpdatedAt)
		case "CREATED_AT":
			return a.CreatedAt.Compare(b.CreatedAt)
		default:
			return a.Number - b.Number
		}
	})
	return directed(found, order)
}

func itemsAbout(q *query, i *model.Issue, args graphql.Args) ([]*model.ProjectItem, error) {
	return slices.DeleteFunc(q.s.ItemsAbout(q.actor, i), func(item *model.ProjectItem) bool {
		return item.Archived && !args.Bool("includeArchived")
	}), nil
}

func (q *query) fieldNamed(p *model.Project, name string) *model.ProjectField {
	fields := q.s.FieldsOf(p)
	if at := slices.IndexFunc(fields, func(f *model.ProjectField) bool { return strings.EqualFold(f.Name, name) }); at >= 0 {
		return fields[at]
	}
	return nil
}

// projectFieldFields resolves the fields of projects.
func projectFieldFields() map[string]graphql.Resolver {
	option := func(get func(model.ProjectOption) any) graphql.Resolver {
		return prop(func(_ *query, o model.ProjectOption) any { return get(o) })
	}
	iteration := func(get func(model.ProjectIteration) any) graphql.Resolver {
		return prop(func(_ *query, i model.ProjectIteration) any { return get(i) })
	}
	return map[string]graphql.Resolver{
		"ProjectV2FieldCommon.name":     prop(func(_ *query, f *model.ProjectField) any { return f.Name }),
		"ProjectV2FieldCommon.dataType": prop(func(_ *query, f *model.ProjectField) any { return string(f.Type) }),
		"ProjectV2FieldCommon.project":  prop(func(q *query, f *model.ProjectField) any { return q.s.Projects.Get(f.ProjectID) }),
		"ProjectV2SingleSelectField.options": lookup(func(_ *query, f *model.ProjectField, args graphql.Args) any {
			names := args.Strings("names")
			return slices.DeleteFunc(slices.Clone(f.Options), func(o model.ProjectOption) bool {
				return args.Has("names") && !slices.Contains(names, o.Name)
			})
		}),
		"ProjectV2SingleSelectFieldOption.id":           option(func(o model.ProjectOption) any { return o.ID }),
		"ProjectV2SingleSelectFieldOption.name":         option(func(o model.ProjectOption) any { return o.Name }),
		"ProjectV2SingleSelectFieldOption.color":        option(func(o model.ProjectOption) any { return o.Color }),
		"ProjectV2SingleSelectFieldOption.description":  option(func(o model.ProjectOption) any { return o.Description }),
		"ProjectV2IterationField.configuration":         prop(func(_ *query, f *model.ProjectField) any { return f }),
		"ProjectV2IterationFieldConfiguration.duration": prop(func(_ *query, f *model.ProjectField) any { return f.Duration }),
		"ProjectV2IterationFieldConfiguration.startDay": constant(1),
		"ProjectV2IterationFieldConfiguration.iterations": prop(func(q *query, f *model.ProjectField) any {
			return f.IterationsBy(q.s.Time(), false)
		}),
		"ProjectV2IterationFieldConfiguration.completedIterations": prop(func(q *query, f *model.ProjectField) any {
			return f.IterationsBy(q.s.Time(), true)
		}),
		"ProjectV2IterationFieldIteration.id":        iteration(func(i model.ProjectIteration) any { return i.ID }),
		"ProjectV2IterationFieldIteration.title":     iteration(func(i model.ProjectIteration) any { return i.Title }),
		"ProjectV2IterationFieldIteration.startDate": iteration(func(i model.ProjectIteration) any { return i.Start }),
		"ProjectV2IterationFieldIteration.duration":  iteration(func(i model.ProjectIteration) any { return i.Days }),
	}
}
