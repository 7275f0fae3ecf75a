package rest_test

import (
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// The rule that has a branch changed by a queue is kept whole, or refused.
func TestTheRuleOfMergeQueues(t *testing.T) {
	w := sandboxtest.New(t)
	owner := w.As("owner")
	whole := map[string]any{
		"check_response_timeout_minutes": 10.0, "grouping_strategy": "ALLGREEN", "max_entries_to_build": 5.0, "max_entries_to_merge": 4.0, "merge_method": "SQUASH",
		"min_entries_to_merge": 1.0, "min_entries_to_merge_wait_minutes": 3.0,
	}
	add := func(parameters map[string]any) sandboxtest.Reply {
		return owner.Do("POST", base+"/rulesets", map[string]any{
			"name": "queue", "target": "branch", "enforcement": "active", "conditions": map[string]any{"ref_name": map[string]any{"include": []string{"~DEFAULT_BRANCH"}, "exclude": []string{}}},
			"rules": []any{map[string]any{"type": "merge_queue", "parameters": parameters}},
		})
	}
	for name, value := range map[string]any{"grouping_strategy": "TAILGREEN", "merge_method": "merge", "max_entries_to_build": "many", "min_entries_to_merge": nil} {
		wrong := maps.Clone(whole)
		if wrong[name] = value; value == nil {
			delete(wrong, name)
		}
		assert.Equal(t, http.StatusUnprocessableEntity, add(wrong).Status, name)
	}
	made := add(whole)
	assert.Equal(t, http.StatusCreated, made.Status, made.Body)
	assert.Equal(t, whole, made.At("rules.0.parameters"))
	assert.Equal(t, whole, owner.Get(base+"/rules/branches/main").At("0.parameters"))
	openPull(t, w, "topic", "a.txt", "a\n")
	merge := owner.Do("PUT", base+"/pulls/1/merge", nil)
	assert.Equal(t, http.StatusMethodNotAllowed, merge.Status)
	queue := owner.GraphQL(`{ repository(owner: "owner", name: "hello") { mergeQueue(branch: "main") { configuration { checkResponseTimeout mergeMethod mergingStrategy maximumEntriesToBuild } } none: mergeQueue(branch: "topic") { id } } }`)
	assert.Equal(t, map[string]any{"checkResponseTimeout": 10.0, "mergeMethod": "SQUASH", "mergingStrategy": "ALLGREEN", "maximumEntriesToBuild": 5.0}, queue.At("data.repository.mergeQueue.configuration"))
	assert.Nil(t, queue.At("data.repository.none"))
}
