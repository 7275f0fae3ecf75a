// Package state keeps what a run leaves on disk: files that are whole or not
// there, folders that are known to be ours, locks between processes, and traces
// of what agents did.
package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/platform"
)

const (
	folderPerm = 0o755
	filePerm   = 0o644
)

// Write writes a file, and the folders that it is in, such that at any time a
// reader sees either the old content or the new one, also after a crash. The
// error is of kind infrastructure.
func Write(path string, data []byte) error {
	if err := write(path, data); err != nil {
		return fault.Infraf("write %s: %w", path, err)
	}
	return nil
}

func write(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, folderPerm); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, err = file.Write(data)
	if err = errors.Join(err, file.Chmod(filePerm), file.Sync(), file.Close()); err != nil {
		return err
	}
	if err = os.Rename(file.Name(), path); err != nil {
		return err
	}
	return syncFolder(dir)
}

// syncFolder has the names in a folder survive a crash.
func syncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}

// WriteJSON is [Write] for a value, indented by two spaces.
func WriteJSON(path string, value any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(value); err != nil {
		return fault.Internalf("write %s: %w", path, err)
	}
	return Write(path, text.Bytes())
}

// ReadJSON reads a file into the value that v points to. found is false if
// there is no such file; the error is of kind invalid, and names the place, if
// it is no JSON of that kind.
func ReadJSON(path string, v any) (found bool, err error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, syscall.EISDIR):
		return false, IsFolder(path)
	case err != nil:
		return false, fault.Infraf("%w", err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return true, fault.Invalidf("%s is not what it should be: %w; mend it, or remove it", place(path, data, err), err)
	}
	return true, nil
}

// IsFolder is the error of a folder that is where a file has to be.
func IsFolder(path string) error {
	return fault.Invalidf("%s is a folder, and has to be a file: move it away", path)
}

// place returns the file and, where the error tells it, the line.
func place(path string, data []byte, err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset := int64(-1)
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	if offset < 0 || offset > int64(len(data)) {
		return path
	}
	return fmt.Sprintf("%s:%d", path, 1+bytes.Count(data[:offset], []byte("\n")))
}

// markFile is in every folder that we made.
const markFile = ".bench-harness"

// Make makes a folder, which must not be there, and marks it as ours, of a
// kind. Its parents are made too, and not marked. The error is of kind
// infrastructure.
func Make(dir, kind string) error {
	if err := makeFolder(dir); err != nil {
		return err
	}
	return Write(filepath.Join(dir, markFile), []byte(kind+"\n"))
}

func makeFolder(dir string) error {
	err := os.MkdirAll(filepath.Dir(dir), folderPerm)
	if err == nil {
		err = os.Mkdir(dir, folderPerm)
	}
	if err != nil {
		return fault.Infraf("make folder: %w", err)
	}
	return nil
}

// lockFile is in folders that are in use, or were.
const lockFile = ".bench-harness.lock"

// Begin is [Make] for a folder that is in use, which [Prune] leaves alone,
// until the returned function is called or our process ends.
func Begin(dir, kind string) (end func(), err error) {
	if err := makeFolder(dir); err != nil {
		return nil, err
	}
	// A folder without a mark is nobody's to prune: the lock comes first.
	end, err = Lock(filepath.Join(dir, lockFile), kind)
	if err != nil {
		return nil, err
	}
	if err := Write(filepath.Join(dir, markFile), []byte(kind+"\n")); err != nil {
		end()
		return nil, err
	}
	return end, nil
}

// Ours reports whether dir is a folder that [Make] or [Begin] made, of this
// kind.
func Ours(dir, kind string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	mark, err := os.ReadFile(filepath.Join(dir, markFile))
	return err == nil && strings.TrimSpace(string(mark)) == kind
}

// Prune removes those folders directly below parent that are [Ours], of this
// kind, and not in use, but for the names to keep. A parent that is not there
// has none.
func Prune(parent, kind string, keep ...string) error {
	entries, err := os.ReadDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.Infraf("prune %s: %w", parent, err)
	}
	var failed error
	for _, e := range entries {
		dir := filepath.Join(parent, e.Name())
		if slices.Contains(keep, e.Name()) || !Ours(dir, kind) {
			continue
		}
		failed = errors.Join(failed, remove(dir))
	}
	if failed != nil {
		return fault.Infraf("prune %s: %w", parent, failed)
	}
	return nil
}

// remove removes a folder unless it is in use.
func remove(dir string) error {
	release, err := Lock(filepath.Join(dir, lockFile), "pruning")
	if fault.KindOf(err) == fault.Invalid {
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	return os.RemoveAll(dir)
}

// Lock takes a lock that one process on this machine can have at a time, on a
// file that is made if it is not there. It does not wait: that somebody else
// has it is an error of kind invalid, with what they wrote about themselves.
// who is written for those who come after. The lock is released when the
// returned function is called, or our process ends.
func Lock(path, who string) (release func(), err error) {
	err = os.MkdirAll(filepath.Dir(path), folderPerm)
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return nil, fault.Invalidf("%s is no folder, and has to be one: move it away", filepath.Dir(path))
	case err != nil:
		return nil, fault.Infraf("lock %s: %w", path, err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, filePerm)
	if err != nil {
		return nil, fault.Infraf("lock %s: %w", path, err)
	}
	err = platform.Lock(file, false)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		const shown = 200
		other, _ := io.ReadAll(io.LimitReader(file, shown))
		return nil, errors.Join(fault.Invalidf("%s is in use by %s: wait until it has ended", path, strings.TrimSpace(string(other))), file.Close())
	}
	if err == nil {
		err = errors.Join(file.Truncate(0), writeAt(file, who))
	}
	if err != nil {
		return nil, errors.Join(fault.Infraf("lock %s: %w", path, err), file.Close())
	}
	// Closing the file releases the lock; it held nothing else.
	return func() { _ = file.Close() }, nil
}

func writeAt(file *os.File, text string) error {
	_, err := file.WriteAt([]byte(text+"\n"), 0)
	return err
}

// Exists reports whether there is a file. The error is of kind infrastructure.
func Exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	default:
		return false, fault.Infraf("look for %s: %w", path, err)
	}
}
