package appcli_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// ofTasks are settings of a benchmark that brings its own tasks. Its configuration would
// decide in another way than they do.
const (
	ofTasks    = "model: openai/acme\nbenchmark: command\nexperiment_config: agent/tau.yaml\nrepetitions: 4\nmargins: {success: 20}\n"
	experiment = "benchmark: command\ncommand: [sh, agent/bench.sh]\ngate: {policy: seed}\n"
	// bothGood rewards an agent for each of twelve tasks, unless it is bad.
	bothGood = `cat > /dev/null
reward=1
grep -qs bad agent/change.txt && reward=0
for id in 01 02 03 04 05 06 07 08 09 10 11 12; do
  echo "{\"t$id\": {\"reward\": $reward, \"duration_s\": 1, \"input_tokens\": 10}}"
done
`
)

// newWithTasks is a world whose App has a workflow run a benchmark of the repository's
// own agent, which the pull request changes.
func newWithTasks(t *testing.T, change string) *world {
	t.Helper()
	w := newWorld(t, ofTasks, gitstore.Change{Path: ".github/workflows/bench.yml", Content: workflow(t)},
		gitstore.Change{Path: "agent/tau.yaml", Content: []byte(experiment)}, gitstore.Change{Path: "agent/bench.sh", Content: []byte(bothGood)})
	w.Change(func(s *model.State, _ *model.Repo) {
		s.Scripts = []model.Script{{Workflow: "bench.yml", Hanging: true}}
		s.Apps.Get(w.app).CallbackURLs = []string{"http://bench.example/login/callback"}
	})
	w.commit("agent/change.txt", change)
	return w
}

