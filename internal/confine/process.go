package confine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/platform"
)

const (
	// termGrace is how long a process group has between SIGTERM and SIGKILL
	// when its context ends.
	termGrace = time.Second
	// pipeGrace is how long output is read after a process has ended: what
	// it left running may hold its pipes open for ever.
	pipeGrace = 500 * time.Millisecond
)

// Command is a program to run.
type Command struct {
	// Path is the program's absolute path. The space's user must be able to
	// run it; see [Space.Stage].
	Path string
	// Args are its arguments, without the program's name.
	Args []string
	// Env is the whole environment, as NAME=value.
	Env []string
	// Dir is the folder to run in, [Space.Work] if it is empty.
	Dir string
	// Stdin is /dev/null, Stdout and Stderr are dropped, if nil.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Files are further open files, which the program has from descriptor 3 on.
	Files []*os.File
}

// Process is a program that was started in a space.
type Process struct {
	pid  int
	done chan struct{}
	err  error
}

// PID returns the process's number, which is that of its group and session
// too.
func (p *Process) PID() int { return p.pid }

// Done is closed when the process has ended and its output was read.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits for the end of the process, not for what it left running. The
// error is nil for exit status 0, wraps context.Cause of Start's context if
// that ended first, and is an [exec.ExitError] otherwise.
func (p *Process) Wait() error {
	<-p.done
	return p.err
}

// Start runs a program in the space: under its user, in its network, in a
// session and process group of its own, without a terminal, unable to gain
// rights. When ctx ends the group is sent SIGTERM, and SIGKILL after a short
// while. The error is of kind infrastructure.
func (s *Space) Start(ctx context.Context, command Command) (*Process, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(command.Path) {
		return nil, fault.Internalf("start %q: the path must be absolute", command.Path)
	}
	cmd := &exec.Cmd{
		Path: command.Path, Args: append([]string{command.Path}, command.Args...),
		// An empty environment is not nil, which would be our own.
		Env: append([]string{}, command.Env...),
		Dir: command.Dir, Stdin: command.Stdin, Stdout: command.Stdout, Stderr: command.Stderr,
		ExtraFiles: command.Files, WaitDelay: pipeGrace,
	}
	if cmd.Dir == "" {
		cmd.Dir = s.work
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed()
	}
	if err := s.hold.start(cmd); err != nil {
		return nil, fault.Infraf("start %s in the agent's space: %w", filepath.Base(command.Path), err)
	}
	p := &Process{pid: cmd.Process.Pid, done: make(chan struct{})}
	s.processes[p] = struct{}{}
	go s.follow(ctx, p, cmd)
	return p, nil
}

// follow sees a process to its end.
func (s *Space) follow(ctx context.Context, p *Process, cmd *exec.Cmd) {
	ended := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		stopGroup(ctx, p.pid, ended)
	}()
	err := wait(cmd, func() {
		close(ended)
		<-stopped
	})
	var exit *exec.ExitError
	switch {
	case context.Cause(ctx) != nil:
		p.err = fmt.Errorf("stop %s: %w", filepath.Base(cmd.Path), context.Cause(ctx))
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
	case errors.As(err, &exit):
		p.err = err
	default:
		p.err = fault.Infraf("run %s: %w", filepath.Base(cmd.Path), err)
	}
	s.mu.Lock()
	delete(s.processes, p)
	s.hold.forget(p.pid)
	s.mu.Unlock()
	close(p.done)
}

// stopGroup returns when the group's leader has ended. If ctx ends first, the
// whole group is made to end.
func stopGroup(ctx context.Context, pgid int, ended <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-ctx.Done():
	}
	// A group that is gone already is what is wanted.
	_ = platform.SignalGroup(pgid, syscall.SIGTERM)
	grace := time.NewTimer(termGrace)
	defer grace.Stop()
	select {
	case <-ended:
	case <-grace.C:
	}
	_ = platform.SignalGroup(pgid, syscall.SIGKILL)
}
