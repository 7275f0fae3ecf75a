package rest

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// reactionRoutes are those of reactions, and of all comments of a repository.
func reactionRoutes() []route {
	const (
		onIssues   = " " + reposPath + "/issues/{number}/reactions"
		onThreads  = " " + reposPath + "/pulls/comments/{id}/reactions"
		onComments = " " + reposPath + "/issues/comments/{id}/reactions"
	)
	return []route{
		{"GET" + onIssues, onIssue(issueReactions)},
		{"POST" + onIssues, onIssue(reactToIssue)},
		{"DELETE" + onIssues + "/{reaction}", onIssue(unreactToIssue)},
		{"GET" + onComments, onCommentRow(commentReactions)},
		{"POST" + onComments, onCommentRow(reactToComment)},
		{"DELETE" + onComments + "/{reaction}", onCommentRow(unreactToComment)},
		{"POST" + onThreads, onThreadComment(func(c *call, subject model.ID) (reply, error) { return c.react(c.repository, subject) })},
		{"DELETE" + onThreads + "/{reaction}", onThreadComment(func(c *call, subject model.ID) (reply, error) { return c.unreact(subject) })},
		{"GET " + reposPath + "/issues/comments", onRepo(listAllComments)},
	}
}

func onCommentRow(handle func(*call, *model.Comment) (reply, error)) func(*call) (reply, error) {
	return onRow(func(s *model.State) *model.Table[model.Comment] { return &s.Comments },
		func(comment *model.Comment) model.ID { return comment.RepoID }, handle)
}

// onThreadComment makes a handler of one that needs the id of a comment of a
// thread, which is its author's alone while the review is pending.
func onThreadComment(handle func(*call, model.ID) (reply, error)) func(*call) (reply, error) {
	return onRow(func(s *model.State) *model.Table[model.ReviewComment] { return &s.ReviewComments },
		func(comment *model.ReviewComment) model.ID { return comment.RepoID },
		func(c *call, comment *model.ReviewComment) (reply, error) {
			if !c.s.Reviews.Get(comment.ReviewID).VisibleTo(c.actor) {
				return reply{}, errNotFound
			}
			return handle(c, comment.ID)
		})
}

func issueReactions(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
	return c.listReactions(i.ID)
}

func reactToIssue(c *call, repo *model.Repo, i *model.Issue) (reply, error) {
	return c.react(repo, i.ID)
}

func unreactToIssue(c *call, _ *model.Repo, i *model.Issue) (reply, error) { return c.unreact(i.ID) }

func commentReactions(c *call, comment *model.Comment) (reply, error) {
	return c.listReactions(comment.ID)
}

func reactToComment(c *call, comment *model.Comment) (reply, error) {
	return c.react(c.repository, comment.ID)
}

func unreactToComment(c *call, comment *model.Comment) (reply, error) { return c.unreact(comment.ID) }

func (c *call) listReactions(subject model.ID) (reply, error) {
	reactions := slices.DeleteFunc(c.s.ReactionsTo(subject), func(r *model.Reaction) bool {
		return !asked(c.URL.Query(), "content", r.Content)
	})
	return list(c, reactions, c.reaction)
}

func (c *call) react(repo *model.Repo, subject model.ID) (reply, error) {
	var in struct{ Content string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	r, added, err := c.s.React(c.actor, repo, subject, in.Content)
	if err != nil {
		return reply{}, err
	}
	if added {
		return created(c.reaction(r))
	}
	return reply{status: http.StatusOK, body: c.reaction(r)}, nil
}

func (c *call) unreact(subject model.ID) (reply, error) {
	id, err := strconv.ParseInt(c.PathValue("reaction"), 10, 64)
	if err != nil {
		return reply{}, errNotFound
	}
	r := c.s.Reactions.Get(id)
	if r == nil || r.SubjectID != subject {
		return reply{}, errNotFound
	}
	if err := c.s.DeleteReaction(c.actor, r); err != nil {
		return reply{}, err
	}
	return noContent()
}

type reactionView struct {
	ID        int64     `json:"id"`
	NodeID    string    `json:"node_id"`
	User      *userView `json:"user"`
	Content   string    `json:"content"`
	CreatedAt stamp     `json:"created_at"`
}

func (v *view) reaction(r *model.Reaction) reactionView {
	return reactionView{
		ID: r.ID, NodeID: model.NodeID(model.NodeReaction, r.RepoID, r.ID), User: v.user(r.UserID),
		Content: r.Content, CreatedAt: at(r.CreatedAt),
	}
}

// reactions counts the reactions to what has an address.
func (v *view) reactions(address string, subject model.ID) map[string]any {
	all := v.s.ReactionsTo(subject)
	counts := map[string]any{"url": address + "/reactions", "total_count": len(all)}
	for _, content := range model.Reactions {
		n := 0
		for _, r := range all {
			if r.Content == content {
				n++
			}
		}
		counts[content] = n
	}
	return counts
}

// listAllComments lists the comments of a repository as the query orders them.
func listAllComments(c *call, repo *model.Repo) (reply, error) {
	query := c.URL.Query()
	since, err := timeOf(query.Get("since"))
	if err != nil {
		return reply{}, err
	}
	comments := c.s.Comments.Where(func(comment *model.Comment) bool {
		return comment.RepoID == repo.ID && !comment.UpdatedAt.Before(since)
	})
	by := commentOrdering.of(query)
	slices.SortStableFunc(comments, func(a, b *model.Comment) int {
		if by.by == "updated" {
			return a.UpdatedAt.Compare(b.UpdatedAt)
		}
		return cmp.Compare(a.ID, b.ID)
	})
	if by.descending {
		slices.Reverse(comments)
	}
	return list(c, comments, c.comment)
}
