// Package runs keeps what the App was asked to measure and what came of it.
package runs

import (
	"time"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// State is how far a run is.
type State string

// The states. All but the first two are final.
const (
	Queued  State = "queued"
	Running State = "running"
	// Finished runs have a summary, whatever its verdict.
	Finished State = "finished"
	// Stopped runs were ended by somebody, by a newer push or by a limit.
	Stopped State = "stopped"
	// Broken runs ended with an error.
	Broken State = "broken"
	// Skipped runs never began.
	Skipped State = "skipped"
)

// Alive reports whether the run has not ended.
func (s State) Alive() bool { return s == Queued || s == Running }

// Run is one run of a suite on a commit.
type Run struct {
	ID string
	// Cause is unique: what is caused again makes no second run.
	Cause string
	// Installation is the App's in the repository.
	Installation int64
	// Repo is "owner/name", Pull the pull request's number, 0 for a group of
	// a merge queue.
	Repo string
	Pull int
	// Head is the commit that is measured.
	Head string
	// Suite is the name of the check; runs of another name are independent.
	Suite   string
	State   State
	Request Request
	// CheckID is 0 and CheckURL empty until there is a check run.
	CheckID  int64
	CheckURL string
	// Started and Ended are zero until then.
	Created, Started, Ended time.Time
	Done, Cells             int
	CostUSD                 float64
	// Verdict is empty until there is one.
	Verdict   bench.Verdict
	Simulated bool
	// HasPlace says that it was given one of the places of runs that go on.
	HasPlace bool
	// WorkflowRun is the one that a dispatched run is done in, 0 if there is
	// none and negative if it was asked for and is not known yet.
	WorkflowRun int64
	// WorkflowAsks is how often it was asked for, WorkflowAsked when that was
	// last, zero for never.
	WorkflowAsks  int
	WorkflowAsked time.Time
	// Published is true once GitHub shows how the run ended.
	Published bool
}

// Owner and Name are the parts of the repository's name.
func (r Run) Owner() string { return r.Request.Owner }

// Name is the repository's name without its owner.
func (r Run) Name() string { return r.Request.Name }

// Plan is what the run measures, with the two that it compares.
func (r Run) Plan() settings.Plan { return r.Request.Plan.Between(r.Request.BaseSHA, r.Head) }

// Subject is what only one run at a time is about.
func (r Run) Subject() string { return Subject(r.Repo, r.Pull, r.Head, r.Suite) }

// Request is what was asked for. It does not change.
type Request struct {
	Owner string `json:"owner"`
	Name  string `json:"name"`
	// BaseSHA and BaseRef are what the head is a change to.
	BaseSHA string `json:"base_sha,omitempty"`
	BaseRef string `json:"base_ref,omitempty"`
	// HeadRepo is the full name of where the head comes from.
	HeadRepo string `json:"head_repo,omitempty"`
	Fork     bool   `json:"fork,omitempty"`
	// DefaultBranch is true of a run of that branch, as it is: a point of the
	// history, which judges no change.
	DefaultBranch bool `json:"default_branch,omitempty"`
	// Asked says what started the run, for people.
	Asked string        `json:"asked"`
	Plan  settings.Plan `json:"plan"`
	// Comment says when the comment is written.
	Comment comment.When `json:"comment"`
	// OnNoVerdict is the conclusion where it cannot be told whether the change is
	// good; empty in runs of older versions, whose is neutral.
	OnNoVerdict comment.Conclusion `json:"on_no_verdict,omitempty"`
	// Seed is what the fixtures and the order of sessions are drawn by on the App's
	// machines, so that several of them can work on the run; 0 in runs of older versions,
	// whose machine draws one.
	Seed uint64 `json:"seed,omitempty"`
	// Continues is the run whose rows are taken over, empty for none.
	Continues string `json:"continues,omitempty"`
}

// Outcome is how a run ended.
type Outcome struct {
	// Summary is nil where nothing was judged.
	Summary *bench.Summary `json:"summary,omitempty"`
	// Surface is what changed for agents, found before the first session; nil where
	// nobody has looked.
	Surface *bench.SurfaceChange `json:"surface,omitempty"`
	// Problem is what may be shown of the error of a broken run.
	Problem     string     `json:"problem,omitempty"`
	ProblemKind fault.Kind `json:"problem_kind,omitempty"`
	// ProblemPath and ProblemLine are where the problem is in the repository,
	// empty and 0 if it is in no file.
	ProblemPath string `json:"problem_path,omitempty"`
	ProblemLine int    `json:"problem_line,omitempty"`
	// Reason is one sentence that says why a run was stopped.
	Reason string       `json:"reason,omitempty"`
	Skip   comment.Skip `json:"skip,omitempty"`
	// Log is the last part of what the run printed, without secrets.
	Log string `json:"log,omitempty"`
}
