package agent_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

func TestAnswerIsTheTextOfTheLastAssistantMessage(t *testing.T) {
	user := agent.Message{Role: agent.User, Parts: []agent.Part{text("do it")}}
	cases := []struct {
		name     string
		messages []agent.Message
		want     string
	}{
		{"nothing was said", nil, ""},
		{"the user alone spoke", []agent.Message{user}, ""},
		{"the last of several", []agent.Message{user, assistant(0, 1, text("first")), assistant(1, 2, text("last"))}, "last"},
		{"a user's message behind it", []agent.Message{assistant(0, 1, text("first")), user}, "first"},
		{"texts of a message by line, without reasoning, tools and empty ones",
			[]agent.Message{assistant(0, 9, text("one"), reasoning(1, 2), text(""), tool("bash", 2, 3), text("two"))}, "one\ntwo"},
		{"a last message without text, though one before it has some",
			[]agent.Message{assistant(0, 1, text("I will look")), assistant(1, 2, tool("bash", 1, 2))}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, agent.Transcript{Messages: c.messages}.Answer())
		})
	}
}

func TestTranscriptIsStoredWithoutLoss(t *testing.T) {
	mode := "high"
	transcript := agent.Transcript{
		SchemaVersion: agent.TranscriptSchemaVersion,
		Provider:      "memory",
		SessionID:     "ses_1",
		Model:         bench.ModelRef{ProviderID: "openai", ModelID: "gpt-5.4", Mode: &mode},
		Messages: []agent.Message{
			{Role: agent.User, Parts: []agent.Part{text("do it")}},
			{
				Role: agent.Assistant, Start: at(1), End: at(9), Cost: 0.5, Error: "it broke off",
				Tokens: bench.Tokens{Input: 1, Output: 2, Reasoning: 3, CacheRead: 4, CacheWrite: 5, Total: 15},
				Parts: []agent.Part{{Type: agent.PartTool, Start: at(2), End: at(3), Tool: &agent.ToolCall{
					Name: "bash", Input: json.RawMessage(`{"command":"gh"}`), Output: "o", Error: "e",
				}}},
			},
		},
	}
	stored, err := json.Marshal(transcript)
	require.NoError(t, err)
	var loaded agent.Transcript
	require.NoError(t, json.Unmarshal(stored, &loaded))
	assert.Equal(t, transcript, loaded)
	assert.NotContains(t, string(stored), "0001-01-01", "times that are not known are left out")
}
