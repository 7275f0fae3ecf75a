package runner_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

// asking has every agent ask its model so many times, and its answers use so many
// tokens, of which each costs 1 USD. Agents that may not ask fail.
func asking(r *rig, times int, each int64) {
	r.cfg.Price = &bench.Price{Input: 1e6}
	r.provider.OnPrompt = func(_ context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
		needs := r.target.Needs()
		mine := needs[len(needs)-1]
		for range times {
			if err := mine.MayAsk(); err != nil {
				return agent.Turn{}, err
			}
			mine.Used(bench.Tokens{Input: each, Total: each})
		}
		p.Notify(agent.EventAnswer)
		s.Say(agent.Message{
			Role: agent.Assistant, Tokens: bench.Tokens{Input: 10, Total: 10}, Parts: []agent.Part{{Type: agent.PartText, Text: fake.Envelope}},
		})
		return agent.Turn{Text: fake.Envelope}, nil
	}
}

func TestN12TheRequestBeyondTheBudgetIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bigRig()
		asking(r, 5, 2)
		r.cfg.MaxCostUSD = 26
		out, err := r.run(t.Context(), t)
		require.NoError(t, err)
		assert.Equal(t, 2, out.Rows, "the third attempt may not ask a fourth time, which is no row, and no verdict on the agent")
		assert.Equal(t, bench.MissingBudget, out.Stopped)
		assert.InDelta(t, 26, out.CostUSD, 1e-9, "what the unfinished attempt asked is paid for")
		assert.Len(t, out.Left, len(r.cfg.Plan)-2)
	})
}

func TestN12WhatTheAgentDoesNotReportIsPaidFor(t *testing.T) {
	for name, c := range map[string]struct {
		times      int
		unreported float64
	}{
		"what it reports": {5, 0}, "twice as much": {10, 10}, "less than it reports": {1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(fake.Atomic("a-001"))
				asking(r, c.times, 2)
				r.target.Usage = target.Usage{Model: &target.ModelUsage{WireUsage: bench.WireUsage{Calls: c.times, Answers: c.times}}}
				row := r.one(t)
				assert.True(t, row.Success)
				assert.InDelta(t, 10, row.Cost, 1e-9, "a row's cost is the agent's")
				assert.InDelta(t, c.unreported, row.Attempts[0].UnreportedUSD, 1e-9)
				assert.InDelta(t, 10+c.unreported, row.SpentUSD(), 1e-9)
				assert.Equal(t, &bench.WireUsage{Calls: c.times, Answers: c.times}, row.Wire)
			})
		})
	}
}

func TestN12AProgramThatOutlivesItsAttemptIsPaidFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := bigRig()
		asking(r, 5, 2)
		r.cfg.MaxCostUSD = 60
		turn := r.provider.OnPrompt
		r.provider.OnPrompt = func(ctx context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
			if first := r.target.Needs()[1]; len(r.provider.Sessions()) == 3 {
				first.Used(bench.Tokens{Input: 30, Total: 30})
			}
			return turn(ctx, s, p)
		}
		out, err := r.run(t.Context(), t)
		require.NoError(t, err)
		assert.InDelta(t, 60, out.CostUSD, 1e-9)
		assert.Equal(t, 3, out.Rows)
	})
}

func TestN12AProgramThatDoesNotTellIsMeasuredOutsideOfIt(t *testing.T) {
	for name, c := range map[string]struct {
		used  bench.WireUsage
		turns int
	}{
		"several answers":        {bench.WireUsage{Calls: 3, Answers: 3, Tokens: bench.Tokens{Input: 20, Output: 10, Total: 30}}, 3},
		"one":                    {bench.WireUsage{Calls: 1, Answers: 1, Tokens: bench.Tokens{Input: 20, Total: 20}}, 1},
		"a program that is dumb": {bench.WireUsage{}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(fake.Atomic("a-001"))
				r.provider.Info.Metered = true
				r.cfg.Price = &bench.Price{Input: 1e6, Output: 2e6}
				r.provider.OnPrompt = func(_ context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
					p.Notify(agent.EventAnswer)
					s.Say(agent.Message{Role: agent.User})
					s.Say(agent.Message{Role: agent.Assistant, Parts: []agent.Part{{Type: agent.PartText, Text: fake.Envelope}}})
					return agent.Turn{Text: fake.Envelope}, nil
				}
				var kept agent.Transcript
				r.deps.SaveTranscript = func(_ bench.Cell, _ int, t agent.Transcript) error { kept = t; return nil }
				r.target.Usage = target.Usage{Model: &target.ModelUsage{WireUsage: c.used}}
				row := r.one(t)
				assert.Equal(t, c.used.Tokens, row.Tokens)
				assert.Equal(t, c.turns, row.Turns)
				assert.InDelta(t, r.cfg.Price.Cost(c.used.Tokens), row.Cost, 1e-9)
				_, doubt := row.WireDoubt()
				assert.Empty(t, doubt)
				assert.Equal(t, row.Tokens, agent.Measure(kept).Tokens, "rows can be made anew from what is kept")
				assert.Equal(t, fake.Envelope, kept.Answer())
			})
		})
	}
}
