package talk

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
)

// maxTail is how much of what a program prints is kept, and maxQuoted how much
// of that is quoted, in bytes.
const (
	maxTail   = 4000
	maxQuoted = 1000
)

// tail takes what a program prints and keeps the end of it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

func newTail() *tail { return &tail{} }

// Write never fails.
func (t *tail) Write(data []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, data...)
	t.kept = t.kept[max(0, len(t.kept)-maxTail):]
	return len(data), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.ToValidUTF8(bytes.TrimSpace(t.kept), nil))
}

// last quotes the end of what was printed, for an error's text; empty if there
// was nothing.
func (t *tail) last() string {
	said := t.String()
	if said == "" {
		return ""
	}
	return fmt.Sprintf("; the end of its output: %q", strings.ToValidUTF8(said[max(0, len(said)-maxQuoted):], ""))
}

// cutLine cuts the first line off.
func cutLine(data []byte) (line, rest []byte, found bool) { return bytes.Cut(data, []byte("\n")) }

func shorten(text string) string {
	if len(text) <= maxQuoted {
		return text
	}
	return strings.ToValidUTF8(text[:maxQuoted], "") + "…"
}
