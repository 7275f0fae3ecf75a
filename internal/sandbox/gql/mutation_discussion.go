package gql

import (
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func discussionMutations() map[string]mutator {
	discussion, comment := typed[*model.Discussion], typed[*model.DiscussionComment]
	answer := func(is bool) mutator {
		return func(q *query, in graphql.Args) (payload, error) {
			c, err := comment(q, in.String("id"))
			if err != nil {
				return nil, err
			}
			return payload{"discussion": q.s.Discussions.Get(c.DiscussionID)}, q.s.AnswerDiscussion(q.actor, c, is)
		}
	}
	vote := func(wanted bool) mutator {
		return change("subjectId", "subject", (*query).node, func(q *query, obj any, in graphql.Args) error {
			f := q.facts(obj)
			switch obj.(type) {
			case *model.Discussion, *model.DiscussionComment:
			default:
				return noNode(in.String("subjectId"))
			}
			if f.author == q.actor {
				return &graphql.Error{Type: "UNPROCESSABLE", Message: "You can't upvote your own content."}
			}
			return q.s.Upvote(q.actor, f.repo, voters(obj), wanted)
		})
	}
	return map[string]mutator{
		"createDiscussion": createDiscussion,
		"updateDiscussion": change("discussionId", "discussion", discussion, updateDiscussion),
		"deleteDiscussion": change("id", "discussion", discussion, func(q *query, d *model.Discussion, _ graphql.Args) error {
			return q.s.DeleteDiscussion(q.actor, d)
		}),
		"closeDiscussion": change("discussionId", "discussion", discussion, func(q *query, d *model.Discussion, in graphql.Args) error {
			return q.s.CloseDiscussion(q.actor, d, strings.ToLower(in.Enum("reason")))
		}),
		"reopenDiscussion": change("discussionId", "discussion", discussion, func(q *query, d *model.Discussion, _ graphql.Args) error {
			return q.s.ReopenDiscussion(q.actor, d)
		}),
		"addDiscussionComment": addDiscussionComment,
		"updateDiscussionComment": change("commentId", "comment", comment, func(q *query, c *model.DiscussionComment, in graphql.Args) error {
			return q.s.EditDiscussionComment(q.actor, c, in.String("body"))
		}),
		"deleteDiscussionComment": change("id", "comment", comment, func(q *query, c *model.DiscussionComment, _ graphql.Args) error {
			return q.s.DeleteDiscussionComment(q.actor, c)
		}),
		"markDiscussionCommentAsAnswer":   answer(true),
		"unmarkDiscussionCommentAsAnswer": answer(false),
		"addUpvote":                       vote(true),
		"removeUpvote":                    vote(false),
	}
}

// categoryID is the id of a repository's category, by its global id.
func (q *query) categoryID(repo *model.Repo, node string) (model.ID, error) {
	c, err := typed[category](q, node)
	if err == nil && c.repo.ID != repo.ID {
		err = noNode(node)
	}
	return c.ID, err
}

func createDiscussion(q *query, in graphql.Args) (payload, error) {
	repo, err := typed[*model.Repo](q, in.String("repositoryId"))
	if err != nil {
		return nil, err
	}
	begun := model.NewDiscussion{Title: in.String("title"), Body: in.String("body")}
	if begun.CategoryID, err = q.categoryID(repo, in.String("categoryId")); err != nil {
		return nil, err
	}
	d, err := q.s.CreateDiscussion(q.actor, repo, begun)
	return payload{"discussion": d}, err
}

func updateDiscussion(q *query, d *model.Discussion, in graphql.Args) error {
	edit := model.DiscussionEdit{Title: text(in, "title"), Body: text(in, "body")}
	if in.Has("categoryId") {
		id, err := q.categoryID(q.s.Repos.Get(d.RepoID), in.String("categoryId"))
		if err != nil {
			return err
		}
		edit.CategoryID = &id
	}
	return q.s.EditDiscussion(q.actor, d, edit)
}

func addDiscussionComment(q *query, in graphql.Args) (payload, error) {
	d, err := typed[*model.Discussion](q, in.String("discussionId"))
	if err != nil {
		return nil, err
	}
	var above *model.DiscussionComment
	if in.Has("replyToId") {
		if above, err = typed[*model.DiscussionComment](q, in.String("replyToId")); err != nil {
			return nil, err
		}
	}
	c, err := q.s.CommentOnDiscussion(q.actor, d, above, in.String("body"))
	return payload{"comment": c}, err
}

// changeEither is [change] for issues, pull requests and discussions.
func changeEither(id, shown string, issue func(*query, *model.Issue, graphql.Args) error, discussion func(*query, *model.Discussion, graphql.Args) error) mutator {
	return change(id, shown, (*query).node, func(q *query, obj any, in graphql.Args) error {
		switch o := obj.(type) {
		case *model.Issue:
			return issue(q, o, in)
		case *model.Discussion:
			return discussion(q, o, in)
		default:
			return noNode(in.String(id))
		}
	})
}

// labelDiscussion puts labels on a discussion, or takes them off.
func labelDiscussion(on bool) func(*query, *model.Discussion, graphql.Args) error {
	return func(q *query, d *model.Discussion, in graphql.Args) error {
		labels, err := allTyped[*model.Label](q, in.Strings("labelIds"))
		if err != nil {
			return err
		}
		var ids []model.ID
		for n, l := range labels {
			if l.RepoID != d.RepoID {
				return noNode(in.Strings("labelIds")[n])
			}
			ids = append(ids, l.ID)
		}
		if on {
			return q.s.LabelDiscussion(q.actor, d, ids, nil)
		}
		return q.s.LabelDiscussion(q.actor, d, nil, ids)
	}
}
