package verify_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

// sequence is a sequence on the rig's target that keeps a history.
func (r *rig) sequence(steps *[]verify.Step) verify.Sequence {
	return verify.Sequence{
		Seed:    func(context.Context, *verify.Suite) (target.Target, error) { return r.target, nil },
		History: filepath.Join(r.suite.Dir, ledger.HistoryFile),
		Entered: func(s verify.Step) {
			if steps != nil {
				*steps = append(*steps, s)
			}
		},
	}
}

func (r *rig) verify(ctx context.Context, t *testing.T) verify.Verified {
	t.Helper()
	v, err := verify.Verify(ctx, r.sequence(nil), r.suite, r.deps, judging())
	require.NoError(t, err)
	return v
}

func (r *rig) history(t *testing.T) []bench.HistoryEntry {
	t.Helper()
	entries, warnings, err := ledger.ReadHistory(filepath.Join(r.suite.Dir, ledger.HistoryFile))
	require.NoError(t, err)
	require.Empty(t, warnings)
	return entries
}

func TestVerifyRunsTheWholeSequence(t *testing.T) {
	r := newRig(t)
	r.suite.Repetitions = 3
	var steps []verify.Step
	how := judging()
	how.Outputs = verify.OutputsIn(r.suite.Folder())
	v, err := verify.Verify(t.Context(), r.sequence(&steps), r.suite, r.deps, how)
	require.NoError(t, err)
	assert.Equal(t, []verify.Step{verify.StepSeed, verify.StepRun, verify.StepReport}, steps)
	assert.Equal(t, bench.VerdictPass, v.Summary.Gate.Verdict)
	assert.Equal(t, bench.FormatTime(r.now), v.Summary.GeneratedAt)
	assert.Equal(t, 12, v.Rows)
	assert.FileExists(t, how.Outputs.SummaryJSON)
	assert.FileExists(t, filepath.Join(r.suite.Folder(), ledger.RunFile))
	assert.Equal(t, bench.VerifyPR, v.Info.Profile)
	assert.Nil(t, v.Info.Margins, "the checks have none")
	assert.Empty(t, v.Info.Compared)
}

func TestG16AGateThatFailsIsAVerdictAndNoError(t *testing.T) {
	r := newRig(t)
	r.suite.Repetitions = 3
	turn := r.provider.OnPrompt
	r.provider.OnPrompt = func(ctx context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
		if s.Setup.Mode == bench.GHX && p.Play.Iteration == 1 {
			return agent.Turn{}, errors.New("it crashed")
		}
		return turn(ctx, s, p)
	}
	v := r.verify(t.Context(), t)
	assert.Equal(t, bench.VerdictFail, v.Summary.Gate.Verdict)
	assert.False(t, r.history(t)[0].GatePassed)
}

func TestVerifySeedsBeforeItRuns(t *testing.T) {
	r := newRig(t)
	seq := r.sequence(nil)
	seq.Seed = func(_ context.Context, s *verify.Suite) (target.Target, error) {
		s.SeedID = "fresh"
		return r.target, nil
	}
	v, err := verify.Verify(t.Context(), seq, r.suite, r.deps, judging())
	require.NoError(t, err)
	assert.Equal(t, "fresh", v.Info.SeedID)
	assert.Equal(t, "fresh", rowsOf(t, v.Files)[0].SeedID)

	broken := newRig(t)
	seq.Seed = func(context.Context, *verify.Suite) (target.Target, error) {
		return nil, fault.Infraf("GitHub is away")
	}
	_, err = verify.Verify(t.Context(), seq, broken.suite, broken.deps, judging())
	require.ErrorContains(t, err, "GitHub is away")
	assert.NoDirExists(t, broken.suite.Folder())
}

func TestAReportThatCannotBeWrittenIsAnError(t *testing.T) {
	r := newRig(t)
	how := judging()
	how.Outputs.CSV = "/dev/full"
	v, err := verify.Verify(t.Context(), r.sequence(nil), r.suite, r.deps, how)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	assert.Equal(t, 8, v.Rows, "the rows are there")
	assert.Empty(t, r.history(t), "what nobody can read is none of the history")
}

func TestR9ARunThatWasStoppedIsNotReported(t *testing.T) {
	r := newRig(t)
	v := r.verify(r.stopAfter(t, 3), t)
	assert.Len(t, v.Left, 5)
	assert.Empty(t, v.Summary.Gate.Verdict)
	assert.Empty(t, r.history(t))
}

