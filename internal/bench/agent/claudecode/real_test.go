package claudecode_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent/claudecode"
	"github.com/ghx-dev/bench-action/internal/bench/agent/talk"
	"github.com/ghx-dev/bench-action/internal/testkit/needs"
	"github.com/ghx-dev/bench-action/internal/testkit/realagent"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

func TestMain(m *testing.M) { realagent.Main(m) }

// real is Claude Code. Its API does not tell what the model thought apart from
// what it said.
func real(t *testing.T) realagent.Agent {
	t.Helper()
	needs.Complete(t)
	return realagent.Agent{Bin: realtool.Find(t, realtool.ClaudeCode()), New: claudecode.New, Title: "Claude Code", Asks: true, Tokens: func(u stubmodel.Usage) bench.Tokens {
		return bench.Tokens{Input: u.Prompt - u.Cached - u.Written, Output: u.Completion, CacheRead: u.Cached, CacheWrite: u.Written, Total: u.Total()}
	}}
}

func TestExercise(t *testing.T)                 { realagent.Conform(t, real(t)) }
func TestRealModelsMaySayAnything(t *testing.T) { realagent.Answers(t, real(t)) }
func TestRealProvidersFail(t *testing.T)        { realagent.Failures(t, real(t)) }
func TestRealAgentsLeaveNothing(t *testing.T)   { realagent.LeavesNothing(t, real(t)) }
func TestRealAgentsHaveTheirTools(t *testing.T) { realagent.Tools(t, real(t)) }
func TestProgramsThatCannotBeUsed(t *testing.T) { realagent.Programs(t, real(t)) }

func TestABaseURLMustEndInItsVersion(t *testing.T) {
	_, err := claudecode.New(talk.Options{Bin: "true", Model: bench.ModelRef{ProviderID: "p", ModelID: "m"}, ModelBaseURL: "https://example.com/api"})
	require.ErrorContains(t, err, "it must end in /v1")
}
