// Package runner turns cells into rows: it has agents work on scenarios, in
// order, within their deadlines and the budget, and judges what they did.
//
// [Plan] lists the cells, [Run] works through them. A cell may take several
// attempts; each has fresh fixtures and a session of its own (rule N7).
package runner

import (
	"context"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
)

// The defaults of rules N5, N6 and N8.
const (
	DefaultRunnerRetries = 1
	DefaultRetryPause    = 750 * time.Millisecond
	DefaultFirstAnswer   = 15 * time.Second
	DefaultStall         = 10 * time.Second
	DefaultContinuations = 3
	DefaultConcurrency   = 1
)

// Config says what to run and how.
type Config struct {
	// Plan is the whole plan; Cells are those of it to run, in order, and
	// Done those that have a row already.
	Plan, Cells []bench.Cell
	Done        map[bench.Cell]bool
	// Scenarios has every scenario of the cells, by id.
	Scenarios map[string]bench.Scenario
	Order     OrderKind
	OrderSeed uint64

	// Concurrency is how many cells run at once, at least 1.
	Concurrency int
	SkipWarmup  bool
	// RunnerRetries is how often an attempt that ran into a deadline is
	// repeated, RetryPause how long to wait after the first attempt; after the
	// n-th it is n times as long.
	RunnerRetries int
	RetryPause    time.Duration
	// FirstAnswer and Stall are the clocks of rule N6, more than 0.
	FirstAnswer, Stall time.Duration
	// Continuations is how often an answer without an envelope is followed by
	// a request to complete it.
	Continuations int

	// MaxCostUSD ends the run once that much is spent; 0 means no limit. Cells
	// that are under way then have their attempt finished, so a run may cost
	// one attempt per worker more. SpentUSD is what was spent before.
	MaxCostUSD, SpentUSD float64
	// Price prices tokens where the provider reports no cost; nil if the
	// model has no price, and then there can be no limit.
	Price *bench.Price

	// What every row repeats.
	RunID       string
	ScenarioSet string
	SeedID      string
	// Variations say which variation of the fixtures each iteration has.
	Variations bench.Variations
	Git        bench.GitRef
	// BaseCommit is the commit of mode [bench.GHXBase], BaseTree the hash of its
	// content.
	BaseCommit, BaseTree *string
	// ModeFiles tells of the modes that are not a part of this program; nil
	// for none.
	ModeFiles map[bench.Mode]bench.ModeFact
	// Routes are the modes whose tools tell their route (rule S4).
	Routes []bench.Mode

	Tools map[string]string
}

// Ledger takes rows.
type Ledger interface {
	Append(row *bench.Row) error
}

// Deps is what a run works with.
type Deps struct {
	Target   target.Target
	Provider agent.Provider
	Ledger   Ledger
	// Setups are what agents start with, by mode: their instructions, whether
	// they have a shell, and MCP servers. Mode, worker and environment are added.
	Setups map[bench.Mode]agent.Setup
	// Nonce returns a text for the first line of an attempt's prompt, another
	// one each time; nil means no such line. Several workers call it at once.
	Nonce func() string
	// Reader makes the reader of checkpoints.
	Reader func(target.Access) (checkpoint.Reader, error)
	// Poll is how patiently checkpoints are read.
	Poll checkpoint.Poll
	// Preflight finds out, once and before anything is spent, whether the
	// tools of the modes work: an agent's place to try them in, the modes, and
	// the capabilities that the scenarios use (rule N2). It returns what the
	// ghx of each mode calls them, which the agents are told then. Nil checks
	// nothing.
	Preflight func(ctx context.Context, place *target.Place, modes []bench.Mode, capabilities []string) (map[bench.Mode]scenario.Names, error)
	// Shared has other machines work on the run, too; nil if none does.
	Shared Shared
	// SaveTranscript keeps an attempt's transcript; nil keeps none. Attempts
	// count from 1. Its error ends the run.
	SaveTranscript func(cell bench.Cell, attempt int, t agent.Transcript) error
	// Redact returns a text without secrets, for what rows and events say of
	// agents and of GitHub; nil leaves texts as they are.
	Redact func(text string) string
	// Observe is told what happens, one call at a time; nil if nobody wants
	// to know. It must not block.
	Observe func(Event)
	// Now is the clock. Wait pauses that long, or fails when ctx ends.
	Now  func() time.Time
	Wait func(ctx context.Context, d time.Duration) error
}

// EventKind is what an event tells.
type EventKind string

// The events.
const (
	// EventWarmup: a mode is warming up.
	EventWarmup EventKind = "warmup"
	// EventStart: a cell begins.
	EventStart EventKind = "start"
	// EventRetry: an attempt failed and is repeated.
	EventRetry EventKind = "retry"
	// EventLeftover: something could not be cleaned up after an attempt. What
	// the attempt came to stands.
	EventLeftover EventKind = "leftover"
	// EventRow: a cell has its row.
	EventRow EventKind = "row"
)

// Event tells an observer how a run goes.
type Event struct {
	Kind EventKind
	// Cell has iteration 0 where a mode is warming up.
	Cell bench.Cell
	// Row is nil but for [EventRow]; it may be read until the next event.
	Row *bench.Row
	// Reason says why an attempt is repeated, or what was left over.
	Reason string
	// Done and Total count cells, those done before included.
	Done, Total int
	CostUSD     float64
}

// Outcome is what a run came to.
type Outcome struct {
	// Rows counts the rows that were written.
	Rows int
	// CostUSD is what all attempts cost together: those of rows done before,
	// of warm-ups and of cells that were dropped included. RowsUSD is the part
	// that the rows of this run tell of.
	CostUSD, RowsUSD float64
	// Stopped is why the run ended before its plan, empty if it did not, and
	// Left the cells without a row, in order.
	Stopped bench.MissingReason
	Left    []bench.Cell
}

// UnsavedRow is an error about a row that the ledger did not take.
type UnsavedRow struct {
	Row *bench.Row
	Err error
}

// Error tells the cause.
func (e *UnsavedRow) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UnsavedRow) Unwrap() error { return e.Err }
