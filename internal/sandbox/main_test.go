package sandbox_test

import (
	"os"
	"testing"

	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.CollectLess()
	os.Exit(sandboxtest.Main(m, os.Getenv("BENCH_OPENAPI")))
}
