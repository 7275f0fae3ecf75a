package confine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/ghx-dev/bench-action/internal/fault"
)

const (
	// loopback is what a cage's servers listen on.
	loopback = "127.0.0.1"
	// maxProcesses bounds the processes, counted with their threads, of a
	// user of a cage's own; maxOpenFiles the files that a process may have
	// open.
	maxProcesses = 2048
	maxOpenFiles = 1 << 16
)

// Cage starts commands whose network and view of the file system the kernel
// holds. It is a thread of ours that is held like that itself: whatever it
// starts is held as well, with all that comes of it.
type Cage struct {
	starter *thread
	umask   int
	network Network
	netns   *os.File // nil outside of a network namespace
	view    *view    // nil where files are as we see them

	mu      sync.Mutex
	ports   []uint16
	settled bool // something was started
}

// OpenCage makes a cage. Of the isolation it tells how network and files are
// held. The error is of kind infrastructure if what is demanded cannot be had
// here.
func OpenCage(opts CageOptions) (*Cage, Isolation, error) {
	c := &Cage{umask: opts.Umask}
	var isolation Isolation
	err := limitSelf(opts.OwnUser)
	if err == nil {
		isolation.Network, isolation.NetworkWhy, err = c.takeNetwork(opts.Network)
	}
	if err == nil && opts.View != nil {
		isolation.Files, isolation.FilesWhy, err = c.takeView(opts)
	}
	if err != nil {
		return nil, Isolation{}, errors.Join(err, c.Close())
	}
	c.network = isolation.Network
	return c, isolation, nil
}

// takeNetwork starts the thread that starts the processes, held as demanded
// or as strongly as can be.
func (c *Cage) takeNetwork(demand Network) (Network, string, error) {
	why := "this was asked for"
	if demand == "" || demand == Namespace {
		err := c.enterNamespace()
		if err == nil {
			return Namespace, "", nil
		}
		if demand == Namespace {
			return "", "", fault.Infraf("make a network namespace: %w", err)
		}
		why = fmt.Sprintf("no network namespace: %v", err)
	}
	starter, err := newThread(c.prepare)
	if err != nil {
		return "", "", fault.Infraf("prepare the thread that starts processes: %w", err)
	}
	c.starter = starter
	if demand == Advisory || demand == Unlimited {
		return demand, why, nil
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

// prepare makes the calling thread, and with it what it starts, unable to gain
// rights, and gives it a file mode mask apart from that of the process.
func (c *Cage) prepare() error {
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return fmt.Errorf("unshare the file mode mask: %w", err)
	}
	if c.umask != 0 {
		unix.Umask(c.umask)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set no_new_privs: %w", err)
	}
	return nil
}

func (c *Cage) enterNamespace() error {
	starter, err := newThread(func() error {
		if err := c.prepare(); err != nil {
			return err
		}
		netns, err := newNetns()
		c.netns = netns
		return err
	})
	c.starter = starter
	return err
}

// Listen returns a listener that what the cage starts reaches at its address,
// on loopback. It must be called before the first Start: under [Landlock] the
// ports are settled by then.
func (c *Cage) Listen() (net.Listener, error) {
	if c.netns == nil {
		return c.listenHere()
	}
	return c.ListenAt(0)
}

// ListenAt is Listen at a port of the caller's choice, which there is in a
// [Namespace] alone: elsewhere the port is that of the whole machine.
func (c *Cage) ListenAt(port uint16) (l net.Listener, err error) {
	if c.netns == nil {
		return nil, errNoNamespace
	}
	err = c.starter.do(func() (err error) {
		l, err = listenLoopback(port)
		return err
	})
	return l, err
}

func (c *Cage) listenHere() (net.Listener, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.settled && c.network == Landlock {
		return nil, fault.Internalf("a process was started already, and its ports are settled")
	}
	l, err := listenLoopback(0)
	if err == nil {
		c.ports = append(c.ports, uint16(l.Addr().(*net.TCPAddr).Port))
	}
	return l, err
}

func listenLoopback(port uint16) (net.Listener, error) {
	return new(net.ListenConfig).Listen(context.Background(), "tcp4", net.JoinHostPort(loopback, strconv.Itoa(int(port))))
}

// dial connects from a thread that is thrown away, so that a server which
// does not answer holds nothing up.
func (c *Cage) dial(ctx context.Context, network, addr string) (conn net.Conn, err error) {
	if c.netns == nil {
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
	visitor, err := newThread(func() error { return unix.Setns(int(c.netns.Fd()), unix.CLONE_NEWNET) })
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

// The descriptors after standard input, output and error.
const (
	firstInherited = 3
	maxDescriptor  = 1<<32 - 1
)

// Start starts a command, which the caller waits for.
func (c *Cage) Start(cmd *exec.Cmd) error {
	return c.starter.do(func() error {
		if err := c.settle(); err != nil {
			return err
		}
		// What we inherited is not marked by Go to be closed. Kernels before
		// 5.11 do not know how.
		_ = unix.CloseRange(firstInherited, maxDescriptor, unix.CLOSE_RANGE_CLOEXEC)
		return cmd.Start()
	})
}

// settle holds the calling thread, which is the starter, for good.
func (c *Cage) settle() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.settled {
		return nil
	}
	if c.view != nil {
		if err := c.view.mount(); err != nil {
			return fmt.Errorf("give it a view of its own: %w", err)
		}
	}
	if c.network == Landlock {
		if err := landlockThread(c.ports); err != nil {
			return fmt.Errorf("restrict connections: %w", err)
		}
	}
	c.settled = true
	return nil
}

// limitSelf lowers what this process may use, which those that it starts
// inherit: limiting another user's process from outside takes a right that
// containers lack. Core files, which would hold our secrets, are not written.
func limitSelf(ownUser bool) error {
	limits := map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: maxOpenFiles}
	if ownUser {
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

// Folder is where the cage has what is written to folders of its own, empty where
// there are none. It is empty for a nil cage, too.
func (c *Cage) Folder() string {
	if c == nil || c.view == nil {
		return ""
	}
	return c.view.folder
}

// Close gives everything back, and removes what was written to folders that
// were the cage's own. What it has started has ended.
func (c *Cage) Close() error {
	c.starter.stop()
	if c.netns != nil {
		_ = c.netns.Close()
	}
	if c.view != nil {
		return removeAll(c.view.folder)
	}
	return nil
}
