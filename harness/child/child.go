// Package child runs programs that may hang, and that start others.
//
// A program is started in a session and process group of its own. When its
// time is over it is sent SIGTERM with its whole group; whatever is left of
// it after a grace is killed, also what has left the group. What it leaves
// running when it ends by itself is killed at once. On Linux the program is ended in
// the same way if our own process is gone, by a process that waits for that.
package child

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/platform"
)

const (
	// DefaultGrace is how long a program has between SIGTERM and SIGKILL:
	// enough to take down the containers that it has started.
	DefaultGrace = 60 * time.Second
	// pipeGrace is how long output is read after everything that could write
	// it was killed.
	pipeGrace = 500 * time.Millisecond
)

// MarkVariable is in the environment of every program, and so of those that it
// starts, to find them by.
const MarkVariable = "HARNESS_CHILD"

var (
	// ErrDeadline is wrapped by the error of a program that had to be ended
	// because its time was over.
	ErrDeadline = errors.New("the deadline has passed")
	// ErrStopped is wrapped by the error of a program that [Process.Stop] has
	// ended.
	ErrStopped = errors.New("stopped")
)

// Command is a program to run.
type Command struct {
	// Path is a file, or a name to find on our own PATH.
	Path string
	// Args are its arguments, without the program's name. Everybody on the
	// machine can read them: they are no place for a secret.
	Args []string
	// Env is the whole environment, as NAME=value; nil is an empty one.
	Env []string
	// Dir is the folder to run in; empty is our own.
	Dir string
	// Stdin is empty, Stdout and Stderr are dropped, if nil.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// ExtraFiles are the program's file descriptors from 3 on. The caller
	// closes them after Start.
	ExtraFiles []*os.File
	// Deadline is how long the program may run; 0 is for ever.
	Deadline time.Duration
	// Grace is the time between SIGTERM and SIGKILL; 0 is [DefaultGrace].
	Grace time.Duration
	// After tells when a time is over; nil is [time.After].
	After func(time.Duration) <-chan time.Time
}

// Process is a program that was started.
type Process struct {
	name string
	cmd  *exec.Cmd
	mark string
	stop chan struct{}
	done chan struct{}
	once sync.Once
	err  error
}

// Run starts a program and waits for it; see [Start] and [Process.Wait].
func Run(ctx context.Context, c Command) error {
	p, err := Start(ctx, c)
	if err != nil {
		return err
	}
	return p.Wait()
}

// Start starts a program. It is ended when ctx is done. The error is of kind
// infrastructure.
func Start(ctx context.Context, c Command) (*Process, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	// The context does not end the command by itself: that is done below.
	cmd := exec.Command(c.Path, c.Args...) //nolint:noctx,gosec // see above
	mark := MarkVariable + "=" + rand.Text()
	cmd.Env = append(append([]string{}, c.Env...), mark)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = c.Dir, c.Stdin, c.Stdout, c.Stderr, c.ExtraFiles
	cmd.WaitDelay, cmd.SysProcAttr = pipeGrace, attributes()
	if c.Grace == 0 {
		c.Grace = DefaultGrace
	}
	if c.After == nil {
		c.After = time.After
	}
	p := &Process{
		name: filepath.Base(c.Path), cmd: cmd, mark: mark,
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	started := make(chan error, 1)
	go func() {
		// The signal at our death is that of the thread that has started the
		// program, so the thread stays.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		unguard := func() {}
		if err == nil {
			unguard = p.guard(c.Grace)
		}
		started <- err
		if err == nil {
			p.follow(ctx, c, unguard)
		}
	}()
	if err := <-started; err != nil {
		return nil, fault.Infraf("start %s: %w", p.name, err)
	}
	return p, nil
}

// PID returns the process's number, which is that of its group too.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the program has ended, with all that it has started.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits for the end. The error is nil for exit status 0, an
// [exec.ExitError] for others, and wraps context.Cause of Start's context,
// [ErrDeadline] or [ErrStopped] if that was the reason.
func (p *Process) Wait() error {
	<-p.done
	return p.err
}

// Stop ends the program as its deadline would, and waits for its end. It may
// be called more than once, and after the end.
func (p *Process) Stop() {
	p.once.Do(func() { close(p.stop) })
	<-p.done
}

// follow sees the program to its end.
func (p *Process) follow(ctx context.Context, c Command, unguard func()) {
	defer close(p.done)
	ended, watched := make(chan struct{}), make(chan struct{})
	var known family
	go func() {
		defer close(watched)
		known, p.err = p.watch(ctx, c, ended)
	}()
	var left error
	// Nothing is left that could hold the output's pipes open when they are
	// waited for.
	err := wait(p.cmd, func() {
		close(ended)
		<-watched
		unguard()
		left = p.kill(known)
	})
	var exit *exec.ExitError
	switch {
	case p.err != nil:
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
	case errors.As(err, &exit):
		p.err = err
	default:
		p.err = fault.Infraf("run %s: %w", p.name, err)
	}
	p.err = errors.Join(p.err, left)
}

// watch waits for the program's end and, when its time is over, brings it
// about. It returns why it did so, and what the program had started by then.
func (p *Process) watch(ctx context.Context, c Command, ended <-chan struct{}) (known family, why error) {
	var deadline <-chan time.Time
	if c.Deadline > 0 {
		deadline = c.After(c.Deadline)
	}
	select {
	case <-ended:
		return nil, nil
	case <-ctx.Done():
		why = fmt.Errorf("stop %s: %w", p.name, context.Cause(ctx))
	case <-p.stop:
		why = fmt.Errorf("%s: %w", p.name, ErrStopped)
	case <-deadline:
		why = fault.Infraf("stop %s after %s: %w", p.name, c.Deadline, ErrDeadline)
	}
	select {
	case <-ended:
		return nil, nil
	default:
	}
	// Those that leave the group now are found later all the same.
	known = p.living()
	p.signalGroup(syscall.SIGTERM)
	select {
	case <-ended:
	case <-c.After(c.Grace):
	}
	p.signalGroup(syscall.SIGKILL)
	return known, why
}

// signalGroup sends a signal to the program's group. It is called before the
// program was waited for, while no other can have its number.
func (p *Process) signalGroup(signal syscall.Signal) {
	// A group that is gone already is what is wanted.
	_ = platform.SignalGroup(p.PID(), signal)
}
