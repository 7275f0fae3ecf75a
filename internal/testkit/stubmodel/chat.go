package stubmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// chat are the chat completions of OpenAI's API. See
// https://platform.openai.com/docs/api-reference/chat.
var chat = protocol{
	path: BasePath + "/chat/completions", read: readChat, stream: streamChat, whole: wholeChat, problem: openAIProblem,
}

// streamChat has a piece for each chunk, one for why the answer ends, one for
// what is charged and one that ends the stream.
func streamChat(a *answer, calls []toolCall) []chunk {
	finish := a.step.finish()
	var parts []completion
	for _, m := range chatMessages(a.step, calls) {
		parts = append(parts, a.completion(choice{Delta: &m}))
	}
	parts = append(parts, a.completion(choice{Delta: &message{}, Finish: &finish}), a.completion())
	parts[len(parts)-1].Usage = chatUsage(a.step.Usage)
	var chunks []chunk
	for i, part := range parts {
		chunks = append(chunks, chunk{events: []event{{data: part}}, charges: i == len(parts)-1})
	}
	return append(chunks, chunk{events: []event{{data: json.RawMessage("[DONE]")}}})
}

func (a *answer) completion(choices ...choice) completion {
	if choices == nil {
		choices = []choice{}
	}
	return completion{ID: "chatcmpl-stub", Object: "chat.completion.chunk", Model: a.request.Model, Choices: choices}
}

func wholeChat(a *answer, calls []toolCall) any {
	finish := a.step.finish()
	whole := a.completion(choice{Finish: &finish, Message: &message{
		Role: roleAssistant, Reasoning: quoted(a.step.Reasoning), Content: quoted(a.step.Text), Calls: chatCalls(calls),
	}})
	whole.Object, whole.Usage = "chat.completion", chatUsage(a.step.Usage)
	return whole
}

// completion is a whole answer or a chunk of one.
type completion struct {
	ID      string      `json:"id"`
	Object  string      `json:"object"`
	Created int64       `json:"created"`
	Model   string      `json:"model"`
	Choices []choice    `json:"choices"`
	Usage   *chatTokens `json:"usage,omitempty"`
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
	Calls     []chatCall `json:"tool_calls,omitempty"`
}

type chatCall struct {
	Index    int      `json:"index"`
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type chatTokens struct {
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

func chatUsage(u Usage) *chatTokens {
	w := &chatTokens{Prompt: u.Prompt, Completion: u.Completion, Total: u.Total()}
	w.PromptDetails.Cached = u.Cached
	w.CompletionDetails.Reasoning = u.Reasoning
	return w
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

func chatCalls(calls []toolCall) []chatCall {
	var all []chatCall
	for i, c := range calls {
		all = append(all, chatCall{Index: i, ID: c.id, Type: "function", Function: function{c.name, c.arguments}})
	}
	return all
}

// chatMessages returns the messages that a streamed answer consists of.
func chatMessages(s Step, calls []toolCall) []message {
	var chunks []message
	for _, piece := range cut(s.Reasoning, s.ChunkBytes) {
		chunks = append(chunks, message{Reasoning: quoted(piece)})
	}
	for _, piece := range cut(s.Text, s.ChunkBytes) {
		chunks = append(chunks, message{Content: quoted(piece)})
	}
	for _, call := range chatCalls(calls) {
		chunks = append(chunks, message{Calls: []chatCall{call}})
	}
	if len(chunks) > 0 {
		chunks[0].Role = roleAssistant
	}
	return chunks
}

func readChat(header http.Header, body []byte) (Request, error) {
	var wire struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
		Choice json.RawMessage `json:"tool_choice"`
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return Request{}, err
	}
	r := Request{Header: header.Clone(), Body: body, Model: wire.Model, Stream: wire.Stream}
	for i, m := range wire.Messages {
		text, err := contentText(m.Content)
		if err != nil {
			return Request{}, fmt.Errorf("content of message %d: %w", i, err)
		}
		r.Messages = append(r.Messages, Message{Role: m.Role, Text: text})
	}
	for _, t := range wire.Tools {
		r.Tools = append(r.Tools, t.Function.Name)
	}
	var named struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	// It may be a word, such as "auto", too.
	if json.Unmarshal(wire.Choice, &named) == nil {
		r.Choice = named.Function.Name
	}
	return r, nil
}
