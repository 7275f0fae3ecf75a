package verify_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// asked is what the rig's suite was asked for.
func (r *rig) asked() verify.Asked {
	return verify.Asked{
		Provider: "fake", Model: "fake/one", Scenarios: slices.Clone(r.suite.Scenarios), Modes: []bench.Mode{bench.GHX, bench.AgentDirect},
		Repetitions: bench.Repetitions{First: 2, Most: 2}, Profile: bench.VerifyPR, Commit: "c0ffee", Simulated: true,
	}
}

// forge edits each row of ledgers, which are then whole and well-formed.
func forge(t *testing.T, files []string, edit func(row map[string]any)) {
	t.Helper()
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var forged bytes.Buffer
		for line := range bytes.Lines(text) {
			var row map[string]any
			require.NoError(t, json.Unmarshal(line, &row))
			edit(row)
			line, err := json.Marshal(row)
			require.NoError(t, err)
			forged.Write(append(line, '\n'))
		}
		require.NoError(t, os.WriteFile(file, forged.Bytes(), 0o600))
	}
}

// Who makes rows can make the description of their run, too. What was asked for is
// known from elsewhere.
func TestRowsThatWereNotAskedForAreRefused(t *testing.T) {
	c0de, others := "c0de", "fake/another"
	setRow := func(field string, value any) func(*testing.T, *verify.Source) {
		return func(t *testing.T, s *verify.Source) {
			forge(t, s.Files, func(row map[string]any) { row[field] = value })
		}
	}
	setRun := func(change func(run *ledger.RunInfo)) func(*testing.T, *verify.Source) {
		return func(_ *testing.T, s *verify.Source) { change(&s.Runs[0]) }
	}
	for name, c := range map[string]struct {
		forge func(*testing.T, *verify.Source)
		ask   func(a *verify.Asked)
		says  string
	}{
		"what was asked for":           {},
		"a base that no mode is of":    {ask: func(a *verify.Asked) { a.BaseCommit = "ba5e" }},
		"any model":                    {ask: func(a *verify.Asked) { a.Model = "" }},
		"modes in another order":       {forge: setRun(func(run *ledger.RunInfo) { slices.Reverse(run.Modes) })},
		"rows without their run":       {forge: func(_ *testing.T, s *verify.Source) { s.Runs = nil }, says: "without the run.json of their run"},
		"a run of one repetition":      {forge: setRun(func(run *ledger.RunInfo) { run.Repetitions = 1 }), says: "the number of repetitions is 1, and 2 was asked for"},
		"a run that was to end early":  {forge: setRun(func(run *ledger.RunInfo) { run.FirstLook = 1 }), says: "before the first look is 1, and 0"},
		"a run that was not to":        {ask: func(a *verify.Asked) { a.Repetitions.First = 1 }, says: "before the first look is 0, and 1"},
		"another provider":             {forge: setRun(func(run *ledger.RunInfo) { run.Provider = "scripted" }), says: "the provider is scripted, and fake was asked for"},
		"a run of another model":       {ask: func(a *verify.Asked) { a.Model = others }, says: "the model is fake/one, and fake/another"},
		"one mode alone":               {forge: setRun(func(run *ledger.RunInfo) { run.Modes = run.Modes[:1] }), says: "the list of modes is"},
		"a run of another commit":      {forge: setRun(func(run *ledger.RunInfo) { run.Git.Commit = &c0de }), says: "the commit is c0de, and c0ffee"},
		"a run of no commit":           {forge: setRun(func(run *ledger.RunInfo) { run.Git.Commit = nil }), says: "the commit is none, and c0ffee"},
		"a scenario less":              {forge: setRun(func(run *ledger.RunInfo) { run.Scenarios = run.Scenarios[:1] }), says: "scenario b-001 is another one there, or is missing"},
		"a scenario made easy":         {forge: setRun(func(run *ledger.RunInfo) { run.Scenarios[1].Hash = "easy" }), says: "scenario b-001 is another one"},
		"a scenario more":              {ask: func(a *verify.Asked) { a.Scenarios = a.Scenarios[:1] }, says: "the number of scenarios is 2, and 1"},
		"a plan without the bad cells": {forge: setRun(func(run *ledger.RunInfo) { run.Cells = run.Cells[1:] }), says: "the number of cells is 7, and 8"},
		"a plan with one cell twice":   {forge: setRun(func(run *ledger.RunInfo) { run.Cells[0] = run.Cells[1] }), says: "the number of cells is 7, and 8"},
		"a plan with others instead":   {forge: setRun(func(run *ledger.RunInfo) { run.Cells[0].Iteration = 3 }), says: "/3 was not asked for"},
		"a part that leaves cells out": {forge: setRun(func(run *ledger.RunInfo) {
			run.Shard, run.AllCells, run.Cells = &bench.Shard{Index: 1, Count: 1}, run.Cells, run.Cells[1:]
		}), says: "not those of its part 1/1"},
		"a part of it": {forge: setRun(func(run *ledger.RunInfo) {
			run.Shard, run.AllCells = &bench.Shard{Index: 2, Count: 2}, run.Cells
			run.Cells = run.Shard.Of(run.AllCells)
		})},
		"a plan of an iteration before the first": {forge: setRun(func(run *ledger.RunInfo) { run.Cells[0].Iteration = 0 }), says: "/0 was not asked for"},
		"a plan with another mode":                {forge: setRun(func(run *ledger.RunInfo) { run.Cells[0].Mode = bench.MCP }), says: "/mcp/"},
		"rows that cost nothing":                  {forge: setRow("cost", 0)},
		"rows of another mode":                    {forge: setRow("mode", "mcp"), says: "/mcp/"},
		"rows of another commit":                  {forge: setRow("git", map[string]any{"commit": "c0de"}), says: "the commit of cell"},
		"rows of no commit":                       {forge: setRow("git", nil), says: "is none, and c0ffee was asked for"},
		"rows of another model":                   {forge: setRow("model", map[string]any{"provider_id": "fake", "model_id": "cheap"}), says: "the model of cell"},
		"rows of an easier scenario":              {forge: setRow("scenario_hash", "easy"), says: "of another scenario"},
		"rows of a scenario of no name":           {forge: setRow("scenario_hash", nil), says: "of another scenario"},
		"rows that no model has made":             {ask: func(a *verify.Asked) { a.Simulated = false }, says: "whether a model was involved"},
		"rows that say a model made them":         {forge: setRow("simulated", false), says: "whether a model was involved"},
		"rows of another task":                    {forge: setRow("scenario_id", "z-001"), says: "was not asked for"},
		"rows beyond the plan":                    {forge: setRow("iteration", 3), says: "/3 was not asked for"},
		"rows whose attempts cost nothing":        {forge: setRow("attempts", []map[string]any{{"cost": 0}, {"cost": 0}})},
		"rows whose attempts were paid for":       {forge: setRow("attempts", []map[string]any{{"cost": 1}, {"cost": -1}}), says: "a cost below 0"},
		"rows that were paid for":                 {forge: setRow("cost", -5), says: "a cost below 0"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			for i := range r.suite.Scenarios {
				r.suite.Scenarios[i].Hash = "hash of " + r.suite.Scenarios[i].ID
			}
			source, asked := r.source(t), r.asked()
			if c.forge != nil {
				c.forge(t, &source)
			}
			if c.ask != nil {
				c.ask(&asked)
			}
			how := judging()
			how.Asked = &asked
			reported, err := verify.Report(source, how)
			if c.says == "" {
				require.NoError(t, err)
				assert.Empty(t, reported.Summary.Missing)
				return
			}
			require.ErrorContains(t, err, c.says)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}

func TestARowOfTheBaseIsOfTheBaseCommit(t *testing.T) {
	r := newRig(t)
	base := "ba5e"
	r.suite.Modes, r.suite.BaseCommit = []bench.Mode{bench.GHXBase, bench.GHX}, &base
	source := r.source(t)
	how := judging()
	how.Baseline = bench.GHXBase
	for asked, refused := range map[string]bool{"ba5e": false, "": false, "0ther": true} {
		a := r.asked()
		a.Modes, a.BaseCommit = r.suite.Modes, asked
		how.Asked = &a
		_, err := verify.Report(source, how)
		assert.Equal(t, refused, err != nil, "%q: %v", asked, err)
	}
	a := r.asked()
	a.Modes, a.BaseCommit = r.suite.Modes, base
	how.Asked = &a
	forge(t, source.Files, func(row map[string]any) { row["git"] = map[string]any{"commit": "c0ffee"} })
	_, err := verify.Report(source, how)
	require.ErrorContains(t, err, "is c0ffee, and ba5e was asked for")
	other := "0ther"
	source.Runs[0].BaseCommit = &other
	_, err = verify.Report(source, how)
	assert.ErrorContains(t, err, "the base commit is 0ther, and ba5e was asked for", "of the run, too")
}

// What a mode of a file measures is of its own commits.
func TestARowOfAModeOfAFileIsOfWhateverItsFileSays(t *testing.T) {
	r := withMine(t)
	source := r.source(t)
	a := r.asked()
	a.Modes = r.suite.Modes
	how := judgingMine()
	how.Asked = &a
	_, err := verify.Report(source, how)
	require.NoError(t, err)
}

// What takes the place of void blocks was not planned, and was asked for with evidence.
func TestN10RowsThatRefillAreAskedForWhereEvidenceDecides(t *testing.T) {
	r := byEvidence(t)
	r.providerFailsIn("b-001/ghx/1")
	source := r.source(t)
	require.NotEmpty(t, source.Runs[0].Refills)
	for profile, refused := range map[bench.GateProfile]bool{bench.ProfileRegression: false, bench.VerifyPR: true} {
		a := r.asked()
		a.Repetitions, a.Profile = bench.Repetitions{First: 4, Most: 4}, profile
		how := judging()
		how.Profile, how.Asked = profile, &a
		_, err := verify.Report(source, how)
		assert.Equal(t, refused, err != nil, "%s: %v", profile, err)
	}
}
