package app_test

import (
	"encoding/json"
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

// browser is who sets an App up.
type browser struct {
	*rig
	client *http.Client
}

func newBrowser(t *testing.T, r *rig) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &browser{r, &http.Client{Jar: jar}}
}

func (b *browser) open(path string) (int, string) {
	b.t.Helper()
	usual := http.DefaultClient
	http.DefaultClient = b.client
	defer func() { http.DefaultClient = usual }()
	return b.get(path)
}

// notSetUp is a server without an App.
func notSetUp(t *testing.T) *rig {
	t.Helper()
	return newRig(t, dbtest.SQLite(t), func(c *settings.Server) {
		c.Credentials, c.PublicURL = settings.Credentials{}, "https://bench.example.com"
	}).start()
}

// token is in the log.
func (r *rig) token() string {
	r.t.Helper()
	found := regexp.MustCompile(`/setup\?token=(\w+)`).FindStringSubmatch(r.log.String())
	require.NotNil(r.t, found, r.log.String())
	return found[1]
}

var (
	form     = regexp.MustCompile(`<form method="post" action="([^"]+)">\s*<input type="hidden" name="manifest" value="([^"]+)">`)
	stateKey = regexp.MustCompile(`state=(\w+)`)
)

func TestAnAppIsSetUpInTheBrowser(t *testing.T) {
	r := notSetUp(t)
	assert.Equal(t, http.StatusServiceUnavailable, r.deliver(guid(1), "ping", `{}`))
	assert.Zero(t, r.ID())
	_, err := r.Clients().Client(t.Context(), 7, "octo", "hello")
	require.ErrorContains(t, err, "the App is not set up: see /setup")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err), "it may be set up soon")
	b := newBrowser(t, r)
	status, page := b.open("/setup?token=" + r.token())
	require.Equal(t, http.StatusOK, status)
	found := form.FindStringSubmatch(page)
	require.NotNil(t, found, page)
	target, err := url.Parse(html.UnescapeString(found[1]))
	require.NoError(t, err)
	assert.Equal(t, r.github.URL+"/settings/apps/new", target.Scheme+"://"+target.Host+target.Path)
	var manifest map[string]any
	require.NoError(t, json.Unmarshal([]byte(html.UnescapeString(found[2])), &manifest))
	assert.Equal(t, map[string]any{"url": "https://bench.example.com/webhook", "active": true}, manifest["hook_attributes"])
	assert.Equal(t, "https://bench.example.com/setup/callback", manifest["redirect_url"])
	assert.Contains(t, manifest["default_events"], "pull_request")
	assert.Equal(t, "https://bench.example.com/", manifest["setup_url"], "who has installed it comes back")
	assert.Regexp(t, "^bench-[a-z0-9]+$", manifest["name"], "GitHub refuses a name that another App has")
	assert.NotContains(t, page, "cannot reach")
	assert.NotContains(t, manifest["default_events"], "installation", "GitHub refuses manifests that subscribe to what every App gets")

	r.github.codes["a-code"] = true
	status, page = b.open("/setup/callback?code=a-code&state=" + target.Query().Get("state"))
	require.Equal(t, http.StatusOK, status)
	assert.Contains(t, page, r.github.URL+"/apps/bench-octo/installations/new")
	assert.Equal(t, http.StatusAccepted, r.deliver(guid(1), "ping", `{}`), "the server works with the credentials at once")
	assert.EqualValues(t, 42, r.ID())
	_, err = r.Clients().Client(t.Context(), 7, "octo", "hello")
	require.NoError(t, err)

	file := filepath.Join(r.folder, "credentials.json")
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	saved, err := settings.LoadCredentials(r.folder)
	require.NoError(t, err)
	assert.Equal(t, settings.Credentials{AppID: 42, Slug: "bench-octo", PrivateKey: privateKey(), WebhookSecret: secret, ClientID: "Iv1.x", ClientSecret: "a-client-secret"}, saved)
	assert.NotContains(t, r.log.String(), secret)

	status, page = b.open("/setup?token=" + r.token())
	assert.Equal(t, http.StatusGone, status, "it is set up once")
	assert.Contains(t, page, r.github.URL+"/apps/bench-octo/installations/new", "who opens it again goes on")
}

