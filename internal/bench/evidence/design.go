package evidence

import (
	"fmt"
	"math"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// The margins that hold unless others are given (rule V1).
const (
	DefaultSuccessDropPct = 15
	DefaultCostRatio      = 1.20
	DefaultLatencyRatio   = 1.25
)

// DefaultMargins returns the usual margins. What is to be saved is up to the
// thresholds of the model; where they let it cost more, the claim is to save
// something.
func DefaultMargins(thresholds bench.Thresholds) bench.Margins {
	return bench.Margins{
		SuccessDropPct: DefaultSuccessDropPct, CostRatio: DefaultCostRatio, LatencyRatio: DefaultLatencyRatio,
		MinCostReductionPct:    max(0, thresholds.MinCostReductionPct),
		MinLatencyReductionPct: max(0, thresholds.MinLatencyReductionPct),
	}
}

// How many blocks of a scenario there may be.
const (
	MinBlocks = 2
	MaxBlocks = 100
	// blocksPerLook is how many more blocks a scenario has at the next look.
	blocksPerLook = 2
)

// RefillShare is of how many planned blocks one may be void and be refilled: with
// more of them above 20 % would be void, and there is no verdict (rule N10).
const RefillShare = 4

// WithRefills returns how many blocks of a scenario there may be with those that
// take the place of void ones, at most twice as many as are planned.
func WithRefills(blocks, scenarios int) int {
	return blocks + min(blocks, blocks*scenarios/RefillShare)
}

// Looks returns after how many blocks of every scenario a sequence of first to
// last is looked at (rule V7). Where they are equal there is one look. An error
// is of kind [fault.Invalid].
func Looks(first, last int) ([]int, error) {
	switch {
	case first < MinBlocks:
		return nil, fault.Invalidf("evidence needs at least %d repetitions, and %d are wanted", MinBlocks, first)
	case first > last:
		return nil, fault.Invalidf("repetitions %d..%d: the first number is how many there are at least, the second how many at most", first, last)
	case last > MaxBlocks:
		return nil, fault.Invalidf("evidence takes at most %d repetitions, and %d are wanted", MaxBlocks, last)
	}
	var looks []int
	for n := first; n < last; n += blocksPerLook {
		looks = append(looks, n)
	}
	return append(looks, last), nil
}

// Design is what is fixed before the first block: what counts as not worse, when
// it is looked, and what z must reach. Several goroutines may use it.
type Design struct {
	profile bench.GateProfile
	margins bench.Margins
	looks   []int
	bounds  boundaries
	// tested are the hypotheses on cost and latency, in that order.
	tested [2]hypotheses
}

// hypotheses are logarithms of ratios: to be above harm is harm, and to be
// below notWorse is to be not worse.
type hypotheses struct{ harm, notWorse float64 }

// NewDesign returns the design of [bench.ProfileRegression] or
// [bench.ProfileClaim] with those margins and from first to last blocks of every
// scenario. An error is of kind [fault.Invalid].
func NewDesign(profile bench.GateProfile, margins bench.Margins, first, last int) (*Design, error) {
	if profile != bench.ProfileRegression && profile != bench.ProfileClaim {
		return nil, fault.Invalidf("profile %q is not judged by evidence: %s and %s are", profile, bench.ProfileRegression, bench.ProfileClaim)
	}
	if err := checkMargins(margins, profile); err != nil {
		return nil, err
	}
	looks, err := Looks(first, last)
	if err != nil {
		return nil, err
	}
	d := &Design{profile: profile, margins: margins, looks: looks, bounds: boundariesOf(looks)}
	if profile == bench.ProfileRegression {
		d.tested[0].notWorse, d.tested[1].notWorse = math.Log(margins.CostRatio), math.Log(margins.LatencyRatio)
	} else {
		for i, saved := range []float64{margins.MinCostReductionPct, margins.MinLatencyReductionPct} {
			bound := math.Log1p(-saved / 100)
			d.tested[i] = hypotheses{bound, bound}
		}
	}
	return d, nil
}

// maxRatio is far beyond every margin that says something.
const maxRatio = 100

func checkMargins(m bench.Margins, profile bench.GateProfile) error {
	if !(m.SuccessDropPct > 0 && m.SuccessDropPct < 100) {
		return fault.Invalidf("the margin of the success rate is %g points: it must be above 0 and below 100", m.SuccessDropPct)
	}
	if profile == bench.ProfileRegression {
		for _, ratio := range []struct {
			of    string
			value float64
		}{{"cost", m.CostRatio}, {"latency", m.LatencyRatio}} {
			if !(ratio.value > 1 && ratio.value <= maxRatio) {
				return fault.Invalidf("the margin of the %s is a ratio of %g: it must be above 1 and at most %d, as 1.2 is for 20 %% more", ratio.of, ratio.value, maxRatio)
			}
		}
		return nil
	}
	for _, saved := range []struct {
		of    string
		value float64
	}{{"cost", m.MinCostReductionPct}, {"latency", m.MinLatencyReductionPct}} {
		if !(saved.value >= 0 && saved.value < 100) {
			return fault.Invalidf("to save %g %% of the %s is claimed: it must be at least 0 and below 100", saved.value, saved.of)
		}
	}
	return nil
}

// Looks returns after how many blocks of every scenario it is looked.
func (d *Design) Looks() []int { return append([]int(nil), d.looks...) }

// Most returns how many blocks a scenario has at the last look.
func (d *Design) Most() int { return d.looks[len(d.looks)-1] }

// successMargin is a drop, from 0 to 1.
func (d *Design) successMargin() float64 { return d.margins.SuccessDropPct / 100 }

// failBound returns what z must reach at a look to show harm.
func (d *Design) failBound(endpoint bench.EndpointName, look int) float64 {
	if endpoint == bench.EndpointLatency {
		return d.bounds.failLatency[look]
	}
	return d.bounds.failMain[look]
}

// marginPct returns the change in percent of the cost or the latency that is too
// much.
func (d *Design) marginPct(i int) float64 {
	if d.profile == bench.ProfileClaim {
		return -[2]float64{d.margins.MinCostReductionPct, d.margins.MinLatencyReductionPct}[i]
	}
	return 100*[2]float64{d.margins.CostRatio, d.margins.LatencyRatio}[i] - 100
}

// repetitions says how many blocks are planned: "2..12", or "4".
func (d *Design) repetitions() string {
	if len(d.looks) == 1 {
		return fmt.Sprint(d.looks[0])
	}
	return fmt.Sprintf("%d..%d", d.looks[0], d.Most())
}
