package rest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// protectionRoutes are those of the protection of branches, for administrators.
func protectionRoutes() []route {
	const protection = reposPath + "/branches/{branch}/protection"
	return []route{
		{"GET " + protection, onProtection(getProtection)},
		{"PUT " + protection, onProtection(setProtection)},
		{"DELETE " + protection, onProtection(deleteProtection)},
	}
}

var errNotProtected = &model.Problem{Kind: model.NotFound, Message: "Branch not protected"}

// onProtection makes a handler of one that needs a branch and an administrator.
func onProtection(handle func(c *call, repo *model.Repo, branch string) (reply, error)) func(*call) (reply, error) {
	return onRepo(func(c *call, repo *model.Repo) (reply, error) {
		branch := c.PathValue("branch")
		_, known := c.s.BranchHead(repo, branch)
		switch {
		case !c.s.MayAdminister(c.actor, repo), c.integration != nil && !c.integration.granted(c.Pattern, repo):
			return reply{}, errNotFound
		case !known:
			return reply{}, &model.Problem{Kind: model.NotFound, Message: "Branch not found"}
		default:
			return handle(c, repo, branch)
		}
	})
}

func getProtection(c *call, repo *model.Repo, branch string) (reply, error) {
	rule, protected := repo.Protection[branch]
	if !protected {
		return reply{}, errNotProtected
	}
	return ok(c.protection(repo, branch, rule))
}

func deleteProtection(c *call, repo *model.Repo, branch string) (reply, error) {
	if _, protected := repo.Protection[branch]; !protected {
		return reply{}, errNotProtected
	}
	c.s.Advance()
	delete(repo.Protection, branch)
	return noContent()
}

// protectionInput is the body of a request that protects a branch. Rules of the
// sandbox hold for administrators and for all who may push.
type protectionInput struct {
	RequiredStatusChecks *struct {
		Strict   bool
		Contexts []string
		Checks   []struct{ Context string }
	} `json:"required_status_checks"`
	RequiredPullRequestReviews *struct {
		Count int `json:"required_approving_review_count"`
	} `json:"required_pull_request_reviews"`
}

// maxApprovals is how many approving reviews GitHub lets a rule ask for.
const maxApprovals = 6

func setProtection(c *call, repo *model.Repo, branch string) (reply, error) {
	var given map[string]json.RawMessage
	var in protectionInput
	for _, into := range []any{&in, &given} {
		if err := c.decode(into); err != nil {
			return reply{}, err
		}
	}
	var lacking []string
	for _, name := range []string{"required_status_checks", "enforce_admins", "required_pull_request_reviews", "restrictions"} {
		if _, there := given[name]; !there {
			lacking = append(lacking, fmt.Sprintf("%q", name))
		}
	}
	if len(lacking) > 0 {
		return reply{}, &model.Problem{Kind: model.Invalid, Message: "Invalid request.\n\n" + strings.Join(lacking, ", ") + " weren't supplied."}
	}
	rule := model.Protection{}
	if checks := in.RequiredStatusChecks; checks != nil {
		rule.Strict, rule.RequiredChecks = checks.Strict, checks.Contexts
		for _, check := range checks.Checks {
			if !slices.Contains(rule.RequiredChecks, check.Context) {
				rule.RequiredChecks = append(rule.RequiredChecks, check.Context)
			}
		}
	}
	if reviews := in.RequiredPullRequestReviews; reviews != nil {
		if reviews.Count < 0 || reviews.Count > maxApprovals {
			return reply{}, &model.Problem{Kind: model.Invalid, Message: "Invalid request.\n\nRequired approving review count must be between 0 and 6."}
		}
		rule.RequiredApprovals = reviews.Count
	}
	c.s.Advance()
	repo.Protection[branch] = rule
	return ok(c.protection(repo, branch, rule))
}

func (v *view) protection(repo *model.Repo, branch string, rule model.Protection) map[string]any {
	api := fmt.Sprintf("%s/branches/%s/protection", v.repoURL(repo.ID), pathEscape(branch))
	off := map[string]any{"enabled": false}
	shown := map[string]any{
		"url": api, "enforce_admins": map[string]any{"url": api + "/enforce_admins", "enabled": true}, "required_linear_history": off,
		"required_signatures": map[string]any{"url": api + "/required_signatures", "enabled": false}, "allow_force_pushes": off,
		"allow_deletions": off, "block_creations": off, "required_conversation_resolution": off,
		"lock_branch": off, "allow_fork_syncing": off,
	}
	if len(rule.RequiredChecks) > 0 || rule.Strict {
		checks := []map[string]any{}
		for _, name := range rule.RequiredChecks {
			checks = append(checks, map[string]any{"context": name, "app_id": nil})
		}
		shown["required_status_checks"] = map[string]any{
			"url": api + "/required_status_checks", "strict": rule.Strict, "contexts": append([]string{}, rule.RequiredChecks...),
			"contexts_url": api + "/required_status_checks/contexts", "checks": checks,
		}
	}
	if rule.RequiredApprovals > 0 {
		shown["required_pull_request_reviews"] = map[string]any{
			"url": api + "/required_pull_request_reviews", "dismiss_stale_reviews": false, "require_code_owner_reviews": false,
			"require_last_push_approval": false, "required_approving_review_count": rule.RequiredApprovals,
		}
	}
	return shown
}
