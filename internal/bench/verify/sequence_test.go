package verify_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

// wide are margins by which the rig's suite of six repetitions passes.
func wide() verify.JudgeOptions {
	how := judging()
	how.Profile, how.Margins.SuccessDropPct = bench.ProfileRegression, 45
	return how
}

func sequenceRig(t *testing.T) *rig {
	r := byEvidence(t)
	tree := "7ee"
	r.suite.Repetitions, r.suite.Git.Tree = 6, &tree
	return r
}

func (r *rig) judge(t *testing.T, how verify.JudgeOptions) bench.Evidence {
	t.Helper()
	v, err := verify.Verify(t.Context(), r.sequence(nil), r.suite, r.deps, how)
	require.NoError(t, err)
	require.NotNil(t, v.Summary.Evidence)
	return *v.Summary.Evidence
}

// failing has the candidate fail in its runner.
func (r *rig) failing(iterations int) {
	r.provider.OnPrompt = func(ctx context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
		if s.Setup.Mode == bench.GHX && p.Play.Iteration <= iterations {
			return agent.Turn{}, errors.New("crashed")
		}
		return r.turn(ctx, s, p)
	}
}

func TestV7WhatWasSeenCannotBeTalkedIntoAPass(t *testing.T) {
	testkit.NeedComplete(t)
	other := "other"
	again := func(r *rig) {
		r.provider.OnPrompt = r.turn
		r.next("run-2")
	}
	take := func(t *testing.T, r *rig) {
		earlier, err := r.suite.Earlier(r.provider.Info, filepath.Join(r.suite.Dir, "run-1"))
		require.NoError(t, err)
		again(r)
		r.suite.Rows, r.suite.LeftOut, r.suite.Continues = earlier.Rows, earlier.LeftOut, earlier.Continues
	}
	for name, c := range map[string]struct {
		failures int
		then     func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence
		verdict  bench.Verdict
		cause    bench.CauseKind
	}{
		"nothing is tried": {0, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			return *r.report(t, how).Evidence
		}, bench.VerdictPass, bench.CauseNotWorse},
		"it is resumed": {5, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			r.provider.OnPrompt = r.turn
			return r.judge(t, how)
		}, bench.VerdictFail, bench.CauseHarm},
		"its rows are taken over": {5, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			take(t, r)
			return r.judge(t, how)
		}, bench.VerdictFail, bench.CauseHarm},
		"its rows are taken over into more repetitions": {2, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			take(t, r)
			r.suite.Repetitions = 40
			judged := r.judge(t, how)
			assert.Equal(t, []int{6}, judged.Schedule, "the earlier run's")
			assert.Equal(t, 34*len(r.suite.Scenarios), judged.BlocksNotJudged)
			assert.Equal(t, "136 rows: not judged: the block came after the last look", judged.LeftOut[0].Text())
			assert.Equal(t, bench.Cell{ScenarioID: "a-001", Mode: bench.AgentDirect, Iteration: 7}, judged.LeftOut[0].Cells[0])
			return judged
		}, bench.VerdictFail, bench.CauseHarm},
		"its rows are taken over into more repetitions, which fail": {0, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			take(t, r)
			r.suite.Repetitions = 12
			r.failing(12)
			return r.judge(t, how)
		}, bench.VerdictPass, bench.CauseNotWorse},
		"its rows are taken over into more repetitions by a run that does not know when it began": {0, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			take(t, r)
			r.suite.Continues[0].At, r.suite.Repetitions = time.Time{}, 40
			return r.judge(t, how)
		}, bench.VerdictInconclusive, bench.CauseSetAfterwards},
		"its rows are taken over without its file": {0, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			require.NoError(t, os.Remove(filepath.Join(r.suite.Folder(), ledger.RunFile)))
			take(t, r)
			return r.judge(t, how)
		}, bench.VerdictInconclusive, bench.CausePlanUnknown},
		"it is run again": {5, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			again(r)
			return r.judge(t, how)
		}, bench.VerdictInconclusive, bench.CauseEarlierSequence},
		"it is run again after a pass": {0, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			again(r)
			return r.judge(t, how)
		}, bench.VerdictPass, bench.CauseNotWorse},
		"it is run again on another commit": {5, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			again(r)
			r.suite.Git.Commit, r.suite.Git.Tree = &other, &other
			return r.judge(t, how)
		}, bench.VerdictPass, bench.CauseNotWorse},
		"it is run again on an empty commit": {5, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			again(r)
			r.suite.Git.Commit = &other
			return r.judge(t, how)
		}, bench.VerdictInconclusive, bench.CauseEarlierSequence},
		"it is run again on the same commit with a change": {5, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			again(r)
			r.suite.Git.Tree = &other
			return r.judge(t, how)
		}, bench.VerdictPass, bench.CauseNotWorse},
		"it is run again with another mode beside": {5, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			again(r)
			r.suite.Modes = append(r.suite.Modes, bench.MCP)
			return r.judge(t, how)
		}, bench.VerdictInconclusive, bench.CauseEarlierSequence},
		"margins are widened": {0, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			how.Margins.SuccessDropPct = 60
			return *r.report(t, how).Evidence
		}, bench.VerdictInconclusive, bench.CauseSetAfterwards},
		"the ledgers alone are named": {0, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			files, err := ledger.Files(r.suite.Folder())
			require.NoError(t, err)
			reported, err := verify.Report(verify.Source{Files: files}, how)
			require.NoError(t, err)
			return *reported.Summary.Evidence
		}, bench.VerdictInconclusive, bench.CausePlanUnknown},
		"a block is taken away": {0, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			r.providerFailsIn("b-001/ghx/6")
			r.suite.Dir = t.TempDir()
			r.run(t.Context(), t) // there is one block more than are looked at
			r.without(t, "b-001", 2)
			return *r.report(t, how).Evidence
		}, bench.VerdictInconclusive, bench.CauseNoLook},
		"a block is taken away before others": {0, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			r.suite.Dir, r.suite.FirstLook = t.TempDir(), 4
			info := r.run(t.Context(), t).Info
			info.Margins = &bench.Margins{SuccessDropPct: 45, CostRatio: 2, LatencyRatio: 2}
			require.NoError(t, info.Save(r.suite.Folder()))
			require.Equal(t, bench.VerdictPass, r.report(t, how).Evidence.Verdict)
			r.without(t, "b-001", 2)
			return *r.report(t, how).Evidence
		}, bench.VerdictInconclusive, bench.CauseRowsMissing},
		"its failures are taken away, and it is resumed": {5, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			r.leave(t, succeeded)
			r.provider.OnPrompt = r.turn
			return r.judge(t, how)
		}, bench.VerdictFail, bench.CauseEarlierSequence},
		"its failures are taken away, and its rows are taken over": {5, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			r.leave(t, succeeded)
			take(t, r)
			return r.judge(t, how)
		}, bench.VerdictFail, bench.CauseEarlierSequence},
		"its failures are taken away, and what it came to": {2, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			r.leave(t, succeeded)
			r.forget(t)
			r.provider.OnPrompt = r.turn
			return r.judge(t, how)
		}, bench.VerdictInconclusive, bench.CauseRowsMissing},
		"its failures are taken away, and what it came to, and its rows are taken over": {2, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			r.leave(t, succeeded)
			r.forget(t)
			take(t, r)
			return r.judge(t, how)
		}, bench.VerdictInconclusive, bench.CauseRowsMissing},
		"its failures are made successes, and what it came to is taken away": {2, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			r.embellish(t)
			r.forget(t)
			return *r.report(t, how).Evidence
		}, bench.VerdictInconclusive, bench.CauseRowsChanged},
		"its failures are made successes, and what it came to is taken away, and it is resumed": {2, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			r.embellish(t)
			r.forget(t)
			return r.judge(t, how)
		}, bench.VerdictInconclusive, bench.CauseRowsChanged},
		"its failures are made successes, and what it came to is taken away, and its rows are taken over": {2, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			r.embellish(t)
			r.forget(t)
			take(t, r)
			return r.judge(t, how)
		}, bench.VerdictInconclusive, bench.CauseRowsChanged},
		"its failures are made successes, and what it came to is taken away, and it is resumed twice": {2, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			r.embellish(t)
			r.forget(t)
			require.Equal(t, bench.CauseRowsChanged, r.judge(t, how).Cause.Kind)
			return r.judge(t, how)
		}, bench.VerdictInconclusive, bench.CauseRowsChanged},
		"its failures are made successes after a fail": {5, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			r.embellish(t)
			return *r.report(t, how).Evidence
		}, bench.VerdictFail, bench.CauseEarlierSequence},
		"its ledgers are written anew in another order": {0, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			r.rewrite(t, slices.Reverse[[]bench.Row])
			return r.judge(t, how)
		}, bench.VerdictPass, bench.CauseNotWorse},
		"margins are widened after a fail": {5, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			how.Margins.SuccessDropPct = 99
			return *r.report(t, how).Evidence
		}, bench.VerdictFail, bench.CauseEarlierSequence},
		"it is resumed with wider margins after a fail": {5, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			how.Margins.SuccessDropPct = 99
			require.Equal(t, bench.VerdictFail, r.judge(t, how).Verdict)
			return r.judge(t, how)
		}, bench.VerdictFail, bench.CauseEarlierSequence},
		"a scenario is taken away": {0, func(t *testing.T, r *rig, how verify.JudgeOptions) bench.Evidence {
			r.leave(t, func(row *bench.Row) bool { return row.ScenarioID != "b-001" })
			how.Margins.SuccessDropPct = 45
			return *r.report(t, how).Evidence
		}, bench.VerdictInconclusive, bench.CauseRowsMissing},
	} {
		t.Run(name, func(t *testing.T) {
			r := sequenceRig(t)
			r.failing(c.failures)
			how := wide()
			first := r.judge(t, how)
			want := bench.VerdictPass
			if c.failures > 2 {
				want = bench.VerdictFail
			}
			if c.failures != 2 {
				require.Equal(t, want, first.Verdict, first.Sentence)
			}
			judged := c.then(t, r, how)
			assert.Equal(t, c.verdict, judged.Verdict, judged.Sentence)
			assert.Equal(t, c.cause, judged.Cause.Kind, judged.Sentence)
			assert.True(t, strings.HasPrefix(judged.Sentence, judged.Cause.Text))
		})
	}
}

