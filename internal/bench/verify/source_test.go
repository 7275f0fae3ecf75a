package verify_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

var pair = []bench.Mode{bench.AgentDirect, bench.GHX}

// runMode runs one mode, as a run of its own.
func (r *rig) runMode(t *testing.T, runID string, modes ...bench.Mode) verify.Result {
	t.Helper()
	r.next(runID)
	r.suite.Modes = modes
	return r.run(t.Context(), t)
}

func TestR1OneModeAfterTheOtherIsReportedTogether(t *testing.T) {
	r := newRig(t)
	r.suite.Repetitions = 4
	r.runMode(t, "run-1", bench.AgentDirect)
	r.runMode(t, "run-2", bench.GHX)
	source, notes, err := verify.NewestSource(r.suite.Dir, pair)
	require.NoError(t, err)
	assert.Equal(t, []string{"run run-2 has no mode agent_direct; it is compared with the rows of run run-1"}, notes)

	reported, err := verify.Report(source, judging())
	require.NoError(t, err)
	assert.Equal(t, 8, reported.Summary.Modes[bench.AgentDirect].Runs)
	assert.Equal(t, 8, reported.Summary.Modes[bench.GHX].Runs)
	assert.Equal(t, bench.VerdictPass, reported.Summary.Gate.Verdict, reported.Summary.Gate.Reason)
	assert.Empty(t, reported.Summary.Missing)
	assert.Equal(t, "default", reported.ScenarioSet)
}

func TestR1TheNewestRunOfTheOtherModeIsTaken(t *testing.T) {
	r := newRig(t)
	r.runMode(t, "run-z", bench.AgentDirect)
	r.runMode(t, "run-a", bench.AgentDirect)
	r.runMode(t, "run-m", bench.GHX)
	source, _, err := verify.NewestSource(r.suite.Dir, pair)
	require.NoError(t, err)
	require.Len(t, source.Runs, 2)
	assert.Equal(t, "run-a", source.Runs[1].RunID, "the newer one, not the one with the greater name")
}

func TestR1RunsThatAreNotComparableAreNotJoined(t *testing.T) {
	other := "other"
	cases := []struct {
		name   string
		change func(r *rig)
	}{
		{"another model", func(r *rig) { r.provider.Info.Model.ModelID = "two" }},
		{"another commit", func(r *rig) { r.suite.Git.Commit = &other }},
		{"another seed", func(r *rig) { r.suite.SeedID = "ci" }},
		{"other variations", func(r *rig) { r.suite.Variations.Seed = 8 }},
		{"another scenario set", func(r *rig) { r.suite.ScenarioSet = "all" }},
		{"other scenarios", func(r *rig) { r.suite.Scenarios = []bench.Scenario{fake.Atomic("a-001"), fake.Atomic("c-001")} }},
		{"fewer scenarios", func(r *rig) { r.suite.Scenarios = r.suite.Scenarios[:1] }},
		{"other content of a scenario", func(r *rig) { r.suite.Scenarios[0].Hash = "changed" }},
	}
	for _, c := range cases {
		t.Run("R1: "+c.name, func(t *testing.T) {
			r := newRig(t)
			r.runMode(t, "run-1", bench.AgentDirect)
			c.change(r)
			r.runMode(t, "run-2", bench.GHX)
			source, notes, err := verify.NewestSource(r.suite.Dir, pair)
			require.NoError(t, err)
			assert.Empty(t, notes)
			assert.Len(t, source.Runs, 1)
			reported, err := verify.Report(source, judging())
			require.NoError(t, err)
			assert.Equal(t, bench.VerdictNone, reported.Summary.Gate.Verdict)
		})
	}
}

