package actioncli_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// elsewhere is a workflow of a pull request whose cells have been run, and the job of
// another workflow that is to judge and publish them.
type elsewhere struct {
	*runner
	// id is the number of the first workflow's run, and made the folder with its rows.
	id   int
	made string
	// uploads are what it leaves: by default one artifact with the folder's files.
	uploads []model.Upload
	// event changes the event of its end.
	event func(run map[string]any)
}

// The rows of the tests say that this agent and model made them: a verdict of the
// scripted agent's would be for show.
const (
	claimedProvider = "opencode"
	claimedModel    = "gpt-5.3-codex"
)

// ranIn returns what a run of a pull request's workflow has come to, of a branch of the
// repository or of a fork.
func ranIn(t *testing.T, fork bool) *elsewhere {
	t.Helper()
	e := &elsewhere{runner: newRunner(t), made: "made"}
	owner := e.world.As("owner")
	const workflow = "name: Bench\non: pull_request\njobs:\n  measure:\n    runs-on: x\n    steps: [{run: bench}]\n"
	put := owner.Do("PUT", sandboxtest.Path+"/contents/.github/workflows/bench.yml", map[string]string{
		"message": "bench", "content": base64.StdEncoding.EncodeToString([]byte(workflow)), "branch": "main",
	})
	require.Equal(t, 201, put.Status, put.Body)
	e.world.Change(func(s *model.State, _ *model.Repo) {
		s.Scripts = []model.Script{{Workflow: "bench.yml", Hanging: true}}
	})
	if fork {
		e.forked()
	} else {
		e.branch("measured", "d")
	}
	e.trusted()
	e.id = int(e.list("/actions/runs?head_sha="+e.head, "workflow_runs")[0]["id"].(float64))
	e.inputs["scenarios"], e.inputs["repetitions"] = "pr-merge-001", "3"
	e.measureIn(e.made, e.id, 1)
	return e
}

// branch makes the pull request another one, of a branch with a file of its own.
func (r *runner) branch(name, file string) {
	r.t.Helper()
	r.world.Change(func(s *model.State, repo *model.Repo) {
		main, _ := s.BranchHead(repo, "main")
		require.NoError(r.t, s.CreateRef(repo.OwnerID, repo, "refs/heads/"+name, main))
	})
	owner := r.world.As("owner")
	owner.Do("PUT", sandboxtest.Path+"/contents/"+file, map[string]string{"message": "another change", "content": "eA==", "branch": name})
	pull := owner.Do("POST", sandboxtest.Path+"/pulls", map[string]string{"title": "Another change", "head": name, "base": "main"})
	r.pull, r.head = pull.Int("number"), pull.Text("head.sha")
	require.NotZero(r.t, r.pull, pull.Body)
	r.pullRequest("opened", nil)
}

// measured are the files of runs by what they are of. Worlds are alike, down to the names
// of commits, so cells need not be run for each test.
var (
	measuredLock sync.Mutex
	measured     = map[string]map[string]string{}
)

// measureIn runs the cells as a job of a workflow's run does, and has the rows say that
// a model made them.
func (e *elsewhere) measureIn(folder string, run, attempt int) {
	e.t.Helper()
	measuredLock.Lock()
	defer measuredLock.Unlock()
	of := fmt.Sprint(e.head, run, attempt, e.inputs)
	if measured[of] == nil {
		e.measure(folder, run, attempt)
		measured[of] = e.filesBelow(folder)
	}
	for name, text := range measured[of] {
		e.write(filepath.Join(folder, name), text, 0o644)
	}
}

func (e *elsewhere) measure(folder string, run, attempt int) {
	e.t.Helper()
	inputs, env := map[string]string{"shard": "1/1", "output-dir": folder}, map[string]string{
		"GITHUB_RUN_ID": strconv.Itoa(run), "GITHUB_RUN_ATTEMPT": strconv.Itoa(attempt), "GITHUB_WORKFLOW_REF": sandboxtest.Owner + "/" + sandboxtest.Name + "/.github/workflows/bench.yml@refs/pull/2/merge",
	}
	for name, value := range inputs {
		e.inputs[name] = value
	}
	for name, value := range env {
		e.env[name] = value
	}
	made := e.run()
	require.Zero(e.t, made.code, made.log)
	for name := range inputs {
		delete(e.inputs, name)
	}
	for name := range env {
		delete(e.env, name)
	}
	e.edit(folder, edits{
		rows: func(row map[string]any) {
			row["simulated"], row["model"] = false, map[string]any{"provider_id": "openai", "model_id": claimedModel, "mode": nil}
		},
		run: func(run map[string]any) {
			run["provider"], run["model"] = claimedProvider, map[string]any{"provider_id": "openai", "model_id": claimedModel, "mode": nil}
		},
		manifest: func(m map[string]any) {
			settings := m["settings"].(map[string]any)
			settings["provider"], settings["model"] = claimedProvider, "openai/"+claimedModel
		},
	})
}

