package state

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// TracesDir is the folder of traces in that of an experiment.
const TracesDir = "workspace/traces"

const (
	// LatestTraces is the folder, in TracesDir, with the last trace of each task.
	LatestTraces = "latest"
	// BaselineTraces is the one with the first.
	BaselineTraces = "baseline"
)

// SaveTrace puts the files of a task's trace, by their names, into a folder of the
// task below LatestTraces, in place of all that is there, and below BaselineTraces unless
// there is one. dir is TracesDir in the experiment's folder. The error is of kind
// infrastructure.
func SaveTrace(dir, taskID string, files map[string][]byte) error {
	err := replace(filepath.Join(dir, LatestTraces, TraceName(taskID)), files)
	if err == nil {
		first := filepath.Join(dir, BaselineTraces, TraceName(taskID))
		if _, there := os.Lstat(first); errors.Is(there, fs.ErrNotExist) {
			err = replace(first, files)
		}
	}
	if err != nil {
		return fault.Infraf("save trace of task %s: %w", taskID, err)
	}
	return nil
}

// replace makes a folder with these files, in place of an earlier one.
func replace(dir string, files map[string][]byte) (err error) {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, folderPerm); err != nil {
		return err
	}
	work, err := os.MkdirTemp(parent, ".new-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(work))
		}
	}()
	if err := os.Chmod(work, folderPerm); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(work, name), data, filePerm); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(work, dir)
}

var plain = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,119}$`)

// TraceName returns the name of a task's folder: its id where that can be one, else
// what can be of it with a hash of all of it. No two tasks have the same.
func TraceName(taskID string) string {
	if plain.MatchString(taskID) {
		return taskID
	}
	const shown, digits = 100, 12
	name := []byte(taskID)
	for i, c := range name {
		if !plain.Match([]byte{c}) && c != '.' && c != '-' {
			name[i] = '_'
		}
	}
	sum := sha256.Sum256([]byte(taskID))
	// No id that is a name as it is has a =.
	return "_" + string(name[:min(len(name), shown)]) + "=" + hex.EncodeToString(sum[:])[:digits]
}
