package verify_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
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
	said, err := source.Transcript(&row)
	require.NoError(t, err)
	assert.Nil(t, said, "the rig keeps none")
	kept := verify.TranscriptPath(filepath.Join(source.Folders()[0], "transcripts"), row.Cell(), 1)
	require.NoError(t, os.MkdirAll(filepath.Dir(kept), 0o755))
	text := []byte(`{"run_id":"run-1","cell":{"scenario_id":"a-001","mode":"ghx","iteration":1},"attempt":1,"schema_version":1,"messages":[]}`)
	require.NoError(t, os.WriteFile(kept, text, 0o600))
	said, err = source.Transcript(&row)
	require.NoError(t, err)
	assert.NotNil(t, said)
	require.NoError(t, os.WriteFile(kept, []byte("{"), 0o600))
	_, err = source.Transcript(&row)
	require.Error(t, err)

	outside := filepath.Join(filepath.Dir(source.Folders()[0]), "ghx-1-1.json")
	require.NoError(t, os.WriteFile(outside, []byte(`{"schema_version":1}`), 0o600))
	for _, hostile := range []bench.Row{
		{RunID: "run-1", ScenarioID: "../..", Mode: bench.GHX, Iteration: 1}, {RunID: "..", ScenarioID: "a-001", Mode: bench.GHX, Iteration: 1},
	} {
		said, err := source.Transcript(&hostile)
		require.NoError(t, err)
		assert.Nil(t, said, "rows that others wrote read no files of ours")
	}
}
