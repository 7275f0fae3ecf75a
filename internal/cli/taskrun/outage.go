package taskrun

import (
	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// note takes in what became of a cell.
func (r *Run) note(cell bench.Cell, outcome harness.Outcome) {
	r.done[cell] = outcome
	if outcome.Status == harness.Infrastructure {
		r.failing = append(r.failing, outcome)
	} else {
		r.failing = nil
	}
}

// outage is how many tasks in a row, the last ones, tell of an outage. A single one may
// be a mishap.
const outage = 2

// Outage returns an error of kind infrastructure, with the cause, if the run has ended in
// an outage: something around the agent failed in all of its last tasks. A score would
// be of the time at which that began. Where such tasks are left out it is nil.
func (r *Run) Outage() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.failing) < outage || r.options.TimeoutPolicy == harness.BlameInfrastructure {
		return nil
	}
	return fault.Infraf("the run ended in an outage: its last %d tasks, of %d, have no reward; %s", len(r.failing), len(r.done), r.failing[0].Reason)
}
