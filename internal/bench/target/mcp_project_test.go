package target_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func TestMCPWorksOnProjects(t *testing.T) {
	m := openMCPBench(t, "--toolsets", "projects,issues")
	for _, owner := range []struct{ kind, resource string }{{"user", "project"}, {"org", "org_project"}} {
		login := m.place.Manifest.Resources[owner.resource]["owner"]
		on := func(args map[string]any) map[string]any {
			named := map[string]any{"owner_type": owner.kind, "owner": login, "project_number": number(t, m.place, owner.resource)}
			for key, value := range args {
				named[key] = value
			}
			return named
		}
		m.has([]any{map[string]any{"number": 1, "title": "[bench:default] Fixtures board"}}, "list_projects", map[string]any{"owner_type": owner.kind, "owner": login})
		m.has(map[string]any{"node_id": m.place.Manifest.Resources[owner.resource]["id"]}, "get_project", on(nil))
		fields := m.JSON("list_project_fields", on(nil)).([]any)
		status, _ := fields[2].(map[string]any)
		assert.Equal(t, []any{"Status", "single_select"}, []any{status["name"], status["data_type"]})
		m.has(map[string]any{"name": "Status"}, "get_project_field", on(map[string]any{"field_id": status["id"]}))

		var issue model.ID
		lookAt(t, m.place, func(s *model.State, repo *model.Repo) { issue = s.Issue(repo, 1).ID })
		added, _ := m.JSON("add_project_item", on(map[string]any{"item_type": "issue", "item_id": issue})).(map[string]any)
		item := on(map[string]any{"item_id": added["id"]})
		m.has(map[string]any{"content": map[string]any{"number": 1, "title": "[bench:default] Document the configuration file"}}, "get_project_item", item)
		option := status["options"].([]any)[2].(map[string]any)["id"]
		m.Call("update_project_item", on(map[string]any{"item_id": added["id"], "updated_field": map[string]any{"id": status["id"], "value": option}}))
		m.has(map[string]any{"fields": []any{map[string]any{"name": "Title"}, map[string]any{"name": "Status", "value": map[string]any{"id": option}}}},
			"get_project_item", on(map[string]any{"item_id": added["id"], "fields": []any{fmt.Sprintf("%.0f", status["id"])}}))
		m.Call("delete_project_item", item)
		missing := m.Try("get_project_item", item)
		assert.True(t, missing.IsError)
	}
}
