package github_test

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// installed is a sandbox with an App that is installed in all repositories of
// the owner, of which one is private and not for anybody here.
func installed(t *testing.T) (*sandboxtest.World, github.AppSettings) {
	t.Helper()
	world := sandboxtest.New(t)
	world.Use(sandbox.Outside{Now: time.Now})
	public, err := x509.MarshalPKIXPublicKey(&appKey().PublicKey)
	require.NoError(t, err)
	settings := github.AppSettings{PrivateKey: appKeyPEM()}
	require.NoError(t, world.Setup(func(s *model.State) error {
		repo := s.Repo(sandboxtest.Owner, sandboxtest.Name)
		secret := s.AddRepo(model.NewRepo{Owner: repo.OwnerID, Name: "secret", Private: true})
		app := s.AddApp(model.NewApp{
			Slug: "bench-fixtures", Name: "bench-fixtures", Owner: repo.OwnerID, Repos: []model.ID{repo.ID, secret.ID},
			PublicKey: string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})),
			Permissions: map[string]string{
				"metadata": "read", "contents": "write", "issues": "write", "pull_requests": "write", "actions": "write", "checks": "write", "administration": "write",
			},
		})
		settings.AppID, settings.InstallationID = app.ID, s.InstallationIn(app, repo).ID
		return s.PushInitial(repo.OwnerID, secret, nil, "first")
	}))
	return world, settings
}

func TestAnAppsTokensInTheSandbox(t *testing.T) {
	world, settings := installed(t)
	var issued []string
	app, err := github.NewApp(settings, github.AppOptions{
		Options: github.Options{RESTURL: world.URL}, Now: time.Now, Issued: func(token string) { issued = append(issued, token) },
	})
	require.NoError(t, err)
	var credentials []*github.Credential
	client := func(use github.Use) *sandboxtest.Client {
		credential := app.Credential(sandboxtest.Owner+"/"+sandboxtest.Name, use)
		credentials = append(credentials, credential)
		token, err := credential.Token(context.Background())
		require.NoError(t, err)
		return world.With(token)
	}
	agent, verifier := client(github.UseAgent), client(github.UseVerifier)
	require.Len(t, issued, 2)
	assert.NotEqual(t, issued[0], issued[1])

	made := agent.Do("POST", sandboxtest.Path+"/issues", `{"title":"from the agent"}`)
	require.Equal(t, http.StatusCreated, made.Status, made.Body)
	assert.Equal(t, http.StatusNotFound, agent.Get("/repos/owner/secret").Status, "the App is there, the token is not")
	assert.Equal(t, http.StatusNotFound, agent.Get("/repos/owner/secret/contents/README.md").Status)
	assert.Contains(t, agent.GraphQL(`{ repository(owner: "owner", name: "secret") { id } }`).Body, "NOT_FOUND")

	assert.Equal(t, "from the agent", verifier.Get(sandboxtest.Path+"/issues/1").Text("title"))
	assert.Equal(t, http.StatusForbidden, verifier.Do("PATCH", sandboxtest.Path+"/issues/1", `{"title":"by the verifier"}`).Status)
	assert.Equal(t, http.StatusForbidden, verifier.Do("POST", sandboxtest.Path+"/issues", `{"title":"by the verifier"}`).Status)

	for _, credential := range credentials {
		require.NoError(t, credential.Revoke(t.Context()))
	}
	for _, token := range issued {
		assert.Equal(t, http.StatusUnauthorized, world.With(token).Get(sandboxtest.Path).Status, "revoked")
	}
}

func TestAnAppThatIsNotInstalledInTheRepository(t *testing.T) {
	world, settings := installed(t)
	app, err := github.NewApp(settings, github.AppOptions{Options: github.Options{RESTURL: world.URL}, Now: time.Now})
	require.NoError(t, err)
	_, err = app.Credential("owner/elsewhere", github.UseAgent).Token(t.Context())
	require.ErrorContains(t, err, "at least one repository that does not exist or is not accessible to the parent installation")
	require.ErrorContains(t, err, "make a token of owner/elsewhere for the agent")
}
