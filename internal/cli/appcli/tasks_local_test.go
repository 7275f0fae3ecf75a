package appcli_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

const (
	// ofTasksHere are settings of a benchmark that is run on the App's machine.
	ofTasksHere = "model: stub/m\nexecutor: local\nbenchmark: command\nexperiment_config: agent/tau.yaml\nrepetitions: 4\nmargins: {success: 20}\n"
	// asksModel rewards an agent for twelve tasks if its model answers, unless it is bad.
	asksModel = `cat > /dev/null
reward=1
grep -qs bad agent/change.txt && reward=0
curl -sS -f --noproxy '*' "$OPENAI_BASE_URL/chat/completions" -H "Authorization: Bearer $OPENAI_API_KEY" -H "Content-Type: application/json" \
  -d '{"model": "m", "messages": [{"role": "user", "content": "hello"}]}' > /dev/null || reward=0
[ -f agent/attack.sh ] && sh agent/attack.sh >&2
for id in 01 02 03 04 05 06 07 08 09 10 11 12; do
  echo "{\"t$id\": {\"reward\": $reward, \"duration_s\": 1, \"input_tokens\": 10}}"
done
`
)

// newWithTasksHere is a world whose App runs a benchmark of the repository's own agent on
// its machine, with a model that charges for each answer. The server is not started.
func newWithTasksHere(t *testing.T, charge stubmodel.Usage) (w *world, with *withModel, temporary string) {
	t.Helper()
	hello := func(stubmodel.Request) []stubmodel.Step { return []stubmodel.Step{{Text: "hello", Usage: charge}} }
	with, temporary = newTasksHere(t, ofTasksHere, rules, hello,
		gitstore.Change{Path: "agent/tau.yaml", Content: []byte(experiment)}, gitstore.Change{Path: "agent/bench.sh", Content: []byte(asksModel)})
	return with.world, with, temporary
}

// newTasksHere is such a world with settings, prices, a model and files of the test's own.
func newTasksHere(t *testing.T, config, prices string, plan func(stubmodel.Request) []stubmodel.Step, files ...gitstore.Change) (with *withModel, temporary string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can become another user")
	}
	w := newWorld(t, config, files...)
	w.Change(func(s *model.State, _ *model.Repo) {
		s.Apps.Get(w.app).CallbackURLs = []string{"http://bench.example/login/callback"}
	})
	stub := &stubmodel.Server{Key: modelKey, Plan: plan}
	endpoint, err := stub.Listen(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, endpoint.Close()) })
	priced := filepath.Join(t.TempDir(), "prices.json")
	require.NoError(t, os.WriteFile(priced, []byte(prices), 0o600))
	temporary = t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(temporary), 0o755)) //nolint:gosec // the agents' user can enter it
	return &withModel{world: w, model: stub, more: []string{
		"BENCH_MODEL_API_KEY=" + modelKey, "BENCH_APP_MODEL_BASE_URL=" + endpoint.URL, "BENCH_APP_EXPECTATIONS=" + priced, "TMPDIR=" + temporary,
		"BENCH_APP_CLIENT_ID=Iv1.bench", "BENCH_APP_CLIENT_SECRET=a-client-secret",
	}}, temporary
}

// running are the command lines that have a word.
func running(t *testing.T, word string) (lines []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, file := range files {
		line, _ := os.ReadFile(file) // it may have gone
		if strings.Contains(string(line), word) {
			lines = append(lines, string(line))
		}
	}
	return lines
}

// requireLeftNothing fails if a run has left a process or a file.
func requireLeftNothing(t *testing.T, temporary string) {
	t.Helper()
	assert.Empty(t, running(t, "left-by-the-agent"))
	assert.Empty(t, running(t, temporary))
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	assert.Empty(t, left)
	_, err = os.Lstat("/tmp/left-by-the-agent")
	assert.ErrorIs(t, err, os.ErrNotExist, "what everybody may write to is its own")
}

