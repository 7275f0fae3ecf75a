package verify_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
)

// Whoever asked for a file goes on getting one.
func TestAReportIsAFolderUnlessAPageIsAskedFor(t *testing.T) {
	there := filepath.Join(t.TempDir(), "there")
	require.NoError(t, os.WriteFile(there, nil, 0o600))
	for name, c := range map[string]struct {
		out    verify.Outputs
		folder bool
	}{
		"none":                    {verify.Outputs{}, false},
		"a page by its name":      {verify.Outputs{HTML: "a/report.html"}, false},
		"a page in capitals":      {verify.Outputs{HTML: "a/REPORT.HTM"}, false},
		"a file that is there":    {verify.Outputs{HTML: there}, false},
		"one page is asked for":   {verify.Outputs{HTML: "a/report", OnePage: true}, false},
		"a name without more":     {verify.Outputs{HTML: "a/report"}, true},
		"a folder that is there":  {verify.Outputs{HTML: filepath.Dir(there)}, true},
		"a folder with an ending": {verify.Outputs{HTML: "a/report.d"}, true},
	} {
		assert.Equal(t, c.folder, c.out.InFolder(), name)
	}
}

func TestTheTranscriptOfARowIsFoundAndNoOtherFile(t *testing.T) {
	source := newRig(t).source(t)
	row := bench.Row{RunID: "run-1", ScenarioID: "a-001", Mode: bench.GHX, Iteration: 1}
	assert.Equal(t, report.Said{Earlier: []*agent.Transcript{}}, source.Said(&row), "the rig keeps none")
	path := func(attempt int) string {
		return verify.TranscriptPath(filepath.Join(source.Folders()[0], "transcripts"), row.Cell(), attempt)
	}
	keep := func(attempt int, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(path(attempt)), 0o755))
		require.NoError(t, os.WriteFile(path(attempt), []byte(text), 0o600))
	}
	of := func(attempt int) string {
		return fmt.Sprintf(`{"run_id":"run-1","cell":{"scenario_id":"a-001","mode":"ghx","iteration":1},"attempt":%d,"schema_version":1,"session_id":"%[1]d","messages":[]}`, attempt)
	}
	keep(1, of(1))
	said := source.Said(&row)
	require.NotNil(t, said.Last)
	assert.Empty(t, said.Unread)
	keep(1, "{")
	said = source.Said(&row)
	assert.Nil(t, said.Last)
	assert.Contains(t, said.Unread, "It cannot be read: transcript ")

	row.Attempts = make([]bench.Attempt, 3)
	keep(1, of(1))
	keep(3, of(3))
	said = source.Said(&row)
	assert.Equal(t, "3", said.Last.SessionID, "the last attempt counts")
	require.Len(t, said.Earlier, 2)
	assert.Equal(t, "1", said.Earlier[0].SessionID)
	assert.Nil(t, said.Earlier[1], "none was kept")

	outside := filepath.Join(filepath.Dir(source.Folders()[0]), "ghx-1-1.json")
	require.NoError(t, os.WriteFile(outside, []byte(`{"schema_version":1}`), 0o600))
	for _, hostile := range []bench.Row{
		{RunID: "run-1", ScenarioID: "../..", Mode: bench.GHX, Iteration: 1}, {RunID: "..", ScenarioID: "a-001", Mode: bench.GHX, Iteration: 1},
	} {
		assert.Zero(t, source.Said(&hostile), "rows that others wrote read no files of ours")
	}
}
