package comment_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/fault"
)

const (
	commit   = "0123456789abcdef0123456789abcdef01234567"
	previous = "89abcdef0123456789abcdef0123456789abcdef"
)

// example is a run, made up by hand, and why it is there.
type example struct {
	name, reason string
	run          comment.Run
}

func examples() []example {
	return []example{
		{"pass", "all ten checks passed: the shortest page with a verdict", passing()},
		{"fail", "two checks failed, one in doubt; scenarios, warnings and a regression say why", failing()},
		{"uncertain", "the gate passed, but two intervals lie on both sides of their thresholds", uncertain()},
		{"no-verdict", "the candidate has no rows, so there are no checks and nothing to compare", noVerdict()},
		{"incomplete", "the budget was used up, so there are figures but no verdict", incomplete()},
		{"infrastructure", "something around us failed: that says nothing about the change", broken(fault.Infraf("The model's provider answered 503 six times: try again later."))},
		{"settings", "a mistake in the settings, with the line that it is in", broken(fault.Invalidf(".github/bench.yml, line 7: unknown key `repetition`: did you mean `repetitions`?"))},
		{"build", "the tool of the change does not build: the build's last lines are there, and no figure", unbuilt()},
		{"unverified", "rows that the pull request may have made up: figures are shown, and no verdict", unverified()},
		{"partial", "somebody asked for something else than the settings: a check and a comment of its own", partial()},
		{"limits", "2,000 scenarios with errors of 1 MB: the verdict and the checks stay, the rest is cut by importance", huge()},
		{"hostile", "texts from agents and from the pull request try to become markup, mentions, commands and markers", hostile()},
		{"fork", "a fork's token may only read, which is said once", fork()},
		{"approval", "a fork's commit waits until somebody has read it", skipped(comment.SkipApproval)},
		{"shards", "four shards were merged into one verdict, and one cell of a shard is missing", sharded()},
		{"simulated", "G15: no model was involved, which is said beside the verdict", simulated()},
		{"stopped", "a newer push superseded the run", stopped()},
		{"queued", "the run waits, and the plan is known", queued()},
		{"running", "the run goes on, and the last verdict is still to be seen", running()},
		{"unchanged", "the last run came to the same", unchanged()},
		{"draft", "drafts are skipped, with the way to have them measured", skipped(comment.SkipDraft)},
	}
}

func ref[T any](v T) *T { return &v }

func check(name bench.CheckName, value, threshold float64, op bench.Operator, low, high float64) bench.Check {
	passed := value >= threshold
	if op == bench.AtMost {
		passed = value <= threshold
	}
	return bench.Check{Name: name, Passed: passed, Value: value, Threshold: threshold, Operator: op, Interval: &bench.Interval{low, high}}
}

func withEvidence(c bench.Check, p, effect float64) bench.Check {
	c.PValue, c.EffectSize = &p, &effect
	return c
}

func tenChecks() []bench.Check {
	coverage := check(bench.CheckCoverage, 100, 80, bench.AtLeast, 0, 0)
	coverage.Interval = nil
	return []bench.Check{
		check(bench.CheckSuccessRate, 5, -3, bench.AtLeast, -1.2, 23.6),
		check(bench.CheckOutputValidity, 100, 97, bench.AtLeast, 97.4, 100),
		check(bench.CheckRunnerFailureRate, 0, 5, bench.AtMost, 0, 4.1),
		check(bench.CheckTimeoutStallRate, 0, 2, bench.AtMost, 0, 1.9),
		check(bench.CheckRetryRate, 0, 15, bench.AtMost, 0, 4.1),
		coverage,
		withEvidence(check(bench.CheckTokensReduction, 27.545968882602544, 15, bench.AtLeast, 18.3, 34.9), 0.00004, 0.61),
		withEvidence(check(bench.CheckLatencyReduction, 22.405671175171555, 15, bench.AtLeast, 15.2, 30.8), 0.0123, 0.48),
		withEvidence(check(bench.CheckToolCallReduction, 33.333333333333336, 20, bench.AtLeast, 25, 40), 0.004, 0.55),
		withEvidence(check(bench.CheckCostReduction, 21.4, 10, bench.AtLeast, 12.6, 29), 0.002, 0.5),
	}
}

