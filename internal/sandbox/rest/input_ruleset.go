package rest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// rulesetInput is the body of a request about a ruleset; what is nil stays.
type rulesetInput struct {
	Name        *string              `json:"name"`
	Target      *string              `json:"target"`
	Enforcement *string              `json:"enforcement"`
	Bypass      *[]model.BypassActor `json:"bypass_actors"`
	Conditions  *struct {
		RefName *struct {
			Include []string `json:"include"`
			Exclude []string `json:"exclude"`
		} `json:"ref_name"`
	} `json:"conditions"`
	Rules *[]ruleInput `json:"rules"`
}

type ruleInput struct {
	Type       model.RuleType  `json:"type"`
	Parameters json.RawMessage `json:"parameters"`
}

// ruleParameters are the parameters that the types of rules must be given; those
// of types that are not here a sandbox cannot enforce.
var ruleParameters = map[model.RuleType][]string{
	model.RuleCreation: nil, model.RuleUpdate: nil, model.RuleDeletion: nil, model.RuleLinearHistory: nil, model.RuleSignatures: nil,
	model.RuleNonFastForward: nil,
	model.RulePullRequest: {
		"dismiss_stale_reviews_on_push", "require_code_owner_review", "require_last_push_approval", "required_approving_review_count", "required_review_thread_resolution",
	},
	model.RuleStatusChecks: {"required_status_checks", "strict_required_status_checks_policy"},
	model.RuleDeployments:  {"required_deployment_environments"},
	model.RuleMergeQueue: {
		"check_response_timeout_minutes", "grouping_strategy", "max_entries_to_build", "max_entries_to_merge", "merge_method", "min_entries_to_merge",
		"min_entries_to_merge_wait_minutes",
	},
	model.RuleCommitMessage: {"operator", "pattern"}, model.RuleAuthorEmail: {"operator", "pattern"}, model.RuleCommitterEmail: {"operator", "pattern"},
	model.RuleBranchName: {"operator", "pattern"}, model.RuleTagName: {"operator", "pattern"},
}

// unenforced are GitHub's other types.
var unenforced = []model.RuleType{
	"workflows", "code_scanning", "copilot_code_review", "license_compliance_scanning",
	"file_path_restriction", "max_file_path_length", "file_extension_restriction", "max_file_size",
}

// invalidRuleset is a refusal of a ruleset in a sentence.
func invalidRuleset(format string, args ...any) error {
	return &model.Problem{Kind: model.Invalid, Message: "Validation Failed", Errors: []model.FieldError{
		{Resource: "RepositoryRuleset", Code: "custom", Message: fmt.Sprintf(format, args...)},
	}}
}

func (in rulesetInput) apply(c *call, repo *model.Repo, set *model.Ruleset) error {
	for _, one := range []struct {
		name    string
		to      *string
		from    *string
		allowed []string
	}{
		{"name", &set.Name, in.Name, nil},
		{"target", &set.Target, in.Target, []string{model.TargetBranch, model.TargetTag}},
		{"enforcement", &set.Enforcement, in.Enforcement, []string{"disabled", model.EnforcementActive, "evaluate"}},
	} {
		switch {
		case one.from == nil:
			continue
		case one.allowed != nil && !slices.Contains(one.allowed, *one.from):
			return invalidRequest(fmt.Sprintf("%s is not a member of %q.", *one.from, one.allowed))
		case strings.TrimSpace(*one.from) == "":
			return invalidRuleset("Name can't be blank")
		}
		*one.to = *one.from
	}
	if in.Bypass != nil {
		set.Bypass = slices.Clone(*in.Bypass)
		for n := range set.Bypass {
			if err := c.checkBypass(repo, &set.Bypass[n]); err != nil {
				return err
			}
		}
	}
	if in.Conditions != nil && in.Conditions.RefName != nil {
		set.Include, set.Exclude = in.Conditions.RefName.Include, in.Conditions.RefName.Exclude
		for _, pattern := range slices.Concat(set.Include, set.Exclude) {
			if strings.HasPrefix(pattern, "~") && pattern != model.AllRefs && (pattern != model.DefaultBranchRef || set.Target != model.TargetBranch) {
				return invalidRuleset("Invalid target patterns: '%s'", pattern)
			}
			if !strings.HasPrefix(pattern, "~") && !strings.HasPrefix(pattern, "refs/") {
				return invalidRuleset("Invalid target patterns: '%s'", pattern)
			}
		}
	}
	if in.Rules == nil {
		return nil
	}
	set.Rules = nil
	for _, one := range *in.Rules {
		rule, err := c.rule(one)
		if err != nil {
			return err
		}
		set.Rules = append(set.Rules, rule)
	}
	return nil
}

