package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/ghx-dev/bench-action/internal/platform"
)

// localHost runs programs as children of this process. It implements [Host].
type localHost struct {
	folder string
	dialer net.Dialer

	mu        sync.Mutex
	processes []*localProcess
}

// NewLocal returns a host that runs programs as this process's user, on
// its network, in folders that it makes in a new one below parent; empty means
// the folder for temporary files.
//
// It does not confine an agent. It ends what has the host's home folder in its
// environment, where the system lists that in /proc, and the program's process
// group.
func NewLocal(parent string) (Host, error) {
	folder, err := os.MkdirTemp(parent, "agent-")
	if err != nil {
		return nil, err
	}
	h := &localHost{folder: folder}
	f := h.Folders()
	for _, f := range []string{f.Home, f.Work, f.Temp} {
		if err := os.Mkdir(f, folderMode); err != nil {
			return nil, errors.Join(err, os.RemoveAll(folder))
		}
	}
	return h, nil
}

// Folders returns folders that this host alone has.
func (h *localHost) Folders() Folders {
	return Folders{
		Home: filepath.Join(h.folder, "home"), Work: filepath.Join(h.folder, "work"), Temp: filepath.Join(h.folder, "tmp"),
	}
}

// Dial connects from this process.
func (h *localHost) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return h.dialer.DialContext(ctx, network, address)
}

// outputDelay is how long a program's output is awaited after its end, where
// something that it left behind holds it open.
const outputDelay = time.Second

// Start starts a program in a process group of its own.
func (h *localHost) Start(ctx context.Context, command Command) (Process, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	// The program outlives the context, which is that of its start.
	//nolint:gosec // running the agent's programs is what a host is for
	cmd := exec.CommandContext(context.WithoutCancel(ctx), command.Path, command.Args...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = command.Env, h.Folders().Work, outputDelay
	cmd.Stdin, cmd.Stdout, cmd.Stderr = command.Input, command.Output, command.StandardError()
	cmd.SysProcAttr = platform.GroupLeader(nil)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &localProcess{host: h, id: cmd.Process.Pid, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		// How it ended is told by its output.
		_ = cmd.Wait()
	}()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.processes = append(h.processes, p)
	return p, nil
}

// Close ends all programs.
func (h *localHost) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var problems []error
	for _, p := range h.processes {
		problems = append(problems, p.End())
	}
	problems = append(problems, remove(h.folder))
	return errors.Join(problems...)
}

// localProcess is a program of a local host. It implements [Process].
type localProcess struct {
	host *localHost
	id   int
	done chan struct{}
}

func (p *localProcess) Done() <-chan struct{} { return p.done }

func (p *localProcess) Sweep() error { return p.host.sweep(p.id) }

func (p *localProcess) End() error {
	select {
	case <-p.done:
	default:
		if err := platform.SignalGroup(p.id, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("kill process group %d: %w", p.id, err)
		}
	}
	err := p.host.sweep(0)
	<-p.done
	return err
}

// maxSweeps is how often processes are looked for: what is being killed may
// start others until it is dead.
const maxSweeps = 100

// sweep kills the host's processes, but for the one of that id.
func (h *localHost) sweep(spared int) error {
	for range maxSweeps {
		found, err := h.running(spared)
		if err != nil || len(found) == 0 {
			return err
		}
		for _, id := range found {
			if err := platform.Signal(id, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return fmt.Errorf("kill process %d: %w", id, err)
			}
		}
	}
	return fmt.Errorf("processes of the agent do not end")
}

// running lists the processes that have the host's home folder in their
// environment. A process that has ended has none.
func (h *localHost) running(spared int) ([]int, error) {
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil, err
	}
	mark := []byte("\x00HOME=" + h.Folders().Home + "\x00")
	var found []int
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(append([]byte{0}, environ...), mark) {
			continue
		}
		id, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err == nil && id != spared {
			found = append(found, id)
		}
	}
	return found, nil
}
