package sandbox_test

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// clock is one that tests move.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// appWorld is a world with an App that is installed in the test's repository,
// and not in the private one beside it.
type appWorld struct {
	*sandboxtest.World
	clock *clock
	app   *model.App
	key   *rsa.PrivateKey
	// private is the repository that the App is not installed in.
	private *model.Repo
}

func newAppWorld(t *testing.T) *appWorld {
	t.Helper()
	w := &appWorld{World: sandboxtest.New(t), clock: &clock{model.Epoch.Add(time.Hour)}}
	w.Use(sandbox.Outside{Now: w.clock.now})
	private, public := sandboxtest.Key(t)
	block, _ := pem.Decode(private)
	var err error
	w.key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	require.NoError(t, err)
	w.app = gate(w.World, &sandboxtest.Receiver{URL: "http://127.0.0.1:1"}, public)
	w.Change(func(s *model.State, repo *model.Repo) {
		w.private = s.AddRepo(model.NewRepo{Owner: repo.OwnerID, Name: "private", Private: true})
		w.app = s.App("gate")
		w.app.CallbackURLs, w.app.ClientSecret = []string{"https://bench.example/login", "http://127.0.0.1/login"}, "client-secret"
	})
	return w
}

// signed returns a client with a JSON web token of the App's, whose claims are
// changed.
func (w *appWorld) signed(t *testing.T, change map[string]any) *sandboxtest.Client {
	t.Helper()
	claims := map[string]any{"iss": w.app.ID, "iat": w.clock.at.Unix() - 30, "exp": w.clock.at.Unix() + 540}
	for name, value := range change {
		claims[name] = value
		if value == nil {
			delete(claims, name)
		}
	}
	return w.With(sandboxtest.SignedJWT(t, w.key, claims))
}

func (w *appWorld) installation() string {
	var path string
	w.Look(func(s *model.State) {
		path = fmt.Sprintf("/app/installations/%d", s.InstallationOf(s.Apps.Get(w.app.ID), s.User(sandboxtest.Owner).ID).ID)
	})
	return path
}

// token makes a token of the installation.
func (w *appWorld) token(t *testing.T, body any) *sandboxtest.Client {
	t.Helper()
	reply := w.signed(t, nil).Do("POST", w.installation()+"/access_tokens", body)
	require.Equal(t, http.StatusCreated, reply.Status, reply.Body)
	return w.With(reply.Text("token"))
}

func TestJSONWebTokensOfApps(t *testing.T) {
	w := newAppWorld(t)
	now := w.clock.at.Unix()
	_, other := sandboxtest.Key(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		s.AddApp(model.NewApp{Slug: "other", Owner: repo.OwnerID, PublicKey: string(other), ClientID: "Iv1.other"})
	})
	const future = "'Expiration time' claim ('exp') is too far in the future"
	const past = "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"
	const issued = "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
	for name, c := range map[string]struct {
		change map[string]any
		status int
		says   string
	}{
		"a good one":                        {nil, 200, ""},
		"the App by its client id":          {map[string]any{"iss": "Iv1.gate"}, 200, ""},
		"the App's id as a text":            {map[string]any{"iss": fmt.Sprint(w.app.ID)}, 200, ""},
		"ten minutes ahead":                 {map[string]any{"exp": now + 600}, 200, ""},
		"more than ten minutes ahead":       {map[string]any{"exp": now + 601}, 401, future},
		"expired":                           {map[string]any{"exp": now}, 401, past},
		"without an end":                    {map[string]any{"exp": nil}, 401, past},
		"an end in words":                   {map[string]any{"exp": "soon"}, 401, past},
		"issued a minute ahead":             {map[string]any{"iat": now + 60}, 200, "clocks differ"},
		"issued further ahead":              {map[string]any{"iat": now + 61}, 401, issued},
		"without the time of issue":         {map[string]any{"iat": nil}, 401, issued},
		"an unknown App":                    {map[string]any{"iss": 5}, 404, "Integration not found"},
		"nobody":                            {map[string]any{"iss": nil}, 404, "Integration not found"},
		"an App that signs with other keys": {map[string]any{"iss": "Iv1.other"}, 401, "A JSON web token could not be decoded"},
	} {
		t.Run(name, func(t *testing.T) {
			reply := w.signed(t, c.change).Get("/app")
			assert.Equal(t, c.status, reply.Status, reply.Body)
			if c.status != http.StatusOK {
				assert.Equal(t, c.says, reply.Text("message"))
			}
		})
	}
	for name, client := range map[string]*sandboxtest.Client{"a user": w.As("owner"), "nobody": w.As(""), "an installation": w.token(t, nil)} {
		reply := client.Get("/app")
		assert.Equal(t, []any{401, "A JSON web token could not be decoded"}, []any{reply.Status, reply.Text("message")}, name)
	}
	assert.Equal(t, http.StatusUnauthorized, w.signed(t, nil).Get(sandboxtest.Path).Status, "an App as such reads no repositories")
	assert.Equal(t, http.StatusUnauthorized, w.With("a.b.c").Get("/app").Status)
}

