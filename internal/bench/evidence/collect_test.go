package evidence_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/fault"
)

var pairing = evidence.Pairing{Baseline: "ghx@base", Candidate: bench.GHX}

// start is when the rows of the tests begin.
var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// row returns a success, one second after the other by the iteration.
func row(mode bench.Mode, scenario string, iteration int, changes ...func(*bench.Row)) bench.Row {
	r := bench.Row{
		RunID: "run-1", Mode: mode, ScenarioID: scenario, Iteration: iteration, Success: true, OutputValid: true,
		Timestamp: bench.FormatTime(start.Add(time.Duration(iteration) * time.Second)),
		Cost:      0.02, LatencyMSWall: 1000, Tokens: bench.Tokens{Total: 500, CacheRead: 100},
		Model: bench.ModelRef{ProviderID: "openai", ModelID: "gpt-5.3-codex"},
	}
	for _, change := range changes {
		change(&r)
	}
	return r
}

// pair returns the rows of a block.
func pair(scenario string, iteration int) []bench.Row {
	return []bench.Row{row("ghx@base", scenario, iteration), row(bench.GHX, scenario, iteration)}
}

func collect(t *testing.T, rows []bench.Row, pairing evidence.Pairing) evidence.Data {
	t.Helper()
	data, err := evidence.FromRows(rows, pairing)
	require.NoError(t, err)
	return data
}

func failed(kind bench.ErrorType, message string) func(*bench.Row) {
	return func(r *bench.Row) {
		r.Success = false
		r.Error = &bench.RowError{Type: kind, Message: message}
	}
}

func TestV1OneModeIsComparedWithAnother(t *testing.T) {
	for _, wrong := range []evidence.Pairing{{Baseline: bench.GHX, Candidate: bench.GHX}, {Candidate: bench.GHX}, {Baseline: bench.GHX}} {
		_, err := evidence.FromRows(nil, wrong)
		require.ErrorContains(t, err, "evidence compares two modes, and ")
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
	}
}

func TestTheCommitsOfEachSideAreTold(t *testing.T) {
	of := func(commit string) func(*bench.Row) { return func(r *bench.Row) { r.Git.Commit = &commit } }
	data := collect(t, []bench.Row{
		row("ghx@base", "a-001", 1, of("b")), row(bench.GHX, "a-001", 1, of("d")), row("ghx@base", "a-001", 2, of("a")), row(bench.GHX, "a-001", 2, of("d")),
	}, pairing)
	assert.Equal(t, []string{"a", "b"}, data.Baseline.Commits)
	assert.Equal(t, []string{"d"}, data.Candidate.Commits)
	tree := func(hash string) func(*bench.Row) { return func(r *bench.Row) { r.Git.Tree = &hash } }
	trees := collect(t, []bench.Row{row("ghx@base", "a-001", 1, tree("t")), row(bench.GHX, "a-001", 1, tree("u"))}, pairing)
	assert.Equal(t, [2][]string{{"t"}, {"u"}}, [2][]string{trees.Baseline.Trees, trees.Candidate.Trees})
	data = collect(t, []bench.Row{row(bench.AgentDirect, "a-001", 1, of("b")), row(bench.GHX, "a-001", 1)}, evidence.Pairing{Baseline: bench.AgentDirect, Candidate: bench.GHX})
	assert.Empty(t, data.Baseline.Commits, "the tool is not used there")
	assert.Empty(t, data.Candidate.Commits)
}

