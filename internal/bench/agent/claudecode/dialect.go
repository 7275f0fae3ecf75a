package claudecode

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/talk"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// dialect is a conversation. It implements [talk.Dialect].
type dialect struct {
	session string
	// servers are the MCP servers that must be there.
	servers []string
	// message is the id of the one that the model is at, or was at last.
	message string
	blocks  map[int]*block
	// usage is that of the message so far.
	usage usage
	// priced is true if Claude Code knows what the model costs: of others it
	// makes something up. cost is what the conversation has cost so far.
	priced bool
	cost   float64
}

// block is a part of a message that is being said.
type block struct {
	kind, id, name string
	input          strings.Builder
}

// line is a message of Claude Code's, as far as it is read.
type line struct {
	Type    string  `json:"type"`
	Subtype string  `json:"subtype"`
	Parent  *string `json:"parent_tool_use_id"`
	// Of control_response.
	Response struct {
		ID       string `json:"request_id"`
		Subtype  string `json:"subtype"`
		Error    string `json:"error"`
		Response struct {
			Servers []serverStatus `json:"mcpServers"`
		} `json:"response"`
	} `json:"response"`
	// Of stream_event.
	Event event `json:"event"`
	// Of assistant and user.
	Message message `json:"message"`
	// Of system/api_retry.
	Attempt     int    `json:"attempt"`
	ErrorStatus int    `json:"error_status"`
	Error       string `json:"error"`
	// Of result.
	IsError   bool    `json:"is_error"`
	APIStatus int     `json:"api_error_status"`
	Result    string  `json:"result"`
	Cost      float64 `json:"total_cost_usd"`
}

type serverStatus struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Error  string `json:"error"`
}

// event is one of the model's API, see
// https://docs.anthropic.com/en/api/messages-streaming.
type event struct {
	Type    string  `json:"type"`
	Index   int     `json:"index"`
	Message message `json:"message"`
	Block   content `json:"content_block"`
	Delta   struct {
		Text     string `json:"text"`
		Thinking string `json:"thinking"`
		JSON     string `json:"partial_json"`
	} `json:"delta"`
	Usage usage `json:"usage"`
}

type message struct {
	ID      string   `json:"id"`
	Model   string   `json:"model"`
	Content contents `json:"content"`
	Usage   usage    `json:"usage"`
}

// contents are the parts of a message; a plain text is one.
type contents []content

// UnmarshalJSON reads a list, or a text.
func (c *contents) UnmarshalJSON(data []byte) error {
	var said string
	if json.Unmarshal(data, &said) == nil {
		*c = contents{{Type: "text", Text: said}}
		return nil
	}
	return json.Unmarshal(data, (*[]content)(c))
}

type content struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
	// Of tool_result.
	Call    string   `json:"tool_use_id"`
	Content contents `json:"content"`
	IsError bool     `json:"is_error"`
}

type usage struct {
	Input   float64 `json:"input_tokens"`
	Written float64 `json:"cache_creation_input_tokens"`
	Read    float64 `json:"cache_read_input_tokens"`
	Output  float64 `json:"output_tokens"`
}

// more returns the larger of each figure: they grow while a message is said, and
// a later event may tell only some of them.
func (u usage) more(v usage) usage {
	return usage{max(u.Input, v.Input), max(u.Written, v.Written), max(u.Read, v.Read), max(u.Output, v.Output)}
}

func (u usage) tokens() bench.Tokens {
	return bench.Tokens{Input: talk.Count(u.Input), Output: talk.Count(u.Output), CacheRead: talk.Count(u.Read), CacheWrite: talk.Count(u.Written)}
}

// The requests that are sent besides prompts, by their ids.
const (
	initialize = "initialize"
	mcpStatus  = "mcp_status"
)

// mcpPause is the time between two questions after MCP servers that start.
const mcpPause = 20 * time.Millisecond

func request(subtype string) any {
	return map[string]any{"type": "control_request", "request_id": subtype, "request": map[string]string{"subtype": subtype}}
}

// Greet asks for an answer, so that Claude Code is known to have started.
func (d *dialect) Greet() []any { return []any{request(initialize)} }

// Ask sends a prompt.
func (d *dialect) Ask(prompt string) []any {
	return []any{map[string]any{"type": "user", "message": map[string]string{"role": "user", "content": prompt}}}
}

// Take reads a line; one that is none of what Claude Code is known to say is
// passed over.
func (d *dialect) Take(data []byte, r *talk.Record) []any {
	var l line
	if json.Unmarshal(data, &l) != nil {
		return nil
	}
	switch l.Type {
	case "control_response":
		return d.answered(l, r)
	case "control_request":
		// It would ask a person, and there is none.
		return []any{map[string]any{"type": "control_response", "response": map[string]string{
			"subtype": "error", "request_id": requestID(data), "error": "there is nobody to ask",
		}}}
	case "system":
		d.system(l, r)
	case "stream_event":
		if l.Parent == nil {
			d.stream(l.Event, r)
		}
	case "assistant":
		if l.Parent == nil {
			d.said(l.Message, r)
		}
	case "user":
		if l.Parent == nil {
			returned(l.Message, r)
		}
	case "result":
		d.result(l, r)
	}
	return nil
}

func requestID(data []byte) string {
	var l struct {
		ID string `json:"request_id"`
	}
	if json.Unmarshal(data, &l) != nil {
		return ""
	}
	return l.ID
}

