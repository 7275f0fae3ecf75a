package actions_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// object is a JSON object.
type object = map[string]any

// in returns an object within an object.
func in(o object, path ...string) object {
	for _, name := range path {
		o = o[name].(object)
	}
	return o
}

// event reads an event with a genuine payload, changed if change is not nil.
func event(t *testing.T, name, file string, change func(object)) actions.Event {
	t.Helper()
	var payload object
	require.NoError(t, json.Unmarshal([]byte(read(t, filepath.Join("testdata", "events", file+".json"))), &payload))
	if change != nil {
		change(payload)
	}
	data, err := json.Marshal(payload)
	require.NoError(t, err)
	e, err := actions.ReadEvent(workflow(t, name, string(data), nil))
	require.NoError(t, err)
	return e
}

// workflow is the environment of a step, with more variables or others.
func workflow(t *testing.T, event, payload string, more map[string]string) func(string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "event.json")
	require.NoError(t, os.WriteFile(path, []byte(payload), 0o600))
	env := map[string]string{
		"GITHUB_EVENT_NAME": event, "GITHUB_EVENT_PATH": path, "GITHUB_ACTOR": "Codertocat",
		"GITHUB_SHA": "1111111111111111111111111111111111111111", "GITHUB_REF": "refs/heads/main",
		"GITHUB_RUN_ID": "42", "GITHUB_RUN_ATTEMPT": "1", "GITHUB_WORKSPACE": "/github/workspace",
	}
	for name, value := range more {
		env[name] = value
	}
	return func(name string) string { return env[name] }
}

func TestAPullRequestIsReadFromItsHead(t *testing.T) {
	e := event(t, "pull_request", "pull-request-synchronize", nil)
	assert.Equal(t, actions.Event{
		Name: "pull_request", Action: "synchronize", Owner: "Codertocat", Repository: "Hello-World", Actor: "Codertocat",
		HeadSHA: "ec26c3e57ca3a959ca5aad62de7213c562f8c821", BaseSHA: "f95f852bd8fca8fcc58a9a2d6c842781e32a215e",
		HeadRepository: "Codertocat/Hello-World", HeadBranch: "changes",
		Pull: actions.PullRequest{
			Number: 2, Title: "Update the README with new information.",
			Body: "This is a pretty simple change that we need to pull into master.", Labels: []string{"bug"},
		},
		Place: actions.Place{
			APIURL: "https://api.github.com", ServerURL: "https://github.com",
			RunID: "42", Workspace: "/github/workspace",
		},
	}, e)
	assert.True(t, event(t, "pull_request", "pull-request-closed", nil).Pull.Closed)
	assert.True(t, event(t, "pull_request", "pull-request-converted-to-draft", nil).Pull.Draft)
}

func TestAForkIsAnotherRepository(t *testing.T) {
	cases := []struct {
		name, file, event string
		change            func(object)
		fork              bool
		repository        string
	}{
		{"a branch of the repository", "pull-request-synchronize", "pull_request", nil, false, "Codertocat/Hello-World"},
		{"a branch of a repository that is a fork itself", "pull-request-synchronize", "pull_request",
			func(p object) { in(p, "pull_request", "head", "repo")["fork"] = true }, false, "Codertocat/Hello-World"},
		{"GitHub does not tell apart large and small letters", "pull-request-synchronize", "pull_request",
			func(p object) { in(p, "pull_request", "head", "repo")["full_name"] = "codertocat/hello-world" }, false, "codertocat/hello-world"},
		{"a fork", "pull-request-synchronize", "pull_request",
			func(p object) { in(p, "pull_request", "head", "repo")["full_name"] = "mona/Hello-World" }, true, "mona/Hello-World"},
		{"a fork that was deleted", "pull-request-synchronize", "pull_request",
			func(p object) { in(p, "pull_request", "head")["repo"] = nil }, true, ""},
		{"a run of a fork", "workflow-run-completed", "workflow_run",
			func(p object) { in(p, "workflow_run", "head_repository")["full_name"] = "mona/octo-repo" }, true, "mona/octo-repo"},
		{"a run of the repository", "workflow-run-completed", "workflow_run", nil, false, "octo-org/octo-repo"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := event(t, c.event, c.file, c.change)
			assert.Equal(t, c.fork, e.Fork)
			assert.Equal(t, c.repository, e.HeadRepository)
		})
	}
}

