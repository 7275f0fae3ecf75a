package verify_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/redact"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
	"github.com/ghx-dev/bench-action/scenarios"
)

const (
	viewed   = `{"ok":true,"data":{"id":"R","name":"n","nameWithOwner":"o/n","isPrivate":false,"url":"u","defaultBranch":"main"},"error":null,"meta":{"route_used":"graphql","attempts":[{"status":"error"}]}}`
	assigned = `{"ok":true,"data":{"prNumber":2,"added":["aryeko"]},"error":null,"meta":{"route_used":"graphql"}}`
)

// loadShipped loads the scenarios that ship once: that takes a third of a second.
var loadShipped = sync.OnceValues(func() (*scenario.Library, error) { return scenario.Load(scenarios.Files) })

func shipped(t testing.TB) *scenario.Library {
	t.Helper()
	library, err := loadShipped()
	require.NoError(t, err)
	return library
}

// measurable is a suite of an atomic read, an atomic change and a workflow,
// whose transcripts are kept. Agents do their task in the first iteration, have
// no envelope in the second, and crash in the third.
func measurable(t *testing.T) *rig {
	r := newRig(t)
	var err error
	r.suite.Scenarios, err = scenario.Select(shipped(t), "", []string{"repo-view-001", "pr-assignees-add-001", "pr-fix-review-comments-wf-001"})
	require.NoError(t, err)
	r.suite.Repetitions, r.suite.Run.Continuations = 3, 1
	r.target.Resources = map[string]map[string]any{
		"pr": {"number": 2}, "pr_with_reviews": {"number": 5, "unresolved": []any{"PRRT_1", "PRRT_2", "PRRT_3"}}, "texts": {"assignees": []any{"aryeko"}},
	}
	r.provider.OnPrompt = func(_ context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
		r.now = r.now.Add(time.Second)
		start := time.Now()
		s.Say(agent.Message{Role: agent.Assistant, Start: start, End: start.Add(time.Second), Parts: []agent.Part{
			{Type: agent.PartTool, Start: start, End: start.Add(time.Millisecond), Tool: &agent.ToolCall{Name: "bash", Error: "exit status 1"}},
		}})
		switch answer := map[string]string{"repo-view-001": viewed, "pr-assignees-add-001": assigned}[p.Play.ScenarioID]; {
		case p.Play.Iteration == 3:
			// Another failure in each, or the run would end.
			return agent.Turn{}, errors.New("the agent's process has died in " + p.Play.ScenarioID)
		case p.Play.Iteration == 2 || answer == "":
			return s.Answer(p, "Done."), nil
		default:
			return s.Answer(p, answer), nil
		}
	}
	r.reads(&fake.Reader{Says: map[string]any{
		"assignees": []any{"aryeko"}, "number": 2,
		"id": "R", "name": "n", "nameWithOwner": "o/n", "isPrivate": false, "url": "u", "defaultBranch": "main",
	}})
	r.keep(r.suite.TranscriptsFolder())
	return r
}

func (r *rig) reads(reader *fake.Reader) {
	r.deps.Reader = func(target.Access) (checkpoint.Reader, error) { return reader, nil }
}

func (r *rig) keep(folder string) {
	r.deps.SaveTranscript = verify.SaveTranscripts(folder, r.suite.RunID, redact.New())
}

// measuring is how a rig's run is measured anew.
func (r *rig) measuring(t *testing.T) verify.RemeasureOptions {
	t.Helper()
	source, transcripts, err := verify.MeasuredFrom(r.suite.Folder(), nil)
	require.NoError(t, err)
	return verify.RemeasureOptions{
		Source: source, Transcripts: transcripts, Scenarios: shipped(t),
		Price: func(bench.ModelRef) *bench.Price { return source.Runs[0].Price },
	}
}

// edit changes a stored transcript.
func (r *rig) edit(t *testing.T, cell bench.Cell, attempt int, change func(*agent.Transcript)) {
	t.Helper()
	folder := r.suite.TranscriptsFolder()
	kept, err := verify.LoadTranscript(folder, r.suite.RunID, cell, attempt)
	require.NoError(t, err)
	require.NotNil(t, kept)
	change(kept)
	require.NoError(t, verify.SaveTranscripts(folder, r.suite.RunID, redact.New())(cell, attempt, *kept))
}

