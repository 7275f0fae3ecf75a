package comment_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/markdown"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestRepliesAreAsTheyWere(t *testing.T) {
	_, is, mistake := command.Parse("/bench rnu @octocat")
	require.True(t, is)
	require.Error(t, mistake)
	for _, c := range []struct{ name, reason, reply string }{
		{"accepted", "the plan, the commit and the estimate are what was agreed to", comment.Accepted(command.Run, queued())},
		{"accepted-evidence", "what it takes and what it could show, before anything is spent", comment.Accepted(command.Run, foreseen(bench.ProfileRegression))},
		{"accepted-claim", "a single look of a claim", comment.Accepted(command.Run, foreseen(bench.ProfileClaim))},
		{"accepted-checks", "fixed thresholds with what would go unseen", comment.Accepted(command.Run, foreseen(bench.VerifyPR))},
		{"cancelled", "a run that is being stopped has no plan any more", comment.Accepted(command.Cancel, running())},
		{"mistaken", "a misspelt command is answered with the likely one and all others", comment.Mistaken(mistake)},
		{"status", "how far the run is and what the last one came to", comment.StatusReply(running())},
		{"explained", "a scenario's figures and errors in each mode", comment.Explained(failing(), bench.Cell{ScenarioID: "pr-merge-001"})},
		{"help", "what an Action can do", comment.Helped(command.Run, command.Status, command.Approve, command.Help)},
	} {
		t.Run(c.name, func(t *testing.T) {
			testkit.CheckGolden(t, c.reason, "testdata/reply-"+c.name+".md", []byte(c.reply))
		})
	}
}

// foreseen is a queued run of 12 scenarios whose plan says what it takes.
func foreseen(profile bench.GateProfile) comment.Run {
	run, scenarios := queued(), 12
	p := *run.Plan
	p.Profile, p.Set, p.Repetitions = profile, "ci-evidence", profile.UsualRepetitions()
	if profile == bench.ProfileClaim {
		p.Repetitions.First = p.Repetitions.Most
	}
	p.Cells = 2 * scenarios * p.Repetitions.Most
	plan := evidence.PlanOfChecks(evidence.Unknown(scenarios), p.Repetitions.Most)
	if profile.ByEvidence() {
		margins := evidence.DefaultMargins(bench.Thresholds{MinCostReductionPct: 10, MinLatencyReductionPct: 10})
		design, err := evidence.NewDesign(profile, margins, p.Repetitions.First, p.Repetitions.Most)
		if err != nil {
			panic(err)
		}
		plan = design.Plan(evidence.Unknown(scenarios))
	}
	p.Foreseen, run.Plan = &plan, &p
	return run
}

func TestARefusalSaysWhyAndWhatToDo(t *testing.T) {
	for _, why := range []comment.Refusal{
		comment.NoPermission, comment.UnknownCommit, comment.Outdated, comment.NotApproved, comment.NothingToDo, comment.Closed,
		comment.OverBudget, comment.NotHere, comment.OtherBenchmark, comment.Answered, comment.NoForks, comment.OwnBranch, comment.KeyToFork,
	} {
		reply := comment.Refused(command.Run, why)
		assert.True(t, strings.HasPrefix(reply, "👎 `/bench run`: "), reply)
		assert.Greater(t, strings.Count(reply, " "), 10, "the reason is put into words: %s", reply)
	}
	assert.Equal(t, "👎 `/bench run`: the moon is full.\n", comment.Refused(command.Run, "the moon is full"))
}

func TestAnAcceptedCommandSaysWhatItMayCost(t *testing.T) {
	for says, plan := range map[string]comment.Plan{
		"| Cost | about 0.7 USD (at most 5 USD) |": {CostUSD: 0.7, MaxUSD: 5},
		"| Cost | about 0.7 USD |":                 {CostUSD: 0.7},
		"| Cost | not known yet, at most 5 USD |":  {MaxUSD: 5},
		"| Cost | not known yet |":                 {},
		"| Cost | nothing: no model is involved |": {Simulated: true, CostUSD: 0.7, MaxUSD: 5},
		"| Duration | about 21 min |":              {Duration: 21 * time.Minute},
	} {
		assert.Contains(t, comment.Accepted(command.Run, comment.Run{Suite: "bench", Plan: &plan}), says)
	}
	assert.NotContains(t, comment.Accepted(command.Run, comment.Run{Suite: "bench", Plan: &comment.Plan{}}), "Duration")
}

