package dashboard_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/dashboard"
	"github.com/ghx-dev/bench-action/internal/github"
)

func TestWhatTheAppLacks(t *testing.T) {
	facts := github.AppFacts{Permissions: map[string]string{"contents": "write", "checks": "read", "issues": "read"}, Events: []string{"pull_request"}}
	lacks := dashboard.Lacks(facts, map[string]string{"contents": "read", "actions": "write", "checks": "write", "issues": "read"}, []string{"pull_request", "workflow_run"})
	require.Len(t, lacks, 3)
	assert.Contains(t, lacks[0], "the permission actions: write")
	assert.Contains(t, lacks[1], "the permission checks: write")
	assert.Contains(t, lacks[2], "the event workflow_run")
	facts.Permissions, facts.Events = dashboard.Permissions(), []string{"ping"}
	assert.Empty(t, dashboard.Lacks(facts, dashboard.Permissions(), []string{"ping"}))
}