func TestR1WhichRunsAreJoined(t *testing.T) {
	cases := []struct {
		name string
		runs [][]bench.Mode
		want []string
	}{
		{"a run with both modes stands alone", [][]bench.Mode{{bench.AgentDirect}, {bench.AgentDirect, bench.GHX}}, []string{"run-2"}},
		{"a run with neither mode stands alone", [][]bench.Mode{{bench.AgentDirect}, {bench.GHX}, {bench.MCP}}, []string{"run-3"}},
		{"a run of several modes is not joined to another", [][]bench.Mode{{bench.AgentDirect, bench.GHX}, {bench.GHX}}, []string{"run-2"}},
		{"a run of three modes gets none", [][]bench.Mode{{bench.AgentDirect}, {bench.AgentDirect, bench.MCP, bench.GHX}}, []string{"run-2"}},
		{"one mode besides others is completed", [][]bench.Mode{{bench.AgentDirect}, {bench.MCP, bench.GHX}}, []string{"run-2", "run-1"}},
		{"a first run stands alone", [][]bench.Mode{{bench.GHX}}, []string{"run-1"}},
	}
	for _, c := range cases {
		t.Run("R1: "+c.name, func(t *testing.T) {
			r := newRig(t)
			for i, modes := range c.runs {
				r.runMode(t, "run-"+string(rune('1'+i)), modes...)
			}
			source, _, err := verify.NewestSource(r.suite.Dir, pair)
			require.NoError(t, err)
			var got []string
			for _, run := range source.Runs {
				got = append(got, run.RunID)
			}
			assert.Equal(t, c.want, got)
		})
	}
}

func TestG10AnyPairOfModesIsJoined(t *testing.T) {
	r := newRig(t)
	base := "base"
	r.suite.BaseCommit = &base
	r.runMode(t, "run-1", bench.GHXBase)
	r.suite.BaseCommit = nil
	r.runMode(t, "run-2", bench.GHX)
	source, _, err := verify.NewestSource(r.suite.Dir, []bench.Mode{bench.GHXBase, bench.GHX})
	require.NoError(t, err)
	require.Len(t, source.Runs, 2)
	how := judging()
	how.Baseline, how.Candidate = bench.GHXBase, bench.GHX
	reported, err := verify.Report(source, how)
	require.NoError(t, err)
	assert.NotNil(t, reported.Summary.Gate.Efficiency)

	other := "other"
	source.Runs[1].BaseCommit = &other
	_, err = verify.Report(source, how)
	assert.Equal(t, fault.Invalid, fault.KindOf(err), "rows of another base commit do not belong to the run")
	assert.ErrorContains(t, err, "git.commit")
}

func TestAOneFileLedgerThatIsGoneIsNoEmptyOne(t *testing.T) {
	r := newRig(t)
	r.suite.OutputJSONL = filepath.Join(r.suite.Dir, "rows.jsonl")
	r.run(t.Context(), t)
	require.NoError(t, os.Remove(r.suite.OutputJSONL))
	source, err := verify.SourceOf(r.suite.Folder())
	require.NoError(t, err)
	_, err = verify.Report(source, judging())
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.ErrorContains(t, err, "there is no ledger "+r.suite.OutputJSONL)
}

func TestJoinedRunsInOneFileAreReadOnce(t *testing.T) {
	r := newRig(t)
	r.suite.OutputJSONL = filepath.Join(r.suite.Dir, "rows.jsonl")
	r.runMode(t, "run-1", bench.AgentDirect)
	r.runMode(t, "run-2", bench.GHX)
	source, _, err := verify.NewestSource(r.suite.Dir, pair)
	require.NoError(t, err)
	assert.Len(t, source.Runs, 2)
	assert.Equal(t, []string{r.suite.OutputJSONL}, source.Files)
}

func TestWhatToNameWhereARunLacksAModeIsTold(t *testing.T) {
	r := newRig(t)
	mend := func(baseline, candidate bench.Mode) string {
		t.Helper()
		source, _, err := verify.NewestSource(r.suite.Dir, []bench.Mode{baseline, candidate})
		require.NoError(t, err)
		text, err := source.Mend(r.suite.Dir, baseline, candidate)
		require.NoError(t, err)
		return text
	}
	for _, id := range []string{"run-1", "run-2"} {
		r.runMode(t, id, bench.AgentDirect, bench.GHX)
	}
	r.runMode(t, "run-3", bench.MCP, "prtool")
	assert.Empty(t, mend(bench.MCP, "prtool"))
	assert.Equal(t, "run run-3 has modes mcp and prtool; run run-2 has agent_direct and ghx: give --run run-2 to have it judged", mend(bench.AgentDirect, bench.GHX))
	assert.Equal(t, "run run-3 has modes mcp and prtool: give --baseline-mode mcp --candidate-mode prtool to have them judged", mend(bench.AgentDirect, "prtool"))
	assert.Equal(t, "run run-3 has modes mcp and prtool: give --baseline-mode mcp --candidate-mode prtool to have them judged", mend(bench.MCP, bench.GHX), "one of the two is not enough")
	r.runMode(t, "run-4", bench.MCP)
	assert.Empty(t, mend(bench.AgentDirect, "prtool"), "one mode cannot be judged")

	source, err := verify.SourceOf(filepath.Join(r.suite.Dir, "run-3"))
	require.NoError(t, err)
	_, err = source.Mend(filepath.Join(r.suite.Dir, "run-3", ledger.RunFile), bench.AgentDirect, bench.GHX)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err), "a file is no folder of runs")
	text, err := verify.Source{}.Mend(r.suite.Dir, bench.AgentDirect, bench.GHX)
	require.NoError(t, err)
	assert.Empty(t, text, "of no run nothing is known")
}

