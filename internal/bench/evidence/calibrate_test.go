package evidence_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/stats"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// rowsOf are blocks as the rows of a run.
func rowsOf(blocks []evidence.Block) []bench.Row {
	var rows []bench.Row
	for _, b := range blocks {
		for mode, s := range map[bench.Mode]evidence.Session{bench.GHXBase: b.Baseline, bench.GHX: b.Candidate} {
			row := bench.Row{
				RunID: "run-1", Mode: mode, ScenarioID: b.Scenario, Iteration: b.Iteration, Success: s.Success,
				Cost: s.CostUSD, LatencyMSWall: s.LatencyMS, Tokens: bench.Tokens{Total: int64(s.TokensTotal)},
			}
			if s.Void != "" {
				row.Error = &bench.RowError{Type: bench.TimeoutNoFirstAnswer}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func poolOf(rows []bench.Row, mode, other bench.Mode) *evidence.Pool {
	pool := evidence.NewPool(mode, other)
	for i := range rows {
		pool.Add(&rows[i])
	}
	return pool
}

func calibrate(t *testing.T, d *evidence.Design, pool *evidence.Pool) evidence.Calibration {
	t.Helper()
	c, err := d.Calibrate(pool, suitesOfACell, 5, func(int, int) {})
	require.NoError(t, err)
	return c
}

// Of so many suites, more wrong ones than that are more than 5 %: by luck there
// are in 5 of 10,000.
const (
	suitesOfACell = 100
	mostWrong     = 13
)

func TestV12SuitesThatAreDrawnFromRowsAreSeldomJudgedWrongly(t *testing.T) {
	testkit.NeedComplete(t)
	rows := rowsOf(blocks(world(12, 0.95, 0.3), 40, 3))
	check := func(c evidence.Calibration) {
		assert.Equal(t, 12, c.Scenarios)
		assert.GreaterOrEqual(t, c.FewestSessions, 40)
		for _, truth := range c.Truths {
			assert.LessOrEqual(t, truth.Wrong(), mostWrong, truth.Candidate)
			assert.True(t, truth.WrongPass || truth.WrongFail)
			assert.Equal(t, suitesOfACell, truth.Pass+truth.Fail+truth.CannotTell)
			for i := range truth.Covered {
				// 93 % less three standard errors.
				assert.GreaterOrEqual(t, truth.Covered[i], 85*truth.Intervals[i]/suitesOfACell, "%s: endpoint %d", truth.Candidate, i)
			}
		}
	}
	check(calibrate(t, design(t, bench.ProfileClaim, 2, 12), poolOf(rows, bench.GHXBase, bench.GHX)))
	c := calibrate(t, regression(t), poolOf(rows, bench.GHXBase, ""))
	check(c)
	assert.GreaterOrEqual(t, c.Truths[0].Pass, 90, "what does not differ")
	for _, twice := range c.Truths[4:] {
		assert.GreaterOrEqual(t, twice.Fail, 90, twice.Candidate)
	}
	assert.Equal(t, []string{
		"does not differ", "succeeds 15 points less often", "costs × 1.2", "takes × 1.25",
		"succeeds 30 points less often", "costs × 1.44", "takes × 1.56",
	}, candidates(c))
}

func TestV12TheVerdictsThatWouldBeWrongAreCounted(t *testing.T) {
	of := func(pass, fail bool) int {
		c := evidence.Calibrated{WrongPass: pass, WrongFail: fail, Characteristics: evidence.Characteristics{Pass: 2, Fail: 30, CannotTell: 400}}
		return c.Wrong()
	}
	assert.Equal(t, []int{0, 2, 30, 32}, []int{of(false, false), of(true, false), of(false, true), of(true, true)})
}

// A claim is tried with what would break it, and with what keeps it.
func TestV12AClaimIsTriedWithWhatItClaims(t *testing.T) {
	truths := func(margins bench.Margins) []evidence.Calibrated {
		d, err := evidence.NewDesign(bench.ProfileClaim, margins, 2, 12)
		require.NoError(t, err)
		var told []int
		c, err := d.Calibrate(poolOf(rowsOf(blocks(alike(3), 3, 3)), bench.GHXBase, ""), 1, 5, func(truths, of int) { told = append(told, truths, of) })
		require.NoError(t, err)
		assert.Equal(t, []int{1, len(c.Truths), 2, len(c.Truths), 3, len(c.Truths)}, told[:6])
		assert.Equal(t, margins, c.Margins)
		assert.Equal(t, bench.ProfileClaim, c.Profile)
		assert.Equal(t, d.Looks(), c.Schedule)
		assert.Equal(t, []int{3, 9, 3, 5}, []int{c.Scenarios, c.Sessions, c.FewestSessions, int(c.Seed)})
		for i := range c.Truths {
			c.Truths[i].Characteristics = evidence.Characteristics{}
		}
		return c.Truths
	}
	claims := []evidence.Calibrated{
		{Candidate: "saves just what is claimed", WrongPass: true, WrongFail: true},
		{Candidate: "saves as much again", WrongFail: true},
		{Candidate: "does so and succeeds 15 points less often", WrongPass: true},
	}
	nothing := evidence.DefaultMargins(bench.Thresholds{})
	assert.Equal(t, claims, truths(nothing), "who does not differ saves what is claimed")
	for _, claimed := range []bench.Thresholds{{MinCostReductionPct: 10}, {MinLatencyReductionPct: 10}} {
		assert.Equal(t, append(claims, evidence.Calibrated{Candidate: "does not differ", WrongPass: true}), truths(evidence.DefaultMargins(claimed)))
	}
}

func candidates(c evidence.Calibration) []string {
	var all []string
	for _, t := range c.Truths {
		all = append(all, t.Candidate)
	}
	return all
}

func TestV12TheOrderOfRowsDoesNotMatterAndTheSeedDoes(t *testing.T) {
	testkit.NeedComplete(t)
	rows := rowsOf(blocks(world(6, 0.9, 0.3), 6, 3))
	d := regression(t)
	few := func(seed uint64) evidence.Calibration {
		c, err := d.Calibrate(poolOf(rows, bench.GHXBase, ""), 20, seed, func(int, int) {})
		require.NoError(t, err)
		return c
	}
	want := few(5)
	slices.Reverse(rows)
	assert.Equal(t, want, few(5))
	assert.NotEqual(t, want.Truths, few(6).Truths)
}

func TestV12WholeBlocksKeepWhatTheirSessionsHaveInCommon(t *testing.T) {
	testkit.NeedComplete(t)
	truth := alike(6)
	truth.CV, truth.BlockNoise = 0.05, 0.6
	rows := rowsOf(blocks(truth, 20, 3))
	apart, err := regression(t).Calibrate(poolOf(rows, bench.GHXBase, ""), 40, 5, func(int, int) {})
	require.NoError(t, err)
	whole, err := regression(t).Calibrate(poolOf(rows, bench.GHXBase, bench.GHX), 40, 5, func(int, int) {})
	require.NoError(t, err)
	assert.Greater(t, whole.Truths[0].Pass, 2*apart.Truths[0].Pass)
	assert.Equal(t, 2*apart.Sessions, whole.Sessions)
}

func TestV12WhatTellsNothingIsRefused(t *testing.T) {
	d := regression(t)
	rows := rowsOf(blocks(alike(4), 4, stats.Stream(3).Uint64()))
	altered := func(alter func(*bench.Row)) []bench.Row {
		all := slices.Clone(rows)
		for i := range all {
			alter(&all[i])
		}
		return all
	}
	cases := []struct {
		name   string
		rows   []bench.Row
		suites int
		want   string
	}{
		{"no rows", nil, 10, "there are no rows of mode ghx@base to draw from"},
		{"another mode", altered(func(r *bench.Row) { r.Mode = bench.MCP }), 10, "there are no rows of mode ghx@base"},
		{"all failed", altered(func(r *bench.Row) { r.Success = false }), 10, "no session of mode ghx@base succeeded"},
		{"all void", altered(func(r *bench.Row) { r.Error = &bench.RowError{Type: bench.TimeoutNoFirstAnswer} }), 10, "scenario scenario-aa has 0 sessions"},
		{"negative", altered(func(r *bench.Row) { r.Cost = -1 }), 10, "in each of the 16 rows of mode ghx@base a figure is negative or no number"},
		{"one row, and that negative", slices.DeleteFunc(altered(func(r *bench.Row) { r.Cost = -1 }), func(r bench.Row) bool {
			return r.ScenarioID != rows[0].ScenarioID || r.Iteration != 1
		}), 10, "in each of the 1 rows of mode ghx@base a figure is negative or no number"},
		{"a scenario that has only negative ones", altered(func(r *bench.Row) {
			if r.ScenarioID == rows[0].ScenarioID && r.Iteration > 1 {
				r.Cost = -1
			}
		}), 10, "scenario scenario-aa has 1 sessions"},
		{"no suites", rows, 0, "at least 1"},
		{"two scenarios cannot pass", rowsOf(blocks(alike(2), 4, 1)), 10, "take at least 3 scenarios"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := d.Calibrate(poolOf(c.rows, bench.GHXBase, ""), c.suites, 1, func(int, int) {})
			require.ErrorContains(t, err, c.want)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}
