package comment_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// page is everything that is shown of a run, and how much of it there may be.
type page struct {
	name, text string
	limit      int
	// checks tells whether the ten checks are on it.
	checks bool
}

func pagesOf(r comment.Run) []page {
	output := comment.Check(r).Output
	return []page{
		{"comment", comment.Comment(r), 65_000, true},
		{"job summary", comment.JobSummary(r), 1<<20 - 1<<15, true},
		{"check run's summary", output.Summary, 65_535, true},
		{"check run's text", output.Text, 65_535, false},
		{"status", comment.StatusReply(r), 65_000, false},
	}
}

// ours are the tags that pages are made of.
var ours = regexp.MustCompile(`^(<details><summary>[A-Za-z0-9 (),:]+</summary>\s*|</details>\s*|<span>|</span>|<!-- bench-action:v1 [A-Za-z0-9+/]+ -->\s*)$`)

var reader = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser()

// requireOnlyOurs fails if a page has anything but what pages are made of: the
// fences, links and tags of ours, no more details opened than closed, and no
// table whose rows differ in length.
func requireOnlyOurs(t *testing.T, p page, links ...string) {
	t.Helper()
	source := []byte(p.text)
	open := 0
	err := ast.Walk(reader.Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.HTMLBlock:
			tag := string(n.Lines().Value(source))
			if n.HasClosure() {
				tag += string(n.ClosureLine.Value(source))
			}
			assert.Regexp(t, ours, tag)
			open += strings.Count(tag, "<details>") - strings.Count(tag, "</details>")
			require.GreaterOrEqual(t, open, 0)
		case *ast.RawHTML:
			assert.Regexp(t, ours, string(n.Segments.Value(source)))
		case *ast.Link:
			assert.Contains(t, links, string(n.Destination))
		case *ast.FencedCodeBlock:
			assert.Contains(t, []string{"mermaid", "text"}, string(n.Language(source)))
		case *ast.Image, *ast.AutoLink, *ast.CodeBlock, *extast.Strikethrough, *extast.FootnoteLink, *extast.TaskCheckBox, *ast.Emphasis:
			if e, is := n.(*ast.Emphasis); !is || e.Level > 2 {
				t.Errorf("%s in %s", n.Kind(), p.name)
			}
		case *extast.TableRow:
			assert.Equal(t, n.Parent().(*extast.Table).FirstChild().ChildCount(), n.ChildCount(), "cells of a row")
		}
		return ast.WalkContinue, nil
	})
	require.NoError(t, err)
	assert.Zero(t, open, "details are closed in %s", p.name)
}

func TestPagesShowTextsThatDoNothing(t *testing.T) {
	testkit.NeedComplete(t)
	for _, e := range examples() {
		t.Run(e.name, func(t *testing.T) {
			for _, p := range pagesOf(e.run) {
				requireOnlyOurs(t, p, e.run.Links.Report, e.run.Links.Job, e.run.Links.Check, e.run.Links.Commit, "https://evil.example/%3E%29%7C%60%3Cscript%3E")
				for _, line := range strings.Split(p.text, "\n") {
					assert.NotRegexp(t, `^\s*::|##\[`, line, "a command to the runner")
				}
			}
			for _, a := range comment.Check(e.run).Output.Annotations {
				for _, shown := range []string{a.Title, a.Message} {
					assert.NotRegexp(t, `^::|##\[|\n`, shown)
				}
				assert.LessOrEqual(t, len(a.Message), 64<<10)
				assert.LessOrEqual(t, utf8.RuneCountInString(a.Title), 255)
			}
		})
	}
}

// requireWithinLimits fails unless a run's pages keep their limits and have
// the verdict and the ten checks.
func requireWithinLimits(t *testing.T, r comment.Run, pages []page) {
	t.Helper()
	for _, p := range pages {
		require.LessOrEqual(t, len(p.text), p.limit, p.name)
		require.True(t, utf8.ValidString(p.text), p.name)
		if p.name != "check run's text" {
			require.Regexp(t, `(?m)^## \S+ (PASS|FAIL|NO VERDICT)`, p.text, p.name)
		}
		if !p.checks {
			continue
		}
		for _, c := range r.Summary.Gate.Checks {
			require.Contains(t, p.text, c.Name.Label(), p.name)
			require.Contains(t, p.text, "| "+c.RuleText()+" |", p.name)
		}
	}
	output := comment.Check(r).Output
	require.LessOrEqual(t, len(output.Annotations), comment.MaxAnnotations)
	require.LessOrEqual(t, utf8.RuneCountInString(output.Title), 255)
}