func TestMeasuringAnewChangesNothing(t *testing.T) {
	for name, reader := range map[string]*fake.Reader{
		"the state is as some tasks want it": {Says: map[string]any{"assignees": []any{"aryeko"}}},
		"the state cannot be read":           {Err: errors.New("bad gateway")},
	} {
		t.Run(name, func(t *testing.T) {
			r := measurable(t)
			r.reads(reader)
			was := rowsOf(t, r.run(t.Context(), t).Files)
			measured, err := verify.Measure(r.measuring(t))
			require.NoError(t, err)
			assert.Empty(t, measured.Changed)
			assert.Empty(t, measured.Without)
			assert.Equal(t, was, measured.Rows)
			kinds := map[bench.ErrorType]bool{}
			for _, row := range was {
				if row.Error != nil {
					kinds[row.Error.Type] = true
				}
			}
			assert.True(t, kinds[bench.AssertionFailed] && kinds[bench.RunnerError], "rows of several kinds were measured")
		})
	}
}

var (
	viewCell   = bench.Cell{ScenarioID: "repo-view-001", Mode: bench.GHX, Iteration: 1}
	threadCell = bench.Cell{ScenarioID: "pr-fix-review-comments-wf-001", Mode: bench.GHX, Iteration: 1}
)

// answers has the last message of a transcript say something else.
func answers(text string) func(*agent.Transcript) {
	return func(t *agent.Transcript) {
		t.Messages[len(t.Messages)-1].Parts = []agent.Part{{Type: agent.PartText, Text: text}}
	}
}

func TestWhatATranscriptTellsIsMeasuredAnew(t *testing.T) {
	tokens := func(t *agent.Transcript) {
		t.Messages[len(t.Messages)-1].Tokens = bench.Tokens{Input: 1000, Output: 4, Total: 1004}
	}
	cases := []struct {
		name    string
		cell    bench.Cell
		attempt int
		change  func(*agent.Transcript)
		want    []string
	}{
		{"R4, R6: tokens, and what they cost", viewCell, 1, tokens, []string{
			"attempts.0.cost", "attempts.0.tokens.input", "attempts.0.tokens.total", "cost", "tokens.input", "tokens.total",
		}},
		{"R6: a cost that the provider reports", viewCell, 1, func(t *agent.Transcript) { t.Messages[1].Cost = 3 }, []string{"attempts.0.cost", "cost"}},
		{"tool calls and timing", viewCell, 1, func(t *agent.Transcript) { t.Messages[1].Parts = nil }, []string{
			"attempts.0.class", "attempts.0.error", "attempts.0.error.message", "attempts.0.error.type", "error", "error.message", "error.type", "success",
			"timing_breakdown.assistant_post_tool_ms", "timing_breakdown.tool_bash_ms", "timing_breakdown.tool_total_ms", "tool_calls", "tool_errors",
			"tool_use.0.calls", "tool_use.0.dead_ends", "tool_use.0.errors", "tool_use.0.name",
		}},
		{"R7: requests were counted, so names of tools say nothing", viewCell, 1, func(t *agent.Transcript) { t.Messages[1].Parts[0].Tool.Name = "http_get" },
			[]string{"timing_breakdown.tool_bash_ms", "tool_use.0.name"}},
		{"S4, S13: an answer with another route", viewCell, 1, answers(strings.Replace(viewed, "graphql", "cli", 1)), []string{"route_ok"}},
		{"S8: an answer with fewer failed tries", viewCell, 1, answers(strings.Replace(viewed, `{"status":"error"}`, "", 1)), []string{"internal_retry_count"}},
		{"S9: a workflow is not judged by its answer", threadCell, 2, answers("Nothing."), nil},
		{"an attempt that is not reported", threadCell, 1, tokens, []string{"attempts.0.cost", "attempts.0.tokens.input", "attempts.0.tokens.total"}},
		{"what failed before it was judged stays failed", bench.Cell{ScenarioID: "repo-view-001", Mode: bench.GHX, Iteration: 3}, 1, answers(viewed),
			[]string{
				"timing_breakdown.assistant_post_tool_ms", "timing_breakdown.tool_bash_ms", "timing_breakdown.tool_total_ms", "tool_calls", "tool_errors",
				"tool_use.0.calls", "tool_use.0.dead_ends", "tool_use.0.errors", "tool_use.0.name",
			}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := measurable(t)
			r.run(t.Context(), t)
			r.edit(t, c.cell, c.attempt, c.change)
			measured, err := verify.Measure(r.measuring(t))
			require.NoError(t, err)
			if c.want == nil {
				assert.Empty(t, measured.Changed)
				return
			}
			require.Len(t, measured.Changed, 1, "no other row changes")
			assert.Equal(t, c.cell.String(), measured.Changed[0].Cell)
			var fields []string
			for _, f := range measured.Changed[0].Fields {
				fields = append(fields, f.Field)
			}
			assert.Equal(t, c.want, fields)
		})
	}
}

