package benchcli_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
)

func TestTheQuickStartIsWhatInitWrites(t *testing.T) {
	workflow, err := exec.CommandContext(t.Context(), "bench", "init", "--out", "-").Output()
	require.NoError(t, err)
	page, err := os.ReadFile("../../../docs/action.md")
	require.NoError(t, err)
	assert.Contains(t, string(page), "```yaml\n"+string(workflow)+"```\n", "put the output of `bench init --out -` into the page")
}

// What a release writes stays as it is when another one comes.
func TestAReleaseWritesItsOwnAction(t *testing.T) {
	for version, action := range map[string]string{
		"v1.2.3": "ghx-dev/bench-action@v1.2.3", "v2.0.0": "ghx-dev/bench-action@v2.0.0",
		"v0.0.0-20261124055000-f3cbfc9aaaaa": "ghx-dev/bench-action@v1", "v1.2.3+dirty": "ghx-dev/bench-action@v1", "devel": "ghx-dev/bench-action@v1",
	} {
		assert.Equal(t, action, benchcli.ActionOf(version), version)
	}
}