// Names of branches and texts of errors are others', and GitHub is to make
// nothing of them.
func TestWhatOthersWroteIsTextInReplies(t *testing.T) {
	const hostile = "x`@octocat`[a](https://evil.example)<b>"
	asCode, asText := markdown.Code(hostile, 100), markdown.Text(hostile, 100)
	for _, c := range []struct{ name, reply, shown string }{
		{"a branch", comment.WithoutSettings(command.Run, ".github/bench.yml", hostile), "branch " + asCode + ","},
		{"a delivery", comment.Failed(command.Run, fault.Infraf("x"), hostile), "delivery " + asCode + " "},
		{"an error", comment.Failed(command.Run, fault.Infraf("%s", hostile), "1-2"), "(" + asText + ")"},
		{"an input", comment.WithBrokenInputs(command.Run, fault.Invalidf("is\n%s", hostile)), "\n- is\n- " + asText + "\n"},
		{"a login", comment.ForOne(hostile, "no"), "commands of " + asCode + " here"},
		{"what a marker says", comment.StandingReply(hostile, &comment.Marker{Suite: hostile, Headline: hostile, Commit: hostile}, hostile), "## " + asText + "\n"},
		{"a setting", comment.WithBrokenSettings(command.Run, fault.Invalidf("is\n%s", hostile)), "\n- is\n- " + asText + "\n"},
		{"a permission", comment.Unpermitted(command.Run, hostile), "needs " + asText + " permission"},
		{"why it is too dear", comment.Unaffordable(command.Run, hostile), ": " + asText},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Contains(t, c.reply, c.shown) })
	}
}

func TestTheStatusSaysWhatTheLastRunCameTo(t *testing.T) {
	last := failing().Marker()
	reply := comment.StandingReply("bench", &last, last.Commit)
	assert.Contains(t, reply, "## ❌ FAIL: 2 of 10 checks failed (success rate; tool calls, in doubt)")
	assert.NotContains(t, reply, "earlier commit")
	assert.Contains(t, comment.StandingReply("bench", &last, strings.Repeat("0d", 20)), "an earlier commit. The head is `0d0d0d0` now, and has no verdict yet.")

	older := last
	older.Headline = ""
	assert.Contains(t, comment.StandingReply("bench", &older, last.Commit), "## fail\n", "what older versions have written")
	under := running().Marker()
	assert.Contains(t, comment.StandingReply("bench", &under, under.Commit), "## ⏳ RUNNING")
	assert.Contains(t, comment.StandingReply("bench", nil, ""), "no run of **bench**")
}

func TestSettingsThatCannotBeUsedAreListedLineByLine(t *testing.T) {
	reply := comment.WithBrokenSettings(command.Run, fault.Invalidf("line 2 is wrong\n \nline 3 is wrong too"))
	assert.Equal(t, "👎 `/bench run`: the settings on the base branch cannot be used. Mend them there:\n\n- line 2 is wrong\n- line 3 is wrong too\n", reply)
}

func TestAFailureSaysWhatToDo(t *testing.T) {
	assert.Equal(t, "👎 `/bench run`: it could not be carried out (read the pull request: GitHub is down): comment it again, "+
		"and if that fails too, look for the delivery `1-2` in the log of the App.\n", comment.Failed(command.Run, fault.Infraf("read the pull request: GitHub is down."), "1-2"))
}

func TestNoReplyIsACommandItself(t *testing.T) {
	for _, reply := range []string{
		comment.Accepted(command.Run, queued()), comment.Refused(command.Run, comment.Closed), comment.Mistaken(errors.New("/bench run")),
		comment.Helped(), comment.StatusReply(running()), comment.Explained(failing(), bench.Cell{ScenarioID: "/bench run"}), comment.Comment(passing()),
	} {
		_, is, err := command.Parse(reply)
		assert.NoError(t, err)
		assert.False(t, is, reply)
	}
}

func TestExplainKnowsTheModeOfACell(t *testing.T) {
	reply := comment.Explained(failing(), bench.Cell{ScenarioID: "pr-merge-001", Mode: bench.GHX, Iteration: 3})
	assert.Contains(t, reply, "| `ghx` | 7/10 |")
	assert.NotContains(t, reply, "agent_direct")
	assert.Equal(t, "👎 The last run has no scenario `other-001`.\n", comment.Explained(failing(), bench.Cell{ScenarioID: "other-001"}))
}

func TestExplainSaysWhyThereIsNothingToExplain(t *testing.T) {
	unlinked := running()
	unlinked.Links = comment.Links{}
	for name, c := range map[string]struct {
		run  comment.Run
		says []string
	}{
		"a run that waits":     {queued(), []string{"has not begun", "Ask again", "[Look at the run](<https://github.com/acme/tool/actions/runs/42>)"}},
		"a run that goes on":   {running(), []string{"goes on (12 of 40 cells", "Ask again", "[Look at the run](<https://github.com/acme/tool/actions/runs/42>)"}},
		"a run without a page": {unlinked, []string{"goes on", "Ask again when it has ended.\n"}},
		"a run that broke":     {broken(fault.Infraf("x")), []string{"ended before anything was judged", "`/bench status` says why"}},
		"a run that was ended": {stopped(), []string{"ended before anything was judged", "`/bench status` says why"}},
	} {
		t.Run(name, func(t *testing.T) {
			reply := comment.Explained(c.run, bench.Cell{ScenarioID: "pr-merge-001"})
			assert.True(t, strings.HasPrefix(reply, "👎 `/bench explain`: the last run "), reply)
			for _, part := range c.says {
				assert.Contains(t, reply, part)
			}
			assert.NotContains(t, reply, "has no scenario")
		})
	}
}
