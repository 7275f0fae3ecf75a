package egress

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// maxText is how much of an answer that is no stream, and of one event of a
// stream, is kept to be read, in bytes. What is longer tells nothing.
const maxText = 8 << 20

// Watch returns a body that reads as the given one. It calls told, before what
// tells it can be read, with the tokens of the answer each time that they become
// known: the first time and wherever a stream says more. First is true once.
func Watch(body io.ReadCloser, told func(more bench.Tokens, first bool)) io.ReadCloser {
	return &watched{ReadCloser: body, told: told}
}

type watched struct {
	io.ReadCloser
	told func(more bench.Tokens, first bool)

	kind kind
	// text is the answer so far, or the data of the event so far; long is true if
	// it was more than [maxText] bytes. line is the line of a stream so far.
	text, line []byte
	long       bool
	use        usage
	// known are the tokens that were told.
	known *bench.Tokens
}

// kind is what a body is.
type kind int

const (
	unknown kind = iota
	whole
	stream
)

// Read reads the body.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	w.take(p[:n])
	if err == io.EOF { //nolint:errorlint // readers return it as it is
		w.end()
	}
	return n, err
}

func (w *watched) take(p []byte) {
	if w.kind == unknown {
		switch start := bytes.TrimLeft(p, " \t\r\n"); {
		case len(start) == 0:
			return
		case start[0] == '{':
			w.kind = whole
		default:
			w.kind = stream
		}
	}
	if w.kind == whole {
		w.text = w.keep(w.text, p)
		return
	}
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			w.line = w.keep(w.line, p)
			return
		}
		w.line = w.keep(w.line, p[:end])
		w.event(bytes.TrimSuffix(w.line, []byte("\r")))
		w.line, p = w.line[:0], p[end+1:]
	}
}

// keep appends, as far as there is room.
func (w *watched) keep(to, p []byte) []byte {
	if len(to)+len(p) > maxText {
		w.long = true
		return to
	}
	return append(to, p...)
}

// event takes a line of a stream: https://html.spec.whatwg.org/#event-stream-interpretation.
func (w *watched) event(line []byte) {
	data, is := bytes.CutPrefix(line, []byte("data:"))
	switch {
	case is:
		w.text = w.keep(w.text, data)
	case len(line) == 0:
		w.read()
		w.text, w.long = w.text[:0], false
	}
}

// end takes the end of the body.
func (w *watched) end() {
	w.event(bytes.TrimSuffix(w.line, []byte("\r")))
	w.line = w.line[:0]
	w.read()
	w.text = nil
}

// read reads an answer, or the data of an event.
func (w *watched) read() {
	if w.long || !saysUsage.Match(w.text) { // most events of a stream do not
		return
	}
	var said struct {
		Usage    *usage `json:"usage"`
		Response *struct {
			Usage *usage `json:"usage"`
		} `json:"response"`
		Message *struct {
			Usage *usage `json:"usage"`
		} `json:"message"`
	}
	if json.Unmarshal(w.text, &said) != nil {
		return
	}
	w.use.merge(said.Usage)
	if said.Response != nil {
		w.use.merge(said.Response.Usage)
	}
	if said.Message != nil {
		w.use.merge(said.Message.Usage)
	}
	now, known := w.use.tokens()
	if !known {
		return
	}
	first := w.known == nil
	if first {
		w.known = &bench.Tokens{}
	}
	more := less(now, *w.known)
	*w.known = now
	w.told(more, first)
}

// saysUsage matches what may hold a usage: chunks of a stream have none, or null.
var saysUsage = regexp.MustCompile(`"usage"\s*:\s*\{`)

// less returns the difference of tokens, field by field.
func less(a, b bench.Tokens) bench.Tokens {
	return bench.Tokens{
		Input: a.Input - b.Input, Output: a.Output - b.Output, Reasoning: a.Reasoning - b.Reasoning,
		CacheRead: a.CacheRead - b.CacheRead, CacheWrite: a.CacheWrite - b.CacheWrite, Total: a.Total - b.Total,
	}
}
