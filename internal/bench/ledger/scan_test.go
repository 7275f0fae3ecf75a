package ledger_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// cells returns what Scan visits, in order.
func cells(files ...string) ([]string, ledger.Report, error) {
	var all []string
	report, err := ledger.Scan(files, func(r *bench.Row) error {
		all = append(all, r.Cell().String())
		return nil
	})
	return all, report, err
}

func TestR2RowsOfTheOriginalHarnessLoad(t *testing.T) {
	path := filepath.Join("testdata", "original-ghx-suite.jsonl")
	want, _, err := ledger.Read([]string{path})
	require.NoError(t, err)
	require.Len(t, want, 4)
	i := 0
	report, err := ledger.Scan([]string{path}, func(r *bench.Row) error {
		expected := want[i]
		expected.Extra = nil
		assert.Equal(t, expected, *r)
		i++
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, ledger.Report{Rows: 4}, report)
}

func TestR3UnknownFieldsAreKeptByRead(t *testing.T) {
	path := filepath.Join("testdata", "original-ghx-suite.jsonl")
	rows, _, err := ledger.Read([]string{path})
	require.NoError(t, err)
	assert.Equal(t, "20600", string(rows[0].Extra["latency_ms_agent"]))

	var out bytes.Buffer
	for _, r := range rows {
		out.WriteString(lineOf(t, &r))
	}
	var before, after []map[string]any
	for _, text := range []struct {
		lines string
		to    *[]map[string]any
	}{{content(t, path), &before}, {out.String(), &after}} {
		for line := range strings.Lines(text.lines) {
			var fields map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &fields))
			*text.to = append(*text.to, fields)
		}
	}
	assert.Equal(t, before, after, "what is read is written back")
}

func TestScanVisitsRowsInTheOrderOfTheFiles(t *testing.T) {
	const rows = 3000 // several chunks
	many := writeRows(t, rows)
	more := write(t, filepath.Join(t.TempDir(), "more.jsonl"), lineOf(t, row(bench.GHXBase, 1, 1)))
	got, report, err := cells(many, more)
	require.NoError(t, err)
	assert.Equal(t, rows+1, report.Rows)

	var want []string
	for line := range strings.Lines(content(t, many) + content(t, more)) {
		var r bench.Row
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		want = append(want, r.Cell().String())
	}
	assert.Equal(t, want, got)
}

func TestScanReadsLinesOfAnyLengthUpToTheLimit(t *testing.T) {
	long := func(scenario, size int) string {
		r := row(bench.GHX, scenario, 1)
		r.Error = &bench.RowError{Type: bench.AssertionFailed}
		r.Error.Message = strings.Repeat("x", size-len(lineOf(t, r))+1)
		line := lineOf(t, r)
		require.Len(t, strings.TrimSuffix(line, "\n"), size)
		return line
	}
	t.Run("the longest rows", func(t *testing.T) {
		path := write(t, filepath.Join(t.TempDir(), "rows.jsonl"),
			lineOf(t, row(bench.GHX, 1, 1)), long(2, ledger.MaxLine), lineOf(t, row(bench.GHX, 3, 1)), long(4, 256<<10), long(5, 256<<10-1))
		got, _, err := cells(path)
		require.NoError(t, err)
		assert.Len(t, got, 5)
	})
	t.Run("a longer row is an error", func(t *testing.T) {
		for _, ending := range []string{"", "\n"} {
			line := strings.Replace(long(2, ledger.MaxLine), "xxx", "xxxx", 1)
			path := write(t, filepath.Join(t.TempDir(), "rows.jsonl"), lineOf(t, row(bench.GHX, 1, 1)), strings.TrimSuffix(line, "\n"), ending)
			got, _, err := cells(path)
			require.ErrorContains(t, err, "line 2")
			require.ErrorContains(t, err, "8 MiB")
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.Len(t, got, 1)
		}
	})
	t.Run("a file without lines is not read to its end", func(t *testing.T) {
		zeros := write(t, filepath.Join(t.TempDir(), "rows.jsonl"))
		require.NoError(t, os.Truncate(zeros, 1<<34)) // sparse
		_, _, err := cells(zeros)
		require.ErrorContains(t, err, "line 1")
	})
}

