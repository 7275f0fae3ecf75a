package runner_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// randomOptions returns options of plans of any shape.
func randomOptions(random *rand.Rand) runner.PlanOptions {
	opts := runner.PlanOptions{
		Modes: bench.Modes()[:1+random.IntN(len(bench.Modes()))], Repetitions: 1 + random.IntN(6),
		Order: runner.Interleaved, Seed: random.Uint64(),
	}
	if random.IntN(3) == 0 {
		opts.Order = runner.Sequential
	}
	for i := range 1 + random.IntN(8) {
		opts.ScenarioIDs = append(opts.ScenarioIDs, fmt.Sprintf("s-%03d", i))
	}
	return opts
}

// forRandomPlans calls check with many plans.
func forRandomPlans(t *testing.T, check func(opts runner.PlanOptions, plan []bench.Cell, random *rand.Rand)) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		opts := randomOptions(random)
		check(opts, runner.Plan(opts), random)
		if t.Failed() {
			t.Fatalf("with %+v", opts)
		}
	}
}

func TestN4EveryIterationIsACompleteBlock(t *testing.T) {
	forRandomPlans(t, func(opts runner.PlanOptions, plan []bench.Cell, _ *rand.Rand) {
		size := len(opts.ScenarioIDs) * len(opts.Modes)
		require.Len(t, plan, size*opts.Repetitions)
		seen := map[bench.Cell]bool{}
		for i, c := range plan {
			assert.False(t, seen[c], "cell %s is there twice", c)
			seen[c] = true
			assert.Contains(t, opts.ScenarioIDs, c.ScenarioID)
			assert.Contains(t, opts.Modes, c.Mode)
			if opts.Order == runner.Interleaved {
				assert.Equal(t, i/size+1, c.Iteration, "cell %d", i)
			}
		}
	})
}

func TestN4InterleavedOrderFollowsItsSeed(t *testing.T) {
	opts := runner.PlanOptions{
		ScenarioIDs: []string{"a-001", "b-001", "c-001"}, Modes: []bench.Mode{bench.AgentDirect, bench.GHX},
		Repetitions: 4, Order: runner.Interleaved, Seed: 7,
	}
	first := runner.Plan(opts)
	assert.Equal(t, first, runner.Plan(opts))
	opts.Seed = 8
	assert.NotEqual(t, first, runner.Plan(opts))
	assert.False(t, slices.Equal(modesOf(first[:6]), modesOf(first[6:12])), "every block is in an order of its own")
}

func modesOf(cells []bench.Cell) (modes []bench.Mode) {
	for _, c := range cells {
		modes = append(modes, c.Mode)
	}
	return modes
}

// Whatever drifts hits both modes alike if, over many seeds, each of them is
// as often early in a block as the other.
func TestN4NoModeIsEarlierThanTheOther(t *testing.T) {
	const seeds = 2000
	opts := runner.PlanOptions{
		ScenarioIDs: []string{"a-001", "b-001", "c-001"}, Modes: []bench.Mode{bench.AgentDirect, bench.GHX},
		Repetitions: 1, Order: runner.Interleaved,
	}
	first, position := 0, 0
	for seed := range uint64(seeds) {
		opts.Seed = seed
		for i, c := range runner.Plan(opts) {
			if c.Mode != bench.GHX {
				continue
			}
			position += i
			if i == 0 {
				first++
			}
		}
	}
	assert.InDelta(t, 0.5, float64(first)/seeds, 0.05, "how often ghx is the first")
	assert.InDelta(t, 2.5, float64(position)/(3*seeds), 0.05, "the mean position of ghx")
}

func TestN4SequentialOrderIsOneModeAfterTheOther(t *testing.T) {
	plan := runner.Plan(runner.PlanOptions{
		ScenarioIDs: []string{"a-001", "b-001"}, Modes: []bench.Mode{bench.GHX, bench.AgentDirect}, Repetitions: 2, Order: runner.Sequential,
	})
	var got []string
	for _, c := range plan {
		got = append(got, c.String())
	}
	assert.Equal(t, []string{
		"a-001/ghx/1", "b-001/ghx/1", "a-001/ghx/2", "b-001/ghx/2",
		"a-001/agent_direct/1", "b-001/agent_direct/1", "a-001/agent_direct/2", "b-001/agent_direct/2",
	}, got)
}

func TestShardsAreDisjointAndTogetherThePlan(t *testing.T) {
	forRandomPlans(t, func(_ runner.PlanOptions, plan []bench.Cell, random *rand.Rand) {
		count := 1 + random.IntN(9)
		owner := map[bench.Cell]int{}
		together := map[string]int{}
		for index := 1; index <= count; index++ {
			at := -1
			for _, c := range (bench.Shard{Index: index, Count: count}).Of(plan) {
				assert.Zero(t, owner[c], "cell %s is in two shards", c)
				owner[c] = index
				after := slices.Index(plan, c)
				assert.Greater(t, after, at, "a shard has its cells in the order of the plan")
				at = after
				key := fmt.Sprint(c.ScenarioID, c.Iteration)
				if before, known := together[key]; known {
					assert.Equal(t, before, index, "all modes of an iteration of a scenario are in one shard")
				}
				together[key] = index
			}
		}
		assert.Len(t, owner, len(plan), "every cell is in a shard")
	})
}

func TestShardsAreOfAboutOneSize(t *testing.T) {
	forRandomPlans(t, func(opts runner.PlanOptions, plan []bench.Cell, random *rand.Rand) {
		count := 1 + random.IntN(9)
		var sizes []int
		for index := 1; index <= count; index++ {
			sizes = append(sizes, len(bench.Shard{Index: index, Count: count}.Of(plan)))
		}
		assert.LessOrEqual(t, slices.Max(sizes)-slices.Min(sizes), len(opts.Modes))
	})
}

func TestParseOrder(t *testing.T) {
	for _, name := range []string{"interleaved", "sequential"} {
		got, err := runner.ParseOrder(name)
		require.NoError(t, err)
		assert.Equal(t, runner.OrderKind(name), got)
	}
	_, err := runner.ParseOrder("random")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.ErrorContains(t, err, "use interleaved, blocks or sequential")
}

// Blocks are whole, one after the other, and neither mode is always first.
func TestV4TheModesOfABlockFollowEachOther(t *testing.T) {
	opts := runner.PlanOptions{
		ScenarioIDs: []string{"a-001", "b-001", "c-001"}, Modes: []bench.Mode{bench.AgentDirect, bench.GHX}, Repetitions: 6, Order: runner.Blocks, Seed: 3,
	}
	plan := runner.Plan(opts)
	require.Len(t, plan, 36)
	first, orders := map[bench.Mode]int{}, map[string]bool{}
	for at := 0; at < len(plan); at += 2 {
		one, other := plan[at], plan[at+1]
		assert.Equal(t, one.ScenarioID, other.ScenarioID)
		assert.Equal(t, one.Iteration, other.Iteration)
		assert.NotEqual(t, one.Mode, other.Mode)
		assert.Equal(t, at/6+1, one.Iteration, "an iteration is complete before the next begins")
		first[one.Mode]++
		if at%6 == 0 {
			orders[one.ScenarioID] = true
		}
	}
	assert.Len(t, first, 2)
	assert.Greater(t, len(orders), 1, "scenarios are in random order")
	assert.Equal(t, plan, runner.Plan(opts))
	opts.Seed++
	assert.NotEqual(t, plan, runner.Plan(opts))
}
