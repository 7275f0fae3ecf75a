package stubmodel

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
)

// responses are those of OpenAI's API. See
// https://platform.openai.com/docs/api-reference/responses-streaming.
var responses = protocol{
	path: BasePath + "/responses", read: readResponses, stream: streamResponse, whole: wholeResponse, problem: openAIProblem,
}

// item is a part of a response, such as a message. What is empty is told too:
// clients take an item without its content for none.
type item struct {
	kind, id string
	fields   map[string]any
}

// MarshalJSON has the fields beside the kind and the id.
func (i item) MarshalJSON() ([]byte, error) {
	whole := map[string]any{"type": i.kind, "id": i.id}
	maps.Copy(whole, i.fields)
	return json.Marshal(whole)
}

type text struct {
	Type        string `json:"type"`
	Text        quoted `json:"text"`
	Annotations []any  `json:"annotations,omitempty"`
}

type responseTokens struct {
	Input        int64 `json:"input_tokens"`
	InputDetails struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Output        int64 `json:"output_tokens"`
	OutputDetails struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	Total int64 `json:"total_tokens"`
}

func responseUsage(u Usage) *responseTokens {
	w := &responseTokens{Input: u.Prompt, Output: u.Completion, Total: u.Total()}
	w.InputDetails.Cached = u.Cached
	w.OutputDetails.Reasoning = u.Reasoning
	return w
}

// response returns the response with its items, which has no usage yet if that
// is nil.
func (a *answer) response(items []item, usage *responseTokens) map[string]any {
	status := "in_progress"
	if usage != nil {
		status = "completed"
	}
	return map[string]any{
		"id": fmt.Sprintf("resp_stub_%d", a.request.answers()+1), "object": "response", "created_at": 0, "status": status,
		"model": a.request.Model, "output": items, "usage": usage, "error": nil,
	}
}

// reasoning, said and called are the items of a response, as they are once they
// have gained a text.

func reasoning(summary string) item {
	parts := []text{}
	if summary != "" {
		parts = append(parts, text{Type: "summary_text", Text: quoted(summary)})
	}
	return item{"reasoning", "rs_stub", map[string]any{"summary": parts}}
}

func said(content string) item {
	parts := []text{}
	if content != "" {
		parts = append(parts, text{Type: "output_text", Text: quoted(content), Annotations: []any{}})
	}
	return item{"message", "msg_stub", map[string]any{"status": "completed", "role": roleAssistant, "content": parts}}
}

func called(c toolCall, arguments string) item {
	fields := map[string]any{"status": "completed", "call_id": c.id, "name": c.name, "arguments": quoted(arguments)}
	if c.namespace != "" {
		fields["namespace"] = c.namespace
	}
	return item{"function_call", "fc_" + c.id, fields}
}

// items are those of the whole response.
func (a *answer) items(calls []toolCall) []item {
	items := []item{}
	if a.step.Reasoning != "" {
		items = append(items, reasoning(a.step.Reasoning))
	}
	if a.step.Text != "" {
		items = append(items, said(a.step.Text))
	}
	for _, c := range calls {
		items = append(items, called(c, c.arguments))
	}
	return items
}

func wholeResponse(a *answer, calls []toolCall) any {
	return a.response(a.items(calls), responseUsage(a.step.Usage))
}

func streamResponse(a *answer, calls []toolCall) []chunk {
	s := itemStream{pending: []event{named("response.created", map[string]any{"response": a.response([]item{}, nil)})}}
	if a.step.Reasoning != "" {
		s.item(reasoning(""), reasoning(a.step.Reasoning), "response.reasoning_summary_text.delta", map[string]any{"summary_index": 0}, cut(a.step.Reasoning, a.step.ChunkBytes))
	}
	if a.step.Text != "" {
		s.item(said(""), said(a.step.Text), "response.output_text.delta", map[string]any{"content_index": 0}, cut(a.step.Text, a.step.ChunkBytes))
	}
	for _, c := range calls {
		s.item(called(c, ""), called(c, c.arguments), "response.function_call_arguments.delta", nil, []string{c.arguments})
	}
	s.flush()
	s.pending = []event{named("response.completed", map[string]any{"response": a.response(a.items(calls), responseUsage(a.step.Usage))})}
	s.flush()
	s.chunks[len(s.chunks)-1].charges = true
	return s.chunks
}

