package confine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// firstUID and lastUID are the range of the users, and of the groups with
	// the same numbers, that spaces run under. It ends below what systemd and
	// distributions give away, and within the 65,536 ids that most containers
	// have. Ids with an account are left alone.
	firstUID = 58000
	lastUID  = 58999

	// claimsFolder has a lock file for each user that is taken, so that
	// several processes of ours on one machine do not take the same.
	claimsFolder = "/run/bench-action"
	lockPerm     = 0o600
)

// neededCapabilities are what it takes to run, own the files of and end
// another user's processes.
const neededCapabilities uint64 = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER |
	1<<unix.CAP_KILL | 1<<unix.CAP_SETGID | 1<<unix.CAP_SETUID

// claim is a user that is ours alone while it is held.
type claim struct {
	uid  int
	lock *os.File
}

// claimUser takes a user that no process runs under. The error says in a
// sentence why none can be had.
func claimUser() (*claim, error) {
	if err := canSwitchUser(); err != nil {
		return nil, err
	}
	if err := makeClaimsFolder(claimsFolder); err != nil {
		return nil, err
	}
	taken, err := usersInUse()
	if err != nil {
		return nil, err
	}
	const count = lastUID - firstUID + 1
	// A random first one keeps spaces from following each other under one
	// user.
	offset := rand.IntN(count)
	for i := range count {
		uid := firstUID + (offset+i)%count
		if taken[uid] {
			continue
		}
		if _, err := user.LookupId(strconv.Itoa(uid)); err == nil {
			continue
		}
		if lock, err := lockFile(filepath.Join(claimsFolder, strconv.Itoa(uid))); err == nil {
			return &claim{uid: uid, lock: lock}, nil
		}
	}
	return nil, fmt.Errorf("all users from %d to %d are taken", firstUID, lastUID)
}

// canSwitchUser tells why we cannot act as another user.
func canSwitchUser() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return fmt.Errorf("read our capabilities: %w", err)
	}
	const half = 32
	if have := uint64(data[0].Effective) | uint64(data[1].Effective)<<half; have&neededCapabilities != neededCapabilities {
		return errors.New("we are not root, or root without the right to act as another user")
	}
	for _, file := range []string{"/proc/self/uid_map", "/proc/self/gid_map"} {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if !maps(string(content), firstUID, lastUID) {
			return fmt.Errorf("this container has no ids from %d to %d", firstUID, lastUID)
		}
	}
	if content, err := os.ReadFile("/proc/self/setgroups"); err == nil && strings.TrimSpace(string(content)) == "deny" {
		return errors.New("this container does not let processes give up groups")
	}
	return nil
}

// maps reports whether a line of a user namespace's id map, "inside outside
// count", has all ids from first to last.
func maps(content string, first, last uint64) bool {
	for line := range strings.Lines(content) {
		var inside, outside, count uint64
		if n, _ := fmt.Sscan(line, &inside, &outside, &count); n == 3 && inside <= first && last < inside+count {
			return true
		}
	}
	return false
}

// makeClaimsFolder makes the folder, or checks that the one there is root's
// alone.
func makeClaimsFolder(path string) error {
	if err := os.Mkdir(path, ownPerm); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if owner := info.Sys().(*syscall.Stat_t).Uid; !info.IsDir() || owner != 0 || info.Mode().Perm() != ownPerm {
		return fmt.Errorf("%s is not a folder of root's alone", path)
	}
	return nil
}

func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, lockPerm)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// release gives the user back. The lock file stays: removing it would let two
// processes hold locks on two files of one name.
func (c *claim) release() error { return c.lock.Close() }

// sweep removes what the user left where everyone may write, so that the next
// space with this user does not find it.
func (c *claim) sweep() {
	for _, folder := range []string{"/tmp", "/var/tmp", "/dev/shm"} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			info, err := entry.Info()
			if err == nil && int(info.Sys().(*syscall.Stat_t).Uid) == c.uid {
				// What cannot be removed harms nobody but a later agent.
				_ = os.RemoveAll(filepath.Join(folder, entry.Name()))
			}
		}
	}
}
