package verify_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

// adapting is a rig whose run is looked at after 10 repetitions, which decide that
// the tool is not worse, and could go on to 12.
func adapting(t *testing.T) (r *rig, looked *[]bench.Evidence) {
	r, looked = sequenceRig(t), &[]bench.Evidence{}
	r.suite.FirstLook, r.suite.Repetitions = 10, 12
	r.suite.Looked = func(e bench.Evidence) { *looked = append(*looked, e) }
	return r, looked
}

func TestV7ARunEndsAsSoonAsItsRowsDecide(t *testing.T) {
	r, looked := adapting(t)
	v, err := verify.Verify(t.Context(), r.sequence(nil), r.suite, r.deps, wide())
	require.NoError(t, err)
	require.Len(t, *looked, 1)
	assert.Equal(t, bench.VerdictPass, (*looked)[0].Verdict)
	assert.Equal(t, 40, v.Rows, "no session of the last two repetitions is paid for")
	assert.Positive(t, v.CostUSD)
	assert.Empty(t, v.Left)
	saved, err := ledger.LoadRun(r.suite.Folder())
	require.NoError(t, err)
	assert.Equal(t, 10, saved.DecidedAt)
	assert.Empty(t, saved.Stops)
	assert.Equal(t, bench.VerdictPass, v.Summary.Gate.Verdict)
	assert.Empty(t, v.Summary.Missing, "what was not needed is not missing")
	assert.Len(t, r.history(t), 1, "it is a whole run")
}

func TestV7ARunGoesOnWhileItsRowsDoNotDecide(t *testing.T) {
	r, looked := adapting(t)
	how := wide()
	how.Margins.SuccessDropPct = 5
	v, err := verify.Verify(t.Context(), r.sequence(nil), r.suite, r.deps, how)
	require.NoError(t, err)
	assert.Len(t, *looked, 1, "the last is the report's")
	assert.Equal(t, 48, v.Rows)
	assert.Zero(t, v.Info.DecidedAt)
	assert.Len(t, v.Summary.Evidence.Looks, 2)
}

// What is looked at on the way is what the report counts.
func TestV7ALookIsAtTheRowsThatCount(t *testing.T) {
	t.Run("not those of another run in the file", func(t *testing.T) {
		r, looked := adapting(t)
		r.suite.OutputJSONL = filepath.Join(r.suite.Dir, "rows.jsonl")
		suite := r.suite
		r.suite.RunID, r.suite.Repetitions, r.suite.FirstLook = "run-0", 4, 0
		r.run(t.Context(), t)
		forge(t, []string{suite.OutputJSONL}, func(row map[string]any) {
			row["iteration"] = row["iteration"].(float64) + 12
			row["variation"].(map[string]any)["number"] = row["iteration"]
		})
		r.suite = suite
		v, err := verify.Verify(t.Context(), r.sequence(nil), r.suite, r.deps, wide())
		require.NoError(t, err)
		require.Len(t, *looked, 1)
		assert.Len(t, (*looked)[0].Looks, 1)
		assert.Zero(t, (*looked)[0].BlocksNotJudged)
		assert.Equal(t, 10, v.Info.DecidedAt)
		assert.Len(t, v.Info.Sums[bench.GHX]["a-001"], 10, "its own")
	})
	t.Run("V10: not those of a scenario that is not counted", func(t *testing.T) {
		r, looked := adapting(t)
		r.suite.FirstLook, r.suite.Repetitions = 20, 22
		r.suite.NotCounted = map[string]string{"b-001": "the scenario is not counted: it is in quarantine"}
		r.provider.OnPrompt = func(ctx context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
			if s.Setup.Mode == bench.GHX && p.Play.ScenarioID == "b-001" {
				return agent.Turn{Text: "no answer"}, nil
			}
			return r.turn(ctx, s, p)
		}
		v, err := verify.Verify(t.Context(), r.sequence(nil), r.suite, r.deps, wide())
		require.NoError(t, err)
		require.Len(t, *looked, 1)
		assert.Equal(t, bench.VerdictPass, (*looked)[0].Verdict, (*looked)[0].Sentence)
		require.Len(t, v.Summary.Evidence.Scenarios, 1)
		assert.Equal(t, "a-001", v.Summary.Evidence.Scenarios[0].ID)
	})
}

