package confine

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/ghx-dev/bench-action/internal/fault"
)

const (
	// loopback is what a space's servers listen on; the kernel draws the
	// port.
	loopback = "127.0.0.1:0"
	// agentUmask keeps what the agent writes from other users.
	agentUmask = 0o077
	// maxProcesses bounds the processes, counted with their threads, of a
	// space with a user of its own; maxOpenFiles the files that a process may
	// have open.
	maxProcesses = 2048
	maxOpenFiles = 1 << 16
)

// hold is what the kernel does for a space.
type hold struct {
	network  Network
	user     *claim   // nil under our own user
	uid      int      // of the space's processes
	mark     string   // what is in their environments, empty with an own user
	starter  *thread  // starts the processes
	netns    *os.File // nil outside of a network namespace
	mu       sync.Mutex
	ports    []uint16
	landlock bool // the starter is restricted to ports
	// direct are the processes that we started and wait for, sessions all
	// sessions that began with one, and known all processes ever seen with
	// their start.
	direct   map[int]bool
	sessions map[int]bool
	known    map[int]uint64
}

func openHold(opts Options) (*hold, Isolation, error) {
	h := &hold{direct: map[int]bool{}, sessions: map[int]bool{}, known: map[int]uint64{}}
	isolation := Isolation{}
	var err error
	if isolation.User, isolation.UserWhy, err = h.takeUser(opts.User); err != nil {
		return nil, Isolation{}, err
	}
	isolation.UID = h.uid
	if err := limitSelf(isolation.User); err != nil {
		_ = h.close()
		return nil, Isolation{}, err
	}
	if isolation.Network, isolation.NetworkWhy, err = h.takeNetwork(opts.Network); err != nil {
		_ = h.close()
		return nil, Isolation{}, err
	}
	h.network = isolation.Network
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

// takeNetwork starts the thread that starts the processes, held as demanded
// or as strongly as can be.
func (h *hold) takeNetwork(demand Network) (Network, string, error) {
	var why string
	if demand == "" || demand == Namespace {
		err := h.enterNamespace()
		if err == nil {
			return Namespace, "", nil
		}
		if demand == Namespace {
			return "", "", fault.Infraf("make a network namespace: %w", err)
		}
		why = fmt.Sprintf("no network namespace: %v", err)
	} else {
		why = "this was asked for"
	}
	starter, err := newThread(prepareStarter)
	if err != nil {
		return "", "", fault.Infraf("prepare the thread that starts processes: %w", err)
	}
	h.starter = starter
	if demand == Advisory {
		return Advisory, why, nil
	}
	if err := starter.do(filterSockets); err != nil {
		why = fmt.Sprintf("%s; UDP is not refused: %v", why, err)
	}
	if err := landlockUsable(); err != nil {
		if demand == Landlock {
			return "", "", fault.Infraf("restrict connections: %w", err)
		}
		return Advisory, fmt.Sprintf("%s; no Landlock: %v", why, err), nil
	}
	return Landlock, why, nil
}

// prepareStarter makes the calling thread, and with it what it starts, unable
// to gain rights, and gives it a file mode mask apart from that of the
// process.
func prepareStarter() error {
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return fmt.Errorf("unshare the file mode mask: %w", err)
	}
	unix.Umask(agentUmask)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set no_new_privs: %w", err)
	}
	return nil
}

func (h *hold) enterNamespace() error {
	starter, err := newThread(func() error {
		if err := prepareStarter(); err != nil {
			return err
		}
		netns, err := newNetns()
		h.netns = netns
		return err
	})
	h.starter = starter
	return err
}

func (h *hold) listen() (net.Listener, error) {
	if h.netns == nil {
		return h.listenHere()
	}
	var l net.Listener
	err := h.starter.do(func() (err error) {
		l, err = listenLoopback()
		return err
	})
	return l, err
}

func (h *hold) listenHere() (net.Listener, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.landlock {
		return nil, fault.Internalf("a process was started already, and its ports are settled")
	}
	l, err := listenLoopback()
	if err == nil {
		h.ports = append(h.ports, uint16(l.Addr().(*net.TCPAddr).Port))
	}
	return l, err
}

func listenLoopback() (net.Listener, error) {
	return new(net.ListenConfig).Listen(context.Background(), "tcp4", loopback)
}

// dial connects from a thread that is thrown away, so that a server which
// does not answer holds nothing up.
func (h *hold) dial(ctx context.Context, network, addr string) (conn net.Conn, err error) {
	if h.netns == nil {
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
	visitor, err := newThread(func() error { return unix.Setns(int(h.netns.Fd()), unix.CLONE_NEWNET) })
	if err != nil {
		return nil, fmt.Errorf("enter the network namespace: %w", err)
	}
	defer visitor.stop()
	err = visitor.do(func() (err error) {
		conn, err = new(net.Dialer).DialContext(ctx, network, addr)
		return err
	})
	return conn, err
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
	err := h.starter.do(func() error {
		if err := h.restrict(); err != nil {
			return err
		}
		// What we inherited is not marked by Go to be closed. Kernels before
		// 5.11 do not know how.
		_ = unix.CloseRange(firstInherited, maxDescriptor, unix.CLOSE_RANGE_CLOEXEC)
		return cmd.Start()
	})
	if err != nil {
		return err
	}
	pid := cmd.Process.Pid
	h.direct[pid], h.sessions[pid] = true, true
	return nil
}

// The descriptors after standard input, output and error.
const (
	firstInherited = 3
	maxDescriptor  = 1<<32 - 1
)

// restrict applies Landlock's rules to the starter once.
func (h *hold) restrict() error {
	if h.network != Landlock || h.landlock {
		return nil
	}
	if err := landlockThread(h.ports); err != nil {
		return fmt.Errorf("restrict connections: %w", err)
	}
	h.landlock = true
	return nil
}

// limitSelf lowers what this process may use, which those that it starts
// inherit: limiting another user's process from outside takes a right that
// containers lack. Core files, which would hold our secrets, are not written.
func limitSelf(user User) error {
	limits := map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: maxOpenFiles}
	if user == OwnUser {
		// Counted by user, and not for root. Under our own user, processes
		// that are not the agent's would count too.
		limits[unix.RLIMIT_NPROC] = maxProcesses
	}
	for resource, limit := range limits {
		var now unix.Rlimit
		if err := unix.Getrlimit(resource, &now); err != nil {
			return fault.Infraf("read the limits of this process: %w", err)
		}
		if now.Max <= limit {
			continue
		}
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: min(now.Cur, limit), Max: limit}); err != nil {
			return fault.Infraf("limit this process: %w", err)
		}
	}
	return nil
}

// forget is told that a started process was waited for.
func (h *hold) forget(pid int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.direct, pid)
}

// close gives everything back. The processes have ended.
func (h *hold) close() error {
	h.starter.stop()
	if h.netns != nil {
		_ = h.netns.Close()
	}
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
