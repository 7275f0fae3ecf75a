package ghxbuild

import (
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// What a user may leave behind is found wherever everyone may write.
func TestWhatABuildLeavesIsFound(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can become another user")
	}
	const uid = 59250
	own := t.TempDir()
	t.Setenv("TMPDIR", own)
	home := filepath.Join(own, "home")
	var want []string
	for _, folder := range []string{own, "/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock"} {
		if _, err := os.Stat(folder); err != nil {
			continue // not every system has all
		}
		left, err := os.CreateTemp(folder, "ghxbuild-test-")
		require.NoError(t, err)
		require.NoError(t, left.Close())
		t.Cleanup(func() { assert.NoError(t, os.RemoveAll(left.Name())) })
		require.NoError(t, os.Chown(left.Name(), uid, uid))
		want = append(want, left.Name())
	}
	require.NoError(t, os.Mkdir(home, 0o755))
	require.NoError(t, os.Chown(home, uid, uid))
	require.NoError(t, os.WriteFile(filepath.Join(own, "ours"), nil, 0o600))
	// Nothing else may be removed below.
	require.ElementsMatch(t, want, leftBy(uid, home))
	b := &Builder{Home: home, User: &syscall.Credential{Uid: uid, Gid: uid}}
	assert.ElementsMatch(t, append(want, home), b.writable(&held{}), "and counts as what it has written")
	assert.Equal(t, []string{home}, (&Builder{Home: home}).writable(&held{}), "our own user's files are not a build's")
	removeLeft(b.User, home)
	assert.Empty(t, leftBy(uid, home))
	assert.DirExists(t, home)
	assert.FileExists(t, filepath.Join(own, "ours"))
	assert.Empty(t, leftBy(uid, filepath.Join(own, "gone")), "without a home nothing can be told from it")
}

func TestAHomeThatIsGoneIsNotKeptFromChanges(t *testing.T) {
	b := &Builder{Home: filepath.Join(t.TempDir(), "gone"), User: &syscall.Credential{Uid: 59251}}
	err := b.lock(b.Home)
	require.ErrorContains(t, err, "keep what was built from changes")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
}

func TestEachProcessIsLookedAtOnce(t *testing.T) {
	seen := map[int]int{}
	require.NoError(t, eachStatus(func(pid int, _ []byte) { seen[pid]++ }))
	assert.Equal(t, 1, seen[os.Getpid()])
	assert.NotContains(t, seen, 0)
}

func TestHowABuildIsKeptFromFilesIsSaid(t *testing.T) {
	assert.Equal(t, "files: none (no right to mount)", filesOf(confine.Isolation{Files: "none", FilesWhy: "no right to mount"}))
	assert.Equal(t, "files: mount namespace", filesOf(confine.Isolation{Files: "mount namespace"}))
}

// Other things than a build may fill a disk.
func TestABuildEndsWhereNoReserveIsLeft(t *testing.T) {
	ticks, ended := make(chan time.Time), make(chan error)
	b := &Builder{Home: t.TempDir(), Ticks: func() (<-chan time.Time, func()) { return ticks, func() {} }}
	h := &held{began: time.Now(), reserve: math.MaxInt64}
	h.bounds, _ = Bounds{}.settled(0, 0)
	unwatch := b.watch(h, 0, "building", &buildLog{to: io.Discard}, func(err error) { ended <- err })
	ticks <- h.began
	err := <-ended
	unwatch()
	require.ErrorContains(t, err, "of this machine's disk were left")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
}

func TestTheMachineIsMeasured(t *testing.T) {
	assert.Greater(t, memoryHere(), int64(64<<20))
	assert.Greater(t, diskFree(t.TempDir()), int64(1<<20))
	assert.Zero(t, diskFree("/gone"))
	status := []byte("Name:\tx\nUid:\t7\t8\t9\t10\nRssAnon:\t    12 kB\nBroken:\tmany kB\n")
	assert.EqualValues(t, 12*1024, inKilo(status, "RssAnon"))
	assert.Zero(t, inKilo(status, "Broken"))
	assert.Zero(t, inKilo(status, "VmSwap"))
	assert.EqualValues(t, 111*1024, memoryIn([]byte("RssAnon: 100 kB\nRssFile: 1000 kB\nRssShmem: 10 kB\nVmSwap: 1 kB\n")), "and nothing of files")
	assert.True(t, isOf(status, 7))
	assert.False(t, isOf(status, 8))
	assert.False(t, isOf(nil, 0))
	assert.Equal(t, "x", field(status, "Name"))
	assert.Empty(t, field(status, "ame"))
}

// Who names hosts is not told that a build is kept to them where it is not.
func TestABuildThatCannotBeKeptToItsHostsIsNotBegun(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "true")
	err := new(held).limit(&Builder{}, cmd, confine.Isolation{Network: confine.Advisory, NetworkWhy: "Linux 5.10"}, []string{"registry.example"}, nil)
	require.ErrorContains(t, err, "the network of builds cannot be limited here (Linux 5.10)")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.Empty(t, cmd.Env)
}

func TestWhyTheNetworkOfABuildEndedIsAnError(t *testing.T) {
	broken := errors.New("it accepts nobody any more")
	h := &held{served: make(chan error, 1)}
	h.served <- broken
	assert.ErrorIs(t, h.end(), broken)
}

func TestWhatCannotBeEndedIsAnError(t *testing.T) {
	own := t.TempDir()
	t.Setenv("TMPDIR", own)
	require.NoError(t, os.WriteFile(filepath.Join(own, "a"), nil, 0o600))
	err := (&Builder{User: &syscall.Credential{}}).Sweep(exec.CommandContext(t.Context(), "true"))
	assert.EqualError(t, err, "end what the build has left running: root builds nothing")
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can become another user")
	}
	b := &Builder{User: &syscall.Credential{}, Home: t.TempDir(), Path: os.Getenv("PATH"), Output: io.Discard}
	assert.ErrorContains(t, b.Run(t.Context(), b.Home, "true"), "root builds nothing")
	assert.FileExists(t, filepath.Join(own, "a"), "what is its own stays as long as it runs")
}

// withoutRights runs a test again as a user who is in a namespace of users alone. What goes
// wrong there ends no processes of others. Inside it reports true.
func withoutRights(t *testing.T, users ...syscall.SysProcIDMap) (inside bool) {
	t.Helper()
	const name = "GHXBUILD_TEST_INSIDE"
	if os.Getenv(name) != "" {
		return true
	}
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), name+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID, UidMappings: users}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.ENOSPC) {
		t.Skip("SKIPPED: there are no user namespaces")
	}
	require.NoError(t, err, string(out))
	assert.Contains(t, string(out), "--- PASS: "+t.Name())
	return false
}

// Whose rights do not do to end the processes of a user is not told that they have ended.
func TestWhoMayNotBecomeAUserEndsNothingOfTheirs(t *testing.T) {
	const uid = 59254
	if withoutRights(t, syscall.SysProcIDMap{HostID: os.Getuid(), Size: 1}) {
		assert.ErrorIs(t, killUser(uid), syscall.EINVAL)
	} else if os.Geteuid() == 0 {
		assert.NoError(t, killUser(uid), "who has none has nothing left")
	}
}

func TestWhoIsNotRootBuildsByThemselves(t *testing.T) {
	if withoutRights(t) {
		is, err := BuildUser()
		require.NoError(t, err)
		assert.Nil(t, is)
	}
}
