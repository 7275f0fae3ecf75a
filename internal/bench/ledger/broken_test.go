package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// disk is a file on a disk with room for so many bytes.
type disk struct {
	bytes.Buffer
	room     int
	syncErr  error
	truncErr error
	closeErr error
}

func (d *disk) Write(b []byte) (int, error) {
	if d.Len()+len(b) > d.room {
		n, _ := d.Buffer.Write(b[:d.room-d.Len()])
		return n, syscall.ENOSPC
	}
	return d.Buffer.Write(b)
}

func (d *disk) Sync() error { return d.syncErr }

func (d *disk) Truncate(size int64) error {
	if d.truncErr == nil {
		d.Buffer.Truncate(int(size))
	}
	return d.truncErr
}

func (d *disk) Close() error { return d.closeErr }

func TestAppendToAFullDiskLeavesEarlierRowsWhole(t *testing.T) {
	d := &disk{room: 1200}
	w := &Writer{path: "rows.jsonl", file: d}
	row := &bench.Row{RunID: "r", Mode: bench.GHX, ScenarioID: "a-001", Iteration: 1}
	var err error
	rows := 0
	for ; err == nil; rows++ {
		err = w.Append(row)
	}
	require.Greater(t, rows, 2)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	assert.ErrorContains(t, err, "rows.jsonl")
	assert.ErrorContains(t, err, "make room on the disk")
	assert.ErrorIs(t, err, syscall.ENOSPC)
	whole := bytes.Count(d.Bytes(), newline)
	assert.Equal(t, rows-1, whole)
	assert.True(t, bytes.HasSuffix(d.Bytes(), newline), "nothing of the last row is left")

	d.room = 1 << 20
	require.NoError(t, w.Append(row), "with room again it goes on")
	assert.Equal(t, whole+1, bytes.Count(d.Bytes(), newline))
}

func TestAppendThatIsNotSyncedIsTakenBack(t *testing.T) {
	d := &disk{room: 1 << 20, syncErr: errors.New("input/output error")}
	w := &Writer{path: "rows.jsonl", file: d}
	err := w.Append(&bench.Row{})
	require.ErrorContains(t, err, "input/output error")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	assert.Zero(t, d.Len())
}

func TestAppendEndsWhereALineCannotBeTakenBack(t *testing.T) {
	d := &disk{room: 10, truncErr: errors.New("read-only file system")}
	w := &Writer{path: "rows.jsonl", file: d}
	require.ErrorContains(t, w.Append(&bench.Row{}), "read-only file system")
	d.room = 1 << 20
	require.Error(t, w.Append(&bench.Row{}), "a row after half a row would be lost too")
	assert.Equal(t, 10, d.Len())
}

// The rows that were there before are not taken back with one that does not fit.
func TestAppendToAFullDiskLeavesTheRowsOfEarlierRunsWhole(t *testing.T) {
	row := &bench.Row{RunID: "r", Mode: bench.GHX, ScenarioID: "a-001", Iteration: 1}
	line, err := json.Marshal(row)
	require.NoError(t, err)
	one := string(line) + "\n"
	for _, before := range []string{"", one, one + one, one + "{\"torn", one + string(line), one + "\n\n"} {
		path := filepath.Join(t.TempDir(), "rows.jsonl")
		require.NoError(t, os.WriteFile(path, []byte(before), 0o600))
		w, _, err := Open(path)
		require.NoError(t, err)
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, w.file.Close())
		d := &disk{room: len(kept) + 10}
		d.Buffer.Write(kept)
		w.file = d
		require.ErrorIs(t, w.Append(row), syscall.ENOSPC)
		assert.Equal(t, string(kept), d.String(), "%q", before)
	}
}

func TestOtherFaultsOfADiskAreToldOtherwise(t *testing.T) {
	d := &disk{room: 1 << 20, syncErr: syscall.EIO}
	require.ErrorContains(t, (&Writer{path: "rows.jsonl", file: d}).Append(&bench.Row{}), "see to the disk")
	d.syncErr = syscall.EDQUOT
	require.ErrorContains(t, (&Writer{path: "rows.jsonl", file: d}).Append(&bench.Row{}), "make room on the disk")
	d.syncErr = nil
	d.closeErr = syscall.EIO
	s := &Set{writers: map[string]*Writer{"rows.jsonl": {path: "rows.jsonl", file: d}}}
	err := s.Close()
	require.ErrorContains(t, err, "close rows.jsonl")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
}

// shortDisk writes less than it is given, and says nothing.
type shortDisk struct{ disk }