func TestARunIsNamedByItsFilesItsFolderItsIdOrItsCommit(t *testing.T) {
	r := newRig(t)
	first := r.run(t.Context(), t)
	r.next("run-2")
	r.run(t.Context(), t)
	alone := filepath.Join(t.TempDir(), "rows.jsonl")
	text, err := os.ReadFile(first.Files[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(alone, text, 0o600))
	commit, gone := "c0ffee0c0ffee0", "deadbeefdeadbeef"
	history := []bench.HistoryEntry{{RunID: "run-1", Commit: &commit}, {RunID: "run-2", Commit: &commit}, {RunID: "run-0", Commit: &gone}, {RunID: "run-1"}}
	for name, c := range map[string]struct {
		named string
		runs  []string
		files int
		says  string
	}{
		"a ledger":                          {alone, nil, 1, ""},
		"a ledger of a run":                 {first.Files[0], []string{"run-1"}, 1, ""},
		"a run's folder":                    {r.suite.Folder(), []string{"run-2"}, 2, ""},
		"a folder of runs":                  {r.suite.Dir, []string{"run-1", "run-2"}, 4, ""},
		"an id":                             {"run-1", []string{"run-1"}, 2, ""},
		"a commit, of its newest run":       {commit, []string{"run-2"}, 2, ""},
		"the beginning of a commit":         {"c0ffee0", []string{"run-2"}, 2, ""},
		"too little of a commit":            {"c0ffee", nil, 0, `"c0ffee" is no ledger, no folder of a run, no run in `},
		"a commit that nobody knows":        {"0123456789", nil, 0, "and no commit of which its history knows a run"},
		"a commit whose run was taken away": {"deadbeef", nil, 0, "the history knows run run-0 of commit deadbeef, but it cannot be read: "},
		"a folder without runs":             {filepath.Dir(alone) + "/", nil, 0, "there is no run below "},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "a folder without runs" {
				c.named = t.TempDir()
			}
			source, err := verify.SourceNamed(c.named, r.suite.Dir, history)
			if c.says != "" {
				require.ErrorContains(t, err, c.says)
				assert.Equal(t, fault.Invalid, fault.KindOf(err))
				return
			}
			require.NoError(t, err)
			var ids []string
			for _, run := range source.Runs {
				ids = append(ids, run.RunID)
			}
			assert.Equal(t, c.runs, ids)
			assert.Len(t, source.Files, c.files)
		})
	}
}

// Results that were brought together are runs, and ledgers that are named themselves.
func TestResultsMayLieBelowSeveralFolders(t *testing.T) {
	r := newRig(t)
	first := r.run(t.Context(), t)
	source, err := verify.SourceBelow(r.suite.Dir, first.Files[0])
	require.NoError(t, err)
	assert.Len(t, source.Runs, 1)
	assert.Equal(t, append(first.Files, first.Files[0]), source.Files)
	assert.Equal(t, []string{r.suite.Folder()}, source.Folders())
	_, err = verify.SourceBelow(r.suite.Dir, t.TempDir())
	require.ErrorContains(t, err, "there is no run below ")
	_, err = verify.SourceBelow(filepath.Join(r.suite.Dir, "gone"))
	require.ErrorContains(t, err, "look for results: ")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	require.NoError(t, os.WriteFile(filepath.Join(r.suite.Folder(), ledger.RunFile), []byte("{"), 0o600))
	_, err = verify.SourceBelow(r.suite.Dir)
	assert.Error(t, err, "what is half a run is not passed over")
}

