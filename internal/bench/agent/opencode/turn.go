package opencode

import (
	"errors"
	"fmt"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

// maxAimless is how many answers in a row may ask to go on without calling a
// tool. OpenCode asks the model again after each, for ever; answers that broke
// off are such answers.
const maxAimless = 3

// turn follows the events of a session from a prompt to the end of the agent's
// turn.
type turn struct {
	model bench.ModelRef
	// keyFrom is [Options.ModelKeyFrom].
	keyFrom string
	prompt  agent.Prompt
	// done is closed at the end; err is set then if the turn failed.
	done chan struct{}
	err  error

	// stuck is true if the session works on after the end.
	stuck bool

	// begun is true once the session has the prompt, busy once it works on it.
	begun, busy bool
	// quiet is true once nobody listens any more.
	quiet    bool
	answered bool
	// tools has the tool calls of the turn; true are those that run.
	tools map[string]bool
	// failed is the last error of the session, if it did not recover.
	failed *wireError
	// aimless has the last answers that asked to go on for no reason.
	aimless map[string]bool
	// retry says what the model's provider is asked again for, empty if the
	// last request was answered.
	retry string
}

func newTurn(model bench.ModelRef, keyFrom string, prompt agent.Prompt) *turn {
	return &turn{model: model, keyFrom: keyFrom, prompt: prompt, done: make(chan struct{}), tools: map[string]bool{}, aimless: map[string]bool{}}
}

func (t *turn) notify(e agent.Event) {
	if !t.quiet {
		t.prompt.Notify(e)
	}
}

func (t *turn) ended() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// end ends the turn; the first time counts.
func (t *turn) end(err error) {
	if !t.ended() {
		t.err = err
		close(t.done)
	}
}

// apply takes an event of the session, which the record has taken already.
//
// Signs of life are what the model says and what tools do. That a session is
// busy is none, nor that it changes: a session that asks a failing provider
// again and again tells of both.
func (t *turn) apply(e event, r *record) {
	if t.ended() {
		return
	}
	switch e.Type {
	case eventMessageUpdated:
		t.message(e.Properties.Info, r)
	case eventPartUpdated:
		t.part(e.Properties.Part, r)
	case eventPartDelta:
		t.output(e.Properties.MessageID, r)
	case eventSessionStatus:
		t.status(e.Properties.Status)
	case eventSessionIdle:
		t.idle()
	case eventSessionError:
		t.fail(e.Properties.Error)
	case eventSessionDeleted:
		t.stuck = true
		t.end(errors.New("the agent has removed its session"))
	case eventPermissionAsked, eventQuestionAsked:
		t.stuck = true
		t.end(errors.New("the agent asked a person, and there is none"))
	}
}

func (t *turn) message(info wireInfo, r *record) {
	t.begun = t.begun || info.Role == roleUser
	t.notify(agent.EventProgress)
	if info.Role != roleAssistant || info.Finish == "" {
		return
	}
	if info.Error == nil {
		t.failed = nil
	}
	goesOn := info.Finish == "tool-calls" || info.Finish == "unknown"
	if !goesOn || r.message(info.ID).has(partTool) {
		clear(t.aimless)
		return
	}
	t.aimless[info.ID] = true
	if len(t.aimless) >= maxAimless {
		t.stuck = true
		t.end(fmt.Errorf("%d answers of the model in a row broke off", maxAimless))
	}
}

// output notes that a message has gained something. It reports whether that
// was output of the model.
func (t *turn) output(messageID string, r *record) bool {
	isOutput := r.message(messageID).info.Role == roleAssistant
	if isOutput && !t.answered {
		t.answered = true
		t.notify(agent.EventAnswer)
	} else {
		t.notify(agent.EventProgress)
	}
	if isOutput {
		t.retry = ""
	}
	return isOutput
}

func (t *turn) part(p wirePart, r *record) {
	switch p.Type {
	case partText, partReasoning:
		t.output(p.MessageID, r)
	case partTool:
		if t.output(p.MessageID, r) {
			t.tool(p)
		}
	default:
		t.notify(agent.EventProgress)
	}
}

// tool tells where a tool call begins to run and where it ends.
func (t *turn) tool(p wirePart) {
	runs, known := t.tools[p.ID]
	switch p.State.Status {
	case toolRunning, toolCompleted, toolError:
		if !known {
			t.tools[p.ID], runs = true, true
			t.notify(agent.EventToolStart)
		}
		if runs && p.State.Status != toolRunning {
			t.tools[p.ID] = false
			t.notify(agent.EventToolEnd)
		}
	}
}

func (t *turn) status(s wireStatus) {
	switch s.Type {
	case statusBusy:
		t.busy = t.begun
	case statusRetry:
		t.retry = fmt.Sprintf("retry %d, because %s", s.Attempt, shorten(s.Message))
	case statusIdle:
		t.idle()
	}
}

// idle ends the turn. Before the session works on the prompt, it is idle from
// the turn before.
func (t *turn) idle() {
	switch {
	case !t.busy:
	case t.failed != nil:
		t.end(failure(t.model, t.keyFrom, t.failed))
	default:
		t.end(nil)
	}
}

// fail takes an error of the session. It ends the turn where the session does
// not work on it; otherwise the session may recover, and is idle if it cannot.
func (t *turn) fail(e *wireError) {
	if e == nil {
		e = &wireError{}
	}
	t.failed = e
	if !t.busy {
		t.end(failure(t.model, t.keyFrom, e))
	}
}