func TestWhatIsTooLongIsCutByImportance(t *testing.T) {
	run := huge()
	pages := pagesOf(run)
	requireWithinLimits(t, run, pages)
	body := pages[0].text
	for _, part := range []string{"### Why it failed", "### Worst scenarios", "```mermaid", "| `scenario-0006-wf-006` |"} {
		assert.True(t, strings.Contains(body, part), part)
	}
	assert.True(t, regexp.MustCompile(`… and [0-9,]+ more failures in \[the report\]`).MatchString(body), "what was cut is counted")
	assert.True(t, strings.Contains(pages[1].text, "| `scenario-1999-wf-999` |"), "there is room for all scenarios in a job summary")
}

func TestChartsAreDrawnWhateverTheFigures(t *testing.T) {
	run := failing()
	checks := run.Summary.Gate.Checks
	checks[6].Value, checks[7].Value, checks[8].Value, checks[9].Value = math.NaN(), -1e9, -33.3, 250
	text := comment.Comment(run)
	assert.Contains(t, text, `x-axis ["Latency", "Tool calls", "Cost"]`, "what has no figure is not drawn")
	assert.Contains(t, text, "y-axis \"% of the baseline\" 0 --> 200\n    bar [200.0, 133.3, 0.0]\n    line [85.0, 85.0, 90.0]\n", "no bar leaves the chart")
	assert.Contains(t, comment.Check(run).Output.Text, "│", "the limit is drawn")
	for i := range checks {
		checks[i].Value = math.Inf(1)
	}
	assert.NotContains(t, comment.Comment(run), "mermaid", "there is nothing to draw")
}

func TestTextsThatGrowMostWhenEscapedKeepTheLimits(t *testing.T) {
	money := strings.Repeat("$ ", 5000)
	run := failing()
	run.Suite, run.ID, run.Commit, run.Notices = money, money, money, slices.Repeat([]string{money}, 10)
	address := "https://x.example/" + strings.Repeat("a", 1980)
	run.Links = comment.Links{Report: address, Job: address, Check: address, Commit: address}
	s := run.Summary
	s.Gate.Verdict, s.Gate.Reason, s.Gate.Model, s.Gate.Profile = bench.VerdictNone, money, money, bench.GateProfile(money)
	s.Gate.Baseline, s.Gate.Candidate = bench.Mode(money), bench.Mode(money+"!")
	for i := range s.Gate.Checks {
		s.Gate.Checks[i].Name, s.Gate.Checks[i].Reason = bench.CheckName(money), money
	}
	for _, p := range pagesOf(run) {
		assert.LessOrEqual(t, len(p.text), p.limit, p.name)
	}
	run.Phase, run.Problem = comment.Broken, fault.Infraf("%s", money)
	for _, p := range pagesOf(run) {
		assert.LessOrEqual(t, len(p.text), p.limit, p.name)
	}
}

func TestRandomRunsKeepTheLimits(t *testing.T) {
	testkit.NeedComplete(t)
	for seed := range uint64(12) {
		run := random(rand.New(rand.NewPCG(seed, 1)))
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			pages := pagesOf(run)
			requireWithinLimits(t, run, pages)
			for _, p := range pages {
				requireOnlyOurs(t, p, run.Links.Report)
			}
			marker, found := comment.ParseMarker(pages[0].text)
			require.True(t, found)
			assert.Equal(t, run.Marker(), marker)
		})
	}
}

