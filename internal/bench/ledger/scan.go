package ledger

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"runtime"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Report says what a scan met besides rows.
type Report struct {
	// Rows counts the rows visited.
	Rows int
	// Duplicates counts the rows left out because the same line was there
	// before.
	Duplicates int
	// Torn has the torn last lines, which do not count.
	Torn []Torn
}

// Scan calls visit with every row of the files, in their order, from one
// goroutine. Lines are decoded in parallel; the memory in use does not grow
// with the files, but for some 30 bytes per row to find rows that stand twice.
//
// The row is valid during the call only: its strings may be kept, but not the
// row nor what its pointers, slices and maps refer to. Unknown fields are
// dropped; [Read] keeps them.
//
// Blank lines are skipped, and so is a torn last line, which the report names.
// The second of two equal lines is left out. An error is of kind invalid and
// names file and line if a line is longer than [MaxLine] or no row, if two
// rows that are not equal report one cell, or if a file cannot be opened; it
// is of kind infrastructure if reading breaks off. An error of visit ends the
// scan; an invalid one gets file and line of its row before it.
func Scan(files []string, visit func(*bench.Row) error) (Report, error) {
	return scan(files, decoder{}, func(row *bench.Row, _ Line) error { return visit(row) })
}

// ScanLines is [Scan] for who wants to know where each row stands.
func ScanLines(files []string, visit func(*bench.Row, Line) error) (Report, error) {
	return scan(files, decoder{sums: true}, visit)
}

// Read returns the rows of the files, unknown fields included. It is for files
// that fit into memory; the rest is as with [Scan].
func Read(files []string) ([]bench.Row, Report, error) {
	var rows []bench.Row
	report, err := scan(files, decoder{whole: true}, func(row *bench.Row, _ Line) error {
		rows = append(rows, *row)
		return nil
	})
	return rows, report, err
}

func scan(files []string, by decoder, visit func(*bench.Row, Line) error) (Report, error) {
	workers := runtime.GOMAXPROCS(0)
	p := newPipeline(2*workers + 1)
	by.seed = maphash.MakeSeed()
	var running sync.WaitGroup
	defer running.Wait()
	defer close(p.stop)
	running.Go(func() { p.read(files) })
	for range workers {
		running.Go(func() {
			for c := range p.work {
				c.decode(&by)
				close(c.done)
			}
		})
	}
	v := visitor{files: files, visit: visit, known: map[uint64]place{}}
	for c := range p.order {
		<-c.done
		if err := v.chunk(c); err != nil {
			return v.report, err
		}
		p.free <- c
	}
	return v.report, nil
}

// pipeline carries a fixed number of chunks from the reader to the decoders
// and, in the order of reading, to the visitor, and back.
type pipeline struct {
	free  chan *chunk
	work  chan *chunk
	order chan *chunk
	stop  chan struct{}
}

func newPipeline(chunks int) *pipeline {
	p := &pipeline{
		free:  make(chan *chunk, chunks),
		work:  make(chan *chunk, chunks),
		order: make(chan *chunk, chunks),
		stop:  make(chan struct{}),
	}
	for range chunks {
		p.free <- &chunk{}
	}
	return p
}

// read sends the files' chunks until an error, which is sent as a chunk too.
func (p *pipeline) read(files []string) {
	defer close(p.work)
	defer close(p.order)
	for i, name := range files {
		if !p.readFile(i, name) {
			return
		}
	}
}

// readFile reports whether the scan goes on.
func (p *pipeline) readFile(index int, name string) bool {
	f, err := openToRead(name)
	if err == nil {
		defer f.Close()
	}
	var carry []byte
	for line := 1; ; {
		var c *chunk
		select {
		case c = <-p.free:
		case <-p.stop:
			return false
		}
		c.reset(index, name, line)
		if err == nil {
			carry, err = c.fill(f, carry)
		}
		if err != nil {
			c.err = err
			c.data = c.data[:0]
		}
		line += c.lines
		p.work <- c
		p.order <- c
		if c.last || err != nil {
			return err == nil
		}
	}
}

func openToRead(name string) (*os.File, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Invalidf("there is no ledger %s: name a file that a run has written", name)
	}
	if err != nil {
		return nil, fault.Invalidf("open ledger: %w", err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errors.Join(fault.Invalidf("%s is a directory, not a ledger: name the files in it", name), f.Close())
	}
	return f, nil
}

// visitor hands rows on and finds cells that are reported twice.
type visitor struct {
	files  []string
	visit  func(*bench.Row, Line) error
	known  map[uint64]place
	report Report
}

// place is where a cell was first reported. Files and lines are told apart
// after 4 billion only.
type place struct {
	sum  uint64
	file uint32
	line uint32
}

func (v *visitor) chunk(c *chunk) error {
	for i := range c.rows {
		s := &c.slots[i]
		again, err := v.again(c, s)
		if err != nil {
			return err
		}
		if again {
			continue
		}
		if err := v.visit(s.row(), Line{File: c.name, Number: s.line, Sum: s.own}); err != nil {
			return locate(c.name, s.line, err)
		}
		v.report.Rows++
	}
	if c.torn != nil {
		v.report.Torn = append(v.report.Torn, *c.torn)
	}
	return c.err
}

// again reports whether the same row was visited before. Cells and lines are
// compared by 64-bit hashes.
func (v *visitor) again(c *chunk, s *slot) (bool, error) {
	first, known := v.known[s.cell]
	if !known {
		v.known[s.cell] = place{sum: s.sum, file: uint32(c.file), line: uint32(s.line)}
		return false, nil
	}
	if first.sum == s.sum {
		v.report.Duplicates++
		return true, nil
	}
	return false, fault.Invalidf(
		"cell %s is reported twice, and differently, in %s line %d and %s line %d: delete one of the lines or leave one of the files out",
		s.row().Cell(), v.files[first.file], first.line, c.name, s.line)
}

// locate puts file and line before the text of an invalid error.
func locate(file string, line int, err error) error {
	if fault.KindOf(err) == fault.Invalid {
		return fault.Invalidf("%s line %d: %w", file, line, err)
	}
	return fmt.Errorf("visit %s line %d: %w", file, line, err)
}
