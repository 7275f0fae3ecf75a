package appcli_test

import (
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

const (
	ofTau = "model: openai/stub-agent\nexecutor: local\nbenchmark: tau-bench\nexperiment_config: agent/tau.yaml\nrepetitions: 4\nmargins: {success: 20, cost: 3, latency: 10}\n"
	// tauAgent is tau2's own agent, told to be what the pull request says, else what the
	// base commit does.
	tauAgent = `from pathlib import Path

from tau2.agent.llm_agent import LLMAgent

told = Path(__file__).with_name("told.txt")


class HarnessAgent(LLMAgent):
    @property
    def system_prompt(self):
        return super().system_prompt + "\nBe " + (told.read_text() if told.exists() else "%s") + "."
`
	tauPrices = `{"default_model": "openai/stub-agent", "expectations": {}, "pricing": {
		"openai/stub-agent": {"input": 2, "output": 10, "cache_read": 0, "cache_write": 0},
		"openai/stub-user": {"input": 2, "output": 10, "cache_read": 0, "cache_write": 0},
		"openai/gpt-4.1-2025-04-14": {"input": 2, "output": 8, "cache_read": 0, "cache_write": 0}}}`
	// tauSplit are tasks that tau2 can grade whatever the agent does: of others its
	// assertions raise where there is no task.
	tauSplit = `{"base": ["create_task_1", "create_task_1_nl_eval", "update_task_1", "update_task_with_message_history",
		"update_task_with_initialization_actions", "update_task_with_history_and_env_assertions"]}`
	// aLot is how long a real benchmark may take for a gate.
	aLot = 9 * time.Minute
)

var tauScenario = regexp.MustCompile(`(?s)<scenario>(.*?)</scenario>`)

// tauModel plays the agent of tau2's domain mock, the user and the judge.
func tauModel(r stubmodel.Request) []stubmodel.Step {
	said, system := r.Messages[len(r.Messages)-1], r.Messages[0].Text
	step := stubmodel.Step{Usage: stubmodel.Usage{Prompt: 100, Completion: 10}}
	switch {
	case r.Model == "stub-user":
		step.Text = "###STOP###"
		if asks := tauScenario.FindStringSubmatch(system); asks != nil && !strings.Contains(said.Text, "That is all") {
			step.Text = asks[1]
		}
	case r.Model != "stub-agent":
		step.Text = `{"results": [{"expectedOutcome": "", "reasoning": "", "metExpectation": true}]}`
	case said.Role == "tool", strings.Contains(system, "Be idle."):
		step.Text = "That is all."
	case strings.Contains(said.Text, "Important Meeting"):
		step.Calls = []stubmodel.Call{{Name: "create_task", Arguments: map[string]string{"user_id": "user_1", "title": "Important Meeting"}}}
	case strings.Contains(said.Text, "task_1"):
		step.Calls = []stubmodel.Call{{Name: "update_task_status", Arguments: map[string]string{"task_id": "task_1", "status": "completed"}}}
	default:
		step.Calls = []stubmodel.Call{{Name: "update_task_status", Arguments: map[string]string{"task_id": "task_2", "status": "completed"}}}
	}
	return []stubmodel.Step{step}
}

// newWithTau is a world whose App runs the real tau2, with the base commit's agent.
func newWithTau(t *testing.T, base string) (*withModel, string) {
	t.Helper()
	python := os.Getenv("BENCH_TAU2_PYTHON")
	if python == "" {
		t.Skip("BENCH_TAU2_PYTHON is not set")
	}
	said, err := exec.CommandContext(t.Context(), python, "-c", "from tau2.utils.utils import DATA_DIR; print(DATA_DIR)").Output()
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	files := []gitstore.Change{
		{Path: "agent/tau.yaml", Content: []byte("benchmark: tau-bench\ndomain: mock\nsplit: base\ngate_split: base\ntau2_python: " + python + "\nuser_model: openai/stub-user\n")},
		{Path: "agent/agent.py", Content: []byte(fmt.Sprintf(tauAgent, base))},
	}
	for _, folder := range []string{"domains/mock", "user_simulator"} {
		folder = filepath.Join("tau2", folder)
		require.NoError(t, fs.WalkDir(os.DirFS(lines[len(lines)-1]), folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(filepath.Join(lines[len(lines)-1], path))
			if d.Name() == "split_tasks.json" {
				text = []byte(tauSplit)
			}
			files = append(files, gitstore.Change{Path: "tau2_data/" + path, Content: text})
			return err
		}))
	}
	return newTasksHere(t, ofTau, tauPrices, tauModel, files...)
}

