package opencode

import (
	"bytes"
	"fmt"
	"regexp"
	"sync"
)

// maxOutput is how much of a server's output is kept, in bytes.
const maxOutput = 4000

// listening is what a server prints once it listens.
var listening = regexp.MustCompile(`listening on (http://\S+)\s`)

// output takes what a server prints. It keeps the end of it.
type output struct {
	// address is given where the server listens.
	address chan string

	mu    sync.Mutex
	kept  []byte
	found bool
}

func newOutput() *output { return &output{address: make(chan string, 1)} }

// Write never fails.
func (o *output) Write(data []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kept = append(o.kept, data...)
	o.kept = o.kept[max(0, len(o.kept)-maxOutput):]
	if match := listening.FindSubmatch(o.kept); match != nil && !o.found {
		o.found = true
		o.address <- string(match[1])
	}
	return len(data), nil
}

// last quotes the end of the output, for an error's text; empty if there was
// none.
func (o *output) last() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	said := bytes.ToValidUTF8(bytes.TrimSpace(o.kept), nil)
	if len(said) == 0 {
		return ""
	}
	said = said[max(0, len(said)-maxErrorText):]
	return fmt.Sprintf("; the end of its output: %q", bytes.ToValidUTF8(said, nil))
}
