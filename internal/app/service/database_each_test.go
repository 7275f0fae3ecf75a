package service_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

var errNoDatabase = errors.New("the database does not answer")

// without is a context with which one thing that is asked of the database fails: a
// statement, or the beginning or the commit of a transaction. Before each of them the
// context is asked whether it is over.
type without struct {
	context.Context
	// at is which it is, from 1.
	at int

	mu   sync.Mutex
	seen int
}

// statements are what asks a context before a statement is begun, writing is what asks it
// before a commit.
var (
	statements = []string{"database/sql.(*DB).conn", "database/sql.(*Tx).grabConn"}
	writing    = []string{"/queue.(*DB).Write"}
)

// Done is closed for the one that fails.
func (w *without) Done() <-chan struct{} {
	if !askedBy(statements) || !w.next() {
		return w.Context.Done()
	}
	closed := make(chan struct{})
	close(closed)
	return closed
}

// Err is why it fails.
func (w *without) Err() error {
	if askedBy(statements) || askedBy(writing) && w.next() {
		return errNoDatabase
	}
	return w.Context.Err()
}

// next reports whether the next one fails.
func (w *without) next() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen++
	return w.seen == w.at
}

// came reports whether it came to that one.
func (w *without) came() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen >= w.at
}

// askedBy reports whether the function that asks a context is one of those.
func askedBy(names []string) bool {
	callers := make([]uintptr, 1)
	if runtime.Callers(3, callers) == 0 {
		return false
	}
	caller, _ := runtime.CallersFrames(callers).Next()
	for _, name := range names {
		if strings.HasSuffix(caller.Function, name) {
			return true
		}
	}
	return false
}

// failure has one of what is asked for by a delivery fail.
type failure struct {
	// next returns a context for another attempt, of which the n-th fails, and
	// whether it came to that.
	next func(ctx context.Context, n int) (context.Context, func() bool)
	// says is what the error says; empty where it may be made up for at once.
	says string
	// into has an App fail so, and change makes one that does; nil where the
	// context fails.
	into   func(*rig)
	change func(*service.Options)
}

// failures are what may fail while a delivery is worked at.
func failures() map[string]failure {
	// What publishes asks again, and again, before it says that there is no answer.
	answers, tokens := &interruption{more: 2}, &interruption{}
	return map[string]failure{
		"the database": {says: errNoDatabase.Error(), next: func(ctx context.Context, n int) (context.Context, func() bool) {
			w := &without{Context: ctx, at: n}
			return w, w.came
		}},
		"GitHub": {next: func(ctx context.Context, n int) (context.Context, func() bool) {
			answers.next(n)
			return context.WithValue(ctx, deliveryOnly{}, true), answers.came
		}, into: func(r *rig) { r.transport = answers }},
		"a token": {says: "there is no token now", next: func(ctx context.Context, n int) (context.Context, func() bool) {
			tokens.next(n)
			return context.WithValue(ctx, deliveryOnly{}, true), tokens.came
		}, change: func(o *service.Options) {
			clients := o.Clients
			o.Clients = func(ctx context.Context, installation int64, owner, name string) (*github.Client, error) {
				if ctx.Value(deliveryOnly{}) != nil && tokens.now() {
					return nil, fault.Infraf("there is no token now")
				}
				return clients(ctx, installation, owner, name)
			}
		}},
	}
}

// helped has an executor that machines can help, and that a workflow is, too.
func helped(o *service.Options) {
	one := helping{o.Executors[settings.Local]}
	o.Executors = map[settings.Executor]service.Executor{settings.Local: one, settings.Dispatch: one}
}

// helping is an executor that those who help do nothing for.
type helping struct{ service.Executor }

func (helping) Help(context.Context, service.Work) error { return nil }

