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
	"github.com/ghx-dev/bench-action/internal/ghevent"
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

// genuine is the file of a payload that GitHub has sent.
func genuine(file string) string { return "../ghevent/testdata/" + file + ".json" }

// event reads an event with a genuine payload, changed if change is not nil.
func event(t *testing.T, name, file string, change func(object)) actions.Event {
	t.Helper()
	var payload object
	require.NoError(t, json.Unmarshal([]byte(read(t, genuine(file))), &payload))
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
	assert.Equal(t, "Codertocat/Hello-World", e.Repo.FullName())
	assert.Equal(t, "ec26c3e57ca3a959ca5aad62de7213c562f8c821", e.HeadSHA)
	assert.Equal(t, "f95f852bd8fca8fcc58a9a2d6c842781e32a215e", e.BaseSHA)
	assert.Equal(t, 2, e.PullNumber)
	assert.Equal(t, []string{"bug"}, e.Pull.Labels)
	assert.Equal(t, actions.Place{
		APIURL: "https://api.github.com", ServerURL: "https://github.com", RunID: "42", Attempt: 1, Workspace: "/github/workspace",
	}, e.Place)
	assert.True(t, event(t, "pull_request", "pull-request-closed", nil).Pull.Closed)
	assert.True(t, event(t, "pull_request", "pull-request-converted-to-draft", nil).Pull.Draft)
}

func TestAForkIsAnotherRepository(t *testing.T) {
	cases := []struct {
		name, file, event string
		change            func(object)
		fork              bool
	}{
		{"a branch of the repository", "pull-request-synchronize", "pull_request", nil, false},
		{"a branch of a repository that is a fork itself", "pull-request-synchronize", "pull_request",
			func(p object) { in(p, "pull_request", "head", "repo")["fork"] = true }, false},
		{"GitHub does not tell apart large and small letters", "pull-request-synchronize", "pull_request",
			func(p object) { in(p, "pull_request", "head", "repo")["full_name"] = "codertocat/hello-world" }, false},
		{"a fork", "pull-request-synchronize", "pull_request",
			func(p object) { in(p, "pull_request", "head", "repo")["full_name"] = "mona/Hello-World" }, true},
		{"a fork that was deleted", "pull-request-synchronize", "pull_request",
			func(p object) { in(p, "pull_request", "head")["repo"] = nil }, true},
		{"a run of a fork", "workflow-run-completed", "workflow_run",
			func(p object) { in(p, "workflow_run", "head_repository")["full_name"] = "mona/octo-repo" }, true},
		{"a run of the repository", "workflow-run-completed", "workflow_run", nil, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.fork, event(t, c.event, c.file, c.change).Fork)
		})
	}
}

func TestSomeRunsHaveNoSecrets(t *testing.T) {
	const file = "pull-request-synchronize"
	fork := func(p object) { in(p, "pull_request", "head", "repo")["full_name"] = "mona/Hello-World" }
	assert.False(t, event(t, "pull_request", file, nil).Secretless())
	assert.True(t, event(t, "pull_request", file, fork).Secretless())
	assert.False(t, event(t, "workflow_run", "workflow-run-completed", func(p object) { in(p, "workflow_run", "head_repository")["full_name"] = "mona/octo-repo" }).Secretless(), "it runs for this repository")
	for name, want := range map[string]bool{"pull_request": true, "push": true, "issue_comment": false} {
		payload := read(t, genuine(map[string]string{"pull_request": file, "push": "push-branch", "issue_comment": "issue-comment-created"}[name]))
		e, err := actions.ReadEvent(workflow(t, name, payload, map[string]string{"GITHUB_ACTOR": "dependabot[bot]"}))
		require.NoError(t, err)
		assert.True(t, e.Dependabot)
		assert.Equal(t, want, e.Secretless(), name)
	}
}

