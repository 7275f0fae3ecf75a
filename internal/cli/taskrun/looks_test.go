package taskrun_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/cli/taskrun"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

const baseline bench.Mode = "agent@ba5e000"

// compared are options of a gate, whose two agents do tasks with these functions.
func compared(t *testing.T, tasks int, epochs string, do [2]func(call int, id string) harness.Progress) (taskrun.Options, [2]*fake) {
	t.Helper()
	var ids []string
	for i := range tasks {
		ids = append(ids, fmt.Sprintf("t%02d", i))
	}
	sides := [2]*fake{{all: ids, do: do[0]}, {all: ids, do: do[1]}}
	o := options(t, sides[1])
	tree := "ba5e7ree"
	o.Sides = append([]taskrun.Side{{Mode: baseline, Git: bench.GitRef{Commit: &tree, Tree: &tree}, Runner: sides[0].runner}}, o.Sides...)
	repetitions, err := bench.ParseRepetitions(epochs)
	require.NoError(t, err)
	o.Profile, o.Epochs = bench.ProfileRegression, repetitions.Most
	if repetitions.Adapt() {
		o.FirstLook = repetitions.First
	}
	margins := evidence.DefaultMargins(bench.Thresholds{})
	o.Margins = &margins
	return o, sides
}

func compare(t *testing.T, r *taskrun.Run) (all []bench.Evidence, err error) {
	t.Helper()
	err = r.Compare(t.Context(), func(e bench.Evidence) { all = append(all, e) })
	return all, err
}

