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
			require.True(t, strings.HasPrefix(text, "`ghx` at `0123456` against `ghx@base` at `89abcde`, on "), text)
			for _, part := range []string{" sessions\n", v.Evidence.Verdict.Word(), "| Success rate |", "| Cost |", "| Latency |", "**Not ruled out:**", "**What to do:**"} {
				_, after, found := strings.Cut(text, part)
				require.True(t, found, "%s: %q does not follow in\n%s", v.Name, part, text)
				text = after
			}
			assert.NotContains(t, strings.ToLower(text), "inconclusive")
		}
		assert.Equal(t, v.Evidence.Verdict.Word()+": "+v.Evidence.Cause.Text, comment.Check(r).Output.Title)
	}
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
