package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// withIDs is a world with as many issues, and their ids by number.
func withIDs(t *testing.T, count int) (w *sandboxtest.World, ids []model.ID) {
	t.Helper()
	w, ids = sandboxtest.New(t), []model.ID{0}
	w.Change(func(s *model.State, repo *model.Repo) {
		for range count {
			i, err := s.OpenIssue(repo.OwnerID, repo, model.NewIssue{Title: "x"})
			require.NoError(t, err)
			ids = append(ids, i.ID)
		}
	})
	return w, ids
}

// numbers are those of the issues at a path.
func numbers(t *testing.T, w *sandboxtest.World, path string) []int {
	t.Helper()
	list, _ := w.As("reader").Get(base + path).At("0").(map[string]any)
	if list == nil {
		return []int{}
	}
	var found []int
	for n := 0; ; n++ {
		number := w.As("reader").Get(base + path).Int(itoa(int64(n)) + ".number")
		if number == 0 {
			return found
		}
		found = append(found, number)
	}
}

func TestSubIssues(t *testing.T) {
	w, ids := withIDs(t, 4)
	const subs = "/issues/1/sub_issues"
	send := func(method, path string, fields map[string]any) sandboxtest.Reply {
		return w.As("triager").Do(method, base+path, fields)
	}
	for _, n := range []int{2, 3, 4} {
		require.Equal(t, http.StatusCreated, send("POST", subs, map[string]any{"sub_issue_id": ids[n]}).Status)
	}
	assert.Equal(t, []int{2, 3, 4}, numbers(t, w, subs))
	assert.Equal(t, 1, w.As("reader").Get(base+"/issues/2/parent").Int("number"))
	assert.Equal(t, http.StatusNotFound, w.As("reader").Get(base+"/issues/1/parent").Status)

	require.Equal(t, http.StatusOK, send("PATCH", subs+"/priority", map[string]any{"sub_issue_id": ids[4], "before_id": ids[2]}).Status)
	assert.Equal(t, []int{4, 2, 3}, numbers(t, w, subs))
	require.Equal(t, http.StatusOK, send("PATCH", subs+"/priority", map[string]any{"sub_issue_id": ids[4], "after_id": ids[2]}).Status)
	assert.Equal(t, []int{2, 4, 3}, numbers(t, w, subs))

	const notAdded = "An error occurred while adding the sub-issue to the parent issue. "
	for _, c := range []struct {
		reason, method, path string
		fields               map[string]any
		status               int
		message              string
	}{
		{"it is there", "POST", subs, map[string]any{"sub_issue_id": ids[2]}, 422, notAdded + "Issue may not contain duplicate sub-issues and Sub issue may only have one parent"},
		{"it has another parent", "POST", "/issues/2/sub_issues", map[string]any{"sub_issue_id": ids[3]}, 422, notAdded + "Issue may not contain duplicate sub-issues and Sub issue may only have one parent"},
		{"it is itself", "POST", subs, map[string]any{"sub_issue_id": ids[1]}, 422, notAdded + "Sub issue may not be the issue itself or one of its parents"},
		{"it is above", "POST", "/issues/2/sub_issues", map[string]any{"sub_issue_id": ids[1]}, 422, notAdded + "Sub issue may not be the issue itself or one of its parents"},
		{"it does not exist", "POST", subs, map[string]any{"sub_issue_id": 5}, 404, "The provided sub-issue does not exist"},
		{"it is not said", "POST", subs, map[string]any{}, 422, "Invalid request.\n\n\"sub_issue_id\" wasn't supplied."},
		{"it is none", "DELETE", "/issues/2/sub_issue", map[string]any{"sub_issue_id": ids[3]}, 404, "The provided sub-issue does not exist"},
		{"its place is not said", "PATCH", subs + "/priority", map[string]any{"sub_issue_id": ids[2]}, 422, "Exactly one of after_id and before_id must be given."},
		{"its place is none", "PATCH", subs + "/priority", map[string]any{"sub_issue_id": ids[2], "after_id": ids[2]}, 404, "The provided sub-issue does not exist"},
	} {
		reply := send(c.method, c.path, c.fields)
		assert.Equal(t, c.status, reply.Status, c.reason)
		assert.Equal(t, c.message, reply.Text("message"), c.reason)
	}
	assert.Equal(t, http.StatusForbidden, w.As("reader").Do("POST", base+subs, map[string]any{"sub_issue_id": ids[2]}).Status)

	require.Equal(t, http.StatusCreated, send("POST", "/issues/2/sub_issues", map[string]any{"sub_issue_id": ids[3], "replace_parent": true}).Status)
	assert.Equal(t, []int{2, 4}, numbers(t, w, subs), "it has left its parent")
	require.Equal(t, http.StatusOK, send("DELETE", "/issues/1/sub_issue", map[string]any{"sub_issue_id": ids[4]}).Status)
	assert.Equal(t, []int{2}, numbers(t, w, subs))
	w.Change(func(s *model.State, repo *model.Repo) {
		require.NoError(t, s.DeleteIssue(repo.OwnerID, repo, s.Issue(repo, 2)))
		require.NoError(t, s.Validate(), "nothing points at an issue that is gone")
	})
	assert.Empty(t, numbers(t, w, subs))
}

