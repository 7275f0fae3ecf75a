package ledger

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// RunFile is the name of the file in a run's directory that holds its
// [RunInfo].
const RunFile = "run.json"

// RunSchemaVersion is the version of a RunInfo.
const RunSchemaVersion = 1

// RunInfo says what a run is to do, as far as a resumed run has to do the
// same, and how it was stopped.
type RunInfo struct {
	SchemaVersion int    `json:"schema_version"`
	RunID         string `json:"run_id"`
	// CreatedAt names the run's ledger files, see [OpenSet].
	CreatedAt   time.Time    `json:"created_at"`
	Modes       []bench.Mode `json:"modes"`
	Repetitions int          `json:"repetitions"`
	// FirstLook is after how many repetitions it is looked first whether the
	// rows decide, and DecidedAt after how many they did: what the plan has
	// beyond is not missing. 0 for a fixed number, and for not decided.
	FirstLook   int           `json:"first_look,omitempty"`
	DecidedAt   int           `json:"decided_at,omitempty"`
	ScenarioSet string        `json:"scenario_set,omitempty"`
	Scenarios   []ScenarioRef `json:"scenarios"`
	// OrderKind and OrderSeed are as in [bench.Order].
	OrderKind string `json:"order_kind"`
	OrderSeed uint64 `json:"order_seed"`
	// Shard is nil unless the run is one of several that share a plan.
	Shard    *bench.Shard   `json:"shard,omitempty"`
	Provider string         `json:"provider"`
	Model    bench.ModelRef `json:"model"`
	// Profile is empty if the run was not started for a gate.
	Profile bench.GateProfile `json:"profile,omitempty"`
	SeedID  string            `json:"seed_id,omitempty"`
	// Variations are those of the fixtures, nil where those do not vary.
	Variations *bench.Variations `json:"variations,omitempty"`
	// Target is the repository that the run acts on, empty for a sandbox.
	Target string       `json:"target,omitempty"`
	Git    bench.GitRef `json:"git"`
	// BaseCommit is that of mode [bench.GHXBase], BaseTree the hash of its
	// content; nil without it, and where it is not known.
	BaseCommit *string `json:"base_commit,omitempty"`
	BaseTree   *string `json:"base_tree,omitempty"`
	// ModeFiles tells of the modes that are not a part of this program.
	ModeFiles map[bench.Mode]bench.ModeFact `json:"mode_files,omitempty"`
	// Versions are those of all that took part, as the run's rows state them; nil in
	// runs that are older.
	Versions bench.Versions `json:"versions,omitempty"`
	// Surface is what changed between two versions of one tool, as it was found
	// before the first session; nil where nobody has looked.
	Surface *bench.SurfaceChange `json:"surface,omitempty"`
	// Benchmark is the one of another system that the tasks are of; nil in runs of
	// this program's own scenarios.
	Benchmark *Benchmark `json:"benchmark,omitempty"`
	// OutputJSONL is the one ledger file, empty if there is one per mode in
	// the run's directory.
	OutputJSONL string `json:"output_jsonl,omitempty"`
	// Transcripts is the folder that keeps the transcripts, empty if it is the
	// usual one in the run's directory.
	Transcripts string `json:"transcripts,omitempty"`
	// Price is what tokens were priced at where the provider reported no cost,
	// nil if the model had no price.
	Price *bench.Price `json:"price,omitempty"`
	// Cells are those that this run is to do, in order; AllCells are those of
	// all shards, nil without shards.
	Cells    []bench.Cell `json:"cells"`
	AllCells []bench.Cell `json:"all_cells,omitempty"`
	// Compared are baseline and candidate, nil where evidence does not decide, and
	// in runs that are older.
	Compared []bench.Mode `json:"compared,omitempty"`
	// Margins are those that evidence is judged by, fixed before the first
	// session; nil where they are the usual ones, or evidence does not decide.
	Margins *bench.Margins `json:"margins,omitempty"`
	// NotCounted are the scenarios that evidence leaves out, with the reason of
	// each, as it was before the first session.
	NotCounted map[string]string `json:"not_counted,omitempty"`
	// Continues are the runs whose rows this one began with.
	Continues []Begun `json:"continues,omitempty"`
	// Judged is what evidence came to, nil before that.
	Judged *Judged `json:"judged,omitempty"`
	// Concurrency is how many cells ran at once at most, 0 in runs that are older.
	Concurrency int `json:"concurrency,omitempty"`
	// Lost counts the cells that had no row when the run was gone on with, though
	// cells that were begun after them had: see [RunInfo.CountLost].
	Lost int `json:"lost,omitempty"`
	// Sums are those of the run's rows as they were when they were looked at first;
	// nil in runs that are older.
	Sums Sums `json:"sums,omitempty"`
	// Altered names a row that was found to be another one than was looked at; empty
	// if none was.
	Altered string `json:"altered,omitempty"`
	// Refills are cells beyond the plan, of blocks that took the place of void
	// ones.
	Refills []bench.Cell `json:"refills,omitempty"`
	// UnrecordedUSD is what was spent on warm-ups and on attempts that no row
	// tells of.
	UnrecordedUSD float64 `json:"unrecorded_usd,omitempty"`
	// TakenUSD is what rows that were taken over have cost another run, which
	// this one's limit leaves out.
	TakenUSD float64 `json:"taken_usd,omitempty"`
	// LeftOut counts the rows of other runs that were not taken over.
	LeftOut []bench.LeftOut `json:"left_out,omitempty"`
	// Stops has one entry per time the run was stopped, in order.
	Stops []Stop `json:"stops,omitempty"`
}

