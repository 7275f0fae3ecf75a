package gql

import (
	"encoding/base64"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// branchRule is a rule of the protection of branches.
type branchRule struct {
	repo    *model.Repo
	pattern string
	model.Protection
}

// requiredCheck is a check that a rule asks for.
type requiredCheck struct {
	context string
	app     model.ID
}

// ruleset is a ruleset of a repository, rulesetRule one of its rules.
type (
	ruleset struct {
		repo *model.Repo
		*model.Ruleset
	}
	rulesetRule struct {
		ruleset
		number int
	}
)

// ruleFields resolves the protection of branches, and rulesets.
func ruleFields() map[string]graphql.Resolver {
	fields := map[string]graphql.Resolver{
		"Repository.branchProtectionRules": connection(func(_ *query, r *model.Repo, _ graphql.Args) ([]branchRule, error) {
			var all []branchRule
			for pattern, rule := range r.Protection {
				all = append(all, branchRule{r, pattern, rule})
			}
			slices.SortFunc(all, func(a, b branchRule) int { return strings.Compare(a.pattern, b.pattern) })
			return all, nil
		}),
		"Ref.branchProtectionRule": prop(func(_ *query, r ref) any {
			branch, isBranch := strings.CutPrefix(r.name, headsPrefix)
			if pattern, rule, protected := r.repo.ProtectionOf(branch); isBranch && protected {
				return branchRule{r.repo, pattern, rule}
			}
			return nil
		}),
		"BranchProtectionRule.matchingRefs": connection(func(_ *query, b branchRule, args graphql.Args) ([]any, error) {
			var refs []any
			for _, at := range b.repo.Git.Refs(headsPrefix) {
				branch := strings.TrimPrefix(at.Name, headsPrefix)
				if pattern, _, is := b.repo.ProtectionOf(branch); is && pattern == b.pattern && strings.Contains(branch, args.String("query")) {
					refs = append(refs, ref{b.repo, at.Name, at.Hash})
				}
			}
			return refs, nil
		}),
		"RequiredStatusCheckDescription.context": prop(func(_ *query, c requiredCheck) any { return c.context }),
		"RequiredStatusCheckDescription.app":     prop(func(q *query, c requiredCheck) any { return present(q.s.Apps.Get(c.app)) }),
	}
	for name, of := range map[string]func(*query, branchRule) any{
		"id":                             func(_ *query, b branchRule) any { return branchRuleID(b) },
		"databaseId":                     func(_ *query, b branchRule) any { return int(b.ID) },
		"creator":                        func(q *query, b branchRule) any { return present(q.s.Users.Get(b.CreatorID)) },
		"repository":                     func(_ *query, b branchRule) any { return b.repo },
		"pattern":                        func(_ *query, b branchRule) any { return b.pattern },
		"allowsDeletions":                func(_ *query, b branchRule) any { return b.Deletions },
		"allowsForcePushes":              func(_ *query, b branchRule) any { return b.ForcePushes },
		"blocksCreations":                func(_ *query, b branchRule) any { return b.BlocksCreations },
		"dismissesStaleReviews":          func(_ *query, b branchRule) any { return b.DismissStale },
		"isAdminEnforced":                func(_ *query, b branchRule) any { return b.AdminsToo },
		"lockAllowsFetchAndMerge":        func(_ *query, b branchRule) any { return b.LockAllowsSyncing },
		"lockBranch":                     func(_ *query, b branchRule) any { return b.Locked },
		"requireLastPushApproval":        func(_ *query, b branchRule) any { return b.LastPushApproval },
		"requiredApprovingReviewCount":   func(_ *query, b branchRule) any { return b.RequiredApprovals },
		"requiredDeploymentEnvironments": func(*query, branchRule) any { return []string{} },
		"requiredStatusCheckContexts":    func(_ *query, b branchRule) any { return append([]string{}, b.RequiredChecks...) },
		"requiredStatusChecks":           func(_ *query, b branchRule) any { return b.checks() },
		"requiresApprovingReviews":       func(_ *query, b branchRule) any { return b.AsksForPulls() },
		"requiresCodeOwnerReviews":       func(_ *query, b branchRule) any { return b.CodeOwners },
		"requiresCommitSignatures":       func(_ *query, b branchRule) any { return b.Signatures },
		"requiresConversationResolution": func(_ *query, b branchRule) any { return b.Conversations },
		"requiresDeployments":            func(*query, branchRule) any { return false },
		"requiresLinearHistory":          func(_ *query, b branchRule) any { return b.LinearHistory },
		"requiresStatusChecks":           func(_ *query, b branchRule) any { return b.AsksForChecks() },
		"requiresStrictStatusChecks":     func(_ *query, b branchRule) any { return b.Strict },
		"restrictsPushes":                func(_ *query, b branchRule) any { return b.Pushers != nil },
		"restrictsReviewDismissals":      func(_ *query, b branchRule) any { return b.Dismissers != nil },
	} {
		fields["BranchProtectionRule."+name] = prop(of)
	}
	maps.Copy(fields, rulesetFields())
	return fields
}

func branchRuleID(b branchRule) string { return named("BPR", b.repo.ID, b.pattern) }

func (b branchRule) checks() []requiredCheck {
	checks := []requiredCheck{}
	for _, name := range b.RequiredChecks {
		checks = append(checks, requiredCheck{name, b.CheckApps[name]})
	}
	return checks
}

func rulesetFields() map[string]graphql.Resolver {
	setID := func(s ruleset) string { return named("RRS", s.repo.ID, strconv.FormatInt(s.ID, 10)) }
	return map[string]graphql.Resolver{
		"Repository.ruleset": lookup(func(_ *query, r *model.Repo, args graphql.Args) any {
			if set := r.Ruleset(model.ID(args.Int("databaseId"))); set != nil {
				return ruleset{r, set}
			}
			return nil
		}),
		"Repository.rulesets": connection(func(_ *query, r *model.Repo, args graphql.Args) ([]ruleset, error) {
			targets := args.Strings("targets")
			var all []ruleset
			for n := range r.Rulesets {
				if set := &r.Rulesets[n]; len(targets) == 0 || slices.Contains(targets, strings.ToUpper(set.Target)) {
					all = append(all, ruleset{r, set})
				}
			}
			return all, nil
		}),
		"RepositoryRuleset.id":          prop(func(_ *query, s ruleset) any { return setID(s) }),
		"RepositoryRuleset.databaseId":  prop(func(_ *query, s ruleset) any { return int(s.ID) }),
		"RepositoryRuleset.name":        prop(func(_ *query, s ruleset) any { return s.Name }),
		"RepositoryRuleset.target":      prop(func(_ *query, s ruleset) any { return strings.ToUpper(s.Target) }),
		"RepositoryRuleset.enforcement": prop(func(_ *query, s ruleset) any { return strings.ToUpper(s.Enforcement) }),
		"RepositoryRuleset.source":      prop(func(_ *query, s ruleset) any { return s.repo }),
		"RepositoryRuleset.createdAt":   prop(func(_ *query, s ruleset) any { return s.CreatedAt }),
		"RepositoryRuleset.updatedAt":   prop(func(_ *query, s ruleset) any { return s.UpdatedAt }),
		"RepositoryRuleset.rules": connection(func(_ *query, s ruleset, args graphql.Args) ([]rulesetRule, error) {
			var all []rulesetRule
			for n, rule := range s.Rules {
				if wanted := args.Enum("type"); wanted == "" || wanted == strings.ToUpper(string(rule.Type)) {
					all = append(all, rulesetRule{s, n})
				}
			}
			return all, nil
		}),
		"RepositoryRule.id": prop(func(_ *query, r rulesetRule) any {
			return named("RRU", r.repo.ID, strconv.FormatInt(r.ID, 10)+":"+strconv.Itoa(r.number))
		}),
		"RepositoryRule.type": prop(func(_ *query, r rulesetRule) any { return strings.ToUpper(string(r.Rules[r.number].Type)) }),
	}
}

// ruleMutations make, change and delete rules of the protection of branches.
func ruleMutations() map[string]mutator {
	return map[string]mutator{
		"createBranchProtectionRule": func(q *query, in graphql.Args) (payload, error) {
			repo, err := typed[*model.Repo](q, in.String("repositoryId"))
			if err != nil {
				return nil, err
			}
			if _, exists := repo.Protection[in.String("pattern")]; exists {
				return nil, unprocessable("Name already protected: " + in.String("pattern"))
			}
			return protect(q, branchRule{repo: repo}, in)
		},
		"updateBranchProtectionRule": func(q *query, in graphql.Args) (payload, error) {
			rule, err := q.branchRule(in.String("branchProtectionRuleId"))
			if err != nil {
				return nil, err
			}
			return protect(q, rule, in)
		},
		"deleteBranchProtectionRule": func(q *query, in graphql.Args) (payload, error) {
			rule, err := q.branchRule(in.String("branchProtectionRuleId"))
			if err != nil {
				return nil, err
			}
			return payload{}, q.s.Unprotect(q.actor, rule.repo, rule.pattern)
		},
	}
}

func unprocessable(message string) error {
	return &graphql.Error{Type: "UNPROCESSABLE", Message: message}
}

// branchRule returns the rule of a global id, which has its repository and its
// pattern, if the user may see it.
func (q *query) branchRule(id string) (branchRule, error) {
	packed, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(id, "BPR_"))
	repoID, pattern, _ := strings.Cut(string(packed), ":")
	n, bad := strconv.ParseInt(repoID, 10, 64)
	repo := q.s.Repos.Get(n)
	if err != nil || bad != nil || repo == nil || q.s.Permission(q.actor, repo) < model.PermRead {
		return branchRule{}, noNode(id)
	}
	rule, known := repo.Protection[pattern]
	if b := (branchRule{repo, pattern, rule.Copy()}); known && branchRuleID(b) == id {
		return b, nil
	}
	return branchRule{}, noNode(id)
}

