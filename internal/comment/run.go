package comment

import (
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/comment/command"
)

// Phase is how far a run is.
type Phase string

// The phases. All but the first two are final.
const (
	// Queued runs wait.
	Queued Phase = "queued"
	// Running runs have a [Progress].
	Running Phase = "running"
	// Finished runs have a summary, whatever its verdict.
	Finished Phase = "finished"
	// Stopped runs were ended by somebody or by a limit; they may have a
	// summary of what there was.
	Stopped Phase = "stopped"
	// Broken runs ended with an error and have a Problem.
	Broken Phase = "broken"
	// Skipped runs never began, for the reason in Skip.
	Skipped Phase = "skipped"
)

// Run is what there is to say about a run of a suite on a commit. Texts in it
// are plain; what they are made of need not be trusted.
type Run struct {
	// Suite tells the sticky comments of a pull request apart. It is not
	// empty.
	Suite string
	Phase Phase
	// ID is the run's, Commit the name of the pull request's head commit. They
	// may be empty.
	ID, Commit string
	// At is when this is said.
	At time.Time

	// Plan is what is run, nil if that is not known yet.
	Plan *Plan
	// Waiting is where a queued run waits, nil if that is not known.
	Waiting *Waiting
	// Progress is nil before the first cell.
	Progress *Progress
	// Summary is nil where no rows were judged.
	Summary *bench.Summary
	// Surface is what changed for agents between two versions of one tool, where
	// the summary does not tell; nil if that is not known.
	Surface *bench.SurfaceChange
	// Shards is how many parts were merged, 0 for a run in one piece.
	Shards int
	// Problem ended a broken run. Of it, only what [fault.Public] returns is
	// shown.
	Problem error
	// Reason is one sentence that says why a run was stopped, or empty.
	Reason string
	// Skip is why a run was skipped.
	Skip Skip
	// Unverified is true of rows that were made by code which the pull request
	// controls, without anybody else's eye on it: they may be invented.
	Unverified bool
	// Contested are the other open pull requests that have the commit as their head,
	// into other branches, where the verdict compares with the base. A check is of a
	// commit, and would be theirs too.
	Contested []int
	// OnNoVerdict is how the check ends where it cannot be told whether the change
	// is good: [Neutral], also if empty, [Failure] or [ActionRequired].
	OnNoVerdict Conclusion

	Links Links
	// Notices are sentences about the circumstances, such as [ForkNotice].
	Notices []string
	// Previous is what the comment said of the last run, nil if there is none.
	Previous *Marker
	// Commands are those that people may give here; without any, none is
	// proposed.
	Commands []command.Name
	// Places are where annotations go.
	Places Places
}

// PartialSuffix ends the name of a suite whose run was asked for otherwise than the
// settings say: it has a check and a comment of its own, and says nothing on theirs.
const PartialSuffix = " (partial)"

// ForkNotice is for the pull request of a fork whose token may only read.
const ForkNotice = "This pull request comes from a fork, so the token may only read: there is no comment and no check run; what there is to say is in the log and in the job's summary."

// Links are addresses of pages, each empty if there is no such page. What is
// no http or https address is not linked.
type Links struct {
	// Report is the page of every attempt, Job the workflow's run or the App's page.
	Report, Job string
	// Scenarios is where a scenario's sessions are shown, but for its id at the end.
	Scenarios string
	Check     string
	Commit    string
}

// Plan is what is run and what it is thought to take.
type Plan struct {
	Profile bench.GateProfile
	// Benchmark is the name of one that brings its own tasks, which nobody knows before
	// it runs; empty for one of scenarios.
	Benchmark string
	// Set names the scenario set; Scenarios are ids where there is none.
	Set         string
	Scenarios   []string
	Modes       []bench.Mode
	Repetitions bench.Repetitions
	Model       string
	// Cells are how many there are at most, void ones not counted.
	Cells int
	// Simulated is true where no model is involved, so that nothing is spent.
	Simulated bool
	// CostUSD and Duration are estimates, 0 if there is none; MaxUSD is the
	// most that may be spent, 0 if nothing limits it.
	CostUSD, MaxUSD float64
	Duration        time.Duration
	// Foreseen says how many sessions it takes, and what they could show; nil
	// where that is not known. Its price and minutes are not looked at.
	Foreseen *evidence.Plan
}

// Waiting is where a run waits for others.
type Waiting struct {
	// Ahead is how many runs are thought to begin before it.
	Ahead int
	// Begins is when it is thought to begin, zero if that is not known.
	Begins time.Time
}

// Progress is what was done until now.
type Progress struct {
	// Done of Cells have a row; Cells is 0 while it is not known.
	Done, Cells int
	// Noun is what is counted, in the singular; empty is a cell.
	Noun    string
	Elapsed time.Duration
	CostUSD float64
}

// When says when the comment of a run is written.
type When string

// The times to write a comment.
const (
	// Always writes it with every run.
	Always When = "always"
	// OnChange writes it when the run came to something else than the comment that
	// is there says (see [Marker.SameOutcome]), and when there is none.
	OnChange When = "on-change"
	// OnFailure writes it for failures, and keeps one that is there up to
	// date.
	OnFailure When = "on-failure"
	// Never writes none.
	Never When = "never"
)

// Skip is why a run never began.
type Skip string

// The reasons to skip.
const (
	// SkipMarker: the pull request says [skip bench].
	SkipMarker Skip = "marker"
	// SkipDraft: the pull request is a draft.
	SkipDraft Skip = "draft"
	// SkipPaths: no changed file is of concern.
	SkipPaths Skip = "paths"
	// SkipLabel: the labels of the pull request keep it from being measured.
	SkipLabel Skip = "label"
	// SkipTrigger: the settings do not have a merge queue's groups measured.
	SkipTrigger Skip = "trigger"
	// SkipForks: pull requests from forks are not measured here.
	SkipForks Skip = "forks"
	// SkipPermission: who had it measured may not write.
	SkipPermission Skip = "permission"
	// SkipApproval: the commit of a fork waits for approval.
	SkipApproval Skip = "approval"
	// SkipSecrets: Dependabot started the run, which therefore has no secrets.
	SkipSecrets Skip = "secrets"
)

// Place is a line in a file of the repository.
type Place struct {
	Path string
	// Line counts from 1; 0 is the file as a whole.
	Line int
}

// Places tell where the things are that annotations explain. What is not in
// them gets no annotation.
type Places struct {
	Scenarios map[string]Place
	// Thresholds are the lines of the expectations.
	Thresholds map[bench.CheckName]Place
	// Problem is where the error is that ended a broken run.
	Problem *Place
}