// Benchmark is another system's, as a run has it.
type Benchmark struct {
	Name string `json:"name"`
	// Split is a part of its tasks. Part says that the run is to do some of them,
	// which were named; else it does all.
	Split string `json:"split"`
	Part  bool   `json:"part,omitempty"`
	// Settings is a hash of all settings that say what is run, and how.
	Settings string `json:"settings"`
}

// Begun is what was fixed before the first session of a run. Repetitions is 0
// where that is not known.
type Begun struct {
	RunID       string         `json:"run_id"`
	Repetitions int            `json:"repetitions"`
	FirstLook   int            `json:"first_look,omitempty"`
	Margins     *bench.Margins `json:"margins,omitempty"`
	// At is when the run was created, zero where that is not known.
	At time.Time `json:"at,omitzero"`
	// Lost, Altered and Judged are as in [RunInfo].
	Lost    int     `json:"lost,omitempty"`
	Altered string  `json:"altered,omitempty"`
	Judged  *Judged `json:"judged,omitempty"`
}

// Begun returns what was fixed before the run's first session.
func (r RunInfo) Begun() Begun {
	return Begun{RunID: r.RunID, Repetitions: r.Repetitions, FirstLook: r.FirstLook, Margins: r.Margins, At: r.CreatedAt, Lost: r.Lost, Altered: r.Altered, Judged: r.Judged}
}

// CountLost returns how many cells without a row must have had one, as its sum is
// known, or as later ones of the plan have theirs: of a run that was ended in the
// middle, those that were under way then are none of them. Done are the cells that
// have a row.
func (r RunInfo) CountLost(done map[bench.Cell]bool) int {
	lost, since, known := 0, 0, 0
	for _, cell := range r.Cells {
		switch {
		case done[cell]:
			lost, since = lost+since, 0
			continue
		case r.Sums.of(cell) != Sum{}:
			known++
		}
		since++
	}
	if r.Judged == nil || len(r.Stops) > 0 {
		lost -= max(1, r.Concurrency)
	}
	return max(known, lost)
}

// Judged is what evidence came to, of which profile and which two modes; these are
// empty in runs that are older.
type Judged struct {
	Verdict  bench.Verdict     `json:"verdict"`
	Cause    bench.CauseKind   `json:"cause"`
	Profile  bench.GateProfile `json:"profile,omitempty"`
	Compared []bench.Mode      `json:"compared,omitempty"`
}

// ScenarioRef is a scenario and the hash of its content.
type ScenarioRef struct {
	ID   string `json:"id"`
	Hash string `json:"hash"`
}

// Stop says that a run ended before its plan did.
type Stop struct {
	Reason bench.MissingReason `json:"reason"`
	At     time.Time           `json:"at"`
	// Cells are those that were not finished for this reason.
	Cells []bench.Cell `json:"cells"`
}

// Base returns the tooling of mode [bench.GHXBase].
func (r RunInfo) Base() bench.GitRef {
	return bench.GitRef{Repo: r.Git.Repo, Commit: r.BaseCommit, Tree: r.BaseTree}
}

