package sandboxtest_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
)

// All that the API takes of branch protection is shown again, as GitHub's
// description of it says.
func TestGHProtectsBranches(t *testing.T) {
	testkit.NeedComplete(t)
	const path = "repos/acme/widgets/branches/main/protection"
	runCases(t, []ghCase{
		{name: "protection, whole", steps: []step{
			{"api " + path, refused, "gh: Branch not protected (HTTP 404)"},
			{"api repos/acme/widgets/branches/main -q .protected", 0, "false\n"},
			{"api -X PUT " + path + " -F required_status_checks[strict]=true -f required_status_checks[contexts][]=ci -f required_status_checks[checks][][context]=lint -F required_status_checks[checks][][app_id]=15368" +
				" -F enforce_admins=true -F required_pull_request_reviews[required_approving_review_count]=2 -F required_pull_request_reviews[dismiss_stale_reviews]=true" +
				" -F required_pull_request_reviews[require_code_owner_reviews]=true -F required_pull_request_reviews[require_last_push_approval]=true" +
				" -f required_pull_request_reviews[bypass_pull_request_allowances][users][]=octocat -f required_pull_request_reviews[dismissal_restrictions][teams][]=str" +
				" -f restrictions[users][]=octocat -f restrictions[teams][]=str -f restrictions[apps][]=github-actions -F required_linear_history=true -F allow_force_pushes=true -F allow_deletions=true" +
				" -F block_creations=true -F required_conversation_resolution=true -F lock_branch=true -F allow_fork_syncing=true", 0,
				`{"enforce_admins":{"enabled":true}}`},
			{"api " + path, 0, `{"required_status_checks":{"strict":true,"contexts":["lint","ci"],"checks":[{"context":"lint","app_id":15368},{"context":"ci"}]},"enforce_admins":{"enabled":true},
				"required_pull_request_reviews":{"required_approving_review_count":2,"dismiss_stale_reviews":true,"require_code_owner_reviews":true,"require_last_push_approval":true,
				"bypass_pull_request_allowances":{"users":[{"login":"octocat"}],"teams":[],"apps":[]},"dismissal_restrictions":{"users":[],"teams":[{"slug":"str"}],"apps":[]}},
				"restrictions":{"users":[{"login":"octocat"}],"teams":[{"slug":"str"}],"apps":[{"slug":"github-actions"}]},"required_linear_history":{"enabled":true},"allow_force_pushes":{"enabled":true},
				"allow_deletions":{"enabled":true},"block_creations":{"enabled":true},"required_conversation_resolution":{"enabled":true},"lock_branch":{"enabled":true},"allow_fork_syncing":{"enabled":true},
				"required_signatures":{"enabled":false}}`},
			{"api repos/acme/widgets/branches/main", 0, `{"protected":true,"protection":{"enabled":true,"required_status_checks":{"enforcement_level":"everyone","contexts":["lint","ci"]}}}`},
			{"api -X DELETE " + path, 0, ""},
			{"api " + path, refused, "gh: Branch not protected (HTTP 404)"},
		}},
		{name: "protection, part by part", steps: []step{
			{"api -X PUT " + path + " -F required_status_checks=null -F enforce_admins=null -F required_pull_request_reviews=null -F restrictions=null -F surprise=true", refused, `"surprise" is not a permitted key.`},
			{"api -X PUT " + path + " -F enforce_admins=null", refused, `"required_status_checks", "required_pull_request_reviews", "restrictions" weren't supplied.`},
			{"api -X PUT " + path + " -F required_status_checks=null -F enforce_admins=null -F required_pull_request_reviews=null -f restrictions[users][]=nobody -F restrictions[teams][]", refused, "Validation Failed"},
			{"api -X PUT " + path + " -F required_status_checks=null -F enforce_admins=null -F required_pull_request_reviews=null -F restrictions=null", 0, `{"enforce_admins":{"enabled":false}}`},
			{"api -X POST " + path + "/enforce_admins", 0, `{"enabled":true}`},
			{"api -X DELETE " + path + "/enforce_admins", 0, ""},
			{"api " + path + "/enforce_admins", 0, `{"enabled":false}`},
			{"api -X POST " + path + "/required_signatures", 0, `{"enabled":true}`},
			{"api -X DELETE " + path + "/required_signatures", 0, ""},
			{"api " + path + "/required_pull_request_reviews", refused, "Required pull request reviews not enabled"},
			{"api -X PATCH " + path + "/required_pull_request_reviews -F required_approving_review_count=7", refused, "7 must be less than or equal to 6."},
			{"api -X PATCH " + path + "/required_pull_request_reviews -F required_approving_review_count=3", 0, `{"required_approving_review_count":3,"dismiss_stale_reviews":false}`},
			{"api " + path + "/required_pull_request_reviews", 0, `{"required_approving_review_count":3}`},
			{"api -X DELETE " + path + "/required_pull_request_reviews", 0, ""},
			{"api " + path + "/required_status_checks", refused, "Required status checks not enabled"},
			{"api -X PUT " + path + " -F required_status_checks[strict]=true -f required_status_checks[contexts][]=ci -F enforce_admins=null -F required_pull_request_reviews=null -f restrictions[users][]=octocat -F restrictions[teams][]", 0, `{"required_status_checks":{"contexts":["ci"]}}`},
			{"api -X POST " + path + "/required_status_checks/contexts -f contexts[]=lint", 0, `["ci","lint"]`},
			{"api -X DELETE " + path + "/required_status_checks/contexts -f contexts[]=ci", 0, `["lint"]`},
			{"api -X PUT " + path + "/required_status_checks/contexts -f contexts[]=a", 0, `["a"]`},
			{"api -X PATCH " + path + "/required_status_checks -F strict=false", 0, `{"strict":false,"contexts":["a"]}`},
			{"api -X DELETE " + path + "/required_status_checks", 0, ""},
			{"api -X POST " + path + "/restrictions/teams -f teams[]=str", 0, `[{"slug":"str"}]`},
			{"api -X PUT " + path + "/restrictions/users -f users[]=monalisa", 0, `[{"login":"monalisa"}]`},
			{"api -X POST " + path + "/restrictions/apps -f apps[]=github-actions", 0, `[{"slug":"github-actions"}]`},
			{"api " + path + "/restrictions", 0, `{"users":[{"login":"monalisa"}],"teams":[{"slug":"str"}],"apps":[{"slug":"github-actions"}]}`},
			{"api -X DELETE " + path + "/restrictions", 0, ""},
			{"api " + path + "/restrictions", refused, "Push restrictions not enabled"},
		}},
	})
}