// requireVerdict waits for the verdict of a real benchmark, and returns the log.
func (m *withModel) requireVerdict(s *server, want model.Conclusion) (model.CheckRun, string) {
	m.t.Helper()
	m.within(aLot, "a verdict", func() bool { c := m.last(); return c != nil && c.Status == model.Completed })
	check := *m.last()
	browser := m.browser("owner", s)
	page(m.t, browser, "/login?next=/")
	_, log := page(m.t, browser, "/runs/"+check.ExternalID+"/log")
	m.t.Logf("%s\n%s\n%s\n%s", check.Output.Title, check.Output.Summary, check.Output.Text, log)
	require.Equal(m.t, want, check.Conclusion)
	return check, log
}

// change is what the agent is told in the base and in the proposed commit, and what
// comes of it.
type change struct {
	base, head string
	want       model.Conclusion
}

// requireVerdicts has each change come to its verdict in a world of its own.
func requireVerdicts(t *testing.T, newWith func(t *testing.T, base string) (*withModel, string), changes map[string]change) {
	t.Helper()
	testkit.NeedComplete(t)
	for name, c := range changes {
		t.Run(name, func(t *testing.T) {
			with, temporary := newWith(t, c.base)
			with.commit("agent/told.txt", c.head)
			s := with.serve(with.more...)
			with.open()
			_, log := with.requireVerdict(s, c.want)
			assert.Zero(t, s.stop(t), s.out)
			with.requireNowhere(s, log)
			requireLeftNothing(t, temporary)
		})
	}
}

func TestRealTau2ThroughTheApp(t *testing.T) {
	requireVerdicts(t, newWithTau, map[string]change{
		"as good": {"helpful", "as helpful as you can", "success"}, "worse": {"helpful", "idle", "failure"}, "better": {"idle", "helpful", "success"},
	})
}

// The model is away for a while, and the server is killed before.
func TestRealTau2OutlivesAnOutageAndAKilledServer(t *testing.T) {
	testkit.NeedComplete(t)
	with, temporary := newWithTau(t, "helpful")
	with.commit("agent/told.txt", "as helpful as you can")
	const killed, away, back = 15, 60, 90 // requests
	var asked atomic.Int64
	with.model.Plan = func(r stubmodel.Request) []stubmodel.Step {
		steps := tauModel(r)
		if n := asked.Add(1); n >= away && n < back {
			steps[0].Failures = []stubmodel.Failure{{Status: http.StatusServiceUnavailable}, {Status: http.StatusServiceUnavailable}, {Status: http.StatusServiceUnavailable}}
		}
		return steps
	}
	s := with.serve(with.more...)
	with.open()
	with.within(aLot, "a run under way", func() bool {
		check := with.last()
		require.False(t, check != nil && check.Status == model.Completed, "the run ended before %d requests: %+v", killed, check)
		return asked.Load() >= killed
	})
	with.killed(s, temporary)
	s = with.serve(with.more...)
	_, log := with.requireVerdict(s, "success")
	assert.Greater(t, asked.Load(), int64(back))
	assert.Zero(t, s.stop(t), s.out)
	with.requireNowhere(s, log)
	requireLeftNothing(t, temporary)
}

