package rest_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// withAll is a client of a user whose token has every scope.
func withAll(w *sandboxtest.World, login string) *sandboxtest.Client {
	w.AddToken("all of "+login, sandbox.Token{User: login})
	return w.With("all of " + login)
}

func TestWhatUsersTellOfThemselves(t *testing.T) {
	w := sandboxtest.New(t)
	reader := withAll(w, "reader")
	reply := reader.Do("PATCH", "/user", map[string]any{"name": "R", "bio": "b", "company": "c", "location": "l", "blog": "https://example.com", "hireable": true, "twitter_username": "r", "email": "r@example.com"})
	require.Equal(t, http.StatusOK, reply.Status, reply.Body)
	shown := w.As("").Get("/users/reader")
	for field, want := range map[string]any{"name": "R", "bio": "b", "company": "c", "location": "l", "blog": "https://example.com", "hireable": true, "twitter_username": "r", "email": "r@example.com"} {
		assert.Equal(t, want, reply.At(field), field)
		assert.Equal(t, want, shown.At(field), field)
	}
	assert.Nil(t, reader.Do("PATCH", "/user", map[string]any{"twitter_username": nil}).At("twitter_username"))
	assert.Equal(t, "b", w.As("").Get("/users/reader").At("bio"), "what is not said stays")
	assert.Equal(t, http.StatusNotFound, w.As("reader").Do("PATCH", "/user", map[string]any{"name": "x"}).Status, "the token lacks the scope")
	assert.Equal(t, http.StatusUnauthorized, w.As("").Do("PATCH", "/user", map[string]any{"name": "x"}).Status)
}

func TestWhoFollowsWhom(t *testing.T) {
	w := sandboxtest.New(t)
	reader, writer := withAll(w, "reader"), withAll(w, "writer")
	assert.Equal(t, http.StatusNoContent, reader.Do("PUT", "/user/following/owner", nil).Status)
	assert.Equal(t, http.StatusNoContent, reader.Do("PUT", "/user/following/owner", nil).Status, "twice is once")
	assert.Equal(t, http.StatusNoContent, writer.Do("PUT", "/user/following/owner", nil).Status)
	assert.Equal(t, http.StatusNotFound, reader.Do("PUT", "/user/following/nobody", nil).Status)
	assert.Equal(t, http.StatusUnprocessableEntity, reader.Do("PUT", "/user/following/reader", nil).Status)
	assert.Equal(t, http.StatusNotFound, w.As("reader").Do("PUT", "/user/following/writer", nil).Status, "the token lacks the scope")
	list := w.As("").Get("/users/owner/followers")
	assert.Equal(t, []any{"writer", "reader", nil}, []any{list.At("0.login"), list.At("1.login"), list.At("2")})
	assert.Equal(t, "owner", reader.Get("/user/following").Text("0.login"))
	assert.Equal(t, "owner", w.As("").Get("/users/reader/following").Text("0.login"))
	assert.Equal(t, "writer", w.As("owner").Get("/user/followers").Text("0.login"))
	for path, status := range map[string]int{"/user/following/owner": 204, "/user/following/writer": 404, "/users/writer/following/owner": 204, "/users/owner/following/writer": 404} {
		assert.Equal(t, status, reader.Get(path).Status, path)
	}
	counts := w.As("").Get("/users/owner")
	assert.Equal(t, []int{2, 0}, []int{counts.Int("followers"), counts.Int("following")})
	assert.Equal(t, http.StatusNoContent, reader.Do("DELETE", "/user/following/owner", nil).Status)
	assert.Equal(t, 1, w.As("").Get("/users/owner").Int("followers"))
	assert.Equal(t, http.StatusUnauthorized, w.As("").Get("/user/following").Status)
}

