package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

func TestSingleComments(t *testing.T) {
	w := busy(t)
	owner, writer := w.As("owner"), w.As("writer")
	for list, field := range map[string]string{base + "/issues/2/comments": "issue_url", base + "/pulls/1/comments": "pull_request_url"} {
		path := strings.TrimPrefix(owner.Get(list).Text("0.url"), "https://api.github.com")
		shown := owner.Get(path)
		assert.Equal(t, "x", shown.Text("body"), path)
		assert.NotEmpty(t, shown.Text(field), path)

		assert.Equal(t, "other", writer.Do("PATCH", path, `{"body":"other"}`).Text("body"), "those who may write can edit")
		assert.Equal(t, "other", owner.Get(path).Text("body"))
		assert.NotEqual(t, shown.Text("updated_at"), owner.Get(path).Text("updated_at"))
		assert.Equal(t, http.StatusUnprocessableEntity, owner.Do("PATCH", path, `{"body":" "}`).Status)
		assert.Equal(t, http.StatusForbidden, w.As("reader").Do("PATCH", path, `{"body":"mine"}`).Status)
		assert.Equal(t, http.StatusForbidden, w.As("reader").Do("DELETE", path, nil).Status)
		assert.Equal(t, http.StatusUnauthorized, w.As("").Do("DELETE", path, nil).Status)

		assert.Equal(t, http.StatusNoContent, owner.Do("DELETE", path, nil).Status)
		assert.Equal(t, http.StatusNotFound, owner.Get(path).Status)
		assert.Equal(t, "[]", owner.Get(list).Body)
	}
	assert.Equal(t, http.StatusNotFound, owner.Get(base+"/issues/2/1").Status, "a path that means nothing")
}

// A thread lives as long as it has a comment, and its replies are to the first
// of them.
func TestDeletedReviewComments(t *testing.T) {
	w := busy(t)
	owner := w.As("owner")
	first := int64(owner.Get(base + "/pulls/1/comments").Int("0.id"))
	for _, body := range []string{"one", "two"} {
		owner.Do("POST", base+"/pulls/1/comments/"+itoa(first)+"/replies", map[string]any{"body": body})
	}
	owner.Do("DELETE", base+"/pulls/comments/"+itoa(first), nil)
	left := owner.Get(base + "/pulls/1/comments")
	assert.Equal(t, "one", left.Text("0.body"))
	assert.Nil(t, left.At("0.in_reply_to_id"))
	assert.Equal(t, left.Int("0.id"), left.Int("1.in_reply_to_id"))
	for n := range 2 {
		owner.Do("DELETE", base+"/pulls/comments/"+itoa(int64(left.Int([]string{"0.id", "1.id"}[n]))), nil)
	}
	w.Look(func(s *model.State) {
		assert.Zero(t, s.Threads.Len())
		assert.NoError(t, s.Validate())
	})
}

func TestReadme(t *testing.T) {
	w := sandboxtest.New(t)
	reader, owner := w.As("reader"), w.As("owner")
	readme := reader.Get(base + "/readme")
	assert.Equal(t, []string{"README.md", "IyBoZWxsbwo=\n"}, []string{readme.Text("path"), readme.Text("content")})
	assert.Equal(t, "# hello\n", reader.Get(base+"/readme", "Accept", "application/vnd.github.raw").Body)
	assert.Equal(t, http.StatusNotFound, reader.Get(base+"/readme?ref=none").Status)

	owner.Do("PUT", base+"/contents/.github/readme", `{"message":"m","content":"eA=="}`)
	assert.Equal(t, ".github/readme", reader.Get(base+"/readme").Text("path"), "the one in .github comes first")
	for _, path := range []string{".github/readme", "README.md"} {
		sha := owner.Get(base + "/contents/" + path).Text("sha")
		owner.Do("DELETE", base+"/contents/"+path, map[string]any{"message": "m", "sha": sha})
	}
	owner.Do("PUT", base+"/contents/a", `{"message":"m","content":"eA=="}`)
	assert.Equal(t, http.StatusNotFound, reader.Get(base+"/readme").Status)
}

func TestCompare(t *testing.T) {
	w := sandboxtest.New(t)
	openPull(t, w, "f", "f.txt", "x\n")
	owner := w.As("owner")
	main := owner.Get(base + "/git/ref/heads/main").Text("object.sha")
	owner.Do("PUT", base+"/contents/b", `{"message":"on main","content":"eA=="}`)
	both := owner.Get(base + "/compare/main...owner:f")
	assert.Equal(t, []any{"diverged", 1, 1, 1}, []any{both.Text("status"), both.Int("ahead_by"), both.Int("behind_by"), both.Int("total_commits")})
	assert.Equal(t, main, both.Text("merge_base_commit.sha"))
	assert.Equal(t, "f.txt", both.Text("files.0.filename"))
	assert.Nil(t, both.At("files.1"), "what main has got since is not shown")
	assert.Equal(t, "behind", owner.Get(base+"/compare/main..."+main).Text("status"))
	assert.Equal(t, "ahead", owner.Get(base+"/compare/"+main+"...main").Text("status"))
	assert.Equal(t, "identical", owner.Get(base+"/compare/main...main").Text("status"))
	assert.Contains(t, owner.Get(base+"/compare/main...f", "Accept", "application/vnd.github.diff").Body, "+++ b/f.txt\n")
	for _, ends := range []string{"main", "main...none", "none...main", "other:main...f"} {
		assert.Equal(t, http.StatusNotFound, owner.Get(base+"/compare/"+ends).Status, ends)
	}
}

func TestMilestonesAndReleases(t *testing.T) {
	w := sandboxtest.New(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		s.AddMilestone(repo, model.NewMilestone{Title: "one"})
		s.AddMilestone(repo, model.NewMilestone{Title: "two"}).Closed = true
	})
	reader := w.As("reader")
	assert.Equal(t, "one", reader.Get(base+"/milestones").Text("0.title"))
	assert.Nil(t, reader.Get(base+"/milestones").At("1"))
	assert.Equal(t, "two", reader.Get(base+"/milestones?state=closed").Text("0.title"))
	assert.Equal(t, "two", reader.Get(base+"/milestones?state=all").Text("1.title"))
	assert.Equal(t, "closed", reader.Get(base+"/milestones/2").Text("state"))
	assert.Equal(t, http.StatusNotFound, reader.Get(base+"/milestones/3").Status)
	assert.Equal(t, "[]", reader.Get(base+"/releases").Body)
	assert.Equal(t, http.StatusNotFound, reader.Get(base+"/releases/latest").Status)
}
