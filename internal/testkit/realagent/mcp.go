package realagent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"
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