func TestWhatCheckpointsFoundCountsForAnotherAnswerToo(t *testing.T) {
	r := measurable(t)
	r.reads(&fake.Reader{Says: map[string]any{"assignees": []any{}}})
	cell := bench.Cell{ScenarioID: "pr-assignees-add-001", Mode: bench.GHX, Iteration: 2}
	r.run(t.Context(), t)
	r.edit(t, cell, 1, answers(assigned))
	measured, err := verify.Measure(r.measuring(t))
	require.NoError(t, err)
	require.Len(t, measured.Changed, 1)
	for _, row := range measured.Rows {
		if row.Cell() == cell {
			assert.True(t, row.OutputValid)
			assert.False(t, row.Success)
			assert.Equal(t, bench.CheckpointFailed, row.Error.Type)
			assert.Equal(t, row.Error, row.Attempts[0].Error)
		}
	}
}

func TestAnAnswerIsJudgedAlsoWhereTheStateCouldNotBeRead(t *testing.T) {
	r := measurable(t)
	r.reads(&fake.Reader{Err: errors.New("bad gateway")})
	cell := bench.Cell{ScenarioID: "pr-assignees-add-001", Mode: bench.GHX, Iteration: 1}
	was := rowsOf(t, r.run(t.Context(), t).Files)
	r.edit(t, cell, 1, answers("Done."))
	measured, err := verify.Measure(r.measuring(t))
	require.NoError(t, err)
	require.Len(t, measured.Changed, 1)
	i := slices.IndexFunc(was, func(row bench.Row) bool { return row.Cell() == cell })
	assert.Equal(t, bench.RunnerError, was[i].Error.Type)
	assert.True(t, was[i].OutputValid)
	assert.Equal(t, bench.AssertionFailed, measured.Rows[i].Error.Type)
	assert.False(t, measured.Rows[i].OutputValid)
}

func TestAChangeIsShownOnOneLine(t *testing.T) {
	r := measurable(t)
	r.run(t.Context(), t)
	r.edit(t, viewCell, 1, func(t *agent.Transcript) { t.Messages[1].Cost = 3 })
	measured, err := verify.Measure(r.measuring(t))
	require.NoError(t, err)
	assert.Equal(t, "repo-view-001/ghx/1  attempts.0.cost: 0.00001 → 3, cost: 0.00001 → 3", measured.Changed[0].String())
	assert.Equal(t, "run-1", measured.Changed[0].RunID)
}

func TestR6WithoutAPriceTheCostStays(t *testing.T) {
	r := measurable(t)
	r.run(t.Context(), t)
	how := r.measuring(t)
	how.Price = func(bench.ModelRef) *bench.Price { return nil }
	measured, err := verify.Measure(how)
	require.NoError(t, err)
	assert.Empty(t, measured.Changed)
	how.Price = func(model bench.ModelRef) *bench.Price {
		assert.Equal(t, "fake/one", model.Key())
		return &bench.Price{Input: 2, Output: 2}
	}
	measured, err = verify.Measure(how)
	require.NoError(t, err)
	require.Len(t, measured.Changed, 12, "all but the crashed, which have no tokens")
	assert.InDelta(t, 20e-6, measured.Rows[0].Cost, 1e-12)
}

