package verify_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

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

func TestR1RowsAreInAFilePerModeInTheRunsFolder(t *testing.T) {
	r := newRig(t)
	folder := filepath.Join(r.suite.Dir, "run-1")
	result := r.run(t.Context(), t)
	assert.Equal(t, []string{
		filepath.Join(folder, "2026-02-25T120000.000Z-agent_direct-suite.jsonl"),
		filepath.Join(folder, "2026-02-25T120000.000Z-ghx-suite.jsonl"),
	}, result.Files)
	assert.ElementsMatch(t, r.suite.Plan(), cellsOf(rowsOf(t, result.Files)))
	for i, mode := range r.suite.Modes {
		for _, row := range rowsOf(t, result.Files[i:i+1]) {
			assert.Equal(t, mode, row.Mode)
			assert.Equal(t, "run-1", row.RunID)
		}
	}
	assert.Equal(t, folder, r.suite.Folder())
}

func TestR1RowsMayBeInOneFileOfAnyName(t *testing.T) {
	r := newRig(t)
	r.suite.OutputJSONL = filepath.Join(t.TempDir(), "deep", "rows.jsonl")
	result := r.run(t.Context(), t)
	assert.Equal(t, []string{r.suite.OutputJSONL}, result.Files)
	assert.Equal(t, r.suite.Plan(), cellsOf(rowsOf(t, result.Files)), "in the order of the plan")
	source, err := verify.SourceOf(r.suite.Folder())
	require.NoError(t, err)
	assert.Equal(t, result.Files, source.Files)
}

func TestRunIDsSortByTimeAndDiffer(t *testing.T) {
	at := time.Date(2026, 2, 25, 12, 0, 0, 0, time.FixedZone("CET", 3600))
	first := verify.NewRunID(at, "ABCDEFGHIJKL")
	assert.Equal(t, "20260225T110000Z-abcdef", first)
	assert.Less(t, first, verify.NewRunID(at.Add(time.Second), "AAAAAAAAAAAA"))
	assert.NotEqual(t, first, verify.NewRunID(at, "BCDEFGHIJKLM"))
	assert.Equal(t, "20260225T110000Z-ab", verify.NewRunID(at, "AB"))
}

func TestN1ARunThatWasStoppedAnywhereGoesOnToEachCellOnce(t *testing.T) {
	for _, concurrency := range []int{1, 3} {
		for stopAfter := range 9 {
			r := newRig(t)
			r.suite.Run.Concurrency = concurrency
			r.provider.OnPrompt = nil
			first := r.run(r.stopAfter(t, stopAfter), t)
			require.Len(t, first.Left, 8-first.Rows)
			require.GreaterOrEqual(t, first.Rows, stopAfter)
			require.Less(t, first.Rows, stopAfter+concurrency, "cells under way may get their row, others not")
			if first.Rows < 8 {
				assert.Equal(t, bench.MissingStopped, first.Stopped)
			}
			r.next("run-1")
			second := r.run(t.Context(), t)
			assert.Empty(t, second.Left)
			assert.Equal(t, 8-first.Rows, second.Rows)
			rows := rowsOf(t, second.Files)
			assert.ElementsMatch(t, r.suite.Plan(), cellsOf(rows))
			assert.Equal(t, first.Info.CreatedAt, second.Info.CreatedAt)
			assert.Len(t, second.Files, 2, "resuming opens no other files")
			if t.Failed() {
				t.Fatalf("stopped after %d rows, %d at once", stopAfter, concurrency)
			}
		}
	}
}

func TestACompleteRunThatIsResumedRunsNothing(t *testing.T) {
	r := newRig(t)
	first := r.run(t.Context(), t)
	sessions := len(r.provider.Sessions())
	r.suite.Run.SkipWarmup = false
	second := r.run(t.Context(), t)
	assert.Zero(t, second.Rows)
	assert.Empty(t, second.Left)
	assert.Len(t, r.provider.Sessions(), sessions)
	assert.InDelta(t, first.CostUSD, second.CostUSD, 1e-12)
}

