package rest_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/githubschema"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// TestS20_WhatTheSandboxLacks holds that an operation that GitHub has is not
// "not found" for lack of it here, and that what GitHub lacks is.
func TestS20_WhatTheSandboxLacks(t *testing.T) {
	w := sandboxtest.New(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		s.AddRepo(model.NewRepo{Owner: repo.OwnerID, Name: "secret", Private: true})
	})
	byID := strings.Replace(base, "/repos/owner/hello", "/repositories/"+itoa(int64(w.As("writer").Get(base).Int("id"))), 1)
	const bill = "GET /repos/{owner}/{repo}/dependency-graph/sbom"
	for _, c := range []struct {
		name, login, method, path string
		status                    int
		lacking                   string
	}{
		{"a read", "reader", "GET", base + "/dependency-graph/sbom", 501, bill},
		{"with a query", "reader", "GET", base + "/dependency-graph/sbom?page=2", 501, bill},
		{"by anybody", "", "GET", base + "/dependency-graph/sbom", 501, bill},
		{"a HEAD is as its GET", "reader", "HEAD", base + "/dependency-graph/sbom", 501, bill},
		{"an OPTIONS is as its GET", "reader", "OPTIONS", base + "/dependency-graph/sbom", 501, bill},
		{"an OPTIONS of what there is", "reader", "OPTIONS", base, 404, ""},
		{"a repository by its id", "reader", "GET", byID + "/dependency-graph/sbom", 501, bill},
		{"at an enterprise server's path", "reader", "GET", "/api/v3" + base + "/dependency-graph/sbom", 501, bill},
		{"a write", "writer", "POST", base + "/pages", 501, "POST /repos/{owner}/{repo}/pages"},
		{"a write by nobody", "", "POST", base + "/pages", 401, ""},
		{"an operation whose path one of ours takes", "writer", "GET", base + "/rulesets/rule-suites", 501, "GET /repos/{owner}/{repo}/rulesets/rule-suites"},
		{"another method of a path that there is", "writer", "PATCH", base + "/issues/comments/1/pin", 404, ""},
		{"of a repository that is not there", "reader", "GET", "/repos/owner/none/pages", 404, ""},
		{"of a repository that one must not see", "reader", "GET", "/repos/owner/secret/pages", 404, ""},
		{"of a repository without such an id", "reader", "GET", "/repositories/9/pages", 404, ""},
		{"of no organization", "reader", "GET", "/orgs/none/settings/billing/usage", 404, ""},
		{"of an organization that is a user", "reader", "GET", "/orgs/owner/hooks", 404, ""},
		{"of nobody", "reader", "GET", "/users/none/docker/conflicts", 404, ""},
		{"of somebody", "reader", "GET", "/users/owner/docker/conflicts", 501, "GET /users/{username}/docker/conflicts"},
		{"of no repository", "reader", "GET", "/marketplace_listing/plans", 501, "GET /marketplace_listing/plans"},
		{"for Apps as such", "reader", "GET", "/app/hook/config", 401, ""},
		{"what GitHub lacks", "reader", "GET", base + "/pagez", 404, ""},
		{"a method that GitHub lacks", "reader", "DELETE", base + "/issues/1", 404, ""},
		{"what is not there of what there is", "reader", "GET", base + "/issues/99", 404, ""},
		{"what is not there of what a wider pattern serves", "reader", "GET", base + "/issues/comments/99", 404, ""},
		{"what is wrong with what there is", "reader", "GET", base + "/commits/none/status", 422, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := w.As(c.login)
			before := len(w.Audit())
			reply := client.Do(c.method, c.path, nil)
			assert.Equal(t, c.status, reply.Status, reply.Body)
			entry := w.Audit()[before]
			if c.lacking == "" {
				assert.Nil(t, entry.Unsupported)
				return
			}
			assert.Equal(t, []string{c.lacking}, entry.Unsupported)
			assert.False(t, entry.Write)
			if c.method != "HEAD" {
				assert.Equal(t, "This sandbox does not have "+c.lacking+" yet; GitHub does.", reply.Text("message"))
				assert.Contains(t, reply.Text("documentation_url"), "https://docs.github.com/rest/")
				assert.Equal(t, "501", reply.Text("status"))
			}
		})
	}
	assert.Equal(t, 401, w.With("no-token").Get(base+"/dependency-graph/sbom").Status, "a credential that is no good goes before")
	assert.Contains(t, w.Unsupported(sandboxtest.Token("reader")), bill)
	assert.Equal(t, []string{"POST /repos/{owner}/{repo}/pages"}, w.Unsupported(sandboxtest.Token("writer"))[:1])
	assert.Empty(t, w.Unsupported("no-token"))
}

// Every operation that GitHub has published is answered by the sandbox or by
// 501, never by a "not found" that is ours.
func TestS20_EveryPublishedOperation(t *testing.T) {
	w := sandboxtest.New(t)
	w.AddToken("token", sandbox.Token{User: "owner"})
	client := w.With("token")
	variable := regexp.MustCompile(`\{[^}]*\}`)
	served := map[string]bool{}
	for _, pattern := range append(rest.Patterns(), rest.InsideOthers()...) {
		served[variable.ReplaceAllString(strings.TrimSuffix(pattern, "{$}"), "{}")] = true
	}
	lacking := 0
	for _, op := range githubschema.Operations() {
		path := strings.NewReplacer("{owner}", "owner", "{repo}", "hello", "{username}", "owner", "{", "", "}", "").Replace(op.Path)
		isServed := served[variable.ReplaceAllString(op.String(), "{}")]
		if isServed || strings.HasPrefix(path, "/orgs/") || strings.HasPrefix(path, "/app/") ||
			strings.Contains(path, "...") || strings.HasPrefix(path, "/app-manifests/") {
			// No organization and App asks, the path with dots is an older name of
			// another, and manifests are served by the world itself.
			continue
		}
		reply := client.Do(op.Method, path, nil)
		if assert.Equal(t, http.StatusNotImplemented, reply.Status, "%s %s: %s", op.Method, path, reply.Body) {
			lacking++
		}
	}
	assert.Greater(t, lacking, 250)
	assert.Len(t, w.Unsupported("token"), lacking)
}

// What is said to be served by a wider pattern is one of GitHub's operations,
// and is not answered by 501.
func TestOperationsInsideOthers(t *testing.T) {
	w := sandboxtest.New(t)
	for _, name := range rest.InsideOthers() {
		method, path, _ := strings.Cut(name, " ")
		op, known := githubschema.Find(method, path)
		require.True(t, known, name)
		assert.Equal(t, name, op.String())
		path = strings.NewReplacer("{owner}", "owner", "{repo}", "hello", "{ref}", "main", "{commit_sha}", "main", "{archive_format}", "zip", "{", "", "}", "").Replace(path)
		assert.NotEqual(t, http.StatusNotImplemented, w.As("owner").Do(method, path, nil).Status, name)
	}
}
