package service

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/ghevent"
)

// genuine is, of each event of the table, a payload that GitHub has delivered, of those
// that package ghevent is tested with, and what of it is changed so that it leads to
// something.
var genuine = map[string]struct {
	file   string
	change func(*ghevent.Event)
}{
	ghevent.PullRequest: {file: "pull-request-synchronize"},
	ghevent.IssueComment: {"issue-comment-created", func(e *ghevent.Event) {
		e.Comment.OnPull, e.Comment.Body, e.Comment.Edited = true, "/bench", false
	}},
	ghevent.CheckRun:                 {"check-run-rerequested", func(e *ghevent.Event) { e.Check.AppID = ownApp }},
	ghevent.CheckSuite:               {"check-suite-rerequested", func(e *ghevent.Event) { e.Suite.AppID, e.Sender.Bot = ownApp, false }},
	ghevent.MergeGroup:               {file: "merge-group-checks-requested"},
	ghevent.Push:                     {"push-branch", func(e *ghevent.Event) { e.Pushed.Ref, e.Repo.DefaultBranch = "refs/heads/main", "main" }},
	ghevent.WorkflowRun:              {file: "workflow-run-completed"},
	ghevent.Installation:             {file: "installation-deleted"},
	ghevent.InstallationRepositories: {file: "installation-repositories-removed"},
}

// leadsToNothing are the events that are answered alone.
var leadsToNothing = map[string]bool{ghevent.Ping: true}

func TestWhatEveryEventOfTheTableLeadsToIsDone(t *testing.T) {
	for _, row := range eventTable {
		if leadsToNothing[row.Name] {
			continue
		}
		of, there := genuine[row.Name]
		if !assert.True(t, there, "event %s has no payload here: take one of @octokit/webhooks-examples into internal/ghevent/testdata", row.Name) {
			continue
		}
		e := readGenuine(t, row.Name, of.file)
		if of.change != nil {
			of.change(&e)
		}
		assert.True(t, Events().Action(row.Name, e.Action), "action %q of %s.json", e.Action, of.file)
		routed := route(e, ownApp)
		assert.NotEqual(t, kindIgnored, routed.kind, "event %s is ignored (%s)", row.Name, routed.why)
		assert.NotNil(t, (&Service{}).handler(routed.kind), "event %s leads to %q, of which Service.handler has no case", row.Name, routed.kind)
	}
}

// What somebody waits for is worked at before what nobody does.
func TestWhatPeopleWaitForComesFirst(t *testing.T) {
	others := map[string]int{ghevent.WorkflowRun: usually, ghevent.Push: eventually, ghevent.Ping: eventually}
	for _, row := range eventTable {
		want, waits := others[row.Name]
		if !waits {
			want = promptly
		}
		assert.Equal(t, want, row.Priority, row.Name)
	}
}

// readGenuine reads a payload. Those that were delivered to no App get an installation.
func readGenuine(t *testing.T, name, file string) ghevent.Event {
	t.Helper()
	body, err := os.ReadFile("../../ghevent/testdata/" + file + ".json")
	require.NoError(t, err)
	var payload map[string]any
	require.NoError(t, json.Unmarshal(body, &payload))
	if payload["installation"] == nil {
		payload["installation"] = map[string]any{"id": 5}
	}
	body, err = json.Marshal(payload)
	require.NoError(t, err)
	e, err := ghevent.ParseDelivery(name, body)
	require.NoError(t, err, "%s.json", file)
	return e
}
