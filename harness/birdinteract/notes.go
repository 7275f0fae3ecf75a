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
	// traceback is the last error that nothing has caught, while it is printed and
	// afterwards; raised is its last line.
	traceback []string
	raised    string
}

// maxTraceback is how many lines of a traceback are kept.
const maxTraceback = 400

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
	n.trace(text)
	if _, after, is := strings.Cut(text, "Submit error for "); is {
		if id, why, ok := strings.Cut(after, ": "); ok {
			n.submits[id] = why
		}
	}
	if strings.Contains(text, "LLM call failed: ") {
		n.models++
	}
}

// trace follows Python's tracebacks: indented lines, and one that is not, which says
// what was raised.
func (n *notes) trace(text string) {
	plain := strings.TrimLeft(text, " |+")
	switch {
	case strings.HasPrefix(plain, "Traceback (most recent call last):"):
		n.traceback, n.raised = []string{plain}, ""
	case n.traceback == nil || n.raised != "" || len(n.traceback) > maxTraceback:
	case strings.HasPrefix(text, " ") && !strings.Contains(text, "| "+plain):
		n.traceback = append(n.traceback, text)
	case plain != "" && !strings.HasPrefix(plain, "File "):
		n.raised = plain
	default:
		n.traceback = append(n.traceback, text)
	}
}

// failure returns what the service has raised last, with its traceback; empty if
// nothing.
func (n *notes) failure() (raised, traceback string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.raised, strings.Join(n.traceback, "\n")
}

// submit returns why a task could not be graded, empty if that is not known.
func (n *notes) submit(id string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.submits[id]
}
