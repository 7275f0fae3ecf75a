package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// A run on the App's machines is worked on by as many workers as it has a share of:
// the one that has its job leads, and asks others to help by jobs of their own. What
// they share is in the database, so they may be anywhere.

// helpJob is the payload of a job that helps with a run.
type helpJob struct {
	Run  string `json:"run"`
	Part string `json:"part"`
}

// seed returns what the sessions of a new run are drawn by: as in the run that it goes
// on with, if any.
func (s *Service) seed(ctx context.Context, continues string) (uint64, error) {
	if continues != "" {
		r, err := s.opts.Runs.Get(ctx, continues)
		return r.Request.Seed, err
	}
	return 1 + rand.Uint64N(bench.MaxVariationSeed), nil
}

// lead returns what the machine that leads a run shares with others; nil for a run that
// one machine works on alone.
func (s *Service) lead(ctx context.Context, executor Executor, r runs.Run) (runner.Shared, error) {
	if _, is := executor.(Helper); !is || r.Request.Seed == 0 || r.Request.Plan.Target != settings.SandboxTarget || r.Request.Plan.OfTasks() {
		return nil, nil
	}
	shared := &sharedRun{service: s, run: r.ID, part: runs.Lead}
	return shared, s.opts.Runs.GiveBack(ctx, r.ID, shared.part)
}

// helpWith works on a run that another worker leads.
func (s *Service) helpWith(ctx context.Context, j queue.Job[helpJob]) error {
	id, part := j.Payload.Run, j.Payload.Part
	r, err := s.opts.Runs.Get(ctx, id)
	if errors.Is(err, runs.ErrNone) || err == nil && !r.State.Alive() {
		return nil
	}
	if err != nil {
		return err
	}
	helper, is := s.opts.Executors[r.Request.Plan.Executor].(Helper)
	if !is {
		return nil
	}
	client, _, err := s.publisher(ctx, r)
	if err != nil {
		return err
	}
	// What this part had when its machine died.
	if err := s.opts.Runs.GiveBack(ctx, id, part); err != nil {
		return err
	}
	watched, stop := s.watch(ctx, r)
	defer stop()
	shared := &sharedRun{service: s, run: id, part: part}
	problem := helper.Help(watched, Work{
		Run: r, Client: client, Shared: shared, Keep: shared.keep(watched), KeepTranscript: (&progress{service: s, run: r}).keepTranscript(watched),
		Progress: func(int, int, float64) {}, Surface: func(*bench.SurfaceChange) {},
	})
	if ctx.Err() != nil {
		return ctx.Err() // another one goes on
	}
	if err := s.opts.Runs.GiveBack(ctx, id, part); err != nil {
		return err
	}
	if problem != nil && context.Cause(watched) == nil {
		// It is not asked again: what it cannot do, others can.
		s.opts.Log.WarnContext(ctx, "a worker could not help with a run", "run", id, "problem", s.opts.Redact(problem.Error()))
		return nil
	}
	return s.opts.Runs.Leave(ctx, id, part)
}

// sharedRun is a [runner.Shared] in the database. While that is away it waits.
type sharedRun struct {
	service   *Service
	run, part string
	// unrecordedUSD is what was stored last that a part which helps has spent so.
	unrecordedUSD float64

	mu sync.Mutex
	// told are the cells whose rows the machine that leads knows.
	told map[bench.Cell]bool
}

func (h *sharedRun) leads() bool { return h.part == runs.Lead }

// Offer stores blocks.
func (h *sharedRun) Offer(ctx context.Context, blocks []runner.Block) error {
	if !h.leads() {
		return nil
	}
	h.mu.Lock()
	h.told = map[bench.Cell]bool{}
	h.mu.Unlock()
	return h.insist(ctx, func() error { return h.service.opts.Runs.Offer(ctx, h.run, blocks) })
}

// Take takes a block that nobody has.
func (h *sharedRun) Take(ctx context.Context) (block *runner.Block, err error) {
	err = h.insist(ctx, func() (err error) {
		block, err = h.service.opts.Runs.Take(ctx, h.run, h.part)
		return err
	})
	return block, err
}

// Finish stores that a block is done with.
func (h *sharedRun) Finish(ctx context.Context, block runner.Block) error {
	return h.insist(ctx, func() error { return h.service.opts.Runs.FinishBlock(ctx, h.run, block.Position) })
}

// keep returns what stores a row, which the machine that leads waits for.
func (h *sharedRun) keep(ctx context.Context) func(bench.Cell, []byte) {
	s := h.service
	return func(cell bench.Cell, row []byte) {
		err := h.insist(ctx, func() error {
			return s.opts.Runs.AddRow(context.WithoutCancel(ctx), h.run, cell, []byte(s.opts.Redact(string(row))))
		})
		if err != nil {
			s.opts.Log.ErrorContext(ctx, "a row is not kept", "run", h.run, "cell", cell.String(), "problem", s.opts.Redact(err.Error()))
		}
	}
}

