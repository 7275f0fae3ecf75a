package sandboxtest_test

import (
	"os"
	"testing"

	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) { os.Exit(sandboxtest.Main(m, os.Getenv("BENCH_OPENAPI"))) }
