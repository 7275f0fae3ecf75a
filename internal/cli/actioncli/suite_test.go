package actioncli_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// modelKey is what a workflow gives for the model.
const modelKey = "sk-the-key-of-the-model"

// onProgram has the action gate on a benchmark that is this shell script.
func (r *runner) onProgram(script string) {
	r.t.Helper()
	r.unprivileged = true
	r.inputs = map[string]string{"benchmark": "command", "github-token": jobToken, "model": "acme-1", "model-api-key": modelKey}
	r.write("experiment_config.yaml", "benchmark: command\ncommand: [sh, bench.sh]\nagent_env: [ACTIONS_RUNTIME_TOKEN, OF_THE_STEP]\n", 0o644)
	r.write("bench.sh", "cat > /dev/null\n"+script, 0o644)
}

// halfRight rewards one of two tasks.
const halfRight = `
echo '{"a": 1.0}'
echo '{"b": 0.0}'
`

func TestTheGateOfABenchmarkIsPassed(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.onProgram(halfRight + `
echo "$AGENT_MODEL $OF_THE_STEP"
test "$OPENAI_API_KEY" = ` + modelKey + ` && echo has the key
env; pwd; ls -A; touch made
echo '::error::not a command'
`)
	r.write(".git/config", "[http \"https://github.com/\"]\n\textraheader = AUTHORIZATION: basic c2VjcmV0\n", 0o644)
	r.env["ACTIONS_RUNTIME_TOKEN"], r.env["OF_THE_STEP"] = "eyJ-the-token-of-the-runner", "told"
	ended := r.run()
	require.Zero(t, ended.code, ended.log)

	checks := r.checks()
	require.Len(t, checks, 1)
	assert.Equal(t, "command", checks[0]["name"], "it stands beside that of ghx")
	assert.Equal(t, "success", checks[0]["conclusion"])
	require.Len(t, r.comments(), 1)
	for _, text := range []string{r.comments()[0], ended.summary} {
		assert.Contains(t, text, "PASS: all 2 checks passed")
		assert.Contains(t, text, "**command** · `acme-1`")
		assert.Contains(t, text, "Full test, mean reward | 50% |")
	}
	assert.Equal(t, "success", ended.outputs["conclusion"])
	assert.Equal(t, "true", ended.outputs["passed"])
	assert.Empty(t, ended.outputs["reliability-passed"], "it has no such gate")
	for _, stage := range []string{"Build", "Run command", "Gate", "Publish"} {
		assert.Contains(t, ended.log, "::group::"+stage+"\n")
	}
	assert.Contains(t, ended.log, "$ bench harness gate --config experiment_config.yaml\n")
	assert.Contains(t, ended.log, "PASS  a: 1.00")
	assert.Contains(t, ended.log, "[gate] PASSED")

	// What the program sees of this machine.
	assert.Contains(t, ended.log, "[command] acme-1 told\n")
	assert.Contains(t, ended.log, "[command] has the key\n")
	for _, secret := range []string{modelKey, jobToken, r.env["ACTIONS_RUNTIME_TOKEN"]} {
		assert.NotContains(t, strings.ReplaceAll(ended.log, "::add-mask::"+secret, ""), secret)
	}
	for _, never := range []string{"INPUT_", "GITHUB_", "] ACTIONS_", "\n::error::not", "[command] .git\n"} {
		assert.NotContains(t, ended.log, never)
	}
	assert.NoFileExists(t, filepath.Join(r.workspace, "made"), "it runs in a copy")

	var summary bench.Summary
	text, err := os.ReadFile(filepath.Join(r.workspace, ended.outputs["summary-json"]))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &summary))
	assert.True(t, summary.Gate.Passed)
	assert.Len(t, summary.Gate.Checks, 2)
	assert.FileExists(t, filepath.Join(r.workspace, ended.outputs["summary-md"]))
	assert.Empty(t, ended.outputs["report-html"])
	assert.FileExists(t, filepath.Join(r.workspace, ".bench/workspace/gate.json"), "a later step can record it")
}

