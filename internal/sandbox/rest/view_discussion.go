package rest

import (
	"fmt"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// discussionView is a discussion as webhooks and feeds show it: GitHub's REST API
// has no operations about them.
type discussionView struct {
	RepositoryURL     string         `json:"repository_url"`
	Category          categoryView   `json:"category"`
	AnswerHTMLURL     *string        `json:"answer_html_url"`
	AnswerChosenAt    stamp          `json:"answer_chosen_at"`
	AnswerChosenBy    *userView      `json:"answer_chosen_by"`
	HTMLURL           string         `json:"html_url"`
	ID                int64          `json:"id"`
	NodeID            string         `json:"node_id"`
	Number            int            `json:"number"`
	Title             string         `json:"title"`
	User              *userView      `json:"user"`
	Labels            []labelView    `json:"labels"`
	State             string         `json:"state"`
	StateReason       *string        `json:"state_reason"`
	Locked            bool           `json:"locked"`
	Comments          int            `json:"comments"`
	CreatedAt         stamp          `json:"created_at"`
	UpdatedAt         stamp          `json:"updated_at"`
	AuthorAssociation string         `json:"author_association"`
	ActiveLockReason  *string        `json:"active_lock_reason"`
	Body              string         `json:"body"`
	Reactions         map[string]any `json:"reactions"`
	TimelineURL       string         `json:"timeline_url"`
}

type categoryView struct {
	ID           int64  `json:"id"`
	NodeID       string `json:"node_id"`
	RepositoryID int64  `json:"repository_id"`
	Emoji        string `json:"emoji"`
	Name         string `json:"name"`
	Description  string `json:"description"`
	CreatedAt    stamp  `json:"created_at"`
	UpdatedAt    stamp  `json:"updated_at"`
	Slug         string `json:"slug"`
	IsAnswerable bool   `json:"is_answerable"`
}

// category is a category of a repository; the zero view of one that is gone.
func (v *view) category(repo, id model.ID) categoryView {
	r := v.s.Repos.Get(repo)
	if r == nil || r.Category(id) == nil {
		return categoryView{}
	}
	c := r.Category(id)
	return categoryView{
		ID: c.ID, NodeID: model.NodeID(model.NodeDiscussionCategory, repo, c.ID), RepositoryID: repo, Emoji: c.Emoji, Name: c.Name,
		Description: c.Description, CreatedAt: at(c.CreatedAt), UpdatedAt: at(c.CreatedAt), Slug: c.Slug, IsAnswerable: c.Answerable,
	}
}

func (v *view) discussion(d *model.Discussion) discussionView {
	api := fmt.Sprintf("%s/discussions/%d", v.repoURL(d.RepoID), d.Number)
	html := fmt.Sprintf("%s/discussions/%d", v.repoHTML(d.RepoID), d.Number)
	view := discussionView{
		RepositoryURL: v.repoURL(d.RepoID), Category: v.category(d.RepoID, d.CategoryID), AnswerChosenAt: maybe(d.AnswerChosenAt),
		AnswerChosenBy: v.user(d.AnswerChosenBy), HTMLURL: html, ID: d.ID, NodeID: model.NodeID(model.NodeDiscussion, d.RepoID, d.ID), Number: d.Number,
		Title: d.Title, User: v.user(d.AuthorID), Labels: []labelView{}, State: "open", StateReason: optional(d.StateReason), Locked: d.Locked,
		Comments: v.s.DiscussionCommentCount(d), CreatedAt: at(d.CreatedAt), UpdatedAt: at(d.UpdatedAt),
		AuthorAssociation: v.s.Association(d.AuthorID, v.s.Repos.Get(d.RepoID)), ActiveLockReason: optional(d.LockReason), Body: d.Body,
		Reactions: v.reactions(api, d.ID), TimelineURL: api + "/timeline",
	}
	switch {
	case d.Closed:
		view.State = "closed"
	case d.Locked:
		view.State = "locked"
	}
	if d.AnswerID != 0 {
		view.AnswerHTMLURL = optional(fmt.Sprintf("%s#discussioncomment-%d", html, d.AnswerID))
	}
	for _, id := range d.Labels {
		if l := v.s.Labels.Get(id); l != nil {
			view.Labels = append(view.Labels, v.label(l))
		}
	}
	return view
}

// discussionComment is what was said on a discussion.
func (v *view) discussionComment(c *model.DiscussionComment, d *model.Discussion) map[string]any {
	var parent any
	if c.ReplyToID != 0 {
		parent = c.ReplyToID
	}
	return map[string]any{
		"id": c.ID, "node_id": model.NodeID(model.NodeDiscussionComment, c.RepoID, c.ID), "parent_id": parent, "discussion_id": d.ID,
		"html_url":            fmt.Sprintf("%s/discussions/%d#discussioncomment-%d", v.repoHTML(c.RepoID), d.Number, c.ID),
		"child_comment_count": len(v.s.CommentsOfDiscussion(d, c.ID)),
		"repository_url":      v.s.FullName(v.s.Repos.Get(c.RepoID)),
		"author_association":  v.s.Association(c.AuthorID, v.s.Repos.Get(c.RepoID)),
		"user":                v.user(c.AuthorID), "created_at": at(c.CreatedAt), "updated_at": at(c.UpdatedAt), "body": c.Body,
		"reactions": v.reactions(fmt.Sprintf("%s/discussions/comments/%d", v.repoURL(c.RepoID), c.ID), c.ID),
	}
}

// discussed shows a discussion, and what was said on it.
func (v *payloadView) discussed(body map[string]any) error {
	d := v.h.Discussion
	body["discussion"] = v.discussion(d)
	switch subject := v.h.Subject.(type) {
	case model.ID:
		body["changes"] = map[string]any{"category": map[string]any{"from": v.category(d.RepoID, subject)}}
	case *model.DiscussionComment:
		name := map[string]string{"answered": "answer", "unanswered": "old_answer"}[v.h.Action]
		if subject != nil {
			body[orDefault(name, "comment")] = v.discussionComment(subject, d)
		}
	}
	return nil
}
