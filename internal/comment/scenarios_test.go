package comment_test

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// fares is a scenario of ten runs in each mode that went like that: successes of
// baseline and candidate, and the reductions of latency and cost in percent.
func fares(id string, baseline, candidate int, latency, cost float64) bench.ScenarioSummary {
	s := scenario(id, 10, baseline, candidate)
	s.TokensActiveReductionPct, s.ToolCallReductionPct, s.LatencyReductionPct, s.CostReductionPct = nil, nil, &latency, &cost
	return s
}

// unstable is a scenario with too few stable runs to count.
func unstable(s bench.ScenarioSummary) bench.ScenarioSummary {
	s.Eligible = false
	return s
}

// listed are the scenarios in the rows of a page's table, in their order.
func listed(page string) (ids []string) {
	_, table, _ := strings.Cut(page, "\n| Scenario |")
	for _, found := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(table, -1) {
		ids = append(ids, found[1])
	}
	return ids
}

// What is lost counts most, then what fails, then what cannot be compared, then what
// costs more: each of these scenarios is better than the one before it in what counts
// most of what they differ in, and worse in the rest.
func TestScenariosAreListedTheWorstFirst(t *testing.T) {
	noBaseline := unstable(fares("loses-against-none", 0, 9, 50, 50))
	noBaseline.Modes[bench.AgentDirect] = bench.ScenarioModeSummary{}
	neverRan := fares("never-ran", 10, 10, -1, 5)
	neverRan.Modes[bench.GHX] = bench.ScenarioModeSummary{}
	unknown := fares("not-known", 10, 10, math.NaN(), math.Inf(-1))
	want := []bench.ScenarioSummary{
		fares("loses-four", 10, 6, 50, 50),
		fares("loses-three-of-six", 6, 3, 50, 50),
		unstable(fares("loses-three", 10, 7, -90, -90)),
		noBaseline,
		fares("fails-in-both", 2, 2, 50, 50),
		unstable(fares("fails-less-than-before", 1, 6, -90, -90)),
		unstable(fares("unstable", 10, 10, 50, 50)),
		fares("slower", 10, 10, -20, 50),
		fares("dearer", 10, 10, 50, -10),
		neverRan,
		unknown,
		fares("a-bit-better", 10, 10, 5, 6),
		fares("better", 10, 10, 8, 7),
		fares("as-good-as-the-one-before", 10, 10, 7, 8),
	}
	run := passing()
	var ids []string
	run.Summary.Scenarios = nil
	for _, s := range want {
		ids = append(ids, s.ID)
	}
	for i := range want { // in another order, but for equal ones
		run.Summary.Scenarios = append(run.Summary.Scenarios, want[(i*3+5)%len(want)])
	}
	assert.Equal(t, ids, listed(comment.Comment(run)))
	assert.Equal(t, ids, listed(comment.JobSummary(run)))
	assert.Len(t, listed(comment.Comment(run)), len(want))
}

