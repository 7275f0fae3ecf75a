package gql_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

const ci = `
name: CI
on: [pull_request, workflow_dispatch]
jobs:
  lint: {steps: [{run: make lint}]}
  test: {steps: [{run: make test}]}
`

// world is a sandbox with an issue, #1, and a pull request of the writer's,
// #2, that adds a file of ten lines.
type world struct {
	*sandboxtest.World
	t *testing.T
	// issue, pull and repo are global ids.
	issue, pull, repo string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, World: sandboxtest.New(t, gitstore.Change{Path: ".github/workflows/ci.yml", Content: []byte(ci)})}
	w.Change(func(s *model.State, repo *model.Repo) {
		writer := s.User("writer").ID
		_, err := s.OpenIssue(repo.OwnerID, repo, model.NewIssue{Title: "broken", Body: "it is", Labels: []string{"bug"}, Assignees: []string{"writer"}})
		require.NoError(t, err)
		main, _ := s.BranchHead(repo, "main")
		require.NoError(t, s.CreateRef(writer, repo, "refs/heads/f", main))
		_, err = s.WriteFile(writer, repo, model.FileWrite{
			Path: "ten.txt", Branch: "f", Message: "add ten", Content: []byte("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"),
		})
		require.NoError(t, err)
		_, err = s.OpenPull(writer, repo, model.NewPull{Title: "Add ten", Body: "Fixes #1", Head: "f", Base: "main"})
		require.NoError(t, err)
	})
	ids := w.As("reader").GraphQL(`{ repository(owner: "owner", name: "hello") { id issue(number: 1) { id } pullRequest(number: 2) { id } } }`)
	w.repo, w.issue, w.pull = ids.Text("data.repository.id"), ids.Text("data.repository.issue.id"), ids.Text("data.repository.pullRequest.id")
	require.NotEmpty(t, w.pull)
	return w
}

// do runs a mutation and returns its reply, which has no errors.
func (w *world) do(login, document string, variables ...any) sandboxtest.Reply {
	w.t.Helper()
	reply := w.As(login).GraphQL(document, variables...)
	require.Nil(w.t, reply.At("errors"), reply.Body)
	return reply
}

// refused runs a mutation and expects one error of a type and message.
func (w *world) refused(kind, message, login, document string, variables ...any) {
	w.t.Helper()
	reply := w.As(login).GraphQL(document, variables...)
	assert.Equal(w.t, kind, reply.Text("errors.0.type"), reply.Body)
	assert.Equal(w.t, message, reply.Text("errors.0.message"), reply.Body)
	assert.Nil(w.t, reply.At("errors.1"), reply.Body)
}