func TestTheGateOfABenchmarkIsNotPassed(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.onProgram(halfRight)
	r.inputs["check-name"] = "evals"
	r.write("workspace/results.tsv", "iteration\tval_score\tcommit\tevals_passed\tevals_total\ttimestamp\n0\t0.75\tbaseline\t0\t0\t2026-01-01T00:00:00Z\n", 0o644)
	r.write("workspace/suite.json", `{"tasks": ["a", "b"], "threshold": 0.8, "last_results": {}}`, 0o644)
	ended := r.run()
	assert.Zero(t, ended.code, ended.log)
	require.Len(t, r.checks(), 1)
	assert.Equal(t, "evals", r.checks()[0]["name"])
	assert.Equal(t, "failure", r.checks()[0]["conclusion"])
	require.Len(t, r.comments(), 1)
	assert.Contains(t, r.comments()[0], "FAIL: 2 of 2 checks failed")
	assert.Contains(t, r.comments()[0], "1 of 2 tasks passed. Not so: b.")
	assert.Contains(t, r.comments()[0], "The best so far is 0.75, this is 0.5.")
	assert.Equal(t, "false", ended.outputs["passed"])
	unchanged, err := os.ReadFile(filepath.Join(r.workspace, "workspace/suite.json"))
	require.NoError(t, err)
	assert.Contains(t, string(unchanged), `"last_results": {}`, "what is checked out stays as it is")

	r.inputs["fail-on"] = "gate"
	assert.Equal(t, 1, r.run().code)
	assert.Len(t, r.comments(), 1, "the comment is kept up to date")
}

func TestAGateThatCannotBeJudgedIsNoVerdict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script, config, conclusion, want string
		code                                   int
	}{
		{"a program that fails", "echo '{\"a\": 1}'; echo out of luck; exit 3", "benchmark: command\ncommand: [sh, bench.sh]\n", "action_required", "exit status 3", 3},
		{"a program without results", "true", "benchmark: command\ncommand: [sh, bench.sh]\n", "action_required", "it prints results as lines like", 3},
		{"a key that is wrong", halfRight, "benchmark: command\ncomand: [sh]\n", "action_required", "experiment_config.yaml:2", 2},
		{"another benchmark", halfRight, "benchmark: tau-bench\ndomain: retail\n", "action_required", "benchmark is tau-bench, and the input benchmark is command", 2},
		{"another model", halfRight, "benchmark: command\ncommand: [sh]\nagent_model: other\n", "action_required", "agent_model is other, and the input model is acme-1", 2},
		{"a file that is not there", halfRight, "", "action_required", "there is no file experiment_config.yaml", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t)
			r.onProgram(c.script)
			r.write("experiment_config.yaml", c.config, 0o644)
			if c.config == "" {
				require.NoError(t, os.Remove(filepath.Join(r.workspace, "experiment_config.yaml")))
			}
			ended := r.run()
			assert.Equal(t, c.code, ended.code, ended.log)
			assert.Contains(t, ended.log, c.want)
			require.Len(t, r.checks(), 1)
			assert.Equal(t, c.conclusion, r.checks()[0]["conclusion"])
			require.Len(t, r.comments(), 1)
			assert.Equal(t, c.conclusion, ended.outputs["conclusion"])
			assert.Empty(t, ended.outputs["passed"])
		})
	}
}

func TestAModelOfABenchmarkNeedsItsKeyBeforeAnythingIsBuilt(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.onProgram("")
	r.write("experiment_config.yaml", "benchmark: tau-bench\ndomain: retail\n", 0o644)
	r.inputs["benchmark"], r.inputs["model"], r.inputs["model-api-key"], r.inputs["build-command"] = "tau-bench", "claude-x", "", "echo building"
	ended := r.run()
	assert.Equal(t, 2, ended.code)
	assert.Contains(t, ended.log, "input model-api-key: it is required for model claude-x, or ANTHROPIC_API_KEY in the step's env")
	assert.NotContains(t, ended.log, "building")
}

