package ledger

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// tail is the end of a file: its last line that is not blank, with the
// newline if it has one, and what follows.
type tail struct {
	start int64
	text  []byte
}

// lastLine reads the end of a file, backwards in pieces, so that it takes the
// same time on a file of any size. The text is empty in an empty file.
func lastLine(f *os.File) (tail, error) {
	info, err := f.Stat()
	if err != nil {
		return tail{}, fault.Infraf("read ledger: %w", err)
	}
	t := tail{start: info.Size()}
	for size := int64(chunkSize); t.start > 0; size *= 2 {
		piece := make([]byte, min(size, t.start))
		if _, err := f.ReadAt(piece, t.start-int64(len(piece))); err != nil {
			return tail{}, fault.Infraf("read ledger: %w", err)
		}
		t.start -= int64(len(piece))
		t.text = append(piece, t.text...)
		if end := bytes.LastIndexByte(bytes.TrimRight(t.text, " \t\r\n"), '\n') + 1; end > 0 {
			t.start += int64(end)
			t.text = t.text[end:]
			break
		}
		if len(t.text) > 2*MaxLine {
			return tail{}, fault.Invalidf("%s is not a ledger, because its last line is longer than a row can be: name another file", f.Name())
		}
	}
	return t, nil
}

// countLines returns the number of a file's last line that is not blank.
func countLines(f *os.File) (int, error) {
	count, last := 0, 0
	piece := make([]byte, chunkSize)
	for at := int64(0); ; {
		n, err := f.ReadAt(piece, at)
		at += int64(n)
		for rest := piece[:n]; len(rest) > 0; {
			line, after, ended := bytes.Cut(rest, newline)
			if len(trim(line)) > 0 {
				last = count + 1
			}
			if ended {
				count++
			}
			rest = after
		}
		if errors.Is(err, io.EOF) {
			return last, nil
		}
		if err != nil {
			return 0, fault.Infraf("read ledger: %w", err)
		}
	}
}
