package evidence_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/stats"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func margins() bench.Margins { return evidence.DefaultMargins(bench.DefaultThresholds(bench.VerifyPR)) }

func design(t testing.TB, profile bench.GateProfile, first, last int) *evidence.Design {
	t.Helper()
	d, err := evidence.NewDesign(profile, margins(), first, last)
	require.NoError(t, err)
	return d
}

func regression(t testing.TB) *evidence.Design { return design(t, bench.ProfileRegression, 2, 12) }

// alike is a world in which the modes do not differ.
func alike(scenarios int) evidence.Truth {
	return evidence.Truth{Scenarios: scenarios, SuccessRate: 0.95, CV: 0.3}
}

func blocks(truth evidence.Truth, n int, seed uint64) []evidence.Block {
	return truth.Blocks(n, stats.Stream(seed))
}

func judge(t testing.TB, d *evidence.Design, blocks []evidence.Block) bench.Evidence {
	t.Helper()
	v := d.Judge(evidence.Data{Blocks: blocks})
	sound(t, v)
	return v
}

// sound holds what is true of every verdict.
func sound(t testing.TB, v bench.Evidence) {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err, "a figure is no number")
	for _, list := range []string{"schedule", "looks", "endpoints", "described", "scenarios"} {
		require.NotContains(t, string(text), `"`+list+`":null`, "who reads it finds a list, be it empty")
	}
	require.NotContains(t, string(text), "-0,")
	require.NotEmpty(t, v.Sentence)
	require.NotEmpty(t, v.Cause.Text)
	within := func(what string, change float64, in *bench.Interval) {
		if in != nil {
			require.LessOrEqual(t, in[0], change, what)
			require.GreaterOrEqual(t, in[1], change, what)
		}
	}
	for _, e := range v.Endpoints {
		within(string(e.Name), e.Change, e.Interval)
	}
	for _, s := range v.Scenarios {
		for _, f := range []bench.Figure{s.Success, s.Cost, s.Latency} {
			within(s.ID, f.Change, &f.Interval)
		}
	}
	if v.Verdict == bench.VerdictPass {
		require.Len(t, v.Endpoints, 3)
		for _, e := range v.Endpoints {
			require.True(t, e.NotWorse.Shown)
		}
	}
}

func TestV6VerdictsOfClearCases(t *testing.T) {
	change := func(alter func(*evidence.Truth)) evidence.Truth {
		truth := alike(12)
		alter(&truth)
		return truth
	}
	cases := []struct {
		name    string
		profile bench.GateProfile
		truth   evidence.Truth
		verdict bench.Verdict
		kind    bench.CauseKind
		about   []bench.EndpointName
	}{
		{"no difference", bench.ProfileRegression, alike(12), bench.VerdictPass, bench.CauseNotWorse, nil},
		{"half as dear again", bench.ProfileRegression, change(func(w *evidence.Truth) { w.CostLog = math.Log(1.5) }),
			bench.VerdictFail, bench.CauseHarm, []bench.EndpointName{bench.EndpointCost}},
		{"half as slow again", bench.ProfileRegression, change(func(w *evidence.Truth) { w.LatencyLog = math.Log(1.5) }),
			bench.VerdictFail, bench.CauseHarm, []bench.EndpointName{bench.EndpointLatency}},
		{"half as reliable", bench.ProfileRegression, change(func(w *evidence.Truth) { w.SuccessDrop = 0.5 }),
			bench.VerdictFail, bench.CauseHarm, []bench.EndpointName{bench.EndpointSuccess}},
		{"a tenth dearer, measured exactly", bench.ProfileRegression, change(func(w *evidence.Truth) { w.CostLog, w.CV = math.Log(1.1), 0.03 }),
			bench.VerdictPass, bench.CauseWorseWithinMargin, []bench.EndpointName{bench.EndpointCost}},
		{"a saving", bench.ProfileClaim, change(func(w *evidence.Truth) { w.CostLog, w.LatencyLog = math.Log(0.6), math.Log(0.6) }),
			bench.VerdictPass, bench.CauseNotWorse, nil},
		{"no saving", bench.ProfileClaim, change(func(w *evidence.Truth) { w.CV = 0.03 }),
			bench.VerdictFail, bench.CauseHarm, []bench.EndpointName{bench.EndpointCost, bench.EndpointLatency}},
		{"a saving that is not reliable", bench.ProfileClaim, change(func(w *evidence.Truth) { w.CostLog, w.LatencyLog, w.SuccessDrop = -1, -1, 0.6 }),
			bench.VerdictFail, bench.CauseHarm, []bench.EndpointName{bench.EndpointSuccess}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v := judge(t, design(t, c.profile, 2, 12), blocks(c.truth, 12, 7))
			assert.Equal(t, c.verdict, v.Verdict, v.Sentence)
			assert.Equal(t, c.kind, v.Cause.Kind)
			assert.Equal(t, c.about, v.Cause.Endpoints)
			assert.True(t, v.Final)
			assert.Nil(t, v.Further)
			if c.profile == bench.ProfileRegression {
				text := map[bench.CauseKind]string{
					bench.CauseNotWorse: "The candidate is not worse than the baseline by more than the margins",
					bench.CauseHarm:     "The candidate is worse in ", bench.CauseWorseWithinMargin: "The candidate is worse, within the margin, in ",
				}[c.kind]
				for _, about := range c.about {
					text += string(about)
				}
				assert.Equal(t, text, v.Cause.Text)
			}
		})
	}
}

