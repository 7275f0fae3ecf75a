package benchcli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/redact"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// The command that explains says has a row's fixtures again has the scenario run
// in the same world as in the run of a whole set: its agent is asked the same and
// sees the same, lists of everything included.
func TestS15ARowsVariationIsTheSameByItself(t *testing.T) {
	testkit.NeedComplete(t)
	t.Chdir(t.TempDir())
	bench := func(args ...string) string {
		var out bytes.Buffer
		_, err := benchcli.World{
			Stdout: &out, Stderr: &out, Now: time.Now, Secrets: redact.New(),
			Getenv: func(string) string { return "" }, Random: func() string { return "ABCDEFGHIJ" },
		}.Run(t.Context(), args...)
		require.NoError(t, err, "%s", out.String())
		return out.String()
	}
	bench("run", "agent_direct", "1", "--scenario-set", "full-seeded", "--skip-warmup", "--variation-seed", "42", "--output-dir", "all")
	command := regexp.MustCompile("`bench (run [^`]*)`")
	for _, id := range []string{
		"issue-list-001", "issue-relations-view-001", "pr-list-001", "pr-threads-list-001", "project-v2-items-list-001", "release-list-001",
		"repo-labels-list-001", "workflow-runs-list-001",
	} {
		t.Run(id, func(t *testing.T) {
			found := command.FindStringSubmatch(bench("explain", id+"/agent_direct/1", "--output-dir", "all"))
			require.NotNil(t, found)
			bench(append(strings.Fields(found[1]), "--skip-warmup", "--output-dir", id)...)
			seen := session(t, "all", id)
			require.NotEmpty(t, seen)
			assert.Equal(t, seen, session(t, id, id))
		})
	}
}

// session is what the agent of a scenario's first cell was asked, what it did and
// what it saw.
func session(t *testing.T, folder, id string) (seen []string) {
	t.Helper()
	runs, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, runs, 1)
	cell := bench.Cell{ScenarioID: id, Mode: bench.AgentDirect, Iteration: 1}
	transcript, err := verify.LoadTranscript(filepath.Join(folder, runs[0].Name(), "transcripts"), runs[0].Name(), cell, 1)
	require.NoError(t, err)
	for _, m := range transcript.Messages {
		for _, p := range m.Parts {
			// What begins an attempt is another text each time.
			_, words, _ := strings.Cut(p.Text, "\n")
			seen = append(seen, words)
			if p.Tool != nil {
				seen = append(seen, string(p.Tool.Input), p.Tool.Output)
			}
		}
	}
	return seen
}