func TestTheLogHasTheWholeAddressOfTheSetUp(t *testing.T) {
	for public, logged := range map[string]string{
		"https://bench.example.com/app": `"address":"https://bench.example.com/app/setup?token=`,
		"":                              `"path":"/setup?token=`,
	} {
		r := newRig(t, dbtest.SQLite(t), func(c *settings.Server) { c.Credentials, c.PublicURL = settings.Credentials{}, public })
		assert.Contains(t, r.log.String(), logged)
	}
}

func TestAnOrganizationMayOwnTheApp(t *testing.T) {
	r := notSetUp(t)
	_, page := newBrowser(t, r).open("/setup?organization=octo%2F..&token=" + r.token())
	assert.Contains(t, page, "/organizations/octo%2F../settings/apps/new?state=")
	assert.Contains(t, page, "bench-octo/..&#34;", "the name that is proposed has the owner's in it")
}

func TestAnAddressThatGitHubCannotReachIsTold(t *testing.T) {
	for address, near := range map[string]bool{
		"http://localhost:8080": true, "http://127.0.0.1:8080": true, "http://192.168.1.7": true, "http://bench:8080": true, "http://[::1]:8080": true,
		"https://bench.example.com": false, "http://8.8.8.8": false,
	} {
		r := newRig(t, dbtest.SQLite(t), func(c *settings.Server) {
			c.Credentials, c.PublicURL, c.GitHubURL = settings.Credentials{}, address, settings.DefaultGitHubURL
		}).start()
		_, page := newBrowser(t, r).open("/setup?token=" + r.token())
		assert.Equal(t, near, strings.Contains(page, "GitHub cannot reach this server"), address)
	}
}

func TestOnlyWhoKnowsTheTokenSetsTheAppUp(t *testing.T) {
	r := notSetUp(t)
	for _, path := range []string{"/setup", "/setup?token=", "/setup?token=wrong"} {
		status, page := newBrowser(t, r).open(path)
		assert.Equal(t, http.StatusForbidden, status, path)
		assert.NotContains(t, page, "manifest")
	}
}

func TestAnAnswerOfGitHubBelongsToTheBrowserThatAsked(t *testing.T) {
	r := notSetUp(t)
	r.github.codes["a-code"] = true
	mine, other := newBrowser(t, r), newBrowser(t, r)
	_, page := mine.open("/setup?token=" + r.token())
	state := stateKey.FindStringSubmatch(page)[1]
	for name, answer := range map[string]func() (int, string){
		"without a state":              func() (int, string) { return mine.open("/setup/callback?code=a-code") },
		"with another state":           func() (int, string) { return mine.open("/setup/callback?code=a-code&state=x") },
		"in another browser":           func() (int, string) { return other.open("/setup/callback?code=a-code&state=" + state) },
		"in another browser, no state": func() (int, string) { return other.open("/setup/callback?code=a-code&state=") },
	} {
		t.Run(name, func(t *testing.T) {
			status, _ := answer()
			assert.Equal(t, http.StatusForbidden, status)
		})
	}
	status, _ := mine.open("/setup/callback?code=wrong&state=" + state)
	assert.Equal(t, http.StatusBadGateway, status, "GitHub does not know the code")
	status, _ = mine.open("/setup/callback?code=a-code&state=" + state)
	assert.Equal(t, http.StatusForbidden, status, "a state is good for once")
}

func TestAServerThatIsSetUpHasNoSetUp(t *testing.T) {
	r := newRig(t, dbtest.SQLite(t), nil).start()
	status, _ := r.get("/setup")
	assert.Equal(t, http.StatusNotFound, status)
	assert.NotContains(t, r.log.String(), "token")
}
