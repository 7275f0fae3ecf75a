package stubmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// messages are those of Anthropic's API. See
// https://docs.anthropic.com/en/api/messages-streaming.
var messages = protocol{
	path: BasePath + "/messages", read: readMessages, stream: streamMessages, whole: wholeMessage, problem: anthropicProblem,
}

// block is a part of a message's content.
type block struct {
	Type      string          `json:"type"`
	Text      quoted          `json:"text,omitempty"`
	Thinking  quoted          `json:"thinking,omitempty"`
	Signature string          `json:"signature,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
}

// delta is what a block gains.
type delta struct {
	Type      string `json:"type"`
	Text      quoted `json:"text,omitempty"`
	Thinking  quoted `json:"thinking,omitempty"`
	Signature string `json:"signature,omitempty"`
	JSON      quoted `json:"partial_json,omitempty"`
}

type anthropicTokens struct {
	Input   int64 `json:"input_tokens"`
	Written int64 `json:"cache_creation_input_tokens"`
	Read    int64 `json:"cache_read_input_tokens"`
	Output  int64 `json:"output_tokens"`
}

func anthropicUsage(u Usage) anthropicTokens {
	return anthropicTokens{Input: u.Prompt - u.Cached - u.Written, Written: u.Written, Read: u.Cached, Output: u.Completion}
}

// signature stands under what the model thinks.
const signature = "c3R1Yg=="

func stopReason(s Step) string {
	if len(s.Calls) > 0 {
		return "tool_use"
	}
	return "end_turn"
}

// message returns the message with its content, which is empty where the
// answer is streamed.
func (a *answer) message(content []block, stop *string, usage anthropicTokens) map[string]any {
	return map[string]any{
		"id": fmt.Sprintf("msg_stub_%d", a.request.answers()+1), "type": "message", "role": roleAssistant, "model": a.request.Model,
		"content": content, "stop_reason": stop, "stop_sequence": nil, "usage": usage,
	}
}

func wholeMessage(a *answer, calls []toolCall) any {
	content := []block{}
	if a.step.Reasoning != "" {
		content = append(content, block{Type: "thinking", Thinking: quoted(a.step.Reasoning), Signature: signature})
	}
	if a.step.Text != "" {
		content = append(content, block{Type: "text", Text: quoted(a.step.Text)})
	}
	for _, c := range calls {
		content = append(content, block{Type: "tool_use", ID: c.id, Name: c.name, Input: json.RawMessage(c.arguments)})
	}
	stop := stopReason(a.step)
	return a.message(content, &stop, anthropicUsage(a.step.Usage))
}

// streamMessages tells the usage of the prompt in its first chunk, as the API
// does, and all of it at the end.
func streamMessages(a *answer, calls []toolCall) []chunk {
	usage := anthropicUsage(a.step.Usage)
	begun := usage
	begun.Output = min(begun.Output, 1)
	s := blockStream{pending: []event{named("message_start", map[string]any{"message": a.message([]block{}, nil, begun)})}}
	s.block(map[string]any{"type": "thinking", "thinking": "", "signature": ""}, cut(a.step.Reasoning, a.step.ChunkBytes),
		func(piece string) delta { return delta{Type: "thinking_delta", Thinking: quoted(piece)} },
		&delta{Type: "signature_delta", Signature: signature})
	s.block(map[string]any{"type": "text", "text": ""}, cut(a.step.Text, a.step.ChunkBytes),
		func(piece string) delta { return delta{Type: "text_delta", Text: quoted(piece)} }, nil)
	for _, c := range calls {
		s.block(map[string]any{"type": "tool_use", "id": c.id, "name": c.name, "input": map[string]any{}}, []string{c.arguments},
			func(piece string) delta { return delta{Type: "input_json_delta", JSON: quoted(piece)} }, nil)
	}
	s.pending = append(s.pending, named("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": stopReason(a.step), "stop_sequence": nil}, "usage": usage,
	}))
	s.flush()
	s.chunks[len(s.chunks)-1].charges = true
	s.pending = []event{named("message_stop", map[string]any{})}
	s.flush()
	return s.chunks
}

// named is an event whose data have its name as their type.
func named(name string, data map[string]any) event {
	data["type"] = name
	return event{name, data}
}

// blockStream gathers the chunks of a message. What begins and ends a block
// goes with the pieces before and after.
type blockStream struct {
	chunks  []chunk
	pending []event
	blocks  int
}

func (s *blockStream) flush() {
	s.chunks = append(s.chunks, chunk{events: s.pending})
	s.pending = nil
}

// block adds a block in pieces, with a last delta if there is one.
func (s *blockStream) block(begun map[string]any, pieces []string, of func(piece string) delta, last *delta) {
	if len(pieces) == 0 {
		return
	}
	gains := func(d delta) {
		s.pending = append(s.pending, named("content_block_delta", map[string]any{"index": s.blocks, "delta": d}))
	}
	s.pending = append(s.pending, named("content_block_start", map[string]any{"index": s.blocks, "content_block": begun}))
	for _, piece := range pieces {
		gains(of(piece))
		s.flush()
	}
	if last != nil {
		gains(*last)
	}
	s.pending = append(s.pending, named("content_block_stop", map[string]any{"index": s.blocks}))
	s.blocks++
}

// anthropicProblem is the error object of Anthropic's API.
func anthropicProblem(status int, text, code string) []byte {
	kind := map[int]string{
		http.StatusBadRequest: "invalid_request_error", http.StatusUnauthorized: "authentication_error", http.StatusForbidden: "permission_error",
		http.StatusNotFound: "not_found_error", http.StatusTooManyRequests: "rate_limit_error", 529: "overloaded_error",
	}[status]
	if kind == "" {
		kind = "api_error"
	}
	body, err := json.Marshal(map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": text, "code": code}})
	if err != nil {
		panic(fmt.Sprintf("stubmodel: strings that are no JSON: %v", err))
	}
	return body
}

func readMessages(header http.Header, body []byte) (Request, error) {
	var wire struct {
		Model    string          `json:"model"`
		Stream   bool            `json:"stream"`
		System   json.RawMessage `json:"system"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
		Choice struct {
			Name string `json:"name"`
		} `json:"tool_choice"`
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return Request{}, err
	}
	r := Request{Header: header.Clone(), Body: body, Model: wire.Model, Stream: wire.Stream, Choice: wire.Choice.Name}
	system, err := contentText(wire.System)
	if err != nil {
		return Request{}, fmt.Errorf("system: %w", err)
	}
	if system != "" {
		r.Messages = append(r.Messages, Message{Role: roleSystem, Text: system})
	}
	for i, m := range wire.Messages {
		results, err := toolResults(m.Content)
		text := ""
		if err == nil {
			text, err = contentText(m.Content)
		}
		if err != nil {
			return Request{}, fmt.Errorf("content of message %d: %w", i, err)
		}
		r.Messages = append(r.Messages, results...)
		if text = withoutNotes(text); text != "" || len(results) == 0 {
			r.Messages = append(r.Messages, Message{Role: m.Role, Text: text})
		}
	}
	for _, t := range wire.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	return r, nil
}

// toolResults returns the results of tools that a message's content has.
func toolResults(content json.RawMessage) ([]Message, error) {
	if len(content) == 0 || content[0] != '[' {
		return nil, nil
	}
	var blocks []struct {
		Type    string          `json:"type"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(content, &blocks); err != nil {
		return nil, err
	}
	var results []Message
	for _, b := range blocks {
		if b.Type != "tool_result" {
			continue
		}
		text, err := contentText(b.Content)
		if err != nil {
			return nil, err
		}
		results = append(results, Message{Role: roleTool, Text: text})
	}
	return results, nil
}
