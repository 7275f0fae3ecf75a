package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

func TestPullRequestsWithGoGitHub(t *testing.T) {
	w := sandboxtest.New(t)
	openPull(t, w, "f", "dir/new.txt", "one\ntwo\n")
	ctx, owner := t.Context(), w.As("owner").REST
	pr, _, err := owner.PullRequests.Get(ctx, "owner", "hello", 1)
	require.NoError(t, err)
	assert.Equal(t, []any{"open", "owner:f", "clean", true, true, 1, 2, 0, 1}, []any{
		pr.GetState(), pr.GetHead().GetLabel(), pr.GetMergeableState(), pr.GetMergeable(), pr.GetRebaseable(), pr.GetCommits(), pr.GetAdditions(),
		pr.GetDeletions(), pr.GetChangedFiles(),
	})
	files, _, err := owner.PullRequests.ListFiles(ctx, "owner", "hello", 1, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"dir/new.txt", "added", "@@ -0,0 +1,2 @@\n+one\n+two"}, []string{files[0].GetFilename(), files[0].GetStatus(), files[0].GetPatch()})
	commits, _, err := owner.PullRequests.ListCommits(ctx, "owner", "hello", 1, nil)
	require.NoError(t, err)
	assert.Equal(t, pr.GetHead().GetSHA(), commits[0].GetSHA())
	assert.Equal(t, "writer", commits[0].GetAuthor().GetLogin())

	merged, _, err := owner.PullRequests.IsMerged(ctx, "owner", "hello", 1)
	require.NoError(t, err)
	assert.False(t, merged)
	_, response, err := owner.PullRequests.Merge(ctx, "owner", "hello", 1, "", &github.PullRequestOptions{SHA: "0123"})
	require.Error(t, err)
	assert.Equal(t, http.StatusConflict, response.StatusCode)
	result, _, err := owner.PullRequests.Merge(ctx, "owner", "hello", 1, "", &github.PullRequestOptions{MergeMethod: "squash"})
	require.NoError(t, err)
	assert.True(t, result.GetMerged())
	pr, _, err = owner.PullRequests.Get(ctx, "owner", "hello", 1)
	require.NoError(t, err)
	assert.Equal(t, []any{"closed", true, "owner", result.GetSHA(), "unknown"}, []any{
		pr.GetState(), pr.GetMerged(), pr.GetMergedBy().GetLogin(), pr.GetMergeCommitSHA(), pr.GetMergeableState(),
	})
	assert.Nil(t, pr.Mergeable)
	_, response, err = owner.PullRequests.Merge(ctx, "owner", "hello", 1, "", nil)
	require.Error(t, err)
	assert.Equal(t, http.StatusMethodNotAllowed, response.StatusCode)

	for _, sha := range []string{result.GetSHA(), pr.GetHead().GetSHA()} {
		assert.Equal(t, 1, w.As("owner").Get(base+"/commits/"+sha+"/pulls").Int("0.number"), "a commit knows its pull request")
	}
}

func TestMergeConflictsOverREST(t *testing.T) {
	w := sandboxtest.New(t)
	openPull(t, w, "f", "new.txt", "one\n")
	w.As("owner").Do("PUT", base+"/contents/new.txt", `{"message":"m","content":"dHdvCg=="}`)
	reply := w.As("owner").Get(base + "/pulls/1")
	assert.Equal(t, false, reply.At("mergeable"))
	assert.Equal(t, "dirty", reply.Text("mergeable_state"))
	reply = w.As("owner").Do("PUT", base+"/pulls/1/merge", nil)
	assert.Equal(t, http.StatusMethodNotAllowed, reply.Status)
	assert.Equal(t, "Pull Request is not mergeable", reply.Text("message"))
}

func TestPullRequestLists(t *testing.T) {
	w := sandboxtest.New(t)
	openPull(t, w, "a", "a", "x")
	openPull(t, w, "b", "b", "x")
	openPull(t, w, "c", "c", "x")
	owner := w.As("owner")
	owner.Do("PATCH", base+"/pulls/2", `{"state":"closed"}`)
	owner.Do("PATCH", base+"/pulls/1", `{"title":"changed last"}`)
	for query, want := range map[string][2]int{
		"":                            {3, 1},
		"state=all&direction=asc":     {1, 2},
		"state=closed":                {2, 0},
		"head=OWNER:c":                {3, 0},
		"head=owner:none":             {0, 0},
		"head=c":                      {3, 1},
		"base=main":                   {3, 1},
		"base=none":                   {0, 0},
		"sort=updated":                {3, 1},
		"sort=updated&direction=desc": {1, 3},
		"state=merged":                {3, 1},
	} {
		reply := owner.Get(base + "/pulls?" + query)
		assert.Equal(t, want, [2]int{reply.Int("0.number"), reply.Int("1.number")}, query)
	}
}