func TestV6OnlyAPassIsWithheld(t *testing.T) {
	why := bench.Cause{Kind: bench.CauseNotSideBySide}
	pass := judge(t, regression(t), blocks(alike(12), 12, 7))
	said := pass.Sentence
	evidence.Withhold(&pass, why)
	assert.Equal(t, bench.VerdictInconclusive, pass.Verdict)
	assert.Equal(t, why, pass.Cause)
	assert.Zero(t, pass.EnoughRepetitions)
	assert.NotEqual(t, said, pass.Sentence)

	worse := alike(12)
	worse.SuccessDrop = 0.5
	fail := judge(t, regression(t), blocks(worse, 12, 7))
	before := fail
	evidence.Withhold(&fail, why)
	assert.Equal(t, before, fail)
}

func TestV7FailThatWasToldBeforeStands(t *testing.T) {
	why := bench.Cause{Kind: bench.CauseHarm, Text: "run 7 came to a fail"}
	early := slices.DeleteFunc(blocks(evidence.Truth{Scenarios: 12, SuccessRate: 0.95, CV: 0.5}, 12, 3), func(b evidence.Block) bool { return b.Iteration > 2 })
	told := judge(t, regression(t), early)
	require.NotNil(t, told.Further)
	before := told
	evidence.Uphold(&told, why)
	assert.Equal(t, bench.VerdictFail, told.Verdict)
	assert.Equal(t, why, told.Cause)
	assert.Nil(t, told.Further, "more sessions change nothing")
	assert.Contains(t, told.Sentence, "run 7 came to a fail")
	assert.Equal(t, before.Endpoints, told.Endpoints)

	last := judge(t, design(t, bench.ProfileRegression, 2, 2), early)
	require.Positive(t, last.EnoughRepetitions)
	evidence.Uphold(&last, why)
	assert.Zero(t, last.EnoughRepetitions)

	worse := alike(12)
	worse.SuccessDrop = 0.5
	fail := judge(t, regression(t), blocks(worse, 12, 7))
	before = fail
	evidence.Uphold(&fail, why)
	assert.Equal(t, before, fail, "a fail keeps its own reason")
}

func TestV7BudgetIsTheCauseOnlyWhereMoreLooksMightHaveTold(t *testing.T) {
	until := func(all []evidence.Block, n int) []evidence.Block {
		return slices.DeleteFunc(slices.Clone(all), func(b evidence.Block) bool { return b.Iteration > n })
	}
	unsure := alike(12)
	unsure.CV = 0.5
	all := blocks(unsure, 12, 3)
	for n, text := range map[int]string{
		1: "The budget was used up after 0 of at most 12 repetitions that could be judged. 12 of 12 scenarios",
		2: "The budget was used up after 2 of at most 12 repetitions that could be judged. That the candidate",
	} {
		v := judge(t, regression(t), until(all, n))
		further := v.Further
		evidence.CutShort(&v)
		assert.Equal(t, bench.VerdictInconclusive, v.Verdict)
		assert.Equal(t, bench.CauseBudget, v.Cause.Kind)
		assert.Contains(t, v.Cause.Text, text)
		assert.Contains(t, v.Sentence, "The budget was used up after")
		assert.Equal(t, further, v.Further, "what it would take")
	}

	worse, dead := alike(12), alike(12)
	worse.SuccessDrop, dead.SuccessRate = 0.5, 0
	for name, v := range map[string]bench.Evidence{
		"a pass":              judge(t, regression(t), all),
		"a fail":              judge(t, regression(t), until(blocks(worse, 12, 7), 4)),
		"the last look":       judge(t, design(t, bench.ProfileRegression, 2, 2), until(all, 2)),
		"nothing that solved": judge(t, regression(t), until(blocks(dead, 12, 7), 2)),
	} {
		before := v
		evidence.CutShort(&v)
		assert.Equal(t, before, v, name)
	}
}

func TestV6WhatCannotBeToldSaysWhatItWouldTake(t *testing.T) {
	truth := alike(12)
	truth.CV = 0.5
	all := blocks(truth, 12, 3)
	early := slices.DeleteFunc(slices.Clone(all), func(b evidence.Block) bool { return b.Iteration > 2 })
	v := judge(t, regression(t), early)
	assert.Equal(t, bench.VerdictInconclusive, v.Verdict)
	assert.False(t, v.Final)
	require.NotNil(t, v.Further)
	require.NotNil(t, v.Further.CostUSD)
	assert.True(t, v.Further.Enough)
	assert.Equal(t, 2*12*(v.Further.Blocks-2), v.Further.Sessions)
	spent := v.Baseline.CostUSD + v.Candidate.CostUSD
	assert.InDelta(t, spent/48*float64(v.Further.Sessions), *v.Further.CostUSD, 1e-9)
	assert.Regexp(t, `^That the candidate is not worse is not shown in success, cost and latency; success [+−]?[\d.]+ points \(.* to .*\); cost .* %.*; latency .*; a drop of success under 5\d points would go unseen; about \d+ more sessions \(\$\d+\.\d\d\)$`, v.Sentence)
	assert.Equal(t, bench.VerdictPass, judge(t, regression(t), all).Verdict)
}

