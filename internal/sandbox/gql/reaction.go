package gql

import (
	"slices"
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

// reactionName is GraphQL's name of a reaction.
func reactionName(content string) string {
	if name := reactionNames[content]; name != "" {
		return name
	}
	return strings.ToUpper(content)
}

// reactions is a page of the reactions to something, with all of them.
type reactions struct {
	graphql.Page[*model.Reaction]
	all []*model.Reaction
}

// reactionMutations react, give stars, and hide what was said.
func reactionMutations() map[string]mutator {
	return map[string]mutator{
		"addReaction": func(q *query, in graphql.Args) (payload, error) {
			subject, id, repo, err := q.reactable(in)
			if err != nil {
				return nil, err
			}
			r, _, err := q.s.React(q.actor, repo, id, restName(in.Enum("content")))
			return payload{"reaction": r, "subject": subject, "reactionGroups": q.reactionGroups(subject)}, err
		},
		"removeReaction": func(q *query, in graphql.Args) (payload, error) {
			subject, id, _, err := q.reactable(in)
			if err != nil {
				return nil, err
			}
			for _, r := range q.s.ReactionsTo(id) {
				if r.UserID == q.actor && reactionName(r.Content) == in.Enum("content") {
					err := q.s.DeleteReaction(q.actor, r)
					return payload{"reaction": r, "subject": subject, "reactionGroups": q.reactionGroups(subject)}, err
				}
			}
			return nil, unresolved("a reaction of yours to the node with the global id of '%s'", in.String("subjectId"))
		},
		"addStar":    star(true),
		"removeStar": star(false),
		"minimizeComment": change("subjectId", "minimizedComment", (*query).node, func(q *query, obj any, in graphql.Args) error {
			return q.s.Minimize(q.actor, obj, strings.ReplaceAll(strings.ToLower(in.Enum("classifier")), "_", "-"))
		}),
		"unminimizeComment": change("subjectId", "unminimizedComment", (*query).node, func(q *query, obj any, _ graphql.Args) error {
			return q.s.Minimize(q.actor, obj, "")
		}),
	}
}

// reactable returns what an input names to react to.
func (q *query) reactable(in graphql.Args) (subject any, id model.ID, repo *model.Repo, err error) {
	if subject, err = q.node(in.String("subjectId")); err != nil {
		return nil, 0, nil, err
	}
	id, of := rowOf(subject)
	if id == 0 {
		return nil, 0, nil, noNode(in.String("subjectId"))
	}
	return subject, id, q.s.Repos.Get(of), nil
}

// restName is the model's name of a reaction that GraphQL names.
func restName(name string) string {
	for _, content := range model.Reactions {
		if reactionName(content) == name {
			return content
		}
	}
	return name
}

func reactionFields() map[string]graphql.Resolver {
	all := connection(func(_ *query, g reactionGroup, _ graphql.Args) ([]*model.Reaction, error) { return g.reactions, nil })
	nodes := prop(func(q *query, p graphql.Page[*model.Reaction]) any { return q.reactors(p.Nodes) })
	node := prop(func(q *query, e graphql.Edge[*model.Reaction]) any { return present(q.s.Users.Get(e.Node.UserID)) })
	when := prop(func(_ *query, e graphql.Edge[*model.Reaction]) any { return e.Node.CreatedAt })
	return map[string]graphql.Resolver{
		"Reactable.reactions": field(func(q *query, subject any, args graphql.Args) (any, error) {
			id, _ := rowOf(subject)
			all := slices.DeleteFunc(q.s.ReactionsTo(id), func(r *model.Reaction) bool {
				return args.Has("content") && reactionName(r.Content) != args.Enum("content")
			})
			if args.Object("orderBy").Enum("direction") == "DESC" {
				slices.Reverse(all)
			}
			page, err := graphql.Paginate(all, args)
			return reactions{page, all}, err
		}),
		"ReactionConnection.viewerHasReacted": prop(func(q *query, r reactions) any {
			return slices.ContainsFunc(r.all, func(one *model.Reaction) bool { return one.UserID == q.actor })
		}),
		"Reaction.content":   prop(func(_ *query, r *model.Reaction) any { return reactionName(r.Content) }),
		"Reaction.user":      prop(func(q *query, r *model.Reaction) any { return present(q.s.Users.Get(r.UserID)) }),
		"Reaction.reactable": prop(func(q *query, r *model.Reaction) any { return q.subjectOf(r) }),
		"Issue.participants": connection(participants), "PullRequest.participants": connection(participants),
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

// rowOf returns the id and the repository of what people react to; zeros for
// what they do not react to here.
func rowOf(subject any) (id, repo model.ID) {
	switch s := subject.(type) {
	case *model.Issue:
		return s.ID, s.RepoID
	case *model.Comment:
		return s.ID, s.RepoID
	case *model.Review:
		return s.ID, s.RepoID
	case *model.ReviewComment:
		return s.ID, s.RepoID
	case *model.Discussion:
		return s.ID, s.RepoID
	case *model.Release:
		return s.ID, s.RepoID
	case *model.DiscussionComment:
		return s.ID, s.RepoID
	default:
		return 0, 0
	}
}

// subjectOf returns what a reaction is to.
func (q *query) subjectOf(r *model.Reaction) any {
	return q.s.Row(r.SubjectID)
}

// reactionGroups returns the reactions to something by kind.
func (q *query) reactionGroups(subject any) []reactionGroup {
	id, _ := rowOf(subject)
	all := q.s.ReactionsTo(id)
	var groups []reactionGroup
	for _, content := range model.Reactions {
		g := reactionGroup{subject: subject, content: reactionName(content)}
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

func participants(q *query, i *model.Issue, _ graphql.Args) ([]*model.User, error) {
	return q.s.Participants(q.actor, i), nil
}

// star gives somebody's star to a repository or a gist, or takes it back.
func star(starred bool) mutator {
	return change("starrableId", "starrable", (*query).node, func(q *query, obj any, in graphql.Args) error {
		switch obj := obj.(type) {
		case *model.Repo:
			q.s.Star(q.actor, obj, starred)
		case *model.Gist:
			q.s.StarGist(q.actor, obj, starred)
		default:
			return unresolved("a node with the global id of '%s'", in.String("starrableId"))
		}
		return nil
	})
}
