package target_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
)

// tagSpec is an annotated tag.
func tagSpec(at gitstore.Hash) gitstore.TagSpec {
	return gitstore.TagSpec{Target: at, Name: "v1", Message: "The first one"}
}

// seen returns a pull request of the fixtures as it is in the world.
func (m *mcpBench) seen(resource string) (pull *model.Issue) {
	m.t.Helper()
	lookAt(m.t, m.place, func(s *model.State, repo *model.Repo) { pull = s.Pull(repo, number(m.t, m.place, resource)) })
	return pull
}

func TestMCPReadsPullRequests(t *testing.T) {
	m := openAllMCP(t)
	read := func(method, resource string) map[string]any { return m.on(resource, map[string]any{"method": method}) }
	head := m.seen("pr").Pull.HeadSHA
	m.has(map[string]any{
		"title": "[bench:default] Add a changelog", "state": "open", "merged": false, "mergeable": true, "changed_files": 1, "additions": 5,
		"head": map[string]any{"ref": "bench-fixture/default/basic", "sha": head}, "base": map[string]any{"ref": "main"},
	}, "pull_request_read", read("get", "pr"))
	assert.Equal(t, strings.TrimSpace(changelogDiff), strings.TrimSpace(m.Call("pull_request_read", read("get_diff", "pr"))))
	// Checks are no statuses, of which there are none.
	m.has(map[string]any{"state": "pending", "total_count": 0, "sha": m.seen("pr_with_checks").Pull.HeadSHA}, "pull_request_read", read("get_status", "pr_with_checks"))
	m.has([]any{map[string]any{"filename": "CHANGELOG.md", "status": "added", "additions": 5}}, "pull_request_read", read("get_files", "pr"))
	comment := func(line int) any {
		return map[string]any{"path": "src/utils/format.ts", "line": line, "user": map[string]any{"login": target.Reviewer}}
	}
	m.has([]any{comment(5), comment(2), comment(10), comment(15)}, "pull_request_read", read("get_review_comments", "pr_with_reviews"))
	review := map[string]any{"state": "COMMENTED", "user": map[string]any{"login": target.Reviewer}}
	m.has([]any{review, review, review, review}, "pull_request_read", read("get_reviews", "pr_with_reviews"))
	m.has([]any{}, "pull_request_read", read("get_comments", "pr_with_reviews"))

	numbered := func(resource string) any { return map[string]any{"number": number(t, m.place, resource)} }
	m.has([]any{numbered("pr_with_reviews"), numbered("pr_mergeable"), numbered("pr_with_checks"), numbered("pr")},
		"list_pull_requests", m.in(map[string]any{"state": "open"}))
	m.has([]any{numbered("pr")}, "list_pull_requests", m.in(map[string]any{"head": target.Owner + ":bench-fixture/default/basic"}))
}

func TestMCPWritesPullRequests(t *testing.T) {
	m := openAllMCP(t)
	m.Call("create_branch", m.in(map[string]any{"branch": "topic"}))
	m.Call("create_or_update_file", m.in(map[string]any{"branch": "topic", "path": "a.txt", "content": "x", "message": "add"}))
	m.Call("create_pull_request", m.in(map[string]any{"title": "New", "body": "Text", "head": "topic", "base": "main", "draft": true}))
	var made *model.Issue
	latest := func() {
		lookAt(t, m.place, func(s *model.State, repo *model.Repo) { made = s.Pull(repo, repo.LastNumber) })
	}
	latest()
	assert.Equal(t, []any{"New", "Text", "topic", true}, []any{made.Title, made.Body, made.Pull.HeadRef, made.Pull.Draft})

	update := func(args map[string]any) {
		args["pullNumber"] = made.Number
		m.Call("update_pull_request", m.in(args))
		latest()
	}
	update(map[string]any{"title": "Other", "reviewers": []string{target.Reviewer}})
	assert.Equal(t, "Other", made.Title)
	assert.Len(t, made.Pull.RequestedReviewers, 1)
	update(map[string]any{"draft": false})
	assert.False(t, made.Pull.Draft)
	update(map[string]any{"state": "closed"})
	assert.True(t, made.Closed)
}

