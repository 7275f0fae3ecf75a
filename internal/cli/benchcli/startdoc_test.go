package benchcli_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/testkit"
)

// Who follows docs/start.md, but for the download, sees what it says.
func TestTheFirstStepsAreThoseThatArePossible(t *testing.T) {
	testkit.NeedShell(t)
	testkit.NeedComplete(t)
	page, err := os.ReadFile("../../../docs/start.md")
	require.NoError(t, err)
	_, steps, found := strings.Cut(string(page), "\n## A first verdict\n")
	require.True(t, found)
	folder := t.TempDir()
	var printed strings.Builder
	blocks := regexp.MustCompile("(?s)```(sh|)\n(.*?)```").FindAllStringSubmatch(steps, -1)
	require.Greater(t, len(blocks), 4)
	for _, block := range blocks {
		if block[1] != "sh" {
			assert.Contains(t, printed.String(), strings.TrimSpace(block[2]), "what is printed is not what the page says")
			continue
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-eu", "-c", block[2])
		cmd.Dir = folder
		// No key, no token, and no configuration.
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + folder}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", block[2], out)
		printed.Write(out)
	}
}
