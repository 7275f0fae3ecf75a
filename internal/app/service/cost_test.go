package service_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/bench"
)

// costs is an executor whose runs cost so much a cell, and take so long.
func (r *rig) costs(usd float64, long time.Duration) {
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		r.ahead.Add(int64(long) * int64(w.Run.Cells))
		w.Progress(w.Run.Cells, w.Run.Cells, usd*float64(w.Run.Cells))
		return passes(ctx, w)
	})
}

// paid is manual with a model that has to be paid for. A run has 16 cells.
const paid = "model: a/b\nexecutor: local\ntriggers: {pull_request: []}\nbudget: {run: 2, pull_request: 50, day: 50}\n"

func TestAnAnswerHasThePlanAndWhatItMayCost(t *testing.T) {
	t.Parallel()
	r := newRig(t, paid)
	r.costs(0.1, 10*time.Second)
	r.comment("writer", "/bench")
	for _, part := range []string{"| Scenarios | set `ci-verify-pr` |", "| Cells | 16 |", "| Model | `a/b` |", "| Cost | not known yet, at most 2 USD |"} {
		assert.Contains(t, r.answer(), part)
	}
	assert.NotContains(t, r.answer(), "Duration", "no run of the model has ended")
	r.wait(1)

	r.comment("writer", "/bench")
	assert.Contains(t, r.answer(), "| Cost | about 1.6 USD (at most 2 USD) |")
	assert.Contains(t, r.answer(), "| Duration | about 2.7 min |")
	r.wait(1)
	r.comment("writer", "/bench run --repetitions 1")
	assert.Contains(t, r.answer(), "| Cost | about 0.4 USD (at most 2 USD) |")
	assert.Contains(t, r.answer(), "| Duration | about 40 s |")
	r.wait(1)
	r.comment("writer", "/bench run --model c/d")
	assert.Contains(t, r.answer(), "| Cost | not known yet, at most 2 USD |", "what one model costs says nothing about another")
	r.wait(1)
}

func TestWhatIsThoughtToCostTooMuchIsNotBegun(t *testing.T) {
	t.Parallel()
	r := newRig(t, paid)
	r.costs(0.1, 0)
	r.comment("writer", "/bench")
	r.wait(1)
	r.comment("writer", "/bench run --repetitions 8")
	assert.Contains(t, r.answer(), "👎 `/bench run`: It is thought to cost 3.2 USD, and 2 may be spent. Name fewer scenarios or repetitions, or raise the budget in .github/bench.yml.")
	assert.Equal(t, []string{"+1", "-1"}, r.reactions())
	assert.Equal(t, 1, r.counted("issue_comment", "run", "over_budget"))
	assert.Len(t, r.checks(), 1)
	require.Len(t, r.executor.works(), 1)
}

func TestARunByEvidenceIsToldWithItsPriceAndPower(t *testing.T) {
	t.Parallel()
	r := newRig(t, paid+"profile: regression\nscenarios: [pr-view-001, repo-view-001, issue-view-001]\n")
	r.executor.set(func(_ context.Context, w service.Work) (runs.Outcome, error) {
		w.Progress(24, 24, 0.24) // it was enough after four blocks
		return runs.Outcome{Summary: &bench.Summary{
			Gate:     bench.Gate{Profile: bench.ProfileRegression, Verdict: bench.VerdictPass, Passed: true},
			Evidence: &bench.Evidence{Verdict: bench.VerdictPass, Final: true},
		}}, nil
	})
	r.comment("writer", "/bench")
	for _, part := range []string{
		"| Repetitions | 2..12 |", "where nothing differs, at most 72 |", "| Profile | `regression` |", "| Cost | not known yet, at most 2 USD |",
		"of candidates that do not differ, if sessions vary as is usual (30%) |", "| Sees | success ", "or worse, in four runs of five |",
	} {
		assert.Contains(t, r.answer(), part)
	}
	assert.Contains(t, r.checks()[0].Output.Summary+r.checks()[0].Output.Text, "in four runs of five", "the check run says it before anything is spent")
	r.wait(1)
	r.comment("writer", "/bench retry")
	assert.Contains(t, r.answer(), "there is nothing to do", "the verdict is final although not all repetitions have run")
	r.comment("writer", "/bench run --repetitions 2..10")
	assert.Contains(t, r.answer(), "its verdict stands", "more repetitions are the same question")
	r.press("writer", "rerequested", "", r.checks()[0].ID)
	assert.Len(t, r.checks(), 1)
	require.Len(t, r.executor.works(), 1)
	r.comment("writer", "/bench run pr-view-001 repo-view-001 pr-merge-001")
	assert.Regexp(t, `\| Cost \| about [0-9.]+ USD where nothing differs, [0-9.]+ USD for all \(at most 2 USD\) \|`, r.answer())
	r.wait(1)
}