func TestV7VerdictIsFinal(t *testing.T) {
	d := regression(t)
	truth := alike(10)
	truth.CostLog = 0.15
	decided := 0
	for seed := range uint64(40) {
		all := blocks(truth, 12, seed)
		whole := judge(t, d, all)
		var before bench.Evidence
		for _, n := range d.Looks() {
			now := judge(t, d, slices.DeleteFunc(slices.Clone(all), func(b evidence.Block) bool { return b.Iteration > n }))
			require.Equal(t, len(now.Looks), min(n/2, len(whole.Looks)))
			require.Equal(t, whole.Looks[:len(now.Looks)], now.Looks, "later blocks change no earlier look")
			if before.Verdict == bench.VerdictPass || before.Verdict == bench.VerdictFail {
				decided++
				require.Equal(t, before.Verdict, now.Verdict)
				require.Equal(t, before.Endpoints, now.Endpoints)
				require.Equal(t, before.BlocksNotJudged+20, now.BlocksNotJudged, "what comes later is counted and not judged")
			}
			before = now
		}
	}
	assert.Positive(t, decided)
}

func TestV7FixedNumberIsOneLook(t *testing.T) {
	v := judge(t, design(t, bench.ProfileRegression, 8, 8), blocks(alike(10), 8, 1))
	require.Len(t, v.Looks, 1)
	assert.True(t, v.Final)
	assert.InDelta(t, 1.644854, v.Endpoints[1].NotWorse.Bound, 1e-6)
	seven := blocks(alike(10), 7, 1)
	early := judge(t, design(t, bench.ProfileRegression, 8, 8), seven)
	assert.Empty(t, early.Looks)
	assert.Equal(t, "10 of 10 scenarios have fewer than 8 blocks that are whole, the least 7, so there is nothing to look at yet", early.Cause.Text)
	seven[2].Candidate.Void = "the provider"
	void := judge(t, design(t, bench.ProfileRegression, 8, 8), seven).Cause.Text
	assert.Contains(t, void, "the least 6,", "a void block is not whole")
	assert.Contains(t, void, "; blocks in which something around an agent failed, which are void: 1")
}

func TestV4LookNeedsEveryScenario(t *testing.T) {
	all := blocks(alike(5), 12, 1)
	last := all[len(all)-1].Scenario
	v := judge(t, regression(t), slices.DeleteFunc(all, func(b evidence.Block) bool { return b.Scenario == last && b.Iteration > 3 }))
	require.Len(t, v.Looks, 1)
	assert.Equal(t, 4*10+1, v.BlocksNotJudged)
}

func TestV4HarmInFewScenariosWithholdsAPass(t *testing.T) {
	truth := alike(30)
	truth.Harmed, truth.HarmFactor = 1, 6.2
	v := judge(t, regression(t), blocks(truth, 12, 4))
	assert.Equal(t, bench.VerdictInconclusive, v.Verdict)
	assert.Equal(t, bench.CauseScenarioHarmed, v.Cause.Kind)
	assert.Equal(t, "scenario-aa", v.Cause.Scenario)
	assert.Regexp(t, `^scenario-aa is worse by more than noise explains: (cost|latency) \+[3-9]\d\d %$`, v.Cause.Text)
	assert.Equal(t, []bench.EndpointName{bench.EndpointCost, bench.EndpointLatency}, slices.Sorted(slices.Values(v.Scenarios[0].Harmed)))
	assert.Equal(t, bench.VerdictPass, v.Scenarios[0].Without, "without it, it would be a pass")
	assert.Equal(t, bench.VerdictInconclusive, v.Scenarios[1].Without)
	truth.Harmed = 2
	assert.Regexp(t, `^scenario-a[ab] is worse by more than noise explains: .* %, and 1 more$`, judge(t, regression(t), blocks(truth, 12, 4)).Cause.Text, "each counts once, though it is dear and slow")
}

func TestV4ScenarioThatNeverSucceedsAnyMoreWithholdsAPass(t *testing.T) {
	all := blocks(evidence.Truth{Scenarios: 40, SuccessRate: 1, CV: 0.1}, 12, 4)
	for i := range all {
		all[i].Candidate.Success = all[i].Scenario != "scenario-ac"
	}
	v := judge(t, design(t, bench.ProfileRegression, 12, 12), all)
	assert.Equal(t, bench.VerdictInconclusive, v.Verdict)
	assert.Equal(t, "scenario-ac is worse by more than noise explains: success −100 points", v.Cause.Text)
	for i := range all {
		if all[i].Scenario == "scenario-ab" || all[i].Scenario == "scenario-ad" {
			all[i].Candidate.CostUSD *= 50
		}
	}
	v = judge(t, design(t, bench.ProfileRegression, 12, 12), all)
	assert.Equal(t, "scenario-ac is worse by more than noise explains: success −100 points, and 2 more", v.Cause.Text, "what fails is worse off than what is dear")
}

