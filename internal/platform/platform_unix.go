//go:build unix

package platform

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// User is who a program runs as.
type User = syscall.Credential

// Stop is the signal that stops a process until it is continued, or killed.
const Stop = syscall.SIGSTOP

// Flags of opening files: links are not followed, nothing is waited for, and only a
// folder is opened.
const (
	NoFollow = syscall.O_NOFOLLOW
	NoWait   = syscall.O_NONBLOCK
	Folder   = syscall.O_DIRECTORY
)

// GroupLeader has a program lead a process group of its own, as a user; nil is our own.
func GroupLeader(user *User) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: user}
}

// SessionLeader has a program lead a session of its own, and a process group.
func SessionLeader() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// CloseOnExec keeps a file that was handed to this process from those that it starts.
func CloseOnExec(file *os.File) { syscall.CloseOnExec(int(file.Fd())) }

// Signal sends a signal to a process. The error is [syscall.ESRCH] where there is none.
func Signal(process int, signal syscall.Signal) error { return syscall.Kill(process, signal) }

// SignalGroup sends a signal to all processes of a group, which has the number of its
// leader. The error is [syscall.ESRCH] where there is none.
func SignalGroup(leader int, signal syscall.Signal) error { return syscall.Kill(-leader, signal) }

// Owner returns who owns a file; known is false where that cannot be told.
func Owner(info fs.FileInfo) (user, group int, known bool) {
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return 0, 0, false
	}
	return int(stat.Uid), int(stat.Gid), true
}

// Lock takes a file for this process, until it is closed. If another one has it, it
// waits, or the error is [syscall.EWOULDBLOCK].
func Lock(file *os.File, wait bool) error {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	return syscall.Flock(int(file.Fd()), how)
}

// Free returns the free bytes of the disk that a file is on.
func Free(path string) (uint64, error) {
	var disk unix.Statfs_t
	err := unix.Statfs(path, &disk)
	return disk.Bavail * uint64(disk.Bsize), err //nolint:gosec,unconvert,nolintlint // a block's size is positive; systems differ in its type
}
