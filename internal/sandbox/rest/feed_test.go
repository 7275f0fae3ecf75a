package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// feed is what a feed has, the newest first, as "type action of actor" each.
func feed(w *sandboxtest.World, who, path string) []string {
	list := w.As(who).Get(path)
	got := []string{}
	for n := 0; list.At(fmt.Sprint(n)) != nil; n++ {
		at := func(field string) string { return list.Text(fmt.Sprintf("%d.%s", n, field)) }
		got = append(got, strings.ReplaceAll(at("type")+" "+at("payload.action")+" of "+at("actor.login"), "  ", " "))
	}
	return got
}

// ask sends requests of users that must be done.
func ask(t *testing.T, w *sandboxtest.World) func(who, method, path string, body any) sandboxtest.Reply {
	return func(who, method, path string, body any) sandboxtest.Reply {
		t.Helper()
		reply := w.As(who).Do(method, path, body)
		require.Less(t, reply.Status, http.StatusBadRequest, "%s %s: %s", method, path, reply.Body)
		return reply
	}
}

// Feeds tell what requests did, newest first, and nothing that a world began with.
func TestWhatFeedsTell(t *testing.T) {
	w := sandboxtest.New(t)
	do := ask(t, w)
	assert.Empty(t, feed(w, "", "/events"))
	do("reader", "POST", base+"/issues", map[string]any{"title": "one", "labels": []string{}})
	do("writer", "PATCH", base+"/issues/1", map[string]any{"labels": []string{"bug"}, "assignees": []string{"writer"}})
	do("writer", "POST", base+"/issues/1/comments", map[string]any{"body": "hm"})
	do("writer", "PATCH", base+"/issues/1", map[string]any{"title": "other"})
	do("writer", "PATCH", base+"/issues/1", map[string]any{"state": "closed"})
	assert.Equal(t, []string{"IssuesEvent closed of writer", "IssueCommentEvent created of writer", "IssuesEvent assigned of writer", "IssuesEvent labeled of writer", "IssuesEvent opened of reader"}, feed(w, "", base+"/events"))

	openPull(t, w, "topic", "a.txt", "a\n")
	assert.Equal(t, []string{"PullRequestEvent opened of writer", "PushEvent of writer", "CreateEvent of writer"}, feed(w, "", base+"/events?per_page=3"))
	do("owner", "POST", base+"/pulls/2/reviews", map[string]any{"event": "COMMENT", "body": "x", "comments": []map[string]any{{"path": "a.txt", "line": 1, "body": "y"}}})
	do("owner", "PUT", base+"/pulls/2/merge", map[string]any{})
	do("owner", "DELETE", base+"/git/refs/heads/topic", nil)
	assert.Equal(t, []string{
		"DeleteEvent of owner", "PushEvent of owner", "PullRequestEvent merged of owner", "PullRequestReviewCommentEvent created of owner", "PullRequestReviewEvent created of owner",
	}, feed(w, "", base+"/events?per_page=5"))
	head := w.As("").Get(base + "/git/ref/heads/main").Text("object.sha")
	push := w.As("").Get(base + "/events?per_page=2")
	assert.Equal(t, []any{"refs/heads/main", head, nil}, []any{push.At("1.payload.ref"), push.At("1.payload.head"), push.At("1.payload.commits")})

	do("owner", "POST", base+"/commits/"+head+"/comments", map[string]any{"body": "z"})
	do("owner", "POST", base+"/releases", map[string]any{"tag_name": "v1", "draft": true})
	do("owner", "POST", base+"/releases", map[string]any{"tag_name": "v2"})
	do("reader", "PUT", "/user/starred/owner/hello", nil)
	do("reader", "POST", base+"/forks", nil)
	do("writer", "POST", "/user/repos", map[string]any{"name": "fresh"})
	assert.Equal(t, []string{
		"CreateEvent of writer", "ForkEvent forked of reader", "WatchEvent started of reader", "ReleaseEvent published of owner", "CreateEvent of owner", "CommitCommentEvent created of owner",
	}, feed(w, "", "/events?per_page=6"), "a draft is told of nowhere")
	assert.Equal(t, []string{"repository", ""}, []string{w.As("").Get("/events").Text("0.payload.ref_type"), w.As("").Get("/events").Text("0.payload.ref")})
}

