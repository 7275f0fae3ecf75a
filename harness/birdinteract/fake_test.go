package birdinteract_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/birdinteract"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// The test is BIRD-Interact's Python too: called as python is, it plays the
// program that it is asked for.
func TestMain(m *testing.M) {
	if len(os.Args) < 3 || os.Args[1] != "-m" {
		os.Exit(m.Run())
	}
	var err error
	switch os.Args[2] {
	case "uvicorn":
		err = fakeService(os.Args[3], flag("--port"))
	case "orchestrator.runner":
		err = fakeOrchestrator()
	default:
		err = fmt.Errorf("there is no module %s", os.Args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func flag(name string) string {
	for i, arg := range os.Args {
		if arg == name {
			return os.Args[i+1]
		}
	}
	return ""
}

// record writes what the program was told, for the test to read.
func record(name string) error {
	text := strings.Join(os.Args[1:], " ") + "\n" + strings.Join(os.Environ(), "\n") + "\n"
	return os.WriteFile(filepath.Join("fake", name+".told"), []byte(text), 0o600)
}

// fakeService is a service whose answer at /health is that of a file, and
// which ends when a file says so.
func fakeService(app, port string) error {
	name := strings.TrimSuffix(app, ":app")
	if err := record(name); err != nil {
		return err
	}
	if said, err := os.ReadFile(filepath.Join("fake", name+".exit")); err == nil {
		return fmt.Errorf("%s", said)
	}
	if _, err := os.Stat(filepath.Join("fake", name+".stubborn")); err == nil {
		signal.Ignore(syscall.SIGTERM)
	}
	if said, err := os.ReadFile(filepath.Join("fake", name+".log")); err == nil {
		fmt.Print(string(said))
	}
	go func() {
		for range time.Tick(5 * time.Millisecond) {
			if _, err := os.Stat(filepath.Join("fake", name+".die")); err == nil {
				os.Exit(9)
			}
		}
	}()
	status, body := http.StatusOK, identities()[name]
	if said, err := os.ReadFile(filepath.Join("fake", name+".health")); err == nil {
		_, err := fmt.Sscanf(string(said), "%d", &status)
		if err != nil {
			return err
		}
		_, body, _ = strings.Cut(string(said), " ")
	}
	return http.ListenAndServe(net.JoinHostPort("127.0.0.1", port), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
}

func identities() map[string]string {
	return map[string]string{
		agentModule:           `{"status": "healthy", "service": "auto_harness_bird_system_agent", "adk_available": true}`,
		"system_agent.server": `{"status": "healthy", "service": "system_agent"}`,
		userModule:            `{"status": "healthy", "service": "user_simulator"}`,
		dbModule:              `{"status": "healthy", "service": "db_environment"}`,
	}
}

const (
	agentModule = "agent.helpers.bird_interact.bird_service"
	userModule  = "user_simulator.server"
	dbModule    = "db_environment.server"
)

// fakeOrchestrator runs a script with DATA and OUTPUT set.
func fakeOrchestrator() error {
	if err := record("orchestrator"); err != nil {
		return err
	}
	return syscall.Exec("/bin/sh", []string{"sh", "fake/orchestrator.sh"}, append(os.Environ(), "DATA="+flag("--data"), "OUTPUT="+flag("--output")))
}

// rig is an experiment with an ADK whose programs are fakes.
type rig struct {
	birdinteract.Options
	adk  string
	log  *testkit.SyncBuffer
	seen []harness.Progress
}

// data is a dataset.
const data = `{"instance_id": "alien_1", "selected_database": "alien", "sol_sql": ["SELECT 'gold'"]}
{"instance_id": "alien_2", "selected_database": "alien"}

{"instance_id": "robot_1", "selected_database": "robot"}
`

// script is an orchestrator that rewards two tasks and fails at one.
const script = `cat >"$OUTPUT" <<END
{"mode": "a-interact", "metrics": {"total_tasks": 3}, "results": [
  {"task_id": "alien_1", "instance_id": "alien_1", "total_reward": 1.0, "dialogue_history": [{"say": "hi"}], "final_response": "bye", "elapsed_seconds": NaN},
  {"task_id": "alien_2", "instance_id": "alien_2", "total_reward": 0.7, "tool_trajectory": ["submit_sql"]},
  {"task_id": "robot_1", "error": "500 Internal Server Error", "total_reward": 0}
]}
END
`

func newRig(t *testing.T, script string) *rig {
	t.Helper()
	testkit.NeedShell(t)
	r := &rig{log: new(testkit.SyncBuffer)}
	dir := t.TempDir()
	r.adk = filepath.Join(dir, "bird_interact_adk", "BIRD-Interact-ADK")
	h := harness.Host{
		Dir: dir, Log: r.log,
		Observe: func(p harness.Progress) { r.seen = append(r.seen, p) },
		Environ: []string{
			"PATH=" + os.Getenv("PATH"), "TMPDIR=" + filepath.Join(dir, "tmp"), "OPENAI_API_KEY=sk-openai-key",
			"ANTHROPIC_API_KEY=sk-anthropic-key", "GITHUB_TOKEN=ghp_secret", "PG_PASSWORD=pg-of-ours",
		},
	}
	r.write(t, "orchestrator/runner.py", "")
	r.write(t, "fake/orchestrator.sh", script)
	r.write(t, "bird-interact-lite/bird_interact_data.jsonl", data)
	self, err := os.Executable()
	require.NoError(t, err)
	r.write(t, ".venv-adk/bin/python", "#!/bin/sh\nexec "+self+" \"$@\"\n")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "bird_data"), 0o755))
	split := `{"train": ["alien_1", "alien_2", "robot_1"], "test": ["robot_1"], "empty": []}`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bird_data", "task_split.json"), []byte(split), 0o600))
	r.Options = birdinteract.Defaults(h)
	r.Poll = 2 * time.Millisecond
	ports := freePorts(t)
	r.SystemAgentPort, r.UserSimPort, r.DBEnvPort = ports[0], ports[1], ports[2]
	return r
}

// freePorts are three ports that nobody has now.
func freePorts(t *testing.T) (ports [3]int) {
	t.Helper()
	for i := range ports {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer listener.Close()
		ports[i] = listener.Addr().(*net.TCPAddr).Port
	}
	return ports
}

// write writes a file of the ADK.
func (r *rig) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(r.adk, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o700))
}

func (r *rig) run(t *testing.T, ids []string) (harness.Results, error) {
	t.Helper()
	runner, err := birdinteract.New(r.Options)
	require.NoError(t, err)
	return runner.Run(t.Context(), ids)
}

// told returns what a program was told, its arguments and its environment.
func (r *rig) told(t *testing.T, program string) string {
	t.Helper()
	return r.file(t, r.adk, "fake", program+".told")
}

func (r *rig) file(t *testing.T, name ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(name...))
	require.NoError(t, err)
	return string(text)
}

// stopped fails the test unless nobody listens at the services' ports.
func (r *rig) stopped(t *testing.T) {
	t.Helper()
	for _, port := range []int{r.SystemAgentPort, r.UserSimPort, r.DBEnvPort} {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		require.NoError(t, err, "a service is left")
		require.NoError(t, listener.Close())
	}
}
