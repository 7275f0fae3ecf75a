package station_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/station"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/confine"
)

// answers is an MCP server in a shell, whose tools are what TOOLS says.
const answers = `while read -r line; do
	id=${line#*'"id":'}; id=${id%%[,\}]*}
	case "$line" in
	*'"method":"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"},"instructions":"Be kind."}}' ;;
	*'"method":"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":['"$TOOLS"']'"$NEXT"'}}'; TOOLS=$MORE; NEXT= ;;
	*'"name":"get_nothing"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32603,"message":"there is none"}}' ;;
	*'"method":"tools/call"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"'$(curl -sS -f https://api.github.com/rate_limit)'"}]}}' ;;
	esac
done`

const readTool = `{"name":"get_repo","description":"Reads a repository.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","required":["owner","repo","format"],"properties":{"owner":{"type":"string"},"repo":{"type":"string"},"format":{"enum":["short","long"]},"deep":{"type":"boolean"}}}}`

// withMode opens stations that have the mode m of a file beside a program.
func withMode(t *testing.T, file, script string, change ...func(*station.Options)) *rig {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "program"), []byte("#!/bin/sh\n"+script+"\n"), 0o700)) //nolint:gosec // it is run
	require.NoError(t, os.WriteFile(filepath.Join(folder, "m.yml"), []byte("name: m\n"+file), 0o600))
	library, err := toolset.LoadLibrary([]string{filepath.Join(folder, "m.yml")})
	require.NoError(t, err)
	return newRig(t, append(change, func(o *station.Options) {
		o.Tools = toolset.Find(toolset.Options{Library: library, AllowHosts: []string{"127.0.0.1"}})
	})...)
}

func serverFile(tools string) string {
	return "shell: false\ninstructions: Use it.\ncommands: [{name: server, command: ./program, version: []}]\nmcp: {s: {command: [server], env: {TOOLS: '" + tools + "'}}}\n"
}

// look returns the surface of a mode in a place of a world with a repository.
func (r *rig) look(t *testing.T, mode bench.Mode) toolset.Surface {
	t.Helper()
	seen, err := r.Surfaces(t.Context(), r.worldPlace(t), []bench.Mode{mode})
	require.NoError(t, err)
	require.Len(t, seen, 1)
	return seen[0]
}

func (r *rig) worldPlace(t *testing.T) *target.Place {
	t.Helper()
	place, err := r.inner().Prepare(t.Context(), target.Needs{Token: token})
	require.NoError(t, err)
	place.Manifest = bench.Manifest{Repo: bench.ManifestRepo{Owner: "o", Name: "r"}}
	return place
}

func TestTheSurfaceOfAnMCPServer(t *testing.T) {
	r := withMode(t, serverFile(readTool+`,{"name":"delete_repo","inputSchema":{"type":"object","required":["owner"],"properties":{"owner":{}}}}`), answers)
	s := r.look(t, "m")
	require.Empty(t, s.Notes)
	require.Len(t, s.Items, 2)
	assert.Equal(t, "delete_repo", s.Items[0].Name)
	read := s.Items[1]
	assert.Equal(t, []string{"get_repo", "Reads a repository."}, []string{read.Name, read.Description})
	assert.Equal(t, []toolset.Parameter{
		{Name: "deep", Schema: `{"type":"boolean"}`}, {Name: "format", Required: true, Schema: `{"enum":["short","long"]}`},
		{Name: "owner", Required: true, Schema: `{"type":"string"}`}, {Name: "repo", Required: true, Schema: `{"type":"string"}`},
	}, read.Parameters)
	require.Len(t, s.Texts, 2)
	assert.Contains(t, s.Texts[0].Text, "Use it.")
	assert.Equal(t, toolset.Text{Name: "instructions of s", Of: toolset.Tool, Text: "Be kind.", Tokens: 3}, s.Texts[1])
	assert.Equal(t, s.Texts[0].Tokens+3+s.Items[0].Tokens+read.Tokens, s.PromptTokens)
	require.Len(t, s.Answers, 1, "what may change something is not called")
	assert.Equal(t, `get_repo {"format":"short","owner":"o","repo":"r"}`, s.Answers[0].Call)
	assert.Equal(t, len("place 1 of "+token), s.Answers[0].Bytes)
	require.Len(t, r.requests(), 1, "the call went through the proxy")
}