// Identity returns what every row of the run must agree with.
func (r RunInfo) Identity() Identity {
	hashes := make(map[string]string, len(r.Scenarios))
	for _, s := range r.Scenarios {
		hashes[s.ID] = s.Hash
	}
	identity := Identity{
		Model: r.Model, Tool: r.Git, Base: r.Base(), ModeFiles: r.ModeFiles,
		SeedID: r.SeedID, ScenarioHashes: hashes,
	}
	if r.Variations != nil {
		identity.Variations = *r.Variations
	}
	return identity
}

// Save writes the run's file into its directory, which is created if need be.
// A reader finds the file as it was before or as it is now, never a part. An
// error is of kind infrastructure.
func (r RunInfo) Save(dir string) error {
	r.SchemaVersion = RunSchemaVersion
	data, err := json.Marshal(r)
	if err != nil {
		return fault.Internalf("save run %s: %w", r.RunID, err)
	}
	if err := replaceFile(filepath.Join(dir, RunFile), append(indented(data), '\n')); err != nil {
		return fault.Infraf("save run %s: %w; make the directory writable and room on its disk, or choose another", r.RunID, err)
	}
	return nil
}

// replaceFile writes a file under another name beside it and renames that.
func replaceFile(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, dirPerm); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(filePerm), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncDir(dir)
}

// LoadRun reads the run's file in a directory. An error is of kind invalid.
func LoadRun(dir string) (RunInfo, error) {
	path := filepath.Join(dir, RunFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return RunInfo{}, fault.Invalidf("%s is not the directory of a run: it has no %s", dir, RunFile)
	}
	if err != nil {
		return RunInfo{}, fault.Invalidf("load run: %w; name a folder of runs that can be read", err)
	}
	var info RunInfo
	if err := json.Unmarshal(data, &info); err != nil {
		return RunInfo{}, fault.Invalidf("load run %s: %w; name ledger files instead of the run, or delete its directory", path, err)
	}
	if info.SchemaVersion > RunSchemaVersion {
		return RunInfo{}, fault.Invalidf("load run %s: it was written by a newer version of this program (schema %d, known are up to %d)", path, info.SchemaVersion, RunSchemaVersion)
	}
	return info, nil
}

// NewestRun returns the directory in base of the run that was created last. An
// error is of kind invalid: there is none, or one cannot be read.
func NewestRun(base string) (string, error) {
	entries, err := os.ReadDir(base)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fault.Invalidf("find the newest run: %w", err)
	}
	type run struct {
		dir     string
		created time.Time
	}
	var runs []run
	for _, entry := range entries {
		dir := filepath.Join(base, entry.Name())
		if _, err := os.Stat(filepath.Join(dir, RunFile)); err != nil {
			continue // something else lies here too
		}
		info, err := LoadRun(dir)
		if err != nil {
			return "", fmt.Errorf("find the newest run: %w", err)
		}
		runs = append(runs, run{dir, info.CreatedAt})
	}
	if len(runs) == 0 {
		return "", fault.Invalidf("there is no run in %s: start one, or name ledger files", base)
	}
	newest := slices.MaxFunc(runs, func(a, b run) int {
		return cmp.Or(a.created.Compare(b.created), cmp.Compare(a.dir, b.dir))
	})
	return newest.dir, nil
}

// Missing returns the run's cells that are not done, by reason: what the last
// stop that names them says, or that they never ran (rule R9). Cells are in
// the order of the plan; a reason without cells is left out.
func Missing(info RunInfo, done map[bench.Cell]bool) []bench.MissingCells {
	reasons := map[bench.Cell]bench.MissingReason{}
	for _, stop := range info.Stops {
		for _, cell := range stop.Cells {
			reasons[cell] = stop.Reason
		}
	}
	cells := map[bench.MissingReason][]bench.Cell{}
	for _, cell := range info.Cells {
		if !done[cell] {
			reason := cmp.Or(reasons[cell], bench.MissingNeverRan)
			cells[reason] = append(cells[reason], cell)
		}
	}
	var missing []bench.MissingCells
	for _, reason := range []bench.MissingReason{bench.MissingStopped, bench.MissingBudget, bench.MissingNeverRan} {
		if len(cells[reason]) > 0 {
			missing = append(missing, bench.MissingCells{Reason: reason, Cells: cells[reason]})
		}
	}
	return missing
}
