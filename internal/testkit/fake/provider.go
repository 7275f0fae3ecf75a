package fake

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

// Envelope is the answer of an agent that has done its task.
const Envelope = `{"ok":true,"data":{"id":1},"error":null,"meta":{}}`

// Provider is an [agent.Provider] whose agents do what a test says. The zero
// value has agents that answer with [Envelope] at once.
type Provider struct {
	Info agent.Info
	// OnStart is asked before a session begins; nil means yes.
	OnStart func(ctx context.Context, setup agent.Setup) error
	// OnPrompt has a turn; nil answers with [Envelope].
	OnPrompt func(ctx context.Context, s *Session, p agent.Prompt) (agent.Turn, error)
	// OnTranscript is asked before a transcript is given, OnClose before a
	// session is closed; nil means yes.
	OnTranscript func(ctx context.Context) error
	OnClose      func(s *Session) error

	mu       sync.Mutex
	sessions []*Session
}

// Describe returns Info.
func (p *Provider) Describe() agent.Info { return p.Info }

// Close does nothing.
func (p *Provider) Close() error { return nil }

// Start begins a session. Two at once of one worker are a defect of the
// caller.
func (p *Provider) Start(ctx context.Context, setup agent.Setup) (agent.Session, error) {
	if p.OnStart != nil {
		if err := p.OnStart(ctx, setup); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sessions {
		if s.Setup.Worker == setup.Worker && !s.closed {
			panic("fake: two sessions of one worker at once")
		}
	}
	s := &Session{Setup: setup, Number: len(p.sessions) + 1, provider: p}
	p.sessions = append(p.sessions, s)
	return s, nil
}

// Sessions returns all sessions, in order.
func (p *Provider) Sessions() []*Session {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.sessions)
}

// Open counts the sessions that are not closed.
func (p *Provider) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	open := 0
	for _, s := range p.sessions {
		if !s.closed {
			open++
		}
	}
	return open
}

// Session is a session of a [Provider].
type Session struct {
	Setup agent.Setup
	// Number counts the provider's sessions from 1.
	Number int
	// Prompts are those so far.
	Prompts []agent.Prompt

	provider *Provider
	messages []agent.Message
	closed   bool
}

// Prompt has a turn.
func (s *Session) Prompt(ctx context.Context, p agent.Prompt) (agent.Turn, error) {
	s.Prompts = append(s.Prompts, p)
	s.Say(agent.Message{Role: agent.User, Parts: []agent.Part{{Type: agent.PartText, Text: p.Text}}})
	if s.provider.OnPrompt != nil {
		return s.provider.OnPrompt(ctx, s, p)
	}
	return s.Answer(p, Envelope), nil
}

// Say adds a message to the transcript.
func (s *Session) Say(m agent.Message) { s.messages = append(s.messages, m) }

// Answer ends a turn with a text, which costs 10 tokens.
func (s *Session) Answer(p agent.Prompt, text string) agent.Turn {
	p.Notify(agent.EventAnswer)
	s.Say(agent.Message{
		Role: agent.Assistant, Parts: []agent.Part{{Type: agent.PartText, Text: text}},
		Tokens: bench.Tokens{Input: 6, Output: 4, Total: 10},
	})
	return agent.Turn{Text: text}
}

// Transcript returns everything so far.
func (s *Session) Transcript(ctx context.Context) (agent.Transcript, error) {
	if s.provider.OnTranscript != nil {
		if err := s.provider.OnTranscript(ctx); err != nil {
			return agent.Transcript{}, err
		}
	}
	return agent.Transcript{
		SchemaVersion: agent.TranscriptSchemaVersion, Provider: s.provider.Info.Name, Model: s.provider.Info.Model,
		SessionID: fmt.Sprintf("session-%d", s.Number), Messages: slices.Clone(s.messages),
	}, nil
}

// Close ends the session.
func (s *Session) Close() error {
	s.provider.mu.Lock()
	s.closed = true
	s.provider.mu.Unlock()
	if s.provider.OnClose != nil {
		return s.provider.OnClose(s)
	}
	return nil
}

// Sleep waits as an agent does: until the time is over or it is stopped.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

var _ agent.Provider = (*Provider)(nil)
