package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// boards is a world with a private project of the owner's and a public one of
// an organization, in both of which the writer may write.
func boards(t *testing.T) *sandboxtest.World {
	t.Helper()
	w, _ := withIDs(t, 1)
	w.Change(func(s *model.State, repo *model.Repo) {
		org := s.AddUser(model.NewUser{Login: "acme", Type: model.TypeOrganization})
		s.SetMember(org, repo.OwnerID, model.OrgOwner)
		s.SetMember(org, s.User("writer").ID, model.OrgMember)
		for _, account := range []*model.User{s.User("owner"), org} {
			p, err := s.CreateProject(repo.OwnerID, account, "Board")
			require.NoError(t, err)
			require.NoError(t, s.SetCollaborator(repo.OwnerID, p, s.User("writer").ID, model.ProjectWrite))
			public := account == org
			require.NoError(t, s.EditProject(repo.OwnerID, p, model.ProjectEdit{Public: &public}))
			for _, kind := range []model.FieldType{model.FieldText, model.FieldNumber, model.FieldDate} {
				_, err = s.CreateField(repo.OwnerID, p, model.NewProjectField{Name: "My " + string(kind), Type: kind})
				require.NoError(t, err)
			}
			_, err = s.CreateField(repo.OwnerID, p, model.NewProjectField{
				Name: "Sprint", Type: model.FieldIteration, Duration: 14, Iterations: []model.ProjectIteration{{Title: "One", Start: "2026-01-05", Days: 14}, {Title: "None", Start: "2025-01-05", Days: 14}},
			})
			require.NoError(t, err)
		}
	})
	return w
}

func TestProjects(t *testing.T) {
	w := boards(t)
	writer := w.As("writer")
	for _, projects := range []string{"/users/owner/projectsV2", "/orgs/acme/projectsV2"} {
		one := projects + "/1"
		assert.Equal(t, "Board", writer.Get(projects+"?q=board").Text("0.title"))
		assert.Nil(t, writer.Get(projects+"?q=is:closed").At("0"))
		assert.Equal(t, "open", writer.Get(one).Text("state"))
		fields := writer.Get(one + "/fields")
		assert.Equal(t, []string{"Status", "single_select", "Todo"}, []string{fields.Text("2.name"), fields.Text("2.data_type"), fields.Text("2.options.0.name.raw")})
		assert.Equal(t, []any{true, false}, []any{fields.At("13.configuration.iterations.0.completed"), fields.At("13.configuration.iterations.1.completed")})
		assert.Equal(t, "Status", writer.Get(one+"/fields/"+itoa(int64(fields.Int("2.id")))).Text("name"))

		added := writer.Do("POST", one+"/items", map[string]any{"type": "Issue", "owner": "owner", "repo": "hello", "number": 1})
		require.Equal(t, http.StatusCreated, added.Status, added.Body)
		assert.Equal(t, 1, added.Int("content.number"))
		item := one + "/items/" + itoa(int64(added.Int("id")))
		values := []any{}
		for field, value := range map[string]any{
			"2": fields.At("2.options.1.id"), "10": "text", "11": 2.5, "12": "2026-02-03", "13": fields.At("13.configuration.iterations.1.id"),
		} {
			values = append(values, map[string]any{"id": fields.Int(field + ".id"), "value": value})
		}
		set := writer.Do("PATCH", item, map[string]any{"fields": values})
		require.Equal(t, http.StatusOK, set.Status, set.Body)
		assert.Equal(t, []any{"In Progress", "text", 2.5, "2026-02-03", "One"}, []any{
			set.At("fields.1.value.name.raw"), set.At("fields.2.value.raw"), set.At("fields.3.value"), set.At("fields.4.value"), set.At("fields.5.value.title.raw"),
		})
		clearing := []any{map[string]any{"id": fields.Int("10.id"), "value": nil}}
		assert.Equal(t, http.StatusUnprocessableEntity, writer.Do("PATCH", item, map[string]any{"fields": append(clearing, map[string]any{"id": fields.Int("11.id"), "value": "x"})}).Status)
		shown := itoa(int64(fields.Int("10.id")))
		assert.Equal(t, "text", writer.Get(item+"?fields="+shown).Text("fields.1.value.raw"), "all is changed, or nothing")
		require.Equal(t, http.StatusOK, writer.Do("PATCH", item, map[string]any{"fields": clearing}).Status)
		assert.Nil(t, writer.Get(item+"?fields="+shown).At("fields.1"))

		assert.NotNil(t, writer.Get(one+"/items?q=x").At("0"))
		assert.Nil(t, writer.Get(one+"/items?q=other").At("0"))
		for _, c := range []struct {
			method, path string
			body         any
			status       int
		}{
			{"POST", one + "/items", map[string]any{"type": "PullRequest", "owner": "owner", "repo": "hello", "number": 1}, http.StatusNotFound},
			{"POST", one + "/items", map[string]any{"id": 1}, http.StatusUnprocessableEntity},
			{"PATCH", item, map[string]any{}, http.StatusUnprocessableEntity},
			{"PATCH", item, map[string]any{"fields": []any{map[string]any{"id": 1, "value": 1}}}, http.StatusNotFound},
			{"GET", projects + "/2", nil, http.StatusNotFound},
			{"GET", one + "/fields/1", nil, http.StatusNotFound},
			{"GET", one + "/items/1", nil, http.StatusNotFound},
		} {
			assert.Equal(t, c.status, writer.Do(c.method, c.path, c.body).Status, "%s %s", c.method, c.path)
		}
		require.Equal(t, http.StatusNoContent, writer.Do("DELETE", item, nil).Status)
		assert.Equal(t, http.StatusNotFound, writer.Get(item).Status)
	}
	stranger := w.As("stranger")
	assert.Equal(t, http.StatusNotFound, stranger.Get("/users/owner/projectsV2/1").Status, "it is private")
	assert.Equal(t, http.StatusOK, stranger.Get("/orgs/acme/projectsV2/1").Status, "it is public")
	assert.Equal(t, http.StatusForbidden, stranger.Do("POST", "/orgs/acme/projectsV2/1/items", map[string]any{"type": "Issue", "owner": "owner", "repo": "hello", "number": 1}).Status)
	assert.Equal(t, http.StatusNotFound, stranger.Get("/orgs/owner/projectsV2").Status, "a user is no organization")
	assert.Equal(t, "Organization", stranger.Get("/orgs/acme").Text("type"))
}

func TestCollaborators(t *testing.T) {
	w := sandboxtest.New(t)
	all := w.As("writer").Get(base + "/collaborators")
	assert.Equal(t, []string{"owner", "admin", "writer", "write"}, []string{all.Text("0.login"), all.Text("0.role_name"), all.Text("1.login"), all.Text("1.role_name")})
	assert.Equal(t, http.StatusForbidden, w.As("reader").Get(base+"/collaborators").Status)
}

func TestIssueTypesAreForMembers(t *testing.T) {
	w := boards(t)
	w.Change(func(s *model.State, _ *model.Repo) {
		s.AddIssueType(s.User("acme"), model.IssueType{Name: "Bug", Color: "RED", Enabled: true})
	})
	const types = "/orgs/acme/issue-types"
	seen := w.As("writer").Get(types)
	assert.Equal(t, "Bug", seen.Text("0.name"))
	assert.Equal(t, "red", seen.Text("0.color"))
	assert.Nil(t, seen.At("0.description"))
	assert.Equal(t, true, seen.At("0.is_enabled"))
	assert.Contains(t, seen.Text("0.node_id"), "IT_")
	assert.Equal(t, http.StatusNotFound, w.As("reader").Get(types).Status)
}
