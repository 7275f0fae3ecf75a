package model_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func (w *world) release(tag string, edit model.ReleaseEdit) *model.Release {
	w.t.Helper()
	edit.TagName = &tag
	r, err := w.CreateRelease(w.writer, w.repo, edit)
	require.NoError(w.t, err)
	return r
}

func TestPublishingMakesTheTag(t *testing.T) {
	w := newWorld(t)
	first := w.head("main")
	w.write("main", "new.txt", "x\n", "more")
	draft := w.release("v1", model.ReleaseEdit{Draft: ptr(true), Target: &first})
	assert.Nil(t, draft.PublishedAt)
	_, tagged := w.repo.Git.Ref("refs/tags/v1")
	assert.False(t, tagged, "the tag of a draft is not made")
	assert.Nil(t, w.LatestRelease(w.repo))
	assert.Nil(t, w.PublishedRelease(w.repo, "v1"))
	assert.Len(t, w.ReleasesOf(w.writer, w.repo), 1)
	assert.Empty(t, w.ReleasesOf(w.reader, w.repo), "drafts are for those who may write")
	assert.Contains(t, w.ReleasePage(draft), "/owner/hello/releases/tag/untagged-")

	require.NoError(t, w.EditRelease(w.writer, draft, model.ReleaseEdit{Draft: ptr(false)}))
	at, tagged := w.repo.Git.Ref("refs/tags/v1")
	assert.True(t, tagged)
	assert.Equal(t, first, at.String())
	assert.Equal(t, w.Now, *draft.PublishedAt)
	assert.Same(t, draft, w.LatestRelease(w.repo))
	assert.Equal(t, "/owner/hello/releases/tag/v1", w.ReleasePage(draft))

	require.NoError(t, w.EditRelease(w.writer, draft, model.ReleaseEdit{Draft: ptr(true)}))
	assert.Nil(t, draft.PublishedAt, "a release can be a draft again")
	require.NoError(t, w.Validate())
	require.NoError(t, w.DeleteRelease(w.writer, draft))
	_, tagged = w.repo.Git.Ref("refs/tags/v1")
	assert.True(t, tagged, "the tag stays")
}

func TestTheLatestRelease(t *testing.T) {
	w := newWorld(t)
	latest := func() string { return w.LatestRelease(w.repo).TagName }
	one := w.release("v1", model.ReleaseEdit{})
	w.release("v2-rc", model.ReleaseEdit{Prerelease: ptr(true)})
	assert.Equal(t, "v1", latest(), "a prerelease is not the latest")
	w.release("v0.9", model.ReleaseEdit{MakeLatest: model.LatestNo})
	assert.Equal(t, "v1", latest())
	two := w.release("v2", model.ReleaseEdit{})
	assert.Equal(t, "v2", latest())
	require.NoError(t, w.EditRelease(w.owner, one, model.ReleaseEdit{MakeLatest: model.LatestYes}))
	assert.Equal(t, "v1", latest())
	require.NoError(t, w.EditRelease(w.owner, one, model.ReleaseEdit{Prerelease: ptr(true)}))
	assert.Equal(t, "v2", latest())
	require.NoError(t, w.EditRelease(w.owner, two, model.ReleaseEdit{MakeLatest: model.LatestNo}))
	assert.Equal(t, "v2", latest(), "where none was made the latest, it is the one that was published last")
}

