package ghxbuild_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// git runs git in a folder.
func git(t *testing.T, folder string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT TESTED: git makes the repository")
	}
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", folder, "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
}

// committed makes a checkout of files by name.
func committed(t *testing.T, folder string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		write(t, folder, name, text)
	}
	git(t, folder, "init", "-q", "-b", "main")
	git(t, folder, "add", "-A")
	git(t, folder, "commit", "-qm", "x", "--allow-empty")
	return folder
}

// list runs a build that lists its files, with their contents.
func list(t *testing.T, workspace string) (log string) {
	t.Helper()
	b := ownBuilder(t, workspace)
	var out bytes.Buffer
	b.Output = &out
	_, err := b.Build(t.Context(), ghxbuild.Wanted{Script: `find . ! -type d | sort | while read f; do echo "$f=$(cat "$f")"; done`})
	require.NoError(t, err, out.String())
	return out.String()
}

// Nobody builds a part of what was checked out.
func TestACheckoutInAnotherThatCannotBeReadIsAnError(t *testing.T) {
	workspace := committed(t, t.TempDir(), map[string]string{"a": "a"})
	inner := committed(t, filepath.Join(workspace, "tools/other"), map[string]string{"b": "b"})
	head := revision(t, inner, "HEAD")
	require.NoError(t, os.Remove(filepath.Join(inner, ".git/objects", head[:2], head[2:])))
	err := ownBuilder(t, workspace).Copy(t.Context(), filepath.Join(t.TempDir(), "to"))
	require.ErrorContains(t, err, "copy the workspace to build in")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
}

func TestABuildIsOfTheCommitAlone(t *testing.T) {
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 4\n"
	workspace := committed(t, t.TempDir(), map[string]string{"a": "of the commit", "b/c": "c", ".npmrc": "registry=x", "large": pointer, "b/not-there": pointer})
	require.NoError(t, os.Symlink("b/c", filepath.Join(workspace, "link")))
	write(t, workspace, "run.sh", "")
	require.NoError(t, os.Chmod(filepath.Join(workspace, "run.sh"), 0o755))
	git(t, workspace, "add", "-A")
	git(t, workspace, "commit", "-qm", "y")
	committed(t, filepath.Join(workspace, "tools/other"), map[string]string{"d": "of another checkout"})
	// What earlier steps have left.
	write(t, workspace, "a", "changed")
	write(t, workspace, ".npmrc", "//registry/:_authToken=hunter2")
	write(t, workspace, "gha-creds-1.json", "hunter2")
	write(t, workspace, "b/.env", "hunter2")
	write(t, workspace, "tools/other/cache", "hunter2")
	write(t, workspace, "large", "of Git LFS")
	require.NoError(t, os.Remove(filepath.Join(workspace, "b/not-there")))

	log := list(t, workspace)
	for _, want := range []string{"./a=of the commit\n", "./b/c=c\n", "./.npmrc=registry=x\n", "./link=c\n", "./large=of Git LFS\n", "./tools/other/d=of another checkout\n", "./run.sh=\n", "./b/not-there=version https://git-lfs"} {
		assert.Contains(t, log, want)
	}
	assert.NotContains(t, log, "hunter2")
	assert.NotContains(t, log, "/.git/")
	assert.Contains(t, log, "Left out, as the commit does not have it: gha-creds-1.json, tools/other/cache\n")
	b := ownBuilder(t, workspace)
	_, err := b.Build(t.Context(), ghxbuild.Wanted{Script: "./run.sh && ! test -x a"})
	require.NoError(t, err)
}

func TestSubmodulesAreOfTheirCommits(t *testing.T) {
	other := committed(t, t.TempDir(), map[string]string{"e": "of the submodule"})
	workspace := committed(t, t.TempDir(), map[string]string{"a": "a"})
	git(t, workspace, "submodule", "--quiet", "add", other, "deep/sub")
	git(t, workspace, "commit", "-qm", "y")
	write(t, workspace, "deep/sub/secret", "hunter2")
	log := list(t, workspace)
	assert.Contains(t, log, "./deep/sub/e=of the submodule\n")
	assert.NotContains(t, log, "hunter2")
	assert.NotContains(t, log, "deep/sub/.git")
	checkout, err := ghxbuild.OpenCheckout(workspace)
	require.NoError(t, err)
	files, err := checkout.Files(t.Context(), revision(t, workspace, "HEAD"))
	require.NoError(t, err, "it is no file of the commit's")
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(files)) })
	assert.FileExists(t, filepath.Join(files, "a"))

	// It need not be checked out.
	git(t, workspace, "submodule", "--quiet", "deinit", "--force", "--all")
	assert.Contains(t, list(t, workspace), "./a=a\n")
}

