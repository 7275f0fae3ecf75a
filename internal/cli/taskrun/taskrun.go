// Package taskrun keeps what a benchmark of another system comes to as a run in
// the ledger, where the commands that report, compare and explain look: a row for
// each task and epoch, in the place of scenario and iteration, with the agent that
// was measured, or its commit, in the place of the mode. A row is on the disk as
// soon as its task is done, so that a run that was ended goes on with the rest.
package taskrun

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/redact"
)

// Options say what a run is of. All but Dir, RunID, Now, MaxCostUSD, Secrets and
// Concurrency must be the same when it goes on.
type Options struct {
	// Dir holds the runs; each has a folder of its id in it.
	Dir   string
	RunID string
	Now   func() time.Time
	// Benchmark is what is run.
	Benchmark ledger.Benchmark
	// Space names where ids of tasks mean what they mean: the benchmark with its
	// domain or dataset.
	Space string
	Model bench.ModelRef
	// Sides are those that are measured: one, or the baseline and the candidate.
	Sides []Side
	// Tasks are those to do, nil for all, which the benchmark tells then.
	Tasks []string
	// Shard is the part of all cells that this run does, nil for all; Tasks are those
	// of all shards then.
	Shard *bench.Shard
	// Epochs is how often each task is done by each side, at most where FirstLook
	// is not 0.
	Epochs, FirstLook int
	// TimeoutPolicy says whether a task that did not end in time is laid to the agent,
	// which empty is too, or is one that tells nothing.
	TimeoutPolicy harness.TimeoutPolicy
	// Profile is empty, and Margins nil, where no evidence is to decide.
	Profile bench.GateProfile
	Margins *bench.Margins
	// OrderSeed draws which side begins.
	OrderSeed uint64
	// Simulated says that no model is involved.
	Simulated bool
	// Tools are the versions of what takes part.
	Tools       map[string]string
	Concurrency int
	// MaxCostUSD is what all of the run may cost, 0 for any cost. The task that
	// goes beyond is the last one.
	MaxCostUSD float64
	Secrets    *redact.Redactor
	// Keeper keeps the run elsewhere too; nil if nobody does.
	Keeper *Keeper
}

// Side is what is measured.
type Side struct {
	Mode bench.Mode
	Git  bench.GitRef
	// Keep has transcripts and the benchmark's own account of tasks kept. It is
	// false wherever they would tell of tasks that nobody is to learn from.
	Keep bool
	// Host is what the runner is made for; the run adds who is told of tasks.
	Host   harness.Host
	Runner func(harness.Host) (harness.Runner, error)
}

// Run is a run. One goroutine at a time may use it.
type Run struct {
	options Options
	info    ledger.RunInfo
	rows    *ledger.Set
	pen     *pen
	now     func() time.Time

	mu    sync.Mutex
	tasks []string
	// hashes are those of tasks by their ids.
	hashes map[string]string
	done   map[bench.Cell]harness.Outcome
	spent  float64
	ending ending
	// stopped is why the run ended before its plan, empty if it did not.
	stopped bench.MissingReason
}

// Open begins a run, or goes on with the one of that id, in its folder or of its keeper.
// That it is one of other settings, or of another agent, is an error of kind invalid,
// which names the difference.
func Open(o Options) (*Run, error) {
	r := &Run{options: o, now: o.Now, tasks: slices.Clone(o.Tasks), hashes: map[string]string{}, done: map[bench.Cell]harness.Outcome{}}
	r.info = r.describe()
	var err error
	if o.Keeper != nil {
		err = r.goOnElsewhere(*o.Keeper)
	} else if _, statErr := os.Stat(filepath.Join(r.Folder(), ledger.RunFile)); statErr == nil {
		err = r.goOn()
	}
	if err != nil {
		return nil, err
	}
	r.plan()
	if r.rows, err = ledger.OpenSet(r.Folder(), r.info.CreatedAt); err != nil {
		return nil, err
	}
	if o.Keeper != nil {
		err = r.takeOver(o.Keeper.Rows)
	}
	if err == nil {
		err = r.read()
	}
	if err == nil {
		err = r.save()
	}
	if err != nil {
		return nil, errors.Join(err, r.rows.Close())
	}
	r.pen = newPen(r)
	return r, nil
}