// without takes the rows of a block out of the run's ledgers.
func (r *rig) without(t *testing.T, scenario string, iteration int) {
	t.Helper()
	r.leave(t, func(row *bench.Row) bool { return row.ScenarioID != scenario || row.Iteration != iteration })
}

func succeeded(row *bench.Row) bool { return row.Success }

// leave takes all other rows out of the run's ledgers.
func (r *rig) leave(t *testing.T, stays func(*bench.Row) bool) {
	t.Helper()
	r.rewrite(t, func(rows []bench.Row) {
		for i := range rows {
			if !stays(&rows[i]) {
				rows[i] = bench.Row{}
			}
		}
	})
}

// embellish makes all rows in the run's ledgers successes.
func (r *rig) embellish(t *testing.T) {
	t.Helper()
	r.rewrite(t, func(rows []bench.Row) {
		for i := range rows {
			rows[i].Success, rows[i].Error = true, nil
		}
	})
}

// rewrite changes the rows of each of the run's ledgers; empty ones are left out.
func (r *rig) rewrite(t *testing.T, change func([]bench.Row)) {
	t.Helper()
	files, err := ledger.Files(r.suite.Folder())
	require.NoError(t, err)
	for _, file := range files {
		rows := rowsOf(t, []string{file})
		change(rows)
		var kept []byte
		for i := range rows {
			if rows[i].RunID == "" {
				continue
			}
			line, err := rows[i].MarshalJSON()
			require.NoError(t, err)
			kept = append(append(kept, line...), '\n')
		}
		require.NoError(t, os.WriteFile(file, kept, 0o600))
	}
}

