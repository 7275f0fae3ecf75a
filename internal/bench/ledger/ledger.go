// Package ledger keeps the rows of a run in append-only files of JSON lines,
// and reads such files, those of the original harness included (rules R1 to
// R3).
//
// A run's directory has one file per mode, which a [Set] writes, and run.json,
// a [RunInfo], which says what was planned. [Scan] streams files of any size;
// [Cells] and [Missing] tell what is left to do. What runs came to is a line
// each in a history file.
package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// MaxLine is the length in bytes that a line may have, its newline not
// counted. A longer one is no row.
const MaxLine = 8 << 20

const (
	fileSuffix = "-suite.jsonl"
	// measuredSuffix is not that of a run's ledgers, so that a run's rows are
	// never read twice.
	measuredSuffix = "-measured.jsonl"
	// fileTime has no colon, because file systems and artifact stores refuse
	// it.
	fileTime = "2006-01-02T150405.000Z"
)

// FileName returns the name of the file with a mode's rows of a run that began
// at t: "<UTC time>-<mode>-suite.jsonl", safe on every file system.
func FileName(t time.Time, mode bench.Mode) string { return fileName(t, mode, fileSuffix) }

// MeasuredFileName returns the name of the file with rows of a mode that were
// measured anew at t: "<UTC time>-<mode>-measured.jsonl".
func MeasuredFileName(t time.Time, mode bench.Mode) string { return fileName(t, mode, measuredSuffix) }

func fileName(t time.Time, mode bench.Mode, suffix string) string {
	return t.UTC().Format(fileTime) + "-" + strings.ReplaceAll(string(mode), "@", "-") + suffix
}

// Files returns the ledger files in a directory, sorted by name; none if there
// are none. The rows of a run with [RunInfo.OutputJSONL] are elsewhere.
func Files(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fault.Invalidf("list the ledgers of a run: %w", err)
	}
	var files []string
	for _, entry := range entries {
		if !entry.IsDir() && IsFile(entry.Name()) {
			files = append(files, filepath.Join(dir, entry.Name()))
		}
	}
	return files, nil
}

// IsFile reports whether a file of a run is a ledger, by its name.
func IsFile(name string) bool { return strings.HasSuffix(name, fileSuffix) }

// FilesBelow returns the ledger files in a folder and its subfolders, sorted by
// name, or path itself where that is a file, whatever its name. Links are not
// followed; there may be no files. An error is of kind invalid.
func FilesBelow(path string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && (file == path || IsFile(file)) {
			files = append(files, file)
		}
		return err
	})
	if err != nil {
		return nil, fault.Invalidf("look for ledgers: %w", err)
	}
	return files, nil
}

// Torn is a last line that was not written whole, because the process or the
// machine stopped in the middle of it.
type Torn struct {
	File string
	// Line counts from 1.
	Line int
	// Bytes is the size of what is there of it.
	Bytes int64
}

// String says what happened to people.
func (t Torn) String() string {
	return fmt.Sprintf("%s line %d was not written whole (%d bytes) and does not count", t.File, t.Line, t.Bytes)
}

// complete reports whether a line, trimmed and not blank, is a whole JSON object.
func complete(line []byte) bool { return line[0] == '{' && json.Valid(line) }

// torn reports whether a file's last line, trimmed and not blank, is the beginning
// of a row, or the zeros that a file system leaves of one after a power cut. Other text that is
// no row was not written by a [Writer].
func torn(line []byte) bool {
	return (line[0] == '{' || line[0] == 0) && !json.Valid(line)
}

// trim cuts the white space of JSON off.
func trim(line []byte) []byte { return bytes.Trim(line, " \t\r\n") }
