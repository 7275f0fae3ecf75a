package testkit

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// NeedShell skips a test, and says so, where there is no shell on PATH or none of the
// programs that scripts of tests run: without them a script that waits would
// wait for ever.
func NeedShell(t testing.TB) {
	t.Helper()
	for _, program := range []string{"sh", "cat", "sleep", "touch"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("NOT TESTED: scripts: there is no %s on PATH", program)
		}
	}
}

// complete is set to anything where all tests are to run: `make complete`, and CI
// with it, fails on one that NeedComplete has skipped.
const complete = "BENCH_COMPLETE"

// IsComplete says that tests that take long are to run too.
func IsComplete() bool { return os.Getenv(complete) != "" }

// NeedComplete skips a test that runs real agents, waits for the end of what was
// killed, or takes long in another way, where `go test` is to be quick. Benchmarks
// are only run when they are asked for.
func NeedComplete(t testing.TB) {
	t.Helper()
	if _, benchmark := t.(*testing.B); !benchmark && !IsComplete() {
		t.Skipf("NOT TESTED: it takes long; %s=1 or make complete has it run", complete)
	}
}

// NeedCompleteBut is [NeedComplete] where each test of a package starts whole
// programs, but for those that are named: one for each way through, which `go test`
// is to have too.
func NeedCompleteBut(t testing.TB, quick ...string) {
	t.Helper()
	if test, _, _ := strings.Cut(t.Name(), "/"); !slices.Contains(quick, test) {
		NeedComplete(t)
	}
}
