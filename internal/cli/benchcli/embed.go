package benchcli

import (
	"context"
	"io"
	"time"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/cli/taskrun"
	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/redact"
)

// World is what commands need of the outside, for programs that run them in
// their own process.
type World struct {
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Now            func() time.Time
	// Random returns a random word.
	Random func() string
	// Secrets takes what must not be written.
	Secrets *redact.Redactor
	// Observe is told how a run goes, Entered when a step of it begins. They
	// may be nil.
	Observe func(runner.Event)
	Entered func(verify.Step)
	// Surface is told what changed between two versions of one tool, before the
	// first session; it may be nil.
	Surface func(*bench.SurfaceChange)
	// TaskDone is told of each task that a command of the harness has done; it
	// may be nil.
	TaskDone func(harness.Progress)
	// Keeper keeps the run of a gate by evidence of the harness, and may have one that goes
	// on; nil if nobody does.
	Keeper *taskrun.Keeper
	// RunID is the id of the run that a command begins, or goes on with if it
	// is there already; empty has a new one made.
	RunID string
	// Aside says that what is measured is not the default branch, so that the
	// history does not measure others by it; false has the environment and the
	// checkout tell.
	Aside bool
	// Proposed says that scenarios may be those of a pull request, so that commands
	// which they name are not run as this process's user: tasks that are not about
	// GitHub are refused.
	Proposed bool
	// View is what agents see of the file system where the kernel can see to that;
	// nil is for what their users may read.
	View *confine.View
	// Rows are of cells that need not be run again: see [verify.Suite].
	Rows []bench.Row
	// Continues describes the runs that Rows are of.
	Continues []ledger.Begun
	// Shared has several machines work on a run of `bench verify`; nil if none but
	// this one does. Helps says that another one leads: then nothing is judged here.
	Shared runner.Shared
	Helps  bool
}

// Result is what a command came to.
type Result struct {
	// Code is the exit code of rule G16, also where the error is not nil.
	Code int
	// RunID is that of the run, empty where there is none.
	RunID string
	// Rows are the ledgers that a run has written.
	Rows []string
	// Stopped is why a run ended before its plan, empty if it did not.
	Stopped bench.MissingReason
	// Summary is nil where nothing was judged.
	Summary *bench.Summary
	// Outputs are the files of the report.
	Outputs verify.Outputs
}

// Run executes a command line, without the program's name.
func (w World) Run(ctx context.Context, args ...string) (Result, error) {
	a := &app{
		stdout: w.Stdout, stderr: w.Stderr, getenv: w.Getenv, now: w.Now, random: w.Random, secrets: w.Secrets,
		observe: w.Observe, entered: w.Entered, surfaced: w.Surface, taskDone: w.TaskDone, keeper: w.Keeper, runID: w.RunID, rows: w.Rows, continues: w.Continues, aside: w.Aside, proposed: w.Proposed, view: w.View, shared: w.Shared, helps: w.Helps,
	}
	code, err := a.execute(ctx, args)
	a.result.Code = code
	return a.result, err
}

// StopOnSignal returns a context that ends on the first SIGINT or SIGTERM, with
// a cause that [World.Run] knows. A second one ends the process at once.
func StopOnSignal(parent context.Context) (context.Context, func()) { return stopOnSignal(parent) }

// Version is the program's version.
func Version() string { return version() }
