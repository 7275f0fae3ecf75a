package report_test

import (
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// example is a summary, made up by hand, and why it is there.
type example struct {
	name, reason string
	summary      bench.Summary
}

func examples() []example {
	return []example{
		{"pass", "all ten checks pass: the shortest page", passing()},
		{"fail", "two checks fail, one of them for want of data, with errors, warnings and a regression", failing()},
		{"uncertain", "the gate passes, but two intervals lie on both sides of their thresholds", uncertain()},
		{"no-verdict", "the candidate has no rows, so there are no checks, no figures to compare and no verdict", noVerdict()},
		{"incomplete", "cells are missing for three reasons, so the figures are shown without a verdict", incomplete()},
		{"simulated", "no model was involved, which every page says beside its verdict", simulated()},
		{"hostile", "texts from agents and files try to become markup, mentions, commands and pictures", hostile()},
	}
}

func ref[T any](v T) *T { return &v }

func check(name bench.CheckName, value, threshold float64, op bench.Operator, low, high float64) bench.Check {
	passed := value >= threshold
	if op == bench.AtMost {
		passed = value <= threshold
	}
	return bench.Check{
		Name: name, Passed: passed, Value: value, Threshold: threshold, Operator: op,
		Interval: &bench.Interval{low, high},
	}
}

func withEvidence(c bench.Check, p, effect float64) bench.Check {
	c.PValue, c.EffectSize = &p, &effect
	return c
}

func passing() bench.Summary {
	coverage := check(bench.CheckCoverage, 100, 80, bench.AtLeast, 0, 0)
	coverage.Interval = nil
	return bench.Summary{
		GeneratedAt: "2026-03-01T12:00:00.000Z",
		Modes: map[bench.Mode]bench.ModeSummary{
			bench.AgentDirect: {
				Mode: bench.AgentDirect, ModelSignature: "acme/model-1/<null>", Runs: 20,
				SuccessRate: 95, OutputValidityRate: 100, RunnerFailureRate: 5, TimeoutStallRate: 0, RetryRate: 10,
				MedianLatencyMS: 34072.5, MedianTokensTotal: 12282, MedianTokensActive: 909.5, MedianToolCalls: 4,
				P90LatencyMS: 66833.2, P95LatencyMS: 132705.95, IQRLatencyMS: 14228.25, CVLatency: 65.07823114395947,
				P90TokensActive: 10354.3, P95TokensActive: 13125.15, MedianCostUSD: 0.01824,
			},
			bench.GHX: {
				Mode: bench.GHX, ModelSignature: "acme/model-1/<null>", Runs: 20,
				SuccessRate: 100, OutputValidityRate: 100,
				MedianLatencyMS: 25410.5, MedianTokensTotal: 12724.5, MedianTokensActive: 746, MedianToolCalls: 3,
				P90LatencyMS: 33026.5, P95LatencyMS: 34570.7, IQRLatencyMS: 8264.25, CVLatency: 24.38062174076795,
				P90TokensActive: 1148.5, P95TokensActive: 1210.75, MedianCostUSD: 0.01311,
			},
		},
		Profiling: map[bench.Mode]bench.Profiling{
			bench.AgentDirect: {RunsWithProfiling: 20, MedianAssistantTotalMS: 31869, MedianAssistantReasoningMS: 13252, MedianAssistantBetweenReasoningAndToolMS: 2870.5, MedianToolTotalMS: 5388, MedianToolBashMS: 5388, MedianAssistantPostToolMS: 291.5},
			bench.GHX:         {RunsWithProfiling: 20, MedianAssistantTotalMS: 24244, MedianAssistantReasoningMS: 8731, MedianAssistantBetweenReasoningAndToolMS: 2986, MedianToolTotalMS: 3652.5, MedianToolBashMS: 3652.5, MedianAssistantPostToolMS: 129},
		},
		Delta: &bench.Delta{
			TokensReductionPct: -3.6028334147532974, TokensActiveReductionPct: 17.976910390324356,
			LatencyReductionPct: 25.42226135446474, ToolCallReductionPct: 25, SuccessRateDeltaPct: 5,
			OutputValidityRatePct: 100, CostReductionPct: 28.125,
			TokensActiveReductionCI: bench.Interval{9.2, 31.4}, LatencyReductionCI: bench.Interval{12.5, 38.75},
		},
		Gate: bench.Gate{
			Profile: bench.VerifyPR, Passed: true, Verdict: bench.VerdictPass,
			Reason:   "All ten checks pass.",
			Baseline: bench.AgentDirect, Candidate: bench.GHX, Model: "acme/model-1", ModelExpectations: true,
			Reliability: &bench.Reliability{SuccessRateDeltaPct: 5, OutputValidityRatePct: 100},
			Efficiency: &bench.Efficiency{
				MinSamplesPerScenarioPerMode: 3, EligibleScenarioCount: 2, TotalScenarioCount: 2, CoveragePct: 100,
				TokensComparableScenarioCount: 2, TokensActiveReductionPct: 27.545968882602544, TokensTotalReductionPct: ref(-8.4),
				LatencyReductionPct: 22.405671175171555, ToolCallReductionPct: 33.333333333333336, ScenarioWinRateTokensActivePct: 100,
			},
			Checks: []bench.Check{
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
			},
		},
		SchemaVersion: bench.SummarySchemaVersion,
		RunIDs:        []string{"20260301-7b52"},
		CostUSD:       0.6712,
		Scenarios: []bench.ScenarioSummary{
			scenario("pr-checks-rerun-001", 10, 9, 10),
			scenario("issue-triage-comment-wf-001", 10, 10, 10),
		},
	}
}

// scenario has that many runs per mode, and successes of baseline and
// candidate.
func scenario(id string, runs, baseline, candidate int) bench.ScenarioSummary {
	figures := func(successes int) bench.ScenarioModeSummary {
		m := bench.ScenarioModeSummary{Runs: runs, Successes: successes, Stable: successes, MedianTokensActive: 800, MedianLatencyMS: 30000, MedianToolCalls: 3}
		for k := range min(runs, 8) {
			m.PassHatK = append(m.PassHatK, max(0, 1-float64(runs-successes)*float64(k+1)/float64(runs)))
		}
		if successes < runs {
			m.Errors = map[bench.ErrorType]int{bench.RunnerError: runs - successes}
			m.ExampleError = "agent process ended with exit code 137\nwhile it ran `gh run rerun`"
		}
		return m
	}
	return bench.ScenarioSummary{
		ID: id, Eligible: true,
		Modes:                    map[bench.Mode]bench.ScenarioModeSummary{bench.AgentDirect: figures(baseline), bench.GHX: figures(candidate)},
		TokensActiveReductionPct: ref(27.545968882602544), TokensTotalReductionPct: ref(-8.4), LatencyReductionPct: ref(-4.25),
		ToolCallReductionPct: ref(0.0), CostReductionPct: ref(21.4),
	}
}

func failing() bench.Summary {
	s := passing()
	s.Gate.Passed, s.Gate.Verdict = false, bench.VerdictFail
	s.Gate.Reason = "2 of 10 checks fail: tool calls and cost."
	s.Gate.ModelExpectations = false
	s.Gate.Checks[8] = withEvidence(check(bench.CheckToolCallReduction, 14.996, 15, bench.AtLeast, -8.3, 33.3), 0.21, 0.12)
	s.Gate.Checks[8].Uncertain = true
	s.Gate.Checks[8].Reason = "The median over scenarios is 0.004 points short of the threshold."
	s.Gate.Checks[8].Warnings = []string{"Scenario pr-checks-rerun-001 has only 3 stable runs in mode ghx."}
	s.Gate.Checks[9] = check(bench.CheckCostReduction, 0, 10, bench.AtLeast, 0, 0)
	s.Gate.Checks[9].Interval = nil
	s.Gate.Checks[9].Reason = "There is no cost data for scenario issue-triage-comment-wf-001"
	for mode, m := range s.Modes {
		m.MedianCostUSD = 0
		s.Modes[mode] = m
	}
	s.Modes[bench.MCP] = bench.ModeSummary{
		Mode: bench.MCP, Runs: 1200, SuccessRate: 81.25, OutputValidityRate: 93.75, RunnerFailureRate: 0.08,
		MedianLatencyMS: 940, P90LatencyMS: 125000, MedianTokensActive: 123456.5, MedianTokensTotal: 1234567, MedianToolCalls: 5.5, MedianCostUSD: 2.5,
	}
	s.CostUSD = 1234.5
	s.Delta.CostReductionPct = 0
	s.Scenarios[1] = scenario("issue-triage-comment-wf-001", 10, 10, 7)
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
		{Name: "ghx run issue.comment", Measure: bench.UseBadArguments, Candidate: 1.75, Score: 6.1},
		{Name: "gh | <b>api</b>", Measure: bench.UseBytes, Baseline: 120_000.4, Candidate: 1_200, Score: -4.25},
		{Name: "gh pr checks", Measure: bench.UseDeadEnds, Candidate: 1, Score: 9, Alike: true},
		{Name: "ghx | run", Measure: bench.UseCalls, Candidate: 0.5, Alone: true, Failed: 0.1},
		{Name: "curl", Measure: bench.UseCalls, Baseline: 2, Alone: true},
	}
	s.Scenarios[1].CostReductionPct = nil
	s.Scenarios = append(s.Scenarios, bench.ScenarioSummary{
		ID:    "release-draft-003",
		Modes: map[bench.Mode]bench.ScenarioModeSummary{bench.AgentDirect: {Runs: 2, Successes: 2, Stable: 2, PassHatK: []float64{1, 1}}},
	})
	triage := s.Scenarios[1].Modes[bench.GHX]
	triage.Errors = map[bench.ErrorType]int{bench.CheckpointFailed: 3}
	triage.ExampleError = `checkpoint "nothing else has changed" failed`
	triage.UnallowedChanges = []string{
		`changed issue acme/tool#7 (The report is empty): its title may not change ("The report is empty" → "")`,
		"deleted branch acme/tool: docs/old: nothing of the kind may be deleted",
	}
	s.Scenarios[1].Modes[bench.GHX] = triage
	ghx := s.Modes[bench.GHX]
	ghx.RouteOKRate = ref(87.5)
	s.Modes[bench.GHX] = ghx
	s.Warnings = []string{"Model acme/model-1 has no thresholds of its own, so the defaults are used."}
	s.Regressions = []bench.Regression{
		{Metric: "median_latency_ms", Mode: bench.GHX, Current: 25410.5, RecentAverage: 20100, DeltaPct: 26.42, ThresholdPct: 15},
		{Metric: "success_rate_pct", Mode: bench.GHX, Current: 85, RecentAverage: 97.5, DeltaPct: -12.5, ThresholdPct: -5},
	}
	return s
}

