package birdinteract_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/birdinteract"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestDefaults(t *testing.T) {
	assert.Equal(t, birdinteract.Options{
		Split: "train", Mode: "a-interact", Dataset: "lite", Patience: 3, Concurrency: 3, PerTaskTimeout: 1800 * time.Second,
		JobsDir: "workspace/bird_runs", SystemAgentPort: 6100, UserSimPort: 6101, DBEnvPort: 6102,
		HealthTime: 120 * time.Second, Poll: time.Second,
	}, birdinteract.Defaults(harness.Host{}))
	r := newRig(t, script)
	results, err := r.run(t, nil)
	require.NoError(t, err)
	assert.Equal(t, harness.Results{
		"alien_1": harness.Reward(1), "alien_2": harness.Reward(0.7),
		"robot_1": harness.NoReward(harness.Infrastructure, "500 Internal Server Error"),
	}, results)
	told, _, _ := strings.Cut(r.told(t, "orchestrator"), "\n")
	assert.Regexp(t, `^-m orchestrator\.runner --mode a-interact --data \S+/run-[a-z2-7]{26}/bird_input\.jsonl --output \S+/bird_output\.json --concurrency 3$`, told)
	for module, port := range map[string]int{agentModule: r.SystemAgentPort, userModule: r.UserSimPort, dbModule: r.DBEnvPort} {
		assert.Contains(t, r.told(t, module), fmt.Sprintf("-m uvicorn %s:app --host 127.0.0.1 --port %d --log-level warning\n", module, port))
		assert.Contains(t, r.told(t, module), "\nPWD="+r.adk+"\n")
		assert.NotRegexp(t, `(SYSTEM_AGENT|USER_SIM)_MODEL=`, r.told(t, module), "models are the ADK's own unless said")
	}
	r.stopped(t)
}

