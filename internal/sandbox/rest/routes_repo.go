package rest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func metaRoutes() []route {
	return []route{
		{"GET /{$}", root},
		{"GET /rate_limit", rateLimit},
		{"GET /user", currentUser},
		{"GET /users/{username}", userByName},
	}
}

// root lists addresses under the names that GitHub gives them.
func root(*call) (reply, error) {
	urls := map[string]string{}
	for name, path := range rootPaths() {
		urls[name] = apiURL + path
	}
	urls["current_user_authorizations_html_url"] = htmlURL + "/settings/connections/applications{/client_id}"
	return ok(urls)
}

// rootPaths are the paths of the addresses that the API's root lists.
func rootPaths() map[string]string {
	return map[string]string{
		"current_user_url":              "/user",
		"authorizations_url":            "/authorizations",
		"code_search_url":               "/search/code?q={query}{&page,per_page,sort,order}",
		"commit_search_url":             "/search/commits?q={query}{&page,per_page,sort,order}",
		"emails_url":                    "/user/emails",
		"emojis_url":                    "/emojis",
		"events_url":                    "/events",
		"feeds_url":                     "/feeds",
		"followers_url":                 "/user/followers",
		"following_url":                 "/user/following{/target}",
		"gists_url":                     "/gists{/gist_id}",
		"hub_url":                       "/hub",
		"issue_search_url":              "/search/issues?q={query}{&page,per_page,sort,order}",
		"issues_url":                    "/issues",
		"keys_url":                      "/user/keys",
		"label_search_url":              "/search/labels?q={query}&repository_id={repository_id}{&page,per_page}",
		"notifications_url":             "/notifications",
		"organization_url":              "/orgs/{org}",
		"organization_repositories_url": "/orgs/{org}/repos{?type,page,per_page,sort}",
		"organization_teams_url":        "/orgs/{org}/teams",
		"public_gists_url":              "/gists/public",
		"rate_limit_url":                "/rate_limit",
		"repository_url":                "/repos/{owner}/{repo}",
		"repository_search_url":         "/search/repositories?q={query}{&page,per_page,sort,order}",
		"current_user_repositories_url": "/user/repos{?type,page,per_page,sort}",
		"starred_url":                   "/user/starred{/owner}{/repo}",
		"starred_gists_url":             "/gists/starred",
		"topic_search_url":              "/search/topics?q={query}{&page,per_page}",
		"user_url":                      "/users/{user}",
		"user_organizations_url":        "/user/orgs",
		"user_repositories_url":         "/users/{user}/repos{?type,page,per_page,sort}",
		"user_search_url":               "/search/users?q={query}{&page,per_page,sort,order}",
	}
}

// Limits as GitHub gives them to a user's token, and to clients without one.
// The sandbox does not enforce them unless it is told to.
const (
	CoreLimit      = 5000
	GraphQLLimit   = 5000
	SearchLimit    = 30
	AnonymousLimit = 60
	// RateWindow is the time for which a limit holds.
	RateWindow = time.Hour
)

func rateLimit(c *call) (reply, error) {
	reset := c.s.Time().Add(RateWindow).Unix()
	limit := func(n int) map[string]any {
		return map[string]any{"limit": n, "used": 0, "remaining": n, "reset": reset}
	}
	if c.quotas != nil {
		shown := uncounted(limit)
		for resource, q := range c.quotas {
			shown[resource] = map[string]any{"limit": q.Limit, "used": q.Used, "remaining": q.Limit - q.Used, "reset": q.Reset.Unix()}
		}
		return ok(map[string]any{"resources": shown, "rate": shown["core"]})
	}
	shown := uncounted(limit)
	core := CoreLimit
	if c.actor == 0 && c.app == nil && c.integration == nil {
		core = AnonymousLimit
	}
	shown["core"], shown["search"], shown["graphql"] = limit(core), limit(SearchLimit), limit(GraphQLLimit)
	return ok(map[string]any{"resources": shown, "rate": limit(core)})
}

