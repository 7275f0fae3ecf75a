package codex

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/talk"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// dialect is a conversation, in the protocol of `codex app-server`, which is
// JSON-RPC without its version. It implements [talk.Dialect].
type dialect struct {
	model, instructions, folder string
	servers                     map[string]server
	// starting are the MCP servers that are not there yet.
	starting []string
	// thread is the id of the conversation, empty before it is open.
	thread string
	// retries counts how often the model was asked again in the turn.
	retries int
}

// The requests that are sent, by their ids.
const (
	requestInitialize = iota + 1
	requestThread
	requestTurn
)

type object = map[string]any

func request(id int, method string, params object) any {
	return object{"id": id, "method": method, "params": params}
}

// Greet introduces us. What each answer of the model's has is told to those
// alone who ask for what is experimental.
func (d *dialect) Greet() []any {
	return []any{request(requestInitialize, "initialize", object{
		"clientInfo": object{"name": "bench", "title": "bench", "version": "1"}, "capabilities": object{"experimentalApi": true},
	})}
}

// Ask begins a turn.
func (d *dialect) Ask(prompt string) []any {
	d.retries = 0
	return []any{request(requestTurn, "turn/start", object{"threadId": d.thread, "input": []object{{"type": "text", "text": prompt}}})}
}

// line is a message of Codex', as far as it is read.
type line struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params params          `json:"params"`
	Result struct {
		Thread struct {
			ID string `json:"id"`
		} `json:"thread"`
	} `json:"result"`
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// params are those of all notifications together.
type params struct {
	Thread string  `json:"threadId"`
	Item   item    `json:"item"`
	ItemID string  `json:"itemId"`
	Delta  string  `json:"delta"`
	Usage  *usage  `json:"usage"`
	Turn   *turn   `json:"turn"`
	Error  problem `json:"error"`
	Retry  bool    `json:"willRetry"`
	// Of mcpServer/startupStatus/updated.
	Name   string `json:"name"`
	Status string `json:"status"`
}