// More of a scenario that is harmed may tell, or may not: what it would take is said.
func TestV6AScenarioThatIsHarmedIsLookedAtAgain(t *testing.T) {
	truth := evidence.Truth{Scenarios: 30, SuccessRate: 1, CV: 0.05, Harmed: 1, HarmFactor: 6}
	v := judge(t, regression(t), slices.DeleteFunc(blocks(truth, 12, 4), func(b evidence.Block) bool { return b.Iteration > 4 }))
	require.Equal(t, bench.CauseScenarioHarmed, v.Cause.Kind, v.Sentence)
	require.NotNil(t, v.Further)
	assert.False(t, v.Further.Enough)
	assert.Equal(t, 12, v.Further.Blocks)
	assert.Contains(t, v.Sentence, ", and even they may not tell")
}

func TestV4ChangeWithinTheMarginIsNoHarmToAScenario(t *testing.T) {
	all := blocks(evidence.Truth{Scenarios: 6, SuccessRate: 1, CostLog: math.Log(1.01)}, 12, 4)
	v := judge(t, regression(t), all)
	assert.Equal(t, bench.VerdictPass, v.Verdict, v.Sentence)
	assert.Equal(t, bench.CauseWorseWithinMargin, v.Cause.Kind)
	assert.Equal(t, 20.0, v.Endpoints[1].Margin)
	assert.InDelta(t, 1, v.Endpoints[1].Change, 1e-9)
}

func TestV11NothingComparedShowsNothing(t *testing.T) {
	set := func(baseline, candidate bool) []evidence.Block {
		all := blocks(alike(6), 12, 1)
		for i := range all {
			all[i].Baseline.Success, all[i].Candidate.Success = baseline, candidate
		}
		return all
	}
	for _, c := range []struct {
		name   string
		blocks []evidence.Block
		kind   bench.CauseKind
		says   string
	}{
		{"no block", nil, bench.CauseNoLook, "There are no blocks"},
		{"one block", blocks(alike(1), 1, 1), bench.CauseNoLook, "1 of 1 scenario has fewer than 2 blocks"},
		{"one of two is short", blocks(alike(2), 2, 1)[:3], bench.CauseNoLook, "1 of 2 scenarios have fewer than 2 blocks that are whole, the least 1"},
		{"no success at all", set(false, false), bench.CauseNothingSucceeded, bench.NothingSucceeded},
		{"a dead baseline", set(false, true), bench.CauseDeadBaseline, bench.DeadBaseline},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := judge(t, regression(t), c.blocks)
			assert.Equal(t, bench.VerdictInconclusive, v.Verdict)
			assert.Equal(t, c.kind, v.Cause.Kind)
			assert.Contains(t, v.Cause.Text, c.says)
			assert.Empty(t, v.Endpoints)
			assert.Empty(t, v.Scenarios)
			assert.Empty(t, v.Described)
			assert.Equal(t, v.Cause.Text, v.Sentence)
		})
	}
	dead := judge(t, regression(t), set(true, false))
	assert.Equal(t, bench.VerdictFail, dead.Verdict, "a dead candidate is a failure")
}

func TestV9ModesThatRanOneAfterTheOtherHaveNoVerdict(t *testing.T) {
	all := blocks(alike(6), 12, 1)
	for i := range all {
		all[i].Baseline.EndedMS, all[i].Candidate.EndedMS = int64(i+1), int64(1000+i)
	}
	v := judge(t, regression(t), all)
	assert.Equal(t, bench.CauseNotSideBySide, v.Cause.Kind)
	assert.Contains(t, v.Cause.Text, "did not run side by side")
	untimed := slices.Clone(all)
	for i := range untimed {
		if i%2 == 0 {
			untimed[i].Candidate.EndedMS = 0
		}
	}
	assert.Equal(t, bench.CauseNotSideBySide, judge(t, regression(t), untimed).Cause.Kind, "a session without a time is not the earliest")
	// One session of the baseline among those of the candidate mends nothing.
	all[0].Baseline.EndedMS = 2000
	assert.Equal(t, bench.CauseNotSideBySide, judge(t, regression(t), all).Cause.Kind)
	for i := range all {
		all[i].Baseline.EndedMS, all[i].Candidate.EndedMS = int64(1000+i), int64(i+1)
	}
	assert.Equal(t, bench.CauseNotSideBySide, judge(t, regression(t), all).Cause.Kind, "in either order")
	for i := range all {
		all[i].Baseline.EndedMS = 0
	}
	assert.Equal(t, bench.CauseNotSideBySide, judge(t, regression(t), all).Cause.Kind, "nor where it is not known")
	for i := range all {
		all[i].Baseline.EndedMS, all[i].Candidate.EndedMS = 1, 1
	}
	assert.Equal(t, bench.VerdictPass, judge(t, regression(t), all).Verdict, "equal times are neither before nor after")
}