func TestV3EveryAttemptCounts(t *testing.T) {
	retried := row(bench.GHX, "a-001", 1, func(r *bench.Row) {
		r.ExternalRetryCount = 1
		r.Attempts = []bench.Attempt{
			{Error: &bench.RowError{Type: bench.CheckpointFailed}, LatencyMSWall: 3000, Cost: 0.5, Tokens: bench.Tokens{Total: 900, CacheRead: 300}},
			{LatencyMSWall: 1000, Cost: 0.02, Tokens: bench.Tokens{Total: 500, CacheRead: 100}},
		}
	})
	data := collect(t, []bench.Row{row("ghx@base", "a-001", 1), retried}, pairing)
	require.Len(t, data.Blocks, 1)
	at := start.Add(time.Second).UnixMilli()
	assert.Equal(t, evidence.Session{Success: true, CostUSD: 0.02, LatencyMS: 1000, TokensActive: 400, TokensTotal: 500, EndedMS: at}, data.Blocks[0].Baseline)
	assert.Equal(t, evidence.Session{CostUSD: 0.52, LatencyMS: 4000, TokensActive: 1000, TokensTotal: 1400, EndedMS: at}, data.Blocks[0].Candidate,
		"what a second attempt mended the first one failed in")
	untimed := row(bench.GHX, "a-001", 1, func(r *bench.Row) { r.Timestamp = "" })
	assert.Zero(t, collect(t, []bench.Row{row("ghx@base", "a-001", 1), untimed}, pairing).Blocks[0].Candidate.EndedMS, "when it ended is not known")
	uncounted := row(bench.GHX, "a-001", 1, func(r *bench.Row) {
		r.Attempts = []bench.Attempt{{Error: &bench.RowError{Type: bench.CheckpointFailed}}, {}}
	})
	assert.False(t, collect(t, []bench.Row{row("ghx@base", "a-001", 1), uncounted}, pairing).Blocks[0].Candidate.Success, "also where retries are not counted")
	judged := row(bench.GHX, "a-001", 1, func(r *bench.Row) { r.Success, r.Attempts = false, []bench.Attempt{{}, {}} })
	assert.False(t, collect(t, []bench.Row{row("ghx@base", "a-001", 1), judged}, pairing).Blocks[0].Candidate.Success, "what failed failed, whatever its attempts say")
	old := row(bench.GHX, "a-001", 1, func(r *bench.Row) { r.ExternalRetryCount = 1 })
	assert.False(t, collect(t, []bench.Row{row("ghx@base", "a-001", 1), old}, pairing).Blocks[0].Candidate.Success, "also in a row without its attempts")
}

func TestV3RepeatedRowNeverReplacesTheFirst(t *testing.T) {
	first := row(bench.GHX, "a-001", 1, failed(bench.CheckpointFailed, "no"))
	again := row(bench.GHX, "a-001", 1, func(r *bench.Row) { r.Timestamp, r.RunID = bench.FormatTime(start.Add(time.Hour)), "run-2" })
	for _, rows := range [][]bench.Row{{again, first, row("ghx@base", "a-001", 1)}, {row("ghx@base", "a-001", 1), first, again}} {
		data := collect(t, rows, pairing)
		require.Len(t, data.Blocks, 1)
		assert.False(t, data.Blocks[0].Candidate.Success)
		assert.Equal(t, []bench.LeftOut{{Reason: evidence.ReasonRepeated, Rows: 1, Cells: []bench.Cell{{ScenarioID: "a-001", Mode: bench.GHX, Iteration: 1}}}}, data.LeftOut)
	}
}

func TestRowsThatAreLeftOutAreCountedAndNamed(t *testing.T) {
	var rows []bench.Row
	for i := range 3 {
		rows = append(rows, pair("a-001", i+1)...)
	}
	rows = append(rows, pair("c-001", 1)...)
	rows = append(rows,
		row(bench.MCP, "a-001", 1), row(bench.GHX, "a-001", 0),
		row(bench.GHX, "a-001", 4), // its baseline is still to come
	)
	rows[2].Variation = &bench.Variation{Seed: 7, Number: 1}
	with := pairing
	with.NotCounted = map[string]string{"c-001": "in quarantine: 4 of 20 baselines succeeded"}
	data := collect(t, rows, with)
	cell := func(mode bench.Mode, scenario string, iteration int) bench.Cell {
		return bench.Cell{ScenarioID: scenario, Mode: mode, Iteration: iteration}
	}
	assert.Equal(t, []bench.LeftOut{
		{Reason: "another mode", Rows: 1, Cells: []bench.Cell{cell(bench.MCP, "a-001", 1)}},
		{Reason: "in quarantine: 4 of 20 baselines succeeded", Rows: 2, Cells: []bench.Cell{cell(bench.GHX, "c-001", 1), cell("ghx@base", "c-001", 1)}},
		{Reason: "the iteration is not 1 or more", Rows: 1, Cells: []bench.Cell{cell(bench.GHX, "a-001", 0)}},
		{Reason: "the other mode has no row", Rows: 1, Cells: []bench.Cell{cell(bench.GHX, "a-001", 4)}},
		{Reason: "void: the two modes had different variations", Rows: 2, Cells: []bench.Cell{cell(bench.GHX, "a-001", 2), cell("ghx@base", "a-001", 2)}},
	}, data.LeftOut)
	assert.Len(t, data.Blocks, 3)
	assert.Equal(t, data.LeftOut, regression(t).Judge(data).LeftOut, "two blocks make a look")

	var many []bench.Row
	for i := range 500 {
		many = append(many, row(bench.MCP, "a-001", 500-i))
	}
	left := collect(t, many, pairing).LeftOut
	require.Len(t, left, 1)
	assert.Equal(t, 500, left[0].Rows)
	assert.Len(t, left[0].Cells, 500)
	assert.Equal(t, 1, left[0].Cells[0].Iteration, "in order, not as they came")
}

