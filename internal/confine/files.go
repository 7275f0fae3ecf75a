package confine

import (
	"errors"
	"io/fs"
	"os"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// EachFile hands over the files of a folder within another one, which are wanted and no
// larger than most, in bytes, but not those of folders in it, nor what is no file of its
// own, as a link: the outer folder was an agent's too, of which nothing runs any more.
// One that is not there, or to which a link leads out, has no files. An error is of kind
// infrastructure.
func EachFile(outer, folder string, most int64, wanted func(name string) bool, take func(name string, text []byte) error) error {
	within, err := os.OpenRoot(outer)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Infraf("keep what an agent left: %w", err)
	}
	defer within.Close()
	if info, err := within.Stat(folder); err != nil || !info.IsDir() {
		return nil //nolint:nilerr // there is nothing of the gate's
	}
	root, err := within.OpenRoot(folder)
	if err != nil {
		return fault.Infraf("keep what an agent left: %w", err)
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	for _, entry := range entries {
		info, infoErr := entry.Info()
		if err != nil || infoErr != nil || !info.Mode().IsRegular() || info.Size() > most || !wanted(entry.Name()) {
			continue
		}
		var text []byte
		if text, err = root.ReadFile(entry.Name()); err == nil {
			err = take(entry.Name(), text)
		}
	}
	if err != nil {
		return fault.Infraf("keep what an agent left: %w", err)
	}
	return nil
}
