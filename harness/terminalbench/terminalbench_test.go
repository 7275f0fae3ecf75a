package terminalbench_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/terminalbench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// rig is an experiment with a harbor that is a script.
type rig struct {
	terminalbench.Options
	log  *testkit.SyncBuffer
	seen []harness.Progress
}

// start is how the scripts begin: with the job's folder, and what was told.
const start = `#!/bin/sh
echo "$@" >arguments
while [ $# -gt 0 ]; do
  case $1 in
    --config) cp "$2" config.json ;;
    --job-name) name=$2 ;;
    --jobs-dir) jobs=$2 ;;
  esac
  shift
done
job=$jobs/$name
trial() { mkdir -p "$job/$1/agent" && printf '%s\n' "$2" >"$job/$1/result.json"; echo "$1" >>"$job/progress" && cp "$job/progress" "$job/result.json"; }
passed() { trial "$1__x" '{"task_name": "'$1'", "task_id": {"path": "/tasks/'$1'"}, "verifier_result": {"rewards": {"reward": 1.0}}, "finished_at": "2026-01-01T00:00:00Z"}'; }
`

func newRig(t *testing.T, script string) *rig {
	t.Helper()
	testkit.NeedShell(t)
	r := &rig{log: new(testkit.SyncBuffer)}
	h := harness.Host{
		Dir: t.TempDir(), Log: r.log, Observe: func(p harness.Progress) { r.seen = append(r.seen, p) },
		Environ: []string{
			"PATH=" + os.Getenv("PATH"), "OPENAI_API_KEY=sk-model-key", "E2B_API_KEY=e2b-key", "DAYTONA_API_KEY=daytona-key",
			"DOCKER_HOST=unix:///d", "GITHUB_TOKEN=ghp_secret",
		},
	}
	r.Options = terminalbench.Defaults(h)
	r.Harbor = filepath.Join(h.Dir, "harbor")
	r.Poll = time.Millisecond
	require.NoError(t, os.WriteFile(r.Harbor, []byte(start+script), 0o700))
	r.split(t, `{"train": ["cobol", "chess"], "test": ["unseen"], "empty": [], "metadata": {}}`)
	return r
}

// split writes the experiment's split file.
func (r *rig) split(t *testing.T, text string) {
	t.Helper()
	path := filepath.Join(r.Host.Dir, "tbench_data", "task_split.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func (r *rig) run(t *testing.T, ids []string) (harness.Results, error) {
	t.Helper()
	runner, err := terminalbench.New(r.Options)
	require.NoError(t, err)
	return runner.Run(t.Context(), ids)
}

// file returns a file of the experiment.
func (r *rig) file(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(r.Host.Dir, name))
	require.NoError(t, err)
	return string(data)
}

// jobs are the folders of jobs that are left.
func (r *rig) jobs(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(r.Host.Dir, r.JobsDir, "*"))
	require.NoError(t, err)
	return names
}

// What goes on later must know which tasks there are, also where all of a folder are run.
func TestAWholeFolderIsPlanned(t *testing.T) {
	r := newRig(t, "passed cobol; passed chess")
	for _, task := range []string{"chess", "cobol"} {
		folder := filepath.Join(r.Host.Dir, "tasks", task)
		require.NoError(t, os.MkdirAll(folder, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "task.toml"), nil, 0o600))
	}
	var planned []string
	r.Host.Planned = func(ids []string) { planned = ids }
	r.Split = harness.WholeDataset
	_, err := r.run(t, nil)
	require.NoError(t, err)
	assert.Nil(t, planned, "a registry tells nobody")
	r.Dataset = "./tasks"
	results, err := r.run(t, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"chess", "cobol"}, planned)
	assert.Equal(t, planned, results.IDs())
}

