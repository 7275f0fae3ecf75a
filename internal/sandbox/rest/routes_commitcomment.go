package rest

import (
	"fmt"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// commitCommentRoutes are those of comments on commits; lists of a commit's are
// below commits.
func commitCommentRoutes() []route {
	const (
		comments  = " " + reposPath + "/comments"
		one       = comments + "/{id}"
		reactions = one + "/reactions"
	)
	return []route{
		{"GET" + comments, onRepo(func(c *call, repo *model.Repo) (reply, error) {
			return list(c, c.s.CommitCommentsIn(repo), c.commitComment)
		})},
		{"POST " + reposPath + "/commits/{sha}/comments", onCommits(commentOnCommit)},
		{"GET" + one, onCommitComment(func(c *call, comment *model.CommitComment) (reply, error) { return ok(c.commitComment(comment)) })},
		{"PATCH" + one, onCommitComment(editCommitComment)},
		{"DELETE" + one, onCommitComment(func(c *call, comment *model.CommitComment) (reply, error) {
			if err := c.s.DeleteCommitComment(c.actor, comment); err != nil {
				return reply{}, err
			}
			return noContent()
		})},
		{"GET" + reactions, onCommitComment(func(c *call, comment *model.CommitComment) (reply, error) { return c.listReactions(comment.ID) })},
		{"POST" + reactions, onCommitComment(func(c *call, comment *model.CommitComment) (reply, error) { return c.react(c.repository, comment.ID) })},
		{"DELETE" + reactions + "/{reaction}", onCommitComment(func(c *call, comment *model.CommitComment) (reply, error) { return c.unreact(comment.ID) })},
	}
}

func onCommitComment(handle func(*call, *model.CommitComment) (reply, error)) func(*call) (reply, error) {
	return onRow(func(s *model.State) *model.Table[model.CommitComment] { return &s.CommitComments },
		func(comment *model.CommitComment) model.ID { return comment.RepoID }, handle)
}

type commitCommentView struct {
	URL               string         `json:"url"`
	HTMLURL           string         `json:"html_url"`
	ID                int64          `json:"id"`
	NodeID            string         `json:"node_id"`
	User              *userView      `json:"user"`
	Position          *int           `json:"position"`
	Line              *int           `json:"line"`
	Path              *string        `json:"path"`
	CommitID          string         `json:"commit_id"`
	CreatedAt         stamp          `json:"created_at"`
	UpdatedAt         stamp          `json:"updated_at"`
	AuthorAssociation string         `json:"author_association"`
	Body              string         `json:"body"`
	Reactions         map[string]any `json:"reactions"`
}

func (v *view) commitComment(c *model.CommitComment) commitCommentView {
	view := commitCommentView{
		URL: fmt.Sprintf("%s/comments/%d", v.repoURL(c.RepoID), c.ID), HTMLURL: fmt.Sprintf("%s/commit/%s#commitcomment-%d", v.repoHTML(c.RepoID), c.CommitSHA, c.ID),
		ID: c.ID, NodeID: model.NodeID(model.NodeCommitComment, c.RepoID, c.ID), User: v.user(c.AuthorID), Position: c.Position, Line: c.Line, Path: optional(c.Path),
		CommitID: c.CommitSHA, CreatedAt: at(c.CreatedAt), UpdatedAt: at(c.UpdatedAt),
		AuthorAssociation: v.s.Association(c.AuthorID, v.s.Repos.Get(c.RepoID)), Body: c.Body,
	}
	view.Reactions = v.reactions(view.URL, c.ID)
	return view
}

func listCommitComments(c *call, repo *model.Repo, commit gitstore.Hash) (reply, error) {
	return list(c, c.s.CommentsOn(repo, commit.String()), c.commitComment)
}

func commentOnCommit(c *call, repo *model.Repo) (reply, error) {
	var in struct {
		Body, Path     string
		Position, Line *int
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	commit, err := repo.Git.Resolve(c.PathValue("sha"))
	if err != nil {
		return reply{}, &model.Problem{Kind: model.Invalid, Message: "No commit found for SHA: " + c.PathValue("sha")}
	}
	comment, err := c.s.CommentOnCommit(c.actor, repo, commit, model.NewCommitComment(in))
	if err != nil {
		return reply{}, err
	}
	return created(c.commitComment(comment))
}

func editCommitComment(c *call, comment *model.CommitComment) (reply, error) {
	body, err := c.newBody()
	if err != nil {
		return reply{}, err
	}
	if err := c.s.EditCommitComment(c.actor, comment, body); err != nil {
		return reply{}, err
	}
	return ok(c.commitComment(comment))
}
