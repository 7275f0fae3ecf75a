package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

// overdue is why a watchdog ended an attempt.
type overdue struct {
	kind  bench.ErrorType
	limit time.Duration
}

// Error says which limit was passed.
func (o overdue) Error() string {
	switch o.kind {
	case bench.TimeoutNoFirstAnswer:
		return fmt.Sprintf("the agent gave no first answer within %s", o.limit)
	case bench.TimeoutStalled:
		return fmt.Sprintf("the session stalled: no sign of life for %s", o.limit)
	default:
		return fmt.Sprintf("the agent gave no final answer within %s", o.limit)
	}
}

// limits are the clocks of rule N6.
type limits struct{ firstAnswer, stall, total time.Duration }

// watchdog ends an attempt whose agent is too late (rule N6). The clock of the
// whole attempt runs from the first prompt. In each turn the clock of the
// first answer runs until there is one, whatever else is heard; from then on
// that of stalls, but for the time that tools run.
type watchdog struct {
	limits limits
	cancel context.CancelCauseFunc
	total  *time.Timer

	mu sync.Mutex
	// alarm is the clock that runs beside it, nil where none does.
	alarm *time.Timer
	// answered is true once the model has said something in the turn; tools
	// counts those that run.
	answered bool
	tools    int
}

// watch returns a context that ends when a limit is passed, with an [overdue]
// as its cause.
func watch(ctx context.Context, l limits) (context.Context, *watchdog) {
	ctx, cancel := context.WithCancelCause(ctx)
	total := time.AfterFunc(l.total, func() { cancel(overdue{bench.TimeoutNoFinalAnswer, l.total}) })
	return ctx, &watchdog{limits: l, cancel: cancel, total: total}
}

// stop ends the clocks.
func (w *watchdog) stop() {
	w.total.Stop()
	w.cancel(nil)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unset()
}

// prompt has a turn with an agent. What it returns is an [overdue] if the
// agent was stopped by a clock; an answer that came in time counts, even if a
// clock ran out in the same moment.
func (w *watchdog) prompt(ctx context.Context, session agent.Session, prompt agent.Prompt) (turn agent.Turn, err error) {
	w.begin()
	err = guarded(func() (err error) {
		turn, err = session.Prompt(ctx, prompt)
		return err
	})
	var late overdue
	switch {
	case err == nil:
		return turn, nil
	case errors.As(context.Cause(ctx), &late) && !errors.Is(err, agent.ErrStopSuite):
		return turn, late
	default:
		return turn, fmt.Errorf("prompt agent: %w", err)
	}
}

func (w *watchdog) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answered, w.tools = false, 0
	w.set(bench.TimeoutNoFirstAnswer, w.limits.firstAnswer)
}

// event takes a sign of life of the agent. A tool that runs is one all the
// time.
func (w *watchdog) event(e agent.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e {
	case agent.EventAnswer:
		w.answered = true
	case agent.EventToolStart:
		w.answered = true
		w.tools++
	case agent.EventToolEnd:
		w.tools = max(0, w.tools-1)
	case agent.EventProgress:
	}
	switch {
	case w.tools > 0:
		w.unset()
	case w.answered:
		w.set(bench.TimeoutStalled, w.limits.stall)
	}
}

// set starts a clock in the place of the one that runs. One that has run out
// and is not heard yet does not count any more.
func (w *watchdog) set(kind bench.ErrorType, limit time.Duration) {
	w.unset()
	var alarm *time.Timer
	alarm = time.AfterFunc(limit, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.alarm == alarm {
			w.cancel(overdue{kind, limit})
		}
	})
	w.alarm = alarm
}

func (w *watchdog) unset() {
	if w.alarm != nil {
		w.alarm.Stop()
		w.alarm = nil
	}
}
