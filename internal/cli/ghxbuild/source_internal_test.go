package ghxbuild

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// What a pull request brings is 2 GiB in 200,000 files at most.
func TestAProposalFillsNoDisk(t *testing.T) {
	const mega = 1 << 20
	left := newRoom()
	for range 8 {
		require.NoError(t, left.take(256*mega))
	}
	require.NoError(t, left.take(0))
	assert.Error(t, left.take(1))
	assert.Error(t, newRoom().take(256*mega+1))
	left = newRoom()
	for range 200_000 {
		require.NoError(t, left.take(1))
	}
	assert.Error(t, left.take(1))
}

func TestACommitFillsNoDiskEither(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT TESTED: git makes the repository")
	}
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a"), []byte("large"), 0o600))
	for _, args := range []string{"init -q", "add a", "-c user.name=a -c user.email=a@b commit -qm x"} {
		out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", folder}, strings.Fields(args)...)...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	checkout, err := OpenCheckout(folder)
	require.NoError(t, err)
	commit, _, _, err := checkout.Head()
	require.NoError(t, err)
	root, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	defer root.Close()
	write := func(left *room) error {
		_, err := checkout.write(t.Context(), plumbing.NewHash(commit), &writing{to: &target{root: root}, left: left})
		return err
	}
	require.ErrorContains(t, write(&room{bytes: 100, file: 4, files: 1}), "larger than this unpacks")
	assert.NoFileExists(t, filepath.Join(root.Name(), "a"))
	require.NoError(t, write(&room{bytes: 5, file: 5, files: 1}))
}

func TestRootBuildsAsAUserWhoHasAnAccount(t *testing.T) {
	_, err := userNamed("nobody-has-this-name")
	require.ErrorContains(t, err, `make one with useradd --system nobody-has-this-name`)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	is, err := userNamed("daemon")
	require.NoError(t, err)
	assert.Equal(t, &syscall.Credential{Uid: 1, Gid: 1}, is)
	other, err := user.Lookup("nobody")
	require.NoError(t, err)
	is, err = userNamed("nobody")
	require.NoError(t, err)
	assert.Equal(t, other.Uid+" "+other.Gid, fmt.Sprint(is.Uid, " ", is.Gid))
}

// An account is there, or it is said how to make one.
func TestTheAccountOfABuild(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	is, home, err := Account()
	wanted, wantedErr := BuildUser()
	assert.Equal(t, wanted, is)
	assert.True(t, err != nil || is != nil || os.Geteuid() != 0, "root builds nothing")
	if wantedErr != nil {
		require.EqualError(t, err, wantedErr.Error())
		assert.Zero(t, os.Geteuid())
		assert.Contains(t, err.Error(), "useradd --system bench")
		assert.Empty(t, home)
		return
	}
	require.NoError(t, err)
	assert.DirExists(t, home)
}

func TestAnAccountHasAFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	is, home, err := accountOf(nil, nil)
	require.NoError(t, err)
	assert.Nil(t, is, "it is ours")
	assert.DirExists(t, home)
	if os.Geteuid() == 0 {
		builder := &syscall.Credential{Uid: 59240, Gid: 59240}
		is, _, err = accountOf(builder, nil)
		require.NoError(t, err)
		assert.Same(t, builder, is)
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "gone"))
	_, _, err = accountOf(nil, nil)
	assert.ErrorContains(t, err, "make a folder to build in")
}

func TestWhoBuildsHasAFolderOfTheirs(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	owner := func(of *syscall.Credential) (int, os.FileMode) {
		home, err := homeOf(of)
		require.NoError(t, err)
		info, err := os.Stat(home)
		require.NoError(t, err)
		return int(info.Sys().(*syscall.Stat_t).Uid), info.Mode().Perm()
	}
	uid, _ := owner(nil)
	assert.Equal(t, os.Geteuid(), uid)
	if os.Geteuid() == 0 {
		uid, mode := owner(&syscall.Credential{Uid: 59240, Gid: 59240})
		assert.Equal(t, 59240, uid)
		assert.EqualValues(t, 0o755, mode, "agents run what is built there")
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "gone"))
	_, err := homeOf(nil)
	require.ErrorContains(t, err, "make a folder to build in")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
}