// A feed is of what its path names, and shows what its reader may see.
func TestWhoseFeedTellsWhat(t *testing.T) {
	w := sandboxtest.New(t)
	do := ask(t, w)
	w.Change(func(s *model.State, repo *model.Repo) {
		acme := s.AddUser(model.NewUser{Login: "acme", Type: model.TypeOrganization})
		acme.Members = map[model.ID]model.OrgRole{s.User("reader").ID: model.OrgOwner}
		s.AddRepo(model.NewRepo{Owner: acme.ID, Name: "tools"})
		s.Subscribe(s.User("triager").ID, repo, model.Subscribed)
	})
	do("reader", "POST", base+"/issues", map[string]any{"title": "one"})
	do("reader", "POST", "/repos/acme/tools/issues", map[string]any{"title": "two"})
	do("reader", "POST", base+"/forks", nil)
	do("reader", "POST", "/repos/reader/hello/labels", map[string]any{"name": "x"})
	do("reader", "PATCH", "/repos/reader/hello", map[string]any{"has_issues": true})
	do("writer", "POST", "/repos/reader/hello/issues", map[string]any{"title": "three"})

	issue := "IssuesEvent opened of reader"
	assert.Equal(t, []string{"ForkEvent forked of reader", issue}, feed(w, "", base+"/events"))
	assert.Equal(t, []string{"IssuesEvent opened of writer", "ForkEvent forked of reader", issue}, feed(w, "", "/networks/owner/hello/events"))
	assert.Equal(t, feed(w, "", "/networks/owner/hello/events"), feed(w, "", "/networks/reader/hello/events"))
	assert.Equal(t, []string{issue}, feed(w, "", "/orgs/acme/events"))
	assert.Equal(t, "acme", w.As("").Get("/orgs/acme/events").Text("0.org.login"))
	assert.Equal(t, []string{"ForkEvent forked of reader", issue, issue}, feed(w, "", "/users/reader/events"))
	assert.Equal(t, []string{issue}, feed(w, "reader", "/users/reader/events/orgs/acme"))
	assert.Equal(t, http.StatusNotFound, w.As("writer").Get("/users/reader/events/orgs/acme").Status, "it is the reader's alone")
	assert.Equal(t, []string{"ForkEvent forked of reader", issue}, feed(w, "triager", "/users/triager/received_events"), "what he watches")
	assert.Empty(t, feed(w, "writer", "/users/writer/received_events"))
	assert.Equal(t, []string{"IssuesEvent opened of writer"}, feed(w, "reader", "/users/reader/received_events"), "not what he does himself")
	w.Change(func(s *model.State, _ *model.Repo) {
		require.NoError(t, s.FollowUser(s.User("writer").ID, s.User("reader"), true))
	})
	assert.Len(t, feed(w, "writer", "/users/writer/received_events"), 3, "whom he follows")

	w.Change(func(_ *model.State, repo *model.Repo) { repo.Private = true })
	do("writer", "POST", base+"/issues", map[string]any{"title": "secret"})
	assert.Equal(t, []string{"IssuesEvent opened of writer", "ForkEvent forked of reader", issue}, feed(w, "writer", base+"/events"))
	assert.Equal(t, http.StatusNotFound, w.As("stranger").Get(base+"/events").Status)
	assert.Equal(t, []string{"IssuesEvent opened of writer", "IssuesEvent opened of writer"}, feed(w, "writer", "/users/writer/events"))
	for _, who := range []string{"", "stranger", "reader"} {
		assert.Equal(t, []string{"IssuesEvent opened of writer"}, feed(w, who, "/users/writer/events"), who)
	}
	assert.Equal(t, []string{"IssuesEvent opened of writer"}, feed(w, "writer", "/users/writer/events/public"))
	assert.Equal(t, []string{"IssuesEvent opened of writer"}, feed(w, "triager", "/users/triager/received_events")[:1])
	assert.NotContains(t, feed(w, "", "/users/triager/received_events"), "ForkEvent forked of reader")
	w.Change(func(_ *model.State, repo *model.Repo) { repo.Private = false })
	assert.Len(t, feed(w, "", base+"/events"), 3)
	assert.NotContains(t, w.As("").Get("/events").Body, "secret", "what was private stays so")
	for path, status := range map[string]int{"/orgs/reader/events": 404, "/users/nobody/events": 404, "/networks/owner/none/events": 404} {
		assert.Equal(t, status, w.As("").Get(path).Status, path)
	}
}

