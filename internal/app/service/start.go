package service

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// runRequest is a run that somebody or something asks for.
type runRequest struct {
	cause    string
	event    ghevent.Event
	pull     ghevent.Pull
	settings settings.Settings
	plan     settings.Plan
	asked    string
	// check is the check's name, empty where the settings and the plan say it.
	check string
	// defaultBranch is true of a run of that branch.
	defaultBranch bool
	// continues is the run whose rows are taken over.
	continues string
	// seed is as in [runs.Request].
	seed uint64
	// once names what is done once, however many events ask for it; empty for
	// what was commanded.
	once string
	// atOnce is done with the run in the transaction that stores it; nil does
	// nothing.
	atOnce func(*queue.Tx, runs.Run) error
}

// errTaken is about something that is done once, and that another event has
// had done.
var errTaken = errors.New("another event has had it done")

// suite is the check's name, also where the settings cannot be read. What measures
// something else than the settings say has one of its own, which nobody requires.
func (s *Service) suite(req runRequest) string {
	name := cmp.Or(req.check, req.settings.CheckName, settings.DefaultCheckName)
	if req.check != "" || req.plan.Empty() {
		return name
	}
	usual, err := settings.Resolve(req.settings, command.Command{}, s.opts.Library)
	if err == nil && !req.plan.Measures(usual) {
		name += comment.PartialSuffix
	}
	return name
}

// subject is what only one run at a time is about.
func (s *Service) subject(req runRequest) string {
	return runs.Subject(req.event.Repo.FullName(), req.pull.Number, req.pull.HeadSHA, s.suite(req))
}

// both are a name, or a subject, of runs as the settings say, and that of others.
func both(usual string) []string { return []string{usual, usual + comment.PartialSuffix} }

// run returns the run of a request, as it is stored first.
func (s *Service) run(req runRequest) runs.Run {
	return runs.Run{
		ID: s.opts.NewID(), Cause: req.cause, Installation: req.event.InstallationID, Repo: req.event.Repo.FullName(), Pull: req.pull.Number, Head: req.pull.HeadSHA,
		Suite: s.suite(req), State: runs.Queued, Created: s.opts.Now(), Cells: req.plan.Cells(),
		Request: runs.Request{
			Owner: req.event.Repo.Owner, Name: req.event.Repo.Name, BaseSHA: req.pull.BaseSHA, BaseRef: req.pull.BaseRef, HeadRepo: req.pull.HeadRepo,
			Fork: req.pull.Fork, DefaultBranch: req.defaultBranch, Asked: req.asked, Plan: req.plan, Comment: req.settings.Comment, OnNoVerdict: req.settings.OnNoVerdict, Continues: req.continues, Seed: req.seed,
		},
	}
}

// start makes a run, ends the one that it takes the place of, shows it on
// GitHub and has it measured. Called again for the same cause it goes on where
// it was. The error may be [overBudget], or [errAnswered] where nothing is begun.
func (s *Service) start(ctx context.Context, client *github.Client, req runRequest) (runs.Run, error) {
	r, err := s.opts.Runs.ByCause(ctx, req.cause)
	if errors.Is(err, runs.ErrNone) {
		if err := s.continueSequence(ctx, &req); err != nil {
			return runs.Run{}, err
		}
		if err := s.estimate(ctx, &req); err != nil {
			return runs.Run{}, err
		}
		if req.seed, err = s.seed(ctx, req.continues); err != nil {
			return runs.Run{}, err
		}
		r, err = s.create(ctx, req, s.afford)
	}
	if err != nil {
		return r, err
	}
	return r, s.launch(ctx, client, &r)
}

// startUsual starts a run as the settings say, or makes one that says why there is
// none.
func (s *Service) startUsual(ctx context.Context, client *github.Client, req runRequest) (err error) {
	req.plan, err = settings.Resolve(req.settings, command.Command{}, s.opts.Library)
	if err != nil {
		return s.recordUnresolved(ctx, req, err)
	}
	_, err = s.start(ctx, client, req)
	if over, is := errors.AsType[overBudget](err); is {
		return s.recordStopped(ctx, req, over.Error())
	}
	if errors.Is(err, errTaken) || errors.Is(err, errAnswered) {
		return nil
	}
	return err
}

