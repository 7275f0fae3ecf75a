// Package needs skips tests for which something is missing on the machine.
package needs

import (
	"os/exec"
	"testing"
)

// Shell skips a test, and says so, where there is no shell on PATH or none of the
// programs that scripts of tests run: without them a script that waits would
// wait for ever.
func Shell(t testing.TB) {
	t.Helper()
	for _, program := range []string{"sh", "cat", "sleep", "touch"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("NOT TESTED: scripts: there is no %s on PATH", program)
		}
	}
}