// Rows that were run and are not judged, for whatever reason, are named.
func TestRowsThatAreNotJudgedAreNamed(t *testing.T) {
	rowsOf := func(scenario string, iterations int) (rows []bench.Row) {
		for i := range iterations {
			rows = append(rows, pair(scenario, i+1)...)
		}
		return rows
	}
	const incomplete = "not judged: the look after %d repetitions of every scenario is not whole"
	for _, c := range []struct {
		name      string
		design    *evidence.Design
		a, b      int
		void      []int
		verdict   bench.Verdict
		reason    string
		notJudged []string
	}{
		{"before the first look", regression(t), 1, 1, nil, bench.VerdictInconclusive, fmt.Sprintf(incomplete, 2),
			[]string{"a-001/ghx/1", "a-001/ghx@base/1", "b-001/ghx/1", "b-001/ghx@base/1"}},
		{"one scenario is ahead", regression(t), 5, 3, nil, bench.VerdictInconclusive, fmt.Sprintf(incomplete, 4),
			[]string{"a-001/ghx/3", "a-001/ghx/4", "a-001/ghx/5", "a-001/ghx@base/3", "a-001/ghx@base/4", "a-001/ghx@base/5", "b-001/ghx/3", "b-001/ghx@base/3"}},
		{"after the last look", design(t, bench.ProfileRegression, 2, 2), 3, 2, nil, bench.VerdictInconclusive, evidence.ReasonAfterEnd,
			[]string{"a-001/ghx/3", "a-001/ghx@base/3"}},
		{"void ones are named once", design(t, bench.ProfileRegression, 2, 2), 5, 2, []int{1, 4}, bench.VerdictInconclusive, evidence.ReasonAfterEnd,
			[]string{"a-001/ghx/5", "a-001/ghx@base/5"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := append(rowsOf("b-001", c.b), rowsOf("a-001", c.a)...)
			for i := range rows {
				if rows[i].ScenarioID == "a-001" && slices.Contains(c.void, rows[i].Iteration) {
					failed(bench.TimeoutNoFirstAnswer, "15 s")(&rows[i])
				}
			}
			v := c.design.Judge(collect(t, rows, pairing))
			assert.Equal(t, c.verdict, v.Verdict)
			named := []string{}
			for _, l := range v.LeftOut {
				assert.Len(t, l.Cells, l.Rows)
				if l.Reason == c.reason {
					for _, cell := range l.Cells {
						named = append(named, cell.String())
					}
				} else {
					assert.Equal(t, "void: the model gave no first answer", l.Reason)
					assert.Equal(t, 2*len(c.void), l.Rows)
				}
			}
			assert.Equal(t, c.notJudged, named)
		})
	}
}

func TestRowThatLacksInBetweenIsVoid(t *testing.T) {
	rows := append(pair("a-001", 1), pair("a-001", 3)...)
	rows = append(rows, row("ghx@base", "a-001", 2))
	data := collect(t, rows, pairing)
	require.Len(t, data.Blocks, 3)
	assert.Equal(t, evidence.Session{Void: evidence.ReasonAlone}, data.Blocks[1].Candidate, "a failure may have been taken away")
	assert.Empty(t, data.Blocks[1].Baseline.Void)
	assert.Equal(t, evidence.ReasonAlone, data.LeftOut[0].Reason)
}

