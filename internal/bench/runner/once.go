package runner

import (
	"cmp"
	"context"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
)

// Tried is one attempt that was made by itself, with what it was judged by.
// Where a step failed, the figures have the error, and what comes after it is
// empty.
type Tried struct {
	Figures
	Whole
	// Checkpoints are all checks that were made, in order.
	Checkpoints []bench.CheckpointResult
	// Judged is true if what was changed could be judged. Changes are the net
	// ones then, with those that are not allowed marked and first.
	Judged  bool
	Changes []bench.Change
	// Usage is what was asked of GitHub, nil where that was not counted.
	Usage *target.Usage
	// Unsupported names what was asked for that the sandbox lacks.
	Unsupported []string
}

// Whole is what an attempt's row has in part, or not at all.
type Whole struct {
	// Scenario is as it was bound to the fixtures of the attempt, whose
	// Manifest is beside it.
	Scenario scenario.Resolved
	Manifest bench.Manifest
	// Agent is the login of the agent's account.
	Agent string
	// Answer is the text of the agent's last message, Transcript all that it
	// said and did.
	Answer     string
	Transcript agent.Transcript
	// Seen are the changes as they were made, oldest first; nil where they
	// cannot be seen.
	Seen []bench.Change
	// Truth is what GitHub says of the fields of data, nil where they were not
	// compared.
	Truth map[string]any
}

// Succeeded reports whether the attempt succeeded.
func (t Tried) Succeeded() bool { return t.Error == nil }

// Once makes one attempt at a cell and judges it as [Run] judges those of a
// run, without preflight, retries and a row. Of the config it needs the cell's
// scenario; deadlines that are 0 are the default ones. It needs no ledger.
func Once(ctx context.Context, cfg Config, deps Deps, cell bench.Cell) Tried {
	cfg.FirstAnswer, cfg.Stall = cmp.Or(cfg.FirstAnswer, DefaultFirstAnswer), cmp.Or(cfg.Stall, DefaultStall)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := newRun(cfg, deps)
	r.cancel = cancel
	a := r.attempt(ctx, cell, 1, 0)
	return Tried{
		Figures: a.Figures, Whole: a.whole, Checkpoints: a.checkpoints, Judged: a.judged, Changes: a.changes, Usage: a.usage, Unsupported: a.unsupported,
	}
}
