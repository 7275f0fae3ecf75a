package queue

import (
	"context"
	"log/slog"
	"slices"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// guarded is a driver of River's that stores the end of an attempt only while
// the job is still that attempt's. River itself stores it wherever the job
// runs: that of an attempt which was lost would end the one after it.
type guarded[T any] struct {
	riverdriver.Driver[T]
	queue *Queue
}

// GetExecutor returns what River runs its statements with.
func (g guarded[T]) GetExecutor() riverdriver.Executor {
	return guardedExecutor{g.Driver.GetExecutor(), g.queue}
}

type guardedExecutor struct {
	riverdriver.Executor
	queue *Queue
}

// JobSetStateIfRunningMany stores the ends of attempts.
func (g guardedExecutor) JobSetStateIfRunningMany(ctx context.Context, ends *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
	// What is being worked on here has not ended: this is from before.
	keep := slices.DeleteFunc(slices.Clone(ends.ID), g.queue.running.has)
	if g.queue.db.Dialect() == SQLite {
		return g.store(ctx, g.Executor, ends, keep)
	}
	tx, err := g.Executor.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // after a commit it does nothing
	err = tx.QueryRow(ctx, `SELECT coalesce(array_agg(id), '{}') FROM (SELECT id FROM river_job
		WHERE id = ANY($1) AND state = 'running' AND attempted_by[array_upper(attempted_by, 1)] = $2 ORDER BY id FOR UPDATE) AS mine`,
		keep, g.queue.opts.Process).Scan(&keep)
	if err != nil {
		return nil, fault.Infraf("look for jobs that are still this process's: %w", err)
	}
	jobs, err := g.store(ctx, tx, ends, keep)
	if err != nil {
		return nil, err
	}
	return jobs, tx.Commit(ctx)
}

// store stores those ends whose jobs are to keep them.
func (g guardedExecutor) store(ctx context.Context, on riverdriver.Executor, ends *riverdriver.JobSetStateIfRunningManyParams, keep []int64) ([]*rivertype.JobRow, error) {
	left := &riverdriver.JobSetStateIfRunningManyParams{Now: ends.Now, Schema: ends.Schema}
	for i, id := range ends.ID {
		if !slices.Contains(keep, id) {
			g.queue.opts.Log.WarnContext(ctx, "an attempt at a job ended that was taken from it", slog.Int64("job", id))
			continue
		}
		left.ID = append(left.ID, id)
		left.Attempt = append(left.Attempt, ends.Attempt[i])
		left.ErrData = append(left.ErrData, ends.ErrData[i])
		left.FinalizedAt = append(left.FinalizedAt, ends.FinalizedAt[i])
		left.MetadataDoMerge = append(left.MetadataDoMerge, ends.MetadataDoMerge[i])
		left.MetadataUpdates = append(left.MetadataUpdates, ends.MetadataUpdates[i])
		left.ScheduledAt = append(left.ScheduledAt, ends.ScheduledAt[i])
		left.State = append(left.State, ends.State[i])
	}
	if len(left.ID) == 0 {
		return nil, nil
	}
	return on.JobSetStateIfRunningMany(ctx, left)
}