// voidSome makes the candidate's sessions void where the baseline's iteration is
// divisible, and adds a sound block for each.
func voidSome(all []evidence.Block, every int, candidate, baseline bool) []evidence.Block {
	next := 1000
	for i := range all {
		if all[i].Iteration%every != 0 {
			continue
		}
		again := all[i]
		again.Iteration = next
		next++
		if candidate {
			all[i].Candidate.Void = "the provider"
		}
		if baseline {
			all[i].Baseline.Void = "the provider"
		}
		all = append(all, again)
	}
	return all
}

func TestN10VoidsForbidWhatTheyCouldHide(t *testing.T) {
	flawless := evidence.Truth{Scenarios: 6, SuccessRate: 1, CV: 0.1}
	d := design(t, bench.ProfileRegression, 12, 12)
	for _, c := range []struct {
		name                string
		every               int
		candidate, baseline bool
		kind                bench.CauseKind
		text                string
	}{
		{"no void", 100, true, true, bench.CauseNotWorse, ""},
		{"one of thirteen in both modes", 12, true, true, bench.CauseNotWorse, ""},
		{"one of thirteen in the candidate", 12, true, false, bench.CauseVoidsApart, "Of 78 blocks, 0 are void in the baseline and 6 in the candidate, more than 5 points apart"},
		{"one of thirteen in the baseline", 12, false, true, bench.CauseVoidsApart, "6 are void in the baseline and 0 in the candidate"},
		{"three of fifteen in both", 4, true, true, bench.CauseNotWorse, ""},
		{"four of sixteen in both", 3, true, true, bench.CauseVoid, "24 of 96 blocks are void, more than 20 %"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := judge(t, d, voidSome(blocks(flawless, 12, 2), c.every, c.candidate, c.baseline))
			assert.Equal(t, c.kind, v.Cause.Kind, v.Sentence)
			assert.Contains(t, v.Cause.Text, c.text)
		})
	}
	// A single void, which is too few to be apart, but as a failure would be too
	// much for a margin that three flawless scenarios just reach.
	all := blocks(evidence.Truth{Scenarios: 3, SuccessRate: 1, CV: 0.1}, 12, 2)
	assert.Equal(t, bench.VerdictPass, judge(t, regression(t), all).Verdict)
	again := all[4]
	again.Iteration = 13
	all[4].Candidate.Void = "the provider"
	v := judge(t, regression(t), append(all, again))
	assert.Equal(t, bench.CauseVoidsMatter, v.Cause.Kind, v.Sentence)
	assert.Equal(t, "It would not be a pass if the sessions that are void in one mode alone were failures of that mode", v.Cause.Text)
	assert.Equal(t, bench.Voids{Blocks: 1, Of: 37, Candidate: 1}, v.Looks[5].Voids)
}

func TestV2TokensStandInWhereThereIsNoPrice(t *testing.T) {
	all := blocks(alike(12), 12, 3)
	all[5].Candidate.CostUSD = 0
	v := judge(t, regression(t), all)
	assert.Equal(t, bench.MeasureTokens, v.Endpoints[1].Measure)
	assert.Contains(t, v.Sentence, "total tokens (there is no price) ")
}

// A benchmark may not say how long its sessions took, or what they used.
func TestV2WhatNoSessionTellsIsNotTold(t *testing.T) {
	silent := func(keep func(b *evidence.Block)) bench.Evidence {
		all := blocks(alike(12), 12, 3)
		for i := range all {
			all[i].Baseline.LatencyMS, all[i].Candidate.LatencyMS = 0, 0
		}
		keep(&all[5])
		return judge(t, regression(t), all)
	}
	v := silent(func(*evidence.Block) {})
	latency := v.Endpoints[2]
	assert.Equal(t, bench.Endpoint{EndpointTests: latency.EndpointTests, Margin: 25}, latency, "no figure but the margin")
	assert.True(t, latency.Untold)
	assert.Contains(t, v.Sentence, "; latency not told")
	require.NotEmpty(t, v.Scenarios)
	for _, s := range v.Scenarios {
		assert.Equal(t, bench.Figure{Untold: true}, s.Latency)
		assert.False(t, s.Cost.Untold)
	}
	assert.False(t, v.Endpoints[0].Untold)
	assert.False(t, v.Endpoints[1].Untold)

	for mode, keep := range map[string]func(b *evidence.Block){
		"baseline":  func(b *evidence.Block) { b.Baseline.LatencyMS = 900 },
		"candidate": func(b *evidence.Block) { b.Candidate.LatencyMS = 900 },
	} {
		v := silent(keep)
		assert.False(t, v.Endpoints[2].Untold, "a session of the %s tells", mode)
		assert.NotNil(t, v.Endpoints[2].Interval)
		assert.NotContains(t, v.Sentence, "not told")
		assert.False(t, v.Scenarios[0].Latency.Untold)
	}
}

