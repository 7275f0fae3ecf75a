package comment_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

func TestPagesAreAsTheyWere(t *testing.T) {
	for _, e := range examples() {
		t.Run(e.name, func(t *testing.T) {
			testkit.CheckGolden(t, e.reason, "testdata/"+e.name+".comment.md", []byte(comment.Comment(e.run)))
			if e.name != "limits" { // its check run has the same sections in four times the size
				testkit.CheckGolden(t, e.reason, "testdata/"+e.name+".check.md", []byte(written(comment.Check(e.run))))
			}
		})
	}
	testkit.CheckGolden(t, "a job summary is the comment without its marker", "testdata/fail.summary.md", []byte(comment.JobSummary(failing())))
}

// written shows everything in a check run.
func written(c comment.CheckRun) string {
	var out strings.Builder
	fmt.Fprintf(&out, "status: %s\nconclusion: %s\ntitle: %s\n\n=== summary\n\n%s\n=== text\n\n%s", c.Status, c.Conclusion, c.Output.Title, c.Output.Summary, c.Output.Text)
	for _, a := range c.Output.Annotations {
		fmt.Fprintf(&out, "\n=== %s:%d-%d %s: %s\n%s\n", a.Path, a.StartLine, a.EndLine, a.Level, a.Title, a.Message)
	}
	return out.String()
}

// What a page has no room for goes in the order of what it is worth, and is named.
func TestWhatIsLeftOutIsNamedInTheOrderOfItsWorth(t *testing.T) {
	says := regexp.MustCompile(`(?m)^\*(?:Left out for its length: .*|… and .* more .*) in \[`)
	number := regexp.MustCompile(`[0-9,]+ more`)
	var out strings.Builder
	for _, e := range append(examples(), evidenceExamples(t)...) {
		if e.name == "limits" || e.name == "hostile" {
			continue // they are large, and have the sections of a failure
		}
		fmt.Fprintf(&out, "## %s\n\n", e.name)
		for limit := len(comment.Cut(e.run, 1<<20)) + 500; limit > 500; limit -= 100 {
			for _, line := range says.FindAllString(comment.Cut(e.run, limit), -1) {
				line = number.ReplaceAllString(line, "N more")
				if !strings.Contains(out.String(), line) {
					fmt.Fprintln(&out, line)
				}
			}
		}
		fmt.Fprintln(&out)
	}
	testkit.CheckGolden(t, "the verdict stays, then why, then figures", "testdata/left-out.md", []byte(out.String()))
}

// Every reason for which nothing is measured, with the commands that there are and
// without any.
func TestWhyNothingIsMeasuredIsAsItWas(t *testing.T) {
	var out strings.Builder
	for _, why := range []comment.Skip{
		comment.SkipMarker, comment.SkipDraft, comment.SkipPaths, comment.SkipLabel, comment.SkipTrigger,
		comment.SkipForks, comment.SkipPermission, comment.SkipApproval, comment.SkipSecrets, "of a later version",
	} {
		run := skipped(why)
		headline, _, _ := strings.Cut(comment.Cut(run, comment.MaxComment), "\n")
		fmt.Fprintf(&out, "# %s\n\n%s\n\n%s\n\n", why, headline, run.SkipText())
		run.Commands = nil
		fmt.Fprintf(&out, "Without commands: %s\n\n", run.SkipText())
	}
	run := skipped(comment.SkipApproval)
	for _, run.Commit = range []string{"main", commit[:39], commit[:39] + "g"} {
		fmt.Fprintf(&out, "# approval of %q, which is no commit's name\n\n%s\n\n", run.Commit, run.SkipText())
	}
	testkit.CheckGolden(t, "what to do is said of each", "testdata/skips.md", []byte(out.String()))
}

// changed is an example with something else in it.
func changed(of comment.Run, change func(*comment.Run)) comment.Run {
	change(&of)
	return of
}

// state is an example with something else in it.
type state struct {
	name, reason string
	of           func() comment.Run
	change       func(*comment.Run)
}

// ofEvidence is a run that evidence decided.
func ofEvidence() comment.Run {
	all, err := fake.All()
	if err != nil {
		panic(err)
	}
	return judged(all[0])
}

// unknown is a run that ended without figures.
func unknown() comment.Run { return changed(passing(), func(r *comment.Run) { r.Summary = nil }) }

