package verify_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Running one mode after the other has both on the same fixtures, again and
// again.
func TestS15ModesThatRunOneAfterTheOtherShareTheirFixtures(t *testing.T) {
	r := newRig(t)
	// follows returns the seed that a run of the mode would take over.
	follows := func(mode bench.Mode) uint64 {
		t.Helper()
		suite := r.suite
		suite.Modes = []bench.Mode{mode}
		other, err := suite.Counterpart(r.provider.Info.Model)
		require.NoError(t, err)
		if other == nil {
			return 0
		}
		return other.Variations.Seed
	}
	run := func(id string, mode bench.Mode, seed uint64) {
		t.Helper()
		r.suite.Variations.Seed = seed
		r.runMode(t, id, mode)
	}
	assert.Zero(t, follows(bench.GHX), "there is no run yet")
	run("run-1", bench.AgentDirect, 7)
	assert.Zero(t, follows(bench.AgentDirect), "of the same mode there is nothing to follow")
	assert.Equal(t, uint64(7), follows(bench.GHX))
	run("run-2", bench.GHX, 7)
	assert.Zero(t, follows(bench.AgentDirect), "those two are a pair")
	assert.Zero(t, follows(bench.GHX))
	assert.Equal(t, uint64(7), follows(bench.MCP), "a third mode can be compared with both")
	run("run-3", bench.AgentDirect, 9)
	assert.Equal(t, uint64(9), follows(bench.GHX), "the newer one counts")
	run("a-run", bench.AgentDirect, 11)
	assert.Equal(t, uint64(11), follows(bench.GHX), "the newer one, whatever it is called")
	run("z-run", bench.AgentDirect, 0)
	assert.Equal(t, uint64(11), follows(bench.GHX), "one whose fixtures do not vary has none to follow")

	other := "other"
	r.suite.Git.Commit = &other
	assert.Zero(t, follows(bench.GHX), "what cannot be compared is not followed")
}

func TestOtherFoldersOfRunsHaveNoCounterpart(t *testing.T) {
	r := newRig(t)
	r.suite.Dir += "/none"
	other, err := r.suite.Counterpart(r.provider.Info.Model)
	require.NoError(t, err)
	assert.Nil(t, other)
}

func TestAFileIsNoFolderOfRuns(t *testing.T) {
	r := newRig(t)
	r.run(t.Context(), t)
	r.suite.Dir = filepath.Join(r.suite.Folder(), "run.json")
	_, err := r.suite.Counterpart(r.provider.Info.Model)
	require.ErrorContains(t, err, "look for runs")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
}
