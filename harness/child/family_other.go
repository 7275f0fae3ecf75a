//go:build !linux

package child

import (
	"os/exec"
	"syscall"
	"time"

	"github.com/ghx-dev/bench-action/internal/platform"
)

// attributes are those of every program.
func attributes() *syscall.SysProcAttr { return platform.SessionLeader() }

// wait waits for cmd and calls ended when it has ended.
func wait(cmd *exec.Cmd, ended func()) error {
	defer ended()
	return cmd.Wait()
}

// family is empty where processes cannot be told by what started them: one
// that leaves the program's group is not found.
type family []struct{}

func (p *Process) living() family { return nil }

// kill ends what the program has left running in its group.
func (p *Process) kill(family) error {
	p.signalGroup(syscall.SIGKILL)
	return nil
}

// guard does nothing where processes cannot be told by what started them.
func (p *Process) guard(time.Duration) (end func()) { return func() {} }
