package confine

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// markName begins the mark in the environments of spaces without an own user.
const markName = "BENCH_SPACE="

// process is what /proc tells of one; see proc_pid_stat(5).
type process struct {
	Entry
	parent, session int
	zombie          bool
	// settled is false while a new program's environment is not in place yet.
	settled bool
	// kernel is true for a thread of the kernel, which has none.
	kernel bool
}

// living lists the space's processes that have not ended. sure is false if
// there are others of which it cannot be told yet whether they are the
// space's.
func (h *hold) living() (entries []Entry, sure bool, err error) {
	members, sure, err := h.members()
	if err != nil {
		return nil, false, err
	}
	for _, p := range members {
		if !p.zombie {
			entries = append(entries, p.Entry)
		}
	}
	return entries, sure, nil
}

// members returns the space's processes, and the zombies among our children
// that were such. For sure see living.
func (h *hold) members() (members []process, sure bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.user != nil {
		members, err = processesOf(h.uid)
		return members, true, err
	}
	// No child of ours is between fork and exec while this is held, where it
	// still has our environment.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	all, err := processesOf(h.uid)
	if err != nil {
		return nil, false, err
	}
	self := os.Getpid()
	ownSession, err := unix.Getsid(0)
	if err != nil {
		return nil, false, err
	}
	sure = true
	byID := map[int]process{}
	for _, p := range all {
		byID[p.PID] = p
	}
	ours := map[int]bool{}
	for _, p := range all {
		ours[p.PID] = h.direct[p.PID] || h.known[p.PID] == p.start
		orphan := p.parent == self && p.session != ownSession
		switch {
		case ours[p.PID]:
		case p.zombie:
			ours[p.PID] = orphan && h.sessions[p.session]
		case !p.kernel:
			owned, known := h.owns(p.PID, orphan)
			ours[p.PID], sure = owned, sure && known
		}
	}
	members = slices.DeleteFunc(all, func(p process) bool { return !descends(p, byID, ours) })
	for _, p := range members {
		h.known[p.PID] = p.start
	}
	return members, sure, nil
}

// descends reports whether p or one of its ancestors is ours.
func descends(p process, byID map[int]process, ours map[int]bool) bool {
	for range len(byID) + 1 {
		if ours[p.PID] {
			return true
		}
		parent, known := byID[p.parent]
		if !known {
			return false
		}
		p = parent
	}
	return false
}

// owns reports whether a process has the space's mark, or is an orphan that
// has shed its mark: our other children are in our session or have the mark of
// another space. known is false while it is about to become another program.
func (h *hold) owns(pid int, orphan bool) (owned, known bool) {
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err == nil && len(environ) == 0 {
		p, err := readProcess(pid)
		if err != nil || p.zombie {
			return false, true
		}
		if !p.settled {
			return false, false
		}
	}
	if hasVariable(environ, h.mark) {
		return true, true
	}
	return orphan && !hasVariable(environ, markName), true
}

// hasVariable reports whether one of the variables, each ended by a zero byte,
// begins with a prefix.
func hasVariable(environ []byte, prefix string) bool {
	return slices.ContainsFunc(bytes.Split(environ, []byte{0}), func(variable []byte) bool {
		return bytes.HasPrefix(variable, []byte(prefix))
	})
}

// reap takes the space's zombies off the list of processes. Those that we
// wait for elsewhere are left.
func (h *hold) reap() {
	members, _, err := h.members()
	if err != nil {
		return
	}
	self := os.Getpid()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range members {
		if p.zombie && p.parent == self && !h.direct[p.PID] {
			// Whoever was faster has done what is wanted.
			_, _ = unix.Wait4(p.PID, nil, unix.WNOHANG, nil)
		}
	}
}

// signal sends a signal to the process, if it is there still, and to no other
// that has got its number.
func (h *hold) signal(e Entry, signal syscall.Signal) {
	handle, err := os.FindProcess(e.PID)
	if err != nil {
		return
	}
	defer func() { _ = handle.Release() }()
	if now, err := readProcess(e.PID); err == nil && now.start == e.start {
		_ = handle.Signal(signal)
	}
}

// processesOf returns the processes with a user id among their real,
// effective, saved and file system's.
func processesOf(uid int) ([]process, error) {
	var found []process
	err := eachProcess(func(pid int, uids []int) {
		if !slices.Contains(uids, uid) {
			return
		}
		if p, err := readProcess(pid); err == nil {
			found = append(found, p)
		}
	})
	return found, err
}

// usersInUse returns the user ids that processes have.
func usersInUse() (map[int]bool, error) {
	used := map[int]bool{}
	err := eachProcess(func(_ int, uids []int) {
		for _, uid := range uids {
			used[uid] = true
		}
	})
	return used, err
}

// eachProcess calls f for every process, with its four user ids. Processes
// that end meanwhile are left out.
func eachProcess(f func(pid int, uids []int)) error {
	proc, err := os.Open("/proc")
	if err != nil {
		return err
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		status, err := os.ReadFile("/proc/" + name + "/status")
		if err != nil {
			continue
		}
		if uids := userIDs(string(status)); uids != nil {
			f(pid, uids)
		}
	}
	return nil
}

// userIDs reads the line "Uid: real effective saved file system's".
func userIDs(status string) []int {
	for line := range strings.Lines(status) {
		rest, found := strings.CutPrefix(line, "Uid:")
		if !found {
			continue
		}
		var uids []int
		for _, field := range strings.Fields(rest) {
			uid, err := strconv.Atoi(field)
			if err != nil {
				return nil
			}
			uids = append(uids, uid)
		}
		return uids
	}
	return nil
}

// Places in /proc/<pid>/stat, counted from the field after the name.
const (
	statState, statParent, statSession, statFlags, statStart, statEnvEnd = 0, 1, 3, 6, 19, 48
)

// kernelThread is PF_KTHREAD of linux/sched.h.
const kernelThread = 0x00200000

var errNoStat = errors.New("no process")

func readProcess(pid int) (process, error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, err
	}
	// The name is in parentheses and may have any character.
	open, end := bytes.IndexByte(content, '('), bytes.LastIndexByte(content, ')')
	if open < 0 || end < open {
		return process{}, errNoStat
	}
	fields := strings.Fields(string(content[end+1:]))
	if len(fields) <= statEnvEnd {
		return process{}, errNoStat
	}
	p := process{Entry: Entry{PID: pid, Name: string(content[open+1 : end])}}
	p.zombie = fields[statState] == "Z" || fields[statState] == "X"
	p.settled = fields[statEnvEnd] != "0"
	flags, _ := strconv.ParseUint(fields[statFlags], 10, 64)
	p.kernel = flags&kernelThread != 0
	p.parent, _ = strconv.Atoi(fields[statParent])
	p.session, _ = strconv.Atoi(fields[statSession])
	if p.start, err = strconv.ParseUint(fields[statStart], 10, 64); err != nil {
		return process{}, err
	}
	return p, nil
}