// News looks how the run stands, after a while.
func (h *sharedRun) News(ctx context.Context, here runner.Standing) (news runner.News, err error) {
	if err := h.service.pause(ctx); err != nil {
		return news, err
	}
	look := h.lookToHelp
	if h.leads() {
		look = h.lookToLead
	}
	err = h.insist(ctx, func() (err error) {
		news, err = look(ctx, here)
		return err
	})
	return news, err
}

// lookToLead has others help, if there is something to do and a share for them, and
// returns the rows that they have made. A machine that leaves has nobody take another
// block.
func (h *sharedRun) lookToLead(ctx context.Context, here runner.Standing) (news runner.News, err error) {
	table := h.service.opts.Runs
	h.mu.Lock()
	defer h.mu.Unlock()
	if here.Leaves {
		if news.Others, err = table.TakeAll(ctx, h.run, h.part); err != nil {
			return news, err
		}
	}
	if news.Open, err = table.OpenBlocks(ctx, h.run); err != nil {
		return news, err
	}
	made, err := table.RowsBut(ctx, h.run, h.told)
	if err != nil {
		return news, err
	}
	for _, line := range made {
		news.Rows = append(news.Rows, bench.Row{})
		if err := json.Unmarshal(line, &news.Rows[len(news.Rows)-1]); err != nil {
			return news, fault.Internalf("read a row of run %s: %w", h.run, err)
		}
	}
	if news.UnrecordedUSD, err = table.UnrecordedUSD(ctx, h.run); err != nil {
		return news, err
	}
	if news.Open > 0 {
		if err := h.service.askForHelp(ctx, h.run); err != nil {
			return news, err
		}
	}
	for cell := range made {
		h.told[cell] = true
	}
	return news, nil
}

// lookToHelp returns whether there is something to do, and still a share for this part,
// and stores what it has spent on what has no row.
func (h *sharedRun) lookToHelp(ctx context.Context, here runner.Standing) (news runner.News, err error) {
	table := h.service.opts.Runs
	if here.UnrecordedUSD != h.unrecordedUSD {
		if err := table.SetUnrecorded(ctx, h.run, h.part, here.UnrecordedUSD); err != nil {
			return news, err
		}
		h.unrecordedUSD = here.UnrecordedUSD
	}
	r, err := table.Get(ctx, h.run)
	if errors.Is(err, runs.ErrNone) {
		return runner.News{Over: true}, nil
	}
	if err != nil {
		return news, err
	}
	if news.Open, err = table.OpenBlocks(ctx, h.run); err != nil {
		return news, err
	}
	parts, err := h.service.partsOf(ctx, h.run)
	news.RunUSD = r.CostUSD
	news.Over = !r.State.Alive() || !slices.Contains(parts, h.part)
	return news, err
}

// partsOf returns the parts that there is a share for, beside the one that leads.
func (s *Service) partsOf(ctx context.Context, run string) (parts []string, err error) {
	workers, err := s.opts.Queue.Workers(ctx, s.opts.DB, s.opts.Lane)
	if err != nil {
		return nil, err
	}
	share, err := s.opts.Runs.Share(ctx, run, workers)
	for i := 1; i < share; i++ {
		parts = append(parts, fmt.Sprintf("help-%d", i))
	}
	return parts, err
}

// askForHelp stores jobs for the parts that there is a share for and that do not help
// already.
func (s *Service) askForHelp(ctx context.Context, run string) error {
	parts, err := s.partsOf(ctx, run)
	if err != nil {
		return err
	}
	asked, err := s.opts.Runs.Asked(ctx, run)
	if err != nil {
		return err
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return slices.Contains(asked, part) })
	if len(parts) == 0 {
		return nil
	}
	return s.opts.DB.Write(ctx, func(tx *queue.Tx) error {
		for _, part := range parts {
			if first, err := s.opts.Runs.Ask(ctx, tx, run, part); err != nil || !first {
				return err
			}
			if _, err := s.opts.Queue.Enqueue(ctx, tx, s.helping.New(helpJob{run, part})); err != nil {
				return err
			}
		}
		return nil
	})
}

// insist does something in the database until it is there, or the context ends.
func (h *sharedRun) insist(ctx context.Context, do func() error) error {
	return h.service.insist(ctx, h.run, do)
}

func (s *Service) insist(ctx context.Context, run string, do func() error) error {
	for {
		err := do()
		if err == nil || fault.KindOf(err) != fault.Infrastructure || ctx.Err() != nil {
			return err
		}
		s.opts.Log.WarnContext(ctx, "a run waits for the database", "run", run, "problem", s.opts.Redact(err.Error()))
		_ = s.pause(ctx) // once the context is over it is tried a last time
	}
}

// pause waits until it is time to look again.
func (s *Service) pause(ctx context.Context) error {
	select {
	case <-time.After(s.opts.Watch):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
