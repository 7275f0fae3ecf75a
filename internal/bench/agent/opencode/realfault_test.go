package opencode_test

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/opencode"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

func TestMain(m *testing.M) { realtool.Main(m) }

// real is a real provider with one host, and the model's plan for each prompt.
type real struct {
	*opencode.Provider
	model *stubmodel.Server
	host  agent.Host
	plans map[string][]stubmodel.Step
	// launches counts the servers that were started.
	launches int
}

// countingHost counts what is started.
type countingHost struct {
	agent.Host
	r *real
}

func (h countingHost) Start(ctx context.Context, c agent.Command) (agent.Process, error) {
	h.r.launches++
	return h.Host.Start(ctx, c)
}

func newRealWith(t *testing.T, plans map[string][]stubmodel.Step, change ...func(*opencode.Options)) *real {
	t.Helper()
	r := &real{plans: plans}
	r.model = &stubmodel.Server{Plan: func(q stubmodel.Request) []stubmodel.Step { return r.plans[q.Prompt()] }}
	change = append(change, func(o *opencode.Options) {
		o.Hosts = func(bench.Mode, int) (agent.Host, error) {
			host, err := agent.NewLocal(t.TempDir())
			r.host = host
			return countingHost{host, r}, err
		}
	})
	r.Provider = newReal(t, r.model, change...)
	return r
}

func (r *real) start(t *testing.T) agent.Session {
	t.Helper()
	session, err := r.Start(t.Context(), setup())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, session.Close()) })
	return session
}

// running lists the processes that have a folder in their environment.
func running(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	var found []string
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(environ), folder) {
			continue
		}
		command, err := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		if err == nil {
			found = append(found, strings.ReplaceAll(string(command), "\x00", " "))
		}
	}
	return found
}

func TestRealModelsMaySayAnything(t *testing.T) {
	t.Parallel()
	const envelope = `{"ok":true,"data":{},"error":null,"meta":{}}`
	long := strings.Repeat("0123456789abcdef", 5<<20/16)
	cases := []struct {
		name  string
		steps []stubmodel.Step
		want  string
	}{
		{"no envelope", []stubmodel.Step{{Text: "I have done it."}}, "I have done it."},
		{"nothing", []stubmodel.Step{{}}, ""},
		{"three envelopes", []stubmodel.Step{{Text: strings.Repeat(envelope+"\n", 3)}}, strings.Repeat(envelope+"\n", 3)},
		{"5 MB of text", []stubmodel.Step{{Text: long, ChunkBytes: 1 << 16}}, long},
		{"text that is no UTF-8", []stubmodel.Step{{Text: "caf\xe9 \xff"}}, "caf\uFFFD \uFFFD"},
		{"a tool that is not there", []stubmodel.Step{{Calls: []stubmodel.Call{{Name: "fly"}}}, {Text: "I cannot."}}, "I cannot."},
		{"arguments that are no JSON", []stubmodel.Step{{Calls: []stubmodel.Call{{Name: "bash", Arguments: json.RawMessage(`{"command`)}}}, {Text: "I cannot."}}, "I cannot."},
		{"a question to nobody", []stubmodel.Step{{Calls: []stubmodel.Call{{Name: "question", Arguments: map[string]any{"questions": []any{}}}}}, {Text: "I go on."}}, "I go on."},
		{"the same call four times", []stubmodel.Step{{Calls: bash("true")}, {Calls: bash("true")}, {Calls: bash("true")}, {Calls: bash("true")}, {Text: "Enough."}}, "Enough."},
		{"a provider that is busy at first", []stubmodel.Step{{Text: "Here.", Failures: []stubmodel.Failure{{Status: 429, RetryAfter: time.Second}}}}, "Here."},
	}
	usage := stubmodel.Usage{Prompt: 1000, Cached: 300, Completion: 50, Reasoning: 20}
	plans := map[string][]stubmodel.Step{}
	for _, c := range cases {
		for i := range c.steps {
			c.steps[i].Usage = usage
		}
		plans[c.name] = c.steps
	}
	r := newRealWith(t, plans)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			session := r.start(t)
			turn, err := session.Prompt(t.Context(), agent.Prompt{Text: c.name})
			require.NoError(t, err)
			assert.True(t, c.want == turn.Text, "the turn ends in %.200q", turn.Text)
			transcript, err := session.Transcript(t.Context())
			require.NoError(t, err)
			assert.True(t, c.want == transcript.Answer(), "the transcript ends in %.200q", transcript.Answer())
			measures := agent.Measure(transcript)
			assert.Equal(t, len(c.steps)-1, measures.ToolCalls)
			assert.Equal(t, tokens(r.model.Charged(func(q stubmodel.Request) bool { return q.Session() == transcript.SessionID })), measures.Tokens)
		})
	}
	assert.Zero(t, r.model.Charged(stubmodel.Request.Title), "no title was asked for")
	assert.Equal(t, 1, r.launches)
}

func TestRealModelsThatBreakOff(t *testing.T) {
	t.Parallel()
	r := newRealWith(t, map[string][]stubmodel.Step{
		"end": {{Text: "half of", ChunkBytes: 3, Break: &stubmodel.Break{At: 1, How: stubmodel.End}}},
		"go":  {{Text: "done"}},
	})
	_, err := r.start(t).Prompt(t.Context(), agent.Prompt{Text: "end"})
	require.EqualError(t, err, "3 answers of the model in a row broke off")
	assert.Less(t, len(r.model.Requests()), 10, "the model is not asked for ever")
	turn, err := r.start(t).Prompt(t.Context(), agent.Prompt{Text: "go"})
	require.NoError(t, err)
	assert.Equal(t, "done", turn.Text)
}

