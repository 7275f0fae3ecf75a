package realtool

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/talk"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

// Agent is a program and how a provider of it is made.
type Agent struct {
	// Bin is the program.
	Bin string
	New func(talk.Options) (*talk.Provider, error)
	// Tokens are what the provider reports of a usage.
	Tokens func(stubmodel.Usage) bench.Tokens
	// Title is what the errors call the program.
	Title string
	// Asks is true if the program asks a provider again that answers 429, and
	// says so.
	Asks bool
}

// placeholder is the key that agents present to the model.
const placeholder = "sk-a-placeholder-for-the-key"

// usage is what the model's answers are charged with, in turn.
var usage = []stubmodel.Usage{
	{Prompt: 100, Cached: 40, Completion: 20, Reasoning: 5},
	{Prompt: 150, Cached: 90, Completion: 7},
}

// Provider returns a provider whose model is the stub, on hosts of its own.
func (a Agent) Provider(t testing.TB, model *stubmodel.Server, change ...func(*talk.Options)) *talk.Provider {
	t.Helper()
	if model.Key == "" {
		model.Key = placeholder
	}
	endpoint, err := model.Listen(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, endpoint.Close()) })
	options := talk.Options{
		Bin: a.Bin, Model: bench.ModelRef{ProviderID: "stub", ModelID: "m"}, ModelBaseURL: endpoint.URL, ModelKey: placeholder,
		Hosts: func(bench.Mode, int) (agent.Host, error) { return agent.NewLocal(t.TempDir()) }, Now: time.Now,
	}
	for _, c := range change {
		c(&options)
	}
	provider, err := a.New(options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, provider.Close()) })
	return provider
}

// Setup is one with a shell.
func Setup() agent.Setup {
	return agent.Setup{
		Mode: bench.AgentDirect, Env: []string{"PATH=" + os.Getenv("PATH"), "GH_TOKEN=placeholder"}, Instructions: "Work with the gh command.", Shell: true,
	}
}

// plans has a plan for each prompt.
func plans(all map[string][]stubmodel.Step) *stubmodel.Server {
	return &stubmodel.Server{Plan: func(r stubmodel.Request) []stubmodel.Step { return all[r.Prompt()] }}
}

// Conform runs all checks of [Exercise].
func Conform(t *testing.T, a Agent) {
	t.Helper()
	heard := make(chan struct{})
	model := &stubmodel.Server{}
	model.Plan = func(r stubmodel.Request) []stubmodel.Step {
		switch r.Prompt() {
		case "be silent":
			close(heard)
			return []stubmodel.Step{{Hang: &stubmodel.Hang{}}}
		case "stall":
			return []stubmodel.Step{{Text: "I am thi", ChunkBytes: 5, Hang: &stubmodel.Hang{Before: 1}}}
		case "crash":
			return []stubmodel.Step{{Text: "Bye.", Calls: []stubmodel.Call{stubmodel.Shell("kill -9 $PPID")}}}
		default:
			return []stubmodel.Step{
				{Reasoning: "A tool!", Text: "I look.", Calls: []stubmodel.Call{stubmodel.Shell("echo " + r.Prompt())}, Usage: usage[0]},
				{Text: "done: " + r.Prompt(), Usage: usage[1]},
			}
		}
	}
	Exercise(t, func(t *testing.T) Harness {
		return Harness{
			Provider: a.Provider(t, model), Setup: Setup(),
			First:  Exchange{Prompt: agent.Prompt{Text: "say apple"}, Answer: "done: say apple"},
			Second: Exchange{Prompt: agent.Prompt{Text: "say pear"}, Answer: "done: say pear"},
			Silent: agent.Prompt{Text: "be silent"}, Heard: heard,
			Stall: agent.Prompt{Text: "stall"}, Crash: agent.Prompt{Text: "crash"},
			Spent: func(session string) (bench.Tokens, float64) {
				return a.Tokens(model.Charged(func(r stubmodel.Request) bool { return r.Session() == session })), 0
			},
			// Programs of hundreds of megabytes start slowly on a busy machine.
			Patience: time.Minute,
		}
	})
}

