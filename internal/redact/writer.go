package redact

import (
	"io"
	"os"
	"sync"
)

// writer is a [Redactor]'s stream.
type writer struct {
	redactor *Redactor

	mu      sync.Mutex
	to      io.Writer
	scanner *scanner
	// tail is what was read but not passed on; sent counts what was. masked
	// is the end of the last secret that a mask was written for, -1 before.
	tail   []byte
	sent   int64
	masked int64
	closed bool
}

// Write passes on what can no longer become a secret.
func (w *writer) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return 0, os.ErrClosed
	}
	if values := w.redactor.matcher(); values != w.scanner.values {
		w.scanner.relearn(values, w.tail)
	}
	w.tail = append(w.tail, b...)
	feed(w.scanner, b)
	if err := w.send(w.scanner.settled()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Close passes on what was held back.
func (w *writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	return w.send(w.scanner.pos)
}

// send passes on the stream up to a place.
func (w *writer) send(to int64) error {
	if to <= w.sent {
		return nil
	}
	var out []byte
	from := w.sent
	found := w.scanner.found
	for len(found) > 0 && found[0].start < to {
		start, end := max(found[0].start, w.sent), min(found[0].end, to)
		out = append(out, w.tail[from-w.sent:start-w.sent]...)
		if start > w.masked {
			out = append(out, Mask...)
		}
		from, w.masked = end, end
		if found[0].end > to {
			break
		}
		found = found[1:]
	}
	out = append(out, w.tail[from-w.sent:to-w.sent]...)
	w.scanner.found = append(w.scanner.found[:0], found...)
	w.tail = append(w.tail[:0], w.tail[to-w.sent:]...)
	w.sent = to
	if len(out) == 0 {
		return nil
	}
	_, err := w.to.Write(out)
	return err
}
