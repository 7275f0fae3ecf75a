package conformance_test

import (
	"os"
	"testing"

	"github.com/ghx-dev/bench-action/internal/sandbox/changes/changestest"
)

func TestMain(m *testing.M) { os.Exit(changestest.Main(m)) }