func TestNewestSourceWithoutRuns(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "notes"), 0o755))
	_, _, err := verify.NewestSource(dir, pair)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.ErrorContains(t, err, "there is no run in "+dir)
	_, err = verify.SourceOf(filepath.Join(dir, "notes"))
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestR9MissingCellsAreListedByReason(t *testing.T) {
	r := newRig(t)
	r.run(r.stopAfter(t, 5), t)
	r.next("run-1")
	r.suite.Run.MaxCostUSD = 1e-9
	r.run(t.Context(), t)
	plan := r.suite.Plan()

	source, err := verify.SourceOf(r.suite.Folder())
	require.NoError(t, err)
	reported, err := verify.Report(source, judging())
	require.NoError(t, err)
	assert.Equal(t, []bench.MissingCells{{Reason: bench.MissingBudget, Cells: plan[5:]}}, reported.Summary.Missing, "the last reason counts")
	assert.Equal(t, bench.VerdictNone, reported.Summary.Gate.Verdict)
	assert.False(t, reported.Summary.Gate.Passed)

	t.Run("R9: cells of which nothing is known never ran", func(t *testing.T) {
		source.Runs[0].Stops = nil
		reported, err := verify.Report(source, judging())
		require.NoError(t, err)
		assert.Equal(t, []bench.MissingCells{{Reason: bench.MissingNeverRan, Cells: plan[5:]}}, reported.Summary.Missing)
	})
	t.Run("R9: a run that was stopped before its first row has no file yet", func(t *testing.T) {
		r := newRig(t)
		r.suite.OutputJSONL = filepath.Join(r.suite.Dir, "rows.jsonl")
		r.run(r.stopAfter(t, 0), t)
		source, err := verify.SourceOf(r.suite.Folder())
		require.NoError(t, err)
		assert.Empty(t, source.Files)
		later := newRig(t)
		later.suite.OutputJSONL = filepath.Join(later.suite.Dir, "rows.jsonl")
		later.run(later.stopAfter(t, 3), t)
		stopped, err := verify.SourceOf(later.suite.Folder())
		require.NoError(t, err)
		assert.Equal(t, []string{later.suite.OutputJSONL}, stopped.Files, "later it has one")
		reported, err := verify.Report(source, judging())
		require.NoError(t, err)
		assert.Equal(t, []bench.MissingCells{{Reason: bench.MissingStopped, Cells: plan}}, reported.Summary.Missing)
	})
}

// shards runs a plan in parts and returns what is known of all of them.
func (r *rig) shards(t *testing.T, count int) verify.Source {
	t.Helper()
	var all verify.Source
	for index := 1; index <= count; index++ {
		r.next("shard-" + string(rune('0'+index)))
		r.suite.Shard = &bench.Shard{Index: index, Count: count}
		r.run(t.Context(), t)
		source, err := verify.SourceOf(r.suite.Folder())
		require.NoError(t, err)
		all.Files = append(all.Files, source.Files...)
		all.Runs = append(all.Runs, source.Runs...)
	}
	return all
}

func TestShardsTogetherAreReportedAsTheWholePlan(t *testing.T) {
	whole := newRig(t)
	whole.suite.Repetitions = 3
	whole.run(t.Context(), t)
	source, err := verify.SourceOf(whole.suite.Folder())
	require.NoError(t, err)
	want, err := verify.Report(source, judging())
	require.NoError(t, err)
	require.Equal(t, bench.VerdictPass, want.Summary.Gate.Verdict)

	for _, count := range []int{2, 3, 7} {
		r := newRig(t)
		r.suite.Repetitions = 3
		parts := r.shards(t, count)
		got, err := verify.Report(parts, judging())
		require.NoError(t, err)
		assert.Len(t, got.Summary.RunIDs, min(count, 6), "one for each shard that has cells")
		assert.Equal(t, figures(want.Summary), figures(got.Summary), "%d shards", count)

		alone, err := verify.Report(verify.Source{Files: parts.Files}, judging())
		require.NoError(t, err)
		assert.Equal(t, got, alone, "%d shards as files whose runs are not known", count)
	}
}

// figures returns a summary without what tells runs apart, with the scenarios
// by id, and with a sum that does not depend on the order of its parts.
func figures(s bench.Summary) bench.Summary {
	s.RunIDs = nil
	s.CostUSD = math.Round(s.CostUSD * 1e9)
	byID := map[string]bench.ScenarioSummary{}
	for _, scenario := range s.Scenarios {
		byID[scenario.ID] = scenario
	}
	s.Scenarios = []bench.ScenarioSummary{byID["a-001"], byID["b-001"]}
	return s
}

