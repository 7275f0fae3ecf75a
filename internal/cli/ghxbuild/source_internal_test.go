package ghxbuild

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"syscall"
	"testing"

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
	if os.Geteuid() != 0 {
		is, err = BuildUser()
		require.NoError(t, err)
		assert.Nil(t, is, "our own user builds")
	}
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
