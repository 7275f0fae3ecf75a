package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
)

// text returns the files below a folder, by name.
func text(t *testing.T, folder string) map[string]string {
	t.Helper()
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
	folder := filepath.Join(t.TempDir(), "bench")
	at := date(func(string) string { return "1795659500" })
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "man"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "man", "bench-gone.1"), nil, 0o600))
	require.NoError(t, write(folder, benchcli.Commands(), at))
	files := text(t, folder)

	assert.NotContains(t, files, "man/bench-gone.1", "a command that is no more")
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if !cmd.IsAvailableCommand() && cmd.HasParent() {
			return
		}
		name := "man/" + strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
		assert.Contains(t, files[name], cmd.Short[:10], name)
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(benchcli.Commands())
	assert.Contains(t, files["man/bench-verify.1"], "gate-profile")
	assert.Contains(t, files["man/bench-verify.1"], "Nov 2026", "when it was committed")
	for name, begins := range map[string]string{"bench.bash": "# bash completion", "_bench": "#compdef bench", "bench.fish": "# fish completion", "bench.ps1": "# powershell completion"} {
		assert.True(t, strings.HasPrefix(files["completions/"+name], begins), name)
	}

	again := filepath.Join(t.TempDir(), "bench")
	require.NoError(t, write(again, benchcli.Commands(), at))
	assert.Equal(t, files, text(t, again), "two builds of one commit are the same")
}

func TestWithoutADateItIsTheSameEveryDay(t *testing.T) {
	assert.Equal(t, time.Unix(0, 0).UTC(), date(func(string) string { return "" }))
}
