package harness

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/harness/child"
	"github.com/ghx-dev/bench-action/internal/redact"
)

const (
	// maxLine is how many bytes of a line are shown together.
	maxLine = 16 << 10
	// tailLines is how many of the last lines [Stream.Tail] returns.
	tailLines = 20
)

// Stream is where a child process prints to. It passes on whole lines to
// [Host.Log] as they come, without secrets, and remembers the last ones. It is
// safe for concurrent use.
type Stream struct {
	to     io.Writer
	prefix string

	mu       sync.Mutex
	redacted io.WriteCloser
	lines    child.LineWriter
	tail     []string
}

// Stream returns a stream whose lines begin with the prefix. Beside the
// secrets of our environment, those that are given are redacted.
func (h Host) Stream(prefix string, secrets ...string) *Stream {
	s := &Stream{to: h.Log, prefix: prefix}
	s.lines = child.LineWriter{Limit: maxLine, Emit: s.emit}
	s.redacted = redact.New(append(h.Secrets(), secrets...)...).Writer(&s.lines)
	return s
}

// Logf writes a line to [Host.Log]. For many lines, keep a [Stream].
func (h Host) Logf(format string, args ...any) {
	s := h.Stream("")
	fmt.Fprintf(s, format+"\n", args...)
	s.Close()
}

// Redact returns the text without the secrets of our environment and those
// that are given.
func (h Host) Redact(text string, secrets ...string) string { return h.Redactor(secrets...)(text) }

// Redactor returns what does as [Host.Redact] does, for many texts: looking for secrets
// takes more time to prepare than to do.
func (h Host) Redactor(secrets ...string) func(text string) string {
	return redact.New(append(h.Secrets(), secrets...)...).String
}

// Write takes what a child prints. It never fails: that nobody can read a log
// is no reason to end a run.
func (s *Stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// Writing lines does not fail.
	_, _ = s.redacted.Write(p)
	return len(p), nil
}

// Close passes on what is left, a line without an end.
func (s *Stream) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	// Writing lines does not fail.
	_ = s.redacted.Close()
	s.lines.Flush()
}

// Tail returns the last lines, redacted, without the prefix.
func (s *Stream) Tail() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.tail, "\n")
}

func (s *Stream) emit(line []byte, _ bool) {
	text := string(line)
	s.tail = append(s.tail, text)
	if len(s.tail) > tailLines {
		s.tail = s.tail[1:]
	}
	if s.to != nil {
		// Whoever reads the log may be gone; the run goes on.
		_, _ = io.WriteString(s.to, s.prefix+text+"\n")
	}
}
