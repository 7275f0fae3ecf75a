package queue

import (
	"context"
	"encoding/json"
	"time"

	"github.com/riverqueue/river"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// State is where a job is that is not done.
type State string

// The states.
const (
	Waiting State = "waiting"
	Running State = "running"
)

// Depth is how many jobs of a kind wait or run.
type Depth struct {
	Kind  string
	State State
	Count int
}

// Depths counts the jobs that wait or run.
func (q *Queue) Depths(ctx context.Context) ([]Depth, error) {
	rows, err := q.db.Query(ctx, `SELECT kind, CASE WHEN state = 'running' THEN 1 ELSE 0 END, count(*) FROM river_job
		WHERE state IN ('available', 'pending', 'retryable', 'running', 'scheduled') GROUP BY 1, 2 ORDER BY 1, 2`)
	if err != nil {
		return nil, fault.Infraf("count jobs: %w", err)
	}
	defer rows.Close()
	var depths []Depth
	for rows.Next() {
		depth, runs := Depth{State: Waiting}, 0
		if err := rows.Scan(&depth.Kind, &runs, &depth.Count); err != nil {
			return nil, fault.Infraf("count jobs: %w", err)
		}
		if runs == 1 {
			depth.State = Running
		}
		depths = append(depths, depth)
	}
	return depths, fault.Wrap(fault.Infrastructure, rows.Err())
}

// Workers returns how many jobs of a lane all living processes together run at a
// time.
func (q *Queue) Workers(ctx context.Context, in Querier, lane string) (int, error) {
	rows, err := in.Query(ctx, "SELECT lanes FROM queue_process")
	if err != nil {
		return 0, fault.Infraf("count workers: %w", err)
	}
	defer rows.Close()
	count := 0
	for rows.Next() {
		var text []byte
		var lanes map[string]int
		if err := rows.Scan(&text); err != nil {
			return 0, fault.Infraf("count workers: %w", err)
		}
		if err := json.Unmarshal(text, &lanes); err != nil {
			return 0, fault.Infraf("count workers: %w", err)
		}
		count += lanes[lane]
	}
	return count, fault.Wrap(fault.Infrastructure, rows.Err())
}

// Every stores a job again and again, on one of the machines, the first time
// soon after the start. It is called before [Queue.Start]. While one of its
// kind waits or runs there is no second one.
func (q *Queue) Every(pause time.Duration, job JobSpec) error {
	params, err := job.Once(job.kind).params()
	if err != nil {
		return err
	}
	err = q.engine.periodic(river.NewPeriodicJob(river.PeriodicInterval(pause), func() (river.JobArgs, *river.InsertOpts) {
		return params.Args, params.InsertOpts
	}, &river.PeriodicJobOpts{RunOnStart: true}))
	if err != nil {
		return fault.Internalf("repeat jobs %q: %w", job.kind, err)
	}
	return nil
}