func passing() comment.Run {
	figures := bench.ModeSummary{
		Mode: bench.AgentDirect, Runs: 20, SuccessRate: 95, OutputValidityRate: 100, RunnerFailureRate: 5, RetryRate: 10,
		MedianLatencyMS: 34072.5, P95LatencyMS: 132705.95, MedianTokensTotal: 12282, MedianTokensActive: 909.5, MedianToolCalls: 4, MedianCostUSD: 0.01824,
	}
	better := bench.ModeSummary{
		Mode: bench.GHX, Runs: 20, SuccessRate: 100, OutputValidityRate: 100,
		MedianLatencyMS: 25410.5, P95LatencyMS: 34570.7, MedianTokensTotal: 12724.5, MedianTokensActive: 746, MedianToolCalls: 3, MedianCostUSD: 0.01311,
	}
	return comment.Run{
		Suite: "ghx", Phase: comment.Finished, ID: "20260301-7b52", Commit: commit, At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Plan: &comment.Plan{
			Profile: bench.VerifyPR, Set: "ci-verify-pr", Modes: []bench.Mode{bench.AgentDirect, bench.GHX}, Repetitions: bench.Repetitions{First: 10, Most: 10},
			Model: "acme/model-1", Cells: 40, CostUSD: 0.7, MaxUSD: 5, Duration: 21 * time.Minute,
		},
		Links: comment.Links{
			Report: "https://github.com/acme/tool/actions/runs/42/artifacts/7", Job: "https://github.com/acme/tool/actions/runs/42",
			Check: "https://github.com/acme/tool/runs/99", Commit: "https://github.com/acme/tool/pull/5/commits/" + commit,
		},
		Commands: command.Names(),
		Summary: &bench.Summary{
			Modes: map[bench.Mode]bench.ModeSummary{bench.AgentDirect: figures, bench.GHX: better},
			Delta: &bench.Delta{
				TokensReductionPct: -3.6, TokensActiveReductionPct: 17.98, LatencyReductionPct: 25.42, ToolCallReductionPct: 25,
				SuccessRateDeltaPct: 5, CostReductionPct: 28.125,
			},
			Gate: bench.Gate{
				Profile: bench.VerifyPR, Passed: true, Verdict: bench.VerdictPass, Reason: "All 10 checks passed",
				Baseline: bench.AgentDirect, Candidate: bench.GHX, Model: "acme/model-1", ModelExpectations: true, Checks: tenChecks(),
			},
			RunIDs: []string{"20260301-7b52"}, CostUSD: 0.6712,
			Scenarios: []bench.ScenarioSummary{scenario("pr-checks-rerun-all-001", 10, 9, 10), scenario("pr-merge-001", 10, 10, 10)},
		},
	}
}

// scenario has that many runs per mode, and successes of baseline and
// candidate.
func scenario(id string, runs, baseline, candidate int) bench.ScenarioSummary {
	figures := func(successes int) bench.ScenarioModeSummary {
		m := bench.ScenarioModeSummary{
			Runs: runs, Successes: successes, Stable: successes, MedianTokensActive: 800, MedianTokensTotal: ref(12_000.0), MedianLatencyMS: 30000, MedianToolCalls: 3, MedianCostUSD: 0.015,
		}
		if successes < runs {
			m.Errors = map[bench.ErrorType]int{bench.RunnerError: runs - successes}
			m.ExampleError = "agent process ended with exit code 137 while it ran `gh run rerun`"
		}
		return m
	}
	return bench.ScenarioSummary{
		ID: id, Eligible: true,
		Modes:                    map[bench.Mode]bench.ScenarioModeSummary{bench.AgentDirect: figures(baseline), bench.GHX: figures(candidate)},
		TokensActiveReductionPct: ref(27.545968882602544), TokensTotalReductionPct: ref(-8.4), LatencyReductionPct: ref(4.25), ToolCallReductionPct: ref(0.0), CostReductionPct: ref(21.4),
	}
}

