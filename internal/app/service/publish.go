package service

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/publish"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// described returns a run as comments and checks describe it.
func (s *Service) described(r runs.Run, o runs.Outcome) comment.Run {
	p := r.Plan().Shown()
	out := comment.Run{
		Suite: r.Suite, Phase: phase(r.State), ID: r.ID, Commit: r.Head, At: s.opts.Now(), Plan: &p, Summary: o.Summary, Surface: o.Surface, Reason: o.Reason, Skip: o.Skip,
		OnNoVerdict: r.Request.OnNoVerdict,
		Links:       comment.Links{Check: r.CheckURL}, Commands: command.Names(),
	}
	if s.opts.PublicURL != "" {
		out.Links.Job = s.opts.PublicURL + "/runs/" + r.ID
		out.Links.Scenarios = out.Links.Job + "/scenarios/"
		if o.Summary != nil {
			out.Links.Report = out.Links.Job + "/explore"
		}
	}
	if r.State == runs.Running {
		out.Progress = &comment.Progress{Done: r.Done, Cells: r.Cells, Elapsed: s.opts.Now().Sub(r.Started), CostUSD: r.CostUSD}
	}
	if o.Problem != "" {
		out.Problem = fault.Wrap(o.ProblemKind, errors.New(o.Problem))
	}
	if o.ProblemPath != "" {
		out.Places.Problem = &comment.Place{Path: o.ProblemPath, Line: o.ProblemLine}
	}
	return out
}

func phase(s runs.State) comment.Phase {
	return map[runs.State]comment.Phase{
		runs.Queued: comment.Queued, runs.Running: comment.Running, runs.Finished: comment.Finished,
		runs.Stopped: comment.Stopped, runs.Broken: comment.Broken, runs.Skipped: comment.Skipped,
	}[s]
}

// checkStart describes the run's check run.
func (s *Service) checkStart(r runs.Run) publish.Start {
	start := publish.Start{HeadSHA: r.Head, Name: r.Suite, ExternalID: r.ID, ID: r.CheckID, URL: r.CheckURL}
	if s.opts.PublicURL != "" {
		start.DetailsURL = s.opts.PublicURL + "/runs/" + r.ID
	}
	return start
}

// publishJob shows on GitHub how a run ended.
func (s *Service) publishJob(ctx context.Context, j queue.Job[job]) error {
	r, err := s.opts.Runs.Get(ctx, j.Payload.Run)
	if errors.Is(err, runs.ErrNone) || err == nil && (r.Published || r.State.Alive()) {
		return nil
	}
	if err != nil {
		return err
	}
	o, err := s.opts.Runs.Outcome(ctx, r.ID)
	if err != nil {
		return err
	}
	s.abandon(ctx, r)
	err = s.publishEnd(ctx, r, o, j.Attempt)
	if err == nil {
		return s.opts.Runs.MarkPublished(ctx, r.ID)
	}
	if !declined(err, j.Attempt) {
		return err
	}
	s.opts.Log.WarnContext(ctx, "it cannot be told", slog.String("run", r.ID), slog.String("problem", s.opts.Redact(err.Error())))
	if s.opts.Now().Sub(r.Ended) < publishFor {
		// An installation may be suspended, or a permission taken away, for a
		// while.
		return queue.Later(s.opts.Refused)
	}
	return s.opts.Runs.MarkPublished(ctx, r.ID)
}

// declined reports whether an error is GitHub's decision, not an outage or a
// delay.
func declined(err error, attempt int) bool {
	return notThere(err) && attempt > 1 || fault.KindOf(err) != fault.Infrastructure && attempt >= measureTries
}

// publishFor is the maximum time for which it is tried to publish what GitHub refuses.
const publishFor = 14 * 24 * time.Hour

