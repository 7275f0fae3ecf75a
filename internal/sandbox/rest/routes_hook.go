package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// hookRoutes are those of the webhooks of repositories and organizations, which
// only their administrators see.
func hookRoutes() []route {
	const hooks = reposPath + "/hooks"
	const orgHooks = "/orgs/{org}/hooks"
	routes := []route{
		{"GET " + hooks, onRepo(listHooks)},
		{"POST " + hooks, onRepo(createHook)},
		{"POST " + hooks + "/{id}/tests", onHook(testHook)},
		{"GET " + orgHooks, onOrgHooks(func(c *call, org *model.User) (reply, error) { return list(c, c.s.HooksOfOrg(org), c.hook) })},
		{"POST " + orgHooks, onOrgHooks(createOrgHook)},
	}
	for path, on := range map[string]func(func(*call, *model.Hook) (reply, error)) func(*call) (reply, error){hooks: onHook, orgHooks: onOrgHook} {
		one := path + "/{id}"
		routes = append(routes,
			route{"GET " + one, on(getHook)},
			route{"PATCH " + one, on(updateHook)},
			route{"DELETE " + one, on(deleteHook)},
			route{"POST " + one + "/pings", on(pingHook)},
			route{"GET " + one + "/config", on(getHookConfig)},
			route{"PATCH " + one + "/config", on(updateHookConfig)},
			route{"GET " + one + "/deliveries", on(listHookDeliveries)},
			route{"GET " + one + "/deliveries/{delivery}", on(getHookDelivery)},
			route{"POST " + one + "/deliveries/{delivery}/attempts", on(redeliverHook)},
		)
	}
	return routes
}

func onHook(handle func(c *call, h *model.Hook) (reply, error)) func(*call) (reply, error) {
	return onRow(func(s *model.State) *model.Table[model.Hook] { return &s.Hooks },
		func(h *model.Hook) model.ID { return h.RepoID }, func(c *call, h *model.Hook) (reply, error) {
			if !c.mayHook(c.s.Repos.Get(h.RepoID)) {
				return reply{}, errNotFound
			}
			return handle(c, h)
		})
}

// onOrgHooks makes a handler of one that needs the organization that the path
// names, whose webhooks its owners alone see.
func onOrgHooks(handle func(c *call, org *model.User) (reply, error)) func(*call) (reply, error) {
	return onLogin(func(c *call, org *model.User) (reply, error) {
		if !c.s.MayAdministerOrg(c.actor, org) {
			return reply{}, errNotFound
		}
		return handle(c, org)
	})
}

// onOrgHook is [onHook] for a webhook of an organization.
func onOrgHook(handle func(c *call, h *model.Hook) (reply, error)) func(*call) (reply, error) {
	return onOrgHooks(func(c *call, org *model.User) (reply, error) {
		id, err := strconv.ParseInt(c.PathValue("id"), 10, 64)
		h := c.s.Hooks.Get(id)
		if err != nil || h == nil || h.OrgID != org.ID {
			return reply{}, errNotFound
		}
		return handle(c, h)
	})
}

// mayHook reports whether the client may see a repository's webhooks.
func (c *call) mayHook(repo *model.Repo) bool {
	return c.s.MayAdminister(c.actor, repo) && (c.integration == nil || c.integration.has(permission{"repository_hooks", "read"}))
}

func listHooks(c *call, repo *model.Repo) (reply, error) {
	if !c.mayHook(repo) {
		return reply{}, errNotFound
	}
	return list(c, c.s.HooksOf(repo), c.hook)
}

// hookInput is the body of a request about a webhook.
type hookInput struct {
	Active       *bool
	Events       []string
	AddEvents    []string `json:"add_events"`
	RemoveEvents []string `json:"remove_events"`
	Config       *hookConfigInput
}

type hookConfigInput struct {
	URL         *string
	ContentType *string `json:"content_type"`
	Secret      *string
	// InsecureSSL is a text or a number.
	InsecureSSL any `json:"insecure_ssl"`
}

