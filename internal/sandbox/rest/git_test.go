package rest_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

func TestContentsWithGoGitHub(t *testing.T) {
	w := sandboxtest.New(t, gitstore.Change{Path: "src/a b.go", Content: []byte("package a\n")})
	ctx, repos := t.Context(), w.As("writer").REST.Repositories
	file, _, _, err := repos.GetContents(ctx, "owner", "hello", "src/a b.go", nil)
	require.NoError(t, err)
	content, err := file.GetContent()
	require.NoError(t, err)
	assert.Equal(t, "package a\n", content)
	assert.Equal(t, "https://api.github.com/repos/owner/hello/contents/src/a%20b.go?ref=main", file.GetURL())
	_, folder, _, err := repos.GetContents(ctx, "owner", "hello", "", nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"README.md", "file", "src", "dir"}, []string{folder[0].GetName(), folder[0].GetType(), folder[1].GetName(), folder[1].GetType()})
	_, folder, _, err = repos.GetContents(ctx, "owner", "hello", "src", nil)
	require.NoError(t, err)
	assert.Equal(t, "src/a b.go", folder[0].GetPath())

	made, response, err := repos.CreateFile(ctx, "owner", "hello", "new.txt", &github.RepositoryContentFileOptions{
		Message: github.String("m"), Content: []byte("one"), Committer: &github.CommitAuthor{Name: github.String("C"), Email: github.String("c@example.com")},
	})
	require.NoError(t, err)
	assert.Equal(t, http.StatusCreated, response.StatusCode)
	assert.Equal(t, "C", made.Commit.GetCommitter().GetName())
	assert.Equal(t, "writer", made.Commit.GetAuthor().GetName())
	changed, response, err := repos.UpdateFile(ctx, "owner", "hello", "new.txt", &github.RepositoryContentFileOptions{
		Message: github.String("m"), Content: []byte("two"), SHA: made.Content.SHA,
	})
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, response.StatusCode)
	_, response, err = repos.UpdateFile(ctx, "owner", "hello", "new.txt", &github.RepositoryContentFileOptions{
		Message: github.String("m"), Content: []byte("three"), SHA: made.Content.SHA,
	})
	require.Error(t, err)
	assert.Equal(t, http.StatusConflict, response.StatusCode)
	deleted, _, err := repos.DeleteFile(ctx, "owner", "hello", "new.txt", &github.RepositoryContentFileOptions{
		Message: github.String("m"), SHA: changed.Content.SHA,
	})
	require.NoError(t, err)
	assert.Nil(t, deleted.Content)
	_, _, response, err = repos.GetContents(ctx, "owner", "hello", "new.txt", nil)
	require.Error(t, err)
	assert.Equal(t, http.StatusNotFound, response.StatusCode)
	assert.Equal(t, "No commit found for the ref none", w.As("writer").Get(base+"/contents/README.md?ref=none").Text("message"))
}

func TestEncodedContents(t *testing.T) {
	large := strings.Repeat("x", 1<<20+1)
	w := sandboxtest.New(t, gitstore.Change{Path: "large", Content: []byte(large)}, gitstore.Change{Path: "empty", Content: []byte{}})
	reader := w.As("reader")
	reply := reader.Get(base + "/contents/large")
	assert.Equal(t, []any{"none", "", len(large)}, []any{reply.Text("encoding"), reply.Text("content"), reply.Int("size")})
	assert.Len(t, reader.Get(base+"/contents/large", "Accept", "application/vnd.github.raw").Body, len(large))
	assert.Equal(t, "", reader.Get(base+"/contents/empty").Text("content"))
	text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("y", 100)))
	w.As("writer").Do("PUT", base+"/contents/y", map[string]any{"message": "m", "content": text[:60] + "\r\n" + text[60:]})
	assert.Equal(t, text[:60]+"\n"+text[60:120]+"\n"+text[120:]+"\n", reader.Get(base+"/contents/y").Text("content"), "lines have 60 characters")
}

