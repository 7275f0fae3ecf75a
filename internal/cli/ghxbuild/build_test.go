package ghxbuild_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// write makes a file in a folder.
func write(t *testing.T, folder, path, content string) {
	t.Helper()
	path = filepath.Join(folder, path)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

// ownBuilder builds as our own user.
func ownBuilder(t *testing.T, workspace string) *ghxbuild.Builder {
	t.Helper()
	return &ghxbuild.Builder{
		Workspace: workspace, Path: os.Getenv("PATH"), Output: io.Discard,
		Account: func() (*syscall.Credential, string, error) { return nil, t.TempDir(), nil },
	}
}

func TestABuiltWorkspaceIsWhatIsMeasured(t *testing.T) {
	workspace := t.TempDir()
	write(t, workspace, "packages/core/package.json", `{"name": "@ghx-dev/core", "bin": {"ghx": "bin/ghx"}}`)
	b := ownBuilder(t, workspace)
	ghx, err := b.Build(t.Context(), ghxbuild.Wanted{Script: "mkdir packages/core/bin && echo built > packages/core/bin/ghx"})
	require.NoError(t, err)
	assert.Equal(t, "node "+filepath.Join(b.Home, "workspace/packages/core/bin/ghx"), ghx.Command)
	assert.NoDirExists(t, filepath.Join(workspace, "packages/core/bin"))
}

func TestWithoutABuildTheInputsSayWhatIsMeasured(t *testing.T) {
	workspace := t.TempDir()
	write(t, workspace, "tool/ghx.js", "")
	write(t, workspace, "SKILL.md", "")
	for _, command := range []string{ghxbuild.None, ghxbuild.Auto} {
		ghx, err := ownBuilder(t, workspace).Build(t.Context(), ghxbuild.Wanted{
			Script: command, Command: "node tool/ghx.js --flag", Skill: "SKILL.md",
		})
		require.NoError(t, err)
		assert.Equal(t, ghxbuild.Built{Command: "node " + workspace + "/tool/ghx.js --flag", Skill: workspace + "/SKILL.md", Folder: workspace}, ghx)
	}
}

func TestFilesThatLeadOutOfTheWorkspaceAreRefused(t *testing.T) {
	workspace := t.TempDir()
	require.NoError(t, os.Symlink("/proc/self/environ", filepath.Join(workspace, "environ")))
	for _, in := range []ghxbuild.Wanted{{Command: "node environ"}, {Skill: "environ"}, {Base: "./environ"}} {
		in.Script = ghxbuild.None
		_, err := ownBuilder(t, workspace).Build(t.Context(), in)
		require.ErrorContains(t, err, "leads out of the workspace")
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
	}
}

// archive is a tarball with files and links by name.
func archive(t *testing.T, entries ...tar.Header) io.Reader {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	files := tar.NewWriter(zipped)
	for _, e := range entries {
		e.Mode, e.Size = 0o755, 0
		if e.Typeflag == tar.TypeReg {
			e.Size = 1
		}
		require.NoError(t, files.WriteHeader(&e))
		if e.Size > 0 {
			_, err := files.Write([]byte("x"))
			require.NoError(t, err)
		}
	}
	require.NoError(t, files.Close())
	require.NoError(t, zipped.Close())
	return &out
}

func TestAnArchiveStaysInItsFolder(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, ghxbuild.Unpack(archive(t,
		tar.Header{Name: "owner-repo-sha/", Typeflag: tar.TypeDir},
		tar.Header{Name: "owner-repo-sha/a/b", Typeflag: tar.TypeReg},
		tar.Header{Name: "owner-repo-sha/link", Typeflag: tar.TypeSymlink, Linkname: "a/b"},
	), folder))
	assert.FileExists(t, filepath.Join(folder, "a/b"))
	assert.FileExists(t, filepath.Join(folder, "link"))

	outside := t.TempDir()
	for name, entries := range map[string][]tar.Header{
		"by its name":          {{Name: "top/../../../../escaped", Typeflag: tar.TypeReg}},
		"through a link":       {{Name: "top/out", Typeflag: tar.TypeSymlink, Linkname: outside}, {Name: "top/out/escaped", Typeflag: tar.TypeReg}},
		"through a link above": {{Name: "top/out", Typeflag: tar.TypeSymlink, Linkname: ".."}, {Name: "top/out/escaped", Typeflag: tar.TypeReg}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "in")
			require.NoError(t, os.Mkdir(folder, 0o755))
			// It may be refused or written inside.
			_ = ghxbuild.Unpack(archive(t, entries...), folder)
			assert.NoFileExists(t, filepath.Join(outside, "escaped"))
			assert.NoFileExists(t, filepath.Join(filepath.Dir(folder), "escaped"))
		})
	}
	assert.Error(t, ghxbuild.Unpack(bytes.NewReader([]byte("not an archive")), t.TempDir()))
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	_, err := zipped.Write(bytes.Repeat([]byte("x"), 1024))
	require.NoError(t, err)
	require.NoError(t, zipped.Close())
	assert.Error(t, ghxbuild.Unpack(&out, t.TempDir()), "nor is this one inside")
}
