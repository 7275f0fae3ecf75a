package model

import (
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
)

// RerunJob runs one job of a completed run again, with those that need it.
func (s *State) RerunJob(actor ID, job *Job) error {
	run := s.Runs.Get(job.RunID)
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
	jobs, kept := s.jobsAfter(run, def.jobs, map[string]bool{job.Key: true})
	s.Advance()
	s.startAttempt(run, Attempt{ActorID: actor, Rerun: RerunOneJob, Jobs: kept}, jobs)
	return nil
}

// DeleteRun removes a completed run with its jobs, checks and artifacts.
func (s *State) DeleteRun(actor ID, run *Run) error {
	if err := s.require(actor, s.Repos.Get(run.RepoID), PermWrite); err != nil {
		return err
	}
	if run.Current().Status != Completed {
		return forbidden("Could not delete the workflow run")
	}
	s.Advance()
	s.because(CauseDeletion, func() {
		for _, a := range s.ArtifactsOf(s.Repos.Get(run.RepoID), run.ID) {
			s.Artifacts.Delete(a.ID)
		}
	})
	for _, job := range s.Jobs.with(jobByRun, key{of: run.ID}) {
		s.Jobs.Delete(job.ID)
		s.CheckRuns.Delete(job.ID)
	}
	s.CheckSuites.Delete(run.SuiteID)
	s.Runs.Delete(run.ID)
	return nil
}

// EnableWorkflow lets a workflow start runs, or no more.
func (s *State) EnableWorkflow(actor ID, w *Workflow, enabled bool) error {
	if err := s.require(actor, s.Repos.Get(w.RepoID), PermWrite); err != nil {
		return err
	}
	if w.Disabled == !enabled {
		verb := "disable"
		if enabled {
			verb = "enable"
		}
		return forbidden("Unable to " + verb + " this workflow.")
	}
	w.Disabled, w.UpdatedAt = !enabled, s.Advance()
	return nil
}

// jobsAfter returns the jobs of the given keys with those that need them, and
// the ids of a run's other jobs.
func (s *State) jobsAfter(run *Run, all []jobDefinition, keys map[string]bool) (again []jobDefinition, kept []ID) {
	for _, def := range inOrder(all) {
		if slices.ContainsFunc(def.needs(), func(key string) bool { return keys[key] }) {
			keys[def.Key] = true
		}
	}
	for _, def := range all {
		if keys[def.Key] {
			again = append(again, def)
		}
	}
	for _, id := range run.Current().Jobs {
		if !keys[s.Jobs.Get(id).Key] {
			kept = append(kept, id)
		}
	}
	return again, kept
}
