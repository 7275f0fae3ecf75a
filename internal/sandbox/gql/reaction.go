package gql

import (
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// reactionGroup is the users who reacted to something in one way, in the order
// in which they did.
type reactionGroup struct {
	subject   any
	content   string
	reactions []*model.Reaction
}

// reactionNames are GraphQL's names of the reactions that REST names by signs.
var reactionNames = map[string]string{"+1": "THUMBS_UP", "-1": "THUMBS_DOWN"}

func reactionFields() map[string]graphql.Resolver {
	all := connection(func(_ *query, g reactionGroup, _ graphql.Args) ([]*model.Reaction, error) { return g.reactions, nil })
	nodes := prop(func(q *query, p graphql.Page[*model.Reaction]) any { return q.reactors(p.Nodes) })
	node := prop(func(q *query, e graphql.Edge[*model.Reaction]) any { return present(q.s.Users.Get(e.Node.UserID)) })
	when := prop(func(_ *query, e graphql.Edge[*model.Reaction]) any { return e.Node.CreatedAt })
	return map[string]graphql.Resolver{
		"Reactable.reactionGroups": prop(func(q *query, subject any) any { return q.reactionGroups(subject) }),
		"ReactionGroup.content":    prop(func(_ *query, g reactionGroup) any { return g.content }),
		"ReactionGroup.subject":    prop(func(_ *query, g reactionGroup) any { return g.subject }),
		"ReactionGroup.createdAt": prop(func(_ *query, g reactionGroup) any {
			if len(g.reactions) == 0 {
				return nil
			}
			return g.reactions[0].CreatedAt
		}),
		"ReactionGroup.viewerHasReacted": prop(func(q *query, g reactionGroup) any {
			for _, r := range g.reactions {
				if r.UserID == q.actor {
					return true
				}
			}
			return false
		}),
		"ReactionGroup.users":          all,
		"ReactionGroup.reactors":       all,
		"ReactingUserConnection.nodes": nodes, "ReactorConnection.nodes": nodes,
		"ReactingUserEdge.node": node, "ReactorEdge.node": node,
		"ReactingUserEdge.reactedAt": when, "ReactorEdge.reactedAt": when,
	}
}

// reactionGroups returns the reactions to something by kind.
func (q *query) reactionGroups(subject any) []reactionGroup {
	var all []*model.Reaction
	switch s := subject.(type) {
	case *model.Issue:
		all = q.s.ReactionsTo(s.ID)
	case *model.Comment:
		all = q.s.ReactionsTo(s.ID)
	}
	var groups []reactionGroup
	for _, content := range model.Reactions {
		name := reactionNames[content]
		if name == "" {
			name = strings.ToUpper(content)
		}
		g := reactionGroup{subject: subject, content: name}
		for _, r := range all {
			if r.Content == content {
				g.reactions = append(g.reactions, r)
			}
		}
		groups = append(groups, g)
	}
	return groups
}

// reactors returns who reacted.
func (q *query) reactors(reactions []*model.Reaction) []*model.User {
	users := make([]*model.User, 0, len(reactions))
	for _, r := range reactions {
		if u := q.s.Users.Get(r.UserID); u != nil {
			users = append(users, u)
		}
	}
	return users
}
