package appcli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/ghx-dev/bench-action/internal/app"
	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// seedings keeps account of the fixtures that runs seed in repositories on
// GitHub. The engine removes them after the run; a process that dies leaves
// them, and then any machine removes them once the run has ended.
type seedings struct {
	table *runs.Table
	db    *queue.DB
	queue *queue.Queue
	// installation returns that of the App which a repository is in. The error
	// is of kind invalid, and not an answer of GitHub's, if there is none.
	installation func(ctx context.Context, repo string) (int64, error)
	// environment returns the variables by which the engine makes tokens of the
	// App for one repository of an installation.
	environment func(installation int64) map[string]string
	// bench has the clock, the source of names and the secrets of the engine.
	bench  benchcli.World
	apiURL string
	log    *slog.Logger
}

// seeding is the payload of the job that removes one.
type seeding struct {
	Repo string `json:"repo"`
	Seed string `json:"seed"`
}

const (
	lookEvery    = time.Minute
	lookTimeout  = time.Minute
	lookAttempts = 2
	// removeTimeout bounds one attempt at removing a seeding.
	removeTimeout = 10 * time.Minute
	// giveUpAfter is how old fixtures are that cannot be removed when they are
	// left to people.
	giveUpAfter = 7 * 24 * time.Hour
	// holdPause is the pause between two tries to hold fixtures.
	holdPause = time.Second
	// keepEvery is how often who holds fixtures says that he lives.
	keepEvery = runs.HoldLife / 4
)

// looking finds what was left behind, removing removes one seeding of it.
func (s *seedings) looking() queue.Kind[struct{}] {
	return queue.Kind[struct{}]{Name: "left-fixtures", Lane: app.LaneUpkeep, Timeout: lookTimeout, Attempts: lookAttempts}
}

func (s *seedings) removing() queue.Kind[seeding] {
	return queue.Kind[seeding]{Name: "remove-fixtures", Lane: app.LaneUpkeep, Timeout: removeTimeout, Priority: queue.Last}
}

// work has the queue look for what was left behind, and remove it.
func (s *seedings) work() error {
	queue.Handle(s.queue, s.looking(), func(ctx context.Context, _ queue.Job[struct{}]) error { return s.look(ctx) })
	queue.Handle(s.queue, s.removing(), func(ctx context.Context, j queue.Job[seeding]) error { return s.remove(ctx, j.Payload) })
	return s.queue.Every(lookEvery, s.looking().New(struct{}{}))
}

// look has everything removed that was left behind and can be removed now.
func (s *seedings) look(ctx context.Context) error {
	left, err := s.table.LeftFixtures(ctx, s.bench.Now())
	if err != nil || len(left) == 0 {
		return err
	}
	return s.db.Write(ctx, func(tx *queue.Tx) error {
		for _, f := range left {
			order := s.removing().New(seeding{f.Repo, f.Seed}).Once(f.Repo + " " + f.Seed)
			if _, err := s.queue.Enqueue(ctx, tx, order); err != nil {
				return err
			}
		}
		return nil
	})
}

// hold notes what the engine is about to seed for a run. The function that it
// returns is called when the engine has cleaned up. The note stays until GitHub
// was asked, after the run's end, whether anything is left.
func (s *seedings) hold(ctx context.Context, r runs.Run, seed string, log io.Writer) (leave func(), err error) {
	target := r.Request.Plan.Target
	if target == settings.SandboxTarget {
		return func() {}, nil
	}
	f := runs.Fixtures{Repo: target, Seed: seed, Installation: r.Installation, Run: r.ID, Noted: s.bench.Now()}
	by := s.bench.Random()
	if err := s.note(ctx, f, by, log); err != nil {
		return nil, err
	}
	end := s.keep(ctx, f, by)
	return func() {
		end()
		ctx := context.WithoutCancel(ctx)
		s.complain(ctx, f, errors.Join(s.table.LeaveFixtures(ctx, f, by), s.look(ctx)))
	}, nil
}

