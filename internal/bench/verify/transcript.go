package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/redact"
)

// transcriptsFolder is where a run keeps its transcripts.
const transcriptsFolder = "transcripts"

// TranscriptPath returns where the transcript of an attempt is kept below a
// run's folder: transcripts/<scenario>/<mode>-<iteration>-<attempt>.json.
func TranscriptPath(folder string, cell bench.Cell, attempt int) string {
	return filepath.Join(folder, transcriptsFolder, cell.ScenarioID, fmt.Sprintf("%s-%d-%d.json", cell.Mode, cell.Iteration, attempt))
}

// SaveTranscripts returns what keeps transcripts below a run's folder, without
// secrets.
func SaveTranscripts(folder string, secrets *redact.Redactor) func(bench.Cell, int, agent.Transcript) error {
	return func(cell bench.Cell, attempt int, t agent.Transcript) error {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(t); err != nil {
			return fmt.Errorf("encode transcript of %s: %w", cell, err)
		}
		path := TranscriptPath(folder, cell, attempt)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fault.Infraf("save transcript of %s: %w", cell, err)
		}
		if err := os.WriteFile(path, secrets.Bytes(text.Bytes()), 0o600); err != nil {
			return fault.Infraf("save transcript of %s: %w", cell, err)
		}
		return nil
	}
}

// LoadTranscript reads a transcript. It returns nil if none was kept.
func LoadTranscript(folder string, cell bench.Cell, attempt int) (*agent.Transcript, error) {
	path := TranscriptPath(folder, cell, attempt)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Infraf("read transcript: %w", err)
	}
	var t agent.Transcript
	if err := json.Unmarshal(data, &t); err != nil {
		return nil, fault.Invalidf("transcript %s is not as it was saved: %w", path, err)
	}
	return &t, nil
}
