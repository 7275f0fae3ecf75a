package rest

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

type installationView struct {
	ID                  int64             `json:"id"`
	NodeID              string            `json:"node_id"`
	ClientID            string            `json:"client_id,omitempty"`
	Account             *userView         `json:"account"`
	RepositorySelection string            `json:"repository_selection"`
	AccessTokensURL     string            `json:"access_tokens_url"`
	RepositoriesURL     string            `json:"repositories_url"`
	HTMLURL             string            `json:"html_url"`
	AppID               int64             `json:"app_id"`
	AppSlug             string            `json:"app_slug"`
	TargetID            int64             `json:"target_id"`
	TargetType          string            `json:"target_type"`
	Permissions         map[string]string `json:"permissions"`
	Events              []string          `json:"events"`
	CreatedAt           stamp             `json:"created_at"`
	UpdatedAt           stamp             `json:"updated_at"`
	SingleFileName      *string           `json:"single_file_name"`
	HasMultipleFiles    bool              `json:"has_multiple_single_files"`
	SingleFilePaths     []string          `json:"single_file_paths"`
	SuspendedBy         *userView         `json:"suspended_by"`
	SuspendedAt         stamp             `json:"suspended_at"`
}

func (v *view) installation(i *model.Installation) installationView {
	app, account := v.s.Apps.Get(i.AppID), v.s.Users.Get(i.AccountID)
	view := installationView{
		ID: i.ID, NodeID: installationNode(i), ClientID: app.ClientID, Account: v.user(account.ID), RepositorySelection: "selected",
		AccessTokensURL: fmt.Sprintf("%s/app/installations/%d/access_tokens", apiURL, i.ID), RepositoriesURL: apiURL + "/installation/repositories",
		HTMLURL: fmt.Sprintf("%s/settings/installations/%d", htmlURL, i.ID), AppID: app.ID, AppSlug: app.Slug,
		TargetID: account.ID, TargetType: string(account.Type), Permissions: granted(i.Permissions), Events: append([]string{}, i.Events...),
		CreatedAt: at(i.CreatedAt), UpdatedAt: at(i.UpdatedAt), SingleFilePaths: []string{},
		SuspendedBy: v.user(i.SuspendedBy), SuspendedAt: maybe(i.SuspendedAt),
	}
	if i.All {
		view.RepositorySelection = "all"
	}
	if account.Type == model.TypeOrganization {
		view.HTMLURL = fmt.Sprintf("%s/organizations/%s/settings/installations/%d", htmlURL, account.Login, i.ID)
	}
	return view
}

// installationNode returns the global id of an installation, which still has
// GitHub's older form.
func installationNode(i *model.Installation) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "023:IntegrationInstallation%d", i.ID))
}

// granted returns permissions with the one that every App has.
func granted(permissions map[string]string) map[string]string {
	all := maps.Clone(permissions)
	if all == nil {
		all = map[string]string{}
	}
	all["metadata"] = cmp.Or(all["metadata"], "read")
	return all
}

// namedRepo is a repository as events of installations show it.
type namedRepo struct {
	ID       int64  `json:"id"`
	NodeID   string `json:"node_id"`
	Name     string `json:"name"`
	FullName string `json:"full_name"`
	Private  bool   `json:"private"`
}

func (v *view) namedRepos(ids []model.ID) []namedRepo {
	named := make([]namedRepo, 0, len(ids))
	for _, id := range ids {
		if r := v.s.Repos.Get(id); r != nil {
			named = append(named, namedRepo{r.ID, model.NodeID(model.NodeRepo, 0, r.ID), r.Name, v.s.FullName(r), r.Private})
		}
	}
	return named
}

type hookConfigView struct {
	ContentType string `json:"content_type"`
	InsecureSSL string `json:"insecure_ssl"`
	Secret      string `json:"secret,omitempty"`
	URL         string `json:"url"`
}

// hiddenSecret stands for a secret, which GitHub does not show again.
const hiddenSecret = "********"

func hookConfig(c model.HookConfig) hookConfigView {
	view := hookConfigView{ContentType: c.ContentType, InsecureSSL: c.InsecureSSL, URL: c.URL}
	if c.Secret != "" {
		view.Secret = hiddenSecret
	}
	return view
}

type hookView struct {
	Type          string         `json:"type"`
	ID            int64          `json:"id"`
	Name          string         `json:"name"`
	Active        bool           `json:"active"`
	Events        []string       `json:"events"`
	Config        hookConfigView `json:"config"`
	UpdatedAt     stamp          `json:"updated_at"`
	CreatedAt     stamp          `json:"created_at"`
	AppID         int64          `json:"app_id,omitempty"`
	URL           string         `json:"url,omitempty"`
	TestURL       string         `json:"test_url,omitempty"`
	PingURL       string         `json:"ping_url,omitempty"`
	DeliveriesURL string         `json:"deliveries_url"`
	LastResponse  map[string]any `json:"last_response,omitempty"`
}

func (v *view) hook(h *model.Hook) hookView {
	of, kind := apiURL+"/orgs/"+v.s.Login(h.OrgID), "Organization"
	if h.OrgID == 0 {
		of, kind = v.repoURL(h.RepoID), "Repository"
	}
	api := fmt.Sprintf("%s/hooks/%d", of, h.ID)
	shown := hookView{
		Type: kind, ID: h.ID, Name: "web", Active: h.Active, Events: slices.Sorted(slices.Values(h.Events)), Config: hookConfig(h.Config),
		UpdatedAt: at(h.UpdatedAt), CreatedAt: at(h.CreatedAt), URL: api, PingURL: api + "/pings", DeliveriesURL: api + "/deliveries",
	}
	if h.OrgID == 0 {
		shown.TestURL, shown.LastResponse = api+"/test", map[string]any{"code": nil, "status": "unused", "message": nil}
	}
	return shown
}

// appHook is the webhook of an App, as its ping shows it.
func (v *view) appHook(a *model.App) hookView {
	return hookView{
		Type: "App", ID: a.HookID, Name: "web", Active: true, Events: append([]string{}, a.Events...), Config: hookConfig(a.Hook),
		UpdatedAt: at(a.UpdatedAt), CreatedAt: at(a.CreatedAt), AppID: a.ID, DeliveriesURL: apiURL + "/app/hook/deliveries",
	}
}

// ConvertedApp is the answer to the code of a manifest: an App with all its
// credentials, which are not shown again.
func ConvertedApp(s *model.State, a *model.App, private string) Response {
	type converted struct {
		*appView
		ClientSecret  string  `json:"client_secret"`
		WebhookSecret *string `json:"webhook_secret"`
		PEM           string  `json:"pem"`
	}
	body, err := encode(converted{(&view{s: s}).app(a.ID), a.ClientSecret, optional(a.Hook.Secret), private})
	if err != nil {
		return errorResponse(err)
	}
	return Response{Status: http.StatusCreated, Header: http.Header{"Content-Type": {jsonType}}, Body: body}
}
