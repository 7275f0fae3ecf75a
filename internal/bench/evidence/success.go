package evidence

import (
	"math"
	"slices"
)

// table counts a scenario's attempts and successes.
type table struct{ candidateRuns, candidate, baselineRuns, baseline int }

// tally is a table that some scenarios have.
type tally struct {
	table
	scenarios int
}

// drop returns how much lower the candidate's rate is, from −1 to 1.
func (t table) drop() float64 {
	return float64(t.baseline)/float64(t.baselineRuns) - float64(t.candidate)/float64(t.candidateRuns)
}

// correction is what a variance is too small by, for it is of the estimated
// rates: N/(N−1) for N attempts, as in Cochran's, Mantel's and Haenszel's test
// and in that of Miettinen and Nurminen (1985).
func (t table) correction() float64 {
	runs := float64(t.candidateRuns + t.baselineRuns)
	return runs / (runs - 1)
}

// pooledVariance returns the variance of the drop where both rates are equal.
func (t table) pooledVariance() float64 {
	c, b := float64(t.candidateRuns), float64(t.baselineRuns)
	rate := float64(t.candidate+t.baseline) / (c + b)
	return rate * (1 - rate) * (1/c + 1/b) * t.correction()
}

// varianceAt returns the variance of the drop where it is truly δ, with the
// most likely rates under that condition (Miettinen and Nurminen 1985).
func (t table) varianceAt(δ float64) float64 {
	c, b := float64(t.candidateRuns), float64(t.baselineRuns)
	pc, pb := likeliest(float64(t.candidate), c, float64(t.baseline), b, δ)
	return (pc*(1-pc)/c + pb*(1-pb)/b) * t.correction()
}

// likeliest returns the likeliest rates of which the candidate's is lower by δ,
// in closed form (Farrington and Manning 1990).
func likeliest(candidate, candidateRuns, baseline, baselineRuns, δ float64) (pc, pb float64) {
	gain := -δ
	ratio := baselineRuns / candidateRuns
	p1, p2 := candidate/candidateRuns, baseline/baselineRuns
	a := 1 + ratio
	b := -(1 + ratio + p1 + ratio*p2 + gain*(ratio+2))
	c := gain*gain + gain*(2*p1+ratio+1) + p1 + ratio*p2
	d := -p1 * gain * (1 + gain)
	v := b*b*b/(27*a*a*a) - b*c/(6*a*a) + d/(2*a)
	u := math.Sqrt(max(0, b*b/(9*a*a)-c/(3*a)))
	if v < 0 {
		u = -u
	}
	angle := math.Pi
	if u != 0 {
		angle += math.Acos(clamp(v/(u*u*u), -1, 1))
	}
	pc = 2*u*math.Cos(angle/3) - b/(3*a)
	pc = clamp(pc, max(0, gain), min(1, 1+gain))
	return pc, clamp(pc-gain, 0, 1)
}

func clamp(x, lo, hi float64) float64 { return max(lo, min(x, hi)) }

// tables are those of all scenarios, equal ones together.
type tables []tally

func (t *tables) add(one table) {
	for i := range *t {
		if (*t)[i].table == one {
			(*t)[i].scenarios++
			return
		}
	}
	*t = append(*t, tally{one, 1})
}

// without returns the tables of all scenarios but one.
func (t tables) without(one table) tables {
	others := slices.Clone(t)
	for i := range others {
		if others[i].table == one {
			others[i].scenarios--
		}
	}
	return others
}

func (t table) candidateSuccesses() float64 { return float64(t.candidate) }
func (t table) baselineSuccesses() float64  { return float64(t.baseline) }

func (t tables) scenarios() int {
	n := 0
	for _, one := range t {
		n += one.scenarios
	}
	return n
}

// sum adds up a figure over all scenarios.
func (t tables) sum(of func(table) float64) float64 {
	sum := 0.0
	for _, one := range t {
		sum += float64(one.scenarios) * of(one.table)
	}
	return sum
}

// drop returns the mean drop over the scenarios.
func (t tables) drop() float64 { return t.sum(table.drop) / float64(t.scenarios()) }

// harmZ tests whether the candidate succeeds less often: Cochran's, Mantel's
// and Haenszel's test over the scenarios, which have equal numbers of attempts
// (rule V5). It is 0 where nothing varies.
func (t tables) harmZ() float64 {
	return ratioOfRoot(t.sum(table.drop), t.sum(table.pooledVariance))
}

// notWorseZ tests whether the mean drop is below δ (rule V5).
func (t tables) notWorseZ(δ float64) float64 {
	return ratioOfRoot(
		t.sum(func(one table) float64 { return δ - one.drop() }),
		t.sum(func(one table) float64 { return one.varianceAt(δ) }),
	)
}

// negligible is a variance that only rounding leaves.
const negligible = 1e-12

func ratioOfRoot(sum, variance float64) float64 {
	if variance <= negligible {
		return 0
	}
	return sum / math.Sqrt(variance)
}

// interval returns the drops that a two-sided test with the bound z does not
// reject.
func (t tables) interval(bound float64) (lo, hi float64) {
	drop := t.drop()
	hi = bisect(drop, 1, func(δ float64) bool { return t.notWorseZ(δ) >= bound })
	lo = bisect(-1, drop, func(δ float64) bool { return t.notWorseZ(δ) > -bound })
	return min(lo, drop), max(hi, drop)
}
