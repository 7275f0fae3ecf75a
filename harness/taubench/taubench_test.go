package taubench_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/taubench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// rig is an experiment whose Python is a script that speaks as the driver does.
type rig struct {
	taubench.Options
	log  *testkit.SyncBuffer
	seen []harness.Progress
}

func newRig(t *testing.T, script string) *rig {
	t.Helper()
	testkit.NeedShell(t)
	r := &rig{log: new(testkit.SyncBuffer)}
	h := harness.Host{
		Dir: t.TempDir(), Log: r.log, Observe: func(p harness.Progress) { r.seen = append(r.seen, p) },
		Environ: []string{"PATH=" + os.Getenv("PATH"), "OPENAI_API_KEY=sk-judge-key", "OPENAI_BASE_URL=http://judge", "ANTHROPIC_API_KEY=sk-agent-key", "GITHUB_TOKEN=ghp_secret"},
	}
	r.Options = taubench.Defaults(h, "retail")
	r.Python = filepath.Join(h.Dir, "python")
	require.NoError(t, os.WriteFile(r.Python, []byte("#!/bin/sh\ncat >request\n"+script), 0o700))
	return r
}

func (r *rig) run(t *testing.T, ids []string) (harness.Results, error) {
	t.Helper()
	runner, err := taubench.New(r.Options)
	require.NoError(t, err)
	return runner.Run(t.Context(), ids)
}

// told returns what the driver was told.
func (r *rig) told(t *testing.T) map[string]any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(r.Host.Dir, "request"))
	require.NoError(t, err)
	var told map[string]any
	require.NoError(t, json.Unmarshal(data, &told))
	return told
}

// saves are the folders with simulations that are left.
func (r *rig) saves(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(r.Host.Dir, "tau2_data", "simulations", "*"))
	require.NoError(t, err)
	return names
}

const twoTasks = `
tell() { echo "$1" >&3; }
tell '{"event": "tasks", "ids": ["0", "1"]}'
tell '{"event": "task", "task_id": "0", "trial": 0, "reward": 1.0, "termination": "user_stop", "duration": 2.5}'
tell '{"event": "task", "task_id": "1", "trial": 0, "reward": 0.0, "termination": "agent_stop", "duration": 2.5}'
`

func TestDefaults(t *testing.T) {
	r := newRig(t, twoTasks)
	_, err := r.run(t, nil)
	require.NoError(t, err)
	told := r.told(t)
	saveTo := told["save_to"]
	delete(told, "save_to")
	assert.Equal(t, map[string]any{
		"domain": "retail", "agent_model": "gpt-5.4", "user_model": "gpt-5.4", "split": "test", "max_concurrency": 3.0,
		"seed": 300.0, "task_ids": nil, "timeout": nil,
	}, told)
	assert.Regexp(t, `^bench-[A-Z2-7]{26}$`, saveTo, "no other run has the name")

	t.Run("AGENT_MODEL is the model that nothing else is said about", func(t *testing.T) {
		r.Host.Environ = append(r.Host.Environ, "AGENT_MODEL=claude-x")
		_, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Equal(t, "claude-x", r.told(t)["agent_model"])
		assert.NotEqual(t, saveTo, r.told(t)["save_to"])
	})
}

func TestEveryParameter(t *testing.T) {
	tests := []struct {
		parameter string
		set       func(*taubench.Options)
		key       string
		want      any
	}{
		{"domain", func(o *taubench.Options) { o.Domain = "airline" }, "domain", "airline"},
		{"agent_model", func(o *taubench.Options) { o.Agent.Model = "claude-x" }, "agent_model", "claude-x"},
		{"agent_model is the user's too", func(o *taubench.Options) { o.Agent.Model = "claude-x" }, "user_model", "claude-x"},
		{"split", func(o *taubench.Options) { o.Split = "train" }, "split", "train"},
		{"split, the whole dataset", func(o *taubench.Options) { o.Split = harness.WholeDataset }, "split", nil},
		{"max_concurrency", func(o *taubench.Options) { o.MaxConcurrency = 8 }, "max_concurrency", 8.0},
		{"seed", func(o *taubench.Options) { o.Seed = 7 }, "seed", 7.0},
		{"user_model", func(o *taubench.Options) { o.UserModel = "gpt-user" }, "user_model", "gpt-user"},
		{"per_task_timeout, which the original does not have", func(o *taubench.Options) { o.PerTaskTimeout = 90 * time.Second }, "timeout", 90.0},
	}
	for _, test := range tests {
		t.Run(test.parameter, func(t *testing.T) {
			r := newRig(t, twoTasks)
			test.set(&r.Options)
			_, err := r.run(t, nil)
			require.NoError(t, err)
			assert.Equal(t, test.want, r.told(t)[test.key])
		})
	}
	t.Run("reasoning_effort", func(t *testing.T) {
		r := newRig(t, twoTasks+"env")
		r.Agent.ReasoningEffort = "high"
		_, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Contains(t, r.log.String(), "[tau2] AGENT_REASONING_EFFORT=high\n")
	})
	t.Run("those that cannot be", func(t *testing.T) {
		for _, spoil := range []func(*taubench.Options){
			func(o *taubench.Options) { o.Domain = "" },
			func(o *taubench.Options) { o.Split = "" },
			func(o *taubench.Options) { o.MaxConcurrency = 0 },
			func(o *taubench.Options) { o.Python, o.Host.Environ = "", nil },
		} {
			r := newRig(t, "")
			spoil(&r.Options)
			_, err := taubench.New(r.Options)
			require.Error(t, err)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		}
	})
}