// forget takes what the run came to out of its file.
func (r *rig) forget(t *testing.T) {
	t.Helper()
	info, err := ledger.LoadRun(r.suite.Folder())
	require.NoError(t, err)
	info.Judged = nil
	require.NoError(t, info.Save(r.suite.Folder()))
}

func TestV7ARunThatWouldBeRefusedIsNotAdvised(t *testing.T) {
	r := sequenceRig(t)
	how := wide()
	how.Margins.SuccessDropPct = 15
	r.suite.Repetitions = 2
	sequence := r.judge(t, how)
	assert.Equal(t, bench.CauseNotShown, sequence.Cause.Kind)
	assert.Zero(t, sequence.EnoughRepetitions, "the error budget of the commit is used up")

	r.next("run-2")
	r.suite.Git = bench.GitRef{}
	assert.Greater(t, r.judge(t, how).EnoughRepetitions, 2, "of what is not known a second run is no second sequence")
}

func TestV6TheGateIsWhatEvidenceDecides(t *testing.T) {
	for failures, want := range map[int]bench.Verdict{0: bench.VerdictPass, 5: bench.VerdictFail} {
		r := sequenceRig(t)
		r.failing(failures)
		v, err := verify.Verify(t.Context(), r.sequence(nil), r.suite, r.deps, wide())
		require.NoError(t, err)
		s := v.Summary
		assert.Equal(t, want, s.Gate.Verdict)
		assert.Equal(t, want == bench.VerdictPass, s.Gate.Passed)
		assert.Equal(t, s.Evidence.Sentence, s.Gate.Reason)
		assert.NotContains(t, s.Warnings, "")
		assert.NotNil(t, s.Gate.Checks)
		assert.Empty(t, s.Gate.Checks, "it has none")
		assert.Equal(t, &ledger.Judged{Verdict: want, Cause: s.Evidence.Cause.Kind, Profile: bench.ProfileRegression, Compared: r.suite.Modes}, v.Info.Judged)
		saved, err := ledger.LoadRun(r.suite.Folder())
		require.NoError(t, err)
		assert.Equal(t, v.Info.Judged, saved.Judged, "later runs see it")
		assert.Equal(t, 45.0, saved.Margins.SuccessDropPct, "what was fixed before the first session")
	}
}

