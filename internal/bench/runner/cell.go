package runner

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/footprint"
)

// cell works on one cell until an attempt succeeds or may not be repeated. It
// returns nil if the run ended meanwhile: a signal, an error, or the budget
// kept an attempt that was due from being made (rule R9).
func (r *run) cell(ctx context.Context, cell bench.Cell, worker int) *bench.Row {
	scenario := r.cfg.Scenarios[cell.ScenarioID]
	left := retries{afterDeadline: r.cfg.RunnerRetries, allowed: scenario.AllowedRetries, pause: r.cfg.RetryPause}
	var attempts []bench.Attempt
	for n := 1; ; n++ {
		a := r.attempt(ctx, cell, n, worker)
		if ctx.Err() != nil || a.unaffordable {
			return nil
		}
		attempts = append(attempts, a.report())
		pause, again := left.take(a.Error, n)
		if !again {
			return r.row(a, scenario, attempts)
		}
		if !r.mayGoOn() {
			return nil
		}
		r.observe(Event{Kind: EventRetry, Cell: cell, Reason: a.Error.Message})
		if pause > 0 && r.deps.Wait(ctx, pause) != nil {
			return nil
		}
	}
}

// retries are the repetitions that a cell has left.
type retries struct {
	// afterDeadline are those of attempts that ran into a deadline, allowed
	// those that the scenario allows whatever the failure.
	afterDeadline, allowed int
	pause                  time.Duration
}

// take decides whether attempt n is repeated, and after what pause (rule N5).
//
// Retryable runner failures are those that rule N5 lists, the deadlines. That
// an agent's process crashes, or the harness fails, is repeated only where the
// scenario allows it: such a failure does not come of waiting too little, and
// the runner-failure rate is there to show it.
func (l *retries) take(failure *bench.RowError, n int) (pause time.Duration, again bool) {
	switch {
	case failure == nil:
		return 0, false
	case isDeadline(failure.Type) && l.afterDeadline > 0:
		l.afterDeadline--
		return l.pause * time.Duration(n), true
	case l.allowed > 0:
		l.allowed--
		return 0, true
	default:
		return 0, false
	}
}

func isDeadline(t bench.ErrorType) bool {
	return t == bench.TimeoutNoFirstAnswer || t == bench.TimeoutStalled || t == bench.TimeoutNoFinalAnswer
}

// row reports a cell by its last attempt.
func (r *run) row(a attempt, s bench.Scenario, attempts []bench.Attempt) *bench.Row {
	row := &bench.Row{
		Timestamp: bench.FormatTime(a.started), RunID: r.cfg.RunID, Mode: a.cell.Mode, ScenarioID: a.cell.ScenarioID,
		ScenarioSet: optional(r.cfg.ScenarioSet), Iteration: a.cell.Iteration, SessionID: optional(a.sessionID),
		LatencyMSWall: a.latencyMS, ExternalRetryCount: len(attempts) - 1, Model: r.info.Model, Git: r.cfg.Git,
		SchemaVersion: bench.RowSchemaVersion, Attempts: attempts, Checkpoints: a.checkpoints,
		Continuations: a.continuations, SeedID: r.cfg.SeedID, Order: r.orderOf(a.cell), Variation: a.variation, Tools: maps.Clone(r.cfg.Tools),
		Simulated: r.info.Simulated, ScenarioHash: s.Hash,
	}
	if a.cell.Mode == bench.GHXBase {
		row.Git.Commit, row.Git.Tree = r.cfg.BaseCommit, r.cfg.BaseTree
	}
	if fact, own := r.cfg.ModeFiles[a.cell.Mode]; own {
		row.Git, row.ModeHash = fact.Git, fact.Hash
	}
	if a.usage != nil {
		requests := a.usage.Requests
		row.APIRequests, row.RefusedHosts = &requests, slices.Clone(a.usage.RefusedHosts)
	}
	row.Unsupported = a.unsupported[:min(len(a.unsupported), bench.MaxUnsupported)]
	row.FootprintJudged, row.FootprintUnjudged = &a.judged, a.unjudged
	// Values come from JSON, so they can be written.
	_ = row.SetChanges(footprint.Brief(a.changes, r.redact))
	if a.usage != nil && a.usage.Model != nil {
		row.Wire = &a.usage.Model.WireUsage
	}
	a.Report(row)
	for i := range row.ToolUse { // the model writes the names
		row.ToolUse[i].Name = r.redact(row.ToolUse[i].Name)
	}
	return row
}

func (r *run) orderOf(cell bench.Cell) *bench.Order {
	order := &bench.Order{Kind: string(r.cfg.Order), Position: r.position[cell]}
	if r.cfg.Order == Interleaved {
		order.Seed = r.cfg.OrderSeed
	}
	return order
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