// Folder is where the run keeps its files.
func (r *Run) Folder() string { return filepath.Join(r.options.Dir, r.options.RunID) }

// ID is the run's.
func (r *Run) ID() string { return r.options.RunID }

// Source is the run as reports read it.
func (r *Run) Source() (verify.Source, error) { return verify.SourceOf(r.Folder()) }

// Files are the ledgers that have rows.
func (r *Run) Files() []string { return r.rows.Files() }

// orderKind is how tasks of several sides follow each other.
const orderKind = runner.Interleaved

func (r *Run) describe() ledger.RunInfo {
	o := r.options
	info := ledger.RunInfo{
		RunID: o.RunID, CreatedAt: o.Now(), Repetitions: o.Epochs, FirstLook: o.FirstLook, ScenarioSet: o.Space,
		OrderKind: string(orderKind), OrderSeed: o.OrderSeed, Provider: o.Benchmark.Name, Model: o.Model, Profile: o.Profile,
		Benchmark: &o.Benchmark, Shard: o.Shard, ModeFiles: map[bench.Mode]bench.ModeFact{}, Margins: o.Margins, Concurrency: o.Concurrency,
	}
	if o.Benchmark.Split != harness.WholeDataset {
		info.ScenarioSet += " " + o.Benchmark.Split
	}
	for _, s := range o.Sides {
		info.Modes = append(info.Modes, s.Mode)
		info.ModeFiles[s.Mode] = bench.ModeFact{Git: s.Git}
	}
	info.Git = o.Sides[len(o.Sides)-1].Git
	if len(o.Sides) > 1 {
		info.Compared = info.Modes
	}
	info.Versions.Add(o.Tools)
	return info
}

// goOn takes over what is known of the run in its folder.
func (r *Run) goOn() error {
	before, err := ledger.LoadRun(r.Folder())
	if err != nil {
		return err
	}
	return r.continues(before)
}

// continues has the run be the one that was begun before.
func (r *Run) continues(before ledger.RunInfo) error {
	if before.Benchmark == nil {
		return fault.Invalidf("run %s is none of `bench harness`: go on with `bench verify --resume=%[1]s`", before.RunID)
	}
	now := &r.info
	for _, d := range []struct{ what, was, is string }{
		{"benchmark", before.Benchmark.Name, now.Benchmark.Name},
		{"set of tasks", before.ScenarioSet, now.ScenarioSet},
		{"model", before.Model.Text(), now.Model.Text()},
		{"list of agents", bench.JoinModes(before.Modes, ", "), bench.JoinModes(now.Modes, ", ")},
		{"agent (the hash of its files)", trees(before), trees(*now)},
		{"shard", shardOf(before), shardOf(*now)},
		{"number of epochs", fmt.Sprint(before.FirstLook, "..", before.Repetitions), fmt.Sprint(now.FirstLook, "..", now.Repetitions)},
		{"configuration (a hash of its settings)", before.Benchmark.Settings, now.Benchmark.Settings},
	} {
		if d.was != d.is {
			return fault.Invalidf("run %s cannot go on: its %s is %s, now it would be %s; set it as it was, or start a new run", before.RunID, d.what, d.was, d.is)
		}
	}
	known := make([]string, 0, len(before.Scenarios))
	for _, s := range before.Scenarios {
		known = append(known, s.ID)
	}
	if len(known) > 0 {
		r.tasks = known
	}
	r.info = before
	r.options.OrderSeed = before.OrderSeed
	return nil
}

// trees are the hashes of what is measured.
func trees(info ledger.RunInfo) string {
	var all []string
	for _, mode := range info.Modes {
		git := info.ModeFiles[mode].Git
		all = append(all, *cmp.Or(git.Tree, git.Commit, new(string)))
	}
	return strings.Join(all, ", ")
}

