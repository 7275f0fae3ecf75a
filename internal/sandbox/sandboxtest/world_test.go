package sandboxtest_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
)

// The names in the world that commands are run in.
const (
	me       = "monalisa"
	token    = "ghp_token-of-monalisa"
	acme     = "acme"
	widgets  = "widgets"
	fullName = acme + "/" + widgets
)

var files = []gitstore.Change{
	{Path: "README.md", Content: []byte("# Widgets\n\nThey turn.\n")},
	{Path: "LICENSE", Content: []byte("MIT License\n\nCopyright (c) 2026 acme\n")},
	{Path: "main.go", Content: []byte("package main\n\nfunc main() { println(\"foo\") }\n")},
	{Path: ".github/workflows/ci.yml", Content: []byte(ciWorkflow)},
}

const ciWorkflow = `name: CI
on:
  push:
  pull_request:
  workflow_dispatch:
    inputs:
      a:
        description: A letter
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: go build ./...
  test:
    runs-on: ubuntu-latest
    needs: build
    steps:
      - uses: actions/checkout@v4
      - name: Test
        run: go test ./...
`

// newWorld makes the world: the organization acme with the repositories
// widgets and other, in which monalisa is an owner. Issue 3 and pull request 7
// of widgets are octocat's; the branch feat has no pull request.
func newWorld(t testing.TB) *sandbox.World {
	t.Helper()
	world, err := sandbox.New()
	require.NoError(t, err)
	require.NoError(t, world.Setup(seed))
	return world
}

func seed(s *model.State) error {
	owner := s.AddUser(model.NewUser{Login: me, Name: "Mona Lisa", Email: "mona@example.com"}).ID
	octocat := s.AddUser(model.NewUser{Login: "octocat", Name: "The Octocat"}).ID
	org := s.AddUser(model.NewUser{Login: acme, Type: model.TypeOrganization})
	s.SetMember(org, owner, model.OrgOwner)
	s.SetMember(org, octocat, model.OrgMember)
	s.AddTeam(org, "str", octocat)
	s.Scripts = []model.Script{{
		Workflow: "ci.yml", Job: "test", Branch: "topic", Outcomes: []model.Conclusion{model.Failure, model.Success},
		FailingStep: "Test", Log: "--- FAIL: TestTurn\n", Uploads: []model.Upload{{Name: "coverage", File: "cover.txt", Text: "77 %\n"}},
	}}
	other := s.AddRepo(model.NewRepo{Owner: org.ID, Name: "other"})
	repo := s.AddRepo(model.NewRepo{Owner: org.ID, Name: widgets, Description: "Things that turn"})
	repo.Collaborators[octocat] = model.PermWrite
	if err := errors.Join(
		s.PushInitial(owner, other, files[:1], "first"), s.PushInitial(owner, repo, files, "first"),
	); err != nil {
		return err
	}
	for name, file := range map[string]string{"topic": "topic.txt", "feat": "feat.txt"} {
		if err := branch(s, octocat, repo, name, file); err != nil {
			return err
		}
	}
	for _, l := range []model.NewLabel{{Name: "bug", Color: "d73a4a", Description: "Something isn't working"}, {Name: "feature"}} {
		if _, err := s.CreateLabel(owner, repo, l); err != nil {
			return err
		}
	}
	s.AddMilestone(repo, model.NewMilestone{Title: "M1", Creator: owner})
	for n := 1; n <= 6; n++ {
		if _, err := s.OpenIssue(octocat, repo, model.NewIssue{Title: fmt.Sprintf("Issue %d", n), Body: "It may crash"}); err != nil {
			return err
		}
	}
	pull, err := s.OpenPull(octocat, repo, model.NewPull{Title: "Turn faster", Body: "Closes #5", Head: "topic", Base: "main"})
	if err != nil {
		return err
	}
	issue := s.Issue(repo, 3)
	_, err1 := s.CreateComment(owner, repo, issue, "first")
	_, err2 := s.CreateComment(owner, repo, pull, "hi")
	return errors.Join(err1, err2, s.AddLabels(owner, repo, pull, []string{"bug"}), s.AddLabels(owner, repo, issue, []string{"bug"}),
		seedRelease(s, owner, repo), seedProject(s, owner, org, issue))
}

func branch(s *model.State, by model.ID, repo *model.Repo, name, file string) error {
	tip, _ := s.BranchHead(repo, "main")
	if err := s.CreateRef(by, repo, "refs/heads/"+name, tip); err != nil {
		return err
	}
	_, err := s.WriteFile(by, repo, model.FileWrite{Path: file, Message: "Add " + file, Content: []byte("one\ntwo\n"), Branch: name})
	return err
}

func seedRelease(s *model.State, by model.ID, repo *model.Repo) error {
	tag, name, body := "v1.0.0", "First", "The first one"
	r, err := s.CreateRelease(by, repo, model.ReleaseEdit{TagName: &tag, Name: &name, Body: &body})
	if err != nil {
		return err
	}
	_, err = s.AddAsset(by, r, model.NewAsset{Name: "example.zip", ContentType: "application/zip", Content: []byte("zip")})
	return err
}

func seedProject(s *model.State, by model.ID, org *model.User, issue *model.Issue) error {
	p, err := s.CreateProject(by, org, "Board")
	if err != nil {
		return err
	}
	_, err1 := s.CreateField(by, p, model.NewProjectField{Name: "Note", Type: model.FieldText})
	_, err2 := s.AddItem(by, p, issue)
	return errors.Join(err1, err2)
}

// client is a program on a world of its own.
type client struct {
	*realtool.Bench
	world   *sandbox.World
	program string
	t       testing.TB
}

// at puts a program on a world.
func at(t testing.TB, world *sandbox.World, program string) *client {
	t.Helper()
	return behind(t, world, program, world)
}

// behind is [at] for a program that reaches the world through a handler.
func behind(t testing.TB, world *sandbox.World, program string, github http.Handler) *client {
	t.Helper()
	world.AddToken(token, sandbox.Token{User: me, Scopes: []string{"admin:public_key", "delete_repo", "gist", "project", "read:org", "repo", "workflow"}})
	return &client{realtool.Open(t, github, "GH_TOKEN="+token), world, program, t}
}
