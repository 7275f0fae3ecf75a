package verify

import (
	"encoding/json"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func TestV7MarginsThatAllowMoreAreWider(t *testing.T) {
	before := bench.Margins{SuccessDropPct: 15, CostRatio: 1.2, LatencyRatio: 1.25, MinCostReductionPct: 10, MinLatencyReductionPct: 12}
	for _, c := range []struct {
		name              string
		change            func(m *bench.Margins)
		regression, claim bool
	}{
		{"the same", func(*bench.Margins) {}, false, false},
		{"a larger drop of success", func(m *bench.Margins) { m.SuccessDropPct++ }, true, true},
		{"a smaller drop of success", func(m *bench.Margins) { m.SuccessDropPct-- }, false, false},
		{"more cost", func(m *bench.Margins) { m.CostRatio += 0.1 }, true, false},
		{"less cost", func(m *bench.Margins) { m.CostRatio -= 0.1 }, false, false},
		{"more latency", func(m *bench.Margins) { m.LatencyRatio += 0.1 }, true, false},
		{"less latency", func(m *bench.Margins) { m.LatencyRatio -= 0.1 }, false, false},
		{"less of the cost saved", func(m *bench.Margins) { m.MinCostReductionPct-- }, false, true},
		{"more of the cost saved", func(m *bench.Margins) { m.MinCostReductionPct++ }, false, false},
		{"less of the latency saved", func(m *bench.Margins) { m.MinLatencyReductionPct-- }, false, true},
		{"more of the latency saved", func(m *bench.Margins) { m.MinLatencyReductionPct++ }, false, false},
	} {
		now := before
		c.change(&now)
		assert.Equal(t, c.regression, looser(now, before, bench.ProfileRegression), "%s, of a regression", c.name)
		assert.Equal(t, c.claim, looser(now, before, bench.ProfileClaim), "%s, of a claim", c.name)
	}
}

func TestV6MarginsThatAreGivenTakeThePlaceOfTheUsual(t *testing.T) {
	thresholds := bench.DefaultThresholds(bench.ProfileRegression)
	usual := evidence.DefaultMargins(thresholds)
	assert.Equal(t, usual, JudgeOptions{}.margins(thresholds))
	given := JudgeOptions{Margins: bench.Margins{SuccessDropPct: 33, CostRatio: 3, LatencyRatio: 4}}.margins(thresholds)
	assert.Equal(t, []float64{33, 3, 4}, []float64{given.SuccessDropPct, given.CostRatio, given.LatencyRatio})
	assert.Equal(t, usual.MinCostReductionPct, given.MinCostReductionPct)
}

func TestV7WhatSpendsTheErrorBudget(t *testing.T) {
	for name, c := range map[string]struct {
		judged  *ledger.Judged
		nothing bool
		became  string
	}{
		"a run without an end":   {nil, false, "was not brought to its end"},
		"a pass":                 {&ledger.Judged{Verdict: bench.VerdictPass, Cause: bench.CauseNotWorse}, true, "came to PASS"},
		"a fail":                 {&ledger.Judged{Verdict: bench.VerdictFail, Cause: bench.CauseHarm}, false, "came to FAIL"},
		"what could not be told": {&ledger.Judged{Verdict: bench.VerdictInconclusive, Cause: bench.CauseNotShown}, false, "came to CAN'T TELL"},
		"nothing that succeeded": {&ledger.Judged{Verdict: bench.VerdictInconclusive, Cause: bench.CauseNothingSucceeded}, true, "came to CAN'T TELL"},
	} {
		assert.Equal(t, c.nothing, spendsNothing(c.judged), name)
		assert.Equal(t, c.became, becameText(c.judged), name)
	}
}

// A row that lacks among those that a look saw may have been a failure.
func TestV7WhichMissingRowsWithholdAPass(t *testing.T) {
	looks := []bench.Look{{Blocks: 2}, {Blocks: 4}}
	cell := func(id string, mode bench.Mode, iteration int) bench.Cell {
		return bench.Cell{ScenarioID: id, Mode: mode, Iteration: iteration}
	}
	for _, c := range []struct {
		name    string
		looks   []bench.Look
		missing []bench.Cell
		found   bool
	}{
		{"none", looks, nil, false},
		{"of the last look", looks, []bench.Cell{cell("a-001", bench.GHX, 4)}, true},
		{"of the baseline", looks, []bench.Cell{cell("a-001", bench.AgentDirect, 1)}, true},
		{"after the last look", looks, []bench.Cell{cell("a-001", bench.GHX, 5)}, false},
		{"of another mode", looks, []bench.Cell{cell("a-001", bench.MCP, 1)}, false},
		{"of a scenario that is not counted", looks, []bench.Cell{cell("q-001", bench.GHX, 1)}, false},
		{"one of several", looks, []bench.Cell{cell("a-001", bench.GHX, 5), cell("b-001", bench.GHX, 2)}, true},
		{"before the first look", nil, []bench.Cell{cell("a-001", bench.GHX, 1)}, false},
	} {
		missing := []bench.MissingCells{{Reason: bench.MissingStopped}, {Reason: bench.MissingNeverRan, Cells: c.missing}}
		gap := JudgeOptions{}.gap(&bench.Evidence{Looks: c.looks}, missing, map[string]string{"q-001": "in quarantine"})
		if !c.found {
			assert.Nil(t, gap, c.name)
			continue
		}
		require.NotNil(t, gap, c.name)
		assert.Equal(t, c.missing[len(c.missing)-1], *gap, c.name)
	}
}

var noon = time.Date(2026, 2, 25, 12, 0, 0, 0, time.UTC)

// What a later run adds is not judged.
func TestV7ASequenceIsPlannedByItsEarliestRun(t *testing.T) {
	run := ledger.RunInfo{RunID: "now", Repetitions: 40, FirstLook: 2, CreatedAt: noon}
	assert.Equal(t, 40, planned([]ledger.RunInfo{run}).Repetitions)
	run.Continues = []ledger.Begun{{RunID: "before", Repetitions: 6, At: noon.Add(-time.Hour)}, {RunID: "between", Repetitions: 12, At: noon.Add(-time.Minute)}}
	assert.Equal(t, "before", planned([]ledger.RunInfo{run}).RunID)
	for name, unknown := range map[string]ledger.Begun{"when it began": {RunID: "before", Repetitions: 6}, "what it planned": {RunID: "before", At: noon.Add(-time.Hour)}} {
		run.Continues[0] = unknown
		assert.Equal(t, "now", planned([]ledger.RunInfo{run}).RunID, "it is not known "+name)
	}
	assert.Equal(t, "now", planned([]ledger.RunInfo{run, {RunID: "other", Repetitions: 1, CreatedAt: noon.Add(-time.Hour)}}).RunID, "parts of one plan have all the same")
}

func TestV7WhenRowsAreLookedAt(t *testing.T) {
	repetitions := func(first, most int) bench.Repetitions { return bench.Repetitions{First: first, Most: most} }
	shard := &bench.Shard{Index: 1, Count: 2}
	blocks := []evidence.Block{{Iteration: 3}, {Iteration: 5}, {Iteration: 1}}
	for name, c := range map[string]struct {
		runs   []ledger.RunInfo
		judged bench.Repetitions
		// compared is when two runs of which both have 5 repetitions were looked at.
		compared bench.Repetitions
	}{
		"of no known run":                          {nil, repetitions(5, 5), repetitions(5, 5)},
		"of a fixed number":                        {[]ledger.RunInfo{{Repetitions: 4}}, repetitions(4, 4), repetitions(5, 5)},
		"as they come":                             {[]ledger.RunInfo{{Repetitions: 12, FirstLook: 2}}, repetitions(2, 12), repetitions(2, 12)},
		"of a shard, at its end":                   {[]ledger.RunInfo{{Repetitions: 12, FirstLook: 2, Shard: shard}}, repetitions(12, 12), repetitions(2, 12)},
		"of two runs, at the end of the longer":    {[]ledger.RunInfo{{Repetitions: 12}, {Repetitions: 4}}, repetitions(12, 12), repetitions(5, 5)},
		"of two runs, one of which was looked at":  {[]ledger.RunInfo{{Repetitions: 3}, {Repetitions: 10, FirstLook: 4}}, repetitions(10, 10), repetitions(4, 10)},
		"of a run with more than can be looked at": {[]ledger.RunInfo{{Repetitions: 300, FirstLook: 200}}, repetitions(200, 300), repetitions(5, 100)},
	} {
		assert.Equal(t, c.judged, repetitionsOf(c.runs, blocks), name)
		assert.Equal(t, c.compared, lookedAt(c.runs, 5), name)
	}
	assert.Equal(t, repetitions(100, 100), lookedAt(nil, 300), "no more than evidence takes")
}

func TestV7ModesAreTheSameThatAreCompared(t *testing.T) {
	run := func(compared []bench.Mode, modes ...bench.Mode) ledger.RunInfo {
		return ledger.RunInfo{Compared: compared, Modes: modes}
	}
	pair := []bench.Mode{bench.AgentDirect, bench.GHX}
	for name, c := range map[string]struct {
		a, b ledger.RunInfo
		same bool
	}{
		"the same two":                     {run(pair, pair...), run(pair, pair...), true},
		"with another one beside":          {run(pair, pair...), run(pair, bench.AgentDirect, bench.GHX, bench.MCP), true},
		"the other way round":              {run(pair, pair...), run([]bench.Mode{bench.GHX, bench.AgentDirect}, pair...), false},
		"all, where one does not tell":     {run(nil, pair...), run(pair, bench.GHX, bench.AgentDirect), true},
		"all, where the other one doesn't": {run(pair, pair...), run(nil, pair...), true},
		"others, where one does not tell":  {run(nil, pair...), run(pair, bench.AgentDirect, bench.MCP), false},
	} {
		assert.Equal(t, c.same, sameModes(c.a, c.b), name)
		assert.Equal(t, c.same, sameModes(c.b, c.a), name)
	}
}

func TestV7EarlierSequencesAreNamedInTheOrderOfTime(t *testing.T) {
	assert.Empty(t, sequenceWarning(nil))
	assert.Equal(t, "This is sequence 3 on the same trees, tasks, model and modes: run-1 came to FAIL, run-2 was not brought to its end.",
		sequenceWarning([]ledger.RunInfo{{RunID: "run-1", Judged: &ledger.Judged{Verdict: bench.VerdictFail}}, {RunID: "run-2"}}))
}

func TestARunThatIsOnBothSidesCountsOnce(t *testing.T) {
	shard := func(index int) *bench.Shard { return &bench.Shard{Index: index, Count: 2} }
	for name, c := range map[string]struct {
		runs []ledger.RunInfo
		want int
	}{
		"a run twice":                 {[]ledger.RunInfo{{RunID: "run-1"}, {RunID: "run-1"}}, 1},
		"two runs":                    {[]ledger.RunInfo{{RunID: "run-1"}, {RunID: "run-2"}}, 2},
		"a part twice":                {[]ledger.RunInfo{{RunID: "run-1", Shard: shard(1)}, {RunID: "run-1", Shard: shard(1)}}, 1},
		"two parts of one id":         {[]ledger.RunInfo{{RunID: "run-1", Shard: shard(1)}, {RunID: "run-1", Shard: shard(2)}}, 2},
		"a run, and a part of its id": {[]ledger.RunInfo{{RunID: "run-1"}, {RunID: "run-1", Shard: shard(2)}}, 1},
		"a part, and a run of its id": {[]ledger.RunInfo{{RunID: "run-1", Shard: shard(1)}, {RunID: "run-1"}}, 1},
	} {
		assert.Len(t, distinct(c.runs), c.want, name)
	}
}

func TestR9WhatARunDecidedWithoutIsNotMissing(t *testing.T) {
	cell := func(iteration int) bench.Cell {
		return bench.Cell{ScenarioID: "a-001", Mode: bench.GHX, Iteration: iteration}
	}
	run := ledger.RunInfo{RunID: "run-1", Cells: []bench.Cell{cell(1), cell(2), cell(3)}, Refills: []bench.Cell{cell(4)}}
	done := map[bench.Cell]bool{cell(2): true}
	never := func(cells ...bench.Cell) []bench.MissingCells {
		return []bench.MissingCells{{Reason: bench.MissingNeverRan, Cells: cells}}
	}
	assert.Equal(t, never(cell(1), cell(3), cell(4)), missing([]ledger.RunInfo{run, run}, done), "once, however many have it planned")
	run.DecidedAt = 2
	assert.Equal(t, never(cell(1)), missing([]ledger.RunInfo{run}, done))
	run.Shard, run.DecidedAt, run.AllCells = &bench.Shard{Index: 1, Count: 2}, 0, []bench.Cell{cell(1), cell(2), cell(3), cell(7)}
	assert.Equal(t, never(cell(1), cell(3), cell(7), cell(4)), missing([]ledger.RunInfo{run}, done), "the plan of a shard is that of all")
}

func TestRowsAgreeWithAllThatIsKnownOfTheirRuns(t *testing.T) {
	assert.Nil(t, identityOf(nil))
	base := "ba5e"
	mine, theirs := bench.ModeFact{Hash: "1"}, bench.ModeFact{Hash: "2"}
	runs := []ledger.RunInfo{
		{RunID: "run-1", ModeFiles: map[bench.Mode]bench.ModeFact{"mine": mine}},
		{RunID: "run-2", BaseCommit: &base, ModeFiles: map[bench.Mode]bench.ModeFact{"mine": theirs, "theirs": theirs}},
	}
	known := identityOf(runs)
	assert.Equal(t, map[bench.Mode]bench.ModeFact{"mine": mine, "theirs": theirs}, known.ModeFiles)
	assert.Equal(t, &base, known.Base.Commit, "the first has no mode of the base")
	assert.Len(t, runs[0].ModeFiles, 1, "what is known of a run stays")
	other := "0ther"
	runs[0].BaseCommit = &other
	assert.Equal(t, &other, identityOf(runs).Base.Commit)
	runs[0].ModeFiles = nil
	assert.Equal(t, runs[1].ModeFiles, identityOf(runs).ModeFiles)
}

func TestShardsOfOtherBenchmarksAreOfOnePlan(t *testing.T) {
	part := func(index int, alter ...func(*ledger.RunInfo)) ledger.RunInfo {
		run := ledger.RunInfo{
			RunID: "run-" + string(rune('0'+index)), CreatedAt: time.Unix(int64(index), 0), Modes: []bench.Mode{"codex", "opencode"}, ScenarioSet: "terminal-bench", Repetitions: 2,
			Scenarios: []ledger.ScenarioRef{{ID: "t1"}, {ID: "t2"}}, Shard: &bench.Shard{Index: index, Count: 2}, Benchmark: &ledger.Benchmark{Name: "terminal-bench", Settings: "5e77"},
		}
		for _, alter := range alter {
			alter(&run)
		}
		return run
	}
	for name, c := range map[string]struct {
		alter func(*ledger.RunInfo)
		says  string
	}{
		"parts of one plan":         {func(*ledger.RunInfo) {}, ""},
		"of another count":          {func(r *ledger.RunInfo) { r.Shard.Count = 3 }, "the number of shards of run run-1 is 2, that of run run-2 is 3"},
		"of other agents":           {func(r *ledger.RunInfo) { r.Modes = r.Modes[:1] }, "the list of agents of run run-1 is codex, opencode, that of run run-2 is codex"},
		"of another set":            {func(r *ledger.RunInfo) { r.ScenarioSet = "swe" }, "the set of tasks of run run-1 is terminal-bench, that of run run-2 is swe"},
		"of other tasks":            {func(r *ledger.RunInfo) { r.Scenarios = r.Scenarios[1:] }, "the list of tasks of run run-1 is [t1 t2], that of run run-2 is [t2]"},
		"of other epochs":           {func(r *ledger.RunInfo) { r.Repetitions = 3 }, "the number of epochs of run run-1 is 2, that of run run-2 is 3"},
		"of another configuration":  {func(r *ledger.RunInfo) { r.Benchmark.Settings = "0ther" }, "the configuration (a hash of its settings) of run run-1 is 5e77, that of run run-2 is 0ther"},
		"of no shards":              {func(r *ledger.RunInfo) { r.Shard, r.Repetitions = nil, 3 }, ""},
		"of this program's own set": {func(r *ledger.RunInfo) { r.Benchmark, r.Repetitions = nil, 3 }, ""},
	} {
		for place := range 2 {
			// What is no such shard stands between, and is not compared with. Runs of one
			// second come in any order.
			parts := []ledger.RunInfo{part(1), part(2, c.alter)}
			if place == 1 {
				slices.Reverse(parts)
			}
			runs := slices.Insert(parts, place, ledger.RunInfo{RunID: "own", Shard: &bench.Shard{Index: 9, Count: 9}})
			err := agree(runs)
			if c.says == "" {
				require.NoError(t, err, name)
				continue
			}
			require.ErrorContains(t, err, c.says, name)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.ErrorContains(t, err, "the shards are none of one plan")
		}
	}
}

func TestAnyIdOfATaskIsOneFolder(t *testing.T) {
	long := strings.Repeat("x", 120)
	for _, plain := range []string{"a-001", "_x", "a.b", long} {
		assert.Equal(t, plain, folderName(plain))
	}
	names := map[string]string{}
	for _, id := range []string{"", ".", "..", ".hidden", "-x", "a/b", "a_b/", "../../etc", "a b", "ä", long + "x", strings.Repeat("/", 300), strings.Repeat("/", 301)} {
		name := folderName(id)
		assert.Regexp(t, `^_[A-Za-z0-9_-]{0,80}=[0-9a-f]{16}$`, name, "%q", id)
		assert.Equal(t, filepath.Base(name), name)
		assert.Empty(t, names[name], "no other id has it")
		names[name] = id
		assert.Equal(t, name, folderName(id))
	}
	assert.True(t, strings.HasPrefix(folderName("some/task"), "_some_task="), "people find it")
}

func TestTranscriptsAreLookedForWhereTheirRunKeptThem(t *testing.T) {
	s := Source{
		Runs: []ledger.RunInfo{{RunID: "run-1"}, {RunID: "run-2", Transcripts: "/kept"}, {RunID: "run-3"}}, folders: []string{"/r/run-1", "/r/run-2"},
		Files: []string{"/r/run-1/x.jsonl", "/old/run-9/x.jsonl", "/old/run-8/x.jsonl"},
	}
	for run, want := range map[string][]string{
		"run-1": {"/r/run-1/transcripts"},
		"run-2": {"/kept"},
		"run-3": {"/r/run-3/transcripts", "/r/run-3/transcripts"}, // it lies beside both, maybe
		"run-9": {"/r/run-9/transcripts", "/r/run-9/transcripts", "/old/run-9/transcripts"},
	} {
		assert.Equal(t, want, s.transcriptFolders(run), run)
	}
}

func TestTheChangeForAgentsIsThatOfTheModesThatAreCompared(t *testing.T) {
	surface := &bench.SurfaceChange{Baseline: bench.GHXBase, Candidate: bench.GHX}
	runs := []ledger.RunInfo{{}, {Surface: &bench.SurfaceChange{Baseline: bench.MCP, Candidate: bench.GHX}}, {Surface: surface}}
	assert.Same(t, surface, surfaceOf(runs, bench.Gate{Baseline: bench.GHXBase, Candidate: bench.GHX}))
	assert.Nil(t, surfaceOf(runs, bench.Gate{Baseline: bench.GHXBase, Candidate: bench.MCP}))
	assert.Nil(t, surfaceOf(runs, bench.Gate{Baseline: bench.AgentDirect, Candidate: bench.GHX}))
}

// How much sessions vary is known from two of a scenario on.
func TestHowMuchSessionsVaryIsKept(t *testing.T) {
	session := func(iteration int, log float64) chronicled {
		return chronicled{iteration: iteration, success: iteration%2 == 1, cost: math.Exp(log), latencyMS: math.Exp(2 * log)}
	}
	c := chronicle{
		bench.GHX: {"a-001": {session(2, 1), session(1, 3)}, "b-001": {session(1, 5), {iteration: 2, cost: 0, latencyMS: 1}}},
		bench.MCP: {"a-001": {session(1, 1)}},
	}
	noise := c.noise()
	require.Equal(t, []bench.Mode{bench.GHX}, slices.Collect(maps.Keys(noise)), "one session of a scenario tells nothing")
	// The logarithms of a-001 are 1 from their median, which is √2 with what the median
	// takes from two; the cost of b-001 is known of one session alone.
	assert.InDelta(t, 1.4826*math.Sqrt2, noise[bench.GHX].CostLog, 1e-9)
	assert.InDelta(t, 1.4826*math.Sqrt2*(2+5)/2, noise[bench.GHX].LatencyLog, 1e-9)
	assert.Equal(t, 4, noise[bench.GHX].Sessions)
	three := distances([]chronicled{session(1, 1), session(2, 3), session(3, 7)}, func(s chronicled) float64 { return s.cost })
	assert.InDeltaSlice(t, []float64{2 * math.Sqrt(1.5), 0, 4 * math.Sqrt(1.5)}, three, 1e-9, "what the median takes is less of three")
	assert.Equal(t, "+-", outcomes(c[bench.GHX]["a-001"]), "in the order of the iterations")
	assert.Zero(t, deviationOf(nil))
}

func TestLongValuesAreShortenedWhereTheyAreShown(t *testing.T) {
	quoted := func(n int) json.RawMessage { return json.RawMessage(`"` + strings.Repeat("ä", n-2) + `"`) }
	assert.Equal(t, "none", shown(nil))
	assert.Equal(t, string(quoted(60)), shown(quoted(60)))
	assert.Equal(t, `"`+strings.Repeat("ä", 58)+"…", shown(quoted(61)))
}

func TestV10ManyScenariosThatAreNotCountedAreNotAllNamed(t *testing.T) {
	h := Health{NotCounted: map[string]string{}}
	for _, id := range []string{"e", "d", "c", "b", "a"} {
		h.NotCounted[id] = "the scenario is not counted: it is new"
	}
	const five = "a (it is new), b (it is new), c (it is new), d (it is new), e (it is new)"
	assert.Equal(t, "5 of 9 scenarios run and are not counted: "+five, h.Warning(9))
	h.NotCounted["f"], h.NotCounted["g"] = "x: new", "x: new"
	assert.Equal(t, "7 of 9 scenarios run and are not counted: "+five+", and 2 more", h.Warning(9))
}

func TestV8WhatIsExpectedIsOfTheSameModelAndSet(t *testing.T) {
	of := Expecting{Model: "a/b", ScenarioSet: "ci", Baseline: bench.GHXBase, Modes: []bench.Mode{bench.GHXBase, bench.GHX}, Scenarios: 4, Concurrency: 3}
	entry := func(runs int, latency float64, alter ...func(*bench.HistoryEntry)) bench.HistoryEntry {
		summary := bench.ModeSummary{Runs: runs, MedianLatencyMS: latency, SuccessRate: 100}
		e := bench.HistoryEntry{
			Model: "a/b", ScenarioSet: "ci", Cells: 2 * runs, CostUSD: float64(runs), Modes: map[bench.Mode]bench.ModeSummary{bench.GHXBase: summary, bench.GHX: summary, bench.MCP: {Runs: 900, MedianLatencyMS: 1e9}},
			Noise: map[bench.Mode]bench.HistoryNoise{bench.GHXBase: {Sessions: runs, CostLog: 0.1, LatencyLog: 0.1}, bench.GHX: {Sessions: runs, CostLog: 0.1, LatencyLog: 0.1}},
		}
		for _, alter := range alter {
			alter(&e)
		}
		return e
	}
	other := []bench.HistoryEntry{
		entry(500, 7e6, func(e *bench.HistoryEntry) { e.Model = "a/c" }), entry(500, 7e6, func(e *bench.HistoryEntry) { e.ScenarioSet = "all" }),
	}
	unknown, basis := Expect(other, of)
	assert.Zero(t, unknown.LatencyMS)
	assert.Zero(t, unknown.CostUSD)
	assert.Contains(t, basis, "for want of history")
	assert.Equal(t, []int{4, 2, 3}, []int{unknown.Scenarios, unknown.Modes, unknown.Concurrency})

	one, _ := Expect([]bench.HistoryEntry{entry(0, 0, func(e *bench.HistoryEntry) { e.Modes[bench.GHX] = bench.ModeSummary{Runs: 1, MedianLatencyMS: 70} })}, of)
	assert.InDelta(t, 70, one.LatencyMS, 1e-9, "of one session that is how long it took")
	known, _ := Expect(append(other, entry(10, 100), entry(30, 200)), of)
	assert.InDelta(t, 175, known.LatencyMS, 1e-9, "each session counts alike")
	assert.InDelta(t, 0.5, known.CostUSD, 1e-9)
	for name, c := range map[string]struct {
		alter func(*bench.HistoryEntry)
		usual bool
	}{
		"all of the default branch":          {func(*bench.HistoryEntry) {}, false},
		"none of the default branch":         {func(e *bench.HistoryEntry) { e.Aside = true }, true},
		"too few that tell how they vary":    {func(e *bench.HistoryEntry) { e.Noise = nil }, true},
		"too few that tell how they succeed": {func(e *bench.HistoryEntry) { e.Modes[bench.GHXBase] = bench.ModeSummary{Runs: 39} }, true},
		"just enough that tell how they vary": {func(e *bench.HistoryEntry) {
			e.Noise = map[bench.Mode]bench.HistoryNoise{bench.GHX: {Sessions: 40, CostLog: 0.1}}
		}, false},
	} {
		_, basis := Expect([]bench.HistoryEntry{entry(40, 100, c.alter)}, of)
		assert.Equal(t, c.usual, strings.HasPrefix(basis, "is usual"), name)
	}
}

// A pass that somebody may have talked a run into does not count.
func TestV7WhyAPassIsWithheld(t *testing.T) {
	thresholds := bench.DefaultThresholds(bench.ProfileRegression)
	narrow, wide := evidence.DefaultMargins(thresholds), evidence.DefaultMargins(thresholds)
	narrow.CostRatio, wide.CostRatio = 1.1, 1.4
	run := func(alter ...func(*ledger.RunInfo)) []ledger.RunInfo {
		r := ledger.RunInfo{RunID: "run-2", Repetitions: 12, FirstLook: 2, CreatedAt: noon, Continues: []ledger.Begun{{RunID: "run-1", Repetitions: 12, FirstLook: 2, At: noon.Add(-time.Hour)}}}
		for _, alter := range alter {
			alter(&r)
		}
		return []ledger.RunInfo{r}
	}
	missing := []bench.MissingCells{{Reason: bench.MissingStopped, Cells: []bench.Cell{{ScenarioID: "a-001", Mode: bench.GHX, Iteration: 2}}}}
	for _, c := range []struct {
		name    string
		runs    []ledger.RunInfo
		missing []bench.MissingCells
		kind    bench.CauseKind
		says    string
	}{
		{"as planned", run(), nil, "", ""},
		{"longer than planned, which is not judged", run(func(r *ledger.RunInfo) { r.Repetitions = 40 }), nil, "", ""},
		{"of no known run", nil, nil, bench.CausePlanUnknown, "the ledgers lie without run.json"},
		{"with rows of a run without its file", run(func(r *ledger.RunInfo) { r.Continues[0].Repetitions = 0 }), nil, bench.CausePlanUnknown, "What run run-1 had planned is not known"},
		{"after rows were lost", run(func(r *ledger.RunInfo) { r.Continues[0].Lost = 3 }), nil, bench.CauseRowsMissing, "Run run-1 had lost rows of its cells, 3 of them"},
		{"after rows were changed", run(func(r *ledger.RunInfo) { r.Altered = "the row of x" }), nil, bench.CauseRowsChanged, "Rows of run run-2 were changed after they were looked at: the row of x"},
		{"looked at earlier than planned", run(func(r *ledger.RunInfo) { r.Continues[0].At, r.Continues[0].FirstLook = time.Time{}, 4 }), nil, bench.CauseSetAfterwards,
			"Run run-1 had planned 4..12 repetitions before its first session, and 2..12 were set later: go on with --repetitions 4..12"},
		{"longer than planned, by a run that is not known to be later", run(func(r *ledger.RunInfo) { r.Continues[0].At, r.Continues[0].Repetitions = time.Time{}, 6 }), nil, bench.CauseSetAfterwards,
			"Run run-1 had planned 2..6 repetitions"},
		{"with the usual margins, where narrower ones were fixed", run(func(r *ledger.RunInfo) { r.Margins = &narrow }), nil, bench.CauseSetAfterwards, "The margins are wider than those that run run-2 had"},
		{"with the usual margins, where wider ones were fixed", run(func(r *ledger.RunInfo) { r.Margins = &wide }), nil, "", ""},
		{"with a gap", run(), missing, bench.CauseRowsMissing, "a-001/ghx/2 has no row"},
	} {
		how := JudgeOptions{Profile: bench.ProfileRegression}
		why := how.withheld(&bench.Evidence{Looks: []bench.Look{{Blocks: 2}}}, Source{Runs: c.runs}, c.missing, thresholds)
		if c.kind == "" {
			assert.Nil(t, why, c.name)
			continue
		}
		require.NotNil(t, why, c.name)
		assert.Equal(t, c.kind, why.Kind, c.name)
		assert.Contains(t, why.Text, c.says, c.name)
	}
}

func TestV7AFailOfTheSequenceStandsForItsQuestion(t *testing.T) {
	pair := []bench.Mode{bench.AgentDirect, bench.GHX}
	judged := func(verdict bench.Verdict, profile bench.GateProfile, compared ...bench.Mode) *ledger.Judged {
		return &ledger.Judged{Verdict: verdict, Profile: profile, Compared: compared}
	}
	for name, c := range map[string]struct {
		judged *ledger.Judged
		stands bool
	}{
		"a fail":                    {judged(bench.VerdictFail, bench.ProfileRegression, pair...), true},
		"a fail of an older run":    {judged(bench.VerdictFail, ""), true},
		"a fail of a claim":         {judged(bench.VerdictFail, bench.ProfileClaim, pair...), false},
		"a fail of two other modes": {judged(bench.VerdictFail, bench.ProfileRegression, bench.MCP, bench.GHX), false},
		"a pass":                    {judged(bench.VerdictPass, bench.ProfileRegression, pair...), false},
		"none":                      {nil, false},
	} {
		how := JudgeOptions{Profile: bench.ProfileRegression}
		why := how.failedBefore(Source{Runs: []ledger.RunInfo{{RunID: "run-2", Continues: []ledger.Begun{{RunID: "run-1", Judged: c.judged}}}}})
		assert.Equal(t, c.stands, why != nil, name)
		if why != nil {
			assert.Equal(t, bench.Cause{Kind: bench.CauseEarlierSequence, Text: "Run run-1 came to FAIL, and a verdict is final"}, *why)
		}
	}
}

func TestV7WhichToolsAreTheSame(t *testing.T) {
	one, two := "1", "2"
	known, other, unknown := bench.GitRef{Tree: &one}, bench.GitRef{Tree: &two}, bench.GitRef{}
	of := func(git bench.GitRef, compared []bench.Mode, file bench.GitRef) ledger.RunInfo {
		return ledger.RunInfo{Git: git, Compared: compared, ModeFiles: map[bench.Mode]bench.ModeFact{"mine": {Hash: "h", Git: file}}}
	}
	own, files := []bench.Mode{bench.AgentDirect, bench.GHX}, []bench.Mode{bench.AgentDirect, "mine"}
	for name, c := range map[string]struct {
		a, b ledger.RunInfo
		same bool
	}{
		"one tree":               {of(known, own, unknown), of(known, own, unknown), true},
		"two trees":              {of(known, own, unknown), of(other, own, unknown), false},
		"one that is not known":  {of(known, own, unknown), of(unknown, own, unknown), false},
		"two that are not known": {of(unknown, own, unknown), of(unknown, own, unknown), false},
		"two that are not known, and need not be":       {of(unknown, files, known), of(unknown, files, known), true},
		"one that is not known, and need not be":        {of(unknown, files, known), of(known, files, known), false},
		"two that are not known, of an unknown program": {of(unknown, files, unknown), of(unknown, files, unknown), false},
		"two that are not known, of tools that ship":    {of(unknown, []bench.Mode{bench.AgentDirect, bench.MCP}, known), of(unknown, []bench.Mode{bench.AgentDirect, bench.MCP}, known), false},
	} {
		assert.Equal(t, c.same, sameHead(c.a, c.b), name)
		assert.Equal(t, c.same, sameHead(c.b, c.a), name)
	}
	assert.True(t, sameOrUnknown(unknown, unknown))
	assert.True(t, sameOrUnknown(known, known))
	commit := bench.GitRef{Commit: &one}
	assert.False(t, isUnknown(commit), "a commit is known, too")
	for _, pair := range [][2]bench.GitRef{{known, unknown}, {unknown, known}, {known, other}, {commit, unknown}} {
		assert.False(t, sameOrUnknown(pair[0], pair[1]))
	}
	for name, c := range map[string]struct {
		was, is bench.ModeFact
		same    bool
	}{
		"one file":                    {bench.ModeFact{Hash: "h", Git: known}, bench.ModeFact{Hash: "h", Git: known}, true},
		"another content":             {bench.ModeFact{Hash: "h", Git: known}, bench.ModeFact{Hash: "i", Git: known}, false},
		"another program":             {bench.ModeFact{Hash: "h", Git: known}, bench.ModeFact{Hash: "h", Git: other}, false},
		"a program that is not known": {bench.ModeFact{Hash: "h"}, bench.ModeFact{Hash: "h"}, true},
	} {
		a, b := ledger.RunInfo{ModeFiles: map[bench.Mode]bench.ModeFact{"mine": c.was}}, ledger.RunInfo{ModeFiles: map[bench.Mode]bench.ModeFact{"mine": c.is}}
		assert.Equal(t, c.same, sameFiles(a, b), name)
	}
}

func TestN1RunsOfOneSuiteHaveOneTree(t *testing.T) {
	one, two := "1", "2"
	of := func(tree *string) ledger.RunInfo { return ledger.RunInfo{Git: bench.GitRef{Tree: tree}} }
	assert.True(t, sameSuite(of(&one), of(&one)))
	assert.False(t, sameSuite(of(&one), of(&two)))
	assert.True(t, sameSuite(of(nil), of(&two)), "an older run does not tell")
	assert.True(t, sameSuite(of(&one), of(nil)))
	assert.Equal(t, "empty", cells(ledger.RunInfo{}), "a plan without cells is told, too")
}

func TestG14WhichModesOfEarlierRunsWereOthers(t *testing.T) {
	one, two := "1", "2"
	entry := func(base *string, file string) bench.HistoryEntry {
		return bench.HistoryEntry{BaseCommit: base, ModeFiles: map[bench.Mode]bench.ModeFact{"mine": {Hash: file}}}
	}
	run := ledger.RunInfo{Modes: []bench.Mode{bench.GHXBase, "mine"}, BaseCommit: &one, ModeFiles: map[bench.Mode]bench.ModeFact{"mine": {Hash: "h"}}}
	assert.False(t, otherMode(bench.GHXBase, entry(&one, "h"), run))
	assert.True(t, otherMode(bench.GHXBase, entry(&two, "h"), run))
	assert.True(t, otherMode(bench.GHXBase, entry(nil, "h"), run), "an unknown base is another one")
	assert.False(t, otherMode(bench.GHX, entry(&two, "h"), run), "the head has no base")
	assert.False(t, otherMode("mine", entry(&two, "h"), run))
	assert.True(t, otherMode("mine", entry(&one, "i"), run))
	assert.False(t, otherMode("mine", entry(&one, ""), run), "an older run does not tell")
	run.Modes = run.Modes[1:]
	assert.False(t, otherMode(bench.GHXBase, entry(&two, "h"), run), "the run has no base")
	past := []bench.HistoryEntry{{
		Modes: map[bench.Mode]bench.ModeSummary{"mine": {}, bench.GHX: {}}, Scenarios: map[string]bench.HistoryScenario{"a-001": {Hash: "x"}, "b-001": {Hash: "h"}, "c-001": {}},
		ModeFiles: map[bench.Mode]bench.ModeFact{"mine": {Hash: "i"}},
	}}
	suite := ledger.RunInfo{ModeFiles: run.ModeFiles, Scenarios: []ledger.ScenarioRef{{ID: "a-001", Hash: "h"}, {ID: "b-001", Hash: "h"}, {ID: "c-001", Hash: "h"}}}
	like := likeRuns(past, nil, []ledger.RunInfo{suite})
	assert.Equal(t, []bench.Mode{bench.GHX}, slices.Collect(maps.Keys(like[0].Modes)))
	assert.ElementsMatch(t, []string{"b-001", "c-001"}, slices.Collect(maps.Keys(like[0].Scenarios)), "an older run does not tell")
	assert.Len(t, past[0].Modes, 2, "what is known stays")
	assert.Len(t, past[0].Scenarios, 3)
	past[0].Scenarios["d-001"] = bench.HistoryScenario{Hash: "x"}
	assert.Contains(t, likeRuns(past, nil, []ledger.RunInfo{suite})[0].Scenarios, "d-001", "what is not run now was not changed")
	was := map[string]string{"agent": "one 1", "ghx": "1", "gh": "2.80.0"}
	assert.False(t, otherTools(was, map[string]string{"agent": "one 1", "ghx": "2"}), "a tool that nobody states now is no other one")
	assert.True(t, otherTools(was, map[string]string{"agent": "one 2", "ghx": "1"}))
	assert.True(t, sameCommit(nil, nil))
	assert.False(t, sameCommit(&one, nil))
	assert.False(t, sameCommit(nil, &one))
}

func TestV10WhatRunsLeaveOutIsThatOfAll(t *testing.T) {
	assert.Equal(t, map[string]string{"a": "1", "b": "2"}, uncounted([]ledger.RunInfo{{NotCounted: map[string]string{"a": "1"}}, {}, {NotCounted: map[string]string{"b": "2"}}}))
}

func TestV7WhichRunsAskTheSameQuestion(t *testing.T) {
	tree, other := "7ee", "0ther"
	shard := func(index int) func(*ledger.RunInfo) {
		return func(r *ledger.RunInfo) { r.Shard = &bench.Shard{Index: index, Count: 2} }
	}
	run := func(alter ...func(*ledger.RunInfo)) ledger.RunInfo {
		r := ledger.RunInfo{
			Profile: bench.ProfileRegression, Provider: "codex", Model: bench.ModelRef{ProviderID: "a", ModelID: "b"}, Git: bench.GitRef{Tree: &tree},
			Modes: []bench.Mode{bench.AgentDirect, bench.GHX}, Scenarios: []ledger.ScenarioRef{{ID: "a-001", Hash: "h"}},
		}
		for _, alter := range alter {
			alter(&r)
		}
		return r
	}
	for name, c := range map[string]struct {
		a, b func(*ledger.RunInfo)
		same bool
	}{
		"the same":               {func(*ledger.RunInfo) {}, func(*ledger.RunInfo) {}, true},
		"of checks":              {func(r *ledger.RunInfo) { r.Profile = bench.VerifyPR }, func(r *ledger.RunInfo) { r.Profile = bench.VerifyPR }, false},
		"of another tree":        {func(*ledger.RunInfo) {}, func(r *ledger.RunInfo) { r.Git.Tree = &other }, false},
		"of another base":        {func(r *ledger.RunInfo) { r.BaseTree = &tree }, func(r *ledger.RunInfo) { r.BaseTree = &other }, false},
		"of another provider":    {func(*ledger.RunInfo) {}, func(r *ledger.RunInfo) { r.Provider = "opencode" }, false},
		"of another model":       {func(*ledger.RunInfo) {}, func(r *ledger.RunInfo) { r.Model.ModelID = "c" }, false},
		"of another content":     {func(*ledger.RunInfo) {}, func(r *ledger.RunInfo) { r.Scenarios[0].Hash = "i" }, false},
		"of another mode":        {func(*ledger.RunInfo) {}, func(r *ledger.RunInfo) { r.Modes = r.Modes[:1] }, false},
		"two parts of one plan":  {shard(1), shard(2), false},
		"a part twice":           {shard(1), shard(1), true},
		"a part of it":           {func(*ledger.RunInfo) {}, shard(2), true},
		"a mode of another file": {func(*ledger.RunInfo) {}, func(r *ledger.RunInfo) { r.ModeFiles = map[bench.Mode]bench.ModeFact{"mine": {Hash: "x"}} }, false},
	} {
		assert.Equal(t, c.same, sameQuestion(run(c.a), run(c.b)), name)
		assert.Equal(t, c.same, sameQuestion(run(c.b), run(c.a)), name)
	}
}

// Rows that are taken over bring what was fixed before they were run, and what was lost.
func TestV7RowsBringWhatIsKnownOfTheirRuns(t *testing.T) {
	cell := func(iteration int) bench.Cell {
		return bench.Cell{ScenarioID: "a-001", Mode: bench.GHX, Iteration: iteration}
	}
	row := func(run string, iteration int) bench.Row {
		return bench.Row{RunID: run, ScenarioID: "a-001", Mode: bench.GHX, Iteration: iteration}
	}
	run := ledger.RunInfo{
		RunID: "run-1", Repetitions: 3, CreatedAt: noon, Cells: []bench.Cell{cell(1), cell(2), cell(3), cell(4)}, Concurrency: 1, Continues: []ledger.Begun{{RunID: "run-0", Repetitions: 3}},
	}
	begun := begunWith([]ledger.RunInfo{run}, []bench.Row{row("run-1", 1), row("run-1", 4), row("run-9", 2)})
	assert.Equal(t, []ledger.Begun{{RunID: "run-1", Repetitions: 3, At: noon, Lost: 1}, {RunID: "run-0", Repetitions: 3}, {RunID: "run-9"}}, begun)
	begun = begunWith([]ledger.RunInfo{run}, []bench.Row{row("run-1", 1), row("run-1", 3)})
	assert.Zero(t, begun[0].Lost, "one may have been under way")
}

// A history keeps what sessions came to that tell something of the tool.
func TestV10WhatIsKeptOfTheSessionsOfARun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.jsonl")
	rows, err := ledger.OpenSingle(file)
	require.NoError(t, err)
	for i, alter := range []func(*bench.Row){
		func(*bench.Row) {},
		func(r *bench.Row) { r.ExternalRetryCount = 1 },
		func(r *bench.Row) { r.Success = false },
		func(r *bench.Row) { r.RunID = "run-2" },
		func(r *bench.Row) { r.Success, r.Error = false, &bench.RowError{Type: bench.TimeoutNoFirstAnswer} },
	} {
		row := bench.Row{RunID: "run-1", ScenarioID: "a-001", Mode: bench.GHX, Iteration: i + 1, Success: true, Cost: 0.5, LatencyMSWall: 100}
		alter(&row)
		require.NoError(t, rows.Append(&row))
	}
	require.NoError(t, rows.Close())
	kept, err := chronicleOf([]string{file}, "run-1")
	require.NoError(t, err)
	assert.Equal(t, chronicle{bench.GHX: {"a-001": {{1, true, 0.5, 100}, {2, false, 0.5, 100}, {3, false, 0.5, 100}}}}, kept)
	_, err = chronicleOf([]string{file + ".gone"}, "run-1")
	assert.Error(t, err)
}

