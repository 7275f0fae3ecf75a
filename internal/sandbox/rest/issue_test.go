package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

func TestIssuesWithGoGitHub(t *testing.T) {
	w := sandboxtest.New(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		s.AddMilestone(repo, model.NewMilestone{Title: "v1", Creator: repo.OwnerID})
	})
	writer := w.As("writer").REST.Issues
	ctx := t.Context()
	i, _, err := writer.Create(ctx, "owner", "hello", &github.IssueRequest{
		Title: github.String("broken"), Body: github.String("it is"), Labels: &[]string{"bug"}, Assignees: &[]string{"writer", "owner"},
		Milestone: github.Int(1),
	})
	require.NoError(t, err)
	assert.Equal(t, 1, i.GetNumber())
	assert.Equal(t, "open", i.GetState())
	assert.Equal(t, "writer", i.GetUser().GetLogin())
	assert.Equal(t, "COLLABORATOR", i.GetAuthorAssociation())
	assert.Equal(t, "writer", i.GetAssignee().GetLogin())
	assert.Equal(t, 1, i.GetMilestone().GetOpenIssues())
	assert.Equal(t, "https://github.com/owner/hello/issues/1", i.GetHTMLURL())
	assert.Equal(t, "ededed", i.Labels[0].GetColor())
	assert.True(t, strings.HasPrefix(i.GetNodeID(), "I_"))

	_, _, err = writer.CreateComment(ctx, "owner", "hello", 1, &github.IssueComment{Body: github.String("why?")})
	require.NoError(t, err)
	i, _, err = writer.Edit(ctx, "owner", "hello", 1, &github.IssueRequest{State: github.String("closed"), StateReason: github.String("not_planned")})
	require.NoError(t, err)
	assert.Equal(t, "not_planned", i.GetStateReason())
	assert.Equal(t, "writer", i.GetClosedBy().GetLogin())
	assert.Equal(t, 1, i.GetComments())
	comments, _, err := writer.ListComments(ctx, "owner", "hello", 1, nil)
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprintf("https://github.com/owner/hello/issues/1#issuecomment-%d", comments[0].GetID()), comments[0].GetHTMLURL())

	labels, _, err := writer.AddLabelsToIssue(ctx, "owner", "hello", 1, []string{"help wanted", "a/b"})
	require.NoError(t, err)
	assert.Len(t, labels, 3)
	assert.Equal(t, "https://api.github.com/repos/owner/hello/labels/a/b", labels[2].GetURL())
	for _, path := range []string{"/labels/a/b", "/labels/a%2Fb"} {
		assert.Equal(t, "a/b", w.As("writer").Get(base+path).Text("name"), "a name may have slashes, as addresses of GitHub's do")
	}
	assert.Equal(t, "b/c", w.As("writer").Do("PATCH", base+"/labels/a/b", `{"new_name": "b/c"}`).Text("name"))
	assert.Equal(t, "a/b", w.As("writer").Do("PATCH", base+"/labels/b/c", `{"new_name": "a/b"}`).Text("name"))
	_, err = writer.RemoveLabelForIssue(ctx, "owner", "hello", 1, "HELP wanted")
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, w.As("writer").Do("DELETE", base+"/issues/1/labels/a%2Fb", nil).Status)
	assert.Equal(t, "Label does not exist", w.As("writer").Do("DELETE", base+"/issues/1/labels/none", nil).Text("message"))
	replaced, _, err := writer.ReplaceLabelsForIssue(ctx, "owner", "hello", 1, []string{"new"})
	require.NoError(t, err)
	require.Len(t, replaced, 1)
	assert.Equal(t, "new", replaced[0].GetName())
	_, err = writer.RemoveLabelsForIssue(ctx, "owner", "hello", 1)
	require.NoError(t, err)
	left, _, err := writer.ListLabelsByIssue(ctx, "owner", "hello", 1, nil)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestLabelThatExists(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	_, _, err := writer.REST.Issues.CreateLabel(t.Context(), "owner", "hello", &github.Label{Name: github.String("bug"), Color: github.String("FF0000")})
	require.NoError(t, err)
	reply := writer.Do("POST", base+"/labels", `{"name":"BUG","color":"00ff00"}`)
	assert.Equal(t, http.StatusUnprocessableEntity, reply.Status)
	assert.JSONEq(t, `{"message":"Validation Failed","errors":[{"resource":"Label","code":"already_exists","field":"name"}],
		"documentation_url":"https://docs.github.com/rest","status":"422"}`, reply.Body)
	assert.Equal(t, "ff0000", writer.Get(base+"/labels/Bug").Text("color"))
	assert.Equal(t, http.StatusNoContent, writer.Do("DELETE", base+"/labels/bug", nil).Status)
	assert.Equal(t, http.StatusNotFound, writer.Get(base+"/labels/bug").Status)
}

