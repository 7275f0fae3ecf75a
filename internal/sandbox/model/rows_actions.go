package model

import (
	"maps"
	"slices"
	"time"
)

// Status is the state of a run, job, check suite or check run.
type Status string

// The states.
const (
	Queued     Status = "queued"
	InProgress Status = "in_progress"
	Completed  Status = "completed"
)

// Conclusion is how a completed run, job or check ended; empty before that.
type Conclusion string

// The conclusions.
const (
	Success        Conclusion = "success"
	Failure        Conclusion = "failure"
	Neutral        Conclusion = "neutral"
	Cancelled      Conclusion = "cancelled"
	Skipped        Conclusion = "skipped"
	TimedOut       Conclusion = "timed_out"
	ActionRequired Conclusion = "action_required"
	Stale          Conclusion = "stale"
)

// Workflow is an Actions workflow of a repository.
type Workflow struct {
	ID        ID
	RepoID    ID
	Path      string
	Name      string
	Disabled  bool
	CreatedAt time.Time
	UpdatedAt time.Time
}

func (w *Workflow) clone() *Workflow { return copyOf(w) }

// Run is a workflow run with all its attempts.
type Run struct {
	ID           ID
	RepoID       ID
	WorkflowID   ID
	SuiteID      ID
	Number       int
	Event        string
	DisplayTitle string
	HeadBranch   string
	HeadSHA      string
	ActorID      ID
	// PullID is the issue id of the pull request that the run is for, 0 for
	// none.
	PullID    ID
	Inputs    map[string]string
	CreatedAt time.Time
	UpdatedAt time.Time
	// Attempts are in order; the last one is the current one.
	Attempts []Attempt
}

// Current returns the current attempt.
func (r *Run) Current() *Attempt { return &r.Attempts[len(r.Attempts)-1] }

func (r *Run) clone() *Run {
	c := *r
	c.Inputs = maps.Clone(r.Inputs)
	c.Attempts = slices.Clone(r.Attempts)
	for i := range c.Attempts {
		c.Attempts[i].Jobs = slices.Clone(c.Attempts[i].Jobs)
	}
	return &c
}

// RerunKind is what was asked to run again.
type RerunKind string

// The kinds.
const (
	RerunAll    RerunKind = "all"
	RerunFailed RerunKind = "failed"
	RerunOneJob RerunKind = "job"
)

// Attempt is one try at a run.
type Attempt struct {
	ActorID ID
	// Rerun is empty for the first attempt.
	Rerun      RerunKind `json:",omitempty"`
	Status     Status
	Conclusion Conclusion
	StartedAt  time.Time
	UpdatedAt  time.Time
	Jobs       []ID
}

// Job is one job of one attempt. Its id is that of its check run, as on
// GitHub.
type Job struct {
	ID      ID
	RepoID  ID
	RunID   ID
	Attempt int
	// Key is the job's key in the workflow file.
	Key         string
	Name        string
	Status      Status
	Conclusion  Conclusion
	StartedAt   time.Time
	CompletedAt *time.Time
	// DeploymentID is that which the job makes, 0 for none, EnvironmentURL the
	// address of what it deploys.
	DeploymentID   ID
	EnvironmentURL string
	// Steps are shared by copies of the job: who changes them takes a list of
	// its own first.
	Steps []Step
}

func (j *Job) clone() *Job {
	c := *j
	c.CompletedAt = copyOf(j.CompletedAt)
	return &c
}

// Step is one step of a job.
type Step struct {
	Number     int
	Name       string
	Status     Status
	Conclusion Conclusion
	StartedAt  time.Time
	EndedAt    time.Time
	// Log is what the step printed, in lines that begin with a time.
	Log string
}

// CheckSuite gathers the check runs of one App on one commit; for Actions, of
// one workflow run.
type CheckSuite struct {
	ID         ID
	RepoID     ID
	AppID      ID
	HeadBranch string
	HeadSHA    string
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

func (c *CheckSuite) clone() *CheckSuite { return copyOf(c) }

// CheckRun is one check on one commit.
type CheckRun struct {
	ID          ID
	RepoID      ID
	SuiteID     ID
	AppID       ID
	Name        string
	HeadSHA     string
	Status      Status
	Conclusion  Conclusion
	ExternalID  string
	DetailsURL  string
	StartedAt   time.Time
	CompletedAt *time.Time
	Output      CheckOutput
	Annotations []Annotation
	Actions     []CheckAction
}

func (c *CheckRun) clone() *CheckRun {
	d := *c
	d.CompletedAt = copyOf(c.CompletedAt)
	d.Annotations = slices.Clone(c.Annotations)
	d.Actions = slices.Clone(c.Actions)
	return &d
}

// CheckOutput is what a check run shows.
type CheckOutput struct{ Title, Summary, Text string }

// Annotation points at a line of a file.
type Annotation struct {
	Path               string
	StartLine, EndLine int
	// StartColumn and EndColumn are 0 where no columns are pointed at.
	StartColumn, EndColumn int `json:",omitempty"`
	Level                  string
	Message                string
	Title                  string
	// Details are more than is shown at first.
	Details string `json:",omitempty"`
}
