package agent_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

func length(t *testing.T, of agent.Transcript) int {
	t.Helper()
	data, err := json.Marshal(of)
	require.NoError(t, err)
	return len(data)
}

func TestATranscriptThatIsShortIsKeptAsItIs(t *testing.T) {
	short := agent.Transcript{SchemaVersion: 1, SessionID: "s", Messages: []agent.Message{{Role: agent.Assistant, Parts: []agent.Part{
		{Type: agent.PartText, Text: "done"}, {Type: agent.PartTool, Tool: &agent.ToolCall{Name: "bash", Input: json.RawMessage(`{"command":"ls"}`), Output: "a"}},
	}}}}
	assert.Equal(t, short, short.Within(10_000))
}

func TestLongTextsOfATranscriptAreCutAndSaySo(t *testing.T) {
	long := strings.Repeat("é", 50_000)
	input, err := json.Marshal(map[string]string{"command": long})
	require.NoError(t, err)
	call := &agent.ToolCall{Name: "bash", Input: input, Output: long, Error: "exit status 1"}
	whole := agent.Transcript{Messages: []agent.Message{
		{Role: agent.User, Parts: []agent.Part{{Type: agent.PartText, Text: "what was asked"}}},
		{Role: agent.Assistant, Parts: []agent.Part{{Type: agent.PartTool, Tool: call}, {Type: agent.PartReasoning, Text: long}}},
	}}
	kept := whole.Within(40_000)
	assert.LessOrEqual(t, length(t, kept), 40_000)
	assert.Equal(t, "what was asked", kept.Messages[0].Parts[0].Text)
	got := kept.Messages[1].Parts[0].Tool
	assert.True(t, strings.HasSuffix(got.Output, "é… (95904 bytes more are not kept)"))
	assert.Equal(t, "exit status 1", got.Error)
	var text string
	require.NoError(t, json.Unmarshal(got.Input, &text), "it is JSON still")
	assert.Contains(t, text, "bytes more are not kept")
	assert.True(t, long == call.Output, "the whole one stays as it is")
	assert.Equal(t, json.RawMessage(input), whole.Messages[1].Parts[0].Tool.Input)
}

func TestMessagesThatAreTooManyAreLeftOutAndCounted(t *testing.T) {
	var whole agent.Transcript
	for range 5000 {
		whole.Messages = append(whole.Messages, agent.Message{Role: agent.Assistant, Parts: []agent.Part{{Type: agent.PartText, Text: "again"}}})
	}
	kept := whole.Within(20_000)
	assert.LessOrEqual(t, length(t, kept), 20_000)
	last := len(kept.Messages) - 1
	require.Greater(t, last, 50)
	assert.Equal(t, fmt.Sprintf("%d messages more are not kept", 5000-last), kept.Messages[last].Error, "none is lost uncounted")
}

func TestRequestsTakeAQuarterOfATranscriptAtMost(t *testing.T) {
	whole := agent.Transcript{Messages: []agent.Message{{Role: agent.Assistant, Parts: []agent.Part{{Type: agent.PartText, Text: "done"}}}}}
	for n := range 500 {
		whole.Requests = append(whole.Requests, bench.Request{What: fmt.Sprintf("GET /repos/o/r/issues/%d", n), Status: 200})
	}
	kept := whole.Within(20_000)
	assert.LessOrEqual(t, length(t, kept), 20_000)
	assert.Equal(t, "done", kept.Answer(), "what was said goes before")
	require.NotEmpty(t, kept.Requests)
	assert.Equal(t, whole.Requests[:len(kept.Requests)], kept.Requests, "the first ones")
	assert.Len(t, whole.Requests, 500, "the whole one stays as it is")
}
