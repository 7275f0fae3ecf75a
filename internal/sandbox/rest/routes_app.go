package rest

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// appRoutes are those of an App as such, which asks with a JSON web token.
func appRoutes() []route {
	const one = "/app/installations/{id}"
	return []route{
		{"GET /app", getOwnApp},
		{"GET /apps/{slug}", getApp},
		{"GET /app/hook/config", onAppHook(func(_ *call, a *model.App) (reply, error) { return ok(hookConfig(a.Hook)) })},
		{"PATCH /app/hook/config", updateAppHook},
		{"GET /app/hook/deliveries", onAppHook(func(c *call, a *model.App) (reply, error) { return c.listDeliveries(a.HookID) })},
		{"GET /app/hook/deliveries/{delivery}", onAppHook(func(c *call, a *model.App) (reply, error) { return c.getDelivery(a.HookID) })},
		{"POST /app/hook/deliveries/{delivery}/attempts", onAppHook(func(c *call, a *model.App) (reply, error) { return c.redeliver(a.HookID, a.Hook) })},
		{"GET /app/installations", listInstallations},
		{"GET " + one, onInstallation(func(c *call, i *model.Installation) (reply, error) { return ok(c.installation(i)) })},
		{"DELETE " + one, onInstallation(deleteInstallation)},
		{"PUT " + one + "/suspended", onInstallation(suspend(true))},
		{"DELETE " + one + "/suspended", onInstallation(suspend(false))},
		{"POST " + one + "/access_tokens", onInstallation(createToken)},
		{"GET " + reposPath + "/installation", repoInstallation},
		{"GET /users/{username}/installation", accountInstallation(model.TypeUser)},
		{"GET /orgs/{username}/installation", accountInstallation(model.TypeOrganization)},
	}
}

func getOwnApp(c *call) (reply, error) {
	type own struct {
		*appView
		InstallationsCount int `json:"installations_count"`
	}
	count := len(c.s.Installations.Where(func(i *model.Installation) bool { return i.AppID == c.app.ID }))
	return ok(own{c.view.app(c.app.ID), count})
}

func getApp(c *call) (reply, error) {
	a := c.s.App(c.PathValue("slug"))
	if a == nil {
		return reply{}, errNotFound
	}
	return ok(c.view.app(a.ID))
}

// onAppHook makes a handler of one that needs the App's webhook.
func onAppHook(handle func(c *call, a *model.App) (reply, error)) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		if c.app.HookID == 0 {
			return reply{}, errNotFound
		}
		return handle(c, c.app)
	}
}

func updateAppHook(c *call) (reply, error) {
	var in hookConfigInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	config := in.change(c.app.Hook, true)
	if err := config.Check(); err != nil {
		return reply{}, err
	}
	c.s.Advance()
	c.s.SetAppHook(c.app.OwnerID, c.app, *config)
	return ok(hookConfig(c.app.Hook))
}

// onInstallation makes a handler of one that needs the App's installation that
// the path names.
func onInstallation(handle func(c *call, i *model.Installation) (reply, error)) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		id, err := strconv.ParseInt(c.PathValue("id"), 10, 64)
		i := c.s.Installations.Get(id)
		if err != nil || i == nil || i.AppID != c.app.ID {
			return reply{}, errNotFound
		}
		return handle(c, i)
	}
}

func listInstallations(c *call) (reply, error) {
	all := c.s.Installations.Where(func(i *model.Installation) bool { return i.AppID == c.app.ID })
	return list(c, all, c.installation)
}

func deleteInstallation(c *call, i *model.Installation) (reply, error) {
	c.s.Uninstall(i.AccountID, i)
	return noContent()
}

func suspend(suspended bool) func(*call, *model.Installation) (reply, error) {
	return func(c *call, i *model.Installation) (reply, error) {
		if (i.SuspendedAt != nil) != suspended {
			c.s.Suspend(i.AccountID, i, suspended)
		}
		return noContent()
	}
}

func repoInstallation(c *call) (reply, error) {
	repo := c.s.Repo(c.PathValue("owner"), c.PathValue("repo"))
	if id, err := strconv.ParseInt(c.PathValue("repository_id"), 10, 64); err == nil {
		repo = c.s.Repos.Get(id)
	}
	if repo == nil {
		return reply{}, errNotFound
	}
	i := c.s.InstallationIn(c.app, repo)
	if i == nil {
		return reply{}, errNotFound
	}
	return ok(c.installation(i))
}

func accountInstallation(kind model.UserType) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		u := c.s.User(c.PathValue("username"))
		if u == nil || u.Type != kind {
			return reply{}, errNotFound
		}
		i := c.s.InstallationOf(c.app, u.ID)
		if i == nil {
			return reply{}, errNotFound
		}
		return ok(c.installation(i))
	}
}

