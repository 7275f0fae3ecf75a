package agent_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

// at returns the moment that many milliseconds after the beginning of a
// session.
func at(ms int) time.Time {
	return time.Date(2026, 2, 25, 17, 35, 31, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond)
}

func reasoning(start, end int) agent.Part {
	return agent.Part{Type: agent.PartReasoning, Start: at(start), End: at(end), Text: "hm"}
}

func tool(name string, start, end int) agent.Part {
	return agent.Part{Type: agent.PartTool, Start: at(start), End: at(end), Tool: &agent.ToolCall{Name: name}}
}

func text(said string) agent.Part { return agent.Part{Type: agent.PartText, Text: said} }

func assistant(start, end int, parts ...agent.Part) agent.Message {
	return agent.Message{Role: agent.Assistant, Start: at(start), End: at(end), Parts: parts}
}

func TestR4TokensAreSummedOverEveryAssistantMessage(t *testing.T) {
	first := bench.Tokens{Input: 100, Output: 20, Reasoning: 5, CacheRead: 40, CacheWrite: 7, Total: 172}
	last := bench.Tokens{Input: 200, Output: 30, Reasoning: 6, CacheRead: 50, CacheWrite: 8, Total: 294}
	m := agent.Measure(agent.Transcript{Messages: []agent.Message{
		{Role: agent.User, Tokens: bench.Tokens{Input: 9999, Total: 9999}, Cost: 99},
		{Role: agent.Assistant, Tokens: first, Cost: 0.25},
		{Role: agent.Assistant, Tokens: bench.Tokens{}, Error: "the model was busy"},
		{Role: agent.User, Parts: []agent.Part{text("go on")}},
		{Role: agent.Assistant, Tokens: last, Cost: 0.5},
	}})
	assert.Equal(t, bench.Tokens{Input: 300, Output: 50, Reasoning: 11, CacheRead: 90, CacheWrite: 15, Total: 466}, m.Tokens)
	assert.Equal(t, int64(376), m.Tokens.Active())
	assert.InDelta(t, 0.75, m.Cost, 1e-12)
	assert.Equal(t, 3, m.Turns, "a message that broke off was a turn too")
}

func TestR7APICallsAreToolCallsWhoseNameSaysSo(t *testing.T) {
	cases := []struct {
		name string
		want int
	}{
		{"github_api", 1},
		{"GitHub-API-call", 1},
		{"HttpRequest", 1},
		{"https", 1},
		{"http_api", 1},
		{"bash", 0},
		{"gh", 0},
		{"a p i", 0},
		{"", 0},
	}
	for _, c := range cases {
		t.Run("R7: "+c.name, func(t *testing.T) {
			m := agent.Measure(agent.Transcript{Messages: []agent.Message{assistant(0, 1, tool(c.name, 0, 1))}})
			assert.Equal(t, c.want, m.APIToolCalls)
			assert.Equal(t, 1, m.ToolCalls)
		})
	}
}

func TestToolCallsAreCountedOverAllMessages(t *testing.T) {
	broken := tool("bash", 3, 4)
	broken.Tool.Error = "exit status 1"
	m := agent.Measure(agent.Transcript{Messages: []agent.Message{
		{Role: agent.User, Parts: []agent.Part{tool("bash", 0, 1)}},
		assistant(0, 9, tool("bash", 1, 2), broken, text("a tool? no, text"), reasoning(4, 5)),
		assistant(9, 12, tool("mcp_api", 10, 11)),
	}})
	assert.Equal(t, 3, m.ToolCalls)
	assert.Equal(t, 1, m.ToolErrors)
	assert.Equal(t, 1, m.APIToolCalls)
}

