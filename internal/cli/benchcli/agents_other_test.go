package benchcli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

var correction = regexp.MustCompile(`In the file "([^"]+)" the total is wrong: it is (\d+)\.`)

// correcting plays an agent that reads an invoice and writes its total, with what
// it was told to work with.
func correcting(r stubmodel.Request) []stubmodel.Step {
	found := correction.FindStringSubmatch(r.Prompt())
	if found == nil {
		return []stubmodel.Step{{Text: "I was not told what to correct."}}
	}
	file, total := "invoices/"+found[1], found[2]
	usage := stubmodel.Usage{Prompt: 2000, Completion: 100}
	if !strings.Contains(r.System(), "filesystem server") {
		return []stubmodel.Step{
			{Calls: []stubmodel.Call{bash("sed -i 's/^total: .*/total: " + total + "/' " + file)}, Usage: usage},
			{Text: "Done.", Usage: usage},
		}
	}
	call := func(name string, arguments map[string]any) stubmodel.Call {
		return stubmodel.Call{Name: "files_" + name, Arguments: arguments}
	}
	was := regexp.MustCompile(`total: \d+`).FindString(lastResult(r))
	return []stubmodel.Step{
		{Calls: []stubmodel.Call{call("read_text_file", map[string]any{"path": file})}, Usage: usage},
		{Calls: []stubmodel.Call{call("edit_file", map[string]any{
			"path": file, "edits": []any{map[string]any{"oldText": was, "newText": "total: " + total}},
		})}, Usage: usage},
		{Text: "Done.", Usage: usage},
	}
}

// filesystemServer has programs find the MCP server of files, and a node for it.
func filesystemServer(t *testing.T, r *rig) {
	t.Helper()
	server := realtool.Find(t, realtool.FilesystemMCP())
	node := realtool.Find(t, realtool.Node())
	bin := t.TempDir()
	require.NoError(t, os.Symlink(server, filepath.Join(bin, "mcp-server-filesystem")))
	require.NoError(t, os.Symlink(node, filepath.Join(bin, "node")))
	r.env = append(r.env, "PATH="+bin+":"+os.Getenv("PATH"))
}

// The example of docs/other-tasks.md: a tool that has nothing to do with GitHub,
// against a shell.
func TestAnMCPServerOfFilesIsComparedWithAShell(t *testing.T) {
	r := newRig(t, correcting)
	filesystemServer(t, r)
	require.NoError(t, os.CopyFS(filepath.Join(r.dir, "invoices"), os.DirFS("../../../docs/examples/invoices")))
	ended := r.run(t, "verify", "--scenarios", "invoices", "--scenario", "invoices-correct-wf-001",
		"--mode-file", "invoices/modes/shell.yml", "--mode-file", "invoices/modes/files.yml", "--modes", "shell,files", "--baseline-mode", "shell", "--candidate-mode", "files",
		"--repetitions", "3")
	rows := r.rows(t)
	for _, mode := range []string{"shell", "files"} {
		of := rows[bench.Mode(mode)]
		require.Len(t, of, 3, "%s\n%s", ended.stdout, ended.stderr)
		for _, row := range of {
			assert.Nil(t, row.Error, "%+v", row.Error)
			assert.True(t, row.Success)
			require.NotNil(t, row.FootprintJudged)
			assert.True(t, *row.FootprintJudged)
			assert.NotZero(t, row.ToolCalls)
			assert.Zero(t, row.ToolErrors)
			assert.Zero(t, row.APICalls)
			assert.Empty(t, row.RefusedHosts)
		}
		assert.NotEqual(t, of[0].Variation, of[1].Variation)
	}
	assert.NotContains(t, ended.stdout+ended.stderr, "GitHub's")
	assert.Contains(t, ended.stdout, "files")
}
