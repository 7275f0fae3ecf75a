package rest

import (
	"fmt"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// noneRoutes are those about what no world has: what security features find, and what
// nothing here makes, such as runners, codespaces and migrations. They answer as GitHub
// does where there is none.
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
	} {
		off := onSettings(func(*call, *model.Repo) (reply, error) { return reply{}, feature.off })
		alerts := "GET " + reposPath + "/" + feature.name + "/alerts"
		routes = append(routes, route{alerts, off}, route{alerts + "/{alert}", off})
	}
	for path, none := range map[string]func(*call, *model.Repo) (reply, error){
		"": listNone, "/{alert}": func(*call, *model.Repo) (reply, error) { return reply{}, errNotFound },
	} {
		routes = append(routes, route{"GET " + reposPath + "/dependabot/alerts" + path, onSettings(func(c *call, repo *model.Repo) (reply, error) {
			if !repo.Safety.Alerts {
				return reply{}, &model.Problem{Kind: model.Forbidden, Message: "Dependabot alerts are disabled for this repository."}
			}
			return none(c, repo)
		})})
	}
	for _, path := range []string{"/orgs/{org}/rulesets", "/orgs/{org}/properties/schema", "/orgs/{org}/failed_invitations", "/orgs/{org}/blocks", "/orgs/{org}/migrations"} {
		routes = append(routes, route{"GET " + path, onOrgHooks(func(c *call, _ *model.User) (reply, error) { return listNone(c, nil) })})
	}
	for _, path := range []string{"/user/blocks", "/user/migrations"} {
		routes = append(routes, route{"GET " + path, onSelf(func(c *call, _ *model.User) (reply, error) { return listNone(c, nil) })})
	}
	for path, key := range map[string]string{
		"/actions/runners": "runners",
	} {
		routes = append(routes, route{"GET /orgs/{org}" + path, onOrgHooks(func(c *call, _ *model.User) (reply, error) { return countNone(c, key) })})
	}
	for path, key := range map[string]string{
		"/actions/runners": "runners", "/codespaces": "codespaces",
	} {
		routes = append(routes, route{"GET " + reposPath + path, onSettings(func(c *call, _ *model.Repo) (reply, error) { return countNone(c, key) })})
	}
	// No repository has Pages, and none can be given them here.
	for _, pages := range []string{"GET %s", "PUT %s", "DELETE %s", "GET %s/builds", "GET %s/builds/latest", "GET %s/builds/{id}", "POST %s/builds", "GET %s/deployments/{id}", "POST %s/deployments/{id}/cancel", "GET %s/health"} {
		routes = append(routes, route{fmt.Sprintf(pages, reposPath+"/pages"), onRepo(func(*call, *model.Repo) (reply, error) { return reply{}, errNotFound })})
	}
	return append(routes,
		route{"GET /user/codespaces", onSelf(func(c *call, _ *model.User) (reply, error) { return countNone(c, "codespaces") })},
		route{"GET " + reposPath + "/properties/values", onRepo(listNone)},
		// Nothing here waits for a deployment to be approved.
		route{"GET " + reposPath + "/actions/runs/{id}/pending_deployments", onRun(func(c *call, _ *model.Run) (reply, error) { return listNone(c, nil) })},
		route{"GET " + reposPath + "/interaction-limits", onSettings(func(*call, *model.Repo) (reply, error) { return ok(struct{}{}) })},
		route{"GET " + reposPath + "/actions/cache/usage", onRepo(func(c *call, repo *model.Repo) (reply, error) {
			return ok(map[string]any{"full_name": c.s.FullName(repo), "active_caches_size_in_bytes": 0, "active_caches_count": 0})
		})},
		route{"GET " + reposPath + "/actions/workflows/{workflow}/timing", onWorkflow(func(*call, *model.Repo, *model.Workflow) (reply, error) {
			return ok(map[string]any{"billable": struct{}{}})
		})},
		route{"GET " + reposPath + "/actions/oidc/customization/sub", onRepo(func(*call, *model.Repo) (reply, error) {
			return ok(map[string]any{"use_default": true})
		})},
		route{"GET /orgs/{org}/actions/permissions", onOrgHooks(func(*call, *model.User) (reply, error) {
			return ok(map[string]any{"enabled_repositories": "all", "allowed_actions": "all", "sha_pinning_required": false})
		})},
	)
}

// countNone answers with an empty page of what is counted.
func countNone(c *call, key string) (reply, error) { return wrapped(c, key, []struct{}{}, same) }

func listNone(c *call, _ *model.Repo) (reply, error) { return list(c, []struct{}{}, same) }