func TestABuildMakesWhatABenchmarkNeeds(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.onProgram(`cat rewards`)
	r.inputs["build-command"] = `echo '{"a": 1}' > rewards`
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	assert.Equal(t, "success", ended.outputs["conclusion"])

	r.inputs["build-command"] = "exit 3"
	ended = r.run()
	assert.Equal(t, 1, ended.code)
	assert.Equal(t, "failure", ended.outputs["conclusion"])
	assert.Contains(t, ended.log, "prepare the benchmark with")
}

func TestTheCheckShowsHowFarABenchmarkIs(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	gate := filepath.Join(r.workspace, "gate")
	require.NoError(t, syscall.Mkfifo(gate, 0o666))
	r.onProgram("echo '{\"a\": 1}'; read _ < " + gate)
	shown := make(chan struct{})
	var once sync.Once
	r.through(func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Method != http.MethodPatch {
			return false
		}
		body, err := io.ReadAll(req.Body)
		assert.NoError(t, err)
		req.Body = io.NopCloser(bytes.NewReader(body))
		if strings.Contains(string(body), "RUNNING: 1 task") {
			once.Do(func() { close(shown) })
		}
		return false
	})
	go func() {
		<-shown
		assert.NoError(t, os.WriteFile(gate, []byte("go on\n"), 0))
	}()
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	assert.Equal(t, "success", ended.outputs["conclusion"])
}

func TestACommandRunsTheBenchmarkOfTheCommitThatItIsAbout(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.onProgram("echo of the default branch; exit 9")
	owner := r.world.As("owner")
	for path, content := range map[string]string{
		"experiment_config.yaml": "YmVuY2htYXJrOiBjb21tYW5kCmNvbW1hbmQ6IFtzaCwgYmVuY2guc2hdCg==", // benchmark: command, command: [sh, bench.sh]
		"bench.sh":               "ZWNobyAneyJhIjogMX0nCg==",                                     // echo '{"a": 1}'
	} {
		put := owner.Do("PUT", sandboxtest.Path+"/contents/"+path, map[string]string{"message": "add " + path, "content": content, "branch": "change"})
		require.Equal(t, 201, put.Status, put.Body)
		r.head = put.Text("commit.sha")
	}
	r.commented("writer", "/bench run verify_release")
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	assert.Contains(t, r.comments()[1], "is for the benchmark ghx")
	assert.Empty(t, r.checks())

	r.commented("writer", "/bench run")
	ended = r.run()
	require.Zero(t, ended.code, ended.log)
	require.Len(t, r.checks(), 1)
	assert.Equal(t, "success", r.checks()[0]["conclusion"])
}

func TestTheActionHasTheBenchmarksOfTheHarness(t *testing.T) {
	named := []string{actions.BenchmarkTau, actions.BenchmarkTerminal, actions.BenchmarkBird, actions.BenchmarkCommand}
	assert.ElementsMatch(t, harness.Benchmarks(), named)
}

func TestABenchmarkThatIsCancelledLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	r := newRunner(t)
	r.onProgram(`echo '{"a": 1}'; echo "program $$"; while true; do sleep 600; done`)
	cmd := r.command("bench-action")
	log, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	seen := readUntil(t, log, "[command] program ")
	program := regexp.MustCompile(`program (\d+)`).FindStringSubmatch(seen)
	require.NotNil(t, program, seen)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	seen += readUntil(t, log, "")
	require.Error(t, cmd.Wait())
	assert.Equal(t, 143, cmd.ProcessState.ExitCode(), seen)
	require.Len(t, r.checks(), 1)
	assert.Equal(t, "cancelled", r.checks()[0]["conclusion"], seen)
	pid, err := strconv.Atoi(program[1])
	require.NoError(t, err)
	assert.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH)
}