func TestG8AModelThatIsNoneIsKnownBeforeASession(t *testing.T) {
	for _, firstLook := range []int{0, 2} {
		r := sequenceRig(t)
		r.suite.FirstLook = firstLook
		how := wide()
		how.Model = "nonsense"
		_, err := verify.Verify(t.Context(), r.sequence(nil), r.suite, r.deps, how)
		require.ErrorContains(t, err, "nonsense")
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
		assert.Empty(t, r.provider.Sessions())
		assert.NoDirExists(t, r.suite.Folder())
	}
}

// What the budget left out is told, and the looks that are whole are judged.
func TestV7ARunThatTheBudgetEndedIsJudged(t *testing.T) {
	r := sequenceRig(t)
	r.suite.Repetitions, r.suite.FirstLook = 12, 2
	r.suite.Run.MaxCostUSD = 0.008
	how := wide()
	how.Margins.SuccessDropPct = 15
	v, err := verify.Verify(t.Context(), r.sequence(nil), r.suite, r.deps, how)
	require.NoError(t, err)
	require.Equal(t, bench.MissingBudget, v.Stopped)
	require.NotNil(t, v.Summary.Evidence)
	assert.Equal(t, bench.CauseBudget, v.Summary.Evidence.Cause.Kind, v.Summary.Evidence.Sentence)
	assert.Len(t, v.Summary.Evidence.Looks, 1)
	rows, usd := rowsOf(t, v.Files), 0.0
	for i := range rows {
		usd += rows[i].SpentUSD()
	}
	assert.Len(t, rows, v.Rows, "those of all looks")
	assert.InDelta(t, usd, v.RowsUSD, 1e-12)
	assert.InDelta(t, usd, v.CostUSD, 1e-12)

	checks := newRig(t)
	checks.suite.Run.MaxCostUSD = 0.002
	v = checks.verify(t.Context(), t)
	assert.Equal(t, bench.MissingBudget, v.Stopped)
	assert.Empty(t, v.Summary.Gate.Verdict, "the checks need all rows")
}

