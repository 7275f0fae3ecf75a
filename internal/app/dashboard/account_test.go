package dashboard_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/dashboard"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// token has somebody sign in.
func token(t *testing.T, w *sandboxtest.World, login string) string {
	t.Helper()
	w.AllowSignIn(login)
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	page, err := browser.Get(w.URL + "/login/oauth/authorize?client_id=Iv1.bench&login=" + login)
	require.NoError(t, err)
	require.NoError(t, page.Body.Close())
	to, err := page.Location()
	require.NoError(t, err)
	form := url.Values{"client_id": {"Iv1.bench"}, "client_secret": {"client-secret"}, "code": {to.Query().Get("code")}}
	return w.With("").Do("POST", "/login/oauth/access_token", form.Encode(), "Accept", "application/json").Text("access_token")
}

func TestWhatAUserSees(t *testing.T) {
	w := sandboxtest.New(t)
	w.Use(sandbox.Outside{Now: time.Now})
	w.Change(func(s *model.State, repo *model.Repo) {
		secret := s.AddRepo(model.NewRepo{Owner: repo.OwnerID, Name: "secret", Private: true})
		_, public := sandboxtest.Key(t)
		s.AddApp(model.NewApp{
			Slug: "bench", Owner: repo.OwnerID, Repos: []model.ID{repo.ID, secret.ID}, PublicKey: string(public), ClientID: "Iv1.bench", ClientSecret: "client-secret",
			CallbackURLs: []string{"http://127.0.0.1/login/callback"}, Permissions: map[string]string{"metadata": "read"},
		})
	})
	users := dashboard.Users{APIURL: w.URL, Transport: http.DefaultTransport}
	account, err := users.Lookup(t.Context(), token(t, w, "owner"))
	require.NoError(t, err)
	assert.Equal(t, dashboard.Account{Login: "owner", Repos: []string{"owner/hello", "owner/secret"}}, account)
	account, err = users.Lookup(t.Context(), token(t, w, "stranger"))
	require.NoError(t, err)
	assert.Equal(t, dashboard.Account{Login: "stranger"}, account)
	_, err = users.Lookup(t.Context(), "nonsense")
	assert.ErrorIs(t, err, dashboard.ErrLoggedOut)
}

func TestAUsersTokenIsEnded(t *testing.T) {
	status := http.StatusNoContent
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		id, secret, _ := r.BasicAuth()
		asked = append(asked, fmt.Sprint(r.Method, " ", r.URL.Path, " ", id, ":", secret, " ", strings.TrimSpace(string(body)), err))
		w.WriteHeader(status)
	}))
	defer server.Close()
	users := dashboard.Users{APIURL: server.URL, Transport: http.DefaultTransport}
	require.NoError(t, users.Revoke(t.Context(), "Iv1.bench", "client-secret", "ghu_x"))
	assert.Equal(t, []string{`DELETE /applications/Iv1.bench/token Iv1.bench:client-secret {"access_token":"ghu_x"}<nil>`}, asked)
	status = http.StatusUnprocessableEntity
	require.NoError(t, users.Revoke(t.Context(), "Iv1.bench", "client-secret", "ghu_x"), "it has ended")
	status = http.StatusNotFound
	require.Error(t, users.Revoke(t.Context(), "Iv1.other", "client-secret", "ghu_x"))
}
