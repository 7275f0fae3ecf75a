package verify_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func TestV8ThePriceIsThatOfRunsWithoutAHistory(t *testing.T) {
	r := newRig(t)
	of := verify.Expecting{Model: "fake/one", ScenarioSet: "default", Modes: []bench.Mode{bench.AgentDirect, bench.GHX}}
	price := func() verify.Price {
		t.Helper()
		got, err := verify.PriceIn(r.suite.Dir, of)
		require.NoError(t, err)
		return got
	}
	dir := r.suite.Dir
	r.suite.Dir += "/none"
	assert.Zero(t, price(), "no run yet")
	r.suite.Dir = dir

	mean, took := map[bench.Mode]float64{}, map[bench.Mode]float64{}
	for _, row := range rowsOf(t, r.runMode(t, "run-1", bench.AgentDirect).Files) {
		mean[row.Mode] += row.Cost / 4
		took[row.Mode] += row.LatencyMSWall / 4
	}
	alone := price()
	assert.InDelta(t, mean[bench.AgentDirect], alone.USD, 1e-12, "ghx is taken to cost what is known")
	assert.Equal(t, "from 4 sessions in earlier runs of this set with this model; there is none yet in mode ghx, which is taken to cost what the others do", alone.Text())

	r.suite.Repetitions = 4
	for _, row := range rowsOf(t, r.runMode(t, "run-2", bench.GHX).Files) {
		mean[row.Mode] += row.Cost / 8
		took[row.Mode] += row.LatencyMSWall / 8
	}
	both := price()
	assert.InDelta(t, (mean[bench.AgentDirect]+mean[bench.GHX])/2, both.USD, 1e-12, "each mode counts alike")
	assert.InDelta(t, took[bench.AgentDirect], alone.LatencyMS, 1e-9)
	assert.InDelta(t, (took[bench.AgentDirect]+took[bench.GHX])/2, both.LatencyMS, 1e-9)
	assert.Equal(t, "from 12 sessions in earlier runs of this set with this model", both.Text())

	_, err := verify.PriceIn(r.suite.Folder()+"/run.json", of)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err), "a file is no folder of runs")

	of.ScenarioSet = "other"
	assert.Zero(t, price().Sessions)
	of.ScenarioSet, of.Model = "default", "fake/two"
	assert.Zero(t, price().Sessions)
}
