package gql

import (
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func teamFields() map[string]graphql.Resolver {
	org := func(q *query, t *model.Team) *model.User { return q.s.Users.Get(t.OrgID) }
	return map[string]graphql.Resolver{
		"Organization.teams": connection(teamsOf),
		"Organization.team": lookup(func(q *query, u *model.User, args graphql.Args) any {
			return present(q.s.Team(q.actor, u, args.String("slug")))
		}),
		"Organization.membersWithRole": connection(func(q *query, org *model.User, _ graphql.Args) ([]orgMember, error) {
			var all []orgMember
			for u := range q.s.Users.All() {
				if org.Members[u.ID] != "" {
					all = append(all, orgMember{u, org})
				}
			}
			return all, nil
		}),
		"OrganizationMemberConnection.nodes": prop(func(_ *query, p graphql.Page[orgMember]) any {
			users := make([]*model.User, 0, len(p.Nodes))
			for _, m := range p.Nodes {
				users = append(users, m.User)
			}
			return users
		}),
		"OrganizationMemberEdge.node": prop(func(_ *query, e graphql.Edge[orgMember]) any { return e.Node.User }),
		"OrganizationMemberEdge.role": prop(func(_ *query, e graphql.Edge[orgMember]) any {
			return strings.ToUpper(string(e.Node.org.Members[e.Node.ID]))
		}),
		// All have a second factor, which owners alone see.
		"OrganizationMemberEdge.hasTwoFactorEnabled": prop(func(q *query, e graphql.Edge[orgMember]) any {
			if e.Node.org.Members[q.actor] != model.OrgOwner {
				return nil
			}
			return true
		}),
		// There are no rulesets of organizations here.
		"Organization.rulesets": connection(func(*query, *model.User, graphql.Args) ([]ruleset, error) { return nil, nil }),
		"Team.name":             prop(func(_ *query, t *model.Team) any { return t.Name }),
		"Team.slug":             prop(func(_ *query, t *model.Team) any { return t.Slug }),
		"Team.description":      prop(func(_ *query, t *model.Team) any { return orNil(t.Description) }),
		"Team.combinedSlug":     prop(func(q *query, t *model.Team) any { return org(q, t).Login + "/" + t.Slug }),
		"Team.organization":     prop(func(q *query, t *model.Team) any { return org(q, t) }),
		"Team.members": connection(func(q *query, t *model.Team, args graphql.Args) ([]*model.User, error) {
			return matching(rows(&q.s.Users, t.Members), args.String("query"), func(u *model.User) string { return u.Login + " " + u.Name }), nil
		}),
		"TeamMemberEdge.role": constant("MEMBER"),
	}
}

// orgMember is a member of an organization.
type orgMember struct {
	*model.User
	org *model.User
}

func teamsOf(q *query, u *model.User, args graphql.Args) ([]*model.Team, error) {
	logins := args.Strings("userLogins")
	teams := slices.DeleteFunc(q.s.TeamsOf(q.actor, u), func(t *model.Team) bool {
		return len(logins) > 0 && !slices.ContainsFunc(logins, func(login string) bool {
			member := q.s.User(login)
			return member != nil && slices.Contains(t.Members, member.ID)
		})
	})
	if order := args.Object("orderBy"); order.Enum("field") == "NAME" {
		slices.SortStableFunc(teams, func(a, b *model.Team) int { return strings.Compare(a.Name, b.Name) })
		teams = directed(teams, order)
	}
	return matching(teams, args.String("query"), func(t *model.Team) string { return t.Name }), nil
}

// teamIDs returns the database ids of teams by their global ids.
func (q *query) teamIDs(nodes []string) ([]model.ID, error) {
	teams, err := allTyped[*model.Team](q, nodes)
	ids := make([]model.ID, 0, len(teams))
	for _, t := range teams {
		ids = append(ids, t.ID)
	}
	return ids, err
}
