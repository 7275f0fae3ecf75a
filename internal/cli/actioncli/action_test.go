package actioncli_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

func TestAPullRequestGetsItsVerdict(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	first := r.run()
	require.Zero(t, first.code, first.log)

	checks := r.checks()
	require.Len(t, checks, 1)
	assert.Equal(t, "bench", checks[0]["name"])
	assert.Equal(t, "completed", checks[0]["status"])
	assert.Equal(t, "neutral", checks[0]["conclusion"], "G15: no model was involved")
	require.Len(t, r.comments(), 1)
	assert.Contains(t, r.comments()[0], allPassed)
	assert.Contains(t, first.summary, "no model was involved")

	assert.Equal(t, "neutral", first.outputs["conclusion"])
	assert.Equal(t, checks[0]["html_url"], first.outputs["check-run-url"])
	assert.NotEmpty(t, first.outputs["comment-url"])
	for _, file := range []string{"summary-json", "summary-md", "report-html"} {
		assert.FileExists(t, filepath.Join(r.workspace, first.outputs[file]), file)
	}
	assert.DirExists(t, filepath.Join(r.workspace, first.outputs["rows"]))
	for _, stage := range []string{"Build", "Run agent_direct, ghx", "Report", "Gate", "Publish"} {
		assert.Contains(t, first.log, "::group::"+stage+"\n")
	}
	assert.Contains(t, first.log, "$ bench verify ")
	assert.NotContains(t, strings.ReplaceAll(first.log, "::add-mask::"+jobToken, ""), jobToken)

	second := r.run()
	require.Zero(t, second.code, second.log)
	assert.Len(t, r.comments(), 1, "the comment is kept up to date")
	assert.Equal(t, first.outputs["comment-url"], second.outputs["comment-url"])
	assert.Len(t, r.checks(), 1, "the newest of the name")
}

func TestAFailedGateFailsTheJobWhereThatIsAskedFor(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.inputs["candidate-mode"], r.inputs["baseline-mode"] = "agent_direct", "ghx"
	ended := r.run()
	assert.Zero(t, ended.code, ended.log)
	assert.Equal(t, "false", ended.outputs["passed"])
	r.inputs["fail-on"] = "gate"
	assert.Equal(t, 1, r.run().code)
}

func TestSequentialOrderHasAStagePerMode(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.inputs["order"] = "sequential"
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	var at []int
	for _, stage := range []string{"Build", "Run agent_direct\n", "Run ghx\n", "Report", "Gate"} {
		at = append(at, strings.Index(ended.log, "::group::"+stage))
	}
	assert.NotContains(t, at, -1)
	assert.IsIncreasing(t, at)
}

func TestShardsAreMergedAndJudgedInOneJob(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	for _, shard := range []string{"1/2", "2/2"} {
		r.inputs["shard"], r.inputs["output-dir"] = shard, "shards/"+shard[:1]
		ended := r.run()
		require.Zero(t, ended.code, ended.log)
		assert.Empty(t, ended.outputs["conclusion"])
		r.runs-- // The parts are jobs of one run.
	}
	assert.Empty(t, r.checks(), "a part tells nothing")
	delete(r.inputs, "shard")
	delete(r.inputs, "output-dir")
	r.inputs["results"] = "shards"
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	r.runs--
	assert.Equal(t, "neutral", ended.outputs["conclusion"])
	assert.NotEmpty(t, ended.outputs["tokens-active-reduction-pct"])
	assert.Len(t, r.checks(), 1)
	assert.Len(t, r.comments(), 1)

	require.NoError(t, os.RemoveAll(filepath.Join(r.workspace, "shards/2")))
	ended = r.run()
	assert.NotZero(t, ended.code, "a part is missing")
	assert.Equal(t, "neutral", ended.outputs["conclusion"])
}

func TestADraftIsSkipped(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.pullRequest("opened", map[string]any{"draft": true})
	ended := r.run()
	assert.Zero(t, ended.code, ended.log)
	require.Len(t, r.checks(), 1)
	assert.Equal(t, "action_required", r.checks()[0]["conclusion"])
	assert.Equal(t, "action_required", ended.outputs["conclusion"])
	assert.Empty(t, r.comments())
	assert.NotContains(t, ended.log, "$ bench verify")
}