func TestTokensOfInstallations(t *testing.T) {
	w := newAppWorld(t)
	made := w.signed(t, nil).Do("POST", w.installation()+"/access_tokens", nil)
	require.Equal(t, http.StatusCreated, made.Status, made.Body)
	assert.Equal(t, w.clock.at.Add(time.Hour).Format(time.RFC3339), made.Text("expires_at"))
	assert.Equal(t, []any{"selected", "write", "read"}, []any{made.Text("repository_selection"), made.Text("permissions.checks"), made.Text("permissions.metadata")})
	token := w.With(made.Text("token"))
	repos, _, err := token.REST.Apps.ListRepos(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, 1, repos.GetTotalCount())
	assert.Equal(t, http.StatusNotFound, token.Get("/repos/owner/private").Status, "it is not installed there")
	assert.Equal(t, http.StatusForbidden, token.Get("/user").Status)
	assert.Equal(t, http.StatusCreated, token.Do("POST", sandboxtest.Path+"/issues", map[string]any{"title": "x"}).Status)
	assert.Equal(t, "gate[bot]", w.As("reader").Get(sandboxtest.Path+"/issues/1").Text("user.login"))

	w.clock.at = w.clock.at.Add(time.Hour - time.Second)
	assert.Equal(t, http.StatusOK, token.Get(sandboxtest.Path).Status)
	w.clock.at = w.clock.at.Add(time.Second)
	assert.Equal(t, http.StatusUnauthorized, token.Get(sandboxtest.Path).Status, "after an hour it is no good")

	token = w.token(t, nil)
	assert.Equal(t, http.StatusNoContent, token.Do("DELETE", "/installation/token", nil).Status)
	assert.Equal(t, http.StatusUnauthorized, token.Get(sandboxtest.Path).Status, "revoked")
}