// item is a part of a turn, or of the model's answer as its API tells it.
type item struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	// Of agentMessage.
	Text string `json:"text"`
	// Of reasoning, texts in one form and objects in the other.
	Summary texts `json:"summary"`
	// Of commandExecution.
	Output   string `json:"aggregatedOutput"`
	ExitCode *int   `json:"exitCode"`
	// Of mcpToolCall.
	Result *struct {
		Content texts `json:"content"`
	} `json:"result"`
	Error  *problem `json:"error"`
	Status string   `json:"status"`
	// Of function_call and its output.
	Call      string `json:"call_id"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Arguments are text that is to be JSON; those of mcpToolCall are JSON.
	Arguments json.RawMessage `json:"arguments"`
	Input     string          `json:"input"`
	Returned  texts           `json:"output"`
}

// input returns the arguments of a call.
func (i item) input() []byte {
	var text string
	if json.Unmarshal(i.Arguments, &text) != nil {
		return i.Arguments
	}
	return []byte(cmp.Or(text, i.Input))
}

// texts is a list of texts, or of objects with one, or a single text.
type texts []string

// UnmarshalJSON never fails: what has no text is none.
func (t *texts) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = texts{one}
		return nil
	}
	var parts []json.RawMessage
	//nolint:nilerr // what is no list has no texts
	if json.Unmarshal(data, &parts) != nil {
		return nil
	}
	for _, p := range parts {
		var with struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(p, &one) == nil {
			*t = append(*t, one)
		} else if json.Unmarshal(p, &with) == nil {
			*t = append(*t, with.Text)
		}
	}
	return nil
}

func (t texts) String() string { return strings.Join(t, "\n") }

type turn struct {
	Status string   `json:"status"`
	Error  *problem `json:"error"`
}

// problem is an error, which may be a plain text.
type problem struct {
	Message string          `json:"message"`
	Details string          `json:"additionalDetails"`
	Info    json.RawMessage `json:"codexErrorInfo"`
}

// UnmarshalJSON reads a text too.
func (p *problem) UnmarshalJSON(data []byte) error {
	type plain problem
	if json.Unmarshal(data, &p.Message) == nil {
		return nil
	}
	return json.Unmarshal(data, (*plain)(p))
}

// words are what Codex calls failures of which it tells no HTTP status.
var words = map[string]int{"unauthorized": 401, "modelNotFound": 404, "usageLimitExceeded": 402}

// failure returns what went wrong.
func (p problem) failure() *talk.Failure {
	f := &talk.Failure{Text: cmp.Or(p.Details, p.Message, "it gave no reason")}
	var word string
	var kinds map[string]struct {
		Status int `json:"httpStatusCode"`
	}
	if json.Unmarshal(p.Info, &word) == nil {
		f.Status = words[word]
	} else if json.Unmarshal(p.Info, &kinds) == nil {
		for _, kind := range kinds {
			f.Status = kind.Status
		}
	}
	f.Status = cmp.Or(f.Status, talk.StatusIn(f.Text))
	return f
}

// usage has what was read from the cache in Input, and what the model thought in
// Output.
type usage struct {
	Input     float64 `json:"inputTokens"`
	Cached    float64 `json:"cachedInputTokens"`
	Written   float64 `json:"cacheWriteInputTokens"`
	Output    float64 `json:"outputTokens"`
	Reasoning float64 `json:"reasoningOutputTokens"`
}

func (u usage) tokens() bench.Tokens {
	return bench.Tokens{
		Input: talk.Count(u.Input - u.Cached - u.Written), CacheRead: talk.Count(u.Cached), CacheWrite: talk.Count(u.Written),
		Output: talk.Count(u.Output - u.Reasoning), Reasoning: talk.Count(u.Reasoning),
	}
}

// Take reads a line; one that is none of what Codex is known to say is passed
// over.
func (d *dialect) Take(data []byte, r *talk.Record) []any {
	var l line
	if json.Unmarshal(data, &l) != nil {
		return nil
	}
	switch {
	case l.Method == "" && l.ID != nil:
		return d.answered(l, r)
	case l.ID != nil:
		// It would ask a person, and there is none.
		return []any{object{"id": l.ID, "error": object{"code": -32601, "message": "there is nobody to ask"}}}
	case l.Params.Thread == "" || d.thread == "" || l.Params.Thread == d.thread:
		d.heard(l, r)
	}
	return nil
}

// answered takes the answer to a request.
func (d *dialect) answered(l line, r *talk.Record) []any {
	switch string(l.ID) {
	case fmt.Sprint(requestInitialize):
		if l.Error == nil {
			return []any{object{"method": "initialized"}, request(requestThread, "thread/start", object{
				"model": d.model, "cwd": d.folder, "approvalPolicy": "never", "sandbox": "danger-full-access", "developerInstructions": d.instructions,
				"ephemeral": true, "experimentalRawEvents": true, "config": object{"mcp_servers": d.servers},
			})}
		}
	case fmt.Sprint(requestThread):
		d.thread = l.Result.Thread.ID
		d.ready(r)
	case fmt.Sprint(requestTurn):
		if l.Error != nil {
			r.End(&talk.Failure{Text: l.Error.Message})
			return nil
		}
	}
	if l.Error != nil {
		r.Refuse(fault.Infraf("Codex refuses a request: %s", l.Error.Message))
	}
	return nil
}

// ready opens the conversation once it has an id and all of its servers.
func (d *dialect) ready(r *talk.Record) {
	if d.thread != "" && len(d.starting) == 0 {
		r.Ready(d.thread)
	}
}

func (d *dialect) heard(l line, r *talk.Record) {
	p := l.Params
	switch l.Method {
	case "mcpServer/startupStatus/updated":
		d.server(p, r)
	case "item/started":
		d.started(p.Item, r)
	case "item/completed":
		d.completed(p.Item, r)
	case "item/agentMessage/delta":
		r.Say(agent.PartText, p.ItemID, p.Delta, false)
	case "item/reasoning/summaryTextDelta", "item/reasoning/textDelta":
		r.Say(agent.PartReasoning, p.ItemID, p.Delta, false)
	case "rawResponseItem/completed":
		d.raw(p.Item, r)
	case "rawResponse/completed":
		if p.Usage != nil {
			r.Begin()
			r.Charge(p.Usage.tokens())
		}
		r.Finish()
	case "error":
		d.failed(p, r)
	case "turn/completed":
		d.ended(p.Turn, r)
	}
}

func (d *dialect) server(p params, r *talk.Record) {
	switch p.Status {
	case "ready":
		d.starting = slices.DeleteFunc(d.starting, func(name string) bool { return name == p.Name })
		d.ready(r)
	case "failed", "cancelled":
		r.Refuse(fault.Infraf("MCP server %q is not connected: its status is %q %s: %w", p.Name, p.Status, p.Error.Message, agent.ErrTool))
	}
}

// The kinds of items that are calls of tools, by what the model calls them.
const (
	commandItem = "commandExecution"
	mcpItem     = "mcpToolCall"
)

func (d *dialect) started(i item, r *talk.Record) {
	if i.Type == commandItem || i.Type == mcpItem {
		r.Run(i.ID)
	}
}

func (d *dialect) completed(i item, r *talk.Record) {
	switch i.Type {
	case "agentMessage":
		r.Say(agent.PartText, i.ID, i.Text, true)
	case "reasoning":
		r.Say(agent.PartReasoning, i.ID, i.Summary.String(), true)
	case commandItem:
		problem := ""
		if i.ExitCode != nil && *i.ExitCode != 0 {
			problem = fmt.Sprintf("exit status %d", *i.ExitCode)
		} else if i.ExitCode == nil && i.Status == "failed" {
			problem = "the command did not run"
		}
		r.Return(i.ID, i.Output, problem)
	case mcpItem:
		output, problem := "", ""
		if i.Result != nil {
			output = i.Result.Content.String()
		}
		if i.Error != nil || i.Status == "failed" {
			problem = "the call failed"
			if i.Error != nil {
				problem = cmp.Or(i.Error.Message, problem)
			} else if output != "" {
				problem, _, _ = strings.Cut(output, "\n")
			}
		}
		r.Return(i.ID, output, problem)
	}
}

// raw takes a part of the model's answer, or what a tool has returned, as the
// model's API has it: of calls that run nothing there is nothing else.
func (d *dialect) raw(i item, r *talk.Record) {
	switch i.Type {
	case "function_call", "custom_tool_call":
		r.Call(i.Call, toolName(i), i.input())
	case "function_call_output", "custom_tool_call_output":
		output, problem := i.Returned.String(), ""
		for _, sign := range []string{"unsupported call", "failed to parse function arguments", "exec_command failed"} {
			if strings.HasPrefix(output, sign) {
				problem, _, _ = strings.Cut(output, "\n")
			}
		}
		if r.HasRun(i.Call) && problem == "" {
			return // a command that still runs, or that has told its end
		}
		r.Return(i.Call, output, problem)
	}
}

// shell is the tool with which commands are run.
const shell = "exec_command"

// toolName names a tool as other agents do: the shell is bash, and a tool of an
// MCP server has that server's name before its own.
func toolName(i item) string {
	if i.Name == shell {
		return "bash"
	}
	if of, found := strings.CutPrefix(i.Namespace, "mcp__"); found {
		return of + "_" + i.Name
	}
	return cmp.Or(i.Name, "unknown")
}

func (d *dialect) failed(p params, r *talk.Record) {
	f := p.Error.failure()
	switch {
	case talk.Final(f.Status):
		r.End(f)
	case p.Retry:
		d.retries++
		r.Lose(f.Text)
		r.Retry(d.retries, f.Text)
	}
	// The turn's end tells of what is not tried again.
}

func (d *dialect) ended(t *turn, r *talk.Record) {
	switch {
	case t == nil || t.Status == "completed":
		r.End(nil)
	case t.Error != nil:
		r.End(t.Error.failure())
	default:
		r.End(&talk.Failure{Text: "the turn ended as " + t.Status})
	}
}