func TestScanNamesWhatIsWrongWithALine(t *testing.T) {
	good := lineOf(t, row(bench.GHX, 1, 1))
	with := func(old, new string) string {
		require.Contains(t, good, old)
		return strings.Replace(good, old, new, 1)
	}
	for _, c := range []struct {
		name, line string
		want       []string
	}{
		{"text", "hello\n", []string{"column 1", "invalid character 'h'"}},
		{"text without a newline", "hello", []string{"column 1"}},
		{"a broken line in the middle", good[:40] + "\n" + good, []string{"unexpected end"}},
		{"another object", `{"name":"x"}` + "\n", []string{"it lacks run_id, mode"}},
		{"a list", "[1]\n", []string{"a JSON array, not an object"}},
		{"null", "null\n", []string{"lacks"}},
		{"no run_id", with(`"run_id"`, `"runid"`), []string{"it lacks run_id;"}},
		{"no success", with(`"success":true`, `"success":null`), []string{"it lacks success;"}},
		{"nothing but a mode", `{"mode":"ghx"}` + "\n", []string{"it lacks run_id, scenario_id, iteration, success, output_valid, latency_ms_wall, tokens, cost, tool_calls, model;"}},
		{"an empty run", with(`"run_id":"`, `"run_id":"","x":"`), []string{"run_id or scenario_id is empty"}},
		{"a text for a truth", with(`"success":true`, `"success":"yes"`), []string{`field "success" must be true or false, not a JSON string`}},
		{"a number for a text", with(`"scenario_id":"`, `"scenario_id":7,"x":"`), []string{`field "scenario_id" must be a string, not a JSON number`}},
		{"a text for an amount", with(`"cost":`, `"cost":"free","x":`), []string{`field "cost" must be a number, not a JSON string`}},
		{"a negative count", with(`"cache_read":`, `"cache_read":1e99,"x":`), []string{`field "tokens.cache_read" must be a whole number, not a JSON number 1e99`}},
		{"just beyond belief", with(`"cost":`, `"cost":1000000000000001,"x":`), []string{"no session takes"}},
		{"an empty scenario", with(`"scenario_id":"pr-checks-rerun-001"`, `"scenario_id":""`), []string{"scenario_id is empty"}},
		{"a mode of another kind", with(`"mode":"ghx"`, `"mode":"g hz"`), []string{`"g hz" is no name of a mode`}},
		{"iteration 0", with(`"iteration":1`, `"iteration":0`), []string{`"iteration" is 0`, "count from 1"}},
		{"a cost beyond belief", with(`"cost":`, `"cost":1e308,"x":`), []string{"1e+308 USD", "no session takes"}},
		{"a time beyond belief", with(`"latency_ms_wall":`, `"latency_ms_wall":2e15,"x":`), []string{"2e+15 ms"}},
		{"a text for a number", with(`"iteration":1`, `"iteration":"one"`), []string{`field "iteration" must be a whole number, not a JSON string`, "column"}},
		{"a fraction for a whole number", with(`"iteration":1`, `"iteration":1.5`), []string{`field "iteration" must be a whole number, not a JSON number 1.5`}},
		{"more than a number can be", with(`"cost":`, `"cost":1e999,"x":`), []string{`field "cost" is 1e999, which is out of range`}},
		{"a list for an object", with(`"tokens":{`, `"tokens":[],"x":{`), []string{`field "tokens" must be an object, not a JSON array`}},
		{"an object for a list", with(`"cost":`, `"attempts":{},"cost":`), []string{`field "attempts" must be an array, not a JSON object`}},
		{"a text for a seed", with(`"cost":`, `"order":{"seed":"x"},"cost":`), []string{`field "order.seed" must be a whole number, not a JSON string`}},
		{"a wrong type within", with(`"cache_read":`, `"cache_read":true,"x":`), []string{`field "tokens.cache_read" must be a whole number, not a JSON bool`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := lineOf(t, row(bench.GHX, 8, 1)) + "\n  \n" + lineOf(t, row(bench.GHX, 9, 1))
			path := write(t, filepath.Join(t.TempDir(), "rows.jsonl"), before, c.line)
			got, _, err := cells(path)
			require.Error(t, err)
			for _, want := range append(c.want, path, "line 5", "mend the line or delete it") {
				assert.ErrorContains(t, err, want)
			}
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.Contains(t, fault.Public(err), "line 5")
			assert.Len(t, got, 2, "the rows before it are visited")
		})
	}
}

