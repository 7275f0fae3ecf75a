package gql

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// category is a category of discussions with the repository that has it.
type category struct {
	repo *model.Repo
	model.DiscussionCategory
}

// discussionFields resolves discussions, what is said on them, and those of a
// repository.
func discussionFields() map[string]graphql.Resolver {
	fields := map[string]graphql.Resolver{
		"Repository.hasDiscussionsEnabled": prop(func(_ *query, r *model.Repo) any { return r.HasDiscussions }),
		"Repository.discussion": field(func(q *query, r *model.Repo, args graphql.Args) (any, error) {
			if d := q.s.Discussion(r, args.Int("number")); d != nil {
				return d, nil
			}
			return nil, unresolved("a Discussion with the number of %d.", args.Int("number"))
		}),
		"Repository.discussions": connection(discussionsOf),
		"Repository.discussionCategory": lookup(func(_ *query, r *model.Repo, args graphql.Args) any {
			for _, c := range categoriesOf(r) {
				if c.Slug == args.String("slug") {
					return c
				}
			}
			return nil
		}),
		"Repository.discussionCategories": connection(func(q *query, r *model.Repo, args graphql.Args) ([]category, error) {
			return slices.DeleteFunc(categoriesOf(r), func(c category) bool {
				return args.Bool("filterByAssignable") && c.Announcing && q.s.Permission(q.actor, r) < model.PermMaintain
			}), nil
		}),
		"DiscussionCategory.name":         prop(func(_ *query, c category) any { return c.Name }),
		"DiscussionCategory.slug":         prop(func(_ *query, c category) any { return c.Slug }),
		"DiscussionCategory.emoji":        prop(func(_ *query, c category) any { return c.Emoji }),
		"DiscussionCategory.description":  prop(func(_ *query, c category) any { return orNil(c.Description) }),
		"DiscussionCategory.isAnswerable": prop(func(_ *query, c category) any { return c.Answerable }),
		"Discussion.number":               prop(func(_ *query, d *model.Discussion) any { return d.Number }),
		"Discussion.title":                prop(func(_ *query, d *model.Discussion) any { return d.Title }),
		"Discussion.category": prop(func(q *query, d *model.Discussion) any {
			r := q.s.Repos.Get(d.RepoID)
			return category{r, *r.Category(d.CategoryID)}
		}),
		"Discussion.closed":           prop(func(_ *query, d *model.Discussion) any { return d.Closed }),
		"Discussion.closedAt":         prop(func(_ *query, d *model.Discussion) any { return d.ClosedAt }),
		"Discussion.stateReason":      prop(func(_ *query, d *model.Discussion) any { return orNil(strings.ToUpper(d.StateReason)) }),
		"Discussion.locked":           prop(func(_ *query, d *model.Discussion) any { return d.Locked }),
		"Discussion.activeLockReason": prop(func(_ *query, d *model.Discussion) any { return lockReasonName(d.LockReason) }),
		"Discussion.answer":           prop(func(q *query, d *model.Discussion) any { return present(q.s.DiscussionComments.Get(d.AnswerID)) }),
		"Discussion.answerChosenAt":   prop(func(_ *query, d *model.Discussion) any { return d.AnswerChosenAt }),
		"Discussion.answerChosenBy":   prop(func(q *query, d *model.Discussion) any { return present(q.s.Users.Get(d.AnswerChosenBy)) }),
		"Discussion.isAnswered":       prop(isAnswered),
		"Discussion.labels": connection(func(q *query, d *model.Discussion, args graphql.Args) ([]*model.Label, error) {
			return orderLabels(rows(&q.s.Labels, d.Labels), args.Object("orderBy")), nil
		}),
		"Discussion.comments": connection(func(q *query, d *model.Discussion, _ graphql.Args) ([]*model.DiscussionComment, error) {
			return q.s.CommentsOfDiscussion(d, 0), nil
		}),
		"Discussion.viewerSubscription": constant(string(model.Unsubscribed)),
		"Discussion.viewerCanSubscribe": constant(true),
	}
	maps.Copy(fields, discussionCommentFields())
	maps.Copy(fields, discussionRights())
	for _, name := range []string{"Discussion", "DiscussionComment"} {
		for field, value := range map[string]any{"createdViaEmail": false, "editor": nil, "lastEditedAt": nil} {
			fields[name+"."+field] = constant(value)
		}
		fields[name+".publishedAt"] = prop(func(q *query, obj any) any { return q.facts(obj).created })
		fields[name+".upvoteCount"] = prop(func(_ *query, obj any) any { return 1 + len(*voters(obj)) })
		fields[name+".viewerHasUpvoted"] = prop(func(q *query, obj any) any {
			return q.facts(obj).author == q.actor || slices.Contains(*voters(obj), q.actor)
		})
		fields[name+".viewerCanUpvote"] = prop(func(q *query, obj any) any { return q.facts(obj).author != q.actor })
		fields[name+".viewerCanReact"] = constant(true)
	}
	return fields
}

