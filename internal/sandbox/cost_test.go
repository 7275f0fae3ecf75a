package sandbox_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// What a write costs does not depend on how large the world is: as many rows
// are looked at among 1,000 issues as among 100.
func TestAWriteCostsTheSameInALargeWorld(t *testing.T) {
	visited := func(issues int) map[string]int {
		w := grown(t, issues)
		owner := w.As("owner")
		rows := map[string]int{}
		note := func(name string) {
			w.Look(func(s *model.State) { rows[name] = s.Visited() })
		}
		for n, write := range writes {
			path, body := write.request(t, w, n)
			reply := owner.Do(write.method, sandboxtest.Path+path, body)
			require.Less(t, reply.Status, http.StatusMultipleChoices, reply.Body)
			note(write.name)
		}
		var issue, pull *model.Issue
		w.Look(func(s *model.State) {
			r := s.Repo(sandboxtest.Owner, sandboxtest.Name)
			issue, pull = s.Issue(r, 1), s.Issue(r, issues+3)
		})
		// In one order: closing looks at what was said.
		for _, mutation := range []struct{ name, query string }{
			{"graphql: comment", fmt.Sprintf(`mutation {addComment(input: {subjectId: %q, body: "x"}) {subject {id}}}`, model.NodeID(model.NodeIssue, issue.RepoID, issue.ID))},
			{"graphql: close", fmt.Sprintf(`mutation {closeIssue(input: {issueId: %q}) {issue {id}}}`, model.NodeID(model.NodeIssue, issue.RepoID, issue.ID))},
			{"graphql: review", fmt.Sprintf(`mutation {addPullRequestReview(input: {pullRequestId: %q, event: COMMENT, body: "x"}) {pullRequestReview {id}}}`, model.NodeID(model.NodePull, pull.RepoID, pull.Pull.ID))},
		} {
			assert.Nil(t, owner.GraphQL(mutation.query).At("errors"))
			note(mutation.name)
		}
		return rows
	}
	small, large := visited(100), visited(1000)
	assert.Equal(t, small, large)
	for name, rows := range small {
		assert.Positive(t, rows, name)
		assert.Less(t, rows, 1000, name)
	}
}
