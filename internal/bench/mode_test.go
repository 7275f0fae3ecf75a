package bench_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
)

func TestModesAreReadByTheirNames(t *testing.T) {
	assert.Equal(t, []bench.Mode{"agent_direct", "mcp", "ghx", "ghx@base"}, bench.Modes())
	for _, mode := range bench.Modes() {
		read, err := bench.ParseMode(string(mode))
		require.NoError(t, err)
		assert.Equal(t, mode, read)
	}
	for _, name := range []string{"", "GHX", "ghx ", "agent-direct", "ghx@head"} {
		_, err := bench.ParseMode(name)
		assert.ErrorContains(t, err, "use one of agent_direct, mcp, ghx, ghx@base", "%q", name)
	}
}

func TestS4TheModesThatWorkThroughGHX(t *testing.T) {
	uses := map[bench.Mode]bool{bench.AgentDirect: false, bench.MCP: false, bench.GHX: true, bench.GHXBase: true}
	for _, mode := range bench.Modes() {
		assert.Equal(t, uses[mode], mode.UsesGHX(), mode)
	}
}