func TestACommentSaysWhoWroteItAndNoCommit(t *testing.T) {
	e := event(t, "issue_comment", "issue-comment-created", func(p object) {
		in(p, "issue")["pull_request"] = object{"url": "https://api.github.com/repos/Codertocat/Hello-World/pulls/1"}
		in(p, "comment")["body"] = "/bench\r\nplease"
	})
	assert.Equal(t, &ghevent.Comment{At: time.Date(2019, 5, 15, 15, 20, 21, 0, time.UTC), ID: 492700400, Body: "/bench\r\nplease", Author: ghevent.Account{Login: "Codertocat"}, OnPull: true}, e.Comment)
	assert.Equal(t, 1, e.PullNumber)
	assert.Empty(t, e.HeadSHA, "GITHUB_SHA is the default branch's, and the head may have moved")

	onIssue := event(t, "issue_comment", "issue-comment-created", nil)
	assert.False(t, onIssue.Comment.OnPull)
	assert.Zero(t, onIssue.PullNumber, "an issue's number is not a pull request's")
}

func TestTheRunOfAForkNamesNoPullRequest(t *testing.T) {
	e := event(t, "workflow_run", "workflow-run-completed", nil)
	assert.Equal(t, int64(289782451), e.Run.ID)
	assert.Equal(t, "success", e.Run.Conclusion)
	assert.Zero(t, e.PullNumber)
	assert.Equal(t, "3484a3fb816e0859fd6e1cea078d76385ff50625", e.HeadSHA)
	assert.Equal(t, "master", e.Run.HeadBranch)
}

func TestARunNamesThePullRequestsOfItsRepository(t *testing.T) {
	const hello = 186853002.0
	one := event(t, "workflow_run", "workflow-run-with-pull-request", func(p object) { in(p, "repository")["id"] = hello })
	assert.Equal(t, []int{2}, one.Run.Pulls)
	assert.Equal(t, 2, one.PullNumber)

	two := event(t, "workflow_run", "workflow-run-with-pull-request", func(p object) {
		in(p, "repository")["id"] = hello
		run := in(p, "workflow_run")
		pulls := run["pull_requests"].([]any)
		run["pull_requests"] = append(pulls, pulls[0])
	})
	assert.Len(t, two.Run.Pulls, 2)
	assert.Zero(t, two.PullNumber, "which of the two it is, the event does not say")

	other := event(t, "workflow_run", "workflow-run-with-pull-request", nil)
	assert.Empty(t, other.Run.Pulls, "pull request 2 of another repository is not ours")
}

func TestCommitsOfOtherEvents(t *testing.T) {
	cases := []struct {
		name, event, file string
		change            func(object)
		head, base        string
	}{
		{"a merge group has its own commit", "merge_group", "merge-group-checks-requested", nil,
			"2ffea6db159f6b6c47a24e778fb9ef40cf6b1c7d", "380387fbc80638b734a49e1be1c4dfec1c01b33c"},
		{"a push", "push", "push-branch", func(p object) { p["before"] = "6113728f27ae82c7b1a177c8d03f9e96e0adf247" },
			"6113728f27ae82c7b1a177c8d03f9e96e0adf246", "6113728f27ae82c7b1a177c8d03f9e96e0adf247"},
		{"the first push of a branch has no commit before", "push", "push-branch", func(p object) { p["before"] = strings.Repeat("0", 40) },
			"6113728f27ae82c7b1a177c8d03f9e96e0adf246", ""},
		{"a deleted tag has no commit", "push", "push-deleted-tag", nil,
			"", "6113728f27ae82c7b1a177c8d03f9e96e0adf246"},
		{"a dispatch is for the commit of its ref", "workflow_dispatch", "workflow-dispatch", nil,
			"1111111111111111111111111111111111111111", ""},
		{"a dispatch may name the commit", "workflow_dispatch", "workflow-dispatch", func(p object) { p["inputs"] = object{"sha": strings.Repeat("2", 40)} },
			strings.Repeat("2", 40), ""},
		{"what is no commit is none", "workflow_dispatch", "workflow-dispatch", func(p object) { p["inputs"] = object{"sha": "main"} },
			"1111111111111111111111111111111111111111", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := event(t, c.event, c.file, c.change)
			assert.Equal(t, c.head, e.HeadSHA)
			assert.Equal(t, c.base, e.BaseSHA)
			assert.False(t, e.Fork)
		})
	}
}