func TestACommentSaysWhoWroteItAndNoCommit(t *testing.T) {
	e := event(t, "issue_comment", "issue-comment-created", func(p object) {
		in(p, "issue")["pull_request"] = object{"url": "https://api.github.com/repos/Codertocat/Hello-World/pulls/1"}
		in(p, "comment")["body"] = "/bench\r\nplease"
	})
	assert.Equal(t, actions.Comment{At: time.Date(2019, 5, 15, 15, 20, 21, 0, time.UTC), ID: 492700400, Body: "/bench\r\nplease", Author: "Codertocat", Association: "OWNER", OnPull: true}, e.Comment)
	assert.Equal(t, 1, e.Pull.Number)
	assert.Empty(t, e.HeadSHA, "GITHUB_SHA is the default branch's, and the head may have moved")
	assert.Empty(t, e.HeadRepository)

	onIssue := event(t, "issue_comment", "issue-comment-created", nil)
	assert.False(t, onIssue.Comment.OnPull)
	assert.Zero(t, onIssue.Pull.Number, "an issue's number is not a pull request's")
}

func TestTheRunOfAForkNamesNoPullRequest(t *testing.T) {
	e := event(t, "workflow_run", "workflow-run-completed", nil)
	assert.Equal(t, actions.WorkflowRun{ID: 289782451, Conclusion: "success", Event: "repository_dispatch"}, e.Run)
	assert.Zero(t, e.Pull.Number)
	assert.Equal(t, "3484a3fb816e0859fd6e1cea078d76385ff50625", e.HeadSHA)
	assert.Equal(t, "master", e.HeadBranch)
}

func TestARunNamesThePullRequestsOfItsRepository(t *testing.T) {
	const hello = 186853002.0
	one := event(t, "workflow_run", "workflow-run-with-pull-request", func(p object) { in(p, "repository")["id"] = hello })
	assert.Equal(t, []int{2}, one.Run.Pulls)
	assert.Equal(t, 2, one.Pull.Number)

	two := event(t, "workflow_run", "workflow-run-with-pull-request", func(p object) {
		in(p, "repository")["id"] = hello
		run := in(p, "workflow_run")
		pulls := run["pull_requests"].([]any)
		run["pull_requests"] = append(pulls, pulls[0])
	})
	assert.Len(t, two.Run.Pulls, 2)
	assert.Zero(t, two.Pull.Number, "which of the two it is, the event does not say")

	other := event(t, "workflow_run", "workflow-run-with-pull-request", nil)
	assert.Empty(t, other.Run.Pulls, "pull request 2 of another repository is not ours")
}

func TestCommitsOfOtherEvents(t *testing.T) {
	cases := []struct {
		name, event, file string
		change            func(object)
		ref, head, base   string
	}{
		{"a merge group has its own commit", "merge_group", "merge-group-checks-requested", nil,
			"refs/heads/gh-readonly-queue/main/pr-104-929f8209d40f77f4abc622a499c93a83babdbe64",
			"2ffea6db159f6b6c47a24e778fb9ef40cf6b1c7d", "380387fbc80638b734a49e1be1c4dfec1c01b33c"},
		{"a push", "push", "push-branch", func(p object) { p["before"] = "6113728f27ae82c7b1a177c8d03f9e96e0adf247" },
			"refs/heads/master", "6113728f27ae82c7b1a177c8d03f9e96e0adf246", "6113728f27ae82c7b1a177c8d03f9e96e0adf247"},
		{"the first push of a branch has no commit before", "push", "push-branch", func(p object) { p["before"] = strings.Repeat("0", 40) },
			"refs/heads/master", "6113728f27ae82c7b1a177c8d03f9e96e0adf246", ""},
		{"a deleted tag has no commit", "push", "push-deleted-tag", nil,
			"refs/tags/simple-tag", "", "6113728f27ae82c7b1a177c8d03f9e96e0adf246"},
		{"a dispatch is for the commit of its ref", "workflow_dispatch", "workflow-dispatch", nil,
			"refs/heads/master", "1111111111111111111111111111111111111111", ""},
		{"a dispatch may name the commit", "workflow_dispatch", "workflow-dispatch", func(p object) { p["inputs"] = object{"sha": strings.Repeat("2", 40)} },
			"refs/heads/master", strings.Repeat("2", 40), ""},
		{"what is no commit is none", "workflow_dispatch", "workflow-dispatch", func(p object) { p["inputs"] = object{"sha": "main"} },
			"refs/heads/master", "1111111111111111111111111111111111111111", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := event(t, c.event, c.file, c.change)
			assert.Equal(t, c.ref, e.Ref)
			assert.Equal(t, c.head, e.HeadSHA)
			assert.Equal(t, c.base, e.BaseSHA)
			assert.Equal(t, e.FullName(), e.HeadRepository)
			assert.False(t, e.Fork)
		})
	}
}

