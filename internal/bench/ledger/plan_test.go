package ledger_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// planned returns a run of one scenario in one mode.
func planned(id string, created time.Time, repetitions int) ledger.RunInfo {
	info := ledger.RunInfo{
		SchemaVersion: ledger.RunSchemaVersion, RunID: id, CreatedAt: created,
		Modes: []bench.Mode{bench.GHX}, Repetitions: repetitions, ScenarioSet: "default",
		Scenarios: []ledger.ScenarioRef{{ID: "pr-view-001", Hash: "abc"}},
		OrderKind: "interleaved", OrderSeed: 1<<64 - 1, Shard: &bench.Shard{Index: 1, Count: 2},
		Provider: "opencode", Model: bench.ModelRef{ProviderID: "acme", ModelID: "model-1", Mode: ref("high")},
		Profile: bench.VerifyPR, SeedID: "seed-1", Git: bench.GitRef{Commit: ref("beef")},
	}
	for i := range repetitions {
		info.Cells = append(info.Cells, bench.Cell{ScenarioID: "pr-view-001", Mode: bench.GHX, Iteration: i + 1})
	}
	info.AllCells = info.Cells
	return info
}

var created = time.Date(2026, 2, 25, 17, 35, 31, 510e6, time.UTC)

func TestARunIsLoadedAsItWasSaved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs", "a")
	info := planned("a", created, 3)
	require.NoError(t, info.Save(dir))
	info.Stops = []ledger.Stop{{Reason: bench.MissingBudget, At: created.Add(time.Hour), Cells: info.Cells[2:]}}
	info.SchemaVersion = 0 // of a run that nobody has loaded
	require.NoError(t, info.Save(dir), "a second time, over the first")
	info.SchemaVersion = 1
	got, err := ledger.LoadRun(dir)
	require.NoError(t, err)
	assert.Equal(t, info, got)

	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1, "no other file is left behind")
}

func TestN1TheIdentityOfARun(t *testing.T) {
	info := planned("a", created, 1)
	info.BaseCommit, info.BaseTree, info.Git.Repo = ref("feed"), ref("7ee"), ref("o/r")
	info.ModeFiles = map[bench.Mode]bench.ModeFact{"mine": {Hash: "file"}}
	want := ledger.Identity{
		Model: info.Model, Tool: bench.GitRef{Repo: ref("o/r"), Commit: ref("beef")}, Base: bench.GitRef{Repo: ref("o/r"), Commit: ref("feed"), Tree: ref("7ee")}, SeedID: "seed-1",
		ScenarioHashes: map[string]string{"pr-view-001": "abc"}, ModeFiles: info.ModeFiles,
	}
	assert.Equal(t, want, info.Identity())
	info.Variations = &bench.Variations{Seed: 5}
	want.Variations.Seed = 5
	assert.Equal(t, want, info.Identity())
}

func TestARunThatCannotBeSavedOrLoaded(t *testing.T) {
	dir := t.TempDir()
	file := write(t, filepath.Join(dir, "file"), "text")
	err := planned("a", created, 1).Save(file)
	require.ErrorContains(t, err, file)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))

	for name, c := range map[string]struct{ json, want string }{
		"broken JSON":    {`{"run_id":`, "unexpected end"},
		"a newer schema": {`{"schema_version":2}`, "newer version"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, ledger.RunFile), c.json)
			_, err := ledger.LoadRun(dir)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, dir)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
	_, err = ledger.LoadRun(dir)
	require.ErrorContains(t, err, "not the directory of a run")
}

func TestR1NewestRun(t *testing.T) {
	base := t.TempDir()
	_, err := ledger.NewestRun(filepath.Join(base, "none"))
	require.ErrorContains(t, err, "there is no run in")
	_, err = ledger.NewestRun(base)
	require.ErrorContains(t, err, "there is no run in")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))

	for id, after := range map[string]time.Duration{"z": 0, "m": 2 * time.Hour, "a": time.Hour} {
		require.NoError(t, planned(id, created.Add(after), 1).Save(filepath.Join(base, id)))
	}
	write(t, filepath.Join(base, "history.jsonl"), "{}\n")
	require.NoError(t, os.Mkdir(filepath.Join(base, "zz-not-a-run"), 0o755))
	got, err := ledger.NewestRun(base)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(base, "m"), got)

	write(t, filepath.Join(base, "broken", ledger.RunFile), "{")
	_, err = ledger.NewestRun(base)
	require.ErrorContains(t, err, "broken", "an older run must not pass for the newest")
}