func TestDefaults(t *testing.T) {
	r := newRig(t, "passed cobol; passed chess; env")
	results, err := r.run(t, nil)
	require.NoError(t, err)
	assert.Equal(t, harness.Results{"cobol": harness.Reward(1), "chess": harness.Reward(1)}, results, "the split train is run")
	assert.JSONEq(t, `{
		"agents": [{"import_path": "agent.agent:HarnessAgent", "model_name": "gpt-5.4", "max_timeout_sec": 1200}],
		"datasets": [{"name": "terminal-bench", "version": "2.0", "task_names": ["cobol", "chess"]}],
		"environment": {"type": "e2b"}
	}`, r.file(t, "config.json"))
	assert.Regexp(t, `^run --config \S+ --job-name bench-[a-z2-7]{26} --jobs-dir `+filepath.Join(r.Host.Dir, "workspace/tbench_jobs")+` --n-concurrent 2 --quiet --yes\n$`, r.file(t, "arguments"))
	assert.Contains(t, r.log.String(), "2 at once, for 51m0s at most", "ceil(2/2) × (1200 + 960 + 600) s + 300 s")
	assert.Equal(t, 50, terminalbench.Defaults(r.Host).Concurrency)
	t.Run("AGENT_MODEL is the model that nothing else is said about", func(t *testing.T) {
		r.Host.Environ = append(r.Host.Environ, "AGENT_MODEL=claude-x")
		_, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Contains(t, r.file(t, "config.json"), `"model_name": "claude-x"`)
	})
}

func TestEveryParameter(t *testing.T) {
	testkit.NeedComplete(t)
	tests := []struct {
		parameter string
		set       func(*terminalbench.Options)
		file      string
		want      string
	}{
		{"agent_model", func(o *terminalbench.Options) { o.Agent.Model = "claude-x" }, "config.json", `"model_name": "claude-x"`},
		{"split", func(o *terminalbench.Options) { o.Split = "test" }, "config.json", `"unseen"`},
		{"env_provider, daytona", func(o *terminalbench.Options) { o.EnvProvider = "daytona" }, "config.json", `"type": "daytona"`},
		{"env_provider, docker", func(o *terminalbench.Options) { o.EnvProvider = "docker" }, "config.json", `"type": "docker"`},
		{"env_provider, a class", func(o *terminalbench.Options) { o.EnvProvider = "rooms:Rooms" }, "config.json", `"import_path": "rooms:Rooms"`},
		{"n_concurrent", func(o *terminalbench.Options) { o.Concurrency = 1 }, "arguments", "--n-concurrent 1 "},
		{"dataset, with a version", func(o *terminalbench.Options) { o.Dataset = "aider@1.0" }, "config.json", `"version": "1.0"`},
		{"dataset, a package", func(o *terminalbench.Options) { o.Dataset = "org/set@sha256:1" }, "config.json", `"ref": "sha256:1"`},
		{"dataset, a package's name", func(o *terminalbench.Options) { o.Dataset = "org/set@sha256:1" }, "config.json", `"name": "org/set"`},
		{"dataset, a folder", func(o *terminalbench.Options) { o.Dataset = "/tasks" }, "config.json", `"path": "/tasks"`},
		{"agent_import_path", func(o *terminalbench.Options) { o.AgentImportPath = "a.b:C" }, "config.json", `"import_path": "a.b:C"`},
		{"agent_import_path, one of harbor's own", func(o *terminalbench.Options) { o.AgentImportPath = "oracle" }, "config.json", `"name": "oracle"`},
		{"per_task_timeout", func(o *terminalbench.Options) { o.PerTaskTimeout = 90 * time.Second }, "config.json", `"max_timeout_sec": 90`},
		{"jobs_dir", func(o *terminalbench.Options) { o.JobsDir = "elsewhere" }, "arguments", "/elsewhere --n"},
		{"the variables of a sandbox", func(o *terminalbench.Options) {
			o.EnvProvider, o.Host.Environ = "modal", append(o.Host.Environ, "MODAL_TOKEN_ID=of-modal")
		}, "env", "MODAL_TOKEN_ID=of-modal\n"},
		{"reasoning_effort", func(o *terminalbench.Options) { o.Agent.ReasoningEffort = "high" }, "env", "AGENT_REASONING_EFFORT=high\n"},
	}
	for _, test := range tests {
		t.Run(test.parameter, func(t *testing.T) {
			r := newRig(t, "env >env; passed cobol; passed chess; passed unseen")
			test.set(&r.Options)
			_, err := r.run(t, nil)
			require.NoError(t, err)
			assert.Contains(t, r.file(t, test.file), test.want)
		})
	}
	t.Run("those that cannot be", func(t *testing.T) {
		for _, spoil := range []func(*terminalbench.Options){
			func(o *terminalbench.Options) { o.Split = "" },
			func(o *terminalbench.Options) { o.Dataset = "" },
			func(o *terminalbench.Options) { o.Concurrency = 0 },
			func(o *terminalbench.Options) { o.PerTaskTimeout = 0 },
		} {
			r := newRig(t, "")
			spoil(&r.Options)
			_, err := terminalbench.New(r.Options)
			require.Error(t, err)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		}
	})
}