// maxReviews is how many approving reviews a rule may ask for.
const maxReviews = 6

// protect changes a rule as an input says; what it does not say stays.
func protect(q *query, rule branchRule, in graphql.Args) (payload, error) {
	p, before := &rule.Protection, rule.pattern
	for name, to := range map[string]*bool{
		"allowsDeletions": &p.Deletions, "allowsForcePushes": &p.ForcePushes, "blocksCreations": &p.BlocksCreations, "dismissesStaleReviews": &p.DismissStale,
		"isAdminEnforced": &p.AdminsToo, "lockAllowsFetchAndMerge": &p.LockAllowsSyncing, "lockBranch": &p.Locked, "requireLastPushApproval": &p.LastPushApproval,
		"requiresApprovingReviews": &p.PullsAsked, "requiresCodeOwnerReviews": &p.CodeOwners, "requiresCommitSignatures": &p.Signatures,
		"requiresConversationResolution": &p.Conversations, "requiresLinearHistory": &p.LinearHistory, "requiresStatusChecks": &p.ChecksAsked,
		"requiresStrictStatusChecks": &p.Strict,
	} {
		if in.Has(name) {
			*to = in.Bool(name)
		}
	}
	if in.Bool("requiresDeployments") || len(in.Strings("requiredDeploymentEnvironments")) > 0 {
		return nil, unprocessable("This sandbox does not have required deployments yet; GitHub does.")
	}
	if err := q.setReviews(p, in); err != nil {
		return nil, err
	}
	if err := q.setChecks(p, in); err != nil {
		return nil, err
	}
	if err := q.setActors(rule.repo, p, in); err != nil {
		return nil, err
	}
	if in.Has("pattern") {
		rule.pattern = in.String("pattern")
	}
	if _, taken := rule.repo.Protection[rule.pattern]; rule.pattern == "" || taken && rule.pattern != before {
		return nil, unprocessable("Pattern is empty or already protected")
	}
	if err := q.s.Protect(q.actor, rule.repo, rule.pattern, *p); err != nil {
		return nil, err
	}
	if before != "" && before != rule.pattern {
		if err := q.s.Unprotect(q.actor, rule.repo, before); err != nil {
			return nil, err
		}
	}
	return payload{"branchProtectionRule": branchRule{rule.repo, rule.pattern, rule.repo.Protection[rule.pattern]}}, nil
}

