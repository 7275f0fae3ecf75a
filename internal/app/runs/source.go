package runs

import (
	"context"
	"errors"

	"github.com/ghx-dev/bench-action/internal/app/dashboard"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
)

// Source shows the runs on the dashboard.
type Source struct{ Table *Table }

// Run returns a run with all there is to show of it.
func (s Source) Run(ctx context.Context, id string) (dashboard.Detail, error) {
	r, err := s.Table.Get(ctx, id)
	if errors.Is(err, ErrNone) {
		return dashboard.Detail{}, dashboard.ErrNotFound
	}
	if err != nil {
		return dashboard.Detail{}, err
	}
	o, err := s.Table.Outcome(ctx, id)
	return dashboard.Detail{Run: show(r), Problem: o.Problem, Reason: reason(r, o), Summary: o.Summary, Log: o.Log}, err
}

// Rows returns the rows of a run, or of one of its scenarios.
func (s Source) Rows(ctx context.Context, id, scenario string) ([][]byte, error) {
	if scenario == "" {
		return s.Table.Rows(ctx, id)
	}
	return s.Table.ScenarioRows(ctx, id, scenario)
}

// Cells returns those of which a run has rows.
func (s Source) Cells(ctx context.Context, id string) ([]bench.Cell, error) {
	return s.Table.Cells(ctx, id)
}

// Transcript returns the transcript of a cell's session, nil if none was kept.
func (s Source) Transcript(ctx context.Context, id string, cell bench.Cell) (*agent.Transcript, error) {
	return s.Table.Transcript(ctx, id, cell)
}

// reason says why a run was stopped, or never began; it is empty for others.
func reason(r Run, o Outcome) string {
	if r.State != Skipped {
		return o.Reason
	}
	return comment.Run{Phase: comment.Skipped, Skip: o.Skip, Commit: r.Head, Commands: command.Names()}.SkipText()
}

func show(r Run) dashboard.Run {
	p := r.Request.Plan
	kind, _, _, _ := listed(r.Request) // what was read from JSON can be written
	return dashboard.Run{
		ID: r.ID, Kind: kind, Repo: r.Repo, Pull: r.Pull, Commit: r.Head, State: dashboard.State(r.State), Verdict: r.Verdict, Simulated: r.Simulated || p.Model == settings.Scripted,
		Asked: r.Request.Asked, Model: p.Model, Set: setOf(p), Modes: p.Modes, Done: r.Done, Cells: r.Cells, CostUSD: r.CostUSD,
		Created: r.Created, Started: r.Started, Ended: r.Ended, CheckURL: r.CheckURL,
	}
}
