package gate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
)

func TestG18AProfileThatDecidesByEvidenceHasFiguresAndNoChecks(t *testing.T) {
	rows := manyRows(400, 4)
	opts := gate.Options{Profile: bench.VerifyPR, Thresholds: bench.DefaultThresholds(bench.VerifyPR), Seed: 1}
	checked := summarize(t, rows, opts)
	opts.Profile = bench.ProfileRegression
	s := summarize(t, rows, opts)
	assert.Len(t, checked.Gate.Checks, len(bench.CheckNames()))
	assert.Empty(t, s.Gate.Checks)
	assert.False(t, s.Gate.Passed)
	assert.Equal(t, checked.Modes, s.Modes)
	assert.Equal(t, checked.Delta, s.Delta)
	assert.Equal(t, checked.Scenarios, s.Scenarios)
	assert.Equal(t, checked.Gate.Efficiency, s.Gate.Efficiency)
}