func failing() comment.Run {
	r := passing()
	s := r.Summary
	s.Gate.Passed, s.Gate.Verdict = false, bench.VerdictFail
	s.Gate.Reason = "2 of 10 checks failed: reliability_success_rate_non_inferior, efficiency_tool_call_reduction; 1 check in doubt"
	s.Gate.Checks[0] = check(bench.CheckSuccessRate, -15, -3, bench.AtLeast, -36.1, -3.2)
	s.Gate.Checks[0].Reason = "4 of 20 ghx runs failed, against 1 of 20 of agent_direct: pr-merge-001 (3 of 10; checkpoint_failed: 1 of 2 checkpoints failed)"
	s.Gate.Checks[8] = withEvidence(check(bench.CheckToolCallReduction, 14.996, 15, bench.AtLeast, -8.3, 33.3), 0.21, 0.12)
	s.Gate.Checks[8].Uncertain = true
	s.Gate.Checks[8].Reason = "The reduction in tool calls is 14.996 % in the median of 2 scenarios, the minimum is 15 %; furthest from it: pr-merge-001 (-33.3 %)"
	s.Gate.Checks[8].Warnings = []string{"With so few stable runs p cannot be below 0.1"}
	s.Scenarios = append(s.Scenarios, scenario("issue-triage-comment-wf-001", 10, 10, 10), scenario("release-draft-003", 10, 10, 10))
	s.Scenarios[1] = scenario("pr-merge-001", 10, 10, 7)
	s.Scenarios[1].ToolCallReductionPct, s.Scenarios[1].LatencyReductionPct = ref(-33.3333), ref(-12.5)
	worse := s.Scenarios[1].Modes[bench.GHX]
	worse.Errors = map[bench.ErrorType]int{bench.CheckpointFailed: 2, bench.TimeoutStalled: 1}
	worse.ExampleError = "1 of 2 checkpoints failed: `merged` wants true, got false"
	s.Scenarios[1].Modes[bench.GHX] = worse
	s.Scenarios[2].LatencyReductionPct = ref(-4.2)
	s.Scenarios[3] = bench.ScenarioSummary{ID: "release-draft-003", Modes: map[bench.Mode]bench.ScenarioModeSummary{bench.AgentDirect: {Runs: 2, Successes: 2, Stable: 2}}}
	s.Warnings = []string{"2 eligible scenarios have fewer than 6 stable runs in a mode: intervals of the reductions are rough"}
	s.Regressions = []bench.Regression{
		{Metric: "median_latency_ms", Mode: bench.GHX, Current: 25410.5, RecentAverage: 20100, DeltaPct: 26.42, ThresholdPct: 15},
	}
	s.Surface = &bench.SurfaceChange{
		Baseline: bench.GHXBase, Candidate: bench.GHX, PromptTokens: bench.Sizes{Baseline: 3480, Candidate: 5480},
		Edits: []bench.SurfaceEdit{
			{Kind: bench.SurfaceRenamed, Was: "repo.labels.list", Name: "repo.labels.all"}, {Kind: bench.ParameterDropped, Name: "issue.list", Parameter: "state"},
			{Kind: bench.ParameterDropped, Name: "pr.list", Parameter: "state"}, {Kind: bench.SurfaceText, Name: "skill", LinesAdded: 40, LinesRemoved: 1, Tokens: 2000},
		},
		Answers: []bench.AnswerSize{{Call: `issue.view {"issueNumber":1}`, Sizes: bench.Sizes{Baseline: 338, Candidate: 4120}}},
		Calls:   5, Notes: []string{"ghx: 1 of the fixed calls left out: it takes longer than 8s"},
	}
	s.ToolChanges = []bench.UseChange{
		{Name: "ghx run pr.merge", Measure: bench.UseBadArguments, Candidate: 1.75, Score: 6.1},
		{Name: "`x` | y", Measure: bench.UseCalls, Baseline: 3, Candidate: 0.5, Score: -4.2},
	}
	before := passing()
	before.Commit = previous
	r.Previous = ref(before.Marker())
	r.Places = comment.Places{
		Scenarios:  map[string]comment.Place{"pr-merge-001": {Path: "scenarios/pr-merge-001.json", Line: 2}},
		Thresholds: map[bench.CheckName]comment.Place{bench.CheckToolCallReduction: {Path: "scenarios/expectations.json", Line: 14}},
	}
	return r
}

func uncertain() comment.Run {
	r := passing()
	checks := r.Summary.Gate.Checks
	checks[0] = check(bench.CheckSuccessRate, -2.5, -3, bench.AtLeast, -18.9, 13.1)
	checks[6] = withEvidence(check(bench.CheckTokensReduction, 16.2, 15, bench.AtLeast, -3.9, 28.4), 0.0871, 0.22)
	checks[0].Uncertain, checks[6].Uncertain = true, true
	checks[6].Warnings = []string{"With so few stable runs p cannot be below 0.03"}
	return r
}

