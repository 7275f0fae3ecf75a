package stubmodel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"unicode/utf8"
)

// protocol is a way in which an API has completions. What is played is the same
// in each.
type protocol struct {
	path string
	read func(header http.Header, body []byte) (Request, error)
	// stream returns a streamed answer: a chunk for each piece of what the model
	// says, and after them what the protocol ends an answer with.
	stream func(*answer, []toolCall) []chunk
	// whole returns the object that answers a request which is not streamed.
	whole func(*answer, []toolCall) any
	// problem returns the body of an error.
	problem func(status int, text, code string) []byte
}

// chunk is what is sent at a time.
type chunk struct {
	events []event
	// charges is true where the chunk tells the whole usage.
	charges bool
}

// event is a server-sent event, without a name if that is empty.
type event struct {
	name string
	data any
}

// encode returns the chunk as it is sent. Damaged, its last event is none.
func (c chunk) encode(damaged bool) ([]byte, error) {
	var text bytes.Buffer
	for i, e := range c.events {
		data, isRaw := e.data.(json.RawMessage)
		if !isRaw {
			var err error
			if data, err = json.Marshal(e.data); err != nil {
				return nil, err
			}
		}
		if damaged && i == len(c.events)-1 {
			data = json.RawMessage(garbage)
		}
		if e.name != "" {
			fmt.Fprintf(&text, "event: %s\n", e.name)
		}
		fmt.Fprintf(&text, "data: %s\n\n", data)
	}
	return text.Bytes(), nil
}

// toolCall is a call as it is played, with arguments that are to be JSON.
type toolCall struct{ id, namespace, name, arguments string }

// calls returns the tool calls, by the names that the request has for them.
// Their ids differ within a conversation.
func (s Step) calls(r Request) ([]toolCall, error) {
	var calls []toolCall
	for i, c := range s.Calls {
		c, namespace := r.resolve(c)
		arguments, isRaw := c.Arguments.(json.RawMessage)
		if !isRaw {
			var err error
			if arguments, err = json.Marshal(c.Arguments); err != nil {
				return nil, fmt.Errorf("arguments of tool %q: %w", c.Name, err)
			}
		}
		calls = append(calls, toolCall{fmt.Sprintf("call_%d_%d", r.answers()+1, i+1), namespace, c.Name, string(arguments)})
	}
	return calls, nil
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

// openAIProblem is the error object of OpenAI's API.
func openAIProblem(_ int, text, code string) []byte {
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