// Answers has models say anything, each of which is a turn in order.
func Answers(t *testing.T, a Agent) {
	t.Helper()
	const busy = "a provider that is busy at first"
	cases := []struct {
		name  string
		steps []stubmodel.Step
		want  string
		fails int
	}{
		{"no envelope", []stubmodel.Step{{Text: "I have done it."}}, "I have done it.", 0},
		{"a long text in pieces", []stubmodel.Step{{Text: strings.Repeat("0123456789", 10000), ChunkBytes: 1000}}, strings.Repeat("0123456789", 10000), 0},
		{"a tool that is not there", []stubmodel.Step{{Calls: []stubmodel.Call{{Name: "fly", Arguments: map[string]any{}}}}, {Text: "I cannot."}}, "I cannot.", 1},
		{"a command that fails", []stubmodel.Step{{Calls: []stubmodel.Call{stubmodel.Shell("echo oops; exit 3")}}, {Text: "It failed."}}, "It failed.", 1},
		{"two calls at once", []stubmodel.Step{{Calls: []stubmodel.Call{stubmodel.Shell("echo one"), stubmodel.Shell("echo two")}}, {Text: "Both."}}, "Both.", 0},
		{busy, []stubmodel.Step{{Text: "Here.", Failures: []stubmodel.Failure{{Status: 429}}}}, "Here.", 0},
		{"a provider that fails at first", []stubmodel.Step{{Text: "Here.", Failures: []stubmodel.Failure{{Status: 500}}}}, "Here.", 0},
	}
	all := map[string][]stubmodel.Step{}
	for _, c := range cases {
		for i := range c.steps {
			c.steps[i].Usage = usage[0]
		}
		all[c.name] = c.steps
	}
	model := plans(all)
	provider := a.Provider(t, model)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			session, err := provider.Start(t.Context(), Setup())
			require.NoError(t, err)
			defer session.Close()
			turn, err := session.Prompt(t.Context(), agent.Prompt{Text: c.name})
			if c.name == busy && !a.Asks {
				require.ErrorContains(t, err, "429")
				return
			}
			require.NoError(t, err)
			assert.True(t, c.want == turn.Text, "the turn ends in %.200q", turn.Text)
			transcript, err := session.Transcript(t.Context())
			require.NoError(t, err)
			measures := agent.Measure(transcript)
			calls := 0
			for _, s := range c.steps {
				calls += len(s.Calls)
			}
			assert.Equal(t, calls, measures.ToolCalls)
			assert.Equal(t, c.fails, measures.ToolErrors, "%+v", transcript.Messages)
			charged := model.Charged(func(r stubmodel.Request) bool { return r.Session() == transcript.SessionID })
			assert.Equal(t, a.Tokens(charged), measures.Tokens)
			require.NotNil(t, measures.Timing)
			assert.Equal(t, measures.Timing.ToolTotalMS > 0 && c.name != "a tool that is not there", measures.Timing.ToolBashMS > 0, "the shell is called bash")
		})
	}
}

// Failures has the model's provider fail in each way.
func Failures(t *testing.T, a Agent) {
	t.Helper()
	always := func(status int) []stubmodel.Step {
		const many = 100
		step := stubmodel.Step{Text: "never"}
		for range many {
			step.Failures = append(step.Failures, stubmodel.Failure{Status: status})
		}
		return []stubmodel.Step{step}
	}
	broken := func(how stubmodel.Damage) []stubmodel.Step {
		return []stubmodel.Step{{Text: "half of", ChunkBytes: 3, Break: &stubmodel.Break{At: 1, How: how}}}
	}
	model := plans(map[string][]stubmodel.Step{
		"401": always(401), "402": always(402), "403": always(403), "404": always(404), "429": always(429), "500": always(500),
		"cut": broken(stubmodel.Cut), "end": broken(stubmodel.End), "garbage": broken(stubmodel.Garbage), "go": {{Text: "done"}},
	})
	provider := a.Provider(t, model, func(o *talk.Options) { o.ModelKeyFrom = "the key in STUB_KEY" })
	for status, want := range map[string]string{
		"401": "the provider of model stub/m refuses the API key: check that the key in STUB_KEY is right and may use the model",
		"402": "the provider of model stub/m answers no more",
		"403": "the provider of model stub/m refuses the API key",
		"404": "the provider has no model stub/m: check its name",
	} {
		t.Run(status+" stops the suite", func(t *testing.T) {
			session, err := provider.Start(t.Context(), Setup())
			require.NoError(t, err)
			_, err = session.Prompt(t.Context(), agent.Prompt{Text: status})
			require.ErrorIs(t, err, agent.ErrStopSuite)
			require.ErrorContains(t, err, want)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			transcript, err := session.Transcript(t.Context())
			require.NoError(t, err)
			last := transcript.Messages[len(transcript.Messages)-1]
			assert.Equal(t, agent.Assistant, last.Role)
			assert.NotEmpty(t, last.Error)
			require.NoError(t, session.Close())
		})
	}
	for _, way := range []string{"429", "500", "cut", "end", "garbage"} {
		t.Run(way+" for ever ends with the time", func(t *testing.T) {
			session, err := provider.Start(t.Context(), Setup())
			require.NoError(t, err)
			const patience = 3 * time.Second
			ctx, cancel := context.WithTimeoutCause(t.Context(), patience, errDeadline)
			defer cancel()
			ended, err := session.Prompt(ctx, agent.Prompt{Text: way})
			if err == nil && way == "garbage" {
				assert.Equal(t, "half of", ended.Text, "the garbage was passed over")
			} else {
				require.Error(t, err)
			}
			require.NotErrorIs(t, err, agent.ErrStopSuite, "another session can succeed")
			if (way == "429" || way == "500") && a.Asks {
				require.ErrorIs(t, err, errDeadline)
				require.ErrorContains(t, err, "its model was at retry")
			}
			require.NoError(t, session.Close())
			next, err := provider.Start(t.Context(), Setup())
			require.NoError(t, err)
			turn, err := next.Prompt(t.Context(), agent.Prompt{Text: "go"})
			require.NoError(t, err)
			assert.Equal(t, "done", turn.Text)
			require.NoError(t, next.Close())
		})
	}
}

