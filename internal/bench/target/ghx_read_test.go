package target_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/target"
)

const (
	byGraphQL = "graphql"
	byCLI     = "cli"
)

// resourceID is the database id of a fixture.
func resourceID(t testing.TB, place *target.Place, resource, field string) int64 {
	t.Helper()
	id, ok := place.Manifest.Resources[resource][field].(int64)
	require.True(t, ok, "%s.%s", resource, field)
	return id
}

// Where the checkpoints' reader has a read of the same name, ghx tells what it
// tells.
func TestGHXReadsWhatTheVerifierReads(t *testing.T) {
	sandbox := sparse(t)
	for _, c := range []struct {
		capability, route string
		// number is the input's field that gets the number of the resource.
		number, resource string
		input            map[string]any
	}{
		{"repo.view", byGraphQL, "", "", nil},
		{"issue.view", byGraphQL, "issueNumber", "issue", nil},
		{"issue.list", byCLI, "", "", map[string]any{"state": "open", "first": 10}},
		{"issue.comments.list", byGraphQL, "issueNumber", "issue", map[string]any{"first": 20}},
		{"pr.view", byGraphQL, "prNumber", "pr_with_checks", nil},
		{"pr.list", byCLI, "", "", map[string]any{"state": "open", "first": 10}},
		{"pr.reviews.list", byGraphQL, "prNumber", "pr_with_reviews", map[string]any{"first": 20}},
		{"pr.threads.list", byGraphQL, "prNumber", "pr_with_reviews", map[string]any{"first": 20, "unresolvedOnly": false}},
	} {
		t.Run(c.capability, func(t *testing.T) {
			t.Parallel()
			g := openGHX(t, sandbox)
			input := g.in(c.input)
			if c.number != "" {
				input[c.number] = number(t, g.place, c.resource)
			}
			reply := g.run(c.capability, input)
			require.True(t, reply.OK, "%+v", reply.Error)
			assert.Equal(t, c.route, reply.Meta.Route)
			agree(t, reply.Data, g.read(c.capability, input), c.capability)
		})
	}
}

func TestGHXReads(t *testing.T) {
	sandbox := sparse(t)
	for _, c := range []struct {
		capability, route string
		input             func(t *testing.T, p *target.Place) map[string]any
		// want is what the answer has at least.
		want func(t *testing.T, p *target.Place) any
	}{
		{"repo.labels.list", byGraphQL, nil, func(*testing.T, *target.Place) any {
			return map[string]any{"items": []any{map[string]any{"name": "bench-seed:default"}, map[string]any{"name": "bench-fixture", "color": "5319e7"}}}
		}},
		{"repo.issue_types.list", byGraphQL, nil, func(*testing.T, *target.Place) any {
			return map[string]any{"items": []any{}}
		}},
		{"issue.relations.view", byGraphQL, numbered("issueNumber", "issue"), func(t *testing.T, p *target.Place) any {
			return map[string]any{"issue": map[string]any{"number": number(t, p, "issue")}, "parent": nil, "children": []any{}, "blockedBy": []any{}}
		}},
		{"issue.relations.prs.list", byGraphQL, numbered("issueNumber", "issue"), func(*testing.T, *target.Place) any {
			return map[string]any{"items": []any{}}
		}},
		{"pr.checks.list", byCLI, numbered("prNumber", "pr_with_checks"), func(*testing.T, *target.Place) any {
			check := func(workflow, name, state string) any {
				return map[string]any{"workflow": workflow, "name": name, "state": state}
			}
			return map[string]any{"items": []any{
				check("Bench rerun failed", "prepare", "SUCCESS"), check("Bench rerun failed", "flaky", "FAILURE"),
				check("CI", "lint", "SUCCESS"), check("CI", "test", "SUCCESS"),
			}}
		}},
		{"pr.comments.reactions.list", byGraphQL, numbered("prNumber", "pr_with_reviews"), func(*testing.T, *target.Place) any {
			comment := map[string]any{"authorLogin": target.Reviewer, "groups": noReactions()}
			return map[string]any{"items": []any{comment, comment, comment, comment}}
		}},
		{"pr.reactions.list", byGraphQL, numbered("prNumber", "pr_with_reviews"), func(*testing.T, *target.Place) any {
			return map[string]any{"items": noReactions()}
		}},
		{"pr.diff.files", byGraphQL, numbered("prNumber", "pr"), func(*testing.T, *target.Place) any {
			return map[string]any{"items": []any{map[string]any{"path": "CHANGELOG.md", "additions": 5, "deletions": 0}}}
		}},
		{"pr.diff.view", byCLI, numbered("prNumber", "pr"), func(*testing.T, *target.Place) any {
			return map[string]any{"diff": changelogDiff}
		}},
		{"pr.merge.status", byGraphQL, numbered("prNumber", "pr_mergeable"), func(*testing.T, *target.Place) any {
			return map[string]any{"mergeable": "MERGEABLE", "mergeStateStatus": "CLEAN", "reviewDecision": nil, "isDraft": false, "state": "OPEN"}
		}},
		{"workflow.list", byCLI, nil, func(*testing.T, *target.Place) any {
			workflow := func(name, file string) any {
				return map[string]any{"name": name, "path": ".github/workflows/" + file, "state": "active"}
			}
			return map[string]any{"items": []any{
				workflow("Bench artifacts", "bench-artifacts.yml"), workflow("Bench long", "bench-long.yml"),
				workflow("Bench rerun failed", "bench-rerun-failed.yml"), workflow("CI", "ci.yml"),
			}}
		}},
		{"workflow.runs.list", byCLI, func(*testing.T, *target.Place) map[string]any {
			return map[string]any{"status": "failure"}
		}, func(t *testing.T, p *target.Place) any {
			return map[string]any{"items": []any{map[string]any{
				"id": resourceID(t, p, "workflow_run", "id"), "workflowName": "Bench rerun failed", "conclusion": "failure",
				"headBranch": "bench-fixture/default/checks",
			}}}
		}},
		{"workflow.run.view", byCLI, identified("runId", "workflow_run"), func(t *testing.T, p *target.Place) any {
			return map[string]any{
				"status": "completed", "conclusion": "failure", "event": "workflow_dispatch", "attempt": 1,
				"jobs": []any{
					map[string]any{"name": "prepare", "conclusion": "success"},
					map[string]any{"name": "flaky", "conclusion": "failure", "id": resourceID(t, p, "workflow_job", "id")},
				},
			}
		}},
		{"workflow.run.artifacts.list", byCLI, identified("runId", "workflow_run"), func(*testing.T, *target.Place) any {
			return map[string]any{"items": []any{}}
		}},
		{"workflow.job.logs.view", byCLI, identified("jobId", "workflow_job"), func(*testing.T, *target.Place) any {
			return map[string]any{"truncated": false, "summary": map[string]any{"errorCount": 1, "warningCount": 0}}
		}},
	} {
		t.Run(c.capability, func(t *testing.T) {
			t.Parallel()
			g := openGHX(t, sandbox)
			input := g.in(nil)
			if c.input != nil {
				input = g.in(c.input(t, g.place))
			}
			reply := g.run(c.capability, input)
			require.True(t, reply.OK, "%+v", reply.Error)
			assert.Equal(t, c.route, reply.Meta.Route)
			partOf(t, reply.Data, plain(t, c.want(t, g.place)), c.capability)
		})
	}
}