func TestScanReportsATornLastLine(t *testing.T) {
	one, two := lineOf(t, row(bench.GHX, 1, 1)), lineOf(t, row(bench.GHX, 1, 2))
	for _, tail := range []string{two[:100], two[:100] + "\n", two[:100] + "\n\n"} {
		dir := t.TempDir()
		first := write(t, filepath.Join(dir, "a.jsonl"), one, tail)
		second := write(t, filepath.Join(dir, "b.jsonl"), two)
		got, report, err := cells(first, second)
		require.NoError(t, err)
		assert.Len(t, got, 2)
		require.Equal(t, []ledger.Torn{{File: first, Line: 2, Bytes: 100}}, report.Torn)
		assert.Contains(t, report.Torn[0].String(), first+" line 2")
	}
	t.Run("a last row that lacks only its newline counts", func(t *testing.T) {
		path := write(t, filepath.Join(t.TempDir(), "a.jsonl"), one, strings.TrimSuffix(two, "\n"))
		got, report, err := cells(path)
		require.NoError(t, err)
		assert.Len(t, got, 2)
		assert.Empty(t, report.Torn)
	})
}

// Only what was written last can have been cut off by a stop.
func TestScanTakesNoLineInTheMiddleForATornOne(t *testing.T) {
	long := row(bench.GHX, 1, 2)
	long.Error = &bench.RowError{Type: bench.AssertionFailed, Message: strings.Repeat("x", 300<<10)}
	path := write(t, filepath.Join(t.TempDir(), "rows.jsonl"), lineOf(t, row(bench.GHX, 1, 1)), "{\"torn\n", lineOf(t, long))
	got, report, err := cells(path)
	require.ErrorContains(t, err, path+" line 2 is not a row")
	assert.Len(t, got, 1)
	assert.Empty(t, report.Torn)
}

func TestScanOfACellThatIsReportedTwice(t *testing.T) {
	dir := t.TempDir()
	one, two, three := lineOf(t, row(bench.GHX, 1, 1)), lineOf(t, row(bench.GHX, 1, 2)), lineOf(t, row(bench.GHX, 1, 3))
	first := write(t, filepath.Join(dir, "a.jsonl"), one, two, two)
	t.Run("equal rows count once", func(t *testing.T) {
		second := write(t, filepath.Join(dir, "b.jsonl"), "\n", strings.TrimSuffix(one, "\n"), " \r\n", three)
		got, report, err := cells(first, second)
		require.NoError(t, err)
		assert.Len(t, got, 3)
		assert.Equal(t, ledger.Report{Rows: 3, Duplicates: 2}, report)
	})
	t.Run("rows that differ are an error", func(t *testing.T) {
		second := write(t, filepath.Join(dir, "c.jsonl"), three, strings.Replace(two, `"success":true`, `"success":false`, 1))
		_, _, err := cells(write(t, filepath.Join(dir, "none.jsonl")), first, second)
		require.ErrorContains(t, err, "cell pr-checks-rerun-001/ghx/2 is reported twice")
		require.ErrorContains(t, err, first+" line 2")
		require.ErrorContains(t, err, second+" line 2")
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
	})
}

func TestScanOfFilesThatCannotBeRead(t *testing.T) {
	for name, file := range map[string]string{
		"a file that is not there": filepath.Join(t.TempDir(), "none.jsonl"),
		"a directory":              t.TempDir(),
	} {
		t.Run(name, func(t *testing.T) {
			good := write(t, filepath.Join(t.TempDir(), "rows.jsonl"), lineOf(t, row(bench.GHX, 1, 1)))
			_, report, err := cells(good, file)
			require.ErrorContains(t, err, file)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.Equal(t, 1, report.Rows)
		})
	}
	_, report, err := cells()
	require.NoError(t, err, "no files have no rows")
	assert.Zero(t, report)
}

