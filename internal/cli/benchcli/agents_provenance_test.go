package benchcli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent/opencode"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
)

// committed makes a folder a checkout of all that is in it, and returns the
// commit.
func committed(t *testing.T, folder string) string {
	t.Helper()
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-q", "--allow-empty", "-m", "all of "+filepath.Base(folder))
	return git("rev-parse", "HEAD")
}

// ownTool writes a tool with its mode, which is of the commit that is measured.
func ownTool(t *testing.T, folder string) (tool, mode string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(folder, 0o755)) //nolint:gosec // agents' users enter it
	tool, mode = filepath.Join(folder, "mine"), filepath.Join(folder, "mine.yml")
	require.NoError(t, os.WriteFile(tool, []byte("#!/bin/sh\necho 1.2.3\n"), 0o755)) //nolint:gosec // it is a program
	require.NoError(t, os.WriteFile(mode, []byte("name: mine\nof: head\ncommands:\n  - name: gh\n  - {name: mine, command: ./mine}\n"), 0o600))
	return tool, mode
}

func TestRowsOfAnAgentTellWhatTheyWereMeasuredWith(t *testing.T) {
	t.Parallel()
	r := newRig(t, withGH)
	gh := realtool.Find(t, realtool.GH())
	r.env = append(r.env, "GITHUB_SHA=", "GITHUB_REPOSITORY=")
	here := committed(t, r.dir)
	tool, mode := ownTool(t, filepath.Join(r.dir, "own"))
	commit := committed(t, filepath.Dir(tool))
	run := func(output, mode string) (ended, bench.Row) {
		t.Helper()
		ran := r.run(t, "run", "mine", "1", "--scenario", "pr-merge-001", "--gh-command", gh, "--mode-file", mode, "--skip-warmup", "--output-dir", ".bench/"+output)
		require.Zero(t, ran.code, ran.stderr)
		files, err := ledger.FilesBelow(filepath.Join(r.dir, ".bench", output))
		require.NoError(t, err)
		rows, _, err := ledger.Read(files)
		require.NoError(t, err)
		require.Len(t, rows, 1)
		info, err := ledger.LoadRun(filepath.Dir(files[0]))
		require.NoError(t, err)
		for name, version := range rows[0].Tools {
			assert.Equal(t, []string{version}, info.Versions[name], "listed once in the run's file")
		}
		assert.Equal(t, info.ModeFiles["mine"].Hash, rows[0].ModeHash)
		return ran, rows[0]
	}

	ran, row := run("clean", mode)
	require.NotNil(t, row.Git.Commit)
	assert.Equal(t, commit, *row.Git.Commit, "that of the tool's checkout")
	assert.NotEqual(t, here, *row.Git.Commit)
	assert.NotContains(t, ran.stderr, "not committed")
	assert.Equal(t, "opencode "+opencode.Version, row.Tools["agent"])
	assert.Equal(t, "1.2.3", row.Tools["mine"])
	assert.NotEmpty(t, row.Tools["gh"])
	assert.NotEmpty(t, row.Tools["harness"])
	for _, part := range []string{"proxy", "sandbox"} {
		assert.Equal(t, row.Tools["harness"], row.Tools[part], "it is a part of this program")
	}

	require.NoError(t, os.WriteFile(tool, []byte("#!/bin/sh\necho 1.2.4\n"), 0o755)) //nolint:gosec // it is a program
	ran, changed := run("changed", mode)
	assert.Equal(t, commit, *changed.Git.Commit)
	assert.NotEqual(t, *row.Git.Tree, *changed.Git.Tree)
	assert.Contains(t, ran.stderr, "the tool of mode mine is commit "+commit+" with changes that are not committed")

	tool, mode = ownTool(t, t.TempDir())
	ran, loose := run("loose", mode)
	assert.Equal(t, bench.GitRef{}, loose.Git, "not that of the folder that bench runs in, and a script may lead to anything")
	assert.Equal(t, 1, strings.Count(ran.stderr, "rows of mode mine tell no commit"), ran.stderr)

	program, err := os.ReadFile(gh)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(tool, program, 0o755)) //nolint:gosec // it is a program
	_, built := run("built", mode)
	require.NotNil(t, built.Git.Tree, "a program is known by its content")
	assert.Nil(t, built.Git.Commit)
	assert.True(t, strings.HasPrefix(*built.Git.Tree, "sha256:"), *built.Git.Tree)
	require.NoError(t, os.WriteFile(tool, append(program, 0), 0o755)) //nolint:gosec // it is a program
	_, rebuilt := run("rebuilt", mode)
	assert.NotEqual(t, *built.Git.Tree, *rebuilt.Git.Tree)
}