func TestEnvironment(t *testing.T) {
	r := newRig(t, twoTasks+"env; echo left: $(cat | wc -c)")
	r.Agent.Model = "claude-x"
	r.UserModel = "gpt-user"
	_, err := r.run(t, nil)
	require.NoError(t, err)
	for _, want := range []string{
		"AGENT_MODEL=claude-x", "HARNESS_SAVE_TRACE=0", "LITELLM_LOCAL_MODEL_COST_MAP=True",
		"TAU2_DATA_DIR=" + filepath.Join(r.Host.Dir, "tau2_data"), "OPENAI_BASE_URL=http://judge",
		"ANTHROPIC_API_KEY=[redacted]", "OPENAI_API_KEY=[redacted]", "left: 0",
	} {
		assert.Contains(t, r.log.String(), "[tau2] "+want+"\n")
	}
	for _, never := range []string{"GITHUB_TOKEN", "sk-judge-key", "sk-agent-key"} {
		assert.NotContains(t, r.log.String(), never)
	}
	t.Run("TAU2_DATA_DIR stays as it is", func(t *testing.T) {
		dir := t.TempDir()
		r.Host.Environ = append(r.Host.Environ, "TAU2_DATA_DIR="+dir)
		r.Split = harness.TrainSplit
		_, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Contains(t, r.log.String(), "[tau2] TAU2_DATA_DIR="+dir+"\n")
		assert.Contains(t, r.log.String(), "[tau2] HARNESS_SAVE_TRACE=1\n")
		assert.DirExists(t, filepath.Join(dir, "simulations"))
	})
	t.Run("a Python of the experiment's own is taken, else one on PATH", func(t *testing.T) {
		own := filepath.Join(r.Host.Dir, ".venv", "bin")
		require.NoError(t, os.MkdirAll(own, 0o755))
		require.NoError(t, os.Rename(r.Python, filepath.Join(own, "python")))
		r.Python = ""
		_, err := r.run(t, nil)
		require.NoError(t, err)
		r.Host.Environ = append(r.Host.Environ, "PATH="+own+":"+os.Getenv("PATH"))
		require.NoError(t, os.Rename(filepath.Join(own, "python"), filepath.Join(own, "python3")))
		_, err = r.run(t, nil)
		require.NoError(t, err)
		r.Python = "python3"
		_, err = r.run(t, nil)
		require.NoError(t, err)
	})
}