func TestRepetitionsThatNoPlanHasAreNotTakenOver(t *testing.T) {
	s := Suite{Scenarios: []bench.Scenario{{ID: "a-001"}}, Modes: []bench.Mode{bench.GHX}, Repetitions: 1}
	for iteration, taken := range map[int]bool{-1: false, 0: false, 1: true, 10_000: true, 10_001: false} {
		chosen, _, err := s.choose([]bench.Row{{ScenarioID: "a-001", Mode: bench.GHX, Iteration: iteration}}, ledger.Identity{})
		assert.Equal(t, taken, err == nil, iteration)
		assert.Len(t, chosen, map[bool]int{true: 1, false: 0}[taken], iteration)
	}
}

func TestV7TheBudgetIsTheCauseOfWhatItEnded(t *testing.T) {
	for reason, want := range map[bench.MissingReason]bench.CauseKind{bench.MissingStopped: bench.CauseNotShown, bench.MissingBudget: bench.CauseBudget} {
		judged := bench.Evidence{Verdict: bench.VerdictInconclusive, Cause: bench.Cause{Kind: bench.CauseNotShown, Text: "It is not shown"}, Schedule: []int{2, 4}, Looks: []bench.Look{{Blocks: 2}}}
		how := JudgeOptions{Profile: bench.ProfileRegression}
		how.hold(&judged, Source{Runs: []ledger.RunInfo{{RunID: "run-1", Repetitions: 4, FirstLook: 2}}}, []bench.MissingCells{{Reason: reason}}, bench.DefaultThresholds(bench.ProfileRegression))
		assert.Equal(t, want, judged.Cause.Kind, reason)
	}
}