func TestR9WhyARunEndedIsInItsFile(t *testing.T) {
	r := newRig(t)
	stoppedAt := func(reason bench.MissingReason, from int) ledger.Stop {
		return ledger.Stop{Reason: reason, At: r.now, Cells: r.suite.Plan()[from:]}
	}
	result := r.run(r.stopAfter(t, 3), t)
	want := []ledger.Stop{stoppedAt(bench.MissingStopped, 3)}
	assert.Equal(t, want, result.Info.Stops)

	r.next("run-1")
	r.suite.Run.MaxCostUSD = result.CostUSD + 0.0006
	result = r.run(t.Context(), t)
	want = append(want, stoppedAt(bench.MissingBudget, 3+result.Rows))
	assert.Equal(t, want, result.Info.Stops)
	assert.Equal(t, bench.MissingBudget, result.Stopped)
	assert.GreaterOrEqual(t, result.CostUSD, r.suite.Run.MaxCostUSD, "what earlier rows have cost counts")
	assert.Contains(t, []int{1, 2}, result.Rows)

	saved, err := ledger.LoadRun(r.suite.Folder())
	require.NoError(t, err)
	assert.Equal(t, want, saved.Stops)

	r.next("run-1")
	r.suite.Run.MaxCostUSD = 0
	result = r.run(t.Context(), t)
	assert.Equal(t, want, result.Info.Stops, "a run that ends by itself adds none")
}

func TestN1ResumeNamesWhatIsDifferent(t *testing.T) {
	other := "other"
	cases := []struct {
		name   string
		change func(r *rig)
		want   []string
	}{
		{"model", func(r *rig) { r.provider.Info.Model.ModelID = "two" }, []string{"its model is fake/one", "fake/two"}},
		{"variant of the model", func(r *rig) { r.provider.Info.Model.Mode = &other }, []string{"its model is fake/one", "fake/one/other"}},
		{"commit", func(r *rig) { r.suite.Git.Commit = &other }, []string{"its commit is c0ffee", "it would be other"}},
		{"commit that is not known any more", func(r *rig) { r.suite.Git.Commit = nil }, []string{"its commit is c0ffee", "it would be unknown"}},
		{"base commit", func(r *rig) { r.suite.BaseCommit = &other }, []string{"its base commit is unknown", "it would be other"}},
		{"seed", func(r *rig) { r.suite.SeedID = "ci" }, []string{"its fixture seed is local", "it would be ci"}},
		{"variation of fixtures", func(r *rig) { r.suite.Variations.Seed = 8 }, []string{"its variation of fixtures is those of seed 7", "those of seed 8"}},
		{"variation of all iterations", func(r *rig) { r.suite.Variations.Number = new(int) }, []string{"its variation of fixtures is those of seed 7", "0 of seed 7"}},
		{"target", func(r *rig) { r.suite.Target = "aryeko/ghx-bench-fixtures" }, []string{"its target is none", "aryeko/ghx-bench-fixtures"}},
		{"order", func(r *rig) { r.suite.Order = runner.Sequential }, []string{"its order is interleaved with seed 3", "sequential"}},
		{"seed of the order", func(r *rig) { r.suite.OrderSeed = 4 }, []string{"its order is interleaved with seed 3", "seed 4"}},
		{"modes", func(r *rig) { r.suite.Modes = []bench.Mode{bench.GHX} }, []string{"its list of modes is [agent_direct ghx]", "[ghx]"}},
		{"repetitions", func(r *rig) { r.suite.Repetitions = 3 }, []string{"its number of repetitions is 2", "it would be 3"}},
		{"scenario set", func(r *rig) { r.suite.ScenarioSet = "" }, []string{"its scenario set is default", "it would be none"}},
		{"scenarios", func(r *rig) { r.suite.Scenarios = r.suite.Scenarios[:1] }, []string{"its list of scenarios is [a-001 b-001]", "[a-001]"}},
		{"content of a scenario", func(r *rig) { r.suite.Scenarios[1].Hash = "changed" }, []string{"its content of scenario b-001 is hash of b-001", "changed"}},
		{"shard", func(r *rig) { r.suite.Shard = &bench.Shard{Index: 1, Count: 2} }, []string{"its shard is none", "it would be 1/2"}},
		{"ledger file", func(r *rig) { r.suite.OutputJSONL = "rows.jsonl" }, []string{"its ledger file is none", "rows.jsonl"}},
	}
	for _, c := range cases {
		t.Run("N1: "+c.name, func(t *testing.T) {
			r := newRig(t)
			before := r.run(r.stopAfter(t, 2), t)
			r.next("run-1")
			c.change(r)
			_, err := verify.RunSuite(t.Context(), r.suite, r.deps)
			require.Error(t, err)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			for _, part := range append(c.want, "run run-1 cannot go on") {
				assert.ErrorContains(t, err, part)
			}
			after, err := ledger.LoadRun(r.suite.Folder())
			require.NoError(t, err)
			assert.Equal(t, before.Info, after, "the run's file is as it was")
			assert.Len(t, rowsOf(t, before.Files), 2)
		})
	}
}

