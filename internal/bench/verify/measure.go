package verify

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// RemeasureOptions say what is measured anew, and by what.
type RemeasureOptions struct {
	Source
	// Transcripts is a folder of transcripts, or one that has such folders by
	// run id.
	Transcripts string
	Scenarios   *scenario.Library
	// ScenariosChosen says that the scenarios are meant as they are, also
	// where their content is another one than that of the rows.
	ScenariosChosen bool
	// Price returns what the tokens of a model are priced at where the
	// provider reported no cost. Nil means that it is not known: the cost in
	// the row stays then.
	Price func(bench.ModelRef) *bench.Price
}

// RemeasureResult is what measuring anew came to.
type RemeasureResult struct {
	// Rows are all rows of the source, in their order. Those without a
	// transcript are as they were.
	Rows    []bench.Row
	Changed []RowChange
	// Without are the cells whose reported attempt has no transcript.
	Without []bench.Cell
	// Torn are last lines that were not written whole.
	Torn []ledger.Torn
}

// MeasuredFrom returns the rows that there are to measure in a folder, and the
// folder of their transcripts. It is the folder of a run, or one of
// transcripts, whose rows are in the files. Where files are given, a run's rows
// are read from them too. An error is of kind invalid.
func MeasuredFrom(dir string, files []string) (rows Source, transcripts string, err error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return Source{}, "", fault.Invalidf("%s is not a folder that can be read: name that of a run, or one of transcripts", dir)
	}
	_, err = os.Stat(filepath.Join(dir, ledger.RunFile))
	switch {
	case err == nil:
		source, err := SourceOf(dir)
		if err != nil {
			return Source{}, "", err
		}
		if len(files) > 0 {
			source.Files = files
		}
		return source, TranscriptsFolder(dir, source.Runs[0]), nil
	case !errors.Is(err, fs.ErrNotExist):
		return Source{}, "", fault.Invalidf("look for a run in %s: %w", dir, err)
	case len(files) == 0:
		return Source{}, "", fault.Invalidf("%s is not the folder of a run, so it has no rows: name their files with --suite-jsonl, or the run's folder instead", dir)
	default:
		return Source{Files: files}, dir, nil
	}
}

// Measure makes rows anew from their transcripts: everything that a run takes
// from those, by the same functions. What else a row says stays: when and how
// long, what was asked of GitHub, what checkpoints found, and that a turn or
// the harness failed. So do rows of other runs than that of the source, if it
// is one.
//
// Errors are of kind invalid: rows without any transcript, a transcript that
// cannot be read or is of another run, and a scenario that is not known or has
// changed since.
func Measure(how RemeasureOptions) (m RemeasureResult, err error) {
	rows, read, err := ledger.Read(how.Files)
	if err != nil {
		return RemeasureResult{}, err
	}
	m.Torn = read.Torn
	for i := range rows {
		old := &rows[i]
		if !how.concerns(old) {
			continue
		}
		row, err := how.row(old)
		if err != nil {
			return RemeasureResult{}, err
		}
		if row == nil {
			m.Rows, m.Without = append(m.Rows, *old), append(m.Without, old.Cell())
			continue
		}
		m.Rows = append(m.Rows, *row)
		change, err := changeOf(old, row)
		if err != nil {
			return RemeasureResult{}, err
		}
		if len(change.Fields) > 0 {
			m.Changed = append(m.Changed, change)
		}
	}
	return m, how.nothing(m)
}

// nothing returns an error if nothing could be measured.
func (how RemeasureOptions) nothing(m RemeasureResult) error {
	switch {
	case len(m.Rows) == 0 && len(how.Runs) > 0:
		return fault.Invalidf("there are no rows of run %s in its ledgers %q: name the files that have them with --suite-jsonl", how.Runs[0].RunID, how.Files)
	case len(m.Rows) == 0:
		return fault.Invalidf("there are no rows in %q: name the files that a run has written", how.Files)
	case len(m.Without) == len(m.Rows):
		return fault.Invalidf("none of %d rows has a transcript in %s: name the folder of their run, or the one that --transcripts was given", len(m.Rows), how.Transcripts)
	default:
		return nil
	}
}

// concerns reports whether a row is of the run that the source is.
func (how RemeasureOptions) concerns(row *bench.Row) bool {
	return len(how.Runs) == 0 || slices.ContainsFunc(how.Runs, func(run ledger.RunInfo) bool { return run.RunID == row.RunID })
}

