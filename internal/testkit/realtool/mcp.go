package realtool

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mcpProtocol is the version of the Model Context Protocol that the client
// speaks.
const mcpProtocol = "2025-06-18"

// MCP is a client of an MCP server on standard input and output, where
// every message of JSON-RPC is one line. It asks one question at a time.
type MCP struct {
	t    testing.TB
	in   io.WriteCloser
	out  *bufio.Reader
	last int
}

// OpenMCP starts a server on a bench and makes itself known to it. The server
// ends with the test.
func OpenMCP(t testing.TB, bench *Bench, program string, args ...string) *MCP {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = bench.Work, bench.Env, t.Output()
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		// The server ends with its input, or is ended by the test's context.
		_ = in.Close()
		_ = cmd.Wait()
	})
	c := &MCP{t: t, in: in, out: bufio.NewReader(out)}
	require.Empty(t, c.ask("initialize", map[string]any{
		"protocolVersion": mcpProtocol, "capabilities": struct{}{}, "clientInfo": map[string]any{"name": "test", "version": "1"},
	}, &struct{}{}))
	c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return c
}

func (c *MCP) send(message map[string]any) {
	c.t.Helper()
	line, err := json.Marshal(message)
	require.NoError(c.t, err)
	_, err = c.in.Write(append(line, '\n'))
	require.NoError(c.t, err)
}

// ask sends a request and reads its result into target, and returns the text
// of an error instead. What the server tells in between of its own accord is
// passed over.
func (c *MCP) ask(method string, params, target any) string {
	c.t.Helper()
	c.last++
	c.send(map[string]any{"jsonrpc": "2.0", "id": c.last, "method": method, "params": params})
	for {
		line, err := c.out.ReadBytes('\n')
		require.NoError(c.t, err, "the server ended before it answered %s", method)
		var reply struct {
			ID     int
			Result json.RawMessage
			Error  struct{ Message string }
		}
		require.NoError(c.t, json.Unmarshal(line, &reply), "%s", line)
		if reply.ID != c.last {
			continue
		}
		if len(reply.Result) > 0 {
			require.NoError(c.t, json.Unmarshal(reply.Result, target))
		}
		return reply.Error.Message
	}
}

// Tools returns the names of the server's tools.
func (c *MCP) Tools() []string {
	c.t.Helper()
	var list struct{ Tools []struct{ Name string } }
	require.Empty(c.t, c.ask("tools/list", struct{}{}, &list))
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// ToolResult is what a tool returned.
type ToolResult struct {
	IsError bool
	// Text is its texts and those of embedded resources.
	Text string
}

// Try calls a tool.
func (c *MCP) Try(tool string, args map[string]any) ToolResult {
	c.t.Helper()
	var result struct {
		IsError bool
		Content []struct {
			Text     string
			Resource struct{ Text string }
		}
	}
	if failure := c.ask("tools/call", map[string]any{"name": tool, "arguments": args}, &result); failure != "" {
		return ToolResult{true, failure}
	}
	var texts []string
	for _, content := range result.Content {
		texts = append(texts, content.Text, content.Resource.Text)
	}
	return ToolResult{result.IsError, strings.Trim(strings.Join(texts, "\n"), "\n")}
}

// Call is [MCP.Try] for a tool that is to succeed; it returns the text.
func (c *MCP) Call(tool string, args map[string]any) string {
	c.t.Helper()
	r := c.Try(tool, args)
	require.False(c.t, r.IsError, "%s %v: %s", tool, args, r.Text)
	return r.Text
}

// JSON is [MCP.Call] for a tool that returns JSON.
func (c *MCP) JSON(tool string, args map[string]any) any {
	c.t.Helper()
	var value any
	text := c.Call(tool, args)
	require.NoError(c.t, json.Unmarshal([]byte(text), &value), text)
	return value
}
