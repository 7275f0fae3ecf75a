package gql_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func TestReleases(t *testing.T) {
	w := newWorld(t)
	var head string
	w.Change(func(s *model.State, repo *model.Repo) {
		at, _ := s.BranchHead(repo, "main")
		head = at.String()
		for _, tag := range []string{"v1", "v2"} {
			r, err := s.CreateRelease(repo.OwnerID, repo, model.ReleaseEdit{TagName: &tag, Name: ptr("Name of " + tag), Body: ptr("Notes"), Draft: ptr(tag == "v2")})
			require.NoError(t, err)
			_, err = s.AddAsset(repo.OwnerID, r, model.NewAsset{Name: tag + ".txt", Content: []byte("x")})
			require.NoError(t, err)
		}
	})
	const query = `query($order: ReleaseOrder) { repository(owner: "owner", name: "hello") {
	  latestRelease { tagName isLatest author { login } repository { name } description reactionGroups { content } }
	  published: release(tagName: "v1") { id databaseId name tag { name } tagCommit { oid } createdAt publishedAt updatedAt isDraft isPrerelease url resourcePath
	    releaseAssets(first: 5, name: "v1.txt") { nodes { id name size contentType downloadCount downloadUrl url uploadedBy { login } release { tagName } createdAt updatedAt } } }
	  draft: release(tagName: "v2") { id isDraft isLatest tag { name } tagCommit { oid } publishedAt }
	  none: release(tagName: "v3") { id }
	  releases(first: 10, orderBy: $order) { totalCount nodes { tagName } pageInfo { endCursor hasNextPage } }
	} }`
	const at = "data.repository."
	all := w.do("writer", query)
	assert.Equal(t, []string{"v1", "owner", "hello", "Notes", "THUMBS_UP"}, []string{
		all.Text(at + "latestRelease.tagName"), all.Text(at + "latestRelease.author.login"), all.Text(at + "latestRelease.repository.name"),
		all.Text(at + "latestRelease.description"), all.Text(at + "latestRelease.reactionGroups.0.content"),
	})
	assert.Equal(t, []string{"Name of v1", "v1", head, "https://github.com/owner/hello/releases/tag/v1", "v1.txt", "https://github.com/owner/hello/releases/download/v1/v1.txt"}, []string{
		all.Text(at + "published.name"), all.Text(at + "published.tag.name"), all.Text(at + "published.tagCommit.oid"), all.Text(at + "published.url"),
		all.Text(at + "published.releaseAssets.nodes.0.name"), all.Text(at + "published.releaseAssets.nodes.0.downloadUrl"),
	})
	assert.Equal(t, true, all.At(at+"draft.isDraft"))
	assert.Nil(t, all.At(at+"draft.tagCommit"))
	assert.Nil(t, all.At(at+"none"))
	assert.Nil(t, w.do("reader", query).At(at+"draft"), "drafts are for those who may write")
	for _, c := range []struct {
		order any
		first string
	}{{nil, "v2"}, {map[string]string{"field": "CREATED_AT", "direction": "ASC"}, "v1"}, {map[string]string{"field": "NAME", "direction": "DESC"}, "v2"}} {
		assert.Equal(t, c.first, w.do("writer", query, "order", c.order).Text(at+"releases.nodes.0.tagName"))
	}
	assert.Equal(t, 1, w.do("reader", query).Int(at+"releases.totalCount"))

	for _, id := range []string{all.Text(at + "published.id"), all.Text(at + "published.releaseAssets.nodes.0.id"), all.Text(at + "draft.id")} {
		assert.Equal(t, id, w.do("writer", `query($id: ID!) { node(id: $id) { id __typename } }`, "id", id).Text("data.node.id"))
	}
	w.refused("NOT_FOUND", "Could not resolve to a node with the global id of '"+all.Text(at+"draft.id")+"'", "reader",
		`query($id: ID!) { node(id: $id) { id } }`, "id", all.Text(at+"draft.id"))
}