const set = `{"name":"main","target":"branch","enforcement":"active","bypass_actors":[{"actor_id":5,"actor_type":"RepositoryRole","bypass_mode":"pull_request"}],
"conditions":{"ref_name":{"include":["~DEFAULT_BRANCH"],"exclude":["refs/heads/dev/**/*"]}},"rules":[{"type":"deletion"},{"type":"non_fast_forward"},{"type":"update"},{"type":"required_linear_history"},
{"type":"pull_request","parameters":{"required_approving_review_count":1,"dismiss_stale_reviews_on_push":true,"require_code_owner_review":false,"require_last_push_approval":false,"required_review_thread_resolution":true,"allowed_merge_methods":["squash"]}},
{"type":"required_status_checks","parameters":{"strict_required_status_checks_policy":true,"required_status_checks":[{"context":"ci","integration_id":15368}]}},
{"type":"commit_message_pattern","parameters":{"operator":"starts_with","pattern":"fix"}}]}`

// gh's own commands see rulesets, and the API shows them as they were sent.
func TestGHAndRulesets(t *testing.T) {
	program := ghProgram(t)
	gh := at(t, newWorld(t), program)
	gh.Env = append(gh.Env, "GH_REPO="+fullName)
	require.NoError(t, os.WriteFile(gh.Work+"/set.json", []byte(set), 0o600))
	require.NoError(t, os.WriteFile(gh.Work+"/queue.json", []byte(`{"name":"q","enforcement":"active","rules":[{"type":"workflows"}]}`), 0o600))
	for _, s := range []step{
		{"api repos/acme/widgets/rulesets", 0, "[]"},
		{"api repos/acme/widgets/rulesets --input queue.json", refused, "Invalid rule 'workflows'"},
		{"api repos/acme/widgets/rulesets --input set.json", 0, `{"name":"main","current_user_can_bypass":"pull_requests_only"}`},
		{"api repos/acme/widgets/rulesets --input set.json", refused, "Name must be unique"},
		{"api repos/acme/widgets/rulesets", 0, `[{"name":"main","source":"acme/widgets","enforcement":"active"}]`},
		{"api repos/acme/widgets/rules/branches/main -q .[].type", 0, "deletion\nnon_fast_forward\nupdate\nrequired_linear_history\npull_request\nrequired_status_checks\ncommit_message_pattern"},
		{"api repos/acme/widgets/rules/branches/topic", 0, "[]"},
		{"api repos/acme/widgets/branches/main -q .protected", 0, "true"},
		{"ruleset list", 0, "main\tacme/widgets (repo)\tactive\t7"},
		{"ruleset check main", 0, "7 rules apply to branch main\n- deletion\n- pull_request: [allowed_merge_methods: [squash]]"},
	} {
		gh.step(t, nil, s)
	}
	var id string
	gh.world.Look(func(s *model.State) { id = fmt.Sprint(s.Repo(acme, widgets).Rulesets[0].ID) })
	for _, s := range []step{
		{"api repos/acme/widgets/rulesets/" + id, 0, set},
		{"ruleset view " + id, 0, "main\nEnforcement: Active"},
		{"api -X PUT repos/acme/widgets/rulesets/" + id + " -f enforcement=disabled", 0, `{"enforcement":"disabled","name":"main"}`},
		{"api repos/acme/widgets/rules/branches/main", 0, "[]"},
		{"api -X DELETE repos/acme/widgets/rulesets/" + id, 0, ""},
		{"api repos/acme/widgets/rulesets/" + id, refused, "gh: Not Found (HTTP 404)"},
	} {
		gh.step(t, nil, s)
	}
}

