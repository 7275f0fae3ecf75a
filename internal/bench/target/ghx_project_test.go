package target_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGHXWorksOnProjects(t *testing.T) {
	g := openGHX(t, seeded(t))
	board := g.place.Manifest.Resources["project"]
	on := func(input map[string]any) map[string]any {
		named := map[string]any{"owner": board["owner"], "projectNumber": board["number"]}
		for key, value := range input {
			named[key] = value
		}
		return named
	}
	view := g.must("project_v2.user.view", byGraphQL, map[string]any{"user": board["owner"], "projectNumber": board["number"]})
	assert.Equal(t, []any{board["id"], "[bench:default] Fixtures board", true, false, board["url"]}, []any{view["id"], view["title"], view["public"], view["closed"], view["url"]})
	org := g.place.Manifest.Resources["org_project"]
	view = g.must("project_v2.org.view", byGraphQL, map[string]any{"org": org["owner"], "projectNumber": org["number"]})
	assert.Equal(t, org["id"], view["id"])
	fields := g.must("project_v2.fields.list", byGraphQL, on(nil))["items"].([]any)
	partOf(t, fields[10], plain(t, map[string]any{"id": board["field_id"], "name": "Priority", "dataType": "SINGLE_SELECT"}), "field")

	added := g.must("project_v2.items.issue.add", byGraphQL, on(map[string]any{"issueUrl": g.place.Manifest.Resources["issue"]["url"]}))
	assert.Equal(t, "ISSUE", added["itemType"])
	change := func(input map[string]any) {
		input["projectId"], input["itemId"], input["fieldId"] = board["id"], added["itemId"], board["field_id"]
		assert.Equal(t, added["itemId"], g.must("project_v2.items.field.update", byGraphQL, input)["itemId"])
	}
	change(map[string]any{"valueSingleSelectOptionId": board["option_id"]})
	agree(t, g.must("project_v2.items.list", byGraphQL, on(nil)), g.read("project_v2.items.list", on(nil)), "items")
	seen := g.read("project_v2.items.list", on(nil)).(map[string]any)["items"].([]any)
	partOf(t, seen[2], plain(t, map[string]any{"contentType": "ISSUE", "fields": map[string]any{"Priority": "High"}}), "item")

	removed := g.must("project_v2.items.issue.remove", byGraphQL, on(map[string]any{"itemId": added["itemId"]}))
	assert.Equal(t, added["itemId"], removed["deletedItemId"])
	assert.Len(t, g.read("project_v2.items.list", on(nil)).(map[string]any)["items"], 2)

	missing := g.run("project_v2.user.view", map[string]any{"user": board["owner"], "projectNumber": 99})
	require.NotNil(t, missing.Error)
	assert.Equal(t, "NOT_FOUND", missing.Error.Code)
}
