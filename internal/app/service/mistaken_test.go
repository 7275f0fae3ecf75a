package service_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// sets has the default branch have other settings, or none.
func (r *rig) sets(text string) {
	r.Helper()
	path := sandboxtest.Path + "/contents/" + settings.Path
	change := map[string]any{"message": "settings", "branch": "main", "sha": r.As("writer").Get(path).Text("sha")}
	method := "DELETE"
	if text != "" {
		method, change["content"] = "PUT", base64.StdEncoding.EncodeToString([]byte(text))
	}
	reply := r.As("writer").Do(method, path, change)
	require.Equal(r, http.StatusOK, reply.Status, reply.Body)
}

// Where settings are missing or mistaken nothing is measured, whoever asks.
func TestNothingIsMeasuredByMistakenSettings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ now, outcome, conclusion, told string }{
		"they are gone":               {now: "", outcome: "no_settings"},
		"they are mistaken":           {"model: [1]\n", "broken_settings", "action_required", "model"},
		"a scenario is not known":     {config + "scenarios: [pr-veiw-001]\n", "broken_settings", "action_required", "did you mean \"pr-view-001\"?"},
		"a set is not known":          {config + "scenario_set: ci-verfy-pr\n", "broken_settings", "action_required", "did you mean \"ci-verify-pr\"?"},
		"no plan can be made of them": {config + "profile: regression\nscenarios: [pr-view-001]\n", "broken_settings", "action_required", ".github/bench.yml:1:1: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, config+"labels: {run: bench}\n")
			r.pullEvent("opened")
			r.wait(1)
			skipped := r.check()
			require.Equal(t, "skipped", string(skipped.Conclusion))
			r.sets(c.now)
			r.press("writer", "requested_action", "full", skipped.ID)
			assert.Equal(t, 1, r.counted("check_run", "run", c.outcome))
			want := []string{"skipped"}
			if c.conclusion != "" {
				r.wait(1)
				want = append(want, c.conclusion)
				run := r.run("run-2")
				check := r.checks()[1]
				assert.Equal(t, "NOT RUN: something in the settings must be mended", check.Output.Title)
				if assert.NotEmpty(t, check.Annotations) {
					assert.Equal(t, settings.Path, check.Annotations[0].Path)
					assert.Contains(t, check.Annotations[0].Message, c.told)
				}
				assert.Equal(t, []any{runs.Broken, r.head, "re-run by writer"}, []any{run.State, run.Head, run.Request.Asked})
			}
			assert.Equal(t, want, r.concluded("bench"))
			assert.Empty(t, r.executor.works())
		})
	}
}

// Help is there for who has not got so far.
func TestACommandSaysThatTheSettingsAreMistaken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ config, says string }{
		"missing":  {"", "there is no `.github/bench.yml`"},
		"mistaken": {"model: [1]\n", "model"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c.config)
			r.comment("writer", "/bench run")
			assert.Contains(t, r.answer(), c.says)
			assert.Equal(t, []string{"confused"}, r.reactions())
			r.comment("writer", "/bench help")
			assert.Contains(t, r.answer(), "| `/bench status` |")
			assert.Equal(t, []string{"confused", "+1"}, r.reactions())
			r.none("run-1", "nothing is measured")
		})
	}
}

func TestProposedSettingsOfAClosedPullRequestAreNobodysConcern(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.propose("model: 7\n")
	open := r.pull()
	r.close()
	r.deliver("pull_request", map[string]any{"action": "opened", "pull_request": open})
	assert.Empty(t, r.proposed())
}

// Each event of a commit finds the same mistakes, which are told once.
func TestMistakenSettingsAreToldOnceOfACommit(t *testing.T) {
	t.Parallel()
	r := newRig(t, "model: [1]\n")
	r.pullEvent("opened")
	r.wait(1)
	r.pullEvent("reopened")
	r.none("run-2", "it is said already")
}

// What an organisation sets is not lacking in a repository's first settings.
func TestProposedSettingsHaveTheDefaultsOfTheOrganisation(t *testing.T) {
	t.Parallel()
	r := newRig(t, "")
	r.organisation("model: scripted\nexecutor: local\n")
	r.propose("scenarios: [pr-view-001]\n")
	r.pullEvent("opened")
	assert.Empty(t, r.proposed())
}

// What a check run says is of one commit, compared with one base: so is what its
// buttons measure.
func TestAButtonOfTheDefaultBranchMeasuresTheSameAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, config+"baseline: {push: true}\n")
	r.deliver("push", r.lands("src/b.ts", "Add b"))
	r.wait(1)
	first := r.run("run-1")
	require.NotEmpty(t, first.Request.BaseSHA)
	of := func(r runs.Run) []any {
		return []any{r.Head, r.Suite, r.Pull, r.Request.BaseSHA, r.Request.BaseRef, r.Request.HeadRepo, r.Request.DefaultBranch, r.Request.Plan.Scenarios}
	}
	r.press("writer", "requested_action", "full", first.CheckID)
	r.wait(1)
	assert.Equal(t, of(first), of(r.run("run-2")))

	// Mistaken settings are told of on the same check.
	r.sets("model: [1]\n")
	r.press("writer", "requested_action", "full", first.CheckID)
	r.wait(1)
	assert.Equal(t, []string{"success", "success", "action_required"}, r.concluded("bench (baseline)"))
	assert.Empty(t, r.concluded("bench"))
	assert.Len(t, r.executor.works(), 2)
}

func TestAButtonOfAPartialRunMeasuresThatAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, manual)
	r.comment("writer", "/bench run pr-view-001")
	r.wait(1)
	r.press("writer", "requested_action", "full", r.run("run-1").CheckID)
	r.wait(1)
	again := r.run("run-2")
	assert.Equal(t, []any{[]string{"pr-view-001"}, "bench (partial)"}, []any{again.Request.Plan.Scenarios, again.Suite})
	assert.Empty(t, r.concluded("bench"), "the check that is required says nothing of it")
}

func TestAButtonMeasuresWhatIsMissingOrEverything(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		button    string
		rows      int // of 16
		continues string
	}{{"retry", 3, "run-1"}, {"full", 3, ""}, {"retry", 16, ""}} {
		r := newRig(t, config)
		r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
			for i := range c.rows {
				w.Keep(cellOf("pr-merge-001", i+1), fmt.Appendf(nil, `{"scenario_id":"pr-merge-001","mode":"ghx","iteration":%d}`, i+1))
			}
			return passes(ctx, w)
		})
		r.pullEvent("opened")
		r.wait(1)
		r.press("writer", "requested_action", c.button, r.check().ID)
		r.wait(1)
		assert.Equal(t, c.continues, r.run("run-2").Request.Continues, "%s of %d rows", c.button, c.rows)
	}
}

func TestTheStatusIsThatOfTheLastRun(t *testing.T) {
	t.Parallel()
	r := newRig(t, manual)
	r.comment("writer", "/bench run pr-view-001")
	r.wait(1)
	r.comment("writer", "/bench run")
	r.wait(1)
	r.comment("writer", "/bench status")
	assert.NotContains(t, r.answer(), "bench (partial)")
}
