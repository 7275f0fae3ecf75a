package checkpoint

import (
	"context"
	"fmt"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Reader reads GitHub's state, with another token than the agent's and without
// ghx (rule S6).
type Reader interface {
	// Read answers a read whose references are filled in. The answer encodes to
	// JSON; nil means that the thing is not there, which is no error. What an
	// error's chain makes public is shown to users.
	Read(ctx context.Context, read bench.Read) (any, error)
}

// Poll says how patiently a checkpoint is read at the end of an attempt:
// GitHub may show a write only some time after it has accepted it. The zero
// value reads once.
type Poll struct {
	// Attempts is how often a checkpoint that does not hold, or cannot be
	// read, is read in all. Less than 1 means 1.
	Attempts int
	// Pause waits before the next read; its error ends the polling. Nil means
	// no pause.
	Pause func(ctx context.Context) error
}

// Track follows the checkpoints of one attempt. It is safe for concurrent use.
type Track struct {
	reader      Reader
	checkpoints []bench.Checkpoint

	mu      sync.Mutex
	watched bool
	writes  int
	// held and unread are indexed as checkpoints and about those that are to
	// hold during the attempt: the finding that held, and the last one for
	// which the state could not be read. Nil where there is none.
	held   []*finding
	unread []*finding
}

// finding is what one look at GitHub's state came to.
type finding struct {
	passed   bool
	readable bool
	detail   string
}

// NewTrack returns a track of checkpoints whose inputs are complete.
func NewTrack(reader Reader, checkpoints []bench.Checkpoint) *Track {
	return &Track{
		reader:      reader,
		checkpoints: checkpoints,
		held:        make([]*finding, len(checkpoints)),
		unread:      make([]*finding, len(checkpoints)),
	}
}

// Watch has the checkpoints that are to hold during the attempt looked at
// after each of the agent's writes. It is called before the agent starts, with
// what calls a function after each write (a target's Place.OnWrite); nil means
// that writes cannot be watched, and these checkpoints cannot be read then.
// The reads end with ctx.
func (t *Track) Watch(ctx context.Context, onWrite func(f func())) {
	if onWrite == nil {
		return
	}
	t.mu.Lock()
	t.watched = true
	t.mu.Unlock()
	onWrite(func() { t.written(ctx) })
}

// Writes returns how often the agent wrote, 0 where that is not watched.
func (t *Track) Writes() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.writes
}

func (t *Track) written(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writes++
	for i, cp := range t.checkpoints {
		if cp.When != bench.During || t.held[i] != nil {
			continue
		}
		switch found := t.look(ctx, cp); {
		case found.passed:
			t.held[i] = &found
		case !found.readable:
			t.unread[i] = &found
		}
	}
}

// Run judges all checkpoints, in their order, when the agent's turn has ended.
// Readable is true if every one of them could be read, whatever was found: an
// attempt that is not readable says nothing about the agent (rule S9).
func (t *Track) Run(ctx context.Context, poll Poll) (results []bench.CheckpointResult, readable bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	readable = true
	for i, cp := range t.checkpoints {
		found := t.find(ctx, i, poll)
		readable = readable && found.readable
		results = append(results, bench.CheckpointResult{Name: cp.Name, Passed: found.passed, Detail: found.detail})
	}
	return results, readable
}

func (t *Track) find(ctx context.Context, i int, poll Poll) finding {
	cp := t.checkpoints[i]
	switch {
	case cp.When != bench.During:
		return t.settle(ctx, cp, poll)
	case !t.watched:
		return finding{detail: "the agent's writes cannot be watched here"}
	case t.held[i] != nil:
		return *t.held[i]
	case t.writes == 0:
		return finding{readable: true, detail: "the agent wrote nothing"}
	}
	// The state at the end is the one after the last write, which GitHub may
	// not have shown yet when it was looked at.
	found := t.settle(ctx, cp, poll)
	if found.passed || !found.readable {
		return found
	}
	if t.unread[i] != nil {
		return *t.unread[i]
	}
	found.detail = line(fmt.Sprintf("not after any of %d writes; at the end %s", t.writes, found.detail))
	return found
}

// settle looks until the checkpoint holds or patience ends.
func (t *Track) settle(ctx context.Context, cp bench.Checkpoint, poll Poll) finding {
	var found finding
	poll.Until(ctx, func() bool {
		found = t.look(ctx, cp)
		return found.passed
	})
	return found
}

// Until looks until it is told that what is wanted is there, or patience ends.
func (p Poll) Until(ctx context.Context, look func() bool) {
	for left := p.Attempts; ; left-- {
		if look() || left <= 1 || p.pause(ctx) != nil {
			return
		}
	}
}

func (p Poll) pause(ctx context.Context) error {
	if p.Pause == nil {
		return nil
	}
	return p.Pause(ctx)
}

func (t *Track) look(ctx context.Context, cp bench.Checkpoint) finding {
	answer, err := t.reader.Read(ctx, cp.Look())
	if err != nil {
		return finding{detail: line("cannot be read: " + fault.Public(err))}
	}
	passed, detail := Evaluate(cp, answer)
	return finding{passed: passed, readable: true, detail: detail}
}
