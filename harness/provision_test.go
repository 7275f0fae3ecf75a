package harness_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// rig is a provider for an experiment's folder, with what it says.
type rig struct {
	harness.Provisioner
	said, log *bytes.Buffer
	bin       string
}

func newRig(t *testing.T, environ ...string) *rig {
	t.Helper()
	r := &rig{said: new(bytes.Buffer), log: new(bytes.Buffer), bin: t.TempDir()}
	dir := filepath.Join(t.TempDir(), "experiment")
	require.NoError(t, os.Mkdir(dir, 0o755))
	r.Host = harness.Host{Dir: dir, Log: r.log, Environ: append(environ, "HOME="+t.TempDir(), "PATH="+r.bin+":"+os.Getenv("PATH"))}
	r.Sayf = func(format string, args ...any) { fmt.Fprintf(r.said, format+"\n", args...) }
	return r
}

// program puts a script on the rig's PATH.
func (r *rig) program(t *testing.T, name, script string) string {
	t.Helper()
	testkit.NeedShell(t)
	path := filepath.Join(r.bin, name)
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700))
	return path
}

// repository makes a repository with these files and a later commit in which
// they are gone.
func repository(t *testing.T, files map[string]string) harness.Source {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT TESTED: there is no git on PATH")
	}
	dir := t.TempDir()
	git := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return strings.TrimSpace(string(out))
	}
	git("init", "--quiet")
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	git("add", ".")
	git("commit", "--quiet", "-m", "pinned")
	revision := git("rev-parse", "HEAD")
	git("config", "uploadpack.allowAnySHA1InWant", "true")
	git("config", "uploadpack.allowFilter", "true")
	git("rm", "--quiet", "-r", ".")
	git("commit", "--quiet", "-m", "later")
	return harness.Source{URL: dir, Revision: revision}
}

func TestKeys(t *testing.T) {
	r := newRig(t, "OPENAI_API_KEY=x", "E2B_API_KEY=")
	require.NoError(t, r.Keys("OPENAI_API_KEY"))
	err := r.Keys("OPENAI_API_KEY", "E2B_API_KEY", "ANTHROPIC_API_KEY", "E2B_API_KEY")
	require.EqualError(t, err, "missing environment variables: ANTHROPIC_API_KEY, E2B_API_KEY")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestProgram(t *testing.T) {
	r := newRig(t)
	require.ErrorContains(t, r.Program("harbor-that-is-not-there", "install it with `uv`"), "install it with `uv`")
	path := r.program(t, "harbor", "")
	require.NoError(t, r.Program("harbor", ""))
	require.NoError(t, r.Program(path, ""))
	assert.Contains(t, r.said.String(), "harbor found: "+path)
}

func TestTau2Data(t *testing.T) {
	from := repository(t, map[string]string{
		"data/tau2/domains/retail/tasks.json": "[]", "data/tau2/user_simulator/u.md": "", "data/tau2/results/large.json": "[]", "src/x": "",
	})
	from.Folders = harness.Tau2().Folders
	r := newRig(t)
	require.NoError(t, r.Tau2Data(t.Context(), from, "retail"), "the pinned commit is fetched, which is not the newest")
	data := filepath.Join(r.Host.Dir, "tau2_data", "tau2")
	assert.FileExists(t, filepath.Join(data, "domains", "retail", "tasks.json"))
	assert.FileExists(t, filepath.Join(data, "user_simulator", "u.md"))
	assert.NoDirExists(t, filepath.Join(data, "results"), "what is not needed is not fetched")
	entries, err := os.ReadDir(filepath.Dir(data))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "nothing else is left")

	require.NoError(t, r.Tau2Data(t.Context(), harness.Source{URL: "/no/such/repository"}, "retail"), "what is there is not fetched again")
	require.ErrorContains(t, r.Tau2Data(t.Context(), from, "retial"), `is domain "retial" right?`)

	t.Run("TAU2_DATA_DIR says where it is", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "elsewhere")
		r := newRig(t, "TAU2_DATA_DIR="+dir)
		require.NoError(t, r.Tau2Data(t.Context(), from, "retail"))
		assert.DirExists(t, filepath.Join(dir, "tau2"))
	})
	t.Run("what a broken fetch has left is no hindrance", func(t *testing.T) {
		r := newRig(t)
		err := r.Tau2Data(t.Context(), harness.Source{URL: from.URL, Revision: "no-such-branch"}, "retail")
		require.ErrorContains(t, err, "no-such-branch")
		assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
		require.NoError(t, r.Tau2Data(t.Context(), from, "retail"))
	})
}

// python is an interpreter that knows venv and pip.
const python = `case "$2" in
venv) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
pip) echo "installing $5"; test -z "$(cat "$5")" ;;
*) exit 9 ;;
esac
`

