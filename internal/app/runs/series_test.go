package runs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

func TestRunsOfOneModelSetAndPairOfModesAreASeries(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := at(t, address)
		judged := func(id string, change func(*runs.Run), o runs.Outcome) {
			r.run(id, func(run *runs.Run) {
				run.Request.Plan.Baseline, run.Request.Plan.Candidate, run.Request.Plan.Profile = bench.AgentDirect, bench.GHX, bench.VerifyPR
				change(run)
			})
			r.end(id, runs.Finished, o)
		}
		summary := func(tokens float64) runs.Outcome {
			return runs.Outcome{Summary: &bench.Summary{Gate: bench.Gate{Verdict: bench.VerdictPass, Checks: []bench.Check{
				{Name: bench.CheckTokensReduction, Value: tokens, Threshold: 15, Interval: &bench.Interval{tokens - 1, tokens + 1}},
			}}}}
		}
		same := func(*runs.Run) {}
		judged("pull", same, summary(20))
		judged("main", func(run *runs.Run) { run.Pull, run.Request.DefaultBranch = 0, true }, summary(21))
		judged("model", func(run *runs.Run) { run.Request.Plan.Model = "c/d" }, summary(22))
		judged("set", func(run *runs.Run) { run.Request.Plan.Set = "ci-verify-release" }, summary(23))
		judged("modes", func(run *runs.Run) { run.Request.Plan.Baseline = bench.MCP }, summary(24))
		judged("partial", func(run *runs.Run) { run.Suite += comment.PartialSuffix }, summary(25))
		judged("unjudged", same, runs.Outcome{})
		judged("elsewhere", func(run *runs.Run) { run.Repo = "other/x" }, summary(26))

		source := runs.Source{Table: r.Table}
		all, err := source.Series(t.Context(), "Aryeko/GHX")
		require.NoError(t, err)
		require.Len(t, all, 4)
		count := map[string]int{}
		for _, one := range all {
			count[one.Name] = one.Runs
		}
		const usual = "a/b · ci-verify-pr · ghx against agent_direct · verify_pr"
		require.Equal(t, 2, count[usual], count)
		course, err := source.Course(t.Context(), "aryeko/ghx", usual, 10)
		require.NoError(t, err)
		require.Len(t, course, 2)
		for _, p := range course {
			assert.Equal(t, p.RunID == "main", p.DefaultBranch)
			assert.Equal(t, "h-"+p.RunID, p.Commit)
			limits := p.Limits[bench.CheckTokensReduction]
			assert.Equal(t, []float64{*p.TokensPct - 1, *p.TokensPct + 1, 15}, []float64{*limits.Low, *limits.High, *limits.Threshold})
		}

		// As a release left it that had no points yet.
		require.NoError(t, r.db.Write(t.Context(), func(tx *queue.Tx) error {
			_, err := tx.Exec(t.Context(), "DELETE FROM run_point")
			if err == nil {
				_, err = tx.Exec(t.Context(), "UPDATE run SET point_due = 1 WHERE state = 'finished'")
			}
			return err
		}))
		_, err = runs.Open(t.Context(), r.db)
		require.NoError(t, err)
		again, err := source.Course(t.Context(), "aryeko/ghx", usual, 10)
		require.NoError(t, err)
		assert.ElementsMatch(t, course, again)
	})
}
