package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

// judged is a summary with a verdict by evidence.
func judged(v fake.Verdict) bench.Summary {
	s := passing()
	s.Modes[bench.GHXBase], s.Profiling[bench.GHXBase] = s.Modes[bench.AgentDirect], s.Profiling[bench.AgentDirect]
	delete(s.Modes, bench.AgentDirect)
	delete(s.Profiling, bench.AgentDirect)
	for _, one := range s.Scenarios {
		one.Modes[bench.GHXBase] = one.Modes[bench.AgentDirect]
		delete(one.Modes, bench.AgentDirect)
	}
	s.Gate.Reliability, s.Gate.Efficiency = nil, nil
	v.Judge(&s)
	return s
}

func verdict(t *testing.T, name string) bench.Summary {
	all, err := fake.All()
	require.NoError(t, err)
	for _, v := range all {
		if v.Name == name {
			return judged(v)
		}
	}
	t.Fatalf("there is no verdict %s", name)
	return bench.Summary{}
}

func TestV14VerdictsByEvidenceAreAsTheyWere(t *testing.T) {
	all, err := fake.All()
	require.NoError(t, err)
	for _, v := range all {
		for _, ending := range []string{"md", "txt", "html", "xml"} {
			t.Run(v.Name+"."+ending, func(t *testing.T) {
				testkit.CheckGolden(t, v.Reason, "testdata/"+v.Name+"."+ending, []byte(written(t, formats()[ending], judged(v))))
			})
		}
	}
}

// inOrder reports that the texts follow each other.
func inOrder(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		require.True(t, found, "%q does not follow in\n%s", part, text)
		rest = after
	}
}

func TestV14TheWordsAreInOneOrderInEveryMedium(t *testing.T) {
	for name, word := range map[string]string{"evidence-pass": "PASS", "evidence-fail": "FAIL", "evidence-unsure": "CAN'T TELL"} {
		s := verdict(t, name)
		for _, ending := range []string{"md", "txt", "html"} {
			text := written(t, formats()[ending], s)
			text = strings.NewReplacer("&#39;", "'", "`", "").Replace(text)
			if ending == "html" {
				_, text, _ = strings.Cut(text, "<body>")
			} else {
				assert.True(t, strings.HasPrefix(text, "ghx at 0123456 (the candidate) against ghx@base"), text)
			}
			inOrder(t, text, "ghx at 0123456 (the candidate) against ghx@base at 89abcde (the baseline, without the change), on ", " tasks and ", " sessions", word,
				s.Evidence.Cause.Text, "Success rate", "Cost", "Latency", "95% confidence", "Next step")
			assert.NotContains(t, strings.ToLower(text), "inconclusive")
		}
	}
}

func TestV11WithNothingToCompareThereIsOneCauseAndNoFigure(t *testing.T) {
	for _, name := range []string{"evidence-dead", "evidence-early"} {
		s := verdict(t, name)
		for _, ending := range []string{"md", "txt", "html"} {
			text := written(t, formats()[ending], s)
			for _, part := range []string{"Least harm seen", "95% confidence", "Told, not tested", "Candidate against baseline", `class="drawing"`} {
				assert.NotContains(t, text, part, "%s in %s", name, ending)
			}
			assert.Equal(t, 1, strings.Count(text, "so there is nothing"), "%s has its cause once in %s", name, ending)
		}
	}
}

func TestV11TheTenChecksAreOneCauseWithoutASuccess(t *testing.T) {
	s := failing()
	for mode, m := range s.Modes {
		m.SuccessRate = 0
		s.Modes[mode] = m
	}
	for _, ending := range []string{"md", "txt", "html"} {
		text := written(t, formats()[ending], s)
		assert.Equal(t, 1, strings.Count(text, bench.NothingSucceeded), ending)
		for _, part := range []string{"Tool calls, reduction", "efficiency_", "Efficiency", "Candidate against baseline", `class="drawing"`} {
			assert.NotContains(t, text, part, ending)
		}
	}
	assert.Contains(t, written(t, report.JSON, s), "efficiency_tool_call_reduction", "machines have the checks")
}

func TestEveryEndpointHasAForestOfTheScenarios(t *testing.T) {
	s := verdict(t, "evidence-fail")
	page := written(t, report.HTML, s)
	assert.Equal(t, 3, strings.Count(page, `<figure class="forest">`))
	assert.Equal(t, 3, strings.Count(page, `<path class="diamond" d="M`)-strings.Count(page, `M1 6L12 1`))
	assert.Equal(t, 3, strings.Count(page, `<title>scenario-ac: `))
	assert.Equal(t, 1, strings.Count(page, `<g class="harmed"><title>scenario-ac: &#43;`), "the one that is harmed in cost is marked there alone")
	assert.NotContains(t, page, "NaN")

	s.Evidence.Scenarios = nil
	s.Evidence.Endpoints[1].Interval = nil
	page = written(t, report.HTML, s)
	assert.Contains(t, page, `<circle class="point"`, "what has no interval is a point")
	assert.NotContains(t, page, "NaN")

	for range 500 {
		s.Evidence.Scenarios = append(s.Evidence.Scenarios, bench.ScenarioEvidence{ID: strings.Repeat("<b>x", 60), Cost: bench.Figure{Change: 1e8, Interval: bench.Interval{-100, 1e8}}})
	}
	page = written(t, report.HTML, s)
	assert.Contains(t, page, "440 more scenarios are in the table.")
	assert.NotContains(t, page, "NaN")
	assert.NotContains(t, page, "<b>x")
}