// launch shows a run that has not ended on GitHub, and has it measured.
func (s *Service) launch(ctx context.Context, client *github.Client, r *runs.Run) error {
	if !r.State.Alive() {
		return nil
	}
	if r.CheckID == 0 {
		// A check run that cannot be shown now is made up for later.
		if err := s.show(ctx, client, r); err != nil && !errors.Is(err, errEnded) {
			s.opts.Log.WarnContext(ctx, "no check run yet", "run", r.ID, "problem", s.opts.Redact(err.Error()))
		}
	}
	return s.enter(ctx, r.ID)
}

// create stores the run of a request, once check has let it pass, which may be nil,
// ends those of the same subject, and does what is to be done at once. What is
// created in a repository is created one after the other, so that each sees
// what the others may spend. The error may be [errTaken] or that of check.
func (s *Service) create(ctx context.Context, req runRequest, check func(context.Context, *queue.Tx, *runRequest) error) (runs.Run, error) {
	var r runs.Run
	var made bool
	err := s.opts.DB.Write(ctx, func(tx *queue.Tx) (err error) {
		if err := s.opts.Runs.Lock(ctx, tx, "repository "+req.event.Repo.FullName()); err != nil {
			return err
		}
		if free, err := s.claim(ctx, tx, req.once); err != nil || !free {
			return err
		}
		if check != nil {
			if err := check(ctx, tx, &req); err != nil {
				return err
			}
		}
		r = s.run(req)
		older, err := s.alive(ctx, tx, strings.TrimSuffix(r.Subject(), comment.PartialSuffix))
		if err != nil {
			return err
		}
		older = slices.DeleteFunc(older, func(old runs.Run) bool { return old.Suite != r.Suite && old.Head == r.Head })
		if made, err = s.opts.Runs.Create(ctx, tx, r); err != nil || !made {
			return err
		}
		if err := s.replace(ctx, tx, r.Head, older); err != nil || req.atOnce == nil {
			return err
		}
		return req.atOnce(tx, r)
	})
	if err != nil || made {
		return r, err
	}
	known, err := s.opts.Runs.ByCause(ctx, req.cause)
	if errors.Is(err, runs.ErrNone) {
		err = errTaken
	}
	return known, err
}

// replace ends the runs of a subject whose place a run of the head takes.
func (s *Service) replace(ctx context.Context, tx *queue.Tx, head string, older []runs.Run) error {
	for _, old := range older {
		reason := comment.Replaced
		if old.Head != head {
			reason = comment.Superseded
		}
		if err := s.endIn(ctx, tx, old.ID, runs.Stopped, runs.Outcome{Reason: reason}); err != nil {
			return err
		}
	}
	return nil
}

// supersede ends the runs about a subject, partial ones too, that are of another
// commit than the head.
func (s *Service) supersede(ctx context.Context, subject, head string) error {
	return s.opts.DB.Write(ctx, func(tx *queue.Tx) error {
		older, err := s.alive(ctx, tx, subject)
		if err != nil {
			return err
		}
		return s.replace(ctx, tx, head, slices.DeleteFunc(older, func(r runs.Run) bool { return r.Head == head }))
	})
}

// alive returns the runs about a subject that go on, partial ones too.
func (s *Service) alive(ctx context.Context, tx *queue.Tx, subject string) (all []runs.Run, err error) {
	for _, one := range both(subject) {
		found, err := s.opts.Runs.AliveIn(ctx, tx, one)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func (s *Service) claim(ctx context.Context, tx *queue.Tx, once string) (bool, error) {
	if once == "" {
		return true, nil
	}
	return s.opts.Runs.Claim(ctx, tx, once)
}
