package setup_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/setup"
	"github.com/ghx-dev/bench-action/internal/github"
)

func TestWhatTheAppLacks(t *testing.T) {
	facts := github.AppFacts{Permissions: map[string]string{"contents": "write", "checks": "read", "issues": "read"}, Events: []string{"pull_request"}}
	lacks := setup.Lacks(facts, map[string]string{"contents": "read", "actions": "write", "checks": "write", "issues": "read"}, []string{"pull_request", "workflow_run"})
	require.Len(t, lacks, 3)
	assert.Contains(t, lacks[0], "the permission actions: write")
	assert.Contains(t, lacks[1], "the permission checks: write")
	assert.Contains(t, lacks[2], "the event workflow_run")
	facts.Permissions, facts.Events = setup.Permissions(), []string{"ping"}
	assert.Empty(t, setup.Lacks(facts, setup.Permissions(), []string{"ping"}))
}
