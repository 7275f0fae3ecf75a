package verify_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/redact"
)

var cell = bench.Cell{ScenarioID: "a-001", Mode: bench.GHXBase, Iteration: 2}

func saying(text string) agent.Transcript {
	return agent.Transcript{SchemaVersion: 1, SessionID: "s", Messages: []agent.Message{
		{Role: agent.Assistant, Parts: []agent.Part{{Type: agent.PartText, Text: text}}},
	}}
}

func TestTranscriptsAreKeptByCellAndAttempt(t *testing.T) {
	folder := t.TempDir()
	save := verify.SaveTranscripts(folder, "run-1", redact.New())
	require.NoError(t, save(cell, 1, saying("first <b>")))
	require.NoError(t, save(cell, 2, saying("second")))
	for attempt, want := range map[int]string{1: "first <b>", 2: "second"} {
		got, err := verify.LoadTranscript(folder, "run-1", cell, attempt)
		require.NoError(t, err)
		assert.Equal(t, want, got.Answer())
	}
	text, err := os.ReadFile(verify.TranscriptPath(folder, cell, 1))
	require.NoError(t, err)
	assert.Contains(t, string(text), "first <b>", "people read it too")
	none, err := verify.LoadTranscript(folder, "run-1", cell, 3)
	require.NoError(t, err)
	assert.Nil(t, none)
	assert.Equal(t, filepath.Join(folder, "a-001", "ghx@base-2-1.json"), verify.TranscriptPath(folder, cell, 1))
}

func TestTranscriptsHaveNoSecretsAndAreNotForOthers(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, verify.SaveTranscripts(folder, "run-1", redact.New("hunter2-\"quoted\""))(cell, 1, saying(`the key is hunter2-"quoted".`)))
	got, err := verify.LoadTranscript(folder, "run-1", cell, 1)
	require.NoError(t, err)
	assert.Equal(t, "the key is "+redact.Mask+".", got.Answer())
	info, err := os.Stat(verify.TranscriptPath(folder, cell, 1))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestTranscriptsThatCannotBeSavedOrRead(t *testing.T) {
	folder := t.TempDir()
	path := verify.TranscriptPath(folder, cell, 1)
	require.NoError(t, os.MkdirAll(path, 0o755))
	err := verify.SaveTranscripts(folder, "run-1", redact.New())(cell, 1, saying("hi"))
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	assert.ErrorContains(t, err, path)
	_, err = verify.LoadTranscript(folder, "run-1", cell, 1)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))

	err = verify.SaveTranscripts("/dev/null", "run-1", redact.New())(cell, 1, saying("hi"))
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))

	broken := verify.TranscriptPath(folder, cell, 2)
	require.NoError(t, os.WriteFile(broken, []byte("{"), 0o600))
	_, err = verify.LoadTranscript(folder, "run-1", cell, 2)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.ErrorContains(t, err, broken)
}

func TestATranscriptOfSomethingElseIsRefused(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, verify.SaveTranscripts(folder, "run-1", redact.New())(cell, 1, saying("hi")))
	kept, err := os.ReadFile(verify.TranscriptPath(folder, cell, 1))
	require.NoError(t, err)

	_, err = verify.LoadTranscript(folder, "run-2", cell, 1)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.ErrorContains(t, err, "of run run-1, not of run run-2")

	require.NoError(t, os.WriteFile(verify.TranscriptPath(folder, cell, 2), kept, 0o600))
	_, err = verify.LoadTranscript(folder, "run-1", cell, 2)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.ErrorContains(t, err, "of attempt 1 at a-001/ghx@base/2, not of attempt 2")

	newer := saying("hi")
	newer.SchemaVersion = agent.TranscriptSchemaVersion + 1
	require.NoError(t, verify.SaveTranscripts(folder, "run-1", redact.New())(cell, 3, newer))
	_, err = verify.LoadTranscript(folder, "run-1", cell, 3)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.ErrorContains(t, err, "newer version")
}

func TestATranscriptThatDoesNotSayWhatItIsOfIsTaken(t *testing.T) {
	folder := t.TempDir()
	path := verify.TranscriptPath(folder, cell, 1)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(`{"schema_version":1,"session_id":"s","messages":[]}`), 0o600))
	got, err := verify.LoadTranscript(folder, "run-1", cell, 1)
	require.NoError(t, err)
	assert.Equal(t, "s", got.SessionID)
}

func TestAFolderOfTranscriptsThatCannotBeMadeIsNamedWithTheMend(t *testing.T) {
	err := verify.SaveTranscripts("/dev/null", "run-1", redact.New())(cell, 1, saying("hi"))
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	assert.ErrorContains(t, err, "make it writable or name another folder")
}

// A row that was taken over has its transcript beside its first run.
func TestTheTranscriptOfARowThatWasTakenOverIsFound(t *testing.T) {
	base := t.TempDir()
	require.NoError(t, verify.SaveTranscripts(filepath.Join(base, "old", "run-0", "transcripts"), "run-0", redact.New())(cell, 1, saying("hi")))
	source := verify.Source{Files: []string{filepath.Join(base, "other", "run-0", "x.jsonl"), filepath.Join(base, "old", "run-0", "x.jsonl")}}
	said := source.Said(&bench.Row{RunID: "run-0", ScenarioID: cell.ScenarioID, Mode: cell.Mode, Iteration: cell.Iteration})
	require.NotNil(t, said.Last)
	assert.Equal(t, "hi", said.Last.Answer())
}