func TestV2WhatHasNeitherPriceNorTokensIsNotTold(t *testing.T) {
	all := blocks(alike(12), 12, 3)
	for i := range all {
		for _, s := range []*evidence.Session{&all[i].Baseline, &all[i].Candidate} {
			s.CostUSD, s.TokensTotal = 0, 0
		}
	}
	v := judge(t, regression(t), all)
	assert.Equal(t, bench.MeasureTokens, v.Endpoints[1].Measure, "there is no price")
	assert.True(t, v.Endpoints[1].Untold)
}

func TestV2AClaimIsNotBrokenByWhatNobodyTells(t *testing.T) {
	saving := alike(12)
	saving.SuccessRate, saving.CostLog = 1, -1
	all := blocks(saving, 12, 3)
	for i := range all {
		all[i].Baseline.LatencyMS, all[i].Candidate.LatencyMS = 0, 0
	}
	v := judge(t, design(t, bench.ProfileClaim, 2, 12), all)
	assert.Equal(t, bench.VerdictInconclusive, v.Verdict, v.Sentence)
	assert.Equal(t, []bench.EndpointName{bench.EndpointLatency}, v.Cause.Endpoints)
	assert.Equal(t, bench.CauseNotShown, v.Cause.Kind)
	assert.Equal(t, "What is claimed is not shown in latency", v.Cause.Text)
}

func TestV3SessionThatNeededNothingCounts(t *testing.T) {
	truth := evidence.Truth{Scenarios: 12, SuccessRate: 1, CV: 0.1}
	all := blocks(truth, 12, 3)
	for i := range all {
		if all[i].Iteration%2 == 0 {
			all[i].Candidate = evidence.Session{EndedMS: all[i].Candidate.EndedMS}
		}
	}
	v := judge(t, regression(t), all)
	assert.Equal(t, bench.VerdictFail, v.Verdict, "a candidate that dies at once is cheap and not reliable")
	assert.Equal(t, []bench.EndpointName{bench.EndpointSuccess}, v.Cause.Endpoints)
	assert.Equal(t, bench.MeasureCost, v.Endpoints[1].Measure)
}

func TestV3SumsShowWhatRunsWild(t *testing.T) {
	all := blocks(evidence.Truth{Scenarios: 12, SuccessRate: 1, CV: 0.1}, 12, 3)
	for i := range all {
		if i%20 == 0 {
			all[i].Candidate.CostUSD *= 10
		}
	}
	v := judge(t, design(t, bench.ProfileRegression, 12, 12), all)
	assert.Equal(t, bench.MeasureCost, v.Described[0].Measure)
	assert.InDelta(t, 0, *v.Described[0].TypicalPct, 5)
	assert.Greater(t, *v.Described[0].TotalPct, 40.0)
	assert.InDelta(t, *v.Described[0].TotalPct, *v.Described[0].PerSolvedPct, 1e-9, "all were solved")
	assert.Len(t, v.Described, 4)
}

func TestV3WhatNobodyNeededIsNotCompared(t *testing.T) {
	all := blocks(alike(6), 12, 3)
	for i := range all {
		all[i].Candidate.TokensActive = 0
		if all[i].Candidate.Success = false; i%2 == 0 {
			all[i].Baseline.Success = false
		}
	}
	v := judge(t, regression(t), all)
	require.Len(t, v.Described, 4)
	assert.Equal(t, bench.MeasureActive, v.Described[2].Measure)
	assert.Nil(t, v.Described[2].TypicalPct)
	assert.Nil(t, v.Described[2].TotalPct)
	assert.NotNil(t, v.Described[0].TotalPct)
	assert.Nil(t, v.Described[0].PerSolvedPct, "the candidate solved nothing")
	all[0].Candidate.Success = true
	assert.NotNil(t, judge(t, regression(t), all).Described[0].PerSolvedPct, "what one solved task costs is a figure")
}

func TestV7IntervalsNeedBlocks(t *testing.T) {
	few := judge(t, regression(t), blocks(alike(2), 2, 3))
	assert.Nil(t, few.Endpoints[1].Interval, "four blocks have at best p = 1/16")
	assert.Contains(t, few.Sentence, "(too few blocks for an interval)")
	assert.Nil(t, few.Endpoints[1].Detectable)
	assert.NotNil(t, few.Endpoints[0].Interval)
	enough := judge(t, regression(t), blocks(alike(4), 2, 3))
	for _, e := range enough.Endpoints {
		require.NotNil(t, e.Interval)
		assert.Less(t, e.Interval[0], e.Interval[1])
	}
	assert.Nil(t, enough.Endpoints[1].Detectable, "at the first look eight blocks reach no fail")
	assert.NotNil(t, judge(t, regression(t), blocks(alike(4), 4, 3)).Endpoints[1].Detectable)
	alone := judge(t, regression(t), blocks(evidence.Truth{Scenarios: 1, SuccessRate: 1, CV: 0.3}, 2, 3))
	assert.Nil(t, alone.Endpoints[0].Detectable)
	assert.Contains(t, alone.Sentence, "no drop of success would be seen")
}

