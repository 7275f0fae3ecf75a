package actioncli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// experiment are the files of a benchmark that decides by evidence: an agent, which is a
// text, passes all tasks unless it is bad.
func experiment() map[string]string {
	return map[string]string{
		"agent.txt":              "good",
		"experiment_config.yaml": "benchmark: command\ncommand: [sh, bench.sh]\ngate: {policy: evidence, epochs: 4}\n",
		"bench.sh": `cat > /dev/null
reward=1
grep -q bad agent.txt && reward=0
for id in 01 02 03 04 05 06 07 08 09 10 11 12; do
  echo "{\"t$id\": {\"reward\": $reward, \"duration_s\": 1, \"input_tokens\": 10}}"
done
`,
	}
}

// proposedAgent makes the workspace the merge of a pull request that changes some of an
// experiment's files, which GitHub has too.
func proposedAgent(t *testing.T, files, change map[string]string) (r *runner, base string) {
	t.Helper()
	r = newRunner(t)
	r.unprivileged = true
	r.inputs = map[string]string{"benchmark": "command", "github-token": jobToken, "model": "acme-1", "model-api-key": modelKey}
	owner := r.world.As("owner")
	address := strings.Replace(r.world.URL, "://", "://owner:"+sandboxtest.Token("owner")+"@", 1) + "/" + sandboxtest.Owner + "/" + sandboxtest.Name + ".git"
	r.git("init", "-q", "-b", "empty")
	r.git("fetch", "-q", address, "main")
	r.git("checkout", "-qb", "main", "FETCH_HEAD")
	commit := func(files map[string]string, message string) string {
		for name, text := range files {
			r.write(name, text, 0o755)
		}
		r.git("add", "-A")
		r.git("commit", "-qm", message)
		return r.git("rev-parse", "HEAD")
	}
	base = commit(files, "base")
	r.git("checkout", "-qb", "agent")
	commit(change, "change")
	r.git("push", "-q", address, "main", "agent")
	pull := owner.Do("POST", sandboxtest.Path+"/pulls", `{"title":"Another agent","head":"agent","base":"main"}`)
	r.pull, r.head = pull.Int("number"), pull.Text("head.sha")
	require.NotZero(t, r.pull, pull.Body)
	r.git("checkout", "-q", "main")
	r.git("merge", "-q", "--no-ff", "-m", "merge", "agent")
	r.pullRequest("synchronize", map[string]any{"base": map[string]any{"ref": "main", "sha": strings.Repeat("0d", 20)}})
	return r, base
}

func TestAnAgentIsComparedWithThatOfTheBaseCommit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ agent, conclusion, passed, says string }{
		"as good as it": {"good, in other words", "success", "true", "PASS: "},
		"worse":         {"bad", "failure", "false", "FAIL: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, base := proposedAgent(t, experiment(), map[string]string{"agent.txt": c.agent})
			ended := r.run()
			require.Zero(t, ended.code, ended.log)
			require.Len(t, r.checks(), 1)
			assert.Equal(t, c.conclusion, r.checks()[0]["conclusion"])
			assert.Equal(t, c.passed, ended.outputs["passed"])
			require.Len(t, r.comments(), 1)
			for _, text := range []string{r.comments()[0], ended.summary} {
				assert.Contains(t, text, c.says)
				assert.Contains(t, text, "agent@"+base[:7], "what it is compared with")
				assert.Contains(t, text, "12 tasks")
			}
			assert.Contains(t, ended.log, "--base-dir ../base --base-commit "+base+" --git-tree "+r.git("rev-parse", "HEAD^{tree}"))

			var summary bench.Summary
			text, err := os.ReadFile(filepath.Join(r.workspace, ended.outputs["summary-json"]))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &summary))
			require.NotNil(t, summary.Evidence)
			page, err := os.ReadFile(filepath.Join(r.workspace, ended.outputs["report-html"]))
			require.NoError(t, err)
			assert.Contains(t, string(page), "t12", "the report has each task")
			rows := 0
			files, err := filepath.Glob(filepath.Join(r.workspace, ended.outputs["rows"], "*-suite.jsonl"))
			require.NoError(t, err)
			for _, file := range files {
				text, err := os.ReadFile(file)
				require.NoError(t, err)
				rows += strings.Count(string(text), "\n")
			}
			assert.Equal(t, 2*4*12, rows)
			assert.FileExists(t, filepath.Join(r.workspace, ".bench/workspace/gate.json"))
			assert.Empty(t, r.git("status", "--porcelain", "--untracked-files=all", "--", ":!.bench"), "what is checked out stays as it is")
		})
	}
}

