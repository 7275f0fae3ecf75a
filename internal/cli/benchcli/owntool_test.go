package benchcli_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

var shellBlocks = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// withPage plays an agent that does as the modes of the page say.
func withPage(r stubmodel.Request) []stubmodel.Step {
	switch {
	case strings.Contains(r.System(), "`prtool` command"):
		steps := withGH(r)
		t := taskOf(r)
		call := fmt.Sprintf("prtool merge %d", t.PRNumber)
		if t.capability == "pr.checks.rerun.all" {
			call = fmt.Sprintf("prtool rerun %d", t.RunID)
		}
		steps[1].Calls = []stubmodel.Call{bash(call)}
		return steps[1:]
	case strings.Contains(r.System(), "MCP server"):
		return withMCP(r)
	default:
		return withGH(r)
	}
}

// What the page has people copy is run as it is, in the order of the page.
func TestThePageOfOnesOwnToolCanBeCopied(t *testing.T) {
	r := newRig(t, withPage)
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "own-tool.md"))
	require.NoError(t, err)
	blocks := shellBlocks.FindAllSubmatch(page, -1)
	require.Len(t, blocks, 6)
	script := "set -e\n"
	for _, block := range blocks {
		if strings.Contains(string(block[1]), "--gate-profile regression") {
			script += "N=2\n" // one repetition is no evidence
		}
		script += string(block[1])
	}
	path := strings.Join([]string{filepath.Dir(realtool.Find(t, realtool.GH())), filepath.Dir(realtool.Find(t, realtool.MCPServer())), os.Getenv("PATH")}, ":")
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Dir = r.dir
	cmd.Env = append(r.env, "PATH="+path, "N=1", "AGENT="+strings.Join(r.flags, " ")+" --skip-warmup")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	require.NoError(t, cmd.Run(), out.String())
	t.Logf("the page takes %s", time.Since(began).Round(time.Second))

	assert.Equal(t, 2, strings.Count(out.String(), "What agents see of prtool@v2, against prtool@v1 (no model was asked):\n  `prtool` is described otherwise (+ 1 line, − 1 line)\n"), "by bench surface, and before the sessions")
	assert.Contains(t, out.String(), "What agents see otherwise\nThe candidate's tool", "by bench report")
	removed := regexp.MustCompile("(?m)^  removed `.*`, `.*`, .* and 25 more \\(− 4,604 tokens\\)$")
	assert.Regexp(t, removed, out.String(), "of GitHub's own server")

	rows := r.rows(t)
	for mode, runs := range map[bench.Mode]int{bench.AgentDirect: 3, "prtool": 1, "skilled": 1, "fewtools": 1, "prtool@v1": 2, "prtool@v2": 2} {
		require.Len(t, rows[mode], 2*runs, mode)
		for _, row := range rows[mode] {
			assert.True(t, row.Success, "%s: %+v", row.Cell(), row.Error)
			assert.Nil(t, row.Git.Commit, "nobody has said what the tools are of")
		}
	}
	versions := rows["prtool@v2"][0].Tools
	assert.Contains(t, versions["prtool@v1/prtool"], "sha256:")
	assert.NotEqual(t, versions["prtool@v1/prtool"], versions["prtool@v2/prtool"])
	for _, asked := range r.model.Requests() {
		if strings.Contains(asked.System(), "The skill of gh:") {
			assert.Contains(t, asked.System(), "one call, no check of state before")
		}
	}
	r.requireNoSecret(t)
}