func TestN1ResumeOfAnotherPlanIsRefused(t *testing.T) {
	r := newRig(t)
	before := r.run(r.stopAfter(t, 2), t).Info
	before.Cells[0], before.Cells[1] = before.Cells[1], before.Cells[0]
	require.NoError(t, before.Save(r.suite.Folder()))
	_, err := verify.RunSuite(t.Context(), r.suite, r.deps)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.ErrorContains(t, err, "its plan is 8 cells that begin with "+before.Cells[0].String())
}

func TestARunsFileThatCannotBeReadIsNotWrittenOver(t *testing.T) {
	for name, text := range map[string]string{"broken": `{"run_id":`, "of a newer version": `{"schema_version":99}`} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			path := filepath.Join(r.suite.Folder(), ledger.RunFile)
			require.NoError(t, os.MkdirAll(r.suite.Folder(), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			_, err := verify.RunSuite(t.Context(), r.suite, r.deps)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.ErrorContains(t, err, path)
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, text, string(after))
		})
	}
}

// anotherSuites makes a row one of another suite.
var anotherSuites = map[string]func(row *bench.Row){
	"model":    func(row *bench.Row) { row.Model.ModelID = "two" },
	"commit":   func(row *bench.Row) { row.Git.Commit = new("other") },
	"seed":     func(row *bench.Row) { row.SeedID = "ci" },
	"scenario": func(row *bench.Row) { row.ScenarioHash = "changed" },
}

func TestN1RowsOfAnotherSuiteAreRefused(t *testing.T) {
	for name, change := range anotherSuites {
		t.Run("N1: "+name, func(t *testing.T) {
			r := newRig(t)
			files := r.run(r.stopAfter(t, 3), t).Files
			row := rowsOf(t, files)[0]
			row.Iteration = 1 + row.Iteration%2
			change(&row)
			require.NoError(t, appendRow(files[0], row))
			r.next("run-1")
			_, err := verify.RunSuite(t.Context(), r.suite, r.deps)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.ErrorContains(t, err, files[0]+" line ")
			assert.ErrorContains(t, err, "rows of different suites cannot be put together")
		})
	}
}

func appendRow(file string, row bench.Row) error {
	w, _, err := ledger.Open(file)
	if err != nil {
		return err
	}
	defer w.Close()
	return w.Append(&row)
}

func TestATornLastLineIsCutAndItsCellRunsAgain(t *testing.T) {
	r := newRig(t)
	r.suite.OutputJSONL = filepath.Join(r.suite.Dir, "rows.jsonl")
	r.run(r.stopAfter(t, 4), t)
	text, err := os.ReadFile(r.suite.OutputJSONL)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(r.suite.OutputJSONL, text[:len(text)-20], 0o600))

	r.next("run-1")
	result := r.run(t.Context(), t)
	require.Len(t, result.Torn, 1)
	assert.Equal(t, r.suite.OutputJSONL, result.Torn[0].File)
	assert.Equal(t, 4, result.Torn[0].Line)
	assert.Equal(t, 5, result.Rows)
	assert.Equal(t, r.suite.Plan(), cellsOf(rowsOf(t, result.Files)))
}

