package ledger_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// row returns a row of a cell that is the same at every call.
func row(mode bench.Mode, scenario, iteration int) *bench.Row {
	r := madeUp(rand.New(rand.NewPCG(uint64(scenario), uint64(iteration))), mode, scenario, iteration)
	return &r
}

// lineOf returns a row's line, with its newline.
func lineOf(t testing.TB, r *bench.Row) string {
	line, err := json.Marshal(r)
	require.NoError(t, err)
	return string(line) + "\n"
}

func write(t testing.TB, path string, parts ...string) string {
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(parts, "")), 0o644))
	return path
}

func content(t testing.TB, path string) string {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func TestR1FileName(t *testing.T) {
	created := time.Date(2026, 2, 25, 18, 35, 31, 510e6, time.FixedZone("CET", 3600))
	assert.Equal(t, "2026-02-25T173531.510Z-agent_direct-suite.jsonl", ledger.FileName(created, bench.AgentDirect))
	for _, mode := range bench.Modes() {
		name := ledger.FileName(created, mode)
		assert.NotContains(t, name, ":", "artifact stores refuse it")
		assert.NotContains(t, name, "@", "tools take it for a host or a file to read")
	}
}

func TestR1AppendWritesOneLinePerRow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "rows.jsonl")
	w, cut, err := ledger.Open(path)
	require.NoError(t, err)
	assert.Nil(t, cut)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() { assert.NoError(t, w.Append(row(bench.GHX, 1, i+1))) })
	}
	all.Wait()
	require.NoError(t, w.Close())
	require.NoError(t, w.Close())

	rows, _, err := ledger.Read([]string{path})
	require.NoError(t, err)
	require.Len(t, rows, 20)
	for _, r := range rows {
		assert.Equal(t, *row(bench.GHX, 1, r.Iteration), r)
	}
	assert.Error(t, w.Append(row(bench.GHX, 1, 99)), "after Close")
}

func TestOpenCutsATornLastLineOff(t *testing.T) {
	one, two := lineOf(t, row(bench.GHX, 1, 1)), lineOf(t, row(bench.GHX, 1, 2))
	for _, c := range []struct {
		name, before, after string
		cut                 *ledger.Torn
	}{
		{"an empty file stays", "", "", nil},
		{"whole lines stay", one + two, one + two, nil},
		{"a line that breaks off goes", one + two[:100], one, &ledger.Torn{Line: 2, Bytes: 100}},
		{"a line that breaks off goes, though it has a newline", one + two[:100] + "\n", one, &ledger.Torn{Line: 2, Bytes: 100}},
		{"a line that breaks off in a string goes", one + `{"run_id":"a`, one, &ledger.Torn{Line: 2, Bytes: 12}},
		{"the only line goes", one[:50], "", &ledger.Torn{Line: 1, Bytes: 50}},
		{"zeros after a power cut go", one + "\x00\x00\x00\x00", one, &ledger.Torn{Line: 2, Bytes: 4}},
		{"blank lines do not hide it", one + "\n\n" + two[:9] + "\n \n", one + "\n\n", &ledger.Torn{Line: 4, Bytes: 9}},
		{"a row that lacks only its newline is whole", one + strings.TrimSuffix(two, "\n"), one + two, nil},
		{"the longest torn line goes", "{" + strings.Repeat("x", 2*ledger.MaxLine-1), "", &ledger.Torn{Line: 1, Bytes: 2 * ledger.MaxLine}},
		{"a blank first line stays", "\n" + two[:9], "\n", &ledger.Torn{Line: 2, Bytes: 9}},
		{"space before a line stays with it", one + " " + two[:9], one, &ledger.Torn{Line: 2, Bytes: 9}},
		{"space before a whole row does not matter", " " + one, " " + one, nil},
		{"lines are counted over many pieces", strings.Repeat(one, 1000) + "\n" + two[:9], strings.Repeat(one, 1000) + "\n", &ledger.Torn{Line: 1002, Bytes: 9}},
		{"a torn line longer than a piece goes", one + `{"a":"` + strings.Repeat("x", 700<<10), one, &ledger.Torn{Line: 2, Bytes: 700<<10 + 6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, filepath.Join(t.TempDir(), "rows.jsonl"), c.before)
			w, cut, err := ledger.Open(path)
			require.NoError(t, err)
			if c.cut != nil {
				c.cut.File = path
			}
			assert.Equal(t, c.cut, cut)
			assert.Equal(t, c.after, content(t, path))
			next := row(bench.GHX, 7, 7)
			require.NoError(t, w.Append(next))
			require.NoError(t, w.Close())
			assert.Equal(t, c.after+lineOf(t, next), content(t, path))
		})
	}
}

