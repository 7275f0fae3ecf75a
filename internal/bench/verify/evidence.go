package verify

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Design returns what is fixed before the first session where the profile
// decides by evidence: margins, looks and what must be shown. An error is of
// kind invalid.
func (how JudgeOptions) Design(repetitions bench.Repetitions, thresholds bench.Thresholds) (*evidence.Design, error) {
	return evidence.NewDesign(how.Profile, how.margins(thresholds), repetitions.First, repetitions.Most)
}

// margins are those that were given, else the usual ones.
func (how JudgeOptions) margins(thresholds bench.Thresholds) bench.Margins {
	margins := evidence.DefaultMargins(thresholds)
	margins.SuccessDropPct = cmp.Or(how.Margins.SuccessDropPct, margins.SuccessDropPct)
	margins.CostRatio = cmp.Or(how.Margins.CostRatio, margins.CostRatio)
	margins.LatencyRatio = cmp.Or(how.Margins.LatencyRatio, margins.LatencyRatio)
	return margins
}

// thresholdsFor returns the thresholds for sessions of a model. An error is of kind
// invalid: the model that is named is none.
func (how JudgeOptions) thresholdsFor(model string) (bench.Thresholds, error) {
	model, err := how.Expectations.ResolveModel(how.Model, []string{model})
	thresholds, _ := how.Expectations.Thresholds(model, how.Profile)
	return thresholds, err
}

// blocks returns a collector of what is compared; nil where the profile does
// not decide by evidence. NotCounted are the scenarios that are left out.
func (how JudgeOptions) blocks(notCounted map[string]string) (*evidence.Collector, error) {
	if !how.Profile.ByEvidence() {
		return nil, nil
	}
	compared := how.compared()
	return evidence.NewCollector(evidence.Pairing{Baseline: compared[0], Candidate: compared[1], NotCounted: notCounted})
}

// compared returns baseline and candidate.
func (how JudgeOptions) compared() []bench.Mode {
	return []bench.Mode{cmp.Or(how.Baseline, bench.AgentDirect), cmp.Or(how.Candidate, bench.GHX)}
}

// judgeBlocks returns what the blocks of runs come to.
func (how JudgeOptions) judgeBlocks(blocks *evidence.Collector, runs []ledger.RunInfo, thresholds bench.Thresholds) (bench.Evidence, error) {
	data, err := blocks.Data()
	if err != nil {
		return bench.Evidence{}, err
	}
	repetitions := repetitionsOf(runs, data.Blocks)
	if repetitions.Most == 0 {
		return bench.Evidence{}, fault.Invalidf("there is nothing to judge: no repetition of a scenario has rows of both %s, the baseline, and %s, the candidate", how.compared()[0], how.compared()[1])
	}
	design, err := how.Design(repetitions, thresholds)
	if err != nil {
		return bench.Evidence{}, err
	}
	return design.Judge(data), nil
}

// decideByEvidence has the evidence decide, in place of the checks.
func (how JudgeOptions) decideByEvidence(s *bench.Summary, judged bench.Evidence, source Source, thresholds bench.Thresholds) {
	how.hold(&judged, source, s.Missing, thresholds)
	if text := (Health{NotCounted: uncounted(source.Runs)}).Warning(len(s.Scenarios)); text != "" {
		s.Warnings = append(s.Warnings, text)
	}
	if text := sequenceWarning(earlierSequences(source)); text != "" {
		s.Warnings = append(s.Warnings, text)
	}
	switch {
	case slices.ContainsFunc(source.Runs, func(run ledger.RunInfo) bool { return sameQuestion(run, run) }):
		judged.EnoughRepetitions = 0 // another run has no error budget left
	case len(source.Runs) > 0:
		s.Warnings = append(s.Warnings, "What was measured is not known by its content, so earlier runs of the same are not counted: work in a git checkout, name the commits (--git-commit, --base-commit), or what the programs need in the modes' files.")
	}
	s.Evidence = &judged
	s.Gate.Verdict, s.Gate.Reason = judged.Verdict, judged.Sentence
	s.Gate.Passed = judged.Verdict == bench.VerdictPass
}

// repetitionsOf returns how many repetitions a sequence has planned. Where no run is
// known, or shards were brought together, there is one look, at all of them.
func repetitionsOf(runs []ledger.RunInfo, blocks []evidence.Block) bench.Repetitions {
	var r bench.Repetitions
	if len(runs) == 1 && runs[0].Shard == nil {
		plan := planned(runs)
		return bench.Repetitions{First: cmp.Or(plan.FirstLook, plan.Repetitions), Most: plan.Repetitions}
	}
	for _, run := range runs {
		r.Most = max(r.Most, run.Repetitions)
	}
	if len(runs) == 0 {
		for i := range blocks {
			r.Most = max(r.Most, blocks[i].Iteration)
		}
	}
	r.First = r.Most
	return r
}

// looking returns how the rows of a suite are looked at. An error is of kind invalid:
// they could not be judged.
func (how JudgeOptions) looking(s Suite, deps runner.Deps, thresholds bench.Thresholds) (*looking, error) {
	after, err := evidence.Looks(cmp.Or(s.FirstLook, s.Repetitions), s.Repetitions)
	if err != nil {
		return nil, err
	}
	if _, err := how.blocks(nil); err != nil {
		return nil, err
	}
	info, err := s.begin(deps)
	if err != nil {
		return nil, err
	}
	design, err := how.Design(repetitionsOf([]ledger.RunInfo{info}, nil), thresholds)
	if err != nil {
		return nil, err
	}
	judge := func(files []string) (bench.Evidence, error) {
		blocks, err := how.blocks(s.NotCounted)
		if err != nil {
			return bench.Evidence{}, err
		}
		if _, err := ledger.Scan(files, func(row *bench.Row) error {
			if row.RunID == s.RunID {
				blocks.Add(row)
			}
			return nil
		}); err != nil {
			return bench.Evidence{}, err
		}
		data, err := blocks.Data()
		if err != nil {
			return bench.Evidence{}, err
		}
		return design.Judge(data), nil
	}
	return &looking{after, judge}, nil
}

// uncounted are the scenarios that the runs have left out from the beginning.
func uncounted(runs []ledger.RunInfo) map[string]string {
	all := map[string]string{}
	for _, run := range runs {
		maps.Copy(all, run.NotCounted)
	}
	return all
}
