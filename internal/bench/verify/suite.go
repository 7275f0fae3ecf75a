// Package verify is the benchmark's sequence: seed the fixtures, run the
// modes, report, judge.
//
// [RunSuite] runs a plan into a ledger, and goes on with one that was stopped.
// [Report] turns ledgers into a summary with a verdict. [Verify] does both.
package verify

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// DefaultDir is where runs are kept.
const DefaultDir = ".bench"

// Suite says what a run does. Its fields are those of [runner.Config] and
// [ledger.RunInfo] that somebody chooses.
type Suite struct {
	// Dir holds the runs; each has a folder of its id in it.
	Dir   string
	RunID string
	// ScenarioSet is empty if the scenarios were picked one by one.
	ScenarioSet string
	Scenarios   []bench.Scenario
	Modes       []bench.Mode
	// Repetitions is how often each scenario runs in each mode, at most where
	// FirstLook is not 0: then it is looked after so many, and later, whether the
	// rows decide (rule V7).
	Repetitions, FirstLook int
	// Looked is told what each look came to; nil if nobody wants to know.
	Looked func(bench.Evidence)
	// looking is how rows are looked at on the way; nil where nothing is decided then.
	looking   *looking
	Order     runner.OrderKind
	OrderSeed uint64
	// NotRunnable are sentences about scenarios that were taken out, because
	// the target cannot have their fixtures.
	NotRunnable []string
	// Shard is nil for a whole plan.
	Shard *bench.Shard
	// Profile is empty if the run is not for a gate.
	Profile bench.GateProfile
	// OutputJSONL is the one ledger file; empty means one per mode in the
	// run's folder.
	OutputJSONL string
	// Transcripts is the folder that keeps the transcripts; empty means one in
	// the run's folder.
	Transcripts string
	Provider    string
	SeedID      string
	// Variations are those of the fixtures, the zero value where these do not
	// vary.
	Variations bench.Variations
	// Target is the repository that the run acts on, empty for a sandbox.
	Target string
	Git    bench.GitRef
	// BaseCommit is that of mode [bench.GHXBase], BaseTree the hash of its
	// content; nil if it is not known.
	BaseCommit, BaseTree *string
	// Surface is what changed between two versions of one tool; nil where nobody
	// has looked.
	Surface *bench.SurfaceChange
	// Rows are of cells that were run elsewhere, or in another run. Those that
	// belong to this one are taken into its ledger, and their cells are not run
	// again; the others are counted in the run's file.
	Rows []bench.Row
	// LeftOut are rows of the other run that are not among Rows.
	LeftOut []bench.LeftOut
	// Continues describes the runs that Rows are of, where others chose them.
	Continues []ledger.Begun
	// NotCounted are the scenarios that evidence leaves out, with the reason of
	// each; see [HealthOf].
	NotCounted map[string]string
	// margins are those that evidence is judged by, compared the two modes.
	margins  *bench.Margins
	compared []bench.Mode
	// TakenUSD is what Rows have cost another run. The limit of what this one
	// may cost leaves it out.
	TakenUSD float64
	// Run has what a run needs beyond that. The fields above are filled in.
	Run runner.Config
}

// Folder is where a run keeps its files.
func (s Suite) Folder() string { return filepath.Join(s.Dir, s.RunID) }

// TranscriptsFolder is where a run keeps its transcripts.
func (s Suite) TranscriptsFolder() string {
	return TranscriptsFolder(s.Folder(), ledger.RunInfo{Transcripts: s.Transcripts})
}

// NewRunID returns the id of a run that begins at t: sortable by time, and
// unlike others of that second by the random part.
func NewRunID(t time.Time, random string) string {
	const randomLength = 6
	return t.UTC().Format("20060102T150405Z") + "-" + strings.ToLower(random[:min(randomLength, len(random))])
}

// info describes the suite as its run's file does.
func (s Suite) info(created time.Time, model bench.ModelRef) ledger.RunInfo {
	info := ledger.RunInfo{
		SchemaVersion: ledger.RunSchemaVersion, RunID: s.RunID, CreatedAt: created, Modes: s.Modes,
		Repetitions: s.Repetitions, FirstLook: s.FirstLook, ScenarioSet: s.ScenarioSet, OrderKind: string(s.Order), OrderSeed: s.OrderSeed,
		Provider: s.Provider, Model: model, Profile: s.Profile, SeedID: s.SeedID, Target: s.Target, Git: s.Git, BaseCommit: s.BaseCommit, BaseTree: s.BaseTree,
		ModeFiles: s.Run.ModeFiles, Surface: s.Surface,
		OutputJSONL: s.OutputJSONL, Transcripts: s.Transcripts, Price: s.Run.Price, TakenUSD: s.TakenUSD,
		Margins: s.margins, Compared: s.compared, Continues: s.Continues, NotCounted: s.NotCounted, Concurrency: s.Run.Concurrency,
	}
	if s.Variations.Seed != 0 {
		info.Variations = &s.Variations
	}
	for _, sc := range s.Scenarios {
		info.Scenarios = append(info.Scenarios, ledger.ScenarioRef{ID: sc.ID, Hash: sc.Hash})
	}
	info.Versions.Add(s.Run.Tools)
	info.Cells = s.Plan()
	if s.Shard != nil {
		info.AllCells = info.Cells
		info.Cells = s.Shard.Of(info.AllCells)
		info.Shard = s.Shard
	}
	return info
}