// agree asserts that two JSON values are the same, but for fields that only one
// of them has.
func agree(t testing.TB, one, other any, at string) {
	t.Helper()
	switch one := one.(type) {
	case map[string]any:
		object, _ := other.(map[string]any)
		shared := 0
		for name, value := range one {
			// A cursor is its giver's own.
			if theirs, has := object[name]; has && name != "endCursor" {
				shared++
				agree(t, value, theirs, at+"."+name)
			}
		}
		assert.Positive(t, shared, "%s: %v and %v have nothing in common", at, one, other)
	case []any:
		list, _ := other.([]any)
		require.Len(t, list, len(one), at)
		for n := range one {
			agree(t, one[n], list[n], fmt.Sprintf("%s.%d", at, n))
		}
	default:
		assert.Equal(t, other, one, at)
	}
}

// noReactions is every kind of reaction, with nobody who reacted.
func noReactions() []any {
	var groups []any
	for _, content := range []string{"THUMBS_UP", "THUMBS_DOWN", "LAUGH", "HOORAY", "CONFUSED", "HEART", "ROCKET", "EYES"} {
		groups = append(groups, map[string]any{"content": content, "reactorCount": 0, "viewerHasReacted": false})
	}
	return groups
}

const changelogDiff = "diff --git a/CHANGELOG.md b/CHANGELOG.md\nnew file mode 100644\nindex 0000000..4dbc394\n--- /dev/null\n+++ b/CHANGELOG.md\n" +
	"@@ -0,0 +1,5 @@\n+# Changelog\n+\n+## Unreleased\n+\n+- Nothing yet.\n"

// numbered makes an input that has the number of a fixture.
func numbered(field, resource string) func(*testing.T, *target.Place) map[string]any {
	return func(t *testing.T, p *target.Place) map[string]any {
		return map[string]any{field: number(t, p, resource)}
	}
}

// identified makes an input that has the database id of a fixture.
func identified(field, resource string) func(*testing.T, *target.Place) map[string]any {
	return func(t *testing.T, p *target.Place) map[string]any {
		return map[string]any{field: resourceID(t, p, resource, "id")}
	}
}

func TestGHXReadsJobLogs(t *testing.T) {
	g := openGHX(t, seeded(t))
	reply := g.run("workflow.job.logs.raw", g.in(identified("jobId", "workflow_job")(t, g.place)))
	require.True(t, reply.OK, "%+v", reply.Error)
	data, _ := reply.Data.(map[string]any)
	log, _ := data["log"].(string)
	assert.Contains(t, log, "flaky\tFail on the first attempt\t")
	assert.Contains(t, log, "attempt 1: the first attempt fails on purpose\n")
	assert.Contains(t, log, "##[error]Process completed with exit code 1.\n")
	assert.NotContains(t, log, "prepare\t", "the log of the other job is not asked for")
}
