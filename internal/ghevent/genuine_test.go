package ghevent_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/ghevent"
)

var (
	codertocat = ghevent.Account{Login: "Codertocat"}
	helloWorld = ghevent.Repo{Owner: "Codertocat", Name: "Hello-World", DefaultBranch: "master"}
)

// genuine reads what GitHub has delivered; see testdata/README.md.
func genuine(t *testing.T, name, file string) ghevent.Event {
	t.Helper()
	body, err := os.ReadFile("testdata/" + file + ".json")
	require.NoError(t, err)
	if name == ghevent.WorkflowRun {
		var payload map[string]any
		require.NoError(t, json.Unmarshal(body, &payload))
		payload["installation"] = map[string]any{"id": 5}
		body, err = json.Marshal(payload)
		require.NoError(t, err)
	}
	e, err := ghevent.ParseDelivery(name, body)
	require.NoError(t, err)
	return e
}

func TestGenuinePayloadsAreRead(t *testing.T) {
	const head, base = "ec26c3e57ca3a959ca5aad62de7213c562f8c821", "f95f852bd8fca8fcc58a9a2d6c842781e32a215e"
	for file, want := range map[string]ghevent.Event{
		"pull-request-labeled": {
			Name: ghevent.PullRequest, Action: "labeled", InstallationID: 1, Repo: helloWorld, Sender: codertocat, Label: "bug",
			Pull: &ghevent.Pull{
				Number: 2, Labels: []string{"bug"},
				HeadSHA: head, BaseSHA: base, BaseRef: "master", HeadRepo: "Codertocat/Hello-World",
				UpdatedAt: time.Date(2019, 5, 15, 15, 20, 35, 0, time.UTC),
			},
		},
		"issue-comment-created": {
			Name: ghevent.IssueComment, Action: "created", InstallationID: 1, Repo: helloWorld, Sender: codertocat,
			Pull: &ghevent.Pull{Number: 1, Labels: []string{"bug"}},
			Comment: &ghevent.Comment{
				ID: 492700400, Body: "You are totally right! I'll get this fixed right away.", Author: codertocat, At: time.Date(2019, 5, 15, 15, 20, 21, 0, time.UTC),
			},
		},
		// Its App's dates have no form of a date, and no pull request is named.
		"check-run-rerequested": {
			Name: ghevent.CheckRun, Action: "rerequested", InstallationID: 1, Sender: ghevent.Account{Login: "octocat"},
			Repo:  ghevent.Repo{Owner: "github", Name: "hello-world", DefaultBranch: "master"},
			Check: &ghevent.Check{ID: 4, AppID: 2, HeadSHA: "d6fde92930d4715a2b49857d24b940956b26d2d3"},
		},
		"check-run-requested-action": {
			Name: ghevent.CheckRun, Action: "requested_action", InstallationID: 690857, Sender: ghevent.Account{Login: "codebytere"}, Button: "lgtm|26764",
			Repo:  ghevent.Repo{Owner: "electron", Name: "electron", DefaultBranch: "master"},
			Check: &ghevent.Check{ID: 1494503112, AppID: 25811, HeadSHA: "5bd5f196a46b8222fb7484f05faba41a73cf34bd", Pulls: []int{26764}},
		},
		"check-suite-requested": {
			Name: ghevent.CheckSuite, Action: "requested", InstallationID: 957387, Repo: helloWorld, Sender: codertocat,
			Suite: &ghevent.Suite{AppID: 29310, HeadSHA: base},
		},
		// An App asked for it, which is seen by its type.
		"check-suite-rerequested": {
			Name: ghevent.CheckSuite, Action: "rerequested", InstallationID: 957387, Repo: helloWorld, Sender: ghevent.Account{Login: "octocoders-linter[bot]", Bot: true},
			Suite: &ghevent.Suite{AppID: 29310, HeadSHA: head, Pulls: []int{2}},
		},
		"merge-group-checks-requested": {
			Name: ghevent.MergeGroup, Action: "checks_requested", InstallationID: 1, Sender: codertocat,
			Repo: ghevent.Repo{Owner: "octo-org", Name: "octo-repo", DefaultBranch: "main"},
			Group: &ghevent.Group{
				HeadSHA: "2ffea6db159f6b6c47a24e778fb9ef40cf6b1c7d", BaseSHA: "380387fbc80638b734a49e1be1c4dfec1c01b33c", BaseRef: "refs/heads/main",
			},
		},
		"workflow-run-completed": {
			Name: ghevent.WorkflowRun, Action: "completed", InstallationID: 5, Sender: codertocat,
			Repo: ghevent.Repo{Owner: "octo-org", Name: "octo-repo", DefaultBranch: "master"},
			Run: &ghevent.Run{
				ID: 289782451, Title: "ci(action): update actions/setup-node digest to 8c91899",
				Event: "repository_dispatch", Conclusion: "success", HeadSHA: "3484a3fb816e0859fd6e1cea078d76385ff50625",
				Attempt: 1, Path: ".github/workflows/test.yml", HeadRepo: "octo-org/octo-repo", HeadBranch: "master",
			},
		},
		// Its times are numbers, those of the next one have a zone.
		"installation-deleted": {Name: ghevent.Installation, Action: "deleted", InstallationID: 2, Sender: ghevent.Account{Login: "octocat"}},
		"installation-suspend": {Name: ghevent.Installation, Action: "suspend", InstallationID: 16598467, Sender: codertocat},
		"installation-repositories-removed": {
			Name: ghevent.InstallationRepositories, Action: "removed", InstallationID: 2, Sender: ghevent.Account{Login: "octocat"}, RemovedRepos: []string{"octocat/Hello-World"},
		},
		"ping": {Name: ghevent.Ping, Sender: codertocat},
	} {
		t.Run(file, func(t *testing.T) { assert.Equal(t, want, genuine(t, want.Name, file)) })
	}
}