func TestNarrowedTokens(t *testing.T) {
	w := newAppWorld(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		s.SetInstalledRepos(repo.OwnerID, s.InstallationOf(w.app, repo.OwnerID), nil)
	})
	const narrow, outside = "/repos/owner/private", sandboxtest.Path
	all, one := w.token(t, nil), w.token(t, map[string]any{"repositories": []string{"private"}, "permissions": map[string]string{"issues": "read"}})
	onlyPublic := w.token(t, map[string]any{"repositories": []string{"hello"}})
	issue := map[string]any{"title": "x"}
	const private = `{ repository(owner: "owner", name: "private") { name } }`
	for name, c := range map[string]struct {
		as     *sandboxtest.Client
		method string
		path   string
		status int
	}{
		"all repositories":                {all, "POST", outside + "/issues", 201},
		"what it may read":                {one, "GET", narrow + "/issues", 200},
		"what it may not write":           {one, "POST", narrow + "/issues", 403},
		"what it has no permission for":   {one, "GET", narrow + "/pulls", 403},
		"a public one outside, to read":   {one, "GET", outside, 200},
		"a public one outside, to write":  {one, "POST", outside + "/issues", 403},
		"a public one that it is not for": {w.token(t, map[string]any{"repositories": []string{"private"}}), "POST", outside + "/issues", 403},
		"a private one outside":           {onlyPublic, "GET", narrow, 404},
		"a private one outside, writing":  {onlyPublic, "POST", narrow + "/issues", 404},
	} {
		t.Run(name, func(t *testing.T) {
			reply := c.as.Do(c.method, c.path, issue)
			assert.Equal(t, c.status, reply.Status, reply.Body)
			if c.status == http.StatusForbidden {
				assert.Equal(t, "Resource not accessible by integration", reply.Text("message"))
			}
		})
	}
	assert.Equal(t, "private", one.GraphQL(private).Text("data.repository.name"))
	assert.Equal(t, "NOT_FOUND", onlyPublic.GraphQL(private).Text("errors.0.type"))
	assert.Equal(t, 1, one.Get("/installation/repositories").Int("total_count"))
	for name, body := range map[string]any{
		"a repository of nobody":        map[string]any{"repositories": []string{"nothing"}},
		"an id of nothing":              map[string]any{"repository_ids": []int{5}},
		"more than the App has":         map[string]any{"permissions": map[string]string{"contents": "write"}},
		"what the App has not":          map[string]any{"permissions": map[string]string{"administration": "read"}},
		"a level that there is not any": map[string]any{"permissions": map[string]string{"issues": "all"}},
	} {
		assert.Equal(t, http.StatusUnprocessableEntity, w.signed(t, nil).Do("POST", w.installation()+"/access_tokens", body).Status, name)
	}
}

func TestSuspendedAndDeletedInstallations(t *testing.T) {
	w := newAppWorld(t)
	asApp, token, path := w.signed(t, nil), w.token(t, nil), w.installation()
	require.Equal(t, http.StatusNoContent, asApp.Do("PUT", path+"/suspended", nil).Status)
	reply := token.Get(sandboxtest.Path)
	assert.Equal(t, []any{403, "This installation has been suspended"}, []any{reply.Status, reply.Text("message")})
	assert.Equal(t, http.StatusForbidden, asApp.Do("POST", path+"/access_tokens", nil).Status)
	assert.NotEmpty(t, asApp.Get(path).Text("suspended_at"))
	require.Equal(t, http.StatusNoContent, asApp.Do("DELETE", path+"/suspended", nil).Status)
	assert.Equal(t, http.StatusOK, token.Get(sandboxtest.Path).Status)
	assert.Equal(t, http.StatusOK, asApp.Get(sandboxtest.Path+"/installation").Status)
	require.Equal(t, http.StatusNoContent, asApp.Do("DELETE", path, nil).Status)
	assert.Equal(t, http.StatusUnauthorized, token.Get(sandboxtest.Path).Status)
	for _, gone := range []string{path, sandboxtest.Path + "/installation", "/users/owner/installation"} {
		assert.Equal(t, http.StatusNotFound, asApp.Get(gone).Status, gone)
	}
}

func TestGitWithTheTokenOfAnInstallation(t *testing.T) {
	w := newAppWorld(t)
	const refs = "/info/refs?service=git-receive-pack"
	ask := func(value, path string) int {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+path, http.NoBody)
		require.NoError(t, err)
		request.Host = "github.com"
		request.SetBasicAuth("x-access-token", value)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	made := w.signed(t, nil).Do("POST", w.installation()+"/access_tokens", nil)
	assert.Equal(t, []int{403, 404}, []int{
		ask(made.Text("token"), "/owner/hello"+refs), ask(made.Text("token"), "/owner/private"+refs),
	}, "the App may read contents, and is not in the private repository")
}

// browser follows no redirects.
func browse(t *testing.T, address string, form url.Values) *http.Response {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	var response *http.Response
	var err error
	if form == nil {
		response, err = client.Get(address)
	} else {
		response, err = client.PostForm(address, form)
	}
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response
}

func locationOf(t *testing.T, response *http.Response) *url.URL {
	t.Helper()
	to, err := response.Location()
	require.NoError(t, err)
	return to
}

