package scripted

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/jq"
)

// performance is one prompt's playing of a plan.
type performance struct {
	session *session
	prompt  agent.Prompt
	plan    *plan
	script  *play
	scope   scope
	wrong   misbehaviour
	client  client
	// heard is true once the agent has been heard of.
	heard bool
	// detour is what looking for a wrong object sent and received. It is
	// counted with the first use of a tool.
	detour traffic
}

// play plays all turns and returns the answer.
func (p *performance) play(ctx context.Context) (string, error) {
	if p.wrong[NoFirstAnswer] {
		return "", hang(ctx)
	}
	if p.wrong[WrongObject] {
		if err := p.mislead(ctx); err != nil {
			return "", err
		}
	}
	for i := range p.script.Turns {
		err := p.repeat(ctx, &p.script.Turns[i])
		var refused *failure
		if errors.As(err, &refused) {
			return jq.Show(refused.envelope(p.toldRoute()))
		}
		if err != nil {
			return "", err
		}
	}
	if p.wrong[NoFinalAnswer] {
		return "", p.dither(ctx)
	}
	answer, err := p.script.Answer.value(ctx, p.scope.with(fieldRoute, p.toldRoute()))
	if err != nil {
		return "", err
	}
	return jq.Show(answer)
}

// toldRoute returns the route that the answer tells, null if it tells none.
func (p *performance) toldRoute() any {
	switch {
	case !p.wrong[WrongRoute]:
		return p.scope[fieldRoute]
	case p.script.Route == routeGraphQL:
		return routeCLI
	case p.script.Route == routeCLI:
		return routeGraphQL
	default:
		return nil
	}
}

var (
	errNoWayToWrongObject = errors.New("its plan does not say how to find a wrong object: add wrong_object, or name other scenarios in the fault")
	errNoWrongObject      = errors.New("there is no other object to act on in its place")
)

// mislead puts another object of the same kind into the input.
func (p *performance) mislead(ctx context.Context) error {
	way := p.plan.WrongObject
	if way == nil {
		return errNoWayToWrongObject
	}
	found, err := p.find(ctx, way)
	if err != nil {
		return fmt.Errorf("find a wrong object: %w", err)
	}
	input, err := way.Input.object(ctx, p.scope.with(fieldFound, found))
	if err != nil {
		return err
	}
	if jq.Equal(input, p.scope[fieldInput]) || lost(p.scope[fieldInput], input) {
		return errNoWrongObject
	}
	p.scope[fieldInput] = input
	return nil
}

// lost reports whether a field of an input has become null in another one, as
// one does that was to name what is not there.
func lost(input any, other map[string]any) bool {
	had, _ := input.(map[string]any)
	for name, value := range other {
		if value == nil && had[name] != nil {
			return true
		}
	}
	return false
}

// find asks for what a wrong object is chosen from.
func (p *performance) find(ctx context.Context, way *wrongObject) (found any, err error) {
	if !way.Query.there() {
		path, err := way.Find.render(ctx, p.scope)
		if err != nil {
			return nil, err
		}
		found, _, err = p.client.rest(ctx, request{path: path}, nil, &p.detour)
		return found, err
	}
	query, err := way.Query.render(ctx, p.scope)
	if err != nil {
		return nil, err
	}
	variables, err := way.Variables.object(ctx, p.scope)
	if err != nil {
		return nil, err
	}
	found, _, err = p.client.graphql(ctx, query, variables, &p.detour)
	return found, err
}

// repeat plays a turn as often as it is to be.
func (p *performance) repeat(ctx context.Context, t *turn) error {
	if !t.Each.there() {
		return p.overdo(ctx, t, p.scope)
	}
	items, err := t.Each.list(ctx, p.scope)
	if err != nil {
		return err
	}
	for _, c := range t.Calls {
		p.scope.expectList(c.As)
	}
	for _, item := range items {
		if err := p.overdo(ctx, t, p.scope.with(fieldItem, item)); err != nil {
			return err
		}
	}
	return nil
}

// overdo plays a turn once, or, where the agent is chatty, a few times of
// which the last one counts.
func (p *performance) overdo(ctx context.Context, t *turn, s scope) error {
	if p.wrong[Chatty] {
		for range ChattyFactor - 1 {
			if err := p.turn(ctx, t, s.glance(), true); err != nil {
				return err
			}
		}
	}
	return p.turn(ctx, t, s, p.wrong[Idle])
}