// What is proposed has the file of the configuration too; inputs have the last word.
func TestInputsDecideHowTheGateDoes(t *testing.T) {
	t.Parallel()
	files := experiment()
	files["experiment_config.yaml"] = "benchmark: command\ncommand: [sh, bench.sh]\n"
	r, base := proposedAgent(t, files, map[string]string{"agent.txt": "bad", "experiment_config.yaml": files["experiment_config.yaml"] + "gate: {policy: evidence, epochs: 2, margin: 99}\n"})
	r.inputs["gate-profile"], r.inputs["repetitions"], r.inputs["margin-success"], r.inputs["max-cost-usd"] = "regression", "4", "20", "5"
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	assert.Equal(t, "failure", ended.outputs["conclusion"])
	assert.Contains(t, ended.summary, "agent@"+base[:7])
	assert.Contains(t, ended.log, "--max-cost-usd 5 --policy evidence --epochs 4 --margin-success 20 ")
	assert.Equal(t, filepath.Dir(ended.outputs["summary-json"]), ended.outputs["rows"], "an artifact of that folder is whole")
	var summary bench.Summary
	text, err := os.ReadFile(filepath.Join(r.workspace, ended.outputs["summary-json"]))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &summary))
	require.NotNil(t, summary.Evidence)
	assert.InDelta(t, 20, summary.Evidence.Margins.SuccessDropPct, 0)
}

// As in the container, where we are root and what is proposed is run by a user without
// rights.
func TestBothAgentsAreRunByTheUserWithoutRights(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can become another user")
	}
	files := experiment()
	files["bench.sh"] = "id -u >&2; touch made; " + files["bench.sh"]
	files["experiment_config.yaml"] = strings.Replace(files["experiment_config.yaml"], "epochs: 4", "epochs: 4, baseline: v1", 1)
	r, base := proposedAgent(t, files, map[string]string{"agent.txt": "good, in other words"})
	r.unprivileged, r.builds = false, true
	r.inputs["build-command"] = "touch built; ls -d built"
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	assert.Equal(t, "success", ended.outputs["conclusion"])
	assert.Contains(t, ended.summary, "agent@"+base[:7])
	assert.NotContains(t, ended.log, "[command] 0\n")
	assert.Contains(t, ended.log, "experiment_config.yaml: gate.baseline v1 is for bench harness gate by hand")
	assert.FileExists(t, filepath.Join(r.workspace, ended.outputs["report-html"]))
	assert.NoFileExists(t, filepath.Join(r.workspace, "made"))
}

// Each commit has what its own build makes, and nothing of the other's.
func TestTheBaselineHasABuildOfItsOwn(t *testing.T) {
	t.Parallel()
	files := experiment()
	files["bench.sh"] = strings.ReplaceAll(files["bench.sh"], "agent.txt", "built.txt")
	files["build.sh"] = "cat agent.txt >> built.txt; test ! -e only_head\n"
	r, _ := proposedAgent(t, files, map[string]string{"agent.txt": "bad", "build.sh": "touch only_head; cat agent.txt >> built.txt\n"})
	r.inputs["build-command"] = "sh build.sh"
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	assert.Equal(t, "failure", ended.outputs["conclusion"])
	assert.Contains(t, ended.log, "success −100 points", "the baseline passes what the other does not")

	files["build.sh"] = "echo no such package; exit 5\n"
	r, base := proposedAgent(t, files, map[string]string{"build.sh": "cat agent.txt > built.txt\n"})
	r.inputs["build-command"] = "sh build.sh"
	ended = r.run()
	assert.Contains(t, ended.log, "there is no agent of the base commit "+base[:7]+" to compare with, so there is no verdict: prepare the benchmark with")
	assert.Contains(t, ended.log, "no such package")
	assert.Equal(t, "action_required", ended.outputs["conclusion"], "that the base cannot be built is not the proposal's fault")
}

func TestWithoutABaselineThereIsNoVerdict(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(r *runner)
		says   string
	}{
		"it is nowhere":               {func(r *runner) { r.inputs["base-commit"] = strings.Repeat("0d", 20) }, "there is no agent of the base commit 0d0d0d0 to compare with, so there is no verdict: the checkout does not have it"},
		"the event has none":          {func(r *runner) { r.git("checkout", "-q", "agent"); r.event("workflow_dispatch", map[string]any{}) }, "event workflow_dispatch has no base commit, so there is nothing that the agent could be compared with: name one with base-commit"},
		"another commit is there":     {func(r *runner) { r.git("checkout", "-q", "main~1") }, "leave out ref at actions/checkout"},
		"the agent is the baseline's": {func(r *runner) { r.git("checkout", "-q", "agent"); r.inputs["base-commit"] = r.head }, "there is nothing to compare"},
		"its parts are not told":      {func(r *runner) { r.inputs["shard"] = "1/2" }, `benchmark "command" does not tell, and workspace has no scores of split "test": run`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := proposedAgent(t, experiment(), map[string]string{"agent.txt": "good, in other words"})
			c.change(r)
			ended := r.run()
			assert.NotZero(t, ended.code)
			assert.Contains(t, ended.log, c.says)
			assert.NotContains(t, []string{"success", "failure"}, ended.outputs["conclusion"])
			assert.NotContains(t, ended.log, "PASS  t01", "nothing is run")
		})
	}
}

