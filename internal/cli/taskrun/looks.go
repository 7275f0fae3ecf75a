package taskrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
)

// Design returns what is fixed before the first task of a run whose evidence
// decides. An error is of kind invalid.
func (o Options) Design() (*evidence.Design, error) {
	return evidence.NewDesign(o.Profile, *o.Margins, cmp.Or(o.FirstLook, o.Epochs), o.Epochs)
}

// Compare has both sides do their epochs, one beside the other, until the evidence
// decides or all are done. Of two epochs that follow each other the sides change
// places, so that what drifts around them favours none.
//
// A task that both sides have is a block for each epoch. One in which something
// around an agent failed tells nothing: both sides do it anew in a further epoch, as
// often as [evidence.WithRefills] allows. Looked is told what each look came to.
func (r *Run) Compare(ctx context.Context, looked func(bench.Evidence)) error {
	design, err := r.options.Design()
	if err != nil {
		return err
	}
	done := 0
	for _, n := range design.Looks() {
		for ; done < n; done++ {
			if err := r.both(ctx, done+1); err != nil {
				return err
			}
			if err := r.refusal(design); err != nil {
				return err
			}
		}
		if err := r.refill(ctx, n); err != nil {
			return err
		}
		judged, err := r.judge(design)
		if err != nil {
			return err
		}
		looked(judged)
		if judged.Final {
			r.info.DecidedAt = n
			return r.save()
		}
	}
	return nil
}

// refusal says that no result of so few tasks would be a pass, as soon as it is known
// how few they are.
func (r *Run) refusal(design *evidence.Design) error {
	if err := design.Refuse(len(r.Planned())); err != nil {
		return fmt.Errorf("the gate cannot decide by evidence (a scenario is a task here, a repetition an epoch): %w", err)
	}
	return nil
}

// turns are the sides in the order in which they do an epoch.
func (r *Run) turns(epoch int) []bench.Mode {
	modes := slices.Clone(r.info.Modes)
	if (uint64(epoch)+r.options.OrderSeed)%2 == 1 {
		slices.Reverse(modes)
	}
	return modes
}

// both has both sides do an epoch. One in which no task could be tried is an outage, of
// kind infrastructure: further ones would be paid for nothing.
func (r *Run) both(ctx context.Context, epoch int) error {
	for _, mode := range r.turns(epoch) {
		before := r.Begun()
		results, err := r.Epoch(ctx, mode, epoch)
		if err == nil && r.Begun() > before { // what is gone on with is done anew at the end
			err = results.Outage()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// refill has both sides do further epochs of tasks that have fewer than n sound
// blocks.
func (r *Run) refill(ctx context.Context, n int) error {
	return r.rounds(ctx, func() map[string]int {
		cells := map[string]int{}
		for _, id := range r.Planned() {
			if sound, last := r.blocksOf(id); sound < n && last < r.mostEpochs() {
				cells[id] = max(last, r.options.Epochs) + 1
			}
		}
		return cells
	})
}

// mostEpochs is how many epochs a task may have with those that take the place of void
// ones.
func (r *Run) mostEpochs() int { return evidence.WithRefills(r.options.Epochs, len(r.tasks)) }

// rounds has both sides do tasks in further epochs until none is short of any.
func (r *Run) rounds(ctx context.Context, short func() map[string]int) error {
	for round := 0; ; round++ {
		cells := short()
		if len(cells) == 0 {
			return nil
		}
		for id, epoch := range cells {
			for _, mode := range r.info.Modes {
				if cell := (bench.Cell{ScenarioID: id, Mode: mode, Iteration: epoch}); !slices.Contains(r.info.Refills, cell) {
					r.info.Refills = append(r.info.Refills, cell)
				}
			}
		}
		slices.SortFunc(r.info.Refills, func(a, b bench.Cell) int { return cmp.Compare(a.String(), b.String()) })
		if err := r.save(); err != nil {
			return err
		}
		for _, mode := range r.turns(round) {
			if err := r.batch(ctx, mode, 0, cells); err != nil {
				return err
			}
		}
	}
}

// blocksOf returns how many blocks of a task tell something, and the last epoch that
// both sides have done.
func (r *Run) blocksOf(id string) (sound, last int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	most := 2 * r.options.Epochs
	for epoch := 1; epoch <= most; epoch++ {
		if r.bothHave(id, epoch) {
			last = epoch
			sound += r.soundBlock(id, epoch)
		}
	}
	return sound, last
}

// bothHave reports whether both sides have done a task in an epoch.
func (r *Run) bothHave(id string, epoch int) bool {
	for _, mode := range r.info.Modes {
		if _, done := r.done[bench.Cell{ScenarioID: id, Mode: mode, Iteration: epoch}]; !done {
			return false
		}
	}
	return true
}

// soundBlock is 1 if both sides have done a task in an epoch in which nothing around them
// failed, else 0.
func (r *Run) soundBlock(id string, epoch int) int {
	for _, mode := range r.info.Modes {
		if outcome, done := r.done[bench.Cell{ScenarioID: id, Mode: mode, Iteration: epoch}]; !done || r.isVoid(outcome) {
			return 0
		}
	}
	return 1
}

// judge looks at the rows that are there.
func (r *Run) judge(design *evidence.Design) (bench.Evidence, error) {
	collector, err := evidence.NewCollector(evidence.Pairing{Baseline: r.info.Modes[0], Candidate: r.info.Modes[1]})
	if err != nil {
		return bench.Evidence{}, err
	}
	_, err = ledger.Scan(r.rows.Files(), func(row *bench.Row) error {
		collector.Add(row)
		return nil
	})
	data, dataErr := collector.Data()
	if err := errors.Join(err, dataErr); err != nil {
		return bench.Evidence{}, err
	}
	return design.Judge(data), nil
}

// Judged notes what the evidence came to.
func (r *Run) Judged(judged bench.Evidence) error {
	r.info.Judged = &ledger.Judged{Verdict: judged.Verdict, Cause: judged.Cause.Kind, Profile: r.options.Profile, Compared: r.info.Modes}
	return r.save()
}
