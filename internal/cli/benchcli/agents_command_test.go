package benchcli_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

// asksTwice is an agent: it asks its model twice, with a call of gh in between,
// and prints what the model says last.
const asksTwice = `prompt=$(cat)
ask() { curl -sS -m 20 "$OPENAI_BASE_URL/chat/completions" -H "Authorization: Bearer $OPENAI_API_KEY" -d '{"model":"'$BENCH_MODEL'","messages":[{"role":"user","content":"'"$1"'"}]}'; }
ask plan >/dev/null
gh api user --jq .login >&2
ask answer | sed -n 's/.*"content":"\([^"]*\)".*/\1/p'`

func TestAnyProgramIsAnAgent(t *testing.T) {
	testkit.NeedComplete(t)
	t.Parallel()
	r := newRig(t, func(stubmodel.Request) []stubmodel.Step {
		return []stubmodel.Step{{Text: "I am done.", Usage: stubmodel.Usage{Prompt: 100, Cached: 40, Completion: 20}}}
	})
	ran := r.run(t, "run", "agent_direct", "1", "--provider", "command", "--agent-command", asksTwice, "--scenario", "repo-view-001",
		"--gh-command", realtool.Find(t, realtool.GH()), "--skip-warmup", "--skip-canary")
	require.Zero(t, ran.code, ran.stderr)
	rows := r.rows(t)[bench.AgentDirect]
	require.Len(t, rows, 1)
	row := rows[0]
	require.NotNil(t, row.Error, "it does not answer what was asked")
	assert.Equal(t, bench.AssertionFailed, row.Error.Type, row.Error.Message)
	assert.Equal(t, r.model.Charged(nil).Total(), row.Tokens.Total)
	assert.Equal(t, len(r.model.Requests()), row.Turns, "a turn for each answer")
	assert.Positive(t, row.Cost)
	require.NotNil(t, row.APIRequests)
	assert.Positive(t, row.APIRequests.REST)
	_, doubt := row.WireDoubt()
	assert.Empty(t, doubt)
	r.requireNoSecret(t)
}