var errDeadline = errors.New("the time is over")

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

// LeavesNothing has an agent make a mess, which is gone with its session.
func LeavesNothing(t *testing.T, a Agent) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: processes are listed by /proc, which is Linux's")
	}
	const mess = `(setsid sleep 2001 >/dev/null 2>&1 &); nohup sleep 2002 >/dev/null 2>&1 & touch ~/.netrc here $TMPDIR/there; echo made`
	model := plans(map[string][]stubmodel.Step{
		"make a mess": {{Calls: []stubmodel.Call{stubmodel.Shell(mess)}}, {Text: "done"}},
		"look around": {{Calls: []stubmodel.Call{stubmodel.Shell(`ls -A ~ . $TMPDIR; env`)}}, {Text: "done"}},
		"never end":   {{Calls: []stubmodel.Call{stubmodel.Shell("sleep 2003")}}, {Text: "done"}},
	})
	var host agent.Host
	provider := a.Provider(t, model, func(o *talk.Options) {
		o.Hosts = func(bench.Mode, int) (_ agent.Host, err error) {
			host, err = agent.NewLocal(t.TempDir())
			return host, err
		}
	})
	session, err := provider.Start(t.Context(), Setup())
	require.NoError(t, err)
	_, err = session.Prompt(t.Context(), agent.Prompt{Text: "make a mess"})
	require.NoError(t, err)
	home := host.Folders().Home
	assert.NotEmpty(t, running(t, home))
	require.NoError(t, session.Close())
	assert.Empty(t, running(t, home), "after the session")

	session, err = provider.Start(t.Context(), Setup())
	require.NoError(t, err)
	_, err = session.Prompt(t.Context(), agent.Prompt{Text: "look around"})
	require.NoError(t, err)
	transcript, err := session.Transcript(t.Context())
	require.NoError(t, err)
	seen := output(t, transcript)
	for _, left := range []string{".netrc", "here", "there"} {
		assert.NotContains(t, strings.Fields(seen), left)
	}
	assert.Contains(t, seen, "GH_TOKEN=placeholder", "commands have the session's environment")
	require.NoError(t, session.Close())

	session, err = provider.Start(t.Context(), Setup())
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err = session.Prompt(ctx, agent.Prompt{Text: "never end", OnEvent: func(e agent.Event) {
		if e == agent.EventToolStart {
			cancel(errDeadline)
		}
	}})
	require.ErrorIs(t, err, errDeadline)
	_, err = session.Prompt(t.Context(), agent.Prompt{Text: "look around"})
	require.ErrorContains(t, err, "was ended", "a session that was stopped is over")
	require.NoError(t, session.Close())
	assert.Empty(t, running(t, home), "after a turn that was stopped")
	require.NoError(t, provider.Close())
	assert.NoDirExists(t, filepath.Dir(home))
}

// output returns what the first tool call has returned.
func output(t *testing.T, transcript agent.Transcript) string {
	t.Helper()
	for _, m := range transcript.Messages {
		for _, p := range m.Parts {
			if p.Tool != nil {
				return p.Tool.Output
			}
		}
	}
	require.Fail(t, "no tool was called")
	return ""
}

