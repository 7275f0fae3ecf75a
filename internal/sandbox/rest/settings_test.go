package rest_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

func TestMakingRepositories(t *testing.T) {
	w := sandboxtest.New(t)
	var org *model.User
	w.Change(func(s *model.State, _ *model.Repo) {
		org = s.AddUser(model.NewUser{Login: "org", Type: model.TypeOrganization})
		s.SetMember(org, s.User("writer").ID, model.OrgMember)
	})
	writer := w.As("writer")
	made := writer.Do("POST", "/orgs/org/repos", `{"name":"new","private":true,"auto_init":true}`)
	assert.Equal(t, http.StatusCreated, made.Status)
	assert.Equal(t, "org/new", made.Text("full_name"))
	assert.Equal(t, "bug", writer.Get("/repos/org/new/labels").Text("0.name"))
	for body, message := range map[string]string{
		`{"name":"new"}`: "name already exists on this account", `{"name":"a b"}`: "name can only contain ASCII letters, digits, and the characters ., -, and _.",
	} {
		reply := writer.Do("POST", "/orgs/org/repos", body)
		assert.Equal(t, []any{http.StatusUnprocessableEntity, message}, []any{reply.Status, reply.Text("errors.0.message")})
	}
	assert.Equal(t, http.StatusForbidden, w.As("stranger").Do("POST", "/orgs/org/repos", `{"name":"x"}`).Status)
	assert.Equal(t, http.StatusNotFound, w.As("stranger").Get("/repos/org/new").Status)
}

func TestChangingRepositories(t *testing.T) {
	w := sandboxtest.New(t)
	owner := w.As("owner")
	assert.Equal(t, http.StatusForbidden, w.As("writer").Do("PATCH", base, `{"description":"x"}`).Status)
	assert.Equal(t, []string{"a", "b"}, names(owner.Do("PUT", base+"/topics", `{"names":["a","B","a"]}`)))
	assert.Equal(t, http.StatusUnprocessableEntity, owner.Do("PUT", base+"/topics", `{"names":["not a topic"]}`).Status)
	assert.Equal(t, http.StatusUnprocessableEntity, owner.Do("PATCH", base, `{"allow_merge_commit":false,"allow_squash_merge":false,"allow_rebase_merge":false}`).Status)
	assert.Equal(t, http.StatusUnprocessableEntity, owner.Do("PATCH", base, `{"default_branch":"none"}`).Status)

	assert.Equal(t, "renamed", owner.Do("PATCH", base, `{"name":"renamed"}`).Text("name"))
	assert.Equal(t, "renamed", owner.Get(base).Text("name"), "clients follow to where it is now")
	assert.Equal(t, http.StatusCreated, owner.Do("POST", "/user/repos", `{"name":"hello"}`).Status)
	assert.Equal(t, "hello", owner.Get(base).Text("name"), "the name is another one's now")

	assert.Equal(t, true, owner.Do("PATCH", base, `{"archived":true}`).At("archived"))
	assert.Equal(t, http.StatusForbidden, owner.Do("POST", base+"/issues", `{"title":"x"}`).Status)
	assert.Equal(t, false, owner.Do("PATCH", base, `{"archived":false}`).At("archived"))
}

func names(r sandboxtest.Reply) []string {
	var all []string
	list, _ := r.At("names").([]any)
	for _, name := range list {
		text, _ := name.(string)
		all = append(all, text)
	}
	return all
}

func TestDeletingARepositoryLeavesNothingOfIt(t *testing.T) {
	w := busy(t)
	w.AddToken("scoped", sandbox.Token{User: "owner", Scopes: []string{"repo"}})
	refused := w.With("scoped").Do("DELETE", base, nil)
	assert.Equal(t, http.StatusForbidden, refused.Status)
	assert.Equal(t, "delete_repo", refused.Header.Get("X-Accepted-OAuth-Scopes"))
	w.AddToken("scoped", sandbox.Token{User: "owner", Scopes: []string{"repo", "delete_repo"}})
	assert.Equal(t, http.StatusNoContent, w.With("scoped").Do("DELETE", base, nil).Status)
	assert.Equal(t, http.StatusNotFound, w.As("owner").Get(base).Status)
	w.Look(func(s *model.State) { assert.NoError(t, s.Validate()) })
}

