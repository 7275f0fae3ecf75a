package target_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// release is that of a tag, or its draft, as the world has it; nil if there is
// none.
func releaseOf(t testing.TB, gh *ghTool, tag string) *model.Release {
	t.Helper()
	var found *model.Release
	lookAt(t, gh.place, func(s *model.State, repo *model.Repo) {
		if r := s.Releases.First(func(r *model.Release) bool { return r.RepoID == repo.ID && r.TagName == tag }); r != nil {
			copied := *r
			found = &copied
		}
	})
	return found
}

func TestGHMakesReleases(t *testing.T) {
	withGH(t, func(t *testing.T, gh *ghTool) {
		file := filepath.Join(gh.Work, "notes.txt")
		require.NoError(t, os.WriteFile(file, []byte("an asset\n"), 0o600))

		assert.Contains(t, gh.ok("release create v9.0.0 --title 'The ninth' --notes Notes --target main"), "/aryeko/ghx-bench-fixtures/releases/tag/v9.0.0")
		made := releaseOf(t, gh, "v9.0.0")
		assert.Equal(t, []any{"The ninth", "Notes", false, false}, []any{made.Name, made.Body, made.Draft, made.Prerelease})
		gh.ok("release create v9.1.0 --generate-notes --notes-start-tag v9.0.0 --prerelease --latest=false")
		assert.True(t, releaseOf(t, gh, "v9.1.0").Prerelease)
		assert.Contains(t, releaseOf(t, gh, "v9.1.0").Body, "**Full Changelog**: https://github.com/aryeko/ghx-bench-fixtures/compare/v9.0.0...v9.1.0")
		gh.ok("release create v9.2.0 --draft --title Draft --notes Notes notes.txt")
		draft := releaseOf(t, gh, "v9.2.0")
		assert.True(t, draft.Draft)
		require.Len(t, draft.Assets, 1)
		assert.Equal(t, "an asset\n", string(draft.Assets[0].Content))

		list := gh.ok("release list")
		for _, part := range []string{"The ninth\tLatest\tv9.0.0\t", "v9.1.0\tPre-release\tv9.1.0\t", "Draft\tDraft\tv9.2.0\t"} {
			assert.Contains(t, list, part)
		}
		assert.Contains(t, gh.ok("release view v9.2.0"), "draft:\ttrue\n")
		assert.Contains(t, gh.ok("release view"), "tag:\tv9.0.0\n", "the latest one")
		var fields map[string]any
		require.NoError(t, json.Unmarshal([]byte(gh.ok("release view v9.0.0 --json apiUrl,assets,author,body,createdAt,id,isDraft,isPrerelease,name,publishedAt,tagName,tarballUrl,targetCommitish,uploadUrl,url,zipballUrl")), &fields))
		assert.Equal(t, []any{"v9.0.0", "The ninth", "main", false}, []any{fields["tagName"], fields["name"], fields["targetCommitish"], fields["isDraft"]})

		gh.ok("release upload v9.0.0 notes.txt")
		gh.ok("release upload v9.0.0 notes.txt --clobber")
		gh.ok("release download v9.0.0 --dir down")
		content, err := os.ReadFile(filepath.Join(gh.Work, "down", "notes.txt"))
		require.NoError(t, err)
		assert.Equal(t, "an asset\n", string(content))
		gh.ok("release download v9.0.0 --archive zip --dir archive")
		archives, err := os.ReadDir(filepath.Join(gh.Work, "archive"))
		require.NoError(t, err)
		assert.Len(t, archives, 1)
	})
}

func TestGHChangesReleases(t *testing.T) {
	withGH(t, func(t *testing.T, gh *ghTool) {
		gh.ok("release create v9.2.0 --draft --title Draft --notes Notes")
		gh.ok("release edit v9.2.0 --title Other --notes Words --prerelease")
		edited := releaseOf(t, gh, "v9.2.0")
		assert.Equal(t, []any{"Other", "Words", true, true}, []any{edited.Name, edited.Body, edited.Prerelease, edited.Draft})
		gh.ok("release edit v9.2.0 --draft=false --prerelease=false")
		assert.False(t, releaseOf(t, gh, "v9.2.0").Draft)
		gh.do("ls-remote", "--exit-code", "--tags", "https://github.com/aryeko/ghx-bench-fixtures", "v9.2.0")
		gh.ok("release delete v9.2.0 --yes --cleanup-tag")
		assert.Nil(t, releaseOf(t, gh, "v9.2.0"))
		assert.Contains(t, gh.refused("api repos/{owner}/{repo}/git/ref/tags/v9.2.0"), "Not Found")
	})
}

func TestGHSaysWhatIsWrongWithReleases(t *testing.T) {
	withGH(t, func(t *testing.T, gh *ghTool) {
		gh.ok("release create v9.0.0 --notes Notes")
		for command, want := range map[string]string{
			"release view none":                               "release not found",
			"release delete none --yes":                       "release not found",
			"release create v9.0.0 --notes x":                 "Release.tag_name already exists",
			"release create v9.3.0 --notes x --target none":   "Release.target_commitish is invalid",
			"release download v9.0.0":                         "no assets",
			"api repos/{owner}/{repo}/releases -F per_page=5": `"tag_name" wasn't supplied.`,
		} {
			assert.Contains(t, gh.refused(command), want, "gh %s", command)
		}
	})
}
