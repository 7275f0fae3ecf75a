package service_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/faults"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// store stores a run without a job, as a process leaves it that dies.
func (r *rig) store(change func(*runs.Run)) {
	r.Helper()
	run := runs.Run{
		ID: "left", Cause: "left", Installation: installation, Repo: repo, Pull: r.number, Head: r.head, Suite: "bench", State: runs.Queued, Created: time.Now(),
		Request: runs.Request{Owner: sandboxtest.Owner, Name: sandboxtest.Name},
	}
	run.Request.Plan.Executor, run.Request.Plan.Timeout = "local", time.Hour
	change(&run)
	require.NoError(r, r.db.Write(r.Context(), func(tx *queue.Tx) error {
		_, err := r.table.Create(r.Context(), tx, run)
		return err
	}))
}

func (r *rig) reap() {
	r.Helper()
	require.NoError(r, r.service.Reap(r.Context()))
}

func TestTheReaperHasARunMeasuredThatLostItsJob(t *testing.T) {
	t.Parallel()
	for _, hasPlace := range []bool{false, true} {
		r := newRig(t, config)
		r.store(func(*runs.Run) {})
		if hasPlace {
			require.NoError(t, r.db.Write(t.Context(), func(tx *queue.Tx) error {
				if err := r.table.Enter(t.Context(), tx, "left"); err != nil {
					return err
				}
				_, err := r.table.Admit(t.Context(), tx, runs.Places{Local: 1, Installation: 1})
				return err
			}))
		}
		require.Equal(t, hasPlace, r.run("left").HasPlace)
		r.reap()
		assert.Empty(t, r.executor.works(), "it has just been made")
		r.ahead.Store(int64(time.Hour))
		r.reap()
		r.wait(1)
		assert.Equal(t, runs.Finished, r.run("left").State)
		assert.Equal(t, "success", string(r.check().Conclusion))
	}
}

// Neither the watch of a run nor the reaper takes the clock's word for its age.
func TestARunGoesOnWhenSomebodySetsTheClockForth(t *testing.T) {
	t.Parallel()
	begun, release, looks := make(chan string, 1), make(chan string), make(chan string)
	r := newRig(t, config, func(o *service.Options) {
		elapsed := o.Elapsed
		o.Elapsed = func() time.Duration {
			select {
			case looks <- "":
			default:
			}
			return elapsed()
		}
	})
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		begun <- ""
		select {
		case <-ctx.Done():
			return runs.Outcome{}, context.Cause(ctx)
		case <-release:
			return passes(ctx, w)
		}
	})
	r.store(func(run *runs.Run) { run.Created = run.Created.Add(-time.Hour) })
	r.reap()
	<-begun
	r.setForth.Store(int64(100 * time.Hour))
	for range 2 { // the first look may have begun before
		select {
		case <-looks:
		case <-time.After(soon):
			require.FailNow(t, "nobody watches the run")
		}
	}
	r.reap()
	assert.True(t, r.run("left").State.Alive())
	close(release)
	r.wait(1)
	assert.Equal(t, runs.Finished, r.run("left").State)
}

func TestTheReaperEndsARunThatTakesTooLong(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	begun := make(chan string, 1)
	r.executor.set(func(context.Context, service.Work) (runs.Outcome, error) {
		select {
		case begun <- "":
		default:
		}
		return runs.Outcome{}, service.ErrElsewhere
	})
	r.store(func(*runs.Run) {})
	r.ahead.Store(int64(time.Hour))
	r.reap()
	<-begun
	r.ahead.Store(int64(2 * time.Hour))
	r.reap()
	assert.True(t, r.run("left").State.Alive(), "its time is just over")
	r.ahead.Store(int64(3 * time.Hour))
	r.reap()
	r.wait(1)
	assert.Equal(t, runs.Stopped, r.run("left").State)
	assert.Equal(t, "cancelled", string(r.check().Conclusion))
}

func TestTheReaperTellsWhatWasNotTold(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	for _, id := range []string{"left", "left too"} {
		r.store(func(run *runs.Run) { run.ID, run.Cause, run.Suite = id, id, id })
		require.NoError(t, r.db.Write(t.Context(), func(tx *queue.Tx) error {
			_, err := r.table.End(t.Context(), tx, id, runs.Stopped, runs.Outcome{Reason: "It was cancelled by writer."}, time.Now())
			return err
		}))
	}
	r.ahead.Store(int64(time.Hour))
	r.reap()
	r.wait(2)
	for _, id := range []string{"left", "left too"} {
		assert.True(t, r.run(id).Published, id)
	}
}

// A permission may be taken away, and an installation be suspended, for a while.
func TestARefusalForAWhileLeavesNoCheckRunOpen(t *testing.T) {
	t.Parallel()
	for _, kind := range []faults.Kind{faults.Unauthorized, faults.NotFound} {
		t.Run(string(kind), func(t *testing.T) {
			r := newRig(t, config)
			r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
				_, err := r.Faults().Add(faults.Rule{Kind: kind, Token: appToken})
				assert.NoError(t, err)
				return passes(ctx, w)
			})
			r.pullEvent("opened")
			<-r.refused
			<-r.postponed
			r.up()
			r.wait(1)
			assert.Equal(t, "success", string(r.check().Conclusion))
		})
	}
}

func TestASuspendedInstallationsCheckRunCompletesOnceItIsBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.goesOn()
	r.AddToken(appToken, sandbox.Token{App: appSlug, Permissions: map[string]string{"metadata": "read"}})
	r.deliver("installation", map[string]any{"action": "suspend"})
	<-r.postponed
	assert.Equal(t, "in_progress", string(r.check().Status))
	r.AddToken(appToken, sandbox.Token{App: appSlug, Permissions: map[string]string{"checks": "write", "pull_requests": "write", "issues": "write", "contents": "read"}})
	r.wait(1)
	assert.Equal(t, "cancelled", string(r.check().Conclusion))
}

// before does something before a request of the App's that contains a text
// reaches GitHub, once.
type before struct {
	done atomic.Bool
	text string
	do   func()
}

func (b *before) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.Body != nil {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return nil, err
		}
		q.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(b.text)) && b.done.CompareAndSwap(false, true) {
			b.do()
		}
	}
	return http.DefaultTransport.RoundTrip(q)
}

func TestACheckRunThatIsShownTooLateEndsNevertheless(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	cancelled := make(chan struct{})
	r.transport = &before{text: `"in_progress"`, do: func() {
		r.comment("writer", "/bench cancel")
		r.wait(1)
		close(cancelled)
	}}
	r.pullEvent("opened")
	<-cancelled
	<-r.measured
	r.ahead.Store(int64(time.Hour)) // what is not told yet is the reaper's
	assert.Eventually(t, func() bool {
		r.reap()
		return r.run("run-1").Published && r.check().Status == model.Completed
	}, soon, 5*time.Millisecond)
	assert.Equal(t, "cancelled", string(r.check().Conclusion))
}

func TestTheCommentIsAboutTheNewestRun(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	first, begun := r.head, make(chan string, 1)
	r.executor.hold = make(chan struct{})
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		if w.Run.Head == first {
			return goesOn(begun)(ctx, w)
		}
		return passes(ctx, w)
	})
	r.pullEvent("opened")
	<-begun
	r.push("src/b.ts")
	r.pullEvent("synchronize")
	r.wait(1)
	require.Len(t, r.comments(), 1)
	said := r.comments()[0]
	close(r.executor.hold)
	r.wait(1)
	assert.Equal(t, []string{said}, r.comments(), "the older run's end was told later")
}
