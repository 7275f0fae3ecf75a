package service_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

func TestTheSettingsSayWhoMayPress(t *testing.T) {
	t.Parallel()
	r := newRig(t, config+"commands: {permission: admin}\n")
	r.pullEvent("opened")
	r.wait(1)
	check := r.check().ID
	suite := map[string]any{"id": 1, "head_sha": r.head, "app": map[string]any{"id": r.app}}
	for _, button := range []string{"full", "retry", "explain"} {
		r.press("writer", "requested_action", button, check)
	}
	r.press("writer", "rerequested", "", check)
	r.deliver("check_suite", map[string]any{"action": "rerequested", "check_suite": suite})
	assert.Len(t, r.checks(), 1)
	assert.Empty(t, r.answers())
	assert.Equal(t, 2, r.counted("check_run", "retry", "no_permission"))
	assert.Equal(t, 1, r.counted("check_suite", "retry", "no_permission"))

	r.press("owner", "requested_action", "full", check)
	r.wait(1)
	assert.Len(t, r.checks(), 2)
}

func TestAButtonOnAnOldHeadStartsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.pullEvent("opened")
	r.wait(1)
	old := r.check().ID
	r.push("src/b.ts")
	for _, button := range []string{"full", "retry"} {
		r.press("writer", "requested_action", button, old)
	}
	assert.Len(t, r.checks(), 1)
	assert.Equal(t, 1, r.counted("check_run", "run", "outdated"))
	r.press("writer", "requested_action", "explain", old)
	assert.Contains(t, r.answer(), "PASS", "what came of it stays true")
}

func TestAButtonOfAClosedPullRequestStartsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.pullEvent("opened")
	r.wait(1)
	r.close()
	r.press("writer", "requested_action", "full", r.check().ID)
	assert.Len(t, r.checks(), 1)
	assert.Equal(t, 1, r.counted("check_run", "run", "closed"))
}

func TestAButtonMeasuresWhatWasSkipped(t *testing.T) {
	t.Parallel()
	r := newRig(t, config+"labels: {run: bench}\n")
	r.pullEvent("opened")
	r.wait(1)
	r.press("writer", "requested_action", "full", r.check().ID)
	r.wait(1)
	checks := r.checks()
	assert.Equal(t, "success", string(checks[len(checks)-1].Conclusion))
}

// A delivery that comes again makes no second run.
func TestAPressIsDoneOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.pullEvent("opened")
	r.wait(1)
	payload := map[string]any{
		"action": "rerequested", "check_run": r.get(sandboxtest.Path + "/commits/" + r.head + "/check-runs")["check_runs"].([]any)[0],
	}
	for range 2 {
		r.again("press", "check_run", payload)
		r.close()
	}
	r.wait(1)
	assert.Len(t, r.checks(), 2)
	assert.Equal(t, 2, r.counted("check_run", "retry", "carried_out"), "it was pressed while the pull request was open")
}

// There is nowhere to explain a run that no pull request is about.
func TestARunOfTheDefaultBranchIsExplainedToNobody(t *testing.T) {
	t.Parallel()
	r := newRig(t, config+"baseline: {push: true}\n")
	r.deliver("push", r.lands("src/b.ts", "Add b"))
	r.wait(1)
	r.press("writer", "requested_action", "explain", r.run("run-1").CheckID)
	assert.Equal(t, 1, r.counted("check_run", "explain", "nothing_to_do"))
	assert.Empty(t, r.answers())
}