func TestUsersSignInThroughAnApp(t *testing.T) {
	w := newAppWorld(t)
	authorize := w.URL + "/login/oauth/authorize?client_id=Iv1.gate&state=xyz&redirect_uri=" + url.QueryEscape("http://127.0.0.1:4711/login")
	assert.Equal(t, http.StatusOK, browse(t, authorize+"&login=writer", nil).StatusCode, "nobody may sign in until it is allowed")
	w.AllowSignIn("owner", "writer")
	assert.Equal(t, http.StatusOK, browse(t, authorize, nil).StatusCode, "it asks who it is")
	assert.Equal(t, http.StatusOK, browse(t, authorize+"&login=reader", nil).StatusCode, "who may not is asked again")
	code := func() string {
		to := locationOf(t, browse(t, authorize+"&login=writer", nil))
		assert.Equal(t, []string{"127.0.0.1:4711", "/login", "xyz"}, []string{to.Host, to.Path, to.Query().Get("state")})
		return to.Query().Get("code")
	}
	exchange := func(change url.Values) sandboxtest.Reply {
		form := url.Values{"client_id": {"Iv1.gate"}, "client_secret": {"client-secret"}, "code": {"none"}}
		for name := range change {
			form.Set(name, change.Get(name))
		}
		return w.With("").Do("POST", "/login/oauth/access_token", form.Encode(), "Accept", "application/json")
	}
	good := code()
	reply := exchange(url.Values{"code": {good}})
	assert.Equal(t, "bearer", reply.Text("token_type"), reply.Body)
	user := w.With(reply.Text("access_token"))
	assert.Equal(t, "writer", user.Get("/user").Text("login"))
	assert.Equal(t, 0, user.Get("/user/installations").Int("total_count"), "the installation is the owner's")
	assert.Equal(t, http.StatusNotFound, user.Get("/repos/owner/private").Status)
	assert.Equal(t, http.StatusForbidden, user.Do("POST", sandboxtest.Path+"/git/refs", map[string]any{"ref": "refs/heads/x", "sha": "0"}).Status, "the App may not write contents")

	for name, c := range map[string]struct {
		change url.Values
		says   string
	}{
		"the same code again": {url.Values{"code": {good}}, "bad_verification_code"},
		"a code of nothing":   {nil, "bad_verification_code"},
		"a wrong secret":      {url.Values{"code": {code()}, "client_secret": {"x"}}, "incorrect_client_credentials"},
		"an unknown App":      {url.Values{"code": {code()}, "client_id": {"x"}}, "incorrect_client_credentials"},
		"another redirect":    {url.Values{"code": {code()}, "redirect_uri": {"https://evil.example"}}, "redirect_uri_mismatch"},
	} {
		assert.Equal(t, c.says, exchange(c.change).Text("error"), name)
	}
	old := code()
	w.clock.at = w.clock.at.Add(10 * time.Minute)
	assert.Equal(t, "bad_verification_code", exchange(url.Values{"code": {old}}).Text("error"), "a code is good for ten minutes")
	for _, address := range []string{"https://evil.example/login", "https://bench.example.evil/login", "https://bench.example/login/../x", "https://u@bench.example/login", "https://bench.example/loginx"} {
		to := locationOf(t, browse(t, w.URL+"/login/oauth/authorize?client_id=Iv1.gate&login=writer&redirect_uri="+url.QueryEscape(address), nil))
		assert.Equal(t, []string{"bench.example", "/login", "redirect_uri_mismatch"}, []string{to.Host, to.Path, to.Query().Get("error")}, address)
	}
	assert.Equal(t, http.StatusNotFound, browse(t, w.URL+"/login/oauth/authorize?client_id=x", nil).StatusCode)
}