func noVerdict() comment.Run {
	r := passing()
	s := r.Summary
	delete(s.Modes, bench.GHX)
	for i := range s.Scenarios {
		delete(s.Scenarios[i].Modes, bench.GHX)
		s.Scenarios[i].Eligible = false
		s.Scenarios[i].TokensActiveReductionPct, s.Scenarios[i].TokensTotalReductionPct, s.Scenarios[i].LatencyReductionPct = nil, nil, nil
		s.Scenarios[i].ToolCallReductionPct, s.Scenarios[i].CostReductionPct = nil, nil
	}
	s.Delta = nil
	s.Gate = bench.Gate{
		Profile: bench.VerifyPR, Verdict: bench.VerdictNone, Baseline: bench.AgentDirect, Candidate: bench.GHX, Model: "acme/model-1",
		Reason: "There are no rows of mode ghx, so there is nothing to compare",
	}
	return r
}

func incomplete() comment.Run {
	r := passing()
	s := r.Summary
	s.Gate.Passed, s.Gate.Verdict = false, bench.VerdictNone
	s.Gate.Reason = "The plan is incomplete: 13 cells have no row, 1 stopped by a signal and 12 beyond the budget"
	budget := bench.MissingCells{Reason: bench.MissingBudget}
	for i := range 12 {
		budget.Cells = append(budget.Cells, bench.Cell{ScenarioID: "pr-merge-001", Mode: bench.GHX, Iteration: i + 1})
	}
	s.Missing = []bench.MissingCells{
		{Reason: bench.MissingStopped, Cells: []bench.Cell{{ScenarioID: "pr-checks-rerun-all-001", Mode: bench.GHX, Iteration: 3}}}, budget,
	}
	return r
}

func broken(problem error) comment.Run {
	r := passing()
	r.Phase, r.Summary, r.Problem = comment.Broken, nil, problem
	if fault.KindOf(problem) == fault.Invalid {
		r.Plan = nil
		r.Places.Problem = &comment.Place{Path: ".github/bench.yml", Line: 7}
		return r
	}
	r.Progress = &comment.Progress{Done: 12, Cells: 40, Elapsed: 5 * time.Minute, CostUSD: 0.21}
	return r
}

func unbuilt() comment.Run {
	r := broken(fault.Toolf("the build of ghx failed: exit status 2; its last lines: src/main.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'."))
	r.Progress = nil
	return r
}

func unverified() comment.Run {
	r := passing()
	r.Unverified = true
	return r
}

func partial() comment.Run {
	r := passing()
	r.Suite += comment.PartialSuffix
	r.Plan.Set, r.Plan.Scenarios = "", []string{"pr-merge-001"}
	return r
}

func fork() comment.Run {
	r := passing()
	r.Links.Check = ""
	r.Commands = nil
	r.Notices = []string{comment.ForkNotice}
	return r
}

func sharded() comment.Run {
	r := incomplete()
	r.Shards = 4
	r.Summary.Missing = []bench.MissingCells{
		{Reason: bench.MissingNeverRan, Cells: []bench.Cell{{ScenarioID: "pr-merge-001", Mode: bench.GHX, Iteration: 10}}},
	}
	r.Summary.Gate.Reason = "The plan is incomplete: 1 cell has no row, 1 never ran"
	return r
}

func simulated() comment.Run {
	r := passing()
	r.Summary.Simulated = true
	r.Summary.Gate.Model = "scripted/scripted"
	return r
}

func stopped() comment.Run {
	r := passing()
	r.Phase, r.Summary, r.Reason = comment.Stopped, nil, "A newer push supersedes this run"
	r.Progress = &comment.Progress{Done: 12, Cells: 40, Elapsed: 5 * time.Minute, CostUSD: 0.21}
	return r
}

func queued() comment.Run {
	r := passing()
	r.Phase, r.Summary = comment.Queued, nil
	r.Waiting = &comment.Waiting{Ahead: 12, Begins: r.At.Add(35 * time.Minute)}
	r.Links.Report = ""
	return r
}

func running() comment.Run {
	r := queued()
	r.Phase = comment.Running
	r.Progress = &comment.Progress{Done: 12, Cells: 40, Elapsed: 5*time.Minute + 12*time.Second, CostUSD: 0.21}
	before := failing()
	before.Commit = previous
	r.Previous = ref(before.Marker())
	return r
}

func unchanged() comment.Run {
	r := passing()
	before := passing()
	before.Commit = previous
	r.Previous = ref(before.Marker())
	return r
}

func skipped(why comment.Skip) comment.Run {
	r := passing()
	r.Phase, r.Summary, r.Plan, r.Skip = comment.Skipped, nil, nil, why
	r.Links.Report = ""
	return r
}

