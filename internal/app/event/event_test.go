package event_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/event"
	"github.com/ghx-dev/bench-action/internal/fault"
)

const around = `"installation": {"id": 5}, "repository": {"id": 1, "name": "ghx", "full_name": "aryeko/ghx", "default_branch": "main", "owner": {"login": "aryeko"}}, "sender": {"login": "octocat", "type": "User"}`

func TestAPullRequestIsRead(t *testing.T) {
	e, err := event.Parse(event.PullRequest, []byte(`{"action": "labeled", `+around+`, "label": {"name": "bench"}, "pull_request": {
		"number": 3, "title": "Fix", "state": "open", "draft": true, "user": {"login": "dependabot[bot]", "type": "Bot"}, "labels": [{"name": "a"}],
		"head": {"sha": "h", "ref": "fix", "repo": {"id": 2, "full_name": "octocat/ghx"}}, "base": {"sha": "b", "ref": "main", "repo": {"id": 1}}, "unknown": {"x": 1}}}`))
	require.NoError(t, err)
	assert.Equal(t, event.Event{
		Name: "pull_request", Action: "labeled", InstallationID: 5, Label: "bench",
		Repo: event.Repo{ID: 1, Owner: "aryeko", Name: "ghx", DefaultBranch: "main"}, Sender: event.Account{Login: "octocat"},
		Pull: &event.Pull{
			Number: 3, Author: event.Account{Login: "dependabot[bot]", Bot: true}, HeadSHA: "h", HeadRef: "fix", BaseSHA: "b", BaseRef: "main",
			HeadRepo: "octocat/ghx", Fork: true, Draft: true, Labels: []string{"a"},
		},
	}, e)
	assert.Equal(t, "aryeko/ghx", e.Repo.FullName())
}

