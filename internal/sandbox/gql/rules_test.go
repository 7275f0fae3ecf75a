package gql_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

const ruleParts = `id pattern databaseId creator { login } isAdminEnforced requiresApprovingReviews requiredApprovingReviewCount requiresStatusChecks requiredStatusCheckContexts
	requiresStrictStatusChecks dismissesStaleReviews requiresLinearHistory lockBranch allowsForcePushes matchingRefs(first: 9) { nodes { name } }`

// Rules of patterns are made, changed and deleted by administrators, and hold.
func TestBranchProtectionRules(t *testing.T) {
	w := newWorld(t)
	const create = `mutation($i: CreateBranchProtectionRuleInput!) { createBranchProtectionRule(input: $i) { branchProtectionRule { ` + ruleParts + ` } } }`
	input := map[string]any{
		"repositoryId": w.repo, "pattern": "rel*", "isAdminEnforced": true, "requiresApprovingReviews": true, "requiresStatusChecks": true,
		"requiresStrictStatusChecks": true, "requiredStatusChecks": []any{map[string]any{"context": "ci", "appId": "any"}}, "dismissesStaleReviews": true,
		"requiresLinearHistory": true,
	}
	w.refused("FORBIDDEN", "writer does not have the correct permissions to execute `CreateBranchProtectionRule`", "writer", create, "i", input)
	w.Change(func(s *model.State, repo *model.Repo) {
		main, _ := s.BranchHead(repo, "main")
		assert.NoError(t, s.CreateRef(repo.OwnerID, repo, "refs/heads/release", main))
	})
	made := w.do("owner", create, "i", input)
	at := func(path string) any { return made.At("data.createBranchProtectionRule.branchProtectionRule." + path) }
	assert.Equal(t, []any{"rel*", "owner", true, true, 1.0, "ci", true, true, true, false, "release"}, []any{
		at("pattern"), at("creator.login"), at("isAdminEnforced"), at("requiresApprovingReviews"), at("requiredApprovingReviewCount"), at("requiredStatusCheckContexts.0"),
		at("requiresStrictStatusChecks"), at("dismissesStaleReviews"), at("requiresLinearHistory"), at("lockBranch"), at("matchingRefs.nodes.0.name"),
	})
	w.refused("UNPROCESSABLE", "Name already protected: rel*", "owner", create, "i", input)
	w.Change(func(s *model.State, repo *model.Repo) {
		_, err := s.WriteFile(repo.OwnerID, repo, model.FileWrite{Path: "x", Content: []byte("x"), Branch: "release", Message: "m"})
		assert.ErrorContains(t, err, "Changes must be made through a pull request.")
	})

	const update = `mutation($id: ID!) { updateBranchProtectionRule(input: {branchProtectionRuleId: $id, requiresApprovingReviews: false, requiresStatusChecks: false, pattern: "release"}) { branchProtectionRule { ` + ruleParts + ` } } }`
	w.refused("FORBIDDEN", "writer does not have the correct permissions to execute `UpdateBranchProtectionRule`", "writer", update, "id", at("id"))
	changed := w.do("owner", update, "id", at("id"))
	assert.Equal(t, false, changed.At("data.updateBranchProtectionRule.branchProtectionRule.requiresApprovingReviews"))
	listed := w.do("reader", `{ repository(owner: "owner", name: "hello") { branchProtectionRules(first: 9) { totalCount nodes { pattern requiresLinearHistory } } } }`)
	assert.Equal(t, map[string]any{"totalCount": 1.0, "nodes": []any{map[string]any{"pattern": "release", "requiresLinearHistory": true}}}, listed.At("data.repository.branchProtectionRules"))

	const remove = `mutation($id: ID!) { deleteBranchProtectionRule(input: {branchProtectionRuleId: $id}) { clientMutationId } }`
	id := changed.At("data.updateBranchProtectionRule.branchProtectionRule.id")
	w.refused("FORBIDDEN", "writer does not have the correct permissions to execute `DeleteBranchProtectionRule`", "writer", remove, "id", id)
	w.do("owner", remove, "id", id)
	w.refused("NOT_FOUND", fmt.Sprintf("Could not resolve to a node with the global id of '%s'", id), "owner", remove, "id", id)
}
