package verify

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

// questioned is a run that asks a question, begun so many minutes after noon.
func questioned(id string, minutes int, alter ...func(*ledger.RunInfo)) ledger.RunInfo {
	tree := "7ee"
	run := ledger.RunInfo{
		RunID: id, CreatedAt: noon.Add(time.Duration(minutes) * time.Minute), Profile: bench.ProfileRegression, Provider: "codex", Git: bench.GitRef{Tree: &tree},
		Modes: []bench.Mode{bench.AgentDirect, bench.GHX}, Scenarios: []ledger.ScenarioRef{{ID: "a-001", Hash: "h"}}, Repetitions: 4,
	}
	for _, alter := range alter {
		alter(&run)
	}
	return run
}

// keptRun writes a run to a folder of runs, with a ledger if it is to have rows.
func keptRun(t *testing.T, base, folder string, run ledger.RunInfo, rows bool) {
	t.Helper()
	dir := filepath.Join(base, folder)
	require.NoError(t, run.Save(dir))
	if !rows {
		return
	}
	set, err := ledger.OpenSet(dir, run.CreatedAt)
	require.NoError(t, err)
	require.NoError(t, set.Append(&bench.Row{RunID: run.RunID, ScenarioID: "a-001", Mode: bench.GHX, Iteration: run.CreatedAt.Minute()}))
	require.NoError(t, set.Close())
}

func idsOf(runs []ledger.RunInfo) (ids []string) {
	for _, run := range runs {
		ids = append(ids, run.RunID)
	}
	return ids
}

