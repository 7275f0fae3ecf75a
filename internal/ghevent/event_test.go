package ghevent_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/ghevent"
)

const around = `"installation": {"id": 5}, "repository": {"id": 1, "name": "ghx", "full_name": "aryeko/ghx", "default_branch": "main", "owner": {"login": "aryeko"}}, "sender": {"login": "octocat", "type": "User"}`

func TestAPullRequestIsRead(t *testing.T) {
	e, err := ghevent.ParseDelivery(ghevent.PullRequest, []byte(`{"action": "labeled", `+around+`, "label": {"name": "bench"}, "pull_request": {
		"number": 3, "title": "Fix", "state": "open", "draft": true, "user": {"login": "dependabot[bot]", "type": "Bot"}, "labels": [{"name": "a"}],
		"head": {"sha": "h", "ref": "fix", "repo": {"id": 2, "full_name": "octocat/ghx"}}, "base": {"sha": "b", "ref": "main", "repo": {"id": 1}}, "unknown": {"x": 1}}}`))
	require.NoError(t, err)
	assert.Equal(t, ghevent.Event{
		Name: "pull_request", Action: "labeled", InstallationID: 5, Label: "bench",
		Repo: ghevent.Repo{Owner: "aryeko", Name: "ghx", DefaultBranch: "main"}, Sender: ghevent.Account{Login: "octocat"},
		Pull: &ghevent.Pull{
			Number: 3, HeadSHA: "h", BaseSHA: "b", BaseRef: "main",
			HeadRepo: "octocat/ghx", Fork: true, ByBot: true, Draft: true, Labels: []string{"a"},
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
			e, err := ghevent.ParseDelivery(ghevent.PullRequest, []byte(`{"action": "opened", `+around+`, "pull_request": {"number": 3, "head": {"sha": "h", "repo": `+c.head+`}}}`))
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
	e, err := ghevent.ParseDelivery(ghevent.IssueComment, body(""))
	require.NoError(t, err)
	assert.Equal(t, &ghevent.Comment{
		ID: 9, Body: "/bench", Author: ghevent.Account{Login: "octocat"}, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), OnPull: true,
	}, e.Comment)
	assert.Equal(t, &ghevent.Pull{Number: 3, Closed: true}, e.Pull)

	for more, why := range map[string]string{
		`, "performed_via_github_app": {"id": 4}`:             "an App wrote it in a person's name",
		`, "user": {"login": "renovate[bot]", "type": "Bot"}`: "a bot wrote it",
	} {
		e, err = ghevent.ParseDelivery(ghevent.IssueComment, body(more))
		require.NoError(t, err)
		assert.True(t, e.Comment.Author.Bot, why)
		assert.False(t, e.Comment.Edited)
	}
	e, err = ghevent.ParseDelivery(ghevent.IssueComment, body(`, "updated_at": "2026-01-02T03:04:06Z"`))
	require.NoError(t, err)
	assert.True(t, e.Comment.Edited)
}

func TestACheckNamesOnlyPullRequestsIntoItsRepository(t *testing.T) {
	e, err := ghevent.ParseDelivery(ghevent.CheckRun, []byte(`{"action": "requested_action", `+around+`, "requested_action": {"identifier": "full"},
		"check_run": {"id": 4, "name": "bench", "external_id": "run-1", "head_sha": "h", "app": {"id": 7},
		"pull_requests": [{"number": 3, "base": {"repo": {"id": 1}}}, {"number": 8, "base": {"repo": {"id": 2}}}]}}`))
	require.NoError(t, err)
	assert.Equal(t, &ghevent.Check{ID: 4, AppID: 7, HeadSHA: "h", Pulls: []int{3}}, e.Check)
	assert.Equal(t, "full", e.Button)
}

func TestWhatChangedOfAPullRequestIsRead(t *testing.T) {
	e, err := ghevent.ParseDelivery(ghevent.PullRequest, []byte(`{"action": "edited", `+around+`, "changes": {"base": {"ref": {"from": "next"}}}, "pull_request": {"number": 1, "state": "closed", "head": {"sha": "h"}}}`))
	require.NoError(t, err)
	assert.True(t, e.Rebased)
	assert.True(t, e.Pull.Closed)
	e, err = ghevent.ParseDelivery(ghevent.PullRequest, []byte(`{"action": "edited", `+around+`, "changes": {"title": {"from": "x"}}, `+pull+`}`))
	require.NoError(t, err)
	assert.False(t, e.Rebased)
	assert.False(t, e.Pull.Closed)
}

func TestARunNamesOnlyPullRequestsIntoItsRepository(t *testing.T) {
	e, err := ghevent.ParseDelivery(ghevent.WorkflowRun, []byte(`{"action": "completed", `+around+`, "workflow_run": {"id": 1, "head_sha": "h",
		"pull_requests": [{"number": 3, "base": {"repo": {"id": 1}}}, {"number": 8, "base": {"repo": {"id": 2}}}, {"number": 9, "base": {}}]}}`))
	require.NoError(t, err)
	assert.Equal(t, []int{3}, e.Run.Pulls)
}

func TestOtherEventsAreRead(t *testing.T) {
	e, err := ghevent.ParseDelivery(ghevent.CheckSuite, []byte(`{"action": "rerequested", `+around+`, "check_suite": {"id": 4, "head_sha": "h", "app": {"id": 7}, "pull_requests": []}}`))
	require.NoError(t, err)
	assert.Equal(t, &ghevent.Suite{AppID: 7, HeadSHA: "h"}, e.Suite)

	e, err = ghevent.ParseDelivery(ghevent.MergeGroup, []byte(`{"action": "checks_requested", `+around+`, "merge_group": {"head_sha": "h", "head_ref": "refs/heads/q", "base_sha": "b", "base_ref": "refs/heads/main"}}`))
	require.NoError(t, err)
	assert.Equal(t, &ghevent.Group{HeadSHA: "h", BaseSHA: "b", BaseRef: "refs/heads/main"}, e.Group)

	e, err = ghevent.ParseDelivery(ghevent.WorkflowRun, []byte(`{"action": "completed", `+around+`, "workflow_run": {"id": 6, "run_attempt": 2, "path": ".github/workflows/bench.yml", "display_title": "bench run-1", "event": "workflow_dispatch", "conclusion": "success", "head_sha": "h"}}`))
	require.NoError(t, err)
	assert.Equal(t, &ghevent.Run{ID: 6, Title: "bench run-1", Event: "workflow_dispatch", Conclusion: "success", HeadSHA: "h", Attempt: 2, Path: ".github/workflows/bench.yml"}, e.Run)

	e, err = ghevent.ParseDelivery(ghevent.InstallationRepositories, []byte(`{"action": "removed", "installation": {"id": 5}, "repositories_removed": [{"full_name": "a/b"}]}`))
	require.NoError(t, err)
	assert.Equal(t, []string{"a/b"}, e.RemovedRepos)
}

func TestAPushMayMakeOrDeleteItsRef(t *testing.T) {
	none := strings.Repeat("0", 40)
	for name, c := range map[string]struct {
		body string
		want ghevent.Pushed
	}{
		"a push":        {`"before": "b", "after": "a"`, ghevent.Pushed{HeadSHA: "a", BaseSHA: "b"}},
		"the first one": {`"before": "` + none + `", "after": "a"`, ghevent.Pushed{HeadSHA: "a"}},
		"the last one":  {`"before": "b", "after": "` + none + `", "head_commit": null`, ghevent.Pushed{BaseSHA: "b"}},
		"its message":   {`"before": "b", "after": "a", "head_commit": {"message": "[skip bench]"}`, ghevent.Pushed{HeadSHA: "a", BaseSHA: "b", Message: "[skip bench]"}},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := ghevent.Parse(ghevent.Push, []byte(`{"ref": "refs/heads/x", `+c.body+`}`))
			require.NoError(t, err)
			c.want.Ref = "refs/heads/x"
			assert.Equal(t, &c.want, e.Pushed)
		})
	}
}

