package platform

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// User is who a program runs as, which is always who we are.
type User struct{ Uid, Gid uint32 }

// Stop is no signal of this system: nothing is stopped.
const Stop = syscall.Signal(0)

// Flags of opening files, which this system does not have.
const (
	NoFollow = 0
	NoWait   = 0
	Folder   = 0
)

// GroupLeader has a program lead a process group of its own.
func GroupLeader(*User) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// SessionLeader is [GroupLeader]: there are no sessions of this kind.
func SessionLeader() *syscall.SysProcAttr { return GroupLeader(nil) }

// Signal ends a process, whatever the signal, but for [Stop]. The error is
// [syscall.ESRCH] where there is none.
func Signal(process int, signal syscall.Signal) error {
	if signal == Stop {
		return nil
	}
	found, err := os.FindProcess(process)
	if err == nil {
		err = errors.Join(found.Kill(), found.Release())
	}
	if errors.Is(err, os.ErrProcessDone) || errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
		return syscall.ESRCH
	}
	return err
}

// SignalGroup ends the leader of a group alone: what it has started goes on.
func SignalGroup(leader int, signal syscall.Signal) error { return Signal(leader, signal) }

// CloseOnExec keeps a file that was handed to this process from those that it starts.
func CloseOnExec(file *os.File) { syscall.CloseOnExec(syscall.Handle(file.Fd())) }

// Owner knows no owners, which are no numbers here.
func Owner(fs.FileInfo) (user, group int, known bool) { return 0, 0, false }

// Lock takes a file for this process, until it is closed. If another one has it, it
// waits, or the error is [syscall.EWOULDBLOCK]. The lock is on a byte beyond all that a
// file has, as others could not read one that is locked.
func Lock(file *os.File, wait bool) error {
	how := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if !wait {
		how |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	err := windows.LockFileEx(windows.Handle(file.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return syscall.EWOULDBLOCK
	}
	return err
}

// Free returns the free bytes of the disk that a file is on.
func Free(path string) (uint64, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return free, err
}