// git and gh meet a protected branch: they are refused in GitHub's words, by a
// push, by a file and by a merge.
func TestGitAndGHMeetRules(t *testing.T) {
	program, git := ghProgram(t), realtool.Find(t, realtool.Git())
	gh := at(t, newWorld(t), program)
	gh.Env = append(gh.Env, "GH_REPO="+fullName)
	helper := "credential.helper=!" + program + " auth git-credential"
	protect := func(change func(repo *model.Repo)) {
		require.NoError(t, gh.world.Setup(func(s *model.State) error {
			repo := s.Repo(acme, widgets)
			delete(repo.Protection, "main")
			repo.Rulesets = nil
			change(repo)
			return nil
		}))
	}
	gh.Must(t, program, "repo", "clone", fullName, ".")
	require.NoError(t, os.WriteFile(gh.Work+"/new.txt", []byte("new\n"), 0o600))
	gh.Must(t, git, "add", "new.txt")
	gh.Must(t, git, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "new")

	protect(func(repo *model.Repo) {
		repo.Protection["main"] = model.Protection{RequiredApprovals: 1, RequiredChecks: []string{"ci"}, AdminsToo: true}
	})
	r := gh.Run(t, git, "-c", helper, "push", "origin", "HEAD:main")
	assert.Equal(t, 1, r.Code)
	for _, line := range []string{
		"remote: error: GH006: Protected branch update failed for refs/heads/main.", "remote: - " + "Changes must be made through a pull request.",
		`remote: - Required status check "ci" is expected.`, "! [remote rejected] HEAD -> main (protected branch hook declined)",
	} {
		assert.Contains(t, r.Stderr, line)
	}
	gh.step(t, nil, step{"api -X PUT repos/acme/widgets/contents/x.txt -f message=m -f content=eA==", refused,
		`gh: Could not create file: Changes must be made through a pull request. Required status check "ci" is expected. (HTTP 409)`})
	gh.step(t, nil, step{"pr merge 7 --squash", refused, "is not mergeable: the base branch policy prohibits the merge."})
	gh.step(t, nil, step{"pr merge 7 --squash --admin", refused, "At least 1 approving review is required by reviewers with write access."})

	protect(func(repo *model.Repo) {
		repo.Rulesets = []model.Ruleset{{
			ID: 1, Name: "r", Target: model.TargetBranch, Enforcement: model.EnforcementActive, Include: []string{model.AllRefs},
			Rules: []model.Rule{{Type: model.RulePullRequest, Pull: &model.PullRule{RequiredApprovingReviewCount: 1}}},
		}}
	})
	r = gh.Run(t, git, "-c", helper, "push", "origin", "HEAD:main")
	for _, line := range []string{
		"remote: error: GH013: Repository rule violations found for refs/heads/main.", "remote: Review all repository rules at https://github.com/acme/widgets/rules?ref=refs%2Fheads%2Fmain",
		"remote: - Changes must be made through a pull request.", "! [remote rejected] HEAD -> main (push declined due to repository rule violations)",
	} {
		assert.Contains(t, r.Stderr, line)
	}
	gh.Must(t, git, "-c", helper, "push", "origin", "HEAD:mine")
	gh.step(t, nil, step{"pr merge 7 --squash --admin", refused, "Repository rule violations found"})

	protect(func(repo *model.Repo) { repo.Protection["main"] = model.Protection{RequiredApprovals: 1} })
	gh.step(t, nil, step{"pr merge 7 --squash", refused, "is not mergeable: the base branch policy prohibits the merge."})
	gh.step(t, nil, step{"pr merge 7 --squash --admin", 0, ""})
}