func TestAFileMayHaveRowsOfOtherRunsButNotOfTheSameCells(t *testing.T) {
	r := newRig(t)
	r.suite.OutputJSONL = filepath.Join(r.suite.Dir, "rows.jsonl")
	r.suite.Modes = []bench.Mode{bench.AgentDirect}
	cost := r.run(t.Context(), t).CostUSD

	r.next("run-2")
	_, err := verify.RunSuite(t.Context(), r.suite, r.deps)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.ErrorContains(t, err, "has a row of run run-1 here already")
	assert.NoDirExists(t, r.suite.Folder(), "a run that is refused leaves nothing")

	r.suite.Modes = []bench.Mode{bench.GHX}
	result := r.run(t.Context(), t)
	assert.Equal(t, 4, result.Rows)
	assert.Less(t, result.CostUSD, cost, "what the other run has cost does not count")
	assert.Len(t, rowsOf(t, result.Files), 8)
}

func TestALedgerThatAnotherRunWritesToIsRefused(t *testing.T) {
	r := newRig(t)
	files := r.run(r.stopAfter(t, 3), t).Files
	taken, _, err := ledger.Open(files[0])
	require.NoError(t, err)
	defer taken.Close()
	r.next("run-1")
	_, err = verify.RunSuite(t.Context(), r.suite, r.deps)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.ErrorContains(t, err, "another run is writing to "+files[0])
}

func TestAFullDiskStopsTheRunWithTheRowInTheError(t *testing.T) {
	r := newRig(t)
	r.suite.OutputJSONL = "/dev/full"
	result, err := verify.RunSuite(t.Context(), r.suite, r.deps)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	assert.ErrorContains(t, err, "append to ledger /dev/full: ")
	var unsaved *runner.UnsavedRow
	require.ErrorAs(t, err, &unsaved)
	assert.Equal(t, r.suite.Plan()[0], unsaved.Row.Cell())
	assert.Len(t, result.Left, 8)
	assert.Len(t, r.provider.Sessions(), 1, "no other cell is run in vain")
}

func TestALedgerThatFailsInTheMiddleKeepsItsEarlierRows(t *testing.T) {
	r := newRig(t)
	r.suite.Order = runner.Sequential
	turn := r.provider.OnPrompt
	r.provider.OnPrompt = func(ctx context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
		if s.Setup.Mode == bench.GHX {
			// Where the next row's file is to be, there is a folder now.
			path := filepath.Join(r.suite.Folder(), ledger.FileName(time.Date(2026, 2, 25, 12, 0, 0, 0, time.UTC), bench.GHX))
			require.NoError(t, os.Mkdir(path, 0o755))
		}
		return turn(ctx, s, p)
	}
	result, err := verify.RunSuite(t.Context(), r.suite, r.deps)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	var unsaved *runner.UnsavedRow
	require.ErrorAs(t, err, &unsaved)
	assert.Equal(t, r.suite.Plan()[4], unsaved.Row.Cell())
	assert.Equal(t, r.suite.Plan()[:4], cellsOf(rowsOf(t, result.Files)))
	assert.Equal(t, r.suite.Plan()[4:], result.Left)
	saved, err := ledger.LoadRun(r.suite.Folder())
	require.NoError(t, err)
	require.Len(t, saved.Stops, 1)
	assert.Equal(t, result.Left, saved.Stops[0].Cells)
}

func TestAScenarioThatDoesNotFitIsNoStop(t *testing.T) {
	r := newRig(t)
	r.suite.Scenarios[0].Fixture = &bench.Fixture{Requires: []string{"pr"}}
	result, err := verify.RunSuite(t.Context(), r.suite, r.deps)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.Empty(t, result.Files)
	assert.Empty(t, result.Info.Stops)
}