// plan has the run's description say which tasks there are.
func (r *Run) plan() {
	r.info.Scenarios = nil
	r.info.Cells = slices.Grow([]bench.Cell(nil), r.options.Epochs*len(r.tasks)*len(r.info.Modes))
	for _, id := range r.tasks {
		r.info.Scenarios = append(r.info.Scenarios, ledger.ScenarioRef{ID: id, Hash: r.hash(id)})
	}
	for epoch := 1; epoch <= r.options.Epochs; epoch++ {
		for _, id := range r.tasks {
			for _, mode := range r.info.Modes {
				r.info.Cells = append(r.info.Cells, bench.Cell{ScenarioID: id, Mode: mode, Iteration: epoch})
			}
		}
	}
	if shard := r.info.Shard; shard != nil {
		r.info.AllCells = r.info.Cells
		r.info.Cells = shard.Of(r.info.AllCells)
	}
}

// hash tells the task from those of other benchmarks that have its id.
func (r *Run) hash(id string) string {
	known, is := r.hashes[id]
	if !is {
		sum := sha256.Sum256([]byte(r.options.Space + "\x00" + id))
		const shown = 16
		known = hex.EncodeToString(sum[:])[:shown]
		r.hashes[id] = known
	}
	return known
}

// read takes in what the rows say that are there.
func (r *Run) read() error {
	identity := r.info.Identity()
	_, err := ledger.Scan(r.rows.Files(), func(row *bench.Row) error {
		if err := ledger.CheckSame(identity, row); err != nil {
			return err
		}
		r.note(row.Cell(), outcomeOf(row))
		r.spent += row.SpentUSD()
		return nil
	})
	// What is there may have been changed since the run was ended.
	return cmp.Or(err, verify.KeepSums(r.rows.Files(), &r.info))
}

// Planned are the run's tasks, nil while they are not known.
func (r *Run) Planned() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.tasks)
}

// learn takes in which tasks there are, unless that is known.
func (r *Run) learn(ids []string) error {
	r.mu.Lock()
	known := len(r.tasks) > 0
	if !known {
		r.tasks = slices.Clone(ids)
		r.plan()
	}
	r.mu.Unlock()
	if known || len(ids) == 0 {
		return nil
	}
	// The sums of rows that are being written are a part of the description.
	return errors.Join(r.pen.flush(), r.save())
}

// Close brings all rows to the disk and notes why the run ended.
func (r *Run) Close() error {
	failed, err := r.pen.close()
	if left := r.left(); len(left) > 0 && r.stopped != "" && r.info.DecidedAt == 0 {
		r.info.Stops = append(r.info.Stops, ledger.Stop{Reason: r.stopped, At: r.now(), Cells: left})
	}
	saved := r.save()
	if failed { // for the same reason, most often
		saved = nil
	}
	return errors.Join(err, saved, r.rows.Close())
}

// left are the cells of the plan that have no row.
func (r *Run) left() []bench.Cell {
	return slices.DeleteFunc(slices.Clone(r.info.Cells), func(c bench.Cell) bool { _, done := r.done[c]; return done })
}

// Begun reports how many rows the run has.
func (r *Run) Begun() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.done)
}

// sideOf returns the side of a mode.
func (r *Run) sideOf(mode bench.Mode) Side {
	return r.options.Sides[slices.IndexFunc(r.options.Sides, func(s Side) bool { return s.Mode == mode })]
}

// Epoch has a side do what is left of an epoch, and returns the results of all its
// tasks. An error leaves the rows of those that were done.
func (r *Run) Epoch(ctx context.Context, mode bench.Mode, epoch int) (harness.Results, error) {
	tasks := r.Planned()
	var cells map[string]int
	if tasks != nil {
		cells = map[string]int{}
		for _, id := range tasks {
			cells[id] = epoch
		}
		if r.info.Shard != nil {
			maps.DeleteFunc(cells, func(id string, _ int) bool {
				return !slices.Contains(r.info.Cells, bench.Cell{ScenarioID: id, Mode: mode, Iteration: epoch})
			})
		}
	}
	if err := r.batch(ctx, mode, epoch, cells); err != nil {
		return nil, err
	}
	results := harness.Results{}
	r.mu.Lock()
	defer r.mu.Unlock()
	for cell, outcome := range r.done {
		if cell.Mode == mode && cell.Iteration == epoch {
			results[cell.ScenarioID] = outcome
		}
	}
	return results, nil
}

