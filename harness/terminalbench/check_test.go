package terminalbench_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/terminalbench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// checked returns an experiment whose harbor is a script of Python's that has the
// package of testdata/harbor.
func checked(t *testing.T) *rig {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here")
	}
	r := newRig(t, "")
	require.NoError(t, os.Remove(r.Harbor))
	r.Harbor = filepath.Join(r.Host.Dir, "program")
	require.NoError(t, os.WriteFile(r.Harbor, []byte("#!"+python+"\n"), 0o700))
	require.NoError(t, os.CopyFS(filepath.Join(r.Host.Dir, "harbor"), os.DirFS("testdata/harbor")))
	for name, text := range map[string]string{
		"rooms.py": "class Rooms:\n    pass\n", "broken.py": "def", "needs.py": "import no_such_package\n",
		"tasks/cobol/task.toml": "", "tasks/cobol/instruction.md": "", "tasks/chess/task.toml": "", "tasks/chess/instruction.md": "", "tasks/notes/README": "", "none/README": "",
	} {
		path := filepath.Join(r.Host.Dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	r.Dataset, r.EnvProvider, r.AgentImportPath, r.Split = "./tasks", "rooms:Rooms", "oracle", harness.WholeDataset
	return r
}

func (r *rig) checks(t *testing.T, ids []string) []harness.Check {
	t.Helper()
	runner, err := terminalbench.New(r.Options)
	require.NoError(t, err)
	return runner.Check(t.Context(), ids, true)
}

func TestCheck(t *testing.T) {
	testkit.NeedComplete(t)
	t.Run("nothing is missing", func(t *testing.T) {
		r := checked(t)
		checks := r.checks(t, []string{"cobol"})
		require.NoError(t, harness.FirstProblem(checks))
		said := map[string]string{}
		for _, c := range checks {
			said[c.Name] = c.Detail
		}
		assert.Equal(t, "rooms:Rooms", said["sandbox"])
		assert.Equal(t, "oracle", said["agent"])
		assert.Empty(t, r.jobs(t), "nothing was run")
	})
	for name, test := range map[string]struct {
		spoil func(*testing.T, *rig)
		ids   []string
		want  string
		kind  fault.Kind
	}{
		"no harbor":                             {spoil: func(_ *testing.T, r *rig) { r.Harbor = "./nowhere/harbor" }, want: "nowhere/harbor is not there: install it, or name another one with harbor; `uv tool install 'harbor[e2b]'` installs it"},
		"a harbor that is no program":           {spoil: func(_ *testing.T, r *rig) { r.Harbor = "./rooms.py" }, want: "rooms.py is no program that can be run"},
		"a harbor without its package":          {spoil: func(t *testing.T, r *rig) { require.NoError(t, os.RemoveAll(filepath.Join(r.Host.Dir, "harbor"))) }, want: "cannot import harbor (ModuleNotFoundError: No module named 'harbor'): install it again"},
		"an agent that harbor has not":          {spoil: func(_ *testing.T, r *rig) { r.AgentImportPath = "oracel" }, want: `has no agent "oracel": did you mean "oracle"?`},
		"an agent without its file":             {spoil: func(_ *testing.T, r *rig) { r.AgentImportPath = "nope.agent:A" }, want: "the agent nope.agent:A cannot be imported (No module named 'nope'): name another one with agent_import_path"},
		"an agent without its class":            {spoil: func(_ *testing.T, r *rig) { r.AgentImportPath = "rooms:A" }, want: `the agent rooms:A cannot be used: rooms has no class "A"`},
		"an agent with an error":                {spoil: func(_ *testing.T, r *rig) { r.AgentImportPath = "broken:A" }, want: "the agent broken:A cannot be imported (SyntaxError: invalid syntax"},
		"an agent without its packages":         {spoil: func(_ *testing.T, r *rig) { r.AgentImportPath = "needs:A" }, want: "No module named 'no_such_package'"},
		"a sandbox that harbor has not":         {spoil: func(_ *testing.T, r *rig) { r.EnvProvider = "e3b" }, want: `has no sandbox "e3b": did you mean "e2b"?`},
		"a sandbox without its class":           {spoil: func(_ *testing.T, r *rig) { r.EnvProvider = "rooms:Roms" }, want: `rooms has no class "Roms"; name another one with env_provider`},
		"no engine for containers":              {spoil: func(_ *testing.T, r *rig) { r.EnvProvider = "docker" }, want: "the sandbox docker cannot be used (Docker is not installed): mend that, or name another one with env_provider", kind: fault.Infrastructure},
		"no key for the sandbox":                {spoil: func(_ *testing.T, r *rig) { r.EnvProvider = "e2b" }, want: "the sandbox e2b cannot be used (E2B requires E2B_API_KEY to be set. CUA_TOKEN is read too): mend that"},
		"a sandbox whose packages are an extra": {spoil: func(_ *testing.T, r *rig) { r.EnvProvider = "daytona" }, want: "the sandbox daytona cannot be used (this harbor is without its extra daytona): install it with `uv tool install 'harbor[daytona]'`, or name another one"},
		"the same, of a dataset that is not here": {
			spoil: func(_ *testing.T, r *rig) { r.EnvProvider, r.Dataset = "daytona", "terminal-bench@2.0" }, want: "without its extra daytona",
		},
		"a key that is set and not passed on": {
			spoil: func(_ *testing.T, r *rig) {
				r.EnvProvider, r.Host.Environ = "e2b", append(r.Host.Environ, "CUA_TOKEN=x")
			}, want: "CUA_TOKEN is read too): mend that, or name another one with env_provider; set here, but not passed on unless agent_env names it: CUA_TOKEN",
		},
		"a task that harbor cannot begin": {
			spoil: func(t *testing.T, r *rig) {
				require.NoError(t, os.Remove(filepath.Join(r.Host.Dir, "tasks", "chess", "instruction.md")))
			},
			ids: []string{"chess"}, want: "tasks/chess in the sandbox rooms:Rooms with the agent oracle (FileNotFoundError: there is no instruction.md): mend that",
		},
		"a setting that is newer": {spoil: func(_ *testing.T, r *rig) { r.Settings = harness.Options{"retry.min_wait_sec": 1} }, want: "has no setting retry.min_wait_sec: leave it out of options"},
		"a value that harbor refuses": {spoil: func(_ *testing.T, r *rig) {
			r.Settings = harness.Options{"environment.cpu_enforcement_policy": "often"}
		}, want: "does not take the configuration (ValueError: cpu_enforcement_policy: want auto): mend options"},
		"an agent that cannot be": {spoil: func(_ *testing.T, r *rig) {
			r.Settings = harness.Options{"agent.kwargs": map[string]any{"version": "none"}}
		}, want: "the agent oracle cannot be used (there is no such version): mend that"},
		"a folder that is not there": {spoil: func(_ *testing.T, r *rig) { r.Dataset = "./tsks" }, want: "the dataset ./tsks cannot be read"},
		"a folder without tasks":     {spoil: func(_ *testing.T, r *rig) { r.Dataset = "./none" }, want: "the dataset ./none has no tasks: each is a folder with a task.toml"},
		"a task that is not there":   {ids: []string{"cobol", "notes"}, want: `the dataset ./tasks does not have the task "notes"`},
		"a task that is named twice": {ids: []string{"cobol", "cobol"}, want: `has the task "cobol" twice: name it once`},
		"no split file": {spoil: func(t *testing.T, r *rig) {
			require.NoError(t, os.RemoveAll(filepath.Join(r.Host.Dir, "tbench_data")))
			r.Split = "train"
		}, want: "task_split.json is not there"},
		"a split without tasks":         {spoil: func(t *testing.T, r *rig) { r.split(t, `{"dev": []}`); r.Split = "dev" }, want: `split "dev" of `},
		"an agent with a model, no key": {spoil: func(_ *testing.T, r *rig) { r.AgentImportPath, r.Agent.Model = "claude-code", "anthropic/claude-x" }, want: "the model anthropic/claude-x of the agent needs a key, and the environment variable ANTHROPIC_API_KEY is not set: set it"},
		"our own with a model, no key": {spoil: func(_ *testing.T, r *rig) {
			r.AgentImportPath, r.Agent.Model, r.Agent.Named = "rooms:Rooms", "gemini-x", true
		}, want: "GEMINI_API_KEY is not set"},
		"a key of another name, which is": {spoil: func(_ *testing.T, r *rig) {
			r.AgentImportPath, r.Agent.KeyVariables = "claude-code", []string{"MY_KEY"}
		}, want: "MY_KEY is not set"},
	} {
		t.Run(name, func(t *testing.T) {
			r := checked(t)
			if test.spoil != nil {
				test.spoil(t, r)
			}
			err := harness.FirstProblem(r.checks(t, test.ids))
			require.ErrorContains(t, err, test.want)
			kind := test.kind
			if kind == 0 {
				kind = fault.Invalid
			}
			assert.Equal(t, kind, fault.KindOf(err))
			assert.NotContains(t, err.Error(), "\n", "it is one sentence")
			assert.NotContains(t, err.Error(), "Traceback")
		})
	}
	t.Run("tasks that are not run are not looked at, and nothing is left", func(t *testing.T) {
		r := checked(t)
		require.NoError(t, os.Remove(filepath.Join(r.Host.Dir, "tasks", "chess", "instruction.md")))
		scratch := t.TempDir()
		r.Host.Environ = append(r.Host.Environ, "TMPDIR="+scratch)
		require.NoError(t, harness.FirstProblem(r.checks(t, []string{"cobol"})))
		require.Error(t, harness.FirstProblem(r.checks(t, nil)))
		left, err := os.ReadDir(scratch)
		require.NoError(t, err)
		assert.Empty(t, left)
	})
	t.Run("which tasks there are is told, where it can be known", func(t *testing.T) {
		r := checked(t)
		r.split(t, `{"dev": ["chess"]}`)
		runner, err := terminalbench.New(r.Options)
		require.NoError(t, err)
		for split, want := range map[string][]string{"dev": {"chess"}, harness.WholeDataset: {"chess", "cobol"}} {
			ids, err := runner.Tasks(t.Context(), split)
			require.NoError(t, err)
			assert.Equal(t, want, ids)
		}
		r.Dataset = "terminal-bench@2.0"
		runner, err = terminalbench.New(r.Options)
		require.NoError(t, err)
		_, err = runner.Tasks(t.Context(), harness.WholeDataset)
		require.ErrorContains(t, err, "is not known before it is run: name a split")
	})
	t.Run("an agent that is given another way in needs no key", func(t *testing.T) {
		r := checked(t)
		r.AgentImportPath, r.Agent.Model, r.Agent.Allow = "claude-code", "anthropic/claude-x", []string{"CLAUDE_CODE_OAUTH_TOKEN"}
		require.NoError(t, harness.FirstProblem(r.checks(t, nil)))
	})
}