func TestV7NothingIsLookedAtBeforeTheLook(t *testing.T) {
	r, looked := adapting(t)
	v, err := verify.Verify(r.stopAfter(t, 39), r.sequence(nil), r.suite, r.deps, wide())
	require.NoError(t, err)
	assert.Empty(t, *looked, "one cell is left")
	assert.Equal(t, bench.MissingStopped, v.Stopped)
	assert.Len(t, v.Left, 1)
	assert.Equal(t, 39, v.Rows)
	assert.Empty(t, v.Summary.Gate.Verdict)
}

// What cannot be judged is known before anything is paid for.
func TestV7LooksThatCannotBeAreRefusedBeforeASession(t *testing.T) {
	for name, c := range map[string]struct {
		alter func(t *testing.T, r *rig, how *verify.JudgeOptions)
		says  string
	}{
		"margins that make no sense":      {func(_ *testing.T, _ *rig, how *verify.JudgeOptions) { how.Margins.CostRatio = 0.5 }, "the margin of the cost is a ratio of 0.5"},
		"more at least than there may be": {func(_ *testing.T, r *rig, _ *verify.JudgeOptions) { r.suite.FirstLook = 13 }, "repetitions 13..12"},
		"more at least than there may be, beside an earlier run": {func(_ *testing.T, r *rig, _ *verify.JudgeOptions) {
			r.suite.FirstLook = 13
			r.suite.Continues = []ledger.Begun{{RunID: "run-0", Repetitions: 6, At: r.now.AddDate(0, 0, -1)}}
		}, "repetitions 13..12"},
		"margins that make no sense, where there is one look": {func(_ *testing.T, r *rig, how *verify.JudgeOptions) {
			r.suite.FirstLook, how.Margins.CostRatio = 0, 0.5
		}, "the margin of the cost is a ratio of 0.5"},
		"a single repetition": {func(_ *testing.T, r *rig, _ *verify.JudgeOptions) { r.suite.FirstLook, r.suite.Repetitions = 0, 1 }, "at least 2 repetitions"},
		"a mode with itself":  {func(_ *testing.T, _ *rig, how *verify.JudgeOptions) { how.Baseline = bench.GHX }, "evidence compares two modes"},
		"a run whose file is broken": {func(t *testing.T, r *rig, _ *verify.JudgeOptions) {
			require.NoError(t, os.Mkdir(r.suite.Folder(), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(r.suite.Folder(), ledger.RunFile), []byte("{"), 0o600))
		}, ledger.RunFile},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := adapting(t)
			how := wide()
			c.alter(t, r, &how)
			_, err := verify.Verify(t.Context(), r.sequence(nil), r.suite, r.deps, how)
			require.ErrorContains(t, err, c.says)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.Empty(t, r.provider.Sessions())
		})
	}
}

func TestN10WhatIsLeftOfAStoppedRunIsAllOfIt(t *testing.T) {
	r := byEvidence(t)
	first := r.suite.Plan()[0]
	r.providerFailsIn(first.String())
	result := r.run(r.stopAfter(t, 3), t)
	assert.Equal(t, r.suite.Plan()[3:], result.Left, "not the new block alone")
	assert.Empty(t, result.Info.Refills)

	r = byEvidence(t)
	r.providerFailsIn(first.String())
	result = r.run(r.stopAfter(t, 15), t)
	assert.Equal(t, r.suite.Plan()[15:], result.Left)
}

