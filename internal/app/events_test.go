package app_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/app"
	"github.com/ghx-dev/bench-action/internal/app/conduct"
)

// What is stored has somebody who does something with it, and the other way
// round. Of the events of GitHub these are what could be thought of.
func TestWhatIsStoredLeadsToSomething(t *testing.T) {
	for _, name := range []string{
		"pull_request", "issue_comment", "check_run", "check_suite", "merge_group", "workflow_run", "installation", "installation_repositories", "ping",
		"push", "star", "issues", "pull_request_review", "pull_request_review_comment", "workflow_job", "label", "repository",
	} {
		actions, leads := conduct.Actions(name)
		at := slices.IndexFunc(app.Events(), func(e app.Event) bool { return e.Name == name })
		if assert.Equal(t, leads, at >= 0, name) && leads {
			assert.Equal(t, actions, app.Events()[at].Actions, name)
		}
	}
	for _, e := range app.Events() {
		_, leads := conduct.Actions(e.Name)
		assert.True(t, leads, e.Name)
	}
}