func uncertain() bench.Summary {
	s := passing()
	s.Gate.Reason = "All ten checks pass, two of them uncertainly: more repetitions would tell."
	s.Gate.Checks[0] = check(bench.CheckSuccessRate, -2.5, -3, bench.AtLeast, -18.9, 13.1)
	s.Gate.Checks[6] = withEvidence(check(bench.CheckTokensReduction, 16.2, 15, bench.AtLeast, -3.9, 28.4), 0.0871, 0.22)
	s.Gate.Checks[0].Uncertain, s.Gate.Checks[6].Uncertain = true, true
	s.Gate.Checks[6].Warnings = []string{"5 runs per scenario and mode are few for an interval."}
	return s
}

func noVerdict() bench.Summary {
	s := passing()
	delete(s.Modes, bench.GHX)
	delete(s.Profiling, bench.GHX)
	for i := range s.Scenarios {
		delete(s.Scenarios[i].Modes, bench.GHX)
		s.Scenarios[i].Eligible = false
		s.Scenarios[i].TokensActiveReductionPct, s.Scenarios[i].TokensTotalReductionPct, s.Scenarios[i].LatencyReductionPct = nil, nil, nil
		s.Scenarios[i].ToolCallReductionPct, s.Scenarios[i].CostReductionPct = nil, nil
	}
	s.Delta = nil
	s.Gate = bench.Gate{
		Profile: bench.VerifyPR, Verdict: bench.VerdictNone, Baseline: bench.AgentDirect, Candidate: bench.GHX, Model: "acme/model-1",
		Reason: "There are no rows of mode ghx, so there is nothing to compare.",
	}
	return s
}

