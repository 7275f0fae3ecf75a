package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

// session is a conversation with a program that remembers nothing. It implements
// [agent.Session].
type session struct {
	options      Options
	host         agent.Host
	env          []string
	instructions string

	mu       sync.Mutex
	messages []agent.Message
	// running is the program of the turn that goes on.
	running agent.Process
	closed  bool
	gone    chan struct{}
}

// Prompt runs the program with the conversation so far and the prompt, and takes
// what it prints for its answer. While it runs, nothing is known of its model: it
// counts as a tool that runs, so the scenario's time alone bounds it.
func (s *session) Prompt(ctx context.Context, prompt agent.Prompt) (agent.Turn, error) {
	if ctx.Err() != nil {
		return agent.Turn{}, fmt.Errorf("prompt the agent's command: %w", context.Cause(ctx))
	}
	output, said := &limited{limit: maxAnswer}, &limited{limit: maxSaid, last: true}
	process, err := s.start(ctx, prompt.Text, output, said)
	if err != nil {
		return agent.Turn{}, err
	}
	prompt.Notify(agent.EventAnswer)
	prompt.Notify(agent.EventToolStart)
	select {
	case <-process.Done():
		err = nil
	case <-ctx.Done():
		err = fmt.Errorf("stop the agent's command: %w", context.Cause(ctx))
	case <-s.gone:
		err = errors.New("the agent's session was closed")
	}
	if ending := process.End(); err == nil {
		err = ending
	}
	prompt.Notify(agent.EventToolEnd)
	if err == nil {
		if text, status := outcome(said.String()); status != "0" {
			err = failure(text, status)
		} else if output.full() {
			err = fmt.Errorf("the agent's command answered with more than %d bytes", maxAnswer)
		}
	}
	return s.answered(strings.TrimSpace(output.String()), err)
}

// maxAnswer is the longest answer, and maxSaid how much of standard error is kept,
// in bytes.
const (
	maxAnswer = 4 << 20
	maxSaid   = 2000
)

// start starts the program of a turn.
func (s *session) start(ctx context.Context, text string, output, said *limited) (agent.Process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.New("the agent's session was closed")
	}
	input := s.input(text)
	s.messages = append(s.messages, agent.Message{Role: agent.User, Start: s.options.Now(), Parts: []agent.Part{{Type: agent.PartText, Text: text}}})
	process, err := s.host.Start(ctx, agent.Command{
		Path: "/bin/sh", Args: shellOf(s.options.Line), Env: s.env, Input: strings.NewReader(input), Output: output, Errors: said,
	})
	if err != nil {
		return nil, fmt.Errorf("start the agent's command: %w", err)
	}
	s.running = process
	return process, nil
}

// input is what the program reads: its instructions, what was said before, and
// the prompt.
func (s *session) input(text string) string {
	var parts []string
	if s.instructions != "" {
		parts = append(parts, s.instructions)
	}
	for _, m := range s.messages {
		who := map[agent.Role]string{agent.User: "You were asked:", agent.Assistant: "You answered:"}[m.Role]
		for _, p := range m.Parts {
			parts = append(parts, who+"\n"+p.Text)
		}
	}
	if len(s.messages) > 0 {
		text = "Now you are asked:\n" + text
	}
	return strings.Join(append(parts, text), "\n\n") + "\n"
}

// answered ends a turn.
func (s *session) answered(text string, err error) (agent.Turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.messages[len(s.messages)-1]
	message := agent.Message{Role: agent.Assistant, Start: asked.Start, End: s.options.Now(), Parts: []agent.Part{{Type: agent.PartText, Text: text}}}
	if err != nil {
		message.Error = err.Error()
	}
	s.messages = append(s.messages, message)
	s.running = nil
	if err != nil {
		return agent.Turn{}, err
	}
	return agent.Turn{Text: text}, nil
}

// Transcript returns what was said.
func (s *session) Transcript(context.Context) (agent.Transcript, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return agent.Transcript{
		SchemaVersion: agent.TranscriptSchemaVersion, Provider: Name, Model: s.options.Model, Messages: append([]agent.Message(nil), s.messages...),
	}, nil
}

// Close ends the program.
func (s *session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	close(s.gone)
	if s.running == nil {
		return nil
	}
	return s.running.End()
}

// limited keeps the beginning of what is written, or the end.
type limited struct {
	limit int
	last  bool

	mu   sync.Mutex
	kept []byte
	more bool
}

// Write never fails.
func (l *limited) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	whole := append(l.kept, p...)
	l.more = l.more || len(whole) > l.limit
	if l.last {
		l.kept = whole[max(0, len(whole)-l.limit):]
	} else {
		l.kept = whole[:min(len(whole), l.limit)]
	}
	return len(p), nil
}

func (l *limited) full() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.more
}

func (l *limited) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.ToValidUTF8(string(l.kept), "�")
}
