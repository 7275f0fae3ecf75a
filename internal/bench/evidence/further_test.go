package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
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
