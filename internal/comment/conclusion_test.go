package comment_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// withVerdict is a run that came to a verdict.
func withVerdict(v bench.Verdict) comment.Run {
	return comment.Run{Phase: comment.Finished, Summary: &bench.Summary{Gate: bench.Gate{Verdict: v, Passed: v == bench.VerdictPass}}}
}

// conclusions are all the ways in which a run ends, in the words of the docs.
func conclusions() []struct {
	what string
	run  comment.Run
	want comment.Conclusion
} {
	made := withVerdict(bench.VerdictPass)
	made.Unverified = true
	contested := withVerdict(bench.VerdictPass)
	contested.Contested = []int{7}
	simulated := withVerdict(bench.VerdictPass)
	simulated.Summary.Simulated = true
	skip := func(why comment.Skip) comment.Run { return comment.Run{Phase: comment.Skipped, Skip: why} }
	return []struct {
		what string
		run  comment.Run
		want comment.Conclusion
	}{
		{"the change passes", withVerdict(bench.VerdictPass), comment.Success},
		{"the change fails", withVerdict(bench.VerdictFail), comment.Failure},
		{"the tool of the change does not build, or does not work", broken(fault.Toolf("exit status 1")), comment.Failure},
		{"it can't be told, as `on-no-verdict` says", withVerdict(bench.VerdictInconclusive), comment.Neutral},
		{"no model was involved (`scripted`)", simulated, comment.Neutral},
		{"nothing could be judged", withVerdict(bench.VerdictNone), comment.ActionRequired},
		{"there are no results", comment.Run{Phase: comment.Finished}, comment.ActionRequired},
		{"something around us failed", broken(fault.Infraf("the disk is full")), comment.ActionRequired},
		{"something in us failed", broken(fault.Internalf("a bug")), comment.ActionRequired},
		{"an input, a setting or a file is wrong", broken(fault.Invalidf("no such input")), comment.ActionRequired},
		{"unverified: a fork's own workflow made the rows", made, comment.ActionRequired},
		{"compared with the base, and the commit is another pull request's too, into another branch", contested, comment.ActionRequired},
		{"a fork's commit waits for approval", skip(comment.SkipApproval), comment.ActionRequired},
		{"forks are not measured here", skip(comment.SkipForks), comment.ActionRequired},
		{"Dependabot started it, and it has not got the key", skip(comment.SkipSecrets), comment.ActionRequired},
		{"who asked for it may not write", skip(comment.SkipPermission), comment.ActionRequired},
		{"a draft, where drafts are not measured", skip(comment.SkipDraft), comment.ActionRequired},
		{"stopped, by somebody or by a limit", comment.Run{Phase: comment.Stopped}, comment.Cancelled},
		{"no changed file matches the paths", skip(comment.SkipPaths), comment.Neutral},
		{"`[skip bench]` in a commit that a writer pushed", skip(comment.SkipMarker), comment.SkippedCheck},
		{"a label, or the lack of one, that the settings name", skip(comment.SkipLabel), comment.SkippedCheck},
		{"the settings do not measure merge queues", skip(comment.SkipTrigger), comment.SkippedCheck},
	}
}

// lets reports whether GitHub lets a pull request be merged where the check is required.
// https://docs.github.com/pull-requests/collaborating-with-pull-requests/collaborating-on-repositories-with-code-quality-features/about-status-checks
func lets(c comment.Conclusion) bool {
	return c == comment.Success || c == comment.Neutral || c == comment.SkippedCheck
}

func TestConclusionsFailClosed(t *testing.T) {
	var table strings.Builder
	table.WriteString("| what happened | conclusion | a required check lets it merge |\n|---|---|---|\n")
	for _, c := range conclusions() {
		assert.Equal(t, c.want, c.run.Conclusion(), c.what)
		assert.Equal(t, comment.StatusCompleted, comment.Check(c.run).Status, c.what)
		fmt.Fprintf(&table, "| %s | `%s` | %s |\n", c.what, c.want, map[bool]string{true: "yes", false: "no"}[lets(c.want)])
	}
	const page, begin, end = "../../docs/conclusion.md", "<!-- begin conclusions -->\n", "<!-- end conclusions -->\n"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), begin)
	require.True(t, found)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found)
	testkit.CheckGolden(t, "the docs tell the conclusions as they are", page, []byte(before+begin+table.String()+end+after))
}

// Whatever a run came to whose rows are a fork's own, or are another pull request's too,
// lets nothing through that people who may write have not let through.
func TestWhatIsVerifiedByNobodyLetsNothingThrough(t *testing.T) {
	for _, c := range conclusions() {
		for name, run := range map[string]comment.Run{"unverified": c.run, "contested": c.run} {
			run.Unverified, run.OnNoVerdict = name == "unverified", comment.Neutral
			if name == "contested" {
				run.Contested = []int{7}
			}
			if run.Phase == comment.Skipped {
				assert.Equal(t, c.want, run.Conclusion(), c.what)
			} else {
				assert.False(t, lets(run.Conclusion()), "%s, %s", c.what, name)
			}
		}
	}
}

// Nobody has to say what a new reason to skip concludes before it lets nothing through.
func TestWhatIsNotKnownLetsNothingThrough(t *testing.T) {
	assert.False(t, lets(comment.Run{Phase: comment.Skipped, Skip: "some day"}.Conclusion()))
	assert.False(t, lets(comment.Run{Phase: comment.Skipped}.Conclusion()))
	assert.False(t, lets(withVerdict("some day").Conclusion()))
	for phase, status := range map[comment.Phase]comment.CheckStatus{comment.Queued: comment.StatusQueued, comment.Running: comment.StatusInProgress} {
		run := comment.Run{Phase: phase, Summary: withVerdict(bench.VerdictPass).Summary}
		assert.Empty(t, run.Conclusion())
		assert.Equal(t, status, run.Status())
	}
}

// Where it is to fail, it fails for whatever reason nothing was judged.
func TestWhatIsNotJudgedFailsWhereThatIsAsked(t *testing.T) {
	for _, run := range []comment.Run{
		withVerdict(bench.VerdictNone), {Phase: comment.Finished}, broken(fault.Infraf("the disk is full")), broken(fault.Internalf("a bug")),
	} {
		run.OnNoVerdict = comment.Failure
		assert.Equal(t, comment.Failure, run.Conclusion())
	}
}

func TestWhatCannotBeToldConcludesAsAsked(t *testing.T) {
	for _, set := range []comment.Conclusion{comment.Neutral, comment.Failure, comment.ActionRequired} {
		for _, c := range conclusions() {
			run := c.run
			run.OnNoVerdict = set
			switch got := run.Conclusion(); {
			case c.run.Phase == comment.Finished && c.run.Summary != nil && c.run.Summary.Gate.Verdict == bench.VerdictInconclusive:
				assert.Equal(t, set, got, c.what)
			case set == comment.Failure && c.want == comment.ActionRequired:
				assert.False(t, lets(got), c.what)
			default:
				assert.Equal(t, c.want, got, "%s with %s", c.what, set)
			}
		}
	}
}