func TestResults(t *testing.T) {
	t.Run("a simulation is told as soon as it is done", func(t *testing.T) {
		r := newRig(t, twoTasks)
		results, err := r.run(t, []string{"0", "1", "0"})
		require.NoError(t, err)
		assert.Equal(t, harness.Results{"0": harness.Reward(1), "1": harness.Reward(0)}, results)
		assert.Equal(t, []harness.Progress{
			{TaskID: "0", Outcome: harness.Reward(1), Done: 1, Total: 2}, {TaskID: "1", Outcome: harness.Reward(0), Done: 2, Total: 2},
		}, r.seen)
		assert.Equal(t, []any{"0", "1"}, r.told(t)["task_ids"], "tau2 refuses a task that is named twice")
	})
	t.Run("an empty list runs nothing", func(t *testing.T) {
		r := newRig(t, twoTasks)
		results, err := r.run(t, []string{})
		require.NoError(t, err)
		assert.Equal(t, harness.Results{}, results)
		assert.NoFileExists(t, filepath.Join(r.Host.Dir, "request"))
	})
	for name, test := range map[string]struct {
		line   string
		status harness.Status
		reason string
	}{
		"an infrastructure error is no reward": {`"reward": null, "termination": "infrastructure_error", "error": "Connection error sk-judge-key", "error_type": "APIError"`,
			harness.Infrastructure, "the simulation ended with infrastructure_error: APIError: Connection error [redacted]"},
		"a limit that was passed is no reward, whatever tau2 gives": {`"reward": 0.0, "termination": "timeout"`, harness.Timeout, "longer than its limit"},
		"steps that ran out are a reward, with the reason":          {`"reward": 0.0, "termination": "max_steps"`, harness.Scored, "the simulation ended with max_steps"},
		"a reward that is no number is none":                        {`"reward": "nan", "termination": "user_stop"`, harness.Infrastructure, "want a number"},
		"a reward over 1 is none":                                   {`"reward": 1.5, "termination": "user_stop"`, harness.Infrastructure, "1.5"},
		"an event without a reward has none":                        {`"termination": "user_stop"`, harness.Infrastructure, "user_stop"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, fmt.Sprintf("echo '{\"event\": \"tasks\", \"ids\": [\"0\"]}' >&3; echo '{\"event\": \"task\", \"task_id\": \"0\", %s}' >&3", test.line))
			results, err := r.run(t, nil)
			require.NoError(t, err)
			assert.Equal(t, test.status, results["0"].Status)
			assert.Contains(t, results["0"].Reason, test.reason)
			assert.Zero(t, results["0"].Score)
		})
	}
	t.Run("tasks that were told count, whatever fails after them", func(t *testing.T) {
		r := newRig(t, strings.ReplaceAll(twoTasks, `["0", "1"]`, `["0", "1", "2"]`)+`echo '{"event": "failed", "error": "ZeroDivisionError: compute_metrics"}' >&3; exit 1`)
		results, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Equal(t, harness.Reward(1), results["0"])
		assert.Equal(t, harness.Missing, results["2"].Status)
		assert.Contains(t, results["2"].Reason, "compute_metrics")
	})
	t.Run("of a simulation that was replaced the later one counts", func(t *testing.T) {
		r := newRig(t, twoTasks+`tell '{"event": "task", "task_id": "1", "reward": 1, "termination": "user_stop"}'`)
		results, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Equal(t, harness.Reward(1), results["1"])
	})
	t.Run("what is no event is told, and ends nothing", func(t *testing.T) {
		r := newRig(t, "echo hello >&3"+twoTasks)
		_, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Contains(t, r.log.String(), "no event: hello")
	})
}

func TestRefusals(t *testing.T) {
	t.Run("a task outside the split is an error that names the split that has it", func(t *testing.T) {
		r := newRig(t, `echo '{"event": "outside", "tasks": [{"id": "0", "splits": ["train", "base"]}, {"id": "999", "splits": []}]}' >&3`)
		_, err := r.run(t, []string{"0", "999", "42"})
		require.EqualError(t, err, `split "test" of tau-bench's domain retail does not have the task "0" (it is in train and base), "999" (no split has it)`)
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
	})
	t.Run("what cannot be run is its author's to mend", func(t *testing.T) {
		r := newRig(t, `echo '{"event": "refused", "error": "import HarnessAgent from agent/agent.py: SyntaxError"}' >&3; exit 1`)
		_, err := r.run(t, nil)
		require.EqualError(t, err, "run tau2: import HarnessAgent from agent/agent.py: SyntaxError")
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
	})
	for name, script := range map[string]string{
		"a run that ends at once":       `echo boom sk-judge-key >&2; exit 7`,
		"a run that tells of no task":   `echo '{"event": "tasks", "ids": ["0"]}' >&3; echo boom`,
		"a run of no tasks":             `echo '{"event": "tasks", "ids": []}' >&3; echo boom`,
		"a run that fails with nothing": `echo '{"event": "tasks", "ids": ["0"]}' >&3; echo '{"event": "failed", "error": "boom"}' >&3; exit 1`,
	} {
		t.Run(name+" is an error", func(t *testing.T) {
			r := newRig(t, script)
			_, err := r.run(t, nil)
			require.ErrorContains(t, err, "boom")
			assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
			assert.NotContains(t, err.Error(), "sk-judge-key")
		})
	}
	t.Run("a Python that is not there is an error", func(t *testing.T) {
		r := newRig(t, "")
		r.Python = "/no/such/python"
		_, err := r.run(t, nil)
		require.Error(t, err)
		assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	})
}