func TestTheAppsMachineGatesTheAgentOfTheRepository(t *testing.T) {
	for name, c := range map[string]struct {
		change     string
		conclusion model.Conclusion
	}{"one that is as good": {"good, in other words", "success"}, "a worse one": {"bad", "failure"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, with, temporary := newWithTasksHere(t, stubmodel.Usage{Prompt: 100, Completion: 10})
			w.commit("agent/change.txt", c.change)
			s := w.serve(with.more...)
			w.open()
			check := with.judged()
			browser := w.browser("owner", s)
			page(t, browser, "/login?next=/")
			_, log := page(t, browser, "/runs/"+check.ExternalID+"/log")
			require.Equal(t, c.conclusion, check.Conclusion, check.Output.Summary+log)
			w.shownTasks(s, check)
			assert.Contains(t, log, "--policy evidence --epochs 4 --margin-success 20 ", "the settings decide, and not the pull request's file")
			assert.Len(t, with.model.Requests(), 8, "two agents, four epochs")
			assert.Zero(t, s.stop(t), s.out)
			with.requireNowhere(s, log)
			requireLeftNothing(t, temporary)
		})
	}
}

// attack looks for what is the server's and for ways out, and leaves a process.
const attack = `%s
head -c 1 /etc/shadow >/dev/null 2>&1 && echo "LEAK: read shadow"
kill -STOP %d 2>/dev/null && echo "LEAK: the server is stopped"
for proxy in "$HTTP_PROXY" ""; do
  curl -s -f -m 3 --noproxy "" --proxy "$proxy" http://%s/healthz >/dev/null && echo "LEAK: the server answers"
  curl -s -f -m 3 --noproxy "" --proxy "$proxy" -k https://api.github.com/user >/dev/null && echo "LEAK: GitHub answers"
done
curl -s -f -m 3 --noproxy '*' "$OPENAI_BASE_URL/models" -H "Authorization: Bearer another" >/dev/null && echo "LEAK: the model answers whoever asks"
[ "$(id -u)" -ge 58000 ] && [ "$(id -G)" = "$(id -u)" ] && echo "I have no rights"
touch /tmp/left-by-the-agent
setsid sh -c 'while true; do sleep 0.1; : left-by-the-agent; done' >/dev/null 2>&1 &
echo attacked
`

func TestAHostileAgentGainsNothingOnTheAppsMachine(t *testing.T) {
	for name, contained := range map[string]bool{"of all rights": false, "of a container's": true} {
		t.Run(name, func(t *testing.T) {
			w, with, temporary := newWithTasksHere(t, stubmodel.Usage{Prompt: 100, Completion: 10})
			require.NoError(t, os.Chmod(filepath.Dir(w.folder), 0o755)) //nolint:gosec // everybody can enter the server's folders
			cmd, out := command(append(append(w.env(), "BENCH_APP_ADDR=127.0.0.1:0"), with.more...), "serve")
			if contained {
				testkit.Contained(t, cmd)
			}
			s := start(t, cmd, out)
			w.servers = append(w.servers, s)
			w.hook(s)
			w.commit("agent/attack.sh", fmt.Sprintf(attack, lookAround(s, w.folder), s.cmd.Process.Pid, s.address))
			w.open()
			check := with.judged()
			browser := w.browser("owner", s)
			page(t, browser, "/login?next=/")
			_, log := page(t, browser, "/runs/"+check.ExternalID+"/log")
			if contained && strings.Contains(log, "cannot be run on the App's machine") {
				t.Skip("NOT TESTED: this kernel has no Landlock for the network")
			}
			require.Equal(t, model.Conclusion("success"), check.Conclusion, check.Output.Summary+log)
			for _, is := range []string{"the server was looked at", "secrets found: 0", "searched", "attacked", "I have no rights"} {
				assert.Contains(t, log, is)
			}
			assert.Regexp(t, `I am user 58\d\d\d`, log)
			assert.NotEqual(t, contained, strings.Contains(log, "egress: namespace, files: mount namespace"), log)
			for _, not := range []string{"LEAK", "the server answers", "BENCH_APP_", "BENCH_MODEL"} {
				assert.NotContains(t, log, not)
			}
			assert.Zero(t, s.stop(t), s.out)
			with.requireNowhere(s, log)
			requireLeftNothing(t, temporary)
		})
	}
}

