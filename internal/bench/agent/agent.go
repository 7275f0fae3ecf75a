// Package agent says what a runner needs of an agent, and measures what an
// agent did from its transcript.
//
// A [Provider] starts a [Session] for every attempt. A session takes prompts
// and gives a [Transcript], which is the same for every provider, so that
// [Measure] measures all of them alike. Programs of agents run in a [Place], in
// folders that are emptied before each session. Package realtool has the tests that
// every provider passes.
package agent

import (
	"context"
	"errors"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Provider is a kind of agent: OpenCode, or a scripted one.
//
// A provider is safe for concurrent use; a session is not.
type Provider interface {
	// Describe tells what the provider runs. It is valid before Start.
	Describe() Info
	// Start begins a session, in a work folder that it has emptied: what a task is
	// about may be laid there before the first prompt. An error that is [ErrStopSuite] means that no
	// other session can succeed either.
	Start(ctx context.Context, setup Setup) (Session, error)
	// Close ends every process that the provider started. It may be called
	// more than once.
	Close() error
}

// Session is one attempt's conversation.
type Session interface {
	// Prompt sends a prompt and waits for the end of the agent's turn. When
	// ctx ends, the agent is stopped and the error wraps context.Cause(ctx).
	// Prompting again continues the conversation.
	Prompt(ctx context.Context, prompt Prompt) (Turn, error)
	// Transcript returns everything so far, also after a failed prompt.
	Transcript(ctx context.Context) (Transcript, error)
	// Close ends the session and what the agent left running. It may be
	// called more than once.
	Close() error
}

// ErrStopSuite marks errors after which the whole suite is to stop, because
// no attempt can succeed: a refused key, a model that does not exist.
var ErrStopSuite = errors.New("the suite cannot go on")

// ErrTool marks errors that are the measured tool's: it does not start, or does
// not speak its protocol.
var ErrTool = errors.New("the measured tool does not work")

// Info describes what a provider runs.
type Info struct {
	// Name is the provider's name on the command line.
	Name  string
	Model bench.ModelRef
	// Version is that of the agent's program.
	Version string
	// Simulated is true where no model is involved (rule G15).
	Simulated bool
	// Metered is true where the program does not tell what it used: its turns and
	// tokens are those counted on the way to its model (rule N12).
	Metered bool
	// Price is what the provider says that the model costs, nil if it does
	// not say.
	Price *bench.Price
}

// Setup is what a session starts with.
type Setup struct {
	Mode bench.Mode
	// Worker counts from 0. Sessions of one worker never overlap, so a
	// provider may keep one process per mode and worker.
	Worker int
	// Env is the agent's whole environment, as NAME=value.
	Env []string
	// Instructions tell the agent how to work in its mode.
	Instructions string
	// Shell is true if the agent may run commands.
	Shell bool
	// Commands are the programs that its mode has beside those of the system.
	Commands []string
	// MCP are the MCP servers that the agent works with, by name; nil for
	// none.
	MCP map[string]MCPServer
}

// MCPServer is an MCP server. It has a command or a URL.
type MCPServer struct {
	// Command starts a server that is spoken to on its standard input and
	// output; Env is added to the environment of its session.
	Command []string
	Env     map[string]string
	// URL is that of a server that runs already and is spoken to by HTTP,
	// with these Headers.
	URL     string
	Headers map[string]string
}

// Prompt is one message to the agent.
type Prompt struct {
	Text string
	// Play is for providers that play plans; an agent with a model is given
	// Text alone.
	Play Play
	// OnEvent is called, one call at a time, whenever something is heard of
	// the agent. It may be nil and must not block.
	OnEvent func(Event)
}

// Play says which attempt a prompt belongs to.
type Play struct {
	ScenarioID string
	// Input is the scenario's input with its bindings.
	Input map[string]any
	// Iteration and Attempt count from 1; a warm-up has iteration 0.
	Iteration, Attempt int
}

// Notify calls OnEvent if there is one.
func (p Prompt) Notify(event Event) {
	if p.OnEvent != nil {
		p.OnEvent(event)
	}
}

// Event is a sign of life of an agent, for the clocks of rule N6.
type Event int

// The events.
const (
	// EventProgress is any sign of life that is none of the others.
	EventProgress Event = iota
	// EventAnswer is the first output of the agent's model in a turn: text,
	// reasoning or a tool call.
	EventAnswer
	// EventToolStart and EventToolEnd surround a tool that runs; while one
	// does, the session is not stalled.
	EventToolStart
	EventToolEnd
)

// Turn is what an agent's turn ended in.
type Turn struct {
	// Text is the agent's last message of the turn, empty if it said nothing.
	Text string
}