// Rows lie in their files in any order, and some are older than times and models.
func TestWhatRowsSayOfHowTheyCameAbout(t *testing.T) {
	at := func(timestamp, model string, simulated bool) *bench.Row {
		return &bench.Row{RunID: "run-1", Timestamp: timestamp, Model: bench.ModelRef{ProviderID: "a", ModelID: model}, Simulated: simulated}
	}
	one, other := newFacts(nil), newFacts(nil)
	for _, row := range []*bench.Row{at("", "one", false), at("2026-02-25", "one", true), at("2026-02-24", "one", false), at("2026-02-26", "one", false), at("", "one", false)} {
		one.add(row)
	}
	other.add(at("", "two", false))
	assert.Equal(t, []string{"2026-02-24", "2026-02-26"}, []string{one.from, one.to})
	assert.True(t, one.simulated)
	assert.Equal(t, 5, one.rows)

	// The thresholds of a model apply to two runs of it.
	how := JudgeOptions{Expectations: &gate.Expectations{}}
	model, err := how.comparedModel([2]*side{{facts: one}, {facts: one}})
	require.NoError(t, err)
	assert.Equal(t, "a/one", model)
	model, err = how.comparedModel([2]*side{{facts: one}, {facts: other}})
	require.NoError(t, err)
	assert.Empty(t, model, "there is none of both")
	how.Model = "a/three"
	model, err = how.comparedModel([2]*side{{facts: one}, {facts: other}})
	require.NoError(t, err)
	assert.Equal(t, "a/three", model, "unless one is named")
}

func TestFilesThatAreGoneAreNoDevices(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	assert.False(t, isDevice(gone))
	assert.True(t, isDevice("/dev/null"))
	assert.NoError(t, Suite{Dir: gone, RunID: "run-1"}.keepToOurselves()(), "a folder that cannot be closed is left as it is")
}

// Shards of other plans are refused before anything is written or judged.
func TestAReportOfShardsOfTwoPlansIsRefused(t *testing.T) {
	part := func(count int) ledger.RunInfo {
		return ledger.RunInfo{RunID: "x", Shard: &bench.Shard{Index: 1, Count: count}, Benchmark: &ledger.Benchmark{Name: "b"}}
	}
	out := filepath.Join(t.TempDir(), "rows.csv")
	_, err := Report(Source{Runs: []ledger.RunInfo{part(2), part(3)}}, JudgeOptions{Profile: bench.VerifyPR, Expectations: &gate.Expectations{}, Outputs: Outputs{CSV: out}})
	require.ErrorContains(t, err, "the shards are none of one plan")
	assert.NoFileExists(t, out)
}
