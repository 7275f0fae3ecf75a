package service_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// does changes something in the App's database.
func (r *rig) does(statement string) {
	assert.NoError(r, r.db.Write(r.Context(), func(tx *queue.Tx) error {
		_, err := tx.Exec(r.Context(), statement)
		return err
	}))
}

// A session that ends after the run's time is over was paid for.
func TestWhatIsThereOnceARunsTimeIsOverIsKept(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	cell := cellOf("pr-view-001", 1)
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		r.ahead.Add(int64(24 * time.Hour))
		<-ctx.Done()
		w.Keep(cell, []byte(`{"scenario_id":"pr-view-001","mode":"ghx","iteration":1,"cost":0.5}`))
		w.KeepTranscript(cell, agent.Transcript{})
		w.Progress(1, 16, 0.5)
		assert.NoError(t, w.KeepBegun([]byte(`{"run_id":"a"}`), false))
		return runs.Outcome{}, context.Cause(ctx)
	})
	r.pullEvent("opened")
	r.wait(1)
	ended := r.run("run-1")
	assert.Equal(t, runs.Stopped, ended.State)
	assert.Equal(t, 1, ended.Done)
	assert.InDelta(t, 0.5, ended.CostUSD, 1e-9)
	rows, err := r.table.Rows(t.Context(), "run-1")
	require.NoError(t, err)
	assert.Len(t, rows, 1)
	transcript, err := r.table.Transcript(t.Context(), "run-1", cell)
	require.NoError(t, err)
	assert.NotNil(t, transcript)
}

// A run goes on without what cannot be stored, and its operator learns of that.
func TestARowThatCannotBeKeptIsSaid(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		r.does("ALTER TABLE run_row RENAME TO away")
		w.Keep(cellOf("pr-view-001", 1), []byte(`{"scenario_id":"pr-view-001","mode":"ghx","iteration":1}`))
		w.Progress(1, 16, 0.5)
		r.does("ALTER TABLE away RENAME TO run_row")
		return passes(ctx, w)
	})
	r.pullEvent("opened")
	r.wait(1)
	assert.Equal(t, "success", string(r.check().Conclusion))
	assert.NotEmpty(t, r.logged("a row is not kept", "run-1", "pr-view-001/ghx/1"))
	assert.NotEmpty(t, r.logged("progress is not stored", "run-1"))
}