func TestSimulationsOfUnseenTasksAreNotLeft(t *testing.T) {
	r := newRig(t, twoTasks+`
save=$(sed 's/.*"save_to":"\([^"]*\)".*/\1/' request)
test -d tau2_data/simulations/$save && echo secret > tau2_data/simulations/$save/results.json && echo saved`)
	theirs := filepath.Join(r.Host.Dir, "tau2_data", "simulations", "theirs")
	require.NoError(t, os.MkdirAll(theirs, 0o755))
	_, err := r.run(t, nil)
	require.NoError(t, err)
	assert.Contains(t, r.log.String(), "[tau2] saved\n")
	assert.Equal(t, []string{theirs}, r.saves(t))
	r.Split = harness.TrainSplit
	for range 2 {
		_, err = r.run(t, nil)
		require.NoError(t, err)
		assert.Len(t, r.saves(t), 2, "the last run of the split that is trained on stays")
	}
}

// endAt returns a clock whose time of this length is over when told.
func endAt(d time.Duration) (after func(time.Duration) <-chan time.Time, over func()) {
	c := make(chan time.Time)
	return func(asked time.Duration) <-chan time.Time {
		if asked == d {
			return c
		}
		over := make(chan time.Time)
		close(over)
		return over
	}, sync.OnceFunc(func() { close(c) })
}

func TestAHungRunIsEnded(t *testing.T) {
	hang := `trap '' TERM; setsid sleep 1000 & echo $! >grandchild; tell '{"event": "tasks", "ids": ["0", "1", "2"]}'; tell '{"event": "task", "task_id": "1", "reward": 1, "termination": "user_stop"}'; while :; do sleep 1; done`
	gone := func(t *testing.T, r *rig) {
		t.Helper()
		pid, err := os.ReadFile(filepath.Join(r.Host.Dir, "grandchild"))
		require.NoError(t, err)
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
		assert.True(t, err != nil || strings.Contains(string(stat), ") Z "), "what it has started is gone too")
	}
	t.Run("at its deadline", func(t *testing.T) {
		r := newRig(t, "tell() { echo \"$1\" >&3; }\n"+hang)
		r.PerTaskTimeout, r.MaxConcurrency = 100*time.Second, 2
		after, over := endAt(2*4*100*time.Second + 300*time.Second)
		r.After = after
		r.Host.Observe = func(harness.Progress) { over() }
		results, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Equal(t, harness.Reward(1), results["1"], "what is there when the time is over counts")
		for _, id := range []string{"0", "2"} {
			assert.Equal(t, harness.Timeout, results[id].Status)
			assert.Contains(t, results[id].Reason, "after 18m20s")
		}
		gone(t, r)
	})
	t.Run("when its caller has enough", func(t *testing.T) {
		r := newRig(t, "tell() { echo \"$1\" >&3; }\n"+hang)
		r.Grace = time.Nanosecond
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		r.Host.Observe = func(harness.Progress) { cancel(why) }
		runner, err := taubench.New(r.Options)
		require.NoError(t, err)
		_, err = runner.Run(ctx, nil)
		require.ErrorIs(t, err, why)
		gone(t, r)
		assert.Empty(t, r.saves(t))
	})
}

// What is ours of a run of 1,000 tasks takes less than 100 ms of the processor.
func TestOverheadOfAThousandTasks(t *testing.T) {
	if testkit.RaceDetector {
		t.Skip("the race detector costs more than what is measured")
	}
	var lines strings.Builder
	var ids []string
	for i := range 1000 {
		ids = append(ids, fmt.Sprintf("[mobile]a|b:%d", i))
		fmt.Fprintf(&lines, `{"event": "task", "task_id": %q, "trial": 0, "reward": 1.0, "termination": "user_stop", "duration": 2.5}`+"\n", ids[i])
	}
	r := newRig(t, "cat events >&3")
	all, err := json.Marshal(map[string]any{"event": "tasks", "ids": ids})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(r.Host.Dir, "events"), []byte(string(all)+"\n"+lines.String()), 0o600))
	least := testkit.LeastProcessorTime(t, 5, func() {
		results, err := r.run(t, ids)
		require.NoError(t, err)
		require.Equal(t, 1000, results.Passed())
	})
	assert.Less(t, least, testkit.TimeLimit(100*time.Millisecond))
	t.Logf("%s of the processor", least)
}