// publishEnd shows how a run ended: on its check run, and in the comment if there is
// no newer run. That there is a check run which does not end is worse than that
// there is no comment, which is given up sooner.
func (s *Service) publishEnd(ctx context.Context, r runs.Run, o runs.Outcome, attempt int) error {
	client, publisher, err := s.publisher(ctx, r)
	if err != nil {
		return err
	}
	said := s.described(r, o)
	ofBase := r.Request.Plan.OfTasks() || slices.Contains(r.Request.Plan.Modes, bench.GHXBase)
	if r.State == runs.Finished && r.Pull > 0 && ofBase {
		repo := ghevent.Repo{Owner: r.Owner(), Name: r.Name()}
		if said.Contested, err = ghevent.Contested(ctx, client, repo, r.Pull, r.Head); err != nil && !declined(err, attempt) {
			return err
		}
	}
	if err := s.complete(ctx, publisher, &r, said); err != nil {
		return err
	}
	said.Links.Check = r.CheckURL
	latest, err := s.opts.Runs.Latest(ctx, r.Subject())
	if err != nil || latest.ID != r.ID {
		if errors.Is(err, runs.ErrNone) {
			err = nil // it was skipped
		}
		return err
	}
	_, notices := publisher.Comment(ctx, r.Pull, r.Request.Comment, said)
	if len(notices) == 0 || declined(notices[0].Err, attempt) {
		s.warn(ctx, r, notices)
		return nil
	}
	return notices[0].Err
}

// complete has the check run end.
func (s *Service) complete(ctx context.Context, publisher *publish.Publisher, r *runs.Run, said comment.Run) error {
	check := publisher.Check(s.checkStart(*r))
	end := publish.End{CheckRun: comment.Check(said), At: r.Ended, Buttons: buttons(*r)}
	notices := check.Complete(ctx, end)
	if r.CheckID == 0 && check.ID() != 0 {
		r.CheckURL = check.URL()
		if err := s.opts.Runs.SetCheck(ctx, r.ID, check.ID(), r.CheckURL); err != nil {
			return err
		}
	}
	if !check.Ended() {
		return notices[0].Err
	}
	s.warn(ctx, *r, notices)
	return check.CompleteDoubles(ctx, end)
}

// show has GitHub show a run that has not ended, and waits for the database once it does.
// The error is errEnded if the run ended meanwhile: then its end may have been published
// before this, and is published again.
func (s *Service) show(ctx context.Context, client *github.Client, r *runs.Run) error {
	said := s.described(*r, runs.Outcome{})
	if r.State == runs.Queued {
		var err error
		if said.Waiting, err = s.waiting(ctx, *r); err != nil {
			s.opts.Log.WarnContext(ctx, "the check run does not show when the run begins", "run", r.ID, "problem", s.opts.Redact(err.Error()))
		}
	}
	shown := comment.Check(said)
	check, notices := publish.New(client, r.Owner(), r.Name()).StartCheck(ctx, s.checkStart(*r), shown)
	if len(notices) > 0 {
		return notices[0].Err
	}
	r.CheckID, r.CheckURL = check.ID(), check.URL()
	// Nobody else knows that there is a check run which somebody has to end.
	return s.insist(ctx, r.ID, func() error {
		if err := s.opts.Runs.SetCheck(ctx, r.ID, r.CheckID, r.CheckURL); err != nil {
			return err
		}
		now, err := s.opts.Runs.Get(ctx, r.ID)
		if err != nil || now.State.Alive() {
			return err
		}
		return cmp.Or(s.publishAgain(ctx, r.ID), errEnded)
	})
}

// publishAgain has it published how a run ended, although it may have been.
func (s *Service) publishAgain(ctx context.Context, id string) error {
	return s.opts.DB.Write(ctx, func(tx *queue.Tx) error {
		if err := s.opts.Runs.MarkUnpublished(ctx, tx, id); err != nil {
			return err
		}
		// The job that published it may be about to end.
		_, err := s.opts.Queue.Enqueue(ctx, tx, s.publishing.New(job{id}).Once(id+" again"))
		return err
	})
}

// notThere reports whether GitHub does not let the App in any more.
func notThere(err error) bool {
	status := github.StatusOf(err)
	return status == http.StatusNotFound || status == http.StatusForbidden && !github.Limited(err) || status == http.StatusUnauthorized || status == http.StatusGone
}