func (q *query) setReviews(p *model.Protection, in graphql.Args) error {
	if in.Has("requiredApprovingReviewCount") {
		p.RequiredApprovals = in.Int("requiredApprovingReviewCount")
	}
	switch {
	case p.RequiredApprovals < 0 || p.RequiredApprovals > maxReviews:
		return unprocessable("Required approving review count must be between 0 and 6")
	case in.Has("requiresApprovingReviews") && !p.PullsAsked:
		p.RequiredApprovals, p.CodeOwners, p.DismissStale, p.LastPushApproval = 0, false, false, false
	case in.Bool("requiresApprovingReviews") && !in.Has("requiredApprovingReviewCount"):
		p.RequiredApprovals = max(p.RequiredApprovals, 1)
	}
	return nil
}

func (q *query) setChecks(p *model.Protection, in graphql.Args) error {
	if in.Has("requiresStatusChecks") && !p.ChecksAsked {
		p.Strict, p.RequiredChecks, p.CheckApps = false, nil, nil
		return nil
	}
	if !in.Has("requiredStatusChecks") && !in.Has("requiredStatusCheckContexts") {
		return nil
	}
	p.RequiredChecks, p.CheckApps = nil, map[string]model.ID{}
	p.RequiredChecks = append(p.RequiredChecks, in.Strings("requiredStatusCheckContexts")...)
	for _, check := range in.Objects("requiredStatusChecks") {
		name, app := check.String("context"), check.String("appId")
		if !slices.Contains(p.RequiredChecks, name) {
			p.RequiredChecks = append(p.RequiredChecks, name)
		}
		if app == "" || app == "any" {
			continue
		}
		a, err := typed[*model.App](q, app)
		if err != nil {
			return err
		}
		p.CheckApps[name] = a.ID
	}
	return nil
}

