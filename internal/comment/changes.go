package comment

import (
	"fmt"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/markdown"
)

// conclusionWords put a conclusion into words.
var conclusionWords = map[Conclusion]string{
	Success: "pass", Failure: "fail", Neutral: "no verdict", Cancelled: "stopped", SkippedCheck: "skipped", ActionRequired: "no verdict",
}

// changes say what is other than in the last run that came to an end.
func (r Run) changes() section {
	last := r.lastOutcome()
	if last == nil {
		return section{}
	}
	at := "the last run"
	if last.Commit != "" {
		at += " at " + r.commit(last.Commit, "")
	}
	s := section{rank: rankChanges, title: "what changed", noun: "change"}
	if r.Status() != StatusCompleted {
		s.rank = essential
		s.items = []string{fmt.Sprintf("- %s, in %s.\n", conclusionWords[last.Conclusion], at)}
		return s.under("Last verdict")
	}
	s.items = r.changedChecks(last.Checks)
	switch now := r.Marker(); {
	case now.SameOutcome(*last):
		s.items = []string{fmt.Sprintf("- No check changed sides: %s, as in %s.\n", conclusionWords[now.Conclusion], at)}
	case now.Conclusion != last.Conclusion:
		s.items = slices.Insert(s.items, 0, fmt.Sprintf("- Verdict: %s, after %s in %s.\n", conclusionWords[now.Conclusion], conclusionWords[last.Conclusion], at))
	}
	return s.under("Since the last run")
}

// changedChecks has a line for each check that passes now and did not, or the
// other way round.
func (r Run) changedChecks(before []MarkedCheck) []string {
	var lines []string
	for _, now := range r.checks() {
		i := slices.IndexFunc(before, func(c MarkedCheck) bool { return c.Name == now.Name })
		if i < 0 || before[i].Passed == now.Passed {
			continue
		}
		verb := "❌ Fails now"
		if now.Passed {
			verb = "✅ Passes now"
		}
		was := bench.Check{Name: now.Name, Value: before[i].Value, Threshold: now.Threshold, Operator: now.Operator}
		lines = append(lines, fmt.Sprintf("- %s: %s, %s after %s.\n", verb, markdown.Text(now.Name.Label(), maxName), now.ValueText(), was.ValueText()))
	}
	return lines
}