func TestN10WhatTheProviderFailedInIsVoid(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*bench.Row)
		want   string
	}{
		{"no first answer", failed(bench.TimeoutNoFirstAnswer, "15 s"), "the model gave no first answer"},
		{"too many requests", failed(bench.RunnerError, "the agent's turn failed: slow down (429)"), "the model's provider answered 429"},
		{"overloaded", failed(bench.RunnerError, "the agent's turn failed: overloaded (529)"), "the model's provider answered 529"},
		{"a second attempt that succeeded", func(r *bench.Row) {
			r.Attempts = []bench.Attempt{{Error: &bench.RowError{Type: bench.TimeoutNoFirstAnswer}}, {}}
		}, "the model gave no first answer"},
		{"what was seen of the model's API, in a success", func(r *bench.Row) {
			r.Attempts = []bench.Attempt{{ProviderFailure: "the model's API answered 529"}}
		}, "the model's API answered 529"},
		{"an attempt whose calls were seen, and whose error speaks of a status", func(r *bench.Row) {
			failed(bench.RunnerError, "the agent's turn failed: slow down (429)")(r)
			r.Attempts = []bench.Attempt{{Error: r.Error, Class: bench.ClassInfrastructure, Part: bench.PartHarness}}
		}, ""},
		{"a bad request", failed(bench.RunnerError, "the agent's turn failed: no (400)"), ""},
		{"a status in the middle", failed(bench.RunnerError, "answered (503) to itself"), ""},
		{"an agent that speaks of one", failed(bench.CheckpointFailed, "it says (503)"), ""},
		{"a session that stalls", failed(bench.TimeoutStalled, "10 s"), ""},
		{"a success", func(*bench.Row) {}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := collect(t, []bench.Row{row("ghx@base", "a-001", 1), row(bench.GHX, "a-001", 1, c.change)}, pairing)
			assert.Equal(t, c.want, data.Blocks[0].Candidate.Void)
			if c.want != "" {
				assert.ElementsMatch(t, []string{"void: " + c.want, "void: the other mode's session is"}, []string{data.LeftOut[0].Reason, data.LeftOut[1].Reason})
			}
		})
	}
	other := pairing
	other.Void = func(r *bench.Row) string { return r.SeedID }
	data := collect(t, []bench.Row{row("ghx@base", "a-001", 1, func(r *bench.Row) { r.SeedID = "the sandbox" }), row(bench.GHX, "a-001", 1)}, other)
	assert.Equal(t, "the sandbox", data.Blocks[0].Baseline.Void)
}

func TestImpossibleFiguresAreVoid(t *testing.T) {
	for _, change := range []func(*bench.Row){
		func(r *bench.Row) { r.Cost = -1 },
		func(r *bench.Row) { r.Cost = math.NaN() },
		func(r *bench.Row) { r.LatencyMSWall = math.Inf(1) },
		func(r *bench.Row) { r.Tokens.Total = -5 },
		func(r *bench.Row) { r.Tokens.CacheRead = 501 },
	} {
		data := collect(t, []bench.Row{row("ghx@base", "a-001", 1), row(bench.GHX, "a-001", 1, change)}, pairing)
		assert.Equal(t, evidence.ReasonImpossible, data.Blocks[0].Candidate.Void)
	}
}