func TestPullRequestProblems(t *testing.T) {
	w := sandboxtest.New(t)
	openPull(t, w, "f", "f", "x")
	writer := w.As("writer")
	reply := writer.Do("POST", base+"/pulls", `{"title":"x","head":"f","base":"main"}`)
	assert.Equal(t, http.StatusUnprocessableEntity, reply.Status)
	assert.Equal(t, "Validation Failed", reply.Text("message"))
	assert.Equal(t, "A pull request already exists for owner:f.", reply.Text("errors.0.message"))
	reply = writer.Do("POST", base+"/pulls/1/requested_reviewers", `{"reviewers":["reader","nobody"]}`)
	assert.Equal(t, http.StatusUnprocessableEntity, reply.Status)
	reply = writer.Do("POST", base+"/pulls/1/requested_reviewers", `{"reviewers":["reader"]}`)
	assert.Equal(t, "reader", reply.Text("requested_reviewers.0.login"))
	reply = writer.Do("DELETE", base+"/pulls/1/requested_reviewers", `{"reviewers":["owner"]}`)
	assert.Equal(t, "reader", reply.Text("requested_reviewers.0.login"), "who is not asked cannot be taken off")
	reply = writer.Do("DELETE", base+"/pulls/1/requested_reviewers", `{"reviewers":["reader"]}`)
	assert.Equal(t, http.StatusOK, reply.Status)
	assert.Empty(t, reply.At("requested_reviewers"))
	reply = writer.Do("PUT", base+"/pulls/1/update-branch", nil)
	assert.Equal(t, http.StatusUnprocessableEntity, reply.Status)
	w.As("owner").Do("PUT", base+"/contents/g", `{"message":"m","content":""}`)
	reply = writer.Do("PUT", base+"/pulls/1/update-branch", nil)
	assert.Equal(t, http.StatusAccepted, reply.Status)
	assert.Equal(t, "Updating pull request branch.", reply.Text("message"))
}

func TestReviewsOverREST(t *testing.T) {
	w := sandboxtest.New(t)
	openPull(t, w, "f", "f", "one\ntwo\n")
	writer, reader, owner := w.As("writer"), w.As("reader"), w.As("owner")
	reply := writer.Do("POST", base+"/pulls/1/reviews", `{"event":"APPROVE"}`)
	assert.Equal(t, http.StatusUnprocessableEntity, reply.Status)
	assert.JSONEq(t, `{"message":"Unprocessable Entity","errors":["Can not approve your own pull request"],
		"documentation_url":"https://docs.github.com/rest","status":"422"}`, reply.Body)

	sha := writer.Get(base + "/pulls/1").Text("head.sha")
	draft := reader.Do("POST", base+"/pulls/1/reviews", `{"comments":[{"path":"f","line":1,"body":"draft"}]}`)
	assert.Equal(t, "PENDING", draft.Text("state"))
	assert.NotContains(t, draft.Body, "submitted_at")
	assert.Equal(t, 1, len(listOf(reader.Get(base+"/pulls/1/reviews"))))
	assert.Empty(t, listOf(owner.Get(base+"/pulls/1/reviews")), "a pending review is its author's alone")
	assert.Empty(t, listOf(reader.Get(base+"/pulls/1/comments")), "comments of a pending review are not listed")
	assert.Zero(t, reader.Get(base+"/pulls/1").Int("review_comments"))
	var hidden, shown model.ID
	w.Look(func(s *model.State) {
		for c := range s.ReviewComments.All() {
			hidden = c.ID
		}
	})
	assert.Equal(t, http.StatusNotFound, owner.Do("POST", base+"/pulls/1/comments/"+itoa(hidden)+"/replies", `{"body":"x"}`).Status)

	comment := owner.Do("POST", base+"/pulls/1/comments", map[string]any{"path": "f", "line": 2, "body": "see", "commit_id": sha})
	require.Equal(t, http.StatusCreated, comment.Status, comment.Body)
	shown = model.ID(comment.Int("id"))
	assert.Equal(t, []any{2, "RIGHT", "line", "@@ -0,0 +1,2 @@\n+one\n+two", nil}, []any{
		comment.Int("line"), comment.Text("side"), comment.Text("subject_type"), comment.Text("diff_hunk"), comment.At("start_side"),
	})
	for _, path := range []string{"/pulls/1/comments/" + itoa(shown) + "/replies", "/pulls/1/comments"} {
		reply := owner.Do("POST", base+path, map[string]any{"body": "again", "in_reply_to": shown})
		assert.Equal(t, http.StatusCreated, reply.Status, reply.Body)
		assert.EqualValues(t, shown, reply.Int("in_reply_to_id"))
	}
	assert.Len(t, listOf(reader.Get(base+"/pulls/1/comments")), 3)
	for body, message := range map[string]string{
		`{"path":"f","line":2,"body":"x"}`:                           "Invalid request.\n\n\"commit_id\" wasn't supplied.",
		`{"path":"f","line":9,"body":"x","commit_id":"` + sha + `"}`: "Validation Failed",
		`{"path":"f","line":2,"body":"x","commit_id":"main"}`:        "Validation Failed",
		`{"path":"f","line":2,"body":"x","in_reply_to":1}`:           "Not Found",
	} {
		assert.Equal(t, message, owner.Do("POST", base+"/pulls/1/comments", body).Text("message"), body)
	}

	w.As("writer").Do("PUT", base+"/contents/f", map[string]any{
		"message": "m", "content": "VFdPCg==", "branch": "f", "sha": writer.Get(base + "/contents/f?ref=f").Text("sha"),
	})
	old := owner.Get(base + "/pulls/1/comments")
	assert.Nil(t, old.At("0.line"), "the line has changed since")
	assert.Equal(t, 2, old.Int("0.original_line"))
	assert.Equal(t, sha, old.Text("0.original_commit_id"))
	assert.NotEqual(t, sha, old.Text("0.commit_id"))
}

