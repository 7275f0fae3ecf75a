package agent

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// TranscriptSchemaVersion is the version of the stored form.
const TranscriptSchemaVersion = 1

// Transcript is all that was said and done in a session, in order.
type Transcript struct {
	SchemaVersion int            `json:"schema_version"`
	Provider      string         `json:"provider"`
	SessionID     string         `json:"session_id"`
	Model         bench.ModelRef `json:"model"`
	// Simulated is true where no model was involved (rule G15).
	Simulated bool      `json:"simulated,omitempty"`
	Messages  []Message `json:"messages"`
	// Requests are what the agent asked GitHub for, in the order of the answers, at most
	// [bench.MaxRequests]; nil where nobody has seen them.
	Requests []bench.Request `json:"requests,omitempty"`
}

// Role tells who wrote a message.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one message of a conversation. An agent's turn may have many.
type Message struct {
	Role Role `json:"role"`
	// Start and End are zero where the provider does not tell them.
	Start time.Time `json:"start,omitzero"`
	End   time.Time `json:"end,omitzero"`
	Parts []Part    `json:"parts"`
	// Tokens and Cost are what the provider reports for this message alone.
	Tokens bench.Tokens `json:"tokens"`
	Cost   float64      `json:"cost"`
	// Error is why the message broke off, empty if it did not.
	Error string `json:"error,omitempty"`
}

// PartType tells what a part of a message is.
type PartType string

// The part types.
const (
	PartText      PartType = "text"
	PartReasoning PartType = "reasoning"
	PartTool      PartType = "tool"
)

// Part is a piece of a message. Text is set for text and reasoning, Tool for
// a tool call.
type Part struct {
	Type  PartType  `json:"type"`
	Start time.Time `json:"start,omitzero"`
	End   time.Time `json:"end,omitzero"`
	Text  string    `json:"text,omitempty"`
	Tool  *ToolCall `json:"tool,omitempty"`
}

// ToolCall is one use of a tool.
type ToolCall struct {
	Name string `json:"name"`
	// Input is the call's arguments as JSON.
	Input  json.RawMessage `json:"input,omitempty"`
	Output string          `json:"output,omitempty"`
	// Error is empty where the call succeeded.
	Error string `json:"error,omitempty"`
}

// Answer returns the text of the last assistant message, empty if there is
// none.
func (t Transcript) Answer() string {
	for i := len(t.Messages) - 1; i >= 0; i-- {
		if t.Messages[i].Role == Assistant {
			return t.Messages[i].text()
		}
	}
	return ""
}

func (m Message) text() string {
	var texts []string
	for _, p := range m.Parts {
		if p.Type == PartText && p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}
