package verify

import (
	"fmt"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// agree returns an error of kind invalid, with the first difference, unless shards of
// benchmarks of other systems are parts of one plan. What rows say of themselves is
// looked at elsewhere. The run that was made first is named first.
func agree(runs []ledger.RunInfo) error {
	runs = slices.SortedStableFunc(slices.Values(runs), func(a, b ledger.RunInfo) int { return a.CreatedAt.Compare(b.CreatedAt) })
	var first *ledger.RunInfo
	for i, run := range runs {
		if run.Benchmark == nil || run.Shard == nil {
			continue
		}
		if first == nil {
			first = &runs[i]
			continue
		}
		for _, d := range []change{
			{"number of shards", fmt.Sprint(first.Shard.Count), fmt.Sprint(run.Shard.Count)},
			{"list of agents", bench.JoinModes(first.Modes, ", "), bench.JoinModes(run.Modes, ", ")},
			{"set of tasks", first.ScenarioSet, run.ScenarioSet},
			{"list of tasks", fmt.Sprint(scenarioIDs(*first)), fmt.Sprint(scenarioIDs(run))},
			{"number of epochs", repetitions(*first), repetitions(run)},
			{"configuration (a hash of its settings)", first.Benchmark.Settings, run.Benchmark.Settings},
		} {
			if d.was != d.is {
				return fault.Invalidf("the shards are none of one plan: the %s of run %s is %s, that of run %s is %s; name those of one plan, or run one of them again",
					d.what, first.RunID, d.was, run.RunID, d.is)
			}
		}
	}
	return nil
}
