package taskrun

import (
	"context"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// note takes in what became of a cell.
func (r *Run) note(cell bench.Cell, outcome harness.Outcome) {
	r.done[cell] = outcome
	r.ending.note(outcome)
}

// ending are the last tasks of a run, if something around the agent failed in them.
type ending struct {
	failing []harness.Outcome
	tasks   int
}

func (e *ending) note(outcome harness.Outcome) {
	e.tasks++
	if outcome.Status == harness.Infrastructure {
		e.failing = append(e.failing, outcome)
	} else {
		e.failing = nil
	}
}

// outage is how many tasks in a row, the last ones, tell of an outage. A single one may
// be a mishap.
const outage = 2

func (e *ending) outage(policy harness.TimeoutPolicy) error {
	if len(e.failing) < outage || policy == harness.BlameInfrastructure {
		return nil
	}
	return fault.Infraf("the run ended in an outage: its last %d tasks, of %d, have no reward; %s", len(e.failing), e.tasks, e.failing[0].Reason)
}

// Outage returns an error of kind infrastructure, with the cause, if the run has ended in
// an outage: something around the agent failed in all of its last tasks. A score would
// be of the time at which that began. Where such tasks are left out it is nil.
func (r *Run) Outage() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ending.outage(r.options.TimeoutPolicy)
}

// Wary makes a runner, for a host and of which no rows are kept, that ends with an error
// of kind infrastructure where [Run.Outage] would be one.
func Wary(host harness.Host, policy harness.TimeoutPolicy, runner func(harness.Host) (harness.Runner, error)) (harness.Runner, error) {
	w := &wary{policy: policy}
	tell := host.Observe
	host.Observe = func(p harness.Progress) {
		w.told = append(w.told, p)
		if tell != nil {
			tell(p)
		}
	}
	var err error
	w.runner, err = runner(host)
	return w, err
}

type wary struct {
	runner harness.Runner
	policy harness.TimeoutPolicy
	told   []harness.Progress
}

// Run runs tasks. Those that the runner has told of at its end alone are its last ones.
func (w *wary) Run(ctx context.Context, ids []string) (harness.Results, error) {
	w.told = nil
	results, err := w.runner.Run(ctx, ids)
	if err != nil {
		return nil, err
	}
	var end ending
	seen := map[string]bool{}
	for _, p := range w.told {
		if _, is := results[p.TaskID]; is && !seen[p.TaskID] {
			seen[p.TaskID] = true
			end.note(p.Outcome)
		}
	}
	for _, id := range results.IDs() {
		if !seen[id] {
			end.note(results[id])
		}
	}
	return results, end.outage(w.policy)
}
