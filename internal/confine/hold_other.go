//go:build !linux

package confine

import (
	"context"
	"net"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/platform"
)

// onlyLinux is why nothing stronger is had on other systems.
const onlyLinux = "this is had on Linux only"

// hold keeps processes in groups of their own, which is all that is done on
// systems other than Linux: a daemon that leaves its group is not found.
type hold struct {
	*Cage
	mu     sync.Mutex
	direct map[int]string
}

func openHold(opts Options) (*hold, Isolation, error) {
	if runtime.GOOS == "windows" {
		return nil, Isolation{}, fault.Infraf("agents are not started on Windows, where they could not be ended: use Linux, such as WSL, or macOS")
	}
	if opts.User == OwnUser || opts.Network == Namespace || opts.Network == Landlock {
		return nil, Isolation{}, fault.Infraf("hold the agent by %s and %s: %s", opts.User, opts.Network, onlyLinux)
	}
	cage, isolation, err := OpenCage(CageOptions{View: opts.View})
	isolation.User, isolation.UID, isolation.UserWhy = ProcessGroup, os.Geteuid(), onlyLinux
	return &hold{Cage: cage, direct: map[int]string{}}, isolation, err
}

// Cage starts commands as they are.
type Cage struct{}

// OpenCage makes a cage, which holds nothing on systems other than Linux.
func OpenCage(opts CageOptions) (*Cage, Isolation, error) {
	isolation := Isolation{Network: Advisory, NetworkWhy: onlyLinux}
	if opts.Network == Unlimited {
		isolation.Network = Unlimited
	}
	if opts.View != nil {
		isolation.Files, isolation.FilesWhy = OurFiles, onlyLinux
	}
	return &Cage{}, isolation, nil
}

// Listen listens on loopback.
func (c *Cage) Listen() (net.Listener, error) {
	return new(net.ListenConfig).Listen(context.Background(), "tcp4", "127.0.0.1:0")
}

// ListenAt is refused: there is no namespace.
func (c *Cage) ListenAt(uint16) (net.Listener, error) { return nil, errNoNamespace }

// Start starts a command.
func (c *Cage) Start(cmd *exec.Cmd) error { return cmd.Start() }

// Folder is empty: the cage has none.
func (c *Cage) Folder() string { return "" }

// Close does nothing.
func (c *Cage) Close() error { return nil }

func (h *hold) keep(string) {}

func (h *hold) shows(string) bool { return true }

func (c *Cage) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, addr)
}

func (h *hold) start(cmd *exec.Cmd) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	cmd.SysProcAttr = platform.SessionLeader()
	if err := h.Start(cmd); err != nil {
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
	_ = platform.SignalGroup(e.PID, signal)
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