// What was not brought to its end is gone on with, as it was planned.
func TestARunByEvidenceGoesOnWithTheEarlierOneOfItsQuestion(t *testing.T) {
	t.Parallel()
	r := newRig(t, paid+"profile: regression\nscenarios: [pr-view-001, repo-view-001, issue-view-001]\n")
	r.executor.set(func(_ context.Context, w service.Work) (runs.Outcome, error) {
		w.Keep(cellOf("pr-view-001", 1), []byte(`{"scenario_id":"pr-view-001","mode":"ghx","iteration":1}`))
		return runs.Outcome{Summary: &bench.Summary{
			Gate:     bench.Gate{Profile: bench.ProfileRegression, Verdict: bench.VerdictInconclusive},
			Evidence: &bench.Evidence{Verdict: bench.VerdictInconclusive, Cause: bench.Cause{Kind: bench.CauseVoid}, Final: true},
		}}, nil
	})
	asks := func(command string) service.Work {
		t.Helper()
		r.comment("writer", command)
		r.wait(1)
		works := r.executor.works()
		return works[len(works)-1]
	}
	asks("/bench")
	assert.Empty(t, asks("/bench run").Run.Request.Continues, "nothing was compared, which uses no error budget")
	r.executor.set(func(_ context.Context, w service.Work) (runs.Outcome, error) {
		w.Keep(cellOf("pr-view-001", 1), []byte(`{"scenario_id":"pr-view-001","mode":"ghx","iteration":1}`))
		return runs.Outcome{Reason: "It has spent what it may."}, nil
	})
	r.comment("writer", "/bench run")
	r.wait(1)
	later := asks("/bench run --repetitions 2..10")
	assert.Equal(t, "run-3", later.Run.Request.Continues)
	assert.Equal(t, bench.Repetitions{First: 2, Most: 12}, later.Run.Request.Plan.Repetitions)
	require.Len(t, later.Before, 1)
	assert.Equal(t, "run-3", later.Before[0].ID)
	assert.Equal(t, "bench", later.Run.Suite, "the question of the settings is answered on their check")
	assert.Empty(t, asks("/bench run --model openai/other").Run.Request.Continues, "that is another question")
}

// What was asked for otherwise decides nothing about the check that is required.
func TestARunByEvidenceDoesNotGoOnWithAPartialOne(t *testing.T) {
	t.Parallel()
	r := newRig(t, paid+"profile: regression\nscenarios: [pr-view-001, repo-view-001, issue-view-001]\n")
	r.executor.set(func(_ context.Context, w service.Work) (runs.Outcome, error) {
		w.Keep(cellOf("pr-view-001", 1), []byte(`{"scenario_id":"pr-view-001","mode":"ghx","iteration":1}`))
		return runs.Outcome{Reason: "It has spent what it may."}, nil
	})
	for _, command := range []string{"/bench run --repetitions 2..10", "/bench run"} {
		r.comment("writer", command)
		r.wait(1)
	}
	assert.Equal(t, "bench (partial)", r.run("run-1").Suite)
	assert.Equal(t, "bench", r.run("run-2").Suite)
	assert.Empty(t, r.run("run-2").Request.Continues)
}

// Who runs the server says what a run may cost at most; a repository may say less.
func TestTheServerBoundsBudgets(t *testing.T) {
	t.Parallel()
	for bound, want := range map[float64]float64{1.5: 1.5, 0: 2, 5: 2} {
		r := newRig(t, paid, func(o *service.Options) { o.MaxRunUSD = bound })
		r.costs(0.01, time.Second)
		r.comment("writer", "/bench run")
		r.wait(1)
		assert.InDelta(t, want, r.run("run-1").Request.Plan.MaxUSD, 1e-9, "bounded by %v", bound)
	}
	r := newRig(t, paid, func(o *service.Options) { o.MaxDayUSD = 1.7 })
	r.costs(0.1, time.Second)
	r.comment("writer", "/bench run")
	r.wait(1)
	assert.InDelta(t, 1.7, r.run("run-1").Request.Plan.MaxUSD, 1e-9)
	r.comment("writer", "/bench run")
	assert.Contains(t, r.answer(), "budget", "1.6 USD of 1.7 are spent")
	r.none("run-2", "the day's budget is used up")
}
