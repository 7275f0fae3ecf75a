package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// chunkSize is how much of a file is decoded at a time, in bytes. A longer
// line makes a longer chunk.
const chunkSize = 256 << 10

// minRow is less than the names of the fields that a row must have come to, in
// bytes, so that a chunk of blank lines takes no room for rows.
const minRow = 100

var newline = []byte("\n")

// chunk is a piece of a file, cut where lines end.
type chunk struct {
	// file is an index into the files scanned, name its path.
	file int
	name string
	// first is the number of the chunk's first line, lines how many it has.
	first, lines int
	data         []byte
	// last is true for the last chunk of a file.
	last bool

	// done is closed when the fields below are set.
	done  chan struct{}
	slots []slot
	rows  int
	torn  *Torn
	// err is about what follows the rows.
	err error
}

func (c *chunk) reset(file int, name string, first int) {
	data := c.data[:0]
	if cap(data) != chunkSize {
		data = make([]byte, 0, chunkSize)
	}
	*c = chunk{file: file, name: name, first: first, data: data, slots: c.slots, done: make(chan struct{})}
}

// fill reads on from f, after what is left of the piece before, and returns
// what it leaves in turn. The returned slice uses the storage of carry.
func (c *chunk) fill(f io.Reader, carry []byte) ([]byte, error) {
	c.data = append(c.data, carry...)
	for {
		size := len(c.data)
		if size > MaxLine {
			return nil, tooLong(c.name, c.first)
		}
		c.data = slices.Grow(c.data, chunkSize-size%chunkSize)
		n, err := io.ReadFull(f, c.data[size:size+chunkSize-size%chunkSize])
		c.data = c.data[:size+n]
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			c.last = true
			c.lines = bytes.Count(c.data, newline) + 1
			return nil, nil
		case err != nil:
			return nil, fault.Infraf("read ledger: %w", err)
		}
		if end := bytes.LastIndexByte(c.data[size:], '\n') + 1; end > 0 {
			carry = append(carry[:0], c.data[size+end:]...)
			c.data = c.data[:size+end]
			c.lines = bytes.Count(c.data, newline)
			return carry, nil
		}
	}
}

// decode makes rows of the chunk's lines, up to one that is none.
func (c *chunk) decode(d *decoder) {
	if rows := min(c.lines, len(c.data)/minRow+1); len(c.slots) < rows {
		c.slots = make([]slot, rows)
	}
	rest := c.data
	for line := c.first; len(rest) > 0 && c.err == nil; line++ {
		var text []byte
		text, rest, _ = bytes.Cut(rest, newline)
		if size := len(text); size > MaxLine {
			c.err = tooLong(c.name, line)
			return
		}
		if text = trim(text); len(text) == 0 {
			continue
		}
		s := &c.slots[c.rows]
		s.line, s.text = line, text
		err := d.decode(s)
		switch {
		case err == nil:
			c.rows++
		case c.last && len(trim(rest)) == 0 && torn(text):
			c.torn = &Torn{File: c.name, Line: line, Bytes: int64(len(text))}
		default:
			c.err = badLine(c.name, line, err)
		}
	}
}

// decoder is what goroutines need to decode chunks.
type decoder struct {
	// whole keeps unknown fields, sums has the sum of each line.
	whole, sums bool
	seed        maphash.Seed
}

func (d *decoder) decode(s *slot) error {
	if err := s.decode(s.text, d.whole); err != nil {
		return errors.New(explain(err))
	}
	if err := checkShape(s.row(), s.has); err != nil {
		return err
	}
	s.sum = maphash.Bytes(d.seed, s.text)
	if d.sums {
		s.own = sumOf(s.text)
	}
	s.cell = maphash.Comparable(d.seed, s.row().Cell())
	return nil
}

func tooLong(file string, line int) error {
	return badLine(file, line, fmt.Errorf("it is longer than the %d MiB that a row may have", MaxLine>>20))
}

func badLine(file string, line int, err error) error {
	return fault.Invalidf("ledger %s line %d is not a row: %w; mend the line or delete it", file, line, err)
}
