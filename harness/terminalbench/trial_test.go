package terminalbench_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
)

// recorded are the results of a job of harbor's, version 0.24; see
// testdata/real for the kind of tasks that it was given.
func recorded(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("testdata/job")
	require.NoError(t, err)
	return dir
}

func TestResultsOfAJob(t *testing.T) {
	r := newRig(t, "")
	script := start + "cp -r " + recorded(t) + "/* $job/; exit 0"
	require.NoError(t, os.WriteFile(r.Harbor, []byte(script), 0o700))
	r.Split = harness.WholeDataset
	results, err := r.run(t, nil)
	require.NoError(t, err)
	want := harness.Results{
		"passes": harness.Reward(1),
		"fails":  harness.Reward(1),
		"a-task-whose-name-is-longer-than-32-characters": harness.Reward(1),
		"agent-slow":      {Status: harness.Scored, Score: 0, Reason: "AgentTimeoutError: Agent execution timed out after 3.0 seconds"},
		"agent-raises":    harness.NoReward(harness.Crashed, "the agent raised RuntimeError: boom in the agent's own code"),
		"agent-cancelled": harness.NoReward(harness.Infrastructure, "CancelledError"),
		"verifier-slow":   harness.NoReward(harness.Infrastructure, "VerifierTimeoutError: Verifier execution timed out after 2.0 seconds"),
		"other-key":       harness.NoReward(harness.Infrastructure, "the verifier gave 2 rewards, and none that is called reward"),
		"badreward":       harness.NoReward(harness.Infrastructure, "VerifierOutputParseError: Failed to parse rewards from text file jobs/j1/badreward__U2vzSmf/verifier/reward.txt"),
		"noreward": harness.NoReward(harness.Infrastructure,
			"RewardFileNotFoundError: No reward file found at jobs/j1/noreward__U5r7bWk/verifier/reward.txt or jobs/j1/noreward__U5r7bWk/verifier/reward.json"),
	}
	assert.Equal(t, want, results)
	assert.Len(t, r.seen, len(want))
	t.Run("tasks that were planned and not begun are in the results of a whole dataset", func(t *testing.T) {
		script := start + "cp -r " + recorded(t) + "/[!p]* $job/; exit 130"
		require.NoError(t, os.WriteFile(r.Harbor, []byte(script), 0o700))
		results, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Equal(t, harness.Missing, results["passes"].Status)
		assert.Contains(t, results["passes"].Reason, "exit status 130")
		assert.Len(t, results, len(want))
	})
}

