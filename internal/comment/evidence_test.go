package comment_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

// judged is a finished run with a verdict by evidence.
func judged(v fake.Verdict) comment.Run {
	r := passing()
	s := r.Summary
	s.Modes[bench.GHXBase] = s.Modes[bench.AgentDirect]
	delete(s.Modes, bench.AgentDirect)
	for _, one := range s.Scenarios {
		one.Modes[bench.GHXBase] = one.Modes[bench.AgentDirect]
		delete(one.Modes, bench.AgentDirect)
	}
	v.Judge(s)
	return r
}

func TestV14VerdictsByEvidenceAreAsTheyWere(t *testing.T) {
	all, err := fake.All()
	require.NoError(t, err)
	for _, v := range all {
		t.Run(v.Name, func(t *testing.T) {
			testkit.CheckGolden(t, v.Reason, "testdata/"+v.Name+".comment.md", []byte(comment.Comment(judged(v))))
			testkit.CheckGolden(t, v.Reason, "testdata/"+v.Name+".check.md", []byte(written(comment.Check(judged(v)))))
		})
	}
}

func TestV14TheWordsAreInOneOrder(t *testing.T) {
	all, err := fake.All()
	require.NoError(t, err)
	for _, v := range all[:3] {
		r := judged(v)
		_, page, _ := strings.Cut(comment.Comment(r), "\n")
		for _, text := range []string{page, comment.Check(r).Output.Summary} {
			require.True(t, strings.HasPrefix(text, "`ghx` at `0123456` (the candidate) against `ghx@base` at `89abcde` (the baseline, without the change), on "), text)
			for _, part := range []string{" sessions\n", v.Evidence.Verdict.Word(), "| Success rate |", "| Cost |", "| Latency |", "95% confidence", "**What to do:**"} {
				_, after, found := strings.Cut(text, part)
				require.True(t, found, "%s: %q does not follow in\n%s", v.Name, part, text)
				text = after
			}
			assert.NotContains(t, strings.ToLower(text), "inconclusive")
		}
		assert.Equal(t, v.Evidence.Verdict.Word()+": "+v.Evidence.Cause.Text, comment.Check(r).Output.Title)
	}
}

