package rest

import (
	"net/http"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// noneRoutes are those about what no world has: notifications, and what
// security features find. They answer as GitHub does where there is none.
func noneRoutes() []route {
	const thread = "/notifications/threads/{thread}"
	noThread := func(*call) (reply, error) { return reply{}, errNotFound }
	routes := []route{
		{"GET /notifications", nothingNew},
		{"PUT /notifications", allRead},
		{"GET " + reposPath + "/notifications", onRepo(func(c *call, _ *model.Repo) (reply, error) { return nothingNew(c) })},
		{"PUT " + reposPath + "/notifications", onRepo(func(c *call, _ *model.Repo) (reply, error) { return allRead(c) })},
		{"GET " + reposPath + "/security-advisories", onRepo(listNone)},
		{"GET /orgs/{org}/security-advisories", onLogin(func(c *call, _ *model.User) (reply, error) { return listNone(c, nil) })},
	}
	for _, method := range []string{http.MethodGet, http.MethodPatch, http.MethodDelete} {
		routes = append(routes, route{method + " " + thread, noThread})
	}
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
		routes = append(routes, route{method + " " + thread + "/subscription", noThread})
	}
	for _, feature := range []struct {
		name string
		off  *model.Problem
	}{
		{"code-scanning", &model.Problem{Kind: model.NotFound, Message: "no analysis found"}},
		{"secret-scanning", &model.Problem{Kind: model.NotFound, Message: "Secret scanning is disabled on this repository."}},
		{"dependabot", &model.Problem{Kind: model.Forbidden, Message: "Dependabot alerts are disabled for this repository."}},
	} {
		off := onSettings(func(*call, *model.Repo) (reply, error) { return reply{}, feature.off })
		alerts := "GET " + reposPath + "/" + feature.name + "/alerts"
		routes = append(routes, route{alerts, off}, route{alerts + "/{alert}", off})
	}
	return routes
}

func listNone(c *call, _ *model.Repo) (reply, error) { return list(c, []struct{}{}, same) }

// nothingNew lists the notifications of a user: the sandbox sends none.
func nothingNew(c *call) (reply, error) {
	if c.actor == 0 {
		return reply{}, errNoUser
	}
	return listNone(c, nil)
}

// allRead marks notifications as read: there are none that are not.
func allRead(c *call) (reply, error) {
	var in struct {
		Until string `json:"last_read_at"`
		Read  bool
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusResetContent}, nil
}