func TestEveryParameter(t *testing.T) {
	testkit.NeedComplete(t)
	tests := []struct {
		parameter string
		set       func(*testing.T, *rig)
		program   string
		want      string
	}{
		{"split", func(_ *testing.T, r *rig) { r.Split = "test" }, agentModule, "HARNESS_SAVE_TRACE=0"},
		{"mode", func(_ *testing.T, r *rig) { r.Mode = "oracle" }, "orchestrator", "--mode oracle "},
		{"dataset", func(t *testing.T, r *rig) {
			r.Dataset = "full"
			r.write(t, "bird-interact-full/bird_interact_data.jsonl", data)
		}, dbModule, "DATASET=full\n"},
		{"agent_model", func(_ *testing.T, r *rig) { r.Agent.Model = "claude-x" }, agentModule, "\nSYSTEM_AGENT_MODEL=claude-x\n"},
		{"agent_model, told to the agent's code", func(_ *testing.T, r *rig) { r.Agent.Model = "claude-x" }, agentModule, "\nAGENT_MODEL=claude-x\n"},
		{"agent_model of AGENT_MODEL", func(_ *testing.T, r *rig) { r.Host.Environ = append(r.Host.Environ, "AGENT_MODEL=m") }, agentModule, "\nSYSTEM_AGENT_MODEL=m\n"},
		{"user_model", func(_ *testing.T, r *rig) { r.UserModel = "gpt-user" }, userModule, "\nUSER_SIM_MODEL=gpt-user\n"},
		{"patience", func(_ *testing.T, r *rig) { r.Patience = 0 }, "orchestrator", "\nPATIENCE=0\n"},
		{"n_concurrent", func(_ *testing.T, r *rig) { r.Concurrency = 9 }, "orchestrator", "--concurrency 9\n"},
		{"jobs_dir", func(_ *testing.T, r *rig) { r.JobsDir = "elsewhere" }, "orchestrator", "/elsewhere/run-"},
		{"system_agent_port", func(*testing.T, *rig) {}, "orchestrator", "\nSYSTEM_AGENT_PORT="},
		{"user_sim_port", func(*testing.T, *rig) {}, "orchestrator", "\nUSER_SIM_PORT="},
		{"db_env_port", func(*testing.T, *rig) {}, "orchestrator", "\nDB_ENV_PORT="},
		{"pg_host", func(_ *testing.T, r *rig) { r.PGHost = "db" }, dbModule, "\nPG_HOST=db\n"},
		{"pg_port", func(_ *testing.T, r *rig) { r.PGPort = 5433 }, dbModule, "\nPG_PORT=5433\n"},
		{"pg_user", func(_ *testing.T, r *rig) { r.PGUser = "root" }, dbModule, "\nPG_USER=root\n"},
		{"pg_password", func(_ *testing.T, r *rig) { r.PGPassword = "hidden" }, dbModule, "\nPG_PASSWORD=hidden\n"},
		{"pg_password of ours", func(*testing.T, *rig) {}, dbModule, "\nPG_PASSWORD=pg-of-ours\n"},
		{"reasoning_effort", func(_ *testing.T, r *rig) { r.Agent.ReasoningEffort = "high" }, agentModule, "\nAGENT_REASONING_EFFORT=high\n"},
		{"agent, the ADK's own", func(_ *testing.T, r *rig) { r.OwnAgent = "system_agent" }, "system_agent.server", "\nAGENT_MODEL="},
		{"options, the ADK's settings", func(_ *testing.T, r *rig) {
			r.Settings = harness.Options{"prompt_version": "v1", "pg_maxconn": int64(9)}
		}, userModule, "\nPROMPT_VERSION=v1\n"},
		{"options of the database", func(_ *testing.T, r *rig) { r.Settings = harness.Options{"pg_maxconn": int64(9)} }, dbModule, "\nPG_MAXCONN=9\n"},
		{"PROMPT_VERSION, which is the ADK's own", func(_ *testing.T, r *rig) { r.Host.Environ = append(r.Host.Environ, "PROMPT_VERSION=v1") }, userModule, "\nPROMPT_VERSION=v1\n"},
	}
	for _, test := range tests {
		t.Run(test.parameter, func(t *testing.T) {
			r := newRig(t, script)
			test.set(t, r)
			_, err := r.run(t, nil)
			require.NoError(t, err)
			assert.Contains(t, r.told(t, test.program), test.want)
		})
	}
	t.Run("bird_repo", func(t *testing.T) {
		r := newRig(t, script)
		repo := t.TempDir()
		r.BirdRepo = repo
		require.NoError(t, os.Rename(r.adk, filepath.Join(repo, "BIRD-Interact-ADK")))
		r.adk = filepath.Join(repo, "BIRD-Interact-ADK")
		_, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Contains(t, r.told(t, dbModule), "\nPWD="+r.adk+"\n")
	})
	t.Run("bird_python_bin", func(t *testing.T) {
		r := newRig(t, script)
		r.PythonBin = filepath.Join(t.TempDir(), "py")
		require.NoError(t, os.Rename(filepath.Join(r.adk, ".venv-adk", "bin", "python"), r.PythonBin))
		_, err := r.run(t, nil)
		require.NoError(t, err)
	})
	t.Run("data_path", func(t *testing.T) {
		r := newRig(t, `cp "$DATA" fake/data; echo '{"results": [{"task_id": "only_here", "total_reward": 1}]}' >"$OUTPUT"`)
		r.DataPath = filepath.Join(t.TempDir(), "data.jsonl")
		require.NoError(t, os.WriteFile(r.DataPath, []byte(data+`{"instance_id": "only_here"}`), 0o600))
		results, err := r.run(t, []string{"only_here", "alien_1"})
		require.NoError(t, err)
		assert.Equal(t, harness.Reward(1), results["only_here"])
		assert.True(t, strings.HasPrefix(r.file(t, r.adk, "fake", "data"), `{"instance_id": "only_here"}`+"\n"), "in the order that was asked for")
	})
	for _, test := range []struct {
		concurrency int
		limit, want time.Duration
	}{{3, 1800 * time.Second, 2100 * time.Second}, {2, 1800 * time.Second, 3900 * time.Second}, {3, time.Second, 600 * time.Second}} {
		t.Run(fmt.Sprintf("per_task_timeout %s bounds 3 tasks, %d at once, at %s", test.limit, test.concurrency, test.want), func(t *testing.T) {
			r := newRig(t, script)
			r.Concurrency, r.PerTaskTimeout = test.concurrency, test.limit
			_, err := r.run(t, nil)
			require.NoError(t, err)
			assert.Contains(t, r.log.String(), fmt.Sprintf("for %s at most", test.want))
		})
	}
}

