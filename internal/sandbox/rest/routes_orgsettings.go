package rest

import (
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// orgSettingsRoutes are those of the secrets and variables of organizations, which
// their owners alone see, and of what repositories have of them.
func orgSettingsRoutes() []route {
	const org = "/orgs/{org}"
	routes := slices.Concat(
		sharedRoutes(org+"/actions/secrets", model.Secrets, "secrets"), sharedRoutes(org+"/actions/variables", model.Variables, "variables"),
		sharedRoutes(org+"/dependabot/secrets", model.DependabotSecrets, "secrets"))
	for path, kind := range map[string]model.SettingKind{org + "/actions/secrets": model.Secrets, org + "/dependabot/secrets": model.DependabotSecrets} {
		routes = append(routes,
			route{"GET " + path + "/public-key", onOrgHooks(func(_ *call, org *model.User) (reply, error) { return ok(newSealingKey(kind, "organization", org.ID)) })},
			route{"PUT " + path + "/{name}", onLogin(putOrgSecret(kind))})
	}
	return append(routes,
		route{"POST " + org + "/actions/variables", onLogin(createOrgVariable)},
		route{"PATCH " + org + "/actions/variables/{name}", onOrgHooks(editOrgVariable)},
		route{"GET " + reposPath + "/actions/organization-secrets", onSettings(func(c *call, repo *model.Repo) (reply, error) {
			return wrapped(c, "secrets", c.s.SharedSettings(repo, model.Secrets), secret)
		})},
		route{"GET " + reposPath + "/actions/organization-variables", onSettings(func(c *call, repo *model.Repo) (reply, error) {
			return wrapped(c, "variables", c.s.SharedSettings(repo, model.Variables), variable)
		})},
	)
}

// sharedRoutes are those that secrets and variables of organizations have alike.
func sharedRoutes(path string, kind model.SettingKind, word string) []route {
	one := path + "/{name}"
	return []route{
		{"GET " + path, onOrgHooks(func(c *call, org *model.User) (reply, error) {
			return wrapped(c, word, model.OrgSettingsOf(org, kind), func(s model.Setting) map[string]any { return c.shared(path, org, kind, s) })
		})},
		{"GET " + one, onShared(kind, func(c *call, org *model.User, s model.Setting) (reply, error) {
			return ok(c.shared(path, org, kind, s))
		})},
		{"DELETE " + one, onLogin(func(c *call, org *model.User) (reply, error) {
			return noContentOr(c.s.DeleteOrgSetting(c.actor, org, kind, c.PathValue("name")))
		})},
		{"GET " + one + "/repositories", onShared(kind, func(c *call, org *model.User, s model.Setting) (reply, error) {
			if s.Visibility != model.VisibilitySelected {
				return reply{}, errNotSelected
			}
			return wrapped(c, "repositories", c.reposOf(org, s), c.minimalRepo)
		})},
		{"PUT " + one + "/repositories", onShared(kind, func(c *call, org *model.User, s model.Setting) (reply, error) {
			var in struct {
				Repos []model.ID `json:"selected_repository_ids"`
			}
			if err := c.decode(&in); err != nil {
				return reply{}, err
			}
			return c.selected(org, kind, s, in.Repos)
		})},
		{"PUT " + one + "/repositories/{repository}", onShared(kind, func(c *call, org *model.User, s model.Setting) (reply, error) {
			id, err := c.idOf("repository")
			if err != nil {
				return reply{}, err
			}
			return c.selected(org, kind, s, append(except(s.Repos, id), id))
		})},
		{"DELETE " + one + "/repositories/{repository}", onShared(kind, func(c *call, org *model.User, s model.Setting) (reply, error) {
			id, err := c.idOf("repository")
			if err != nil {
				return reply{}, err
			}
			return c.selected(org, kind, s, except(s.Repos, id))
		})},
	}
}

var errNotSelected = &model.Problem{Kind: model.Conflict, Message: "Visibility is not set to selected."}

// onShared makes a handler of one that needs a secret or variable of an organization.
func onShared(kind model.SettingKind, handle func(c *call, org *model.User, s model.Setting) (reply, error)) func(*call) (reply, error) {
	return onOrgHooks(func(c *call, org *model.User) (reply, error) {
		s := model.NamedSetting(model.OrgSettingsOf(org, kind), c.PathValue("name"))
		if s == nil {
			return reply{}, errNotFound
		}
		return handle(c, org, *s)
	})
}

// shared is a secret or variable of an organization.
func (v *view) shared(path string, org *model.User, kind model.SettingKind, s model.Setting) map[string]any {
	shown := map[string]any{"name": s.Name, "created_at": at(s.CreatedAt), "updated_at": at(s.UpdatedAt), "visibility": s.Visibility}
	if kind == model.Variables {
		shown["value"] = s.Value
	}
	if s.Visibility == model.VisibilitySelected {
		shown["selected_repositories_url"] = v.org(org).URL + path[len("/orgs/{org}"):] + "/" + s.Name + "/repositories"
	}
	return shown
}

func except(ids []model.ID, gone model.ID) []model.ID {
	return slices.DeleteFunc(slices.Clone(ids), func(id model.ID) bool { return id == gone })
}

// reposOf are the selected repositories that are still there.
func (v *view) reposOf(org *model.User, s model.Setting) []*model.Repo {
	var repos []*model.Repo
	for _, id := range s.Repos {
		if repo := v.s.Repos.Get(id); repo != nil && repo.OwnerID == org.ID {
			repos = append(repos, repo)
		}
	}
	return repos
}

// selected sets which repositories have a secret or variable.
func (c *call) selected(org *model.User, kind model.SettingKind, s model.Setting, repos []model.ID) (reply, error) {
	if s.Visibility != model.VisibilitySelected {
		return reply{}, errNotSelected
	}
	s.Repos = repos
	_, err := c.s.SetOrgSetting(c.actor, org, kind, s)
	return noContentOr(err)
}

func putOrgSecret(kind model.SettingKind) func(*call, *model.User) (reply, error) {
	return func(c *call, org *model.User) (reply, error) {
		var in struct {
			EncryptedValue string `json:"encrypted_value"`
			KeyID          string `json:"key_id"`
			Visibility     string
			Repos          []model.ID `json:"selected_repository_ids"`
		}
		if err := c.decode(&in); err != nil {
			return reply{}, err
		}
		if in.EncryptedValue == "" {
			return reply{}, missing("encrypted_value")
		}
		isNew, err := c.s.SetOrgSetting(c.actor, org, kind, model.Setting{Name: c.PathValue("name"), Visibility: in.Visibility, Repos: in.Repos})
		if err == nil {
			err = newSealingKey(kind, "organization", org.ID).unsealed(in.KeyID)
		}
		return createdOrChanged(isNew, err)
	}
}

type orgVariableInput struct {
	variableInput
	Visibility *string
	Repos      []model.ID `json:"selected_repository_ids"`
}

func createOrgVariable(c *call, org *model.User) (reply, error) {
	var in orgVariableInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	switch {
	case !c.s.MayAdministerOrg(c.actor, org):
		return reply{}, errNotFound
	case in.Name == nil:
		return reply{}, missing("name")
	case in.Value == nil:
		return reply{}, missing("value")
	case in.Visibility == nil:
		return reply{}, missing("visibility")
	case model.NamedSetting(model.OrgSettingsOf(org, model.Variables), *in.Name) != nil:
		return reply{}, &model.Problem{Kind: model.Conflict, Message: "Already exists - Variable already exists"}
	}
	return createdOrChanged(c.s.SetOrgSetting(c.actor, org, model.Variables, model.Setting{Name: *in.Name, Value: *in.Value, Visibility: *in.Visibility, Repos: in.Repos}))
}

// editOrgVariable changes a variable, but not its name, as [editVariable].
func editOrgVariable(c *call, org *model.User) (reply, error) {
	var in orgVariableInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	old := model.NamedSetting(model.OrgSettingsOf(org, model.Variables), c.PathValue("name"))
	switch {
	case old == nil:
		return reply{}, errNotFound
	case in.Name != nil && !strings.EqualFold(*in.Name, old.Name):
		return reply{}, c.lacks("name")
	}
	changed := *old
	if in.Value != nil {
		changed.Value = *in.Value
	}
	if in.Visibility != nil && *in.Visibility != changed.Visibility {
		changed.Visibility, changed.Repos = *in.Visibility, nil
	}
	if in.Repos != nil {
		changed.Repos = in.Repos
	}
	_, err := c.s.SetOrgSetting(c.actor, org, model.Variables, changed)
	return noContentOr(err)
}