// Tools looks at what an agent is told and given.
func Tools(t *testing.T, a Agent) {
	t.Helper()
	model := plans(map[string][]stubmodel.Step{
		"who": {
			{Calls: []stubmodel.Call{stubmodel.Tool("github", "get_me", map[string]any{})}},
			{Calls: []stubmodel.Call{stubmodel.Tool("remote", "who", map[string]any{})}},
			{Text: "done"},
		},
		"bash": {{Text: "done"}},
	})
	provider := a.Provider(t, model)
	setup := Setup()
	setup.Shell = false
	server, err := os.Executable()
	require.NoError(t, err)
	setup.MCP = map[string]agent.MCPServer{"github": {Command: []string{server}, Env: map[string]string{StubMCP: "1"}}, "remote": StubRemoteMCP(t)}
	require.NoError(t, provider.Prepare(t.Context(), setup))
	session, err := provider.Start(t.Context(), setup)
	require.NoError(t, err)
	_, err = session.Prompt(t.Context(), agent.Prompt{Text: "who"})
	require.NoError(t, err)
	transcript, err := session.Transcript(t.Context())
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"github_get_me": "you are placeholder", "remote_who": "you are a guest"}, Outputs(transcript),
		"tools have the same names with every agent, and a server what its setup says")
	require.NoError(t, session.Close())
	request := model.Requests()[0]
	assert.Contains(t, request.System(), "Work with the gh command.")
	for _, tool := range request.Tools {
		for _, shell := range []string{"bash", "exec", "stdin", "edit", "write_file", "patch", "fetch", "search", "task", "agent", "image"} {
			assert.NotContains(t, strings.ToLower(tool), shell, "an agent without a shell has %q", request.Tools)
		}
	}
	assert.NotContains(t, strings.Join(request.Header.Values("Authorization"), "")+request.Header.Get("X-Api-Key"), "ghp_")

	session, err = provider.Start(t.Context(), Setup())
	require.NoError(t, err, "a setup that was not prepared")
	_, err = session.Prompt(t.Context(), agent.Prompt{Text: "bash"})
	require.NoError(t, err)
	require.NoError(t, session.Close())
	tools := model.Requests()[len(model.Requests())-1].Tools
	assert.NotContains(t, strings.Join(tools, " "), "get_me")

	setup.MCP = map[string]agent.MCPServer{"github": {Command: []string{"/no/such/server"}}}
	_, err = provider.Start(t.Context(), setup)
	require.ErrorIs(t, err, agent.ErrTool)
	require.ErrorContains(t, err, `MCP server "github" is not connected`)
}

// Programs has programs that cannot be used.
func Programs(t *testing.T, a Agent) {
	t.Helper()
	write := func(name, script string) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700))
		return path
	}
	_, err := a.New(talk.Options{Bin: "no-such-program", Model: bench.ModelRef{ProviderID: "p", ModelID: "m"}, ModelBaseURL: "http://127.0.0.1:1/v1"})
	require.ErrorContains(t, err, a.Title+" is not there")
	_, err = a.New(talk.Options{Bin: a.Bin, ModelBaseURL: "http://127.0.0.1:1/v1"})
	require.ErrorContains(t, err, "is none: name it as provider/model")
	for name, c := range map[string]struct{ script, want string }{
		"another version": {`echo "99.1.0 (of another time)"`, "99.1.0"},
		"no version":      {"echo broken >&2; exit 1", "does not run; the end of its output: \"broken\""},
	} {
		t.Run(name, func(t *testing.T) {
			provider := a.Provider(t, &stubmodel.Server{}, func(o *talk.Options) { o.Bin = write("agent", c.script) })
			_, err := provider.Start(t.Context(), Setup())
			require.ErrorIs(t, err, agent.ErrStopSuite)
			require.ErrorContains(t, err, c.want)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
	version := provided(t, a)
	for name, script := range map[string]string{
		"one that ends at once":     "echo cannot >&2; exit 1",
		"one that is never ready":   "exec sleep 3000",
		"one that says other lines": "echo hello; echo '{}'; echo '[1]'; exec sleep 3000",
	} {
		t.Run(name, func(t *testing.T) {
			provider := a.Provider(t, &stubmodel.Server{}, func(o *talk.Options) {
				o.Bin, o.StartTimeout = write("agent", `[ "$1" = --version ] && { echo '`+version+`'; exit; }`+"\n"+script), 2*time.Second
			})
			_, err := provider.Start(t.Context(), Setup())
			require.Error(t, err)
			assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
			require.ErrorContains(t, err, "start "+a.Title)
			if name == "one that ends at once" {
				require.ErrorContains(t, err, "cannot")
			}
		})
	}
}

// provided returns the version that the provider is for.
func provided(t *testing.T, a Agent) string {
	t.Helper()
	//nolint:gosec // it is the program that is tested
	out, err := exec.CommandContext(t.Context(), a.Bin, "--version").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}