const (
	ofHarbor = "model: openai/stub-agent\nexecutor: local\nbenchmark: terminal-bench\nexperiment_config: agent/tb.yaml\nrepetitions: 4\nmargins: {success: 20, latency: 10}\n"
	// harborAgent does one command whatever it is told, so that it takes as long.
	harborAgent = `from pathlib import Path

from harbor.agents.base import BaseAgent

told = Path(__file__).with_name("told.txt")


class HarnessAgent(BaseAgent):
    @staticmethod
    def name():
        return "harness"

    def version(self):
        return "1"

    async def setup(self, environment):
        pass

    async def run(self, instruction, environment, context):
        busy = (told.read_text() if told.exists() else "%s") != "idle" or "task-a" in instruction
        await environment.exec("echo %%s > /app/answer" %% ("done" if busy else "nothing"))
`
)

// newWithHarbor is a world whose App runs the real harbor, with an environment that needs
// no container engine and no rights.
func newWithHarbor(t *testing.T, base string) (*withModel, string) {
	t.Helper()
	harbor := os.Getenv("BENCH_HARBOR")
	if harbor == "" {
		t.Skip("BENCH_HARBOR is not set")
	}
	const from = "../../../harness/terminalbench/testdata/real"
	rooms, err := os.ReadFile(from + "/rooms.py")
	require.NoError(t, err)
	files := []gitstore.Change{
		{Path: "agent/tb.yaml", Content: []byte("benchmark: terminal-bench\nenv_provider: rooms:Rooms\ndataset: ./tasks\nsplit: null\ngate_split: null\nmax_concurrency: 2\nharbor: " + harbor + "\n")},
		{Path: "agent/agent.py", Content: []byte(fmt.Sprintf(harborAgent, base))},
		{Path: "rooms.py", Content: []byte(strings.Replace(string(rooms), `"unshare", `, `"unshare", "--user", "--map-root-user", `, 1))},
	}
	for _, name := range []string{"instruction.md", "environment/Dockerfile", "solution/solve.sh", "tests/test.sh", "task.toml"} {
		text, err := os.ReadFile(from + "/tasks/passes/" + name)
		require.NoError(t, err)
		for _, task := range []string{"a", "b", "c", "d", "e", "f"} {
			content := slices.Clone(text)
			if name == "instruction.md" {
				content = append(content, "This is task-"+task+".\n"...)
			}
			files = append(files, gitstore.Change{Path: "tasks/task-" + task + "/" + name, Content: content})
		}
	}
	return newTasksHere(t, ofHarbor, tauPrices, tauModel, files...)
}

func TestRealHarborThroughTheApp(t *testing.T) {
	requireVerdicts(t, newWithHarbor, map[string]change{
		"as good": {"busy", "as busy", "success"}, "worse": {"busy", "idle", "failure"}, "better": {"idle", "busy", "success"},
	})
}

const (
	ofBird      = "model: bird-interact/oracle\nexecutor: local\nbenchmark: bird-interact\nexperiment_config: agent/bird.yaml\nrepetitions: 4\nmargins: {success: 20, latency: 10}\n"
	birdService = `from fastapi import FastAPI

app = FastAPI()


@app.get("/health")
async def health():
    return {"status": "healthy", "service": "auto_harness_bird_system_agent"}
`
	birdPassword = "a-password-of-postgres"
	birdPlanets  = `CREATE TABLE planets (name text, size int); INSERT INTO planets VALUES ('venus', 2), ('mars', 1)`
)

const birdRight, birdWrong = "SELECT name FROM planets", "SELECT no_such_column FROM planets"

// birdData are tasks with solutions, which mode oracle submits. A wrong one is that of an
// agent which fails; that of the first task is right, so that there is something to compare.
func birdData(solution string) string {
	text := ""
	for i := range 6 {
		solution := solution
		if i == 0 {
			solution = birdRight
		}
		text += fmt.Sprintf(`{"instance_id": "bench_%d", "selected_database": "bench_real", "amb_user_query": "?", "query": "?", "sol_sql": [%q], "test_cases": [], "category": "Query", "conditions": {}, "user_query_ambiguity": {"critical_ambiguity": []}, "knowledge_ambiguity": [], "follow_up": {}}`, i, solution) + "\n"
	}
	return text
}