func TestRefsOverREST(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	sha := writer.Get(base + "/git/ref/heads/main").Text("object.sha")
	for _, name := range []string{"heads/feature/a", "heads/feature/b", "tags/v1"} {
		reply := writer.Do("POST", base+"/git/refs", map[string]any{"ref": "refs/" + name, "sha": sha})
		assert.Equal(t, http.StatusCreated, reply.Status)
		assert.Equal(t, "refs/"+name, writer.Get(base+"/git/ref/"+name).Text("ref"))
	}
	assert.Len(t, listOf(writer.Get(base+"/git/matching-refs/heads/feature")), 2)
	assert.Len(t, listOf(writer.Get(base+"/git/matching-refs/")), 4)
	assert.Empty(t, listOf(writer.Get(base+"/git/matching-refs/none")))
	assert.Equal(t, http.StatusNotFound, writer.Get(base+"/git/ref/heads/feature").Status, "a part of a name is no ref")
	assert.Len(t, listOf(writer.Get(base+"/branches")), 3)
	assert.Equal(t, sha, writer.Get(base+"/branches/feature/a").Text("commit.sha"))
	assert.Equal(t, "Branch not found", writer.Get(base+"/branches/feature").Text("message"))
	assert.Equal(t, http.StatusOK, writer.Do("PATCH", base+"/git/refs/heads/feature/a", map[string]any{"sha": sha}).Status)
	assert.Equal(t, http.StatusNoContent, writer.Do("DELETE", base+"/git/refs/heads/feature/a", nil).Status)
	assert.Equal(t, "Reference does not exist", writer.Do("DELETE", base+"/git/refs/heads/feature/a", nil).Text("message"))
}

func TestBranchesAreMergedWithoutAPullRequest(t *testing.T) {
	w := sandboxtest.New(t)
	openPull(t, w, "f", "f", "one\n")
	writer := w.As("writer")
	tip := func(branch string) string { return writer.Get(base + "/branches/" + branch).Text("commit.sha") }
	main, topic := tip("main"), tip("f")
	for body, status := range map[string]int{
		`{"base":"main"}`:                http.StatusUnprocessableEntity,
		`{"head":"main"}`:                http.StatusUnprocessableEntity,
		`{"base":"gone","head":"f"}`:     http.StatusNotFound,
		`{"base":"main","head":"gone"}`:  http.StatusNotFound,
		`{"base":"f","head":"main"}`:     http.StatusNoContent,
		`{"base":"main","head":"owner"}`: http.StatusNotFound,
	} {
		assert.Equal(t, status, writer.Do("POST", base+"/merges", body).Status, body)
	}
	assert.Equal(t, http.StatusForbidden, w.As("reader").Do("POST", base+"/merges", `{"base":"main","head":"f"}`).Status)
	assert.Equal(t, []string{main, topic}, []string{tip("main"), tip("f")}, "nothing has moved")

	merged := writer.Do("POST", base+"/merges", `{"base":"main","head":"f"}`)
	require.Equal(t, http.StatusCreated, merged.Status, merged.Body)
	assert.Equal(t, []any{"Merge f into main", main, topic, tip("main")}, []any{
		merged.Text("commit.message"), merged.Text("parents.0.sha"), merged.Text("parents.1.sha"), merged.Text("sha"),
	})
	for branch, content := range map[string]string{"main": "YQo=", "f": "Ygo="} {
		writer.Do("PUT", base+"/contents/both", map[string]any{"message": "m", "content": content, "branch": branch})
	}
	assert.Equal(t, http.StatusConflict, writer.Do("POST", base+"/merges", `{"base":"main","head":"f","commit_message":"x"}`).Status)
}

