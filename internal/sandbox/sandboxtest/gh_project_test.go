package sandboxtest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestGHProjects(t *testing.T) {
	testkit.NeedComplete(t)
	board := func(s *model.State) *model.Project { return s.Project(s.User(me).ID, s.User(acme), 1) }
	runCases(t, []ghCase{
		{name: "list and view", steps: []step{
			{"project list --owner acme", 0, "1\tBoard\topen\tPVT_"},
			{"project list", 0, ""},
			{"project view 1 --owner acme --format json", 0, `{"number":1,"title":"Board","closed":false,"public":false,"owner":{"login":"acme","type":"Organization"},"items":{"totalCount":1},"fields":{"totalCount":11}}`},
			{"project view 9 --owner acme", refused, "Could not resolve to a ProjectV2 with the number 9."},
			{"project view 1 --owner none", refused, "unknown owner type"},
			{"project field-list 1 --owner acme", 0, "Title\tProjectV2Field\tPVTF_\nStatus\tProjectV2SingleSelectField\tPVTSSF_\nNote\tProjectV2Field\t"},
			{"project item-list 1 --owner acme --format json", 0, `{"items":[{"title":"Issue 3","content":{"number":3,"repository":"acme/widgets","type":"Issue"},"labels":["bug"]}],"totalCount":1}`},
		}},
		{name: "create, edit, copy, close, delete", steps: []step{
			{"project create --owner acme --title T --format json", 0, `{"number":2,"title":"T"}`},
			{"project edit 1 --owner acme --title T2 --visibility PUBLIC --description d", 0, ""},
			{"project copy 1 --source-owner acme --target-owner acme --title C --format json", 0, `{"number":3,"title":"C","fields":{"totalCount":11}}`},
			{"project copy 1 --source-owner acme --target-owner @me --title D", 0, ""},
			{"project mark-template 1 --owner acme", 0, ""},
			{"project mark-template 1 --owner acme --undo", 0, ""},
			{"project mark-template 3 --owner acme", 0, ""},
			{"project close 2 --owner acme", 0, ""},
			{"project link 1 --owner acme --repo widgets", 0, ""},
			{"project link 3 --owner acme --repo widgets", 0, ""},
			{"project unlink 3 --owner acme --repo widgets", 0, ""},
			{"project delete 2 --owner acme", 0, ""},
		}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			p := board(s)
			assert.Equal(t, []any{"T2", true, "d", false}, []any{p.Title, p.Public, p.ShortDescription, p.Template})
			assert.Equal(t, []model.ID{repo.ID}, p.Repos)
			assert.Len(t, s.ProjectsOf(s.User(me).ID, s.User(acme)), 2)
			assert.True(t, s.Project(s.User(me).ID, s.User(acme), 3).Template)
		}},
		{name: "fields and items", steps: []step{
			{"project field-create 1 --owner acme --name F --data-type SINGLE_SELECT --single-select-options a,b --format json", 0, `{"name":"F","type":"ProjectV2SingleSelectField","options":[{"name":"a"},{"name":"b"}]}`},
			{"project item-edit --id {item} --project-id {project} --field-id {note field} --text x", 0, ""},
			{"project item-edit --id {item} --project-id {project} --field-id {status field} --single-select-option-id {done}", 0, ""},
			{"project item-edit --id {item} --project-id {project} --field-id {note field} --single-select-option-id abc", refused, "Did not receive a text value"},
			{"project item-list 1 --owner acme --format json", 0, `{"items":[{"note":"x","status":"Done"}]}`},
			{"project item-edit --id {item} --project-id {project} --field-id {note field} --clear", 0, ""},
			{"project item-add 1 --owner acme --url https://github.com/acme/widgets/issues/4 --format json", 0, `{"title":"Issue 4","type":"Issue"}`},
			{"project item-add 1 --owner acme --url https://github.com/acme/widgets/pull/7", 0, ""},
			{"project item-create 1 --owner acme --title D --body B --format json", 0, `{"title":"D","type":"DraftIssue"}`},
			{"project item-archive 1 --owner acme --id {item}", 0, ""},
			{"project item-archive 1 --owner acme --id {item} --undo", 0, ""},
			{"project item-delete 1 --owner acme --id {item}", 0, ""},
			{"project field-delete --id {note field}", 0, ""},
			{"project field-delete --id {status field}", refused, ""},
		}, after: func(t *testing.T, s *model.State, _ *model.Repo) {
			assert.Len(t, s.ItemsOf(board(s)), 3)
		}},
	})
}
