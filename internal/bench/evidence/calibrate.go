package evidence

import (
	"fmt"
	"math"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Calibration says what a design comes to in suites that are drawn from rows.
type Calibration struct {
	Profile  bench.GateProfile `json:"profile"`
	Margins  bench.Margins     `json:"margins"`
	Schedule []int             `json:"schedule"`
	// Scenarios and Sessions count what is drawn from; FewestSessions is of the
	// scenario that has the fewest.
	Scenarios      int    `json:"scenarios"`
	Sessions       int    `json:"sessions"`
	FewestSessions int    `json:"fewestSessions"`
	Seed           uint64 `json:"seed"`
	// Truths has a line per effect.
	Truths []Calibrated `json:"truths"`
}

// Calibrated is what a design comes to where one thing is true.
type Calibrated struct {
	// Candidate completes the sentence: if the candidate…
	Candidate string `json:"candidate"`
	// WrongPass and WrongFail tell which of the verdicts would be wrong.
	WrongPass bool `json:"wrongPass"`
	WrongFail bool `json:"wrongFail"`
	Characteristics
}

// Wrong counts the suites with a verdict that is wrong.
func (c *Calibrated) Wrong() int {
	wrong := 0
	if c.WrongPass {
		wrong += c.Pass
	}
	if c.WrongFail {
		wrong += c.Fail
	}
	return wrong
}

// Calibrate draws so many suites from a pool for each of some effects, and
// judges them. The result depends on the arguments alone. Done is told after each
// effect how many of how many there were. An error is of kind [fault.Invalid]:
// there is too little to draw from.
func (d *Design) Calibrate(pool *Pool, suites int, seed uint64, done func(truths, of int)) (Calibration, error) {
	if suites < 1 {
		return Calibration{}, fault.Invalidf("%d suites are wanted: at least 1 is needed", suites)
	}
	scenarios, err := pool.scenarios()
	if err != nil {
		return Calibration{}, err
	}
	if err := d.Refuse(len(scenarios)); err != nil {
		return Calibration{}, err
	}
	c := Calibration{Profile: d.profile, Margins: d.margins, Schedule: d.Looks(), Scenarios: len(scenarios), Seed: seed, FewestSessions: math.MaxInt}
	whole := pool.other != ""
	for i := range scenarios {
		sessions := len(scenarios[i].blocks) * (1 + one(whole))
		c.Sessions += sessions
		c.FewestSessions = min(c.FewestSessions, sessions)
	}
	effects := d.effects()
	for i, e := range effects {
		suite := drawn{scenarios, whole, e.effect}
		e.Characteristics = d.simulate(suite.blocks, suite.truth(), suites, seed)
		c.Truths = append(c.Truths, e.Calibrated)
		done(i+1, len(effects))
	}
	return c, nil
}

// tried is an effect and what is said of it.
type tried struct {
	Calibrated
	effect Effect
}

// effects are what a design is tried with: none, the margins, and twice as much.
func (d *Design) effects() []tried {
	if d.profile == bench.ProfileClaim {
		return d.claimed()
	}
	drop, cost, latency := d.successMargin(), d.tested[0].notWorse, d.tested[1].notWorse
	worse := func(candidate string, effect Effect) tried {
		return tried{Calibrated{Candidate: candidate, WrongPass: true}, effect}
	}
	all := []tried{{Calibrated{Candidate: "does not differ", WrongFail: true}, Effect{}}}
	for _, times := range []float64{1, 2} {
		all = append(all,
			worse(fmt.Sprintf("succeeds %g points less often", 100*times*drop), Effect{SuccessDrop: times * drop}),
			worse("costs "+timesText(times*cost), Effect{CostLog: times * cost}),
			worse("takes "+timesText(times*latency), Effect{LatencyLog: times * latency}),
		)
	}
	return all
}

// claimed are the effects of a claim: what is claimed is where its test lies.
func (d *Design) claimed() []tried {
	cost, latency := d.tested[0].notWorse, d.tested[1].notWorse
	both := Effect{CostLog: 2 * cost, LatencyLog: 2 * latency}
	less := both
	less.SuccessDrop = d.successMargin()
	all := []tried{
		{Calibrated{Candidate: "saves just what is claimed", WrongPass: true, WrongFail: true}, Effect{CostLog: cost, LatencyLog: latency}},
		{Calibrated{Candidate: "saves as much again", WrongFail: true}, both},
		{Calibrated{Candidate: fmt.Sprintf("does so and succeeds %g points less often", 100*less.SuccessDrop), WrongPass: true}, less},
	}
	if cost < 0 || latency < 0 {
		all = append(all, tried{Calibrated{Candidate: "does not differ", WrongPass: true}, Effect{}})
	}
	return all
}

func timesText(log float64) string {
	const percent = 100
	return fmt.Sprintf("× %g", math.Round(percent*math.Exp(log))/percent)
}
