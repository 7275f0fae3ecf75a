package realtool

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

// StubMCP is the variable that has a test's program be an MCP server.
const StubMCP = "BENCH_TEST_STUB_MCP"

// Main is for TestMain: it runs the tests, or the MCP server.
func Main(m *testing.M) {
	if os.Getenv(StubMCP) != "" {
		serveMCP()
		return
	}
	os.Exit(m.Run())
}

// serveMCP is an MCP server with a tool that says who one is.
func serveMCP() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var request struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(lines.Bytes(), &request) != nil || request.ID == nil {
			continue
		}
		result := map[string]string{
			"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"stub","version":"1"}}`,
			"tools/list": `{"tools":[{"name":"get_me","description":"Who am I?","inputSchema":{"type":"object","properties":{}}}]}`,
			"tools/call": `{"content":[{"type":"text","text":"you are ` + os.Getenv("GH_TOKEN") + `"}]}`,
		}[request.Method]
		if result == "" {
			result = "{}"
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", request.ID, result)
	}
}

// StubRemoteMCP serves an MCP server by HTTP, with a tool who that says what header
// X-Who told.
func StubRemoteMCP(t testing.TB) agent.MCPServer {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "remote", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "who", Description: "Who am I?", InputSchema: map[string]any{"type": "object"}},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "you are " + r.Extra.Header.Get("X-Who")}}}, nil
		})
	listening := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(func() {
		listening.CloseClientConnections() // an agent that was killed said no goodbye
		listening.Close()
	})
	return agent.MCPServer{URL: listening.URL, Headers: map[string]string{"X-Who": "a guest"}}
}

// Outputs returns what each tool has returned last.
func Outputs(transcript agent.Transcript) map[string]string {
	outputs := map[string]string{}
	for _, m := range transcript.Messages {
		for _, p := range m.Parts {
			if p.Tool != nil {
				outputs[p.Tool.Name] = p.Tool.Output
			}
		}
	}
	return outputs
}
