package target_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// pullNumber is the input of a capability that is about a pull request of the
// fixtures, with more.
func (g *ghxBench) pullNumber(resource string, more map[string]any) map[string]any {
	g.t.Helper()
	in := g.in(more)
	in["prNumber"] = number(g.t, g.place, resource)
	return in
}

func TestGHXTellsTheMergeStatusThatTheVerifierReads(t *testing.T) {
	sandbox := seededWith(t, "pr_mergeable", "pr_behind", "pr_failing_checks")
	for _, resource := range []string{"pr_mergeable", "pr_behind", "pr_failing_checks"} {
		t.Run(resource, func(t *testing.T) {
			t.Parallel()
			g := openGHX(t, sandbox)
			input := g.pullNumber(resource, nil)
			agree(t, any(g.must("pr.merge.status", byGraphQL, input)), g.read("pr.merge.status", input), resource)
		})
	}
}

func TestTheVerifierReadsHowFarBehindAPullRequestIs(t *testing.T) {
	t.Parallel()
	g := openGHX(t, seededWith(t, "pr_behind", "pr_mergeable"))
	partOf(t, g.read("pr.merge.status", g.pullNumber("pr_behind", nil)),
		plain(t, map[string]any{"behindBy": 1, "aheadBy": 1, "changedFiles": 1}), "before")
	g.must("pr.branch.update", byGraphQL, g.pullNumber("pr_behind", nil))
	partOf(t, g.read("pr.merge.status", g.pullNumber("pr_behind", nil)),
		plain(t, map[string]any{"behindBy": 0, "aheadBy": 2, "changedFiles": 1}), "after")
	again := g.run("pr.branch.update", g.pullNumber("pr_behind", nil))
	require.NotNil(t, again.Error)
	assert.Contains(t, again.Error.Message, "There are no new commits on the base branch.")

	g.must("pr.merge", byCLI, g.pullNumber("pr_mergeable", map[string]any{"method": "squash", "deleteBranch": true}))
	partOf(t, g.read("pr.merge.status", g.pullNumber("pr_mergeable", nil)),
		map[string]any{"state": "MERGED", "behindBy": nil, "aheadBy": nil}, "without its branch")
}

// group is a kind of reaction of the fixtures' owner.
func group(content string) map[string]any {
	return map[string]any{
		"content": content, "reactorCount": 1.0, "reactorLogins": []any{target.Owner}, "viewerHasReacted": false, "reactorsTruncated": false,
	}
}

func TestGHXListsReactions(t *testing.T) {
	t.Parallel()
	g := openGHX(t, seededWith(t, "pr_with_reactions"))
	heart := g.must("pr.reactions.list", byGraphQL, g.pullNumber("pr_with_reactions", map[string]any{"content": "HEART"}))
	assert.Equal(t, []any{group("HEART")}, heart["items"])
	by := g.must("pr.reactions.list", byGraphQL, g.pullNumber("pr_with_reactions", map[string]any{"reactorLogin": target.Owner}))
	assert.Equal(t, []any{group("THUMBS_UP"), group("HEART")}, by["items"])

	comments := g.must("pr.comments.reactions.list", byGraphQL, g.pullNumber("pr_with_reactions", map[string]any{"reactorLogin": target.Owner}))
	partOf(t, comments["items"], []any{map[string]any{"subjectType": "IssueComment", "groups": []any{group("ROCKET")}}}, "comments")
	nobody := g.must("pr.comments.reactions.list", byGraphQL, g.pullNumber("pr_with_reactions", map[string]any{"reactorLogin": target.Agent}))
	assert.Empty(t, nobody["items"])
}

func TestGHXListsUnresolvedThreads(t *testing.T) {
	t.Parallel()
	g := openGHX(t, seededWith(t, "pr_with_mixed_threads"))
	threads := func(input map[string]any) []any {
		list, _ := g.must("pr.threads.list", byGraphQL, g.pullNumber("pr_with_mixed_threads", input))["items"].([]any)
		return list
	}
	assert.Len(t, threads(nil), 2, "resolved ones are left out if the input does not say otherwise")
	assert.Len(t, threads(map[string]any{"unresolvedOnly": false}), 4)
	assert.Len(t, threads(map[string]any{"first": 1}), 1)
}

func TestGHXClosesWithAComment(t *testing.T) {
	t.Parallel()
	g := openGHX(t, seededWith(t, "pr", "pr_assigned"))
	g.must("pr.close", byGraphQL, g.pullNumber("pr", map[string]any{"comment": "No."}))
	partOf(t, g.read("issue.comments.list", g.in(map[string]any{"issueNumber": number(t, g.place, "pr")})),
		map[string]any{"items": []any{map[string]any{"body": "No.", "authorLogin": target.Agent}}}, "comments")
	partOf(t, g.read("pr.view", g.pullNumber("pr", nil)), map[string]any{"state": "CLOSED", "headRefExists": true}, "closed")

	g.must("pr.close", byCLI, g.pullNumber("pr_assigned", map[string]any{"deleteBranch": true}))
	partOf(t, g.read("pr.view", g.pullNumber("pr_assigned", nil)), map[string]any{"state": "CLOSED", "headRefExists": false}, "closed with its branch")
}

func TestGHXChangesWhoIsAsked(t *testing.T) {
	t.Parallel()
	g := openGHX(t, seededWith(t, "pr_assigned"))
	g.must("pr.assignees.remove", byGraphQL, g.pullNumber("pr_assigned", map[string]any{"assignees": []string{target.Owner}}))
	g.must("pr.reviews.request", byGraphQL, g.pullNumber("pr_assigned", map[string]any{"reviewers": []string{target.Reviewer, target.Verifier}}))
	partOf(t, g.read("pr.view", g.pullNumber("pr_assigned", nil)),
		map[string]any{"assignees": []any{}, "requestedReviewers": []any{target.Reviewer, target.Verifier}}, "the pull request")
}

func TestGHXTakesEventsInLowerCase(t *testing.T) {
	t.Parallel()
	g := openGHX(t, seededWith(t, "pr_with_bugs"))
	review := g.must("pr.reviews.submit", byGraphQL, g.pullNumber("pr_with_bugs", map[string]any{"event": "approve"}))
	assert.Equal(t, "APPROVED", review["state"])
	lookAt(t, g.place, func(s *model.State, _ *model.Repo) {
		reviews := s.ReviewsOf(s.User(target.Verifier).ID, s.Pull(s.Repo(target.Owner, target.FixturesName), number(t, g.place, "pr_with_bugs")))
		require.Len(t, reviews, 1)
		assert.Equal(t, model.ReviewApproved, reviews[0].State)
	})
}

// The summary of ghx 0.8.0 counts by a field that it does not ask gh for, so
// that scenarios cannot ask it for checks in one state.
func TestGHXListsChecksOfAllStatesAlone(t *testing.T) {
	t.Parallel()
	g := openGHX(t, seededWith(t, "pr_with_checks"))
	all := g.must("pr.checks.list", byCLI, g.pullNumber("pr_with_checks", nil))
	assert.Len(t, all["items"], 4)
	failed := g.must("pr.checks.list", byCLI, g.pullNumber("pr_with_checks", map[string]any{"state": "failed"}))
	assert.Empty(t, failed["items"])
	partOf(t, g.read("pr.checks.list", g.pullNumber("pr_with_checks", map[string]any{"state": "failed"})),
		plain(t, map[string]any{"items": []any{map[string]any{"name": "flaky"}}, "summary": map[string]any{"failed": 1, "passed": 3}}), "what is so")
}