// Gists have comments, stars, forks and revisions.
func TestWhatBelongsToGists(t *testing.T) {
	w := sandboxtest.New(t)
	reader, writer := withAll(w, "reader"), withAll(w, "writer")
	made := reader.Do("POST", "/gists", map[string]any{"public": true, "files": map[string]any{"a.txt": map[string]any{"content": "one\ntwo\n"}}})
	require.Equal(t, http.StatusCreated, made.Status, made.Body)
	gist := "/gists/" + made.Text("id")
	require.Equal(t, http.StatusOK, reader.Do("PATCH", gist, map[string]any{"files": map[string]any{"a.txt": map[string]any{"content": "one\nthree\nfour\n"}}}).Status)
	require.Equal(t, http.StatusOK, reader.Do("PATCH", gist, map[string]any{"description": "d"}).Status)
	history := writer.Get(gist + "/commits")
	assert.Equal(t, []any{3.0, 2.0, 1.0, 2.0, nil}, []any{
		history.At("0.change_status.total"), history.At("0.change_status.additions"), history.At("0.change_status.deletions"), history.At("1.change_status.total"), history.At("2"),
	})
	old := writer.Get(gist + "/" + history.Text("1.version"))
	assert.Equal(t, "one\ntwo\n", old.At("files").(map[string]any)["a.txt"].(map[string]any)["content"])
	assert.Equal(t, http.StatusNotFound, writer.Get(gist+"/0123").Status)

	said := writer.Do("POST", gist+"/comments", map[string]any{"body": "nice"})
	require.Equal(t, http.StatusCreated, said.Status, said.Body)
	at := gist + "/comments/" + itoa(int64(said.Int("id")))
	assert.Equal(t, []any{"nice", "NONE"}, []any{reader.Get(at).At("body"), reader.Get(at).At("author_association")})
	assert.Equal(t, http.StatusNotFound, reader.Do("PATCH", at, map[string]any{"body": "x"}).Status, "another's")
	assert.Equal(t, "x", writer.Do("PATCH", at, map[string]any{"body": "x"}).At("body"))
	assert.Equal(t, 1, reader.Get(gist).Int("comments"))
	assert.Equal(t, http.StatusNoContent, reader.Do("DELETE", at, nil).Status, "on one's own gist")
	assert.Equal(t, http.StatusNotFound, reader.Get(at).Status)
	assert.Equal(t, http.StatusUnprocessableEntity, writer.Do("POST", gist+"/comments", map[string]any{"body": " "}).Status)

	assert.Equal(t, http.StatusNotFound, writer.Get(gist+"/star").Status)
	assert.Equal(t, http.StatusNoContent, writer.Do("PUT", gist+"/star", nil).Status)
	assert.Equal(t, http.StatusNoContent, writer.Get(gist+"/star").Status)
	assert.Equal(t, []any{made.At("id"), nil}, []any{writer.Get("/gists/starred").At("0.id"), reader.Get("/gists/starred").At("0")})
	assert.Equal(t, http.StatusNoContent, writer.Do("DELETE", gist+"/star", nil).Status)
	assert.Equal(t, "[]", writer.Get("/gists/starred").Body)

	fork := writer.Do("POST", gist+"/forks", nil)
	require.Equal(t, http.StatusCreated, fork.Status, fork.Body)
	assert.Equal(t, fork.At("id"), writer.Do("POST", gist+"/forks", nil).At("id"), "there is one")
	assert.Equal(t, http.StatusUnprocessableEntity, reader.Do("POST", gist+"/forks", nil).Status, "one's own")
	assert.Equal(t, fork.At("id"), reader.Get(gist+"/forks").At("0.id"))
	assert.Equal(t, made.At("id"), writer.Get("/gists/"+fork.Text("id")).At("fork_of.id"))
	assert.Equal(t, fork.At("id"), reader.Get(gist).At("forks.0.id"))
	assert.Equal(t, fork.At("id"), w.As("").Get("/gists/public").At("0.id"))
	assert.Equal(t, http.StatusNoContent, reader.Do("DELETE", gist, nil).Status)
	assert.Nil(t, writer.Get("/gists/"+fork.Text("id")).At("fork_of"))
}

// What an account pays is shown to whoever it is, with the scope for it.
func TestPlans(t *testing.T) {
	w := acme(t)
	for token, scopes := range map[string][]string{"with": {"repo", "user", "admin:org"}, "without": {"read:org", "repo"}} {
		w.AddToken(token, sandbox.Token{User: "owner", Scopes: scopes})
	}
	with, without := w.With("with"), w.With("without")
	assert.Equal(t, map[string]any{"name": "free", "space": 976562499.0, "private_repos": 10000.0, "collaborators": 0.0}, with.Get("/user").At("plan"))
	assert.Equal(t, "free", with.Get("/orgs/acme").At("plan.name"))
	assert.Equal(t, with.Get("/orgs/acme/members").Text("1.login") != "", with.Get("/orgs/acme").Int("plan.filled_seats") > 1)
	for _, path := range []string{"/user", "/orgs/acme"} {
		assert.Nil(t, without.Get(path).At("plan"), path)
	}
	assert.Nil(t, withAll(w, "reader").Get("/orgs/acme").At("plan"), "he does not own it")
	assert.Nil(t, with.Get("/users/owner").At("plan"))
}

// logins are those of a list of accounts.
func logins(t *testing.T, list sandboxtest.Reply) []string {
	t.Helper()
	var rows []struct{ Login string }
	require.NoError(t, json.Unmarshal([]byte(list.Body), &rows), list.Body)
	var all []string
	for _, row := range rows {
		all = append(all, row.Login)
	}
	return all
}

// Lists of accounts have no numbered pages: each links to what follows its last row.
func TestListsOfAllThereIs(t *testing.T) {
	w := sandboxtest.New(t)
	reader, at, seen := w.As("reader"), "/users?per_page=2", []string{}
	for {
		page := reader.Get(at)
		require.Equal(t, http.StatusOK, page.Status)
		seen = append(seen, logins(t, page)...)
		link := page.Header.Get("Link")
		assert.NotContains(t, link, "last")
		next, _, _ := strings.Cut(strings.TrimPrefix(link, "<"), ">")
		address, err := url.Parse(next)
		require.NoError(t, err)
		at = address.RequestURI()
		if next == "" {
			break
		}
		assert.LessOrEqual(t, strings.Count(at, "since="), 1)
	}
	all := reader.Get("/users")
	assert.Equal(t, logins(t, all), seen)
	assert.Empty(t, all.Header.Get("Link"))
	assert.Subset(t, seen, []string{"owner", "writer", "reader"})
}
