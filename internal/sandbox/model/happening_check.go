package model

import "slices"

// checkHappened tells of a check run as it is now.
func (s *State) checkHappened(actor ID, run *CheckRun, action string) {
	s.emit(Happening{Event: "check_run", Action: action, RepoID: run.RepoID, ActorID: actor, CheckRun: run.clone()})
}

// checkEnded tells of a check run that has completed, and of its suite if that
// has too.
func (s *State) checkEnded(actor ID, run *CheckRun) {
	s.checkHappened(actor, run, "completed")
	s.suiteEnded(actor, s.CheckSuites.Get(run.SuiteID))
}

func (s *State) suiteEnded(actor ID, suite *CheckSuite) {
	running := s.CheckRuns.firstOf(checkBySuite, key{of: suite.ID}, func(c *CheckRun) bool { return c.Status != Completed })
	if running == nil {
		s.emit(Happening{Event: "check_suite", Action: "completed", RepoID: suite.RepoID, ActorID: actor, Suite: suite})
	}
}

// Rerequest asks the App of a check run to run it again. Its suite is queued
// again; the App changes the check run itself.
func (s *State) Rerequest(actor ID, run *CheckRun) error {
	if s.Jobs.Get(run.ID) != nil {
		return forbidden("This check run is not rerequestable")
	}
	s.CheckSuites.Get(run.SuiteID).UpdatedAt = s.Advance()
	s.emit(Happening{Event: "check_run", Action: "rerequested", RepoID: run.RepoID, ActorID: actor, AppID: run.AppID, CheckRun: run.clone()})
	return nil
}

// RerequestSuite asks the App of a check suite to run all its checks again.
func (s *State) RerequestSuite(actor ID, suite *CheckSuite) error {
	if suite.AppID == actionsAppID {
		return forbidden("This check suite is not rerequestable")
	}
	suite.UpdatedAt = s.Advance()
	s.emit(Happening{Event: "check_suite", Action: "rerequested", RepoID: suite.RepoID, ActorID: actor, AppID: suite.AppID, Suite: suite})
	return nil
}

// PressButton does what GitHub's page does when a user presses a button of a
// check run: it tells the App of it. GitHub's API has nothing for it.
func (s *State) PressButton(actor ID, run *CheckRun, identifier string) error {
	if err := s.require(actor, s.Repos.Get(run.RepoID), PermWrite); err != nil {
		return err
	}
	if !slices.ContainsFunc(run.Actions, func(a CheckAction) bool { return a.Identifier == identifier }) {
		return unprocessable("The check run has no action %q", identifier)
	}
	s.Advance()
	s.emit(Happening{
		Event: "check_run", Action: "requested_action", RepoID: run.RepoID, ActorID: actor, AppID: run.AppID, CheckRun: run.clone(), Identifier: identifier,
	})
	return nil
}

// attemptHappened tells of a run's new attempt: all that came about at once, in
// the order in which it comes about on GitHub. Jobs are those of the attempt
// that ran.
func (s *State) attemptHappened(run *Run, jobs []ID) {
	if !s.listensAnyone() {
		return
	}
	actor := run.Current().ActorID
	s.runAs(actor, run, "requested", Queued)
	for n, id := range jobs {
		job := s.Jobs.Get(id)
		s.jobHappened(actor, job, "queued")
		if job.Status != Queued && job.Conclusion != Skipped {
			s.jobHappened(actor, job, "in_progress")
		}
		if n == 0 && run.Current().Status != Queued {
			s.runAs(actor, run, "in_progress", InProgress)
		}
		if job.Status == Completed {
			s.jobHappened(actor, job, "completed")
		}
	}
	s.runHappened(actor, run)
}

// runHappened tells of a run that has completed; of others nothing.
func (s *State) runHappened(actor ID, run *Run) {
	if run.Current().Status == Completed {
		s.suiteEnded(actor, s.CheckSuites.Get(run.SuiteID))
		s.emit(Happening{Event: "workflow_run", Action: "completed", RepoID: run.RepoID, ActorID: actor, Run: run.clone()})
	}
}

// runAs tells of a run as it was in an earlier state.
func (s *State) runAs(actor ID, run *Run, action string, status Status) {
	was := run.clone()
	was.Current().Status, was.Current().Conclusion = status, ""
	s.emit(Happening{Event: "workflow_run", Action: action, RepoID: run.RepoID, ActorID: actor, Run: was})
}

// jobHappened tells of a job that is queued, in progress or completed, and of
// its check run.
func (s *State) jobHappened(actor ID, job *Job, action string) {
	if !s.listensAnyone() {
		return
	}
	was, check := job.clone(), s.CheckRuns.Get(job.ID).clone()
	if action != string(Completed) {
		was.Status, was.Conclusion, was.CompletedAt, was.Steps = Status(action), "", nil, nil
		check.Status, check.Conclusion, check.CompletedAt = Status(action), "", nil
	}
	s.emit(Happening{Event: "workflow_job", Action: action, RepoID: job.RepoID, ActorID: actor, Job: was})
	switch Status(action) {
	case Queued:
		s.checkHappened(actor, check, "created")
	case Completed:
		s.checkHappened(actor, check, "completed")
	case InProgress:
	}
}

// ActionsRun returns the run of Actions whose check suite it is, nil for that
// of another App.
func (s *State) ActionsRun(suite *CheckSuite) *Run {
	return s.Runs.only(runBySuite, key{of: suite.ID})
}