// One question has one error budget, whatever the runs are called that asked it.
func TestV7EarlierSequencesAreThoseOfTheQuestionThatHaveRows(t *testing.T) {
	base, other := t.TempDir(), "0ther"
	keptRun(t, base, "b-second", questioned("b-second", 2), true)
	keptRun(t, base, "z-first", questioned("z-first", 1), true)
	keptRun(t, base, "z-first-copied", questioned("z-first", 1), true)
	keptRun(t, base, "gone-on-with", questioned("gone-on-with", 3), true)
	keptRun(t, base, "without-rows", questioned("without-rows", 3), false)
	keptRun(t, base, "of-another-tool", questioned("of-another-tool", 3, func(r *ledger.RunInfo) { r.Git.Tree = &other }), true)
	keptRun(t, base, "at-the-same-time", questioned("at-the-same-time", 9), true)
	keptRun(t, base, "later", questioned("later", 10), true)
	require.NoError(t, os.MkdirAll(filepath.Join(base, "broken"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(base, "broken", ledger.RunFile), []byte("{"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(base, "history.jsonl"), nil, 0o600))

	now := questioned("now", 9, func(r *ledger.RunInfo) { r.Continues = []ledger.Begun{{RunID: "gone-on-with"}} })
	keptRun(t, base, "now", now, true)
	source := Source{Runs: []ledger.RunInfo{now}, folders: []string{filepath.Join(base, "now"), filepath.Join(base, "now-too"), filepath.Join(base, "gone", "run")}}
	assert.Equal(t, []string{"z-first", "b-second"}, idsOf(earlierSequences(source)))
	assert.Empty(t, earlierSequences(Source{Runs: source.Runs}), "nobody knows where they lie")
}

// A pass spends nothing of the budget, and nothing that could not be compared does.
func TestV7WhichEarlierSequencesWithholdAPass(t *testing.T) {
	thresholds := bench.DefaultThresholds(bench.ProfileRegression)
	for name, c := range map[string]struct {
		judged   *ledger.Judged
		profile  bench.GateProfile
		withheld bool
	}{
		"a pass":                    {&ledger.Judged{Verdict: bench.VerdictPass}, bench.ProfileRegression, false},
		"a fail":                    {&ledger.Judged{Verdict: bench.VerdictFail}, bench.ProfileRegression, true},
		"nothing that was compared": {&ledger.Judged{Verdict: bench.VerdictInconclusive, Cause: bench.CauseVoid}, bench.ProfileRegression, false},
		"one without an end":        {nil, bench.ProfileRegression, true},
		"a fail of a claim":         {&ledger.Judged{Verdict: bench.VerdictFail}, bench.ProfileClaim, false},
	} {
		base := t.TempDir()
		keptRun(t, base, "before", questioned("before", 1, func(r *ledger.RunInfo) { r.Judged, r.Profile = c.judged, c.profile }), true)
		source := Source{Runs: []ledger.RunInfo{questioned("now", 2)}, folders: []string{filepath.Join(base, "now")}}
		how := JudgeOptions{Profile: bench.ProfileRegression}
		why := how.withheld(&bench.Evidence{}, source, nil, thresholds)
		assert.Equal(t, c.withheld, why != nil, name)
		if why != nil {
			assert.Equal(t, bench.CauseEarlierSequence, why.Kind, name)
			assert.Contains(t, why.Text, "Run before on the same trees, tasks, model and modes ", name)
		}
	}
}

// A question is of the two modes that are compared, whatever runs beside them.
func TestV7ARunWithAModeMoreAsksTheSameQuestion(t *testing.T) {
	base, tree := t.TempDir(), "7ee"
	pair := []bench.Mode{bench.AgentDirect, bench.GHX}
	keptRun(t, base, "before", questioned("before", 1, func(r *ledger.RunInfo) {
		r.Judged, r.Compared = &ledger.Judged{Verdict: bench.VerdictPass}, pair
	}), true)
	s := Suite{
		Dir: base, RunID: "now", Profile: bench.ProfileRegression, Provider: "codex", Git: bench.GitRef{Tree: &tree}, Modes: append(pair, bench.MCP),
		Scenarios: []bench.Scenario{{ID: "a-001", Hash: "h"}}, Repetitions: 4,
	}
	how := JudgeOptions{Profile: bench.ProfileRegression}
	err := s.Spent(how, agent.Info{}, noon.Add(time.Hour))
	require.ErrorContains(t, err, "run before on the same trees, tasks, model and modes came to PASS")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	how.Candidate = bench.MCP
	assert.NoError(t, s.Spent(how, agent.Info{}, noon.Add(time.Hour)), "of two others it is another question")
}

// A part of a plan that was planned otherwise is no later addition to it.
func TestV7PartsOfAPlanAreAllPlannedAlike(t *testing.T) {
	part := func(id string, minutes, repetitions int) ledger.RunInfo {
		return questioned(id, minutes, func(r *ledger.RunInfo) { r.Repetitions = repetitions })
	}
	how := JudgeOptions{Profile: bench.ProfileRegression}
	why := how.withheld(&bench.Evidence{}, Source{Runs: []ledger.RunInfo{part("one", 1, 4), part("two", 2, 12)}}, nil, bench.DefaultThresholds(bench.ProfileRegression))
	require.NotNil(t, why)
	assert.Equal(t, bench.CauseSetAfterwards, why.Kind)
	assert.Equal(t, "one", planned([]ledger.RunInfo{part("one", 2, 4), part("two", 1, 12)}).RunID, "no part is the earlier plan of another")
}

func TestV7AFailThatCameBeforeIsUpheld(t *testing.T) {
	judged := bench.Evidence{Verdict: bench.VerdictPass, Cause: bench.Cause{Kind: bench.CauseNotWorse, Text: "It is not worse"}}
	how := JudgeOptions{Profile: bench.ProfileRegression}
	how.hold(&judged, Source{Runs: []ledger.RunInfo{questioned("now", 1, func(r *ledger.RunInfo) {
		r.Continues = []ledger.Begun{{RunID: "before", Repetitions: 4, At: noon, Judged: &ledger.Judged{Verdict: bench.VerdictFail}}}
	})}}, nil, bench.DefaultThresholds(bench.ProfileRegression))
	assert.Equal(t, bench.VerdictFail, judged.Verdict)
	assert.Equal(t, bench.CauseEarlierSequence, judged.Cause.Kind)

	judged = bench.Evidence{Verdict: bench.VerdictPass, Cause: bench.Cause{Kind: bench.CauseNotWorse, Text: "It is not worse"}}
	how.hold(&judged, Source{}, nil, bench.DefaultThresholds(bench.ProfileRegression))
	assert.Equal(t, bench.VerdictInconclusive, judged.Verdict)
	assert.Equal(t, bench.CausePlanUnknown, judged.Cause.Kind)
}

// What is known of the runs beside ledgers holds, and what is not changes nothing.
func TestV7RowsThatAreReadBringTheirRuns(t *testing.T) {
	base := t.TempDir()
	keptRun(t, base, "one", questioned("one", 1), true)
	files, err := ledger.Files(filepath.Join(base, "one"))
	require.NoError(t, err)
	bare := filepath.Join(base, "rows.jsonl")
	runs := runsBeside(append(files, bare))
	assert.Equal(t, []string{"one"}, idsOf(runs))
	rows, _, err := ledger.Read(files)
	require.NoError(t, err)
	assert.Equal(t, []ledger.Begun{{RunID: "one", Repetitions: 4, At: noon.Add(time.Minute)}}, begunWith(runs, rows))
}

// A run has one row at the least that somebody may have changed.
func TestV7TheOneRowOfARunIsLookedAtToo(t *testing.T) {
	base := t.TempDir()
	run := questioned("one", 1)
	keptRun(t, base, "one", run, true)
	keptRun(t, base, "two", questioned("two", 2), true)
	files, err := ledger.FilesBelow(base)
	require.NoError(t, err)
	require.NoError(t, KeepSums(files, &run))
	require.Len(t, run.Sums[bench.GHX]["a-001"], 1, "those of its own rows")
	require.Empty(t, run.Altered)

	own, err := ledger.Files(filepath.Join(base, "one"))
	require.NoError(t, err)
	require.NoError(t, os.Remove(own[0]))
	set, err := ledger.OpenSingle(own[0])
	require.NoError(t, err)
	require.NoError(t, set.Append(&bench.Row{RunID: "one", ScenarioID: "a-001", Mode: bench.GHX, Iteration: 1, Success: true}))
	require.NoError(t, set.Close())
	altered := alterationsOf(run, questioned("old", 3))
	_, err = altered.scan(own, func(*bench.Row) error { return nil })
	require.NoError(t, err)
	before := []ledger.RunInfo{run}
	noted := altered.note(before)
	assert.Contains(t, noted[0].Altered, "the row of a-001/ghx/1, in ")
	assert.Empty(t, before[0].Altered, "what the caller has stays as it was")
	require.NoError(t, KeepSums(own, &run))
	assert.Equal(t, noted[0].Altered, run.Altered)
	assert.Error(t, KeepSums([]string{filepath.Join(base, "gone.jsonl")}, &run))
}

func rowsIn(t *testing.T, rows ...bench.Row) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rows.jsonl")
	set, err := ledger.OpenSingle(file)
	require.NoError(t, err)
	for i := range rows {
		require.NoError(t, set.Append(&rows[i]))
	}
	require.NoError(t, set.Close())
	return []string{file}
}

func TestRowsThatCannotBeJudgedTogetherHaveNoVerdict(t *testing.T) {
	two := func(hash string, mode bench.Mode) bench.Row {
		return bench.Row{RunID: "run-1", ScenarioID: "a-001", ScenarioHash: hash, Mode: mode, Iteration: 1, Success: true}
	}
	files := rowsIn(t, two("1111", bench.AgentDirect), two("2222", bench.GHX))
	how := JudgeOptions{Profile: bench.ProfileRegression, Expectations: &gate.Expectations{}}
	thresholds := bench.DefaultThresholds(bench.ProfileRegression)
	collect := func(how JudgeOptions, files []string) *evidence.Collector {
		t.Helper()
		blocks, err := how.blocks(nil)
		require.NoError(t, err)
		_, err = ledger.Scan(files, func(row *bench.Row) error { blocks.Add(row); return nil })
		require.NoError(t, err)
		return blocks
	}
	_, err := how.judgeBlocks(collect(how, files), nil, thresholds)
	require.ErrorContains(t, err, "are of different contents")
	same := rowsIn(t, two("1111", bench.AgentDirect), two("1111", bench.GHX))
	narrow := how
	narrow.Margins.CostRatio = 0.5
	_, err = narrow.judgeBlocks(collect(how, same), []ledger.RunInfo{{Repetitions: 4}}, thresholds)
	require.ErrorContains(t, err, "the margin of the cost is a ratio of 0.5")

	// A look on the way refuses what the report would.
	base := t.TempDir()
	for name, c := range map[string]struct {
		files []string
		alter func(*JudgeOptions)
		says  string
	}{
		"other contents": {files, func(*JudgeOptions) {}, "are of different contents"},
		"no ledger":      {[]string{"/none/rows.jsonl"}, func(*JudgeOptions) {}, "/none/rows.jsonl"},
	} {
		how := how
		c.alter(&how)
		look, err := how.looking(Suite{Dir: base, RunID: "run-1", FirstLook: 2, Repetitions: 4}, depsNow(), thresholds)
		require.NoError(t, err, name)
		assert.Equal(t, []int{2, 4}, look.after)
		_, err = look.judge(c.files)
		require.ErrorContains(t, err, c.says, name)
		assert.Equal(t, fault.Invalid, fault.KindOf(err), name)
	}
}

func depsNow() runner.Deps {
	return runner.Deps{Provider: &fake.Provider{}, Now: func() time.Time { return noon }}
}
