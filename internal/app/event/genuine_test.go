package event_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/event"
)

var (
	codertocat = event.Account{Login: "Codertocat"}
	helloWorld = event.Repo{ID: 186853002, Owner: "Codertocat", Name: "Hello-World", DefaultBranch: "master"}
)

// genuine reads what GitHub has delivered; see testdata/README.md.
func genuine(t *testing.T, name, file string) event.Event {
	t.Helper()
	body, err := os.ReadFile("testdata/" + file + ".json")
	require.NoError(t, err)
	if name == event.WorkflowRun {
		var payload map[string]any
		require.NoError(t, json.Unmarshal(body, &payload))
		payload["installation"] = map[string]any{"id": 5}
		body, err = json.Marshal(payload)
		require.NoError(t, err)
	}
	e, err := event.Parse(name, body)
	require.NoError(t, err)
	return e
}

func TestGenuinePayloadsAreRead(t *testing.T) {
	const head, base = "ec26c3e57ca3a959ca5aad62de7213c562f8c821", "f95f852bd8fca8fcc58a9a2d6c842781e32a215e"
	for file, want := range map[string]event.Event{
		"pull-request-labeled": {
			Name: event.PullRequest, Action: "labeled", InstallationID: 1, Repo: helloWorld, Sender: codertocat, Label: "bug",
			Pull: &event.Pull{
				Number: 2, Author: codertocat, Labels: []string{"bug"},
				HeadSHA: head, HeadRef: "changes", BaseSHA: base, BaseRef: "master", HeadRepo: "Codertocat/Hello-World",
				UpdatedAt: time.Date(2019, 5, 15, 15, 20, 35, 0, time.UTC),
			},
		},
		"issue-comment-created": {
			Name: event.IssueComment, Action: "created", InstallationID: 1, Repo: helloWorld, Sender: codertocat,
			Pull: &event.Pull{Number: 1, Author: codertocat, Labels: []string{"bug"}},
			Comment: &event.Comment{
				ID: 492700400, Body: "You are totally right! I'll get this fixed right away.", Author: codertocat, At: time.Date(2019, 5, 15, 15, 20, 21, 0, time.UTC),
			},
		},
		// Its App's dates have no form of a date, and no pull request is named.
		"check-run-rerequested": {
			Name: event.CheckRun, Action: "rerequested", InstallationID: 1, Sender: event.Account{Login: "octocat"},
			Repo:  event.Repo{ID: 526, Owner: "github", Name: "hello-world", DefaultBranch: "master"},
			Check: &event.Check{ID: 4, AppID: 2, Name: "randscape", HeadSHA: "d6fde92930d4715a2b49857d24b940956b26d2d3"},
		},
		"check-run-requested-action": {
			Name: event.CheckRun, Action: "requested_action", InstallationID: 690857, Sender: event.Account{Login: "codebytere"}, Button: "lgtm|26764",
			Repo:  event.Repo{ID: 9384267, Owner: "electron", Name: "electron", DefaultBranch: "master"},
			Check: &event.Check{ID: 1494503112, AppID: 25811, Name: "API Review", HeadSHA: "5bd5f196a46b8222fb7484f05faba41a73cf34bd", Pulls: []int{26764}},
		},
		"check-suite-requested": {
			Name: event.CheckSuite, Action: "requested", InstallationID: 957387, Repo: helloWorld, Sender: codertocat,
			Suite: &event.Suite{ID: 118578174, AppID: 29310, HeadSHA: base},
		},
		// An App asked for it, which is seen by its type.
		"check-suite-rerequested": {
			Name: event.CheckSuite, Action: "rerequested", InstallationID: 957387, Repo: helloWorld, Sender: event.Account{Login: "octocoders-linter[bot]", Bot: true},
			Suite: &event.Suite{ID: 118578147, AppID: 29310, HeadSHA: head, Pulls: []int{2}},
		},
		"merge-group-checks-requested": {
			Name: event.MergeGroup, Action: "checks_requested", InstallationID: 1, Sender: codertocat,
			Repo: event.Repo{ID: 17273051, Owner: "octo-org", Name: "octo-repo", DefaultBranch: "main"},
			Group: &event.Group{
				HeadSHA: "2ffea6db159f6b6c47a24e778fb9ef40cf6b1c7d", HeadRef: "refs/heads/gh-readonly-queue/main/pr-104-929f8209d40f77f4abc622a499c93a83babdbe64",
				BaseSHA: "380387fbc80638b734a49e1be1c4dfec1c01b33c", BaseRef: "refs/heads/main",
			},
		},
		"workflow-run-completed": {
			Name: event.WorkflowRun, Action: "completed", InstallationID: 5, Sender: codertocat,
			Repo: event.Repo{ID: 300029405, Owner: "octo-org", Name: "octo-repo", DefaultBranch: "master"},
			Run: &event.Run{
				ID: 289782451, Attempt: 1, Path: ".github/workflows/test.yml", Title: "ci(action): update actions/setup-node digest to 8c91899",
				Event: "repository_dispatch", Conclusion: "success", HeadSHA: "3484a3fb816e0859fd6e1cea078d76385ff50625",
			},
		},
		// Its times are numbers, those of the next one have a zone.
		"installation-deleted": {Name: event.Installation, Action: "deleted", InstallationID: 2, Sender: event.Account{Login: "octocat"}},
		"installation-suspend": {Name: event.Installation, Action: "suspend", InstallationID: 16598467, Sender: codertocat},
		"installation-repositories-removed": {
			Name: event.InstallationRepositories, Action: "removed", InstallationID: 2, Sender: event.Account{Login: "octocat"}, RemovedRepos: []string{"octocat/Hello-World"},
		},
		"ping": {Name: event.Ping, Sender: codertocat},
	} {
		t.Run(file, func(t *testing.T) { assert.Equal(t, want, genuine(t, want.Name, file)) })
	}
}