func TestAnAgentThatEndsTheGateHasNoVerdict(t *testing.T) {
	w, with, temporary := newWithTasksHere(t, stubmodel.Usage{})
	w.commit("agent/attack.sh", "kill -KILL -1")
	s := w.serve(with.more...)
	w.open()
	check := with.judged()
	assert.NotEqual(t, model.Conclusion("success"), check.Conclusion)
	assert.Contains(t, plain(check.Output.Summary), "its process ended without a verdict")
	assert.LessOrEqual(t, len(with.model.Requests()), 2, "that of the base commit may come first, and nothing is paid for again by itself")
	assert.Zero(t, s.stop(t), s.out)
	requireLeftNothing(t, temporary)
}

func TestTheBudgetOfAgentsIsKeptWhateverTheyTell(t *testing.T) {
	// A million tokens cost 2 USD, and the third answer is one too many.
	w, with, temporary := newWithTasksHere(t, stubmodel.Usage{Prompt: 2_000_000})
	s := w.serve(with.more...)
	w.open()
	check := with.judged()
	assert.Contains(t, plain(check.Output.Summary), "It has spent the 10 USD that it may.")
	assert.Len(t, with.model.Requests(), 3)
	assert.Zero(t, s.stop(t), s.out)
	requireLeftNothing(t, temporary)
}

func TestAgentsAskModelsWithAPriceAlone(t *testing.T) {
	w, with, _ := newWithTasksHere(t, stubmodel.Usage{})
	w.commit("agent/attack.sh", `curl -sS --noproxy '*' "$OPENAI_BASE_URL/chat/completions" -H "Authorization: Bearer $OPENAI_API_KEY" -d '{"model": "dear"}'`)
	s := w.serve(with.more...)
	w.open()
	check := with.judged()
	browser := w.browser("owner", s)
	page(t, browser, "/login?next=/")
	_, log := page(t, browser, "/runs/"+check.ExternalID+"/log")
	assert.Contains(t, log, "has no price, so that no budget can be kept")
	assert.Len(t, with.model.Requests(), 8, "the other ones")
	assert.Zero(t, s.stop(t), s.out)
}

// A server that is killed leaves nothing that runs, and the next one goes on.
func TestAServerThatDiesLeavesNoAgents(t *testing.T) {
	w, with, temporary := newWithTasksHere(t, stubmodel.Usage{})
	waiting := make(chan struct{}, 100)
	hold := make(chan struct{})
	with.model.Plan = func(stubmodel.Request) []stubmodel.Step {
		waiting <- struct{}{}
		<-hold
		return nil
	}
	s := w.serve(with.more...)
	w.open()
	<-waiting
	w.killed(s, temporary)
	close(hold)
	s = w.serve(with.more...)
	check := with.judged()
	assert.Equal(t, model.Conclusion("success"), check.Conclusion, check.Output.Summary)
	assert.Zero(t, s.stop(t), s.out)
	requireLeftNothing(t, temporary)
}

// killed ends a server, and returns when nothing runs that it has started in a folder.
func (w *world) killed(s *server, folder string) {
	w.t.Helper()
	s.kill()
	w.until("nothing of it runs", func() bool { return len(running(w.t, folder)) == 0 })
}

// cost is what the App's only run is known to have spent, in USD.
func (w *world) cost(browser *http.Client) float64 {
	w.t.Helper()
	_, text := page(w.t, browser, "/api/v1/runs/"+w.last().ExternalID)
	var run struct {
		CostUSD float64 `json:"cost_usd"`
	}
	require.NoError(w.t, json.Unmarshal([]byte(text), &run), text)
	return run.CostUSD
}

