package model

import (
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// trigger is what starts workflow runs.
type trigger struct {
	repo   *Repo
	actor  ID
	event  string
	action string
	branch string
	sha    string
	// pull is nil but for events of pull requests.
	pull *Issue
}

// pullEvent tells of an event of a pull request and starts the workflows that
// it starts.
func (s *State) pullEvent(actor ID, i *Issue, action string) { s.pullMoved(actor, i, action, "") }

// pullMoved is [State.pullEvent] for one that has a new head in place of
// another.
func (s *State) pullMoved(actor ID, i *Issue, action, before string) {
	h := Happening{Before: before}
	if before != "" {
		h.After = i.Pull.HeadSHA
	}
	s.issueHappened(actor, i, action, h)
	s.startRuns(trigger{
		repo: s.Repos.Get(i.RepoID), actor: actor, event: "pull_request", action: action,
		branch: i.Pull.HeadRef, sha: i.Pull.HeadSHA, pull: i,
	})
}

// startRuns starts the workflows that a trigger starts. A file that is no
// workflow starts nothing.
func (s *State) startRuns(t trigger) {
	if t.repo.Actions.Disabled {
		return
	}
	commit := plumbing.NewHash(t.sha)
	for _, file := range workflowFiles(t.repo, commit) {
		w := s.workflowAt(t.repo, file)
		if w == nil || w.Disabled {
			continue
		}
		if def, err := s.readDefinition(t.repo, commit, file); err == nil && def.startedBy(t) {
			s.startRun(t, w, def, nil)
		}
	}
}

func (s *State) startRun(t trigger, w *Workflow, def definition, inputs map[string]string) *Run {
	suite := &CheckSuite{
		ID: s.newID(), RepoID: t.repo.ID, AppID: actionsAppID, HeadBranch: t.branch, HeadSHA: t.sha,
		CreatedAt: s.Now, UpdatedAt: s.Now,
	}
	s.CheckSuites.Add(suite.ID, suite)
	t.repo.LastRunNumber[w.ID]++
	run := &Run{
		ID: s.newID(), RepoID: t.repo.ID, WorkflowID: w.ID, SuiteID: suite.ID, Number: t.repo.LastRunNumber[w.ID],
		Event: t.event, DisplayTitle: def.title(inputs, s.defaultTitle(t, w)), HeadBranch: t.branch, HeadSHA: t.sha,
		ActorID: t.actor, Inputs: inputs, CreatedAt: s.Now,
	}
	if t.pull != nil {
		run.PullID = t.pull.ID
	}
	s.Runs.Add(run.ID, run)
	if t.pull != nil {
		s.follows(run.ID, CausePull)
	}
	s.startAttempt(run, Attempt{ActorID: t.actor}, def.jobs)
	return run
}

func (s *State) defaultTitle(t trigger, w *Workflow) string {
	if t.pull != nil {
		return t.pull.Title
	}
	switch t.event {
	case "workflow_dispatch":
		return w.Name
	case "repository_dispatch":
		return t.action
	}
	commit, err := t.repo.Git.Commit(plumbing.NewHash(t.sha))
	if err != nil {
		return w.Name
	}
	first, _, _ := strings.Cut(commit.Message, "\n")
	return first
}

// startAttempt adds an attempt that runs the given jobs and keeps those that it
// has, which are of the attempt before.
func (s *State) startAttempt(run *Run, attempt Attempt, jobs []jobDefinition) {
	kept := len(attempt.Jobs)
	attempt.StartedAt = s.Now
	run.Attempts = append(run.Attempts, attempt)
	for _, def := range inOrder(jobs) {
		job := s.playJob(run, def)
		run.Current().Jobs = append(run.Current().Jobs, job.ID)
	}
	s.settle(run)
	s.attemptHappened(run, run.Current().Jobs[kept:])
	s.mergeReady(s.Repos.Get(run.RepoID), run.HeadSHA)
}

// inOrder returns jobs so that each comes after those that it needs, and
// otherwise in the order of the file.
func inOrder(jobs []jobDefinition) []jobDefinition {
	var sorted []jobDefinition
	waits := func(j jobDefinition, left []jobDefinition) bool {
		return slices.ContainsFunc(left, func(other jobDefinition) bool {
			return other.Key != j.Key && slices.Contains(j.needs(), other.Key)
		})
	}
	for left := slices.Clone(jobs); len(left) > 0; {
		// Jobs that need each other in a circle are taken as they come.
		at := max(0, slices.IndexFunc(left, func(j jobDefinition) bool { return !waits(j, left) }))
		sorted = append(sorted, left[at])
		left = slices.Delete(left, at, at+1)
	}
	return sorted
}

// settle sets an attempt's status and conclusion from its jobs.
func (s *State) settle(run *Run) {
	a := run.Current()
	a.Status, a.Conclusion, a.UpdatedAt, run.UpdatedAt = Completed, Skipped, s.Now, s.Now
	suite := s.CheckSuites.Get(run.SuiteID)
	suite.UpdatedAt = s.Now
	unfinished, begun := false, false
	for _, id := range a.Jobs {
		job := s.Jobs.Get(id)
		unfinished, begun = unfinished || job.Status != Completed, begun || job.Status != Queued
		a.Conclusion = worse(a.Conclusion, job.Conclusion)
	}
	switch {
	case unfinished && begun:
		a.Status, a.Conclusion = InProgress, ""
	case unfinished:
		a.Status, a.Conclusion = Queued, ""
	}
}

// worse returns the conclusion of a run that has jobs of two conclusions.
func worse(a, b Conclusion) Conclusion {
	switch {
	case a == Cancelled || b == Cancelled:
		return Cancelled
	case !a.passing() || !b.passing():
		return Failure
	case a == Skipped && b == Skipped:
		return Skipped
	default:
		return Success
	}
}

// Rerun runs a completed run again: all of its jobs, or those that failed and
// those that need them.
func (s *State) Rerun(actor ID, run *Run, failedOnly bool) error {
	repo := s.Repos.Get(run.RepoID)
	if err := s.require(actor, repo, PermWrite); err != nil {
		return err
	}
	if run.Current().Status != Completed {
		return forbidden("This workflow run is already running")
	}
	def, err := s.readDefinition(repo, plumbing.NewHash(run.HeadSHA), s.Workflows.Get(run.WorkflowID).Path)
	if err != nil {
		return forbidden("Unable to retry this workflow run because its workflow file may be broken")
	}
	jobs, kept, kind := def.jobs, []ID(nil), RerunAll
	if failedOnly {
		kind = RerunFailed
		if jobs, kept = s.failedJobs(run, jobs); len(jobs) == 0 {
			return forbidden("This workflow run has no failed jobs to retry")
		}
	}
	s.Advance()
	s.startAttempt(run, Attempt{ActorID: actor, Rerun: kind, Jobs: kept}, jobs)
	return nil
}

// failedJobs returns the jobs that failed with those that need them, and the
// ids of the others.
func (s *State) failedJobs(run *Run, all []jobDefinition) (again []jobDefinition, kept []ID) {
	failed := map[string]bool{}
	for _, id := range run.Current().Jobs {
		if job := s.Jobs.Get(id); !job.Conclusion.passing() {
			failed[job.Key] = true
		}
	}
	return s.jobsAfter(run, all, failed)
}

// Cancel cancels a run that has not completed.
func (s *State) Cancel(actor ID, run *Run) error {
	if err := s.require(actor, s.Repos.Get(run.RepoID), PermWrite); err != nil {
		return err
	}
	if run.Current().Status == Completed {
		return &Problem{Kind: Conflict, Message: "Cannot cancel a workflow run that is completed."}
	}
	s.finish(actor, run, Cancelled)
	return nil
}

// FinishRun ends a run whose jobs hang, as if they had come to this conclusion
// now. It does nothing to one that has ended.
func (s *State) FinishRun(run *Run, conclusion Conclusion) {
	if run.Current().Status != Completed {
		s.finish(run.ActorID, run, conclusion)
	}
}

func (s *State) finish(actor ID, run *Run, conclusion Conclusion) {
	s.Advance()
	for _, id := range run.Current().Jobs {
		if job := s.Jobs.Get(id); job.Status != Completed {
			s.endJob(job, conclusion)
			s.upload(job, s.script(run, job.Key).Uploads)
			s.jobHappened(actor, job, "completed")
		}
	}
	s.settle(run)
	s.runHappened(actor, run)
	s.mergeReady(s.Repos.Get(run.RepoID), run.HeadSHA)
}

func (s *State) endJob(job *Job, conclusion Conclusion) {
	job.Steps = slices.Clone(job.Steps)
	for n := range job.Steps {
		if step := &job.Steps[n]; step.Status != Completed {
			step.Status, step.Conclusion, step.EndedAt = Completed, conclusion, s.Now
		}
	}
	now := s.Now
	job.Status, job.Conclusion, job.CompletedAt = Completed, conclusion, &now
	check := s.CheckRuns.Get(job.ID)
	check.Status, check.Conclusion, check.CompletedAt = Completed, conclusion, &now
	s.jobDeployed(job)
}

// Dispatch starts a workflow by hand on a branch or tag.
func (s *State) Dispatch(actor ID, repo *Repo, w *Workflow, ref string, inputs map[string]string) (*Run, error) {
	if err := s.require(actor, repo, PermWrite); err != nil {
		return nil, err
	}
	if repo.Actions.Disabled {
		return nil, unprocessable("Actions has been disabled for this repository.")
	}
	if w.Disabled {
		return nil, unprocessable("Cannot trigger a 'workflow_dispatch' on a disabled workflow")
	}
	branch := strings.TrimPrefix(strings.TrimPrefix(ref, headsPrefix), tagsPrefix)
	commit, err := dispatchCommit(repo, ref, branch)
	if err != nil {
		return nil, err
	}
	def, err := s.readDefinition(repo, commit, w.Path)
	if err != nil {
		return nil, unprocessable("Workflow %s does not exist on %s", w.Path, branch)
	}
	if _, ok := def.trigger("workflow_dispatch"); !ok {
		return nil, unprocessable("Workflow does not have 'workflow_dispatch' trigger")
	}
	if inputs, err = def.completeInputs(inputs); err != nil {
		return nil, err
	}
	s.Advance()
	s.emit(Happening{Event: "workflow_dispatch", RepoID: repo.ID, ActorID: actor, Subject: &Dispatched{Workflow: w, Ref: ref, Inputs: inputs}})
	return s.startRun(trigger{
		repo: repo, actor: actor, event: "workflow_dispatch", branch: branch, sha: commit.String(),
	}, w, def, inputs), nil
}

// Dispatched is what a workflow was started with by hand.
type Dispatched struct {
	Workflow *Workflow
	Ref      string
	Inputs   map[string]string
}

// dispatchCommit returns the commit of a branch or tag, by its short or full
// name.
func dispatchCommit(repo *Repo, ref, short string) (gitstore.Hash, error) {
	for _, name := range []string{ref, headsPrefix + short, tagsPrefix + short} {
		if _, known := repo.Git.Ref(name); known {
			return repo.Git.Resolve(name)
		}
	}
	return gitstore.Hash{}, unprocessable("No ref found for: %s", ref)
}