func TestMCPAssignsPullRequests(t *testing.T) {
	m := openAllMCP(t)
	m.Call("issue_write", m.in(map[string]any{"method": "update", "issue_number": number(t, m.place, "pr"), "assignees": []string{target.Owner}}))
	assert.Len(t, m.seen("pr").Assignees, 1)
}

func TestMCPMerges(t *testing.T) {
	m := openAllMCP(t)
	m.has(map[string]any{"merged": true}, "merge_pull_request", m.on("pr_mergeable", map[string]any{"merge_method": "squash", "commit_title": "Title"}))
	merged := m.seen("pr_mergeable").Pull
	assert.True(t, merged.Merged())
	lookAt(t, m.place, func(s *model.State, repo *model.Repo) {
		at, _ := s.BranchHead(repo, "main")
		tip, err := repo.Git.Commit(at)
		assert.NoError(t, err)
		assert.Equal(t, []any{merged.MergeCommitSHA, 1}, []any{at.String(), len(tip.Parents)})
		assert.Contains(t, tip.Message, "Title")
	})
	again := m.Try("merge_pull_request", m.on("pr_mergeable", nil))
	assert.True(t, again.IsError)
	assert.Contains(t, again.Text, "405")

	before := m.seen("pr").Pull.HeadSHA
	m.Call("update_pull_request_branch", m.on("pr", map[string]any{"expectedHeadSha": before}))
	assert.NotEqual(t, before, m.seen("pr").Pull.HeadSHA)
}

func TestMCPReviews(t *testing.T) {
	m := openAllMCP(t)
	reviews := func() (all []*model.Review) {
		lookAt(t, m.place, func(s *model.State, _ *model.Repo) { all = s.ReviewsOf(s.User(target.Agent).ID, m.seenIn(s, "pr")) })
		return all
	}
	write := func(method string, args map[string]any) {
		t.Helper()
		args = m.on("pr", args)
		args["method"] = method
		m.Call("pull_request_review_write", args)
	}
	write("create", nil)
	assert.Equal(t, model.ReviewPending, reviews()[0].State)
	m.Call("add_comment_to_pending_review", m.on("pr", map[string]any{
		"path": "CHANGELOG.md", "line": 3, "side": "RIGHT", "subjectType": "LINE", "body": "Why?",
	}))
	write("submit_pending", map[string]any{"event": "REQUEST_CHANGES", "body": "No"})
	assert.Equal(t, []any{model.ReviewChangesRequested, "No"}, []any{reviews()[0].State, reviews()[0].Body})
	m.has([]any{map[string]any{"path": "CHANGELOG.md", "line": 3, "body": "Why?"}}, "pull_request_read",
		m.on("pr", map[string]any{"method": "get_review_comments"}))

	write("create", map[string]any{"event": "COMMENT", "body": "Seen"})
	assert.Equal(t, []any{model.ReviewCommented, "Seen"}, []any{reviews()[1].State, reviews()[1].Body})
}

func TestMCPDropsReviews(t *testing.T) {
	m := openAllMCP(t)
	write := func(method string) realtool.ToolResult {
		return m.Try("pull_request_review_write", m.on("pr", map[string]any{"method": method}))
	}
	pending := func() (review *model.Review) {
		lookAt(t, m.place, func(s *model.State, _ *model.Repo) {
			review = s.PendingReview(s.User(target.Agent).ID, m.seenIn(s, "pr"))
		})
		return review
	}
	assert.False(t, write("create").IsError)
	assert.NotNil(t, pending())
	assert.False(t, write("delete_pending").IsError)
	assert.Nil(t, pending())
	assert.True(t, write("delete_pending").IsError, "there is none left")
}

// seenIn is seen for who looks at the world already.
func (m *mcpBench) seenIn(s *model.State, resource string) *model.Issue {
	return s.Pull(s.Repo(target.Owner, target.FixturesName), number(m.t, m.place, resource))
}