func discussionCommentFields() map[string]graphql.Resolver {
	return map[string]graphql.Resolver{
		"DiscussionComment.discussion": prop(func(q *query, c *model.DiscussionComment) any { return present(q.s.Discussions.Get(c.DiscussionID)) }),
		"DiscussionComment.deletedAt":  prop(func(_ *query, c *model.DiscussionComment) any { return c.DeletedAt }),
		"DiscussionComment.isAnswer": prop(func(q *query, c *model.DiscussionComment) any {
			return q.s.Discussions.Get(c.DiscussionID).AnswerID == c.ID
		}),
		"DiscussionComment.replyTo": prop(func(q *query, c *model.DiscussionComment) any {
			return present(q.s.DiscussionComments.Get(c.ReplyToID))
		}),
		"DiscussionComment.replies": connection(func(q *query, c *model.DiscussionComment, _ graphql.Args) ([]*model.DiscussionComment, error) {
			return q.s.CommentsOfDiscussion(q.s.Discussions.Get(c.DiscussionID), c.ID), nil
		}),
	}
}

// discussionRights resolves what the viewer may do.
func discussionRights() map[string]graphql.Resolver {
	// may is for what an author may do too, and for others with a permission.
	may := func(least model.Permission) graphql.Resolver {
		return prop(func(q *query, obj any) any {
			f := q.facts(obj)
			return q.actor != 0 && f.author == q.actor || q.s.Permission(q.actor, q.s.Repos.Get(f.repo)) >= least
		})
	}
	answers := func(is bool) graphql.Resolver {
		return prop(func(q *query, c *model.DiscussionComment) any {
			d := q.s.Discussions.Get(c.DiscussionID)
			r := q.s.Repos.Get(d.RepoID)
			mine := d.AuthorID == q.actor || q.s.Permission(q.actor, r) >= model.PermTriage
			return mine && r.Category(d.CategoryID).Answerable && (d.AnswerID == c.ID) == is
		})
	}
	triages := prop(func(q *query, d *model.Discussion) any {
		return q.s.Permission(q.actor, q.s.Repos.Get(d.RepoID)) >= model.PermTriage
	})
	return map[string]graphql.Resolver{
		"Discussion.viewerCanClose": may(model.PermTriage), "Discussion.viewerCanReopen": may(model.PermTriage),
		"Discussion.viewerCanDelete": triages, "Discussion.viewerCanLabel": triages,
		"Discussion.viewerCanUpdate":        may(model.PermWrite),
		"DiscussionComment.viewerCanDelete": may(model.PermTriage), "DiscussionComment.viewerCanUpdate": may(model.PermWrite),
		"DiscussionComment.viewerCanMinimize":     may(model.PermWrite),
		"DiscussionComment.viewerCanMarkAsAnswer": answers(false), "DiscussionComment.viewerCanUnmarkAsAnswer": answers(true),
	}
}

