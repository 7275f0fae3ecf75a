package fake

import (
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

// Verdict is one of them, and why it is there.
type Verdict struct {
	Name, Reason string
	Evidence     bench.Evidence
}

const (
	head = "0123456789abcdef0123456789abcdef01234567"
	base = "89abcdef0123456789abcdef0123456789abcdef"
)

// All returns a verdict of every sort. Scenario ids are made up.
func All() ([]Verdict, error) {
	unchanged := evidence.Truth{Scenarios: 12, SuccessRate: 0.95, CV: 0.3, BlockNoise: 0.2, VoidShare: 0.01}
	dearer := unchanged
	dearer.CostLog, dearer.SuccessDrop = 0.35, 0.1
	unsure := unchanged
	unsure.Scenarios, unsure.CV = 4, 0.6
	dead := unsure
	dead.SuccessRate = 0
	all := []Verdict{
		{Name: "evidence-pass", Reason: "nothing differs, and that is shown on all endpoints"},
		{Name: "evidence-fail", Reason: "the candidate is dearer and less reliable"},
		{Name: "evidence-unsure", Reason: "it cannot be told yet, and it is said what it would take"},
		{Name: "evidence-dead", Reason: "V11: no session succeeded: one cause, and no figure"},
		{Name: "evidence-early", Reason: "V11: no look is whole: one cause, and no figure"},
	}
	for i, suite := range []struct {
		truth  evidence.Truth
		blocks int
	}{{unchanged, 12}, {dearer, 12}, {unsure, 4}, {dead, 4}, {unsure, 1}} {
		d, err := evidence.NewDesign(bench.ProfileRegression, evidence.DefaultMargins(bench.Thresholds{}), 2, 12)
		if err != nil {
			return nil, err
		}
		all[i].Evidence = d.Judge(evidence.Data{
			Blocks:    suite.truth.Blocks(suite.blocks, stats.Stream(14, uint64(i))),
			Baseline:  bench.Side{Mode: bench.GHXBase, Commits: []string{base}},
			Candidate: bench.Side{Mode: bench.GHX, Commits: []string{head}},
		})
	}
	return all, nil
}

// Judge puts a verdict into a summary, as judging does.
func (v Verdict) Judge(s *bench.Summary) {
	s.Evidence = &v.Evidence
	s.Gate.Profile, s.Gate.Baseline, s.Gate.Candidate = v.Evidence.Profile, v.Evidence.Compared.Baseline.Mode, v.Evidence.Compared.Candidate.Mode
	s.Gate.Checks = []bench.Check{}
	s.Gate.Verdict, s.Gate.Reason = v.Evidence.Verdict, v.Evidence.Sentence
	s.Gate.Passed = s.Gate.Verdict == bench.VerdictPass
}
