package confine

import (
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// agentUmask keeps what the agent writes from other users.
const agentUmask = 0o077

// hold is what the kernel does for a space.
type hold struct {
	*Cage        // starts the processes
	user  *claim // nil under our own user
	uid   int    // of the space's processes
	mark  string // what is in their environments, empty with an own user

	mu sync.Mutex
	// direct are the processes that we started and wait for, sessions all
	// sessions that began with one, and known all processes ever seen with
	// their start.
	direct   map[int]bool
	sessions map[int]bool
	known    map[int]uint64
}

func openHold(opts Options) (*hold, Isolation, error) {
	h := &hold{direct: map[int]bool{}, sessions: map[int]bool{}, known: map[int]uint64{}}
	user, why, err := h.takeUser(opts.User)
	if err != nil {
		return nil, Isolation{}, err
	}
	cage, isolation, err := OpenCage(CageOptions{
		Base: opts.Base, Network: opts.Network, View: opts.View, OwnUser: user == OwnUser, Umask: agentUmask,
	})
	if err != nil {
		return nil, Isolation{}, errors.Join(err, h.giveUserBack())
	}
	h.Cage = cage
	isolation.User, isolation.UserWhy, isolation.UID = user, why, h.uid
	return h, isolation, nil
}

// takeUser gives the space a user of its own unless the demand is another or
// it cannot be had.
func (h *hold) takeUser(demand User) (User, string, error) {
	why := "this was asked for"
	if demand != ProcessGroup {
		user, err := claimUser()
		if err == nil {
			h.user, h.uid = user, user.uid
			return OwnUser, "", nil
		}
		if demand == OwnUser {
			return "", "", fault.Infraf("take a user of its own: %w", err)
		}
		why = err.Error()
	}
	// Orphans come to us and not to init, so that they can be found.
	if err := becomeReaper(); err != nil {
		return "", "", err
	}
	h.uid = os.Geteuid()
	h.mark = markName + rand.Text()
	return ProcessGroup, why, nil
}

// start starts cmd as a process of the space.
func (h *hold) start(cmd *exec.Cmd) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	// The thread stays, and with it the process if ours is killed outright:
	// the kernel then kills what the thread started.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if h.user != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(h.uid), Gid: uint32(h.uid)}
	} else {
		cmd.Env = append(cmd.Env, h.mark)
	}
	if err := h.Start(cmd); err != nil {
		return err
	}
	pid := cmd.Process.Pid
	h.direct[pid], h.sessions[pid] = true, true
	return nil
}

// forget is told that a started process was waited for.
func (h *hold) forget(pid int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.direct, pid)
}

// keep has a folder be seen by what is started, whatever it is in.
func (h *hold) keep(folder string) {
	if h.view != nil {
		h.view.add(folder, kept)
	}
}

// shows reports whether what is at a path, which has no links, can be seen by
// what is started, as far as its rights go.
func (h *hold) shows(path string) bool { return h.view == nil || h.view.shows(path) }

// close gives everything back. The processes have ended.
func (h *hold) close() error { return errors.Join(h.Close(), h.giveUserBack()) }

func (h *hold) giveUserBack() error {
	if h.user == nil {
		return nil
	}
	h.user.sweep()
	return h.user.release()
}

// wait waits for cmd and calls ended when it has ended and its number cannot
// be another's yet.
func wait(cmd *exec.Cmd, ended func()) error {
	for unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	ended()
	return cmd.Wait()
}
