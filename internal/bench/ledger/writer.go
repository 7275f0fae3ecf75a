package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/platform"
)

const (
	filePerm = 0o644
	dirPerm  = 0o755
)

// Writer appends rows to one file, which nobody else can write meanwhile. It
// is safe for concurrent use.
type Writer struct {
	path string

	mu   sync.Mutex
	file file
	// size is where the last whole row ends; broken is why the file cannot be
	// brought back to it, nil while all is well.
	size   int64
	broken error
}

// file is what a Writer needs of an [os.File] opened for appending.
type file interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

// Open opens a file for appending, creates it and its directory if need be,
// and locks it. A torn last line is cut off and returned, nil if there was
// none; a last row that lacks only its newline is given it. The error is of
// kind invalid if another run is writing to the file or if it is no ledger,
// of kind infrastructure if it cannot be written.
func Open(path string) (*Writer, *Torn, error) { return openLocked(path, refuse) }

func openLocked(path string, taken whenTaken) (*Writer, *Torn, error) {
	if err := os.MkdirAll(filepath.Dir(path), dirPerm); err != nil {
		return nil, nil, unwritable(path, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, filePerm)
	if err != nil {
		return nil, nil, unwritable(path, err)
	}
	w := &Writer{path: path, file: f}
	cut, err := w.begin(f, taken)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return w, cut, nil
}

func (w *Writer) begin(f *os.File, taken whenTaken) (*Torn, error) {
	if err := lock(f, taken); err != nil {
		return nil, err
	}
	if err := syncDir(filepath.Dir(w.path)); err != nil {
		return nil, unwritable(w.path, err)
	}
	tail, err := lastLine(f)
	if err != nil {
		return nil, err
	}
	w.size = tail.start + int64(len(tail.text))
	switch text := trim(tail.text); {
	case len(text) == 0:
		return nil, nil
	case complete(text):
		return nil, w.endLine(tail)
	case !torn(text):
		return nil, fault.Invalidf("%s is not a ledger, because its last line is not a row: name another file", w.path)
	}
	line, err := countLines(f)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(f.Truncate(tail.start), f.Sync()); err != nil {
		return nil, unwritable(w.path, err)
	}
	w.size = tail.start
	return &Torn{File: w.path, Line: line, Bytes: int64(len(trim(tail.text)))}, nil
}

// endLine writes the newline that a file's last row lacks.
func (w *Writer) endLine(tail tail) error {
	if tail.text[len(tail.text)-1] == '\n' {
		return nil
	}
	return w.write(newline)
}

// Append writes a row as one line, in one write, and has the disk take it. If
// that fails, the file is as it was before; the error is of kind
// infrastructure and names the file and the mend.
func (w *Writer) Append(row *bench.Row) error {
	_, err := w.AppendAll([]*bench.Row{row})
	return err
}

// AppendAll is [Writer.Append] for rows that came together, which the disk takes at
// once. It returns the sum of each line.
func (w *Writer) AppendAll(rows []*bench.Row) ([]Sum, error) {
	var text []byte
	sums := make([]Sum, 0, len(rows))
	for _, row := range rows {
		line, err := lineOf(row)
		if err != nil {
			return nil, fault.Internalf("write the row of cell %s: %w", row.Cell(), err)
		}
		if len(line) > MaxLine {
			return nil, fault.Internalf("write the row of cell %s: it has %d bytes, more than the %d that a row may have", row.Cell(), len(line), MaxLine)
		}
		sums = append(sums, sumOf(line))
		if text == nil {
			// Rows of one run are about as long as each other.
			text = make([]byte, 0, len(rows)*(len(line)+len(line)/4+1))
		}
		text = append(append(text, line...), '\n')
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return sums, w.write(text)
}

// lineOf returns a row as JSON in one line. Fields that were read with it, and are
// not known, may have line ends.
func lineOf(row *bench.Row) ([]byte, error) {
	if row.Extra == nil {
		return row.MarshalJSON()
	}
	return json.Marshal(row)
}

func (w *Writer) write(text []byte) error {
	if w.broken != nil {
		return w.broken
	}
	n, err := w.file.Write(text)
	if err == nil && n < len(text) {
		err = io.ErrShortWrite
	}
	if err == nil {
		err = w.file.Sync()
	}
	if err == nil {
		w.size += int64(len(text))
		return nil
	}
	if undo := w.file.Truncate(w.size); undo != nil {
		w.broken = fault.Infraf("append to ledger %s: %w; the line could not be taken back (%v), so nothing more is written: its rows up to byte %d are whole", w.path, err, undo, w.size)
		return w.broken
	}
	return fault.Infraf("append to ledger %s: %w; its earlier rows are whole: %s and resume the run", w.path, err, mend(err))
}

// mend says what people can do about a failed write.
func mend(err error) string {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return "make room on the disk"
	}
	return "see to the disk"
}

// Close gives the file back. It may be called more than once.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(w.broken, os.ErrClosed) {
		return nil
	}
	w.broken = fault.Internalf("append to ledger %s: %w", w.path, os.ErrClosed)
	if err := w.file.Close(); err != nil {
		return fault.Infraf("close ledger: %w", err)
	}
	return nil
}

func unwritable(path string, err error) error {
	return fault.Infraf("write ledger %s: %w; make its directory writable or choose another", path, err)
}

// whenTaken says what to do about a file that another process writes to.
type whenTaken bool

const (
	refuse whenTaken = false
	wait   whenTaken = true
)

// lock takes the file for this process, until it is closed.
func lock(f *os.File, taken whenTaken) error {
	err := platform.Lock(f, bool(taken))
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return fault.Invalidf("another run is writing to %s: wait for its end or choose another file", f.Name())
	}
	if err != nil {
		return fault.Infraf("lock ledger %s: %w", f.Name(), err)
	}
	return nil
}

// syncDir has the disk take the names in a directory.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("open directory: %w", err)
	}
	return errors.Join(d.Sync(), d.Close())
}
