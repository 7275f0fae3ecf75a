package sandboxtest

import "github.com/ghx-dev/bench-action/internal/sandbox/model"

// Queue has the default branch of a repository changed by a merge queue alone, which
// asks for checks.
func Queue(repo *model.Repo, checks ...string) {
	required := &model.ChecksRule{}
	for _, name := range checks {
		required.Checks = append(required.Checks, model.RequiredCheck{Context: name})
	}
	repo.Rulesets = append(repo.Rulesets, model.Ruleset{
		ID: 1, Name: "queue", Target: model.TargetBranch, Enforcement: model.EnforcementActive, Include: []string{model.DefaultBranchRef},
		Rules: []model.Rule{
			{Type: model.RuleMergeQueue, Queue: &model.QueueRule{
				CheckTimeout: 60, Grouping: model.AllGreen, MaxBuilt: 5, MaxMerged: 5, Method: "MERGE", MinMerged: 1, MinMergedWaits: 5,
			}},
			{Type: model.RuleStatusChecks, Checks: required},
		},
	})
}