// Tools of several servers are told apart, a list may have pages, and a call that is
// refused keeps no other from being made.
func TestTheSurfaceOfTwoServers(t *testing.T) {
	quiet := `{"name":"get_quietly","annotations":{"title":"Quietly"},"inputSchema":{"type":"object"}}`
	nothing := `{"name":"get_nothing","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}`
	file := "shell: false\ncommands: [{name: server, command: ./program, version: []}]\nmcp:\n" +
		"  a: {command: [server], env: {TOOLS: '" + nothing + "', NEXT: ',\"nextCursor\":\"2\"', MORE: '" + readTool + "," + quiet + "'}}\n" +
		"  b: {command: [server], env: {TOOLS: '" + readTool + "'}}\n"
	s := withMode(t, file, answers).look(t, "m")
	require.Empty(t, s.Notes)
	var names, calls []string
	for _, i := range s.Items {
		names = append(names, i.Name)
	}
	for _, a := range s.Answers {
		calls = append(calls, fmt.Sprint(a.Item, " ", a.Failed))
	}
	assert.Equal(t, []string{"a/get_nothing", "a/get_quietly", "a/get_repo", "b/get_repo"}, names)
	assert.Equal(t, []string{"a/get_nothing true", "a/get_repo false", "b/get_repo false"}, calls)
}

func TestWhatAServerDoesNotTellIsANote(t *testing.T) {
	for name, c := range map[string]struct{ tools, script, want string }{
		"it dies":            {"", "exit 1", "the MCP server s: "},
		"it talks nonsense":  {"", "echo hello; exec cat", "the MCP server s: "},
		"it floods":          {"", "exec yes '{}'", "the MCP server s: "},
		"its list is broken": {`{"name":7}`, answers, "the MCP server s: list its tools: "},
		"it says too much":   {"", `exec yes "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/$(printf %10000s | tr ' ' x)\"}"`, "it says more than 8388608 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			r := withMode(t, serverFile(c.tools), c.script)
			s := r.look(t, "m")
			require.Len(t, s.Notes, 1)
			assert.Contains(t, s.Notes[0], c.want)
			assert.Empty(t, s.Items)
			assert.Equal(t, []string{"tool"}, s.Unknown)
			assert.NotEmpty(t, s.Texts, "what is known is told")
			assert.NotContains(t, r.does(t, "m", 0, "ps ax 2>/dev/null || true"), "yes {}")
		})
	}
}

func TestASilentServerHoldsNobodyUp(t *testing.T) {
	r := withMode(t, serverFile(""), "exec sleep 1000")
	stopped := errors.New("stopped")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, stopped)
	defer cancel()
	_, err := r.Surfaces(ctx, r.worldPlace(t), []bench.Mode{"m"})
	require.ErrorIs(t, err, stopped)
}

func TestTheSurfaceOfAServerByHTTP(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "whoami", Description: "Tells.", InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	keys := map[string]bool{}
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys[r.Header.Get("X-Who")] = true
		inner.ServeHTTP(w, r)
	}))
	defer listening.Close()
	file := "shell: false\nmcp: {s: {url: '" + listening.URL + "', headers: {X-Who: '{{github_login}}'}}}\n"
	r := withMode(t, file, "", func(o *station.Options) { o.Network = confine.Advisory })
	s := r.look(t, "m")
	require.Empty(t, s.Notes)
	require.Len(t, s.Items, 1)
	assert.Equal(t, "whoami", s.Items[0].Name)
	assert.Equal(t, map[string]bool{"bench-agent": true}, keys)
}

// An agent could not reach it either.
func TestAServerThatTheProxyRefusesIsANote(t *testing.T) {
	refused := make(chan string, 10)
	r := withMode(t, "shell: false\nmcp: {s: {url: 'https://refused.example/mcp'}}\n", "", func(o *station.Options) {
		o.OnRefused = func(host string) { refused <- host }
	})
	s := r.look(t, "m")
	require.Len(t, s.Notes, 1)
	assert.Contains(t, s.Notes[0], "the MCP server s: ")
	assert.Contains(t, s.Notes[0], "Forbidden")
	assert.Equal(t, "refused.example", <-refused)
}

func TestTheSurfaceOfCommands(t *testing.T) {
	r := newRig(t)
	s := r.look(t, bench.GHX)
	var names []string
	for _, i := range s.Items {
		names = append(names, string(i.Kind)+" "+i.Name)
	}
	assert.Equal(t, []string{"capability pr.merge", "capability pr.view", "command gh", "command ghx"}, names)
	require.Len(t, s.Texts, 2)
	assert.Equal(t, "The skill of ghx:\n\nRun ghx.", s.Texts[1].Text)
	assert.NotContains(t, s.Texts[0].Text, "Run ghx.")
	var calls []string
	for _, a := range s.Answers {
		calls = append(calls, a.Call)
	}
	require.Len(t, calls, 3)
	assert.Equal(t, []string{"ghx capabilities list --json", "pr.view {}"}, []string{calls[0], calls[2]})
	assert.Contains(t, calls[1], "ghx run repo.view")
}

func TestACommandWithoutHelpIsANote(t *testing.T) {
	r := withMode(t, "commands: [{name: broken, command: ./program, version: []}]\n", "echo 'no \x1b[31mhelp' >&2; exit 3")
	s := r.look(t, "m")
	require.Len(t, s.Notes, 1)
	assert.Contains(t, s.Notes[0], "`broken --help` fails: exit status 3")
	assert.NotContains(t, s.Notes[0], "\x1b")
}
