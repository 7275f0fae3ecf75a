package verify

import (
	"context"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/target"
)

// Step names a step of the sequence.
type Step string

// The steps, in order.
const (
	StepSeed   Step = "seed"
	StepRun    Step = "run"
	StepReport Step = "report"
	// StepCleanUp is entered by targets that have something to remove, when
	// they are closed.
	StepCleanUp Step = "clean-up"
)

// Sequence is what [Verify] works with beside suite and judging.
type Sequence struct {
	// Seed makes the target ready. It may change the suite's SeedID and, where
	// fixtures cannot be had, take scenarios out and say so in NotRunnable.
	Seed func(ctx context.Context, s *Suite) (target.Target, error)
	// History is the file of former runs, read for regressions and added to;
	// empty means none.
	History string
	// Branch is that of the checkout, nil if it is not known, and Aside says that
	// it is not the default one; see [bench.HistoryEntry].
	Branch *string
	Aside  bool
	// Entered is told when a step begins; nil if nobody wants to know.
	Entered func(Step)
}

// Verified is what a sequence came to.
type Verified struct {
	Result
	Reported
}

// Verify runs the whole sequence. A gate that fails is no error, and neither is
// a run that was stopped: what is left is in the result then, and there is no
// report. What was done before an error is in the result.
func Verify(ctx context.Context, seq Sequence, suite Suite, deps runner.Deps, how JudgeOptions) (v Verified, err error) {
	seq.enter(StepSeed)
	if deps.Target, err = seq.Seed(ctx, &suite); err != nil {
		return Verified{}, err
	}
	defer deps.Target.Close()

	seq.enter(StepRun)
	if how.Profile.ByEvidence() {
		thresholds, err := how.thresholdsFor(deps.Provider.Describe().Model.Key())
		if err != nil {
			return Verified{}, err
		}
		margins := how.margins(thresholds)
		suite.margins, suite.compared = &margins, how.compared()
		if suite.looking, err = how.looking(suite, deps, thresholds); err != nil {
			return Verified{}, err
		}
	}
	v.Result, err = RunSuite(ctx, suite, deps)
	// What the budget left out is told; the looks that are whole are judged.
	outOfBudget := how.Profile.ByEvidence() && v.Stopped == bench.MissingBudget
	if err != nil || len(v.Left) > 0 && !outOfBudget {
		return v, err
	}
	seq.enter(StepReport)
	how.Warnings = append(slices.Clone(how.Warnings), suite.NotRunnable...)
	how.GeneratedAt = bench.FormatTime(deps.Now())
	source, err := SourceOf(suite.Folder())
	if err != nil {
		return v, err
	}
	var warnings []string
	if how.History, warnings, err = seq.readHistory(); err != nil {
		return v, err
	}
	v.Reported, err = Report(source, how)
	v.Notes = append(v.Notes, warnings...)
	if err != nil {
		return v, err
	}
	if judged := v.Summary.Evidence; judged != nil {
		v.Info.Judged = &ledger.Judged{Verdict: judged.Verdict, Cause: judged.Cause.Kind, Profile: how.Profile, Compared: how.compared()}
		if err := v.Info.Save(suite.Folder()); err != nil {
			return v, err
		}
	}
	return v, seq.appendHistory(v, suite, how.History)
}

func (seq Sequence) enter(step Step) {
	if seq.Entered != nil {
		seq.Entered(step)
	}
}
