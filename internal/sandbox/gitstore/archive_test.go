package gitstore_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

// The programs that users have unpack archives to what was committed.
func TestArchivesAreUnpacked(t *testing.T) {
	s := gitstore.New()
	tree, err := s.WriteTree(gitstore.Hash{}, []gitstore.Change{
		{Path: "README.md", Content: []byte("# hello\n")},
		{Path: "bin/run", Content: []byte("#!/bin/sh\necho ran\n"), Mode: filemode.Executable},
		{Path: "bin/link", Content: []byte("../README.md"), Mode: filemode.Symlink},
		{Path: "empty", Content: []byte{}},
		{Path: strings.Repeat("long/", 30) + "ä 💥", Content: []byte("deep\n")},
	})
	require.NoError(t, err)
	who := gitstore.Signature{Name: "a", Email: "a@example.com", When: time.Unix(1767600000, 0)}
	commit, err := s.WriteCommit(gitstore.CommitSpec{Tree: tree, Author: who, Committer: who, Message: "m\n"})
	require.NoError(t, err)
	for _, c := range []struct {
		program string
		args    []string
		write   func(*bytes.Buffer) error
	}{
		{"tar", []string{"-xzf"}, func(b *bytes.Buffer) error { return s.WriteTarGz(b, commit, "top/") }},
		{"unzip", []string{"-q"}, func(b *bytes.Buffer) error { return s.WriteZip(b, commit, "top/") }},
	} {
		t.Run(c.program, func(t *testing.T) {
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skipf("NOT TESTED: %v", err)
			}
			var archive bytes.Buffer
			require.NoError(t, c.write(&archive))
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), archive.Bytes(), 0o600))
			cmd := exec.CommandContext(t.Context(), c.program, append(c.args, "a")...)
			cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			for path, want := range map[string]string{
				"README.md": "# hello\n", "empty": "", "bin/link": "# hello\n", strings.Repeat("long/", 30) + "ä 💥": "deep\n",
			} {
				got, err := os.ReadFile(filepath.Join(dir, "top", path))
				require.NoError(t, err)
				assert.Equal(t, want, string(got), path)
			}
			ran, err := exec.CommandContext(t.Context(), filepath.Join(dir, "top/bin/run")).Output()
			require.NoError(t, err)
			assert.Equal(t, "ran\n", string(ran))
			to, err := os.Readlink(filepath.Join(dir, "top/bin/link"))
			require.NoError(t, err)
			assert.Equal(t, "../README.md", to)
		})
	}
	assert.Error(t, s.WriteZip(&bytes.Buffer{}, tree, ""), "a tree is no commit")
	assert.ErrorIs(t, s.WriteTarGz(&bytes.Buffer{}, gitstore.Hash{}, ""), gitstore.ErrNotFound)
}