// change turns a body into a change to a configuration. What is not given is
// set anew, or with keep stays.
func (in *hookConfigInput) change(before model.HookConfig, keep bool) *model.HookConfig {
	if in == nil {
		return nil
	}
	after := model.HookConfig{}
	if keep {
		after = before
	}
	for field, value := range map[*string]*string{&after.URL: in.URL, &after.ContentType: in.ContentType, &after.Secret: in.Secret} {
		if value != nil {
			*field = *value
		}
	}
	if in.InsecureSSL != nil {
		after.InsecureSSL = fmt.Sprint(in.InsecureSSL)
	}
	return &after
}

func (in hookInput) change(before model.HookConfig) model.HookChange {
	return model.HookChange{Active: in.Active, Events: in.Events, Add: in.AddEvents, Remove: in.RemoveEvents, Config: in.Config.change(before, false)}
}

func createHook(c *call, repo *model.Repo) (reply, error) {
	if !c.mayHook(repo) {
		return reply{}, errNotFound
	}
	var in hookInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	h, err := c.s.CreateHook(c.actor, repo, in.change(model.HookConfig{}))
	if err != nil {
		return reply{}, err
	}
	return created(c.hook(h))
}

func createOrgHook(c *call, org *model.User) (reply, error) {
	var in hookInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	h, err := c.s.CreateOrgHook(c.actor, org, in.change(model.HookConfig{}))
	if err != nil {
		return reply{}, err
	}
	return created(c.hook(h))
}

func getHook(c *call, h *model.Hook) (reply, error) {
	view := c.hook(h)
	sent := c.deliveries.Of(h.ID)
	if at := slices.IndexFunc(sent, func(d HookDelivery) bool { return !d.Pending() }); at >= 0 && h.OrgID == 0 {
		view.LastResponse = map[string]any{"code": sent[at].StatusCode, "status": "active", "message": sent[at].Status}
	}
	return ok(view)
}

func updateHook(c *call, h *model.Hook) (reply, error) {
	var in hookInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if err := c.s.EditHook(c.actor, h, in.change(h.Config)); err != nil {
		return reply{}, err
	}
	return ok(c.hook(h))
}

func deleteHook(c *call, h *model.Hook) (reply, error) {
	if err := c.s.DeleteHook(c.actor, h); err != nil {
		return reply{}, err
	}
	return noContent()
}

func pingHook(c *call, h *model.Hook) (reply, error) {
	c.s.PingHook(c.actor, h)
	return noContent()
}

func testHook(c *call, h *model.Hook) (reply, error) {
	c.s.TestHook(c.actor, h)
	return noContent()
}

func getHookConfig(_ *call, h *model.Hook) (reply, error) { return ok(hookConfig(h.Config)) }

func updateHookConfig(c *call, h *model.Hook) (reply, error) {
	var in hookConfigInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if err := c.s.EditHook(c.actor, h, model.HookChange{Config: in.change(h.Config, true)}); err != nil {
		return reply{}, err
	}
	return ok(hookConfig(h.Config))
}

func listHookDeliveries(c *call, h *model.Hook) (reply, error) { return c.listDeliveries(h.ID) }

func getHookDelivery(c *call, h *model.Hook) (reply, error) { return c.getDelivery(h.ID) }

func redeliverHook(c *call, h *model.Hook) (reply, error) { return c.redeliver(h.ID, h.Config) }

// deliveryView is a delivery as lists show it; alone, it shows what was sent
// and answered too.
type deliveryView struct {
	ID             int64   `json:"id"`
	GUID           string  `json:"guid"`
	DeliveredAt    string  `json:"delivered_at"`
	Redelivery     bool    `json:"redelivery"`
	Duration       float64 `json:"duration"`
	Status         string  `json:"status"`
	StatusCode     int     `json:"status_code"`
	Event          string  `json:"event"`
	Action         *string `json:"action"`
	InstallationID *int64  `json:"installation_id"`
	RepositoryID   *int64  `json:"repository_id"`
	ThrottledAt    *string `json:"throttled_at"`
	*exchangeView
}