// changedScenario returns the shipped scenarios with another repo-view-001.
func changedScenario(t *testing.T, old, with string) *scenario.Library {
	t.Helper()
	folder := fstest.MapFS{}
	require.NoError(t, fs.WalkDir(scenarios.Files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := scenarios.Files.ReadFile(path)
		if strings.HasSuffix(path, "repo-view-001.json") {
			require.Contains(t, string(data), old)
			data = []byte(strings.Replace(string(data), old, with, 1))
		}
		folder[path] = &fstest.MapFile{Data: data}
		return err
	}))
	library, err := scenario.Load(folder)
	require.NoError(t, err)
	return library
}

func TestAScenarioThatHasChangedIsMeasuredByIfItIsMeant(t *testing.T) {
	r := measurable(t)
	r.run(t.Context(), t)
	how := r.measuring(t)
	how.Scenarios = changedScenario(t, `"expected_route_used": "graphql"`, `"expected_route_used": "rest"`)
	_, err := verify.Measure(how)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.ErrorContains(t, err, `scenario "repo-view-001" has changed since run run-1`)
	assert.ErrorContains(t, err, "--scenarios")

	how.ScenariosChosen = true
	measured, err := verify.Measure(how)
	require.NoError(t, err)
	changed, err := how.Scenarios.Scenario("repo-view-001")
	require.NoError(t, err)
	for _, row := range measured.Rows {
		if row.Cell() == viewCell {
			assert.Equal(t, new(bool), row.RouteOK, "ghx did not take that route")
		}
		if row.ScenarioID == "repo-view-001" {
			assert.Equal(t, changed.Hash, row.ScenarioHash, "its rows say what they were judged by")
		}
	}
	direct := slices.IndexFunc(measured.Rows, func(row bench.Row) bool {
		return row.Cell() == bench.Cell{ScenarioID: "repo-view-001", Mode: bench.AgentDirect, Iteration: 1}
	})
	assert.Nil(t, measured.Rows[direct].RouteOK, "S4: no other mode tells a route")
}

func TestWhatCannotBeMeasured(t *testing.T) {
	cases := []struct {
		name  string
		spoil func(t *testing.T, r *rig, how *verify.RemeasureOptions)
		want  []string
	}{
		{"no transcripts", func(t *testing.T, r *rig, _ *verify.RemeasureOptions) {
			require.NoError(t, os.RemoveAll(r.suite.TranscriptsFolder()))
		}, []string{"none of 18 rows has a transcript in ", "transcripts", "name the folder of their run"}},
		{"a transcript of another run", func(t *testing.T, r *rig, _ *verify.RemeasureOptions) {
			kept := saying(viewed)
			require.NoError(t, verify.SaveTranscripts(r.suite.TranscriptsFolder(), "run-2", redact.New())(viewCell, 1, kept))
		}, []string{"ghx-1-1.json is of run run-2, not of run run-1", "name the folder"}},
		{"a transcript of another session", func(t *testing.T, r *rig, _ *verify.RemeasureOptions) {
			r.edit(t, viewCell, 1, func(t *agent.Transcript) { t.SessionID = "session-99" })
		}, []string{"ghx-1-1.json is of session session-99, not of session"}},
		{"a transcript that is no JSON", func(t *testing.T, r *rig, _ *verify.RemeasureOptions) {
			require.NoError(t, os.WriteFile(verify.TranscriptPath(r.suite.TranscriptsFolder(), viewCell, 1), []byte("{"), 0o600))
		}, []string{"ghx-1-1.json is not as it was saved", "restore it, or remove it"}},
		{"an earlier attempt that is no JSON", func(t *testing.T, r *rig, _ *verify.RemeasureOptions) {
			require.NoError(t, os.WriteFile(verify.TranscriptPath(r.suite.TranscriptsFolder(), threadCell, 1), []byte("[]"), 0o600))
		}, []string{"ghx-1-1.json is not as it was saved"}},
		{"a scenario that is not known", func(_ *testing.T, _ *rig, how *verify.RemeasureOptions) {
			how.Scenarios = &scenario.Library{}
		}, []string{"unknown scenario", "--scenarios"}},
		{"rows of another run", func(_ *testing.T, _ *rig, how *verify.RemeasureOptions) {
			how.Runs = []ledger.RunInfo{{RunID: "run-9"}}
		}, []string{"there are no rows of run run-9", "--suite-jsonl"}},
		{"no rows", func(t *testing.T, r *rig, how *verify.RemeasureOptions) {
			how.Source = verify.Source{Files: []string{filepath.Join(r.suite.Dir, "empty.jsonl")}}
			require.NoError(t, os.WriteFile(how.Files[0], nil, 0o600))
		}, []string{"there are no rows in ", "empty.jsonl"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := measurable(t)
			r.run(t.Context(), t)
			how := r.measuring(t)
			c.spoil(t, r, &how)
			_, err := verify.Measure(how)
			require.Error(t, err)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			for _, part := range c.want {
				assert.ErrorContains(t, err, part)
			}
		})
	}
}

