package rest

import (
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// noneRoutes are those about what no world has: what security features find. They
// answer as GitHub does where there is none.
func noneRoutes() []route {
	routes := []route{
		{"GET " + reposPath + "/security-advisories", onRepo(listNone)},
		{"GET /orgs/{org}/security-advisories", onLogin(func(c *call, _ *model.User) (reply, error) { return listNone(c, nil) })},
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
