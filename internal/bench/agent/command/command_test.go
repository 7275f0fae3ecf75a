package command_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/command"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func options(line string) command.Options {
	return command.Options{
		Line: line, Model: bench.ModelRef{ProviderID: "stub", ModelID: "m"}, ModelBaseURL: "https://model.example/v1", ModelKey: "placeholder", Now: time.Now,
	}
}

// session starts a session of a program.
func session(t *testing.T, line string, setup agent.Setup) agent.Session {
	t.Helper()
	p, err := command.New(options(line))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	setup.Env = append(setup.Env, "PATH="+os.Getenv("PATH"))
	s, err := p.Start(t.Context(), setup)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestWhatTheProgramPrintsIsTheAnswer(t *testing.T) {
	var events []agent.Event
	s := session(t, `echo noise >&2; printf '\n got: '; cat`, agent.Setup{Instructions: "Be brief."})
	turn, err := s.Prompt(t.Context(), agent.Prompt{Text: "go", OnEvent: func(e agent.Event) { events = append(events, e) }})
	require.NoError(t, err)
	assert.Equal(t, "got: Be brief.\n\ngo", turn.Text)
	assert.Equal(t, []agent.Event{agent.EventAnswer, agent.EventToolStart, agent.EventToolEnd}, events)
}

func TestTheProgramIsToldWhatWasSaid(t *testing.T) {
	s := session(t, `n=$(cat); echo "$n" | tail -1; case $n in *"You answered:
one"*) echo "and one before";; esac`, agent.Setup{})
	first, err := s.Prompt(t.Context(), agent.Prompt{Text: "one"})
	require.NoError(t, err)
	assert.Equal(t, "one", first.Text)
	second, err := s.Prompt(t.Context(), agent.Prompt{Text: "two"})
	require.NoError(t, err)
	assert.Equal(t, "two\nand one before", second.Text)
	transcript, err := s.Transcript(t.Context())
	require.NoError(t, err)
	require.Len(t, transcript.Messages, 4)
	assert.Equal(t, "two\nand one before", transcript.Answer())
	assert.Zero(t, agent.Measure(transcript).Tokens, "nothing is known of them here")
}

func TestTheProgramKnowsItsModelAndItsServers(t *testing.T) {
	setup := agent.Setup{
		Env: []string{"GIVEN=yes"},
		MCP: map[string]agent.MCPServer{"files": {Command: []string{"server", "--stdio"}, Env: map[string]string{"A": "b"}}, "far": {URL: "https://mcp.example"}},
	}
	s := session(t, `echo $GIVEN $BENCH_MODEL $OPENAI_BASE_URL $OPENAI_API_KEY $ANTHROPIC_BASE_URL $ANTHROPIC_API_KEY; cat $BENCH_MCP_CONFIG`, setup)
	turn, err := s.Prompt(t.Context(), agent.Prompt{Text: "go"})
	require.NoError(t, err)
	line, config, _ := strings.Cut(turn.Text, "\n")
	assert.Equal(t, "yes m https://model.example/v1 placeholder https://model.example placeholder", line)
	var got map[string]map[string]map[string]any
	require.NoError(t, json.Unmarshal([]byte(config), &got))
	assert.Equal(t, map[string]any{"type": "stdio", "command": "server", "args": []any{"--stdio"}, "env": map[string]any{"A": "b"}}, got["mcpServers"]["files"])
	assert.Equal(t, map[string]any{"type": "http", "url": "https://mcp.example"}, got["mcpServers"]["far"])
}

func TestAProgramThatFailsSaysWhy(t *testing.T) {
	for line, want := range map[string]string{
		"echo half; echo no key >&2; exit 3":     `ended with status 3; the end of what it said: "no key"`,
		"no-such-program --x":                    "ended with status 127",
		"kill -9 $$":                             "the agent's command was ended",
		"head -c 5000000 /dev/zero | tr '\\0' x": "more than 4194304 bytes",
		"if then (":                              "ended",
	} {
		s := session(t, line, agent.Setup{})
		_, err := s.Prompt(t.Context(), agent.Prompt{Text: "go"})
		require.ErrorContains(t, err, want, line)
	}
}

var errTooLate = errors.New("too late")

// processes are the command lines of all.
func processes(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	var all strings.Builder
	for _, file := range files {
		text, _ := os.ReadFile(file) // it may have ended meanwhile
		all.Write(text)
	}
	return all.String()
}

func TestNothingOutlivesATurnOrASession(t *testing.T) {
	folder := t.TempDir()
	fifo := filepath.Join(folder, "begun")
	s := session(t, "(echo begun > "+fifo+"; exec sleep 1000) & wait", agent.Setup{})
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		_, _ = os.ReadFile(fifo) // it ends once the program has begun
		cancel(errTooLate)
	}()
	_, err := s.Prompt(ctx, agent.Prompt{Text: "go"})
	require.ErrorIs(t, err, errTooLate)
	assert.NotContains(t, processes(t), folder)

	begun := make(chan struct{})
	s = session(t, "exec sleep 1000", agent.Setup{})
	failed := make(chan error)
	go func() {
		_, err := s.Prompt(t.Context(), agent.Prompt{Text: "go", OnEvent: func(e agent.Event) {
			if e == agent.EventToolStart {
				close(begun)
			}
		}})
		failed <- err
	}()
	<-begun
	require.NoError(t, s.Close())
	require.Error(t, <-failed)
	_, err = s.Prompt(t.Context(), agent.Prompt{Text: "again"})
	require.Error(t, err)
}

func TestASessionBeginsInEmptyFolders(t *testing.T) {
	p, err := command.New(options(`ls -A "$HOME"; echo mine > "$HOME/left"; echo end`))
	require.NoError(t, err)
	defer p.Close()
	for range 2 {
		s, err := p.Start(t.Context(), agent.Setup{Env: []string{"PATH=" + os.Getenv("PATH")}})
		require.NoError(t, err)
		turn, err := s.Prompt(t.Context(), agent.Prompt{Text: "go"})
		require.NoError(t, err)
		assert.Equal(t, "mcp.json\nend", turn.Text)
	}
	require.NoError(t, p.Close())
	_, err = p.Start(t.Context(), agent.Setup{})
	require.Error(t, err)
}

func TestWhatIsNoAgentIsRefused(t *testing.T) {
	_, err := command.New(options("  "))
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	o := options("cat")
	o.Model = bench.ModelRef{}
	_, err = command.New(o)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}