// An entry stays what it was when it happened.
func TestFeedsTellWhatWasSo(t *testing.T) {
	w := sandboxtest.New(t)
	do := ask(t, w)
	do("reader", "POST", base+"/issues", map[string]any{"title": "before"})
	do("reader", "PATCH", base+"/issues/1", map[string]any{"title": "after"})
	assert.Equal(t, "before", w.As("").Get(base+"/events").Text("0.payload.issue.title"))
	do("owner", "PATCH", base, map[string]any{"name": "renamed"})
	assert.Equal(t, "owner/renamed", w.As("").Get("/repos/owner/renamed/events").Text("0.repo.name"), "but for where it is")
	require.Equal(t, http.StatusNoContent, withAll(w, "owner").Do("DELETE", "/repos/owner/renamed", nil).Status)
	assert.Empty(t, feed(w, "", "/events"), "nothing of what is gone")
}

// A refused request is told of nowhere.
func TestFeedsTellNothingOfWhatIsRefused(t *testing.T) {
	w := sandboxtest.New(t)
	assert.Equal(t, http.StatusUnprocessableEntity, w.As("reader").Do("POST", base+"/issues", map[string]any{"title": ""}).Status)
	assert.Equal(t, http.StatusForbidden, w.As("reader").Do("POST", base+"/labels", map[string]any{"name": "x"}).Status)
	reply := w.As("reader").GraphQL(`mutation { addComment(input: {subjectId: "x", body: "y"}) { clientMutationId } }`)
	require.NotNil(t, reply.At("errors"))
	assert.Empty(t, feed(w, "", "/events"))
}

// Feeds are read in pages, of which they have so many, and are asked for again
// without cost while nothing happens.
func TestReadingFeeds(t *testing.T) {
	testkit.NeedComplete(t)
	w := sandboxtest.New(t)
	reader := w.As("reader")
	for n := range model.MaxFeed + 5 {
		require.Equal(t, http.StatusCreated, reader.Do("POST", base+"/issues", map[string]any{"title": fmt.Sprint(n + 1)}).Status)
	}
	first := reader.Get(base + "/events?per_page=100")
	assert.Equal(t, []string{"60", fmt.Sprint(model.MaxFeed + 5)}, []string{first.Header.Get("X-Poll-Interval"), first.Text("0.payload.issue.title")})
	assert.Contains(t, first.Header.Get("Link"), `page=3>; rel="last"`)
	last := reader.Get(base + "/events?per_page=100&page=3")
	assert.Equal(t, "6", last.Text("99.payload.issue.title"))
	beyond := reader.Get(base + "/events?per_page=100&page=4")
	assert.Equal(t, http.StatusUnprocessableEntity, beyond.Status)
	assert.Contains(t, beyond.Text("message"), "pagination is limited for this resource")
	assert.Equal(t, http.StatusUnprocessableEntity, reader.Get(base+"/events?page=9223372036854775807").Status)

	again := reader.Get(base+"/events", "If-None-Match", reader.Get(base+"/events").Header.Get("ETag"))
	assert.Equal(t, []any{http.StatusNotModified, "60"}, []any{again.Status, again.Header.Get("X-Poll-Interval")})
	assert.Equal(t, http.StatusNotModified, reader.Get(base+"/events", "If-Modified-Since", first.Header.Get("Last-Modified")).Status)
	require.Equal(t, http.StatusCreated, reader.Do("POST", base+"/issues", map[string]any{"title": "new"}).Status)
	assert.Equal(t, http.StatusOK, reader.Get(base+"/events", "If-Modified-Since", first.Header.Get("Last-Modified")).Status)
}
