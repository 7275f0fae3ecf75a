package sandbox

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
)

// manifest is an App that a user agreed to make, as in "Registering a GitHub App
// from a manifest" of GitHub's documentation.
type manifest struct {
	Name        string `json:"name"`
	URL         string `json:"url"`
	Description string `json:"description"`
	Hook        struct {
		URL    string `json:"url"`
		Active *bool  `json:"active"`
	} `json:"hook_attributes"`
	RedirectURL  string            `json:"redirect_url"`
	CallbackURLs []string          `json:"callback_urls"`
	SetupURL     string            `json:"setup_url"`
	Events       []string          `json:"default_events"`
	Permissions  map[string]string `json:"default_permissions"`

	owner   string
	expires time.Time
}

// isNewApp reports whether a path is that of the page where Apps are made, a
// user's or an organization's.
func isNewApp(path string) bool {
	return path == newAppPath || newAppOrg(path) != ""
}

// newAppOrg returns the organization in whose settings the page is, empty for a
// user's.
func newAppOrg(path string) string {
	below, found := strings.CutPrefix(path, "/organizations/")
	org, isPage := strings.CutSuffix(below, newAppPath)
	if !found || !isPage || strings.Contains(org, "/") {
		return ""
	}
	return org
}

// newApp takes a manifest and sends the user back with a code for the App's
// credentials.
func (w *World) newApp(x *exchange) rest.Response {
	in := parameters(x)
	var m manifest
	if err := json.Unmarshal([]byte(in.Get("manifest")), &m); err != nil || m.Name == "" || m.URL == "" || m.RedirectURL == "" {
		return htmlPage(http.StatusUnprocessableEntity, []byte("The manifest is not one of an App that can be made.\n"))
	}
	login, ask := w.who(&url.URL{Path: x.in.URL.Path, RawQuery: in.Encode()}, "Create "+m.Name)
	if ask != nil {
		return *ask
	}
	now := w.now()
	m.owner, m.expires = login, now.Add(manifestLife)
	if org := newAppOrg(x.in.URL.Path); org != "" {
		owns := false
		w.Look(func(s *model.State) {
			o, u := s.User(org), s.User(login)
			owns = o != nil && o.Members[u.ID] == model.OrgOwner
		})
		if !owns {
			return htmlPage(http.StatusNotFound, []byte("Not Found"))
		}
		m.owner = org
	}
	value := newToken("")
	w.signIn.mu.Lock()
	defer w.signIn.mu.Unlock()
	if w.signIn.manifests == nil {
		w.signIn.manifests = map[string]manifest{}
	}
	maps.DeleteFunc(w.signIn.manifests, func(_ string, m manifest) bool { return !now.Before(m.expires) })
	w.signIn.manifests[value] = m
	return sendTo(m.RedirectURL, map[string]string{"code": value, "state": in.Get("state")})
}

// conversionOf returns the code in the path of a request that makes an App of a
// manifest, empty for other paths.
func conversionOf(r *http.Request) string {
	below, found := strings.CutPrefix(withoutEnterprise(r).URL.Path, "/app-manifests/")
	value, isConversion := strings.CutSuffix(below, "/conversions")
	if !found || !isConversion || r.Method != http.MethodPost {
		return ""
	}
	return value
}

// keyBits is the size of an App's key.
const keyBits = 2048

// convert makes the App of a manifest and answers with its credentials, once.
func (w *World) convert(x *exchange, value string) rest.Response {
	now := w.now()
	w.signIn.mu.Lock()
	m, known := w.signIn.manifests[value]
	delete(w.signIn.manifests, value)
	w.signIn.mu.Unlock()
	if !known || !now.Before(m.expires) {
		return rest.Failure(http.StatusNotFound, "Not Found")
	}
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return rest.Failure(http.StatusInternalServerError, "Server Error")
	}
	x.draft.actor = m.owner
	return w.change(x, whole(func(s *model.State) rest.Response {
		in, err := m.app(s, &key.PublicKey)
		if err != nil {
			return rest.Failure(http.StatusUnprocessableEntity, err.Error())
		}
		s.Advance()
		app := s.AddApp(in)
		private := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
		return rest.ConvertedApp(s, app, string(private))
	}))
}

// app describes the App of a manifest.
func (m manifest) app(s *model.State, key *rsa.PublicKey) (model.NewApp, error) {
	owner := s.User(m.owner)
	public, err := x509.MarshalPKIXPublicKey(key)
	switch {
	case err != nil || owner == nil:
		return model.NewApp{}, fmt.Errorf("the App of %s cannot be made", m.owner)
	case s.App(model.Slug(m.Name)) != nil:
		return model.NewApp{}, errors.New("Name has already been taken")
	}
	in := model.NewApp{
		Name: m.Name, Description: m.Description, HomeURL: m.URL, Owner: owner.ID, CallbackURLs: m.CallbackURLs, SetupURL: m.SetupURL,
		ClientID: "Iv23" + rand.Text()[:16], ClientSecret: strings.ToLower(rand.Text() + rand.Text())[:40], Events: m.Events, Permissions: maps.Clone(m.Permissions),
		PublicKey: string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})),
	}
	if m.Hook.URL != "" && (m.Hook.Active == nil || *m.Hook.Active) {
		in.Hook = model.HookConfig{URL: m.Hook.URL, ContentType: "json", Secret: strings.ToLower(rand.Text())}
		if err := in.Hook.Check(); err != nil {
			return in, err
		}
	}
	return in, nil
}

// installedApp returns the slug in the path of the page where an App is
// installed, empty for other paths.
func installedApp(path string) string {
	below, found := strings.CutPrefix(path, "/apps/")
	slug, isPage := strings.CutSuffix(below, "/installations/new")
	if !found || !isPage || strings.Contains(slug, "/") {
		return ""
	}
	return slug
}

// installApp installs an App in all repositories of a user's account and sends
// him on to where the App wants.
func (w *World) installApp(x *exchange) rest.Response {
	slug := installedApp(x.in.URL.Path)
	login, ask := w.who(x.in.URL, "Install "+slug)
	if ask != nil {
		return *ask
	}
	x.logged.Write = true
	x.draft.actor = login
	return w.change(x, whole(func(s *model.State) rest.Response {
		app, user := s.App(slug), s.User(login)
		if app == nil {
			return htmlPage(http.StatusNotFound, []byte("Not Found"))
		}
		i := s.Install(user.ID, app, user.ID, nil)
		if app.SetupURL == "" {
			return sendTo(fmt.Sprintf("%s%d", installationPath, i.ID), nil)
		}
		return sendTo(app.SetupURL, map[string]string{
			"installation_id": fmt.Sprint(i.ID), "setup_action": "install", "state": x.in.URL.Query().Get("state"),
		})
	}))
}

// showInstallation says where an App was installed.
func (w *World) showInstallation(path string) rest.Response {
	id, err := strconv.ParseInt(strings.TrimPrefix(path, installationPath), 10, 64)
	view := map[string]any{}
	w.Look(func(s *model.State) {
		if i := s.Installations.Get(id); err == nil && i != nil {
			view["Title"] = s.Apps.Get(i.AppID).Name
			view["Said"] = "The App is installed in the repositories of " + s.Login(i.AccountID) + "."
		}
	})
	if len(view) == 0 {
		return htmlPage(http.StatusNotFound, []byte("Not Found"))
	}
	return shownPage(view)
}