func TestIssueLists(t *testing.T) {
	w := sandboxtest.New(t)
	openPull(t, w, "f", "f", "x")
	var since string
	w.Change(func(s *model.State, repo *model.Repo) {
		m := s.AddMilestone(repo, model.NewMilestone{Title: "v1"})
		open := func(author string, in model.NewIssue) *model.Issue {
			i, err := s.OpenIssue(s.User(author).ID, repo, in)
			require.NoError(t, err)
			return i
		}
		two := open("writer", model.NewIssue{Title: "two", Body: "ask @Reader", Labels: []string{"a", "b"}, Milestone: m.Number})
		three := open("owner", model.NewIssue{Title: "three", Labels: []string{"a"}, Assignees: []string{"writer"}})
		four := open("owner", model.NewIssue{Title: "four"})
		require.NoError(t, s.EditIssue(repo.OwnerID, repo, four, model.IssueEdit{State: github.String("closed")}))
		since = s.Now.Format(time.RFC3339)
		for _, i := range []*model.Issue{three, two, two} {
			_, err := s.CreateComment(repo.OwnerID, repo, i, "hi")
			require.NoError(t, err)
		}
	})
	for query, want := range map[string]string{
		"":                                     "3 2 1",
		"state=all":                            "4 3 2 1",
		"state=closed":                         "4",
		"direction=asc":                        "1 2 3",
		"sort=updated":                         "2 3 1",
		"sort=comments":                        "2 3 1",
		"sort=comments&direction=asc":          "1 3 2",
		"labels=a":                             "3 2",
		"labels=a,B":                           "2",
		"labels=none":                          "",
		"assignee=writer":                      "3",
		"assignee=*":                           "3",
		"assignee=none":                        "2 1",
		"assignee=nobody":                      "",
		"creator=WRITER":                       "2 1",
		"mentioned=reader":                     "2",
		"milestone=1":                          "2",
		"milestone=*":                          "2",
		"milestone=none":                       "3 1",
		"state=all&since=" + since:             "4 3 2",
		"state=all&since=2999-01-01T00:00:00Z": "",
	} {
		reply := w.As("reader").Get(base + "/issues?" + query)
		var numbers []string
		for n := range 4 {
			if i := reply.Int(fmt.Sprint(n, ".number")); i != 0 {
				numbers = append(numbers, fmt.Sprint(i))
			}
		}
		assert.Equal(t, want, strings.Join(numbers, " "), query)
	}
	assert.NotNil(t, w.As("reader").Get(base+"/issues/1").At("pull_request"), "a pull request is an issue too")
	for _, query := range []string{"state=merged", "since=yesterday"} {
		assert.Equal(t, http.StatusUnprocessableEntity, w.As("reader").Get(base+"/issues?"+query).Status, query)
	}
}

func TestIssuesThatAreGone(t *testing.T) {
	w := withIssues(t, 2)
	w.Change(func(s *model.State, repo *model.Repo) {
		require.NoError(t, s.DeleteIssue(repo.OwnerID, repo, s.Issue(repo, 1)))
	})
	reader := w.As("reader")
	reply := reader.Get(base + "/issues/1")
	assert.Equal(t, http.StatusGone, reply.Status)
	assert.Equal(t, "This issue was deleted", reply.Text("message"))
	assert.Equal(t, http.StatusNotFound, reader.Get(base+"/issues/3").Status, "a number that was never given")
	assert.Equal(t, http.StatusNotFound, reader.Get(base+"/pulls/2").Status, "an issue is no pull request")

	w.Change(func(_ *model.State, repo *model.Repo) { repo.HasIssues = false })
	for _, reply := range []sandboxtest.Reply{
		reader.Get(base + "/issues"), reader.Get(base + "/issues/2"), reader.Do("POST", base+"/issues", `{"title":"x"}`),
	} {
		assert.Equal(t, http.StatusGone, reply.Status)
		assert.Equal(t, "Issues are disabled for this repo", reply.Text("message"))
	}
	openPull(t, w, "f", "f", "x")
	assert.Equal(t, http.StatusOK, reader.Get(base+"/issues/3").Status, "pull requests are not disabled")
}

func TestForbidden(t *testing.T) {
	w := withIssues(t, 1)
	reply := w.As("reader").Do("POST", base+"/issues/1/labels", `["bug"]`)
	assert.Equal(t, http.StatusForbidden, reply.Status)
	assert.Equal(t, "Must have admin rights to Repository.", reply.Text("message"))
	assert.Equal(t, http.StatusForbidden, w.As("reader").Get(base+"/collaborators/writer/permission").Status)
	reply = w.As("writer").Get(base + "/collaborators/triager/permission")
	assert.Equal(t, "read", reply.Text("permission"), "the older field knows no triage")
	assert.Equal(t, "triage", reply.Text("role_name"))
	assert.Equal(t, http.StatusNotFound, w.As("writer").Get(base+"/collaborators/nobody/permission").Status)
}
