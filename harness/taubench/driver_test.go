package taubench_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/taubench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

const agentCode = `
import os

class HarnessAgent:
    def __init__(self, tools, domain_policy, llm, llm_args):
        assert (tools, domain_policy, llm_args) == ([], "policy", {})
        self.llm = llm

    def solve(self, task_id):
        print("solving with", self.llm, sorted(n for n in os.environ if "KEY" in n))
        if task_id == "42":
            raise RuntimeError("the agent's own code is broken")
        return float("nan") if task_id == "0" else 1.0
`

// driven returns an experiment with the embedded driver and a tau2 that has no
// models; see testdata/tau2.
func driven(t *testing.T, environ ...string) *rig {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here")
	}
	r := newRig(t, "")
	r.Python = python
	r.Host.Environ = append(r.Host.Environ, environ...)
	r.Agent.Allow = []string{"FAKE_TAU2"}
	require.NoError(t, os.CopyFS(filepath.Join(r.Host.Dir, "tau2"), os.DirFS("testdata/tau2")))
	r.agent(t, agentCode)
	return r
}

// agent writes the experiment's agent.
func (r *rig) agent(t *testing.T, code string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(r.Host.Dir, "agent"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(r.Host.Dir, "agent", "agent.py"), []byte(code), 0o600))
}

func TestDriver(t *testing.T) {
	t.Run("a split is run with the experiment's agent", func(t *testing.T) {
		r := driven(t)
		results, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Equal(t, harness.Reward(1), results["[mobile]a|b:c"])
		assert.Equal(t, harness.NoReward(harness.Crashed, "the agent raised RuntimeError: the agent's own code is broken"), results["42"], "the traceback ends in the experiment's folder")
		assert.Len(t, results, 2)
		assert.Contains(t, r.log.String(), "solving with gpt-5.4 ['OPENAI_API_KEY']")
		assert.Len(t, r.seen, 2)
	})
	t.Run("settings of tau2's own are passed on", func(t *testing.T) {
		r := driven(t)
		r.Split, r.Settings, r.Host.Epoch = harness.TrainSplit, harness.Options{"user": "dummy_user", "max_steps": 7, "llm_args_user": map[string]any{"temperature": 1}}, 3
		_, err := r.run(t, []string{"1"})
		require.NoError(t, err)
		saves := r.saves(t)
		require.Len(t, saves, 1)
		said, err := os.ReadFile(filepath.Join(saves[0], "results.json"))
		require.NoError(t, err)
		assert.Contains(t, string(said), "('llm_args_user', {'temperature': 1})")
		assert.Contains(t, string(said), "('max_steps', 7)")
		assert.Contains(t, string(said), "('user', 'dummy_user')")
		assert.Contains(t, string(said), "('seed', 302)", "each epoch draws anew")
	})
	t.Run("saving that fails is no reason to pay for a simulation again", func(t *testing.T) {
		r := driven(t)
		r.Split = harness.TrainSplit
		results, err := r.run(t, []string{"1"})
		require.NoError(t, err)
		assert.Equal(t, harness.Results{"1": harness.Reward(1)}, results)
		assert.Contains(t, r.log.String(), "save a simulation: OSError: the disk is full")
		assert.Equal(t, 1, strings.Count(r.log.String(), "simulating 1"))
	})
	t.Run("a reward that JSON does not have is none, and told", func(t *testing.T) {
		r := driven(t)
		r.Split = harness.WholeDataset
		results, err := r.run(t, []string{"0"})
		require.NoError(t, err)
		assert.Contains(t, results["0"].Reason, "nan")
	})
	t.Run("a tau2 without those checkpoints tells at its end", func(t *testing.T) {
		r := driven(t, "FAKE_TAU2=other")
		results, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Equal(t, harness.Reward(1), results["[mobile]a|b:c"])
	})
	t.Run("metrics that fail take nothing back", func(t *testing.T) {
		r := driven(t, "FAKE_TAU2=metrics")
		results, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Equal(t, harness.Reward(1), results["[mobile]a|b:c"])
		assert.Contains(t, r.log.String(), "ZeroDivisionError")
	})
}

func TestTasksAreToldWithoutARun(t *testing.T) {
	r := driven(t)
	runner, err := taubench.New(r.Options)
	require.NoError(t, err)
	for split, want := range map[string][]string{"train": {"0", "1"}, harness.WholeDataset: {"0", "1", "[mobile]a|b:c", "42"}} {
		ids, err := runner.Tasks(t.Context(), split)
		require.NoError(t, err)
		assert.Equal(t, want, ids)
	}
	require.NoError(t, harness.FirstProblem(runner.Check(t.Context(), nil, true)))
	require.ErrorContains(t, harness.FirstProblem(runner.Check(t.Context(), []string{"0"}, true)), `does not have the task "0" (it is in train and base)`)
	assert.NotContains(t, r.log.String(), "simulating")
	assert.Empty(t, r.seen)
}

func TestDriverRefuses(t *testing.T) {
	testkit.NeedComplete(t)
	t.Run("a task of another split", func(t *testing.T) {
		r := driven(t)
		_, err := r.run(t, []string{"0", "1", "42"})
		require.ErrorContains(t, err, `split "test" of tau-bench's domain retail does not have the task "0" (it is in train and base), "1" (it is in train and base)`)
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
		assert.NotContains(t, r.log.String(), "simulating")
	})
	for name, test := range map[string]struct {
		spoil func(*testing.T, *rig)
		want  string
	}{
		"a split that the domain does not have": {func(_ *testing.T, r *rig) { r.Split = "dev" }, `domain "retail" has no split "dev": use train, test, base`},
		"a split of a domain without any":       {func(_ *testing.T, r *rig) { r.Domain = "banking_knowledge" }, "null is all of its tasks"},
		"a domain that is not there":            {func(_ *testing.T, r *rig) { r.Domain = "retial" }, `tau2 has no domain "retial"`},
		"an agent that cannot be imported":      {func(t *testing.T, r *rig) { r.agent(t, "def") }, "import HarnessAgent from agent/agent.py: SyntaxError"},
		"an agent of another name":              {func(t *testing.T, r *rig) { r.agent(t, "") }, "HarnessAgent"},
		"an agent of tau2's that there is none": {func(_ *testing.T, r *rig) { r.OwnAgent = "llm_agnet" }, `tau2 has no agent "llm_agnet": use llm_agent`},
		"a user that there is none":             {func(_ *testing.T, r *rig) { r.Settings = harness.Options{"user": "me"} }, `tau2 has no user "me": use dummy_user, user_simulator`},
		"a setting that is newer than tau2":     {func(_ *testing.T, r *rig) { r.Settings = harness.Options{"review_model": "m"} }, "the tau2 that is installed has no setting review_model"},
		"a setting of a value that cannot be":   {func(_ *testing.T, r *rig) { r.Settings = harness.Options{"max_steps": 0} }, "tau2 does not take the settings: max_steps: want 1 or more"},
		"a Python without tau2": {func(t *testing.T, r *rig) {
			require.NoError(t, os.RemoveAll(filepath.Join(r.Host.Dir, "tau2")))
		}, "cannot import tau2"},
	} {
		t.Run(name, func(t *testing.T) {
			r := driven(t)
			test.spoil(t, r)
			_, err := r.run(t, nil)
			require.ErrorContains(t, err, test.want)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}
