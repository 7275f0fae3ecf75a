package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// The exit codes of [Main].
const (
	exitInvalid        = 2
	exitInfrastructure = 3
)

// Main is the main function of a program that is a benchmark: it does what a
// [CommandRunner] asks the program for, by the runner, and returns the exit code. So
// a runner has all of the command line, with the configuration
//
//	benchmark: command
//	command: [go, run, ./mybench]
//
// What the runner [Tell]s of is printed as it comes, the rest of its results at its
// end. It is stopped by SIGINT and SIGTERM.
func Main(r Runner) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	err := Serve(ctx, r, os.Stdin, os.Stdout)
	switch {
	case err == nil:
		return 0
	case IsInvalid(err):
		fmt.Fprintln(os.Stderr, err)
		return exitInvalid
	default:
		fmt.Fprintln(os.Stderr, err)
		return exitInfrastructure
	}
}

// Request is what a benchmark's program is asked for.
type Request struct {
	// TaskIDs is nil for all tasks of the split.
	TaskIDs []string
	// Split may be [WholeDataset].
	Split          string
	MaxConcurrency int
	// PerTaskTimeout is a task's limit, 0 for none.
	PerTaskTimeout time.Duration
}

// Lister is a [Runner] that knows its tasks. A run that is to do all of them, and is
// ended, goes on with the rest then.
type Lister interface {
	// Tasks returns the ids of a split's tasks.
	Tasks(ctx context.Context, split string) ([]string, error)
}

type servedKey struct{}

// served is what a runner that is served knows of it.
type served struct {
	request Request
	mu      sync.Mutex
	out     io.Writer
	told    map[string]bool
	err     error
}

// RequestOf returns what was asked for, in a runner that [Serve] runs; the zero
// value elsewhere.
func RequestOf(ctx context.Context) Request {
	if s, is := ctx.Value(servedKey{}).(*served); is {
		return s.request
	}
	return Request{}
}

// Tell tells of a task that is done, with what was measured of it, before the runner
// is at its end. It does nothing in a runner that [Serve] does not run. Several
// goroutines may call it.
func Tell(ctx context.Context, p Progress) {
	if s, is := ctx.Value(servedKey{}).(*served); is {
		s.tell(p)
	}
}

// Serve does what one request asks for, by a runner; see [CommandRunner] for what it
// reads and writes. The error is the runner's, of kind invalid for a request that is
// none, and of kind infrastructure if results cannot be written.
func Serve(ctx context.Context, r Runner, in io.Reader, out io.Writer) error {
	var asked request
	if err := json.NewDecoder(in).Decode(&asked); err != nil {
		return Invalidf("read what is asked for on standard input, as {\"task_ids\": null, \"split\": null}: %w; `bench harness run` asks so", err)
	}
	s := &served{out: out, told: map[string]bool{}, request: Request{
		TaskIDs: asked.TaskIDs, Split: WholeDataset, MaxConcurrency: max(1, asked.MaxConcurrency),
		PerTaskTimeout: time.Duration(asked.PerTaskTimeout * float64(time.Second)),
	}}
	if asked.Split != nil {
		s.request.Split = *asked.Split
	}
	ctx = context.WithValue(ctx, servedKey{}, s)
	if l, is := r.(Lister); is && asked.TaskIDs == nil {
		ids, err := l.Tasks(ctx, s.request.Split)
		if err != nil {
			return err
		}
		s.print(map[string]any{tasksKey: ids})
	}
	results, err := r.Run(ctx, asked.TaskIDs)
	if err != nil {
		return err
	}
	for _, id := range results.IDs() {
		s.tell(Progress{TaskID: id, Outcome: results[id]})
	}
	return s.err
}

// tell prints a task's result, the first one that is told.
func (s *served) tell(p Progress) {
	s.mu.Lock()
	again := s.told[p.TaskID]
	s.told[p.TaskID] = true
	s.mu.Unlock()
	if again {
		return
	}
	outcome, err := json.Marshal(p.Outcome)
	measured, measuredErr := json.Marshal(p.Measured)
	line := map[string]json.RawMessage{}
	if err := errors.Join(err, measuredErr, json.Unmarshal(outcome, &line), json.Unmarshal(measured, &line)); err != nil {
		s.fail(fmt.Errorf("tell of task %s: %w", p.TaskID, err))
		return
	}
	s.print(map[string]any{p.TaskID: line})
}

// print writes a line.
func (s *served) print(value any) {
	line, err := json.Marshal(value)
	s.mu.Lock()
	if err == nil {
		_, err = s.out.Write(append(line, '\n'))
	}
	s.mu.Unlock()
	if err != nil {
		s.fail(Infraf("write results: %w", err))
	}
}

func (s *served) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = errors.Join(s.err, err)
}
