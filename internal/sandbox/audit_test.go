package sandbox_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

const mergeQuery = `mutation Merge($id: ID!) { mergePullRequest(input: {pullRequestId: $id}) { clientMutationId } }`

func TestAudit(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	writer.Get(sandboxtest.Path)
	writer.Do("POST", sandboxtest.Path+"/issues", `{"title":"x"}`)
	writer.Do("POST", sandboxtest.Path+"/issues", `{}`)
	writer.GraphQL(`query Who { viewer { login } }`)
	writer.GraphQL(mergeQuery, "id", "none")
	writer.GraphQL(`{ nothing }`)
	w.With("other").Get("/user")
	var got []string
	for _, e := range w.Audit() {
		got = append(got, fmt.Sprintf("%s %s %s%s %d write=%v graphql=%v", e.Token, e.Method, e.Path, e.Operation, e.Status, e.Write, e.GraphQL))
	}
	const who = "token-of-writer "
	assert.Equal(t, []string{
		who + "GET /repos/owner/hello 200 write=false graphql=false",
		who + "POST /repos/owner/hello/issues 201 write=true graphql=false",
		who + "POST /repos/owner/hello/issues 422 write=false graphql=false",
		who + "POST /graphqlquery Who 200 write=false graphql=true",
		who + "POST /graphqlmutation Merge 200 write=true graphql=true",
		who + "POST /graphqlquery 200 write=false graphql=true",
		"other GET /user 401 write=false graphql=false",
	}, got)
}

func TestWhatWasAskedForIsKnown(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	writer.Get(sandboxtest.Path + "/issues/4711")
	writer.Get("/search/issues?q=is%3Aopen+Flaky")
	writer.GraphQL(`query($tag: String!) { repository(owner: "owner", name: "hello") { release(tagName: $tag) { id } } }`, "tag", "v9.1")
	writer.Get(sandboxtest.Path + "/releases/tags/a-b")
	w.As("reader").Get(sandboxtest.Path + "/issues/12")
	for text, want := range map[string]bool{
		"4711": true, "471": false, "711": false, "flaky": true, "laky": false, "v9.1": true, "v9": true, "a-b": true, "a": false, "b": false, "9.1": false, "12": false, "": false, "owner": true,
	} {
		assert.Equal(t, want, w.Asked(sandboxtest.Token("writer"), text), text)
	}
	assert.True(t, w.Asked(sandboxtest.Token("reader"), "12"))
}

func TestS14WhatWasRefusedIsKnown(t *testing.T) {
	w := sandboxtest.New(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		_, err := s.OpenIssue(repo.OwnerID, repo, model.NewIssue{Title: "One"})
		require.NoError(t, err)
	})
	const reads, mutates = `query($number: Int!) { repository(owner: "owner", name: "hello") { issue(number: $number) { title } } }`, `mutation($id: ID!) { closeIssue(input: {issueId: $id}) { issue { id } } }`
	for name, c := range map[string]struct {
		ask func(c *sandboxtest.Client)
		// missing and refused are what it is refused as.
		missing, refused bool
	}{
		"a read of what is there":              {func(c *sandboxtest.Client) { c.Get(sandboxtest.Path + "/issues/1?about=4711") }, false, false},
		"a read of what is not":                {func(c *sandboxtest.Client) { c.Get(sandboxtest.Path + "/issues/4711") }, true, false},
		"a search that finds nothing":          {func(c *sandboxtest.Client) { c.Get("/search/issues?q=4711") }, false, false},
		"a read of something else that is not": {func(c *sandboxtest.Client) { c.Get(sandboxtest.Path + "/issues/47"); c.Get("/search/issues?q=4711") }, false, false},
		"a write to what is not":               {func(c *sandboxtest.Client) { c.Do("PATCH", sandboxtest.Path+"/issues/4711", `{"state": "closed"}`) }, true, true},
		"a write that is not valid":            {func(c *sandboxtest.Client) { c.Do("PATCH", sandboxtest.Path+"/issues/1", `{"state": "4711"}`) }, false, true},
		"a write that is done":                 {func(c *sandboxtest.Client) { c.Do("PATCH", sandboxtest.Path+"/issues/1", `{"title": "4711"}`) }, false, false},
		"a read that is not valid":             {func(c *sandboxtest.Client) { c.Get("/search/issues?q=4711&sort=nonsense:4711+is:") }, false, false},
		"a query of what is not":               {func(c *sandboxtest.Client) { c.GraphQL(reads, "number", 4711) }, true, false},
		"a query of what is there":             {func(c *sandboxtest.Client) { c.GraphQL(reads, "number", 1, "other", 4711) }, false, false},
		"a query that says errors": {func(c *sandboxtest.Client) {
			c.Do("PATCH", sandboxtest.Path+"/issues/1", map[string]any{"title": `"errors": 4711`})
			c.GraphQL(reads, "number", 1, "other", 4711)
		}, false, false},
		"a query that is none":               {func(c *sandboxtest.Client) { c.GraphQL(`query { nonsense4711 4711 }`) }, false, false},
		"a mutation of what is not":          {func(c *sandboxtest.Client) { c.GraphQL(mutates, "id", "4711") }, true, true},
		"what the sandbox lacks":             {func(c *sandboxtest.Client) { c.Do("POST", sandboxtest.Path+"/dispatches", `{"event_type": "4711"}`) }, false, false},
		"a method that nothing has":          {func(c *sandboxtest.Client) { c.Do("PATCH", sandboxtest.Path+"/4711", "") }, true, true},
		"somebody whom GitHub does not know": {func(*sandboxtest.Client) { w.With("nobody's").Do("PATCH", sandboxtest.Path+"/issues/4711", "") }, false, false},
		"a client without a name": {func(c *sandboxtest.Client) {
			c.Do("PATCH", sandboxtest.Path+"/issues/4711", `{"state": "closed"}`, "User-Agent", "")
		}, false, false},
		"somebody else": {func(*sandboxtest.Client) { w.As("reader").Get(sandboxtest.Path + "/issues/4711") }, false, false},
		"two things that are named one by one": {func(c *sandboxtest.Client) {
			c.Get(sandboxtest.Path + "/issues/4711")
			c.Get(sandboxtest.Path + "/issues/12")
		}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			login := fmt.Sprintf("writer-%d", len(w.Tokens()))
			w.Change(func(s *model.State, repo *model.Repo) {
				repo.Collaborators[s.AddUser(model.NewUser{Login: login}).ID] = model.PermWrite
			})
			c.ask(w.As(login))
			token, things := sandboxtest.Token(login), [][]string{{"nothing", "4711"}}
			assert.Equal(t, c.missing, w.Refused(token, things, true), "as missing")
			assert.Equal(t, c.refused, w.Refused(token, things, false), "a write")
			assert.False(t, w.Refused(token, append(things, []string{"12"}), true), "all of it in one request")
		})
	}
}

