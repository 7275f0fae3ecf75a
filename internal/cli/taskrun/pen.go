package taskrun

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// pen writes rows in the order in which they come. Those that come while the disk is
// at others are written together, so that a benchmark that tells of a thousand tasks
// at once does not wait a thousand times.
type pen struct {
	run   *Run
	queue chan order
	ended chan struct{}
	// stop ends what is under way if rows cannot be written.
	stop context.CancelCauseFunc
	// save keeps a transcript in folder; nil keeps none.
	save   func(bench.Cell, int, agent.Transcript) error
	folder string
	// sums are those of the rows that were written.
	sums ledger.Sums

	mu sync.Mutex
	// err is why no more rows are written; told says that somebody was told of it.
	err  error
	told bool
}

// order is a row to write or, without one, a question whether all before it are.
type order struct {
	kept
	written chan<- struct{}
}

// queued is how many rows wait at most.
const queued = 1024

func newPen(r *Run) *pen {
	p := &pen{run: r, queue: make(chan order, queued), ended: make(chan struct{}), stop: func(error) {}, sums: r.info.Sums}
	if r.options.Secrets != nil {
		p.folder = verify.TranscriptsFolder(r.Folder(), r.info)
		p.save = verify.SaveTranscripts(p.folder, r.options.RunID, r.options.Secrets)
	}
	go p.work()
	return p
}

func (p *pen) write(k kept) { p.queue <- order{kept: k} }

// flush waits until all rows are on the disk, and returns why some are not.
func (p *pen) flush() error {
	written := make(chan struct{})
	p.queue <- order{written: written}
	<-written
	return p.failure()
}

// failure returns why rows are not on the disk.
func (p *pen) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = p.err != nil
	return p.err
}

// close ends the writing. It returns why rows are not on the disk unless that was told.
func (p *pen) close() (failed bool, err error) {
	close(p.queue)
	<-p.ended
	if p.told {
		return p.err != nil, nil
	}
	return p.err != nil, p.err
}

func (p *pen) work() {
	defer close(p.ended)
	for first := range p.queue {
		orders := []order{first}
		for more := true; more; {
			select {
			case next, open := <-p.queue:
				if more = open; open {
					orders = append(orders, next)
				}
			default:
				more = false
			}
		}
		p.take(orders)
		for _, o := range orders {
			if o.written != nil {
				close(o.written)
			}
		}
	}
}

// take writes rows, each mode's at once. After one that cannot be written there are no
// further ones.
func (p *pen) take(orders []order) {
	rows := map[bench.Mode][]*bench.Row{}
	var modes []bench.Mode
	for _, o := range orders {
		if o.row == nil {
			continue
		}
		err := p.err
		if err == nil {
			err = p.keep(o.kept)
		}
		if err != nil {
			p.fail(err, o.row)
			continue
		}
		if rows[o.row.Mode] == nil {
			modes = append(modes, o.row.Mode)
		}
		rows[o.row.Mode] = append(rows[o.row.Mode], o.row)
	}
	for _, mode := range modes {
		sums, err := p.run.rows.AppendAll(mode, rows[mode])
		if err != nil {
			p.fail(err, rows[mode]...)
			continue
		}
		for i, sum := range sums {
			p.sums.Keep(rows[mode][i].Cell(), sum)
			if k := p.run.options.Keeper; k != nil {
				k.Row(rows[mode][i])
			}
		}
	}
}

// fail ends the writing. What is not on the disk is not done.
func (p *pen) fail(err error, rows ...*bench.Row) {
	if p.err == nil {
		p.mu.Lock()
		p.err = err
		p.mu.Unlock()
		p.stop(err)
	}
	for _, row := range rows {
		p.run.forget(row.Cell())
	}
}

// forget has a cell not be done whose row could not be written.
func (r *Run) forget(cell bench.Cell) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.done, cell)
}

// AccountPath returns where the benchmark's own account of a cell is kept. It is
// beside the transcript.
func AccountPath(folder string, cell bench.Cell) string {
	return strings.TrimSuffix(verify.TranscriptPath(folder, cell, 1), ".json") + "-result.json"
}

// keep keeps the transcript and the benchmark's own account of a task, without
// secrets.
func (p *pen) keep(k kept) error {
	if !k.keep || p.save == nil {
		return nil
	}
	cell := k.row.Cell()
	if len(k.measured.Messages) > 0 {
		if err := p.save(cell, 1, transcript(k.row, k.measured.Messages)); err != nil {
			return err
		}
	}
	if !json.Valid(k.measured.Result) {
		return nil
	}
	path := AccountPath(p.folder, cell)
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, p.run.options.Secrets.Bytes(k.measured.Result), 0o600)
	}
	if err != nil {
		return fault.Infraf("keep the benchmark's account of %s: %w", cell, err)
	}
	return nil
}