func TestTreesAndCommits(t *testing.T) {
	w := sandboxtest.New(t, gitstore.Change{Path: "src/a.go", Content: []byte("package a\n")})
	reader := w.As("reader")
	w.As("writer").Do("PUT", base+"/contents/src/b.go", `{"message":"second\n\nwith a body","content":"eA=="}`)
	sha := reader.Get(base + "/git/ref/heads/main").Text("object.sha")
	tree := reader.Get(base + "/git/commits/" + sha).Text("tree.sha")
	for _, name := range []string{tree, sha, "main"} {
		reply := reader.Get(base + "/git/trees/" + name + "?recursive=0")
		assert.Equal(t, []any{tree, "src/a.go", "100644"}, []any{reply.Text("sha"), reply.Text("tree.2.path"), reply.Text("tree.2.mode")}, name)
	}
	assert.Nil(t, reader.Get(base+"/git/trees/main").At("tree.2"))
	commit := reader.Get(base + "/commits/main")
	assert.Equal(t, []any{sha, 1, "src/b.go"}, []any{commit.Text("sha"), commit.Int("stats.total"), commit.Text("files.0.filename")})
	assert.Equal(t, "No commit found for SHA: none", reader.Get(base+"/commits/none").Text("message"))

	date := commit.Text("commit.committer.date")
	for query, want := range map[string]int{
		"": 2, "path=src/b.go": 1, "path=/src/": 2, "path=none": 0, "sha=main": 2, "author=writer": 1, "author=owner@example.com": 1,
		"committer=nobody": 0, "since=" + url.QueryEscape(date): 1, "until=2000-01-01T00:00:00Z": 0, "per_page=1": 1,
	} {
		assert.Len(t, listOf(reader.Get(base+"/commits?"+query)), want, query)
	}
	assert.Equal(t, http.StatusNotFound, reader.Get(base+"/commits?sha=none").Status)
	assert.Equal(t, http.StatusUnprocessableEntity, reader.Get(base+"/commits?since=x").Status)
}

func TestEmptyRepositories(t *testing.T) {
	w := sandboxtest.New(t)
	w.Change(func(s *model.State, repo *model.Repo) { s.AddRepo(model.NewRepo{Owner: repo.OwnerID, Name: "empty"}) })
	owner := w.As("owner")
	for _, path := range []string{"/commits", "/commits/main", "/git/trees/main", "/git/ref/heads/main", "/git/matching-refs/heads"} {
		reply := owner.Get("/repos/owner/empty" + path)
		assert.Equal(t, http.StatusConflict, reply.Status, path)
		assert.Equal(t, "Git Repository is empty.", reply.Text("message"), path)
	}
	assert.Equal(t, "This repository is empty.", owner.Get("/repos/owner/empty/contents/").Text("message"))
	assert.Equal(t, http.StatusOK, owner.Get("/repos/owner/empty").Status)
	assert.Empty(t, listOf(owner.Get("/repos/owner/empty/branches")))
	assert.Equal(t, http.StatusCreated, owner.Do("PUT", "/repos/owner/empty/contents/a", `{"message":"m","content":""}`).Status)
}

func TestRepositoriesAndUsers(t *testing.T) {
	w := sandboxtest.New(t)
	owner := w.As("owner")
	repo := owner.Get("/repos/OWNER/Hello")
	assert.Equal(t, []any{"owner/hello", "public", "main", true}, []any{
		repo.Text("full_name"), repo.Text("visibility"), repo.Text("default_branch"), repo.At("permissions.admin"),
	}, "names are compared without case")
	assert.Nil(t, w.As("").Get(base).At("permissions"), "nobody has no permissions")
	assert.Equal(t, repo.Body, owner.Get(fmt.Sprint("/repositories/", repo.Int("id"))).Body)
	for _, id := range []string{"0", "-1", "x", "99999999999999999999"} {
		assert.Equal(t, http.StatusNotFound, owner.Get("/repositories/"+id).Status, id)
	}
	assert.Equal(t, http.StatusNotFound, owner.Get("/repos/owner/none").Status)
	for query, want := range map[string]int{"hello": 1, "repo:owner/hello": 1, "user:owner": 1, "test hello": 1, "other": 0, "stars:1": 0} {
		assert.Equal(t, want, owner.Get("/search/repositories?q="+url.QueryEscape(query)).Int("total_count"), query)
	}
	assert.Equal(t, http.StatusUnprocessableEntity, owner.Get("/search/repositories").Status)
	assert.Equal(t, "owner@example.com", owner.Get("/user").Text("email"))
	assert.Equal(t, "The Owner", w.As("reader").Get("/users/Owner").Text("name"))
	assert.Equal(t, "https://github.com/apps/github-actions", owner.Get("/users/github-actions%5Bbot%5D").Text("html_url"))
	assert.Equal(t, http.StatusNotFound, owner.Get("/users/nobody").Status)
	assert.Equal(t, 5000, owner.Get("/rate_limit").Int("resources.core.limit"))
	assert.Equal(t, "https://api.github.com/user", owner.Get("/").Text("current_user_url"))
}
