package ghxbuild

import (
	"slices"
	"strings"
	"sync"
)

// Tail keeps the end of what is written to it. It is safe for concurrent use.
type Tail struct {
	// Max is how much is kept, in bytes.
	Max int

	mu   sync.Mutex
	last []byte
	cut  bool
}

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, p...)
	if over := len(t.last) - t.Max; over > 0 {
		t.last, t.cut = slices.Clone(t.last[over:]), true
	}
	return len(p), nil
}

// String returns what was kept, from the beginning of a line on if there is one.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := string(t.last)
	if _, whole, found := strings.Cut(text, "\n"); t.cut && found {
		text = whole
	}
	return strings.ToValidUTF8(text, "�")
}
