package service

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/publish"
)

// progress tells how far a run is. It keeps no run waiting for GitHub.
type progress struct {
	service *Service
	run     runs.Run
	check   *publish.Check

	mu     sync.Mutex
	stored time.Time
	// found is what changed for agents, nil until it is known.
	found *bench.SurfaceChange
	told  sync.WaitGroup
}

// storeEvery is the least time between two updates of the table.
const storeEvery = time.Second

// keep returns what stores a row.
func (p *progress) keep(ctx context.Context) func(bench.Cell, []byte) {
	s := p.service
	return func(cell bench.Cell, row []byte) {
		// A row that was paid for is kept although the run was ended meanwhile.
		if err := s.opts.Runs.AddRow(context.WithoutCancel(ctx), p.run.ID, cell, []byte(s.opts.Redact(string(row)))); err != nil {
			s.opts.Log.ErrorContext(ctx, "a row is not kept", "run", p.run.ID, "cell", cell.String(), "problem", s.opts.Redact(err.Error()))
		}
	}
}

// keepTranscript returns what stores a transcript. A run goes on without it.
func (p *progress) keepTranscript(ctx context.Context) func(bench.Cell, agent.Transcript) {
	s := p.service
	return func(cell bench.Cell, t agent.Transcript) {
		err := s.addTranscript(context.WithoutCancel(ctx), p.run.ID, cell, t)
		if err != nil {
			s.opts.Log.WarnContext(ctx, "a transcript is not kept", "run", p.run.ID, "cell", cell.String(), "problem", s.opts.Redact(err.Error()))
		}
	}
}

// addTranscript stores a transcript without secrets. It is cut afterwards: a part of a
// secret is not found.
func (s *Service) addTranscript(ctx context.Context, id string, cell bench.Cell, t agent.Transcript) error {
	text, err := json.Marshal(t)
	if err != nil {
		return fault.Internalf("store a transcript: %w", err)
	}
	var redacted agent.Transcript
	if err := json.Unmarshal([]byte(s.opts.Redact(string(text))), &redacted); err != nil {
		return fault.Internalf("store a transcript without its secrets: %w", err)
	}
	kept, err := s.opts.Runs.AddTranscript(ctx, id, cell, redacted)
	if err == nil && !kept {
		return fault.Infraf("those of the run take as much as they may")
	}
	return err
}

// at returns what tells how far the run is.
func (p *progress) at(ctx context.Context) func(done, cells int, costUSD float64) {
	return func(done, cells int, costUSD float64) {
		p.mu.Lock()
		defer p.mu.Unlock()
		s, now := p.service, p.service.opts.Now()
		p.run.Done, p.run.Cells, p.run.CostUSD = done, cells, costUSD
		if now.Sub(p.stored) >= storeEvery || done == cells {
			p.stored = now
			if err := s.opts.Runs.Progress(context.WithoutCancel(ctx), p.run.ID, done, cells, costUSD); err != nil {
				s.opts.Log.WarnContext(ctx, "progress is not stored", "run", p.run.ID, "problem", s.opts.Redact(err.Error()))
			}
		}
		p.show(ctx)
	}
}

// surface returns what tells what changed for agents.
func (p *progress) surface(ctx context.Context) func(*bench.SurfaceChange) {
	return func(found *bench.SurfaceChange) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.found = found
		p.show(ctx)
	}
}

// show shows the run's check as it is. Its caller holds mu.
func (p *progress) show(ctx context.Context) {
	s, now := p.service, p.service.opts.Now()
	shown := comment.Check(s.described(p.run, runs.Outcome{Surface: p.found})).Output
	run := p.run // it changes with the next row
	p.told.Go(func() { s.warn(ctx, run, p.check.Progress(ctx, now, shown)) })
}

// done waits for what is being told.
func (p *progress) done() { p.told.Wait() }