func TestTimingBreakdown(t *testing.T) {
	cases := []struct {
		name     string
		messages []agent.Message
		want     bench.TimingBreakdown
	}{
		{"a message with reasoning and a tool",
			[]agent.Message{assistant(100, 1000, reasoning(250, 500), tool("bash", 550, 800))},
			bench.TimingBreakdown{
				AssistantTotalMS: 900, AssistantPreReasoningMS: 150, AssistantReasoningMS: 250,
				AssistantBetweenReasoningAndToolMS: 50, AssistantPostToolMS: 200,
				ToolTotalMS: 250, ToolBashMS: 250, ObservedAssistantTurns: 1,
			}},
		{"gaps are from the first reasoning and to the last",
			[]agent.Message{assistant(100, 1200, reasoning(200, 300), reasoning(420, 700), tool("bash", 800, 950))},
			bench.TimingBreakdown{
				AssistantTotalMS: 1100, AssistantPreReasoningMS: 100, AssistantReasoningMS: 380,
				AssistantBetweenReasoningAndToolMS: 100, AssistantPostToolMS: 250,
				ToolTotalMS: 150, ToolBashMS: 150, ObservedAssistantTurns: 1,
			}},
		{"gaps are to the first tool and from the last, in whatever order they are listed",
			[]agent.Message{assistant(0, 100, tool("bash", 60, 80), tool("StructuredOutput", 30, 45), reasoning(15, 20), reasoning(5, 10))},
			bench.TimingBreakdown{
				AssistantTotalMS: 100, AssistantPreReasoningMS: 5, AssistantReasoningMS: 10,
				AssistantBetweenReasoningAndToolMS: 10, AssistantPostToolMS: 20,
				ToolTotalMS: 35, ToolBashMS: 20, ToolStructuredOutputMS: 15, ObservedAssistantTurns: 1,
			}},
		{"gaps are summed by message, not over the whole turn",
			[]agent.Message{
				assistant(0, 100, reasoning(10, 20), tool("bash", 30, 90)),
				{Role: agent.User, Start: at(100), End: at(1000)},
				assistant(1000, 1200, reasoning(1001, 1002), tool("gh", 1005, 1100)),
			},
			bench.TimingBreakdown{
				AssistantTotalMS: 300, AssistantPreReasoningMS: 11, AssistantReasoningMS: 11,
				AssistantBetweenReasoningAndToolMS: 13, AssistantPostToolMS: 110,
				ToolTotalMS: 155, ToolBashMS: 60, ObservedAssistantTurns: 2,
			}},
		{"what would be negative is 0 and takes nothing from others",
			[]agent.Message{
				assistant(50, 40, reasoning(30, 20), tool("bash", 10, 45)),
				assistant(100, 200, reasoning(110, 120), tool("bash", 130, 190)),
			},
			bench.TimingBreakdown{
				AssistantTotalMS: 100, AssistantPreReasoningMS: 10, AssistantReasoningMS: 10,
				AssistantBetweenReasoningAndToolMS: 10, AssistantPostToolMS: 10,
				ToolTotalMS: 95, ToolBashMS: 95, ObservedAssistantTurns: 2,
			}},
		{"a message without tools has no gaps around them",
			[]agent.Message{assistant(0, 100, reasoning(10, 20), text("done"))},
			bench.TimingBreakdown{
				AssistantTotalMS: 100, AssistantPreReasoningMS: 10, AssistantReasoningMS: 10, ObservedAssistantTurns: 1,
			}},
		{"a message without reasoning has no gaps around it",
			[]agent.Message{assistant(0, 100, tool("bash", 10, 20))},
			bench.TimingBreakdown{
				AssistantTotalMS: 100, AssistantPostToolMS: 80, ToolTotalMS: 10, ToolBashMS: 10, ObservedAssistantTurns: 1,
			}},
		{"what broke off has no length",
			[]agent.Message{
				assistant(0, 100, reasoning(10, 20)),
				{Role: agent.Assistant, Start: at(100), Parts: []agent.Part{
					reasoning(130, 140),
					{Type: agent.PartTool, Start: at(150), Tool: &agent.ToolCall{Name: "bash"}},
				}},
			},
			bench.TimingBreakdown{
				AssistantTotalMS: 100, AssistantPreReasoningMS: 40, AssistantReasoningMS: 20, ObservedAssistantTurns: 2,
			}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := agent.Measure(agent.Transcript{Messages: c.messages})
			require.NotNil(t, m.Timing)
			assert.Equal(t, c.want, *m.Timing)
		})
	}
}

func TestTimingIsUnknownWithoutTimes(t *testing.T) {
	m := agent.Measure(agent.Transcript{Messages: []agent.Message{
		{Role: agent.User, Start: at(0), End: at(1)},
		{Role: agent.Assistant, Parts: []agent.Part{text("done")}},
	}})
	assert.Nil(t, m.Timing)
	assert.Nil(t, m.SDKLatencyMS)
	assert.Equal(t, 1, m.Turns)
	assert.Equal(t, agent.Measures{}, agent.Measure(agent.Transcript{}))
}

func TestSDKLatencyIsThatOfTheLastAssistantMessage(t *testing.T) {
	m := agent.Measure(agent.Transcript{Messages: []agent.Message{assistant(0, 70), assistant(100, 130)}})
	require.NotNil(t, m.SDKLatencyMS)
	assert.InDelta(t, 30, *m.SDKLatencyMS, 1e-9)

	m = agent.Measure(agent.Transcript{Messages: []agent.Message{assistant(0, 70), {Role: agent.Assistant, Start: at(100)}}})
	assert.Nil(t, m.SDKLatencyMS, "the last message broke off")
}

func TestAStoredTranscriptMeasuresTheSame(t *testing.T) {
	transcript := agent.Transcript{
		SchemaVersion: agent.TranscriptSchemaVersion,
		Messages: []agent.Message{
			{Role: agent.User, Parts: []agent.Part{text("do it")}},
			assistant(100, 1000, reasoning(250, 500), tool("http", 550, 800), text("done")),
			{Role: agent.Assistant, Tokens: bench.Tokens{Total: 3}, Cost: 0.1},
		},
	}
	stored, err := json.Marshal(transcript)
	require.NoError(t, err)
	var loaded agent.Transcript
	require.NoError(t, json.Unmarshal(stored, &loaded))
	assert.Equal(t, agent.Measure(transcript), agent.Measure(loaded))
}
