package app_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/app"
	"github.com/ghx-dev/bench-action/internal/app/decide"
)

// actions are those that GitHub has of the events in the table.
var actions = map[string][]string{
	"pull_request":              {"opened", "reopened", "synchronize", "ready_for_review", "labeled", "unlabeled", "closed", "edited", "assigned", "converted_to_draft"},
	"issue_comment":             {"created", "edited", "deleted"},
	"check_run":                 {"created", "completed", "rerequested", "requested_action"},
	"check_suite":               {"completed", "requested", "rerequested"},
	"merge_group":               {"checks_requested", "destroyed"},
	"workflow_run":              {"requested", "in_progress", "completed"},
	"installation":              {"created", "deleted", "suspend", "unsuspend", "new_permissions_accepted"},
	"installation_repositories": {"added", "removed"},
	"ping":                      {""},
	"push":                      {""},
	"star":                      {"created"},
}

// What is stored has somebody who does something with it, and the other way
// round. A ping is stored, so that it is seen that GitHub reaches the server.
func TestWhatIsStoredLeadsToSomething(t *testing.T) {
	stored := func(name, action string) bool {
		return slices.ContainsFunc(app.Events(), func(e app.Event) bool {
			return e.Name == name && (e.Actions == nil || slices.Contains(e.Actions, action))
		})
	}
	for name, all := range actions {
		for _, action := range all {
			if name != "ping" {
				assert.Equal(t, decide.Handles(name, action), stored(name, action), "%s %s", name, action)
			}
		}
	}
	assert.True(t, stored("ping", ""))
}
