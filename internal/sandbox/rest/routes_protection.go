package rest

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

const protectionPath = reposPath + "/branches/{branch}/protection"

// protectionRoutes are those of the classic protection of branches, for
// administrators.
func protectionRoutes() []route {
	const (
		reviews  = protectionPath + "/required_pull_request_reviews"
		checks   = protectionPath + "/required_status_checks"
		contexts = checks + "/contexts"
		pushers  = protectionPath + "/restrictions"
	)
	routes := []route{
		{"GET " + protectionPath, onRule(func(c *call, p *protected) (reply, error) { return ok(c.protection(p)) })},
		{"PUT " + protectionPath, onBranch(setProtection)},
		{"DELETE " + protectionPath, onRule(func(c *call, p *protected) (reply, error) {
			return noContentOr(c.s.Unprotect(c.actor, p.repo, p.pattern))
		})},

		{"GET " + reviews, onReviews(func(c *call, p *protected) (reply, error) { return ok(c.requiredReviews(p)) })},
		{"PATCH " + reviews, onRule(patchReviews)},
		{"DELETE " + reviews, onReviews(func(c *call, p *protected) (reply, error) {
			p.clearReviews()
			return noContentOr(c.protect(p))
		})},
		{"GET " + checks, onChecks(func(c *call, p *protected) (reply, error) { return ok(c.requiredChecks(p)) })},
		{"PATCH " + checks, onChecks(patchChecks)},
		{"DELETE " + checks, onChecks(func(c *call, p *protected) (reply, error) {
			p.setChecks(false, nil)
			p.ChecksAsked = false
			return noContentOr(c.protect(p))
		})},
		{"GET " + contexts, onChecks(func(_ *call, p *protected) (reply, error) { return ok(p.contexts()) })},
		{"GET " + pushers, onPushers(func(c *call, p *protected) (reply, error) { return ok(c.restrictions(p)) })},
		{"DELETE " + pushers, onRule(func(c *call, p *protected) (reply, error) {
			p.Pushers = nil
			return noContentOr(c.protect(p))
		})},
	}
	for name, of := range switches {
		path := " " + protectionPath + "/" + name
		routes = append(routes,
			route{"GET" + path, onRule(func(c *call, p *protected) (reply, error) { return ok(c.turned(p, name)) })},
			route{"POST" + path, onRule(func(c *call, p *protected) (reply, error) {
				*of(&p.Protection) = true
				return okOr(c.turned(p, name), c.protect(p))
			})},
			route{"DELETE" + path, onRule(func(c *call, p *protected) (reply, error) {
				*of(&p.Protection) = false
				return noContentOr(c.protect(p))
			})})
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
		routes = append(routes, route{method + " " + contexts, onChecks(changeContexts)})
	}
	for _, kind := range []string{"users", "teams", "apps"} {
		path := " " + pushers + "/" + kind
		routes = append(routes, route{"GET" + path, onPushers(func(c *call, p *protected) (reply, error) { return ok(c.actorsOf(*p.Pushers)[kind]) })})
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
			routes = append(routes, route{method + path, onPushers(func(c *call, p *protected) (reply, error) { return changePushers(c, p, kind) })})
		}
	}
	return routes
}

// switches are the parts of a rule that are on or off and have an address of
// their own.
var switches = map[string]func(*model.Protection) *bool{
	"enforce_admins":      func(p *model.Protection) *bool { return &p.AdminsToo },
	"required_signatures": func(p *model.Protection) *bool { return &p.Signatures },
}

// protected is a branch with a copy of the rule that it is protected by.
type protected struct {
	repo            *model.Repo
	branch, pattern string
	model.Protection
}

// protect takes a changed rule over.
func (c *call) protect(p *protected) error {
	return c.s.Protect(c.actor, p.repo, p.pattern, p.Protection)
}

func noContentOr(err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return noContent()
}

