package verify

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// JudgeOptions say how rows are judged.
type JudgeOptions struct {
	Profile      bench.GateProfile
	Expectations *gate.Expectations
	// Model is the "provider/model" whose thresholds apply; empty means that
	// of the rows.
	Model string
	// Baseline and Candidate are the compared modes, empty for the usual.
	Baseline, Candidate bench.Mode
	// Margins are those of profiles that decide by evidence; 0 means the usual.
	Margins bench.Margins
	// Asked is what the rows are to be of, nil where any are judged.
	Asked *Asked
	// Seed decides the draws of the confidence figures.
	Seed uint64
	// GeneratedAt is when, in the form of [bench.FormatTime].
	GeneratedAt string
	History     []bench.HistoryEntry
	// Warnings are further doubts about the figures, as sentences.
	Warnings []string
	Outputs  Outputs
}

// Reported is a report.
type Reported struct {
	Summary bench.Summary
	// ScenarioSet is that of the rows, for the history.
	ScenarioSet string
	// Notes are what the reader should know about the ledgers, as sentences.
	Notes []string
}

// Report reads ledgers, judges them and writes the outputs. Errors are of kind
// invalid for ledgers that cannot be read or compared, of kind infrastructure
// for outputs that cannot be written, and for a ledger that ends in the middle
// of a row where it is not known what was planned.
func Report(source Source, how JudgeOptions) (reported Reported, err error) {
	if err := agree(source.Runs); err != nil {
		return Reported{}, err
	}
	out, err := openOutputs(how.Outputs, source)
	if err != nil {
		return Reported{}, err
	}
	defer func() { err = errors.Join(err, out.close()) }()
	if how.Asked != nil {
		if err := how.Asked.runs(source); err != nil {
			return Reported{}, err
		}
	}
	read, err := how.collect(source, out)
	if err != nil {
		return Reported{}, err
	}
	reported = Reported{ScenarioSet: read.rows.ScenarioSet()}
	for _, torn := range read.torn {
		reported.Notes = append(reported.Notes, torn.String())
	}
	if len(read.torn) > 0 && len(source.Runs) == 0 {
		return reported, fault.Infraf("%s: finish the run with --resume, or remove the line", read.torn[0])
	}
	options, err := how.options(&read.rows)
	if err != nil {
		return reported, err
	}
	source.Runs = read.altered.note(source.Runs)
	options.Missing = missing(source.Runs, read.done)
	options.History = likeRuns(how.History, read.tools, source.Runs)
	var judged bench.Evidence
	var judgedErr error
	var judging sync.WaitGroup
	if read.blocks != nil {
		judging.Go(func() { judged, judgedErr = how.judgeBlocks(read.blocks, source.Runs, options.Thresholds) })
	}
	reported.Summary, err = read.rows.Summarize(options)
	judging.Wait()
	if err := cmp.Or(err, judgedErr); err != nil {
		return reported, err
	}
	if read.blocks != nil {
		how.decideByEvidence(&reported.Summary, judged, source, options.Thresholds)
	}
	reported.Summary.Surface = surfaceOf(source.Runs, reported.Summary.Gate)
	reported.Summary.Versions = read.versions
	reported.Summary.Warnings = slices.Concat(reported.Summary.Warnings, read.versions.Warnings(), alteredWarnings(source.Runs), how.Warnings)
	reported.Summary.LeftOut = read.leftOut(source.Runs, reported.Summary.Evidence)
	return reported, out.finish(reported.Summary)
}

// surfaceOf returns what one of the runs has found of the two modes that are
// compared, nil if none has.
func surfaceOf(runs []ledger.RunInfo, gate bench.Gate) *bench.SurfaceChange {
	for _, run := range runs {
		if s := run.Surface; s != nil && s.Baseline == gate.Baseline && s.Candidate == gate.Candidate {
			return s
		}
	}
	return nil
}

// collected is what was read of a source.
type collected struct {
	rows gate.Collector
	// blocks is nil where the profile does not decide by evidence.
	blocks  *evidence.Collector
	done    map[bench.Cell]bool
	torn    []ledger.Torn
	altered *alterations
	// tools are the versions that the first row states, versions those of all.
	tools    map[string]string
	versions bench.Versions
	// omitted are rows, or attempts of rows, that figures leave out.
	omitted bench.Omissions
}

// reasonRetried is of the gate's checks; evidence counts every attempt.
const (
	reasonRetried  = "attempts before the last one count in the retry rate and the cost alone"
	reasonOtherRun = "the row is of a run that is not judged here"
)

// leftOut returns all that the verdict does not look at: what the runs did not
// take over, and what is in no figure and in no block.
func (c *collected) leftOut(runs []ledger.RunInfo, judged *bench.Evidence) []bench.LeftOut {
	for _, run := range runs {
		c.omitted.Merge(run.LeftOut...)
	}
	if judged != nil {
		c.omitted.Merge(judged.LeftOut...)
	}
	return c.omitted.List()
}

func (how JudgeOptions) collect(source Source, out outputs) (*collected, error) {
	blocks, err := how.blocks(uncounted(source.Runs))
	if err != nil {
		return nil, err
	}
	c := &collected{blocks: blocks, done: map[bench.Cell]bool{}, altered: alterationsOf(source.Runs...)}
	identity, compared := identityOf(source.Runs), how.compared()
	ours := map[string]bool{}
	for _, run := range source.Runs {
		ours[run.RunID] = true
	}
	scanned, err := c.altered.scan(source.Files, func(row *bench.Row) error {
		if how.Asked != nil {
			if err := how.Asked.row(row); err != nil {
				return err
			}
		}
		if identity != nil {
			if err := ledger.CheckSame(*identity, row); err != nil {
				return err
			}
			c.done[row.Cell()] = true
		}
		if err := out.write(row); err != nil {
			return err
		}
		if c.tools == nil {
			c.tools = maps.Clone(row.Tools)
		}
		c.versions.Add(row.Tools)
		switch {
		case c.blocks != nil && identity != nil && !ours[row.RunID]:
			c.omitted.Add(reasonOtherRun, row.Cell())
		case c.blocks != nil:
			c.blocks.Add(row)
		case !slices.Contains(compared, row.Mode):
			c.omitted.Add(evidence.ReasonMode, row.Cell())
		case row.ExternalRetryCount > 0:
			c.omitted.Add(reasonRetried, row.Cell())
		}
		return c.rows.Add(row)
	})
	c.torn = scanned.Torn
	return c, err
}

func (how JudgeOptions) options(collected *gate.Collector) (gate.Options, error) {
	model, err := how.Expectations.ResolveModel(how.Model, collected.Models())
	if err != nil {
		return gate.Options{}, err
	}
	thresholds, own := how.Expectations.Thresholds(model, how.Profile)
	return gate.Options{
		Profile: how.Profile, Thresholds: thresholds, Baseline: how.Baseline, Candidate: how.Candidate,
		Model: model, ModelExpectations: own, GeneratedAt: how.GeneratedAt, Seed: how.Seed, History: how.History,
	}, nil
}