func TestV7EarlierSequencesAreCounted(t *testing.T) {
	r := sequenceRig(t)
	r.failing(5)
	r.judge(t, wide())
	r.provider.OnPrompt = r.turn
	r.next("run-2")
	v, err := verify.Verify(t.Context(), r.sequence(nil), r.suite, r.deps, wide())
	require.NoError(t, err)
	assert.True(t, slices.ContainsFunc(v.Summary.Warnings, func(w string) bool {
		return w == "This is sequence 2 on the same trees, tasks, model and modes: run-1 came to FAIL."
	}), v.Summary.Warnings)
}

func TestV7ARunThatCouldNotBeJudgedIsRefusedBeforeASession(t *testing.T) {
	other := "other"
	refusal := func(r *rig, how verify.JudgeOptions) error { return r.suite.Spent(how, r.provider.Info, r.now) }
	for name, c := range map[string]struct {
		before func(t *testing.T, r *rig)
		change func(r *rig)
		want   string
	}{
		"after a fail":       {func(t *testing.T, r *rig) { r.failing(5); r.judge(t, wide()) }, func(*rig) {}, "run run-1 on the same trees, tasks, model and modes came to FAIL, and that stands"},
		"after a pass":       {func(t *testing.T, r *rig) { r.judge(t, wide()) }, func(*rig) {}, "came to PASS, and that stands: no session would be judged any more, so none is spent; change the tool, or see `bench report --gate --gate-profile regression --results "},
		"on an empty commit": {func(t *testing.T, r *rig) { r.judge(t, wide()) }, func(r *rig) { r.suite.Git.Commit = &other }, "came to PASS"},
		"after one that was stopped": {func(t *testing.T, r *rig) {
			_, err := verify.Verify(r.stopAfter(t, 3), r.sequence(nil), r.suite, r.deps, wide())
			require.NoError(t, err)
		}, func(*rig) {}, "was not brought to its end, and there is one error budget for them: go on with it by --resume=run-1"},
		"where nothing was compared": {func(t *testing.T, r *rig) {
			r.provider.OnPrompt = func(context.Context, *fake.Session, agent.Prompt) (agent.Turn, error) {
				return agent.Turn{Text: "no answer"}, nil
			}
			r.judge(t, wide())
		}, func(*rig) {}, ""},
		"of another content":  {func(t *testing.T, r *rig) { r.judge(t, wide()) }, func(r *rig) { r.suite.Git.Tree = &other }, ""},
		"that takes the rows": {func(t *testing.T, r *rig) { r.judge(t, wide()) }, func(r *rig) { r.suite.Continues = []ledger.Begun{{RunID: "run-1"}} }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := sequenceRig(t)
			c.before(t, r)
			r.next("run-2")
			c.change(r)
			err := refusal(r, wide())
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			how := wide()
			how.Profile = bench.VerifyPR
			assert.NoError(t, refusal(r, how), "fixed thresholds have no error budget")
		})
	}
}

// What is the same tool may have another commit: a run goes on with it, and rows
// of it are taken over.
func TestV7AnEmptyCommitGoesOnAndAChangeDoesNot(t *testing.T) {
	r := sequenceRig(t)
	_, err := verify.Verify(r.stopAfter(t, 3), r.sequence(nil), r.suite, r.deps, wide())
	require.NoError(t, err)
	other := "other"
	r.suite.Git.Commit, r.afterRow = &other, nil
	assert.Equal(t, bench.VerdictPass, r.judge(t, wide()).Verdict)

	changed := r.suite
	changed.Git.Tree = &other
	_, err = verify.RunSuite(t.Context(), changed, r.deps)
	assert.ErrorContains(t, err, "its content (the hash of its tree) is 7ee, now it would be other")
}

