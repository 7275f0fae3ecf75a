package realtool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
)

// defect is a way in which a provider can be wrong.
type defect int

const (
	noDefect defect = iota
	describesItselfLate
	sendsNoAnswerEvent
	sendsTwoAnswerEvents
	sendsToolBeforeAnswer
	leavesToolRunning
	endsToolsTwice
	sendsEventsAtOnce
	sendsEventsLate
	forgetsTheFirstPrompt
	changesItsSessionID
	returnsAnotherText
	storesMalformedInput
	countsTheLastMessageOnly
	failsItsTools
	mixesSessions
	waitsForOtherSessions
	ignoresTheContext
	losesTheCause
	answersAllTheSame
	hasNoTranscriptAfterFailure
	forgetsTheBrokenAnswer
	crashesWithoutAnError
	stopsTheSuiteOnACrash
	staysDownAfterACrash
	closesOnce
)

// memory is a provider without a process. Its agent answers with what follows
// "say " in a prompt, after a tool call.
type memory struct {
	defect defect
	heard  chan struct{}
	// shared is the conversation of all sessions where they are mixed; turns
	// has a place for the one turn at a time where sessions wait for others.
	shared conversation
	turns  chan struct{}
	late   sync.WaitGroup

	mu      sync.Mutex
	started int
	down    bool
	closed  chan struct{}
	spent   map[string]spending
}

type spending struct {
	tokens bench.Tokens
	cost   float64
}

func newMemory(d defect) *memory {
	return &memory{
		defect: d,
		heard:  make(chan struct{}),
		turns:  make(chan struct{}, 1),
		closed: make(chan struct{}),
		spent:  map[string]spending{},
	}
}

func memoryHarness(d defect) realtool.Harness {
	m := newMemory(d)
	return realtool.Harness{
		Provider: m,
		First:    realtool.Exchange{Prompt: agent.Prompt{Text: "say one"}, Answer: "one"},
		Second:   realtool.Exchange{Prompt: agent.Prompt{Text: "say two"}},
		Silent:   agent.Prompt{Text: "silent"},
		Heard:    m.heard,
		Stall:    agent.Prompt{Text: "stall"},
		Crash:    agent.Prompt{Text: "crash"},
		Spent: func(sessionID string) (bench.Tokens, float64) {
			m.mu.Lock()
			defer m.mu.Unlock()
			return m.spent[sessionID].tokens, m.spent[sessionID].cost
		},
	}
}

func (m *memory) Describe() agent.Info {
	m.mu.Lock()
	defer m.mu.Unlock()
	info := agent.Info{Name: "memory", Model: bench.ModelRef{ProviderID: "none", ModelID: "none"}, Simulated: true}
	if m.defect == describesItselfLate && m.started == 0 {
		info.Model = bench.ModelRef{}
	}
	return info
}

func (m *memory) Start(context.Context, agent.Setup) (agent.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down {
		return nil, errors.New("the agent is down")
	}
	m.started++
	return &memorySession{memory: m, id: strconv.Itoa(m.started)}, nil
}

var errClosed = errors.New("closed already")

func (m *memory) Close() error {
	defer m.late.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-m.closed:
		if m.defect == closesOnce {
			return errClosed
		}
	default:
		close(m.closed)
	}
	return nil
}

type conversation struct {
	mu       sync.Mutex
	messages []agent.Message
}

func (c *conversation) add(m agent.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.messages = append(c.messages, m)
}

type memorySession struct {
	memory  *memory
	id      string
	prompts int
	failed  bool
	own     conversation
}

func (s *memorySession) is(d defect) bool { return s.memory.defect == d }

func (s *memorySession) conversation() *conversation {
	if s.is(mixesSessions) {
		return &s.memory.shared
	}
	return &s.own
}

func (s *memorySession) Transcript(context.Context) (agent.Transcript, error) {
	if s.failed && s.is(hasNoTranscriptAfterFailure) {
		return agent.Transcript{}, errors.New("the agent is gone")
	}
	id := s.id
	if s.is(changesItsSessionID) {
		id += "/" + strconv.Itoa(s.prompts)
	}
	info := s.memory.Describe()
	c := s.conversation()
	c.mu.Lock()
	defer c.mu.Unlock()
	return agent.Transcript{
		SchemaVersion: agent.TranscriptSchemaVersion,
		Provider:      info.Name,
		Model:         info.Model,
		SessionID:     id,
		Messages:      append([]agent.Message{}, c.messages...),
	}, nil
}

func (s *memorySession) Close() error { return nil }