func TestScanEndsWithAnErrorOfVisit(t *testing.T) {
	path := writeRows(t, 3000)
	for _, c := range []struct {
		name string
		err  error
		kind fault.Kind
	}{
		{"an invalid row", fault.Invalidf("no such scenario"), fault.Invalid},
		{"a full disk", fault.Infraf("no space"), fault.Infrastructure},
		{"anything else", errors.New("enough"), fault.Internal},
	} {
		t.Run(c.name, func(t *testing.T) {
			visits := 0
			_, err := ledger.Scan([]string{path}, func(*bench.Row) error {
				if visits++; visits == 5 {
					return c.err
				}
				return nil
			})
			require.ErrorIs(t, err, c.err)
			assert.Equal(t, c.kind, fault.KindOf(err))
			assert.ErrorContains(t, err, path+" line 5")
			assert.Equal(t, c.kind == fault.Invalid, strings.HasPrefix(err.Error(), path), "a row that is wrong is named first")
			assert.Equal(t, 5, visits)
		})
	}
}

func TestScanKeepsStringsButNotRows(t *testing.T) {
	path := writeRows(t, 3000)
	var sessions, times []string
	distinct := map[*bench.Row]bool{}
	_, err := ledger.Scan([]string{path}, func(r *bench.Row) error {
		sessions = append(sessions, *r.SessionID)
		times = append(times, r.Timestamp)
		distinct[r] = true
		return nil
	})
	require.NoError(t, err)
	rows, _, err := ledger.Read([]string{path})
	require.NoError(t, err)
	for i := range rows {
		require.Equal(t, *rows[i].SessionID, sessions[i])
		require.Equal(t, rows[i].Timestamp, times[i])
	}
	assert.Less(t, len(distinct), len(rows), "the memory of rows is used again")
}

