package dashboard

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// manifest is what GitHub makes an App of. Its fields are GitHub's.
type manifest struct {
	Name               string            `json:"name"`
	URL                string            `json:"url"`
	HookAttributes     hookAttributes    `json:"hook_attributes"`
	RedirectURL        string            `json:"redirect_url"`
	CallbackURLs       []string          `json:"callback_urls"`
	SetupURL           string            `json:"setup_url"`
	Description        string            `json:"description"`
	Public             bool              `json:"public"`
	DefaultPermissions map[string]string `json:"default_permissions"`
	DefaultEvents      []string          `json:"default_events"`
}

type hookAttributes struct {
	URL    string `json:"url"`
	Active bool   `json:"active"`
}

// Permissions are what the App asks for: to read what a run is of, to dispatch
// workflows and read what they made, to tell the verdict, to know who may
// command, and to write the fixtures repository.
func Permissions() map[string]string {
	return map[string]string{
		"metadata": "read", "contents": "write", "actions": "write", "checks": "write",
		"issues": "write", "pull_requests": "write", "statuses": "read", "merge_queues": "read",
	}
}

const (
	// longestName is how many letters GitHub lets an App's name have.
	longestName = 34
	// randomInName is how many random letters a proposed one has.
	randomInName = 5
)

// name proposes a name for the App. GitHub refuses one that any App has, so
// that it has the owner's in it, or else something random.
func (s *Setup) name(owner string) string {
	if owner == "" {
		random := s.opts.Random()
		owner = strings.ToLower(random[:min(len(random), randomInName)])
	}
	name := "bench-" + owner
	return name[:min(len(name), longestName)]
}

// manifest writes the manifest of an App whose server is at base. Who has
// installed it comes to the dashboard.
func (s *Setup) manifest(base, owner string) (string, error) {
	data, err := json.Marshal(manifest{
		Name: s.name(owner), URL: base, SetupURL: base + "/", HookAttributes: hookAttributes{base + "/webhook", true},
		RedirectURL: base + "/setup/callback", CallbackURLs: []string{base + "/login/callback"},
		Description:        "Tells whether a change to an agent's tooling makes agents better or worse.",
		DefaultPermissions: Permissions(), DefaultEvents: s.opts.Events,
	})
	if err != nil {
		return "", fault.Internalf("write the App's manifest: %w", err)
	}
	return string(data), nil
}

// conversion is what GitHub gives for a code.
type conversion struct {
	ID            int64  `json:"id"`
	Slug          string `json:"slug"`
	PEM           string `json:"pem"`
	WebhookSecret string `json:"webhook_secret"`
	ClientID      string `json:"client_id"`
	ClientSecret  string `json:"client_secret"`
}

func (c conversion) credentials() settings.Credentials {
	return settings.Credentials{
		AppID: c.ID, Slug: c.Slug, PrivateKey: c.PEM, WebhookSecret: c.WebhookSecret, ClientID: c.ClientID, ClientSecret: c.ClientSecret,
	}
}

// maxConversion is the size in bytes of the largest answer that is read.
const maxConversion = 1 << 20

// exchange gives GitHub the code back. It is good for once, and the answer has
// secrets, so errors repeat neither.
func (s *Setup) exchange(ctx context.Context, code string) (conversion, error) {
	if code == "" {
		return conversion{}, fault.Invalidf("GitHub sent no code")
	}
	address := s.opts.APIURL + "/app-manifests/" + url.PathEscape(code) + "/conversions"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, nil)
	if err != nil {
		return conversion{}, fault.Internalf("make request: %w", err)
	}
	request.Header.Set("Accept", "application/vnd.github+json")
	response, err := s.opts.Client.Do(request)
	if err != nil {
		return conversion{}, fault.Infraf("GitHub could not be reached to make the App")
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		return conversion{}, fault.Infraf("GitHub did not make the App (%d)", response.StatusCode)
	}
	var made conversion
	if err := json.NewDecoder(io.LimitReader(response.Body, maxConversion)).Decode(&made); err != nil {
		return conversion{}, fault.Infraf("GitHub's answer with the App's credentials cannot be read")
	}
	if err := made.credentials().Check(); err != nil {
		return conversion{}, fault.Infraf("GitHub's answer lacks some of the App's credentials")
	}
	return made, nil
}