// step is what a workflow gives the action.
func step(t *testing.T, text []byte, plan map[string]any) map[string]string {
	t.Helper()
	var file struct {
		Jobs map[string]struct {
			Steps []struct {
				ID   string            `yaml:"id"`
				With map[string]string `yaml:"with"`
			} `yaml:"steps"`
		} `yaml:"jobs"`
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	ofPlan := regexp.MustCompile(`^\$\{\{ fromJSON\(inputs\.plan\)\.([a-z-]+) \}\}$`)
	given := map[string]string{}
	for _, step := range file.Jobs["bench"].Steps {
		if step.ID != "bench" {
			continue
		}
		for name, value := range step.With {
			named := ofPlan.FindStringSubmatch(value)
			switch {
			case named != nil && plan[named[1]] == nil:
				given[name] = ""
			case named != nil:
				text, err := json.Marshal(plan[named[1]])
				require.NoError(t, err)
				given[name] = strings.Trim(string(text), `"`)
			case name == "rows":
				given[name] = "" // there is no earlier run
			case name == "model-api-key":
				given[name] = "sk-of-the-repository"
			default:
				given[name] = value
			}
		}
	}
	require.NotEmpty(t, given)
	return given
}

// act does what the workflow does, with the action itself, and returns the files that it
// uploads.
func (w *world) act(run *model.Run) map[string]string {
	w.t.Helper()
	t, folder := w.t, w.t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(folder), 0o755)) //nolint:gosec // who builds can enter it
	workspace, outputs := filepath.Join(folder, "workspace"), filepath.Join(folder, "outputs")
	address := strings.Replace(w.URL, "://", "://owner:"+sandboxtest.Token("owner")+"@", 1) + "/" + sandboxtest.Owner + "/" + sandboxtest.Name + ".git"
	for _, args := range [][]string{{"clone", "-q", address, workspace}, {"-C", workspace, "checkout", "-q", run.Inputs["sha"]}, {"-C", workspace, "remote", "remove", "origin"}} {
		out, err := exec.Command("git", args...).CombinedOutput() //nolint:gosec // of the test's own
		require.NoError(t, err, string(out))
	}
	event, err := json.Marshal(map[string]any{"inputs": run.Inputs, "ref": "refs/heads/main", "repository": map[string]any{
		"name": sandboxtest.Name, "full_name": sandboxtest.Owner + "/" + sandboxtest.Name, "id": 1, "owner": map[string]any{"login": sandboxtest.Owner},
	}})
	require.NoError(t, err)
	eventFile := filepath.Join(folder, "event.json")
	require.NoError(t, os.WriteFile(eventFile, event, 0o600))
	require.NoError(t, os.WriteFile(outputs, nil, 0o600))
	// The user without rights runs the same program.
	program := filepath.Join(folder, "action")
	self, err := os.ReadFile(os.Args[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(program, self, 0o755)) //nolint:gosec // everybody may run it
	environ := map[string]string{
		asAction: "1", "PATH": os.Getenv("PATH"), "HOME": t.TempDir(), "GORACE": os.Getenv("GORACE"), "TMPDIR": os.TempDir(),
		"GITHUB_EVENT_NAME": "workflow_dispatch", "GITHUB_EVENT_PATH": eventFile, "GITHUB_REPOSITORY": sandboxtest.Owner + "/" + sandboxtest.Name,
		"GITHUB_WORKSPACE": workspace, "GITHUB_API_URL": w.URL, "GITHUB_RUN_ID": "1", "GITHUB_SHA": w.base(), "GITHUB_OUTPUT": outputs,
	}
	for _, in := range actions.Declared() {
		if !strings.Contains(in.Default, "${{") {
			environ["INPUT_"+strings.ToUpper(in.Name)] = in.Default
		}
	}
	for name, value := range step(t, workflow(t), w.planOf(run)) {
		environ["INPUT_"+strings.ToUpper(name)] = value
	}
	cmd := exec.Command(program) //nolint:gosec // it is this program
	cmd.Dir = workspace
	for name, value := range environ {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	testkit.Builder(t, cmd)
	log, err := cmd.CombinedOutput()
	require.NoError(t, err, string(log))
	assert.Contains(t, string(log), "--policy evidence --epochs 4 --margin-success 20 ", "the settings decide, and not the pull request's file")

	text, err := os.ReadFile(outputs)
	require.NoError(t, err)
	rows := regexp.MustCompile(`(?m)^rows<<\S+\n(.*)\n`).FindSubmatch(text)
	require.NotNil(t, rows, string(log))
	files := map[string]string{}
	for _, pattern := range []string{"summary.json", "run.json", "*-suite.jsonl"} {
		found, err := filepath.Glob(filepath.Join(workspace, string(rows[1]), pattern))
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		for _, file := range found {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			files[filepath.Base(file)] = string(text)
		}
	}
	return files
}

func TestAWorkflowGatesTheAgentOfTheRepository(t *testing.T) {
	for name, c := range map[string]struct {
		change     string
		conclusion model.Conclusion
	}{"one that is as good": {"good, in other words", "success"}, "a worse one": {"bad", "failure"}} {
		t.Run(name, func(t *testing.T) {
			w := newWithTasks(t, c.change)
			s := w.serve("BENCH_APP_CLIENT_ID=Iv1.bench", "BENCH_APP_CLIENT_SECRET=a-client-secret")
			w.open()
			run := w.started(1)
			w.finish(run, model.Success, w.act(run))
			check := w.concluded(1)
			assert.Equal(t, c.conclusion, check.Conclusion, check.Output.Summary)
			browser := w.shownTasks(s, check)
			_, list := page(t, browser, "/")
			assert.Contains(t, list, "command", "what was run is told where no set of scenarios is")
		})
	}
}

// shownTasks fails unless check run, comment and dashboard show the tasks of a run, of
// four epochs by both agents. It returns a browser of somebody who sees the repository.
func (w *world) shownTasks(s *server, check model.CheckRun) *http.Client {
	w.t.Helper()
	t := w.t
	for _, agent := range []string{"agent@" + w.base()[:7], "agent@" + w.head[:7]} {
		assert.Contains(t, check.Output.Summary+check.Output.Text, agent)
	}
	w.said("agent@" + w.head[:7])

	// Each task is a row of the dashboard's, with its epochs behind it.
	browser := w.browser("owner", s)
	status, page1 := page(t, browser, "/login?next=/runs/"+check.ExternalID)
	require.Equal(t, http.StatusOK, status)
	for _, task := range []string{"t01", "t12"} {
		require.Contains(t, page1, `<a href="/runs/`+check.ExternalID+`/scenarios/`+task+`">`)
	}
	status, sessions := page(t, browser, "/runs/"+check.ExternalID+"/scenarios/t12")
	assert.Equal(t, http.StatusOK, status)
	for _, epoch := range []string{"1", "4"} {
		assert.Contains(t, sessions, `/scenarios/t12/agent@`+w.head[:7]+`/`+epoch+`"`)
	}
	return browser
}
