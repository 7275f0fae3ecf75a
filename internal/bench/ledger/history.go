package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// HistoryFile is the name of the history in the directory that has the runs.
const HistoryFile = "history.jsonl"

// AppendHistory adds a line to a history file, which is created if need be. It
// waits while another process does the same. An error is of kind
// infrastructure, or invalid if the file is no history.
func AppendHistory(path string, entry bench.HistoryEntry) error {
	entry.SchemaVersion = bench.HistorySchemaVersion
	line, err := json.Marshal(entry)
	if err != nil {
		return fault.Internalf("write history: %w", err)
	}
	w, _, err := openLocked(path, wait)
	if err != nil {
		return fmt.Errorf("append to the history: %w", err)
	}
	return errors.Join(w.write(append(line, '\n')), w.Close())
}

// ReadHistory returns the entries of a history file, oldest first. Lines that
// are none are left out, with a warning each, and those of a newer version with
// one for all; a file that is not there is an
// empty history. An error is of kind infrastructure.
func ReadHistory(path string) (entries []bench.HistoryEntry, warnings []string, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fault.Infraf("read history: %w", err)
	}
	number, newer, newest := 0, 0, 0
	for line := range bytes.Lines(data) {
		number++
		if len(trim(line)) == 0 {
			continue
		}
		var version struct {
			Schema int `json:"schema_version"`
		}
		if json.Unmarshal(line, &version) == nil && version.Schema > bench.HistorySchemaVersion {
			newer, newest = newer+1, max(newest, version.Schema)
			continue
		}
		var entry bench.HistoryEntry
		if err := json.Unmarshal(line, &entry); err != nil {
			warnings = append(warnings, fmt.Sprintf("history %s line %d is not counted: %s", path, number, explain(err)))
			continue
		}
		entries = append(entries, entry)
	}
	if newer > 0 {
		warnings = append(warnings, fmt.Sprintf("history %s: %d of its runs are not counted, since a newer version of this program wrote them (schema %d, known are up to %d)",
			path, newer, newest, bench.HistorySchemaVersion))
	}
	return entries, warnings, nil
}