func TestR9MissingCellsAreListedByReason(t *testing.T) {
	info := planned("a", created, 6)
	c := info.Cells
	info.Stops = []ledger.Stop{
		{Reason: bench.MissingStopped, Cells: []bench.Cell{c[1], c[2], c[3]}},
		{Reason: bench.MissingBudget, Cells: []bench.Cell{c[2], c[4]}},
	}
	done := map[bench.Cell]bool{c[0]: true, c[1]: true}
	assert.Equal(t, []bench.MissingCells{
		{Reason: bench.MissingStopped, Cells: []bench.Cell{c[3]}},
		{Reason: bench.MissingBudget, Cells: []bench.Cell{c[2], c[4]}},
		{Reason: bench.MissingNeverRan, Cells: []bench.Cell{c[5]}},
	}, ledger.Missing(info, done), "what was done since does not count, and the last stop does")

	for _, cell := range c {
		done[cell] = true
	}
	assert.Empty(t, ledger.Missing(info, done))
}

func TestFilesOfADirectoryThatIsNotThere(t *testing.T) {
	_, err := ledger.Files(filepath.Join(t.TempDir(), "none"))
	require.ErrorContains(t, err, "none")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestR1History(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".bench", ledger.HistoryFile)
	entries, warnings, err := ledger.ReadHistory(path)
	require.NoError(t, err, "no history is an empty one")
	assert.Empty(t, entries)
	assert.Empty(t, warnings)

	first := bench.HistoryEntry{
		Timestamp: "2026-01-01T00:00:00.000Z", Commit: ref("beef"), Profile: bench.VerifyPR, GatePassed: true,
		Modes: map[bench.Mode]bench.ModeSummary{bench.GHX: {Mode: bench.GHX, Runs: 5, SuccessRate: 80}},
	}
	second := first
	second.Timestamp, second.CostUSD = "2026-01-02T00:00:00.000Z", 1.5
	require.NoError(t, ledger.AppendHistory(path, first))
	write(t, path, content(t, path), "not an entry\n{\"profile\":7}\n\n{\"timestamp\":\"2026-01-0")
	require.NoError(t, ledger.AppendHistory(path, second))

	entries, warnings, err = ledger.ReadHistory(path)
	require.NoError(t, err)
	first.SchemaVersion, second.SchemaVersion = bench.HistorySchemaVersion, bench.HistorySchemaVersion
	assert.Equal(t, []bench.HistoryEntry{first, second}, entries)
	require.Len(t, warnings, 2)
	assert.Contains(t, warnings[0], path+" line 2 is not counted: column 2")
	assert.Contains(t, warnings[1], `line 3 is not counted: column`)

	_, _, err = ledger.ReadHistory(t.TempDir())
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err), "a directory is no history")
}

func TestAHistoryOfANewerVersionIsToldInOneSentence(t *testing.T) {
	path := filepath.Join(t.TempDir(), ledger.HistoryFile)
	// The original's and older entries state no version; a newer one may have
	// another shape.
	write(t, path, `{"timestamp":"2026-01-01T00:00:00.000Z"}
{"schema_version":2,"modes":["ghx"]}
{"schema_version":3,"timestamp":"2026-01-02T00:00:00.000Z"}
{"schema_version":1,"timestamp":"2026-01-03T00:00:00.000Z"}
`)
	entries, warnings, err := ledger.ReadHistory(path)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	assert.Equal(t, "2026-01-01T00:00:00.000Z", entries[0].Timestamp)
	assert.Equal(t, "2026-01-03T00:00:00.000Z", entries[1].Timestamp)
	assert.Equal(t, []string{"history " + path + ": 2 of its runs are not counted, since a newer version of this program wrote them (schema 3, known are up to 1)"}, warnings)
}

func TestOneRunOfANewerVersionIsTold(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), ledger.HistoryFile), `{"schema_version":2}`)
	entries, warnings, err := ledger.ReadHistory(path)
	require.NoError(t, err)
	assert.Empty(t, entries)
	require.Len(t, warnings, 1)
	assert.Contains(t, warnings[0], "1 of its runs are not counted")
}

func TestWhatWasFixedBeforeTheFirstSession(t *testing.T) {
	info := planned("a", created, 3)
	info.FirstLook, info.Margins, info.Lost, info.Altered = 2, &bench.Margins{CostRatio: 1.2}, 1, "pr-view-001/ghx/2"
	info.Judged = &ledger.Judged{Verdict: bench.VerdictFail}
	assert.Equal(t, ledger.Begun{
		RunID: "a", Repetitions: 3, FirstLook: 2, Margins: info.Margins, At: created, Lost: 1, Altered: "pr-view-001/ghx/2", Judged: info.Judged,
	}, info.Begun())
}

