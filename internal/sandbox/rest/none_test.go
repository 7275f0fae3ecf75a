package rest_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// What a world has none of is answered as where GitHub has none.
func TestWhatNoWorldHas(t *testing.T) {
	w := sandboxtest.New(t)
	for _, c := range []struct {
		login, method, path string
		status              int
		want                string
	}{
		{"reader", "GET", "/notifications", 200, "[]"},
		{"reader", "GET", base + "/notifications", 200, "[]"},
		{"reader", "PUT", "/notifications", 205, ""},
		{"reader", "PUT", base + "/notifications", 205, ""},
		{"reader", "GET", "/notifications/threads/1", 404, ""},
		{"reader", "PATCH", "/notifications/threads/1", 404, ""},
		{"reader", "PUT", "/notifications/threads/1/subscription", 404, ""},
		{"", "GET", "/notifications", 401, ""},
		{"", "PUT", "/notifications", 401, ""},
		{"reader", "GET", base + "/rulesets", 200, "[]"},
		{"reader", "GET", base + "/rulesets/1", 404, ""},
		{"reader", "GET", base + "/security-advisories", 200, "[]"},
		{"owner", "GET", base + "/code-scanning/alerts", 404, "no analysis found"},
		{"owner", "GET", base + "/code-scanning/alerts/1", 404, "no analysis found"},
		{"owner", "GET", base + "/secret-scanning/alerts", 404, "Secret scanning is disabled on this repository."},
		{"owner", "GET", base + "/dependabot/alerts", 403, "Dependabot alerts are disabled for this repository."},
		{"owner", "GET", base + "/actions/runners", 200, `"total_count":0`},
		{"owner", "GET", base + "/actions/organization-secrets", 200, `{"secrets":[],"total_count":0}`},
		{"owner", "GET", base + "/dependabot/secrets", 200, `"secrets":[]`},
		{"owner", "GET", base + "/interaction-limits", 200, "{}"},
		{"reader", "GET", base + "/interaction-limits", 403, "Must have admin rights"},
		{"", "GET", "/rate_limit", 200, `"core":{"limit":60,`},
		{"reader", "GET", "/rate_limit", 200, `"core":{"limit":5000,`},
		{"owner", "GET", base + "/traffic/views", 200, `{"count":0,"uniques":0,"views":[]}`},
		{"owner", "GET", base + "/traffic/popular/paths", 200, "[]"},
		{"reader", "GET", base + "/traffic/views", 403, "Must have push access to repository"},
		{"reader", "GET", base + "/traffic/popular/paths", 403, "Must have push access to repository"},
		{"reader", "GET", base + "/properties/values", 200, "[]"},
		{"reader", "GET", base + "/actions/cache/usage", 200, `"active_caches_count":0`},
		{"reader", "GET", base + "/actions/oidc/customization/sub", 200, `{"use_default":true}`},
		{"reader", "GET", base + "/actions/workflows/none/timing", 404, ""},
		{"reader", "GET", "/user/blocks", 200, "[]"},
		{"reader", "GET", "/user/codespaces", 200, `"codespaces":[]`},
		{"", "GET", "/user/blocks", 401, ""},
		{"reader", "GET", "/orgs/owner/rulesets", 404, ""},
		{"owner", "GET", base + "/pages", 404, "Not Found"},
		{"owner", "DELETE", base + "/pages", 404, "Not Found"},
		{"owner", "POST", base + "/pages/builds", 404, "Not Found"},
		{"owner", "POST", base + "/pages", 501, "does not have POST"},
		{"reader", "GET", base + "/code-scanning/alerts", 403, "Must have admin rights to Repository."},
	} {
		reply := w.As(c.login).Do(c.method, c.path, nil)
		assert.Equal(t, c.status, reply.Status, "%s %s", c.method, c.path)
		assert.Contains(t, reply.Body, c.want, "%s %s", c.method, c.path)
	}
}

func TestWatching(t *testing.T) {
	w := sandboxtest.New(t)
	reader := w.As("reader")
	const subscription = base + "/subscription"
	state := func() string {
		return reader.GraphQL(`{ repository(owner: "owner", name: "hello") { viewerSubscription } }`).Text("data.repository.viewerSubscription")
	}
	assert.Equal(t, 404, reader.Get(subscription).Status)
	assert.Equal(t, 401, w.As("").Get(subscription).Status)
	assert.Equal(t, "UNSUBSCRIBED", state())

	watched := reader.Do("PUT", subscription, map[string]any{"subscribed": true})
	assert.Equal(t, []any{200, true, false}, []any{watched.Status, watched.At("subscribed"), watched.At("ignored")})
	assert.Equal(t, "SUBSCRIBED", state())
	assert.Equal(t, watched.Body, reader.Get(subscription).Body)
	assert.Equal(t, watched.Body, reader.Do("PUT", subscription, map[string]any{"subscribed": true}).Body, "since the first time")
	assert.Equal(t, 1, reader.Get(base).Int("subscribers_count"))

	ignored := reader.Do("PUT", subscription, map[string]any{"ignored": true})
	assert.Equal(t, []any{false, true}, []any{ignored.At("subscribed"), ignored.At("ignored")})
	assert.Equal(t, "IGNORED", state())
	assert.Zero(t, reader.Get(base).Int("subscribers_count"))
	w.Look(func(s *model.State) {
		assert.Equal(t, []model.ID{s.User("reader").ID}, s.Repo("owner", "hello").Ignorers)
	})

	assert.Equal(t, 204, reader.Do("DELETE", subscription, nil).Status)
	assert.Equal(t, 404, reader.Get(subscription).Status)
	assert.Equal(t, "UNSUBSCRIBED", state())
}

func TestTokensForRunners(t *testing.T) {
	w := sandboxtest.New(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		s.SetMember(s.AddUser(model.NewUser{Login: "acme", Type: model.TypeOrganization}), repo.OwnerID, model.OrgOwner)
	})
	owner, before := withAll(w, "owner"), len(w.Changes())
	for _, at := range []string{base, "/orgs/acme"} {
		at += "/actions/runners"
		registers, removes := owner.Do("POST", at+"/registration-token", nil), owner.Do("POST", at+"/remove-token", nil)
		for _, made := range []sandboxtest.Reply{registers, removes} {
			require.Equal(t, http.StatusCreated, made.Status, made.Body)
			assert.Regexp(t, "^A[A-Z2-7]{28}$", made.Text("token"))
			expires, err := time.Parse(time.RFC3339, made.Text("expires_at"))
			require.NoError(t, err)
			w.Look(func(s *model.State) { assert.WithinDuration(t, s.Now.Add(time.Hour), expires, time.Minute) })
		}
		assert.NotEqual(t, registers.Text("token"), removes.Text("token"))
		for _, who := range []string{"writer", "stranger"} {
			assert.NotEqual(t, http.StatusCreated, w.As(who).Do("POST", at+"/registration-token", nil).Status, who)
		}
		assert.Equal(t, http.StatusNotFound, owner.Get(at+"/1").Status)
		assert.Equal(t, http.StatusNotFound, owner.Do("DELETE", at+"/1", nil).Status)
		assert.Equal(t, 0, owner.Get(at).Int("total_count"))
	}
	assert.Len(t, w.Changes(), before, "a token changes nothing")
}