// Again has a side do tasks anew that have no sound result in so many epochs: what
// was around the agent failed, or nothing was heard of them. Each gets a new epoch,
// after the last one, as rows are not replaced. It returns how many tasks were done.
func (r *Run) Again(ctx context.Context, mode bench.Mode, epochs int) (int, error) {
	cells := map[string]int{}
	for _, id := range r.Planned() {
		if sound, last := r.soundOf(mode, id); last > 0 && sound < epochs && last >= epochs {
			cells[id] = last + 1
		}
	}
	if len(cells) == 0 {
		return 0, nil
	}
	for id, epoch := range cells {
		if cell := (bench.Cell{ScenarioID: id, Mode: mode, Iteration: epoch}); !slices.Contains(r.info.Refills, cell) {
			r.info.Refills = append(r.info.Refills, cell)
		}
	}
	slices.SortFunc(r.info.Refills, func(a, b bench.Cell) int { return cmp.Compare(a.String(), b.String()) })
	return len(cells), errors.Join(r.save(), r.batch(ctx, mode, 0, cells))
}

// isVoid reports whether an outcome tells nothing of the agent.
func (r *Run) isVoid(o harness.Outcome) bool {
	return o.Status == harness.Infrastructure || o.Status == harness.Timeout && r.options.TimeoutPolicy == harness.BlameInfrastructure
}

// soundOf returns how many results of a task are sound, and its last epoch.
func (r *Run) soundOf(mode bench.Mode, id string) (sound, last int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for epoch := 1; ; epoch++ {
		outcome, done := r.done[bench.Cell{ScenarioID: id, Mode: mode, Iteration: epoch}]
		if !done {
			return sound, last
		}
		last = epoch
		if outcome.Status != harness.Infrastructure && outcome.Status != harness.Missing {
			sound++
		}
	}
}

// Results returns what a side has come to in so many epochs: of each task the mean
// reward, a task without one counting as 0, and the sound results before others.
// Where no epoch has a reward it is the first one's outcome.
func (r *Run) Results(mode bench.Mode, epochs int) harness.Results {
	all := map[string]map[int]harness.Outcome{}
	r.mu.Lock()
	for cell, outcome := range r.done {
		if cell.Mode != mode {
			continue
		}
		if all[cell.ScenarioID] == nil {
			all[cell.ScenarioID] = map[int]harness.Outcome{}
		}
		all[cell.ScenarioID][cell.Iteration] = outcome
	}
	r.mu.Unlock()
	results := harness.Results{}
	for id, of := range all {
		var list []harness.Outcome
		for _, epoch := range slices.Sorted(maps.Keys(of)) {
			list = append(list, of[epoch])
		}
		slices.SortStableFunc(list, func(a, b harness.Outcome) int { return cmp.Compare(unsound(a), unsound(b)) })
		results[id] = meanOf(list[:min(epochs, len(list))])
	}
	return results
}

func unsound(o harness.Outcome) int {
	if o.Status == harness.Infrastructure || o.Status == harness.Missing {
		return 1
	}
	return 0
}

func meanOf(list []harness.Outcome) harness.Outcome {
	rewarded := slices.DeleteFunc(slices.Clone(list), func(o harness.Outcome) bool { return !o.Rewarded() })
	if len(list) == 1 || len(rewarded) == 0 {
		return list[0]
	}
	sum := 0.0
	for _, o := range rewarded {
		sum += o.Score
	}
	mean := harness.Reward(sum / float64(len(list)))
	mean.Reason = fmt.Sprintf("the mean of %d epochs", len(list))
	return mean
}
