package terminalbench_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/terminalbench"
)

// BENCH_HARBOR is harbor's program. Its agents oracle, which runs a task's
// solution, and nop, which does nothing, need no model; the tasks and the
// sandbox, which root alone can make, are in testdata/real.
func TestRealHarbor(t *testing.T) {
	harbor := os.Getenv("BENCH_HARBOR")
	if harbor == "" {
		t.Skip("BENCH_HARBOR is not set")
	}
	if os.Getuid() != 0 {
		t.Skip("only root can make mount namespaces")
	}
	r := newRig(t, "")
	require.NoError(t, os.CopyFS(r.Host.Dir, os.DirFS("testdata/real")))
	for agent, want := range map[string]harness.Results{
		"oracle": {"passes": harness.Reward(1), "fails": harness.Reward(0)},
		"nop":    {"passes": harness.Reward(0), "fails": harness.Reward(0)},
	} {
		t.Run(agent, func(t *testing.T) {
			o := terminalbench.Defaults(r.Host)
			o.Harbor, o.AgentImportPath, o.EnvProvider, o.Dataset = harbor, agent, "rooms:Rooms", "./tasks"
			o.Split, o.Host.Environ = harness.WholeDataset, append(o.Host.Environ, "HOME="+t.TempDir())
			runner, err := terminalbench.New(o)
			require.NoError(t, err)
			results, err := runner.Run(t.Context(), nil)
			t.Logf("%s%v", r.log, results)
			require.NoError(t, err)
			assert.Equal(t, want, results)
			results, err = runner.Run(t.Context(), []string{"passes"})
			require.NoError(t, err)
			assert.Equal(t, harness.Results{"passes": want["passes"]}, results)
		})
	}
	left, err := filepath.Glob(filepath.Join(r.Host.Dir, harness.DefaultTerminalBenchJobs, "*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}
