package taskrun

import (
	"context"

	"github.com/ghx-dev/bench-action/internal/bench/ledger"
)

// Part has both sides do the cells of a part of a plan, each epoch beside the other as
// [Run.Compare] has it, and those anew in which something around an agent failed. Whoever
// has all parts judges them.
func (r *Run) Part(ctx context.Context) error {
	design, err := r.options.Design()
	if err != nil {
		return err
	}
	if err := r.refusal(design); err != nil {
		return err
	}
	for epoch := 1; epoch <= r.options.Epochs; epoch++ {
		if err := r.both(ctx, epoch); err != nil {
			return err
		}
	}
	return r.rounds(ctx, r.shortOfPart)
}

// shortOfPart returns those of the part's tasks that have fewer sound blocks than it has
// cells of them, each with a further epoch. No other part takes the same one: of four parts
// of ten epochs the first takes 11, 15 and 19.
func (r *Run) shortOfPart() map[string]int {
	planned := map[string][]int{}
	for _, c := range r.info.Cells {
		if c.Mode == r.info.Modes[0] {
			planned[c.ScenarioID] = append(planned[c.ScenarioID], c.Iteration)
		}
	}
	short := map[string]int{}
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, epochs := range planned {
		sound, next := 0, r.options.Epochs+r.info.Shard.Index
		for _, epoch := range epochs {
			sound += r.soundBlock(id, epoch)
		}
		for ; r.bothHave(id, next); next += r.info.Shard.Count {
			sound += r.soundBlock(id, next)
		}
		if sound < len(epochs) && next <= r.mostEpochs() {
			short[id] = next
		}
	}
	return short
}

// shardOf is the run's part, "all" of one that has none.
func shardOf(info ledger.RunInfo) string {
	if info.Shard == nil {
		return "all"
	}
	return info.Shard.String()
}
