package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

func TestAutolinks(t *testing.T) {
	w := sandboxtest.New(t)
	owner := w.As("owner")
	link := map[string]any{"key_prefix": "TICKET-", "url_template": "https://example.com/T?q=<num>"}
	made := owner.Do("POST", base+"/autolinks", link)
	require.Equal(t, http.StatusCreated, made.Status, made.Body)
	assert.Equal(t, []any{"TICKET-", true}, []any{made.At("key_prefix"), made.At("is_alphanumeric")})
	at := base + "/autolinks/" + itoa(int64(made.Int("id")))
	assert.Equal(t, "already_exists", owner.Do("POST", base+"/autolinks", link).Text("errors.0.code"))
	assert.Equal(t, http.StatusUnprocessableEntity, owner.Do("POST", base+"/autolinks", map[string]any{"key_prefix": "X-", "url_template": "https://example.com"}).Status)
	assert.Equal(t, made.At("id"), owner.Get(base+"/autolinks").At("0.id"))
	assert.Equal(t, "https://example.com/T?q=<num>", owner.Get(at).Text("url_template"))
	assert.Equal(t, http.StatusNotFound, w.As("writer").Get(base+"/autolinks").Status, "for administrators alone")
	assert.Equal(t, http.StatusForbidden, w.As("writer").Do("DELETE", at, nil).Status)
	assert.Equal(t, http.StatusNoContent, owner.Do("DELETE", at, nil).Status)
	assert.Equal(t, http.StatusNotFound, owner.Get(at).Status)
}

func TestSettingsAboutVulnerabilities(t *testing.T) {
	w := sandboxtest.New(t)
	owner := w.As("owner")
	assert.Equal(t, http.StatusNotFound, owner.Get(base+"/vulnerability-alerts").Status)
	assert.Equal(t, http.StatusNotFound, owner.Get(base+"/automated-security-fixes").Status)
	for _, name := range []string{"vulnerability-alerts", "automated-security-fixes", "private-vulnerability-reporting"} {
		assert.Equal(t, http.StatusForbidden, w.As("writer").Do("PUT", base+"/"+name, nil).Status, name)
		assert.Equal(t, http.StatusNoContent, owner.Do("PUT", base+"/"+name, nil).Status, name)
	}
	assert.Equal(t, http.StatusNoContent, owner.Get(base+"/vulnerability-alerts").Status)
	assert.Equal(t, "[]", owner.Get(base+"/dependabot/alerts").Body)
	assert.Equal(t, http.StatusNotFound, owner.Get(base+"/dependabot/alerts/1").Status)
	assert.Equal(t, true, owner.Get(base+"/automated-security-fixes").At("enabled"))
	assert.Equal(t, true, owner.Get(base+"/private-vulnerability-reporting").At("enabled"))
	assert.Equal(t, http.StatusNoContent, owner.Do("DELETE", base+"/automated-security-fixes", nil).Status)
	assert.Equal(t, false, owner.Get(base+"/automated-security-fixes").At("enabled"))
	assert.Equal(t, http.StatusNoContent, owner.Do("DELETE", base+"/vulnerability-alerts", nil).Status)
	assert.Equal(t, http.StatusNotFound, owner.Get(base+"/vulnerability-alerts").Status)
}

func TestReactionsToReleases(t *testing.T) {
	w := sandboxtest.New(t)
	do := ask(t, w)
	id := do("owner", "POST", base+"/releases", map[string]any{"tag_name": "v1"}).Int("id")
	at := base + "/releases/" + itoa(int64(id))
	assert.Nil(t, do("reader", "GET", at, nil).At("reactions"))
	assert.Equal(t, http.StatusCreated, do("reader", "POST", at+"/reactions", map[string]any{"content": "rocket"}).Status)
	again := do("reader", "POST", at+"/reactions", map[string]any{"content": "rocket"})
	assert.Equal(t, http.StatusOK, again.Status)
	assert.Equal(t, http.StatusUnprocessableEntity, w.As("reader").Do("POST", at+"/reactions", map[string]any{"content": "confused"}).Status, "releases have fewer")
	assert.Equal(t, "rocket", do("", "GET", at+"/reactions", nil).Text("0.content"))
	assert.Equal(t, 1, do("", "GET", at, nil).Int("reactions.rocket"))
	do("reader", "DELETE", at+"/reactions/"+itoa(int64(again.Int("id"))), nil)
	assert.Equal(t, "[]", do("", "GET", at+"/reactions", nil).Body)
}

// Assignees are given by logins or by objects; whether somebody can be assigned
// is asked of an issue too.
func TestAssigneesInOtherForms(t *testing.T) {
	w := sandboxtest.New(t)
	do := ask(t, w)
	do("owner", "POST", base+"/issues", map[string]any{"title": "one"})
	added := do("owner", "POST", base+"/issues/1/assignees", map[string]any{"assignees": []any{map[string]any{"login": "writer", "rationale": "knows it"}, "triager"}})
	assert.Equal(t, []any{"writer", "triager"}, []any{added.At("assignees.0.login"), added.At("assignees.1.login")})
	set := do("owner", "PATCH", base+"/issues/1", map[string]any{"assignees": []any{map[string]any{"login": "owner"}}})
	assert.Equal(t, []any{"owner", nil}, []any{set.At("assignees.0.login"), set.At("assignees.1")})
	suggested := w.As("owner").Do("PATCH", base+"/issues/1", map[string]any{"assignees": []any{map[string]any{"login": "writer", "suggest": true}}})
	assert.Equal(t, http.StatusNotImplemented, suggested.Status, suggested.Body)
	assert.Equal(t, "owner", do("owner", "GET", base+"/issues/1", nil).Text("assignee.login"))
	for login, status := range map[string]int{"writer": http.StatusNoContent, "stranger": http.StatusNotFound} {
		assert.Equal(t, status, w.As("owner").Get(base+"/issues/1/assignees/"+login).Status, login)
	}
	assert.Equal(t, http.StatusNotFound, w.As("owner").Get(base+"/issues/1/other/writer").Status)
}