func TestIssuesThatWait(t *testing.T) {
	w, ids := withIDs(t, 2)
	const blockers = "/issues/1/dependencies/blocked_by"
	triager := w.As("triager")
	require.Equal(t, http.StatusCreated, triager.Do("POST", base+blockers, map[string]any{"issue_id": ids[2]}).Status)
	assert.Equal(t, []int{2}, numbers(t, w, blockers))
	assert.Equal(t, []int{1}, numbers(t, w, "/issues/2/dependencies/blocking"))
	for body, want := range map[model.ID]int{ids[2]: 422, ids[1]: 422, 5: 404} {
		assert.Equal(t, want, triager.Do("POST", base+blockers, map[string]any{"issue_id": body}).Status)
	}
	assert.Equal(t, http.StatusForbidden, w.As("reader").Do("DELETE", base+blockers+"/"+itoa(ids[2]), nil).Status)
	require.Equal(t, http.StatusOK, triager.Do("DELETE", base+blockers+"/"+itoa(ids[2]), nil).Status)
	assert.Empty(t, numbers(t, w, blockers))
	assert.Equal(t, http.StatusNotFound, triager.Do("DELETE", base+blockers+"/"+itoa(ids[2]), nil).Status)
}

func TestStars(t *testing.T) {
	w := sandboxtest.New(t)
	reader := w.As("reader")
	const starred = "/user/starred"
	assert.Equal(t, http.StatusNotFound, reader.Get(starred+"/owner/hello").Status)
	for range 2 {
		require.Equal(t, http.StatusNoContent, reader.Do("PUT", starred+"/owner/hello", nil).Status)
	}
	assert.Equal(t, http.StatusNoContent, reader.Get(starred+"/owner/hello").Status)
	for _, c := range []struct {
		login, path string
		want        int
	}{{"reader", starred, 1}, {"writer", starred, 0}, {"writer", "/users/reader/starred", 1}} {
		assert.Equal(t, c.want, w.As(c.login).Get(c.path).Int("0.stargazers_count"), c.path)
	}
	dated := reader.Get(starred, "Accept", "application/vnd.github.v3.star+json")
	assert.Equal(t, "owner/hello", dated.Text("0.repo.full_name"))
	assert.NotEmpty(t, dated.Text("0.starred_at"))
	assert.Equal(t, http.StatusUnauthorized, w.As("").Get(starred).Status)
	assert.Equal(t, http.StatusNotFound, reader.Get("/users/nobody/starred").Status)
	require.Equal(t, http.StatusNoContent, reader.Do("DELETE", starred+"/owner/hello", nil).Status)
	assert.Nil(t, reader.Get(starred).At("0"))
}

func TestLabelsAreEdited(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	for _, name := range []string{"one", "two"} {
		require.Equal(t, http.StatusCreated, writer.Do("POST", base+"/labels", map[string]string{"name": name, "description": "D"}).Status)
	}
	edited := writer.Do("PATCH", base+"/labels/one", map[string]string{"new_name": "uno", "color": "ABCDEF"})
	assert.Equal(t, []string{"uno", "abcdef", "D"}, []string{edited.Text("name"), edited.Text("color"), edited.Text("description")})
	assert.Equal(t, http.StatusOK, writer.Do("PATCH", base+"/labels/uno", map[string]string{"new_name": "UNO"}).Status, "its own name is not taken")
	for reason, c := range map[string]struct {
		body map[string]string
		code string
	}{
		"the name is taken":    {map[string]string{"new_name": "TWO"}, "already_exists"},
		"a label has a name":   {map[string]string{"new_name": " "}, "missing_field"},
		"a color has 6 digits": {map[string]string{"color": "red"}, "invalid"},
	} {
		reply := writer.Do("PATCH", base+"/labels/uno", c.body)
		assert.Equal(t, http.StatusUnprocessableEntity, reply.Status, reason)
		assert.Equal(t, c.code, reply.Text("errors.0.code"), reason)
	}
	assert.Equal(t, http.StatusForbidden, w.As("triager").Do("PATCH", base+"/labels/uno", map[string]string{"color": "ffffff"}).Status)
}