func TestV7TwoModesOfARunPassWhereAReportWould(t *testing.T) {
	r := sequenceRig(t)
	require.Equal(t, bench.VerdictPass, r.judge(t, wide()).Verdict)
	source, err := verify.SourceOf(r.suite.Folder())
	require.NoError(t, err)
	compare := func(source verify.Source, how verify.JudgeOptions) bench.Evidence {
		of := func(m bench.Mode) verify.ComparedSource {
			return verify.ComparedSource{Name: "run-1", Source: source, Mode: m}
		}
		c, _, err := verify.Compare(of(r.suite.Modes[0]), of(r.suite.Modes[1]), how)
		require.NoError(t, err)
		require.True(t, c.Modes[0].SharedBlocks)
		return c.Modes[0].Evidence
	}
	assert.Equal(t, bench.VerdictPass, compare(source, wide()).Verdict)

	wider := wide()
	wider.Margins.SuccessDropPct = 60
	assert.Equal(t, bench.CauseSetAfterwards, compare(source, wider).Cause.Kind)
	r.rewrite(t, func(rows []bench.Row) { rows[0].Cost /= 2 })
	assert.Equal(t, bench.CauseRowsChanged, compare(source, wide()).Cause.Kind)
	alone := compare(verify.Source{Files: source.Files}, wide())
	assert.Equal(t, bench.VerdictInconclusive, alone.Verdict)
	assert.Equal(t, bench.CausePlanUnknown, alone.Cause.Kind)
}

func TestV7RowsThatWereChangedAreNamed(t *testing.T) {
	r := sequenceRig(t)
	r.failing(1)
	r.judge(t, wide())
	r.embellish(t)
	// a-001 and b-001 failed in the first repetition, whose order is drawn.
	files, err := ledger.Files(r.suite.Folder())
	require.NoError(t, err)
	first := rowsOf(t, files[1:])[0].Cell()
	require.Equal(t, 1, first.Iteration)
	want := "Rows of run run-1 were changed after they were looked at: the row of " + first.String() + ", in " + filepath.Base(files[1]) + " line 1, is another one now"
	r.forget(t)
	for _, profile := range []bench.GateProfile{bench.ProfileRegression, bench.VerifyPR} {
		how := wide()
		how.Profile = profile
		source, err := verify.SourceOf(r.suite.Folder())
		require.NoError(t, err)
		reported, err := verify.Report(source, how)
		require.NoError(t, err)
		assert.Contains(t, reported.Summary.Warnings, want+".", profile)
		if profile.ByEvidence() {
			assert.Equal(t, want, reported.Summary.Evidence.Cause.Text)
		}
	}
}

// What a run has come to so far is seen, and its rows can be changed before it goes
// on.
func TestV7RowsThatWereChangedWhileARunWasStoppedDoNotPass(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, r *rig)
		cause  bench.CauseKind
	}{
		"changed": {func(t *testing.T, r *rig) { r.embellish(t) }, bench.CauseRowsChanged},
		"one taken away": {func(t *testing.T, r *rig) {
			r.leave(t, func(row *bench.Row) bool { return row.Success || row.ScenarioID == "a-001" })
		}, bench.CauseRowsMissing},
	} {
		t.Run(name, func(t *testing.T) {
			r := sequenceRig(t)
			r.failing(1)
			_, err := verify.Verify(r.stopAfter(t, 12), r.sequence(nil), r.suite, r.deps, wide())
			require.NoError(t, err)
			c.change(t, r)
			r.provider.OnPrompt, r.afterRow = r.turn, nil
			judged := r.judge(t, wide())
			assert.Equal(t, c.cause, judged.Cause.Kind, judged.Sentence)
		})
	}
}