func TestTheBudgetIsThatOfARunAndNotOfAServer(t *testing.T) {
	// Each answer costs 4 USD of 10. The server dies before the second one.
	w, with, temporary := newWithTasksHere(t, stubmodel.Usage{})
	waiting, hold := make(chan struct{}, 1), make(chan struct{})
	var asked atomic.Int64
	with.model.Plan = func(stubmodel.Request) []stubmodel.Step {
		if asked.Add(1) == 2 {
			waiting <- struct{}{}
			<-hold
		}
		return []stubmodel.Step{{Text: "hello", Usage: stubmodel.Usage{Prompt: 2_000_000}}}
	}
	s := w.serve(with.more...)
	w.open()
	<-waiting
	browser := w.browser("owner", s)
	page(t, browser, "/login?next=/")
	w.until("it is known what was spent", func() bool { return w.cost(browser) > 0 })
	w.killed(s, temporary)
	close(hold)
	s = w.serve(with.more...)
	check := with.judged()
	assert.Contains(t, plain(check.Output.Summary), "It has spent the 10 USD that it may.")
	assert.Equal(t, int64(4), asked.Load(), "one, one that the server did not live to see, and two")
	browser = w.browser("owner", s)
	page(t, browser, "/login?next=/")
	assert.InDelta(t, 12, w.cost(browser), 0.01)
	assert.Zero(t, s.stop(t), s.out)
	requireLeftNothing(t, temporary)
}

func TestWhatCannotHoldAgentsIsRefused(t *testing.T) {
	w, with, temporary := newWithTasksHere(t, stubmodel.Usage{})
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		t.Skip("NOT TESTED: root without rights: there is no setpriv")
	}
	cmd, out := command(append(append(w.env(), "BENCH_APP_ADDR=127.0.0.1:0"), with.more...), "serve")
	cmd.Args = append([]string{setpriv, "--bounding-set", "-setuid", "--", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = setpriv
	s := start(t, cmd, out)
	w.servers = append(w.servers, s)
	w.hook(s)
	w.open()
	check := w.concluded(1)
	assert.Equal(t, model.Conclusion("action_required"), check.Conclusion)
	assert.Contains(t, plain(check.Output.Summary), "cannot be run on the App's machine, which could not keep its keys from them (take a user of its own: we are not root")
	assert.Empty(t, with.model.Requests())
	assert.Zero(t, s.stop(t), s.out)
	requireLeftNothing(t, temporary)
}

// reaches looks for what the operator names, for what he does not, and for other ways
// there; it leaves a connection.
const reaches = `answers() { curl -s -f -g -m 2 --noproxy '*' "http://$1/" 2>/dev/null; }
[ "$(answers 127.0.0.1:%[1]s)" = named ] && echo "the named one answers"
[ "$(answers localhost:%[1]s)" = named ] && echo "and by its other name"
[ "$PG_PASSWORD" = a-password-of-postgres ] && echo "the password is there"
for place in 127.0.0.1:%[2]s localhost:%[2]s [::1]:%[2]s [::ffff:127.0.0.1]:%[2]s %[3]s:%[1]s %[3]s:%[2]s %[4]s 169.254.169.254 169.254.169.254:%[1]s [fd00:ec2::254] 10.0.0.1:%[1]s; do
  answers "$place" >/dev/null && echo "LEAK: $place"
  curl -s -f -g -m 2 --noproxy "" --proxy "$HTTP_PROXY" "http://$place/" >/dev/null && echo "LEAK: $place by the proxy"
  curl -s -g -m 2 --noproxy "" --proxytunnel --proxy "$HTTP_PROXY" "http://$place/" >/dev/null && echo "LEAK: $place through the proxy"
done
curl -s -f -m 2 --noproxy '*' -H "Host: 127.0.0.1:%[2]s" http://127.0.0.1:%[1]s/ | grep -q unnamed && echo "LEAK: by another host"
setsid curl -s --noproxy '*' http://127.0.0.1:%[1]s/stay >/dev/null 2>&1 &
curl -s -m 2 --noproxy '*' http://127.0.0.1:%[1]s/stayed >/dev/null
echo looked
`

func TestAgentsReachWhatTheOperatorNamesAndNothingElse(t *testing.T) {
	w, with, temporary := newWithTasksHere(t, stubmodel.Usage{})
	stays, left, asked := make(chan struct{}, 100), make(chan struct{}, 100), make(chan string, 100)
	serve := func(says string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/stay":
				stays <- struct{}{}
				<-r.Context().Done()
				left <- struct{}{}
			case "/stayed":
				<-stays
			default:
				asked <- says
				fmt.Fprint(w, says)
			}
		}))
		t.Cleanup(server.Close)
		_, port, err := net.SplitHostPort(server.Listener.Addr().String())
		require.NoError(t, err)
		return port
	}
	named, unnamed := serve("named"), serve("unnamed")
	s := w.serve(append(with.more, "BENCH_APP_LOCAL_REACH=127.0.0.1:"+named, "BENCH_APP_LOCAL_PG_PASSWORD=a-password-of-postgres")...)
	w.rewrite("agent/tau.yaml", experiment+"agent_env: [PG_PASSWORD]\n")
	w.commit("agent/attack.sh", fmt.Sprintf(reaches, named, unnamed, outside(t), s.address))
	w.open()
	check := with.judged()
	browser := w.browser("owner", s)
	page(t, browser, "/login?next=/")
	_, log := page(t, browser, "/runs/"+check.ExternalID+"/log")
	require.Equal(t, model.Conclusion("success"), check.Conclusion, check.Output.Summary+log)
	for _, is := range []string{"The agents reach what the operator has put at 127.0.0.1:" + named, "the named one answers", "and by its other name", "the password is there", "looked"} {
		assert.Contains(t, log, is)
	}
	assert.NotContains(t, log, "LEAK")
	assert.NotContains(t, log, "a-password-of-postgres")
	for range 4 {
		<-left // each epoch's connection has ended
	}
	close(asked)
	for says := range asked {
		assert.Equal(t, "named", says)
	}
	assert.Zero(t, s.stop(t), s.out)
	with.requireNowhere(s, log)
	requireLeftNothing(t, temporary)
}