func createToken(c *call, i *model.Installation) (reply, error) {
	var in struct {
		Repositories  []string
		RepositoryIDs []model.ID `json:"repository_ids"`
		Permissions   map[string]string
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if i.SuspendedAt != nil {
		return reply{}, &model.Problem{Kind: model.Forbidden, Message: "This installation has been suspended"}
	}
	repos, err := c.chosenRepos(i, in.Repositories, in.RepositoryIDs)
	if err != nil {
		return reply{}, err
	}
	permissions, err := chosenPermissions(i, in.Permissions)
	if err != nil {
		return reply{}, err
	}
	value, expires := c.credentials.Issue(i, repos, permissions)
	body := map[string]any{
		"token": value, "expires_at": expires.UTC().Format(time.RFC3339), "permissions": permissions,
		"repository_selection": c.installation(i).RepositorySelection,
	}
	if repos != nil {
		body["repository_selection"] = "selected"
		shown := []*repoView{}
		for _, id := range repos {
			shown = append(shown, c.repo(c.s.Repos.Get(id)))
		}
		body["repositories"] = shown
	}
	return created(body)
}

// chosenRepos returns the repositories to which a token is narrowed, nil if to
// none in particular.
func (c *call) chosenRepos(i *model.Installation, names []string, wanted []model.ID) ([]model.ID, error) {
	if names == nil && wanted == nil {
		return nil, nil
	}
	outside := &model.Problem{
		Kind:    model.Invalid,
		Message: "There is at least one repository that does not exist or is not accessible to the parent installation.",
	}
	chosen := []model.ID{}
	for _, name := range names {
		repo := c.s.Repo(c.s.Login(i.AccountID), name)
		if repo == nil {
			return nil, outside
		}
		wanted = append(slices.Clone(wanted), repo.ID)
	}
	for _, id := range wanted {
		repo := c.s.Repos.Get(id)
		if repo == nil || !i.Covers(repo) {
			return nil, outside
		}
		if !slices.Contains(chosen, id) {
			chosen = append(chosen, id)
		}
	}
	return chosen, nil
}

// levels are those of permissions, each with those before it.
var levels = []string{"", "read", "write", "admin"}

// chosenPermissions returns what a token is granted: what is asked for, or all
// that the installation has.
func chosenPermissions(i *model.Installation, asked map[string]string) (map[string]string, error) {
	if asked == nil {
		return granted(i.Permissions), nil
	}
	all := granted(i.Permissions)
	for resource, level := range asked {
		at := slices.Index(levels, level)
		if at < 1 || at > slices.Index(levels, all[resource]) {
			return nil, &model.Problem{Kind: model.Invalid, Message: "The permissions requested are not granted to this installation."}
		}
	}
	return granted(asked), nil
}

// installationRoutes are those of an installation's token, and of users about
// installations.
func installationRoutes() []route {
	return []route{
		{"GET /installation/repositories", listInstalledRepos},
		{"DELETE /installation/token", revokeToken},
		{"GET /user/installations", listUserInstallations},
		{"GET /user/installations/{id}/repositories", onUserInstallation(listUserRepos)},
		{"PUT /user/installations/{id}/repositories/{repository}", onUserInstallation(changeInstalled(true))},
		{"DELETE /user/installations/{id}/repositories/{repository}", onUserInstallation(changeInstalled(false))},
	}
}

func listInstalledRepos(c *call) (reply, error) {
	if c.integration == nil || c.integration.Installation == nil {
		return reply{}, &model.Problem{Kind: model.Forbidden, Message: "You must authenticate with an installation access token in order to list repositories for an installation."}
	}
	i := c.integration.Installation
	repos := slices.DeleteFunc(c.s.InstalledRepos(i), func(r *model.Repo) bool {
		return c.integration.Repos != nil && !slices.Contains(c.integration.Repos, r.ID)
	})
	answer, err := list(c, repos, c.repo)
	selection := c.installation(i).RepositorySelection
	if c.integration.Repos != nil {
		selection = "selected"
	}
	answer.body = map[string]any{"total_count": len(repos), "repository_selection": selection, "repositories": answer.body}
	return answer, err
}

func revokeToken(c *call) (reply, error) {
	if c.integration == nil || c.integration.Installation == nil {
		return reply{}, errNotForApps
	}
	c.credentials.Revoke(c.token)
	return noContent()
}

// reaches reports whether a user sees an installation: his own and those of his
// organizations, and, through an App, that App's alone.
func (c *call) reaches(i *model.Installation) bool {
	owner := c.s.Users.Get(i.AccountID)
	return (i.AccountID == c.actor || owner.Members[c.actor] != "") && (c.integration == nil || c.integration.App == i.AppID)
}

func listUserInstallations(c *call) (reply, error) {
	if c.integration == nil {
		return reply{}, &model.Problem{Kind: model.Forbidden, Message: "You must authenticate with an access token authorized to a GitHub App in order to list installations"}
	}
	return wrapped(c, "installations", c.s.Installations.Where(c.reaches), c.installation)
}

func onUserInstallation(handle func(c *call, i *model.Installation) (reply, error)) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		id, err := strconv.ParseInt(c.PathValue("id"), 10, 64)
		i := c.s.Installations.Get(id)
		if err != nil || i == nil || !c.reaches(i) {
			return reply{}, errNotFound
		}
		return handle(c, i)
	}
}

func listUserRepos(c *call, i *model.Installation) (reply, error) {
	repos := slices.DeleteFunc(c.s.InstalledRepos(i), func(r *model.Repo) bool { return c.s.Permission(c.actor, r) < model.PermRead })
	return wrapped(c, "repositories", repos, c.repo)
}

func changeInstalled(there bool) func(*call, *model.Installation) (reply, error) {
	return func(c *call, i *model.Installation) (reply, error) {
		id, err := strconv.ParseInt(c.PathValue("repository"), 10, 64)
		repo := c.s.Repos.Get(id)
		if err != nil || repo == nil || repo.OwnerID != i.AccountID || c.s.Permission(c.actor, repo) < model.PermAdmin {
			return reply{}, errNotFound
		}
		if i.All {
			return reply{}, &model.Problem{Kind: model.Invalid, Message: "The installation is for all repositories"}
		}
		repos := slices.DeleteFunc(slices.Clone(i.Repos), func(other model.ID) bool { return other == id })
		if there {
			repos = append(repos, id)
		}
		c.s.SetInstalledRepos(c.actor, i, repos)
		return reply{status: http.StatusNoContent}, nil
	}
}