func TestNewFailsAtOnce(t *testing.T) {
	t.Run("without the ADK", func(t *testing.T) {
		r := newRig(t, "")
		require.NoError(t, os.RemoveAll(r.adk))
		_, err := birdinteract.New(r.Options)
		require.ErrorIs(t, err, fs.ErrNotExist)
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
	})
	t.Run("without a Python", func(t *testing.T) {
		r := newRig(t, "")
		require.NoError(t, os.RemoveAll(filepath.Join(r.adk, ".venv-adk")))
		r.Host.Environ = []string{"PATH=" + t.TempDir()}
		_, err := birdinteract.New(r.Options)
		require.ErrorIs(t, err, fs.ErrNotExist)
		assert.ErrorContains(t, err, "bird_python_bin")
	})
	for name, spoil := range map[string]func(*birdinteract.Options){
		"with a mode that is none":      func(o *birdinteract.Options) { o.Mode = "b-interact" },
		"with two ports that are one":   func(o *birdinteract.Options) { o.UserSimPort = o.DBEnvPort },
		"with a port that is none":      func(o *birdinteract.Options) { o.DBEnvPort = 70000 },
		"without a split":               func(o *birdinteract.Options) { o.Split = "" },
		"with nothing at once":          func(o *birdinteract.Options) { o.Concurrency = 0 },
		"with patience less than none":  func(o *birdinteract.Options) { o.Patience = -1 },
		"with no time":                  func(o *birdinteract.Options) { o.PerTaskTimeout = 0 },
		"with a database's port of -1":  func(o *birdinteract.Options) { o.PGPort = -1 },
		"without a folder for its runs": func(o *birdinteract.Options) { o.JobsDir = "" },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "")
			spoil(&r.Options)
			_, err := birdinteract.New(r.Options)
			require.Error(t, err)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}

func TestNobodyGetsMoreThanItNeeds(t *testing.T) {
	r := newRig(t, script+"echo a password: very-hidden >&2")
	r.Agent.Model, r.UserModel, r.PGPassword = "gpt-5.4", "claude-user", "very-hidden"
	_, err := r.run(t, nil)
	require.NoError(t, err)
	const openAI, anthropic, database = "sk-openai-key", "sk-anthropic-key", "very-hidden"
	for program, has := range map[string]string{
		agentModule: openAI, userModule: anthropic, dbModule: database, "orchestrator": "",
	} {
		told := r.told(t, program)
		arguments, _, _ := strings.Cut(told, "\n")
		for _, secret := range []string{openAI, anthropic, database, "pg-of-ours", "ghp_secret"} {
			assert.NotContains(t, arguments, secret)
			assert.Equal(t, secret == has, strings.Contains(told, secret), "%s and %s", program, secret)
		}
	}
	for _, want := range []string{"AGENT_MODEL=gpt-5.4", "AGENT_REASONING_EFFORT=", "HARNESS_SAVE_TRACE=1", "LITELLM_API_KEY=" + openAI, "PYTHONPATH=" + r.Host.Dir + ":" + r.adk} {
		assert.Contains(t, r.told(t, agentModule), "\n"+want+"\n")
	}
	assert.NotContains(t, r.told(t, userModule), "LITELLM_API_KEY", "the key is not one for another provider's API")
	assert.Contains(t, r.log.String(), "[bird] a password: [redacted]\n")
	assert.NotContains(t, r.log.String(), database)
}