func TestPathsThatAreNotTouchedAreSkipped(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.inputs["paths"] = "packages/**"
	assert.Zero(t, r.run().code)
	require.Len(t, r.checks(), 1)
	assert.Equal(t, "neutral", r.checks()[0]["conclusion"])
	assert.Contains(t, r.checks()[0]["output"].(map[string]any)["title"], "nothing of concern changed")
	r.inputs["paths"] = "packages/**\na"
	assert.Zero(t, r.run().code)
	assert.Equal(t, "neutral", r.checks()[0]["conclusion"])
	assert.Len(t, r.comments(), 1)
}

func TestWrongInputsAreToldOfAtOnce(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.inputs["repetitions"], r.inputs["gate-profile"], r.inputs["modle"] = "none", "strict", "x"
	ended := r.run()
	assert.Equal(t, 2, ended.code)
	for _, want := range []string{"repetitions", "gate-profile", "did you mean"} {
		assert.Contains(t, ended.log, want)
	}
	require.Len(t, r.checks(), 1, "a required check does not hang")
	assert.Equal(t, "action_required", r.checks()[0]["conclusion"])
	assert.Contains(t, ended.summary, "gate-profile")
}

func TestAModelNeedsItsKeyBeforeAnythingIsBuilt(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.inputs["provider"], r.inputs["model"], r.inputs["build-command"] = "opencode", "openai/gpt-5.3-codex", "touch built"
	ended := r.run()
	assert.Equal(t, 2, ended.code)
	assert.Contains(t, ended.log, "model-api-key")
	assert.NoFileExists(t, filepath.Join(r.workspace, "built"))
}

// Who renames the package of ghx, or removes it, does not have the installed one judged.
func TestAProposalThatIsNoGHXWorkspaceAnyMoreHasNoVerdict(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	manifest := base64.StdEncoding.EncodeToString([]byte(`{"name": "@ghx-dev/core"}`))
	made := r.world.As("owner").Do("PUT", sandboxtest.Path+"/contents/packages/core/package.json", `{"message":"ghx","content":"`+manifest+`","branch":"main"}`)
	require.Equal(t, http.StatusCreated, made.Status, made.Body)
	r.pullRequest("synchronize", map[string]any{"base": map[string]any{"ref": "main", "sha": made.Text("commit.sha")}})
	r.write("packages/core/package.json", `{"name": "@mine/core"}`, 0o644)
	r.inputs["provider"], r.inputs["model"], r.inputs["model-api-key"] = "opencode", "openai/m", "a-key-of-nobody"
	r.inputs["build-command"] = "auto"
	ended := r.run()
	assert.Equal(t, 2, ended.code)
	assert.Contains(t, ended.log, "is a ghx workspace, and what is proposed is none")
	assert.Contains(t, ended.log, "set build-command and ghx-command")
	require.Len(t, r.checks(), 1)
	assert.NotEqual(t, "success", r.checks()[0]["conclusion"])
}

func TestCodeOfAPullRequestDoesNotRunOnItsTarget(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.env["GITHUB_EVENT_NAME"] = "pull_request_target"
	ended := r.run()
	assert.Equal(t, 2, ended.code)
	assert.Contains(t, ended.log, "pull_request_target runs with the secrets")
	require.Len(t, r.checks(), 1, "a required check does not hang")
	assert.Equal(t, "action_required", r.checks()[0]["conclusion"])
	assert.Contains(t, ended.summary, "runs with the secrets and the write token")
}

func TestASecondVerdictSaysWhatChanged(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	require.Zero(t, r.run().code)
	r.inputs["candidate-mode"], r.inputs["baseline-mode"] = "agent_direct", "ghx"
	require.Zero(t, r.run().code)
	require.Len(t, r.comments(), 1)
	assert.Contains(t, r.comments()[0], "last run")
}

func TestAJobThatIsCancelledSaysSo(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.inputs["repetitions"] = "100"
	cmd := r.command("bench-action")
	log, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	seen := readUntil(t, log, "1/400 ")
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	seen += readUntil(t, log, "")
	require.Error(t, cmd.Wait())
	assert.Equal(t, 143, cmd.ProcessState.ExitCode(), seen)
	require.Len(t, r.checks(), 1)
	assert.Equal(t, "cancelled", r.checks()[0]["conclusion"], seen)
}