// huge has more than any page can hold.
func huge() comment.Run {
	r := failing()
	message := strings.Repeat("é word ", 1<<17)
	s := r.Summary
	for i := range 2000 {
		one := scenario(fmt.Sprintf("scenario-%04d-wf-%03d", i, i%1000), 10, 10, 10-i%7)
		m := one.Modes[bench.GHX]
		m.ExampleError = message
		one.Modes[bench.GHX] = m
		s.Scenarios = append(s.Scenarios, one)
		s.Warnings = append(s.Warnings, message)
		s.Regressions = append(s.Regressions, bench.Regression{Metric: message, Mode: bench.GHX})
		s.Missing = append(s.Missing, bench.MissingCells{Reason: bench.MissingReason(message), Cells: make([]bench.Cell, 1000)})
	}
	for i := range s.Gate.Checks {
		s.Gate.Checks[i].Reason = message
		s.Gate.Checks[i].Warnings = slices.Repeat([]string{message}, 100)
	}
	r.Notices = slices.Repeat([]string{message}, 100)
	r.Places.Scenarios = map[string]comment.Place{}
	for _, one := range s.Scenarios {
		r.Places.Scenarios[one.ID] = comment.Place{Path: "scenarios/" + one.ID + ".json", Line: 1}
	}
	return r
}

// attacks are texts that GitHub or a runner would take for more than texts.
func attacks() []string {
	return []string{
		"@octocat and @acme/team, see #12, GH-34, acme/tool#56 and deadbeefdeadbeef",
		"<script>alert(1)</script><img src=x onerror=alert(1)><a href=\"https://evil.example\">x</a>",
		"[click](https://evil.example) ![beacon](https://evil.example/x.png) https://evil.example www.evil.example",
		"| a | `b` | **c** | ~~d~~ | $e$ | :tada: | &lt; | [^1] | \\| |",
		"::error::stop here ##[add-mask]x ::set-output name=a::b",
		"first\r\n::warning::second\n# heading\n- item\n```\nfence\n```",
		"\x1b[31mred\x1b[0m \x07 \x00 \xff\xfe \u202ereversed\u2066 zero\u200bwidth",
		comment.Marker{Suite: "ghx", Conclusion: comment.Success}.String(),
		"</details></table>{{.}}'\"--><!-- ``` ~~~ `",
		strings.Repeat("x", 5000),
	}
}

func hostile() comment.Run {
	r := failing()
	all := attacks()
	r.Suite, r.ID, r.Commit = all[7], all[8], all[0]
	r.Notices = all
	r.Links = comment.Links{Report: "javascript:alert(1)", Job: "https://evil.example/>)|`<script>", Check: all[2], Commit: "https://x.example/\n# heading"}
	s := r.Summary
	s.Gate.Model, s.Gate.Profile = all[2], bench.GateProfile(all[3])
	s.Gate.Candidate = bench.Mode(all[1])
	s.Modes[bench.Mode(all[1])] = s.Modes[bench.GHX]
	s.Warnings = all
	s.Gate.Checks[2].Name, s.Gate.Checks[2].Passed = bench.CheckName(all[8]), false
	for i := range s.Gate.Checks {
		s.Gate.Checks[i].Reason = all[i%len(all)]
		s.Gate.Checks[i].Warnings = all[:3]
	}
	s.Surface = &bench.SurfaceChange{Candidate: bench.Mode(all[1]), Baseline: bench.Mode(all[2]), Notes: all[:2]}
	for _, attack := range all {
		s.Surface.Edits = append(s.Surface.Edits, bench.SurfaceEdit{Kind: bench.ParameterRenamed, Name: attack, Was: attack, Parameter: attack})
		s.Surface.Answers = append(s.Surface.Answers, bench.AnswerSize{Call: attack})
	}
	for i, attack := range all {
		one := scenario(attack, 3, 3, 1)
		m := one.Modes[bench.GHX]
		m.Errors = map[bench.ErrorType]int{bench.ErrorType(attack): 2}
		m.ExampleError = all[len(all)-1-i]
		one.Modes[s.Gate.Candidate] = m
		s.Scenarios = append(s.Scenarios, one)
		s.Missing = append(s.Missing, bench.MissingCells{
			Reason: bench.MissingReason(attack), Cells: []bench.Cell{{ScenarioID: attack, Mode: bench.Mode(attack), Iteration: i}},
		})
		s.Regressions = append(s.Regressions, bench.Regression{Metric: attack, Mode: bench.Mode(attack)})
	}
	r.Previous = &comment.Marker{Suite: "x", Commit: all[1], Conclusion: comment.Success}
	return r
}
