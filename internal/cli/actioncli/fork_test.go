package actioncli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

func TestAForksTokenMayOnlyRead(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.forked()
	ended := r.run()
	assert.Zero(t, ended.code, ended.log)
	assert.Empty(t, r.checks())
	assert.Empty(t, r.comments())
	assert.Contains(t, ended.summary, "CAN'T TELL: unverified")
	assert.Contains(t, ended.summary, "comes from a fork")
	assert.Contains(t, ended.summary, "`/bench approve "+r.head+"`")
	assert.Equal(t, []string{"action_required", "false"}, []string{ended.outputs["conclusion"], ended.outputs["passed"]}, "its author wrote the workflow")
}

// ofModel has the workflow need a key.
func (r *runner) ofModel() {
	r.inputs["provider"], r.inputs["model"] = "opencode", "openai/gpt-5.3-codex"
	r.inputs["build-command"] = "touch built"
}

func TestARunWithoutSecretsSaysWhyAndWhatAMaintainerDoes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		begin func(r *runner)
		says  string
		// told is false where the token may not say so on GitHub.
		told bool
	}{
		"a fork": {(*runner).forked, "For a maintainer: read the change, then comment `/bench approve HEAD`", false},
		"a fork, on another benchmark": {func(r *runner) {
			r.onProgram("")
			r.write("experiment_config.yaml", "benchmark: tau-bench\ndomain: retail\n", 0o644)
			r.forked()
			r.inputs["benchmark"] = "tau-bench"
		}, "For a maintainer: read the change, then comment `/bench approve HEAD`", false},
		"Dependabot": {func(r *runner) { r.env["GITHUB_ACTOR"] = "dependabot[bot]" }, "comments `/bench run`, or gives the key to Dependabot too", true},
		"Dependabot, with a token that may only read": {func(r *runner) {
			r.env["GITHUB_ACTOR"] = "dependabot[bot]"
			r.grant(map[string]string{"contents": "read"})
		}, "comments `/bench run`", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t)
			r.ofModel()
			c.begin(r)
			r.inputs["model-api-key"] = ""
			ended := r.run()
			assert.Equal(t, 3, ended.code, "the job is no proof that all is well: %s", ended.log)
			assert.Equal(t, "action_required", ended.outputs["conclusion"])
			assert.Contains(t, ended.summary, "WAITING")
			assert.Contains(t, ended.summary, strings.ReplaceAll(c.says, "HEAD", r.head))
			assert.NoFileExists(t, filepath.Join(r.workspace, "built"))
			if !c.told {
				assert.Empty(t, r.checks())
				return
			}
			require.Len(t, r.checks(), 1)
			assert.Equal(t, "action_required", r.checks()[0]["conclusion"])
		})
	}
}

// The two workflows of the documentation: that of the fork's own, and one of the
// default branch, which says what becomes of it and has the cells run.
func TestAForksCommitIsMeasuredOnceItIsApproved(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.unprivileged = true
	r.forked()
	r.trusted()
	r.inputs["model-api-key"] = ""
	r.ranElsewhere(ofFork())
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	require.Len(t, r.checks(), 1)
	assert.Equal(t, "action_required", r.checks()[0]["conclusion"])
	assert.Contains(t, r.checks()[0]["output"].(map[string]any)["summary"], "comment `/bench approve "+r.head+"`")

	r.commented("writer", "/bench run")
	require.Zero(t, r.run().code)
	assert.Contains(t, r.answerTo("writer"), "comes from a fork, and nobody has approved it")
	r.commented("stranger", "/bench approve "+r.head)
	require.Zero(t, r.run().code)
	assert.Contains(t, r.answerTo("stranger"), "needs write permission")

	r.inputs["build-command"], r.inputs["repetitions"] = "test -f b && echo the commit of the fork", "4"
	r.commented("writer", "/bench approve "+strings.ToUpper(r.head))
	ended = r.run()
	require.Zero(t, ended.code, ended.log)
	assert.Contains(t, ended.log, "\nthe commit of the fork\n")
	assert.Contains(t, ended.log, "--git-commit "+r.head)
	require.Len(t, r.checks(), 1)
	assert.Equal(t, "neutral", r.checks()[0]["conclusion"], "a verdict, if a simulated one")
	assert.Equal(t, "bench", r.checks()[0]["name"])
	comments := r.comments()
	assert.Contains(t, comments[len(comments)-2], "this commit of a fork is measured")
	assert.Contains(t, comments[len(comments)-1], allPassed)

	// What its own workflow does later says nothing.
	r.ranElsewhere(ofFork())
	ended = r.run()
	require.Zero(t, ended.code, ended.log)
	assert.Equal(t, "neutral", r.checks()[0]["conclusion"], ended.log)
}