func TestThePostStepClosesWhatACrashLeftOpen(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.commented("writer", "/bench run --repetitions 100")
	cmd := r.command("bench-action")
	log, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	readUntil(t, log, "1/400 ")
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	require.Len(t, r.checks(), 1)
	require.Equal(t, "in_progress", r.checks()[0]["status"])

	ended := r.post(r.values("STATE"))
	require.Zero(t, ended.code, ended.log)
	require.Len(t, r.checks(), 1)
	assert.Equal(t, "bench (partial)", r.checks()[0]["name"])
	assert.Equal(t, "cancelled", r.checks()[0]["conclusion"], ended.log)
	again := r.post(map[string]string{})
	assert.Zero(t, again.code)
}

func TestWithoutTheRunnersFilesTheVerdictIsInTheLog(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.env["GITHUB_OUTPUT"], r.env["GITHUB_STEP_SUMMARY"] = "", "/nowhere/summary"
	ended := r.run()
	assert.Zero(t, ended.code, ended.log)
	assert.Contains(t, ended.log, "A"+allPassed[1:])
	assert.Len(t, r.comments(), 1)
}

func TestWhatIsProposedIsBuiltInACopyWithoutCredentials(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.builds = true
	r.write(".git/config", "[core]\n\tbare = false\n[http \"https://github.com/\"]\n\textraheader = AUTHORIZATION: basic c2VjcmV0\n", 0o644)
	r.write("file", "content", 0o644)
	r.inputs["build-command"] = "echo '::error::not a command'; env; ls -A; touch built"
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	assert.Regexp(t, `(?s)::stop-commands::(\S+)\n.*::error::not a command\n.*::stop-commands::?`, ended.log+"::stop-commands::")
	assert.NotContains(t, ended.log, "INPUT_")
	assert.NotContains(t, ended.log, "GITHUB_")
	assert.Contains(t, ended.log, "\nfile\n")
	assert.NotContains(t, ended.log, "\n.git\n")
	assert.NoFileExists(t, filepath.Join(r.workspace, "built"))
	config, err := os.ReadFile(filepath.Join(r.workspace, ".git/config"))
	require.NoError(t, err)
	assert.NotContains(t, string(config), "c2VjcmV0")
	assert.Contains(t, string(config), "bare = false")

	r.inputs["build-command"] = "echo no such file: index.ts >&2; exit 3"
	ended = r.run()
	assert.Equal(t, 1, ended.code)
	assert.Contains(t, ended.log, "build ghx with")
	assert.Equal(t, "failure", r.checks()[0]["conclusion"])
	assert.Contains(t, ended.summary, "no such file: index.ts")
}

// A build is the pull request's code. It knows where the runner keeps things.
func TestABuildFindsNoCredentials(t *testing.T) {
	t.Parallel()
	const token = "ghs_of-the-checkout"
	r := newRunner(t)
	r.builds = true
	temp, commands, event := t.TempDir(), t.TempDir(), filepath.Dir(r.env["GITHUB_EVENT_PATH"])
	r.env["RUNNER_TEMP"], r.env["GITHUB_ENV"] = temp, filepath.Join(commands, "env")
	const readable = 0o644
	require.NoError(t, os.WriteFile(filepath.Join(temp, "git-credentials-1.config"), []byte(token), readable))
	require.NoError(t, os.WriteFile(r.env["GITHUB_ENV"], []byte("AN_EARLIER_STEPS_SECRET="+token), readable))
	require.NoError(t, os.Chmod(r.env["GITHUB_EVENT_PATH"], readable))
	r.write("sub/.git/config", "[core]\n[includeIf \"gitdir:x\"]\n\tpath = "+temp+"/git-credentials-1.config\n", 0o644)
	r.write("sub/.git/modules/m/config", "[http]\n\textraheader = "+token+"\n", 0o644)
	r.write("sub/.git/config.worktree", "[remote \"origin\"]\n\turl = https://x-access-token:"+token+"@github.com/a/b\n", 0o644)
	r.write("sub/.git/packed", token, 0o644) // whatever else there is
	r.write("sub/file", "content", 0o644)
	before, err := os.Stat(filepath.Join(r.workspace, "sub/.git"))
	require.NoError(t, err)
	r.inputs["build-command"] = fmt.Sprintf("cat sub/file; cat %q/sub/file || echo 'the checkout is closed'; grep -r '' %[1]q %q %q %q || true", r.workspace, temp, commands, event)
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	assert.Contains(t, ended.log, "\ncontent")
	config, err := os.ReadFile(filepath.Join(r.workspace, "sub/.git/config.worktree"))
	require.NoError(t, err)
	assert.Contains(t, string(config), "url = https://github.com/a/b")
	if os.Geteuid() == 0 {
		assert.NotContains(t, ended.log, token)
		assert.NotContains(t, ended.log, `"pull_request"`, "the event")
		assert.Contains(t, ended.log, "\nthe checkout is closed\n")
	}
	for _, path := range []string{"config", "config.worktree", "modules/m/config"} {
		text, err := os.ReadFile(filepath.Join(r.workspace, "sub/.git", path))
		require.NoError(t, err)
		assert.NotContains(t, string(text), token)
		assert.NotContains(t, string(text), "git-credentials")
	}
	after, err := os.Stat(filepath.Join(r.workspace, "sub/.git"))
	require.NoError(t, err)
	assert.Equal(t, before.Mode(), after.Mode(), "for the steps that follow")
}