func TestEverySessionIsDrawnOnce(t *testing.T) {
	s := verdict(t, "evidence-fail")
	sessions, unsolved := 0, 0
	for _, scenario := range s.Evidence.Scenarios {
		for _, b := range scenario.Blocks {
			for _, session := range []bench.SessionEvidence{b.Baseline, b.Candidate} {
				sessions++
				if !session.Solved {
					unsolved++
				}
			}
		}
	}
	require.Equal(t, s.Evidence.Baseline.Sessions+s.Evidence.Candidate.Sessions, sessions)
	require.Positive(t, unsolved)
	drawn := func() (page string, circles, crosses int) {
		page = written(t, report.HTML, s)
		assert.NotContains(t, page, "NaN")
		return page, strings.Count(page, `r="4"><title>`), strings.Count(page, `<path class="unsolved" d="M-3.5`)
	}
	page, circles, crosses := drawn()
	assert.Equal(t, []int{2 * (sessions - unsolved), 2 * unsolved}, []int{circles, crosses}, "once by cost, once by latency")
	assert.Contains(t, page, "<figcaption>Cost</figcaption>")
	assert.Contains(t, page, ", iteration 1, baseline: ")
	assert.NotContains(t, page, "sessions are not drawn")

	block := &s.Evidence.Scenarios[0].Blocks[0]
	block.Baseline.Void, block.Candidate.Cost = true, 0
	page, circles, crosses = drawn()
	assert.Equal(t, 2*sessions-3, circles+crosses, "a void session has no place, what cost nothing has none among costs")
	assert.Contains(t, page, "2 sessions are not drawn")

	for i := range s.Evidence.Scenarios {
		s.Evidence.Scenarios[i].Blocks = nil
	}
	page, _, _ = drawn()
	assert.NotContains(t, page, "Every session", "nothing is drawn without data")
}

func TestTheAxisOfSessionsHasAFewRoundNumbers(t *testing.T) {
	for name, c := range map[string]struct{ low, high float64 }{
		"the same": {20_000, 20_000}, "near": {19_000, 24_000}, "wide": {10, 1e9}, "wider": {1e-9, 1e12}, "small": {0.0011, 0.0189},
	} {
		t.Run(name, func(t *testing.T) {
			s := verdict(t, "evidence-fail")
			for i := range s.Evidence.Scenarios {
				for j := range s.Evidence.Scenarios[i].Blocks {
					b := &s.Evidence.Scenarios[i].Blocks[j]
					b.Baseline.Cost, b.Candidate.Cost = c.low, c.high
				}
			}
			page := written(t, report.HTML, s)
			_, strips, _ := strings.Cut(page, "Every session")
			strips, _, _ = strings.Cut(strips, "</figure>")
			ticks := strings.Count(strips, `class="scale"`)
			assert.True(t, ticks >= 1 && ticks <= 9, "%d ticks", ticks)
			assert.NotContains(t, strips, "Inf")
		})
	}
}

// 22 rows that were run and are not judged: the first ten are named where people
// read, and all of them in summary.json.
func TestRowsThatAreLeftOutAreNamedInEveryMedium(t *testing.T) {
	s := verdict(t, "evidence-pass")
	var out bench.Omissions
	for i := range 11 {
		for _, mode := range []bench.Mode{bench.GHX, bench.GHXBase} {
			out.Add("not judged: the block came after the last look", bench.Cell{ScenarioID: "pr-view-001", Mode: mode, Iteration: 30 - i})
		}
	}
	out.Add("another mode", bench.Cell{ScenarioID: "pr-view-001", Mode: bench.MCP, Iteration: 1})
	s.LeftOut = append(out.List(), bench.LeftOut{Reason: "counted by an older version", Rows: 30, Cells: out.List()[0].Cells})
	inOrder(t, written(t, formats()["txt"], s), "Left out", "22    not judged: the block came after the last look", "pr-view-001/ghx/20, pr-view-001/ghx/21", "…")
	for _, ending := range []string{"md", "html"} {
		text := strings.ReplaceAll(written(t, formats()[ending], s), "\\", "")
		inOrder(t, text, "Left out",
			"another mode", "pr-view-001/mcp/1",
			"not judged: the block came after the last look",
			"pr-view-001/ghx/20", "pr-view-001/ghx/29", "and 12 more, all in summary.json",
			"counted by an older version", "pr-view-001/mcp/1 and 29 more")
		assert.NotContains(t, text, "and 29 more, all", "it has not all of them")
		assert.NotContains(t, text, "pr-view-001/ghx/30")
	}
	for _, cell := range s.LeftOut[1].Cells {
		text, err := json.Marshal(cell)
		require.NoError(t, err)
		assert.Contains(t, strings.Join(strings.Fields(written(t, formats()["json"], s)), ""), string(text))
	}
}
