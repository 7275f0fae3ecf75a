package appcli

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// calmEvery is the least time between two warnings, or errors, that say the same.
const calmEvery = time.Second

// calm is a log whose warnings and errors are told at most once a second for each
// message: in an outage hundreds of jobs say the same. The next one that is told has
// how many were not, as left_out.
type calm struct {
	slog.Handler
	said *said
}

// said is shared by the logs that are made of one.
type said struct {
	now  func() time.Time
	mu   sync.Mutex
	last map[string]saying
}

// saying is when a message was told, and how many were not since.
type saying struct {
	at      time.Time
	leftOut int
}

func newCalm(inner slog.Handler, now func() time.Time) slog.Handler {
	return calm{inner, &said{now: now, last: map[string]saying{}}}
}

// Handle tells a record, or leaves it out.
func (c calm) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn {
		return c.Handler.Handle(ctx, r)
	}
	leftOut, tell := c.said.tell(r.Level.String() + r.Message)
	if !tell {
		return nil
	}
	if leftOut > 0 {
		r.AddAttrs(slog.Int("left_out", leftOut))
	}
	return c.Handler.Handle(ctx, r)
}

// WithAttrs returns a log whose records have attributes.
func (c calm) WithAttrs(attrs []slog.Attr) slog.Handler {
	return calm{c.Handler.WithAttrs(attrs), c.said}
}

// WithGroup returns a log whose records have their attributes in a group.
func (c calm) WithGroup(name string) slog.Handler { return calm{c.Handler.WithGroup(name), c.said} }

// tell reports whether a message is told now, and how many like it were left out
// before. A clock that was set back tells it.
func (s *said) tell(message string) (leftOut int, tell bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	last, known := s.last[message]
	if since := now.Sub(last.at); known && since >= 0 && since < calmEvery {
		last.leftOut++
		s.last[message] = last
		return 0, false
	}
	s.last[message] = saying{at: now}
	return last.leftOut, true
}
