package benchcli_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A signal while the base is built leaves neither its worktree nor what built it.
func TestASignalDuringTheBasesBuildLeavesNothing(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT TESTED: git is not there")
	}
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			repo, temp, alive := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "alive")
			require.NoError(t, syscall.Mkfifo(alive, 0o600))
			// It holds the pipe as long as one of its processes lives.
			build := "case $PWD in *bench-base-*) exec > " + alive + "; echo builds; sleep 600 & wait;; *) mkdir bin; cp tool.sh bin/tool;; esac\n"
			require.NoError(t, os.WriteFile(filepath.Join(repo, "build.sh"), []byte(build), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(repo, "tool.sh"), []byte("#!/bin/sh\n"), 0o700)) //nolint:gosec // it is a program
			git := func(args ...string) string {
				cmd := exec.Command("git", append([]string{"-C", repo, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s", out)
				return string(out)
			}
			git("init", "-q", "-b", "main")
			git("add", "-A")
			git("commit", "-qm", "the tool")

			cmd := benchIn(repo, "verify", "--base", "main", "--build-command", "sh build.sh", "--ghx-command", "./bin/tool")
			cmd.Env = append(os.Environ(), "TMPDIR="+temp, "GITHUB_SHA=", "GITHUB_REPOSITORY=")
			var said strings.Builder
			cmd.Stdout, cmd.Stderr = &said, &said
			require.NoError(t, cmd.Start())
			ended, opened := make(chan error, 1), make(chan *os.File, 1)
			go func() { ended <- cmd.Wait() }()
			go func() {
				file, err := os.Open(alive)
				assert.NoError(t, err)
				opened <- file
			}()
			var builders *os.File
			select {
			case builders = <-opened:
			case <-ended:
				t.Fatalf("it ended before the base was built: %s", &said)
			}
			defer builders.Close()
			from := bufio.NewReader(builders)
			line, err := from.ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, "builds\n", line)
			assert.Contains(t, git("worktree", "list"), "bench-base-")

			require.NoError(t, cmd.Process.Signal(signal))
			var exit *exec.ExitError
			require.ErrorAs(t, <-ended, &exit, "%s", &said)
			assert.NotZero(t, exit.ExitCode())
			_, err = io.Copy(io.Discard, from)
			require.NoError(t, err, "the pipe ends with the last process that builds")
			assert.Equal(t, 1, strings.Count(git("worktree", "list"), "\n"))
			left, err := os.ReadDir(temp)
			require.NoError(t, err)
			assert.Empty(t, left)
			assert.NotContains(t, said.String(), "PASS")
		})
	}
}