func TestRealProvidersThatRefuseTheKeyStopTheSuite(t *testing.T) {
	t.Parallel()
	r := newRealWith(t, nil, func(o *opencode.Options) { o.ModelKey = "another" })
	_, err := r.start(t).Prompt(t.Context(), agent.Prompt{Text: "go"})
	require.ErrorIs(t, err, agent.ErrStopSuite)
	require.EqualError(t, err, "the provider of model stub/m refuses the API key: check that the key is right and may use the model: the suite cannot go on")
	assert.Empty(t, r.model.Requests())
}

func TestRealAgentsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: processes are listed by /proc, which is Linux's")
	}
	const mess = `(setsid sleep 1001 >/dev/null 2>&1 &); nohup sleep 1002 >/dev/null 2>&1 & mkdir -p ~/.config/gh; touch ~/.config/gh/hosts.yml ~/.netrc here $TMPDIR/there; echo made`
	r := newRealWith(t, map[string][]stubmodel.Step{
		"make a mess": {{Calls: bash(mess)}, {Text: "done"}},
		"look around": {{Calls: bash(`ls -A ~ ~/.config . $TMPDIR`)}, {Text: "done"}},
		"never end":   {{Calls: bash("sleep 1003")}, {Text: "done"}},
	})
	session := r.start(t)
	_, err := session.Prompt(t.Context(), agent.Prompt{Text: "make a mess"})
	require.NoError(t, err)
	home := r.host.Folders().Home
	assert.Len(t, running(t, home), 3, "the server and two daemons")
	require.NoError(t, session.Close())
	assert.Len(t, running(t, home), 1, "the server")

	session = r.start(t)
	_, err = session.Prompt(t.Context(), agent.Prompt{Text: "look around"})
	require.NoError(t, err)
	transcript, err := session.Transcript(t.Context())
	require.NoError(t, err)
	seen := transcript.Messages[1].Parts[0].Tool.Output
	for _, left := range []string{".netrc", "gh", "here", "there"} {
		assert.NotContains(t, strings.Fields(seen), left)
	}
	require.NoError(t, session.Close())

	session = r.start(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err = session.Prompt(ctx, agent.Prompt{Text: "never end", OnEvent: func(e agent.Event) {
		if e == agent.EventToolStart {
			cancel(errDeadline)
		}
	}})
	require.ErrorIs(t, err, errDeadline)
	require.NoError(t, session.Close())
	assert.Len(t, running(t, home), 1, "the server, which obeyed")
	assert.Equal(t, 1, r.launches)

	require.NoError(t, r.Close())
	assert.Empty(t, running(t, home))
	assert.NoDirExists(t, filepath.Dir(home))
}

func TestRealAgentsAreToldAndGivenWhatTheirSetupSays(t *testing.T) {
	t.Parallel()
	r := newRealWith(t, map[string][]stubmodel.Step{"go": {
		{Calls: []stubmodel.Call{{Name: "github_get_me"}, {Name: "remote_who"}}}, {Text: "done"},
	}})
	with := setup()
	with.Shell = false
	with.MCP = map[string]agent.MCPServer{"github": {Command: []string{os.Args[0]}, Env: map[string]string{realtool.StubMCP: "1"}}, "remote": realtool.StubRemoteMCP(t)}
	session, err := r.Start(t.Context(), with)
	require.NoError(t, err)
	_, err = session.Prompt(t.Context(), agent.Prompt{Text: "go"})
	require.NoError(t, err)
	transcript, err := session.Transcript(t.Context())
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"github_get_me": "you are placeholder", "remote_who": "you are a guest"}, realtool.Outputs(transcript),
		"a server has the session's environment, and what its setup says")
	require.NoError(t, session.Close())

	request := r.model.Requests()[0]
	assert.Contains(t, request.Tools, "github_get_me")
	for _, tool := range []string{"bash", "edit", "write", "webfetch", "task", "question", "skill"} {
		assert.NotContains(t, request.Tools, tool)
	}
	assert.True(t, strings.HasSuffix(request.System(), "Work with the gh command."))
	assert.Equal(t, "Bearer "+placeholder, request.Header.Get("Authorization"))
	assert.Empty(t, filterTitles(r.model.Requests()))
}

func filterTitles(requests []stubmodel.Request) (titles []stubmodel.Request) {
	for _, r := range requests {
		if r.Title() {
			titles = append(titles, r)
		}
	}
	return titles
}

func TestRealServersFindAPortWhereTheirsIsTaken(t *testing.T) {
	t.Parallel()
	var config net.ListenConfig
	// It may be taken already, which is as good.
	if taken, err := config.Listen(t.Context(), "tcp", "127.0.0.1:4096"); err == nil {
		defer taken.Close()
	}
	r := newRealWith(t, nil)
	turn, err := r.start(t).Prompt(t.Context(), agent.Prompt{Text: "go"})
	require.NoError(t, err)
	assert.Equal(t, stubmodel.DefaultAnswer, turn.Text)
}
