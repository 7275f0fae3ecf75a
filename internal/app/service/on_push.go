package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/github"
)

// baselineSuffix ends the name of the check of a run of the default branch. A commit
// may have been a pull request's head, whose check says something else.
const baselineSuffix = " (baseline)"

// routePush takes what is pushed to the default branch.
func routePush(e ghevent.Event, _ int64) routing {
	if e.Pushed.Ref != "refs/heads/"+e.Repo.DefaultBranch || e.Pushed.HeadSHA == "" {
		return ignore("branch")
	}
	return routing{kind: kindPushed}
}

// pushed notes how often the settings want the default branch measured, and measures
// what was pushed to it, if they want that too.
func (s *Service) pushed(ctx context.Context, cause string, e ghevent.Event, _ routing) error {
	client, err := s.client(ctx, e)
	if err != nil {
		return err
	}
	known, err := s.settings(ctx, client, e, e.Repo.DefaultBranch)
	if errors.Is(err, errNoSettings) {
		return s.opts.Runs.EndSchedule(ctx, e.Repo.FullName())
	}
	if err != nil {
		return err
	}
	if len(known.problems) > 0 {
		s.leave(ctx, e, brokenSettings)
		return nil
	}
	if err := s.schedule(ctx, e, known.settings.Baseline.Every); err != nil {
		return err
	}
	head := ghevent.Head{CommitMessage: e.Pushed.Message, ChangedFiles: e.Pushed.Files}
	rules := ghevent.Rules{SkipMarker: known.settings.Triggers.SkipMarker, Paths: known.settings.Paths}
	switch skipped := rules.Skip(head); {
	case !known.settings.Baseline.Push:
		s.leave(ctx, e, "baseline")
		return nil
	case skipped != "":
		s.leave(ctx, e, string(skipped))
		return nil
	}
	req := s.baseline(cause, e, known.settings, ghevent.Pull{HeadSHA: e.Pushed.HeadSHA, BaseSHA: e.Pushed.BaseSHA})
	req.asked = "push by " + e.Sender.Login
	req.once = "baseline " + e.Repo.FullName() + " " + e.Pushed.HeadSHA + " " + req.check
	if err := s.passOver(ctx, e, e.Pushed.HeadSHA); err != nil {
		return err
	}
	return s.startUsual(ctx, client, req)
}

// baseline asks for a run of the default branch.
func (s *Service) baseline(cause string, e ghevent.Event, set settings.Settings, at ghevent.Pull) runRequest {
	at.BaseRef, at.HeadRepo = e.Repo.DefaultBranch, e.Repo.FullName()
	return runRequest{cause: cause, event: e, settings: set, pull: at, check: set.CheckName + baselineSuffix, defaultBranch: true}
}

// schedule stores how often the default branch is measured.
func (s *Service) schedule(ctx context.Context, e ghevent.Event, every settings.Every) error {
	if every == "" {
		return s.opts.Runs.EndSchedule(ctx, e.Repo.FullName())
	}
	return s.opts.Runs.SetSchedule(ctx, runs.Schedule{
		Installation: e.InstallationID, Owner: e.Repo.Owner, Name: e.Repo.Name, Branch: e.Repo.DefaultBranch,
		Period: every.Period(), Due: s.opts.Now().Add(every.Period()),
	})
}

// passOver ends the runs of older commits of the default branch that have not begun:
// where many are pushed, the newest is measured.
func (s *Service) passOver(ctx context.Context, e ghevent.Event, head string) error {
	alive, err := s.opts.Runs.AliveOf(ctx, e.InstallationID, []string{e.Repo.FullName()})
	if err != nil {
		return err
	}
	for _, r := range alive {
		if r.Request.DefaultBranch && r.State == runs.Queued && r.Head != head {
			if err := s.end(ctx, r.ID, runs.Stopped, runs.Outcome{Reason: comment.Superseded}); err != nil {
				return err
			}
		}
	}
	return nil
}

// MeasureDue measures default branches whose time has come. It is called every now
// and then.
func (s *Service) MeasureDue(ctx context.Context) error {
	due, err := s.opts.Runs.Due(ctx, s.opts.Now())
	if err != nil {
		return err
	}
	var problem error
	for _, one := range due {
		err := s.measureDue(ctx, one)
		if notThere(err) || fault.KindOf(err) == fault.Invalid {
			s.opts.Log.WarnContext(ctx, "a default branch is not measured", slog.String("repository", one.Repo()), slog.String("problem", s.opts.Redact(err.Error())))
			err = nil
		}
		if err == nil {
			err = s.opts.Runs.PutOff(ctx, one, s.opts.Now())
		}
		problem = errors.Join(problem, err)
	}
	return problem
}

func (s *Service) measureDue(ctx context.Context, due runs.Schedule) error {
	e := ghevent.Event{Name: "schedule", InstallationID: due.Installation, Repo: ghevent.Repo{Owner: due.Owner, Name: due.Name, DefaultBranch: due.Branch}}
	client, err := s.client(ctx, e)
	if err != nil {
		return err
	}
	known, err := s.settings(ctx, client, e, due.Branch)
	if errors.Is(err, errNoSettings) || err == nil && known.settings.Baseline.Every == "" {
		return nil // the push that took it away is on its way
	}
	if err != nil {
		return err
	}
	branch, _, err := client.REST.Repositories.GetBranch(ctx, due.Owner, due.Name, due.Branch, 0)
	if err != nil {
		return github.Explain("read the default branch", err)
	}
	at := ghevent.Pull{HeadSHA: branch.GetCommit().GetSHA()}
	if parents := branch.GetCommit().Parents; len(parents) > 0 {
		at.BaseSHA = parents[0].GetSHA()
	}
	req := s.baseline(fmt.Sprintf("schedule %s %d", due.Repo(), due.Due.UnixMilli()), e, known.settings, at)
	req.asked = "once a " + string(known.settings.Baseline.Every)
	return s.startUsual(ctx, client, req)
}
