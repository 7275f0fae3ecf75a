package ghxbuild

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ghx-dev/bench-action/internal/confine"
)

const (
	// enderID is the number of a user that nothing else runs as, above those
	// of agents.
	enderID = 59999
	// endTime bounds the ending of processes, endPause is the time between two
	// looks at them.
	endTime  = 10 * time.Second
	endPause = 2 * time.Millisecond
)

// endUser ends all processes of a user, and returns when none is left.
func endUser(user *syscall.Credential) error {
	if err := killUser(user.Uid); err != nil {
		return err
	}
	deadline := time.NewTimer(endTime)
	defer deadline.Stop()
	for {
		left, err := reapUser(user.Uid)
		if err == nil && left == 0 {
			// While the list was read, orphans may have become ours.
			_, err = reapUser(user.Uid)
			return err
		}
		if err != nil {
			return err
		}
		pause := time.NewTimer(endPause)
		select {
		case <-pause.C:
		case <-deadline.C:
			pause.Stop()
			return fmt.Errorf("%d processes of user %d are left", left, user.Uid)
		}
	}
}

// killUser sends SIGKILL to all processes of a user at once, so that none can
// start another in between. A thread of ours does it that is of this user to
// those that it signals and of another one to those who would signal it: a
// program that did it as the user could be stopped by what it is to end.
func killUser(uid uint32) error {
	if uid == 0 {
		return errors.New("root builds nothing")
	}
	done := make(chan unix.Errno)
	go confine.OnPlainThread(func() {
		// The thread ends with this, and nothing else has its rights.
		_, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, enderID, uintptr(uid), enderID)
		if errno == 0 {
			const all = ^uintptr(0) // -1: see kill(2)
			_, _, errno = unix.RawSyscall(unix.SYS_KILL, all, uintptr(unix.SIGKILL), 0)
		}
		done <- errno
	})
	if errno := <-done; errno != 0 && errno != unix.ESRCH {
		return errno
	}
	return nil
}

// reapUser counts the living processes of a user, and takes those off the list
// of processes that have ended and are our children: orphans of builds are,
// and nobody waits for them.
func reapUser(uid uint32) (living int, err error) {
	err = eachStatus(func(pid int, status []byte) {
		if !isOf(status, uid) {
			return
		}
		if state := field(status, "State"); !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X") {
			living++
		} else if field(status, "PPid") == strconv.Itoa(os.Getpid()) {
			// Who else waits for it takes it as well.
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
		}
	})
	return living, err
}

// eachStatus calls f with the status of every process: see proc_pid_status(5).
func eachStatus(f func(pid int, status []byte)) error {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if status, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "status")); err == nil { // else it has gone
			f(pid, status)
		}
	}
	return nil
}

// isOf reports whether a process is a user's, by the first of its ids, which is the
// real one.
func isOf(status []byte, uid uint32) bool {
	ids := strings.Fields(field(status, "Uid"))
	return len(ids) > 0 && ids[0] == strconv.FormatUint(uint64(uid), 10)
}

// field returns a field of a process's status.
func field(status []byte, name string) string {
	_, rest, _ := strings.Cut("\n"+string(status), "\n"+name+":")
	value, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(value)
}

// removeLeft removes what a user has left where everyone may write, but for the
// home, so that later builds do not find it. Nothing of the user's runs.
func removeLeft(user *syscall.Credential, home string) {
	for _, path := range leftBy(user.Uid, home) {
		// What cannot be removed is no more than what was there.
		_ = os.RemoveAll(path)
	}
}

// leftBy lists what a user has where everyone may write, but for the home.
func leftBy(uid uint32, home string) (paths []string) {
	except, err := os.Stat(home)
	if err != nil {
		return nil
	}
	for _, folder := range []string{os.TempDir(), "/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock"} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			info, err := entry.Info()
			if err == nil && !os.SameFile(info, except) && info.Sys().(*syscall.Stat_t).Uid == uid {
				paths = append(paths, filepath.Join(folder, entry.Name()))
			}
		}
	}
	return paths
}
