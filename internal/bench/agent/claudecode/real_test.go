package claudecode_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent/claudecode"
	"github.com/ghx-dev/bench-action/internal/bench/agent/talk"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

func TestMain(m *testing.M) { realtool.Main(m) }

// real is Claude Code. Its API does not tell what the model thought apart from
// what it said.
func real(t *testing.T) realtool.Agent {
	t.Helper()
	testkit.NeedComplete(t)
	return realtool.Agent{Bin: realtool.Find(t, realtool.ClaudeCode()), New: claudecode.New, Title: "Claude Code", Asks: true, Tokens: func(u stubmodel.Usage) bench.Tokens {
		return bench.Tokens{Input: u.Prompt - u.Cached - u.Written, Output: u.Completion, CacheRead: u.Cached, CacheWrite: u.Written, Total: u.Total()}
	}}
}

func TestExercise(t *testing.T)                 { realtool.Conform(t, real(t)) }
func TestRealModelsMaySayAnything(t *testing.T) { realtool.Answers(t, real(t)) }
func TestRealProvidersFail(t *testing.T)        { realtool.Failures(t, real(t)) }
func TestRealAgentsLeaveNothing(t *testing.T)   { realtool.LeavesNothing(t, real(t)) }
func TestRealAgentsHaveTheirTools(t *testing.T) { realtool.Tools(t, real(t)) }
func TestProgramsThatCannotBeUsed(t *testing.T) { realtool.Programs(t, real(t)) }

func TestABaseURLMustEndInItsVersion(t *testing.T) {
	_, err := claudecode.New(talk.Options{Bin: "true", Model: bench.ModelRef{ProviderID: "p", ModelID: "m"}, ModelBaseURL: "https://example.com/api"})
	require.ErrorContains(t, err, "it must end in /v1")
}
