package benchcli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

// serverMode is a mode with GitHub's MCP server behind a script.
const serverMode = `name: github@%[1]s
description: GitHub's MCP server, %[1]s
of: installed
shell: false
commands:
  - name: github-mcp-server
  - name: server-%[1]s
    command: ./server-%[1]s
    version: []
mcp:
  github:
    command: [server-%[1]s]
    env:
      GITHUB_PERSONAL_ACCESS_TOKEN: "{{github_token}}"
      GITHUB_TOOLSETS: actions
instructions: Work with the tools of the GitHub MCP server. You have no shell.
`

// The descriptions of two tools of the server's.
const (
	rerunsAll    = "Re-run an entire workflow run"
	rerunsFailed = "Re-run only the failed jobs in a workflow run"
)

// described returns the name of the tool that is described so.
func described(r stubmodel.Request, description string) string {
	var sent struct {
		Tools []struct {
			Function struct{ Name, Description string }
		}
	}
	if json.Unmarshal(r.Body, &sent) == nil {
		for _, tool := range sent.Tools {
			if tool.Function.Description == description {
				return tool.Function.Name
			}
		}
	}
	return "no such tool"
}

func TestTwoSwappedDescriptionsAreNamed(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(r stubmodel.Request) []stubmodel.Step {
		// It takes the tools for what they are said to be.
		steps := withMCP(r)
		steps[0].Calls = []stubmodel.Call{{Name: described(r, rerunsAll), Arguments: steps[0].Calls[0].Arguments}}
		return steps
	})
	for version, filter := range map[string]string{
		"v1": "cat",
		"v2": fmt.Sprintf(`sed -u 's/"%[1]s"/"-"/; s/"%[2]s"/"%[1]s"/; s/"-"/"%[2]s"/'`, rerunsAll, rerunsFailed),
	} {
		script := "#!/bin/sh\ngithub-mcp-server stdio | " + filter + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(r.dir, "server-"+version), []byte(script), 0o755)) //nolint:gosec // the agent's user runs it
		require.NoError(t, os.WriteFile(filepath.Join(r.dir, version+".yml"), fmt.Appendf(nil, serverMode, version), 0o600))
	}
	ran := r.run(t, "run", "github@v1,github@v2", "3", "--scenario", "pr-checks-rerun-all-001", "--skip-warmup",
		"--mode-file", "v1.yml", "--mode-file", "v2.yml", "--mcp-command", realtool.Find(t, realtool.MCPServer()))
	require.Zero(t, ran.code, "%s%s", ran.stdout, ran.stderr)
	rows := r.rows(t)
	require.Len(t, rows["github@v1"], 3)
	require.Len(t, rows["github@v2"], 3)
	for _, row := range rows["github@v1"] {
		assert.True(t, row.Success, "%s: %+v", row.Cell(), row.Error)
	}
	for _, row := range rows["github@v2"] {
		assert.False(t, row.Success, row.Cell())
	}

	r.flags = nil
	judged := r.run(t, "report", "--gate", "--baseline-mode", "github@v1", "--candidate-mode", "github@v2", "--summary-json", "summary.json")
	assert.Equal(t, 1, judged.code, "%s%s", judged.stdout, judged.stderr)
	data, err := os.ReadFile(filepath.Join(r.dir, "summary.json"))
	require.NoError(t, err)
	var summary bench.Summary
	require.NoError(t, json.Unmarshal(data, &summary))
	text := comment.Comment(comment.Run{Phase: comment.Finished, Summary: &summary})
	assert.Contains(t, text, "- `github_rerun_failed_jobs`: failed, with no success after 0 → 1 times a session\n"+
		"- `github_rerun_workflow_run`: called 1 → 0 times a session\n")
	assert.Contains(t, judged.stdout, "github_rerun_failed_jobs   failed, with no success after")
}
