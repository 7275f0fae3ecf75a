package scenario_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/scenario"
)

func TestNamesAreThoseThatTheInstalledGHXLists(t *testing.T) {
	tests := []struct {
		name           string
		listed, wanted []string
		want           scenario.Names
		missing        []string
	}{
		{"today's", []string{"pr.merge", "pr.view"}, []string{"pr.merge"}, scenario.Names{}, nil},
		{"today's, where an older one is listed too", []string{"pr.merge.execute", "pr.merge"}, []string{"pr.merge"}, scenario.Names{}, nil},
		{"an older one", []string{"pr.merge.execute"}, []string{"pr.merge"}, scenario.Names{"pr.merge": "pr.merge.execute"}, nil},
		{"the oldest one", []string{"workflow_dispatch.run"}, []string{"workflow.dispatch"}, scenario.Names{"workflow.dispatch": "workflow_dispatch.run"}, nil},
		{"the newer of two older ones", []string{"workflow_dispatch.run", "workflow.dispatch-run"}, []string{"workflow.dispatch"},
			scenario.Names{"workflow.dispatch": "workflow.dispatch-run"}, nil},
		{"none", []string{"pr.view"}, []string{"pr.view", "pr.merge", "issue.delete"}, scenario.Names{}, []string{"pr.merge", "issue.delete"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			names, missing := scenario.NamesIn(tt.listed, tt.wanted)
			assert.Equal(t, tt.want, names)
			assert.Equal(t, tt.missing, missing)
		})
	}
}

func TestOlderNamesAreOfOneCapabilityEach(t *testing.T) {
	var older map[string][]string
	text, err := os.ReadFile("oldernames.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &older))
	all := scenario.CapabilityIDs()
	for id, ofOne := range older {
		for _, name := range ofOne {
			names, missing := scenario.NamesIn([]string{name}, all)
			assert.Equal(t, scenario.Names{id: name}, names)
			assert.Len(t, missing, len(all)-1, name)
			_, today := scenario.FindCapability(name)
			assert.False(t, today, "%s is a name of today", name)
		}
	}
}

func TestAnAgentIsToldTheNamesOfItsGHX(t *testing.T) {
	library := load(t, minimal())
	s, err := library.Scenario("write-001")
	require.NoError(t, err)
	names := scenario.Names{"pr.merge": "pr.merge.execute", "pr.threads.reply": "pr.comment.reply"}
	resolved, err := names.Resolve(s, manifest())
	require.NoError(t, err)
	assert.Contains(t, resolved.Prompt, ": pr.merge.execute ")
	assert.Equal(t, "pr.merge.execute", resolved.Scenario.Task)
	assert.Equal(t, "pr.view", resolved.Scenario.Assertions.Checkpoints[0].VerificationTask, "what is read back is not ghx's matter")
	assert.Equal(t, "pr.merge", s.Task, "the scenario itself stays as it is")

	s, err = library.Scenario("flow-wf-001")
	require.NoError(t, err)
	resolved, err = names.Resolve(s, manifest())
	require.NoError(t, err)
	assert.Equal(t, []string{"pr.threads.list", "pr.comment.reply"}, resolved.Scenario.ExpectedCapabilities)
	assert.Equal(t, []string{"pr.threads.list", "pr.threads.reply"}, s.ExpectedCapabilities)

	_, err = names.Resolve(s, withoutResources())
	require.ErrorContains(t, err, `bind scenario "flow-wf-001" to the fixtures`)
}
