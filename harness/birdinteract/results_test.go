package birdinteract_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// withoutAccounts returns what was told but for the benchmark's own account.
func withoutAccounts(seen []harness.Progress) []harness.Progress {
	for i := range seen {
		seen[i].Measured = harness.Measured{}
	}
	return seen
}

func TestShapesOfAResult(t *testing.T) {
	testkit.NeedComplete(t)
	for name, test := range map[string]struct {
		item string
		want harness.Outcome
	}{
		"a reward in part":                {`{"instance_id": "alien_1", "total_reward": 0.5}`, harness.Reward(0.5)},
		"a result without an instance_id": {`{"task_id": "alien_1", "total_reward": 0.8999999999999999}`, harness.Reward(0.8999999999999999)},
		"an error, without an instance_id": {`{"task_id": "alien_1", "error": "boom pg-of-ours", "total_reward": 0}`,
			harness.NoReward(harness.Infrastructure, "boom [redacted]")},
		"an error without a text": {`{"task_id": "alien_1", "error": "", "total_reward": 0}`,
			harness.NoReward(harness.Infrastructure, "the orchestrator failed without saying why, as it does when an answer takes too long")},
		"an answer that took too long":        {`{"task_id": "alien_1", "error": "ReadTimeout", "total_reward": 0}`, harness.NoReward(harness.Timeout, "ReadTimeout")},
		"an error that is null":               {`{"task_id": "alien_1", "error": null, "total_reward": 0}`, harness.Reward(0)},
		"a reward that is null":               {`{"task_id": "alien_1", "total_reward": null}`, harness.NoReward(harness.Infrastructure, "the benchmark gave no reward")},
		"a reward that only Python can write": {`{"task_id": "alien_1", "total_reward": NaN, "said": "NaN \" -Infinity"}`, harness.NoReward(harness.Infrastructure, "the benchmark gave no reward")},
		"no reward":                           {`{"task_id": "alien_1"}`, harness.NoReward(harness.Infrastructure, "the benchmark gave no reward")},
		"a reward that is text":               {`{"task_id": "alien_1", "total_reward": "1"}`, harness.NoReward(harness.Infrastructure, `the reward is "1", want a number from 0 to 1`)},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, `cp fake/output "$OUTPUT"`)
			r.write(t, "fake/output", `{"mode": "oracle", "results": [`+test.item+`, {"task_id": "robot_1", "total_reward": 1}]}`)
			results, err := r.run(t, []string{"alien_1", "robot_1", "alien_2"})
			require.NoError(t, err)
			assert.Equal(t, test.want, results["alien_1"])
			assert.Equal(t, harness.Reward(1), results["robot_1"])
			assert.Equal(t, harness.Missing, results["alien_2"].Status)
		})
	}
}

