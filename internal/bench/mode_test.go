package bench_test

import (
	"strings"
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
		_, err := bench.ParseShippedMode(name)
		assert.ErrorContains(t, err, "use one of agent_direct, mcp, ghx, ghx@base", "%q", name)
	}
	for _, name := range []string{"mine", "GHX", "v2", "my-tool@base", "a_b", strings.Repeat("x", 40)} {
		read, err := bench.ParseMode(name)
		require.NoError(t, err)
		assert.Equal(t, bench.Mode(name), read)
		assert.False(t, read.Shipped())
	}
	for _, name := range []string{"", "ghx ", "a/b", "../x", "-x", "@x", "é", "a.b", strings.Repeat("x", 41)} {
		_, err := bench.ParseMode(name)
		assert.ErrorContains(t, err, "is no name of a mode", "%q", name)
	}
}

func TestRowsTellTheCommitOfTheirOwnTool(t *testing.T) {
	own := map[bench.Mode]bool{bench.AgentDirect: false, bench.MCP: false, bench.GHX: true, bench.GHXBase: true, "mine": true}
	for mode, want := range own {
		assert.Equal(t, want, mode.OwnCommit(), mode)
	}
}

func TestVersionsOfOneToolAreFound(t *testing.T) {
	for _, c := range [][2][]bench.Mode{
		{{bench.GHXBase, bench.GHX}, {bench.GHXBase, bench.GHX}},
		{{bench.GHX, bench.GHXBase}, {bench.GHXBase, bench.GHX}},
		{{bench.AgentDirect, "tool@v1", bench.MCP, "tool@v2"}, {"tool@v1", "tool@v2"}},
		{{bench.AgentDirect, bench.GHX, bench.MCP}, nil},
		{nil, nil},
	} {
		assert.Equal(t, c[1], bench.VersionsOf(c[0]), "%v", c[0])
	}
}
