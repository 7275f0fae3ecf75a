package birdinteract

import (
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/harness/child"
)

// notes are what a service says of failures that no result tells.
type notes struct {
	lines child.LineWriter
	mu    sync.Mutex
	// submits are failures to grade, by task; models is how often a model
	// could not be asked.
	submits map[string]string
	models  int
}

func newNotes() *notes {
	n := &notes{submits: map[string]string{}}
	n.lines = child.LineWriter{Emit: n.line}
	return n
}

// Write takes what a service prints. It never fails.
func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.lines.Write(p)
}

func (n *notes) line(line []byte, _ bool) {
	text := string(line)
	if _, after, is := strings.Cut(text, "Submit error for "); is {
		if id, why, ok := strings.Cut(after, ": "); ok {
			n.submits[id] = why
		}
	}
	if strings.Contains(text, "LLM call failed: ") {
		n.models++
	}
}