func TestV12EveryScenarioIsLeftOutOnce(t *testing.T) {
	d := design(t, bench.ProfileRegression, 6, 6)
	for seed := range uint64(10) {
		truth := alike(8)
		truth.CostLog, truth.VoidShare = 0.1, 0.02
		all := blocks(truth, 6, seed)
		v := judge(t, d, all)
		for _, s := range v.Scenarios {
			// A scenario that is gone also gives no noise to the guard and no
			// voids, which is not so where it is left out for comparison.
			others := judge(t, d, slices.DeleteFunc(slices.Clone(all), func(b evidence.Block) bool { return b.Scenario == s.ID }))
			if others.Cause.Kind == v.Cause.Kind || others.Cause.Kind == bench.CauseHarm {
				assert.Equal(t, others.Verdict, s.Without, "seed %d without %s: %s", seed, s.ID, others.Sentence)
			}
		}
	}
	single := judge(t, d, blocks(alike(1), 6, 1))
	assert.Empty(t, single.Scenarios[0].Without)
	for _, s := range judge(t, d, blocks(alike(2), 6, 1)).Scenarios {
		assert.NotEmpty(t, s.Without, "of two each is left out")
	}
}

func TestOrderOfBlocksDoesNotMatter(t *testing.T) {
	truth := alike(7)
	truth.VoidShare, truth.OutlierShare, truth.OutlierFactor = 0.03, 0.03, 10
	all := blocks(truth, 6, 9)
	want, err := json.Marshal(judge(t, regression(t), all))
	require.NoError(t, err)
	for seed := range uint64(20) {
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		got, err := json.Marshal(judge(t, regression(t), all))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	}
}

func TestV1TheMarginsUnlessOthersAreGiven(t *testing.T) {
	assert.Equal(t, bench.Margins{SuccessDropPct: 15, CostRatio: 1.2, LatencyRatio: 1.25, MinCostReductionPct: 15, MinLatencyReductionPct: 12},
		evidence.DefaultMargins(bench.DefaultThresholds(bench.VerifyRelease)))
	costsMore := evidence.DefaultMargins(bench.Thresholds{MinCostReductionPct: -100, MinLatencyReductionPct: -25})
	assert.Zero(t, costsMore.MinCostReductionPct, "a claim is to save something, also of a model that may cost more")
	assert.Zero(t, costsMore.MinLatencyReductionPct)
}

func TestV1AClaimIsToSaveWhatIsClaimed(t *testing.T) {
	for ratio, want := range map[float64]bench.Verdict{0.85: bench.VerdictPass, 0.95: bench.VerdictFail} {
		truth := evidence.Truth{Scenarios: 12, SuccessRate: 0.95, CV: 0.03, CostLog: math.Log(ratio), LatencyLog: math.Log(ratio)}
		v := judge(t, design(t, bench.ProfileClaim, 2, 12), blocks(truth, 12, 7))
		assert.Equal(t, want, v.Verdict, "10 %% are claimed, and the ratio is %g: %s", ratio, v.Sentence)
		assert.Contains(t, v.Cause.Text, map[bench.Verdict]string{
			bench.VerdictPass: "The candidate saves what is claimed, and succeeds as often but for the margin",
			bench.VerdictFail: "The candidate does not save what is claimed, or is worse, in cost and latency",
		}[want])
	}
}