func TestN1CheckSame(t *testing.T) {
	good := row(bench.GHX, 1, 1)
	good.SeedID, good.ScenarioHash = "seed-1", "abc"
	good.Variation = &bench.Variation{Seed: 5, Number: 1}
	suite := ledger.Identity{
		Variations: bench.Variations{Seed: 5}, Model: good.Model, Tool: good.Git, Base: bench.GitRef{Commit: ref("feed")}, SeedID: "seed-1",
		ScenarioHashes: map[string]string{good.ScenarioID: "abc"}, ModeFiles: map[bench.Mode]bench.ModeFact{"mine": {Hash: "file"}, "own": {Git: bench.GitRef{Commit: ref("c0de")}}},
	}
	suite.Tool.Tree = ref("7ee")
	for _, c := range []struct {
		name   string
		change func(*bench.Row)
		want   []string
	}{
		{"N1: the suite's own row is taken", func(*bench.Row) {}, nil},
		{"N1: another model is refused", func(r *bench.Row) { r.Model.ModelID = "other" }, []string{"model", "\"openai/other\"", "\"openai/gpt-5.3-codex\""}},
		{"N1: another variant of the model is refused", func(r *bench.Row) { r.Model.Mode = ref("high") }, []string{"model", "gpt-5.3-codex/high"}},
		{"N1: another commit is refused", func(r *bench.Row) { r.Git.Commit = ref("beef") }, []string{"git.commit", `"beef"`, *suite.Tool.Commit}},
		{"V7: another commit of the same content is taken", func(r *bench.Row) { r.Git.Commit, r.Git.Tree = ref("beef"), ref("7ee") }, nil},
		{"V7: the same commit with changes is refused", func(r *bench.Row) { r.Git.Tree = ref("7ee2") }, []string{"git.tree", `"7ee2"`, `"7ee"`}},
		{"N1: the base's row has the base's commit", func(r *bench.Row) { r.Mode, r.Git.Commit = bench.GHXBase, ref("feed") }, nil},
		{"N1: the base's row with another commit is refused", func(r *bench.Row) { r.Mode = bench.GHXBase }, []string{"git.commit", `"feed"`}},
		{"N1: content that is not known of the base is not compared", func(r *bench.Row) { r.Mode, r.Git = bench.GHXBase, bench.GitRef{Commit: ref("beef"), Tree: ref("7ee")} }, []string{"git.commit", `"beef"`, `"feed"`}},
		{"N1: the row of another mode has its tooling's commit", func(r *bench.Row) { r.Mode, r.Git.Commit = "own", ref("c0de") }, nil},
		{"N1: the row of another mode with the tool's commit is refused", func(r *bench.Row) { r.Mode = "own" }, []string{"git.commit", `"c0de"`}},
		{"N1: another seed is refused", func(r *bench.Row) { r.SeedID = "seed-2" }, []string{"seed_id", `"seed-2"`, `"seed-1"`}},
		{"N1: other fixtures are refused", func(r *bench.Row) { r.Variation = &bench.Variation{Seed: 6, Number: 1} }, []string{"variation", "1 of seed 6", "1 of seed 5"}},
		{"N1: the fixtures of another iteration are refused", func(r *bench.Row) { r.Variation = &bench.Variation{Seed: 5, Number: 2} }, []string{"variation", "2 of seed 5"}},
		{"N1: another scenario content is refused", func(r *bench.Row) { r.ScenarioHash = "def" }, []string{"scenario_hash", `"def"`, `"abc"`}},
		{"N1: the mode's own file is taken", func(r *bench.Row) { r.Mode, r.ModeHash, r.Git = "mine", "file", bench.GitRef{} }, nil},
		{"N1: another file of the mode is refused", func(r *bench.Row) { r.Mode, r.ModeHash = "mine", "other" }, []string{"mode_hash", `"other"`, `"file"`}},
		{"N1: an old row of a mode does not say its file", func(r *bench.Row) { r.Mode = "mine" }, nil},
		{"N1: a mode that the suite does not know has nothing to differ from", func(r *bench.Row) { r.Mode, r.ModeHash = "theirs", "other" }, nil},
		{"N1: what old rows do not say is not compared", func(r *bench.Row) {
			r.SeedID, r.ScenarioHash, r.Git.Commit, r.Model, r.Variation = "", "", nil, bench.ModelRef{}, nil
		}, nil},
		{"N1: a scenario that the suite does not know has nothing to differ from", func(r *bench.Row) { r.ScenarioID, r.ScenarioHash = "other", "def" }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := *good
			c.change(&r)
			path := write(t, filepath.Join(t.TempDir(), "rows.jsonl"), "\n", lineOf(t, &r))
			done, report, err := ledger.Cells([]string{path}, suite)
			if c.want == nil {
				require.NoError(t, err)
				assert.Equal(t, ledger.Report{Rows: 1}, report)
				assert.Equal(t, map[bench.Cell]bool{r.Cell(): true}, done)
				return
			}
			for _, want := range append(c.want, path+" line 2", r.Cell().String()) {
				assert.ErrorContains(t, err, want)
			}
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
	assert.NoError(t, ledger.CheckSame(ledger.Identity{}, good), "a zero identity compares nothing")
}

func FuzzScan(f *testing.F) {
	one, two := lineOf(f, row(bench.GHX, 1, 1)), lineOf(f, row(bench.MCP, 1, 2))
	f.Add([]byte(one+two), []byte(one))
	f.Add([]byte(one+two[:50]), []byte("\n\n"))
	f.Add([]byte(strings.Replace(one, "true", "false", 1)), []byte(one))
	f.Add([]byte("{}"), []byte("text"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		dir := t.TempDir()
		files := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}
		write(t, files[0], string(a))
		write(t, files[1], string(b))
		got, report, err := cells(files...)
		require.Len(t, got, report.Rows)
		seen := map[string]bool{}
		for _, cell := range got {
			require.False(t, seen[cell], "%s is visited twice", cell)
			seen[cell] = true
		}
		rows, _, wholeErr := ledger.Read(files)
		require.Equal(t, fmt.Sprint(err), fmt.Sprint(wholeErr), "Read takes what Scan takes")
		for i := range rows {
			require.Equal(t, got[i], rows[i].Cell().String())
		}
		if err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err))
		}
	})
}

func TestTheLargestFiguresThatAreBelieved(t *testing.T) {
	r := row(bench.GHX, 1, 1)
	r.Cost, r.LatencyMSWall = 1e15, 1e15
	got, _, err := cells(write(t, filepath.Join(t.TempDir(), "rows.jsonl"), lineOf(t, r)))
	require.NoError(t, err)
	assert.Len(t, got, 1)
}

func TestWhatIsReadIsReported(t *testing.T) {
	rows, report, err := ledger.Read([]string{write(t, filepath.Join(t.TempDir(), "rows.jsonl"), lineOf(t, row(bench.GHX, 1, 1)), "{")})
	require.NoError(t, err)
	assert.Len(t, rows, 1)
	assert.Equal(t, 1, report.Rows)
	assert.Len(t, report.Torn, 1)
}
