package ghxbuild_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/fault"
)

const baseCommit = "0123456789abcdef"

// ghxWorkspace is a ghx workspace whose program is in a folder.
func ghxWorkspace(t *testing.T) string {
	t.Helper()
	workspace := t.TempDir()
	write(t, workspace, "packages/core/package.json", ghxManifest)
	return workspace
}

func TestTheBaseIsBuiltAsTheHeadWas(t *testing.T) {
	head := ghxbuild.Built{Command: "node head", Skill: "/head/SKILL.md", Folder: "/head"}
	b := ownBuilder(t, ghxWorkspace(t))
	write(t, b.Workspace, "SKILL.md", "of the base")
	require.NoError(t, os.Symlink("/etc/hostname", filepath.Join(b.Workspace, "out")))
	both, err := b.BuildBase(t.Context(), ghxbuild.Wanted{Script: "true", Skill: "SKILL.md", Base: "node out"}, baseCommit, head)
	require.NoError(t, err)
	head.Base, head.BaseSkill = "node "+filepath.Join(b.Home, "workspace/packages/core/bin/ghx"), filepath.Join(b.Home, "workspace/SKILL.md")
	assert.Equal(t, head, both)
}

// A program of the base commit's files counts, and a skill text that is not the
// commit's is that of both.
func TestABaseThatTakesNoBuildIsComparedWith(t *testing.T) {
	workspace := t.TempDir()
	write(t, workspace, "ghx.js", "")
	both, err := ownBuilder(t, workspace).BuildBase(t.Context(), ghxbuild.Wanted{Script: ghxbuild.None, Command: "node ghx.js", Skill: "/a/SKILL.md"}, baseCommit, ghxbuild.Built{})
	require.NoError(t, err)
	assert.Equal(t, ghxbuild.Built{Base: "node " + workspace + "/ghx.js", BaseSkill: "/a/SKILL.md"}, both)
	both, err = ownBuilder(t, workspace).BuildBase(t.Context(), ghxbuild.Wanted{Script: ghxbuild.None, Command: "node ghx.js"}, baseCommit, ghxbuild.Built{})
	require.NoError(t, err)
	assert.Equal(t, ghxbuild.Built{Base: "node " + workspace + "/ghx.js"}, both, "there need be no skill text")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	again, err := ownBuilder(t, workspace).BuildBase(ended, ghxbuild.Wanted{Script: ghxbuild.None, Command: "node ghx.js"}, baseCommit, ghxbuild.Built{})
	require.NoError(t, err)
	assert.Equal(t, both, again, "what is there is there, also at the end of a run")
}

func TestWithoutABaseThereIsNoVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		in   ghxbuild.Wanted
		kind fault.Kind
		says string
	}{
		"a build that fails":            {ghxbuild.Wanted{Script: "echo why; exit 3"}, fault.Infrastructure, "exit status 3; its last lines: why"},
		"the installed program":         {ghxbuild.Wanted{Script: ghxbuild.None, Command: "ghx"}, fault.Invalid, `"ghx" names no program that it has: set build-command`},
		"no skill text":                 {ghxbuild.Wanted{Script: "echo > ghx", Command: "ghx", Skill: "SKILL.md"}, fault.Invalid, "it has no skill text SKILL.md"},
		"a file that leads out of it":   {ghxbuild.Wanted{Script: "ln -s /etc/hostname ghx", Command: "ghx"}, fault.Invalid, "leads out of the workspace"},
		"the program of another folder": {ghxbuild.Wanted{Script: ghxbuild.None, Command: "node /opt/ghx.js"}, fault.Invalid, "names no program that it has"},
	} {
		t.Run(name, func(t *testing.T) {
			head := ghxbuild.Built{Command: "node head"}
			both, err := ownBuilder(t, t.TempDir()).BuildBase(t.Context(), c.in, baseCommit, head)
			require.ErrorContains(t, err, "there is no ghx of the base commit 0123456 to compare with, so there is no verdict: ")
			assert.ErrorContains(t, err, c.says)
			assert.Equal(t, c.kind, fault.KindOf(err))
			assert.Equal(t, head, both, "the head is what there is")
		})
	}
	assert.ErrorContains(t, ghxbuild.NoVerdict("abc", errors.New("x")), "base commit abc to")
}

// Who ends a run does not read that a commit cannot be built.
func TestABaseThatIsStoppedIsNotBlamed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := ownBuilder(t, t.TempDir())
	b.Output = writer(func([]byte) { cancel() })
	head := ghxbuild.Built{Command: "node head"}
	both, err := b.BuildBase(ctx, ghxbuild.Wanted{Script: "echo begun; sleep 1000"}, baseCommit, head)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, head, both)
	assert.NotContains(t, err.Error(), "no verdict")
}