func TestADispatchNamesACommitByItsWholeHash(t *testing.T) {
	sha1, sha256 := strings.Repeat("0a", 20), strings.Repeat("0a", 32)
	for input, want := range map[string]string{
		`"` + sha1 + `"`: sha1, `"` + sha256 + `"`: sha256, `"main"`: "", `"` + strings.ToUpper(sha1) + `"`: "", `"` + sha1[1:] + `"`: "",
		`"` + strings.Repeat("0", 40) + `"`: "", `3`: "", `null`: "",
	} {
		e, err := ghevent.Parse(ghevent.WorkflowDispatch, []byte(`{"inputs": {"dry": true, "sha": `+input+`}}`))
		require.NoError(t, err)
		assert.Equal(t, want, e.Commit, input)
	}
}

func TestAWorkflowHasNoInstallation(t *testing.T) {
	e, err := ghevent.Parse(ghevent.PullRequest, []byte(`{"action": "opened", "repository": {"full_name": "a/b"}, `+pull+`}`))
	require.NoError(t, err)
	assert.Zero(t, e.InstallationID)
}

const pull = `"pull_request": {"number": 3, "head": {"sha": "h"}}`

func TestPayloadsOfAnotherShapeAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ event, body, says string }{
		"no JSON":                   {ghevent.PullRequest, `x`, "cannot be read"},
		"an array":                  {ghevent.PullRequest, `[]`, "cannot be read"},
		"null":                      {ghevent.PullRequest, `null`, "lacks pull_request"},
		"numbers for texts":         {ghevent.PullRequest, `{"action": 1}`, "cannot be read"},
		"no repository":             {ghevent.PullRequest, `{"action": "opened", "installation": {"id": 5}, ` + pull + `}`, "lacks repository"},
		"no installation":           {ghevent.PullRequest, `{"action": "opened", "repository": {"full_name": "a/b"}, ` + pull + `}`, "lacks installation"},
		"no pull request":           {ghevent.PullRequest, `{"action": "opened", ` + around + `}`, "lacks pull_request"},
		"a target without one":      {ghevent.PullRequestTarget, `{"action": "opened", ` + around + `}`, "lacks pull_request"},
		"a negative number":         {ghevent.PullRequest, `{"action": "opened", ` + around + `, "pull_request": {"number": -3, "head": {"sha": "h"}}}`, "lacks pull_request"},
		"no number":                 {ghevent.PullRequest, `{"action": "opened", ` + around + `, "pull_request": {"head": {"sha": "h"}}}`, "lacks pull_request"},
		"no head":                   {ghevent.PullRequest, `{"action": "opened", ` + around + `, "pull_request": {"number": 3}}`, "lacks pull_request"},
		"no name of a repository":   {ghevent.PullRequest, `{"installation": {"id": 5}, "repository": {"full_name": "a/"}, ` + pull + `}`, "lacks repository"},
		"no owner of one":           {ghevent.PullRequest, `{"installation": {"id": 5}, "repository": {"full_name": "/b"}, ` + pull + `}`, "lacks repository"},
		"an issue without comment":  {ghevent.IssueComment, `{"action": "created", ` + around + `, "issue": {"number": 3}}`, "lacks comment or issue"},
		"an issue without number":   {ghevent.IssueComment, `{"action": "created", ` + around + `, "issue": {}, "comment": {"id": 1}}`, "lacks comment or issue"},
		"neither comment nor issue": {ghevent.IssueComment, `{"action": "created", ` + around + `}`, "lacks comment or issue"},
		"a pull request's comment":  {ghevent.IssueComment, `{"action": "created", ` + around + `, ` + pull + `}`, "lacks comment or issue"},
		"no check":                  {ghevent.CheckRun, `{"action": "rerequested", ` + around + `}`, "lacks check_run"},
		"no suite":                  {ghevent.CheckSuite, `{"action": "rerequested", ` + around + `}`, "lacks check_suite"},
		"no group":                  {ghevent.MergeGroup, `{"action": "checks_requested", ` + around + `}`, "lacks merge_group"},
		"no run":                    {ghevent.WorkflowRun, `{"action": "completed", ` + around + `}`, "lacks workflow_run"},
		"a comment without issue":   {ghevent.IssueComment, `{"action": "created", ` + around + `, "comment": {"id": 1}}`, "lacks comment or issue"},
		"a check without commit":    {ghevent.CheckRun, `{"action": "rerequested", ` + around + `, "check_run": {"id": 1}}`, "lacks check_run"},
		"a suite without commit":    {ghevent.CheckSuite, `{"action": "rerequested", ` + around + `, "check_suite": {"id": 1}}`, "lacks check_suite"},
		"a group without commit":    {ghevent.MergeGroup, `{"action": "checks_requested", ` + around + `, "merge_group": {}}`, "lacks merge_group"},
		"a run without its id":      {ghevent.WorkflowRun, `{"action": "completed", ` + around + `, "workflow_run": {}}`, "lacks workflow_run"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ghevent.ParseDelivery(c.event, []byte(c.body))
			require.ErrorContains(t, err, c.says)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("pull_request", []byte(`{"action": "opened", `+around+`, "pull_request": {"number": 3, "head": {"sha": "h"}}}`))
	f.Add("check_run", []byte(`{"check_run": {"pull_requests": [{}]}}`))
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		e, err := ghevent.ParseDelivery(name, body)
		if err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			require.Zero(t, e)
		}
	})
}
