package target_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/target"
)

// ghxFailsByItself returns the capabilities that ghx 0.8.0 reports as failed
// whatever GitHub answers, and a part of what it says.
func ghxFailsByItself() map[string]string {
	const schema = "Output schema validation failed"
	return map[string]string{
		"issue.assignees.add": schema, "issue.assignees.remove": schema, "issue.milestone.set": schema,
		// It asks gh for JSON that gh cannot give.
		"workflow.view": "unknown flag: --json",
	}
}

// issueNumber is the input of a capability that is about an issue of the
// fixtures.
func (g *ghxBench) issueNumber(resource string) map[string]any {
	g.t.Helper()
	return g.in(map[string]any{"issueNumber": number(g.t, g.place, resource)})
}

func TestGHXTellsTheRelationsThatTheVerifierReads(t *testing.T) {
	sandbox := seeded(t)
	for resource, want := range map[string]struct{ parents, children, blockers int }{
		"child_issue": {parents: 1, blockers: 1}, "parent_issue": {children: 1}, "blocker_issue": {}, "issue_for_triage": {},
	} {
		t.Run(resource, func(t *testing.T) {
			t.Parallel()
			g := openGHX(t, sandbox)
			input := g.issueNumber(resource)
			told := g.must("issue.relations.view", byGraphQL, input)
			read, _ := g.read("issue.relations.view", input).(map[string]any)
			assert.Contains(t, read, "blocking", "ghx does not tell it")
			delete(read, "blocking")
			assert.Equal(t, plain(t, told), read)
			assert.Len(t, told["children"], want.children)
			assert.Len(t, told["blockedBy"], want.blockers)
			assert.Equal(t, want.parents == 1, told["parent"] != nil)
		})
	}
}

func TestGHXTellsPullRequestsThatAreLinked(t *testing.T) {
	g := openGHX(t, seeded(t))
	told, _ := g.must("issue.relations.prs.list", byGraphQL, g.issueNumber("linked_issue"))["items"].([]any)
	require.Len(t, told, 1)
	assert.Subset(t, told[0], map[string]any{"number": float64(number(t, g.place, "pr_linked"))})
}

func TestGHXDoesWhatItReportsAsFailed(t *testing.T) {
	g := openGHX(t, seeded(t))
	input := g.issueNumber("issue_for_triage")
	milestone := number(t, g.place, "milestone")
	input["milestoneNumber"] = milestone
	assert.False(t, g.run("issue.milestone.set", input).OK)
	assert.Equal(t, milestone, g.issue(number(t, g.place, "issue_for_triage")).GetMilestone().GetNumber())

	input = g.issueNumber("issue_for_triage")
	input["assignees"] = []string{target.Owner, target.Reviewer}
	assert.False(t, g.run("issue.assignees.add", input).OK)
	assert.ElementsMatch(t, []string{target.Owner, target.Reviewer}, logins(g.issue(number(t, g.place, "issue_for_triage")).Assignees))
	input["assignees"] = []string{target.Owner}
	assert.False(t, g.run("issue.assignees.remove", input).OK)
	assert.Equal(t, []string{target.Reviewer}, logins(g.issue(number(t, g.place, "issue_for_triage")).Assignees))
}