func (s *memorySession) Prompt(ctx context.Context, prompt agent.Prompt) (agent.Turn, error) {
	if ctx.Err() != nil && !s.is(answersAllTheSame) {
		return agent.Turn{}, s.stopped(ctx)
	}
	if s.is(waitsForOtherSessions) {
		s.memory.turns <- struct{}{}
		defer func() { <-s.memory.turns }()
	}
	s.prompts++
	if s.is(forgetsTheFirstPrompt) {
		s.own.messages = nil
	}
	s.conversation().add(agent.Message{Role: agent.User, Parts: []agent.Part{{Type: agent.PartText, Text: prompt.Text}}})
	switch prompt.Text {
	case "silent":
		close(s.memory.heard)
		return agent.Turn{}, s.hang(ctx)
	case "stall":
		prompt.Notify(agent.EventAnswer)
		if !s.is(forgetsTheBrokenAnswer) {
			s.conversation().add(agent.Message{Role: agent.Assistant, Parts: []agent.Part{{Type: agent.PartReasoning, Text: "hm"}}})
		}
		return agent.Turn{}, s.hang(ctx)
	case "crash":
		return agent.Turn{}, s.crash()
	}
	return s.answer(prompt), nil
}

// hang waits for the end of the turn or of the provider.
func (s *memorySession) hang(ctx context.Context) error {
	done := ctx.Done()
	if s.is(ignoresTheContext) {
		done = nil
	}
	select {
	case <-done:
		return s.stopped(ctx)
	case <-s.memory.closed:
		return errClosed
	}
}

func (s *memorySession) stopped(ctx context.Context) error {
	s.failed = true
	if s.is(losesTheCause) {
		return fmt.Errorf("prompt: %w", ctx.Err())
	}
	return fmt.Errorf("prompt: %w", context.Cause(ctx))
}

func (s *memorySession) crash() error {
	s.failed = true
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	s.memory.down = s.is(staysDownAfterACrash)
	switch {
	case s.is(crashesWithoutAnError):
		return nil
	case s.is(stopsTheSuiteOnACrash):
		return fmt.Errorf("crash: %w", agent.ErrStopSuite)
	default:
		return errors.New("the agent has crashed")
	}
}

// answer has a turn of two messages: a tool call and the text.
func (s *memorySession) answer(prompt agent.Prompt) agent.Turn {
	text := prompt.Text[len("say "):]
	s.notify(prompt)

	tool := &agent.ToolCall{Name: "bash", Input: json.RawMessage(`{"command":"true"}`), Output: text}
	if s.is(storesMalformedInput) {
		tool.Input = json.RawMessage(`{command:true}`)
	}
	if s.is(failsItsTools) {
		tool.Error = "exit status 1"
	}
	s.say(agent.Part{Type: agent.PartTool, Tool: tool}, bench.Tokens{Input: 100, Output: 3, CacheRead: 40, Total: 143}, 0.01)
	s.say(agent.Part{Type: agent.PartText, Text: text}, bench.Tokens{Input: 110, Output: 1, Total: 111}, 0.02)
	if s.is(returnsAnotherText) {
		return agent.Turn{Text: "bash: " + text}
	}
	return agent.Turn{Text: text}
}

func (s *memorySession) say(part agent.Part, tokens bench.Tokens, cost float64) {
	s.memory.mu.Lock()
	sum := s.memory.spent[s.id]
	s.memory.spent[s.id] = spending{tokens: sum.tokens.Add(tokens), cost: sum.cost + cost}
	s.memory.mu.Unlock()
	if s.is(countsTheLastMessageOnly) && part.Type != agent.PartText {
		tokens = bench.Tokens{}
	}
	s.conversation().add(agent.Message{Role: agent.Assistant, Parts: []agent.Part{part}, Tokens: tokens, Cost: cost})
}

func (s *memorySession) notify(prompt agent.Prompt) {
	events := []agent.Event{
		agent.EventProgress, agent.EventAnswer, agent.EventToolStart, agent.EventProgress, agent.EventToolEnd, agent.EventProgress,
	}
	switch s.memory.defect {
	case sendsNoAnswerEvent:
		events = []agent.Event{agent.EventProgress}
	case sendsTwoAnswerEvents:
		events = append(events, agent.EventAnswer)
	case sendsToolBeforeAnswer:
		events = []agent.Event{agent.EventToolStart, agent.EventToolEnd, agent.EventAnswer}
	case leavesToolRunning:
		events = events[:4]
	case endsToolsTwice:
		events = append(events, agent.EventToolEnd)
	case sendsEventsAtOnce:
		var group sync.WaitGroup
		for range 64 {
			group.Go(func() { prompt.Notify(agent.EventProgress) })
		}
		group.Wait()
	case sendsEventsLate:
		s.memory.late.Go(func() {
			<-s.memory.closed
			prompt.Notify(agent.EventProgress)
		})
	}
	for _, event := range events {
		prompt.Notify(event)
	}
}