func TestR9AShardAloneHasNoVerdict(t *testing.T) {
	r := newRig(t)
	parts := r.shards(t, 2)
	second := parts.Runs[1]
	reported, err := verify.Report(verify.Source{Files: parts.Files[:2], Runs: parts.Runs[:1]}, judging())
	require.NoError(t, err)
	require.Len(t, reported.Summary.Missing, 1)
	assert.Equal(t, bench.MissingNeverRan, reported.Summary.Missing[0].Reason)
	assert.ElementsMatch(t, second.Cells, reported.Summary.Missing[0].Cells)
	assert.Equal(t, bench.VerdictNone, reported.Summary.Gate.Verdict)
}

func TestR9AShardThatWasStoppedSaysSoBesideAnother(t *testing.T) {
	r := newRig(t)
	r.suite.Shard = &bench.Shard{Index: 1, Count: 2}
	stopped := r.run(r.stopAfter(t, 1), t).Info
	r.next("run-2")
	r.suite.Shard = &bench.Shard{Index: 2, Count: 2}
	other := r.run(t.Context(), t).Info
	first, err := verify.SourceOf(filepath.Join(r.suite.Dir, "run-1"))
	require.NoError(t, err)
	second, err := verify.SourceOf(filepath.Join(r.suite.Dir, "run-2"))
	require.NoError(t, err)
	for _, source := range []verify.Source{
		{Files: append(first.Files, second.Files...), Runs: append(first.Runs, second.Runs...)},
		{Files: append(second.Files, first.Files...), Runs: append(second.Runs, first.Runs...)},
	} {
		reported, err := verify.Report(source, judging())
		require.NoError(t, err)
		require.Len(t, reported.Summary.Missing, 1)
		assert.Equal(t, bench.MissingStopped, reported.Summary.Missing[0].Reason)
		assert.ElementsMatch(t, stopped.Stops[0].Cells, reported.Summary.Missing[0].Cells)
	}
	assert.NotEmpty(t, other.Cells)
}

func TestN1RowsOfAnotherSuiteAreNotMerged(t *testing.T) {
	r := newRig(t)
	source := r.shards(t, 2)
	other := newRig(t)
	other.suite.SeedID = "ci"
	parts := other.shards(t, 2)
	source.Files = append(source.Files[:2], parts.Files[2:]...)
	_, err := verify.Report(source, judging())
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.ErrorContains(t, err, parts.Files[2]+" line 1: seed_id of cell")
}

// A folder of results has other things in it, and some that are broken.
func TestWhatLiesBelowAFolderOfResults(t *testing.T) {
	r := newRig(t)
	r.run(t.Context(), t)
	require.NoError(t, os.MkdirAll(filepath.Join(r.suite.Dir, "odd", ledger.RunFile), 0o755))
	source, err := verify.SourceBelow(r.suite.Dir)
	require.NoError(t, err)
	assert.Len(t, source.Runs, 1, "a folder of that name is no run")
	broken := filepath.Join(r.suite.Dir, "z-broken")
	require.NoError(t, os.Mkdir(broken, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(broken, ledger.RunFile), []byte("{"), 0o600))
	_, err = verify.SourceBelow(r.suite.Dir)
	require.ErrorContains(t, err, broken)
	assert.Equal(t, fault.Invalid, fault.KindOf(err), "a run that cannot be read is not left out in silence")
}

// Only one of two modes has its rows fetched from another run.
func TestR1OnlyOneOfTwoModesIsLookedForElsewhere(t *testing.T) {
	r := newRig(t)
	r.runMode(t, "run-1", bench.AgentDirect)
	r.runMode(t, "run-2", bench.GHX)
	for name, c := range map[string]struct {
		modes []bench.Mode
		runs  int
	}{
		"two":                  {[]bench.Mode{bench.AgentDirect, bench.GHX}, 2},
		"another one":          {[]bench.Mode{bench.AgentDirect}, 1},
		"three":                {[]bench.Mode{bench.AgentDirect, bench.GHX, bench.MCP}, 1},
		"none that any has":    {[]bench.Mode{bench.MCP, bench.GHX}, 1},
		"three, one is absent": {[]bench.Mode{bench.AgentDirect, bench.GHX, bench.GHX}, 1},
	} {
		source, notes, err := verify.NewestSource(r.suite.Dir, c.modes)
		require.NoError(t, err)
		assert.Len(t, source.Runs, c.runs, name)
		assert.Len(t, notes, c.runs-1, name)
	}
}