// Each scenario with its one fault, in words, and none without.
func TestScenariosAreComplainedOfOnlyWhereSomethingIsWorse(t *testing.T) {
	noBaseline := fares("a-001", 10, 8, 5, 5)
	noBaseline.Modes[bench.AgentDirect] = bench.ScenarioModeSummary{}
	neverRan := fares("a-001", 10, 10, 5, 5)
	neverRan.Modes[bench.GHX] = bench.ScenarioModeSummary{}
	errors := func(s bench.ScenarioSummary, example string, types map[bench.ErrorType]int) bench.ScenarioSummary {
		m := s.Modes[bench.GHX]
		m.ExampleError, m.Errors = example, types
		s.Modes[bench.GHX] = m
		return s
	}
	all := fares("a-001", 10, 9, -3, -4)
	all.TokensActiveReductionPct, all.ToolCallReductionPct = ref(-1.0), ref(-2.0)
	for name, c := range map[string]struct {
		of    bench.ScenarioSummary
		says  string
		level comment.Level
	}{
		"nothing is worse":             {of: fares("a-001", 10, 10, 0, 5)},
		"nothing is known":             {of: fares("a-001", 10, 10, math.NaN(), math.Inf(-1))},
		"the candidate never ran":      {of: neverRan},
		"one is slower":                {fares("a-001", 10, 10, -0.5, 5), "0.5% more latency.", comment.LevelNotice},
		"one is slower and dearer":     {fares("a-001", 10, 10, -20, -7), "20% more latency, 7% more cost.", comment.LevelNotice},
		"one cannot be compared":       {unstable(fares("a-001", 10, 10, 5, 5)), "too few stable runs to compare (agent_direct: 10, ghx: 10).", comment.LevelNotice},
		"one fails":                    {errors(fares("a-001", 9, 9, 5, 5), "", nil), "1 of 10 runs failed (agent_direct: 1 of 10).", comment.LevelWarning},
		"one fails without a baseline": {errors(noBaseline, "no such label", nil), "2 of 10 runs failed, for example no such label.", comment.LevelWarning},
		"all is worse": {unstable(errors(all, "x", map[bench.ErrorType]int{bench.RunnerError: 1})),
			"1 of 10 runs failed (agent_direct: 0 of 10), 1 × runner_error, for example x; too few stable runs to compare (agent_direct: 10, ghx: 9); 1% more active tokens, 3% more latency, 2% more tool calls, 4% more cost.", comment.LevelWarning},
		"many kinds of errors": {errors(fares("a-001", 10, 0, 5, 5), "", map[bench.ErrorType]int{"e": 3, "d": 1, "c": 1, "b": 1, "a": 1}),
			"10 of 10 runs failed (agent_direct: 0 of 10), 3 × e, 1 × a, 1 × b, 1 × c.", comment.LevelWarning},
	} {
		t.Run(name, func(t *testing.T) {
			run := failing()
			run.Summary.Scenarios = []bench.ScenarioSummary{c.of}
			run.Places = comment.Places{Scenarios: map[string]comment.Place{"a-001": {Path: "a.json", Line: 3}}}
			page, notes := comment.Comment(run), comment.Check(run).Output.Annotations
			if c.says == "" {
				assert.NotContains(t, page, "Worst scenarios")
				assert.NotContains(t, page, "Begin with the worst scenario")
				assert.Empty(t, notes)
				return
			}
			plain := strings.NewReplacer("`", "", `\`, "")
			_, worst, _ := strings.Cut(page, "### Worst scenarios\n\n- `a-001`: ")
			worst, _, _ = strings.Cut(worst, "\n")
			assert.Equal(t, c.says, plain.Replace(worst))
			assert.Contains(t, page, "Begin with the worst scenario, `a-001`")
			require.Len(t, notes, 1)
			assert.Equal(t, comment.Annotation{Path: "a.json", StartLine: 3, EndLine: 3, Level: c.level, Title: "Scenario a-001", Message: c.says}, notes[0])
			run.Summary.Gate.Verdict = bench.VerdictNone
			assert.Equal(t, comment.LevelNotice, comment.Check(run).Output.Annotations[0].Level, "nothing was judged")
		})
	}
}

func TestThreeScenariosAreToldInWords(t *testing.T) {
	run := failing()
	run.Summary.Scenarios = nil
	for i := range 5 {
		run.Summary.Scenarios = append(run.Summary.Scenarios, fares(fmt.Sprintf("a-%03d", i), 10, 5+i%4, 5, 5))
	}
	page := comment.Comment(run)
	for i, told := range []bool{true, true, false, false, true} {
		assert.Equal(t, told, strings.Contains(page, fmt.Sprintf("- `a-%03d`: ", i)), i)
	}
	run.Summary.Gate.Checks = nil
	assert.NotContains(t, comment.Comment(run), "Worst scenarios", "without a check nothing was compared")
}

// A page says how many there are of what it has no room for.
func TestWhatATableDoesNotShowIsCounted(t *testing.T) {
	run := failing()
	for _, count := range []int{100, 101, 1102} {
		run.Summary.Scenarios = nil
		for i := range count {
			s := fares(fmt.Sprintf("a-%04d", i), 10, 9, 5, 5)
			m := s.Modes[bench.GHX]
			m.ExampleError = ""
			s.Modes[bench.GHX] = m
			run.Summary.Scenarios = append(run.Summary.Scenarios, s)
		}
		page := comment.Comment(run)
		more := map[int]string{101: "\n*… and 1 more %s in [the report]", 1102: "\n*… and 1,002 more %ss in [the report]"}[count]
		for _, noun := range []string{"scenario", "failure"} {
			if more != "" {
				assert.Contains(t, page, fmt.Sprintf(more, noun))
			} else {
				assert.NotContains(t, page, " more "+noun)
			}
		}
		assert.Len(t, listed(page), 100)
		assert.Contains(t, page, fmt.Sprintf("<summary>Scenarios (%s), the worst first: ", bench.CountText(float64(count))))
		assert.Contains(t, page, fmt.Sprintf("<summary>Failures by scenario and mode (%s)</summary>", bench.CountText(float64(count))))
		assert.Len(t, listed(comment.JobSummary(run)), count)
	}
	for i := range 5 {
		run.Summary.Scenarios[0].Modes[bench.Mode(fmt.Sprintf("mode-%d", i))] = bench.ScenarioModeSummary{Runs: 1, Successes: 1}
		if i >= 3 {
			assert.Contains(t, comment.Comment(run), "\n| Scenario | `agent_direct` | `ghx` | `mode-0` | `mode-1` | `mode-2` | `mode-3` | Active tokens |")
		}
	}
	var uses []bench.UseChange
	for _, name := range []string{"one", "two", "three", "four"} {
		uses = append(uses, bench.UseChange{Name: name, Measure: bench.UseCalls, Baseline: 3, Candidate: 1})
	}
	run.Summary.ToolChanges = uses
	page := comment.Comment(run)
	for _, name := range []string{"one", "two", "three"} {
		assert.Contains(t, page, "\n- `"+name+"`: ")
	}
	assert.NotContains(t, page, "`four`")
	run.Summary.ToolChanges = uses[:1]
	assert.Contains(t, comment.Comment(run), "\n- `one`: ")
}

// A mistake is where it is; what went wrong otherwise is nowhere.
func TestAnnotationsAreOfWhatHasAPlace(t *testing.T) {
	run := failing()
	run.Places.Problem = &comment.Place{Path: ".github/bench.yml"}
	assert.Len(t, comment.Check(run).Output.Annotations, 2, "nothing is wrong with the settings")
	broken := broken(fault.Invalidf("unknown key"))
	broken.Places.Problem.Line = 0
	note := comment.Check(broken).Output.Annotations[0]
	assert.Equal(t, [2]int{1, 1}, [2]int{note.StartLine, note.EndLine}, "a file as a whole is told of in its first line")
	broken.Places.Problem = nil
	assert.Empty(t, comment.Check(broken).Output.Annotations)
	run.Places.Thresholds[bench.CheckRetryRate] = comment.Place{Path: "scenarios/expectations.json", Line: 9}
	assert.Len(t, comment.Check(run).Output.Annotations, 2, "a check that passed is not complained of")
	run.Summary.Gate.Verdict = bench.VerdictInconclusive
	for _, note := range comment.Check(run).Output.Annotations {
		assert.Equal(t, comment.LevelNotice, note.Level)
	}
	long := failing()
	long.Summary.Gate.Checks[8].Reason = strings.Repeat("x", 2000)
	assert.Regexp(t, "^14.996%.*x…$", comment.Check(long).Output.Annotations[0].Message)
}