func TestSettingsOfHarbor(t *testing.T) {
	r := newRig(t, "env >env; passed cobol; passed chess")
	r.AgentImportPath, r.EnvProvider = "claude-code", "rooms:Rooms"
	r.Host.Environ = append(r.Host.Environ, "MY_KEY=of-mine", "OTHER_KEY=of-another")
	r.Settings = harness.Options{
		"timeout_multiplier": 2.0, "retry.max_retries": int64(2), "agent.kwargs": map[string]any{"version": "1.2"},
		"agent.env": map[string]any{"A": "b"}, "environment.delete": false, "environment.kwargs": map[string]any{"x": 1},
		"verifier.max_timeout_sec": 30.0, "dataset.n_tasks": int64(5), "dataset.overwrite": true, "agent.model_api_key_name": "MY_KEY",
	}
	want := `{
		"agents": [{"name": "claude-code", "model_name": "gpt-5.4", "max_timeout_sec": 1200, "kwargs": {"version": "1.2"}, "env": {"A": "b"}, "model_api_key_name": "MY_KEY"}],
		"datasets": [{"name": "terminal-bench", "version": "2.0", "overwrite": true, %s}],
		"environment": {"import_path": "rooms:Rooms", "delete": false, "kwargs": {"x": 1}},
		"retry": {"max_retries": 2}, "verifier": {"max_timeout_sec": 30}, "timeout_multiplier": 2
	}`
	_, err := r.run(t, []string{"cobol"})
	require.NoError(t, err)
	assert.JSONEq(t, fmt.Sprintf(want, `"task_names": ["cobol"]`), r.file(t, "config.json"), "tasks that are named are run, all of them")
	assert.Contains(t, r.file(t, "env"), "MY_KEY=of-mine\n")
	assert.NotContains(t, r.file(t, "env"), "OTHER_KEY")
	r.Split = harness.WholeDataset
	_, err = r.run(t, nil)
	require.NoError(t, err)
	assert.JSONEq(t, fmt.Sprintf(want, `"n_tasks": 5`), r.file(t, "config.json"))
}

func TestTheRunIsBounded(t *testing.T) {
	for _, test := range []struct {
		tasks, concurrency int
		limit              time.Duration
		want               time.Duration
	}{
		{1, 50, 1200 * time.Second, 3060 * time.Second},
		{50, 50, 1200 * time.Second, 3060 * time.Second},
		{51, 50, 1200 * time.Second, 5820 * time.Second},
		{7, 2, 10 * time.Second, 6580 * time.Second},
	} {
		r := newRig(t, "passed 0")
		r.Concurrency, r.PerTaskTimeout = test.concurrency, test.limit
		var deadline time.Duration
		r.After = func(d time.Duration) <-chan time.Time {
			deadline = d
			return nil
		}
		var ids []string
		for i := range test.tasks {
			ids = append(ids, fmt.Sprint(i))
		}
		_, err := r.run(t, ids)
		require.NoError(t, err)
		assert.Equal(t, test.want, deadline)
	}
	t.Run("multipliers and retries count", func(t *testing.T) {
		r := newRig(t, "passed cobol")
		r.Split, r.PerTaskTimeout = harness.WholeDataset, 100*time.Second
		r.Settings = harness.Options{
			"timeout_multiplier": 2.0, "agent_timeout_multiplier": 3.0, "verifier.override_timeout_sec": 50.0,
			"retry.max_retries": int64(1), "retry.max_wait_sec": 10.0,
		}
		var deadline time.Duration
		r.After = func(d time.Duration) <-chan time.Time {
			deadline = d
			return nil
		}
		_, err := r.run(t, []string{"cobol"})
		require.NoError(t, err)
		// Agent, build, set-up and verifier, twice, with a wait between them.
		assert.Equal(t, (2*(300+1200+720+100)+10+300)*time.Second, deadline)
	})
	t.Run("a dataset whose size is not known is taken for 150 tasks", func(t *testing.T) {
		r := newRig(t, "passed cobol")
		r.Split = harness.WholeDataset
		_, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Contains(t, r.log.String(), "50 at once, for 2h23m0s at most")
	})
}

