package service_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// concluded returns how the App's check runs of a name ended, the oldest first.
func (r *rig) concluded(name string) (all []string) {
	r.Look(func(s *model.State) {
		for c := range s.CheckRuns.All() {
			if c.AppID == r.app && c.Name == name {
				all = append(all, string(c.Conclusion))
			}
		}
	})
	return all
}

// judges has runs come to a verdict.
// A check is of a commit, and what is compared with one base says nothing about another.
func TestAVerdictAgainstABaseIsNoOtherPullRequests(t *testing.T) {
	t.Parallel()
	for modes, conclusion := range map[string]string{"baseline_mode: ghx@base\nmodes: [ghx@base, ghx]\n": "action_required", "": "success"} {
		r := newRig(t, config+modes)
		r.Change(func(s *model.State, repo *model.Repo) {
			main, _ := s.BranchHead(repo, "main")
			require.NoError(t, s.CreateRef(repo.OwnerID, repo, "refs/heads/bad", main))
		})
		second := r.As("writer").Do("POST", sandboxtest.Path+"/pulls", `{"title":"To a bad base","head":"change","base":"bad"}`)
		require.Equal(t, 201, second.Status, second.Body)
		r.pullEvent("opened")
		r.wait(1)
		assert.Equal(t, conclusion, string(r.check().Conclusion), modes)
		if modes != "" {
			assert.Contains(t, r.check().Output.Title, "the commit is another pull request's too")
		}
	}
}

func (r *rig) judges(v bench.Verdict) {
	r.executor.set(func(context.Context, service.Work) (runs.Outcome, error) {
		return runs.Outcome{Summary: &bench.Summary{Gate: bench.Gate{Verdict: v, Passed: v == bench.VerdictPass}}}, nil
	})
}

// A smaller run, or an easier one, says nothing on the check that is required.
func TestARunOfSomethingElseHasACheckOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, words := range []string{"pr-view-001", "--repetitions 1", "verify_release", "--model other/m", "--modes mcp,agent_direct,ghx"} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, config)
			r.judges(bench.VerdictFail)
			r.pullEvent("opened")
			r.wait(1)
			r.judges(bench.VerdictPass)
			r.comment("writer", "/bench run "+words)
			r.wait(1)
			assert.Equal(t, []string{"failure"}, r.concluded("bench"))
			assert.Equal(t, []string{"success"}, r.concluded("bench (partial)"))
			for _, said := range r.comments() {
				if strings.Contains(said, "**bench**") && !strings.Contains(said, "👍") {
					assert.NotContains(t, said, "PASS", "the comment of the required check stands")
				}
			}

			r.comment("writer", "/bench status")
			assert.Contains(t, r.answer(), "bench (partial)", "the last run is told of")
			r.comment("writer", "/bench run")
			r.wait(1)
			assert.Equal(t, []string{"failure", "success"}, r.concluded("bench"), "as the settings say")
		})
	}
}

func TestWordsThatSayWhatTheSettingsSayAreNoOtherRun(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	r.judges(bench.VerdictFail)
	r.pullEvent("opened")
	r.wait(1)
	r.judges(bench.VerdictPass)
	r.comment("writer", "/bench run verify_pr --modes ghx,agent_direct --repetitions 4")
	r.wait(1)
	assert.Equal(t, []string{"failure", "success"}, r.concluded("bench"))
	assert.Empty(t, r.concluded("bench (partial)"))
}

func TestACancelAndAPushEndPartialRunsToo(t *testing.T) {
	t.Parallel()
	r := newRig(t, manual)
	began := make(chan struct{})
	r.executor.set(func(ctx context.Context, _ service.Work) (runs.Outcome, error) {
		began <- struct{}{}
		<-ctx.Done()
		return runs.Outcome{}, context.Cause(ctx)
	})
	r.comment("writer", "/bench run")
	<-began
	r.comment("writer", "/bench run pr-view-001") // it waits
	alive, err := r.table.AliveAll(t.Context())
	require.NoError(t, err)
	require.Len(t, alive, 2, "neither takes the other's place")
	r.comment("writer", "/bench cancel")
	r.wait(2)
	assert.Equal(t, []string{"cancelled"}, r.concluded("bench"))
	assert.Equal(t, []string{"cancelled"}, r.concluded("bench (partial)"))

	r.comment("writer", "/bench run pr-view-001")
	<-began
	r.judges(bench.VerdictPass)
	r.push("again.txt")
	r.comment("writer", "/bench run")
	r.wait(2)
	assert.Equal(t, []string{"cancelled", "cancelled"}, r.concluded("bench (partial)"), "it was of another commit")
	assert.Equal(t, []string{"cancelled", "success"}, r.concluded("bench"))
}
