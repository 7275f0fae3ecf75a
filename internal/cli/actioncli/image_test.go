package actioncli_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheImage builds the image and asks the programs in it. It takes minutes,
// so it wants to be asked for.
func TestTheImage(t *testing.T) {
	builder := os.Getenv("BENCH_BUILDER")
	if builder == "" {
		t.Skip("NOT TESTED: the image: name a container builder in BENCH_BUILDER, for example docker")
	}
	const tag = "bench-action-test"
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), builder, args...)
		cmd.Dir = "../../.."
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s %s\n%s", builder, strings.Join(args, " "), out)
		return string(out)
	}
	run("build", "-t", tag, ".")
	doctor := run("run", "--rm", "--entrypoint", "/usr/local/bin/bench", tag, "doctor")
	for _, want := range []string{"opencode", "mode agent_direct", "mode mcp"} {
		assert.Regexp(t, `(?m)^ok +`+want, doctor)
	}
	assert.Contains(t, run("run", "--rm", "--entrypoint", "id", tag, "bench"), "uid=10001(bench)")
}
