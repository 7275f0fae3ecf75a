package stats

import "math"

// normal975 is the 97.5th percentile of the standard normal distribution, for
// two-sided intervals of 95 %.
const normal975 = 1.959963984540054

// Wilson returns the 95 % score interval of a proportion of which n trials
// had that many successes (Wilson 1927). Without trials it is 0 to 1.
func Wilson(successes, n int) (lo, hi float64) {
	if n == 0 {
		return 0, 1
	}
	const zz = normal975 * normal975
	trials := float64(n)
	p := float64(successes) / trials
	center := p + zz/(2*trials)
	half := normal975 * math.Sqrt(p*(1-p)/trials+zz/(4*trials*trials))
	scale := 1 + zz/trials
	return max(0, (center-half)/scale), min(1, (center+half)/scale)
}

// Newcombe returns the 95 % interval of the difference p₁ − p₂ of two
// independent proportions: the hybrid score interval without continuity
// correction (Newcombe 1998, method 10).
func Newcombe(successes1, n1, successes2, n2 int) (lo, hi float64) {
	p1, p2 := proportion(successes1, n1), proportion(successes2, n2)
	lo1, hi1 := Wilson(successes1, n1)
	lo2, hi2 := Wilson(successes2, n2)
	difference := p1 - p2
	return difference - math.Hypot(p1-lo1, hi2-p2), difference + math.Hypot(hi1-p1, p2-lo2)
}

func proportion(successes, n int) float64 {
	if n == 0 {
		return 0
	}
	return float64(successes) / float64(n)
}

// PassHatK estimates the probability that k attempts in a row all succeed
// from n attempts of which that many did: C(successes, k) / C(n, k), which is
// unbiased (τ-bench, arXiv:2406.12045). k is from 1 to n.
func PassHatK(successes, n, k int) float64 {
	p := 1.0
	for i := range k {
		p *= float64(max(0, successes-i)) / float64(n-i)
	}
	return p
}

// AtLeast returns the probability of at least least successes in n
// independent trials of probability p.
func AtLeast(least, n int, p float64) float64 {
	switch {
	case least > n:
		return 0
	case p >= 1:
		return 1
	}
	fewer, logOdds := 0.0, math.Log(p)-math.Log1p(-p)
	logTerm := float64(n) * math.Log1p(-p)
	for k := range least {
		fewer += math.Exp(logTerm)
		logTerm += logOdds + math.Log(float64(n-k)/float64(k+1))
	}
	return max(0, 1-fewer)
}