func TestARowWithoutATranscriptIsKept(t *testing.T) {
	r := measurable(t)
	was := rowsOf(t, r.run(t.Context(), t).Files)
	require.NoError(t, os.Remove(verify.TranscriptPath(r.suite.TranscriptsFolder(), viewCell, 1)))
	require.NoError(t, os.Remove(verify.TranscriptPath(r.suite.TranscriptsFolder(), threadCell, 1)))
	measured, err := verify.Measure(r.measuring(t))
	require.NoError(t, err)
	assert.Equal(t, []bench.Cell{viewCell}, measured.Without, "the other one's reported attempt has its transcript")
	assert.Equal(t, was, measured.Rows)
}

func TestTranscriptsMayBeKeptElsewhere(t *testing.T) {
	r := measurable(t)
	all := filepath.Join(t.TempDir(), "all")
	r.suite.Transcripts = filepath.Join(all, r.suite.RunID)
	r.keep(r.suite.TranscriptsFolder())
	result := r.run(t.Context(), t)
	assert.NoDirExists(t, filepath.Join(r.suite.Folder(), "transcripts"))
	info, err := ledger.LoadRun(r.suite.Folder())
	require.NoError(t, err)
	assert.Equal(t, r.suite.Transcripts, verify.TranscriptsFolder(r.suite.Folder(), info), "the run's file remembers it")
	_, err = verify.Measure(r.measuring(t))
	require.NoError(t, err)

	for _, folder := range []string{all, r.suite.Transcripts} {
		source, transcripts, err := verify.MeasuredFrom(folder, result.Files)
		require.NoError(t, err)
		measured, err := verify.Measure(verify.RemeasureOptions{
			Source: source, Transcripts: transcripts, Scenarios: shipped(t), Price: func(bench.ModelRef) *bench.Price { return nil },
		})
		require.NoError(t, err)
		assert.Empty(t, measured.Without)
		assert.Len(t, measured.Rows, 18)
	}

	r.suite.Transcripts = ""
	_, err = verify.RunSuite(t.Context(), r.suite, r.deps)
	assert.ErrorContains(t, err, "its folder of transcripts is "+filepath.Join(all, "run-1"), "a run goes on where it began")
}

func TestAFolderOfTranscriptsThatCannotBeMadeIsKnownBeforeAnythingRuns(t *testing.T) {
	r := measurable(t)
	r.suite.Transcripts = "/dev/null/t"
	_, err := verify.RunSuite(t.Context(), r.suite, r.deps)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	assert.ErrorContains(t, err, "/dev/null/t")
	assert.Empty(t, r.provider.Sessions())
}

