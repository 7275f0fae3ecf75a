package confine_test

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const nobody = 65534

func startAsNobody(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return cmd.Start()
}

// startWithoutAdmin starts cmd as root in most containers is: without the
// right to make namespaces.
func startWithoutAdmin(cmd *exec.Cmd) error {
	result := make(chan error)
	go func() {
		// Not unlocked: the thread has lost rights and ends.
		runtime.LockOSThread()
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, unix.CAP_SYS_ADMIN, 0, 0, 0); err != nil {
			result <- err
			return
		}
		result <- cmd.Start()
	}()
	return <-result
}

// keepOpen takes the mark off f that it is to be closed in other programs.
func keepOpen(t *testing.T, f *os.File) {
	_, err := unix.FcntlInt(f.Fd(), unix.F_SETFD, 0)
	require.NoError(t, err)
}