// edits are what is changed of a run. Whoever makes rows can make all of it, so sums and
// hashes are made to fit.
type edits struct{ rows, run, manifest func(map[string]any) }

// edit changes the files of a run. Its summary is not changed: nobody asks it.
func (e *elsewhere) edit(folder string, by edits) {
	e.t.Helper()
	base := e.folderOf(folder)
	files, err := filepath.Glob(filepath.Join(base, "*"))
	require.NoError(e.t, err)
	for _, file := range files {
		change := by.rows
		switch {
		case strings.HasSuffix(file, "run.json"):
			change = func(run map[string]any) {
				delete(run, "sums")
				if by.run != nil {
					by.run(run)
				}
			}
		case !strings.HasSuffix(file, ".jsonl"):
			continue
		}
		if change != nil {
			rewrite(e.t, file, change)
		}
	}
	rewrite(e.t, filepath.Join(base, ledger.ManifestFile), func(m map[string]any) {
		sums := m["files"].(map[string]any)
		for _, file := range files {
			if _, listed := sums[filepath.Base(file)]; listed {
				text, err := os.ReadFile(file)
				require.NoError(e.t, err)
				sum := sha256.Sum256(text)
				sums[filepath.Base(file)] = hex.EncodeToString(sum[:])
			}
		}
		if by.manifest != nil {
			by.manifest(m)
		}
	})
}

// folderOf returns the folder of the one run below an output folder.
func (e *elsewhere) folderOf(output string) string {
	e.t.Helper()
	found, err := filepath.Glob(filepath.Join(e.workspace, output, "*", "run.json"))
	require.NoError(e.t, err)
	require.Len(e.t, found, 1)
	return filepath.Dir(found[0])
}

// rewrite changes each JSON object of a file.
func rewrite(t *testing.T, file string, change func(map[string]any)) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var out bytes.Buffer
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	for decoder.More() {
		var object map[string]any
		require.NoError(t, decoder.Decode(&object))
		change(object)
		line, err := json.Marshal(object)
		require.NoError(t, err)
		out.Write(append(line, '\n'))
	}
	require.NoError(t, os.WriteFile(file, out.Bytes(), 0o600))
}

// artifactOf returns an artifact with the files of an output folder.
func (e *elsewhere) artifactOf(name, output string) model.Upload {
	e.t.Helper()
	return model.Upload{Name: name, File: "history.jsonl", More: e.filesBelow(output)}
}

// filesBelow returns the files below a folder of the workspace.
func (e *elsewhere) filesBelow(folder string) map[string]string {
	e.t.Helper()
	files, root := map[string]string{}, filepath.Join(e.workspace, folder)
	require.NoError(e.t, filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		require.NoError(e.t, err)
		name, err := filepath.Rel(root, path)
		require.NoError(e.t, err)
		files[filepath.ToSlash(name)] = string(text)
		return nil
	}))
	return files
}

// uploaded ends the first workflow's run, which leaves its artifacts.
func (e *elsewhere) uploaded() {
	e.t.Helper()
	if e.uploads == nil {
		e.uploads = []model.Upload{e.artifactOf("bench-rows", e.made)}
	}
	e.world.Change(func(s *model.State, _ *model.Repo) {
		s.Scripts = []model.Script{{Workflow: "bench.yml", Uploads: e.uploads}}
		s.FinishRun(s.Runs.Get(model.ID(e.id)), model.Success)
	})
}

// publish runs the job of the other workflow.
func (e *elsewhere) publish() ended {
	e.t.Helper()
	e.inputs["provider"], e.inputs["model"], e.inputs["results-artifact"] = claimedProvider, "openai/"+claimedModel, "bench-*"
	run := e.world.As("owner").Get(fmt.Sprintf("%s/actions/runs/%d", sandboxtest.Path, e.id))
	require.Equal(e.t, 200, run.Status, run.Body)
	var payload map[string]any
	require.NoError(e.t, json.Unmarshal([]byte(run.Body), &payload))
	if e.event != nil {
		e.event(payload)
	}
	e.runner.event("workflow_run", map[string]any{"action": "completed", "workflow_run": payload})
	require.NoError(e.t, os.RemoveAll(filepath.Join(e.workspace, e.made)))
	return e.run()
}

// bench returns the conclusion of the check, empty if there is none.
func (e *elsewhere) bench() (conclusion, title string) {
	for _, check := range e.checks() {
		if check["name"] == "bench" {
			title, _ = check["output"].(map[string]any)["title"].(string)
			return check["conclusion"].(string), title
		}
	}
	return "", ""
}