func TestRunsOfShardsAreParts(t *testing.T) {
	r := newRig(t)
	var all []bench.Cell
	for index := 1; index <= 3; index++ {
		r.next("shard-" + string(rune('0'+index)))
		r.suite.Shard = &bench.Shard{Index: index, Count: 3}
		result := r.run(t.Context(), t)
		assert.Equal(t, r.suite.Cells(), result.Info.Cells)
		assert.Equal(t, r.suite.Plan(), result.Info.AllCells)
		rows := rowsOf(t, result.Files)
		for _, row := range rows {
			assert.Equal(t, row.Cell(), r.suite.Plan()[row.Order.Position-1], "positions are those of the whole plan")
		}
		all = append(all, cellsOf(rows)...)
	}
	assert.ElementsMatch(t, r.suite.Plan(), all)
}

func TestToolsNameHarnessAndAgent(t *testing.T) {
	others := map[string]string{"gh": "2.80.0"}
	assert.Equal(t, map[string]string{"harness": "1.0", "agent": "fake 1", "gh": "2.80.0"}, verify.Tools("1.0", "fake 1", others))
	assert.Len(t, others, 1, "what is given is not changed")
	assert.Len(t, verify.Tools("1.0", "fake 1", nil), 2)
}

func TestAgentsOfOtherUsersCannotReadTheRunsFolder(t *testing.T) {
	r := newRig(t)
	permOf := func() os.FileMode {
		info, err := os.Stat(r.suite.Folder())
		require.NoError(t, err)
		return info.Mode().Perm()
	}
	var during os.FileMode
	r.afterRow = func(int) { during = permOf() }
	_, err := verify.RunSuite(t.Context(), r.suite, r.deps)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), during)
	assert.NotEqual(t, during, permOf(), "others may read it in the end")
}

// What changed for agents is found once, and is of the two modes that it is about.
func TestWhatChangedForAgentsIsKeptWithTheRun(t *testing.T) {
	r := newRig(t)
	r.suite.Surface = &bench.SurfaceChange{Baseline: bench.AgentDirect, Candidate: bench.GHX, Edits: []bench.SurfaceEdit{{Kind: bench.SurfaceAdded, Name: "x"}}}
	found := r.suite.Surface
	r.run(r.stopAfter(t, 3), t)
	r.next("run-1")
	r.suite.Surface = nil
	r.run(t.Context(), t)
	source, err := verify.SourceOf(r.suite.Folder())
	require.NoError(t, err)
	reported, err := verify.Report(source, judging())
	require.NoError(t, err)
	assert.Equal(t, found, reported.Summary.Surface)

	for _, other := range []verify.JudgeOptions{{Baseline: bench.GHX, Candidate: bench.AgentDirect}, {Baseline: bench.GHX, Candidate: bench.GHXBase}, {Baseline: bench.MCP, Candidate: bench.GHX}, {Baseline: bench.AgentDirect, Candidate: bench.MCP}} {
		how := judging()
		how.Baseline, how.Candidate = other.Baseline, other.Candidate
		reported, err = verify.Report(source, how)
		require.NoError(t, err)
		assert.Nil(t, reported.Summary.Surface, "%s against %s", how.Candidate, how.Baseline)
	}
}

