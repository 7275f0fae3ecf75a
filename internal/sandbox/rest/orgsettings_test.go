package rest_test

import (
	"net/http"
	"testing"

	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// asOrgOwner is a client whose token has the scope of what is an organization's.
func asOrgOwner(w *sandboxtest.World) *sandboxtest.Client {
	w.AddToken("orgs", sandbox.Token{User: "owner", Scopes: []string{"repo", "admin:org"}})
	return w.With("orgs")
}

func TestOrganizationsTellOfThemselves(t *testing.T) {
	w := acme(t)
	edited, _, err := asOrgOwner(w).REST.Organizations.Edit(t.Context(), "acme", &github.Organization{
		Description: github.String("Anvils"), Location: github.String("Desert"), Company: github.String("Acme"), TwitterUsername: github.String("acme"),
	})
	require.NoError(t, err)
	read, _, err := w.As("reader").REST.Organizations.Get(t.Context(), "acme")
	require.NoError(t, err)
	for _, org := range []*github.Organization{edited, read} {
		assert.Equal(t, []string{"Anvils", "Desert", "Acme", "acme"}, []string{org.GetDescription(), org.GetLocation(), org.GetCompany(), org.GetTwitterUsername()})
	}
	assert.Equal(t, "Anvils", w.As("reader").GraphQL(`{ organization(login: "acme") { description location } }`).Text("data.organization.description"))

	assert.Equal(t, http.StatusNotFound, w.As("owner").Do("PATCH", "/orgs/acme", map[string]any{"location": "x"}).Status, "the token lacks the scope")
	w.AddToken("other", sandbox.Token{User: "reader", Scopes: []string{"admin:org"}})
	assert.Equal(t, http.StatusForbidden, w.With("other").Do("PATCH", "/orgs/acme", map[string]any{"location": "x"}).Status)
	kept := asOrgOwner(w).Do("PATCH", "/orgs/acme", map[string]any{"members_can_create_repositories": false})
	assert.Equal(t, http.StatusNotImplemented, kept.Status, "what is not kept is refused")
}

// Organizations have secrets and variables, for all of their repositories or some.
func TestSettingsOfOrganizations(t *testing.T) {
	w := acme(t)
	var home int64
	w.Change(func(s *model.State, _ *model.Repo) { home = s.Repo("acme", "home").ID })
	c, ctx := asOrgOwner(w), t.Context()
	key, _, err := c.REST.Actions.GetOrgPublicKey(ctx, "acme")
	require.NoError(t, err)
	_, err = c.REST.Actions.CreateOrUpdateOrgSecret(ctx, "acme", &github.EncryptedSecret{
		Name: "DEPLOY", KeyID: key.GetKeyID(), EncryptedValue: "c2VhbGVk", Visibility: "selected", SelectedRepositoryIDs: github.SelectedRepoIDs{home},
	})
	require.NoError(t, err)
	for name, visibility := range map[string]string{"all": "all", "private": "private"} {
		_, err = c.REST.Actions.CreateOrgVariable(ctx, "acme", &github.ActionsVariable{Name: name, Value: "x", Visibility: &visibility})
		require.NoError(t, err)
	}
	secret, _, err := c.REST.Actions.GetOrgSecret(ctx, "acme", "DEPLOY")
	require.NoError(t, err)
	assert.Equal(t, []string{"DEPLOY", "selected", "https://api.github.com/orgs/acme/actions/secrets/DEPLOY/repositories"}, []string{secret.Name, secret.Visibility, secret.SelectedRepositoriesURL})
	assert.Equal(t, "home", c.Get("/orgs/acme/actions/secrets/DEPLOY/repositories").Text("repositories.0.name"))
	assert.Equal(t, "DEPLOY", c.Get("/repos/acme/home/actions/organization-secrets").Text("secrets.0.name"))
	shared := c.Get("/repos/acme/home/actions/organization-variables")
	assert.Equal(t, []any{1, "ALL"}, []any{shared.Int("total_count"), shared.Text("variables.0.name")}, "it is public")

	_, err = c.REST.Actions.RemoveSelectedRepoFromOrgSecret(ctx, "acme", "DEPLOY", &github.Repository{ID: &home})
	require.NoError(t, err)
	assert.Equal(t, 0, c.Get("/repos/acme/home/actions/organization-secrets").Int("total_count"))
	_, err = c.REST.Actions.AddSelectedRepoToOrgSecret(ctx, "acme", "DEPLOY", &github.Repository{ID: &home})
	require.NoError(t, err)
	assert.Equal(t, http.StatusConflict, c.Do("PUT", "/orgs/acme/actions/variables/all/repositories", map[string]any{"selected_repository_ids": []int64{home}}).Status)
	assert.Equal(t, http.StatusNoContent, c.Do("PATCH", "/orgs/acme/actions/variables/all", map[string]any{"value": "y", "visibility": "selected", "selected_repository_ids": []int64{home}}).Status)
	assert.Equal(t, "y", c.Get("/orgs/acme/actions/variables/ALL").Text("value"))
	for _, refused := range []struct {
		status int
		body   map[string]any
	}{
		{http.StatusUnprocessableEntity, map[string]any{"visibility": "selected", "selected_repository_ids": []int{1}}},
		{http.StatusNotImplemented, map[string]any{"name": "other"}},
	} {
		assert.Equal(t, refused.status, c.Do("PATCH", "/orgs/acme/actions/variables/private", refused.body).Status)
	}
	assert.Equal(t, http.StatusNotFound, w.As("owner").Do("DELETE", "/orgs/acme/actions/variables/all", nil).Status, "the token lacks the scope")
	w.AddToken("other", sandbox.Token{User: "reader", Scopes: []string{"admin:org"}})
	assert.Equal(t, http.StatusNotFound, w.With("other").Do("POST", "/orgs/acme/actions/variables", map[string]any{"name": "a", "value": "b", "visibility": "all"}).Status)

	w.AddToken("all", sandbox.Token{User: "owner", Scopes: []string{"repo", "delete_repo"}})
	assert.Equal(t, http.StatusNoContent, w.With("all").Do("DELETE", "/repos/acme/home", nil).Status)
	assert.Equal(t, 0, c.Get("/orgs/acme/actions/secrets/DEPLOY/repositories").Int("total_count"))
	_, err = c.REST.Actions.DeleteOrgSecret(ctx, "acme", "DEPLOY")
	require.NoError(t, err)
	assert.Equal(t, 0, c.Get("/orgs/acme/actions/secrets").Int("total_count"))
	w.Look(func(s *model.State) { assert.NoError(t, s.Validate()) })
}