func TestAPushEndsAnApproval(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.forked()
	r.trusted()
	approved := r.head
	r.commented("writer", "/bench approve "+approved)
	pushed := r.world.As("stranger").Do("PUT", forkPath+"/contents/c", `{"message":"pushed meanwhile","content":"eA==","branch":"main"}`)
	r.head = pushed.Text("commit.sha")
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	assert.Contains(t, r.answerTo("writer"), "that commit is not the head of this pull request")
	assert.Empty(t, r.checks())
	r.ranElsewhere(ofFork())
	require.Zero(t, r.run().code)
	assert.Equal(t, "action_required", r.checks()[0]["conclusion"])
	assert.Contains(t, r.checks()[0]["output"].(map[string]any)["summary"], "/bench approve "+r.head)
}

func TestAForksCommitIsNotMeasuredWithABenchmarkThatGivesItTheKey(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.onProgram(halfRight)
	r.forked()
	r.trusted()
	r.commented("writer", "/bench approve "+r.head)
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	assert.Contains(t, r.answerTo("writer"), "gives the model's key to the code")
	assert.Empty(t, r.checks())
}

func TestACommitWaitsForNobodyWhoseRulesLeaveItOut(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.forked()
	r.trusted()
	r.inputs["paths"] = "packages/**"
	r.ranElsewhere(ofFork())
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	require.Len(t, r.checks(), 1)
	assert.Equal(t, "neutral", r.checks()[0]["conclusion"], "of a fork too, as GitHub knows what it touches")
}

// A job of a fork's own workflow may have any name. It has no external id of ours.
func TestAJobOfTheChecksNameIsNoCheck(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.forked()
	r.trusted()
	job := r.world.With(jobToken).Do("POST", sandboxtest.Path+"/check-runs", map[string]string{
		"name": "bench", "head_sha": r.head, "status": "completed", "conclusion": "success", "external_id": "ca395085-040a-526b-2ce8-bdc85f692774",
	})
	require.Equal(t, 201, job.Status, job.Body)
	r.ranElsewhere(ofFork())
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	assert.NotContains(t, ended.log, "has its check already")
	assert.Equal(t, "action_required", r.checks()[0]["conclusion"], "the newest of the name")
}

func TestResultsOfAnotherWorkflowsRunAreFetchedFromGitHub(t *testing.T) {
	t.Parallel()
	r := ranIn(t, false)
	r.uploaded()
	ended := r.publish()
	require.Zero(t, ended.code, ended.log)
	conclusion, _ := r.bench()
	assert.Equal(t, "success", conclusion, "its author may write: %s", ended.log)
	assert.Equal(t, "true", ended.outputs["passed"])
	require.Len(t, r.comments(), 1, "the pull request is found by its head")
	assert.Contains(t, r.comments()[0], allPassed)
}

func TestResultsOfAForksRunAreUnverified(t *testing.T) {
	t.Parallel()
	r := ranIn(t, true)
	r.uploaded()
	ended := r.publish()
	require.Zero(t, ended.code, ended.log)
	conclusion, title := r.bench()
	assert.Equal(t, []string{"action_required", "CAN'T TELL: unverified"}, []string{conclusion, title})
	assert.NotContains(t, r.comments()[0], "PASS")
	assert.Contains(t, ended.summary, "so they may be invented")
	assert.Contains(t, ended.summary, "/bench approve "+r.head)
	assert.Equal(t, []string{"action_required", "false", "false", "false"},
		[]string{ended.outputs["conclusion"], ended.outputs["passed"], ended.outputs["reliability-passed"], ended.outputs["efficiency-passed"]})
}
