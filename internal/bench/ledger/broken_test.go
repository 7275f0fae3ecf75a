package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

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
