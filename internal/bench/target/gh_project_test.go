package target_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
)

// withProjects runs a test with the gh that knows projects; Debian's does not.
func withProjects(t *testing.T, test func(t *testing.T, gh *ghTool)) {
	t.Helper()
	testkit.NeedComplete(t)
	program := realtool.Find(t, realtool.GH())
	test(t, &ghTool{openWorkshop(t, prepare(t, seeded(t))), program})
}

// decoded is what a command prints as JSON.
func (g *ghTool) decoded(command string) map[string]any {
	g.t.Helper()
	var out map[string]any
	require.NoError(g.t, json.Unmarshal([]byte(g.ok(command)), &out), command)
	return out
}

func TestGHReadsProjects(t *testing.T) {
	withProjects(t, func(t *testing.T, gh *ghTool) {
		assert.Contains(t, gh.ok("project list --owner aryeko"), "1\t[bench:default] Fixtures board\topen\t")
		partOf(t, gh.decoded("project view {project.number} --owner {project.owner} --format json"), plain(t, map[string]any{
			"title": "[bench:default] Fixtures board", "public": true, "closed": false, "id": gh.fill("{project.id}"),
			"owner": map[string]any{"login": "aryeko", "type": "User"}, "items": map[string]any{"totalCount": 2},
		}), "view")
		partOf(t, gh.decoded("project view {org_project.number} --owner {org_project.owner} --format json"), plain(t, map[string]any{
			"id": gh.fill("{org_project.id}"), "owner": map[string]any{"login": "harborlight", "type": "Organization"},
		}), "view")
		fields := gh.decoded("project field-list {project.number} --owner {project.owner} --format json")
		assert.EqualValues(t, 11, fields["totalCount"])
		partOf(t, fields["fields"].([]any)[10], plain(t, map[string]any{"id": gh.fill("{project.field_id}"), "name": "Priority", "type": "ProjectV2SingleSelectField"}), "fields")
		items := gh.decoded("project item-list {project.number} --owner {project.owner} --format json")
		partOf(t, items["items"], plain(t, []any{
			map[string]any{"id": gh.fill("{project.item_id}"), "content": map[string]any{"type": "PullRequest", "title": "[bench:default] Add a changelog"}},
			map[string]any{"id": gh.fill("{project.draft_item_id}"), "title": "Collect ideas", "content": map[string]any{"type": "DraftIssue"}},
		}), "items")
		draft := items["items"].([]any)[1].(map[string]any)["content"].(map[string]any)
		assert.Contains(t, draft["id"], "DI_")
		assert.Contains(t, gh.ok("pr view {pr.number} --json projectItems"), "[bench:default] Fixtures board")

		assert.Contains(t, gh.refused("project view 99 --owner aryeko"), "Could not resolve to a ProjectV2 with the number 99.")
		assert.Contains(t, gh.refused("project list --owner nobody"), "unknown owner type")
	})
}

func TestGHChangesProjects(t *testing.T) {
	withProjects(t, func(t *testing.T, gh *ghTool) {
		item := func(id string) (found model.ProjectItem, is bool) {
			lookAt(t, gh.place, func(s *model.State, _ *model.Repo) {
				_, number, _ := model.ParseNodeID(id)
				if i := s.ProjectItems.Get(number); i != nil {
					found, is = *i, true
				}
			})
			return found, is
		}
		added := gh.decoded("project item-add {project.number} --owner {project.owner} --url {issue.url} --format json")
		made, is := item(added["id"].(string))
		require.True(t, is)
		assert.NotZero(t, made.IssueID)
		again := gh.decoded("project item-add {project.number} --owner {project.owner} --url {issue.url} --format json")
		assert.Equal(t, added["id"], again["id"])

		edit := fmt.Sprintf("project item-edit --id %s --project-id {project.id} --field-id ", added["id"])
		gh.ok(edit + "{project.field_id} --single-select-option-id {project.option_id}")
		for _, kind := range []string{"TEXT", "NUMBER", "DATE"} {
			field := gh.decoded("project field-create {project.number} --owner {project.owner} --name My" + kind + " --data-type " + kind + " --format json")
			value := map[string]string{"TEXT": "--text words", "NUMBER": "--number 2.5", "DATE": "--date 2026-02-03"}[kind]
			gh.ok(edit + field["id"].(string) + " " + value)
		}
		shown := gh.decoded("project item-list {project.number} --owner {project.owner} --format json")["items"].([]any)[2]
		partOf(t, shown, plain(t, map[string]any{"priority": "High", "myTEXT": "words", "myNUMBER": 2.5, "myDATE": "2026-02-03"}), "item")
		gh.ok(edit + "{project.field_id} --clear")
		made, _ = item(added["id"].(string))
		assert.Len(t, made.Values, 3)

		gh.ok("project item-create {project.number} --owner {project.owner} --title New --body Text")
		draft := gh.decoded("project item-list {project.number} --owner {project.owner} --format json")["items"].([]any)[3].(map[string]any)["content"].(map[string]any)["id"]
		gh.ok(fmt.Sprintf("project item-edit --id %s --title Other --body Words", draft))
		gh.ok(fmt.Sprintf("project item-archive {project.number} --owner {project.owner} --id %s", added["id"]))
		gh.ok(fmt.Sprintf("project item-delete {project.number} --owner {project.owner} --id %s", added["id"]))
		_, is = item(added["id"].(string))
		assert.False(t, is)

		project := gh.decoded("project create --owner @me --title Mine --format json")
		assert.EqualValues(t, 1, project["number"])
		gh.ok("project edit 1 --owner @me --title Ours --description Words --readme Text --visibility PUBLIC")
		gh.ok("project link {project.number} --owner {project.owner} --repo aryeko/ghx-bench-fixtures")
		assert.Contains(t, gh.ok("repo view aryeko/ghx-bench-fixtures --json projectsV2"), "Fixtures board")
		gh.ok("project close 1 --owner @me")
		partOf(t, gh.decoded("project view 1 --owner dana-reyes --format json"), plain(t, map[string]any{"title": "Ours", "closed": true, "shortDescription": "Words", "readme": "Text"}), "view")
		gh.ok("project delete 1 --owner @me")
		assert.Contains(t, gh.refused("project create --owner harborlight --title No"), "does not have the correct permissions to execute `CreateProjectV2`")
		assert.NotContains(t, strings.Join(gh.Attempt.Usage().Refused, " "), "github")
	})
}