func TestAnAppIsMadeOfAManifest(t *testing.T) {
	w := newAppWorld(t)
	w.AllowSignIn("owner")
	form := url.Values{"manifest": {`{"name": "My Bench", "url": "https://bench.example", "hook_attributes": {"url": "https://bench.example/webhook"},
		"redirect_url": "https://bench.example/setup", "default_events": ["push"], "default_permissions": {"checks": "write"}, "setup_url": "https://bench.example/done"}`}}
	to := locationOf(t, browse(t, w.URL+"/settings/apps/new?state=s", form))
	assert.Equal(t, []string{"bench.example", "/setup", "s"}, []string{to.Host, to.Path, to.Query().Get("state")})
	code := to.Query().Get("code")
	config, _, err := w.As("").REST.Apps.CompleteAppManifest(t.Context(), code)
	require.NoError(t, err)
	assert.Equal(t, []string{"my-bench", "owner"}, []string{config.GetSlug(), config.GetOwner().GetLogin()})
	for name, value := range map[string]string{"client id": config.GetClientID(), "client secret": config.GetClientSecret(), "webhook secret": config.GetWebhookSecret()} {
		assert.NotEmpty(t, value, name)
	}
	_, _, err = w.As("").REST.Apps.CompleteAppManifest(t.Context(), code)
	assert.Error(t, err, "a code is good once")

	block, _ := pem.Decode([]byte(config.GetPEM()))
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	require.NoError(t, err)
	asApp := w.With(sandboxtest.SignedJWT(t, key, map[string]any{"iss": config.GetClientID(), "iat": w.clock.at.Unix(), "exp": w.clock.at.Unix() + 60}))
	assert.Equal(t, "My Bench", asApp.Get("/app").Text("name"))
	done := locationOf(t, browse(t, w.URL+"/apps/my-bench/installations/new", nil))
	assert.Equal(t, []string{"/done", "install"}, []string{done.Path, done.Query().Get("setup_action")})
	installed := asApp.Get("/app/installations")
	assert.Equal(t, []any{"owner", "all"}, []any{installed.Text("0.account.login"), installed.Text("0.repository_selection")})

	form.Set("manifest", strings.Replace(form.Get("manifest"), `, "setup_url": "https://bench.example/done"`, "", 1))
	form.Set("manifest", strings.Replace(form.Get("manifest"), "My Bench", "Plain Bench", 1))
	plain := locationOf(t, browse(t, w.URL+"/settings/apps/new", form)).Query().Get("code")
	_, _, err = w.As("").REST.Apps.CompleteAppManifest(t.Context(), plain)
	require.NoError(t, err)
	installation := locationOf(t, browse(t, w.URL+"/apps/plain-bench/installations/new", nil))
	assert.Equal(t, strings.TrimPrefix(w.URL, "http://"), installation.Host, "an App that wants users nowhere else leaves them here")
	assert.Equal(t, http.StatusOK, browse(t, installation.String(), nil).StatusCode)
	assert.Equal(t, http.StatusNotFound, browse(t, w.URL+"/settings/installations/1", nil).StatusCode)

	second := locationOf(t, browse(t, w.URL+"/settings/apps/new", form)).Query().Get("code")
	_, _, err = w.As("").REST.Apps.CompleteAppManifest(t.Context(), second)
	assert.ErrorContains(t, err, "422", "the name is taken")
	assert.Equal(t, http.StatusUnprocessableEntity, browse(t, w.URL+"/settings/apps/new", url.Values{"manifest": {"{}"}}).StatusCode)
	assert.Equal(t, http.StatusNotFound, browse(t, w.URL+"/organizations/owner/settings/apps/new", form).StatusCode, "it is no organization of his")
}

func TestUsersManageTheirInstallations(t *testing.T) {
	w := newAppWorld(t)
	w.AddToken("through-the-app", sandbox.Token{User: "owner", OAuth: "gate"})
	user := w.With("through-the-app").REST
	installed, _, err := user.Apps.ListUserInstallations(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, installed, 1)
	owner := w.As("owner").REST
	_, _, err = owner.Apps.AddRepository(t.Context(), installed[0].GetID(), w.private.ID)
	require.NoError(t, err)
	repos, _, err := user.Apps.ListUserRepos(t.Context(), installed[0].GetID(), nil)
	require.NoError(t, err)
	assert.Equal(t, 2, len(repos.Repositories))
	_, err = owner.Apps.RemoveRepository(t.Context(), installed[0].GetID(), w.private.ID)
	require.NoError(t, err)
	w.Look(func(s *model.State) { assert.NoError(t, s.Validate()) })
}