func incomplete() bench.Summary {
	s := passing()
	s.Gate.Passed, s.Gate.Verdict = false, bench.VerdictNone
	s.Gate.Reason = "27 of 67 planned cells have no row, so the figures are not those of the plan."
	s.Missing = []bench.MissingCells{
		{Reason: bench.MissingStopped, Cells: []bench.Cell{{ScenarioID: "pr-checks-rerun-001", Mode: bench.GHX, Iteration: 3}}},
		{Reason: bench.MissingBudget, Cells: []bench.Cell{{ScenarioID: "pr-checks-rerun-001", Mode: bench.GHXBase, Iteration: 4}, {ScenarioID: "pr-checks-rerun-001", Mode: bench.GHX, Iteration: 5}}},
	}
	never := bench.MissingCells{Reason: bench.MissingNeverRan}
	for i := range 24 {
		never.Cells = append(never.Cells, bench.Cell{ScenarioID: "issue-triage-comment-wf-001", Mode: bench.GHX, Iteration: i + 1})
	}
	s.Missing = append(s.Missing, never)
	return s
}

func simulated() bench.Summary {
	s := passing()
	s.Simulated = true
	s.Gate.Model = "scripted/scripted"
	return s
}

// attacks are texts that some medium would take for more than a text.
func attacks() []string {
	return []string{
		"@octocat and @acme/team, see #12, GH-34 and acme/tool#56",
		"<script>alert(1)</script><img src=x onerror=alert(1)>",
		"[click](https://evil.example) ![beacon](https://evil.example/x.png) https://evil.example www.evil.example",
		"| a | `b` | **c** | ~~d~~ | $e$ | :tada: | &lt; | [^1]",
		"::error::stop here ##[add-mask]x ::set-output name=a::b",
		"first\r\n::warning::second\n# heading\n- item",
		"\x1b[31mred\x1b[0m \x07 \x00 \xff\xfe \u202ereversed\u2066",
		"=1+1 +1 -1",
		"</details></table></svg></style>{{.}}'\"--><!--",
		strings.Repeat("very long ", 500),
	}
}