// Whoever takes rows of a run away, before it goes on, chooses what is judged.
func TestCellsThatMustHaveHadARowAreCounted(t *testing.T) {
	stopped := []ledger.Stop{{Reason: bench.MissingBudget}}
	judged := &ledger.Judged{Verdict: bench.VerdictFail}
	for _, c := range []struct {
		name        string
		done, known []int // iterations with a row, and with a sum
		concurrency int
		stops       []ledger.Stop
		judged      *ledger.Judged
		want        int
	}{
		{name: "nothing was begun", want: 0},
		{name: "the first two are done", done: []int{1, 2}, want: 0},
		{name: "one was under way", done: []int{1, 3}, want: 0},
		{name: "of two in between, one was under way", done: []int{1, 4}, want: 1},
		{name: "two were under way", done: []int{1, 4}, concurrency: 2, want: 0},
		{name: "gaps add up", done: []int{2, 4, 6}, want: 2},
		{name: "after the end nothing was under way", done: []int{1, 3}, judged: judged, want: 1},
		{name: "after the end of a run that was stopped one may have been", done: []int{1, 3}, judged: judged, stops: stopped, want: 0},
		{name: "a sum tells of a row", done: []int{1}, known: []int{1, 2}, want: 1},
		{name: "two sums do", done: []int{1}, known: []int{2, 3}, want: 2},
		{name: "a row in the middle with its sum", done: []int{1, 3}, known: []int{1, 2, 3}, want: 1},
		{name: "nothing is there of what was there", known: []int{1, 2, 3, 4, 5, 6}, want: 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			info := planned("a", created, 6)
			info.Concurrency, info.Stops, info.Judged, info.Sums = c.concurrency, c.stops, c.judged, ledger.Sums{}
			for _, i := range c.known {
				info.Sums.Keep(info.Cells[i-1], ledger.Sum{byte(i)})
			}
			done := map[bench.Cell]bool{}
			for _, i := range c.done {
				done[info.Cells[i-1]] = true
			}
			assert.Equal(t, c.want, info.CountLost(done))
		})
	}
}

func TestLedgersAreFoundInAFolderAndBelow(t *testing.T) {
	dir := t.TempDir()
	one := write(t, filepath.Join(dir, "a", ledger.FileName(created, bench.GHX)))
	two := write(t, filepath.Join(dir, "b", "c", ledger.FileName(created, bench.MCP)))
	other := write(t, filepath.Join(dir, "a", "notes.txt"))
	write(t, filepath.Join(dir, "d", ledger.FileName(created, bench.GHX), "in a folder of that name"))
	require.NoError(t, os.Symlink(one, filepath.Join(dir, "e-suite.jsonl")))
	found, err := ledger.FilesBelow(dir)
	require.NoError(t, err)
	assert.Equal(t, []string{one, two}, found)
	found, err = ledger.FilesBelow(other)
	require.NoError(t, err)
	assert.Equal(t, []string{other}, found, "a file that is named, whatever its name")
	_, err = ledger.FilesBelow(filepath.Join(dir, "none"))
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	found, err = ledger.Files(filepath.Join(dir, "d"))
	require.NoError(t, err)
	assert.Empty(t, found, "a folder is no ledger")
}

func TestWhatCannotBeReadIsInvalid(t *testing.T) {
	dir := t.TempDir()
	none := write(t, filepath.Join(dir, "none"))
	for says, err := range map[string]error{
		"name a folder of runs that can be read": func() error {
			require.NoError(t, os.Mkdir(filepath.Join(dir, ledger.RunFile), 0o755))
			_, err := ledger.LoadRun(dir)
			return err
		}(),
		"or is longer than 1 MiB": func() error {
			require.NoError(t, os.Mkdir(filepath.Join(dir, ledger.ManifestFile), 0o755))
			_, err := ledger.ReadManifest(dir)
			return err
		}(),
		"read " + none: func() error {
			_, err := ledger.ReadManifest(none)
			return err
		}(),
		"list the ledgers of a run": ledger.Manifest{Origin: ledger.Origin{Attempt: 1}}.Check(filepath.Join(dir, "nowhere"), ledger.Origin{Attempt: 1}, nil),
		"open ledger": func() error {
			_, err := ledger.Scan([]string{filepath.Join(none, "rows.jsonl")}, func(*bench.Row) error { return nil })
			return err
		}(),
		"there is no ledger": func() error {
			_, err := ledger.Scan([]string{filepath.Join(dir, "nowhere")}, func(*bench.Row) error { return nil })
			return err
		}(),
		"find the newest run": func() error {
			_, err := ledger.NewestRun(write(t, filepath.Join(dir, "file")))
			return err
		}(),
		"its last line is longer than a row can be": func() error {
			file := write(t, filepath.Join(dir, "rows.jsonl"))
			require.NoError(t, os.Truncate(file, 3*ledger.MaxLine))
			_, _, err := ledger.Open(file)
			return err
		}(),
	} {
		require.ErrorContains(t, err, says)
		assert.Equal(t, fault.Invalid, fault.KindOf(err), says)
	}
	err := ledger.AppendHistory(filepath.Join(dir, "file", ledger.HistoryFile), bench.HistoryEntry{})
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	assert.ErrorContains(t, err, "append to the history")
	require.Error(t, ledger.AppendHistory(filepath.Join(dir, ledger.HistoryFile), bench.HistoryEntry{CostUSD: math.NaN()}))
}
