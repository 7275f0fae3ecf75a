package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
)

func TestV6APlanThatIsUsedUpSaysHowManyRepetitionsWouldTell(t *testing.T) {
	truth := alike(12)
	truth.CV = 0.5
	few := judge(t, design(t, bench.ProfileRegression, 2, 2), blocks(truth, 2, 3))
	require.Equal(t, bench.VerdictInconclusive, few.Verdict)
	assert.Nil(t, few.Further)
	enough := few.EnoughRepetitions
	require.Greater(t, enough, 2)
	assert.Contains(t, few.NextStep(), "a new run of about ")
	// So many of the same do tell.
	assert.NotEqual(t, bench.VerdictInconclusive, judge(t, design(t, bench.ProfileRegression, 2*enough, 2*enough), blocks(truth, 2*enough, 3)).Verdict)

	early := judge(t, regression(t), blocks(truth, 2, 3))
	assert.Zero(t, early.EnoughRepetitions, "the plan goes on")

	harmed := alike(30)
	harmed.CV, harmed.Harmed, harmed.HarmFactor = 0.1, 1, 6.2
	never := judge(t, design(t, bench.ProfileRegression, 12, 12), blocks(harmed, 12, 4))
	require.Equal(t, bench.CauseScenarioHarmed, never.Cause.Kind)
	assert.Zero(t, never.EnoughRepetitions, "more of them make it no less harmed")
	assert.Contains(t, never.NextStep(), "only more scenarios, or wider margins, would tell")
}

// One look needs less than the last of several: that the blocks that are there would
// have been enough for it helps nobody.
func TestV6ANewRunIsLongerThanTheOneThatCouldNotTell(t *testing.T) {
	truth, open := alike(12), 0
	truth.CV = 0.5
	for seed := range uint64(40) {
		v := judge(t, regression(t), blocks(truth, 12, seed))
		if v.Verdict == bench.VerdictInconclusive && v.EnoughRepetitions > 0 {
			open++
			assert.Greater(t, v.EnoughRepetitions, 12)
		}
	}
	assert.Positive(t, open)
}

// The margin is narrowed until no plan would tell: just before that the longest does.
func TestV6TheLongestPlanIsTriedToo(t *testing.T) {
	given := blocks(alike(12), 12, 6) // its candidate is 0.4 % cheaper
	enough := func(ratio float64) int {
		m := margins()
		m.CostRatio, m.LatencyRatio, m.SuccessDropPct = ratio, 10, 60
		d, err := evidence.NewDesign(bench.ProfileRegression, m, 12, 12)
		require.NoError(t, err)
		return judge(t, d, given).EnoughRepetitions
	}
	narrow, wide := 1.01, 1.03
	require.Zero(t, enough(narrow))
	for wide-narrow > 1e-6 {
		if middle := (narrow + wide) / 2; enough(middle) == 0 {
			narrow = middle
		} else {
			wide = middle
		}
	}
	assert.Equal(t, evidence.MaxBlocks, enough(wide))
}