func TestBird(t *testing.T) {
	adk := repository(t, map[string]string{"BIRD-Interact-ADK/orchestrator/runner.py": "", "BIRD-Interact-ADK/requirements.txt": ""})
	solved := repository(t, map[string]string{"bird_interact_data.jsonl": "{\"sol_sql\": []}\n\n{\"sol_sql\": [\"SELECT 1\"]}"})
	public := repository(t, map[string]string{"bird_interact_data.jsonl": "{\"sol_sql\": []}\n{\"sol_sql\": null}\n{}\n"})
	config := harness.DefaultConfig(harness.BirdInteract)
	setUp := func(t *testing.T) *rig {
		r := newRig(t)
		for _, name := range []string{"psql", "createdb", "dropdb"} {
			r.program(t, name, "")
		}
		r.program(t, "python3", python)
		return r
	}
	t.Run("the ADK, its own Python and the dataset are fetched once", func(t *testing.T) {
		r := setUp(t)
		require.NoError(t, r.Bird(t.Context(), config, harness.BirdSources{ADK: adk, Dataset: solved}))
		dir := filepath.Join(r.Host.Dir, "bird_interact_adk", "BIRD-Interact-ADK")
		found, err := harness.ResolveBirdADKDir(r.Host, "")
		require.NoError(t, err)
		assert.Equal(t, dir, found)
		assert.Equal(t, filepath.Join(dir, ".venv-adk", "bin", "python"), harness.ResolveBirdPythonBin(r.Host, dir, ""))
		assert.FileExists(t, harness.ResolveBirdDataPath(r.Host, dir, "lite", ""))
		assert.Contains(t, r.log.String(), "installing "+filepath.Join(dir, "requirements.txt"))

		r.log.Reset()
		nowhere := harness.Source{URL: "/no/such/repository"}
		require.NoError(t, r.Bird(t.Context(), config, harness.BirdSources{ADK: nowhere, Dataset: nowhere}))
		assert.NotContains(t, r.log.String(), "installing")
	})
	t.Run("packages that could not be installed are tried again", func(t *testing.T) {
		r := setUp(t)
		broken := repository(t, map[string]string{"BIRD-Interact-ADK/orchestrator/runner.py": "", "BIRD-Interact-ADK/requirements.txt": "no-such-package"})
		require.ErrorContains(t, r.Bird(t.Context(), config, harness.BirdSources{ADK: broken, Dataset: solved}), "python -m pip install")
		requirements := filepath.Join(r.Host.Dir, "bird_interact_adk", "BIRD-Interact-ADK", "requirements.txt")
		require.NoError(t, os.WriteFile(requirements, nil, 0o600))
		r.log.Reset()
		require.NoError(t, r.Bird(t.Context(), config, harness.BirdSources{Dataset: solved}))
		assert.Contains(t, r.log.String(), "installing")
	})
	t.Run("a dataset without solutions is refused, with the way to them", func(t *testing.T) {
		r := setUp(t)
		err := r.Bird(t.Context(), config, harness.BirdSources{ADK: adk, Dataset: public})
		require.ErrorContains(t, err, "bird.bench25@gmail.com")
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
	})
	t.Run("what the configuration names is taken as it is", func(t *testing.T) {
		r := setUp(t)
		mine := t.TempDir()
		require.NoError(t, os.MkdirAll(filepath.Join(mine, "orchestrator"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(mine, "orchestrator", "runner.py"), nil, 0o600))
		c := config
		c.BirdRepo, c.BirdPythonBin, c.BirdDataPath = mine, r.program(t, "my-python", ""), filepath.Join(solved.URL, "d.jsonl")
		require.NoError(t, os.WriteFile(c.BirdDataPath, []byte(`{"sol_sql": "SELECT 1"}`), 0o600))
		require.NoError(t, r.Bird(t.Context(), c, harness.BirdSources{}))
		assert.NoDirExists(t, filepath.Join(mine, ".venv-adk"))
		assert.NoDirExists(t, filepath.Join(r.Host.Dir, "bird_interact_adk"))
		c.BirdDataPath = "missing.jsonl"
		require.ErrorContains(t, r.Bird(t.Context(), c, harness.BirdSources{}), "missing.jsonl")
	})
}

func TestSourcesArePinned(t *testing.T) {
	for _, s := range []harness.Source{harness.Tau2(), harness.BirdADK()} {
		assert.Regexp(t, "^[0-9a-f]{40}$", s.Revision, s.URL)
	}
	assert.Equal(t, "https://huggingface.co/datasets/birdsql/bird-interact-lite", harness.BirdDataset("lite").URL)
}