func TestV7RowsThatWereChangedAfterALookDoNotPass(t *testing.T) {
	r := sequenceRig(t)
	r.suite.FirstLook = 2
	r.failing(1)
	looks := 0
	r.suite.Looked = func(bench.Evidence) {
		if looks++; looks == 1 {
			r.embellish(t)
		}
	}
	judged := r.judge(t, wide())
	assert.Equal(t, 2, looks, "the first has not decided")
	assert.Equal(t, bench.CauseRowsChanged, judged.Cause.Kind, judged.Sentence)
}

// Outside of git what is measured is known by its content, as far as it is known.
func TestV7ToolsOfNoCommitAreKnownByTheirContent(t *testing.T) {
	one, other := "sha256:1", "sha256:2"
	file := func(tree *string) map[bench.Mode]bench.ModeFact {
		return map[bench.Mode]bench.ModeFact{"mine": {Hash: "h", Git: bench.GitRef{Tree: tree}}}
	}
	for name, c := range map[string]struct {
		modes         [2]bench.Mode
		before, after func(s *verify.Suite)
		refused       bool
	}{
		"the same program": {[2]bench.Mode{bench.AgentDirect, bench.GHX}, func(s *verify.Suite) { s.Git = bench.GitRef{Tree: &one} }, func(*verify.Suite) {}, true},
		"another program":  {[2]bench.Mode{bench.AgentDirect, bench.GHX}, func(s *verify.Suite) { s.Git = bench.GitRef{Tree: &one} }, func(s *verify.Suite) { s.Git.Tree = &other }, false},
		"an unknown one":   {[2]bench.Mode{bench.AgentDirect, bench.GHX}, func(s *verify.Suite) { s.Git = bench.GitRef{} }, func(*verify.Suite) {}, false},
		"the same base": {[2]bench.Mode{bench.GHXBase, bench.GHX}, func(s *verify.Suite) { s.Git, s.BaseTree = bench.GitRef{Tree: &one}, &one },
			func(*verify.Suite) {}, true},
		"another base": {[2]bench.Mode{bench.GHXBase, bench.GHX}, func(s *verify.Suite) { s.Git, s.BaseTree = bench.GitRef{Tree: &one}, &one },
			func(s *verify.Suite) { s.BaseTree = &other }, false},
		"the same program of a file": {[2]bench.Mode{bench.AgentDirect, "mine"}, func(s *verify.Suite) { s.Git, s.Run.ModeFiles = bench.GitRef{}, file(&one) },
			func(*verify.Suite) {}, true},
		"another program of a file": {[2]bench.Mode{bench.AgentDirect, "mine"}, func(s *verify.Suite) { s.Git, s.Run.ModeFiles = bench.GitRef{}, file(&one) },
			func(s *verify.Suite) { s.Run.ModeFiles = file(&other) }, false},
		"an unknown one of a file": {[2]bench.Mode{bench.AgentDirect, "mine"}, func(s *verify.Suite) { s.Git, s.Run.ModeFiles = bench.GitRef{}, file(nil) },
			func(*verify.Suite) {}, false},
		"a file beside an unknown program": {[2]bench.Mode{bench.GHX, "mine"}, func(s *verify.Suite) { s.Git, s.Run.ModeFiles = bench.GitRef{}, file(&one) },
			func(*verify.Suite) {}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := sequenceRig(t)
			r.suite.Modes = c.modes[:]
			c.before(&r.suite)
			how := wide()
			how.Baseline, how.Candidate = c.modes[0], c.modes[1]
			v, err := verify.Verify(t.Context(), r.sequence(nil), r.suite, r.deps, how)
			require.NoError(t, err)
			unknown := slices.ContainsFunc(v.Summary.Warnings, func(w string) bool { return strings.Contains(w, "not known by its content") })
			assert.Equal(t, strings.Contains(name, "unknown"), unknown, v.Summary.Warnings)
			r.next("run-2")
			c.after(&r.suite)
			err = r.suite.Spent(how, r.provider.Info, r.now)
			if c.refused {
				assert.ErrorContains(t, err, "and that stands")
			} else {
				assert.NoError(t, err)
			}
		})
	}
}
