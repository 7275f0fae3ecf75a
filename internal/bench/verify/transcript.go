package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/redact"
)

// transcriptsFolder is where a run keeps its transcripts, unless it was told
// another folder.
const transcriptsFolder = "transcripts"

// TranscriptsFolder returns the folder that keeps a run's transcripts. RunFolder
// is the run's own.
func TranscriptsFolder(runFolder string, info ledger.RunInfo) string {
	if info.Transcripts != "" {
		return info.Transcripts
	}
	return filepath.Join(runFolder, transcriptsFolder)
}

// TranscriptPath returns where a folder of transcripts keeps that of an
// attempt: <scenario>/<mode>-<iteration>-<attempt>.json. The id of another
// benchmark's task, which may be any text, is written such that it is one folder's
// name.
func TranscriptPath(folder string, cell bench.Cell, attempt int) string {
	return filepath.Join(folder, folderName(cell.ScenarioID), fmt.Sprintf("%s-%d-%d.json", cell.Mode, cell.Iteration, attempt))
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,119}$`)

// folderName returns an id that can be a folder's name as it is, and of others what
// can be of it with a hash. No two ids have the same.
func folderName(id string) string {
	if plainName.MatchString(id) {
		return id
	}
	const shown, digits = 80, 16
	name := regexp.MustCompile(`[^A-Za-z0-9_-]`).ReplaceAllString(id, "_")
	sum := sha256.Sum256([]byte(id))
	// No id that is a name as it is has a =.
	return "_" + name[:min(len(name), shown)] + "=" + hex.EncodeToString(sum[:])[:digits]
}

// KeptTranscript is a transcript as it is kept: with what it is of.
type KeptTranscript struct {
	// RunID is empty in transcripts that were kept before it was there.
	RunID   string     `json:"run_id,omitempty"`
	Cell    bench.Cell `json:"cell,omitzero"`
	Attempt int        `json:"attempt,omitempty"`
	agent.Transcript
}

// SaveTranscripts returns what keeps a run's transcripts in a folder, without
// secrets.
func SaveTranscripts(folder, runID string, secrets *redact.Redactor) func(bench.Cell, int, agent.Transcript) error {
	return func(cell bench.Cell, attempt int, t agent.Transcript) error {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(KeptTranscript{RunID: runID, Cell: cell, Attempt: attempt, Transcript: t}); err != nil {
			return fmt.Errorf("encode transcript of %s: %w", cell, err)
		}
		path := TranscriptPath(folder, cell, attempt)
		if err := makeFolder(filepath.Dir(path)); err != nil {
			return err
		}
		if err := os.WriteFile(path, secrets.Bytes(text.Bytes()), 0o600); err != nil {
			return fault.Infraf("save transcript of %s: %w", cell, err)
		}
		return nil
	}
}

func makeFolder(path string) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return fault.Infraf("keep transcripts in %s: %w; make it writable or name another folder", path, err)
	}
	return nil
}

// LoadTranscript reads the transcript of a run's attempt. It returns nil if
// none was kept. One that cannot be read, or that is of another attempt, is an
// error of kind invalid.
func LoadTranscript(folder, runID string, cell bench.Cell, attempt int) (*agent.Transcript, error) {
	path := TranscriptPath(folder, cell, attempt)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Infraf("read transcript: %w", err)
	}
	kept, err := ParseTranscript(path, data)
	if err != nil {
		return nil, err
	}
	switch {
	case kept.RunID != "" && kept.RunID != runID:
		return nil, otherTranscript(path, "run "+kept.RunID, "run "+runID)
	case kept.Attempt != 0 && (kept.Cell != cell || kept.Attempt != attempt):
		return nil, otherTranscript(path, fmt.Sprintf("attempt %d at %s", kept.Attempt, kept.Cell), fmt.Sprintf("attempt %d at %s", attempt, cell))
	}
	return &kept.Transcript, nil
}

// ParseTranscript reads a transcript as it is kept; name says in errors which one it is.
// The error of one that cannot be read is of kind invalid.
func ParseTranscript(name string, data []byte) (KeptTranscript, error) {
	var kept KeptTranscript
	if err := json.Unmarshal(data, &kept); err != nil {
		return kept, fault.Invalidf("transcript %s is not as it was saved: %w; restore it, or remove it to go without it", name, err)
	}
	if kept.SchemaVersion > agent.TranscriptSchemaVersion {
		return kept, fault.Invalidf("transcript %s was saved by a newer version of this program (schema %d, known are up to %d)",
			name, kept.SchemaVersion, agent.TranscriptSchemaVersion)
	}
	return kept, nil
}

// Said returns what was said in a row's attempts: in the row's run, or, where the row was
// taken over, in a run beside the source's, as far as that was kept.
func (s Source) Said(row *bench.Row) report.Said {
	cell := row.Cell()
	if !filepath.IsLocal(filepath.Join(cell.ScenarioID, string(cell.Mode))) || !filepath.IsLocal(row.RunID) || filepath.Base(row.RunID) != row.RunID {
		return report.Said{} // others may have written the row
	}
	last := max(1, len(row.Attempts))
	all := make([]*agent.Transcript, last)
	var unread string
	for i := range all {
		var err error
		if all[i], err = s.transcript(row.RunID, cell, i+1); err != nil {
			unread = fmt.Sprintf("It cannot be read: %s.", err)
		}
	}
	return report.Said{Last: all[last-1], Earlier: all[:last-1], Unread: unread}
}

// transcript is nil if it was not kept. The error of one that cannot be read is of kind
// invalid.
func (s Source) transcript(runID string, cell bench.Cell, attempt int) (*agent.Transcript, error) {
	for _, folder := range s.transcriptFolders(runID) {
		if t, err := LoadTranscript(folder, runID, cell, attempt); t != nil || err != nil {
			return t, err
		}
	}
	return nil, nil
}

// transcriptFolders are where the transcripts of a run may be.
func (s Source) transcriptFolders(runID string) (folders []string) {
	for i, run := range s.Runs {
		if run.RunID == runID && i < len(s.folders) {
			folders = append(folders, TranscriptsFolder(s.folders[i], run))
		}
	}
	if len(folders) > 0 {
		return folders
	}
	for _, folder := range s.folders {
		folders = append(folders, filepath.Join(filepath.Dir(folder), runID, transcriptsFolder))
	}
	for _, file := range s.Files {
		if folder := filepath.Dir(file); filepath.Base(folder) == runID {
			folders = append(folders, filepath.Join(folder, transcriptsFolder))
		}
	}
	return folders
}

func otherTranscript(path, of, want string) error {
	return fault.Invalidf("transcript %s is of %s, not of %s: name the folder with the transcripts of that run, or put its own file there", path, of, want)
}
