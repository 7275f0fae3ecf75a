package testkit

import (
	"os"
	"os/exec"
	"testing"
)

// contained are the capabilities that root has in a container of Docker's, where
// nothing else is asked for: there is no CAP_SYS_ADMIN among them.
const contained = "-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+net_bind_service,+net_raw,+sys_chroot,+mknod,+audit_write,+setfcap"

// Contained has a command run with the rights that root has in a container. Where
// we are not root, or cannot give rights up, the test is skipped.
func Contained(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can become another user")
	}
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		t.Skip("NOT TESTED: the rights of a container: there is no setpriv")
	}
	cmd.Args = append([]string{setpriv, "--bounding-set", contained, "--", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = setpriv
}
