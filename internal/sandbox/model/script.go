package model

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Script says how a job of Actions ends, because the sandbox runs no job. A
// job without a script succeeds at once.
type Script struct {
	// Workflow is the file's name, for example "ci.yml".
	Workflow string
	// Job is the job's key; empty means every job of the workflow.
	Job string
	// Branch is a pattern of [path.Match] for the run's branch, for example
	// "broken/*"; empty means every branch.
	Branch string
	// Title is a pattern of the same kind for the run's title.
	Title string
	// Outcomes are the conclusions by attempt; further attempts end as the
	// last one.
	Outcomes []Conclusion
	// FailingStep is the name of the step that a failure happens in; empty
	// means the last one.
	FailingStep string
	// Log is what the failing or last step prints.
	Log string
	// Steps say more about single steps; the first one that fits counts.
	Steps []ScriptStep
	// Hanging jobs stay in progress until somebody cancels them.
	Hanging bool
	// Waiting jobs stay queued, as if there were no machine for them.
	Waiting bool
	// Uploads are the artifacts that the job leaves, however it ends.
	Uploads []Upload
}

// ScriptStep says what a step of a job prints, and how long it takes.
type ScriptStep struct {
	Name string
	// When is how the job ends if it is to count; empty means however it ends.
	When Conclusion
	Log  string
	// Seconds are how long the step takes; 0 means [stepTime].
	Seconds int
}

func cloneScripts(scripts []Script) []Script {
	c := slices.Clone(scripts)
	for i := range c {
		c[i].Outcomes = slices.Clone(c[i].Outcomes)
		c[i].Uploads = slices.Clone(c[i].Uploads)
		c[i].Steps = slices.Clone(c[i].Steps)
	}
	return c
}

func (s *State) script(run *Run, job string) Script {
	file := path.Base(s.Workflows.Get(run.WorkflowID).Path)
	for _, script := range s.Scripts {
		if script.Workflow == file && (script.Job == "" || script.Job == job) && fits(script.Branch, run.HeadBranch) && fits(script.Title, run.DisplayTitle) {
			return script
		}
	}
	return Script{}
}

// fits reports whether a name has the form of a pattern, which every name has if
// it is empty.
func fits(pattern, name string) bool {
	// A pattern that is none matches nothing.
	matches, err := path.Match(pattern, name)
	return pattern == "" || err == nil && matches
}

// step returns what a script says about a step of a job that ends so.
func (sc Script) step(name string, end Conclusion) ScriptStep {
	at := slices.IndexFunc(sc.Steps, func(step ScriptStep) bool {
		return step.Name == name && (step.When == "" || step.When == end)
	})
	if at < 0 {
		return ScriptStep{}
	}
	return sc.Steps[at]
}

// takes is how long the step takes.
func (step ScriptStep) takes() time.Duration {
	if step.Seconds > 0 {
		return time.Duration(step.Seconds) * time.Second
	}
	return stepTime
}

func (sc Script) outcome(attempt int) Conclusion {
	if len(sc.Outcomes) == 0 {
		return Success
	}
	return sc.Outcomes[min(attempt, len(sc.Outcomes))-1]
}

// stepTime is how long each step of a job is said to have taken.
const stepTime = time.Second

// playJob adds a job to a run's current attempt and ends it as its script
// says. A job that needs one that did not pass is skipped; one that needs one
// that has not ended waits.
func (s *State) playJob(run *Run, def jobDefinition) *Job {
	job := &Job{
		ID: s.newID(), RepoID: run.RepoID, RunID: run.ID, Attempt: len(run.Attempts), Key: def.Key, Name: def.Name,
		StartedAt: s.Now,
	}
	switch blocker := s.blocker(run, def); {
	case blocker == nil && !s.mayEnter(run, def):
		job.Status, job.Conclusion = Completed, Failure
	case blocker == nil:
		s.play(job, def, s.script(run, def.Key))
	case blocker.Status != Completed:
		job.Status = Queued
	default:
		job.Status, job.Conclusion = Completed, Skipped
	}
	if job.Status == Completed {
		end := s.Now
		if n := len(job.Steps); n > 0 {
			end = job.Steps[n-1].EndedAt
		}
		job.CompletedAt = &end
	}
	s.Jobs.Add(job.ID, job)
	if job.Status == Completed && job.Conclusion != Skipped {
		s.upload(job, s.script(run, def.Key).Uploads)
	}
	s.CheckRuns.Add(job.ID, s.checkRunOf(run, job))
	s.deploy(run, job, def)
	return job
}

// mayEnter reports whether a job may be in its environment.
func (s *State) mayEnter(run *Run, def jobDefinition) bool {
	name, _ := def.environment(run)
	return name == "" || s.mayDeploy(s.Repos.Get(run.RepoID), run, name)
}