func TestOpenLeavesOtherFilesAlone(t *testing.T) {
	for name, before := range map[string]string{
		"notes":         "# Notes\n\nsome text\n",
		"indented JSON": "{\n  \"a\": 1\n}\n",
		"a list":        "[1,2",
		"a whole list":  "[1,2]",
		"a letter":      "x",
		"a long text":   strings.Repeat("x", 17<<20),
		"a long object": "{" + strings.Repeat("x", 2*ledger.MaxLine),
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, filepath.Join(t.TempDir(), "file"), before)
			_, _, err := ledger.Open(path)
			require.ErrorContains(t, err, path)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.True(t, content(t, path) == before, "the file has changed")
		})
	}
}

func TestOpenRefusesAFileThatAnotherRunWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	first, _, err := ledger.Open(path)
	require.NoError(t, err)
	_, _, err = ledger.Open(path)
	require.ErrorContains(t, err, path)
	require.ErrorContains(t, err, "another run is writing")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))

	require.NoError(t, first.Close())
	again, _, err := ledger.Open(path)
	require.NoError(t, err, "the lock ends with its writer")
	require.NoError(t, again.Close())
}

func TestOpenNamesADirectoryThatCannotBeWritten(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "file"), "text")
	path := filepath.Join(file, "rows.jsonl")
	_, _, err := ledger.Open(path)
	require.ErrorContains(t, err, path)
	require.ErrorContains(t, err, "choose another")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
}

func TestOpenNamesAFolderInThePlaceOfAFile(t *testing.T) {
	dir := t.TempDir()
	_, _, err := ledger.Open(dir)
	require.ErrorContains(t, err, "write ledger "+dir)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
}

func TestAppendRefusesRowsThatCouldNotBeReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	w, _, err := ledger.Open(path)
	require.NoError(t, err)
	defer w.Close()
	noNumber, tooLong := row(bench.GHX, 1, 1), row(bench.GHX, 1, 2)
	noNumber.Cost = math.NaN()
	tooLong.Error = &bench.RowError{Message: strings.Repeat("x", ledger.MaxLine)}
	for _, bad := range []*bench.Row{noNumber, tooLong} {
		require.ErrorContains(t, w.Append(bad), bad.Cell().String())
	}
	assert.Empty(t, content(t, path))
}

func TestSetKeepsAFilePerMode(t *testing.T) {
	dir := t.TempDir()
	created := time.Date(2026, 2, 25, 17, 35, 31, 0, time.UTC)
	s, err := ledger.OpenSet(dir, created)
	require.NoError(t, err)
	assert.Empty(t, s.Files(), "no file before there is a row")
	for _, mode := range []bench.Mode{bench.GHX, bench.AgentDirect, bench.GHX} {
		require.NoError(t, s.Append(row(mode, 1, len(s.Files())+1)))
	}
	direct := filepath.Join(dir, ledger.FileName(created, bench.AgentDirect))
	ghx := filepath.Join(dir, ledger.FileName(created, bench.GHX))
	assert.Equal(t, []string{direct, ghx}, s.Files())
	require.NoError(t, s.Close())
	assert.Equal(t, 2, strings.Count(content(t, ghx), "\n"))

	found, err := ledger.Files(dir)
	require.NoError(t, err)
	assert.Equal(t, []string{direct, ghx}, found)
}

func TestSetOfAResumedRunGoesOnInItsFiles(t *testing.T) {
	dir := t.TempDir()
	created := time.Date(2026, 2, 25, 17, 35, 31, 0, time.UTC)
	first := lineOf(t, row(bench.GHX, 1, 1))
	path := write(t, filepath.Join(dir, ledger.FileName(created, bench.GHX)), first, "{\"torn")
	s, err := ledger.OpenSet(dir, created)
	require.NoError(t, err)
	assert.Equal(t, []ledger.Torn{{File: path, Line: 2, Bytes: 6}}, s.Cut())
	require.NoError(t, s.Append(row(bench.GHX, 1, 2)))

	_, err = ledger.OpenSet(dir, created)
	require.ErrorContains(t, err, "another run is writing", "two processes must not resume one run")
	require.NoError(t, s.Close())
	assert.Equal(t, first+lineOf(t, row(bench.GHX, 1, 2)), content(t, path))
}

func TestSetCanBeOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "all.jsonl")
	s, err := ledger.OpenSingle(path)
	require.NoError(t, err)
	assert.Empty(t, s.Files(), "no file before there is a row")
	for _, mode := range bench.Modes() {
		require.NoError(t, s.Append(row(mode, 1, 1)))
	}
	assert.Equal(t, []string{path}, s.Files())
	require.NoError(t, s.Close())
	assert.Equal(t, len(bench.Modes()), strings.Count(content(t, path), "\n"))
}