// turn makes one message with one tool call, which breaks off before the first
// request that writes if it is only to look.
func (p *performance) turn(ctx context.Context, t *turn, s scope, onlyLook bool) error {
	thought, err := t.Think.render(ctx, s)
	if err != nil {
		return err
	}
	m, err := p.open(ctx, thought)
	if err != nil {
		return err
	}
	if p.wrong[Stall] || p.wrong[Crash] {
		m.Error = "the agent broke off"
		p.finish(m, 0)
		if p.wrong[Crash] {
			return errDead
		}
		return hang(ctx)
	}
	use := p.newToolUse(t, s, onlyLook)
	err = use.run(ctx)
	m.Parts = append(m.Parts, use.part())
	var refused *failure
	if err != nil && !errors.As(err, &refused) {
		m.Error = err.Error()
	}
	p.finish(m, int64(len(use.call.Input))+use.traffic.sent)
	p.session.tokens.hear(use.traffic.received)
	return err
}

const (
	// idleThought is what an agent thinks to which its plan gives no thought,
	// where it has to think.
	idleThought = "I have to think about this. "
	// prose is an answer in words.
	prose = "I have looked into the task and done what it asks for. "
)

// say makes the message that ends the turn and returns what it says: the
// answer, unless the agent is to spoil it. Again tells that the agent was
// asked for it before.
func (p *performance) say(ctx context.Context, answer string, again bool) (string, error) {
	switch {
	case p.wrong[NoEnvelope], p.wrong[LateEnvelope] && !again:
		answer = prose
	case p.wrong[InvalidJSON]:
		answer = answer[:max(0, len(answer)-1)]
	case p.wrong[Verbose]:
		answer = strings.Repeat(prose, VerboseFactor) + "\n\n" + answer
	}
	m, err := p.open(ctx, "")
	if err != nil {
		return "", err
	}
	m.Parts = append(m.Parts, agent.Part{Type: agent.PartText, Text: answer})
	p.finish(m, int64(len(answer)))
	return answer, nil
}

// open begins a message: it pauses, is heard of, and has thought.
func (p *performance) open(ctx context.Context, thought string) (agent.Message, error) {
	m := agent.Message{Role: agent.Assistant, Start: p.now()}
	if err := p.pause(ctx); err != nil {
		return m, err
	}
	event := agent.EventProgress
	if !p.heard {
		p.heard, event = true, agent.EventAnswer
	}
	p.prompt.Notify(event)
	if p.wrong[Verbose] {
		if thought == "" {
			thought = idleThought
		}
		thought = strings.Repeat(thought, VerboseFactor)
	}
	if thought != "" {
		m.Parts = append(m.Parts, agent.Part{Type: agent.PartReasoning, Start: m.Start, End: p.now(), Text: thought})
	}
	return m, nil
}

// finish ends a message and enters it into the transcript.
func (p *performance) finish(m agent.Message, output int64) {
	var reasoning int64
	for _, part := range m.Parts {
		if part.Type == agent.PartReasoning {
			reasoning += int64(len(part.Text))
		}
	}
	m.End = p.now()
	m.Tokens = p.session.tokens.say(reasoning, output)
	p.session.messages = append(p.session.messages, m)
}

func (p *performance) now() time.Time { return p.session.provider.options.Now() }

// pause takes the time of a model. It ends early with ctx.
func (p *performance) pause(ctx context.Context) error {
	length := p.session.provider.options.Pause
	if p.wrong[Slow] {
		length *= SlowFactor
	}
	return wait(ctx, length)
}

// dither gives signs of life until ctx ends.
func (p *performance) dither(ctx context.Context) error {
	for {
		if err := wait(ctx, max(p.session.provider.options.Pause, ditherPause)); err != nil {
			return err
		}
		p.prompt.Notify(agent.EventProgress)
	}
}

// ditherPause is the shortest pause between signs of life.
const ditherPause = time.Millisecond

// wait waits; it does not if the time is not above 0.
func wait(ctx context.Context, length time.Duration) error {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// hang waits for the end of ctx.
func hang(ctx context.Context) error {
	<-ctx.Done()
	return context.Cause(ctx)
}