func TestLocksAndTransfers(t *testing.T) {
	w := sandboxtest.New(t)
	owner := w.As("owner")
	owner.Do("POST", base+"/issues", `{"title":"x","labels":["bug"]}`)
	assert.Equal(t, http.StatusUnprocessableEntity, owner.Do("PUT", base+"/issues/1/lock", `{"lock_reason":"none"}`).Status)
	assert.Equal(t, http.StatusNoContent, owner.Do("PUT", base+"/issues/1/lock", `{"lock_reason":"too heated"}`).Status)
	assert.Equal(t, "too heated", owner.Get(base+"/issues/1").Text("active_lock_reason"))
	assert.Equal(t, http.StatusForbidden, w.As("reader").Do("POST", base+"/issues/1/comments", `{"body":"x"}`).Status)
	assert.Equal(t, http.StatusNoContent, owner.Do("DELETE", base+"/issues/1/lock", nil).Status)

	w.Change(func(s *model.State, repo *model.Repo) {
		other := s.AddRepo(model.NewRepo{Owner: repo.OwnerID, Name: "other"})
		require.NoError(t, s.Transfer(repo.OwnerID, s.Issue(repo, 1), other, false))
		require.NoError(t, s.Validate())
	})
	moved := owner.Get(base + "/issues/1")
	assert.Equal(t, "https://github.com/owner/other/issues/1", moved.Text("html_url"))
	assert.Empty(t, moved.At("labels"), "the other repository has no such label")
}

func TestSecretsAndVariables(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	assert.Equal(t, http.StatusForbidden, w.As("reader").Get(base+"/actions/secrets").Status)
	sealed := map[string]any{"encrypted_value": "c2VhbGVk", "key_id": writer.Get(base + "/actions/secrets/public-key").Text("key_id")}
	assert.Equal(t, http.StatusCreated, writer.Do("PUT", base+"/actions/secrets/key", sealed).Status)
	assert.Equal(t, http.StatusNoContent, writer.Do("PUT", base+"/actions/secrets/KEY", sealed).Status)
	listed := writer.Get(base + "/actions/secrets")
	assert.Equal(t, "KEY", listed.Text("secrets.0.name"))
	assert.NotContains(t, listed.Body, "c2VhbGVk")
	assert.Equal(t, http.StatusUnprocessableEntity, writer.Do("PUT", base+"/actions/secrets/GITHUB_X", `{"encrypted_value":"x"}`).Status)

	assert.Equal(t, http.StatusCreated, writer.Do("POST", base+"/actions/variables", `{"name":"a","value":"1"}`).Status)
	assert.Equal(t, http.StatusConflict, writer.Do("POST", base+"/actions/variables", `{"name":"A","value":"1"}`).Status)
	assert.Equal(t, http.StatusNoContent, writer.Do("PATCH", base+"/actions/variables/a", `{"value":"2"}`).Status)
	assert.Equal(t, "2", writer.Get(base+"/actions/variables/A").Text("value"))
}

// A secret is opened with the key of where it is put: each place has its own.
func TestSecretsThatAreSealedWithAnotherKey(t *testing.T) {
	w := acme(t)
	c := asOrgOwner(w)
	const home = "/repos/acme/home"
	require.Equal(t, http.StatusOK, c.Do("PUT", home+"/environments/live", nil).Status)
	places := []string{
		home + "/actions/secrets/", home + "/environments/live/secrets/", home + "/dependabot/secrets/", home + "/codespaces/secrets/",
		"/orgs/acme/actions/secrets/", "/orgs/acme/dependabot/secrets/",
	}
	put := func(place string, key string) sandboxtest.Reply {
		body := map[string]any{"encrypted_value": "c2VhbGVk", "key_id": key}
		if strings.HasPrefix(place, "/orgs/") {
			body["visibility"] = "all"
		}
		return c.Do("PUT", place+"NAME", body)
	}
	for _, place := range places {
		for _, other := range places {
			if reply := put(place, c.Get(other+"public-key").Text("key_id")); other != place {
				assert.Equal(t, []any{http.StatusUnprocessableEntity, "Bad request - validation failed due to an improperly encrypted secret"},
					[]any{reply.Status, reply.Text("message")}, "%s with the key of %s", place, other)
				continue
			}
			assert.Contains(t, []int{http.StatusCreated, http.StatusNoContent}, put(other, c.Get(other+"public-key").Text("key_id")).Status, place)
		}
		require.Equal(t, http.StatusNoContent, c.Do("DELETE", place+"NAME", nil).Status)
		put(place, "1")
		assert.Equal(t, http.StatusNotFound, c.Get(place+"NAME").Status, "what is refused is not kept")
	}
	refused := w.As("stranger").Do("PUT", home+"/actions/secrets/NAME", `{"encrypted_value":"c2VhbGVk","key_id":"1"}`)
	assert.Contains(t, []int{http.StatusForbidden, http.StatusNotFound}, refused.Status, "who may not is told that")
}

func TestKeys(t *testing.T) {
	w := sandboxtest.New(t)
	owner := w.As("owner")
	const key = `{"title":"k","key":"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA me","read_only":true}`
	assert.Equal(t, http.StatusNotFound, w.As("writer").Get(base+"/keys").Status)
	added := owner.Do("POST", base+"/keys", key)
	assert.Equal(t, http.StatusCreated, added.Status)
	assert.Equal(t, "key is already in use", owner.Do("POST", base+"/keys", key).Text("errors.0.message"))
	assert.Equal(t, http.StatusNoContent, owner.Do("DELETE", base+"/keys/"+itoa(int64(added.Int("id"))), nil).Status)
	assert.Equal(t, http.StatusNotFound, owner.Do("POST", "/user/keys", key).Status, "the token lacks the scope")
}