func TestResults(t *testing.T) {
	t.Run("output that is cut off is read up to the cut", func(t *testing.T) {
		r := newRig(t, `printf '%s' '{"mode": "a-interact", "metrics": {"results": [1]}, "results": [{"task_id": "alien_1", "total_reward": 1.0}, {"task_id": "alien_2", "total_re' >"$OUTPUT"; exit 1`)
		results, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Equal(t, harness.Reward(1), results["alien_1"])
		assert.Equal(t, harness.Missing, results["alien_2"].Status)
		assert.Contains(t, results["alien_2"].Reason, "exit status 1")
		assert.Contains(t, r.log.String(), "cut off: 1 results")
	})
	t.Run("a result is told while others are run", func(t *testing.T) {
		r := newRig(t, `echo '{"results": [{"task_id": "alien_1", "total_reward": 1.0}]}' >"$OUTPUT"; while [ ! -e fake/seen ]; do sleep 0.01; done
echo '{"results": [{"task_id": "alien_1", "total_reward": 1.0}, {"task_id": "alien_2", "total_reward": 0}, {"task_id": "stranger", "total_reward": 0}]}' >"$OUTPUT"`)
		observe := r.Host.Observe
		r.Host.Observe = func(p harness.Progress) {
			observe(p)
			assert.NoError(t, os.WriteFile(filepath.Join(r.adk, "fake", "seen"), nil, 0o600))
		}
		results, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Len(t, results, 3)
		assert.Equal(t, []harness.Progress{
			{TaskID: "alien_1", Outcome: harness.Reward(1), Done: 1, Total: 3}, {TaskID: "alien_2", Outcome: harness.Reward(0), Done: 2, Total: 3},
		}, withoutAccounts(r.seen))
	})
	t.Run("a request with status 500 is told with what the service has raised", func(t *testing.T) {
		r := newRig(t, fmt.Sprintf(`cat >"$OUTPUT" <<END
{"results": [
  {"task_id": "alien_1", "error": "Server error '500 Internal Server Error' for url 'http://127.0.0.1:%d/init_task'\\nFor more information check: https://httpstatuses.com/500", "total_reward": 0},
  {"task_id": "alien_2", "error": "Server error '500 Internal Server Error' for url 'http://127.0.0.1:%d/run_session'", "total_reward": 0},
  {"task_id": "robot_1", "instance_id": "robot_1", "total_reward": 1, "elapsed_seconds": 2.5, "dialogue_history": [{"role": "user", "content": "which?"}]}
]}
END
`, 0, 0))
		script := strings.Replace(r.file(t, r.adk, "fake", "orchestrator.sh"), "127.0.0.1:0/init", fmt.Sprintf("127.0.0.1:%d/init", r.DBEnvPort), 1)
		r.write(t, "fake/orchestrator.sh", strings.Replace(script, "127.0.0.1:0/run", fmt.Sprintf("127.0.0.1:%d/run", r.SystemAgentPort), 1))
		r.write(t, "fake/"+dbModule+".log", "ERROR:    Exception in ASGI application\nTraceback (most recent call last):\n  File \"/x/site-packages/psycopg2/__init__.py\", line 122, in connect\n    conn = _connect(dsn)\npsycopg2.OperationalError: FATAL:  password authentication failed for user \"root\", pg-of-ours\n\n")
		r.write(t, "fake/"+agentModule+".log", "Traceback (most recent call last):\n  File \""+r.Host.Dir+"/agent/helpers/mine.py\", line 3, in run\n    {}[1]\nKeyError: 1\n")
		results, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Equal(t, harness.NoReward(harness.Infrastructure, `db_environment failed: psycopg2.OperationalError: FATAL:  password authentication failed for user "root", [redacted]`), results["alien_1"])
		assert.Equal(t, harness.NoReward(harness.Crashed, "the agent raised KeyError: 1"), results["alien_2"])
		for _, p := range r.seen {
			if p.TaskID == "robot_1" {
				assert.Equal(t, 2500*time.Millisecond, p.Measured.Duration)
				assert.Equal(t, []harness.Message{{Role: "user", Text: "which?"}}, p.Measured.Messages)
			}
		}
	})
	t.Run("a database that is gone is told in PostgreSQL's words", func(t *testing.T) {
		r := newRig(t, "")
		r.write(t, "fake/orchestrator.sh", fmt.Sprintf(`echo '{"results": [{"task_id": "alien_1", "error": "Server error for url http://localhost:%d/init_task", "total_reward": 0}]}' >"$OUTPUT"`, r.DBEnvPort))
		r.write(t, "fake/"+dbModule+".log", "Traceback (most recent call last):\n  File \"/x/db.py\", line 1, in reset\nsubprocess.CalledProcessError: Command '['psql', '-h', 'x']' returned non-zero exit status 2.\n")
		bin := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(bin, "psql"), []byte("#!/bin/sh\necho 'psql: error: connection to server failed: Connection refused' >&2\nexit 2\n"), 0o700))
		r.Host.Environ = append(r.Host.Environ, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		results, err := r.run(t, []string{"alien_1"})
		require.NoError(t, err)
		assert.Equal(t, harness.NoReward(harness.Infrastructure, "PostgreSQL cannot be used: connection to server failed: Connection refused"), results["alien_1"])
	})
	t.Run("what services say of failures that look like an agent's is not lost", func(t *testing.T) {
		r := newRig(t, strings.ReplaceAll(script, "0.7", "0"))
		r.write(t, "fake/"+dbModule+".log", "Submit error for alien_2: connection refused, password pg-of-ours\n")
		r.write(t, "fake/"+userModule+".log", "LLM call failed: 401\nLLM call failed: 401\n")
		results, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Equal(t, harness.NoReward(harness.Infrastructure, "grading failed: connection refused, password [redacted]"), results["alien_2"], "a database that is not there is no wrong answer")
		assert.Contains(t, r.log.String(), "a model could not be asked 2 times")
	})
	for name, script := range map[string]string{
		"an orchestrator that leaves nothing, and 0": `echo boom pg-of-ours >&2`,
		"an orchestrator that fails":                 `echo boom >&2; exit 1`,
		"output that is no JSON":                     `echo boom | tee "$OUTPUT"`,
		"output without results":                     `echo '{"results": []}' >"$OUTPUT"; echo boom`,
	} {
		t.Run(name+" is an error", func(t *testing.T) {
			r := newRig(t, script)
			_, err := r.run(t, nil)
			require.ErrorContains(t, err, "boom")
			assert.NotContains(t, err.Error(), "pg-of-ours")
			assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
			r.stopped(t)
		})
	}
}
