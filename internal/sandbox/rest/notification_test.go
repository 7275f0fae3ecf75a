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
)

// inbox is what a user has not read, as "reason: title" each.
func inbox(w *sandboxtest.World, who, query string) []string {
	list := w.As(who).Get("/notifications" + query)
	got := []string{}
	for n := 0; list.At(fmt.Sprint(n)) != nil; n++ {
		got = append(got, list.Text(fmt.Sprintf("%d.reason", n))+": "+list.Text(fmt.Sprintf("%d.subject.title", n)))
	}
	return got
}

// Everybody is told of what concerns him, for the nearest reason, and of nothing
// that he does himself or may not see.
func TestWhoHasWhatInTheInbox(t *testing.T) {
	w := sandboxtest.New(t)
	do := func(who, method, path string, body any) {
		t.Helper()
		reply := w.As(who).Do(method, base+path, body)
		require.Less(t, reply.Status, http.StatusMultipleChoices, reply.Body)
	}
	w.Change(func(s *model.State, repo *model.Repo) { s.Subscribe(s.User("triager").ID, repo, model.Subscribed) })
	do("reader", "POST", "/issues", map[string]any{"title": "one", "body": "see @stranger"})
	assert.Equal(t, []string{"mention: one"}, inbox(w, "stranger", ""))
	assert.Equal(t, []string{"subscribed: one"}, inbox(w, "triager", ""))
	assert.Empty(t, inbox(w, "triager", "?participating=true"))
	assert.Empty(t, inbox(w, "reader", ""), "one's own acts")

	do("writer", "POST", "/issues/1/comments", map[string]any{"body": "hm"})
	assert.Equal(t, []string{"author: one"}, inbox(w, "reader", ""))
	assert.Empty(t, inbox(w, "writer", ""))
	do("reader", "POST", "/issues/1/comments", map[string]any{"body": "and?"})
	assert.Equal(t, []string{"comment: one"}, inbox(w, "writer", ""), "who commented takes part")
	assert.Equal(t, []string{"mention: one"}, inbox(w, "stranger", ""), "who was mentioned too")
	do("owner", "PATCH", "/issues/1", map[string]any{"assignees": []string{"writer"}})
	assert.Equal(t, []string{"assign: one"}, inbox(w, "writer", ""))
	do("owner", "PATCH", "/issues/1", map[string]any{"state": "closed"})
	assert.Equal(t, []string{"state_change: one"}, inbox(w, "writer", ""))

	w.Change(func(_ *model.State, repo *model.Repo) { repo.Private = true })
	assert.Empty(t, inbox(w, "stranger", ""), "he may no longer read it")
	assert.NotEmpty(t, inbox(w, "writer", ""))
}

// What is read or done is not listed until there is something new; each user
// has threads of his own.
func TestReadingNotifications(t *testing.T) {
	w := sandboxtest.New(t)
	reader, writer := w.As("reader"), w.As("writer")
	comment := func(number int) {
		require.Equal(t, http.StatusCreated, writer.Do("POST", fmt.Sprintf("%s/issues/%d/comments", base, number), map[string]any{"body": "x"}).Status)
	}
	for _, title := range []string{"one", "two"} {
		require.Equal(t, http.StatusCreated, reader.Do("POST", base+"/issues", map[string]any{"title": title}).Status)
	}
	comment(1)
	comment(2)
	list := reader.Get("/notifications?per_page=1")
	assert.Equal(t, []any{"two", true, nil, "60"}, []any{list.Text("0.subject.title"), list.At("0.unread"), list.At("0.last_read_at"), list.Header.Get("X-Poll-Interval")})
	assert.Contains(t, list.Header.Get("Link"), `rel="next"`)
	assert.True(t, strings.HasPrefix(list.Text("0.subject.latest_comment_url"), "https://api.github.com"+base+"/issues/comments/"))
	since := list.Header.Get("Last-Modified")
	assert.Equal(t, http.StatusNotModified, reader.Get("/notifications", "If-Modified-Since", since).Status)
	thread := "/notifications/threads/" + list.Text("0.id")
	assert.Equal(t, "two", reader.Get(thread).Text("subject.title"))
	for _, who := range []string{"writer", "owner"} {
		assert.Equal(t, http.StatusNotFound, w.As(who).Get(thread).Status, "it is another's")
		assert.Equal(t, http.StatusNotFound, w.As(who).Do("PATCH", thread, nil).Status)
	}

	before := len(w.Changes())
	assert.Equal(t, http.StatusResetContent, reader.Do("PATCH", thread, nil).Status)
	require.Len(t, w.Changes(), before+1, "the log tells that it was read")
	assert.Equal(t, "notification reader of owner/hello#2", w.Changes()[before].String())
	assert.Equal(t, http.StatusOK, reader.Get("/notifications", "If-Modified-Since", since).Status)
	assert.Equal(t, []string{"author: one"}, inbox(w, "reader", ""))
	assert.Len(t, inbox(w, "reader", "?all=true"), 2)
	comment(2)
	assert.Equal(t, []string{"author: two", "author: one"}, inbox(w, "reader", ""))
	updated := reader.Get("/notifications").Text("0.updated_at")
	assert.Equal(t, []string{"author: two"}, inbox(w, "reader", "?since="+updated))
	assert.Equal(t, []string{"author: one"}, inbox(w, "reader", "?before="+updated))

	assert.Equal(t, http.StatusNoContent, reader.Do("DELETE", thread, nil).Status)
	assert.Equal(t, []string{"author: one"}, inbox(w, "reader", "?all=true"))
	assert.Equal(t, http.StatusResetContent, reader.Do("PUT", base+"/notifications", nil).Status)
	assert.Empty(t, inbox(w, "reader", ""))
	comment(2)
	assert.Equal(t, http.StatusOK, reader.Do("PUT", thread+"/subscription", map[string]any{"ignored": true}).Status)
	assert.Equal(t, http.StatusResetContent, reader.Do("PUT", "/notifications", nil).Status)
	comment(2)
	assert.Empty(t, inbox(w, "reader", ""), "an ignored thread tells nothing")
	require.Equal(t, http.StatusCreated, writer.Do("POST", base+"/issues/2/comments", map[string]any{"body": "@reader"}).Status)
	assert.Equal(t, []string{"mention: two"}, inbox(w, "reader", ""), "but mentions")
}