type exchangeView struct {
	URL      string       `json:"url"`
	Request  requestView  `json:"request"`
	Response responseView `json:"response"`
}

type requestView struct {
	Headers map[string]string `json:"headers"`
	Payload any               `json:"payload"`
}

type responseView struct {
	Headers map[string]string `json:"headers"`
	Payload *string           `json:"payload"`
}

func showDelivery(d HookDelivery) deliveryView {
	view := deliveryView{
		ID: d.ID, GUID: d.GUID, DeliveredAt: d.DeliveredAt.UTC().Format(time.RFC3339Nano), Redelivery: d.Redelivery,
		Duration: float64(d.Duration.Milliseconds()) / 1000, Status: d.Status, StatusCode: d.StatusCode, Event: d.Event, Action: optional(d.Action),
	}
	for field, id := range map[**int64]int64{&view.InstallationID: d.InstallationID, &view.RepositoryID: d.RepositoryID} {
		if id != 0 {
			*field = &id
		}
	}
	return view
}

func flat(header http.Header) map[string]string {
	lines := map[string]string{}
	for name := range header {
		lines[name] = header.Get(name)
	}
	return lines
}

// listDeliveries answers with a page of a webhook's deliveries, newest first.
// The next page begins at a cursor, not at a number.
func (c *call) listDeliveries(hook model.ID) (reply, error) {
	query, size := c.URL.Query(), defaultPage
	if n, err := strconv.Atoi(query.Get("per_page")); err == nil && n > 0 {
		size = min(n, largestPage)
	}
	all := slices.DeleteFunc(c.deliveries.Of(hook), HookDelivery.Pending)
	if cursor, err := strconv.ParseInt(query.Get("cursor"), 10, 64); err == nil {
		all = slices.DeleteFunc(all, func(d HookDelivery) bool { return d.ID > cursor })
	}
	header := http.Header{}
	if len(all) > size {
		next := url.Values{"per_page": {strconv.Itoa(size)}, "cursor": {strconv.FormatInt(all[size].ID, 10)}}
		header.Set("Link", fmt.Sprintf("<%s%s?%s>; rel=\"next\"", c.base, c.URL.EscapedPath(), next.Encode()))
		all = all[:size]
	}
	views := make([]deliveryView, 0, len(all))
	for _, d := range all {
		views = append(views, showDelivery(d))
	}
	return reply{status: http.StatusOK, body: views, header: header}, nil
}

// delivery returns the delivery of a webhook that the path names.
func (c *call) delivery(hook model.ID) (HookDelivery, error) {
	id, err := strconv.ParseInt(c.PathValue("delivery"), 10, 64)
	all := c.deliveries.Of(hook)
	at := slices.IndexFunc(all, func(d HookDelivery) bool { return d.ID == id })
	if err != nil || at < 0 {
		return HookDelivery{}, errNotFound
	}
	return all[at], nil
}

func (c *call) getDelivery(hook model.ID) (reply, error) {
	d, err := c.delivery(hook)
	if err != nil {
		return reply{}, err
	}
	view := showDelivery(d)
	view.exchangeView = &exchangeView{
		URL: d.URL, Request: requestView{flat(d.RequestHeader), json.RawMessage(d.Payload)}, Response: responseView{flat(d.ResponseHeader), optional(d.Response)},
	}
	return ok(view)
}

func (c *call) redeliver(hook model.ID, config model.HookConfig) (reply, error) {
	d, err := c.delivery(hook)
	if err != nil {
		return reply{}, err
	}
	c.deliveries.Redeliver(hook, d.ID, config.URL, config.Secret, config.ContentType == "form")
	return reply{status: http.StatusAccepted, body: map[string]any{}}, nil
}
