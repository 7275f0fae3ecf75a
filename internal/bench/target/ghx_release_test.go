package target_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func TestGHXDeliversReleases(t *testing.T) {
	g := openGHX(t, seeded(t))
	made := g.must("release.create", byCLI, g.in(map[string]any{
		"tagName": "v9.0.0", "title": "The ninth", "notes": "Notes", "targetCommitish": "main", "prerelease": false,
	}))
	assert.Equal(t, []any{"v9.0.0", "The ninth", true, false, "main", nil}, []any{
		made["tagName"], made["name"], made["isDraft"], made["isPrerelease"], made["targetCommitish"], made["publishedAt"],
	}, "what ghx creates is a draft")
	updated := g.must("release.update", byCLI, g.in(map[string]any{"releaseId": made["id"], "title": "Ninth", "notes": "Words", "prerelease": true}))
	assert.Equal(t, []any{"Ninth", true, true}, []any{updated["name"], updated["isPrerelease"], updated["isDraft"]})
	seen := g.must("release.view", byGraphQL, g.in(map[string]any{"tagName": "v9.0.0"}))
	assert.Equal(t, []any{made["id"], "Ninth", true, nil}, []any{seen["id"], seen["name"], seen["isDraft"], seen["targetCommitish"]})

	published := g.must("release.publish", byCLI, g.in(map[string]any{"releaseId": made["id"], "prerelease": false}))
	assert.Equal(t, []any{true, false, "https://github.com/aryeko/ghx-bench-fixtures/releases/tag/v9.0.0"}, []any{
		published["wasDraft"], published["isDraft"], published["url"],
	})
	lookAt(t, g.place, func(s *model.State, repo *model.Repo) {
		r := s.PublishedRelease(repo, "v9.0.0")
		require.NotNil(t, r)
		assert.Equal(t, []any{"Ninth", "Words", false}, []any{r.Name, r.Body, r.Prerelease})
		head, _ := s.BranchHead(repo, "main")
		at, _ := repo.Git.Ref("refs/tags/v9.0.0")
		assert.Equal(t, head, at)
	})
	list := g.must("release.list", byGraphQL, g.in(map[string]any{"first": 1}))
	partOf(t, list["items"], []any{map[string]any{"tagName": "v9.0.0", "isDraft": false}}, "items")

	again := g.run("release.publish", g.in(map[string]any{"releaseId": made["id"]}))
	require.NotNil(t, again.Error)
	assert.Equal(t, "release.publish requires an existing draft release", again.Error.Message)
	missing := g.run("release.update", g.in(map[string]any{"releaseId": 5, "title": "x"}))
	require.NotNil(t, missing.Error)
	assert.Equal(t, "NOT_FOUND", missing.Error.Code)
}