func TestWhereTheHeadIsFromSaysWhetherItIsAFork(t *testing.T) {
	for name, c := range map[string]struct {
		head string
		fork bool
	}{
		"the same repository":            {`{"id": 1, "full_name": "Aryeko/GHX"}`, false},
		"another one":                    {`{"id": 2, "full_name": "octocat/ghx"}`, true},
		"a repository that was deleted":  {`null`, true},
		"a repository that says nothing": {`{}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := event.Parse(event.PullRequest, []byte(`{"action": "opened", `+around+`, "pull_request": {"number": 3, "head": {"sha": "h", "repo": `+c.head+`}}}`))
			require.NoError(t, err)
			assert.Equal(t, c.fork, e.Pull.Fork)
		})
	}
}

func TestACommentIsRead(t *testing.T) {
	body := func(more string) []byte {
		return []byte(`{"action": "created", ` + around + `, "issue": {"number": 3, "title": "Fix", "state": "closed", "user": {"login": "a"}, "pull_request": {"url": "x"}},
			"comment": {"id": 9, "body": "/bench", "user": {"login": "octocat", "type": "User"}, "created_at": "2026-01-02T03:04:05Z", "updated_at": "2026-01-02T03:04:05Z"` + more + `}}`)
	}
	e, err := event.Parse(event.IssueComment, body(""))
	require.NoError(t, err)
	assert.Equal(t, &event.Comment{
		ID: 9, Body: "/bench", Author: event.Account{Login: "octocat"}, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), OnPull: true,
	}, e.Comment)
	assert.Equal(t, &event.Pull{Number: 3, Author: event.Account{Login: "a"}, Closed: true}, e.Pull)

	e, err = event.Parse(event.IssueComment, body(`, "performed_via_github_app": {"id": 4}`))
	require.NoError(t, err)
	assert.True(t, e.Comment.Author.Bot, "an App wrote it in a person's name")
}

func TestACheckNamesOnlyPullRequestsIntoItsRepository(t *testing.T) {
	e, err := event.Parse(event.CheckRun, []byte(`{"action": "requested_action", `+around+`, "requested_action": {"identifier": "full"},
		"check_run": {"id": 4, "name": "bench", "external_id": "run-1", "head_sha": "h", "app": {"id": 7},
		"pull_requests": [{"number": 3, "base": {"repo": {"id": 1}}}, {"number": 8, "base": {"repo": {"id": 2}}}]}}`))
	require.NoError(t, err)
	assert.Equal(t, &event.Check{ID: 4, AppID: 7, Name: "bench", ExternalID: "run-1", HeadSHA: "h", Pulls: []int{3}}, e.Check)
	assert.Equal(t, "full", e.Button)
}

func TestOtherEventsAreRead(t *testing.T) {
	e, err := event.Parse(event.CheckSuite, []byte(`{"action": "rerequested", `+around+`, "check_suite": {"id": 4, "head_sha": "h", "app": {"id": 7}, "pull_requests": []}}`))
	require.NoError(t, err)
	assert.Equal(t, &event.Suite{ID: 4, AppID: 7, HeadSHA: "h"}, e.Suite)

	e, err = event.Parse(event.MergeGroup, []byte(`{"action": "checks_requested", `+around+`, "merge_group": {"head_sha": "h", "head_ref": "refs/heads/q", "base_sha": "b", "base_ref": "refs/heads/main"}}`))
	require.NoError(t, err)
	assert.Equal(t, &event.Group{HeadSHA: "h", HeadRef: "refs/heads/q", BaseSHA: "b", BaseRef: "refs/heads/main"}, e.Group)

	e, err = event.Parse(event.WorkflowRun, []byte(`{"action": "completed", `+around+`, "workflow_run": {"id": 6, "run_attempt": 2, "path": ".github/workflows/bench.yml", "display_title": "bench run-1", "event": "workflow_dispatch", "conclusion": "success", "head_sha": "h"}}`))
	require.NoError(t, err)
	assert.Equal(t, &event.Run{ID: 6, Attempt: 2, Path: ".github/workflows/bench.yml", Title: "bench run-1", Event: "workflow_dispatch", Conclusion: "success", HeadSHA: "h"}, e.Run)

	e, err = event.Parse(event.InstallationRepositories, []byte(`{"action": "removed", "installation": {"id": 5}, "repositories_removed": [{"full_name": "a/b"}]}`))
	require.NoError(t, err)
	assert.Equal(t, []string{"a/b"}, e.RemovedRepos)
}

func TestPayloadsOfAnotherShapeAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ event, body, says string }{
		"no JSON":                 {event.PullRequest, `x`, "cannot be read"},
		"an array":                {event.PullRequest, `[]`, "cannot be read"},
		"null":                    {event.PullRequest, `null`, "lacks repository"},
		"numbers for texts":       {event.PullRequest, `{"action": 1}`, "cannot be read"},
		"no installation":         {event.PullRequest, `{"action": "opened", "repository": {"name": "a", "owner": {"login": "b"}}}`, "lacks installation"},
		"no pull request":         {event.PullRequest, `{"action": "opened", ` + around + `}`, "lacks pull_request"},
		"a negative number":       {event.PullRequest, `{"action": "opened", ` + around + `, "pull_request": {"number": -3, "head": {"sha": "h"}}}`, "lacks pull_request"},
		"a comment without issue": {event.IssueComment, `{"action": "created", ` + around + `, "comment": {"id": 1}}`, "lacks comment or issue"},
		"a check without commit":  {event.CheckRun, `{"action": "rerequested", ` + around + `, "check_run": {"id": 1}}`, "lacks check_run"},
		"a suite without commit":  {event.CheckSuite, `{"action": "rerequested", ` + around + `, "check_suite": {"id": 1}}`, "lacks check_suite"},
		"a group without commit":  {event.MergeGroup, `{"action": "checks_requested", ` + around + `, "merge_group": {}}`, "lacks merge_group"},
		"a run without its id":    {event.WorkflowRun, `{"action": "completed", ` + around + `, "workflow_run": {}}`, "lacks workflow_run"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := event.Parse(c.event, []byte(c.body))
			require.ErrorContains(t, err, c.says)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("pull_request", []byte(`{"action": "opened", `+around+`, "pull_request": {"number": 3, "head": {"sha": "h"}}}`))
	f.Add("check_run", []byte(`{"check_run": {"pull_requests": [{}]}}`))
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		e, err := event.Parse(name, body)
		if err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			require.Zero(t, e)
		}
	})
}