// isAnswered is nil where there are no answers.
func isAnswered(q *query, d *model.Discussion) any {
	if !q.s.Repos.Get(d.RepoID).Category(d.CategoryID).Answerable {
		return nil
	}
	return d.AnswerID != 0
}

// voters are those who voted for something that is said, besides its author.
func voters(obj any) *[]model.ID {
	switch o := obj.(type) {
	case *model.Discussion:
		return &o.Upvoters
	case *model.DiscussionComment:
		return &o.Upvoters
	default:
		return &[]model.ID{}
	}
}

// lockReasonName is GraphQL's name of a reason of the model's, nil for none.
func lockReasonName(reason string) any {
	return orNil(strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_").Replace(reason)))
}

// categoriesOf are those of a repository that offers discussions.
func categoriesOf(r *model.Repo) []category {
	var all []category
	for _, c := range r.DiscussionCategories {
		if r.HasDiscussions {
			all = append(all, category{r, c})
		}
	}
	return all
}

func discussionsOf(q *query, r *model.Repo, args graphql.Args) ([]*model.Discussion, error) {
	var in category
	var err error
	if args.Has("categoryId") {
		if in, err = typed[category](q, args.String("categoryId")); err != nil {
			return nil, err
		}
	}
	states := args.Strings("states")
	found := slices.DeleteFunc(q.s.DiscussionsOf(r), func(d *model.Discussion) bool {
		state := "OPEN"
		if d.Closed {
			state = "CLOSED"
		}
		return in.ID != 0 && d.CategoryID != in.ID || len(states) > 0 && !slices.Contains(states, state) ||
			args.Has("answered") && args.Bool("answered") != (d.AnswerID != 0)
	})
	order := args.Object("orderBy")
	slices.SortStableFunc(found, func(a, b *model.Discussion) int {
		if order.Enum("field") == "CREATED_AT" {
			return a.CreatedAt.Compare(b.CreatedAt)
		}
		return a.UpdatedAt.Compare(b.UpdatedAt)
	})
	return directed(found, order), nil
}

// factsOfDiscussions are those of discussions, what is said on them, and their
// categories; none for others.
func (q *query) factsOfDiscussions(obj any) facts {
	switch o := obj.(type) {
	case *model.Discussion:
		f := inRepo(model.NodeDiscussion, o.RepoID, o.ID, o.CreatedAt, o.UpdatedAt)
		f.path, f.author, f.body = q.path(o.RepoID, fmt.Sprintf("/discussions/%d", o.Number)), o.AuthorID, o.Body
		return f
	case *model.DiscussionComment:
		f := inRepo(model.NodeDiscussionComment, o.RepoID, o.ID, o.CreatedAt, o.UpdatedAt)
		f.path = fmt.Sprintf("%s#discussioncomment-%d", q.factsOfDiscussions(q.s.Discussions.Get(o.DiscussionID)).path, o.ID)
		f.author, f.body = o.AuthorID, o.Body
		return f
	case category:
		return inRepo(model.NodeDiscussionCategory, o.repo.ID, o.ID, o.CreatedAt, o.CreatedAt)
	default:
		return facts{}
	}
}

// discussionObject returns the discussion, comment or category of an id; nil for
// none, and for those of a repository that does not offer discussions.
func (q *query) discussionObject(kind model.NodeKind, id model.ID) any {
	switch kind {
	case model.NodeDiscussionCategory:
		if c, r := q.s.Category(id); c != nil && r.HasDiscussions {
			return category{r, *c}
		}
	case model.NodeDiscussion:
		if d := q.s.Discussions.Get(id); d != nil && q.s.Repos.Get(d.RepoID).HasDiscussions {
			return d
		}
	case model.NodeDiscussionComment:
		if c := q.s.DiscussionComments.Get(id); c != nil && q.s.Repos.Get(c.RepoID).HasDiscussions {
			return c
		}
	default:
	}
	return nil
}
