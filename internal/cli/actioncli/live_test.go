package actioncli_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// The tokens that a workflow gives for a repository.
const (
	fixturesToken = "ghp_the-token-that-seeds"
	agentToken    = "ghp_the-token-of-agents"
)

// onRepository has the action run on the repository.
func (r *runner) onRepository() {
	r.t.Helper()
	for token, login := range map[string]string{fixturesToken: "owner", agentToken: "writer"} {
		r.world.AddToken(token, sandbox.Token{User: login, Scopes: []string{"repo"}})
	}
	r.inputs["target"] = sandboxtest.Owner + "/" + sandboxtest.Name
	r.inputs["fixtures-token"], r.inputs["agent-token"] = fixturesToken, agentToken
	r.inputs["scenarios"], r.inputs["seed-id"] = "issue-view-001", "of-the-action"
	r.inputs["repetitions"] = "2"
}

// seeded lists the seeded issues that there are, and their labels.
func (r *runner) seeded() []string {
	var found []string
	r.world.Look(func(s *model.State) {
		for issue := range s.Issues.All() {
			if strings.Contains(issue.Title, "of-the-action") {
				found = append(found, issue.Title)
			}
		}
	})
	return found
}

func TestTheActionRunsOnARepositoryAndLeavesNothing(t *testing.T) {
	r := newRunner(t)
	r.onRepository()
	got := r.run()
	require.Zero(t, got.code, got.log)
	assert.Equal(t, "neutral", got.outputs["conclusion"], "no model was involved")
	assert.Contains(t, got.log, "--target owner/hello")
	assert.Contains(t, got.log, "::group::Clean up")
	assert.Contains(t, got.log, "removed from owner/hello")
	for _, token := range []string{fixturesToken, agentToken} {
		assert.Contains(t, got.log, "::add-mask::"+token)
		assert.NotContains(t, strings.ReplaceAll(got.log, "::add-mask::"+token, ""), token)
	}
	assert.Empty(t, r.seeded())
	acted := 0
	for _, entry := range r.world.Audit() {
		if entry.Token == agentToken {
			acted++
		}
	}
	assert.NotZero(t, acted, "agents acted there, with their own token")
}

func TestWhatTheActionHasSeededCanStay(t *testing.T) {
	r := newRunner(t)
	r.onRepository()
	r.inputs["cleanup"] = "false"
	got := r.run()
	require.Zero(t, got.code, got.log)
	assert.NotContains(t, got.log, "::group::Clean up")
	assert.NotEmpty(t, r.seeded())
}

func TestARepositoryThatCannotBeHadIsTheWorkflowsToMend(t *testing.T) {
	r := newRunner(t)
	r.onRepository()
	r.inputs["target"] = "owner/nowhere"
	got := r.run()
	assert.Equal(t, 2, got.code, got.log)
	assert.Contains(t, got.log, "repository owner/nowhere is not there")
	assert.Equal(t, "action_required", r.checks()[0]["conclusion"])
}
