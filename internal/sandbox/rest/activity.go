package rest

import (
	"cmp"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// Activity is the entry of feeds that a happening is; false for what feeds have
// nothing of, or what can no longer be shown.
func Activity(s *model.State, h model.Happening) (model.Activity, bool) {
	a := model.Activity{Type: h.Activity(), ActorID: h.ActorID, RepoID: h.RepoID, OrgID: h.OrgID, CreatedAt: s.Now}
	if h.Event == "push" && h.Hook == nil && h.Repo != nil {
		a.Move = &model.RefMove{Ref: h.Ref, Before: h.Before, After: h.After, Forced: h.Forced}
	}
	if a.Type == "" && a.Move == nil {
		return a, false
	}
	a.ID, a.Public = s.NewActivityID(), !h.Repo.Private
	if a.Type == "" {
		return a, true
	}
	v := &payloadView{view: &view{s: s}, h: h}
	body := map[string]any{}
	v.shared(body)
	delete(body, "changes")
	if h.Action != "" {
		body["action"] = h.Action
	}
	if show := activities[a.Type]; show != nil {
		if err := show(v, body); err != nil {
			return a, false
		}
	}
	if a.Type == "PushEvent" {
		body["push_id"] = a.ID
	}
	for one, all := range map[string]string{"assignee": "assignees", "label": "labels"} {
		if body[one] != nil {
			body[all] = []any{body[one]}
		}
	}
	text, err := encode(body)
	a.Payload = string(text)
	return a, err == nil
}

// activities add what is their own to the payloads of feeds, by type: less than
// webhooks are told, since GitHub has shortened them.
var activities = map[string]func(v *payloadView, body map[string]any) error{
	"CommitCommentEvent": func(v *payloadView, body map[string]any) error { return payloads["commit_comment"](v, body) },
	"CreateEvent":        (*payloadView).createdRef,
	"DeleteEvent":        (*payloadView).ref,
	"DiscussionEvent":    func(v *payloadView, body map[string]any) error { return v.discussed(body) },
	"ForkEvent": func(v *payloadView, body map[string]any) error {
		body["action"] = "forked"
		return payloads["fork"](v, body)
	},
	"IssuesEvent":            (*payloadView).wholeIssue,
	"IssueCommentEvent":      (*payloadView).wholeIssue,
	"PullRequestEvent":       (*payloadView).briefPullRequest,
	"PullRequestReviewEvent": (*payloadView).briefReview,
	"PullRequestReviewCommentEvent": func(v *payloadView, body map[string]any) error {
		err := v.reviewCommented(body)
		body["pull_request"] = v.briefPull(v.h.Issue)
		return err
	},
	"PushEvent":    (*payloadView).briefPush,
	"ReleaseEvent": func(v *payloadView, body map[string]any) error { return payloads["release"](v, body) },
}

// wholeIssue shows an issue as the API does.
func (v *payloadView) wholeIssue(body map[string]any) error {
	body["issue"] = v.issue(v.h.Issue)
	return nil
}

// briefPush shows a push without its commits.
func (v *payloadView) briefPush(body map[string]any) error {
	body["repository_id"], body["ref"], body["head"], body["before"] = v.h.RepoID, v.h.Ref, v.h.After, v.h.Before
	return nil
}

// createdRef shows a new branch or tag, or a new repository.
func (v *payloadView) createdRef(body map[string]any) error {
	if v.h.Event == "create" {
		return v.ref(body)
	}
	delete(body, "action")
	body["ref"], body["ref_type"], body["full_ref"], body["pusher_type"] = nil, "repository", "", "user"
	body["master_branch"], body["description"] = v.h.Repo.DefaultBranch, optional(v.h.Repo.Description)
	return nil
}

// briefPull is a pull request in the short form of feeds.
func (v *payloadView) briefPull(i *model.Issue) map[string]any {
	end := func(repo model.ID, ref, sha string) map[string]any {
		shown := map[string]any{"ref": ref, "sha": sha, "repo": nil}
		if r := v.s.Repos.Get(repo); r != nil {
			shown["repo"] = map[string]any{"id": r.ID, "url": v.repoURL(r.ID), "name": r.Name}
		}
		return shown
	}
	shown := v.pull(i)
	return map[string]any{
		"id": shown.ID, "number": i.Number, "url": shown.URL,
		"head": end(cmp.Or(i.Pull.HeadRepoID, i.RepoID), i.Pull.HeadRef, i.Pull.HeadSHA), "base": end(i.RepoID, i.Pull.BaseRef, i.Pull.BaseSHA),
	}
}

func (v *payloadView) briefPullRequest(body map[string]any) error {
	body["number"], body["pull_request"] = v.h.Issue.Number, v.briefPull(v.h.Issue)
	if v.h.Action == "closed" && v.h.Issue.Pull.Merged() {
		body["action"] = "merged"
	}
	return nil
}

func (v *payloadView) briefReview(body map[string]any) error {
	full := fieldsOf(v.review(v.h.Review))
	review := map[string]any{"state": strings.ToLower(string(v.h.Review.State)), "updated_at": at(v.h.Review.UpdatedAt)}
	for _, name := range []string{"id", "node_id", "user", "body", "commit_id", "submitted_at", "html_url", "pull_request_url", "_links"} {
		review[name] = full[name]
	}
	body["review"], body["pull_request"] = review, v.briefPull(v.h.Issue)
	switch v.h.Action {
	case "submitted":
		body["action"] = "created"
	case "edited":
		body["action"] = "updated"
	}
	return nil
}
