package evidence

import (
	"math"
	"math/rand/v2"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

// Truth is a world in which a design is tried (rule V13). Zero values are for
// what is not there: no difference, no noise, no outliers.
type Truth struct {
	Scenarios int
	// SuccessRate is the baseline's, from 0 to 1, and SuccessDrop how much lower
	// the candidate's is.
	SuccessRate, SuccessDrop float64
	// CostLog and LatencyLog are the logarithms of the candidate's figures over
	// the baseline's.
	CostLog, LatencyLog float64
	// CV is the coefficient of variation of both figures between sessions, which
	// are log-normal.
	CV float64
	// OutlierShare is that of the sessions that need OutlierFactor as much.
	OutlierShare, OutlierFactor float64
	// BlockNoise is the standard deviation of the logarithm of what both sessions
	// of a block share.
	BlockNoise float64
	// VoidShare is that of the sessions that are void.
	VoidShare float64
	// Harmed is how many scenarios need HarmFactor as much with the candidate.
	Harmed     int
	HarmFactor float64
}

// Characteristics are what a design came to in simulated suites of one truth.
type Characteristics struct {
	Suites int `json:"suites"`
	Pass   int `json:"pass"`
	Fail   int `json:"fail"`
	// CannotTell is what neither passed nor failed.
	CannotTell int `json:"cannotTell"`
	// MeanBlocks is the mean number of blocks of a scenario at the end.
	MeanBlocks float64 `json:"meanBlocks"`
	// Covered counts the suites whose last interval had the truth in it, and
	// Intervals those that had one, by endpoint.
	Covered   [3]int `json:"covered"`
	Intervals [3]int `json:"intervals"`
}

// Simulate judges simulated suites and counts what they come to. The result
// depends on the arguments alone.
func (d *Design) Simulate(truth Truth, suites int, seed uint64) Characteristics {
	are := [3]float64{points(truth.SuccessDrop), changePct(truth.CostLog), changePct(truth.LatencyLog)}
	return d.simulate(truth.Blocks, are, suites, seed)
}

// simulate judges suites that draw gives. The changes that are true are those of
// the endpoints, of the scenarios that are not harmed.
func (d *Design) simulate(draw func(most int, r *rand.Rand) []Block, are [3]float64, suites int, seed uint64) Characteristics {
	verdicts := make([]bench.Evidence, suites)
	stats.InParallel(suites, func(i int) {
		verdicts[i], _, _ = d.decide(draw(d.Most(), stats.Stream(seed, uint64(i))))
	})
	c := Characteristics{Suites: suites}
	blocks := 0
	for i := range verdicts {
		v := &verdicts[i]
		switch v.Verdict {
		case bench.VerdictPass:
			c.Pass++
		case bench.VerdictFail:
			c.Fail++
		default:
			c.CannotTell++
		}
		if len(v.Looks) > 0 {
			blocks += v.Looks[len(v.Looks)-1].Blocks
		}
		c.count(v.Endpoints, are)
	}
	c.MeanBlocks = float64(blocks) / float64(max(1, suites))
	return c
}

// count tells which intervals have the truth in them.
func (c *Characteristics) count(endpoints []bench.Endpoint, are [3]float64) {
	for i, e := range endpoints {
		if e.Interval == nil {
			continue
		}
		c.Intervals[i]++
		c.Covered[i] += one(e.Interval[0] <= are[i] && are[i] <= e.Interval[1])
	}
}

// Blocks draws blocks until every scenario has that many without a void.
func (t Truth) Blocks(most int, r *rand.Rand) []Block {
	blocks := make([]Block, 0, t.Scenarios*most)
	var clock int64
	for s := range t.Scenarios {
		id := scenarioName(s)
		level := [2]float64{r.NormFloat64(), r.NormFloat64()}
		for iteration, sound := 1, 0; sound < most; iteration++ {
			b := Block{Scenario: id, Iteration: iteration}
			shared := t.BlockNoise * r.NormFloat64()
			b.Baseline = t.session(r, t.SuccessRate, [2]float64{level[0] + shared, level[1] + shared})
			change := [2]float64{t.CostLog, t.LatencyLog}
			if s < t.Harmed {
				change[0] += math.Log(t.HarmFactor)
				change[1] += math.Log(t.HarmFactor)
			}
			b.Candidate = t.session(r, t.SuccessRate-t.SuccessDrop, [2]float64{level[0] + shared + change[0], level[1] + shared + change[1]})
			first := r.IntN(2)
			b.Baseline.EndedMS, b.Candidate.EndedMS = clock+1+int64(first), clock+2-int64(first)
			clock += 2
			sound += one(!b.void())
			blocks = append(blocks, b)
		}
	}
	return blocks
}

func (t Truth) session(r *rand.Rand, rate float64, levels [2]float64) Session {
	deviation := math.Sqrt(math.Log1p(t.CV * t.CV))
	var figures [2]float64
	for i, level := range levels {
		log := level + deviation*r.NormFloat64()
		if r.Float64() < t.OutlierShare {
			log += math.Log(t.OutlierFactor)
		}
		figures[i] = math.Exp(log)
	}
	s := Session{
		Success: r.Float64() < rate, CostUSD: 0.03 * figures[0], LatencyMS: 30_000 * figures[1],
		TokensActive: 3_000 * figures[0], TokensTotal: 12_000 * figures[0],
	}
	if r.Float64() < t.VoidShare {
		s.Void = "simulated"
	}
	return s
}

func scenarioName(number int) string {
	return "scenario-" + string(rune('a'+number/26)) + string(rune('a'+number%26))
}
