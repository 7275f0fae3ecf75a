package evidence

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// nothingCompared reports whether there are no figures.
func nothingCompared(k bench.CauseKind) bool {
	return k == bench.CauseNoLook || k == bench.CauseNothingSucceeded || k == bench.CauseDeadBaseline
}

// moreMayTell reports whether more blocks may give a verdict.
func moreMayTell(k bench.CauseKind) bool {
	return k == bench.CauseNotShown || k == bench.CauseScenarioHarmed
}

// cause puts a judgement into words.
func (l *look) cause(j judgement) bench.Cause {
	c := bench.Cause{Kind: j.kind}
	for _, t := range j.endpoints {
		c.Endpoints = append(c.Endpoints, t.Name)
	}
	claim := l.design.profile == bench.ProfileClaim
	names := l.names(j.endpoints)
	switch j.kind {
	case bench.CauseNotWorse:
		c.Text = "The candidate is not worse than the baseline by more than the margins"
		if claim {
			c.Text = "The candidate saves what is claimed, and succeeds as often but for the margin"
		}
	case bench.CauseWorseWithinMargin:
		c.Text = "The candidate is worse, within the margin, in " + names
	case bench.CauseHarm:
		c.Text = "The candidate is worse in " + names
		if claim {
			c.Text = "The candidate does not save what is claimed, or is worse, in " + names
		}
	case bench.CauseNothingSucceeded:
		c.Text = bench.NothingSucceeded
	case bench.CauseDeadBaseline:
		c.Text = bench.DeadBaseline
	case bench.CauseVoid:
		c.Text = fmt.Sprintf("%d of %d blocks are void, more than %g %%", l.voids.Blocks, l.voids.Of, 100*maxVoidShare)
	case bench.CauseVoidsApart:
		c.Text = fmt.Sprintf("Of %d blocks, %d are void in the baseline and %d in the candidate, more than %g points apart",
			l.voids.Of, l.voids.Baseline, l.voids.Candidate, 100*maxVoidDifference)
	case bench.CauseVoidsMatter:
		c.Text = "It would not be a pass if the sessions that are void in one mode alone were failures of that mode"
	case bench.CauseNotSideBySide:
		c.Text = "The modes did not run side by side, so what changed around them meanwhile cannot be told from a difference between them"
	case bench.CauseScenarioHarmed:
		worst := j.harmed[0]
		c.Endpoints = []bench.EndpointName{worst.endpoint}
		c.Scenario = l.window.scenarios[worst.scenario].id
		c.Text = fmt.Sprintf("%s is worse by more than noise explains: %s %s", c.Scenario, nameOf(worst.endpoint, worst.measure), worst.text())
		if more := countScenarios(j.harmed) - 1; more > 0 {
			c.Text += fmt.Sprintf(", and %d more", more)
		}
	default:
		c.Text = "That the candidate is not worse is not shown in " + names
		if claim {
			c.Text = "What is claimed is not shown in " + names
		}
	}
	return c
}

func (h harmed) text() string {
	if h.endpoint == bench.EndpointSuccess {
		return signedText(points(h.change)) + " points"
	}
	return signedText(changePct(h.change)) + " %"
}

func countScenarios(all []harmed) int {
	seen := map[int]bool{}
	for _, h := range all {
		seen[h.scenario] = true
	}
	return len(seen)
}

func (l *look) names(of []bench.EndpointTests) string {
	names := make([]string, len(of))
	for i, t := range of {
		names[i] = nameOf(t.Name, t.Measure)
	}
	return bench.JoinWords(names)
}

// nameOf names an endpoint as people read it.
func nameOf(name bench.EndpointName, measure bench.Measure) string {
	if measure == bench.MeasureTokens {
		return "total tokens (there is no price)"
	}
	return string(name)
}

// noLook says why there is none.
func (d *Design) noLook(all []series) bench.Cause {
	c := bench.Cause{Kind: bench.CauseNoLook}
	if len(all) == 0 {
		c.Text = "There are no blocks, which are sessions of both modes, to compare"
		return c
	}
	short, least, void := 0, d.looks[0], 0
	for _, s := range all {
		sound := 0
		for i := range s.blocks {
			sound += one(!s.blocks[i].void())
		}
		short += one(sound < d.looks[0])
		least, void = min(least, sound), void+len(s.blocks)-sound
	}
	c.Text = fmt.Sprintf("%d of %s fewer than %d blocks that are whole, the least %d, so there is nothing to look at yet",
		short, havingScenarios(len(all)), d.looks[0], least)
	if void > 0 {
		c.Text += fmt.Sprintf("; blocks in which something around an agent failed, which are void: %d", void)
	}
	return c
}

func havingScenarios(n int) string {
	if n == 1 {
		return "1 scenario has"
	}
	return strconv.Itoa(n) + " scenarios have"
}

// sentence tells the figures of what the cause is about, what would go unseen
// and what it would take to say more (rule V6).
func sentence(v *bench.Evidence) string {
	parts := []string{v.Cause.Text}
	for _, e := range v.Endpoints {
		parts = append(parts, endpointText(e))
	}
	if v.Verdict == bench.VerdictInconclusive {
		for _, e := range v.Endpoints {
			if e.Name == bench.EndpointSuccess && slices.Contains(v.Cause.Endpoints, bench.EndpointSuccess) {
				parts = append(parts, unseen(e))
			}
		}
	}
	if v.Further != nil {
		parts = append(parts, furtherText(v.Further))
	}
	return strings.Join(parts, "; ")
}

// endpointText returns "cost +4 % (−6 to +15)".
func endpointText(e bench.Endpoint) string {
	unit := "%"
	if e.Name == bench.EndpointSuccess {
		unit = "points"
	}
	if e.Untold {
		return string(e.Name) + " not told"
	}
	text := nameOf(e.Name, e.Measure) + " " + signedText(e.Change) + " " + unit
	if e.Interval == nil {
		return text + " (too few blocks for an interval)"
	}
	return text + fmt.Sprintf(" (%s to %s)", signedText(e.Interval[0]), signedText(e.Interval[1]))
}

// unseen says which drop of the success rate would not be noticed.
func unseen(e bench.Endpoint) string {
	if e.Detectable == nil {
		return "no drop of success would be seen"
	}
	return fmt.Sprintf("a drop of success under %s points would go unseen", strings.TrimLeft(signedText(*e.Detectable), "+−"))
}

func furtherText(f *bench.Further) string {
	text := fmt.Sprintf("about %d more sessions", f.Sessions)
	if f.CostUSD != nil {
		text += fmt.Sprintf(" ($%.2f)", *f.CostUSD)
	}
	if !f.Enough {
		text += ", and even they may not tell"
	}
	return text
}

// signedText returns a change with its sign: "+4", "−0.6", "0".
func signedText(change float64) string {
	decimals := 0
	if change > -10 && change < 10 {
		decimals = 1
	}
	text := strings.TrimSuffix(strconv.FormatFloat(change, 'f', decimals, 64), ".0")
	switch {
	case strings.Trim(text, "-0.") == "":
		return "0"
	case strings.HasPrefix(text, "-"):
		return "−" + text[1:]
	default:
		return "+" + text
	}
}