func TestRowsThatWereMeasuredAnewHaveFilesOfTheirOwn(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2026, 2, 25, 17, 35, 31, 0, time.UTC)
	s, err := ledger.OpenMeasured(dir, at)
	require.NoError(t, err)
	require.NoError(t, s.Append(row(bench.GHXBase, 1, 1)))
	require.NoError(t, s.Close())
	require.NoError(t, s.Close(), "a second time")
	path := filepath.Join(dir, "2026-02-25T173531.000Z-ghx-base-measured.jsonl")
	assert.Equal(t, []string{path}, s.Files())
	assert.Equal(t, lineOf(t, row(bench.GHXBase, 1, 1)), content(t, path))
	found, err := ledger.Files(dir)
	require.NoError(t, err)
	assert.Empty(t, found, "they are not read as the run's")
	require.Error(t, s.Append(row(bench.GHXBase, 1, 2)), "it is closed")
}

func TestASetOpensNoFilesOfOtherRuns(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2026, 2, 25, 17, 35, 31, 0, time.UTC)
	torn := lineOf(t, row(bench.GHX, 1, 1)) + "{"
	for _, name := range []string{
		ledger.FileName(at.Add(time.Second), bench.GHX), ledger.MeasuredFileName(at, bench.GHX), "2026-02-25T173531.000Z-notes.txt",
	} {
		write(t, filepath.Join(dir, name), torn)
	}
	s, err := ledger.OpenSet(dir, at)
	require.NoError(t, err)
	assert.Empty(t, s.Files())
	require.NoError(t, s.Close())
	file := write(t, filepath.Join(dir, "file"))
	s, err = ledger.OpenSet(file, at)
	require.NoError(t, err)
	require.Error(t, s.Append(row(bench.GHX, 1, 1)), "there is no such folder, and cannot be")
}

func TestASetOfOneFileThatIsThereIsLockedAtOnce(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "all.jsonl"), lineOf(t, row(bench.GHX, 1, 1)))
	s, err := ledger.OpenSingle(path)
	require.NoError(t, err)
	assert.Equal(t, []string{path}, s.Files())
	_, err = ledger.OpenSingle(path)
	require.ErrorContains(t, err, "another run is writing")
	require.NoError(t, s.Close())
}

// The size is where an append that fails is taken back to.
func TestAppendAfterATornLineIsWhole(t *testing.T) {
	one := lineOf(t, row(bench.GHX, 1, 1))
	for _, before := range []string{one, one + "{", strings.TrimSuffix(one, "\n"), one + " \n\n"} {
		path := write(t, filepath.Join(t.TempDir(), "rows.jsonl"), before)
		w, _, err := ledger.Open(path)
		require.NoError(t, err)
		require.NoError(t, w.Append(row(bench.GHX, 1, 2)))
		require.NoError(t, w.Close())
		got, report, err := cells(path)
		require.NoError(t, err)
		assert.Len(t, got, 2)
		assert.Empty(t, report.Torn)
	}
}

func TestTheLongestRowIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	w, _, err := ledger.Open(path)
	require.NoError(t, err)
	defer w.Close()
	r := row(bench.GHX, 1, 1)
	r.Error = &bench.RowError{Type: bench.AssertionFailed}
	r.Error.Message = strings.Repeat("x", ledger.MaxLine-len(lineOf(t, r))+1)
	require.NoError(t, w.Append(r))
	r.Error.Message += "x"
	require.Error(t, w.Append(r))
	assert.Len(t, content(t, path), ledger.MaxLine+1)
}

func FuzzOpen(f *testing.F) {
	one := lineOf(f, row(bench.GHX, 1, 1))
	f.Add([]byte(one + one[:30]))
	f.Add([]byte(one + "\x00\x00\n\n"))
	f.Add([]byte("{}\n{\"a\":1}"))
	f.Add([]byte("text\n"))
	f.Fuzz(func(t *testing.T, before []byte) {
		path := filepath.Join(t.TempDir(), "rows.jsonl")
		write(t, path, string(before))
		w, cut, err := ledger.Open(path)
		if err != nil {
			require.Equal(t, string(before), content(t, path), "a file that is refused is left alone")
			return
		}
		kept := content(t, path)
		if cut == nil {
			require.Equal(t, strings.TrimRight(string(before), "\n"), strings.TrimRight(kept, "\n"))
		} else {
			require.True(t, strings.HasPrefix(string(before), kept))
		}
		require.NoError(t, w.Append(row(bench.GHX, 7, 7)))
		require.NoError(t, w.Close())
		require.Equal(t, kept+lineOf(t, row(bench.GHX, 7, 7)), content(t, path))
	})
}