func TestGists(t *testing.T) {
	w := sandboxtest.New(t)
	w.AddToken("gists", sandbox.Token{User: "owner", Scopes: []string{"gist"}})
	owner, stranger := w.With("gists"), w.As("stranger")
	made := owner.Do("POST", "/gists", `{"description":"d","public":false,"files":{"a.txt":{"content":"one"}}}`)
	assert.Equal(t, http.StatusCreated, made.Status)
	path := "/gists/" + made.Text("id")
	assert.Contains(t, stranger.Get(path).Body, `"content":"one"`, "whoever knows the address may read it")
	assert.Nil(t, stranger.Get("/users/owner/gists").At("0"))
	assert.Equal(t, http.StatusNotFound, stranger.Do("PATCH", path, `{"description":"x"}`).Status)
	changed := owner.Do("PATCH", path, `{"files":{"a.txt":null,"b.md":{"content":"two"}}}`)
	assert.Contains(t, changed.Body, `"b.md"`)
	assert.NotContains(t, changed.Body, `"a.txt"`)
	assert.Equal(t, http.StatusUnprocessableEntity, owner.Do("PATCH", path, `{"files":{"b.md":null}}`).Status)
	renamed := owner.Do("PATCH", path, `{"files":{"b.md":{"filename":"c.md"}}}`)
	assert.Contains(t, renamed.Body, `"content":"two"`)
	assert.NotContains(t, renamed.Body, `"b.md"`)
	for _, said := range []string{`{"files":{"c.md":{"content":""}}}`, `{"files":{"none.md":{"content":""}}}`, `{"files":{"none.md":{"filename":"d.md"}}}`} {
		assert.Equal(t, http.StatusUnprocessableEntity, owner.Do("PATCH", path, said).Status, said)
	}
	// So gh renames.
	renamed = owner.Do("POST", path, `{"description":"","files":{"c.md":{"content":""},"e.md":{"filename":"e.md","content":"two"}}}`)
	assert.Contains(t, renamed.Body, `"e.md"`)
	assert.NotContains(t, renamed.Body, `"c.md"`)
	assert.Equal(t, http.StatusOK, owner.Do("PATCH", path, `{"files":{"e.md":{"filename":"c.md"},"d.md":{"content":"x"}}}`).Status)
	both := owner.Do("PATCH", path, `{"files":{"c.md":{"filename":"d.md"},"d.md":{"filename":"c.md","content":"three"}}}`)
	assert.Contains(t, both.Body, `"content":"two"`)
	assert.Contains(t, both.Body, `"content":"three"`)
	assert.Equal(t, http.StatusNoContent, owner.Do("DELETE", path, nil).Status)
}

// Settings of a new repository are told as they were asked for, also if it begins with
// a commit.
func TestNewRepositoriesAreToldWithTheirSettings(t *testing.T) {
	w := sandboxtest.New(t)
	for name, begun := range map[string]bool{"empty": false, "begun": true} {
		made := w.As("owner").Do("POST", "/user/repos", map[string]any{"name": name, "has_wiki": false, "auto_init": begun})
		assert.Equal(t, http.StatusCreated, made.Status, made.Body)
		assert.True(t, slices.ContainsFunc(w.Changes(), func(c changes.Event) bool {
			return c.Name == "owner/"+name && slices.Contains(c.Fields, changes.Field{Name: "has_wiki", After: false})
		}), name)
	}
}

func TestWhatTheREADMEOfANewRepositorySays(t *testing.T) {
	owner := sandboxtest.New(t).As("owner")
	for body, want := range map[string]string{
		`{"name": "new", "auto_init": true, "description": "What for"}`: "# new\nWhat for\n",
		`{"name": "plain", "auto_init": true}`:                          "# plain",
	} {
		name := owner.Do("POST", "/user/repos", body).Text("full_name")
		assert.Equal(t, want, owner.Get("/repos/"+name+"/readme", "Accept", "application/vnd.github.raw").Body)
	}
	assert.Equal(t, http.StatusCreated, owner.Do("POST", "/user/repos", `{"name": "empty"}`).Status)
	assert.Equal(t, http.StatusNotFound, owner.Get("/repos/owner/empty/license").Status)
}

func TestOwnIssuesAreThoseOfRepositoriesOneBelongsTo(t *testing.T) {
	w := sandboxtest.New(t)
	assert.Equal(t, http.StatusCreated, w.As("writer").Do("POST", base+"/issues", `{"title": "x"}`).Status)
	assert.Equal(t, http.StatusCreated, w.As("stranger").Do("POST", base+"/issues", `{"title": "y"}`).Status)
	assert.Equal(t, "x", w.As("writer").Get("/user/issues?filter=created").Text("0.title"), "he is a collaborator")
	assert.Equal(t, "[]", w.As("stranger").Get("/user/issues?filter=created").Body)
	assert.Equal(t, "y", w.As("stranger").Get("/issues?filter=created").Text("0.title"))
}