func TestACheckoutHasItsCommits(t *testing.T) {
	const pointer = "version https://git-lfs.github.com/spec/v1\n"
	folder := committed(t, t.TempDir(), map[string]string{"a": "first", "deep/b": "b", "large": pointer})
	first := revision(t, folder, "HEAD")
	write(t, folder, "a", "second")
	git(t, folder, "commit", "-qam", "y")
	checkout, err := ghxbuild.OpenCheckout(filepath.Join(folder, "deep"))
	require.NoError(t, err, "a folder in a checkout is one")

	commit, tree, parents, err := checkout.Head()
	require.NoError(t, err)
	assert.Equal(t, revision(t, folder, "HEAD"), commit)
	assert.Equal(t, revision(t, folder, "HEAD^{tree}"), tree)
	assert.Equal(t, []string{first}, parents)
	tree, err = checkout.Tree(first)
	require.NoError(t, err)
	assert.Equal(t, revision(t, folder, first+"^{tree}"), tree)

	files, err := checkout.Files(t.Context(), first)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(files)) })
	text, err := os.ReadFile(filepath.Join(files, "a"))
	require.NoError(t, err)
	assert.Equal(t, "first", string(text))
	assert.FileExists(t, filepath.Join(files, "deep/b"))
	text, err = os.ReadFile(filepath.Join(files, "large"))
	require.NoError(t, err)
	assert.Equal(t, pointer, string(text), "there is nothing else to take")
	assert.NoDirExists(t, filepath.Join(files, ".git"))
}

// sourceFolders are those that sources are written to.
func sourceFolders(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(os.TempDir(), "bench-source-*"))
	require.NoError(t, err)
	return found
}

func TestACommitThatACheckoutLacksIsToldFromOtherErrors(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	_, err := ghxbuild.OpenCheckout(t.TempDir())
	require.ErrorIs(t, err, ghxbuild.ErrNoCommit)

	folder := t.TempDir()
	git(t, folder, "init", "-q")
	checkout, err := ghxbuild.OpenCheckout(folder)
	require.NoError(t, err)
	_, _, _, err = checkout.Head()
	require.ErrorIs(t, err, ghxbuild.ErrNoCommit, "a new repository has none")

	committed(t, folder, map[string]string{"a": "a"})
	const lacking = "1111111111111111111111111111111111111111"
	_, err = checkout.Tree(lacking)
	require.ErrorIs(t, err, ghxbuild.ErrNoCommit)
	assert.ErrorContains(t, err, lacking)
	_, err = checkout.Files(t.Context(), lacking)
	require.ErrorIs(t, err, ghxbuild.ErrNoCommit)
	assert.ErrorContains(t, err, lacking)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = checkout.Files(ctx, revision(t, folder, "HEAD"))
	require.ErrorIs(t, err, context.Canceled)
	assert.NotErrorIs(t, err, ghxbuild.ErrNoCommit)
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	assert.Empty(t, sourceFolders(t), "what is of no use is removed")

	t.Setenv("TMPDIR", filepath.Join(folder, "gone"))
	_, err = checkout.Files(t.Context(), revision(t, folder, "HEAD"))
	require.ErrorContains(t, err, "make a folder for the source")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
}

// A shallow checkout names commits whose objects it does not have.
func TestACheckoutWhoseHeadIsGoneHasNone(t *testing.T) {
	folder := committed(t, t.TempDir(), map[string]string{"a": "a"})
	head := revision(t, folder, "HEAD")
	require.NoError(t, os.Remove(filepath.Join(folder, ".git/objects", head[:2], head[2:])))
	checkout, err := ghxbuild.OpenCheckout(folder)
	require.NoError(t, err)
	_, _, _, err = checkout.Head()
	require.ErrorIs(t, err, ghxbuild.ErrNoCommit)
	assert.Empty(t, checkout.MergedFrom(10))
}

// A clone without blobs has the commit, and not its files.
func TestACommitWithoutItsFilesIsLacking(t *testing.T) {
	folder := committed(t, t.TempDir(), map[string]string{"a": "a"})
	blob := revision(t, folder, "HEAD:a")
	require.NoError(t, os.Remove(filepath.Join(folder, ".git/objects", blob[:2], blob[2:])))
	checkout, err := ghxbuild.OpenCheckout(folder)
	require.NoError(t, err)
	_, err = checkout.Files(t.Context(), revision(t, folder, "HEAD"))
	require.ErrorIs(t, err, ghxbuild.ErrNoCommit)
	tree := revision(t, folder, "HEAD^{tree}")
	require.NoError(t, os.Remove(filepath.Join(folder, ".git/objects", tree[:2], tree[2:])))
	_, err = checkout.Files(t.Context(), revision(t, folder, "HEAD"))
	require.ErrorIs(t, err, ghxbuild.ErrNoCommit)
}