// itemStream gathers the chunks of a response. What begins and ends an item
// goes with the pieces before and after.
type itemStream struct {
	chunks  []chunk
	pending []event
	items   int
}

func (s *itemStream) flush() {
	s.chunks = append(s.chunks, chunk{events: s.pending})
	s.pending = nil
}

// item adds an item that gains pieces by events of that name.
func (s *itemStream) item(begun, whole item, name string, more map[string]any, pieces []string) {
	s.pending = append(s.pending, named("response.output_item.added", map[string]any{"output_index": s.items, "item": begun}))
	if whole.kind == "reasoning" {
		s.pending = append(s.pending, named("response.reasoning_summary_part.added", map[string]any{
			"item_id": whole.id, "output_index": s.items, "summary_index": 0, "part": text{Type: "summary_text"},
		}))
	}
	for _, piece := range pieces {
		data := map[string]any{"item_id": whole.id, "output_index": s.items, "delta": quoted(piece)}
		maps.Copy(data, more)
		s.pending = append(s.pending, named(name, data))
		s.flush()
	}
	s.pending = append(s.pending, named("response.output_item.done", map[string]any{"output_index": s.items, "item": whole}))
	s.items++
}

// namespaceMark stands between the namespace that a tool is in and its name.
const namespaceMark = "__"

func readResponses(header http.Header, body []byte) (Request, error) {
	var wire struct {
		Model        string          `json:"model"`
		Stream       bool            `json:"stream"`
		Instructions string          `json:"instructions"`
		Input        json.RawMessage `json:"input"`
		Tools        []struct {
			Type  string `json:"type"`
			Name  string `json:"name"`
			Tools []struct {
				Name string `json:"name"`
			} `json:"tools"`
		} `json:"tools"`
		Choice json.RawMessage `json:"tool_choice"`
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return Request{}, err
	}
	r := Request{Header: header.Clone(), Body: body, Model: wire.Model, Stream: wire.Stream}
	if wire.Instructions != "" {
		r.Messages = append(r.Messages, Message{Role: roleSystem, Text: wire.Instructions})
	}
	if err := r.readInput(wire.Input); err != nil {
		return Request{}, err
	}
	for _, t := range wire.Tools {
		if t.Type != "namespace" {
			r.Tools = append(r.Tools, t.Name)
			continue
		}
		r.namespaces = append(r.namespaces, t.Name)
		for _, inner := range t.Tools {
			r.Tools = append(r.Tools, t.Name+namespaceMark+inner.Name)
		}
	}
	var named struct {
		Name string `json:"name"`
	}
	// It may be a word, such as "auto", too.
	if json.Unmarshal(wire.Choice, &named) == nil {
		r.Choice = named.Name
	}
	return r, nil
}

// readInput reads the conversation: a text, or a list of items. What the model
// said in one answer is one message.
func (r *Request) readInput(input json.RawMessage) error {
	var text string
	if json.Unmarshal(input, &text) == nil {
		r.Messages = append(r.Messages, Message{Role: roleUser, Text: text})
		return nil
	}
	var items []struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Output  json.RawMessage `json:"output"`
	}
	if err := json.Unmarshal(input, &items); err != nil {
		return fmt.Errorf("input: %w", err)
	}
	for i, it := range items {
		said, err := contentText(it.Content)
		role := it.Role
		switch {
		case err != nil:
			return fmt.Errorf("content of item %d: %w", i, err)
		case it.Type == "function_call_output" || it.Type == "custom_tool_call_output":
			role = roleTool
			if said, err = contentText(it.Output); err != nil {
				return fmt.Errorf("output of item %d: %w", i, err)
			}
		case role == "developer":
			role = roleSystem
		case role == roleUser:
			if said = withoutNotes(said); said == "" {
				continue
			}
		case role == "": // a call, or what the model thought
			role, said = roleAssistant, ""
		}
		if last := len(r.Messages) - 1; role == roleAssistant && last >= 0 && r.Messages[last].Role == roleAssistant {
			r.Messages[last].Text += said
			continue
		}
		r.Messages = append(r.Messages, Message{Role: role, Text: said})
	}
	return nil
}