func TestFoldersThatCannotBeMeasured(t *testing.T) {
	empty := t.TempDir()
	_, _, err := verify.MeasuredFrom(empty, nil)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.ErrorContains(t, err, "--suite-jsonl")
	_, _, err = verify.MeasuredFrom(filepath.Join(empty, "nothing"), nil)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.ErrorContains(t, err, "is not a folder")
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, _, err = verify.MeasuredFrom(file, nil)
	assert.ErrorContains(t, err, "is not a folder")
	odd := t.TempDir()
	require.NoError(t, os.Symlink(ledger.RunFile, filepath.Join(odd, ledger.RunFile)))
	_, _, err = verify.MeasuredFrom(odd, []string{file})
	assert.ErrorContains(t, err, "look for a run in "+odd, "a link to itself can be no run's file")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	require.NoError(t, os.WriteFile(filepath.Join(empty, ledger.RunFile), []byte("{"), 0o600))
	_, _, err = verify.MeasuredFrom(empty, nil)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestR1MeasuredRowsAreALedgerOfTheirOwn(t *testing.T) {
	r := measurable(t)
	before := r.run(t.Context(), t)
	measured, err := verify.Measure(r.measuring(t))
	require.NoError(t, err)
	measured.Rows[0].Extra = map[string]json.RawMessage{"unknown": json.RawMessage(`1`)}

	at := time.Date(2026, 3, 1, 2, 3, 4, 0, time.UTC)
	files, err := measured.Save(r.suite.Folder(), "", at)
	require.NoError(t, err)
	assert.Equal(t, []string{
		filepath.Join(r.suite.Folder(), "2026-03-01T020304.000Z-agent_direct-measured.jsonl"),
		filepath.Join(r.suite.Folder(), "2026-03-01T020304.000Z-ghx-measured.jsonl"),
	}, files)
	assert.ElementsMatch(t, measured.Rows, rowsOf(t, files))
	source, err := verify.SourceOf(r.suite.Folder())
	require.NoError(t, err)
	assert.Equal(t, before.Files, source.Files, "the run's rows are still those of its own ledger")

	named, _, err := verify.MeasuredFrom(r.suite.Folder(), before.Files[:1])
	require.NoError(t, err)
	assert.Equal(t, before.Files[:1], named.Files, "those that are named")

	one := filepath.Join(t.TempDir(), "one.jsonl")
	require.NoError(t, os.WriteFile(one, nil, 0o600)) // as mktemp makes one
	files, err = measured.Save(r.suite.Folder(), one, at)
	require.NoError(t, err)
	assert.Equal(t, []string{one}, files)
	_, err = measured.Save(r.suite.Folder(), one, at)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.ErrorContains(t, err, "name a new file")
	assert.Len(t, rowsOf(t, []string{one}), 18)
	_, err = measured.Save(r.suite.Folder(), "/dev/full", at)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	assert.ErrorContains(t, err, "save measured rows: ")
	_, err = measured.Save(filepath.Join(one, "x"), "", at)
	assert.Error(t, err, "there is no such folder")
	_, err = measured.Save(r.suite.Folder(), filepath.Join(one, "x.jsonl"), at)
	assert.Error(t, err, "neither for a file")
}

// A route is told of ghx alone, also in rows that are older than it.
func TestS4RowsWithoutARouteAreMeasuredAnewWithOne(t *testing.T) {
	r := measurable(t)
	result := r.run(t.Context(), t)
	forge(t, result.Files, func(row map[string]any) { delete(row, "route_ok") })
	measured, err := verify.Measure(r.measuring(t))
	require.NoError(t, err)
	told := map[bench.Mode]bool{}
	for _, row := range measured.Rows {
		if row.ScenarioID == "repo-view-001" && row.Iteration == 1 {
			told[row.Mode] = row.RouteOK != nil
		}
	}
	assert.Equal(t, map[bench.Mode]bool{bench.GHX: true, bench.AgentDirect: false}, told)
}

// Rows that are older than scenarios' hashes go on without.
func TestRowsThatNameNoContentAreMeasuredAnewWithoutOne(t *testing.T) {
	r := measurable(t)
	result := r.run(t.Context(), t)
	forge(t, result.Files, func(row map[string]any) { delete(row, "scenario_hash") })
	measured, err := verify.Measure(r.measuring(t))
	require.NoError(t, err)
	assert.Empty(t, measured.Changed)
	assert.Empty(t, measured.Rows[0].ScenarioHash)
}

// Rows that are older than the list of attempts have one attempt.
func TestRowsWithoutAttemptsAreMeasuredAnew(t *testing.T) {
	r := measurable(t)
	result := r.run(t.Context(), t)
	forge(t, result.Files, func(row map[string]any) {
		if len(row["attempts"].([]any)) == 1 {
			delete(row, "attempts")
		}
	})
	measured, err := verify.Measure(r.measuring(t))
	require.NoError(t, err)
	assert.Empty(t, measured.Rows[0].Attempts)
	assert.Empty(t, measured.Changed)
	how := r.measuring(t)
	how.Files = append(how.Files, filepath.Join(r.suite.Dir, "gone.jsonl"))
	_, err = verify.Measure(how)
	require.ErrorContains(t, err, "gone.jsonl")
}