// states are what pages tell besides the examples.
func states() []state {
	return []state{
		{"contested", "two pull requests have the same head, so that the check of one would be that of the other", failing, func(r *comment.Run) { r.Contested = []int{7, 12} }},
		{"nothing is known of the line", "it waits all the same", queued, func(r *comment.Run) { r.Waiting = nil }},
		{"next in line", "and nobody knows for how long", queued, func(r *comment.Run) { r.Waiting = &comment.Waiting{} }},
		{"second in line", "with the time, in UTC", queued, func(r *comment.Run) {
			r.Waiting = &comment.Waiting{Ahead: 1, Begins: r.At.Add(12*time.Hour - time.Second).In(time.FixedZone("", 3600))}
		}},
		{"a long line", "with the day", queued, func(r *comment.Run) { r.Waiting = &comment.Waiting{Ahead: 1234, Begins: r.At.Add(12 * time.Hour)} }},
		{"getting ready", "no cell has begun", running, func(r *comment.Run) { r.Progress = nil }},
		{"just begun", "no time has passed and nothing was spent", running, func(r *comment.Run) { r.Progress = &comment.Progress{Cells: 40, Elapsed: 999 * time.Millisecond} }},
		{"all but done", "more is done than was planned", running, func(r *comment.Run) { r.Progress = &comment.Progress{Done: 41, Cells: 40, Elapsed: time.Second} }},
		{"tasks", "another benchmark counts tasks and does not know how many", running, func(r *comment.Run) { r.Progress = &comment.Progress{Done: 1, Noun: "task"} }},
		{"scenarios by name", "five are named and the others counted", queued, func(r *comment.Run) {
			r.Plan.Set, r.Plan.Scenarios = "", []string{"a-001", "a-002", "a-003", "a-004", "a-005", "a-006", "a-007"}
		}},
		{"five scenarios", "and nothing more", queued, func(r *comment.Run) {
			r.Plan.Set, r.Plan.Scenarios = "", []string{"a-001", "a-002", "a-003", "a-004", "a-005"}
		}},
		{"six scenarios", "and one other", queued, func(r *comment.Run) {
			r.Plan.Set, r.Plan.Scenarios = "", []string{"a-001", "a-002", "a-003", "a-004", "a-005", "a-006"}
		}},
		{"no plan", "all that is known is that it waits", queued, func(r *comment.Run) { *r = comment.Run{Suite: "ghx", Phase: comment.Queued} }},
		{"stopped without a reason", "and before anything was done", stopped, func(r *comment.Run) { r.Reason, r.Progress = "", nil }},
		{"mended", "what failed passes now", passing, func(r *comment.Run) { r.Previous = ref(failing().Marker()) }},
		{"broke", "what passed fails now", failing, func(r *comment.Run) { r.Previous = ref(passing().Marker()) }},
		{"broke, somewhere", "it is not known at which commit it passed", failing, func(r *comment.Run) {
			before := passing()
			before.Commit = ""
			r.Previous = ref(before.Marker())
		}},
		{"after one that was stopped", "the one before it counts", failing, func(r *comment.Run) {
			r.Previous = &comment.Marker{Suite: "ghx", Last: ref(passing().Marker())}
		}},
		{"nothing to compare", "a figure is missing", passing, func(r *comment.Run) {
			s := r.Summary.Modes[bench.GHX]
			s.MedianCostUSD = math.NaN()
			r.Summary.Modes[bench.GHX] = s
		}},
		{"free", "nothing was paid", passing, func(r *comment.Run) { r.Summary.CostUSD = 0 }},
		{"many repetitions", "twice as many are more than there may be", uncertain, func(r *comment.Run) { r.Plan.Repetitions = bench.Repetitions{First: 51, Most: 51} }},
		{"half of the most repetitions", "twice as many are the most", uncertain, func(r *comment.Run) { r.Plan.Repetitions = bench.Repetitions{First: 50, Most: 50} }},
		{"one repetition", "two would tell", uncertain, func(r *comment.Run) { r.Plan.Repetitions = bench.Repetitions{First: 1, Most: 1} }},
		{"a plan without repetitions", "it is not known how many more to ask for", uncertain, func(r *comment.Run) { r.Plan.Repetitions = bench.Repetitions{} }},
		{"without a plan", "it is not known how many more to ask for", uncertain, func(r *comment.Run) { r.Plan = nil }},
		{"unverified, of no commit", "whose name can be approved", unverified, func(r *comment.Run) { r.Commit = "main" }},
		{"a tool that does not start", "it is mended, not run again", func() comment.Run { return broken(fault.Infraf("the tool does not start")) }, func(r *comment.Run) { r.Problem = fault.Toolf("the tool does not start") }},
		{"contested by five", "three are named", failing, func(r *comment.Run) { r.Contested = []int{7, 8, 9, 10, 11} }},
		{"another benchmark", "it has no two gates, and all its checks are counted", failing, func(r *comment.Run) {
			r.Summary.Gate.Checks = []bench.Check{{Name: "Questions answered", Passed: true}, {Name: "Style, by a judge"}}
		}},
		{"more checks than there are", "the first ten count", passing, func(r *comment.Run) {
			r.Summary.Gate.Checks = append(r.Summary.Gate.Checks, check(bench.CheckRetryRate, 90, 15, bench.AtMost, 0, 4.1))
		}},
		{"no two modes", "so that they are not named", passing, func(r *comment.Run) { r.Summary.Gate.Candidate, r.Summary.Gate.Model = "", "" }},
		{"one shard", "is the whole", passing, func(r *comment.Run) { r.Shards = 1 }},
		{"two shards", "were merged", passing, func(r *comment.Run) { r.Shards = 2 }},
		{"of no commit", "and none that could be linked", passing, func(r *comment.Run) { r.Commit = "" }},
		{"a commit without a page", "it is named", passing, func(r *comment.Run) { r.Links.Commit = "" }},
		{"simulated, failed", "no sign says so", failing, func(r *comment.Run) { r.Summary.Simulated = true }},
		{"a verdict of none", "with a cause and no figures", failing, func(r *comment.Run) { r.Summary.Gate.Verdict = bench.VerdictNone }},
		{"inconclusive", "it says why", failing, func(r *comment.Run) { r.Summary.Gate.Verdict = bench.VerdictInconclusive }},
		{"unverified without figures", "there is nothing to doubt", unknown, func(r *comment.Run) { r.Unverified = true }},
		{"contested without figures", "there is nothing to judge", unknown, func(r *comment.Run) { r.Contested = []int{7} }},
		{"two in doubt", "which are counted", failing, func(r *comment.Run) { r.Summary.Gate.Checks[0].Uncertain = true }},
		{"a second", "is told", running, func(r *comment.Run) { r.Progress = &comment.Progress{Done: 1, Cells: 1, Elapsed: time.Second} }},
		{"stopped with figures", "they are shown, and decide nothing", ofEvidence, func(r *comment.Run) { r.Phase = comment.Stopped }},
		{"evidence that nobody vouches for", "it is folded", ofEvidence, func(r *comment.Run) { r.Unverified = true }},
		{"evidence of two pull requests", "it decides nothing", ofEvidence, func(r *comment.Run) { r.Contested = []int{7} }},
		{"evidence without endpoints", "nothing was compared", ofEvidence, func(r *comment.Run) { r.Summary.Evidence.Endpoints = nil }},
		{"nothing is left out", "for one of two reasons", ofEvidence, func(r *comment.Run) {
			r.Summary.LeftOut = []bench.LeftOut{{Reason: "nothing of it"}, {Reason: "the block was void", Rows: 1, Cells: []bench.Cell{{ScenarioID: "a-001", Mode: bench.GHX, Iteration: 1}}}}
		}},
		{"a verdict that stands", "is not run again", ofEvidence, func(r *comment.Run) { r.Summary.Evidence.Final = false }},
		{"undecided, with more to come", "the run is gone on with", ofEvidence, func(r *comment.Run) {
			r.Summary.Evidence.Verdict, r.Summary.Gate.Verdict, r.Summary.Evidence.Final = bench.VerdictInconclusive, bench.VerdictInconclusive, false
		}},
		{"undecided, at the end", "it is not", ofEvidence, func(r *comment.Run) {
			r.Summary.Evidence.Verdict, r.Summary.Gate.Verdict = bench.VerdictInconclusive, bench.VerdictInconclusive
		}},
		{"after no verdict", "in words", passing, func(r *comment.Run) { r.Previous = ref(simulated().Marker()) }},
		{"after one that was skipped", "in words", passing, func(r *comment.Run) { r.Previous = ref(skipped(comment.SkipLabel).Marker()) }},
		{"skipped by a later version", "nobody knows what to do", func() comment.Run { return skipped(comment.SkipLabel) }, func(r *comment.Run) { r.Skip = "of a later version" }},
		{"no modes", "have no table", passing, func(r *comment.Run) { r.Summary.Modes = nil }},
		{"no run", "of an agent", passing, func(r *comment.Run) {
			r.Summary.Delta, r.Summary.Modes = nil, map[bench.Mode]bench.ModeSummary{bench.GHX: {}}
		}},
		{"one run", "of an agent", passing, func(r *comment.Run) {
			r.Summary.Delta, r.Summary.Modes = nil, map[bench.Mode]bench.ModeSummary{bench.GHX: {Runs: 1}}
		}},
		{"a change that the figures do not tell of", "was found before", passing, func(r *comment.Run) { r.Surface = failing().Summary.Surface }},
		{"a reduction without a figure", "is not drawn", failing, func(r *comment.Run) {
			r.Summary.Gate.Checks[6] = bench.Check{Name: bench.CheckTokensReduction, Threshold: 15, Operator: bench.AtLeast, Reason: "Nothing can be compared"}
		}},
		{"a plan that shows nothing", "no look, no share, no change", queued, func(r *comment.Run) {
			r.Plan.Foreseen, r.Plan.Repetitions = &evidence.Plan{}, bench.Repetitions{First: 2, Most: 8}
		}},
		{"a plan that shows a part", "of what it measures", queued, func(r *comment.Run) {
			r.Plan.Profile = bench.ProfileRegression
			r.Plan.Foreseen = &evidence.Plan{Expected: evidence.Spending{Sessions: 10}, AtMost: evidence.Spending{Sessions: 40}, Looks: []evidence.PlannedLook{{Cost: ref(31.0)}}}
		}},
		{"a plan that shows no change", "of any", queued, func(r *comment.Run) {
			r.Plan.Profile, r.Plan.Foreseen = bench.ProfileRegression, &evidence.Plan{Looks: []evidence.PlannedLook{{}}}
		}},
		{"a plan of checks that show no drop", "for sure", queued, func(r *comment.Run) { r.Plan.Foreseen = &evidence.Plan{Looks: []evidence.PlannedLook{{}}} }},
		{"one look", "after one repetition", ofEvidence, func(r *comment.Run) {
			r.Summary.Evidence.Looks = []bench.Look{{Blocks: 1, Verdict: bench.VerdictPass, Cause: r.Summary.Evidence.Cause}}
		}},
		{"nothing known", "the run ended without figures", passing, func(r *comment.Run) { *r = unknown() }},
	}
}