// What a pull request brings is never taken for results, nor are they written through
// a link of its own.
func TestFilesOfTheRepositoryAreNoResults(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT TESTED: git makes the repository")
	}
	for name, c := range map[string]struct {
		files, links map[string]string
		inputs       map[string]string
		says         string
	}{
		"nothing of ours":           {map[string]string{"a": "", ".bench/.gitignore": "*\n"}, nil, nil, ""},
		"a run to resume":           {map[string]string{".bench/r/run.json": "{}"}, nil, map[string]string{"resume": "true"}, "input output-dir: .bench/r/run.json is a file of the repository"},
		"a folder that is a link":   {map[string]string{"b/a": ""}, map[string]string{".bench": "b"}, nil, "input output-dir: .bench is a file"},
		"a link to somewhere":       {nil, map[string]string{".bench/summary.json": "/etc/passwd"}, nil, "input output-dir: .bench/summary.json is a file"},
		"a folder below a link":     {map[string]string{"b/c/a": ""}, map[string]string{"d": "b"}, map[string]string{"output-dir": "d/c"}, "input output-dir: d is a file"},
		"rows of an earlier run":    {map[string]string{"rows/x-suite.jsonl": ""}, nil, map[string]string{"rows": "rows"}, "input rows: rows/x-suite.jsonl is a file"},
		"one more shard":            {map[string]string{"results/forged/x-suite.jsonl": ""}, nil, map[string]string{"results": "results"}, "input results: results/forged/x-suite.jsonl is a file"},
		"the same in other letters": {map[string]string{".BENCH/r/run.json": "{}", ".bench/a/.keep": ""}, nil, nil, "input output-dir: .BENCH/r/run.json is a file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t)
			maps.Copy(r.inputs, c.inputs)
			for path, text := range c.files {
				r.write(path, text, 0o644)
			}
			for path, to := range c.links {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(r.workspace, path)), 0o755))
				require.NoError(t, os.Symlink(to, filepath.Join(r.workspace, path)))
			}
			for _, args := range [][]string{{"init", "-q"}, {"add", "-Af"}} {
				git := exec.CommandContext(t.Context(), "git", args...)
				git.Dir = r.workspace
				out, err := git.CombinedOutput()
				require.NoError(t, err, string(out))
			}
			ended := r.run()
			require.Len(t, r.checks(), 1)
			if c.says == "" {
				assert.Zero(t, ended.code, ended.log)
				return
			}
			assert.Equal(t, 2, ended.code, ended.log)
			assert.Contains(t, ended.log, c.says)
			assert.Equal(t, "action_required", r.checks()[0]["conclusion"])
		})
	}
}

func TestAPushAddsToTheHistoryThatTheDocumentationKeeps(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.inputs["scenarios"], r.inputs["repetitions"] = "pr-view-001", "1"
	r.event("push", map[string]any{
		"ref": "refs/heads/main", "before": r.head, "after": r.head, "deleted": false,
		"head_commit": map[string]any{"id": r.head, "message": "a change"},
	})
	docs, err := os.ReadFile("../../../docs/action.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(docs), "\n## History\n")
	require.True(t, found)
	_, kept, found := strings.Cut(section, "          path: ")
	require.True(t, found)
	kept, _, _ = strings.Cut(kept, "\n")
	for runs := range 2 {
		ended := r.run()
		require.Zero(t, ended.code, ended.log)
		history, err := os.ReadFile(filepath.Join(r.workspace, kept))
		require.NoError(t, err)
		assert.Equal(t, runs+1, strings.Count(string(history), "\n"), "a line per run")
	}
	assert.Len(t, r.checks(), 1)
	assert.Empty(t, r.comments(), "there is no pull request to comment on")
}
