package evidence

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestV5RatesUnderAConditionAreTheLikeliest(t *testing.T) {
	logLikelihood := func(x, n, p float64) float64 {
		sum := 0.0
		if x > 0 {
			sum += x * math.Log(p)
		}
		if n > x {
			sum += (n - x) * math.Log(1-p)
		}
		return sum
	}
	for _, n := range []int{2, 5, 12} {
		for candidate := 0; candidate <= n; candidate++ {
			for baseline := 0; baseline <= n; baseline++ {
				for _, δ := range []float64{-0.6, -0.1, 0, 0.03, 0.15, 0.5} {
					x1, x2, runs := float64(candidate), float64(baseline), float64(n)
					at := func(pb float64) float64 { return logLikelihood(x1, runs, pb-δ) + logLikelihood(x2, runs, pb) }
					pc, pb := likeliest(x1, runs, x2, runs, δ)
					assert.InDelta(t, δ, pb-pc, 1e-12)
					lo, hi := max(0, δ), min(1, 1+δ)
					best := math.Inf(-1)
					for i := 1; i < 2000; i++ {
						best = max(best, at(lo+(hi-lo)*float64(i)/2000))
					}
					assert.GreaterOrEqual(t, at(clamp(pb, lo+1e-12, hi-1e-12)), best-1e-6, "%d/%d and %d/%d, δ %g", candidate, n, baseline, n, δ)
				}
			}
		}
	}
}

// Rounding takes the argument of an arc cosine beyond 1 there.
func TestV5RatesUnderAConditionAreNumbersWhereRoundingIsAgainstThem(t *testing.T) {
	pc, pb := likeliest(21, 25, 0, 25, -0.6)
	assert.InDelta(t, -0.6, pb-pc, 1e-12)
}

func TestV5HarmIsTheTestOfCochranMantelAndHaenszel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		n := 2 + r.IntN(11)
		var all tables
		distance, variance := 0.0, 0.0
		for range 1 + r.IntN(12) {
			one := table{n, r.IntN(n + 1), n, r.IntN(n + 1)}
			all.add(one)
			// The baseline's successes, hypergeometric given the margins.
			total, successes := float64(2*n), float64(one.candidate+one.baseline)
			distance += float64(one.baseline) - successes/2
			variance += float64(n) * float64(n) * successes * (total - successes) / (total * total * (total - 1))
		}
		if variance == 0 {
			assert.Zero(t, all.harmZ())
			continue
		}
		assert.InDelta(t, distance/math.Sqrt(variance), all.harmZ(), 1e-9)
	}
}

func TestV5WhatDoesNotVaryShowsNothing(t *testing.T) {
	all := tables{{table{4, 4, 4, 4}, 3}}
	assert.Zero(t, all.harmZ())
	assert.Zero(t, all.notWorseZ(0), "at a margin of 0 nothing varies either")
	assert.InDelta(t, math.Sqrt(12*0.15/0.85*7/8), all.notWorseZ(0.15), 1e-12, "rule V8's formula")
	assert.InDelta(t, flawlessZ(3, 4, 0.15), all.notWorseZ(0.15), 1e-12)
}

func TestV7IntervalOfSuccessIsWhatTheTestDoesNotReject(t *testing.T) {
	const bound = 2.41
	for _, all := range []tables{
		{{table{12, 9, 12, 11}, 4}, {table{12, 12, 12, 12}, 8}},
		{{table{2, 2, 2, 2}, 2}},
		{{table{12, 0, 12, 12}, 1}},
		{{table{12, 12, 12, 0}, 3}},
		{{table{5, 0, 5, 0}, 3}},
	} {
		lo, hi := all.interval(bound)
		assert.LessOrEqual(t, lo, all.drop())
		assert.GreaterOrEqual(t, hi, all.drop())
		if hi < 1-1e-6 {
			assert.InDelta(t, bound, all.notWorseZ(hi), 1e-6)
		}
		if lo > -1+1e-6 {
			assert.InDelta(t, -bound, all.notWorseZ(lo), 1e-6)
		}
	}
}

func TestN10AVoidOfOneModeCountsAsItsFailureAlone(t *testing.T) {
	of := func(baseline, candidate bool, baselineVoid, candidateVoid string) Block {
		return Block{Baseline: Session{Success: baseline, Void: baselineVoid}, Candidate: Session{Success: candidate, Void: candidateVoid}}
	}
	for name, c := range map[string]struct {
		void Block
		want table
	}{
		"of the candidate":                         {of(true, true, "", "x"), table{5, 4, 5, 5}},
		"of the candidate, where neither succeeds": {of(false, false, "", "x"), table{5, 4, 5, 4}},
		"of the baseline":                          {of(true, true, "x", ""), table{5, 5, 5, 4}},
		"of the baseline, where neither succeeds":  {of(false, false, "x", ""), table{5, 4, 5, 4}},
		"of both": {of(true, true, "x", "x"), table{4, 4, 4, 4}},
	} {
		assert.Equal(t, c.want, countWithVoids(table{4, 4, 4, 4}, []Block{c.void}), name)
	}
}

func TestV12TablesLeaveAScenarioOut(t *testing.T) {
	a, b := table{4, 3, 4, 4}, table{4, 4, 4, 4}
	all := tables{{a, 2}, {b, 1}}
	assert.InDelta(t, tables{{a, 1}, {b, 1}}.harmZ(), all.without(a).harmZ(), 1e-12)
	assert.InDelta(t, tables{{a, 2}}.notWorseZ(0.2), all.without(b).notWorseZ(0.2), 1e-12)
	assert.Equal(t, 3, all.scenarios(), "the original is as it was")
}

func TestGuardTestOfSuccessIsFishers(t *testing.T) {
	assert.InDelta(t, 1.0/70, table{4, 0, 4, 4}.exactP(), 1e-12)
	assert.InDelta(t, 17.0/70, table{4, 1, 4, 3}.exactP(), 1e-12)
	assert.InDelta(t, 1, table{4, 4, 4, 4}.exactP(), 1e-12)
}
