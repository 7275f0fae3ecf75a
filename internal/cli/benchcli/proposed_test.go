package benchcli_test

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/redact"
)

func TestCommandsOfProposedScenariosAreNotRun(t *testing.T) {
	examples, err := filepath.Abs("../../../docs/examples/invoices")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	_, err = benchcli.World{
		Stdout: &out, Stderr: &out, Now: time.Now, Secrets: redact.New(), Proposed: true,
		Getenv: func(string) string { return "" }, Random: func() string { return "ABCDEFGHIJ" },
	}.Run(t.Context(), "run", "agent_direct", "1", "--scenarios", examples, "--scenario-set", "invoices")
	require.ErrorContains(t, err, "has a target with commands")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	assert.NoDirExists(t, ".bench", "nothing was begun")
}