// onBranch makes a handler of one that needs a branch and an administrator. The
// pattern is that of the branch's own rule.
func onBranch(handle func(c *call, p *protected) (reply, error)) func(*call) (reply, error) {
	return onRepo(func(c *call, repo *model.Repo) (reply, error) {
		branch := c.PathValue("branch")
		_, known := c.s.BranchHead(repo, branch)
		switch {
		case !c.s.MayAdminister(c.actor, repo), c.integration != nil && !c.integration.granted(c.operation, repo):
			return reply{}, errNotFound
		case !known:
			return reply{}, &model.Problem{Kind: model.NotFound, Message: "Branch not found"}
		default:
			return handle(c, &protected{repo: repo, branch: branch, pattern: branch, Protection: repo.Protection[branch].Copy()})
		}
	})
}

// onRule is [onBranch] for a branch that is protected.
func onRule(handle func(c *call, p *protected) (reply, error)) func(*call) (reply, error) {
	return onBranch(func(c *call, p *protected) (reply, error) {
		pattern, rule, is := p.repo.ProtectionOf(p.branch)
		if !is {
			return reply{}, &model.Problem{Kind: model.NotFound, Message: "Branch not protected"}
		}
		p.pattern, p.Protection = pattern, rule.Copy()
		return handle(c, p)
	})
}

// onPart is [onRule] for a part that a rule must have.
func onPart(has func(*protected) bool, otherwise string, handle func(c *call, p *protected) (reply, error)) func(*call) (reply, error) {
	return onRule(func(c *call, p *protected) (reply, error) {
		if !has(p) {
			return reply{}, &model.Problem{Kind: model.NotFound, Message: otherwise}
		}
		return handle(c, p)
	})
}

func onReviews(handle func(c *call, p *protected) (reply, error)) func(*call) (reply, error) {
	return onPart(func(p *protected) bool { return p.AsksForPulls() }, "Required pull request reviews not enabled", handle)
}

func onChecks(handle func(c *call, p *protected) (reply, error)) func(*call) (reply, error) {
	return onPart(func(p *protected) bool { return p.AsksForChecks() }, "Required status checks not enabled", handle)
}

func onPushers(handle func(c *call, p *protected) (reply, error)) func(*call) (reply, error) {
	return onPart(func(p *protected) bool { return p.Pushers != nil }, "Push restrictions not enabled", handle)
}

// setProtection replaces a branch's rule, but for what has an address of its own
// alone.
func setProtection(c *call, p *protected) (reply, error) {
	var in protectionInput
	if err := c.decodeWhole(&in, "required_status_checks", "enforce_admins", "required_pull_request_reviews", "restrictions"); err != nil {
		return reply{}, err
	}
	before := p.Protection
	p.Protection = model.Protection{Signatures: before.Signatures, ForcePushers: before.ForcePushers}
	if err := in.apply(c, p); err != nil {
		return reply{}, err
	}
	if err := c.protect(p); err != nil {
		return reply{}, err
	}
	return ok(c.protection(p))
}

func patchReviews(c *call, p *protected) (reply, error) {
	var in reviewsInput
	if err := c.decodeWhole(&in); err != nil {
		return reply{}, err
	}
	if !p.AsksForPulls() {
		p.RequiredApprovals = 1
	}
	if err := in.apply(c, p); err != nil {
		return reply{}, err
	}
	return okOr(c.requiredReviews(p), c.protect(p))
}

func patchChecks(c *call, p *protected) (reply, error) {
	var in checksInput
	if err := c.decodeWhole(&in); err != nil {
		return reply{}, err
	}
	if err := in.apply(c, p); err != nil {
		return reply{}, err
	}
	return okOr(c.requiredChecks(p), c.protect(p))
}

// changed returns a list to which others are added, that they replace, or from
// which they are taken, by the request's method.
func changed[T comparable](method string, list, others []T) []T {
	rest := slices.DeleteFunc(slices.Clone(list), func(one T) bool { return slices.Contains(others, one) })
	switch method {
	case http.MethodPut:
		return others
	case http.MethodPost:
		return slices.Concat(rest, others)
	default:
		return rest
	}
}

func changeContexts(c *call, p *protected) (reply, error) {
	names, err := c.names("contexts")
	if err != nil {
		return reply{}, err
	}
	p.keepChecks(changed(c.Method, p.RequiredChecks, names))
	return okOr(p.contexts(), c.protect(p))
}

