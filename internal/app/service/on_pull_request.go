package service

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/publish"
)

// routePull takes what may change whether, or how, a head is measured: another
// base has settings of its own.
func routePull(e ghevent.Event, _ int64) routing {
	switch {
	case e.Pull.Closed:
		return ignore("closed")
	case e.Action == "edited" && !e.Rebased:
		return ignore("text")
	}
	return routing{kind: kindConsidered}
}

// consider measures the pull requests of an event, if the settings want it.
func (s *Service) consider(ctx context.Context, cause string, e ghevent.Event, _ routing) error {
	client, err := s.client(ctx, e)
	if err != nil {
		return err
	}
	if e.Pull != nil {
		return s.considerPull(ctx, client, cause, e, e.Pull.Number, e.Pull.HeadSHA)
	}
	for _, number := range e.Suite.Pulls {
		each := fmt.Sprintf("%s #%d", cause, number)
		if err := s.considerPull(ctx, client, each, e, number, e.Suite.HeadSHA); err != nil {
			return err
		}
	}
	return nil
}

// considerPull measures a pull request as it is now, unless its head is not the
// one of the event any more: then another event is about it.
func (s *Service) considerPull(ctx context.Context, client *github.Client, cause string, e ghevent.Event, number int, head string) error {
	known, err := s.readPullAndSettings(ctx, client, e, number)
	pull := known.pull
	if e.Pull != nil && pull.HeadSHA == head && !pull.Closed && (err == nil || errors.Is(err, errNoSettings)) {
		defer s.checkProposed(ctx, client, e, known)
	}
	if errors.Is(err, errNoSettings) || err == nil && (pull.Closed || pull.HeadSHA != head) {
		return nil // nobody has asked for anything here, or not for this
	}
	if err != nil {
		return err
	}
	request := runRequest{cause: cause, event: e, pull: pull, asked: asked(e)}
	if len(known.problems) > 0 {
		request.once = "refused " + e.Repo.FullName() + " " + head + " " + fault.Public(known.problems.Err())
		return s.recordBroken(ctx, request, known.problems)
	}
	request.settings = known.settings
	f := facts{Head: ghevent.Head{Pull: pull}, action: e.Action, label: e.Label}
	if e.Name == ghevent.CheckSuite {
		f.action = ""
	}
	if consider(request.settings, f).outcome == leave {
		return nil
	}
	measured, err := s.measured(ctx, request)
	if err != nil {
		return err
	}
	if measured {
		return s.supersede(ctx, s.subject(request), head)
	}
	if err := s.learnFacts(ctx, client, e, request.settings, &f); err != nil {
		return err
	}
	return s.applyDecision(ctx, client, request, consider(request.settings, f))
}

// measured reports whether an event has had the commit measured already, for a
// pull request onto the same branch, whose settings count.
func (s *Service) measured(ctx context.Context, req runRequest) (bool, error) {
	before, err := s.opts.Runs.LatestOf(ctx, req.event.Repo.FullName(), req.pull.HeadSHA, req.settings.CheckName)
	if errors.Is(err, runs.ErrNone) {
		return false, nil
	}
	return before.Cause != req.cause && before.State != runs.Skipped && before.Request.BaseRef == req.pull.BaseRef, err
}

// learnFacts asks for what a decision depends on besides the event.
func (s *Service) learnFacts(ctx context.Context, client *github.Client, e ghevent.Event, set settings.Settings, f *facts) (err error) {
	pull := f.Pull
	if f.approved, err = s.opts.Runs.Approved(ctx, e.Repo.FullName(), pull.Number, pull.HeadSHA); err != nil {
		return err
	}
	if asksWho(e, pull) {
		may, err := publish.New(client, e.Repo.Owner, e.Repo.Name).Permitted(ctx, e.Sender.Login, publish.Write)
		if err != nil {
			return err
		}
		f.stranger = !may
	}
	f.Head, err = set.Rules().Ask(ctx, client, e.Repo, pull)
	return err
}

// applyDecision carries out what was decided on a pull request.
func (s *Service) applyDecision(ctx context.Context, client *github.Client, req runRequest, d decision) error {
	about := req.event.Repo.FullName() + " " + req.pull.HeadSHA + " " + req.settings.CheckName + " " + req.pull.BaseRef
	if d.outcome == skip {
		req.once = "skipped " + about + " " + string(d.why)
		return s.recordSkipped(ctx, req, d.why)
	}
	req.once = runs.MeasuredClaim(req.event.Repo.FullName(), req.pull.HeadSHA, req.settings.CheckName, req.pull.BaseRef)
	return s.startUsual(ctx, client, req)
}

// asked says what an event is, for people.
func asked(e ghevent.Event) string {
	what := strings.ReplaceAll(e.Action, "_", " ")
	if e.Action == "synchronize" || e.Name == ghevent.CheckSuite {
		what = "push"
	}
	return what + " by " + e.Sender.Login
}