func TestShapesOfATrial(t *testing.T) {
	for name, test := range map[string]struct {
		result string
		want   harness.Outcome
	}{
		"rewards that are null":            {`"verifier_result": {"rewards": null}`, harness.NoReward(harness.Infrastructure, "the verifier gave no reward")},
		"a verifier's result that is null": {`"verifier_result": null`, harness.NoReward(harness.Infrastructure, "the verifier has no result")},
		"no verifier's result":             {`"x": 1`, harness.NoReward(harness.Infrastructure, "the verifier has no result")},
		"a whole number":                   {`"verifier_result": {"rewards": {"reward": 1}}`, harness.Reward(1)},
		"a part":                           {`"verifier_result": {"rewards": {"reward": 0.25, "speed": 3}}`, harness.Reward(0.25)},
		"a reward that is text":            {`"verifier_result": {"rewards": {"reward": "1.0"}}`, harness.NoReward(harness.Infrastructure, `the reward is "1.0", want a number from 0 to 1`)},
		"a reward that is null":            {`"verifier_result": {"rewards": {"reward": null}}`, harness.NoReward(harness.Infrastructure, "the benchmark gave no reward")},
		"a reward over 1":                  {`"verifier_result": {"rewards": {"reward": 2}}`, harness.Reward(2)},
		"rewards that are one number":      {`"verifier_result": {"rewards": 1.0}`, harness.Reward(1)},
		"an agent that took too long, without a verifier": {`"exception_info": {"exception_type": "AgentTimeoutError", "exception_message": "after 3 s"}`,
			harness.NoReward(harness.Timeout, "AgentTimeoutError: after 3 s")},
		"an agent that failed, with a reward": {`"verifier_result": {"rewards": {"reward": 1.0}}, "exception_info": {"exception_type": "NonZeroAgentExitCodeError", "exception_message": "exit 2\nmore"}`,
			harness.Outcome{Status: harness.Scored, Score: 1, Reason: "NonZeroAgentExitCodeError: exit 2"}},
		"a step that failed": {`"exception_info": null, "step_results": [{"step_name": "a"}, {"step_name": "b", "exception_info": {"exception_type": "EnvironmentStartTimeoutError", "exception_message": ""}}]`,
			harness.NoReward(harness.Infrastructure, "EnvironmentStartTimeoutError")},
		"an agent that took too long to begin": {`"exception_info": {"exception_type": "AgentSetupTimeoutError", "exception_message": "after 360 s"}`,
			harness.NoReward(harness.Timeout, "AgentSetupTimeoutError: after 360 s")},
		"an agent of harbor's own that fails": {`"agent_execution": {"started_at": "2026"}, "exception_info": {"exception_type": "RuntimeError", "exception_message": "no answer", "exception_traceback": "Traceback\n  File \"/v/site-packages/harbor/agents/x.py\", line 5, in run\nRuntimeError"}`,
			harness.NoReward(harness.Crashed, "the agent raised RuntimeError: no answer")},
		"an agent of harbor's that the network fails": {`"agent_setup": {"started_at": "2026"}, "exception_info": {"exception_type": "NetworkConnectionError", "exception_message": "exit 6", "exception_traceback": "Traceback\n  File \"/v/site-packages/harbor/agents/installed/base.py\", line 5, in run\nNetworkConnectionError"}`,
			harness.NoReward(harness.Infrastructure, "NetworkConnectionError: exit 6")},
		"a sandbox that is lost while the agent works": {`"agent_execution": {"started_at": "2026"}, "exception_info": {"exception_type": "SandboxError", "exception_message": "gone", "exception_traceback": "Traceback\n  File \"/experiment/agent/agent.py\", line 5, in run\n  File \"/v/site-packages/harbor/environments/e2b.py\", line 9, in exec\nSandboxError"}`,
			harness.NoReward(harness.Infrastructure, "SandboxError: gone")},
		"a model that cannot be asked": {`"agent_execution": {"started_at": "2026"}, "exception_info": {"exception_type": "APIConnectionError", "exception_message": "refused", "exception_traceback": "Traceback\n  File \"/experiment/agent/agent.py\", line 5, in run\n  File \"/v/site-packages/litellm/main.py\", line 9, in completion\n  File \"/usr/lib/python3.12/asyncio/tasks.py\", line 1, in x\nAPIConnectionError"}`,
			harness.NoReward(harness.Infrastructure, "APIConnectionError: refused")},
		"a verifier that fails after the agent": {`"agent_execution": {"started_at": "2026"}, "verifier": {"started_at": "2026"}, "exception_info": {"exception_type": "OSError", "exception_message": "disk", "exception_traceback": "Traceback\n  File \"/experiment/agent/agent.py\", line 5, in run\nOSError"}`,
			harness.NoReward(harness.Infrastructure, "OSError: disk")},
		"a secret in a message": {`"exception_info": {"exception_type": "AuthError", "exception_message": "key sk-model-key is wrong"}`,
			harness.NoReward(harness.Infrastructure, "AuthError: key [redacted] is wrong")},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, `trial cobol__x '{"task_name": "cobol", "task_id": {"path": "/t/cobol"}, "finished_at": "2026", `+strings.ReplaceAll(test.result, `'`, `'\''`)+`}'`)
			results, err := r.run(t, []string{"cobol", "chess"})
			require.NoError(t, err)
			assert.Equal(t, test.want, results["cobol"])
			assert.Equal(t, harness.Missing, results["chess"].Status)
		})
	}
	for name, test := range map[string]struct{ id, result string }{
		"a task of a repository": {"cobol", `"task_id": {"git_url": "https://x", "path": "tasks/cobol"}, "task_name": "terminal-bench/cobol"`},
		"a task of a package":    {"terminal-bench/cobol", `"task_id": {"org": "terminal-bench", "name": "cobol", "ref": "1"}, "task_name": "terminal-bench/cobol"`},
		"a package by its name":  {"cobol", `"task_id": {"org": "terminal-bench", "name": "cobol"}, "task_name": "terminal-bench/cobol"`},
		"a task by its title":    {"cobol", `"task_id": {"path": "/cache/8f3a"}, "task_name": "terminal-bench/cobol"`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, `trial cut__x '{`+test.result+`, "verifier_result": {"rewards": {"reward": 1}}, "finished_at": "2026"}'`)
			results, err := r.run(t, []string{test.id})
			require.NoError(t, err)
			assert.Equal(t, harness.Results{test.id: harness.Reward(1)}, results)
		})
	}
	t.Run("a result that cannot be read is known by the trial's configuration", func(t *testing.T) {
		r := newRig(t, `trial cobol__x '{"task_na'; echo '{"task": {"path": "/t/cobol"}}' >$job/cobol__x/config.json
mkdir $job/chess__y; echo '{"task": {"path": "/t/chess"}}' >$job/chess__y/config.json`)
		results, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Contains(t, results["cobol"].Reason, "cannot be read")
		assert.Contains(t, results["chess"].Reason, "broken off")
		assert.Equal(t, 2, results.Count(harness.Infrastructure))
	})
	t.Run("of two trials of a task the later one counts", func(t *testing.T) {
		r := newRig(t, `passed cobol; trial cobol__a '{"task_name": "cobol", "task_id": {"path": "/t/cobol"}, "verifier_result": {"rewards": {"reward": 0}}, "finished_at": "2026-01-02T00:00:00Z"}'`)
		results, err := r.run(t, []string{"cobol"})
		require.NoError(t, err)
		assert.Equal(t, harness.Reward(0), results["cobol"])
	})
	t.Run("a task that was not asked for is not in the results", func(t *testing.T) {
		r := newRig(t, `passed cobol; passed chess`)
		results, err := r.run(t, []string{"cobol"})
		require.NoError(t, err)
		assert.Equal(t, harness.Results{"cobol": harness.Reward(1)}, results)
	})
}

func TestWhatIsMeasuredOfATrial(t *testing.T) {
	r := newRig(t, `trial cobol__x '{"task_name": "cobol", "task_id": {"path": "/t/cobol"}, "verifier_result": {"rewards": {"reward": 1}}, "started_at": "2026-01-01T00:00:00Z", "finished_at": "2026-01-01T00:02:00Z",
"agent_execution": {"started_at": "2026-01-01T00:01:00Z", "finished_at": "2026-01-01T00:01:30.5Z"}, "agent_result": {"n_input_tokens": 120, "n_cache_tokens": 20, "n_output_tokens": 7, "cost_usd": 0.25}}'`)
	_, err := r.run(t, []string{"cobol"})
	require.NoError(t, err)
	m := r.seen[0].Measured
	assert.Contains(t, string(m.Result), `"n_input_tokens": 120`)
	m.Result = nil
	assert.Equal(t, harness.Measured{Duration: 30500 * time.Millisecond, InputTokens: 120, CachedTokens: 20, OutputTokens: 7, CostUSD: 0.25}, m)
}