func TestPendingReviewsAreSubmittedOverREST(t *testing.T) {
	w := sandboxtest.New(t)
	openPull(t, w, "f", "f", "one\ntwo\n")
	openPull(t, w, "g", "g", "one\n")
	reader, owner := w.As("reader"), w.As("owner")
	pending := reader.Do("POST", base+"/pulls/1/reviews", `{"body":"first"}`)
	path := base + "/pulls/1/reviews/" + itoa(int64(pending.Int("id"))) + "/events"
	for name, c := range map[string]struct {
		as     *sandboxtest.Client
		path   string
		body   string
		status int
	}{
		"another one's":             {owner, path, `{"event":"COMMENT"}`, http.StatusNotFound},
		"of another pull request":   {reader, strings.Replace(path, "/1/", "/2/", 1), `{"event":"COMMENT"}`, http.StatusNotFound},
		"one that there is not":     {reader, base + "/pulls/1/reviews/1/events", `{"event":"COMMENT"}`, http.StatusNotFound},
		"without an event":          {reader, path, `{}`, http.StatusUnprocessableEntity},
		"what cannot become of one": {reader, path, `{"event":"DISMISS"}`, http.StatusUnprocessableEntity},
	} {
		assert.Equal(t, c.status, c.as.Do("POST", c.path, c.body).Status, name)
	}
	submitted := reader.Do("POST", path, `{"event":"APPROVE"}`)
	require.Equal(t, http.StatusOK, submitted.Status, submitted.Body)
	assert.Equal(t, []any{"APPROVED", "first"}, []any{submitted.Text("state"), submitted.Text("body")})
	assert.Equal(t, "APPROVED", owner.Get(base+"/pulls/1/reviews").Text("0.state"), "now all see it")
	assert.Equal(t, http.StatusUnprocessableEntity, reader.Do("POST", path, `{"event":"APPROVE"}`).Status, "once alone")
}

func listOf(r sandboxtest.Reply) []any {
	var items []any
	for n := 0; r.At(itoa(int64(n))) != nil; n++ {
		items = append(items, r.At(itoa(int64(n))))
	}
	return items
}

// A pull request is made of an issue, whose number, text and author it keeps.
func TestPullRequestsOfIssues(t *testing.T) {
	w := withIssues(t, 3)
	owner := w.As("owner")
	owner.Do("PATCH", base+"/issues/1", map[string]any{"body": "Fixes #2"})
	openPull(t, w, "topic", "a.txt", "a\n")
	owner.Do("PATCH", base+"/pulls/4", map[string]any{"state": "closed"})
	of := func(issue int) map[string]any { return map[string]any{"issue": issue, "head": "topic", "base": "main"} }
	assert.Equal(t, http.StatusUnprocessableEntity, owner.Do("POST", base+"/pulls", of(9)).Status)
	assert.Equal(t, http.StatusUnprocessableEntity, w.As("reader").Do("POST", base+"/pulls", of(1)).Status)
	owner.Do("POST", base+"/issues/2/sub_issues", map[string]any{"sub_issue_id": owner.Get(base + "/issues/3").Int("id")})
	for _, related := range []int{2, 3} {
		refused := owner.Do("POST", base+"/pulls", of(related))
		assert.Equal(t, http.StatusNotImplemented, refused.Status)
		assert.Contains(t, refused.Text("message"), "is related to others as the issue of POST")
	}

	was := owner.Get(base + "/issues/1")
	made := owner.Do("POST", base+"/pulls", of(1))
	require.Equal(t, http.StatusCreated, made.Status, made.Body)
	assert.Equal(t, []any{1, was.Text("title"), "Fixes #2", was.Text("user.login")}, []any{made.Int("number"), made.Text("title"), made.Text("body"), made.Text("user.login")})
	assert.Equal(t, was.Int("id"), owner.Get(base+"/issues/1").Int("id"))
	assert.Equal(t, http.StatusUnprocessableEntity, owner.Do("POST", base+"/pulls", of(1)).Status, "it is one already")
	assert.Equal(t, http.StatusOK, owner.Do("PUT", base+"/pulls/1/merge", nil).Status)
	assert.Equal(t, "closed", owner.Get(base+"/issues/2").Text("state"))
}
