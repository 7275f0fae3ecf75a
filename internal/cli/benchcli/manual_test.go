package benchcli_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
)

// manual returns the files of bench's manual, by name, of a release at a time.
func manual(t *testing.T, epoch string) map[string]string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "bench")
	_, err := benchcli.World{
		Stdout: io.Discard, Stderr: io.Discard, Getenv: func(name string) string { return map[string]string{"SOURCE_DATE_EPOCH": epoch}[name] },
	}.Run(t.Context(), "manual", folder)
	require.NoError(t, err)
	files := map[string]string{}
	require.NoError(t, fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(folder, name))
		files[name] = string(content)
		return err
	}))
	return files
}

func TestEveryCommandHasAPage(t *testing.T) {
	t.Parallel()
	files := manual(t, "1795659500")
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		name := "man/" + strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
		if !cmd.IsAvailableCommand() && cmd.HasParent() {
			assert.NotContains(t, files, name)
			return
		}
		assert.Contains(t, files[name], cmd.Short[:10], name)
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(benchcli.Commands())
	assert.Contains(t, files["man/bench-verify.1"], "gate-profile")
	assert.Contains(t, files["man/bench-verify.1"], "Nov 2026", "when it was committed")
	assert.Contains(t, manual(t, "")["man/bench-verify.1"], "Jan 1970", "without a date it is the same every day")
	for name, begins := range map[string]string{"bench.bash": "# bash completion", "_bench": "#compdef bench", "bench.fish": "# fish completion", "bench.ps1": "# powershell completion"} {
		assert.True(t, strings.HasPrefix(files["completions/"+name], begins), name)
	}
	assert.Equal(t, files, manual(t, "1795659500"), "two builds of one commit are the same")
}
