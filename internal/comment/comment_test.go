package comment_test

import (
	"encoding/base64"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func TestG15EveryTextOfASimulatedRunSaysSo(t *testing.T) {
	check := comment.Check(simulated())
	assert.Contains(t, check.Output.Title, "PASS (simulated)")
	for _, text := range []string{comment.Comment(simulated()), comment.JobSummary(simulated()), check.Output.Summary, comment.StatusReply(simulated()),
		comment.Explained(simulated(), bench.Cell{ScenarioID: "pr-merge-001"})} {
		assert.Contains(t, text, bench.SimulatedNotice)
	}
}

// Who reads a sum thinks that it was spent.
func TestASumThatNobodySpentIsMarked(t *testing.T) {
	const mark = " USD (simulated)"
	for _, real := range []comment.Run{passing(), running(), stopped()} {
		made := real
		if real.Summary != nil {
			made = simulated()
		} else {
			plan := *real.Plan
			plan.Simulated = true
			made.Plan = &plan
		}
		for _, write := range []func(comment.Run) string{
			comment.Comment, comment.StatusReply, func(r comment.Run) string { return comment.Check(r).Output.Summary },
		} {
			assert.Contains(t, write(made), mark, made.Phase)
			assert.Contains(t, write(real), " USD", real.Phase)
			assert.NotContains(t, write(real), mark, real.Phase)
		}
	}
}

func TestACommentTellsWhatItWasMeasuredWith(t *testing.T) {
	run := passing()
	assert.NotContains(t, comment.Comment(run), "measured with", "summaries of older versions do not tell")
	run.Summary.Versions = bench.Versions{"agent": {"opencode 1.0"}, "harness": {"v1"}, "sandbox": {"v1"}, "gh": {"<b>2</b>"}}
	for _, text := range []string{comment.Comment(run), comment.Check(run).Output.Summary} {
		assert.Contains(t, strings.ReplaceAll(text, `\`, ""), "measured with agent opencode 1.0; gh ")
		assert.Contains(t, strings.ReplaceAll(text, `\`, ""), "; harness, sandbox v1")
		assert.NotContains(t, text, "<b>", "what a tool calls its version is no markup")
	}
}

func TestAModelIsNamedWhereTheBenchmarkIsToldWhatToRun(t *testing.T) {
	run := simulated()
	run.Commands = command.Names() // the App's
	assert.Contains(t, comment.Comment(run), "`.github/bench.yml` on the base branch (`model: provider/model`)")
	run.Commands = []command.Name{command.Run, command.Status, command.Help} // an Action's
	assert.Contains(t, comment.Comment(run), "Set a provider and a model")
	assert.NotContains(t, comment.Comment(run), "bench.yml")
}

func TestOfAnErrorOnlyThePublicTextIsShown(t *testing.T) {
	secret := fault.Because(fault.Infrastructure, errors.New("token ghs_secret was refused"), "GitHub refused the token: check its permissions")
	for name, problem := range map[string]error{"with a public text": secret, "without one": errors.New("ghs_secret")} {
		t.Run(name, func(t *testing.T) {
			run := broken(problem)
			text := comment.Comment(run) + written(comment.Check(run)) + comment.JobSummary(run)
			assert.NotContains(t, text, "ghs\\_secret")
			assert.NotContains(t, text, "ghs_secret")
			assert.Contains(t, text, fault.Public(problem))
		})
	}
}

func TestTheMarkerIsReadBack(t *testing.T) {
	run := failing()
	body := comment.Comment(run)
	got, found := comment.ParseMarker(body)
	require.True(t, found)
	assert.Equal(t, run.Marker(), got)
	assert.Equal(t, comment.Failure, got.Conclusion)
	assert.Equal(t, commit, got.Commit)
	assert.Equal(t, "20260301-7b52", got.RunID)
	assert.Equal(t, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), got.Time)
	assert.Len(t, got.Checks, 10)
	assert.True(t, got.IsOf("ghx"))
	assert.False(t, got.IsOf("other"))
}

func TestTheMarkerOfARunThatGoesOnKeepsTheLastOutcome(t *testing.T) {
	first, found := comment.ParseMarker(comment.Comment(running()))
	require.True(t, found)
	require.NotNil(t, first.Last)
	assert.Empty(t, first.Conclusion)
	assert.Equal(t, comment.Failure, first.Last.Conclusion)

	t.Run("over any number of updates", func(t *testing.T) {
		again := running()
		again.Previous = &first
		second := again.Marker()
		assert.Equal(t, first.Last, second.Last)
	})
	t.Run("and the next outcome is compared with it", func(t *testing.T) {
		done := passing()
		done.Previous = &first
		assert.Contains(t, comment.Comment(done), "Verdict: pass, after fail in the last run at `89abcde`.")
	})
}

func TestAMarkerCountsOnlyAtTheVeryBeginning(t *testing.T) {
	forged := comment.Marker{Suite: "ghx", Conclusion: comment.Success}.String()
	for name, body := range map[string]string{
		"none":                  "hello",
		"on the second line":    "\n" + forged,
		"behind a space":        " " + forged,
		"quoted":                "> " + forged,
		"in a fence":            "```\n" + forged + "\n```",
		"cut off":               forged[:len(forged)-4],
		"without its beginning": strings.TrimPrefix(forged, "<!-- bench-action:v1 "),
		"with JSON of another":  "<!-- bench-action:v1 " + base64.RawStdEncoding.EncodeToString([]byte(`{"suite":"ghx","checks":7}`)) + " -->",
		"not Base64":            "<!-- bench-action:v1 %%% -->",
		"not JSON":              "<!-- bench-action:v1 AAAA -->",
		"of no suite":           comment.Marker{}.String(),
		"of another version":    strings.Replace(forged, ":v1", ":v2", 1),
		"longer than any of us": "<!-- bench-action:v1 " + strings.Repeat("A", 1<<20) + " -->",
	} {
		t.Run(name, func(t *testing.T) {
			_, found := comment.ParseMarker(body)
			assert.False(t, found)
		})
	}
	t.Run("and text in a run cannot add one", func(t *testing.T) {
		body := comment.Comment(hostile())
		got, found := comment.ParseMarker(body)
		require.True(t, found)
		assert.Equal(t, comment.Failure, got.Conclusion, "the run failed, whatever its texts say")
	})
}

// A marker has room for what it is to tell, and the run before the last is not its matter.
func TestAMarkerKeepsWhatItNeedsAndNoMore(t *testing.T) {
	run := passing()
	long := strings.Repeat("ghx-", 50)
	run.Suite, run.ID, run.Commit = long, long, long
	run.At = time.Date(2026, 3, 1, 13, 0, 0, 999, time.FixedZone("CET", 3600))
	checks := run.Summary.Gate.Checks
	checks[1].Value, checks[2].Name = math.Inf(1), "of another benchmark"
	m := run.Marker()
	assert.True(t, m.IsOf(long))
	assert.False(t, m.IsOf(long[:80]))
	for _, kept := range []string{m.Suite, m.RunID, m.Commit} {
		assert.Equal(t, long[:100]+"…", kept)
	}
	assert.Equal(t, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), m.Time)
	assert.Equal(t, comment.MarkedCheck{Name: bench.CheckSuccessRate, Passed: true, Value: 5}, m.Checks[0])
	assert.Len(t, m.Checks, 8)
	assert.Equal(t, bench.CheckTimeoutStallRate, m.Checks[1].Name)

	ended := func(c comment.Conclusion, last *comment.Marker) *comment.Marker {
		return &comment.Marker{Suite: "ghx", Conclusion: c, Last: last}
	}
	for name, c := range map[string]struct{ previous, last *comment.Marker }{
		"nothing was there":             {},
		"the last run had ended":        {ended(comment.Success, nil), ended(comment.Success, nil)},
		"and the one before it":         {ended(comment.Success, ended(comment.Failure, nil)), ended(comment.Success, nil)},
		"the last run had not ended":    {ended("", ended(comment.Failure, ended(comment.Success, nil))), ended(comment.Failure, nil)},
		"and was the first":             {ended("", nil), nil},
		"and the one before had no end": {ended("", ended("", ended(comment.Success, nil))), nil},
	} {
		goesOn := running()
		goesOn.Previous = c.previous
		assert.Equal(t, c.last, goesOn.Marker().Last, name)
		assert.Empty(t, goesOn.Marker().Checks, name)
		ends := passing()
		ends.Previous = c.previous
		assert.Nil(t, ends.Marker().Last, name)
	}
	read, found := comment.ParseMarker(ended("", ended(comment.Failure, ended(comment.Success, nil))).String())
	require.True(t, found)
	assert.Equal(t, ended("", ended(comment.Failure, nil)), &read, "nobody makes a chain of them")
}

func TestAMarkerIsReadUpToItsLength(t *testing.T) {
	for _, c := range []struct {
		bytes int
		read  bool
	}{{12_200, true}, {12_300, false}} {
		_, found := comment.ParseMarker(comment.Marker{Suite: strings.Repeat("x", c.bytes)}.String() + "\nand more")
		assert.Equal(t, c.read, found, c.bytes)
	}
}

func TestSameOutcomeTellsWhetherACommentOnChangeIsWritten(t *testing.T) {
	before := passing().Marker()
	assert.True(t, before.SameOutcome(passing().Marker()))
	assert.True(t, before.SameOutcome(uncertain().Marker()), "figures may differ")
	assert.False(t, before.SameOutcome(failing().Marker()))
	assert.False(t, before.SameOutcome(simulated().Marker()))
	assert.False(t, before.SameOutcome(running().Marker()))
	one := func(name bench.CheckName, passed bool) comment.Marker {
		return comment.Marker{Conclusion: comment.Failure, Checks: []comment.MarkedCheck{{Name: name, Passed: passed}}}
	}
	assert.True(t, one(bench.CheckCoverage, true).SameOutcome(one(bench.CheckCoverage, true)))
	assert.False(t, one(bench.CheckCoverage, true).SameOutcome(one(bench.CheckCoverage, false)), "another check has failed")
	assert.False(t, one(bench.CheckCoverage, true).SameOutcome(one(bench.CheckRetryRate, true)), "another check was judged")
	assert.False(t, one(bench.CheckCoverage, true).SameOutcome(comment.Marker{Conclusion: comment.Failure}))
}

func TestAnnotationsComeInPortions(t *testing.T) {
	output := comment.Check(huge()).Output
	require.Len(t, output.Annotations, comment.MaxAnnotations)
	var sizes []int
	for portion := range output.Requests() {
		sizes = append(sizes, len(portion))
	}
	assert.Equal(t, []int{50, 50, 50, 50}, sizes)
	t.Run("without any there is still one request", func(t *testing.T) {
		requests := 0
		for portion := range comment.Check(passing()).Output.Requests() {
			requests++
			assert.Empty(t, portion)
		}
		assert.Equal(t, 1, requests)
	})
}

func TestAnnotationsExplainAFailureWhereItIs(t *testing.T) {
	got := comment.Check(failing()).Output.Annotations
	require.Len(t, got, 2)
	assert.Equal(t, comment.Annotation{
		Path: "scenarios/expectations.json", StartLine: 14, EndLine: 14, Level: comment.LevelFailure, Title: "Tool calls, reduction",
		Message: "14.996%, the rule is ≥ 15%. The reduction in tool calls is 14.996 % in the median of 2 scenarios, the minimum is 15 %; furthest from it: pr-merge-001 (-33.3 %).",
	}, got[0])
	assert.Equal(t, "scenarios/pr-merge-001.json", got[1].Path)
	assert.Equal(t, comment.LevelWarning, got[1].Level)
	assert.Contains(t, got[1].Message, "3 of 10 runs failed")
	t.Run("a mistake in the settings at its line", func(t *testing.T) {
		got := comment.Check(broken(fault.Invalidf("unknown key"))).Output.Annotations
		require.Len(t, got, 1)
		assert.Equal(t, comment.Annotation{
			Path: ".github/bench.yml", StartLine: 7, EndLine: 7, Level: comment.LevelFailure,
			Title: "NOT RUN: something in the settings must be mended", Message: "unknown key.",
		}, got[0])
	})
}

func TestOnlyCommandsThatCanBeGivenAreProposed(t *testing.T) {
	for _, e := range examples() {
		e.run.Commands = nil
		text := comment.Comment(e.run)
		if e.name != "hostile" {
			assert.NotContains(t, text, "`/bench", e.name)
		}
	}
	run := failing()
	run.Commands = []command.Name{command.Run}
	assert.Contains(t, comment.Comment(run), "`/bench run --repetitions 20`")
	assert.NotContains(t, comment.Comment(run), "/bench explain")
}

func TestEveryReasonForNoVerdictHasItsMend(t *testing.T) {
	for _, run := range []comment.Run{
		skipped(comment.SkipMarker), skipped(comment.SkipDraft), skipped(comment.SkipPaths), skipped(comment.SkipLabel), skipped(comment.SkipForks), skipped(comment.SkipTrigger), skipped(comment.SkipPermission), skipped(comment.SkipApproval),
		stopped(), broken(fault.Infraf("x")), broken(fault.Invalidf("x")), noVerdict(), incomplete(), simulated(),
	} {
		assert.Contains(t, comment.Comment(run), "**What to do:** ", "%s %s", run.Phase, run.Skip)
		run.Commands = nil
		assert.Contains(t, comment.Comment(run), "**What to do:** ", "%s %s", run.Phase, run.Skip)
	}
}

func TestWhyARunNeverBeganAndItsMendAreOneText(t *testing.T) {
	waiting := skipped(comment.SkipApproval)
	assert.Equal(t, "The commit comes from a fork. Its code is not run before somebody with write permission has read it. "+
		"For a maintainer: read the change, then comment `/bench approve "+commit+"`. The next push ends the approval.", waiting.SkipText())
	assert.Equal(t, "Nothing was measured.", skipped("of old").SkipText(), "a reason that is not known any more")
}

func FuzzParseMarker(f *testing.F) {
	f.Add(comment.Comment(failing()))
	f.Add(comment.Comment(running()))
	f.Add("<!-- bench-action:v1 AAAA -->")
	f.Fuzz(func(t *testing.T, body string) {
		m, found := comment.ParseMarker(body)
		if !found {
			require.Zero(t, m)
			return
		}
		again, found := comment.ParseMarker(m.String())
		require.True(t, found, "what was read can be written")
		require.Equal(t, m.String(), again.String())
		run := passing()
		run.Previous = &m
		for _, p := range pagesOf(run) {
			requireOnlyOurs(t, p, run.Links.Report, run.Links.Job, run.Links.Check, run.Links.Commit)
			require.LessOrEqual(t, len(p.text), p.limit)
		}
	})
}