// isMadeUpFor tries something again and again, with another answer missing each time,
// until it says that it is done. What there is to see in the end is what there would
// have been. Told is how many runs are told of.
func isMadeUpFor(t *testing.T, config string, told int, begin func(*rig) func(context.Context) error, see func(*rig) []string) {
	t.Helper()
	var want []string
	t.Run("undisturbed", func(t *testing.T) {
		r := newRig(t, config, helped)
		require.NoError(t, begin(r)(t.Context()))
		r.wait(told)
		want = see(r)
	})
	for of, fails := range failures() {
		n := 1
		for came := true; came && !t.Failed(); {
			t.Run(fmt.Sprintf("%s from answer %d", of, n), func(t *testing.T) {
				r := newRig(t, config, helped, func(o *service.Options) {
					if fails.change != nil {
						fails.change(o)
					}
				})
				if fails.into != nil {
					fails.into(r)
				}
				do := begin(r)
				for err := errNoDatabase; err != nil; n++ {
					ctx, reached := fails.next(t.Context(), n)
					before := len(r.log.String())
					err = do(ctx)
					if came = reached(); !came {
						require.NoError(t, err)
					} else if err == nil {
						assert.Contains(t, r.log.String()[before:], fails.says, "answer %d is missing, and nobody says so", n)
					}
				}
				r.wait(told)
				assert.ElementsMatch(t, want, see(r), "up to answer %d", n-1)
			})
		}
		if of == "the database" {
			assert.Greater(t, n, 2, "it is asked for nothing that can fail")
		}
	}
}

func TestADeliveryIsMadeUpForWhicheverAnswerIsMissing(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	for name, c := range interruptibles() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			isMadeUpFor(t, c.config, c.told, func(r *rig) func(context.Context) error {
				event, payload := c.event(r)
				delivery := r.delivery("delivery-1000", event, payload)
				return func(ctx context.Context) error { return r.service.Deliver(ctx, delivery) }
			}, func(r *rig) []string {
				r.ahead.Add(int64(10 * time.Minute)) // what GitHub did not show is shown by now
				r.reap()
				for r.showsNoEnd() { // it is published again
					r.wait(1)
				}
				return r.visible()
			})
		})
	}
}

// What a delivery could not do is done when it comes again, and not only by the reaper.
func TestADeliveryThatComesAgainIsMeasuredAtOnce(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	for n, came := 1, true; came && !t.Failed(); n++ {
		t.Run(fmt.Sprint("without answer ", n), func(t *testing.T) {
			r := newRig(t, config)
			opened := map[string]any{"action": "opened", "pull_request": r.pull()}
			w := &without{Context: t.Context(), at: n}
			if err := r.service.Deliver(w, r.delivery("delivery", "pull_request", opened)); err != nil {
				require.NoError(t, r.try("delivery", "pull_request", opened))
			}
			came = w.came()
			r.wait(1)
			assert.Len(t, r.executor.works(), 1)
		})
	}
}

