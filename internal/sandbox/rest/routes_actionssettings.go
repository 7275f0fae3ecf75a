package rest

import (
	"cmp"
	"slices"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// actionsSettingsRoutes are those of what administrators say of Actions.
func actionsSettingsRoutes() []route {
	const under = reposPath + "/actions/permissions"
	var routes []route
	for path, s := range map[string]struct {
		show func(*call, *model.Repo) any
		set  func(*call, *model.Repo) error
	}{
		"":                              {showActions, setActions},
		"/workflow":                     {showWorkflowDefaults, setWorkflowDefaults},
		"/access":                       {showActionsAccess, setActionsAccess},
		"/selected-actions":             {showSelected, setSelected},
		"/artifact-and-log-retention":   {showRetention, setRetention},
		"/fork-pr-contributor-approval": {showForkApproval, setForkApproval},
	} {
		routes = append(routes,
			route{"GET " + under + path, onRepo(func(c *call, repo *model.Repo) (reply, error) {
				if c.s.Permission(c.actor, repo) < model.PermAdmin {
					return reply{}, &model.Problem{Kind: model.Forbidden, Message: "Must have admin rights to Repository."}
				}
				return ok(s.show(c, repo))
			})},
			route{"PUT " + under + path, onRepo(func(c *call, repo *model.Repo) (reply, error) { return emptyOr(s.set(c, repo)) })})
	}
	return routes
}

// changeActions decodes a body and changes the settings by it.
func changeActions[T any](c *call, repo *model.Repo, check func(T) error, apply func(T, *model.ActionsSettings)) error {
	var in T
	if err := c.decode(&in); err != nil {
		return err
	}
	if err := check(in); err != nil {
		return err
	}
	return c.s.SetActions(c.actor, repo, func(a *model.ActionsSettings) { apply(in, a) })
}

// oneOf refuses a value that is none of some; empty stands for none given.
func oneOf(field, value string, allowed ...string) error {
	if value == "" || slices.Contains(allowed, value) {
		return nil
	}
	return &model.Problem{Kind: model.Invalid, Message: "Invalid request.\n\n" + value + " is not a valid value of " + field + "."}
}

func showActions(c *call, repo *model.Repo) any {
	body := map[string]any{"enabled": !repo.Actions.Disabled, "sha_pinning_required": false}
	if !repo.Actions.Disabled {
		body["allowed_actions"] = cmp.Or(repo.Actions.Allowed, "all")
	}
	if repo.Actions.Allowed == "selected" {
		body["selected_actions_url"] = c.repoURL(repo.ID) + "/actions/permissions/selected-actions"
	}
	return body
}

func setActions(c *call, repo *model.Repo) error {
	type input struct {
		Enabled *bool
		Allowed string `json:"allowed_actions"`
	}
	return changeActions(c, repo, func(in input) error {
		if in.Enabled == nil {
			return missing("enabled")
		}
		return oneOf("allowed_actions", in.Allowed, "all", "local_only", "selected")
	}, func(in input, a *model.ActionsSettings) {
		a.Disabled = !*in.Enabled
		a.Allowed = cmp.Or(in.Allowed, a.Allowed)
	})
}

func showWorkflowDefaults(_ *call, repo *model.Repo) any {
	level := "read"
	if repo.Actions.WritesByDefault {
		level = "write"
	}
	return map[string]any{"default_workflow_permissions": level, "can_approve_pull_request_reviews": repo.Actions.MayApprove}
}

func setWorkflowDefaults(c *call, repo *model.Repo) error {
	type input struct {
		Level      string `json:"default_workflow_permissions"`
		MayApprove *bool  `json:"can_approve_pull_request_reviews"`
	}
	return changeActions(c, repo, func(in input) error { return oneOf("default_workflow_permissions", in.Level, "read", "write") },
		func(in input, a *model.ActionsSettings) {
			if in.Level != "" {
				a.WritesByDefault = in.Level == "write"
			}
			if in.MayApprove != nil {
				a.MayApprove = *in.MayApprove
			}
		})
}

func showActionsAccess(_ *call, repo *model.Repo) any {
	return map[string]string{"access_level": cmp.Or(repo.Actions.Access, "none")}
}

func setActionsAccess(c *call, repo *model.Repo) error {
	type input struct {
		Level string `json:"access_level"`
	}
	return changeActions(c, repo, func(in input) error {
		if in.Level == "" {
			return missing("access_level")
		}
		return oneOf("access_level", in.Level, "none", "user", "organization")
	}, func(in input, a *model.ActionsSettings) { a.Access = in.Level })
}

type selectedActions struct {
	GitHubOwned bool     `json:"github_owned_allowed"`
	Verified    bool     `json:"verified_allowed"`
	Patterns    []string `json:"patterns_allowed"`
}

func showSelected(_ *call, repo *model.Repo) any {
	return selectedActions{repo.Actions.GitHubOwned, repo.Actions.Verified, append([]string{}, repo.Actions.Patterns...)}
}

func setSelected(c *call, repo *model.Repo) error {
	return changeActions(c, repo, func(selectedActions) error {
		if repo.Actions.Allowed != "selected" {
			return &model.Problem{Kind: model.Conflict, Message: "Repository does not use selected actions"}
		}
		return nil
	}, func(in selectedActions, a *model.ActionsSettings) {
		a.GitHubOwned, a.Verified, a.Patterns = in.GitHubOwned, in.Verified, in.Patterns
	})
}

// keptDays is how long GitHub keeps artifacts and logs, and the longest time, in
// days.
const keptDays, mostDays = 90, 400

func showRetention(_ *call, repo *model.Repo) any {
	return map[string]int{"days": cmp.Or(repo.Actions.RetentionDays, keptDays), "maximum_allowed_days": mostDays}
}

func setRetention(c *call, repo *model.Repo) error {
	type input struct{ Days int }
	return changeActions(c, repo, func(in input) error {
		if in.Days < 1 || in.Days > mostDays {
			return &model.Problem{Kind: model.Invalid, Message: "Invalid request.\n\nThe number of days must be between 1 and 400."}
		}
		return nil
	}, func(in input, a *model.ActionsSettings) { a.RetentionDays = in.Days })
}

func showForkApproval(_ *call, repo *model.Repo) any {
	return map[string]string{"approval_policy": cmp.Or(repo.Actions.ForkApproval, "first_time_contributors")}
}

func setForkApproval(c *call, repo *model.Repo) error {
	type input struct {
		Policy string `json:"approval_policy"`
	}
	return changeActions(c, repo, func(in input) error {
		if in.Policy == "" {
			return missing("approval_policy")
		}
		return oneOf("approval_policy", in.Policy, "first_time_contributors_new_to_github", "first_time_contributors", "all_external_contributors")
	}, func(in input, a *model.ActionsSettings) { a.ForkApproval = in.Policy })
}
