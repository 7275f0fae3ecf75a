//go:build unix && !linux

package confine

import (
	"context"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// onlyLinux is why nothing stronger is had on other systems.
const onlyLinux = "this is had on Linux only"

// hold keeps processes in groups of their own, which is all that is done on
// systems other than Linux: a daemon that leaves its group is not found.
type hold struct {
	mu     sync.Mutex
	direct map[int]string
}

func openHold(opts Options) (*hold, Isolation, error) {
	if opts.User == OwnUser || opts.Network == Namespace || opts.Network == Landlock {
		return nil, Isolation{}, fault.Infraf("hold the agent by %s and %s: %s", opts.User, opts.Network, onlyLinux)
	}
	return &hold{direct: map[int]string{}}, Isolation{
		User: ProcessGroup, UID: os.Geteuid(), UserWhy: onlyLinux, Network: Advisory, NetworkWhy: onlyLinux,
	}, nil
}

func (h *hold) listen() (net.Listener, error) {
	return new(net.ListenConfig).Listen(context.Background(), "tcp4", "127.0.0.1:0")
}

func (h *hold) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, addr)
}

func (h *hold) start(cmd *exec.Cmd) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	h.direct[cmd.Process.Pid] = cmd.Path
	return nil
}

// living lists the leaders of the groups; a signal goes to the whole group.
func (h *hold) living() (entries []Entry, sure bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for pid, path := range h.direct {
		entries = append(entries, Entry{PID: pid, Name: path})
	}
	return entries, true, nil
}

func (h *hold) signal(e Entry, signal syscall.Signal) {
	// A group that is gone already is what is wanted.
	_ = syscall.Kill(-e.PID, signal)
}

func (h *hold) reap() {}

func (h *hold) forget(pid int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.direct, pid)
}

func (h *hold) close() error { return nil }

// wait waits for cmd and calls ended when it has ended.
func wait(cmd *exec.Cmd, ended func()) error {
	defer ended()
	return cmd.Wait()
}

// HardenSelf does nothing on this system.
func HardenSelf() error { return nil }
