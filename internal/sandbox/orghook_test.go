package sandbox_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

const orgHooks = "/orgs/" + sandboxtest.Owner + "/hooks"

// An organization's webhooks are its owners' alone, and are told of all its
// repositories and of itself.
func TestWebhooksOfAnOrganization(t *testing.T) {
	w := newHooked(t)
	hook := fmt.Sprintf("%s/%d", orgHooks, w.boss.Get(orgHooks).Int("0.id"))
	for _, who := range []string{"writer", "reader", ""} {
		assert.Equal(t, http.StatusNotFound, w.As(who).Get(orgHooks).Status, who)
		assert.Equal(t, http.StatusNotFound, w.As(who).Get(hook).Status, who)
		assert.GreaterOrEqual(t, w.As(who).Do("DELETE", hook, nil).Status, http.StatusUnauthorized, who)
	}
	for what, c := range map[string]struct {
		at   string
		body object
	}{
		"the same address twice":            {orgHooks, object{"name": "web", "config": object{"url": w.to.URL + "/orgs/owner"}}},
		"an event that there is not":        {orgHooks, object{"name": "web", "events": []string{"teams"}, "config": object{"url": "http://a.example"}}},
		"an organization's in a repository": {path + "/hooks", object{"events": []string{"team"}, "config": object{"url": "http://a.example"}}},
	} {
		assert.Equal(t, http.StatusUnprocessableEntity, w.boss.Do("POST", c.at, c.body).Status, what)
	}
	w.rest(w.boss, "PATCH", hook, object{"events": []string{"team", "label"}, "config": object{"url": w.to.URL + "/orgs/owner", "content_type": "json", "secret": hookSecret}})
	w.Received(w.to)
	w.Change(func(s *model.State, _ *model.Repo) { s.AddTeam(s.User(sandboxtest.Owner), "More") })
	var got []sandboxtest.Received
	for _, r := range w.Received(w.to) {
		if r.Header.Get("X-GitHub-Hook-Installation-Target-Type") == "organization" {
			got = append(got, r)
		}
	}
	require.Equal(t, []string{"team.created"}, named(t, got))
	assert.NoError(t, github.ValidateSignature(got[0].Header.Get("X-Hub-Signature-256"), got[0].Body, []byte(hookSecret)))

	sent := w.boss.Get(hook + "/deliveries?per_page=1")
	require.Equal(t, "team", sent.Text("0.event"), sent.Body)
	w.rest(w.boss, "POST", fmt.Sprintf("%s/deliveries/%d/attempts", hook, sent.Int("0.id")), nil)
	again := w.Received(w.to)
	require.Len(t, again, 1)
	assert.Equal(t, got[0].Body, again[0].Body)
	assert.Equal(t, "json", w.boss.Get(hook+"/config").Text("content_type"))
	assert.Equal(t, "********", w.boss.Get(hook+"/config").Text("secret"), "secrets are not shown again")
	w.rest(w.boss, "DELETE", hook, nil)
	assert.Equal(t, http.StatusNotFound, w.boss.Get(hook).Status)
}

// What a request makes and deletes in several acts is told of act by act: what
// is there no more at its end too.
func TestWebhooksOfWhatOneRequestMakesAndDeletes(t *testing.T) {
	w := newHooked(t)
	w.rest(w.boss, "POST", path+"/issues", object{"title": "x"})
	w.Received(w.to)
	id := w.node(path + "/issues/1")
	w.graphql(`a: addComment(input: {subjectId: %q, body: "x"}) {clientMutationId} b: deleteIssue(input: {issueId: %q}) {clientMutationId}`, id, id)
	names := named(t, w.Received(w.to))
	assert.Subset(t, names, []string{"issue_comment.created", "issues.deleted"})
}

// What is refused is told to nobody.
func TestWebhooksOfWhatIsRefused(t *testing.T) {
	w := newHooked(t)
	w.Received(w.to)
	assert.Equal(t, http.StatusUnprocessableEntity, w.boss.Do("POST", path+"/labels", object{"name": "bug", "color": "nothing"}).Status)
	assert.Equal(t, http.StatusForbidden, w.reader.Do("POST", path+"/labels", object{"name": "bug", "color": "ffffff"}).Status)
	assert.Empty(t, w.Received(w.to))
}
