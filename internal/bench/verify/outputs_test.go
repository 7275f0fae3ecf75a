package verify_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// openBelow returns which files below a folder this process has open.
func openBelow(t *testing.T, folder string) (files []string) {
	t.Helper()
	for _, link := range opened(t) {
		if strings.HasPrefix(link, folder) {
			files = append(files, link)
		}
	}
	return files
}

// A program that writes reports again and again, as bench view does, keeps no files
// open and none on the disk.
func TestAReportLeavesNothingBehind(t *testing.T) {
	source := newRig(t).source(t)
	folder, temporary := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	file := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	broken := filepath.Join(folder, "broken.jsonl")
	require.NoError(t, os.WriteFile(broken, []byte("not a row\n{}\n"), 0o600))
	for name, c := range map[string]struct {
		alter func(how *verify.JudgeOptions, source *verify.Source)
		kind  fault.Kind
	}{
		"one page":               {func(how *verify.JudgeOptions, _ *verify.Source) { how.Outputs.OnePage = true }, 0},
		"a folder":               {func(how *verify.JudgeOptions, _ *verify.Source) { how.Outputs.HTML = filepath.Join(folder, "page") }, 0},
		"an output that is none": {func(how *verify.JudgeOptions, _ *verify.Source) { how.Outputs.HTML = filepath.Join(file, "page") }, fault.Infrastructure},
		"rows after which it breaks off": {func(_ *verify.JudgeOptions, s *verify.Source) {
			s.Files = append(s.Files[:len(s.Files):len(s.Files)], broken)
		}, fault.Invalid},
		"rows that nobody asked for": {func(how *verify.JudgeOptions, _ *verify.Source) { how.Asked = &verify.Asked{Provider: "other"} }, fault.Invalid},
		"a model that is none":       {func(how *verify.JudgeOptions, _ *verify.Source) { how.Model = "nonsense" }, fault.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			how, from := judging(), source
			how.Outputs = verify.OutputsIn(folder)
			c.alter(&how, &from)
			_, err := verify.Report(from, how)
			if c.kind == 0 {
				require.NoError(t, err)
			} else {
				require.Equal(t, c.kind, fault.KindOf(err))
			}
			assert.Empty(t, openBelow(t, folder))
			left, err := os.ReadDir(temporary)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}

func TestEveryRowIsInEveryOutput(t *testing.T) {
	source := newRig(t).source(t)
	how := judging()
	how.Outputs = verify.OutputsIn(t.TempDir())
	_, err := verify.Report(source, how)
	require.NoError(t, err)
	for path, c := range map[string]struct {
		each  string
		times int
	}{
		how.Outputs.CSV: {"\n", 9}, how.Outputs.JUnit: {"<testcase ", 8}, how.Outputs.HTML: {`"mode":"ghx"`, 0},
	} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		if c.times > 0 {
			assert.GreaterOrEqual(t, strings.Count(string(text), c.each), c.times, path)
		}
	}
	page, err := os.ReadFile(how.Outputs.HTML)
	require.NoError(t, err)
	assert.Contains(t, string(page), `id="piece-index"`, "attempts can be looked at")
}

// A disk that is full is what is told, and not what would have come after it.
func TestAFullDiskEndsAReportAtOnce(t *testing.T) {
	rows, file := rowsOf(t, newRig(t).run(t.Context(), t).Files), filepath.Join(t.TempDir(), "rows.jsonl")
	set, err := ledger.OpenSingle(file)
	require.NoError(t, err)
	for i := range 100 {
		row := rows[0]
		row.Iteration = i + 1
		require.NoError(t, set.Append(&row))
	}
	require.NoError(t, set.Close())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(text, "not a row\n{}\n"...), 0o600))
	how := judging()
	how.Outputs.CSV = "/dev/full"
	_, err = verify.Report(verify.Source{Files: []string{file}}, how)
	require.ErrorContains(t, err, "/dev/full")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
}

func TestTheReportOfARunThatGoesOnAsksHowItGoes(t *testing.T) {
	source := newRig(t).source(t)
	for _, live := range []bool{false, true} {
		how := judging()
		how.Outputs = verify.Outputs{HTML: filepath.Join(t.TempDir(), "report"), Live: live}
		_, err := verify.Report(source, how)
		require.NoError(t, err)
		page, err := os.ReadFile(how.Outputs.Page())
		require.NoError(t, err)
		assert.Equal(t, live, strings.Contains(string(page), "data-live"))
	}
}

// The draws are those of a seed: another one has other intervals.
func TestG17TheFiguresOfAReportAreThoseOfItsSeed(t *testing.T) {
	r := newRig(t)
	r.suite.Repetitions = 6
	source := r.source(t)
	of := func(seed uint64) bench.Summary {
		t.Helper()
		how := judging()
		how.Seed = seed
		reported, err := verify.Report(source, how)
		require.NoError(t, err)
		return reported.Summary
	}
	assert.Equal(t, of(1), of(1))
	assert.NotEqual(t, of(1), of(2))
}

// Notes are read beside an error, too.
func TestATornLineIsToldWhereARowsFiguresCannotBe(t *testing.T) {
	r := newRig(t)
	source := r.source(t)
	tear(t, source.Files[0])
	how := judging()
	how.Model = "nonsense"
	reported, err := verify.Report(source, how)
	require.Error(t, err)
	assert.Len(t, reported.Notes, 1)

	how = judging()
	how.Profile, how.Baseline = bench.ProfileRegression, bench.MCP
	reported, err = verify.Report(verify.Source{Files: source.Files, Runs: source.Runs}, how)
	require.NoError(t, err)
	assert.Len(t, reported.Notes, 1)
}
