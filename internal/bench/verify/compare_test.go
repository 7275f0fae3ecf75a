package verify_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
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
