package talk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

// Record is what a program has told of its conversation, and of the turn that
// is under way. Its methods are for a [Dialect].
type Record struct {
	provider string
	options  Options
	id       string
	// opened is closed when the conversation is open, or was refused.
	opened  chan struct{}
	refused error

	messages []agent.Message
	// asked is when the model was asked for its next answer.
	asked time.Time
	// open is the index of the message that the model is at, -1 for none, and
	// parts has those of its parts that grow, by their names.
	open  int
	parts map[string]int
	// calls has the places of tool calls, by their ids.
	calls map[string]*call
	// turn is the one that is under way, nil where none is.
	turn *turn
	// retry says what the model is asked again for, empty if it was answered.
	retry string
}

// call is where a tool call is.
type call struct {
	message, part    int
	runs, hasStarted bool
	hasEnded         bool
}

type turn struct {
	prompt agent.Prompt
	// done is closed at the end; err is set then if the turn failed.
	done     chan struct{}
	err      error
	answered bool
}

func newRecord(provider string, options Options) Record {
	return Record{provider: provider, options: options, opened: make(chan struct{}), open: -1, parts: map[string]int{}, calls: map[string]*call{}}
}

func (r *Record) begin(prompt agent.Prompt) *turn {
	now := r.options.Now()
	r.turn = &turn{prompt: prompt, done: make(chan struct{})}
	r.asked, r.retry, r.open = now, "", -1
	r.messages = append(r.messages, agent.Message{Role: agent.User, Start: now, End: now, Parts: []agent.Part{{Type: agent.PartText, Text: prompt.Text}}})
	return r.turn
}

// Ready says that the conversation with that id can begin.
func (r *Record) Ready(id string) {
	if !r.isOpen() {
		r.id = id
		close(r.opened)
	}
}

// Refuse says why it cannot.
func (r *Record) Refuse(why error) {
	if !r.isOpen() {
		r.refused = why
		close(r.opened)
	}
}

func (r *Record) isOpen() bool {
	select {
	case <-r.opened:
		return true
	default:
		return false
	}
}

// notify tells whoever has prompted of an event. After the end of the turn
// nobody listens.
func (r *Record) notify(e agent.Event) {
	if r.turn != nil {
		r.turn.prompt.Notify(e)
	}
}

// heard notes output of the model.
func (r *Record) heard() {
	r.retry = ""
	if r.turn != nil && !r.turn.answered {
		r.turn.answered = true
		r.notify(agent.EventAnswer)
		return
	}
	r.notify(agent.EventProgress)
}

// Begin says that the model begins a message, unless it is at one.
func (r *Record) Begin() {
	if r.open >= 0 {
		return
	}
	r.open = len(r.messages)
	clear(r.parts)
	r.messages = append(r.messages, agent.Message{Role: agent.Assistant, Start: r.asked, Parts: []agent.Part{}})
}

// Say adds text to a part of the message that the model is at; the part is
// begun if there is none by that name. A text that is whole replaces what was
// said so far.
func (r *Record) Say(kind agent.PartType, name, text string, whole bool) {
	if text == "" {
		return
	}
	r.Begin()
	now, message := r.options.Now(), &r.messages[r.open]
	at, known := r.parts[name]
	if !known {
		at = len(message.Parts)
		r.parts[name] = at
		message.Parts = append(message.Parts, agent.Part{Type: kind, Start: now})
	}
	part := &message.Parts[at]
	if whole {
		part.Text = text
	} else {
		part.Text += text
	}
	part.End = now
	r.heard()
}

// Call says that the model calls a tool. Told again, it has the input, which
// may be no JSON.
func (r *Record) Call(id, name string, input []byte) {
	c := r.calls[id]
	if c == nil {
		r.Begin()
		message := &r.messages[r.open]
		c = &call{message: r.open, part: len(message.Parts)}
		r.calls[id] = c
		message.Parts = append(message.Parts, agent.Part{
			Type: agent.PartTool, Start: r.options.Now(), Tool: &agent.ToolCall{Name: name, Error: "the call did not end"},
		})
	}
	if len(input) > 0 {
		r.tool(c).Input = jsonOf(input)
	}
	r.heard()
}

