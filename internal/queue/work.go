package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"

	"github.com/riverqueue/river"
)

// handler is what [Handle] was given, for any payload.
type handler struct {
	kind    string
	timeout time.Duration
	do      func(context.Context, Job[json.RawMessage]) error
}

// worker is a handler as River calls it.
type worker struct {
	river.WorkerDefaults[arguments]
	queue   *Queue
	handler handler
}

func (q *Queue) handle(h handler) {
	river.AddWorkerArgs(q.workers, arguments{kind: h.kind}, &worker{queue: q, handler: h})
}

// Timeout returns how long an attempt may take, for River.
func (w *worker) Timeout(*river.Job[arguments]) time.Duration {
	if w.handler.timeout == 0 {
		return -1
	}
	return w.handler.timeout
}

// NextRetry returns when a job is tried again after an error: after pauses that
// double, up to a limit, and differ a little so that jobs that failed together
// do not come back together.
func (w *worker) NextRetry(job *river.Job[arguments]) time.Time {
	pause := w.queue.opts.Pause
	for range job.Attempt - 1 {
		pause = min(2*pause, longestPause)
	}
	const spread = 0.2
	pause = time.Duration(float64(pause) * (1 - spread/2 + spread*rand.Float64()))
	return w.queue.opts.Now().Add(pause)
}

// Work makes one attempt, for River.
func (w *worker) Work(ctx context.Context, job *river.Job[arguments]) error {
	q := w.queue
	ctx, cancel := q.translate(ctx)
	defer cancel(nil)
	defer q.running.add(job.ID, cancel)()
	began := q.opts.Now()
	err := w.attempt(ctx, job)
	if pause, is := q.opts.Later(err); is && !IsPermanent(err) {
		err = Later(pause)
	}
	ended := Ended{
		Kind: w.handler.kind, Attempt: job.Attempt, Took: q.opts.Now().Sub(began), Outcome: q.judge(ctx, err, job.Attempt >= job.MaxAttempts),
	}
	if err != nil && ended.Outcome != Postponed {
		ended.Problem = q.opts.Redact(err.Error())
	}
	q.opts.Ended(ended)
	return q.tell(context.Cause(ctx), ended.Outcome, err)
}

// attempt calls the handler. A panic becomes an error: River would store what
// it says as it is.
func (w *worker) attempt(ctx context.Context, job *river.Job[arguments]) (err error) {
	defer func() {
		if said := recover(); said != nil {
			err = panicked{fmt.Errorf("panic: %v", said)}
			w.queue.opts.Log.ErrorContext(ctx, "a job panicked", slog.Int64("job", job.ID), slog.String("kind", job.Kind),
				slog.String("panic", w.queue.opts.Redact(fmt.Sprint(said))), slog.String("stack", w.queue.opts.Redact(string(debug.Stack()))))
		}
	}()
	return w.handler.do(ctx, Job[json.RawMessage]{
		ID: job.ID, Payload: job.Args.Payload, Attempt: job.Attempt, Final: job.Attempt >= job.MaxAttempts,
	})
}

// panicked is the error of an attempt that panicked.
type panicked struct{ error }

// translate returns a context that ends with River's, with a cause of ours, and has its
// deadline.
func (q *Queue) translate(outer context.Context) (context.Context, context.CancelCauseFunc) {
	inner, forget := context.WithoutCancel(outer), context.CancelFunc(func() {})
	if ends, is := outer.Deadline(); is {
		inner, forget = context.WithDeadline(inner, ends)
	}
	ctx, cancel := context.WithCancelCause(inner)
	end := context.AfterFunc(outer, func() {
		if q.stopping.Load() {
			cancel(ErrStopping)
		} else {
			cancel(context.Cause(outer))
		}
	})
	return ctx, func(cause error) {
		end()
		cancel(cause)
		forget()
	}
}

// judge says what an attempt came to.
func (q *Queue) judge(ctx context.Context, err error, final bool) Outcome {
	var asked later
	var lasting permanent
	var panics panicked
	cause := context.Cause(ctx)
	switch {
	case err == nil:
		return Succeeded
	case errors.As(err, &panics):
		return Panicked
	case errors.Is(cause, ErrStopping), errors.Is(cause, ErrLost):
		return Interrupted
	case errors.As(err, &asked):
		return Postponed
	case errors.As(err, &lasting), final:
		return GaveUp
	default:
		return Retried
	}
}

// tell says an outcome in River's terms; cause is why the attempt's context
// ended.
func (q *Queue) tell(cause error, outcome Outcome, err error) error {
	var asked later
	switch outcome {
	case Succeeded:
		return nil
	case GaveUp:
		return river.JobCancel(q.hide(err))
	case Postponed:
		errors.As(err, &asked)
		return river.JobSnooze(asked.pause)
	case Interrupted:
		if errors.Is(cause, ErrLost) {
			return river.JobSnooze(q.opts.Beat) // until this process is known to live, or another takes it
		}
		return river.JobSnooze(0)
	default:
		return q.hide(err)
	}
}

// hide returns an error whose text holds no secret. River stores it.
func (q *Queue) hide(err error) error { return errors.New(q.opts.Redact(fmt.Sprint(err))) }

// running are the jobs that this process works on. The zero value is ready.
type running struct {
	mu   sync.Mutex
	jobs map[int64]*attempt
	// fenced says that the process has no jobs for now: those that begin are
	// let go at once.
	fenced bool
}

// attempt is one that goes on.
type attempt struct{ cancel context.CancelCauseFunc }

// add notes an attempt until remove is called. An attempt at the same job that
// was lost, and has not ended yet, is forgotten.
func (r *running) add(id int64, cancel context.CancelCauseFunc) (remove func()) {
	this := &attempt{cancel}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.jobs == nil {
		r.jobs = map[int64]*attempt{}
	}
	r.jobs[id] = this
	if r.fenced {
		cancel(ErrLost)
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.jobs[id] == this {
			delete(r.jobs, id)
		}
	}
}

func (r *running) has(id int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.jobs[id] != nil
}

func (r *running) cancelAll(cause error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.jobs {
		a.cancel(cause)
	}
}

// fence lets go of all jobs, and of those that begin before it is lifted.
func (r *running) fence() {
	r.mu.Lock()
	r.fenced = true
	r.mu.Unlock()
	r.cancelAll(ErrLost)
}

func (r *running) lift() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fenced = false
}
