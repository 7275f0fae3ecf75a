package suite_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/suite"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// What is ours of a run and a gate over 1,000 tasks takes less than 100 ms of the
// processor and 30 MB.
func TestOverheadOfAThousandTasks(t *testing.T) {
	const (
		maxBytes = 30 << 20
		tries    = 5
	)
	maxTime := testkit.TimeLimit(100 * time.Millisecond)
	testkit.NeedShell(t)
	dir := t.TempDir()
	var lines strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&lines, "{\"[mobile_data_issue]task|%d\": 1.0}\n", i)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "results"), []byte(lines.String()), 0o600))
	r, err := harness.NewCommand(harness.CommandOptions{
		Host: harness.Host{Dir: dir, Environ: os.Environ(), Log: io.Discard}, Command: []string{"cat", "results"}, MaxConcurrency: 3,
	})
	require.NoError(t, err)
	w := suite.Workspace{Dir: filepath.Join(dir, suite.Dir), Now: time.Now}
	once := func() {
		results, err := r.Run(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, results, 1000)
		_, err = w.SaveResults("train", true, results)
		require.NoError(t, err)
		_, err = suite.Gate{
			Workspace: w, Train: r, Full: &fake{results: results}, TrainSplit: "train", Policy: harness.ChargeAgent, Out: io.Discard,
		}.Run(t.Context())
		require.NoError(t, err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	least := testkit.LeastProcessorTime(t, tries, once)
	runtime.ReadMemStats(&after)
	assert.Less(t, least, maxTime)
	assert.Less(t, (after.TotalAlloc-before.TotalAlloc)/tries, uint64(maxBytes))
	t.Logf("%s of the processor and %d bytes allocated", least, (after.TotalAlloc-before.TotalAlloc)/tries)
}
