package verify_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// comparedRows are those of a run: two scenarios, four times in each mode.
func comparedRows(run string, modes []bench.Mode, alter func(*bench.Row)) []bench.Row {
	var rows []bench.Row
	commit := "c0ffee" + run
	for i := 1; i <= 4; i++ {
		for _, scenario := range []string{"a-001", "b-001"} {
			for m, mode := range modes {
				row := bench.Row{
					Timestamp: fmt.Sprintf("2026-02-25T12:%02d:%02d.000Z", i, m), RunID: run, Mode: mode, ScenarioID: scenario, Iteration: i, Success: true,
					Model: bench.ModelRef{ProviderID: "openai", ModelID: "one"}, Git: bench.GitRef{Commit: &commit}, LatencyMSWall: 1000, Cost: 0.01,
					Tokens: bench.Tokens{Total: 100}, Order: &bench.Order{Kind: "blocks", Seed: 3}, ScenarioHash: "1111" + scenario,
					Variation: &bench.Variation{Seed: 9, Number: i}, Tools: map[string]string{"gh": "2.80.0"},
				}
				if alter != nil {
					alter(&row)
				}
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// written has rows as a ledger of their own.
func written(t *testing.T, rows []bench.Row) verify.ComparedSource {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	file, err := os.Create(path)
	require.NoError(t, err)
	for i := range rows {
		require.NoError(t, json.NewEncoder(file).Encode(&rows[i]))
	}
	require.NoError(t, file.Close())
	return verify.ComparedSource{Name: rows[0].RunID, Source: verify.Source{Files: []string{path}}}
}

func compared(t *testing.T, a, b verify.ComparedSource) (bench.Comparison, error) {
	t.Helper()
	c, _, err := verify.Compare(a, b, verify.JudgeOptions{Profile: bench.ProfileRegression, Expectations: &gate.Expectations{}})
	return c, err
}

func TestV9OnlyBlocksThatAreSharedHaveAVerdict(t *testing.T) {
	ghx, direct := []bench.Mode{bench.GHX}, []bench.Mode{bench.AgentDirect}
	cases := []struct {
		name   string
		alter  func(*bench.Row)
		shared bool
	}{
		{"one run, the same order and fixtures", nil, true},
		{"another run", func(r *bench.Row) { r.RunID = "run-2" }, false},
		{"another order", func(r *bench.Row) { r.Order.Seed = 4 }, false},
		{"other fixtures", func(r *bench.Row) { r.Variation.Seed = 10 }, false},
	}
	for _, test := range cases {
		t.Run("V9: "+test.name, func(t *testing.T) {
			c, err := compared(t, written(t, comparedRows("run-1", direct, nil)), written(t, comparedRows("run-1", ghx, test.alter)))
			require.NoError(t, err)
			require.Len(t, c.Modes, 1)
			m := c.Modes[0]
			assert.Equal(t, test.shared, m.SharedBlocks)
			assert.Equal(t, test.shared, m.Evidence.Verdict != bench.VerdictNone)
			assert.Len(t, m.Evidence.Endpoints, 3, "figures all the same")
			assert.Equal(t, 8, m.Evidence.Baseline.Sessions)
		})
	}
}

func TestWhatTwoRunsDifferInIsToldAndComparedAllTheSame(t *testing.T) {
	modes := []bench.Mode{bench.AgentDirect, bench.GHX}
	a := written(t, comparedRows("run-1", modes, nil))
	b := written(t, comparedRows("run-2", modes, func(r *bench.Row) {
		r.Model.ModelID, r.Tools = "two", map[string]string{"gh": "2.81.0", "mcp": "1"}
		r.Cost *= 2
	}))
	c, err := compared(t, a, b)
	require.NoError(t, err)
	for _, want := range []bench.ComparedSetting{
		{Name: "model", A: "openai/one", B: "openai/two"},
		{Name: "tool gh", A: "2.80.0", B: "2.81.0"}, {Name: "tool mcp", A: bench.NoFigure, B: "1"},
	} {
		assert.Contains(t, c.Differences, want)
	}
	assert.Contains(t, c.Alike, bench.ComparedSetting{Name: "order", A: "blocks", B: "blocks"})
	assert.Contains(t, c.Alike, bench.ComparedSetting{Name: "scenarios", A: "2", B: "2"})
	require.Len(t, c.Modes, 2)
	assert.InDelta(t, 100, c.Modes[0].Evidence.Endpoints[1].Change, 1e-9)
}

func TestAScenarioThatChangedBetweenTwoRunsIsNotCompared(t *testing.T) {
	modes := []bench.Mode{bench.GHX}
	b := comparedRows("run-2", modes, func(r *bench.Row) {
		if r.ScenarioID == "b-001" {
			r.ScenarioHash = "2222"
		}
	})
	c, err := compared(t, written(t, comparedRows("run-1", modes, nil)), written(t, b))
	require.NoError(t, err)
	assert.Contains(t, c.Differences, bench.ComparedSetting{Name: "scenarios", A: "2; b-001 has content 1111b-00", B: "2; b-001 has content 2222"})
	evidence := c.Modes[0].Evidence
	require.Len(t, evidence.Scenarios, 1)
	assert.Equal(t, "a-001", evidence.Scenarios[0].ID)
	require.Len(t, evidence.LeftOut, 1)
	assert.Equal(t, "the scenario's content is not the same in both", evidence.LeftOut[0].Reason)
	assert.Equal(t, 8, evidence.LeftOut[0].Rows)

	old := comparedRows("run-2", modes, func(r *bench.Row) { r.ScenarioHash = "" })
	c, err = compared(t, written(t, comparedRows("run-1", modes, nil)), written(t, old))
	require.NoError(t, err)
	assert.Len(t, c.Modes[0].Evidence.Scenarios, 2, "what is not recorded is no other content")
	unknown := "2; a-001 has content " + bench.NoFigure + "; b-001 has content " + bench.NoFigure
	assert.Contains(t, c.Differences, bench.ComparedSetting{Name: "scenarios", A: "2; a-001 has content 1111a-00; b-001 has content 1111b-00", B: unknown})
}

func TestAModeWhoseFileChangedBetweenTwoRunsIsTold(t *testing.T) {
	of := func(file string) func(*bench.Row) { return func(r *bench.Row) { r.ModeHash = file } }
	modes := []bench.Mode{"mine"}
	how := verify.JudgeOptions{Profile: bench.ProfileRegression, Expectations: &gate.Expectations{}}
	a := written(t, comparedRows("run-1", modes, of("1111")))
	c, notes, err := verify.Compare(a, written(t, comparedRows("run-2", modes, of("2222"))), how)
	require.NoError(t, err)
	assert.Contains(t, c.Differences, bench.ComparedSetting{Name: "file of mode mine", A: "1111", B: "2222"})
	assert.Equal(t, []string{"mode mine is not the same in both: its file has content 1111 in A and 2222 in B, so the figures are of two modes of that name"}, notes)

	for name, other := range map[string]string{"the same": "1111", "not recorded": ""} {
		b := written(t, comparedRows("run-2", modes, of(other)))
		for _, pair := range [][2]verify.ComparedSource{{a, b}, {b, a}} {
			_, notes, err = verify.Compare(pair[0], pair[1], how)
			require.NoError(t, err)
			assert.Empty(t, notes, name)
		}
	}

	two := []bench.Mode{"mine", "theirs"}
	a, b := written(t, comparedRows("run-1", two, of("1111"))), written(t, comparedRows("run-2", two, of("2222")))
	a.Mode, b.Mode = "mine", "theirs"
	_, notes, err = verify.Compare(a, b, how)
	require.NoError(t, err)
	assert.Empty(t, notes, "other modes are compared")
}

func TestRunsThatEndedWhenTheyKnewHaveWiderIntervals(t *testing.T) {
	modes := []bench.Mode{bench.GHX}
	noisy := func(r *bench.Row) { r.LatencyMSWall += float64(r.Iteration * 100) }
	a, b := written(t, comparedRows("run-1", modes, noisy)), written(t, comparedRows("run-2", modes, nil))
	once, err := compared(t, a, b)
	require.NoError(t, err)
	a.Source.Runs = []ledger.RunInfo{{RunID: "run-1", FirstLook: 2, Repetitions: 12}}
	often, err := compared(t, a, b)
	require.NoError(t, err)
	assert.Equal(t, []int{4}, once.Modes[0].Evidence.Schedule)
	assert.Equal(t, []int{2, 4, 6, 8, 10, 12}, often.Modes[0].Evidence.Schedule)
	assert.Equal(t, 4, often.Modes[0].Evidence.Baseline.Sessions/2)
	assert.Less(t, often.Modes[0].Evidence.Endpoints[0].Interval[0], once.Modes[0].Evidence.Endpoints[0].Interval[0])
}

func TestRunsWithNothingInCommonAreRefused(t *testing.T) {
	both := []bench.Mode{bench.AgentDirect, bench.GHX}
	a := written(t, comparedRows("run-1", both, nil))
	_, err := compared(t, a, a)
	require.ErrorContains(t, err, "compared with itself")
	_, err = compared(t, a, written(t, comparedRows("run-2", []bench.Mode{bench.MCP, bench.GHXBase}, nil)))
	require.ErrorContains(t, err, "run-1 has agent_direct, ghx and run-2 has")
	empty := filepath.Join(t.TempDir(), "rows.jsonl")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	_, err = compared(t, a, verify.ComparedSource{Name: "empty", Source: verify.Source{Files: []string{empty}}})
	require.ErrorContains(t, err, "compare empty: there are no rows")
}

func TestAComparisonSaysWhatItIsOf(t *testing.T) {
	modes := []bench.Mode{bench.AgentDirect, bench.GHX}
	a, b := written(t, comparedRows("run-1", modes, nil)), written(t, comparedRows("run-2", modes, func(r *bench.Row) {
		if r.Simulated = true; r.Iteration == 1 {
			r.Timestamp = ""
		}
	}))
	a.Name, b.Name = "before", "after"
	how := verify.JudgeOptions{Profile: bench.ProfileRegression, Expectations: &gate.Expectations{}, GeneratedAt: "2026-02-26T12:00:00.000Z"}
	for _, pair := range [][2]verify.ComparedSource{{a, b}, {b, a}} {
		c, _, err := verify.Compare(pair[0], pair[1], how)
		require.NoError(t, err)
		runs := map[string]bench.ComparedRun{c.A.Name: c.A, c.B.Name: c.B}
		assert.Equal(t, bench.ComparedRun{Name: "before", RunIDs: []string{"run-1"}, Rows: 16, From: "2026-02-25T12:01:00.000Z", To: "2026-02-25T12:04:01.000Z"}, runs["before"])
		assert.Equal(t, bench.ComparedRun{Name: "after", RunIDs: []string{"run-2"}, Rows: 16, From: "2026-02-25T12:02:00.000Z", To: "2026-02-25T12:04:01.000Z"}, runs["after"])
		assert.Equal(t, pair[0].Name, c.A.Name)
		assert.True(t, c.Simulated, "that of one is enough")
		assert.Equal(t, "2026-02-26T12:00:00.000Z", c.GeneratedAt)
		assert.Equal(t, bench.ComparisonSchemaVersion, c.SchemaVersion)
		assert.Equal(t, [][2]bench.Mode{{bench.AgentDirect, bench.AgentDirect}, {bench.GHX, bench.GHX}}, [][2]bench.Mode{{c.Modes[0].A, c.Modes[0].B}, {c.Modes[1].A, c.Modes[1].B}})
	}
	torn := written(t, comparedRows("run-3", modes, nil))
	tear(t, torn.Source.Files[0])
	_, notes, err := verify.Compare(torn, a, how)
	require.NoError(t, err)
	require.Len(t, notes, 1)
	assert.Contains(t, notes[0], "was not written whole")
}

// Whatever two runs differ in is told, be it in their rows or in their plans.
func TestEachSettingThatTwoRunsDifferInIsTold(t *testing.T) {
	set := "default"
	plan := func() ledger.RunInfo { return ledger.RunInfo{RunID: "run-1", Provider: "opencode", Repetitions: 4} }
	for _, c := range []struct {
		name, was, is string
		row           func(*bench.Row)
		run           func(*ledger.RunInfo)
	}{
		{"simulated", "no", "yes", func(r *bench.Row) { r.Simulated = true }, nil},
		{"commit", "c0ffeerun-1", "d1ff", func(r *bench.Row) { other := "d1ff"; r.Git.Commit = &other }, nil},
		{"scenario set", bench.NoFigure, "default", func(r *bench.Row) { r.ScenarioSet = &set }, nil},
		{"commit", "c0ffeerun-1", bench.NoFigure, func(r *bench.Row) { r.Git.Commit = nil }, nil},
		{"order", "blocks", bench.NoFigure, func(r *bench.Row) { r.Order = nil }, nil},
		{"fixtures' variations", "of seed 9", bench.NoFigure, func(r *bench.Row) { r.Variation = nil }, nil},
		{"order", "blocks", "interleaved", func(r *bench.Row) { r.Order.Kind = "interleaved" }, nil},
		{"fixtures' seed", bench.NoFigure, "ci", func(r *bench.Row) { r.SeedID = "ci" }, nil},
		{"fixtures' variations", "of seed 9", "of seed 8", func(r *bench.Row) { r.Variation.Seed = 8 }, nil},
		{"agent", "opencode", "codex", nil, func(r *ledger.RunInfo) { r.Provider = "codex" }},
		{"target", "sandbox", "acme/fixtures", nil, func(r *ledger.RunInfo) { r.Target = "acme/fixtures" }},
		{"repetitions", "4", "2..12", nil, func(r *ledger.RunInfo) { r.FirstLook, r.Repetitions = 2, 12 }},
		{"price (USD per million tokens: input, output, cached, written)", bench.NoFigure, "1, 2, 0.5, 4", nil, func(r *ledger.RunInfo) {
			r.Price = &bench.Price{Input: 1, Output: 2, CacheRead: 0.5, CacheWrite: 4}
		}},
		{"scenarios", "2; here alone: b-001", "1", func(r *bench.Row) { r.ScenarioID = "a-001" }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			mode := []bench.Mode{bench.GHX}
			rows := comparedRows("run-1", mode, c.row)
			if c.name == "scenarios" {
				rows = slices.DeleteFunc(comparedRows("run-1", mode, nil), func(r bench.Row) bool { return r.ScenarioID == "b-001" })
			}
			for i := range rows {
				rows[i].RunID = "run-2"
			}
			a, b := written(t, comparedRows("run-1", mode, nil)), written(t, rows)
			other := plan()
			other.RunID = "run-2"
			if c.run != nil {
				c.run(&other)
			}
			a.Source.Runs, b.Source.Runs = []ledger.RunInfo{plan()}, []ledger.RunInfo{other}
			compared, err := compared(t, a, b)
			require.NoError(t, err)
			assert.Equal(t, []bench.ComparedSetting{{Name: c.name, A: c.was, B: c.is}}, compared.Differences)
			for _, s := range compared.Alike {
				assert.NotEmpty(t, s.Name)
				assert.NotEqual(t, bench.NoFigure, s.A, "what neither tells is not told")
			}
		})
	}
	same, err := compared(t, written(t, comparedRows("run-1", []bench.Mode{bench.GHX}, nil)), written(t, comparedRows("run-1", []bench.Mode{bench.AgentDirect}, nil)))
	require.NoError(t, err)
	assert.False(t, same.Simulated)
	assert.NotNil(t, same.Differences, "who reads it finds a list, be it empty")
	plans := [2]verify.ComparedSource{written(t, comparedRows("run-1", []bench.Mode{bench.GHX}, nil)), written(t, comparedRows("run-1", []bench.Mode{bench.AgentDirect}, nil))}
	for i := range plans {
		run := plan()
		run.Price = &bench.Price{}
		plans[i].Source.Runs = []ledger.RunInfo{run}
	}
	same, err = compared(t, plans[0], plans[1])
	require.NoError(t, err)
	var names []string
	for _, s := range same.Alike {
		names = append(names, s.Name)
	}
	assert.Equal(t, []string{
		"simulated", "model", "agent", "target", "commit", "repetitions", "order", "fixtures' variations",
		"price (USD per million tokens: input, output, cached, written)", "tool gh", "scenarios",
	}, names, "what weighs most comes first")
	base := written(t, comparedRows("run-1", []bench.Mode{bench.GHXBase}, nil))
	c, err := compared(t, base, written(t, comparedRows("run-2", []bench.Mode{bench.GHXBase}, nil)))
	require.NoError(t, err)
	assert.Equal(t, []bench.ComparedSetting{{Name: "base commit", A: "c0ffeerun-1", B: "c0ffeerun-2"}}, c.Differences, "the base has a commit of its own")
}

func TestWhichModesOfTwoRunsAreCompared(t *testing.T) {
	of := func(modes ...bench.Mode) []bench.Mode { return modes }
	for _, c := range []struct {
		name         string
		a, b         []bench.Mode
		modeA, modeB bench.Mode
		want         [][2]bench.Mode
		says         string
	}{
		{"one of each, whatever they are called", of(bench.GHXBase), of(bench.GHX), "", "", [][2]bench.Mode{{bench.GHXBase, bench.GHX}}, ""},
		{"those that both have", of(bench.GHX, bench.MCP), of(bench.AgentDirect, bench.GHX), "", "", [][2]bench.Mode{{bench.GHX, bench.GHX}}, ""},
		{"one of A, and the one that B has", of(bench.GHX, bench.MCP), of(bench.AgentDirect), bench.MCP, "", [][2]bench.Mode{{bench.MCP, bench.AgentDirect}}, ""},
		{"several of A, and one that it has of B", of(bench.GHX, bench.MCP), of(bench.GHX), "", "", [][2]bench.Mode{{bench.GHX, bench.GHX}}, ""},
		{"one of A, and several of B", of(bench.GHX), of(bench.GHX, bench.MCP), "", "", [][2]bench.Mode{{bench.GHX, bench.GHX}}, ""},
		{"one that A has not", of(bench.GHX), of(bench.GHX), bench.MCP, "", nil, "run-1 has no rows of mode mcp: it has ghx"},
		{"one that B has not", of(bench.GHX), of(bench.GHX, bench.AgentDirect), "", bench.MCP, nil, "run-2 has no rows of mode mcp: it has agent_direct, ghx"},
		{"several, and none in both", of(bench.GHX, bench.MCP), of(bench.AgentDirect), "", "", nil, "run-1 has mcp, ghx and run-2 has agent_direct: name a mode of each"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := written(t, comparedRows("run-1", c.a, nil)), written(t, comparedRows("run-2", c.b, nil))
			a.Mode, b.Mode = c.modeA, c.modeB
			got, err := compared(t, a, b)
			if c.says != "" {
				require.ErrorContains(t, err, c.says)
				assert.Equal(t, fault.Invalid, fault.KindOf(err))
				return
			}
			require.NoError(t, err)
			var pairs [][2]bench.Mode
			for _, m := range got.Modes {
				assert.Empty(t, m.Evidence.LeftOut, "no row of another mode is taken for one of these")
				pairs = append(pairs, [2]bench.Mode{m.A, m.B})
			}
			assert.Equal(t, c.want, pairs)
		})
	}
}

func TestScenariosOfOneRunAloneAreNamed(t *testing.T) {
	mode := []bench.Mode{bench.GHX}
	without := func(run, id string) verify.ComparedSource {
		return written(t, slices.DeleteFunc(comparedRows(run, mode, nil), func(r bench.Row) bool { return r.ScenarioID == id }))
	}
	for id, reason := range map[string]string{"a-001": "the scenario was run in B alone", "b-001": "the scenario was run in A alone"} {
		a, b := written(t, comparedRows("run-1", mode, nil)), without("run-2", id)
		if id == "a-001" {
			a, b = without("run-1", id), written(t, comparedRows("run-2", mode, nil))
		}
		c, err := compared(t, a, b)
		require.NoError(t, err)
		require.Len(t, c.Modes[0].Evidence.LeftOut, 1)
		assert.Equal(t, reason, c.Modes[0].Evidence.LeftOut[0].Reason)
		assert.Equal(t, 4, c.Modes[0].Evidence.LeftOut[0].Rows)
		assert.Equal(t, 4, c.Modes[0].Evidence.Baseline.Sessions)
	}
	c, err := compared(t, without("run-1", "a-001"), without("run-2", "b-001"))
	require.NoError(t, err)
	assert.Equal(t, bench.VerdictNone, c.Modes[0].Evidence.Verdict)
	assert.Empty(t, c.Modes[0].Evidence.Endpoints, "there is nothing to compare")
}

func TestAModelThatIsNoneIsRefusedWhereOneIsNeeded(t *testing.T) {
	ghx := []bench.Mode{bench.GHX}
	how := verify.JudgeOptions{Profile: bench.ProfileRegression, Expectations: &gate.Expectations{}, Model: "nonsense"}
	_, _, err := verify.Compare(written(t, comparedRows("run-1", ghx, nil)), written(t, comparedRows("run-2", ghx, nil)), how)
	require.ErrorContains(t, err, "nonsense")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestMarginsThatMakeNoSenseAreRefusedWhateverIsCompared(t *testing.T) {
	ghx, direct := []bench.Mode{bench.GHX}, []bench.Mode{bench.AgentDirect}
	how := verify.JudgeOptions{Profile: bench.ProfileRegression, Expectations: &gate.Expectations{}, Margins: bench.Margins{CostRatio: 0.5}}
	for _, other := range []string{"run-1", "run-2"} {
		_, _, err := verify.Compare(written(t, comparedRows("run-1", direct, nil)), written(t, comparedRows(other, ghx, nil)), how)
		require.ErrorContains(t, err, "the margin of the cost is a ratio of 0.5")
	}
}

// Half a block has no other half to be unlike.
func TestV9ABlockOfOneSideAloneIsNoOtherBlock(t *testing.T) {
	ghx, direct := comparedRows("run-1", []bench.Mode{bench.GHX}, nil), comparedRows("run-1", []bench.Mode{bench.AgentDirect}, nil)
	for name, c := range map[string]struct {
		a, b   []bench.Row
		shared bool
	}{
		"a block of A alone":    {direct, ghx[1:], true},
		"a block of B alone":    {direct[1:], ghx, true},
		"one block that counts": {direct[2:3], ghx[2:3], true},
		"a single repetition":   {direct[:2], ghx[:2], false},
		"no block":              {direct[:1], ghx[1:], false},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := written(t, c.a), written(t, c.b)
			if name == "no block" {
				a.Source.Runs = []ledger.RunInfo{{RunID: "run-1", Repetitions: 4}}
				b.Source.Runs = a.Source.Runs
			}
			found, err := compared(t, a, b)
			require.NoError(t, err)
			assert.Equal(t, c.shared, found.Modes[0].SharedBlocks)
			assert.Equal(t, c.shared, found.Modes[0].Evidence.Verdict != bench.VerdictNone)
		})
	}
}

// Whoever reads figures of a stand-in for a model is told, whichever side it was.
func TestG15AComparisonWithASimulatedRunSaysSo(t *testing.T) {
	mode := []bench.Mode{bench.GHX}
	one := func(run string) verify.ComparedSource {
		return written(t, comparedRows(run, mode, func(r *bench.Row) { r.Simulated = r.Iteration == 2 }))
	}
	for name, c := range map[string]struct {
		a, b      verify.ComparedSource
		simulated bool
	}{
		"neither": {written(t, comparedRows("run-1", mode, nil)), written(t, comparedRows("run-2", mode, nil)), false},
		"A":       {one("run-1"), written(t, comparedRows("run-2", mode, nil)), true},
		"B":       {written(t, comparedRows("run-1", mode, nil)), one("run-2"), true},
	} {
		found, err := compared(t, c.a, c.b)
		require.NoError(t, err)
		assert.Equal(t, c.simulated, found.Simulated, name)
	}
}

// The note on a line that does not count is read where there is nothing else.
func TestATornLineIsToldBesideAnError(t *testing.T) {
	ghx := []bench.Mode{bench.GHX}
	expectations := &gate.Expectations{}
	twoHashes := comparedRows("run-2", ghx, func(r *bench.Row) {
		if r.Iteration == 1 {
			r.ScenarioHash = "2222"
		}
	})
	for name, c := range map[string]struct {
		other verify.ComparedSource
		how   verify.JudgeOptions
		says  string
	}{
		"no rows":                    {verify.ComparedSource{Name: "none"}, verify.JudgeOptions{Expectations: expectations}, "compare none: there are no rows"},
		"no mode of both":            {written(t, comparedRows("run-2", []bench.Mode{bench.MCP, bench.AgentDirect}, nil)), verify.JudgeOptions{Expectations: expectations}, "name a mode of each"},
		"a model that is none":       {written(t, comparedRows("run-2", ghx, nil)), verify.JudgeOptions{Expectations: expectations, Model: "nonsense"}, "nonsense"},
		"margins that make no sense": {written(t, comparedRows("run-2", ghx, nil)), verify.JudgeOptions{Profile: bench.ProfileRegression, Expectations: expectations, Margins: bench.Margins{CostRatio: 0.5}}, "the margin of the cost"},
		"a scenario that is two":     {written(t, twoHashes), verify.JudgeOptions{Profile: bench.ProfileRegression, Expectations: expectations}, "different contents"},
	} {
		t.Run(name, func(t *testing.T) {
			torn := written(t, comparedRows("run-1", append([]bench.Mode{bench.GHXBase}, ghx...), nil))
			if name == "a scenario that is two" {
				torn = written(t, append(comparedRows("run-1", ghx, nil), bench.Row{RunID: "run-1", Mode: bench.GHX, ScenarioID: "a-001", ScenarioHash: "2222", Iteration: 9},
					bench.Row{RunID: "run-1", Mode: bench.GHX, ScenarioID: "b-001", ScenarioHash: "2222", Iteration: 9}, bench.Row{RunID: "run-1", Mode: bench.GHX, ScenarioID: "b-001", Iteration: 10}))
			}
			tear(t, torn.Source.Files[0])
			_, notes, err := verify.Compare(torn, c.other, c.how)
			require.ErrorContains(t, err, c.says)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			require.Len(t, notes, 1)
			assert.Contains(t, notes[0], "was not written whole")
		})
	}
}

// A gap is one of the two modes that are compared, whatever the usual two are.
func TestV7AGapOfTheComparedModesWithholdsAPass(t *testing.T) {
	r := sequenceRig(t)
	base := "ba5e"
	r.suite.Modes, r.suite.BaseTree = []bench.Mode{bench.GHXBase, bench.MCP}, &base
	r.run(t.Context(), t)
	source, err := verify.SourceOf(r.suite.Folder())
	require.NoError(t, err)
	of := func(m bench.Mode) verify.ComparedSource {
		return verify.ComparedSource{Name: "run-1", Source: source, Mode: m}
	}
	source.Runs[0].Margins = &bench.Margins{SuccessDropPct: 45, CostRatio: 2, LatencyRatio: 2}
	cells := source.Runs[0].Cells
	for _, mode := range []bench.Mode{bench.GHXBase, bench.MCP} {
		source.Runs[0].Cells = append(slices.Clone(cells), bench.Cell{ScenarioID: "c-001", Mode: mode, Iteration: 1})
		c, _, err := verify.Compare(of(bench.GHXBase), of(bench.MCP), wide())
		require.NoError(t, err)
		assert.Equal(t, bench.CauseRowsMissing, c.Modes[0].Evidence.Cause.Kind, c.Modes[0].Evidence.Sentence)
	}
}