func TestInputsOfADispatchAreTexts(t *testing.T) {
	e := event(t, "workflow_dispatch", "workflow-dispatch", func(p object) {
		p["inputs"] = object{"profile": "verify_release", "dry": true, "repetitions": 3}
	})
	assert.Equal(t, map[string]string{"profile": "verify_release", "dry": "true", "repetitions": "3"}, e.Inputs)
}

func TestThePlaceIsThatOfTheInstance(t *testing.T) {
	payload := read(t, "testdata/events/pull-request-synchronize.json")
	e, err := actions.ReadEvent(workflow(t, "pull_request", payload, map[string]string{
		"GITHUB_API_URL": "https://ghe.example.com/api/v3", "GITHUB_GRAPHQL_URL": "https://ghe.example.com/api/graphql",
		"GITHUB_SERVER_URL": "https://ghe.example.com", "GITHUB_REPOSITORY": "Codertocat/Hello-World", "GITHUB_RUN_ATTEMPT": "3",
	}))
	require.NoError(t, err)
	assert.Equal(t, actions.Place{
		APIURL: "https://ghe.example.com/api/v3", GraphQLURL: "https://ghe.example.com/api/graphql", ServerURL: "https://ghe.example.com",
		RunURL: "https://ghe.example.com/Codertocat/Hello-World/actions/runs/42/attempts/3", RunID: "42", Workspace: "/github/workspace",
	}, e.Place)
}

func TestAnEventThatCannotBeReadSaysWhy(t *testing.T) {
	const good = `{"repository": {"full_name": "o/r"}}`
	cases := []struct {
		name, event, payload string
		more                 map[string]string
		want                 string
	}{
		{"outside of a workflow", "", good, nil, "GITHUB_EVENT_NAME is not set: this is not a workflow of GitHub Actions"},
		{"no path", "push", good, map[string]string{"GITHUB_EVENT_PATH": ""}, "read event push: GITHUB_EVENT_PATH is not set"},
		{"no file", "push", good, map[string]string{"GITHUB_EVENT_PATH": "/no/event.json"}, "read event push: open /no/event.json: no such file or directory"},
		{"no JSON", "push", "<html>", nil, "is no JSON object as GitHub sends it: invalid character '<'"},
		{"cut off", "push", `{"ref": "refs/he`, nil, "is no JSON object as GitHub sends it: unexpected end"},
		{"no object", "push", `[]`, nil, "is no JSON object as GitHub sends it"},
		{"far too large", "push", `{"ref": "` + strings.Repeat("x", 25<<20) + `"}`, nil, "has more than 25 MiB"},
		{"no repository", "push", `{}`, nil, `GITHUB_REPOSITORY is "", want owner/name`},
		{"no name of a repository", "push", `{}`, map[string]string{"GITHUB_REPOSITORY": "owner/"}, `GITHUB_REPOSITORY is "owner/", want owner/name`},
		{"a pull request without one", "pull_request", good, nil, "read event pull_request: the payload is not one of this event"},
		{"a comment without its issue", "issue_comment", `{"repository": {"full_name": "o/r"}, "comment": {}}`, nil, "read event issue_comment: the payload is not one of this event"},
		{"a run without one", "workflow_run", good, nil, "read event workflow_run: the payload is not one of this event"},
		{"a merge group without one", "merge_group", good, nil, "read event merge_group: the payload is not one of this event"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := actions.ReadEvent(workflow(t, c.event, c.payload, c.more))
			require.ErrorContains(t, err, c.want)
			assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
		})
	}
}

func TestAnEventOfAnotherKindIsNoError(t *testing.T) {
	e, err := actions.ReadEvent(workflow(t, "schedule", `{"schedule": "0 0 * * *", "repository": {"full_name": "o/r"}}`, nil))
	require.NoError(t, err)
	assert.Equal(t, "o/r", e.FullName())
}
