package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
)

func TestV9SeparateRunsHaveTheFiguresOfAVerdictAndNone(t *testing.T) {
	truth := alike(3)
	truth.CostLog = 0.7
	sides := [2]bench.Side{{Mode: bench.GHXBase, Commits: []string{"b"}}, {Mode: bench.GHX, Commits: []string{"d"}}}
	data := evidence.Data{Blocks: blocks(truth, 4, 1), LeftOut: []bench.LeftOut{{Reason: "why", Rows: 1}}, Baseline: sides[0], Candidate: sides[1]}
	once := design(t, bench.ProfileRegression, 4, 4)
	judged, compared := once.Judge(data), once.Compare(data)
	sound(t, compared)

	require.Equal(t, bench.VerdictFail, judged.Verdict)
	assert.Equal(t, sides, [2]bench.Side{judged.Compared.Baseline, judged.Compared.Candidate}, "a verdict says what it is of")
	assert.Equal(t, bench.VerdictNone, compared.Verdict)
	assert.Equal(t, bench.CauseSeparateRuns, compared.Cause.Kind)
	assert.Contains(t, compared.Sentence, "figures, and no verdict; success")
	assert.Equal(t, judged.Endpoints, compared.Endpoints)
	assert.Equal(t, judged.Described, compared.Described)
	assert.Equal(t, judged.LeftOut, compared.LeftOut)
	assert.Equal(t, judged.Baseline, compared.Baseline)
	assert.Zero(t, compared.BlocksNotJudged)
	assert.Empty(t, compared.Looks)
	for i := range judged.Scenarios {
		assert.Equal(t, judged.Scenarios[i].Cost, compared.Scenarios[i].Cost)
		assert.Empty(t, compared.Scenarios[i].Without, "a verdict")
		assert.Empty(t, compared.Scenarios[i].Harmed)
	}
}

func TestV9SeparateRunsThatWereLookedAtHaveWiderIntervalsOverAllBlocks(t *testing.T) {
	truth := alike(3)
	truth.CostLog = 2
	data := evidence.Data{Blocks: blocks(truth, 5, 1)}
	once, often := design(t, bench.ProfileRegression, 4, 4).Compare(data), regression(t).Compare(data)
	require.Len(t, often.Endpoints, 3)
	assert.Equal(t, 12, often.Baseline.Sessions, "an early look would have been a FAIL, and is not the last")
	assert.Equal(t, 3, often.BlocksNotJudged)
	require.Len(t, often.LeftOut, 1)
	assert.Equal(t, "not judged: the look after 6 repetitions of every scenario is not whole", often.LeftOut[0].Reason)
	require.Len(t, once.LeftOut, 1)
	assert.Equal(t, evidence.ReasonAfterEnd, once.LeftOut[0].Reason)
	for i := range once.Endpoints {
		assert.Equal(t, once.Endpoints[i].Change, often.Endpoints[i].Change)
		assert.Less(t, often.Endpoints[i].Interval[0], once.Endpoints[i].Interval[0])
		assert.Greater(t, often.Endpoints[i].Interval[1], once.Endpoints[i].Interval[1])
	}
}

func TestV11NothingToCompareHasNoFigures(t *testing.T) {
	dead := alike(3)
	dead.SuccessRate = 0
	for kind, data := range map[bench.CauseKind]evidence.Data{
		bench.CauseNothingSucceeded: {Blocks: blocks(dead, 4, 1)},
		bench.CauseNoLook:           {Blocks: blocks(alike(3), 1, 1)},
	} {
		v := regression(t).Compare(data)
		sound(t, v)
		assert.Equal(t, kind, v.Cause.Kind)
		assert.Equal(t, bench.VerdictNone, v.Verdict)
		assert.Empty(t, v.Endpoints)
		assert.Empty(t, v.Scenarios)
	}
	assert.Zero(t, evidence.Data{}.Sound())
}

func TestSoundCountsTheScenarioThatHasTheFewest(t *testing.T) {
	few := blocks(alike(2), 3, 1)
	few[4].Candidate.Void = "the provider failed"
	assert.Equal(t, 2, evidence.Data{Blocks: few}.Sound())
}