func TestWhoWatches(t *testing.T) {
	w := sandboxtest.New(t)
	reader := w.As("reader")
	require.Equal(t, http.StatusOK, reader.Do("PUT", base+"/subscription", map[string]any{"subscribed": true}).Status)
	assert.Equal(t, "reader", w.As("stranger").Get(base+"/subscribers").Text("0.login"))
	assert.Equal(t, "owner/hello", reader.Get("/user/subscriptions").Text("0.full_name"))
	w.Change(func(_ *model.State, repo *model.Repo) { repo.Private = true })
	assert.Equal(t, "[]", w.As("stranger").Get("/users/reader/subscriptions").Body)
	assert.Equal(t, http.StatusUnauthorized, w.As("").Get("/user/subscriptions").Status)
}

// Timelines tell whom a text mentions, and once that he is subscribed.
func TestTimelinesTellOfMentions(t *testing.T) {
	w := sandboxtest.New(t)
	owner := w.As("owner")
	w.As("reader")
	owner.Do("POST", base+"/issues", `{"title": "x", "body": "@reader and @writer, not @owner, @nobody or code: `+"`@triager`"+`"}`)
	owner.Do("POST", base+"/issues/1/comments", `{"body": "again @reader"}`)
	w.As("reader").Do("POST", base+"/issues/1/comments", `{"body": "yes @owner"}`)
	want := []string{"mentioned reader", "subscribed reader", "mentioned writer", "subscribed writer", "mentioned reader", "mentioned owner"}
	for _, list := range []string{"/events", "/timeline"} {
		var told []string
		for _, e := range decodeAll(t, owner.Get(base+"/issues/1"+list)) {
			if fields := e.(map[string]any); fields["event"] != "commented" {
				told = append(told, fmt.Sprint(fields["event"], " ", fields["actor"].(map[string]any)["login"]))
			}
		}
		assert.Equal(t, want, told, list)
	}
	items := owner.GraphQL(`{ repository(owner: "owner", name: "hello") { issue(number: 1) { timelineItems(first: 9, itemTypes: [MENTIONED_EVENT, SUBSCRIBED_EVENT]) { totalCount nodes {
		__typename ... on MentionedEvent { id databaseId actor { login } } ... on SubscribedEvent { id actor { login } } } } } } }`)
	assert.Equal(t, []any{6, "MentionedEvent", "reader", "SubscribedEvent"}, []any{
		items.Int("data.repository.issue.timelineItems.totalCount"), items.Text("data.repository.issue.timelineItems.nodes.0.__typename"),
		items.Text("data.repository.issue.timelineItems.nodes.0.actor.login"), items.Text("data.repository.issue.timelineItems.nodes.1.__typename"),
	}, items.Body)
}