func changePushers(c *call, p *protected, kind string) (reply, error) {
	names, err := c.names(kind)
	if err != nil {
		return reply{}, err
	}
	ids, err := c.actorIDs(p.repo, kind, names)
	if err != nil {
		return reply{}, err
	}
	list := map[string]*[]model.ID{"users": &p.Pushers.Users, "teams": &p.Pushers.Teams, "apps": &p.Pushers.Apps}[kind]
	*list = changed(c.Method, *list, ids)
	return okOr(c.actorsOf(*p.Pushers)[kind], c.protect(p))
}

// protection is a rule as its page shows it.
func (v *view) protection(p *protected) map[string]any {
	on := func(is bool) map[string]any { return map[string]any{"enabled": is} }
	shown := map[string]any{
		"url": v.protectionURL(p), "required_linear_history": on(p.LinearHistory), "allow_force_pushes": on(p.ForcePushes),
		"allow_deletions": on(p.Deletions), "block_creations": on(p.BlocksCreations), "required_conversation_resolution": on(p.Conversations),
		"lock_branch": on(p.Locked), "allow_fork_syncing": on(p.LockAllowsSyncing),
	}
	for name := range switches {
		shown[name] = v.turned(p, name)
	}
	if p.AsksForChecks() {
		shown["required_status_checks"] = v.requiredChecks(p)
	}
	if p.AsksForPulls() {
		shown["required_pull_request_reviews"] = v.requiredReviews(p)
	}
	if p.Pushers != nil {
		shown["restrictions"] = v.restrictions(p)
	}
	return shown
}

func (v *view) protectionURL(p *protected) string {
	return fmt.Sprintf("%s/branches/%s/protection", v.repoURL(p.repo.ID), pathEscape(p.branch))
}

func (v *view) turned(p *protected, name string) map[string]any {
	return map[string]any{"url": v.protectionURL(p) + "/" + name, "enabled": *switches[name](&p.Protection)}
}

func (p *protected) contexts() []string { return append([]string{}, p.RequiredChecks...) }

func (v *view) requiredChecks(p *protected) map[string]any {
	api := v.protectionURL(p) + "/required_status_checks"
	return map[string]any{
		"url": api, "strict": p.Strict, "contexts": p.contexts(), "contexts_url": api + "/contexts", "checks": checksOf(p.Protection),
	}
}

// checksOf are the checks of a rule; null stands for any App.
func checksOf(p model.Protection) []map[string]any {
	checks := []map[string]any{}
	for _, name := range p.RequiredChecks {
		var app any
		if id := p.CheckApps[name]; id != 0 {
			app = id
		}
		checks = append(checks, map[string]any{"context": name, "app_id": app})
	}
	return checks
}

func (v *view) requiredReviews(p *protected) map[string]any {
	api := v.protectionURL(p)
	shown := map[string]any{
		"url": api + "/required_pull_request_reviews", "dismiss_stale_reviews": p.DismissStale, "require_code_owner_reviews": p.CodeOwners,
		"require_last_push_approval": p.LastPushApproval, "required_approving_review_count": p.RequiredApprovals,
	}
	if p.Dismissers != nil {
		restrictions := v.actorsOf(*p.Dismissers)
		restrictions["url"] = api + "/dismissal_restrictions"
		restrictions["users_url"], restrictions["teams_url"] = api+"/dismissal_restrictions/users", api+"/dismissal_restrictions/teams"
		shown["dismissal_restrictions"] = restrictions
	}
	if b := p.Bypassers; len(b.Users)+len(b.Teams)+len(b.Apps) > 0 {
		shown["bypass_pull_request_allowances"] = v.actorsOf(b)
	}
	return shown
}

func (v *view) restrictions(p *protected) map[string]any {
	api, shown := v.protectionURL(p)+"/restrictions", v.actorsOf(*p.Pushers)
	shown["url"] = api
	for _, kind := range []string{"users", "teams", "apps"} {
		shown[kind+"_url"] = api + "/" + kind
	}
	return shown
}

// actorsOf are the lists of users, teams and Apps.
func (v *view) actorsOf(a model.Actors) map[string]any {
	apps := []*appView{}
	for _, id := range a.Apps {
		if app := v.app(id); app != nil {
			apps = append(apps, app)
		}
	}
	return map[string]any{"users": v.users(a.Users), "teams": v.teams(a.Teams), "apps": apps}
}
