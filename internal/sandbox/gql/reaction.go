package gql

import "github.com/ghx-dev/bench-action/internal/sandbox/graphql"

// reactionGroup is the users who reacted to something in one way. In a sandbox
// nobody does.
type reactionGroup struct {
	subject any
	content string
}

func reactionFields() map[string]graphql.Resolver {
	nobody := connection(func(*query, reactionGroup, graphql.Args) ([]any, error) { return nil, nil })
	return map[string]graphql.Resolver{
		"Reactable.reactionGroups": prop(func(_ *query, subject any) any {
			var groups []reactionGroup
			for _, content := range []string{"THUMBS_UP", "THUMBS_DOWN", "LAUGH", "HOORAY", "CONFUSED", "HEART", "ROCKET", "EYES"} {
				groups = append(groups, reactionGroup{subject, content})
			}
			return groups
		}),
		"ReactionGroup.content":          prop(func(_ *query, g reactionGroup) any { return g.content }),
		"ReactionGroup.subject":          prop(func(_ *query, g reactionGroup) any { return g.subject }),
		"ReactionGroup.createdAt":        constant(nil),
		"ReactionGroup.viewerHasReacted": constant(false),
		"ReactionGroup.users":            nobody,
		"ReactionGroup.reactors":         nobody,
		"ReactingUserEdge.reactedAt":     constant(nil),
		"ReactorEdge.reactedAt":          constant(nil),
	}
}
