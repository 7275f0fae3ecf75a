package benchcli_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheQuickStartIsWhatInitWrites(t *testing.T) {
	workflow, err := exec.CommandContext(t.Context(), "bench", "init", "--out", "-").Output()
	require.NoError(t, err)
	page, err := os.ReadFile("../../../docs/action.md")
	require.NoError(t, err)
	assert.Contains(t, string(page), "```yaml\n"+string(workflow)+"```\n", "put the output of `bench init --out -` into the page")
}
