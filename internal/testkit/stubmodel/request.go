package stubmodel

import (
	"encoding/json"
	"net/http"
	"regexp"
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
	// namespaces are those that some of the tools are in.
	namespaces []string
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
	roleTool      = "tool"
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

// answers counts what the model has said in the whole conversation. Agents take
// what has the id of an earlier answer for that one.
func (r Request) answers() int {
	n := 0
	for _, m := range r.Messages {
		if m.Role == roleAssistant {
			n++
		}
	}
	return n
}

// sessionHeaders are those in which agents tell the id of their session.
var sessionHeaders = []string{"X-Session-Id", "X-Claude-Code-Session-Id", "Session-Id", "Session_id"}

// Session returns the id of the agent's session, empty if it tells none.
func (r Request) Session() string {
	for _, name := range sessionHeaders {
		if id := r.Header[name]; len(id) > 0 && id[0] != "" {
			return id[0]
		}
	}
	return ""
}

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

// notes are what agents put into the messages of the user besides what the user
// said.
var notes = regexp.MustCompile(`(?s)<(system-reminder|environment_context)>.*?</(system-reminder|environment_context)>\s*`)

func withoutNotes(text string) string { return strings.TrimSpace(notes.ReplaceAllString(text, "")) }
