package verify_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func calibrating() verify.JudgeOptions {
	how := judging()
	how.Profile, how.Baseline, how.Candidate = bench.ProfileRegression, bench.AgentDirect, bench.GHX
	return how
}

// A calibration draws from rows, and says what those come to themselves.
func TestV12ACalibrationIsOfTheRowsOfARun(t *testing.T) {
	r := byEvidence(t)
	source := r.source(t)
	how := calibrating()
	c, err := how.Calibrating(source, false)
	require.NoError(t, err)
	require.NotNil(t, c.Run)
	assert.Equal(t, 8, c.Run.Baseline.Sessions)
	assert.Equal(t, []int{4}, c.Run.Schedule, "as it was planned")
	assert.True(t, c.Simulated)
	assert.Empty(t, c.Notes)
	assert.Equal(t, bench.DefaultThresholds(bench.ProfileRegression), c.Thresholds)

	sessions := func(c verify.Calibrating) int {
		t.Helper()
		margins := how
		margins.Margins.SuccessDropPct = 45
		design, err := margins.Design(bench.Repetitions{First: 4, Most: 4}, c.Thresholds)
		require.NoError(t, err)
		drawn, err := design.Calibrate(c.Pool, 1, 1, func(int, int) {})
		require.NoError(t, err)
		return drawn.Sessions
	}
	assert.Equal(t, 8, sessions(c), "those of the baseline")
	both, err := how.Calibrating(source, true)
	require.NoError(t, err)
	assert.Equal(t, 16, sessions(both), "a tool that is compared with itself has both")

	tear(t, source.Files[0])
	c, err = how.Calibrating(source, false)
	require.NoError(t, err)
	require.Len(t, c.Notes, 1)
	assert.Contains(t, c.Notes[0], "was not written whole")

	alone := calibrating()
	alone.Candidate = bench.MCP
	c, err = alone.Calibrating(source, false)
	require.NoError(t, err)
	assert.Nil(t, c.Run, "one mode has no rows")
	assert.Equal(t, 7, sessions(c), "it is drawn from all the same, but for the torn one")
	assert.True(t, c.Simulated)
	alone.Baseline, alone.Candidate = bench.MCP, bench.GHX
	c, err = alone.Calibrating(source, false)
	require.NoError(t, err)
	assert.Nil(t, c.Run)
}

func TestV12WhatCannotBeCalibratedSaysWhy(t *testing.T) {
	r := byEvidence(t)
	source := r.source(t)
	for name, c := range map[string]struct {
		source verify.Source
		alter  func(how *verify.JudgeOptions)
		says   string
	}{
		"no ledger":             {verify.Source{Files: []string{filepath.Join(r.suite.Dir, "gone.jsonl")}}, func(*verify.JudgeOptions) {}, "gone.jsonl"},
		"a mode with itself":    {source, func(how *verify.JudgeOptions) { how.Candidate = how.Baseline }, "evidence compares two modes"},
		"a model that is none":  {source, func(how *verify.JudgeOptions) { how.Model = "nonsense" }, "nonsense"},
		"a margin that is none": {source, func(how *verify.JudgeOptions) { how.Margins.CostRatio = 0.5 }, "the margin of the cost is a ratio of 0.5"},
	} {
		how := calibrating()
		c.alter(&how)
		_, err := how.Calibrating(c.source, false)
		require.ErrorContains(t, err, c.says, name)
		assert.Equal(t, fault.Invalid, fault.KindOf(err), name)
	}
	forge(t, source.Files[:1], func(row map[string]any) { row["scenario_hash"] = "other" })
	_, err := calibrating().Calibrating(source, false)
	require.ErrorContains(t, err, "are of different contents")
}

// The note on a line that does not count is read where there is nothing else.
func TestV12ATornLineIsToldBesideAnError(t *testing.T) {
	r := byEvidence(t)
	source := r.source(t)
	tear(t, source.Files[0])
	fails := func(source verify.Source, alter func(how *verify.JudgeOptions), says string) {
		t.Helper()
		how := calibrating()
		alter(&how)
		c, err := how.Calibrating(source, false)
		require.ErrorContains(t, err, says)
		require.Len(t, c.Notes, 1)
	}
	nothing := func(*verify.JudgeOptions) {}
	gone := source
	gone.Files = append(slices.Clone(source.Files), filepath.Join(r.suite.Dir, "gone.jsonl"))
	fails(gone, nothing, "gone.jsonl")
	fails(source, func(how *verify.JudgeOptions) { how.Model = "nonsense" }, "nonsense")
	fails(source, func(how *verify.JudgeOptions) { how.Margins.CostRatio = 0.5 }, "the margin of the cost is a ratio of 0.5")
	forge(t, source.Files[1:], func(row map[string]any) { row["scenario_hash"] = "other" })
	fails(source, nothing, "are of different contents")
}

// A model that nobody stood in for has made its rows.
func TestG15OnlyACalibrationOfSimulatedRowsSaysSo(t *testing.T) {
	source := byEvidence(t).source(t)
	forge(t, source.Files, func(row map[string]any) { row["simulated"] = row["iteration"] == 2.0 })
	c, err := calibrating().Calibrating(source, false)
	require.NoError(t, err)
	assert.True(t, c.Simulated, "some were")
	forge(t, source.Files, func(row map[string]any) { row["simulated"] = false })
	c, err = calibrating().Calibrating(source, false)
	require.NoError(t, err)
	assert.False(t, c.Simulated)
}
