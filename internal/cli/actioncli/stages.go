package actioncli

import (
	"bytes"
	"sync"

	"github.com/ghx-dev/bench-action/internal/actions"
)

// stages folds the log into one group a stage, each with its time. A stage
// lasts until the next one is entered.
type stages struct {
	log *actions.Log

	mu sync.Mutex
	// leave ends the group that is open, and left is closed then.
	leave, left chan struct{}
}

func newStages(log *actions.Log) *stages { return &stages{log: log} }

// enter begins a stage.
func (s *stages) enter(title string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close()
	leave, left, open := make(chan struct{}), make(chan struct{}), make(chan struct{})
	s.leave, s.left = leave, left
	go func() {
		defer close(left)
		// What is done in the group tells its own errors.
		_ = s.log.Group(title, func() error {
			close(open)
			<-leave
			return nil
		})
	}()
	<-open
}

// end ends the last stage.
func (s *stages) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close()
}

func (s *stages) close() {
	if s.leave == nil {
		return
	}
	close(s.leave)
	<-s.left
	s.leave = nil
}

// lines writes whole lines to the log.
type lines struct {
	log *actions.Log

	mu   sync.Mutex
	rest []byte
}

// Write never fails.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, p...)
	for {
		line, rest, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		l.log.Line(string(line))
		l.rest = rest
	}
}

// Flush writes a last line that has no end.
func (l *lines) Flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.rest) > 0 {
		l.log.Line(string(l.rest))
		l.rest = nil
	}
}
