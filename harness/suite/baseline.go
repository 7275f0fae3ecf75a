package suite

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/internal/state"
)

// Baseline is what an experiment begins with: a split of the benchmark, if it
// has none of its own, and the score of the agent as it is.
type Baseline struct {
	Workspace Workspace
	// SplitFile is the benchmark's split file; empty if it needs none.
	SplitFile string
	// All runs the whole benchmark, for a split; Full runs the full test. Only
	// one of them is made.
	All, Full func() (harness.Runner, error)
	// FullSplit is the split of Full.
	FullSplit string
	// Policy says what tasks without a reward count.
	Policy harness.TimeoutPolicy
	// Out takes lines about what is done.
	Out io.Writer
}

// Run runs the benchmark, splits it if there is no split file yet, and records
// the score of the full test as iteration 0. Where a score is recorded already
// it does nothing. A run that fails leaves nothing behind.
func (b Baseline) Run(ctx context.Context) error {
	records, err := b.Workspace.Records()
	if err != nil {
		return err
	}
	if len(records) > 0 {
		b.sayf("[prepare] baseline already recorded — skipping\n")
		return nil
	}
	results, err := b.measure(ctx)
	if err != nil {
		return fmt.Errorf("run the baseline: %w", err)
	}
	if err := b.Workspace.FixTasks(b.FullSplit, results); err != nil {
		return err
	}
	r, err := b.Workspace.Add(Record{ValScore: b.Policy.ValScore(results), Commit: BaselineCommit})
	if err != nil {
		return err
	}
	b.sayf("[prepare] baseline val_score=%s (%d/%d passed) — recorded as iteration 0\n",
		FormatScore(r.ValScore), results.Passed(), len(b.Policy.Counted(results)))
	return nil
}

func (b Baseline) sayf(format string, args ...any) { fmt.Fprintf(b.Out, format, args...) }

// measure returns the results of the full test.
func (b Baseline) measure(ctx context.Context) (harness.Results, error) {
	split := b.SplitFile == ""
	if !split {
		var err error
		if split, err = state.Exists(b.SplitFile); err != nil {
			return nil, err
		}
	}
	if split {
		return runAll(ctx, b.Full)
	}
	b.sayf("[prepare] running ALL tasks to generate train/test split...\n")
	all, err := runAll(ctx, b.All)
	if err != nil {
		return nil, err
	}
	return b.split(all)
}

// split writes the split file and returns the results of its test part.
func (b Baseline) split(all harness.Results) (harness.Results, error) {
	counted := b.Policy.Counted(all)
	var out []string
	for _, id := range all.IDs() {
		if _, in := counted[id]; !in {
			out = append(out, id)
		}
	}
	if len(out) > 0 {
		b.sayf("[prepare] WARNING: %d task(s) had no reward and are excluded from the train/test split: %s\n"+
			"          To include them, delete %s and run this again.\n", len(out), strings.Join(out, ", "), b.SplitFile)
	}
	split := harness.Stratify(counted, harness.SplitSeed)
	split.Metadata.Created = b.Workspace.timestamp()
	if err := harness.WriteSplit(b.SplitFile, split); err != nil {
		return nil, err
	}
	b.sayf("[prepare] task split created: %d train, %d test\n", len(split.Train), len(split.Test))
	test := harness.Results{}
	for _, id := range split.Test {
		test[id] = all[id]
	}
	return test, nil
}

func runAll(ctx context.Context, make func() (harness.Runner, error)) (harness.Results, error) {
	r, err := make()
	if err != nil {
		return nil, err
	}
	return run(ctx, r, nil)
}