func hostile() bench.Summary {
	s := failing()
	all := attacks()
	s.GeneratedAt = all[1]
	s.Gate.Reason = all[5]
	s.Gate.Model = all[2]
	s.Gate.Profile = bench.GateProfile(all[3])
	s.RunIDs = all
	s.Warnings = all
	s.Gate.Checks[0].Reason = all[0]
	s.Gate.Checks[1].Warnings = all[:4]
	s.Gate.Checks[2].Name = bench.CheckName(all[8])
	s.Gate.Candidate = bench.Mode(all[1])
	s.Modes[bench.Mode(all[1])] = s.Modes[bench.GHX]
	s.Profiling[bench.Mode(all[8])] = s.Profiling[bench.GHX]
	s.Surface = &bench.SurfaceChange{Candidate: bench.Mode(all[1]), Baseline: bench.Mode(all[2]), Notes: all}
	for _, attack := range all {
		s.Surface.Edits = append(s.Surface.Edits, bench.SurfaceEdit{Kind: bench.SurfaceRenamed, Name: attack, Was: attack})
	}
	for i, attack := range all {
		one := scenario(attack, 3, 3, 1)
		m := one.Modes[bench.GHX]
		m.Errors = map[bench.ErrorType]int{bench.ErrorType(attack): 2}
		m.ExampleError = all[len(all)-1-i]
		m.UnallowedChanges = []string{attack}
		one.Modes[bench.GHX] = m
		s.Scenarios = append(s.Scenarios, one)
		s.Missing = append(s.Missing, bench.MissingCells{
			Reason: bench.MissingReason(attack),
			Cells:  []bench.Cell{{ScenarioID: attack, Mode: bench.Mode(attack), Iteration: i}},
		})
		s.Regressions = append(s.Regressions, bench.Regression{Metric: attack, Mode: bench.Mode(attack)})
	}
	return s
}

// rowsFor returns rows of every outcome; for the hostile summary also rows
// with hostile texts.
func rowsFor(s bench.Summary) []bench.Row {
	row := func(mode bench.Mode, iteration int, e *bench.RowError) bench.Row {
		return bench.Row{
			Timestamp: fmt.Sprintf("2026-03-01T12:00:%02d.000Z", iteration), RunID: "20260301-7b52", Mode: mode,
			ScenarioID: "pr-checks-rerun-001", ScenarioSet: ref("default"), Iteration: iteration, SessionID: ref("ses_1"),
			Success: e == nil, OutputValid: true, LatencyMSWall: 22252.5, Tokens: bench.Tokens{Input: 282, Output: 85, Reasoning: 8, CacheRead: 11520, Total: 11895},
			Cost: 0.0123456789, ToolCalls: 2, Model: bench.ModelRef{ProviderID: "acme", ModelID: "model-1"}, Error: e,
			Attempts: []bench.Attempt{{}, {}}, Simulated: s.Simulated,
		}
	}
	rows := []bench.Row{
		row(bench.GHX, 1, nil),
		row(bench.AgentDirect, 1, &bench.RowError{Type: bench.AssertionFailed, Message: "want ok true,\ngot false"}),
		row(bench.GHX, 2, &bench.RowError{Type: bench.TimeoutStalled, Message: "no progress for 10 s"}),
		row(bench.GHX, 4, &bench.RowError{Type: bench.CheckpointFailed, Message: "1 of 2 checkpoints failed"}),
	}
	rows[3].Checkpoints = []bench.CheckpointResult{{Name: "merged", Passed: true}, {Name: "labelled", Detail: "want bug, got none"}}
	if len(s.RunIDs) != len(attacks()) {
		return rows
	}
	for i, attack := range attacks() {
		hostile := row(bench.MCP, i+1, &bench.RowError{Type: bench.ErrorType(attack), Message: attack})
		hostile.ScenarioID, hostile.SessionID, hostile.Model.Mode = attack, &attack, &attack
		rows = append(rows, hostile)
	}
	return rows
}
