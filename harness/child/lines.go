package child

import "bytes"

// MaxLine is how many bytes of a line are kept together by default.
const MaxLine = 1 << 20

// LineWriter calls Emit with every line that is written to it, without its end.
// It is not safe for concurrent use.
type LineWriter struct {
	// Emit takes a line, which is only valid during the call. whole is false
	// for the parts of a line that is longer than Limit.
	Emit func(line []byte, whole bool)
	// Limit is how many bytes of a line are kept together; 0 is [MaxLine].
	Limit int

	line []byte
	// cut is true if the line's beginning was emitted.
	cut bool
}

// Write takes a part of the output. It never fails.
func (w *LineWriter) Write(p []byte) (int, error) {
	limit := w.Limit
	if limit == 0 {
		limit = MaxLine
	}
	for rest := p; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte("\n"))
		room := limit - len(w.line)
		if len(part) > room {
			part, after, ended = rest[:room], rest[room:], false
		}
		w.line = append(w.line, part...)
		if rest = after; ended || len(w.line) == limit && len(rest) > 0 {
			w.emit(ended)
		}
	}
	return len(p), nil
}

// Flush emits the last line if it had no end.
func (w *LineWriter) Flush() {
	if len(w.line) > 0 {
		w.emit(true)
	}
}

func (w *LineWriter) emit(ended bool) {
	w.Emit(bytes.TrimSuffix(w.line, []byte("\r")), ended && !w.cut)
	w.line, w.cut = w.line[:0], !ended
}
