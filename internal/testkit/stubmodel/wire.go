package stubmodel

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// The objects of the protocol, as far as they are sent. See
// https://platform.openai.com/docs/api-reference/chat.

// completion is a whole answer or a chunk of one.
type completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

type choice struct {
	Index   int      `json:"index"`
	Delta   *message `json:"delta,omitempty"`
	Message *message `json:"message,omitempty"`
	Finish  *string  `json:"finish_reason"`
}

type message struct {
	Role string `json:"role,omitempty"`
	// Reasoning is no part of OpenAI's protocol, but what servers that follow
	// it send.
	Reasoning quoted     `json:"reasoning_content,omitempty"`
	Content   quoted     `json:"content,omitempty"`
	Calls     []toolCall `json:"tool_calls,omitempty"`
}

type toolCall struct {
	Index    int      `json:"index"`
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type usage struct {
	Prompt        int64 `json:"prompt_tokens"`
	Completion    int64 `json:"completion_tokens"`
	Total         int64 `json:"total_tokens"`
	PromptDetails struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func (u Usage) wire() *usage {
	w := &usage{Prompt: u.Prompt, Completion: u.Completion, Total: u.Total()}
	w.PromptDetails.Cached = u.Cached
	w.CompletionDetails.Reasoning = u.Reasoning
	return w
}

// problem is the protocol's error object.
func problem(text, code string) []byte {
	body, err := json.Marshal(map[string]any{"error": map[string]any{
		"message": text, "type": "invalid_request_error", "param": nil, "code": code,
	}})
	if err != nil {
		panic(fmt.Sprintf("stubmodel: strings that are no JSON: %v", err))
	}
	return body
}

// quoted is a text that keeps bytes which are not UTF-8 when it becomes JSON.
type quoted string

// MarshalJSON quotes the text.
func (q quoted) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(q)) {
		return json.Marshal(string(q))
	}
	out := []byte{'"'}
	for i := range len(q) {
		switch b := q[i]; {
		case b == '"' || b == '\\':
			out = append(out, '\\', b)
		case b < ' ':
			out = fmt.Appendf(out, `\u%04x`, b)
		default:
			out = append(out, b)
		}
	}
	return append(out, '"'), nil
}

const (
	finishStop  = "stop"
	finishTools = "tool_calls"
)

// finish tells why the model ends its answer.
func (s Step) finish() string {
	if len(s.Calls) > 0 {
		return finishTools
	}
	return finishStop
}

// calls returns the tool calls. Their ids tell the step, so that they differ
// within a conversation.
func (s Step) calls(step int) ([]toolCall, error) {
	var calls []toolCall
	for i, c := range s.Calls {
		arguments, isRaw := c.Arguments.(json.RawMessage)
		if !isRaw {
			var err error
			if arguments, err = json.Marshal(c.Arguments); err != nil {
				return nil, fmt.Errorf("arguments of tool %q: %w", c.Name, err)
			}
		}
		calls = append(calls, toolCall{
			Index: i, ID: fmt.Sprintf("call_%d_%d", step+1, i+1), Type: "function",
			Function: function{Name: c.Name, Arguments: string(arguments)},
		})
	}
	return calls, nil
}

// chunks returns the messages that a streamed answer consists of.
func (s Step) chunks(calls []toolCall) []message {
	var chunks []message
	for _, piece := range cut(s.Reasoning, s.ChunkBytes) {
		chunks = append(chunks, message{Reasoning: quoted(piece)})
	}
	for _, piece := range cut(s.Text, s.ChunkBytes) {
		chunks = append(chunks, message{Content: quoted(piece)})
	}
	for _, call := range calls {
		chunks = append(chunks, message{Calls: []toolCall{call}})
	}
	if len(chunks) > 0 {
		chunks[0].Role = roleAssistant
	}
	return chunks
}

// cut cuts a text into pieces of so many bytes; 0 leaves it whole.
func cut(text string, size int) []string {
	var pieces []string
	for size > 0 && len(text) > size {
		pieces = append(pieces, text[:size])
		text = text[size:]
	}
	if text != "" {
		pieces = append(pieces, text)
	}
	return pieces
}
