package talk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// session is a conversation with a running program. It implements
// [agent.Session].
type session struct {
	title   string
	now     func() time.Time
	dialect Dialect
	process agent.Process
	// input is the writing end of the program's standard input.
	input  *os.File
	errors *tail
	close  func() error
	// gone is closed when the program cannot be used any more.
	gone chan struct{}

	mu     sync.Mutex
	why    error
	record Record
	// rest is the beginning of a line.
	rest []byte
}

// sendTime bounds how long a program may take to take a message.
const sendTime = 10 * time.Second

// open starts a program and waits until its conversation is open.
func (p *Provider) open(ctx context.Context, host agent.Host, setup agent.Setup) (*session, error) {
	launch, dialect, err := p.program.Open(p.options, setup, host.Folders())
	if err != nil {
		return nil, err
	}
	if err := host.Folders().Reset(launch.Home); err != nil {
		return nil, fmt.Errorf("empty the agent's folders: %w", err)
	}
	input, output, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer input.Close()
	s := &session{
		title: p.program.Title, now: p.options.Now, dialect: dialect, input: output, errors: newTail(), gone: make(chan struct{}),
		record: newRecord(p.program.Name, p.options),
	}
	s.close = sync.OnceValue(s.end)
	s.process, err = host.Start(ctx, agent.Command{
		Path: p.options.Bin, Args: launch.Args, Env: launch.Env, Input: input, Output: s, Errors: s.errors,
	})
	if err != nil {
		return nil, errors.Join(err, output.Close())
	}
	go func() {
		<-s.process.Done()
		s.fail(fmt.Errorf("%s has ended%s", s.title, s.errors.last()))
	}()
	if err := s.greet(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *session) greet(ctx context.Context) error {
	s.mu.Lock()
	messages := s.dialect.Greet()
	s.mu.Unlock()
	if err := s.send(messages); err != nil {
		return err
	}
	select {
	case <-s.record.opened:
		return s.record.refused
	case <-s.gone:
		return s.reason()
	case <-ctx.Done():
		return fmt.Errorf("wait for its answer: %w%s", context.Cause(ctx), s.errors.last())
	}
}

// send sends messages to the program.
func (s *session) send(messages []any) error {
	var lines []byte
	for _, m := range messages {
		if later, ok := m.(Later); ok {
			// If the program has gone by then, that is noticed elsewhere.
			time.AfterFunc(later.After, func() { _ = s.send([]any{later.Message}) })
			continue
		}
		line, err := json.Marshal(m)
		if err != nil {
			return fault.Internalf("write a message to %s: %w", s.title, err)
		}
		lines = append(append(lines, line...), '\n')
	}
	if len(lines) == 0 {
		return nil
	}
	err := s.input.SetWriteDeadline(s.now().Add(sendTime))
	if err == nil {
		_, err = s.input.Write(lines)
	}
	if err != nil {
		return fmt.Errorf("speak to %s: %w%s", s.title, err, s.errors.last())
	}
	return nil
}

// maxLine is the longest line that is read, in bytes.
const maxLine = 64 << 20

// Write takes what the program prints. It never fails.
func (s *session) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rest = append(s.rest, data...)
	for {
		line, rest, found := cutLine(s.rest)
		if !found {
			break
		}
		s.rest = rest
		// A message that is not taken is noticed by what does not follow.
		_ = s.send(s.dialect.Take(line, &s.record))
	}
	if len(s.rest) > maxLine {
		s.rest = nil
		s.stop(fmt.Errorf("%s said more than %d bytes in a line", s.title, maxLine))
	}
	return len(data), nil
}

// works reports whether the program can be used.
func (s *session) works() bool {
	select {
	case <-s.gone:
		return false
	default:
		return true
	}
}

func (s *session) reason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}

// fail has the program not be used any more; the first reason counts.
func (s *session) fail(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop(why)
}

// stop is fail with the lock held.
func (s *session) stop(why error) {
	if s.why == nil {
		s.why = why
		close(s.gone)
	}
}

// Prompt sends a prompt and waits for the end of the agent's turn.
//
// An error of the model's provider ends the turn, and the session. That it
// refuses the key, or has no such model, is of kind invalid and
// [agent.ErrStopSuite]. Programs ask a provider that is busy or failing several
// times over; that is no sign of life, so it is up to ctx how long it may go on.
func (s *session) Prompt(ctx context.Context, prompt agent.Prompt) (agent.Turn, error) {
	if ctx.Err() != nil {
		return agent.Turn{}, fmt.Errorf("prompt %s: %w", s.title, context.Cause(ctx))
	}
	if !s.works() {
		return agent.Turn{}, fmt.Errorf("prompt %s: %w", s.title, s.reason())
	}
	s.mu.Lock()
	t := s.record.begin(prompt)
	messages := s.dialect.Ask(prompt.Text)
	s.mu.Unlock()
	if err := s.send(messages); err != nil {
		return agent.Turn{}, s.broken(err)
	}
	select {
	case <-t.done:
	case <-s.gone:
		// What was said before the end counts.
		select {
		case <-t.done:
		default:
			return agent.Turn{}, s.broken(s.reason())
		}
	case <-ctx.Done():
		return agent.Turn{}, s.broken(fmt.Errorf("stop %s%s: %w", s.title, s.waiting(), context.Cause(ctx)))
	}
	if t.err != nil {
		return agent.Turn{}, s.broken(t.err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return agent.Turn{Text: agent.Transcript{Messages: s.record.messages}.Answer()}, nil
}

// waiting tells that a turn was waiting for its model, if it was.
func (s *session) waiting() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.record.retry == "" {
		return ""
	}
	return " (its model was at " + s.record.retry + ")"
}

// broken ends the program of a turn that failed.
func (s *session) broken(why error) error {
	s.mu.Lock()
	s.record.breakOff(why)
	s.mu.Unlock()
	return errors.Join(why, s.Close())
}

// Transcript returns what the program has told of the conversation.
func (s *session) Transcript(context.Context) (agent.Transcript, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.record.transcript(), nil
}

// Close ends the program and what its agent has left running.
func (s *session) Close() error { return s.close() }

func (s *session) end() error {
	s.fail(fmt.Errorf("%s was ended", s.title))
	err := s.process.End()
	return errors.Join(err, s.input.Close())
}