// setActors sets whom a rule names. A restriction without actors is for nobody.
func (q *query) setActors(repo *model.Repo, p *model.Protection, in graphql.Args) error {
	for _, one := range []struct {
		on, ids string
		of      **model.Actors
	}{{"restrictsPushes", "pushActorIds", &p.Pushers}, {"restrictsReviewDismissals", "reviewDismissalActorIds", &p.Dismissers}} {
		if in.Has(one.on) && !in.Bool(one.on) {
			*one.of = nil
		} else if in.Bool(one.on) && *one.of == nil {
			*one.of = &model.Actors{}
		}
		if in.Has(one.ids) && *one.of != nil {
			actors, err := q.ruleActors(repo, in.Strings(one.ids))
			if err != nil {
				return err
			}
			*one.of = &actors
		}
	}
	for ids, of := range map[string]*model.Actors{"bypassPullRequestActorIds": &p.Bypassers, "bypassForcePushActorIds": &p.ForcePushers} {
		if in.Has(ids) {
			actors, err := q.ruleActors(repo, in.Strings(ids))
			if err != nil {
				return err
			}
			*of = actors
		}
	}
	return nil
}

func (q *query) ruleActors(repo *model.Repo, ids []string) (model.Actors, error) {
	var a model.Actors
	if owner := q.s.Users.Get(repo.OwnerID); len(ids) > 0 && owner.Type != model.TypeOrganization {
		return a, unprocessable("Only organization repositories can have users and team restrictions")
	}
	for _, id := range ids {
		obj, err := q.node(id)
		if err != nil {
			return a, err
		}
		switch obj := obj.(type) {
		case *model.User:
			a.Users = append(a.Users, obj.ID)
		case *model.Team:
			a.Teams = append(a.Teams, obj.ID)
		case *model.App:
			a.Apps = append(a.Apps, obj.ID)
		default:
			return a, noNode(id)
		}
	}
	return a, nil
}