// postgres starts a PostgreSQL server of the test's own, with a superuser bird, and
// returns its address.
func postgres(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(folder), 0o755)) //nolint:gosec // the server's user can enter it
	is, err := user.Lookup("postgres")
	require.NoError(t, err)
	id, err := strconv.ParseUint(is.Uid, 10, 32)
	require.NoError(t, err)
	require.NoError(t, os.Chown(folder, int(id), -1))
	password := filepath.Join(filepath.Dir(folder), "password")
	require.NoError(t, os.WriteFile(password, []byte(birdPassword), 0o644)) //nolint:gosec // it is a test's
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	_, port, _ := net.SplitHostPort(address)
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = folder, []string{"PATH=" + os.Getenv("PATH"), "PGPASSWORD=" + birdPassword}
		if name != "psql" {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(id), Gid: uint32(id)}}
		}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	data := filepath.Join(folder, "data")
	run("initdb", "--pgdata", data, "--username", "bird", "--auth", "scram-sha-256", "--pwfile", password, "--no-sync")
	run("pg_ctl", "--pgdata", data, "--wait", "--log", filepath.Join(folder, "log"), "--options", "-p "+port+" -c listen_addresses=127.0.0.1 -c unix_socket_directories="+folder, "start")
	t.Cleanup(func() { run("pg_ctl", "--pgdata", data, "--wait", "--mode", "immediate", "stop") })
	login := []string{"--no-psqlrc", "--host", "127.0.0.1", "--port", port, "--username", "bird"}
	run("psql", append(login, "--dbname", "postgres", "--command", "CREATE DATABASE bench_real_template")...)
	run("psql", append(login, "--dbname", "bench_real_template", "--command", birdPlanets)...)
	return address
}

func TestRealBirdInteractThroughTheApp(t *testing.T) {
	testkit.NeedComplete(t)
	repo := os.Getenv("BENCH_BIRD_REPO")
	if repo == "" {
		t.Skip("BENCH_BIRD_REPO is not set")
	}
	for name, c := range map[string]struct {
		base, head, want string
	}{
		"as good": {birdRight, birdRight + " ORDER BY size", "PASS (simulated): "}, "worse": {birdRight, birdWrong, "FAIL (simulated): "}, "better": {birdWrong, birdRight, "PASS (simulated): "},
	} {
		t.Run(name, func(t *testing.T) {
			address := postgres(t)
			_, port, _ := net.SplitHostPort(address)
			with, temporary := newTasksHere(t, ofBird, tauPrices, tauModel,
				gitstore.Change{Path: "agent/bird.yaml", Content: []byte("benchmark: bird-interact\nmode: oracle\nsplit: null\ngate_split: null\nbird_data_path: data.jsonl\nbird_repo: " +
					repo + "\nbird_python_bin: " + os.Getenv("BIRD_PYTHON_BIN") + "\npg_user: bird\npg_port: " + port + "\n")},
				gitstore.Change{Path: "agent/helpers/bird_interact/bird_service.py", Content: []byte(birdService)},
				gitstore.Change{Path: "data.jsonl", Content: []byte(birdData(c.base))})
			with.more = append(with.more, "BENCH_APP_LOCAL_REACH="+address, "BENCH_APP_LOCAL_PG_PASSWORD="+birdPassword)
			with.rewrite("data.jsonl", birdData(c.head))
			s := with.serve(with.more...)
			with.open()
			check, log := with.requireVerdict(s, "neutral") // no model was asked
			assert.Contains(t, check.Output.Title, c.want)
			assert.NotContains(t, check.Output.Summary+check.Output.Text+log, birdPassword)
			assert.Zero(t, s.stop(t), s.out)
			with.requireNowhere(s, log)
			requireLeftNothing(t, temporary)
		})
	}
}
