package benchcli_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/suite"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/comment"
)

func page(v suite.Verdict) (comment.CheckRun, string) {
	s := benchcli.SuiteSummary(v, "gpt-5.4")
	run := comment.Run{Suite: "terminal-bench", Phase: comment.Finished, Summary: &s, At: time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)}
	return comment.Check(run), comment.Comment(run)
}

func TestAVerdictCanBePublished(t *testing.T) {
	best := 2.0 / 3
	passed := suite.Verdict{
		Passed: true, Reason: "All steps clear.", Policy: "agent", Timestamp: "2026-08-01T12:00:00+00:00",
		Suite: suite.SuiteStep{Passed: true, Threshold: 0.8},
		Full: suite.FullStep{Passed: true, ValScore: 2.0 / 3, Best: &best, Results: harness.Results{
			"a": harness.Reward(1), "b": harness.Reward(1), "c": harness.NoReward(harness.Timeout, "slow"),
		}},
	}
	t.Run("a gate that is passed concludes in success", func(t *testing.T) {
		check, text := page(passed)
		assert.EqualValues(t, "success", check.Conclusion)
		assert.Contains(t, text, "all 2 checks passed")
		assert.Contains(t, text, "| ✅ pass | Regression suite, passed | 100% | ≥ 80% |")
		assert.Contains(t, text, "| ✅ pass | Full test, mean reward | 66.7% | ≥ 66.667% |")
		assert.Contains(t, text, "no reward for 1 of 3 tasks (timeout)")
		assert.NotContains(t, text, "Reliability", "there are no two gates")
	})
	t.Run("a gate that is not passed concludes in failure, and says why", func(t *testing.T) {
		v := passed
		v.Passed, v.Reason = false, "eval suite pass rate 50% < threshold 80%"
		v.Suite = suite.SuiteStep{EvalsPassed: 1, EvalsTotal: 2, PassRate: 0.5, Threshold: 0.8, Results: harness.Results{
			"<b>x": harness.Reward(0), "y": harness.Reward(1),
		}}
		v.Full.Passed, v.Full.ValScore = false, 0.5
		check, text := page(v)
		assert.EqualValues(t, "failure", check.Conclusion)
		assert.Contains(t, text, "2 of 2 checks failed")
		assert.Contains(t, text, "1 of 2 tasks passed")
		assert.Contains(t, text, "The best so far is 0.6666")
		assert.NotContains(t, text, "<b>x", "ids of tasks do nothing on a page")
	})
	t.Run("many tasks are counted", func(t *testing.T) {
		results := harness.Results{}
		for _, id := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"} {
			results[id] = harness.Reward(0)
		}
		s := benchcli.SuiteSummary(suite.Verdict{Suite: suite.SuiteStep{EvalsTotal: 12, Results: results}, Full: suite.FullStep{Passed: true}}, "m")
		assert.Equal(t, bench.VerdictFail, s.Gate.Verdict)
		assert.Contains(t, s.Gate.Checks[0].Reason, "Not so: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 others.")
	})
}