// revision returns what git calls a commit or tree.
func revision(t *testing.T, folder, of string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "-C", folder, "rev-parse", of).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

func TestModeFilesAreOfWhatWasBuilt(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "modes/a.yml", "")
	require.NoError(t, os.Symlink("/etc/hostname", filepath.Join(folder, "out.yml")))
	built := ghxbuild.Built{Folder: folder}
	files, err := built.ModeFiles([]string{"modes/a.yml", folder + "/modes/a.yml"})
	require.NoError(t, err)
	assert.Equal(t, []string{folder + "/modes/a.yml", folder + "/modes/a.yml"}, files)
	for name, says := range map[string]string{
		"gone.yml": "mode file gone.yml is neither in the repository nor made by the build",
		"modes":    "mode file modes is neither",
		"":         "is neither",
		"out.yml":  "leads out of the workspace",
	} {
		_, err := built.ModeFiles([]string{"modes/a.yml", name})
		require.ErrorContains(t, err, says)
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
	}
	_, err = ghxbuild.Built{Folder: folder + "/gone"}.ModeFiles([]string{"a.yml"})
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
}

func TestAGHXWorkspaceNamesItsPackageManager(t *testing.T) {
	workspace := ghxWorkspace(t)
	manager, isGHX := ghxbuild.PackageManager(workspace)
	assert.True(t, isGHX)
	assert.Empty(t, manager, "it names none")
	write(t, workspace, "package.json", `{"packageManager": "pnpm@10.34.9"}`)
	manager, _ = ghxbuild.PackageManager(workspace)
	assert.Equal(t, "pnpm@10.34.9", manager)

	// One may be 1 MiB.
	padded := strings.Repeat(" ", 1<<20-len(ghxManifest)) + ghxManifest
	write(t, workspace, "packages/core/package.json", padded)
	_, isGHX = ghxbuild.PackageManager(workspace)
	assert.True(t, isGHX)

	for _, manifest := range []string{"", `{"name": "other"}`, "{", `{"name": "@ghx-dev/core", "packageManager": 7}`, " " + padded} {
		write(t, workspace, "packages/core/package.json", manifest)
		manager, isGHX = ghxbuild.PackageManager(workspace)
		assert.False(t, isGHX)
		assert.Empty(t, manager)
	}
	_, isGHX = ghxbuild.PackageManager(filepath.Join(workspace, "gone"))
	assert.False(t, isGHX)
}

func TestOnlyModesOfGHXTakeOne(t *testing.T) {
	assert.True(t, ghxbuild.WithoutGHX([]bench.Mode{bench.AgentDirect, bench.MCP}))
	assert.False(t, ghxbuild.WithoutGHX([]bench.Mode{bench.AgentDirect, bench.GHX}))
	assert.False(t, ghxbuild.WithoutGHX([]bench.Mode{bench.GHXBase}))
}

func TestWhatIsMeasuredIsDescribed(t *testing.T) {
	assert.Equal(t, "the installed ghx", ghxbuild.Built{}.Describe())
	assert.Equal(t, "node x.js", ghxbuild.Built{Command: " node x.js\n"}.Describe())
}

func TestWhyABuildFailedKeepsItsKind(t *testing.T) {
	exit := exec.CommandContext(t.Context(), "/bin/sh", "-c", "exit 3").Run()
	for _, c := range []struct {
		err  error
		kind fault.Kind
		want string
	}{
		{exit, fault.Tool, "build it: exit status 3; mend it"},
		{fault.Toolf("too long"), fault.Tool, "build it: too long"},
		{fault.Infraf("no disk"), fault.Infrastructure, "build it: no disk"},
		{fault.Invalidf("no host"), fault.Invalid, "build it: no host"},
		{syscall.ENOEXEC, fault.Infrastructure, "build it: exec format error; mend it"},
	} {
		err := ghxbuild.Failed("build it", c.err, "; mend it")
		assert.EqualError(t, err, c.want)
		assert.Equal(t, c.kind, fault.KindOf(err), c.want)
		assert.ErrorIs(t, err, c.err)
	}
}
