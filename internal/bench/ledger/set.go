package ledger

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Set is the ledger of a run: a file per mode in a directory, or one file for
// all modes. It is safe for concurrent use.
type Set struct {
	// path returns the file for a mode's rows.
	path func(bench.Mode) string

	mu      sync.Mutex
	writers map[string]*Writer
	cut     []Torn
}

// OpenSet opens the ledger of a run that was created at that time, with a file
// per mode in dir. Files that are there already, because the run is resumed,
// are opened and locked at once, see [Open]; the others are created with their
// first row.
func OpenSet(dir string, created time.Time) (*Set, error) {
	return openSet(func(mode bench.Mode) string { return filepath.Join(dir, FileName(created, mode)) }, filesOf(dir, created, fileSuffix))
}

// OpenMeasured is [OpenSet] for rows that were measured anew at that time.
func OpenMeasured(dir string, at time.Time) (*Set, error) {
	return openSet(func(mode bench.Mode) string { return filepath.Join(dir, MeasuredFileName(at, mode)) }, filesOf(dir, at, measuredSuffix))
}

// OpenSingle is [OpenSet] with one file for all modes.
func OpenSingle(file string) (*Set, error) {
	var there []string
	if _, err := os.Stat(file); err == nil {
		there = []string{file}
	}
	return openSet(func(bench.Mode) string { return file }, there)
}

// filesOf returns the files that are there, whatever their mode, of a run that
// began at that time.
func filesOf(dir string, began time.Time, suffix string) (files []string) {
	// Without a folder there are none.
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), began.UTC().Format(fileTime)+"-") && strings.HasSuffix(entry.Name(), suffix) {
			files = append(files, filepath.Join(dir, entry.Name()))
		}
	}
	return files
}

// openSet opens the files that are there; the others are created when they are
// needed.
func openSet(path func(bench.Mode) string, there []string) (*Set, error) {
	s := &Set{path: path, writers: map[string]*Writer{}}
	for _, file := range there {
		if _, err := s.writer(file); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// Append writes a row to the file of its mode. See [Writer.Append].
func (s *Set) Append(row *bench.Row) error {
	_, err := s.AppendAll(row.Mode, []*bench.Row{row})
	return err
}

// AppendAll is Append for rows of one mode; see [Writer.AppendAll].
func (s *Set) AppendAll(mode bench.Mode, rows []*bench.Row) ([]Sum, error) {
	w, err := s.writer(s.path(mode))
	if err != nil {
		return nil, err
	}
	return w.AppendAll(rows)
}

func (s *Set) writer(path string) (*Writer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.writers[path]; w != nil {
		return w, nil
	}
	w, cut, err := Open(path)
	if err != nil {
		return nil, err
	}
	s.writers[path] = w
	if cut != nil {
		s.cut = append(s.cut, *cut)
	}
	return w, nil
}

// Files returns the paths of the files opened so far, sorted.
func (s *Set) Files() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.writers))
}

// Cut returns the torn lines that were cut off so far.
func (s *Set) Cut() []Torn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.cut)
}

// Close closes all files. It may be called more than once.
func (s *Set) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []error
	for path, w := range s.writers {
		if err := w.Close(); err != nil {
			all = append(all, fmt.Errorf("close %s: %w", path, err))
		}
	}
	return errors.Join(all...)
}