func TestV1DesignsThatMakeNoSenseAreRefused(t *testing.T) {
	with := func(alter func(*bench.Margins)) bench.Margins {
		m := margins()
		alter(&m)
		return m
	}
	for _, c := range []struct {
		name        string
		profile     bench.GateProfile
		margins     bench.Margins
		first, last int
		want        string
	}{
		{"the seed's profile", bench.VerifyPR, margins(), 2, 12, "is not judged by evidence"},
		{"the wrong way round", bench.ProfileRegression, margins(), 12, 2, "repetitions 12..2: the first number is how many"},
		{"none at least", bench.ProfileRegression, margins(), 0, 4, "at least 2 repetitions, and 0 are wanted"},
		{"one", bench.ProfileRegression, margins(), 1, 1, "at least 2 repetitions"},
		{"a thousand", bench.ProfileClaim, margins(), 2, 1000, "at most 100 repetitions, and 1000 are wanted"},
		{"no margin of success", bench.ProfileClaim, with(func(m *bench.Margins) { m.SuccessDropPct = 0 }), 2, 12, "the margin of the success rate is 0 points"},
		{"a negative margin", bench.ProfileRegression, with(func(m *bench.Margins) { m.SuccessDropPct = -3 }), 2, 12, "is -3 points"},
		{"a margin that is no number", bench.ProfileRegression, with(func(m *bench.Margins) { m.CostRatio = math.NaN() }), 2, 12, "the margin of the cost is a ratio of NaN"},
		{"no margin of latency", bench.ProfileRegression, with(func(m *bench.Margins) { m.LatencyRatio = 1 }), 2, 12, "the margin of the latency is a ratio of 1:"},
		{"a cost ratio without end", bench.ProfileRegression, with(func(m *bench.Margins) { m.CostRatio = math.Inf(1) }), 2, 12, "+Inf"},
		{"to save everything", bench.ProfileClaim, with(func(m *bench.Margins) { m.MinLatencyReductionPct = 100 }), 2, 12, "to save 100 % of the latency"},
		{"to save less than nothing", bench.ProfileClaim, with(func(m *bench.Margins) { m.MinCostReductionPct = -1 }), 2, 12, "to save -1 % of the cost"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := evidence.NewDesign(c.profile, c.margins, c.first, c.last)
			require.ErrorContains(t, err, c.want)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestBadFiguresGiveNoNonsense(t *testing.T) {
	set := func(scenarios, n int, alter func(i int, b *evidence.Block)) []evidence.Block {
		all := blocks(alike(scenarios), n, 1)
		for i := range all {
			alter(i, &all[i])
		}
		return all
	}
	same := func(_ int, b *evidence.Block) {
		at := b.Baseline.EndedMS
		b.Baseline = evidence.Session{Success: true, CostUSD: 1, LatencyMS: 1, TokensActive: 1, TokensTotal: 1, EndedMS: at}
		b.Candidate = b.Baseline
	}
	for _, c := range []struct {
		name    string
		blocks  []evidence.Block
		verdict bench.Verdict
	}{
		{"constants", set(12, 12, same), bench.VerdictPass},
		{"constants of one scenario", set(1, 12, same), bench.VerdictInconclusive},
		{"all failed", set(3, 4, func(_ int, b *evidence.Block) { b.Baseline.Success, b.Candidate.Success = false, false }), bench.VerdictInconclusive},
		{"one side void", set(3, 4, func(_ int, b *evidence.Block) { b.Candidate.Void = "x" }), bench.VerdictInconclusive},
		{"nothing needed", set(12, 12, func(_ int, b *evidence.Block) {
			b.Baseline = evidence.Session{Success: true, EndedMS: 1}
			b.Candidate = b.Baseline
		}), bench.VerdictPass},
		{"figures at the ends of what numbers can be", set(12, 12, func(_ int, b *evidence.Block) {
			b.Baseline.CostUSD, b.Candidate.CostUSD = math.SmallestNonzeroFloat64, math.MaxFloat64/1e6
			b.Baseline.LatencyMS, b.Candidate.LatencyMS = math.MaxFloat64/1e6, math.SmallestNonzeroFloat64
		}), bench.VerdictFail},
		{"500 scenarios", blocks(alike(500), 12, 1), bench.VerdictPass},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := judge(t, regression(t), c.blocks)
			assert.Equal(t, c.verdict, v.Verdict, v.Sentence)
			assert.Equal(t, 1, strings.Count(fmt.Sprintln(v.Sentence), "\n"))
		})
	}
}

func BenchmarkJudgeThirtyScenarios(b *testing.B) {
	truth := alike(30)
	truth.CostLog, truth.CV = math.Log(1.11), 0.5
	all := blocks(truth, 12, 1)
	d := design(b, bench.ProfileRegression, 12, 12)
	for b.Loop() {
		d.Judge(evidence.Data{Blocks: all})
	}
}

func TestEveryBlockOfTheLookIsTold(t *testing.T) {
	given := blocks(world(3, 0.9, 0.3), 4, 1)
	given[1].Candidate.Void = "the provider was down"
	given[1].Iteration = 1
	given[0].Iteration = 2
	v := design(t, bench.ProfileRegression, 2, 2).Judge(evidence.Data{Blocks: given})
	require.Len(t, v.Scenarios, 3)
	sessions := 0
	for _, s := range v.Scenarios {
		for _, b := range s.Blocks {
			if !b.Baseline.Void && !b.Candidate.Void {
				sessions += 2
			}
		}
	}
	assert.Equal(t, v.Baseline.Sessions+v.Candidate.Sessions, sessions)
	first := v.Scenarios[0].Blocks
	require.Len(t, first, 3, "two that count, and a void one")
	void := first[len(first)-1]
	assert.Equal(t, bench.BlockEvidence{
		Iteration: 1,
		Baseline:  bench.SessionEvidence{Solved: given[1].Baseline.Success, Cost: given[1].Baseline.CostUSD, LatencyMS: given[1].Baseline.LatencyMS},
		Candidate: bench.SessionEvidence{Solved: given[1].Candidate.Success, Void: true, Cost: given[1].Candidate.CostUSD, LatencyMS: given[1].Candidate.LatencyMS},
	}, void)

	of := func(scenarios int) []bench.BlockEvidence {
		many := design(t, bench.ProfileRegression, 2, 2).Judge(evidence.Data{Blocks: blocks(alike(scenarios), 2, 1)})
		return many.Scenarios[0].Blocks
	}
	assert.Len(t, of(bench.MaxBlocksTold/2), 2)
	assert.Nil(t, of(bench.MaxBlocksTold/2+1), "a summary stays small")
}