func (d *shortDisk) Write(b []byte) (int, error) { return d.disk.Write(b[:len(b)/2]) }

func TestARowThatIsWrittenInPartIsTakenBack(t *testing.T) {
	d := &shortDisk{disk{room: 1 << 20}}
	require.ErrorIs(t, (&Writer{path: "rows.jsonl", file: d}).Append(&bench.Row{}), io.ErrShortWrite)
	assert.Zero(t, d.Len())
}

// A file that is closed stands for one on a disk that has gone.
func TestADiskThatIsGoneIsNoFaultOfTheLedger(t *testing.T) {
	gone := func(t *testing.T) *os.File {
		f, err := os.Create(filepath.Join(t.TempDir(), "rows.jsonl"))
		require.NoError(t, err)
		require.NoError(t, f.Close())
		return f
	}
	// Of a file that may only be read, the torn line stays.
	readOnly := filepath.Join(t.TempDir(), "rows.jsonl")
	require.NoError(t, os.WriteFile(readOnly, []byte("{\"torn"), 0o600))
	f, err := os.Open(readOnly)
	require.NoError(t, err)
	defer f.Close()
	for name, c := range map[string]struct {
		do   func(*os.File) error
		f    *os.File
		says string
	}{
		"the end is looked for": {func(f *os.File) error { _, err := lastLine(f); return err }, gone(t), "read ledger: stat"},
		"lines are counted":     {func(f *os.File) error { _, err := countLines(f); return err }, gone(t), "read ledger: read"},
		"it is locked":          {func(f *os.File) error { return lock(f, refuse) }, gone(t), "lock ledger"},
		"it is begun": {func(f *os.File) error {
			_, err := (&Writer{path: f.Name()}).begin(f, refuse)
			return err
		}, gone(t), "lock ledger"},
		"its folder is gone": {func(f *os.File) error {
			_, err := (&Writer{path: filepath.Join(t.TempDir(), "none", "rows.jsonl")}).begin(f, refuse)
			return err
		}, f, "none/rows.jsonl: open directory: "},
		"a torn line is cut off": {func(f *os.File) error {
			_, err := (&Writer{path: f.Name()}).begin(f, refuse)
			return err
		}, f, "write ledger " + readOnly},
		"a piece is read": {func(*os.File) error {
			var c chunk
			c.reset(0, "rows.jsonl", 1)
			_, err := c.fill(io.MultiReader(bytes.NewReader([]byte("{}\n")), iotest.ErrReader(syscall.EIO)), nil)
			return err
		}, nil, "read ledger: input/output error"},
		"a file of a manifest is read": {func(*os.File) error {
			_, err := sum("/proc/self/mem")
			return fault.Infraf("%w", err)
		}, nil, "input/output error"},
		"a run is saved": {func(*os.File) error { return RunInfo{RunID: "a"}.Save("/proc/self") }, nil, "save run a: open /proc/self/run.json."},
	} {
		err := c.do(c.f)
		require.ErrorContains(t, err, c.says, name)
		assert.Equal(t, fault.Infrastructure, fault.KindOf(err), name)
	}
	kept, err := os.ReadFile(readOnly)
	require.NoError(t, err)
	assert.Equal(t, "{\"torn", string(kept))
}

// A run that cannot be saved leaves nothing behind, and what was there before.
func TestARunThatCannotTakeItsPlaceIsNotLeftBeside(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, RunFile), 0o700))
	err := RunInfo{RunID: "a"}.Save(dir)
	require.ErrorContains(t, err, "save run a: rename")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	assert.True(t, entries[0].IsDir())
	require.ErrorContains(t, RunInfo{RunID: "a", UnrecordedUSD: math.NaN()}.Save(dir), "save run a: json")
}

func TestAnErrorOfAnotherKindIsToldAsItIs(t *testing.T) {
	assert.Equal(t, "unexpected EOF", explain(io.ErrUnexpectedEOF))
}

func TestFilesAreReadByOthers(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	dir := filepath.Join(t.TempDir(), "runs", "a")
	require.NoError(t, RunInfo{RunID: "a"}.Save(dir))
	w, _, err := Open(filepath.Join(dir, "rows", "rows.jsonl"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, WriteManifest(dir, Origin{}, nil))
	for path, perm := range map[string]os.FileMode{"": 0o755, "rows": 0o755, RunFile: 0o644, "rows/rows.jsonl": 0o644, ManifestFile: 0o644} {
		info, err := os.Stat(filepath.Join(dir, path))
		require.NoError(t, err)
		assert.Equal(t, perm, info.Mode().Perm(), path)
	}
}
