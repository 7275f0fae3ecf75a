package report

import (
	"fmt"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// evidenceTables are what a verdict by evidence stands on besides its endpoints, and,
// of every kind, how tools were used otherwise and what is not looked at.
func evidenceTables(s bench.Summary) []table {
	var all []table
	if e := s.Evidence; e != nil {
		all = []table{describedTable(e), evidenceScenarios(e).worded(s), looksTable(e).worded(s)}
	}
	if s.Surface != nil {
		all = append(all, surfaceTable(s.Surface))
	}
	if len(s.ToolChanges) > 0 {
		all = append(all, toolChangesTable(s.ToolChanges))
	}
	if left := leftOutTable(s.LeftOut); len(left.rows) > 0 {
		all = append(all, left)
	}
	return all
}

// endpointsTable has a line per endpoint; it is empty without a verdict by
// evidence, and where nothing was compared.
func endpointsTable(e *bench.Evidence) table {
	if e == nil {
		return table{}
	}
	t := table{
		title: "Evidence", labels: 2,
		about: "The candidate against the baseline over all blocks that are compared. The intervals hold at whatever look the run ends.",
		head:  []string{"Result", "Figure", "Change", "95% interval", "Too much", "Least harm seen"},
	}
	for _, p := range e.Endpoints {
		seen := bench.NoFigure
		if p.Detectable != nil {
			seen = p.Text(*p.Detectable)
		}
		line := plainCells(p.ResultText(), p.Label(), p.ChangeText(), p.IntervalText(), p.Text(p.Margin), seen)
		switch {
		case p.Untold:
		case p.NotWorse.Shown:
			line[0].Tone = good
		case p.Harm.Shown:
			line[0].Tone = bad
		default:
			line[0].Tone = doubtful
		}
		t.rows = append(t.rows, line)
	}
	return t
}

// looksTable has a line per look.
func looksTable(e *bench.Evidence) table {
	t := table{
		title: "Looks", labels: 1, notes: 1,
		about: "What was decided after so many repetitions of every scenario. z is shown against what it must reach.",
		head:  []string{"Repetitions", "Success: harm, not worse", "Cost: harm, not worse", "Latency: harm, not worse", "Decision"},
	}
	if len(e.Endpoints) == 0 { // nothing was compared
		return table{}
	}
	for _, look := range e.Looks {
		line := plainCells(fmt.Sprintf("%d of %d", look.Blocks, e.Schedule[len(e.Schedule)-1]))
		for _, tests := range look.Tests {
			text := bench.NoFigure
			if !tests.Untold {
				text = testText(tests.Harm) + ", " + testText(tests.NotWorse)
			}
			line = append(line, cell{Text: text})
		}
		t.rows = append(t.rows, append(line, cell{Text: look.Verdict.Word() + ": " + oneLine(look.Cause.Text)}))
	}
	return t
}

// testText writes z and its bound: "0.4 of 3.26".
func testText(t bench.Test) string {
	const decimals = 2
	return bench.NumberText(t.Z, decimals) + " of " + bench.NumberText(t.Bound, decimals)
}

// describedTable has the changes that are told and not tested.
func describedTable(e *bench.Evidence) table {
	t := table{
		title: "Told, not tested", labels: 1,
		about: "The typical block, the sums, and the sums per solved task: a few sessions that run wild show in sums alone.",
		head:  []string{"Figure", "Typical", "In all", "Per solved task"},
	}
	labels := map[bench.Measure]string{
		bench.MeasureCost: "Cost", bench.MeasureTokens: "All tokens", bench.MeasureActive: "Active tokens", bench.MeasureLatency: "Latency",
	}
	for _, d := range e.Described {
		line := plainCells(labels[d.Measure])
		for _, change := range []*float64{d.TypicalPct, d.TotalPct, d.PerSolvedPct} {
			text := bench.NoFigure
			if change != nil {
				text = bench.ChangeText(*change)
			}
			line = append(line, cell{Text: text})
		}
		t.rows = append(t.rows, line)
	}
	return t
}

// evidenceByScenario is the title of [evidenceScenarios].
const evidenceByScenario = "Evidence by scenario"

// evidenceScenarios has a line per scenario.
func evidenceScenarios(e *bench.Evidence) table {
	t := table{
		title: evidenceByScenario, labels: 1,
		about: "Changes with their intervals, and what the verdict would be without the scenario.",
		head:  []string{"Scenario", "Succeeded", "Success rate", "Cost", "Latency", "Without it"},
	}
	for _, s := range e.Scenarios {
		without := bench.NoFigure
		if s.Without != "" {
			without = s.Without.Word()
		}
		line := plainCells(
			oneLine(s.ID), fmt.Sprintf("%d against %d", s.CandidateSuccesses, s.BaselineSuccesses),
			figureText(s.Success, bench.PointsText), figureText(s.Cost, bench.ChangeText), figureText(s.Latency, bench.ChangeText), without,
		)
		for _, harmed := range s.Harmed {
			line[map[bench.EndpointName]int{bench.EndpointSuccess: 2, bench.EndpointCost: 3, bench.EndpointLatency: 4}[harmed]].Tone = bad
		}
		t.rows = append(t.rows, line)
	}
	return t
}

// figureText writes a change with its interval, whose end is not told where it is
// beyond all that is of interest.
func figureText(f bench.Figure, write func(float64) string) string {
	if f.Untold {
		return bench.NoFigure
	}
	const most = 1000
	end := write(f.Interval[1])
	if f.Interval[1] > most {
		end = "over " + write(most)
	}
	return write(f.Change) + " (" + write(f.Interval[0]) + " to " + end + ")"
}

// toolChangesTable has a line per change.
func toolChangesTable(changes []bench.UseChange) table {
	t := table{
		title: "Tools used otherwise", labels: 2,
		about: "Means per session, of the baseline and the candidate: leads to why they differ, and no proof.",
		head:  []string{"Tool or command", "What", "Baseline", "Candidate", "Standard errors"},
	}
	failures := false
	for _, c := range changes {
		from, to := c.Figures()
		t.rows = append(t.rows, plainCells(oneLine(c.Name), c.Label(), from, to, c.ScoreText()))
		failures = failures || c.Measure.OfFailure() || c.Failed > 0
	}
	if failures {
		t.about += " " + bench.FailureNotice
	}
	return t
}

// surfaceTable has a line for each thing that changed for agents.
func surfaceTable(c *bench.SurfaceChange) table {
	t := table{
		title: "What agents see otherwise", notes: 1,
		about: "The candidate's tool against the baseline's, found before the first session and without a model.",
		head:  []string{"Change"},
	}
	for _, sentence := range c.Sentences(oneLine) {
		t.rows = append(t.rows, plainCells(sentence))
	}
	for _, note := range c.Notes {
		t.rows = append(t.rows, plainCells("not compared: "+oneLine(note)))
	}
	return t
}

// leftOutTable counts the rows that the verdict does not look at.
func leftOutTable(left []bench.LeftOut) table {
	t := table{
		title: "Left out", labels: 2, notes: 1, about: "Rows that the verdict does not look at.",
		head: []string{"Rows", "Why", "Which"},
	}
	for _, l := range left {
		if l.Rows == 0 {
			continue
		}
		t.rows = append(t.rows, plainCells(bench.CountText(float64(l.Rows)), oneLine(l.Reason), l.CellsText(mostCells, oneLine)))
	}
	return t
}
