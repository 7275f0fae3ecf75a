package rest

import (
	"fmt"
	"net/http"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// autolinkRoutes are those of autolinks, and of settings about vulnerabilities,
// which administrators alone see.
func autolinkRoutes() []route {
	const autolinks = " " + reposPath + "/autolinks"
	routes := []route{
		{"GET" + autolinks, onAdministered(func(c *call, repo *model.Repo) (reply, error) { return list(c, repo.Autolinks, c.autolink) })},
		{"POST" + autolinks, onRepo(addAutolink)},
		{"GET" + autolinks + "/{id}", onAdministered(getAutolink)},
		{"DELETE" + autolinks + "/{id}", onRepo(func(c *call, repo *model.Repo) (reply, error) {
			id, err := c.idOf("id")
			if err != nil {
				return reply{}, err
			}
			return noContentOr(c.s.DeleteAutolink(c.actor, repo, id))
		})},
	}
	for _, one := range safetySettings {
		path := " " + reposPath + "/" + one.name
		routes = append(routes, route{"GET" + path, onAdministered(one.show)},
			route{"PUT" + path, onRepo(one.set(true))}, route{"DELETE" + path, onRepo(one.set(false))})
	}
	return routes
}

// onAdministered is [onRepo] for what administrators alone see.
func onAdministered(handle func(c *call, repo *model.Repo) (reply, error)) func(*call) (reply, error) {
	return onRepo(func(c *call, repo *model.Repo) (reply, error) {
		if err := mayAdminister(c, repo); err != nil {
			return reply{}, err
		}
		return handle(c, repo)
	})
}

func (v *view) autolink(a model.Autolink) map[string]any {
	return map[string]any{"id": a.ID, "key_prefix": a.Prefix, "url_template": a.Template, "is_alphanumeric": a.Alphanumeric, "updated_at": at(a.CreatedAt)}
}

func addAutolink(c *call, repo *model.Repo) (reply, error) {
	var in struct {
		KeyPrefix      string `json:"key_prefix"`
		URLTemplate    string `json:"url_template"`
		IsAlphanumeric *bool  `json:"is_alphanumeric"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	added, err := c.s.AddAutolink(c.actor, repo, model.Autolink{
		Prefix: in.KeyPrefix, Template: in.URLTemplate, Alphanumeric: in.IsAlphanumeric == nil || *in.IsAlphanumeric,
	})
	if err != nil {
		return reply{}, err
	}
	answer, err := created(c.autolink(added))
	answer.header = http.Header{"Location": {fmt.Sprintf("%s/autolinks/%d", c.repoURL(repo.ID), added.ID)}}
	return answer, err
}

func getAutolink(c *call, repo *model.Repo) (reply, error) {
	id, err := c.idOf("id")
	if err != nil {
		return reply{}, err
	}
	for _, a := range repo.Autolinks {
		if a.ID == id {
			return ok(c.autolink(a))
		}
	}
	return reply{}, errNotFound
}

// safetySetting is a setting about vulnerabilities with the last part of its path.
type safetySetting struct {
	name string
	of   func(*model.Safety) *bool
	show func(c *call, repo *model.Repo) (reply, error)
}

var safetySettings = []safetySetting{
	{"vulnerability-alerts", func(s *model.Safety) *bool { return &s.Alerts }, func(_ *call, repo *model.Repo) (reply, error) {
		if !repo.Safety.Alerts {
			return reply{}, &model.Problem{Kind: model.NotFound, Message: "Vulnerability alerts are disabled."}
		}
		return noContent()
	}},
	{"automated-security-fixes", func(s *model.Safety) *bool { return &s.Fixes }, func(_ *call, repo *model.Repo) (reply, error) {
		if !repo.Safety.Alerts {
			return reply{}, errNotFound
		}
		return ok(map[string]bool{"enabled": repo.Safety.Fixes, "paused": false})
	}},
	{"private-vulnerability-reporting", func(s *model.Safety) *bool { return &s.PrivateReporting }, func(_ *call, repo *model.Repo) (reply, error) {
		return ok(map[string]bool{"enabled": repo.Safety.PrivateReporting})
	}},
}

func (one safetySetting) set(on bool) func(*call, *model.Repo) (reply, error) {
	return func(c *call, repo *model.Repo) (reply, error) {
		return noContentOr(c.s.SetSafety(c.actor, repo, one.of, on))
	}
}