func TestN10MoreThanAQuarterIsNotRefilled(t *testing.T) {
	for repetitions, rows := range map[int]int{11: 22, 12: 30} {
		r := byEvidence(t)
		r.suite.Scenarios, r.suite.Repetitions = r.suite.Scenarios[:1], repetitions
		r.providerFailsIn("a-001/ghx/1", "a-001/ghx/2", "a-001/ghx/3")
		assert.Len(t, rowsOf(t, r.run(t.Context(), t).Files), rows, "three of %d", repetitions)
	}
}

// A process may be killed in a refill: its cells are known before they run.
func TestN10RefillsAreNotedBeforeTheyRun(t *testing.T) {
	r := byEvidence(t)
	r.providerFailsIn("b-001/ghx/1")
	r.afterRow = func(rows int) {
		info, err := ledger.LoadRun(r.suite.Folder())
		if assert.NoError(t, err) && rows > 16 {
			assert.Len(t, info.Refills, 2)
		}
	}
	assert.Len(t, rowsOf(t, r.run(t.Context(), t).Files), 18)
}

// The next repetitions take the place of void ones, which are planned anyway.
func TestN10ALookTakesWhatIsPlannedForWhatIsVoid(t *testing.T) {
	r, looked := adapting(t)
	r.providerFailsIn("b-001/ghx/1")
	v, err := verify.Verify(t.Context(), r.sequence(nil), r.suite, r.deps, wide())
	require.NoError(t, err)
	require.Len(t, *looked, 1)
	assert.Len(t, (*looked)[0].Looks, 1, "there are as many blocks as it takes")
	assert.Empty(t, v.Info.Refills)
	assert.Equal(t, 42, v.Rows)
	assert.Empty(t, v.Summary.Missing)
}

func TestN10AVoidBlockIsRefilledInAnyOrder(t *testing.T) {
	for _, order := range []runner.OrderKind{runner.Sequential, runner.Interleaved} {
		r := byEvidence(t)
		r.suite.Order = order
		r.providerFailsIn("b-001/ghx/1")
		assert.Equal(t, []string{"b-001/agent_direct/5", "b-001/ghx/5"}, beyond(4, rowsOf(t, r.run(t.Context(), t).Files)), order)
	}
}

// unsaved makes a run's description be one that cannot be saved.
func (r *rig) unsaved(t *testing.T) {
	t.Helper()
	path := filepath.Join(r.suite.Folder(), ledger.RunFile)
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.MkdirAll(filepath.Join(path, "x"), 0o755))
}

// A run that could not tell what it came to ends, with what was done.
func TestADescriptionThatCannotBeSavedIsAnError(t *testing.T) {
	for name, c := range map[string]struct{ firstLook, at, rows int }{"at its end": {0, 48, 48}, "at a look": {10, 40, 40}} {
		r, _ := adapting(t)
		r.suite.FirstLook = c.firstLook
		r.afterRow = func(rows int) {
			if rows == c.at {
				r.unsaved(t)
			}
		}
		var steps []verify.Step
		how := wide()
		how.Margins.SuccessDropPct = 5 // the look does not decide
		v, err := verify.Verify(t.Context(), r.sequence(&steps), r.suite, r.deps, how)
		require.ErrorContains(t, err, "save run run-1", name)
		assert.Equal(t, fault.Infrastructure, fault.KindOf(err), name)
		assert.Equal(t, c.rows, v.Rows, name)
		assert.Len(t, r.provider.Sessions(), c.rows, name)
		assert.Equal(t, []verify.Step{verify.StepSeed, verify.StepRun}, steps, name)
	}
}

func TestAnErrorThatLeavesNothingIsTold(t *testing.T) {
	r := byEvidence(t)
	r.suite.Scenarios[0].Fixture = &bench.Fixture{Requires: []string{"pr"}}
	var steps []verify.Step
	how := wide()
	_, err := verify.Verify(t.Context(), r.sequence(&steps), r.suite, r.deps, how)
	require.Error(t, err)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.Equal(t, []verify.Step{verify.StepSeed, verify.StepRun}, steps, "nothing is reported")
}
