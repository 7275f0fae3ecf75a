package target_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func TestMCPReadsReleases(t *testing.T) {
	m := openAllMCP(t)
	change(t, m.place, func(s *model.State, repo *model.Repo) error {
		for _, tag := range []string{"v9.0.0", "v9.1.0", "v9.2.0"} {
			draft := tag == "v9.2.0"
			if _, err := s.CreateRelease(repo.OwnerID, repo, model.ReleaseEdit{TagName: &tag, Name: &tag, Draft: &draft}); err != nil {
				return err
			}
		}
		return nil
	})
	release := func(tag string) any {
		return map[string]any{"tag_name": tag, "name": tag, "author": map[string]any{"login": target.Owner}}
	}
	m.has([]any{release("v9.2.0"), release("v9.1.0")}, "list_releases", m.in(map[string]any{"perPage": 2}))
	m.has(release("v9.1.0"), "get_latest_release", m.in(nil))
	m.has(release("v9.0.0"), "get_release_by_tag", m.in(map[string]any{"tag": "v9.0.0"}))
	missing := m.Try("get_release_by_tag", m.in(map[string]any{"tag": "v9.2.0"}))
	assert.True(t, missing.IsError)
	assert.Contains(t, missing.Text, "404 Not Found", "a draft has no tag")
}