// Who opens a pull request reads first where to look, and how it went there, without
// unfolding anything.
func TestTheWorstScenariosStandAboveTheFigures(t *testing.T) {
	all, err := fake.All()
	require.NoError(t, err)
	r := judged(all[1])
	require.Equal(t, bench.VerdictFail, r.Summary.Evidence.Verdict)
	e := r.Summary.Evidence
	worst := r.Summary.Scenarios[0]
	worst.Modes[bench.GHXBase] = bench.ScenarioModeSummary{Runs: 8, Successes: 8}
	worst.Modes[bench.GHX] = bench.ScenarioModeSummary{
		Runs: 8, Successes: 2, Errors: map[bench.ErrorType]int{bench.CheckpointFailed: 6}, ExampleError: "the job was not started again",
	}
	e.Cause.Endpoints = []bench.EndpointName{bench.EndpointSuccess, bench.EndpointCost}
	dearer := bench.Figure{Change: 150, Interval: bench.Interval{127, 175}}
	e.Scenarios = []bench.ScenarioEvidence{
		{ID: "as-before", BaselineSuccesses: 8, CandidateSuccesses: 8, Cost: bench.Figure{Change: -1, Interval: bench.Interval{-9, 9}}, Latency: bench.Figure{Change: 4, Interval: bench.Interval{-9, 9}}},
		{ID: "slower", BaselineSuccesses: 8, CandidateSuccesses: 8, Cost: bench.Figure{Change: -1, Interval: bench.Interval{-9, 9}}, Latency: bench.Figure{Change: 20, Interval: bench.Interval{9, 30}}},
		{ID: worst.ID, BaselineSuccesses: 8, CandidateSuccesses: 2, Success: bench.Figure{Change: -75}, Cost: dearer, Latency: bench.Figure{Untold: true, Change: 9, Interval: bench.Interval{1, 9}}},
	}
	r.Links.Scenarios = "https://bench.example/runs/r1/scenarios/"
	for _, page := range []string{comment.Comment(r), comment.Check(r).Output.Summary} {
		before, _, found := strings.Cut(page, "| Result |")
		require.True(t, found, page)
		assert.Contains(t, before, "### Worst scenarios\n\n- [`"+worst.ID+"`](<https://bench.example/runs/r1/scenarios/"+worst.ID+">): "+
			"6 of 8 runs failed (`ghx@base`: 0 of 8), 6 × `checkpoint_failed`, for example `the job was not started again`; 150% more cost.\n"+
			"- [`slower`](<https://bench.example/runs/r1/scenarios/slower>): 20% more latency.\n\n")
		assert.Contains(t, page, "Begin with the scenario that is worst off, [`"+worst.ID+"`](<https://bench.example/runs/r1/scenarios/"+worst.ID+">).")
		assert.Contains(t, page, "Comment `/bench explain "+worst.ID+"` to see what happened in it.")
	}
	measure := &e.Endpoints[1].Measure
	*measure = bench.MeasureTokens
	assert.Contains(t, comment.Comment(r), "; 150% more total tokens.\n", "there is no price")
	*measure = bench.MeasureCost
	id := worst.ID
	e.Scenarios[2].ID, worst.ID = "create_task_1", "create_task_1"
	assert.NotContains(t, comment.Comment(r), "/bench explain", "no command takes a task's name")
	assert.NotContains(t, comment.Comment(r), "the workflow's run", "and the App need not have a workflow")
	e.Scenarios[2].ID, worst.ID = id, id
	r.Commands = nil
	assert.Contains(t, comment.Comment(r), "The report with every attempt is among the artifacts of [the workflow's run](<"+r.Links.Job+">).", "an action takes no commands")
	e.Verdict, e.Cause = bench.VerdictInconclusive, bench.Cause{Kind: bench.CauseNotShown, Text: "it is not shown"}
	e.Scenarios[2].Cost.Interval[0] = -3
	assert.Contains(t, comment.Comment(r), "`the job was not started again`.\n- [`slower`]", "a cost that may be chance is no lead where nothing is shown")
	e.Verdict = bench.VerdictPass
	assert.NotContains(t, comment.Comment(r), "Worst scenarios")
}

func TestV11WithoutASuccessThereIsOneCauseAndNoFigure(t *testing.T) {
	r := failing()
	for mode, m := range r.Summary.Modes {
		m.SuccessRate = 0
		r.Summary.Modes[mode] = m
	}
	c := comment.Check(r).Output
	assert.Equal(t, "FAIL: "+bench.NothingSucceeded, c.Title)
	for _, text := range []string{comment.Comment(r), c.Summary + c.Text} {
		assert.Equal(t, 1, strings.Count(text, bench.NothingSucceeded))
		for _, part := range []string{"checks passed", "❌ fail", "Why it failed", "xychart", "█", "% less"} {
			assert.NotContains(t, text, part)
		}
	}
}

func TestRowsThatAreLeftOutAreNamed(t *testing.T) {
	all, err := fake.All()
	require.NoError(t, err)
	r := judged(all[0])
	var out bench.Omissions
	for i := range 17 {
		out.Add("not judged: the block came after the last look", bench.Cell{ScenarioID: "pr-view-001", Mode: bench.GHX, Iteration: 17 - i})
	}
	r.Summary.LeftOut = out.List()
	assert.Contains(t, comment.Comment(r), "- 17 rows: not judged: the block came after the last look: "+
		"`pr-view-001/ghx/1`, `pr-view-001/ghx/2`, `pr-view-001/ghx/3`, `pr-view-001/ghx/4`, `pr-view-001/ghx/5` and 12 more, all in summary.json\n")
}

// evidenceExamples are runs that evidence decided.
func evidenceExamples(t *testing.T) (examples []example) {
	all, err := fake.All()
	require.NoError(t, err)
	for _, v := range all {
		examples = append(examples, example{v.Name, v.Reason, judged(v)})
	}
	return examples
}
