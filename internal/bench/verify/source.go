package verify

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Source is what a report is about: ledgers, and the runs that they are of as
// far as those are known.
type Source struct {
	Files []string
	// Runs are of one suite: the shards of a plan, or runs of one mode each.
	Runs []ledger.RunInfo
	// folders are those of the runs.
	folders []string
}

// Folders are those of the runs, in their order.
func (s Source) Folders() []string { return slices.Clone(s.folders) }

// SourceOf returns the run in a folder.
func SourceOf(dir string) (Source, error) {
	info, err := ledger.LoadRun(dir)
	if err != nil {
		return Source{}, err
	}
	source := Source{Runs: []ledger.RunInfo{info}, folders: []string{dir}}
	if info.OutputJSONL == "" {
		source.Files, err = ledger.Files(dir)
		return source, err
	}
	if _, err := os.Stat(info.OutputJSONL); errors.Is(err, fs.ErrNotExist) && len(info.Stops) > 0 {
		return source, nil // it was stopped before its first row
	}
	source.Files = []string{info.OutputJSONL}
	return source, nil
}

// SourcesIn returns the runs in a folder of runs, the newest first; what is no run
// there, or cannot be read, is passed over. An error is of kind infrastructure.
func SourcesIn(base string) ([]Source, error) {
	entries, err := os.ReadDir(base)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Infraf("look for runs: %w", err)
	}
	var all []Source
	for _, entry := range entries {
		if source, err := SourceOf(filepath.Join(base, entry.Name())); err == nil {
			all = append(all, source)
		}
	}
	slices.SortStableFunc(all, func(a, b Source) int { return b.Runs[0].CreatedAt.Compare(a.Runs[0].CreatedAt) })
	return all, nil
}

// Mend returns what to name instead of a source that lacks one of the two modes that
// are to be compared, as a sentence without its full stop: the newest run in the
// folder that has both, else the source's own two modes. It is empty where the source
// has both, and where nothing better is known.
func (s Source) Mend(base string, baseline, candidate bench.Mode) (string, error) {
	if len(s.Runs) == 0 || s.has(baseline) && s.has(candidate) {
		return "", nil
	}
	run := s.Runs[0]
	all, err := SourcesIn(base)
	if err != nil {
		return "", err
	}
	for _, other := range all {
		if other.has(baseline) && other.has(candidate) {
			return fmt.Sprintf("run %s has modes %s; run %s has %s and %s: give --run %s to have it judged",
				run.RunID, bench.JoinModes(run.Modes, " and "), other.Runs[0].RunID, baseline, candidate, other.Runs[0].RunID), nil
		}
	}
	if len(run.Modes) != 2 {
		return "", nil
	}
	return fmt.Sprintf("run %s has modes %s: give --baseline-mode %s --candidate-mode %s to have them judged",
		run.RunID, bench.JoinModes(run.Modes, " and "), run.Modes[0], run.Modes[1]), nil
}

// has reports whether a run of the source has the mode.
func (s Source) has(mode bench.Mode) bool {
	return slices.ContainsFunc(s.Runs, func(run ledger.RunInfo) bool { return slices.Contains(run.Modes, mode) })
}

// SourceBelow returns all runs in folders and their subfolders, such as the
// shards of a plan that were brought together, and ledgers that are named
// themselves. Files and folders without any are an error of kind invalid.
func SourceBelow(paths ...string) (Source, error) {
	var all Source
	for _, top := range paths {
		found := len(all.Runs) + len(all.Files)
		err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return fault.Invalidf("look for results: %w", err)
			case path == top && entry.Type().IsRegular():
				all.Files = append(all.Files, path)
			case entry.Name() == ledger.RunFile && entry.Type().IsRegular():
				run, err := SourceOf(filepath.Dir(path))
				if err != nil {
					return err
				}
				all.Runs, all.Files = append(all.Runs, run.Runs...), append(all.Files, run.Files...)
				all.folders = append(all.folders, run.folders...)
			}
			return nil
		})
		if err != nil {
			return Source{}, err
		}
		if len(all.Runs)+len(all.Files) == found {
			return Source{}, fault.Invalidf("there is no run below %s: name the folder that the shards' output folders were brought to", top)
		}
	}
	return all, nil
}