// actions/checkout sets extensions of git's where it checks a part out.
func TestAPartOfARepositoryIsBuilt(t *testing.T) {
	from := committed(t, t.TempDir(), map[string]string{"a/x": "x", "b/y": "y"})
	git(t, from, "config", "uploadpack.allowFilter", "true")
	workspace := filepath.Join(t.TempDir(), "part")
	git(t, from, "clone", "-q", "--filter=blob:none", "--sparse", "file://"+from, workspace)
	git(t, workspace, "sparse-checkout", "set", "a")
	git(t, workspace, "config", "core.repositoryformatversion", "1")
	git(t, workspace, "config", "extensions.worktreeConfig", "true")
	require.NoDirExists(t, filepath.Join(workspace, "b"))
	log := list(t, workspace)
	assert.Contains(t, log, "./a/x=x\n")
	assert.NotContains(t, log, "./b/y")
	checkout, err := ghxbuild.OpenCheckout(workspace)
	require.NoError(t, err)
	_, tree, _, err := checkout.Head()
	require.NoError(t, err)
	assert.Len(t, tree, 40)
}

func TestWithoutACommitAllFilesAreBuilt(t *testing.T) {
	workspace := t.TempDir()
	write(t, workspace, "a", "a")
	committed(t, filepath.Join(workspace, "here"), map[string]string{"b": "b"})
	write(t, workspace, "here/secret", "hunter2")
	log := list(t, workspace)
	assert.Contains(t, log, "./a=a\n")
	assert.Contains(t, log, "./here/b=b\n")
	assert.NotContains(t, log, "hunter2")
	git(t, workspace, "init", "-q")
	assert.Contains(t, list(t, workspace), "./a=a\n")
}

// What is no checkout is copied as it is, but for what is neither file nor link.
func TestAFolderIsCopiedAsItIs(t *testing.T) {
	workspace := t.TempDir()
	write(t, workspace, "run", "#!/bin/sh\n")
	require.NoError(t, os.Chmod(filepath.Join(workspace, "run"), 0o555))
	require.NoError(t, os.MkdirAll(filepath.Join(workspace, "deep/empty"), 0o755))
	require.NoError(t, os.Symlink("../run", filepath.Join(workspace, "deep/link")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(workspace, "pipe"), 0o644))
	// A repository of which there is no more than the folder.
	require.NoError(t, os.MkdirAll(filepath.Join(workspace, "deep/.git"), 0o755))
	_, err := ownBuilder(t, workspace).Build(t.Context(), ghxbuild.Wanted{
		Script: "test -d deep/empty && test -x run && test $(stat -c %a run) = 755 && test $(readlink deep/link) = ../run && ! test -e pipe && ! test -e deep/.git",
	})
	require.NoError(t, err)
	log := list(t, workspace)
	assert.NotContains(t, log, "Left out")
	workspace = committed(t, t.TempDir(), map[string]string{"a": "a"})
	write(t, workspace, "b", "")
	assert.Contains(t, list(t, workspace), "Left out, as the commit does not have it: b\n")
	// Nobody need be told.
	assert.NoError(t, (&ghxbuild.Builder{Workspace: workspace}).Copy(t.Context(), filepath.Join(t.TempDir(), "to")))
}

// A copy writes over nothing, whether it is of a folder or of a commit.
func TestACopyOntoSomethingElseIsRefused(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "file", "")
	write(t, folder, "deep/file", "")
	require.NoError(t, os.Symlink("file", filepath.Join(folder, "link")))
	commit := committed(t, t.TempDir(), nil)
	for _, name := range []string{"file", "deep/file"} {
		write(t, commit, name, "")
	}
	require.NoError(t, os.Symlink("file", filepath.Join(commit, "link")))
	git(t, commit, "add", "-A")
	git(t, commit, "commit", "-qm", "y")
	for _, workspace := range []string{folder, commit} {
		committed(t, filepath.Join(workspace, "other"), map[string]string{"file": ""})
		for _, there := range []string{"file", "deep", "link", "other"} {
			to := t.TempDir()
			write(t, to, there, "is there")
			err := ownBuilder(t, workspace).Copy(t.Context(), to)
			require.ErrorIs(t, err, os.ErrExist, "%s in %s", there, workspace)
			assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
			text, err := os.ReadFile(filepath.Join(to, there))
			require.NoError(t, err)
			assert.Equal(t, "is there", string(text))
		}
	}
}

