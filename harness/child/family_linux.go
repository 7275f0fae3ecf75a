package child

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ghx-dev/bench-action/internal/fault"
)

const (
	// killTime is how long it is tried to end what a program has left.
	killTime = 5 * time.Second
	// killPause is the time between two looks at processes that are ending.
	killPause = 2 * time.Millisecond
)

// attributes are those of every program. SIGTERM at our death lets it end what
// it has started, which SIGKILL would not.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGTERM}
}

// wait waits for cmd and calls ended when it has ended and its number cannot
// be another's yet.
func wait(cmd *exec.Cmd, ended func()) error {
	for unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	ended()
	return cmd.Wait()
}

// kin is a process; see proc_pid_stat(5).
type kin struct {
	pid, parent, group, session int
	// start, in clock ticks since boot, tells the process from a later one
	// with the same number.
	start string
}

// family are processes that a program has started, and itself.
type family []kin

// living lists the processes that have not ended, of the program's group and
// session, with its mark, and descended from such.
func (p *Process) living() family {
	names, err := readNames("/proc")
	if err != nil {
		return nil
	}
	byID := map[int]kin{}
	ours := map[int]bool{}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		k, alive := readKin(pid)
		if !alive {
			continue
		}
		byID[pid] = k
		ours[pid] = k.group == p.PID() || k.session == p.PID() || p.marked(pid)
	}
	var found family
	for _, k := range byID {
		if descends(k, byID, ours) {
			found = append(found, k)
		}
	}
	return found
}

func readNames(dir string) ([]string, error) {
	folder, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return folder.Readdirnames(-1)
}

// marked reports whether a process has the mark. Environments of other users
// cannot be read, and are not ours.
func (p *Process) marked(pid int) bool {
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && slices.ContainsFunc(bytes.Split(environ, []byte{0}), func(entry []byte) bool {
		return string(entry) == p.mark
	})
}

// descends reports whether k or one of its ancestors is ours.
func descends(k kin, byID map[int]kin, ours map[int]bool) bool {
	for range len(byID) + 1 {
		if ours[k.pid] {
			return true
		}
		parent, known := byID[k.parent]
		if !known {
			return false
		}
		k = parent
	}
	return false
}

// Places in /proc/<pid>/stat, counted from the field after the name.
const (
	statState, statParent, statGroup, statSession, statStart = 0, 1, 2, 3, 19
)

// readKin returns a process that has not ended.
func readKin(pid int) (k kin, alive bool) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return kin{}, false
	}
	// The name is in parentheses and may have any character.
	fields := strings.Fields(string(content[bytes.LastIndexByte(content, ')')+1:]))
	if len(fields) <= statStart || strings.ContainsAny(fields[statState], "ZX") {
		return kin{}, false
	}
	k = kin{pid: pid, start: fields[statStart]}
	for place, to := range map[int]*int{statParent: &k.parent, statGroup: &k.group, statSession: &k.session} {
		if *to, err = strconv.Atoi(fields[place]); err != nil {
			return kin{}, false
		}
	}
	return k, true
}

// alive returns those that have not ended.
func (f family) alive() family {
	return slices.DeleteFunc(slices.Clone(f), func(k kin) bool {
		now, alive := readKin(k.pid)
		return !alive || now.start != k.start
	})
}

// with returns the processes of both.
func (f family) with(others family) family {
	for _, o := range others {
		if !slices.ContainsFunc(f, func(k kin) bool { return k.pid == o.pid && k.start == o.start }) {
			f = append(f, o)
		}
	}
	return f
}

// kill ends those that are still there.
func (f family) kill() {
	for _, k := range f.alive() {
		// One that is gone already is what is wanted.
		_ = syscall.Kill(k.pid, syscall.SIGKILL)
	}
}

// kill ends what the program has left running, and what was known to be of it.
// The error, of kind infrastructure, says what cannot be ended.
//
// A process that is ending loses its mark before it is gone, so all that were
// found are waited for. The list of processes is no snapshot: one that forks
// and ends while it is read leaves a child that it lacks, so an empty list is
// believed at the second time.
func (p *Process) kill(known family) error {
	ctx, cancel := context.WithTimeout(context.Background(), killTime)
	defer cancel()
	pause := time.NewTicker(killPause)
	defer pause.Stop()
	for empty := false; ; {
		known = known.alive().with(p.living())
		switch {
		case len(known) > 0:
			empty = false
			known.kill()
		case empty:
			return nil
		default:
			empty = true
			continue
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return fault.Infraf("end what %s has started: process %d is left", p.name, known[0].pid)
		}
	}
}