// row makes a row anew. It returns nil if the reported attempt has no
// transcript.
func (how RemeasureOptions) row(old *bench.Row) (*bench.Row, error) {
	reported := max(1, len(old.Attempts))
	transcript, err := how.transcript(old, reported)
	if transcript == nil || err != nil {
		return nil, err
	}
	if id := transcript.SessionID; id != "" && old.SessionID != nil && id != *old.SessionID {
		return nil, otherTranscript(TranscriptPath(how.folder(old.RunID), old.Cell(), reported), "session "+id, "session "+*old.SessionID)
	}
	s, err := how.scenario(old)
	if err != nil {
		return nil, err
	}
	row := *old
	if old.ScenarioHash != "" {
		row.ScenarioHash = s.Hash
	}
	figures := how.figures(*transcript, old.Model, old.Cost)
	rejudge(&figures, old, s, transcript.Answer())
	figures.Report(&row)
	row.Attempts, err = how.attempts(old)
	if n := len(row.Attempts); n > 0 {
		last := old.Attempts[n-1]
		row.Attempts[n-1] = figures.Attempt(last.LatencyMSWall)
		row.Attempts[n-1].Blame(last)
	}
	return &row, err
}

// attempts measures the attempts before the reported one. Their errors stay:
// rows do not have what their checkpoints found, and that they were repeated
// cannot be undone.
func (how RemeasureOptions) attempts(old *bench.Row) ([]bench.Attempt, error) {
	attempts := slices.Clone(old.Attempts)
	for i := range max(0, len(attempts)-1) {
		transcript, err := how.transcript(old, i+1)
		if err != nil {
			return nil, err
		}
		if transcript == nil {
			continue
		}
		figures := how.figures(*transcript, old.Model, attempts[i].Cost)
		attempts[i].Tokens, attempts[i].Cost = figures.Measures.Tokens, figures.Cost
	}
	return attempts, nil
}

// figures measures a transcript. Cost is what it was before.
func (how RemeasureOptions) figures(t agent.Transcript, model bench.ModelRef, cost float64) runner.Figures {
	price := how.Price(model)
	figures := runner.Measure(t, price)
	if price == nil && figures.Cost == 0 {
		figures.Cost = cost
	}
	return figures
}

// rejudge judges an answer by what was found when it was given. An attempt
// that has no checkpoints' findings because its turn failed was not judged.
// Rows do not say which checkpoints could not be read, only that the attempt
// failed by that alone; beside a wrong answer they count as not passed.
func rejudge(f *runner.Figures, old *bench.Row, s bench.Scenario, answer string) {
	failed := old.Error.RunnerFailure()
	if failed && len(old.Checkpoints) == 0 {
		f.Error, f.OutputValid = old.Error, old.OutputValid
		return
	}
	f.Judge(runner.Evidence{Scenario: s, Routes: old.RouteOK != nil || old.Mode == bench.GHX || old.Mode == bench.GHXBase, Answer: answer, Checkpoints: old.Checkpoints, Readable: !failed})
}

func (how RemeasureOptions) transcript(row *bench.Row, attempt int) (*agent.Transcript, error) {
	return LoadTranscript(how.folder(row.RunID), row.RunID, row.Cell(), attempt)
}

// folder returns the folder of a run's transcripts.
func (how RemeasureOptions) folder(runID string) string {
	own := filepath.Join(how.Transcripts, runID)
	if _, err := os.Stat(own); err != nil {
		return how.Transcripts
	}
	return own
}

// scenario returns a row's scenario, as it was when the row was made.
func (how RemeasureOptions) scenario(row *bench.Row) (bench.Scenario, error) {
	s, err := how.Scenarios.Scenario(row.ScenarioID)
	if err != nil {
		return s, fault.Invalidf("measure cell %s: %w; name the folder that has the scenario with --scenarios", row.Cell(), err)
	}
	if !how.ScenariosChosen && row.ScenarioHash != "" && row.ScenarioHash != s.Hash {
		return s, fault.Invalidf("scenario %q has changed since run %s (its hash was %s, now it is %s): name the folder of the scenarios to measure by with --scenarios",
			row.ScenarioID, row.RunID, row.ScenarioHash, s.Hash)
	}
	return s, nil
}

// Save writes the rows to a new ledger: to the file or, if that is empty, to
// one per mode in the folder, named by the time. It returns the files. A file
// that has rows already is refused with an error of kind invalid.
func (m RemeasureResult) Save(dir, file string, at time.Time) (files []string, err error) {
	open := func() (*ledger.Set, error) { return ledger.OpenMeasured(dir, at) }
	if file != "" {
		if info, err := os.Stat(file); err == nil && info.Size() > 0 {
			return nil, fault.Invalidf("%s has something in it already: name a new file, because ledgers are not overwritten", file)
		}
		open = func() (*ledger.Set, error) { return ledger.OpenSingle(file) }
	}
	rows, err := open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for i := range m.Rows {
		if err := rows.Append(&m.Rows[i]); err != nil {
			return nil, fmt.Errorf("save measured rows: %w", err)
		}
	}
	return rows.Files(), nil
}