func TestTheBaselineRunsBesideTheCandidate(t *testing.T) {
	var turns []string
	turn := func(name string) func(int, string) harness.Progress {
		return func(_ int, id string) harness.Progress {
			if id == "t00" {
				turns = append(turns, name)
			}
			return harness.Progress{Outcome: harness.Reward(1)}
		}
	}
	o, _ := compared(t, 12, "4", [2]func(int, string) harness.Progress{turn("baseline"), turn("candidate")})
	r := open(t, o)
	looks, err := compare(t, r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	assert.Equal(t, []string{"candidate", "baseline", "baseline", "candidate", "candidate", "baseline", "baseline", "candidate"}, turns)
	require.Len(t, looks, 1)
	assert.Equal(t, bench.VerdictPass, looks[0].Verdict)
	assert.Equal(t, 12, looks[0].Compared.Tasks)
	assert.Len(t, rowsOf(t, r), 2*4*12)
}

func TestAVerdictEndsTheRun(t *testing.T) {
	worse := func(int, string) harness.Progress { return harness.Progress{Outcome: harness.Reward(0)} }
	o, sides := compared(t, 12, "2..10", [2]func(int, string) harness.Progress{passes, worse})
	r := open(t, o)
	looks, err := compare(t, r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	assert.Equal(t, bench.VerdictFail, looks[len(looks)-1].Verdict)
	assert.Len(t, sides[0].asked, 2, "two epochs are enough to see that nothing is solved any more")
}

func TestVoidBlocksAreDoneAnewByBothSides(t *testing.T) {
	outage := func(call int, id string) harness.Progress {
		if call == 1 && id == "t03" {
			return harness.Progress{Outcome: harness.NoReward(harness.Infrastructure, "no network")}
		}
		return harness.Progress{Outcome: harness.Reward(1)}
	}
	o, sides := compared(t, 20, "4", [2]func(int, string) harness.Progress{passes, outage})
	r := open(t, o)
	looks, err := compare(t, r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	assert.Equal(t, bench.VerdictPass, looks[0].Verdict)
	for _, s := range sides {
		assert.Equal(t, []string{"t03"}, s.asked[len(s.asked)-1])
	}
	again := open(t, o)
	calls := len(sides[0].asked)
	looks, err = compare(t, again)
	require.NoError(t, err)
	require.NoError(t, again.Close())
	assert.Equal(t, bench.VerdictPass, looks[0].Verdict)
	assert.Len(t, sides[0].asked, calls, "a run that is done is looked at, and nothing is run")
}

// Parts of a plan that are run apart are the plan, and what tells nothing is done anew in
// epochs that no other part has.
func TestPartsAreDisjointAndHaveAllBlocks(t *testing.T) {
	const parts, epochs, tasks = 4, 4, 10 // each task is in two parts
	seen := map[bench.Cell]int{}
	for index := 1; index <= parts; index++ {
		again := map[string]bool{}
		outage := func(_ int, id string) harness.Progress {
			if id < "t03" && !again[id] {
				again[id] = true
				return harness.Progress{Outcome: harness.NoReward(harness.Infrastructure, "no network")}
			}
			return harness.Progress{Outcome: harness.Reward(1)}
		}
		o, sides := compared(t, tasks, fmt.Sprint(epochs), [2]func(int, string) harness.Progress{passes, outage})
		o.Tasks, o.Shard = sides[0].all, &bench.Shard{Index: index, Count: parts}
		r := open(t, o)
		require.NoError(t, r.Part(t.Context()))
		require.NoError(t, r.Close())
		sound := map[string]int{}
		for _, row := range rowsOf(t, r) {
			seen[row.Cell()]++
			if row.Mode == candidate && row.Reward.Status == string(harness.Scored) {
				sound[row.ScenarioID]++
			}
		}
		planned := 0
		for _, n := range sound {
			planned += n
		}
		assert.Equal(t, tasks*epochs/parts, planned, "part %d has all its blocks", index)
		resumed := open(t, o)
		calls := len(sides[1].asked)
		require.NoError(t, resumed.Part(t.Context()))
		require.NoError(t, resumed.Close())
		assert.Len(t, sides[1].asked, calls, "a part that is done is done")
	}
	for cell, times := range seen {
		assert.Equal(t, 1, times, cell)
	}
	for i := range tasks {
		for epoch := 1; epoch <= epochs; epoch++ {
			for _, mode := range []bench.Mode{baseline, candidate} {
				assert.Contains(t, seen, bench.Cell{ScenarioID: fmt.Sprintf("t%02d", i), Mode: mode, Iteration: epoch})
			}
		}
	}
}

func TestTimeoutsCountAsThePolicySays(t *testing.T) {
	slow := func(call int, id string) harness.Progress {
		if call == 1 && id < "t06" {
			return harness.Progress{Outcome: harness.NoReward(harness.Timeout, "slow")}
		}
		return harness.Progress{Outcome: harness.Reward(1)}
	}
	for policy, want := range map[harness.TimeoutPolicy]float64{harness.ChargeAgent: -6.0 / 24 / 4 * 100, harness.BlameInfrastructure: 0} {
		o, sides := compared(t, 24, "4", [2]func(int, string) harness.Progress{passes, slow})
		o.TimeoutPolicy = policy
		r := open(t, o)
		looks, err := compare(t, r)
		require.NoError(t, err)
		require.NoError(t, r.Close())
		success := looks[0].Endpoints[0]
		assert.InDelta(t, want, success.Change, 1e-9, policy)
		assert.Equal(t, policy == harness.BlameInfrastructure, len(sides[0].asked) > 4, "what tells nothing is done anew by both")
	}
}

func TestAGateStopsInAnOutage(t *testing.T) {
	away := false
	outage := func(call int, _ string) harness.Progress {
		if away = away || call == 2; away {
			return harness.Progress{Outcome: harness.NoReward(harness.Infrastructure, "no network")}
		}
		return harness.Progress{Outcome: harness.Reward(1)}
	}
	o, sides := compared(t, 24, "4", [2]func(int, string) harness.Progress{passes, outage})
	r := open(t, o)
	looks, err := compare(t, r)
	require.ErrorContains(t, err, "the run gave none of 24 tasks a reward; task t00: no network")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	require.NoError(t, r.Close())
	assert.Empty(t, looks)
	assert.Len(t, sides[1].asked, 2, "nothing more is asked for")

	sides[1].do = passes
	r = open(t, o)
	looks, err = compare(t, r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	assert.Contains(t, looks[0].Sentence, "Of 120 blocks, 0 are void in the baseline and 24 in the candidate", "what the outage took is done anew")
}

func TestALeftOutTaskIsAFailure(t *testing.T) {
	silent := func(_ int, id string) harness.Progress {
		if id < "t06" {
			return harness.Progress{Outcome: harness.NoReward(harness.Missing, "")}
		}
		return harness.Progress{Outcome: harness.Reward(1)}
	}
	o, _ := compared(t, 12, "2..10", [2]func(int, string) harness.Progress{passes, silent})
	r := open(t, o)
	looks, err := compare(t, r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	assert.Equal(t, bench.VerdictFail, looks[len(looks)-1].Verdict)
}

func TestWhatNoTaskTellsHasNoFigure(t *testing.T) {
	told := func(int, string) harness.Progress {
		return harness.Progress{Outcome: harness.Reward(1), Measured: harness.Measured{Duration: time.Second, CostUSD: 0.5}}
	}
	for _, do := range []func(int, string) harness.Progress{passes, told} {
		o, _ := compared(t, 12, "4", [2]func(int, string) harness.Progress{do, do})
		r := open(t, o)
		looks, err := compare(t, r)
		require.NoError(t, err)
		require.NoError(t, r.Close())
		sentence := looks[0].Sentence
		if looks[0].Endpoints[2].Untold {
			assert.Equal(t, "—", looks[0].Endpoints[1].ChangeText())
			assert.Contains(t, sentence, "cost not told; latency not told")
			assert.NotContains(t, sentence, "0 %")
			continue
		}
		assert.Contains(t, sentence, "cost 0 % (0 to 0); latency 0 % (0 to 0)")
	}
}

func TestTooFewTasksAreRefused(t *testing.T) {
	o, _ := compared(t, 1, "4", [2]func(int, string) harness.Progress{passes, passes})
	r := open(t, o)
	_, err := compare(t, r)
	require.ErrorContains(t, err, "1 scenario(s) with 4 repetitions cannot pass profile regression")
	require.NoError(t, r.Close())
}

// The simulation of the gate: 40 tasks, of which the baseline passes 70 %, in
// experiments of 8 gates. Each gate compares with the baseline as it is, run again,
// and not with the luckiest score of the past. Rewards decide: cost and latency are
// alike.
func TestHowOftenTheGateIsWrong(t *testing.T) {
	const tasks, rate, gates = 40, 0.7, 8
	experiments := 15
	if testkit.IsComplete() {
		experiments = 500
	}
	for _, epochs := range []string{"10", "2..10"} {
		o, _ := compared(t, 1, epochs, [2]func(int, string) harness.Progress{passes, passes})
		design, err := o.Design()
		require.NoError(t, err)
		// passed returns how often a candidate of that rate passes at each gate.
		passed := func(candidate float64, seed uint64) (all []int) {
			for gate := range gates {
				truth := evidence.Truth{Scenarios: tasks, SuccessRate: rate, SuccessDrop: rate - candidate}
				all = append(all, design.Simulate(truth, experiments, seed+uint64(gate)).Pass)
			}
			return all
		}
		total := experiments * gates
		equal, worse, better := passed(rate, 100), passed(rate-0.15, 200), passed(rate+0.10, 300)
		t.Logf("%s epochs, %d gates: equal %d, 15 points worse %d, 10 points better %v passed", epochs, total, sum(equal), sum(worse), better)
		assert.GreaterOrEqual(t, sum(equal), total*93/100)
		// Five in a hundred, and what chance adds to that in so few: 73 of 1,000.
		assert.LessOrEqual(t, float64(sum(worse)), 0.05*float64(total)+3.3*math.Sqrt(0.05*0.95*float64(total)))
		assert.GreaterOrEqual(t, slices.Min(better), experiments*95/100, "at the eighth gate as at the first")
	}
	t.Run("the seed's rule, for comparison, loses better agents to lucky scores", func(t *testing.T) {
		first, last := 0, 0
		for experiment := range 200 {
			random := rand.New(rand.NewPCG(7, uint64(experiment)))
			best := score(random, tasks, rate)
			for gate := range gates {
				now := score(random, tasks, rate+0.10)
				if now >= best {
					first += one(gate == 0)
					last += one(gate == gates-1)
				}
				best = max(best, now)
			}
		}
		assert.Greater(t, first, 3*last, "of 200 better agents %d pass at the first gate and %d at the last", first, last)
	})
}

func score(random *rand.Rand, tasks int, rate float64) (passed int) {
	for range tasks {
		passed += one(random.Float64() < rate)
	}
	return passed
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

func sum(of []int) (total int) {
	for _, n := range of {
		total += n
	}
	return total
}
