package settings

import (
	"math"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/scenarios"
)

// expectationsFile has the thresholds that hold unless an executor has others.
const expectationsFile = "expectations.json"

var expectations = sync.OnceValues(func() (*gate.Expectations, error) {
	data, _ := scenarios.Files.ReadFile(expectationsFile) // No file is not parsed.
	return gate.ParseExpectations(expectationsFile, data)
})

// withEvidence returns the plan with its margins, if evidence decides. A plan
// that cannot pass whatever happens is an error of kind invalid (rule V8).
func (p Plan) withEvidence(margins Margins) (Plan, error) {
	if !p.Profile.Takes(p.Repetitions) {
		return Plan{}, fault.Invalidf("The profile `%s` cannot judge %s repetitions: it takes such as `--repetitions %s`.", p.Profile, p.Repetitions, p.Profile.UsualRepetitions())
	}
	if !p.Profile.ByEvidence() {
		return p, nil
	}
	p.Margins = margins
	design, err := p.design()
	if err != nil || p.OfTasks() { // the engine refuses too few tasks, once it knows them
		return p, err
	}
	return p, design.Refuse(len(p.Scenarios))
}

// design returns what the verdict will stand on. The minima of a claim are those
// of the expectations that come with this program.
func (p Plan) design() (*evidence.Design, error) {
	known, err := expectations()
	if err != nil {
		return nil, err
	}
	thresholds, _ := known.Thresholds(p.Model, p.Profile)
	margins := evidence.DefaultMargins(thresholds)
	margins.SuccessDropPct, margins.CostRatio, margins.LatencyRatio = p.Margins.Success, p.Margins.Cost, p.Margins.Latency
	return evidence.NewDesign(p.Profile, margins, p.Repetitions.First, p.Repetitions.Most)
}

// Foreseen returns what the plan takes and what it could see; nil where that
// cannot be told (rule V8). Price and minutes are not in it.
func (p Plan) Foreseen() *evidence.Plan {
	if len(p.Scenarios) == 0 || p.Repetitions.Most < 1 {
		return nil
	}
	expected := evidence.Unknown(len(p.Scenarios))
	expected.Modes = len(p.Modes)
	if !p.Profile.ByEvidence() {
		foreseen := evidence.PlanOfChecks(expected, p.Repetitions.Most)
		return &foreseen
	}
	design, err := p.design()
	if err != nil {
		return nil // of a program whose plans were other ones
	}
	foreseen := design.Plan(expected)
	return &foreseen
}

// ExpectedCells returns how many cells are run where nothing differs.
func (p Plan) ExpectedCells() int {
	if foreseen := p.Foreseen(); foreseen != nil && p.Repetitions.Adapt() {
		return int(math.Ceil(foreseen.Expected.Sessions))
	}
	return p.Cells()
}