// uncounted are the limits that GitHub tells and no request here counts against:
// https://docs.github.com/rest/rate-limit/rate-limit
func uncounted(limit func(int) map[string]any) map[string]any {
	shown := map[string]any{}
	for resource, n := range map[string]int{
		"code_search": 10, "integration_manifest": 5000, "source_import": 100, "code_scanning_upload": 1000, "code_scanning_autofix": 10,
		"actions_runner_registration": 10000, "scim": 15000, "dependency_snapshots": 100, "dependency_sbom": 100,
	} {
		shown[resource] = limit(n)
	}
	return shown
}

func currentUser(c *call) (reply, error) {
	u := c.s.Users.Get(c.actor)
	if u == nil {
		return reply{}, errNoUser
	}
	// What is his alone is shown to credentials that have it in their scope.
	return ok(c.account(u, c.integration == nil && (c.scopes == nil || slices.Contains(c.scopes, "user") || slices.Contains(c.scopes, "read:user"))))
}

func userByName(c *call) (reply, error) {
	u := c.s.User(c.PathValue("username"))
	if u == nil {
		return reply{}, errNotFound
	}
	return ok(c.account(u, false))
}

func repoRoutes() []route {
	return []route{
		{"GET " + reposPath, onRepo(getRepo)},
		{"GET " + reposPath + "/branches", onRepo(listBranches)},
		{"GET " + reposPath + "/branches/{branch...}", onRepo(getBranch)},
		{"GET " + reposPath + "/collaborators/{username}/permission", onRepo(getPermission)},
		{"GET " + reposPath + "/assignees", onRepo(listAssignees)},
	}
}

func getRepo(c *call, repo *model.Repo) (reply, error) {
	return ok(c.fullRepo(repo))
}

const headsPrefix = "refs/heads/"

func listBranches(c *call, repo *model.Repo) (reply, error) {
	refs := repo.Git.Refs(headsPrefix)
	if protected := c.URL.Query().Get("protected"); protected == "true" || protected == "false" {
		refs = slices.DeleteFunc(refs, func(r gitstore.Ref) bool {
			return repo.Protected(strings.TrimPrefix(r.Name, headsPrefix)) != (protected == "true")
		})
	}
	return list(c, refs, func(r gitstore.Ref) branchView {
		return c.branch(repo, strings.TrimPrefix(r.Name, headsPrefix), r.Hash)
	})
}

func getBranch(c *call, repo *model.Repo) (reply, error) {
	name := c.PathValue("branch")
	to, known := c.s.BranchHead(repo, name)
	if !known {
		now := repo.FormerBranches[name]
		if _, exists := c.s.BranchHead(repo, now); exists {
			return moved(c, fmt.Sprintf("%s/repositories/%d/branches/%s", c.base, repo.ID, pathEscape(now))), nil
		}
		return reply{}, &model.Problem{Kind: model.NotFound, Message: "Branch not found"}
	}
	commit, err := repo.Git.Commit(to)
	if err != nil {
		return reply{}, err
	}
	return ok(c.fullBranch(repo, name, commit))
}

func getPermission(c *call, repo *model.Repo) (reply, error) {
	if c.s.Permission(c.actor, repo) < model.PermWrite {
		return reply{}, &model.Problem{Kind: model.Forbidden, Message: "Must have push access to view collaborator permission."}
	}
	u := c.s.User(c.PathValue("username"))
	switch {
	case u == nil:
		return reply{}, errNotFound
	case u.Type != model.TypeUser:
		return reply{}, &model.Problem{Kind: model.NotFound, Message: u.Login + " is not a user"}
	}
	return ok(c.permission(repo, u))
}

func listAssignees(c *call, repo *model.Repo) (reply, error) {
	return list(c, c.s.Assignable(repo), func(u *model.User) *userView { return c.user(u.ID) })
}
