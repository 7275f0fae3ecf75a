package benchcli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/platform"
)

// leastRoom is how much of a disk must be free before agents with a model begin, in
// bytes: a long session leaves some megabytes.
const leastRoom = 32 << 20

// checkRoom finds out whether what the run writes has room, where agents work and
// where its files go. The error is of kind infrastructure.
func (f *suiteFlags) checkRoom() error {
	for _, path := range append(f.outputs(), os.TempDir()) {
		if path == "" {
			continue
		}
		left, err := roomAt(path)
		if err != nil {
			return fault.Infraf("see how much room is left for %s: %w", path, err)
		}
		if left < leastRoom {
			return fault.Infraf("the disk of %s has only %d kB left, and a run takes %d MB or more: make room, or name folders elsewhere with --output-dir and TMPDIR",
				path, left>>10, leastRoom>>20)
		}
	}
	return nil
}

// roomAt returns the free bytes of the disk on which a file is, or is to be.
func roomAt(path string) (uint64, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return 0, err
	}
	for {
		free, err := platform.Free(path)
		if errors.Is(err, fs.ErrNotExist) && path != filepath.Dir(path) {
			path = filepath.Dir(path)
			continue
		}
		return free, err
	}
}