// rule reads a rule, with all of its parameters or not at all.
func (c *call) rule(in ruleInput) (model.Rule, error) {
	rule := model.Rule{Type: in.Type}
	required, known := ruleParameters[in.Type]
	if !known {
		if slices.Contains(unenforced, in.Type) {
			return rule, invalidRuleset("Invalid rule '%s': This sandbox does not have it yet; GitHub does.", in.Type)
		}
		return rule, invalidRuleset("Invalid rule '%s': ", in.Type)
	}
	parameters, given := rule.Parameters(), map[string]json.RawMessage{}
	if len(in.Parameters) > 0 && json.Unmarshal(in.Parameters, &given) != nil {
		return rule, invalidRequest(fmt.Sprintf("%s is not an object.", in.Parameters))
	}
	if err := lacking(given, required...); err != nil {
		return rule, err
	}
	if parameters == nil {
		parameters = &struct{}{}
	}
	if err := strictly(in.Parameters, parameters); err != nil {
		return rule, err
	}
	return rule, c.checkRule(&rule)
}

// maxRulesetApprovals is how many approving reviews a ruleset may ask for.
const maxRulesetApprovals = 10

func (c *call) checkRule(rule *model.Rule) error {
	invalid := func(why string, args ...any) error {
		return invalidRuleset("Invalid rule '%s': %s", rule.Type, fmt.Sprintf(why, args...))
	}
	methods := []model.MergeMethod{model.MethodMerge, model.MethodSquash, model.MethodRebase}
	if p := rule.Pull; p != nil {
		if p.RequiredApprovingReviewCount < 0 || p.RequiredApprovingReviewCount > maxRulesetApprovals {
			return invalid("required_approving_review_count must be between 0 and %d", maxRulesetApprovals)
		}
		if len(p.AllowedMergeMethods) == 0 {
			p.AllowedMergeMethods = methods
		}
		for _, method := range p.AllowedMergeMethods {
			if !slices.Contains(methods, method) {
				return invalid("%s is not a merge method", method)
			}
		}
		p.RequiredReviewers = append([]model.TeamReview{}, p.RequiredReviewers...)
		for _, team := range p.RequiredReviewers {
			if team.Reviewer.Type != "Team" || c.s.Teams.Get(team.Reviewer.ID) == nil || len(team.FilePatterns) == 0 {
				return invalid("required_reviewers must name teams that exist, and patterns of files")
			}
		}
		if p.DismissalRestriction != nil {
			p.DismissalRestriction.AllowedActors = append([]model.RuleSide{}, p.DismissalRestriction.AllowedActors...)
		}
	}
	if rule.Checks != nil {
		for _, check := range rule.Checks.Checks {
			if check.Context == "" || check.IntegrationID != 0 && c.s.Apps.Get(check.IntegrationID) == nil {
				return invalid("required_status_checks must have a context, and an integration_id that exists")
			}
		}
	}
	if q := rule.Queue; q != nil {
		if !slices.Contains([]string{"MERGE", "SQUASH", "REBASE"}, q.Method) {
			return invalid("merge_method is invalid")
		}
		if !slices.Contains([]string{model.AllGreen, model.HeadGreen}, q.Grouping) {
			return invalid("grouping_strategy is invalid")
		}
	}
	if d := rule.Deployments; d != nil {
		if d.Environments = append([]string{}, d.Environments...); slices.Contains(d.Environments, "") {
			return invalid("required_deployment_environments must name environments")
		}
	}
	if p := rule.Pattern; p != nil {
		_, err := regexp.Compile(p.Pattern)
		if !slices.Contains([]string{"starts_with", "ends_with", "contains", "regex"}, p.Operator) || p.Operator == "regex" && err != nil || p.Pattern == "" {
			return invalid("operator or pattern is invalid")
		}
	}
	return nil
}

// checkBypass refuses actors who are nobody.
func (c *call) checkBypass(repo *model.Repo, b *model.BypassActor) error {
	if b.BypassMode == "" {
		b.BypassMode = model.BypassAlways
	}
	var id model.ID
	if b.ActorID != nil {
		id = *b.ActorID
	}
	owner := c.s.Users.Get(repo.OwnerID)
	known := false
	switch b.ActorType {
	case "User":
		u := c.s.Users.Get(id)
		known = u != nil && u.Type == model.TypeUser
	case "Team":
		t := c.s.Teams.Get(id)
		known = t != nil && t.OrgID == owner.ID
	case "Integration":
		known = c.s.Apps.Get(id) != nil
	case "RepositoryRole":
		known = model.IsBypassRole(id)
	case "OrganizationAdmin":
		known = owner.Type == model.TypeOrganization
	case "DeployKey":
		known = b.ActorID == nil
	}
	if !known {
		return invalidRuleset("Actor %s %d is not one of this repository's", b.ActorType, id)
	}
	if !slices.Contains([]string{model.BypassAlways, model.BypassPulls, model.BypassExempt}, b.BypassMode) {
		return invalidRequest(fmt.Sprintf("%s is not a bypass mode.", b.BypassMode))
	}
	return nil
}