// Plan returns the cells of the whole plan.
func (s Suite) Plan() []bench.Cell { return s.plan(s.Repetitions) }

// plan returns what the plan would be with that many repetitions.
func (s Suite) plan(repetitions int) []bench.Cell {
	ids := make([]string, 0, len(s.Scenarios))
	for _, sc := range s.Scenarios {
		ids = append(ids, sc.ID)
	}
	return runner.Plan(runner.PlanOptions{
		ScenarioIDs: ids, Modes: s.Modes, Repetitions: repetitions, Order: s.Order, Seed: s.OrderSeed,
	})
}

// Cells returns the cells that this suite runs: its shard's part of the plan.
func (s Suite) Cells() []bench.Cell { return s.part(s.Plan()) }

// part returns the shard's part of a plan.
func (s Suite) part(plan []bench.Cell) []bench.Cell {
	if s.Shard == nil {
		return plan
	}
	return s.Shard.Of(plan)
}

// Result is what a run came to.
type Result struct {
	runner.Outcome
	// Info is the run's file as it is now.
	Info ledger.RunInfo
	// Files are the ledgers that have rows, sorted.
	Files []string
	// Torn are last lines that an earlier stop had left half written; they
	// were cut off, and their cells run again.
	Torn []ledger.Torn
}

// RunSuite runs a suite. If its run is there already it goes on with it:
// cells that have a row are not run again, and a run of other scenarios,
// model, commit or seed is refused with an error of kind invalid (rule N1),
// as are ledgers whose rows do not belong to the suite.
func RunSuite(ctx context.Context, s Suite, deps runner.Deps) (result Result, err error) {
	info, err := s.begin(deps)
	if err != nil {
		return Result{}, err
	}
	rows, err := openLedger(s, info)
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	result = Result{Torn: rows.Cut()}
	done, spent, err := finished(slices.DeleteFunc(rows.Files(), isDevice), &info)
	if err != nil {
		return result, err
	}
	info.Lost += info.CountLost(done)
	taken, err := s.take(rows, &info, done)
	if err != nil {
		return result, err
	}
	spent += taken
	result.Info = info
	if err := info.Save(s.Folder()); err != nil {
		return result, err
	}
	if err := makeFolder(s.TranscriptsFolder()); err != nil {
		return result, err
	}
	closed := s.keepToOurselves()
	defer func() { err = errors.Join(err, closed()) }()
	deps.Ledger = rows
	if deps.Shared != nil {
		deps.Shared = sameOnly{deps.Shared, &result.Info}
	}
	r := steps{suite: s, cfg: s.config(info, done, spent), deps: deps, info: &result.Info, files: func() []string { return slices.DeleteFunc(rows.Files(), isDevice) }}
	result.Outcome, err = r.run(ctx)
	result.Files = rows.Files()
	result.Info.UnrecordedUSD += result.CostUSD - spent - result.RowsUSD
	return result, errors.Join(err, KeepSums(r.files(), &result.Info), result.recordStop(s.Folder(), deps.Now()))
}

// keepToOurselves closes the run's folder to other users, such as the agents',
// until the returned function is called: it tells of earlier attempts. Where
// all rows go elsewhere, the folder has the description of the run alone.
func (s Suite) keepToOurselves() (open func() error) {
	const ours = 0o700
	info, err := os.Stat(s.Folder())
	if err == nil {
		err = os.Chmod(s.Folder(), ours)
	}
	if err != nil {
		// A folder that is somebody else's cannot be closed; the run can go on.
		return func() error { return nil }
	}
	return func() error {
		if err := os.Chmod(s.Folder(), info.Mode().Perm()); err != nil {
			return fault.Infraf("open the run's folder: %w", err)
		}
		return nil
	}
}

// begin describes the run: as it was begun before, if it was.
func (s Suite) begin(deps runner.Deps) (ledger.RunInfo, error) {
	info := s.info(deps.Now(), deps.Provider.Describe().Model)
	if _, err := os.Stat(filepath.Join(s.Folder(), ledger.RunFile)); errors.Is(err, fs.ErrNotExist) {
		return info, nil
	}
	before, err := ledger.LoadRun(s.Folder())
	if err != nil {
		return ledger.RunInfo{}, err
	}
	if err := sameRun(before, info); err != nil {
		return ledger.RunInfo{}, err
	}
	info.Surface = cmp.Or(info.Surface, before.Surface)
	info.CreatedAt, info.Stops, info.UnrecordedUSD, info.TakenUSD = before.CreatedAt, before.Stops, before.UnrecordedUSD, before.TakenUSD
	info.LeftOut, info.Refills, info.Lost, info.Sums, info.Altered = before.LeftOut, before.Refills, before.Lost, before.Sums, before.Altered
	info.Concurrency = max(info.Concurrency, before.Concurrency)
	info.Margins, info.Compared, info.Continues, info.Judged, info.NotCounted = before.Margins, before.Compared, before.Continues, before.Judged, before.NotCounted
	return info, nil
}