// answered takes the answer to a request. MCP servers are asked after until
// none is still starting.
func (d *dialect) answered(l line, r *talk.Record) []any {
	switch {
	case l.Response.Subtype != "success":
		r.Refuse(fault.Infraf("Claude Code refuses a request: %s", l.Response.Error))
	case l.Response.ID == initialize && len(d.servers) == 0:
		r.Ready(d.session)
	case l.Response.ID == initialize:
		return []any{request(mcpStatus)}
	default:
		return d.connected(l.Response.Response.Servers, r)
	}
	return nil
}

func (d *dialect) connected(servers []serverStatus, r *talk.Record) []any {
	for _, name := range d.servers {
		at := slices.IndexFunc(servers, func(s serverStatus) bool { return s.Name == name })
		switch {
		case at >= 0 && servers[at].Status == "connected":
		case at >= 0 && servers[at].Status == "pending":
			return []any{talk.Later{After: mcpPause, Message: request(mcpStatus)}}
		default:
			status := serverStatus{Status: "unknown"}
			if at >= 0 {
				status = servers[at]
			}
			r.Refuse(fault.Infraf("MCP server %q is not connected: its status is %q %s: %w", name, status.Status, status.Error, agent.ErrTool))
			return nil
		}
	}
	r.Ready(d.session)
	return nil
}

func (d *dialect) system(l line, r *talk.Record) {
	if l.Subtype != "api_retry" {
		return
	}
	if talk.Final(l.ErrorStatus) {
		r.End(&talk.Failure{Status: l.ErrorStatus, Text: l.Error})
		return
	}
	r.Lose(l.Error)
	r.Retry(l.Attempt, cmp.Or(l.Error, "it failed"))
}

func (d *dialect) stream(e event, r *talk.Record) {
	b := d.blocks[e.Index]
	switch e.Type {
	case "message_start":
		r.Lose("the answer broke off")
		r.Begin()
		clear(d.blocks)
		d.message, d.usage = e.Message.ID, e.Message.Usage
		r.Charge(d.usage.tokens())
	case "content_block_start":
		b = &block{kind: e.Block.Type, id: e.Block.ID, name: e.Block.Name}
		d.blocks[e.Index] = b
		if b.kind == "tool_use" {
			r.Call(b.id, toolName(b.name), nil)
		}
	case "content_block_delta":
		if b == nil {
			return
		}
		r.Say(agent.PartText, blockName(e.Index), e.Delta.Text, false)
		r.Say(agent.PartReasoning, blockName(e.Index), e.Delta.Thinking, false)
		b.input.WriteString(e.Delta.JSON)
	case "content_block_stop":
		if b != nil && b.kind == "tool_use" {
			r.Call(b.id, toolName(b.name), []byte(b.input.String()))
		}
	case "message_delta":
		d.usage = d.usage.more(e.Usage)
		r.Charge(d.usage.tokens())
	case "message_stop":
		r.Finish()
	}
}

func blockName(index int) string { return "block " + string(rune('0'+index)) }

// synthetic is the model of messages that Claude Code itself has made up.
const synthetic = "<synthetic>"

// said takes a part of a message that is whole: a tool that it calls runs now.
// A message that was not streamed is taken as it is.
func (d *dialect) said(m message, r *talk.Record) {
	if m.Model == synthetic {
		return // the result tells it too
	}
	if m.ID != d.message {
		d.message, d.usage = m.ID, m.Usage
		r.Lose("the answer broke off")
		r.Begin()
		for i, c := range m.Content {
			r.Say(agent.PartText, blockName(i), c.Text, true)
			r.Say(agent.PartReasoning, blockName(i), c.Thinking, true)
			if c.Type == "tool_use" {
				r.Call(c.ID, toolName(c.Name), c.Input)
			}
		}
		r.Charge(d.usage.tokens())
		r.Finish()
	}
	for _, c := range m.Content {
		if c.Type == "tool_use" {
			r.Run(c.ID)
		}
	}
}

// toolName names a tool as other agents do: the shell is bash, and a tool of an
// MCP server has that server's name before its own.
func toolName(name string) string {
	if name == shell {
		return "bash"
	}
	if of, found := strings.CutPrefix(name, "mcp__"); found {
		return strings.Replace(of, "__", "_", 1)
	}
	return cmp.Or(name, "unknown")
}

func returned(m message, r *talk.Record) {
	for _, c := range m.Content {
		if c.Type != "tool_result" {
			continue
		}
		var texts []string
		for _, part := range c.Content {
			texts = append(texts, part.Text)
		}
		output, problem := strings.Join(texts, "\n"), ""
		if c.IsError {
			first, _, _ := strings.Cut(output, "\n")
			problem = strings.Replace(cmp.Or(first, "the call failed"), "Exit code ", "exit status ", 1)
		}
		r.Return(c.Call, output, problem)
	}
}

func (d *dialect) result(l line, r *talk.Record) {
	if d.priced {
		r.Cost(l.Cost - d.cost)
	}
	d.cost = l.Cost
	if !l.IsError && l.Subtype == "success" {
		r.End(nil)
		return
	}
	text := cmp.Or(l.Result, "the turn ended in "+l.Subtype)
	r.End(&talk.Failure{Status: cmp.Or(l.APIStatus, talk.StatusIn(text)), Text: text})
}