func TestSplit(t *testing.T) {
	t.Run("the whole dataset needs no split file, and names no task", func(t *testing.T) {
		r := newRig(t, "passed cobol")
		require.NoError(t, os.RemoveAll(filepath.Join(r.Host.Dir, "tbench_data")))
		r.Split = harness.WholeDataset
		_, err := r.run(t, nil)
		require.NoError(t, err)
		assert.NotContains(t, r.file(t, "config.json"), "task_names")
	})
	t.Run("a split that is not there is an error", func(t *testing.T) {
		r := newRig(t, "")
		r.Split = "dev"
		_, err := r.run(t, nil)
		require.ErrorContains(t, err, `no split "dev"`)
		require.NoError(t, os.RemoveAll(filepath.Join(r.Host.Dir, "tbench_data")))
		_, err = r.run(t, nil)
		require.ErrorContains(t, err, "bench harness prepare")
	})
	t.Run("an empty list, and an empty split, run nothing", func(t *testing.T) {
		r := newRig(t, "")
		results, err := r.run(t, []string{})
		require.NoError(t, err)
		assert.Equal(t, harness.Results{}, results)
		r.Split = "empty"
		results, err = r.run(t, nil)
		require.NoError(t, err)
		assert.Equal(t, harness.Results{}, results)
		assert.NoFileExists(t, filepath.Join(r.Host.Dir, "arguments"))
	})
	t.Run("an id is no pattern", func(t *testing.T) {
		r := newRig(t, "passed cobol")
		_, err := r.run(t, []string{"cobol", "a[1]*?"})
		require.NoError(t, err)
		assert.Contains(t, r.file(t, "config.json"), `"a[[]1][*][?]"`)
	})
}

func TestEnvironment(t *testing.T) {
	for provider, want := range map[string]string{"e2b": "E2B_API_KEY=[redacted]", "daytona": "DAYTONA_API_KEY=[redacted]", "docker": "DOCKER_HOST=unix:///d"} {
		t.Run(provider, func(t *testing.T) {
			r := newRig(t, "env; passed cobol")
			r.EnvProvider = provider
			_, err := r.run(t, nil)
			require.NoError(t, err)
			for _, want := range []string{
				want, "AGENT_MODEL=gpt-5.4", "AGENT_REASONING_EFFORT=", "HARNESS_SAVE_TRACE=1", "OPENAI_API_KEY=[redacted]",
				"PYTHONPATH=" + r.Host.Dir, "HARBOR_TELEMETRY=0",
			} {
				assert.Contains(t, r.log.String(), "[harbor] "+want+"\n")
			}
			for _, never := range []string{"GITHUB_TOKEN", "sk-model-key", "e2b-key", "daytona-key"} {
				assert.NotContains(t, r.log.String(), never)
			}
			others := map[string][]string{"e2b": {"DAYTONA", "DOCKER"}, "daytona": {"E2B", "DOCKER"}, "docker": {"E2B", "DAYTONA"}}
			for _, other := range others[provider] {
				assert.NotContains(t, r.log.String(), "[harbor] "+other, "a sandbox's key is for those who use it")
			}
		})
	}
	for _, split := range []string{"test", harness.WholeDataset} {
		r := newRig(t, "env; passed unseen")
		r.Split = split
		_, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Contains(t, r.log.String(), "HARNESS_SAVE_TRACE=0\n", "split %s", split)
	}
}

func TestProgress(t *testing.T) {
	r := newRig(t, `passed cobol; while [ ! -e seen ]; do sleep 0.01; done; passed chess`)
	r.Host.Observe = func(p harness.Progress) {
		r.seen = append(r.seen, p)
		assert.NoError(t, os.WriteFile(filepath.Join(r.Host.Dir, "seen"), nil, 0o600))
	}
	_, err := r.run(t, nil)
	require.NoError(t, err)
	for i := range r.seen {
		assert.Contains(t, string(r.seen[i].Measured.Result), `"task_name": "`+r.seen[i].TaskID, "harbor's own account of the trial is told too")
		r.seen[i].Measured = harness.Measured{}
	}
	assert.Equal(t, []harness.Progress{
		{TaskID: "cobol", Outcome: harness.Reward(1), Done: 1, Total: 2}, {TaskID: "chess", Outcome: harness.Reward(1), Done: 2, Total: 2},
	}, r.seen, "a trial is told while the job is at others")
}