func TestTheHistoryHasEveryCompleteRunOnce(t *testing.T) {
	r := newRig(t)
	r.verify(r.stopAfter(t, 3), t)
	assert.Empty(t, r.history(t), "not a run that was stopped")

	r.next("run-1")
	v := r.verify(t.Context(), t)
	entries := r.history(t)
	require.Len(t, entries, 1)
	commit := "c0ffee"
	assert.Len(t, entries[0].Scenarios, 2)
	for id, s := range entries[0].Scenarios {
		assert.Equal(t, "hash of "+id, s.Hash)
		for mode, sessions := range s.Modes {
			assert.Equal(t, "++", sessions.Outcomes)
			assert.Equal(t, 2, sessions.Successes)
			assert.Positive(t, sessions.MedianLatencyMS)
			assert.Equal(t, 4, entries[0].Noise[mode].Sessions)
			assert.Positive(t, entries[0].Noise[mode].LatencyLog)
		}
	}
	entries[0].Scenarios, entries[0].Noise = nil, nil
	assert.Equal(t, bench.HistoryEntry{
		Timestamp: v.Summary.GeneratedAt, Commit: &commit, Profile: bench.VerifyPR, Modes: v.Summary.Modes, GatePassed: v.Summary.Gate.Passed,
		SchemaVersion: bench.HistorySchemaVersion, RunID: "run-1", ScenarioSet: "default", Model: "fake/one", Cells: 8, CostUSD: v.Summary.CostUSD, Simulated: true,
	}, entries[0])
	assert.Positive(t, entries[0].CostUSD)

	r.next("run-1")
	r.verify(t.Context(), t)
	assert.Len(t, r.history(t), 1, "not a run that is reported again")

	r.next("run-2")
	r.suite.Shard = &bench.Shard{Index: 1, Count: 2}
	v = r.verify(t.Context(), t)
	assert.Empty(t, v.Left)
	assert.Len(t, r.history(t), 1, "not a shard")

	r.next("run-3")
	r.suite.Shard = nil
	r.verify(t.Context(), t)
	assert.Len(t, r.history(t), 2)
}

func TestG14ARunIsComparedWithThoseBeforeIt(t *testing.T) {
	r := newRig(t)
	r.suite.Run.Tools = map[string]string{"agent": "one 1", "ghx": "1"}
	for _, id := range []string{"run-1", "run-2", "run-3"} {
		r.next(id)
		assert.Empty(t, r.verify(t.Context(), t).Summary.Regressions)
	}
	r.next("run-4")
	turn := r.provider.OnPrompt
	r.provider.OnPrompt = func(ctx context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
		r.now = r.now.Add(1e9)
		return turn(ctx, s, p)
	}
	slow := r.verify(t.Context(), t).Summary.Regressions
	require.Len(t, slow, 2, "both modes have become slower")
	assert.Equal(t, "median_latency_ms", slow[0].Metric)

	again := r.verify(t.Context(), t).Summary.Regressions
	assert.Equal(t, slow, again, "a run that is reported again is not compared with itself")

	for name, alter := range map[string]func(*bench.HistoryEntry){
		"runs of other branches":        func(e *bench.HistoryEntry) { e.Aside = true },
		"runs with another agent":       func(e *bench.HistoryEntry) { e.Tools = map[string]string{"agent": "another 9"} },
		"scenarios of other contents":   func(e *bench.HistoryEntry) { changed(e, "a-001", "b-001") },
		"a scenario of another content": func(e *bench.HistoryEntry) { changed(e, "a-001") },
		"another build of the tool":     func(e *bench.HistoryEntry) { e.Tools = map[string]string{"ghx": "9"} },
	} {
		entries := r.history(t)
		path := filepath.Join(r.suite.Dir, ledger.HistoryFile)
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.Remove(path))
		for _, e := range entries {
			alter(&e)
			require.NoError(t, ledger.AppendHistory(path, e))
		}
		found := r.verify(t.Context(), t).Summary.Regressions
		assert.Equal(t, name == "another build of the tool" || name == "a scenario of another content", len(found) == 2, name)
		require.NoError(t, os.WriteFile(path, kept, 0o600))
	}
}

// changed has an entry's scenarios be of another content.
func changed(e *bench.HistoryEntry, ids ...string) {
	for _, id := range ids {
		s := e.Scenarios[id]
		s.Hash = "another"
		e.Scenarios[id] = s
	}
}

func TestAHistoryThatIsBrokenIsToldOrRefused(t *testing.T) {
	r := newRig(t)
	path := filepath.Join(r.suite.Dir, ledger.HistoryFile)
	require.NoError(t, os.WriteFile(path, []byte("nonsense\n{\"run_id\":\"old\"}\n"), 0o600))
	v := r.verify(t.Context(), t)
	require.Len(t, v.Notes, 1)
	assert.Contains(t, v.Notes[0], path+" line 1 is not counted")

	r = newRig(t)
	require.NoError(t, os.Mkdir(filepath.Join(r.suite.Dir, ledger.HistoryFile), 0o755))
	v, err := verify.Verify(t.Context(), r.sequence(nil), r.suite, r.deps, judging())
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	assert.ErrorContains(t, err, ledger.HistoryFile)
	assert.Equal(t, 8, v.Rows, "what was done before is told")
	assert.Empty(t, v.Summary.Gate.Verdict, "and nothing is reported as if there had been no run before")
}