// NewestSource returns the newest run in a folder of runs (rule R1). Where it
// has one of two modes only, the newest run of the other that is comparable is
// added: that is what running one mode after the other leaves. Notes say so in
// whole sentences.
func NewestSource(base string, modes []bench.Mode) (source Source, notes []string, err error) {
	dir, err := ledger.NewestRun(base)
	if err != nil {
		return Source{}, nil, err
	}
	if source, err = SourceOf(dir); err != nil {
		return Source{}, nil, err
	}
	newest := source.Runs[0]
	absent := slices.DeleteFunc(slices.Clone(modes), func(m bench.Mode) bool { return slices.Contains(newest.Modes, m) })
	if len(absent) != 1 || len(modes) != 2 {
		return source, nil, nil
	}
	other, err := newestWith(base, absent[0], newest)
	if other == nil {
		return source, nil, err
	}
	run := other.Runs[0]
	notes = append(notes, fmt.Sprintf("run %s has no mode %s; it is compared with the rows of run %s", newest.RunID, absent[0], run.RunID))
	source.Runs, source.folders = append(source.Runs, run), append(source.folders, other.folders...)
	for _, file := range other.Files {
		if !slices.Contains(source.Files, file) {
			source.Files = append(source.Files, file)
		}
	}
	return source, notes, nil
}

// newestWith returns the newest run of that mode alone that can be compared
// with another one, nil if there is none.
func newestWith(base string, mode bench.Mode, with ledger.RunInfo) (*Source, error) {
	all, err := SourcesIn(base)
	if err != nil {
		return nil, err
	}
	for i, source := range all {
		if run := source.Runs[0]; slices.Equal(run.Modes, []bench.Mode{mode}) && sameSuite(run, with) {
			return &all[i], nil
		}
	}
	return nil, nil
}

// identityOf returns what all rows must agree with, nil where no run is known.
func identityOf(runs []ledger.RunInfo) *ledger.Identity {
	if len(runs) == 0 {
		return nil
	}
	identity := runs[0].Identity()
	identity.ModeFiles = maps.Clone(identity.ModeFiles)
	if identity.ModeFiles == nil {
		identity.ModeFiles = map[bench.Mode]bench.ModeFact{}
	}
	for _, run := range runs[1:] {
		if identity.Base.Commit == nil {
			identity.Base = run.Base()
		}
		for mode, fact := range run.ModeFiles {
			if _, known := identity.ModeFiles[mode]; !known {
				identity.ModeFiles[mode] = fact
			}
		}
	}
	return &identity
}

// missing returns the planned cells without a row, by reason (rule R9). The
// plan of a shard is that of all shards.
func missing(runs []ledger.RunInfo, done map[bench.Cell]bool) []bench.MissingCells {
	var suite ledger.RunInfo
	planned := map[bench.Cell]bool{}
	for _, run := range runs {
		suite.Stops = append(suite.Stops, run.Stops...)
		for _, cell := range slices.Concat(run.AllCells, run.Cells, run.Refills) {
			beyond := run.DecidedAt > 0 && cell.Iteration > run.DecidedAt
			if !planned[cell] && !beyond {
				planned[cell] = true
				suite.Cells = append(suite.Cells, cell)
			}
		}
	}
	return ledger.Missing(suite, done)
}

// SourceNamed returns what a name stands for: a ledger, a folder with runs
// below, the id of a run in base, or a commit, or its beginning, of which the
// history knows the newest run there. An error is of kind invalid.
func SourceNamed(name, base string, history []bench.HistoryEntry) (Source, error) {
	if info, err := os.Stat(name); err == nil {
		if info.IsDir() {
			return SourceBelow(name)
		}
		// A ledger's run says when its rows were looked at.
		if run, err := ledger.LoadRun(filepath.Dir(name)); err == nil {
			return Source{Files: []string{name}, Runs: []ledger.RunInfo{run}}, nil
		}
		return Source{Files: []string{name}}, nil
	}
	if _, err := os.Stat(filepath.Join(base, name, ledger.RunFile)); err == nil {
		return SourceOf(filepath.Join(base, name))
	}
	const leastOfCommit = 7
	for _, entry := range slices.Backward(history) {
		if len(name) < leastOfCommit || entry.Commit == nil || !strings.HasPrefix(*entry.Commit, name) {
			continue
		}
		source, err := SourceOf(filepath.Join(base, entry.RunID))
		if err != nil {
			return Source{}, fault.Invalidf("the history knows run %s of commit %s, but it cannot be read: %w", entry.RunID, name, err)
		}
		return source, nil
	}
	return Source{}, fault.Invalidf("%q is no ledger, no folder of a run, no run in %s, and no commit of which its history knows a run", name, base)
}