func TestTasks(t *testing.T) {
	t.Run("a task that the dataset does not have is an error", func(t *testing.T) {
		r := newRig(t, script)
		_, err := r.run(t, []string{"alien_1", "nobody", "no_one"})
		require.ErrorContains(t, err, "does not have the task nobody, no_one")
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
		assert.NoFileExists(t, filepath.Join(r.adk, "fake", agentModule+".told"), "before anything is started")
	})
	t.Run("an empty list, and an empty split, run nothing", func(t *testing.T) {
		r := newRig(t, script)
		results, err := r.run(t, []string{})
		require.NoError(t, err)
		assert.Equal(t, harness.Results{}, results)
		r.Split = "empty"
		results, err = r.run(t, nil)
		require.NoError(t, err)
		assert.Equal(t, harness.Results{}, results)
		assert.NoFileExists(t, filepath.Join(r.adk, "fake", agentModule+".told"))
	})
	t.Run("the whole dataset is every task of its file", func(t *testing.T) {
		r := newRig(t, `cp "$DATA" fake/data; echo '{"results": [{"task_id": "alien_2", "total_reward": 1}]}' >"$OUTPUT"`)
		require.NoError(t, os.RemoveAll(filepath.Join(r.Host.Dir, "bird_data")))
		r.Split = harness.WholeDataset
		results, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Equal(t, []string{"alien_1", "alien_2", "robot_1"}, results.IDs())
		assert.Equal(t, 2, results.Count(harness.Missing))
		assert.Equal(t, 3, strings.Count(r.file(t, r.adk, "fake", "data"), "instance_id"))
	})
	t.Run("a dataset that is none is an error", func(t *testing.T) {
		r := newRig(t, script)
		r.write(t, "bird-interact-lite/bird_interact_data.jsonl", data+"{}\n")
		_, err := r.run(t, nil)
		require.ErrorContains(t, err, "bird_interact_data.jsonl:5: want a JSON object with an instance_id")
		r.write(t, "bird-interact-lite/bird_interact_data.jsonl", "\n")
		_, err = r.run(t, nil)
		require.ErrorContains(t, err, "has no tasks")
	})
}

func TestFilesOfRuns(t *testing.T) {
	r := newRig(t, script)
	runs := filepath.Join(r.Host.Dir, r.JobsDir)
	require.NoError(t, os.MkdirAll(filepath.Join(runs, "run-of-theirs"), 0o755))
	// A run that was killed leaves its folder.
	killed := filepath.Join(runs, "run-killed")
	require.NoError(t, os.MkdirAll(killed, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(killed, ".bench-harness"), []byte("bird-interact run\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(killed, "bird_input.jsonl"), []byte(data), 0o600))
	_, err := r.run(t, nil)
	require.NoError(t, err)
	entries, err := os.ReadDir(runs)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	assert.Equal(t, []string{"run-of-theirs", "service_logs"}, names, "no solution and no answer is left to be read")
}

func TestTraces(t *testing.T) {
	r := newRig(t, script)
	_, err := r.run(t, nil)
	require.NoError(t, err)
	for _, part := range []string{"latest", "baseline"} {
		dir := filepath.Join(r.Host.Dir, "workspace", "traces", part)
		assert.JSONEq(t, `{"dialogue_history": [{"say": "hi"}], "tool_trajectory": [], "adk_events": [], "final_response": "bye"}`, r.file(t, dir, "alien_1", "trace.json"))
		assert.Contains(t, r.file(t, dir, "alien_2", "result.json"), `"total_reward": 0.7`)
		assert.Contains(t, r.file(t, dir, "robot_1", "result.json"), `"error": "500 Internal Server Error"`)
	}
	r.write(t, "fake/orchestrator.sh", strings.ReplaceAll(script, "bye", "see you"))
	_, err = r.run(t, nil)
	require.NoError(t, err)
	assert.Contains(t, r.file(t, r.Host.Dir, "workspace/traces/latest/alien_1/trace.json"), "see you")
	assert.Contains(t, r.file(t, r.Host.Dir, "workspace/traces/baseline/alien_1/trace.json"), "bye")
	t.Run("there are none of other splits", func(t *testing.T) {
		for _, split := range []string{"test", harness.WholeDataset} {
			r := newRig(t, script)
			r.Split = split
			_, err := r.run(t, nil)
			require.NoError(t, err)
			assert.NoDirExists(t, filepath.Join(r.Host.Dir, "workspace", "traces"))
		}
	})
}