func TestVerifyWithoutAHistory(t *testing.T) {
	r := newRig(t)
	seq := r.sequence(nil)
	seq.History, seq.Entered = "", nil
	v, err := verify.Verify(t.Context(), seq, r.suite, r.deps, judging())
	require.NoError(t, err)
	assert.Equal(t, 8, v.Rows)
	assert.NoFileExists(t, filepath.Join(r.suite.Dir, ledger.HistoryFile))
}

func TestEstimates(t *testing.T) {
	history := []bench.HistoryEntry{
		{Model: "fake/one", ScenarioSet: "default", Cells: 8, CostUSD: 2},
		{Model: "fake/one", ScenarioSet: "default", Cells: 2, CostUSD: 3},
		{Model: "fake/one", ScenarioSet: "all", Cells: 8, CostUSD: 100},
		{Model: "fake/two", ScenarioSet: "default", Cells: 8, CostUSD: 100},
		{Model: "fake/one", ScenarioSet: "default", Cells: 50},
		{Model: "fake/free", ScenarioSet: "default", Cells: 50, Simulated: true},
	}
	cases := []struct {
		name, model, set string
		want             float64
		known            bool
	}{
		{"the mean of a cell over all its runs", "fake/one", "default", 5, true},
		{"another model is not known", "fake/three", "default", 0, false},
		{"another set is not known", "fake/two", "all", 0, false},
		{"a run without cost data tells nothing", "fake/one", "", 0, false},
		{"a simulated run costs nothing", "fake/free", "default", 0, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, known := verify.EstimateUSD(history, c.model, c.set, 10)
			assert.InDelta(t, c.want, got, 1e-12)
			assert.Equal(t, c.known, known)
		})
	}
}

func TestWhatCannotRunIsADoubtAboutTheFigures(t *testing.T) {
	r := newRig(t)
	seq := r.sequence(nil)
	seq.Seed = func(_ context.Context, s *verify.Suite) (target.Target, error) {
		s.NotRunnable = append(s.NotRunnable, "c-001 cannot run here.")
		return r.target, nil
	}
	how := judging()
	how.Warnings = append(make([]string, 0, 4), "The machine is slow.")
	v, err := verify.Verify(t.Context(), seq, r.suite, r.deps, how)
	require.NoError(t, err)
	assert.Subset(t, v.Summary.Warnings, []string{"The machine is slow.", "c-001 cannot run here."})
	assert.Empty(t, how.Warnings[:2][1], "what the caller has stays as it was")
}

// What a sequence is about is read again for its report.
func TestADescriptionThatIsBrokenMeanwhileIsAnError(t *testing.T) {
	r := newRig(t)
	seq := r.sequence(nil)
	seq.Entered = func(s verify.Step) {
		if s == verify.StepReport {
			require.NoError(t, os.WriteFile(filepath.Join(r.suite.Folder(), ledger.RunFile), []byte("{"), 0o600))
		}
	}
	v, err := verify.Verify(t.Context(), seq, r.suite, r.deps, judging())
	require.ErrorContains(t, err, ledger.RunFile)
	assert.Equal(t, 8, v.Rows, "what was done before is told")
	assert.Empty(t, v.Summary.Gate.Verdict)
}

func TestV7AnEvidenceRunIsInTheHistoryToo(t *testing.T) {
	r := sequenceRig(t)
	r.judge(t, wide())
	entries := r.history(t)
	require.Len(t, entries, 1)
	assert.True(t, entries[0].GatePassed)
	assert.Equal(t, bench.ProfileRegression, entries[0].Profile)
	r.judge(t, wide())
	assert.Len(t, r.history(t), 1)
}

// What a claim must save is that of its model's thresholds.
func TestV7TheMarginsThatAreFixedAreThoseOfTheProfile(t *testing.T) {
	r := sequenceRig(t)
	r.suite.Profile = bench.ProfileClaim
	how := wide()
	how.Profile = bench.ProfileClaim
	r.judge(t, how)
	info, err := ledger.LoadRun(r.suite.Folder())
	require.NoError(t, err)
	usual := bench.DefaultThresholds(bench.ProfileClaim)
	require.Positive(t, usual.MinCostReductionPct)
	assert.Equal(t, usual.MinCostReductionPct, info.Margins.MinCostReductionPct)
}