// Submodules lie four folders deep at most. What lies in packages that were
// installed, or where a link leads to, is no part of the checkout.
func TestCheckoutsInACheckout(t *testing.T) {
	workspace := committed(t, t.TempDir(), map[string]string{"a": "a"})
	outside := committed(t, t.TempDir(), map[string]string{"secret": "hunter2"})
	require.NoError(t, os.Symlink(outside, filepath.Join(workspace, "link")))
	for _, folder := range []string{"1/2/3/4", "5/2/3/4/5", "node_modules/x", "6", "6/inner"} {
		committed(t, filepath.Join(workspace, folder), map[string]string{"f": "in " + folder})
	}
	log := list(t, workspace)
	assert.Contains(t, log, "./1/2/3/4/f=in 1/2/3/4\n")
	assert.Contains(t, log, "./6/f=in 6\n")
	assert.Contains(t, log, "./6/inner/f=in 6/inner\n")
	assert.NotContains(t, log, "5/2/3/4/5/f")
	assert.NotContains(t, log, "node_modules/x/f")
	assert.NotContains(t, log, "hunter2")
	assert.Contains(t, log, "Left out, as the commit does not have it: 5, link, node_modules\n")
}

// A file that begins as what stands for a large one is what it is.
func TestAFileThatIsNoPointerIsOfTheCommit(t *testing.T) {
	const pointer = "version https://git-lfs.github.com/spec/v1\n"
	workspace := committed(t, t.TempDir(), map[string]string{
		"long": pointer + strings.Repeat("x", 1025-len(pointer)), "pointer": pointer + strings.Repeat("x", 1024-len(pointer)), "other": "version 1\n",
	})
	for _, name := range []string{"long", "pointer", "other"} {
		write(t, workspace, name, "of the worktree")
	}
	log := list(t, workspace)
	assert.Contains(t, log, "./long=version")
	assert.Contains(t, log, "./other=version")
	assert.Contains(t, log, "./pointer=of the worktree\n")

	// What is no file any more is not read in its place.
	require.NoError(t, os.Remove(filepath.Join(workspace, "pointer")))
	require.NoError(t, os.Symlink("/etc/hostname", filepath.Join(workspace, "pointer")))
	assert.Contains(t, list(t, workspace), "./pointer=version")
}

// A worktree has its commits elsewhere.
func TestAWorktreeIsACheckout(t *testing.T) {
	repository := committed(t, t.TempDir(), map[string]string{"a": "a"})
	worktree := filepath.Join(t.TempDir(), "tree")
	git(t, repository, "worktree", "add", "-q", worktree)
	checkout, err := ghxbuild.OpenCheckout(worktree)
	require.NoError(t, err)
	commit, _, _, err := checkout.Head()
	require.NoError(t, err)
	assert.Equal(t, revision(t, repository, "HEAD"), commit)
	write(t, worktree, "secret", "hunter2")
	log := list(t, worktree)
	assert.Contains(t, log, "./a=a\n")
	assert.NotContains(t, log, "hunter2")
}

// Git's own extensions change how a repository is read.
func TestARepositoryOfAnUnknownKindIsNotRead(t *testing.T) {
	workspace := committed(t, t.TempDir(), map[string]string{"a": "a"})
	git(t, workspace, "config", "core.repositoryformatversion", "1")
	for _, extension := range []string{"worktreeConfig", "preciousObjects", "partialClone"} {
		git(t, workspace, "config", "extensions."+extension, "true")
	}
	_, err := ghxbuild.OpenCheckout(workspace)
	require.NoError(t, err)
	git(t, workspace, "config", "extensions.unheardOf", "true")
	_, err = ghxbuild.OpenCheckout(workspace)
	require.ErrorIs(t, err, ghxbuild.ErrNoCommit)
	_, err = ownBuilder(t, workspace).Build(t.Context(), ghxbuild.Wanted{Script: "true"})
	require.ErrorContains(t, err, "read the commit that is checked out in "+workspace)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
}