// Of each page the lines are there that are not on the example's (+), and those of
// the example's that are not on it (-).
func TestPagesOfOtherStatesAreAsTheyWere(t *testing.T) {
	page := func(r comment.Run) []string {
		check := comment.Check(r)
		return append(strings.Split(comment.Cut(r, comment.MaxComment), "\n"), fmt.Sprintf("check: %s %s %s", check.Status, check.Conclusion, check.Output.Title))
	}
	var out strings.Builder
	for _, s := range states() {
		usual, other := page(s.of()), page(changed(s.of(), s.change))
		fmt.Fprintf(&out, "# %s: %s\n", s.name, s.reason)
		for _, line := range usual {
			if !slices.Contains(other, line) {
				fmt.Fprintln(&out, "-", line)
			}
		}
		for _, line := range other {
			if !slices.Contains(usual, line) {
				fmt.Fprintln(&out, "+", line)
			}
		}
		fmt.Fprintln(&out)
	}
	testkit.CheckGolden(t, "what is not so in the examples", "testdata/states.diff", []byte(out.String()))
}

func TestOtherRepliesAreAsTheyWere(t *testing.T) {
	noted := queued()
	noted.Notices = []string{"The settings of the *base* branch hold."}
	bare := comment.Run{Suite: "ghx", Phase: comment.Queued}
	incomplete := failing()
	incomplete.Summary.Scenarios[0].Modes[bench.GHX] = bench.ScenarioModeSummary{Runs: 1}
	marker := failing().Marker()
	waiting := queued()
	waiting.Links.Job = ""
	var out strings.Builder
	for _, reply := range []string{
		comment.Accepted(command.Run, noted), comment.Accepted(command.Retry, bare), comment.Accepted(command.Approve, waiting), comment.Accepted(command.Cancel, bare),
		comment.RefusalMark("octo-cat-->"), comment.CancelledBy("@octocat"), comment.UsedUp(".github/bench.yml"), comment.TooDear(3.5, 2, ".github/bench.yml"),
		comment.StandingReply("ghx", nil, commit), comment.StandingReply("ghx", &marker, commit), comment.StandingReply("ghx", &marker, previous),
		comment.StandingReply("ghx", &comment.Marker{Suite: "ghx", Commit: commit, Conclusion: comment.Cancelled}, commit),
		comment.Explained(incomplete, bench.Cell{ScenarioID: incomplete.Summary.Scenarios[0].ID}), comment.Explained(failing(), bench.Cell{ScenarioID: "no-such-001"}),
		comment.Explained(waiting, bench.Cell{ScenarioID: "a-001"}), comment.Explained(running(), bench.Cell{ScenarioID: "a-001"}),
		comment.Explained(changed(running(), func(r *comment.Run) { r.Progress = nil }), bench.Cell{ScenarioID: "a-001"}), comment.Explained(stopped(), bench.Cell{ScenarioID: "a-001"}),
	} {
		fmt.Fprintf(&out, "%s\n\n---\n\n", reply)
	}
	testkit.CheckGolden(t, "what is not so in the examples", "testdata/replies.md", []byte(out.String()))
}