// note notes fixtures as soon as nobody else is at work in the repository.
func (s *seedings) note(ctx context.Context, f runs.Fixtures, by string, log io.Writer) error {
	pause := time.NewTicker(holdPause)
	defer pause.Stop()
	for told := false; ; told = true {
		noted, err := s.table.NoteFixtures(ctx, f, by, s.bench.Now())
		if err != nil || noted {
			return err
		}
		if !told {
			fmt.Fprintln(log, "wait until nobody else is at work in "+f.Repo)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-pause.C:
		}
	}
}

// keep says that who holds fixtures lives, until the function that it returns
// is called. The engine cleans up after the end of its context.
func (s *seedings) keep(ctx context.Context, f runs.Fixtures, by string) (end func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(keepEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				s.complain(ctx, f, s.table.KeepFixtures(ctx, f, by, s.bench.Now()))
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// complain logs what went wrong with a note. It is made up for later: a hold
// ends by itself, and what is noted is looked at again.
func (s *seedings) complain(ctx context.Context, f runs.Fixtures, err error) {
	if err != nil {
		s.log.WarnContext(ctx, "the note of fixtures is not up to date", s.about(f), slog.String("problem", s.bench.Secrets.String(err.Error())))
	}
}

func (s *seedings) about(f runs.Fixtures) slog.Attr {
	return slog.Group("fixtures", slog.String("repository", f.Repo), slog.String("seed", f.Seed), slog.String("run", f.Run))
}

// remove removes what is left of a seeding, unless somebody needs it or is at
// work in its repository: then the next look finds it. An error has it tried
// again.
func (s *seedings) remove(ctx context.Context, what seeding) error {
	by := s.bench.Random()
	f, taken, err := s.table.TakeFixtures(ctx, what.Repo, what.Seed, by, s.bench.Now())
	if err != nil || !taken {
		return err
	}
	end := s.keep(ctx, f, by)
	removed, err := s.clean(ctx, f)
	end()
	switch {
	case err == nil && removed == fixture.Removed{}:
		s.log.DebugContext(ctx, "no fixtures were left behind", s.about(f))
	case err == nil:
		s.log.InfoContext(ctx, "fixtures that were left behind are removed", s.about(f), slog.String("removed", removed.String()))
	case errors.Is(err, errNoAccess), s.bench.Now().Sub(f.Noted) > giveUpAfter:
		s.log.WarnContext(ctx, "fixtures are left: remove them with `bench fixtures cleanup`", s.about(f), slog.String("problem", s.bench.Secrets.String(err.Error())))
	default:
		return errors.Join(err, s.table.LeaveFixtures(context.WithoutCancel(ctx), f, by))
	}
	return s.table.ForgetFixtures(context.WithoutCancel(ctx), f, by)
}

// errNoAccess is about a repository that the App is not in any more.
var errNoAccess = errors.New("the App has no access to the repository any more")

// clean has the engine remove what a seeding has made.
func (s *seedings) clean(ctx context.Context, f runs.Fixtures) (removed fixture.Removed, err error) {
	installation, err := s.installation(ctx, f.Repo)
	switch {
	case fault.KindOf(err) == fault.Invalid && github.StatusOf(err) == 0:
		return removed, fmt.Errorf("%w: %w", errNoAccess, err)
	case err != nil:
		return removed, err
	case installation != f.Installation:
		// Whoever owns it now has not asked for anything.
		return removed, errNoAccess
	}
	var out bytes.Buffer
	env, engine := s.environment(installation), s.bench
	engine.Stdout, engine.Stderr, engine.Getenv = &out, io.Discard, func(name string) string { return env[name] }
	_, err = engine.Run(ctx, "fixtures", "cleanup", "--seed-id", f.Seed, "--repo", f.Repo, "--api-url", s.apiURL, "--json")
	if err != nil {
		return removed, err
	}
	if err := json.Unmarshal(out.Bytes(), &removed); err != nil {
		return removed, fault.Internalf("read what was removed: %w", err)
	}
	return removed, nil
}