// What was fixed or seen of a run stays with it, whoever goes on with it.
func TestV7ARunThatGoesOnKeepsWhatIsKnownOfIt(t *testing.T) {
	r := newRig(t)
	r.run(r.stopAfter(t, 3), t)
	info, err := ledger.LoadRun(r.suite.Folder())
	require.NoError(t, err)
	info.Margins, info.Compared = &bench.Margins{SuccessDropPct: 7}, []bench.Mode{bench.GHX, bench.MCP}
	info.Continues, info.Judged = []ledger.Begun{{RunID: "run-0", Repetitions: 3}}, &ledger.Judged{Verdict: bench.VerdictFail}
	info.NotCounted, info.LeftOut = map[string]string{"b-001": "it is new"}, []bench.LeftOut{{Reason: "another mode", Rows: 2}}
	info.Refills, info.Lost, info.Altered = []bench.Cell{{ScenarioID: "a-001", Mode: bench.GHX, Iteration: 3}}, 4, "the row of x"
	info.UnrecordedUSD, info.TakenUSD, info.Concurrency = 0.5, 0.25, 3
	require.NoError(t, info.Save(r.suite.Folder()))
	for _, concurrency := range []int{1, 5} {
		r.rows, r.afterRow = 0, nil
		r.suite.Run.Concurrency = concurrency
		// The rig's clock is for one session at a time.
		r.provider.OnPrompt = func(context.Context, *fake.Session, agent.Prompt) (agent.Turn, error) {
			return agent.Turn{Text: fake.Envelope}, nil
		}
		after := r.run(r.stopAfter(t, 1), t).Info
		assert.Equal(t, max(3, concurrency), after.Concurrency, "so many may have been under way")
		for name, pair := range map[string][2]any{
			"margins": {info.Margins, after.Margins}, "modes": {info.Compared, after.Compared}, "earlier runs": {info.Continues, after.Continues},
			"verdict": {info.Judged, after.Judged}, "scenarios that are not counted": {info.NotCounted, after.NotCounted}, "rows left out": {info.LeftOut, after.LeftOut},
			"refills": {info.Refills, after.Refills}, "lost": {info.Lost, after.Lost}, "altered": {info.Altered, after.Altered}, "taken": {info.TakenUSD, after.TakenUSD},
			"begun": {info.CreatedAt, after.CreatedAt}, "sums": {len(info.Sums), len(after.Sums)},
		} {
			assert.Equal(t, pair[0], pair[1], name)
		}
		assert.GreaterOrEqual(t, after.UnrecordedUSD, 0.5, "and what was under way")
		info.Lost = after.Lost
	}
}

func TestWhatWasCutOffIsToldBesideAnError(t *testing.T) {
	r := newRig(t)
	files := r.run(r.stopAfter(t, 4), t).Files
	row := rowsOf(t, files)[0]
	row.Iteration, row.SeedID = 1+row.Iteration%2, "ci"
	tear(t, files[0])
	r.next("run-1")
	require.NoError(t, appendRow(files[1], row))
	result, err := verify.RunSuite(t.Context(), r.suite, r.deps)
	require.Error(t, err)
	assert.Len(t, result.Torn, 1)

	r = newRig(t)
	files = r.run(r.stopAfter(t, 4), t).Files
	tear(t, files[0])
	r.next("run-1")
	r.suite.Rows = []bench.Row{{ScenarioID: "a-001", Mode: bench.GHX, Iteration: -1}}
	result, err = verify.RunSuite(t.Context(), r.suite, r.deps)
	require.Error(t, err)
	assert.Len(t, result.Torn, 1)
}

func TestAFolderThatCannotBeWrittenIsKnownBeforeASession(t *testing.T) {
	r := newRig(t)
	r.suite.OutputJSONL, r.suite.Transcripts = filepath.Join(r.suite.Dir, "rows.jsonl"), t.TempDir()
	r.suite.Dir = "/proc/none"
	_, err := verify.RunSuite(t.Context(), r.suite, r.deps)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	require.ErrorContains(t, err, "save run run-1")
	assert.Empty(t, r.provider.Sessions())

	rows := newRig(t)
	rows.suite.Rows = rowsOf(t, newRig(t).run(t.Context(), t).Files)
	rows.suite.OutputJSONL = "/dev/full"
	_, err = verify.RunSuite(t.Context(), rows.suite, rows.deps)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	require.ErrorContains(t, err, "/dev/full")
	assert.Empty(t, rows.provider.Sessions(), "rows that are taken over are not kept")
}

func TestN1ARunWhoseContentIsNotKnownAnyMoreIsOfItsCommit(t *testing.T) {
	r := newRig(t)
	tree := "7ee"
	r.suite.Git.Tree = &tree
	r.run(r.stopAfter(t, 2), t)
	r.next("run-1")
	r.suite.Git.Tree = nil
	assert.Equal(t, 6, r.run(t.Context(), t).Rows)
}