func TestRunsThatAreErrors(t *testing.T) {
	for name, script := range map[string]string{
		"harbor that fails":                  `echo boom sk-model-key >&2; exit 1`,
		"harbor that leaves nothing, and 0":  `echo boom`,
		"harbor that leaves another's tasks": `passed other; echo boom`,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, script)
			stale := filepath.Join(r.Host.Dir, r.JobsDir, "2026-01-01__00-00-00", "cobol__x")
			require.NoError(t, os.MkdirAll(stale, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(stale, "result.json"), []byte(`{"task_name": "cobol", "verifier_result": {"rewards": {"reward": 1}}}`), 0o600))
			_, err := r.run(t, nil)
			require.ErrorContains(t, err, "boom")
			assert.NotContains(t, err.Error(), "sk-model-key")
			assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
			assert.DirExists(t, stale, "an earlier job is neither read nor removed")
		})
	}
	t.Run("no harbor", func(t *testing.T) {
		r := newRig(t, "")
		r.Harbor = "harbor-that-is-not-there"
		_, err := r.run(t, nil)
		require.Error(t, err)
		assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	})
}

func TestOnlyOurJobsAreRemoved(t *testing.T) {
	r := newRig(t, "passed cobol; passed unseen")
	theirs := filepath.Join(r.Host.Dir, r.JobsDir, "train")
	require.NoError(t, os.MkdirAll(theirs, 0o755))
	for range 2 {
		_, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Len(t, r.jobs(t), 2, "the last one of the split that is trained on stays, and what is not ours")
	}
	r.Split = "test"
	_, err := r.run(t, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{theirs}, r.jobs(t))
}

func TestTraces(t *testing.T) {
	const script = `passed %[1]s; echo %[2]s >$job/%[1]s__x/agent/trace.json; ln -s /etc/hostname $job/%[1]s__x/agent/other.json`
	r := newRig(t, fmt.Sprintf(script, "cobol", "first"))
	_, err := r.run(t, nil)
	require.NoError(t, err)
	for _, part := range []string{"latest", "baseline"} {
		assert.Equal(t, "first\n", r.file(t, "workspace/traces/"+part+"/cobol/trace.json"))
		assert.Contains(t, r.file(t, "workspace/traces/"+part+"/cobol/result.json"), `"reward": 1.0`)
	}
	t.Run("the latest is replaced, the baseline is not", func(t *testing.T) {
		require.NoError(t, os.WriteFile(r.Harbor, []byte(start+fmt.Sprintf(script, "cobol", "second")), 0o700))
		_, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Equal(t, "second\n", r.file(t, "workspace/traces/latest/cobol/trace.json"))
		assert.Equal(t, "first\n", r.file(t, "workspace/traces/baseline/cobol/trace.json"))
	})
	t.Run("a link is no trace", func(t *testing.T) {
		require.NoError(t, os.WriteFile(r.Harbor, []byte(start+`passed cobol; ln -s /etc/hostname $job/cobol__x/agent/trace.json`), 0o700))
		_, err := r.run(t, nil)
		require.NoError(t, err)
		assert.NoFileExists(t, filepath.Join(r.Host.Dir, "workspace/traces/latest/cobol/trace.json"))
	})
	t.Run("nothing of other splits can be read afterwards", func(t *testing.T) {
		for _, split := range []string{"test", harness.WholeDataset} {
			r := newRig(t, fmt.Sprintf(script, "unseen", "very-secret-trace"))
			r.Split = split
			_, err := r.run(t, nil)
			require.NoError(t, err)
			require.NoError(t, filepath.WalkDir(r.Host.Dir, func(path string, e os.DirEntry, err error) error {
				if err != nil || !e.Type().IsRegular() || path == r.Harbor {
					return err
				}
				data, err := os.ReadFile(path)
				assert.NotContains(t, string(data), "very-secret-trace", path)
				return err
			}))
			assert.NoDirExists(t, filepath.Join(r.Host.Dir, "workspace", "traces"))
		}
	})
}
