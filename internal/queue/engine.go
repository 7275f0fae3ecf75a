package queue

import (
	"context"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

// engine is River on either database.
type engine struct {
	migrate       func(context.Context) error
	start         func(context.Context) error
	stop          func(context.Context) error
	stopAndCancel func(context.Context) error
	// insert stores jobs and returns them, insertFast does not return them.
	insert     func(context.Context, *Tx, []river.InsertManyParams) ([]*rivertype.JobInsertResult, error)
	insertFast func(context.Context, *Tx, []river.InsertManyParams) error
	list       func(context.Context, *Tx, *river.JobListParams) ([]*rivertype.JobRow, error)
	periodic   func(*river.PeriodicJob) error
}

// newEngine returns River on one of its drivers; inner takes the driver's
// transaction out of ours.
func newEngine[T any](driver riverdriver.Driver[T], config *river.Config, inner func(*Tx) T) (*engine, error) {
	client, err := river.NewClient(driver, config)
	if err != nil {
		return nil, err
	}
	return &engine{
		migrate: func(ctx context.Context) error {
			migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: config.Logger})
			if err != nil {
				return err
			}
			_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
			return err
		},
		start: client.Start, stop: client.Stop, stopAndCancel: client.StopAndCancel,
		insert: func(ctx context.Context, tx *Tx, jobs []river.InsertManyParams) ([]*rivertype.JobInsertResult, error) {
			return client.InsertManyTx(ctx, inner(tx), jobs)
		},
		insertFast: func(ctx context.Context, tx *Tx, jobs []river.InsertManyParams) error {
			_, err := client.InsertManyFastTx(ctx, inner(tx), jobs)
			return err
		},
		list: func(ctx context.Context, tx *Tx, what *river.JobListParams) ([]*rivertype.JobRow, error) {
			result, err := client.JobListTx(ctx, inner(tx), what)
			if err != nil {
				return nil, err
			}
			return result.Jobs, nil
		},
		periodic: func(job *river.PeriodicJob) error {
			_, err := client.PeriodicJobs().AddSafely(job)
			return err
		},
	}, nil
}