func TestThePlaceIsThatOfTheInstance(t *testing.T) {
	payload := read(t, genuine("pull-request-synchronize"))
	e, err := actions.ReadEvent(workflow(t, "pull_request", payload, map[string]string{
		"GITHUB_API_URL": "https://ghe.example.com/api/v3", "GITHUB_GRAPHQL_URL": "https://ghe.example.com/api/graphql",
		"GITHUB_SERVER_URL": "https://ghe.example.com", "GITHUB_REPOSITORY": "Codertocat/Hello-World", "GITHUB_RUN_ATTEMPT": "3",
		"GITHUB_WORKFLOW_REF": "Codertocat/Hello-World/.github/workflows/bench.yml@refs/heads/main",
	}))
	require.NoError(t, err)
	assert.Equal(t, actions.Place{
		APIURL: "https://ghe.example.com/api/v3", GraphQLURL: "https://ghe.example.com/api/graphql", ServerURL: "https://ghe.example.com",
		RunURL: "https://ghe.example.com/Codertocat/Hello-World/actions/runs/42/attempts/3", RunID: "42", Attempt: 3, Workspace: "/github/workspace",
		Workflow: "Codertocat/Hello-World/.github/workflows/bench.yml@refs/heads/main",
	}, e.Place)

	for attempt, want := range map[string]string{"1": "", "2": "/attempts/2", "": "", "x": ""} {
		e, err := actions.ReadEvent(workflow(t, "pull_request", payload, map[string]string{"GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ATTEMPT": attempt}))
		require.NoError(t, err)
		assert.Equal(t, "https://github.com/o/r/actions/runs/42"+want, e.Place.RunURL, attempt)
		assert.Equal(t, max(1, map[string]int{"2": 2}[attempt]), e.Place.Attempt)
		assert.Equal(t, "o/r", e.Repo.FullName(), "the workflow's repository, whatever the payload says")
	}
	e, err = actions.ReadEvent(workflow(t, "pull_request", payload, map[string]string{"GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": ""}))
	require.NoError(t, err)
	assert.Empty(t, e.Place.RunURL)
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
		{"no JSON", "push", "<html>", nil, "the payload of push cannot be read: invalid character '<'"},
		{"cut off", "push", `{"ref": "refs/he`, nil, "the payload of push cannot be read: unexpected end"},
		{"no object", "push", `[]`, nil, "the payload of push cannot be read"},
		{"far too large", "push", `{"ref": "` + strings.Repeat("x", 25<<20) + `"}`, nil, "has more than 25 MiB"},
		{"no repository", "push", `{}`, nil, `GITHUB_REPOSITORY is "", want owner/name`},
		{"no owner of a repository", "push", `{}`, map[string]string{"GITHUB_REPOSITORY": "/name"}, `GITHUB_REPOSITORY is "/name", want owner/name`},
		{"no name of a repository", "push", `{}`, map[string]string{"GITHUB_REPOSITORY": "owner/"}, `GITHUB_REPOSITORY is "owner/", want owner/name`},
		{"a pull request without one", "pull_request", good, nil, "read event pull_request: the payload of pull_request lacks pull_request"},
		{"a comment without its issue", "issue_comment", `{"repository": {"full_name": "o/r"}, "comment": {}}`, nil, "read event issue_comment: the payload of issue_comment lacks comment or issue"},
		{"a run without one", "workflow_run", good, nil, "read event workflow_run: the payload of workflow_run lacks workflow_run"},
		{"a merge group without one", "merge_group", good, nil, "read event merge_group: the payload of merge_group lacks merge_group"},
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
	assert.Equal(t, "o/r", e.Repo.FullName())
}