// Who clones without folders lacks those that are not checked out, and builds without:
// any other is no part of a commit to leave out.
func TestAFolderThatIsLackingIsLeftOutWhereItIsNotCheckedOut(t *testing.T) {
	workspace := committed(t, t.TempDir(), map[string]string{"a": "a", "deep/b/c": "c", "z": "z"})
	lacking := revision(t, workspace, "HEAD:deep/b")
	head := revision(t, workspace, "HEAD")
	object := filepath.Join(workspace, ".git/objects", lacking[:2], lacking[2:])
	require.NoError(t, os.Remove(object))
	checkout, err := ghxbuild.OpenCheckout(workspace)
	require.NoError(t, err)
	refused := func(says string) {
		t.Helper()
		_, err := checkout.Files(t.Context(), head)
		require.ErrorContains(t, err, says)
		_, err = ownBuilder(t, workspace).Build(t.Context(), ghxbuild.Wanted{Script: "true"})
		require.ErrorContains(t, err, says)
		assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	}
	refused("object not found")

	require.NoError(t, os.RemoveAll(filepath.Join(workspace, "deep/b")))
	log := list(t, workspace)
	assert.Contains(t, log, "./a=a\n")
	assert.Contains(t, log, "./z=z\n")
	_, err = checkout.Files(t.Context(), head)
	require.ErrorIs(t, err, ghxbuild.ErrNoCommit, "nothing says that this is to be a part")

	require.NoError(t, os.WriteFile(object, []byte("no object"), 0o600))
	refused("invalid header")
}

// Where it cannot be told what was committed, nothing is built.
func TestACheckoutThatCannotBeReadIsNotBuilt(t *testing.T) {
	workspace := committed(t, t.TempDir(), map[string]string{"a": "a"})
	objects, err := filepath.Glob(filepath.Join(workspace, ".git/objects/??"))
	require.NoError(t, err)
	for _, folder := range objects {
		require.NoError(t, os.RemoveAll(folder))
	}
	_, err = ownBuilder(t, workspace).Build(t.Context(), ghxbuild.Wanted{Script: "true"})
	require.ErrorContains(t, err, "copy the workspace to build in")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
}

// A link of the proposal's is not written through.
func TestACopyStaysInItsFolder(t *testing.T) {
	outside := t.TempDir()
	workspace := committed(t, t.TempDir(), map[string]string{"a": "a"})
	require.NoError(t, os.Symlink(outside, filepath.Join(workspace, "tools")))
	git(t, workspace, "add", "-A")
	git(t, workspace, "commit", "-qm", "y")
	require.NoError(t, os.Remove(filepath.Join(workspace, "tools")))
	committed(t, filepath.Join(workspace, "tools/other"), map[string]string{"d": "escaped"})
	_, err := ownBuilder(t, workspace).Build(t.Context(), ghxbuild.Wanted{Script: "true"})
	require.Error(t, err)
	files, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Empty(t, files)
}

// What is there and cannot be read, as its whole name is too long, is not left out.
func TestAWorkspaceThatCannotAllBeReadIsNotBuilt(t *testing.T) {
	const longest = 4096
	long := strings.Repeat("x", 250)
	for name, fill := range map[string]func(workspace string) error{
		"a file":   func(workspace string) error { return os.WriteFile(filepath.Join(workspace, long), nil, 0o600) },
		"a link":   func(workspace string) error { return os.Symlink("a", filepath.Join(workspace, long)) },
		"a folder": func(workspace string) error { return os.Mkdir(filepath.Join(workspace, long), 0o755) },
		"a folder in a checkout": func(workspace string) error {
			return os.Mkdir(filepath.Join(committed(t, workspace, map[string]string{"a": "a"}), long), 0o755)
		},
	} {
		t.Run(name, func(t *testing.T) {
			filled, deep := t.TempDir(), t.TempDir()
			require.NoError(t, fill(filled))
			for room := longest - 200; len(deep) < room; {
				deep = filepath.Join(deep, strings.Repeat("y", min(200, room-len(deep))))
			}
			require.NoError(t, os.MkdirAll(filepath.Dir(deep), 0o755))
			require.NoError(t, os.Rename(filled, deep))
			err := ownBuilder(t, deep).Copy(t.Context(), filepath.Join(t.TempDir(), "to"))
			require.ErrorIs(t, err, syscall.ENAMETOOLONG)
			assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
		})
	}
}
