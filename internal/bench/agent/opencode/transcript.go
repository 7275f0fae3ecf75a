package opencode

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

// messages maps a conversation. Messages of no known role are left out.
func messages(wire []wireMessage) []agent.Message {
	mapped := make([]agent.Message, 0, len(wire))
	for _, w := range wire {
		switch w.Info.Role {
		case roleUser:
			m := w.message()
			m.Role, m.End = agent.User, m.Start
			mapped = append(mapped, m)
		case roleAssistant:
			m := w.message()
			m.Role, m.Tokens, m.Cost, m.Error = agent.Assistant, w.Info.Tokens.tokens(), cost(w.Info.Cost), w.Info.Error.text()
			mapped = append(mapped, m)
		}
	}
	return mapped
}

// inOrder sorts messages of several sessions by their beginning.
func inOrder(all []agent.Message) {
	slices.SortStableFunc(all, func(a, b agent.Message) int { return cmp.Compare(a.Start.UnixNano(), b.Start.UnixNano()) })
}

func (w wireMessage) message() agent.Message {
	m := agent.Message{Parts: []agent.Part{}}
	m.Start, m.End = interval(w.Info.Time.Created, w.Info.Time.Completed)
	for _, p := range w.Parts {
		if part, ok := p.part(); ok {
			m.Parts = append(m.Parts, part)
		}
	}
	return m
}

// part maps a part. ok is false for what is no part of a transcript: where
// steps begin and end, snapshots, attachments, and texts that say nothing.
func (p wirePart) part() (part agent.Part, ok bool) {
	switch p.Type {
	case partText, partReasoning:
		part.Type, part.Text = agent.PartType(p.Type), p.Text
		part.Start, part.End = interval(p.Time.Start, p.Time.End)
		return part, p.Text != ""
	case partTool:
		part.Type, part.Tool = agent.PartTool, p.toolCall()
		part.Start, part.End = interval(p.State.Time.Start, p.State.Time.End)
		return part, true
	default:
		return agent.Part{}, false
	}
}

// invalidTool is the tool by whose name OpenCode runs calls of tools that
// there are not, and calls whose arguments are none.
const invalidTool = "invalid"

// toolCall maps a tool call. A shell command that ends in another status than
// 0 has failed, and so has a call that did not end.
func (p wirePart) toolCall() *agent.ToolCall {
	call := &agent.ToolCall{
		Name: cmp.Or(p.Tool, "unknown"), Input: bytes.ToValidUTF8(p.State.Input, []byte("\uFFFD")), Output: p.State.Output,
	}
	switch p.State.Status {
	case toolCompleted:
		if exit := p.State.Metadata.Exit; exit != nil && *exit != 0 {
			call.Error = fmt.Sprintf("exit status %d", *exit)
		}
	case toolError:
		call.Error = cmp.Or(p.State.Error, "the call failed")
	default:
		call.Error = "the call did not end"
	}
	if p.Tool == invalidTool {
		blame(call)
	}
	return call
}

// blame gives a call of OpenCode's invalid tool the name of the tool that the
// model has called, and the error.
func blame(call *agent.ToolCall) {
	var meant struct {
		Tool  string `json:"tool"`
		Error string `json:"error"`
	}
	if json.Unmarshal(call.Input, &meant) != nil || meant.Tool == "" {
		return
	}
	call.Name, call.Error = meant.Tool, cmp.Or(call.Error, meant.Error, "the call is invalid")
}

// tokens maps tokens. The total is the sum, as it is for every provider.
func (t wireTokens) tokens() bench.Tokens {
	mapped := bench.Tokens{
		Input: count(t.Input), Output: count(t.Output), Reasoning: count(t.Reasoning),
		CacheRead: count(t.Cache.Read), CacheWrite: count(t.Cache.Write),
	}
	mapped.Total = mapped.Input + mapped.Output + mapped.Reasoning + mapped.CacheRead + mapped.CacheWrite
	return mapped
}

// maxCount is more tokens, and more dollars, than a message can come to.
const maxCount = 1e12

func count(n float64) int64 { return int64(min(max(0, n), maxCount)) }

func cost(usd float64) float64 { return min(max(0, usd), maxCount) }

// interval maps milliseconds since 1970. What is no time is zero, and so is an
// end that lies before its start.
func interval(from, to float64) (start, end time.Time) {
	start, end = moment(from), moment(to)
	if end.Before(start) {
		end = time.Time{}
	}
	return start, end
}

// maxMoment is the end of the last year that has four digits, which is as far
// as JSON's times go.
const maxMoment = 253402300799999

func moment(ms float64) time.Time {
	if ms < 1 || ms > maxMoment {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}

// maxErrorText is how much of an error's text is kept, in bytes.
const maxErrorText = 1000

// text says why a message broke off, empty if it did not.
func (e *wireError) text() string {
	if e == nil {
		return ""
	}
	text := cmp.Or(e.Data.Message, e.Name, "unknown error")
	if e.Data.StatusCode != 0 {
		text = fmt.Sprintf("%s (%d)", text, e.Data.StatusCode)
	}
	return shorten(text)
}

func shorten(text string) string {
	if len(text) <= maxErrorText {
		return text
	}
	return strings.ToValidUTF8(text[:maxErrorText], "") + "…"
}
