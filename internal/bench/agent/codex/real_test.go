package codex_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent/codex"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

func TestMain(m *testing.M) { realtool.Main(m) }

// real is Codex. Its API does not tell what was written to the cache.
func real(t *testing.T) realtool.Agent {
	t.Helper()
	testkit.NeedComplete(t)
	return realtool.Agent{Bin: realtool.Find(t, realtool.Codex()), New: codex.New, Title: "Codex", Tokens: func(u stubmodel.Usage) bench.Tokens {
		return bench.Tokens{Input: u.Prompt - u.Cached, Output: u.Completion - u.Reasoning, Reasoning: u.Reasoning, CacheRead: u.Cached, Total: u.Total()}
	}}
}

func TestExercise(t *testing.T)                 { realtool.Conform(t, real(t)) }
func TestRealModelsMaySayAnything(t *testing.T) { realtool.Answers(t, real(t)) }
func TestRealProvidersFail(t *testing.T)        { realtool.Failures(t, real(t)) }
func TestRealAgentsLeaveNothing(t *testing.T)   { realtool.LeavesNothing(t, real(t)) }
func TestRealAgentsHaveTheirTools(t *testing.T) { realtool.Tools(t, real(t)) }
func TestProgramsThatCannotBeUsed(t *testing.T) { realtool.Programs(t, real(t)) }

func TestTheProgramIsFoundBehindNPMsScript(t *testing.T) {
	for name, vendor := range map[string]string{
		"beside the package": "lib/node_modules/@openai/codex-linux-x64", "in the package": "lib/node_modules/@openai/codex/node_modules/@openai/codex-linux-x64",
	} {
		t.Run(name, func(t *testing.T) {
			root, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			program := filepath.Join(root, vendor, "vendor/x86_64-unknown-linux-musl/bin/codex")
			script := filepath.Join(root, "lib/node_modules/@openai/codex/bin/codex.js")
			for _, file := range []string{program, script} {
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
				require.NoError(t, os.WriteFile(file, nil, 0o755))
			}
			link := filepath.Join(root, "codex")
			require.NoError(t, os.Symlink(script, link))
			assert.Equal(t, program, codex.Program(link))
			assert.Equal(t, program, codex.Program(program), "one that is no script is itself")
		})
	}
	assert.Equal(t, "no-such-program", codex.Program("no-such-program"))
}