// sameOnly refuses rows of other machines that are not of the run's suite, and notes
// the versions of their tools.
type sameOnly struct {
	runner.Shared
	info *ledger.RunInfo
}

// News is that of other machines.
func (s sameOnly) News(ctx context.Context, here runner.Standing) (runner.News, error) {
	news, err := s.Shared.News(ctx, here)
	for i := range news.Rows {
		if err == nil {
			err = ledger.CheckSame(s.info.Identity(), &news.Rows[i])
		}
		s.info.Versions.Add(news.Rows[i].Tools)
	}
	return news, err
}

func openLedger(s Suite, info ledger.RunInfo) (*ledger.Set, error) {
	if s.OutputJSONL != "" {
		return ledger.OpenSingle(s.OutputJSONL)
	}
	return ledger.OpenSet(s.Folder(), info.CreatedAt)
}

// isDevice reports whether a path is something that can be written to but has
// nothing to go on with, such as /dev/stdout.
func isDevice(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular()
}

// finished returns the run's cells that have a row, and what was spent so far, and
// adds the rows' versions to the run's. A file may have rows of other runs too, but
// not of the same cells.
func finished(files []string, info *ledger.RunInfo) (map[bench.Cell]bool, float64, error) {
	done, spent := map[bench.Cell]bool{}, info.UnrecordedUSD
	identity := info.Identity()
	_, err := ledger.Scan(files, func(row *bench.Row) error {
		if err := ledger.CheckSame(identity, row); err != nil {
			return err
		}
		cell := row.Cell()
		switch {
		case row.RunID == info.RunID:
			done[cell] = true
			spent += row.SpentUSD()
			info.Versions.Add(row.Tools)
		case slices.Contains(info.Cells, cell):
			return fault.Invalidf("cell %s has a row of run %s here already: go on with that run, or write to another file", cell, row.RunID)
		}
		return nil
	})
	return done, spent, err
}

// take adds the suite's rows of cells that are not done yet to the ledger,
// notes in the run's description which are left out, and returns what they cost.
func (s Suite) take(into runner.Ledger, info *ledger.RunInfo, done map[bench.Cell]bool) (spent float64, err error) {
	rows, left, err := s.choose(s.Rows, info.Identity())
	if err != nil {
		return 0, err
	}
	if len(s.Rows)+len(s.LeftOut) > 0 {
		var omitted bench.Omissions
		omitted.Merge(s.LeftOut...)
		omitted.Merge(left...)
		info.LeftOut = omitted.List()
	}
	for i := range rows {
		row := &rows[i]
		if cell := row.Cell(); !done[cell] {
			row.RunID = info.RunID
			if err := into.Append(row); err != nil {
				return spent, err
			}
			done[cell] = true
			spent += row.SpentUSD()
			info.Versions.Add(row.Tools)
		}
	}
	return spent, nil
}

func (s Suite) config(info ledger.RunInfo, done map[bench.Cell]bool, spent float64) runner.Config {
	cfg := s.Run
	cfg.Plan, cfg.Cells, cfg.Done = s.plan(s.withRefills()), info.Cells, done
	cfg.Scenarios = map[string]bench.Scenario{}
	for _, sc := range s.Scenarios {
		cfg.Scenarios[sc.ID] = sc
	}
	cfg.Order, cfg.OrderSeed, cfg.SpentUSD = s.Order, s.OrderSeed, spent
	cfg.RunID, cfg.ScenarioSet, cfg.SeedID = s.RunID, s.ScenarioSet, s.SeedID
	cfg.Git, cfg.BaseCommit, cfg.BaseTree, cfg.Variations = s.Git, s.BaseCommit, s.BaseTree, s.Variations
	if cfg.MaxCostUSD > 0 {
		cfg.MaxCostUSD += info.TakenUSD
	}
	return cfg
}

// recordStop writes into the run's file why cells are left, if any are: that they
// never ran is what the file says without it.
func (r *Result) recordStop(folder string, at time.Time) error {
	if r.Info.DecidedAt == 0 && len(r.Left) > 0 && r.Stopped != bench.MissingNeverRan {
		r.Info.Stops = append(slices.Clone(r.Info.Stops), ledger.Stop{Reason: r.Stopped, At: at, Cells: r.Left})
	}
	return r.Info.Save(folder)
}

// Tools returns the versions of the tools that a run used, as rows state them.
func Tools(harness, agent string, others map[string]string) map[string]string {
	tools := maps.Clone(others)
	if tools == nil {
		tools = map[string]string{}
	}
	tools["harness"], tools["agent"] = harness, agent
	return tools
}
