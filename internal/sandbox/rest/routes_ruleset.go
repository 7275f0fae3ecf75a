package rest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// rulesetRoutes are those of rulesets: anyone who may read sees them,
// administrators change them.
func rulesetRoutes() []route {
	const rulesets = reposPath + "/rulesets"
	return []route{
		{"GET " + rulesets, onRepo(listRulesets)},
		{"POST " + rulesets, onRepo(createRuleset)},
		{"GET " + rulesets + "/{ruleset}", onRuleset(false, getRuleset)},
		{"PUT " + rulesets + "/{ruleset}", onRuleset(true, updateRuleset)},
		{"DELETE " + rulesets + "/{ruleset}", onRuleset(true, func(c *call, repo *model.Repo, set *model.Ruleset) (reply, error) {
			return noContentOr(c.s.DeleteRuleset(c.actor, repo, set.ID))
		})},
		{"GET " + reposPath + "/rules/branches/{branch...}", onRepo(listBranchRules)},
	}
}

// onRuleset makes a handler of one that needs a ruleset and, if it changes it, an
// administrator.
func onRuleset(changes bool, handle func(c *call, repo *model.Repo, set *model.Ruleset) (reply, error)) func(*call) (reply, error) {
	return onRepo(func(c *call, repo *model.Repo) (reply, error) {
		id, err := strconv.ParseInt(c.PathValue("ruleset"), 10, 64)
		set := repo.Ruleset(id)
		if err != nil || set == nil || changes && !c.s.MayAdminister(c.actor, repo) {
			return reply{}, errNotFound
		}
		return handle(c, repo, set)
	})
}

func listRulesets(c *call, repo *model.Repo) (reply, error) {
	targets := c.URL.Query().Get("targets")
	c.indifferent("includes_parents") // there are none
	var sets []*model.Ruleset
	for n := range repo.Rulesets {
		if set := &repo.Rulesets[n]; targets == "" || slices.Contains(strings.Split(targets, ","), set.Target) {
			sets = append(sets, set)
		}
	}
	return list(c, sets, func(set *model.Ruleset) map[string]any { return c.rulesetInList(repo, set) })
}

func getRuleset(c *call, repo *model.Repo, set *model.Ruleset) (reply, error) {
	c.indifferent("includes_parents") // there are none
	return ok(c.ruleset(repo, set))
}

func createRuleset(c *call, repo *model.Repo) (reply, error) {
	if !c.s.MayAdminister(c.actor, repo) {
		return reply{}, errNotFound
	}
	var in rulesetInput
	if err := c.decodeWhole(&in, "name", "enforcement"); err != nil {
		return reply{}, err
	}
	set := model.Ruleset{Target: model.TargetBranch}
	if err := in.apply(c, repo, &set); err != nil {
		return reply{}, err
	}
	made, err := c.s.SetRuleset(c.actor, repo, set)
	if err != nil {
		return reply{}, err
	}
	return created(c.ruleset(repo, made))
}

func updateRuleset(c *call, repo *model.Repo, known *model.Ruleset) (reply, error) {
	var in rulesetInput
	if err := c.decodeWhole(&in); err != nil {
		return reply{}, err
	}
	set := known.Copy()
	if err := in.apply(c, repo, &set); err != nil {
		return reply{}, err
	}
	made, err := c.s.SetRuleset(c.actor, repo, set)
	if err != nil {
		return reply{}, err
	}
	return ok(c.ruleset(repo, made))
}

// listBranchRules lists the rules of active rulesets for a branch, which need not
// exist.
func listBranchRules(c *call, repo *model.Repo) (reply, error) {
	rules := []map[string]any{}
	for _, set := range repo.RulesetsFor(headsPrefix + c.PathValue("branch")) {
		for _, rule := range rulesOf(set) {
			rule["ruleset_source_type"], rule["ruleset_source"], rule["ruleset_id"] = "Repository", c.s.FullName(repo), set.ID
			rules = append(rules, rule)
		}
	}
	return list(c, rules, same)
}

func (v *view) rulesetInList(repo *model.Repo, set *model.Ruleset) map[string]any {
	return map[string]any{
		"id": set.ID, "name": set.Name, "target": set.Target, "source_type": "Repository", "source": v.s.FullName(repo),
		"enforcement": set.Enforcement, "node_id": nodeOfName("RRS", repo.ID, strconv.FormatInt(set.ID, 10)),
		"created_at": at(set.CreatedAt), "updated_at": at(set.UpdatedAt),
		"_links": map[string]link{
			"self": {fmt.Sprintf("%s/rulesets/%d", v.repoURL(repo.ID), set.ID)}, "html": {fmt.Sprintf("%s/rules/%d", v.repoHTML(repo.ID), set.ID)},
		},
	}
}

// ruleset is a ruleset's own page. Only administrators see who may bypass it.
func (v *view) ruleset(repo *model.Repo, set *model.Ruleset) map[string]any {
	shown := v.rulesetInList(repo, set)
	shown["conditions"] = map[string]any{"ref_name": map[string]any{"include": append([]string{}, set.Include...), "exclude": append([]string{}, set.Exclude...)}}
	shown["rules"] = rulesOf(set)
	if v.s.MayAdminister(v.actor, repo) {
		shown["bypass_actors"] = append([]model.BypassActor{}, set.Bypass...)
	}
	shown["current_user_can_bypass"] = map[string]string{
		"": "never", model.BypassAlways: "always", model.BypassPulls: "pull_requests_only", model.BypassExempt: "exempt",
	}[v.s.BypassOf(v.actor, repo, set)]
	return shown
}

func rulesOf(set *model.Ruleset) []map[string]any {
	rules := []map[string]any{}
	for _, rule := range set.Rules {
		shown := map[string]any{"type": string(rule.Type)}
		if parameters := rule.Parameters(); parameters != nil {
			shown["parameters"] = parameters
		}
		rules = append(rules, shown)
	}
	return rules
}
