package service_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	// into has an App fail so, nil where the context does.
	into func(*rig)
}

// failures are what may fail while a delivery is worked at.
func failures() map[string]failure {
	github := &interruption{}
	return map[string]failure{
		"the database": {next: func(ctx context.Context, n int) (context.Context, func() bool) {
			w := &without{Context: ctx, at: n}
			return w, w.came
		}},
		"GitHub": {next: func(ctx context.Context, n int) (context.Context, func() bool) {
			github.next(n)
			return context.WithValue(ctx, deliveryOnly{}, true), github.came
		}, into: func(r *rig) { r.transport = github }},
	}
}

// The n-th attempt at a delivery lacks the n-th answer, of the database or of GitHub.
// It is attempted again, unless all is done, and what people see in the end is what
// they would have seen.
func TestADeliveryIsMadeUpForWhicheverAnswerIsMissing(t *testing.T) {
	t.Parallel()
	for name, c := range interruptibles() {
		if !testkit.IsComplete() && name != "an approval" {
			continue // it takes an App for each answer that can be done without
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want []string
			t.Run("undisturbed", func(t *testing.T) {
				r := newRig(t, c.config)
				r.deliver(c.event(r))
				r.wait(c.told)
				want = r.visible()
			})
			for of, fails := range failures() {
				for n, came := 1, true; came; {
					t.Run(fmt.Sprintf("%s from answer %d", of, n), func(t *testing.T) {
						r := newRig(t, c.config)
						if fails.into != nil {
							fails.into(r)
						}
						event, payload := c.event(r)
						delivery := r.delivery("delivery-1000", event, payload)
						for err := errNoDatabase; err != nil; n++ {
							ctx, reached := fails.next(t.Context(), n)
							err = r.service.Deliver(ctx, delivery)
							if came = reached(); !came {
								require.NoError(t, err)
							}
						}
						r.wait(c.told)
						assert.ElementsMatch(t, want, r.visible(), "up to answer %d", n-1)
					})
				}
			}
		})
	}
}