func TestReleasesThatCannotBe(t *testing.T) {
	w := newWorld(t)
	w.release("v1", model.ReleaseEdit{})
	missing := []model.FieldError{{Resource: "Release", Field: "target_commitish", Code: "invalid"}}
	for reason, c := range map[string]struct {
		edit model.ReleaseEdit
		want []model.FieldError
	}{
		"its tag has a release":           {model.ReleaseEdit{TagName: ptr("v1")}, []model.FieldError{{Resource: "Release", Field: "tag_name", Code: "already_exists"}}},
		"its tag has no name":             {model.ReleaseEdit{TagName: ptr(" ")}, []model.FieldError{{Resource: "Release", Field: "tag_name", Code: "missing_field"}}},
		"its tag cannot be a name":        {model.ReleaseEdit{TagName: ptr("a..b")}, []model.FieldError{{Resource: "Release", Code: "custom", Message: "tag_name is not well-formed"}}},
		"a draft is made of nothing":      {model.ReleaseEdit{TagName: ptr("v2"), Draft: ptr(true), Target: ptr("none")}, missing},
		"a draft cannot be the latest":    {model.ReleaseEdit{TagName: ptr("v2"), Draft: ptr(true), MakeLatest: "true"}, []model.FieldError{{Resource: "Release", Code: "custom", Message: "Latest release cannot be draft or prerelease"}}},
		"its text is longer than allowed": {model.ReleaseEdit{TagName: ptr("v2"), Body: ptr(strings.Repeat("ü", 125001))}, []model.FieldError{{Resource: "Release", Field: "body", Code: "custom", Message: "body is too long (maximum is 125000 characters)"}}},
		"it is made of nothing": {model.ReleaseEdit{TagName: ptr("v2"), Target: ptr("none")}, append([]model.FieldError{
			{Resource: "Release", Code: "custom", Message: "tag_name is not a valid tag"},
			{Resource: "Release", Code: "custom", Message: "Published releases must have a valid tag"},
		}, missing...)},
	} {
		_, err := w.CreateRelease(w.writer, w.repo, c.edit)
		assert.Equal(t, c.want, refusal(t, err).Errors, reason)
	}
	draft := w.release("v1", model.ReleaseEdit{Draft: ptr(true), Target: ptr("none")})
	assert.Equal(t, "already_exists", refusal(t, w.EditRelease(w.writer, draft, model.ReleaseEdit{Draft: ptr(false)})).Errors[0].Code,
		"drafts may share a tag; its target does not matter where it exists")
	assert.True(t, draft.Draft)

	for _, c := range []error{
		func() error {
			_, err := w.CreateRelease(w.triager, w.repo, model.ReleaseEdit{TagName: ptr("v3")})
			return err
		}(),
		w.EditRelease(w.triager, draft, model.ReleaseEdit{}), w.DeleteRelease(w.triager, draft), w.DeleteAsset(w.triager, draft, 1),
		func() error { _, err := w.AddAsset(w.triager, draft, model.NewAsset{}); return err }(),
		func() error { _, err := w.GenerateReleaseNotes(w.triager, w.repo, "v3", "", ""); return err }(),
	} {
		assert.Equal(t, model.Forbidden, refusal(t, c).Kind)
	}
	empty := w.AddRepo(model.NewRepo{Owner: w.owner, Name: "empty"})
	_, err := w.CreateRelease(w.owner, empty, model.ReleaseEdit{TagName: ptr("v1")})
	assert.Equal(t, "Repository is empty.", said(t, err))
}

func TestReleaseNotesAreAboutWhatWasMerged(t *testing.T) {
	w := newWorld(t)
	merge := func(branch string) *model.Issue {
		pr := w.pull(branch, branch, "x\n")
		require.NoError(t, w.MergePull(w.owner, pr, model.Merge{Method: model.MethodMerge}))
		return pr
	}
	one := merge("one")
	notes, err := w.GenerateReleaseNotes(w.writer, w.repo, "v1", "", "")
	require.NoError(t, err)
	assert.Equal(t, model.ReleaseNotes{Pulls: []*model.Issue{one}}, notes)
	w.release("v1", model.ReleaseEdit{})
	two := merge("two")
	notes, err = w.GenerateReleaseNotes(w.writer, w.repo, "v2", "", "")
	require.NoError(t, err)
	assert.Equal(t, model.ReleaseNotes{Pulls: []*model.Issue{two}, Previous: "v1"}, notes)
	_, err = w.GenerateReleaseNotes(w.writer, w.repo, "v2", "", "none")
	assert.Equal(t, "Invalid previous_tag parameter", said(t, err))
	_, err = w.GenerateReleaseNotes(w.writer, w.repo, "v2", "none", "")
	assert.Equal(t, "Invalid target_commitish parameter", said(t, err))
}

func TestAssets(t *testing.T) {
	w := newWorld(t)
	r := w.release("v1", model.ReleaseEdit{Draft: ptr(true)})
	a, err := w.AddAsset(w.writer, r, model.NewAsset{Name: "a.txt", Content: []byte("a")})
	require.NoError(t, err)
	assert.Equal(t, "application/octet-stream", a.ContentType)
	_, err = w.AddAsset(w.writer, r, model.NewAsset{Name: "a.txt", Content: []byte("a")})
	assert.Equal(t, "already_exists", refusal(t, err).Errors[0].Code)
	_, err = w.AddAsset(w.writer, r, model.NewAsset{Content: []byte("a")})
	assert.Equal(t, "missing_field", refusal(t, err).Errors[0].Code)
	_, err = w.AddAsset(w.writer, r, model.NewAsset{Name: "b.txt"})
	assert.Equal(t, model.BadRequest, refusal(t, err).Kind, "an empty file is none")
	_, found, err := w.AssetOf(w.writer, w.repo, a.ID)
	require.NoError(t, err)
	assert.Equal(t, a, found)
	_, _, err = w.AssetOf(w.reader, w.repo, a.ID)
	assert.Equal(t, model.NotFound, refusal(t, err).Kind, "it is a draft's")
	require.NoError(t, w.DeleteAsset(w.writer, r, a.ID))
	assert.Empty(t, r.Assets)
}