func TestUsage(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	sent := `{"title":"x"}`
	reply := writer.Do("POST", sandboxtest.Path+"/issues", sent)
	w.As("reader").Get("/user")
	assert.Equal(t, sandbox.Usage{REST: 1, Bytes: int64(len(sent) + len(reply.Body))}, w.Usage(sandboxtest.Token("writer")))
	writer.GraphQL(viewer)
	writer.Get("/none")
	usage := w.Usage(sandboxtest.Token("writer"))
	assert.Equal(t, 2, usage.REST, "requests that fail count too")
	assert.Equal(t, 1, usage.GraphQL)
	assert.Zero(t, w.Usage("other"))
}

// The watcher is called after the world has changed and before the client
// knows.
func TestWatchersComeBeforeTheAnswer(t *testing.T) {
	w := sandboxtest.New(t)
	verifier, writer := w.As("reader"), w.As("writer")
	var answered atomic.Bool
	var seen []int
	w.OnWrite(sandboxtest.Token("writer"), func() {
		assert.False(t, answered.Load(), "the client has its answer already")
		count := verifier.GraphQL(`{ repository(owner: "owner", name: "hello") { issues { totalCount } } }`)
		seen = append(seen, count.Int("data.repository.issues.totalCount"))
	})
	for range 2 {
		answered.Store(false)
		reply := writer.Do("POST", sandboxtest.Path+"/issues", `{"title":"x"}`)
		answered.Store(true)
		assert.Equal(t, http.StatusCreated, reply.Status)
	}
	answered.Store(false)
	writer.Get(sandboxtest.Path)
	writer.Do("POST", sandboxtest.Path+"/issues", `{}`)
	w.As("owner").Do("POST", sandboxtest.Path+"/issues", `{"title":"x"}`)
	assert.Equal(t, []int{1, 2}, seen, "reads, refusals and other people's writes are not told")
}

func TestRequestsAtTheSameTime(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	var told atomic.Int32
	w.OnWrite(sandboxtest.Token("writer"), func() { told.Add(1) })
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			if n%2 == 0 {
				writer.Do("POST", sandboxtest.Path+"/issues", `{"title":"x"}`)
			}
			writer.Get(sandboxtest.Path + "/issues")
			writer.GraphQL(`{ repository(owner: "owner", name: "hello") { issues(first: 5) { nodes { title } } } }`)
			w.Clone()
			w.Usage(sandboxtest.Token("writer"))
		})
	}
	all.Wait()
	assert.EqualValues(t, 4, told.Load())
	assert.Len(t, w.Audit(), 4+8+8)
}