// A checkout has one commit, unless it is told otherwise: the baseline's files come from
// GitHub then.
func TestABaselineThatTheCheckoutLacksIsFetched(t *testing.T) {
	t.Parallel()
	r, base := proposedAgent(t, experiment(), map[string]string{"agent.txt": "bad"})
	r.git("checkout", "-q", "agent")
	r.git("branch", "-qD", "main")
	require.NoError(t, os.WriteFile(filepath.Join(r.workspace, ".git/shallow"), []byte(r.head+"\n"), 0o644))
	r.git("reflog", "expire", "--expire=now", "--all")
	require.NoError(t, os.Remove(filepath.Join(r.workspace, ".git/FETCH_HEAD")))
	r.git("gc", "-q", "--prune=now")
	r.pullRequest("synchronize", map[string]any{"base": map[string]any{"ref": "main", "sha": base}})
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	assert.Equal(t, "failure", ended.outputs["conclusion"])
	assert.Contains(t, ended.summary, "agent@"+base[:7])
}

// harborExperiment is an experiment of Terminal-Bench with a harbor that is a script.
func harborExperiment() map[string]string {
	files := map[string]string{
		"agent.txt":              "good",
		"experiment_config.yaml": "benchmark: terminal-bench\nharbor: ./harbor\ndataset: ./tasks\nenv_provider: rooms:Rooms\nsplit: '*'\ngate_split: '*'\ngate: {policy: evidence, epochs: 4}\n",
		"harbor": `#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    --config) config=$2 ;;
    --job-name) name=$2 ;;
    --jobs-dir) jobs=$2 ;;
  esac
  shift
done
reward=1
grep -q bad agent.txt && reward=0
for task in $(grep -o '"t[0-9][0-9]"' "$config" | tr -d '"'); do
  mkdir -p "$jobs/$name/${task}__x"
  echo '{"task_name": "'$task'", "task_id": {"path": "/tasks/'$task'"}, "verifier_result": {"rewards": {"reward": '$reward'}}, "finished_at": "2026-01-01T00:00:00Z"}' > "$jobs/$name/${task}__x/result.json"
  echo $task >> "$jobs/$name/result.json"
done
`,
	}
	for _, id := range []string{"01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12"} {
		files["tasks/t"+id+"/task.toml"] = ""
	}
	return files
}

func TestPartsOfABenchmarkAreJudgedTogether(t *testing.T) {
	t.Parallel()
	r, base := proposedAgent(t, harborExperiment(), map[string]string{"agent.txt": "good, in other words"})
	r.inputs["benchmark"] = "terminal-bench"
	for _, shard := range []string{"1/2", "2/2"} {
		r.inputs["shard"], r.inputs["output-dir"] = shard, "shards/"+shard[:1]
		part := r.run()
		require.Zero(t, part.code, part.log)
		assert.Contains(t, part.log, "[gate] part "+shard+" is done")
		assert.Empty(t, part.outputs["conclusion"])
		assert.NotEmpty(t, part.outputs["rows"])
		r.runs-- // Both are jobs of one run of the workflow.
	}
	assert.Empty(t, r.checks(), "a part says nothing")
	delete(r.inputs, "shard")
	delete(r.inputs, "output-dir")
	delete(r.inputs, "model-api-key")
	r.inputs["results"] = "shards"
	ended := r.run()
	require.Zero(t, ended.code, ended.log)
	require.Len(t, r.checks(), 1)
	assert.Equal(t, "success", r.checks()[0]["conclusion"], ended.log)
	assert.Equal(t, "terminal-bench", r.checks()[0]["name"])
	assert.Contains(t, ended.summary, "agent@"+base[:7])
	assert.Contains(t, ended.summary, "96 sessions", "the two parts have all of the plan")
	assert.FileExists(t, filepath.Join(r.workspace, ended.outputs["report-html"]))

	r.runs--
	r.inputs["model"] = "another"
	ended = r.run()
	assert.Equal(t, "action_required", ended.outputs["conclusion"])
	assert.Contains(t, ended.log, "input model", "the parts were made with another one")

	r.runs--
	r.inputs["model"] = "acme-1"
	require.NoError(t, os.RemoveAll(filepath.Join(r.workspace, "shards/2")))
	ended = r.run()
	assert.Equal(t, "neutral", ended.outputs["conclusion"], "half of the plan is no pass: %s", ended.log)
}