// Neither is a verdict lost, nor one made up, nor is a run that was ended left to go on.
func TestAJobIsMadeUpForWhicheverAnswerIsMissing(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	ended := func(r *rig, state runs.State, o runs.Outcome) {
		r.store(func(*runs.Run) {})
		r.finishes("left", state, o)
	}
	for name, c := range map[string]struct {
		kind  string
		told  int
		begin func(*rig)
	}{
		"a default branch is due": {"due", 1, func(r *rig) {
			r.deliver("push", r.lands("src/b.ts", "Add b"))
			r.ahead.Store(int64(25 * time.Hour))
		}},
		"a verdict is published": {"tell", 0, func(r *rig) {
			o, _ := passes(r.Context(), service.Work{})
			ended(r, runs.Finished, o)
		}},
		"a stop is published": {"tell", 0, func(r *rig) { ended(r, runs.Stopped, runs.Outcome{Reason: "It was cancelled by writer."}) }},
		"a stop is published of what takes a while to end": {"tell", 0, func(r *rig) {
			ended(r, runs.Stopped, runs.Outcome{Reason: "It was cancelled by writer."})
			r.executor.goesOn = []error{service.ErrElsewhere}
		}},
		"what was stopped ends elsewhere": {"abandon", 0, func(r *rig) { ended(r, runs.Stopped, runs.Outcome{Reason: "It was cancelled by writer."}) }},
		"a run is measured":               {"measure", 1, func(r *rig) { r.store(func(*runs.Run) {}) }},
		"a verdict about a base is published": {"tell", 0, func(r *rig) {
			r.store(func(run *runs.Run) { run.Request.Plan.Modes = []bench.Mode{bench.GHX, bench.GHXBase} })
			o, _ := passes(r.Context(), service.Work{})
			r.finishes("left", runs.Finished, o)
		}},
		"a run is shared": {"measure", 1, func(r *rig) {
			r.store(func(run *runs.Run) { run.Request.Seed, run.Request.Plan.Target = 7, settings.SandboxTarget })
		}},
		"a run is helped with": {"help", 0, func(r *rig) { r.store(func(*runs.Run) {}) }},
		"a place is free": {"admit", 1, func(r *rig) {
			r.store(func(*runs.Run) {})
			require.NoError(r, r.db.Write(r.Context(), func(tx *queue.Tx) error { return r.table.Enter(r.Context(), tx, "left") }))
		}},
		"a run that waits is told where": {"reap", 0, func(r *rig) {
			r.goesOn()
			r.comment("writer", "/bench run pr-view-001")
			r.ahead.Store(int64(10 * time.Minute))
		}},
		"a run ends while its check run is made": {"measure", 1, func(r *rig) {
			r.store(func(*runs.Run) {})
			r.transport = &before{text: `"in_progress"`, do: func() {
				r.comment("writer", "/bench cancel")
				r.wait(1)
			}}
		}},
		"a run that lost its job is found": {"reap", 1, func(r *rig) {
			r.store(func(*runs.Run) {})
			r.ahead.Store(int64(10 * time.Minute))
		}},
		"a run that fell silent is ended": {"reap", 1, func(r *rig) {
			r.store(func(run *runs.Run) { run.State, run.Started = runs.Running, r.now() })
			r.reap() // its age grows from here on
			r.ahead.Store(int64(24 * time.Hour))
		}},
		"an end that was not told is": {"reap", 1, func(r *rig) {
			ended(r, runs.Stopped, runs.Outcome{Reason: "It was cancelled by writer."})
			r.ahead.Store(int64(10 * time.Minute))
		}},
		"a run is gone on with": {"measure", 1, func(r *rig) {
			ended(r, runs.Broken, runs.Outcome{Problem: "The model was away.", ProblemKind: fault.Infrastructure})
			require.NoError(r, r.table.AddRow(r.Context(), "left", cellOf("pr-merge-001", 1), []byte(`{"scenario_id":"pr-merge-001","mode":"ghx","iteration":1}`)))
			r.store(func(run *runs.Run) { run.ID, run.Cause, run.Request.Continues = "next", "next", "left" })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			isMadeUpFor(t, config+"baseline: {every: day}\n", c.told, func(r *rig) func(context.Context) error {
				c.begin(r)
				id := "left"
				if _, err := r.table.Get(r.Context(), "next"); err == nil {
					id = "next"
				}
				switch c.kind {
				case "due":
					return r.service.MeasureDue
				case "reap":
					return r.service.Reap
				case "admit":
					return r.service.Admit
				}
				return func(ctx context.Context) error { return r.service.Job(ctx, c.kind, id) }
			}, func(r *rig) []string {
				// What was done in vain, as its end could not be stored, is done again.
				seen := slices.DeleteFunc(r.visible(), func(s string) bool { return strings.HasPrefix(s, "measured") })
				for _, w := range r.executor.works() {
					seen = append(seen, fmt.Sprintf("%s with %s after %d", w.Run.Suite, w.Rows, len(w.Before)))
				}
				if c.kind == "abandon" { // else a job of its own does that, at any time
					seen = append(seen, r.executor.ended()...)
				}
				slices.Sort(seen)
				left, err := r.table.Get(r.Context(), "left")
				return append(slices.Compact(seen), fmt.Sprint("published: ", left.Published, err))
			})
		})
	}
}