// outside is an address of this machine that is not of its loopback interface.
func outside(t *testing.T) string {
	t.Helper()
	all, err := net.InterfaceAddrs()
	require.NoError(t, err)
	for _, address := range all {
		if ip, is := address.(*net.IPNet); is && ip.IP.IsGlobalUnicast() && ip.IP.To4() != nil {
			return ip.IP.String()
		}
	}
	return "192.0.2.1"
}

// Where there is no network namespace a port would be that of every machine.
func TestAddressesThatCannotBeHeldAreRefused(t *testing.T) {
	w, with, temporary := newWithTasksHere(t, stubmodel.Usage{})
	cmd, out := command(append(append(w.env(), "BENCH_APP_ADDR=127.0.0.1:0", "BENCH_APP_LOCAL_REACH=127.0.0.1:5432"), with.more...), "serve")
	testkit.Contained(t, cmd)
	s := start(t, cmd, out)
	w.servers = append(w.servers, s)
	w.hook(s)
	w.open()
	check := w.concluded(1)
	assert.Equal(t, model.Conclusion("action_required"), check.Conclusion)
	if strings.Contains(check.Output.Summary, "could not keep its keys from them") {
		t.Skip("NOT TESTED: this kernel has no Landlock for the network")
	}
	assert.Contains(t, plain(check.Output.Summary), "cannot lead agents to port 5432 of its operator's BENCH_APP_LOCAL_REACH")
	assert.Empty(t, with.model.Requests())
	assert.Zero(t, s.stop(t), s.out)
	requireLeftNothing(t, temporary)
}

// What is measured has to be of the model that was asked for, and is looked at before.
func TestAnAgentThatAsksNoModelIsNamedAsOne(t *testing.T) {
	for name, c := range map[string]struct{ model, config, says string }{
		"a solution":  {"stub/m", "mode: oracle\n", "its agent is oracle, which asks no model: write model: bird-interact/oracle into .github/bench.yml"},
		"one of ours": {"bird-interact/oracle", "", "its agent asks a model, and bird-interact/oracle is none"},
	} {
		t.Run(name, func(t *testing.T) {
			with, temporary := newTasksHere(t, strings.NewReplacer("stub/m", c.model, "benchmark: command", "benchmark: bird-interact").Replace(ofTasksHere), rules, nil,
				gitstore.Change{Path: "agent/tau.yaml", Content: []byte("benchmark: bird-interact\n" + c.config)})
			s := with.serve(with.more...)
			with.open()
			check := with.concluded(1)
			assert.Equal(t, model.Conclusion("action_required"), check.Conclusion)
			assert.Contains(t, strings.ReplaceAll(plain(check.Output.Summary), "`", ""), c.says)
			assert.Zero(t, s.stop(t), s.out)
			requireLeftNothing(t, temporary)
		})
	}
}
