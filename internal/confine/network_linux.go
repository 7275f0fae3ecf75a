package confine

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// thread is a thread of the operating system that is unlike the process's
// others, in its network namespace or in what the kernel lets it do. It runs
// functions one at a time and ends with stop; Go starts no other thread from
// it and never uses it for anything else.
type thread struct {
	work chan func()
	done chan struct{}
}

// newThread starts a thread that is prepared by a function which changes it.
// If that fails the thread is gone.
func newThread(prepare func() error) (*thread, error) {
	t := &thread{work: make(chan func()), done: make(chan struct{})}
	prepared := make(chan error)
	go OnPlainThread(func() {
		defer close(t.done)
		err := prepare()
		prepared <- err
		if err != nil {
			return
		}
		for f := range t.work {
			f()
		}
	})
	if err := <-prepared; err != nil {
		<-t.done
		return nil, err
	}
	return t, nil
}

// do runs f on the thread.
func (t *thread) do(f func() error) error {
	result := make(chan error)
	t.work <- func() { result <- f() }
	return <-result
}

// stop ends the thread; t may be nil.
func (t *thread) stop() {
	if t != nil {
		close(t.work)
		<-t.done
	}
}

// newNetns moves the calling thread to a new network namespace, in which there
// is a loopback interface and nothing else, and returns a handle to it.
func newNetns() (*os.File, error) {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return nil, err
	}
	if err := loopbackUp(); err != nil {
		return nil, fmt.Errorf("bring loopback up: %w", err)
	}
	return os.Open("/proc/thread-self/ns/net")
}

// loopbackUp is "ip link set lo up"; see netdevice(7).
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, lo); err != nil {
		return err
	}
	lo.SetUint16(lo.Uint16() | unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
}
