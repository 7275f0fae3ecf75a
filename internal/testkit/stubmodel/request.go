package stubmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Request is a completion that was asked for.
type Request struct {
	Header http.Header
	// Body is the request as it was sent; what follows was read from it.
	Body     []byte
	Model    string
	Stream   bool
	Messages []Message
	// Tools names the tools that the model may call.
	Tools []string
	// Choice is the tool that the model must call; empty leaves it the choice.
	Choice string
}

// Message is one message of the conversation so far.
type Message struct {
	// Role is system, user, assistant or tool.
	Role string
	// Text is the content; of content in parts, the texts together.
	Text string
}

const (
	roleSystem    = "system"
	roleUser      = "user"
	roleAssistant = "assistant"
)

// System returns the system messages together.
func (r Request) System() string {
	var texts []string
	for _, m := range r.Messages {
		if m.Role == roleSystem {
			texts = append(texts, m.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// Prompt returns the last message of the user, which began the turn.
func (r Request) Prompt() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == roleUser {
			return r.Messages[i].Text
		}
	}
	return ""
}

// Step tells how many answers the model has given in the turn, which is the
// index of the step that is asked for.
func (r Request) Step() int {
	step := 0
	for i := len(r.Messages) - 1; i >= 0 && r.Messages[i].Role != roleUser; i-- {
		if r.Messages[i].Role == roleAssistant {
			step++
		}
	}
	return step
}

// Session returns the id of the agent's session, for agents that tell it in a
// header, as OpenCode does.
func (r Request) Session() string { return r.Header.Get("X-Session-Id") }

// titleRequest is how OpenCode asks for the title of a session.
const titleRequest = "Generate a title for this conversation:"

// Title reports whether the agent asks for a title of the session, which is no
// part of its work.
func (r Request) Title() bool {
	for _, m := range r.Messages {
		if m.Role == roleUser && strings.HasPrefix(m.Text, titleRequest) {
			return true
		}
	}
	return false
}

// readRequest reads the body of a request for a completion.
func readRequest(header http.Header, body []byte) (Request, error) {
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

// contentText reads a message's content, which is a string, a list of parts,
// or nothing.
func contentText(content json.RawMessage) (string, error) {
	if len(content) == 0 || content[0] != '[' {
		var text string
		if len(content) == 0 {
			return "", nil
		}
		err := json.Unmarshal(content, &text)
		return text, err
	}
	var parts []struct {
		Text string `json:"text"`
	}
	err := json.Unmarshal(content, &parts)
	var text strings.Builder
	for _, p := range parts {
		text.WriteString(p.Text)
	}
	return text.String(), err
}
