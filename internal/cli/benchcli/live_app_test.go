package benchcli_test

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// appKey is a private key, which takes a moment to make.
var appKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// install installs an App in the fixtures repository, and puts its settings
// into the environment. What it is not granted is named.
func (r *remote) install(without ...string) {
	r.t.Helper()
	r.World.Use(sandbox.Outside{Now: time.Now})
	key, err := appKey()
	require.NoError(r.t, err)
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	require.NoError(r.t, err)
	permissions := map[string]string{
		"metadata": "read", "contents": "write", "issues": "write", "pull_requests": "write", "actions": "write", "checks": "write",
	}
	for _, name := range without {
		delete(permissions, name)
	}
	require.NoError(r.t, r.Setup(func(s *model.State) error {
		repo := s.Repo(target.Owner, target.FixturesName)
		app := s.AddApp(model.NewApp{
			Slug: "bench-fixtures", Name: "bench-fixtures", Owner: repo.OwnerID, Repos: []model.ID{repo.ID}, Permissions: permissions,
			PublicKey: string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})),
		})
		r.env["BENCH_FIXTURE_GH_APP_ID"] = fmt.Sprint(app.ID)
		r.env["BENCH_FIXTURE_GH_APP_INSTALLATION_ID"] = fmt.Sprint(s.InstallationIn(app, repo).ID)
		return nil
	}))
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	r.env["BENCH_FIXTURE_GH_APP_PRIVATE_KEY"] = strings.ReplaceAll(string(text), "\n", `\n`)
}

func TestS6AnAppMakesATokenForAgentsAndOneForCheckpoints(t *testing.T) {
	testkit.NeedComplete(t)
	r := newRemote(t)
	r.install()
	delete(r.env, "BENCH_AGENT_TOKEN")
	delete(r.env, "BENCH_VERIFIER_TOKEN")
	before := len(r.Tokens())
	result, err := r.bench(t.Context(), r.suite("--scenario-set", "default", "--repetitions", "1")...)
	require.NoError(t, err, r.stderr.String())
	all := rows(t, result)
	require.NotEmpty(t, all)
	for _, row := range all {
		assert.True(t, row.Success, "%s: %+v", row.Cell(), row.Error)
	}
	assert.NotContains(t, r.stderr.String(), "classic", "GitHub keeps the agents to the repository")
	assert.Len(t, r.Tokens(), before, "the App's tokens are revoked")
	assert.Empty(t, r.left())
	used := map[string]bool{}
	for _, entry := range r.Audit() {
		if strings.HasPrefix(entry.Token, "ghs_") {
			used[entry.Token] = true
			assert.NotContains(t, r.stdout.String()+r.stderr.String(), entry.Token)
		}
		if entry.Token == fixturesToken {
			continue
		}
		assert.False(t, entry.Write && !strings.Contains(entry.Path, "access_tokens") && entry.Path != "/installation/token", "%s %s", entry.Method, entry.Path)
	}
	assert.NotEmpty(t, used)
}

func TestAnAppWithoutAPermissionIsNamedBeforeAnythingIsSeeded(t *testing.T) {
	testkit.NeedComplete(t)
	r := newRemote(t)
	r.install("issues")
	for _, name := range []string{"BENCH_FIXTURES_TOKEN", "BENCH_AGENT_TOKEN", "BENCH_VERIFIER_TOKEN"} {
		delete(r.env, name)
	}
	result, err := r.bench(t.Context(), r.suite()...)
	require.ErrorContains(t, err, "lacks what seeding needs: grant the App issues: write")
	assert.Equal(t, 2, result.Code)
	assert.Empty(t, r.left())
}

// refuseProjects has GitHub answer whoever seeds as it does where a token lacks
// the scope of projects.
func (r *remote) refuseProjects() {
	const refusal = `{"errors":[{"type":"INSUFFICIENT_SCOPES","message":"Your token has not been granted the required scopes"}]}`
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		body, err := io.ReadAll(in.Body)
		if assert.NoError(r.t, err); bytes.Contains(body, []byte("rojectV2")) && strings.HasSuffix(in.Header.Get("Authorization"), fixturesToken) {
			// The client is gone if this fails.
			_, _ = io.WriteString(w, refusal)
			return
		}
		in.Body = io.NopCloser(bytes.NewReader(body))
		r.World.ServeHTTP(w, in)
	}))
	r.t.Cleanup(gateway.Close)
	r.env["GITHUB_API_URL"], r.env["GITHUB_GRAPHQL_URL"] = gateway.URL, gateway.URL+"/graphql"
}

func TestScenariosWhoseFixturesCannotBeHadAreReported(t *testing.T) {
	testkit.NeedComplete(t)
	r := newRemote(t)
	r.refuseProjects()
	result, err := r.bench(t.Context(),
		"verify", "--target", target.FixturesRepo, "--repetitions", "2", "--script-pause", "1ms", "--output-dir", r.dir,
		"--scenario", "pr-view-001", "--scenario", "project-v2-fields-list-001", "--scenario", "project-v2-items-list-001")
	require.NoError(t, err, r.stderr.String())
	assert.Len(t, rows(t, result), 2*2, "the rest runs")
	require.NotNil(t, result.Summary)
	require.NotEmpty(t, result.Summary.Warnings)
	warning := result.Summary.Warnings[len(result.Summary.Warnings)-1]
	assert.Contains(t, warning, "not runnable, because fixture resource project cannot be seeded")
	assert.Contains(t, warning, "project-v2-fields-list-001, project-v2-items-list-001")
	assert.Contains(t, r.stderr.String(), warning)

	_, err = r.bench(t.Context(), "verify", "--target", target.FixturesRepo, "--output-dir", t.TempDir(), "--scenario", "project-v2-fields-list-001")
	require.ErrorContains(t, err, "no scenario can run: not runnable, because fixture resource project cannot be seeded")
	assert.Empty(t, r.left())
}