// blocker returns the job that keeps another from running: one that it needs
// and that did not succeed, or else has not ended; nil if there is none.
func (s *State) blocker(run *Run, def jobDefinition) *Job {
	var waitsFor *Job
	for _, id := range run.Current().Jobs {
		job := s.Jobs.Get(id)
		switch needed := slices.Contains(def.needs(), job.Key); {
		case needed && job.Status != Completed:
			waitsFor = job
		case needed && job.Conclusion != Success:
			return job
		}
	}
	return waitsFor
}

// play runs a job as its script says: it gives the job its end and its steps
// with their logs.
func (s *State) play(job *Job, def jobDefinition, script Script) {
	job.Status, job.Conclusion = Completed, script.outcome(job.Attempt)
	switch {
	case script.Waiting:
		job.Status, job.Conclusion = Queued, ""
		return
	case script.Hanging:
		job.Status, job.Conclusion = InProgress, ""
	}
	titles, acts := script.steps(def)
	at := s.Now
	for n, title := range titles {
		said := script.step(title, job.Conclusion)
		step := Step{Number: n + 1, Name: title, StartedAt: at, EndedAt: at.Add(said.takes())}
		step.Status, step.Conclusion = job.stepEnd(n-acts, n == len(titles)-1)
		if n == acts && said.Log == "" {
			said.Log = script.Log
		}
		step.Log = step.printing(said)
		job.Steps = append(job.Steps, step)
		at = step.EndedAt
	}
}

// steps returns the titles of a job's steps, and the index of the one that the
// script is about.
func (sc Script) steps(def jobDefinition) (titles []string, acts int) {
	titles = []string{"Set up job"}
	for _, step := range def.Steps {
		titles = append(titles, step.title())
	}
	acts = len(titles) - 1
	if at := slices.Index(titles, sc.FailingStep); at > 0 {
		acts = at
	}
	return append(titles, "Complete job"), acts
}

// stepEnd returns how a step ends that comes so many steps after the one that
// decides about its job. Steps after a failing one are skipped, but for the
// last one.
func (j *Job) stepEnd(after int, last bool) (Status, Conclusion) {
	switch {
	case j.Status == InProgress && after == 0:
		return InProgress, ""
	case j.Status == InProgress && after > 0:
		return Queued, ""
	case j.failed() && after == 0:
		return Completed, Failure
	case j.failed() && after > 0 && !last:
		return Completed, Skipped
	default:
		return Completed, Success
	}
}

// failed reports whether a job ended badly.
func (j *Job) failed() bool { return j.Status == Completed && !j.Conclusion.passing() }

// exitMessage is what Actions says of a command that failed.
const exitMessage = "Process completed with exit code 1."

// stampForm is how Actions writes the time that begins each line of a log.
const stampForm = "2006-01-02T15:04:05.0000000Z"

// printing returns a step's log lines as Actions writes them: each begins with
// a time. Those of a step that is said how long it takes are spread over it.
func (step Step) printing(said ScriptStep) string {
	if step.Status == Queued || step.Conclusion == Skipped {
		return ""
	}
	var log strings.Builder
	stamp := step.StartedAt.Format(stampForm)
	fmt.Fprintf(&log, "%s ##[group]%s\n%s ##[endgroup]\n", stamp, step.Name, stamp)
	lines := strings.Count(said.Log, "\n") + 1
	log.Grow(len(said.Log) + lines*(len(stamp)+1))
	at := step.StartedAt
	for line := range strings.Lines(said.Log) {
		if said.Seconds > 0 {
			at = at.Add(said.takes() / time.Duration(lines))
			stamp = at.Format(stampForm)
		}
		log.WriteString(stamp)
		log.WriteByte(' ')
		log.WriteString(strings.TrimSuffix(line, "\n"))
		log.WriteByte('\n')
	}
	if step.Conclusion == Failure {
		fmt.Fprintf(&log, "%s ##[error]%s\n", stamp, exitMessage)
	}
	return log.String()
}

func (s *State) checkRunOf(run *Run, job *Job) *CheckRun {
	c := &CheckRun{
		ID: job.ID, RepoID: run.RepoID, SuiteID: run.SuiteID, AppID: actionsAppID, Name: job.Name, HeadSHA: run.HeadSHA,
		Status: job.Status, Conclusion: job.Conclusion, StartedAt: job.StartedAt, CompletedAt: copyOf(job.CompletedAt),
		ExternalID: strconv.FormatInt(job.ID, 10),
		DetailsURL: fmt.Sprintf("https://github.com/%s/actions/runs/%d/job/%d", s.FullName(s.Repos.Get(run.RepoID)), run.ID, job.ID),
	}
	if job.failed() {
		c.Annotations = []Annotation{{
			Path: ".github", StartLine: len(job.Steps), EndLine: len(job.Steps), Level: "failure", Message: exitMessage,
		}}
	}
	return c
}