func TestRowsThatCannotBeJudgedTogetherAreRefused(t *testing.T) {
	other := row(bench.GHX, "a-001", 2, func(r *bench.Row) { r.Model.ModelID = "gpt-5.4" })
	_, err := evidence.FromRows(append(pair("a-001", 1), other), pairing)
	require.ErrorContains(t, err, "rows of 2 models cannot be judged together: openai/gpt-5.3-codex and openai/gpt-5.4")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))

	hashed := func(hash string) func(*bench.Row) { return func(r *bench.Row) { r.ScenarioHash = hash } }
	rows := []bench.Row{row(bench.GHX, "b-001", 1, hashed("x")), row(bench.GHX, "b-001", 2, hashed("y")), row(bench.GHX, "a-001", 1, hashed("x"))}
	_, err = evidence.FromRows(rows, pairing)
	require.ErrorContains(t, err, "the rows of scenario b-001 are of different contents")
	for _, hashes := range [][2]string{{"", "x"}, {"x", ""}} {
		_, err = evidence.FromRows([]bench.Row{row(bench.GHX, "b-001", 1, hashed(hashes[0])), row(bench.GHX, "b-001", 2, hashed(hashes[1]))}, pairing)
		require.NoError(t, err, "an older row tells none")
	}

	of := func(file string) func(*bench.Row) { return func(r *bench.Row) { r.ModeHash = file } }
	base := row("ghx@base", "a-001", 1, of("base"))
	base.Git.Tree = &base.ScenarioID
	_, err = evidence.FromRows([]bench.Row{base, row(bench.GHX, "a-001", 1, of("x")), row(bench.GHX, "a-001", 2, of("y"))}, pairing)
	require.ErrorContains(t, err, "the rows of mode ghx are of 2 contents of its file, x and y: it was changed meanwhile")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	_, err = evidence.FromRows([]bench.Row{base, row(bench.GHX, "a-001", 1, of("x")), row(bench.GHX, "a-001", 2)}, pairing)
	require.NoError(t, err, "an older row tells none")

	for _, p := range []evidence.Pairing{{}, {Baseline: bench.GHX}, {Baseline: bench.GHX, Candidate: bench.GHX}} {
		_, err := evidence.NewCollector(p)
		require.ErrorContains(t, err, "evidence compares two modes")
	}
}

// randomRows returns rows with everything that rows may have, good and bad.
func randomRows(r *rand.Rand) []bench.Row {
	var rows []bench.Row
	scenarios := 1 + r.IntN(5)
	for range r.IntN(60 * scenarios) {
		mode := []bench.Mode{"ghx@base", bench.GHX, "ghx@base", bench.GHX, bench.MCP}[r.IntN(5)]
		rows = append(rows, row(mode, fmt.Sprintf("s-%03d", r.IntN(scenarios)), r.IntN(12), func(row *bench.Row) {
			row.Timestamp = bench.FormatTime(start.Add(time.Duration(r.IntN(40)) * time.Second))
			row.RunID = fmt.Sprint("run-", r.IntN(2))
			row.Success = r.IntN(8) > 0
			row.Cost = []float64{0, 0.01, 0.02, 0.5, -1, math.NaN()}[min(r.IntN(40), r.IntN(6))] * r.Float64()
			row.LatencyMSWall = 1000 * r.ExpFloat64()
			row.Tokens.Total = int64(100 + r.IntN(3)*400)
			row.ExternalRetryCount = r.IntN(9) / 8
			if r.IntN(20) == 0 {
				failed(bench.TimeoutNoFirstAnswer, "")(row)
			}
			if r.IntN(30) == 0 {
				row.Variation = &bench.Variation{Seed: 1, Number: r.IntN(2)}
			}
		}))
	}
	return rows
}

func verdictOf(t testing.TB, rows []bench.Row, profile bench.GateProfile) string {
	t.Helper()
	data, err := evidence.FromRows(rows, pairing)
	require.NoError(t, err)
	v := design(t, profile, 2, 6).Judge(data)
	sound(t, v)
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

func FuzzG17RowsInAnyOrderGiveTheSameBytes(f *testing.F) {
	for seed := range uint64(30) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		rows := randomRows(r)
		profile := []bench.GateProfile{bench.ProfileRegression, bench.ProfileClaim}[r.IntN(2)]
		want := verdictOf(t, rows, profile)
		for range 3 {
			r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			require.Equal(t, want, verdictOf(t, rows, profile))
		}
	})
}

func BenchmarkHundredThousandRows(b *testing.B) {
	var rows []bench.Row
	for scenario := range 500 {
		for iteration := range 100 {
			rows = append(rows, pair(fmt.Sprintf("s-%03d", scenario), iteration+1)...)
		}
	}
	d := design(b, bench.ProfileRegression, 2, 12)
	b.ReportAllocs()
	for b.Loop() {
		data, err := evidence.FromRows(rows, pairing)
		if err != nil {
			b.Fatal(err)
		}
		d.Judge(data)
	}
}