// random makes up a run whose texts are of the worst kind and of any length.
func random(rng *rand.Rand) comment.Run {
	words := func(most int) string {
		if rng.IntN(3) == 0 {
			return attacks()[rng.IntN(len(attacks()))]
		}
		letters := []string{"a", "é", "漢", "🎉", "`", "|", "<", "$", "@x", "#1", " ", "\n", "\\", "*", "_", "\xff", "\u202e", "0123456"}
		var out strings.Builder
		for range rng.IntN(most + 1) {
			out.WriteString(letters[rng.IntN(len(letters))])
		}
		return out.String()
	}
	list := func(most, length int) []string {
		all := make([]string, rng.IntN(most+1))
		for i := range all {
			all[i] = words(length)
		}
		return all
	}
	figure := func() float64 {
		return []float64{rng.NormFloat64() * 100, 0, 1e300, -1e18, math.NaN(), math.Inf(1), math.Inf(-1)}[min(rng.IntN(30), 6)]
	}
	if rng.IntN(4) > 0 {
		figure = func() float64 { return rng.NormFloat64() * 100 }
	}
	run := passing()
	run.Suite, run.ID, run.Commit = words(300)+"x", words(300), words(300)
	run.Notices = list(20, 2000)
	run.Links = comment.Links{Report: "https://x.example/" + strings.Repeat("a", rng.IntN(1900))}
	run.Places = comment.Places{}
	s := run.Summary
	s.Simulated = rng.IntN(2) == 0
	s.Gate.Verdict = []bench.Verdict{bench.VerdictPass, bench.VerdictFail, bench.VerdictNone}[rng.IntN(3)]
	s.Gate.Reason, s.Gate.Model = words(4000), words(500)
	s.Warnings = list(500, 500)
	for i := range s.Gate.Checks {
		c := &s.Gate.Checks[i]
		c.Value, c.Passed, c.Uncertain = figure(), rng.IntN(2) == 0, rng.IntN(2) == 0
		c.Interval = &bench.Interval{figure(), figure()}
		c.PValue, c.EffectSize = ref(figure()), ref(figure())
		c.Reason, c.Warnings = words(3000), list(50, 500)
	}
	for range rng.IntN(300) {
		one := scenario(words(200), 1+rng.IntN(20), 0, 0)
		one.Eligible, one.LatencyReductionPct = rng.IntN(2) == 0, ref(figure())
		for m, figures := range one.Modes {
			figures.ExampleError = words(3000)
			figures.Errors = map[bench.ErrorType]int{bench.ErrorType(words(100)): 1, bench.RunnerError: 2}
			one.Modes[m] = figures
		}
		s.Scenarios = append(s.Scenarios, one)
	}
	for range rng.IntN(300) {
		s.Regressions = append(s.Regressions, bench.Regression{Metric: words(100), Mode: bench.Mode(words(50)), Current: figure()})
		s.Missing = append(s.Missing, bench.MissingCells{Reason: bench.MissingReason(words(100)), Cells: slices.Repeat([]bench.Cell{{ScenarioID: words(100)}}, rng.IntN(50))})
	}
	return run
}

func TestProgressOfAnotherBenchmarkCountsTasks(t *testing.T) {
	for want, progress := range map[string]comment.Progress{
		"RUNNING: 3 of 8 tasks": {Done: 3, Cells: 8, Noun: "task"},
		"RUNNING: 1 task":       {Done: 1, Noun: "task"},
		"RUNNING: 0 of 1 cell":  {Cells: 1},
	} {
		shown := comment.Check(comment.Run{Suite: "evals", Phase: comment.Running, Progress: &progress})
		assert.Equal(t, want, shown.Output.Title)
	}
}

// FAIL by thresholds is not always about the change, and not always sure; who reads it has
// to know both before anything else.
func TestAFailSaysWhetherItIsSureAndOfWhat(t *testing.T) {
	const unsure, older = "**How sure:** Not sure.", "**Compared with:** `agent_direct`, another tool, not with the commit before this change."
	r := failing()
	page := comment.Comment(r)
	assert.NotContains(t, page, unsure, "one of the two that failed is not in doubt")
	before, _, _ := strings.Cut(page, "**What to do:**")
	assert.Contains(t, before, older)

	checks := r.Summary.Gate.Checks
	for i := range checks {
		checks[i].Uncertain = checks[i].Uncertain || !checks[i].Passed
	}
	assert.Contains(t, comment.Comment(r), unsure)

	for name, change := range map[string]func(*bench.Summary){
		"a simulated run is for show":          func(s *bench.Summary) { s.Simulated = true },
		"the base commit is the one before":    func(s *bench.Summary) { s.Gate.Baseline = bench.GHXBase },
		"another benchmark has no other tool":  func(s *bench.Summary) { s.Gate.Baseline = "" },
		"what passed is not doubted before it": func(s *bench.Summary) { s.Gate.Verdict = bench.VerdictPass },
	} {
		r := failing()
		change(r.Summary)
		assert.NotContains(t, comment.Comment(r), "**Compared with:**", name)
	}
}

func TestAToolThatIsUsedOtherwiseIsNamedOnce(t *testing.T) {
	r := failing()
	r.Summary.ToolChanges = []bench.UseChange{
		{Name: "ghx run a", Measure: bench.UseErrors, Candidate: 3}, {Name: "ghx run a", Measure: bench.UseCalls, Alone: true, Candidate: 4}, {Name: "ghx run b", Measure: bench.UseCalls, Candidate: 2},
	}
	page := comment.Comment(r)
	assert.Equal(t, 1, strings.Count(page, "`ghx run a`"))
	assert.Contains(t, page, "- `ghx run a`: failed 0 → 3 times a session\n- `ghx run b`: called 0 → 2 times a session\n")
}