func (r *Record) part(c *call) *agent.Part     { return &r.messages[c.message].Parts[c.part] }
func (r *Record) tool(c *call) *agent.ToolCall { return r.part(c).Tool }

// jsonOf returns the data, as a string if they are no JSON.
func jsonOf(data []byte) json.RawMessage {
	data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	if json.Valid(data) {
		return slices.Clone(data)
	}
	quoted, err := json.Marshal(string(data))
	if err != nil {
		return nil
	}
	return quoted
}

// Run says that a call runs.
func (r *Record) Run(id string) {
	c := r.calls[id]
	if c == nil || c.hasStarted {
		return
	}
	c.hasStarted, c.runs = true, true
	r.part(c).Start = r.options.Now()
	r.notify(agent.EventToolStart)
}

// HasRun reports whether a call was run.
func (r *Record) HasRun(id string) bool { return r.calls[id] != nil && r.calls[id].hasStarted }

// Return says what a call returned; problem is empty where it succeeded. The
// first time counts.
func (r *Record) Return(id, output, problem string) {
	c := r.calls[id]
	if c == nil || c.hasEnded {
		return
	}
	c.hasEnded = true
	now := r.options.Now()
	r.part(c).End = now
	r.tool(c).Output, r.tool(c).Error = output, problem
	r.asked = now
	if c.runs {
		c.runs = false
		r.notify(agent.EventToolEnd)
		return
	}
	r.notify(agent.EventProgress)
}

// Charge says what the message that the model is at has cost so far.
func (r *Record) Charge(tokens bench.Tokens) {
	if r.open < 0 {
		return
	}
	tokens.Total = tokens.Input + tokens.Output + tokens.Reasoning + tokens.CacheRead + tokens.CacheWrite
	r.messages[r.open].Tokens = tokens
}

// Cost adds dollars to the last message of the model.
func (r *Record) Cost(usd float64) {
	for i := len(r.messages) - 1; i >= 0; i-- {
		if r.messages[i].Role == agent.Assistant {
			r.messages[i].Cost += min(max(0, usd), maxCount)
			return
		}
	}
}

// Finish says that the message is whole.
func (r *Record) Finish() {
	if r.open < 0 {
		return
	}
	r.messages[r.open].End = r.options.Now()
	r.open = -1
	r.notify(agent.EventProgress)
}

// Lose says that the message that the model is at broke off, and that the
// program asks for another in its place.
func (r *Record) Lose(why string) {
	if r.open >= 0 {
		r.messages[r.open].Error = shorten(why)
		r.open = -1
	}
}

// Retry says that the model's provider is asked again.
func (r *Record) Retry(attempt int, why string) {
	r.retry = fmt.Sprintf("retry %d, because %s", attempt, shorten(why))
}

// End says that the turn has ended, in a failure if there is one.
func (r *Record) End(f *Failure) {
	t := r.turn
	if t == nil {
		return
	}
	if f != nil {
		t.err = f.err(r.options)
		r.breakOff(errors.New(f.Text))
	}
	r.turn, r.open = nil, -1
	close(t.done)
}

// breakOff says why a turn ends before its time. A turn that its model never
// answered has a message that says so.
func (r *Record) breakOff(why error) {
	if r.turn == nil {
		return
	}
	r.Begin()
	text := why.Error()
	if r.retry != "" {
		text += "; its model was at " + r.retry
	}
	r.messages[r.open].Error = shorten(text)
	r.turn, r.open = nil, -1
}

func (r *Record) transcript() agent.Transcript {
	t := agent.Transcript{
		SchemaVersion: agent.TranscriptSchemaVersion, Provider: r.provider, SessionID: r.id, Model: r.options.Model,
		Messages: make([]agent.Message, 0, len(r.messages)),
	}
	for _, m := range r.messages {
		m.Parts = slices.Clone(m.Parts)
		for i, p := range m.Parts {
			if p.Tool != nil {
				tool := *p.Tool
				m.Parts[i].Tool = &tool
			}
		}
		t.Messages = append(t.Messages, m)
	}
	return t
}

// maxCount is more tokens, and more dollars, than a message can come to.
const maxCount = 1e12

// Count returns a number of tokens that a program tells, within bounds.
func Count(n float64) int64 { return int64(min(max(0, n), maxCount)) }
