package dashboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// shift is a run of the default branch with which the levels of some figures changed.
type shift struct {
	RunID, What string
	Figures     []change
	// CompareURL shows the commits since the run before at GitHub; empty if it is not known
	// which these are.
	CompareURL string
	// Scenarios are those that changed most from the run before to this one.
	Scenarios []scenarioShift
}

// scenarioShift is what changed in a scenario between two runs.
type scenarioShift struct {
	ID, URL string
	// Texts are its figures, before and after.
	Texts []string
	// lost is by how much it became worse, for the order: successes before all else.
	lost float64
}

const (
	// maxShifts is how many changes are told with their scenarios, the latest ones.
	maxShifts = 3
	// maxShiftScenarios is how many scenarios each names.
	maxShiftScenarios = 3
	// largeShift is the least change of a scenario's reduction that is told, in percentage
	// points: between single runs, smaller ones come and go.
	largeShift = 20
)

// shifts gathers the changes of all charts by run, the latest first.
func (d *pages) shifts(ctx context.Context, repo string, course []Point, all []chart) ([]shift, error) {
	var found []shift
	for i, p := range slices.Backward(course) {
		s := shift{RunID: p.RunID, What: p.what()}
		for _, c := range all {
			for _, change := range c.Changes {
				if change.RunID == p.RunID {
					s.Figures = append(s.Figures, change)
				}
			}
		}
		if len(s.Figures) == 0 {
			continue
		}
		before := lastOfDefaultBranch(course[:i])
		if before != nil && len(found) < maxShifts {
			if p.Commit != "" && before.Commit != "" {
				s.CompareURL = d.Login.ServerURL + "/" + repo + "/compare/" + url.PathEscape(before.Commit) + "..." + url.PathEscape(p.Commit)
			}
			var err error
			if s.Scenarios, err = d.scenarioShifts(ctx, before.RunID, p.RunID); err != nil {
				return nil, err
			}
		}
		found = append(found, s)
	}
	return found, nil
}

func lastOfDefaultBranch(course []Point) *Point {
	for i := range slices.Backward(course) {
		if course[i].DefaultBranch {
			return &course[i]
		}
	}
	return nil
}

// scenarioShifts are the scenarios that became worse from one run to another, the worst
// first; none where one of the runs is not kept any more.
func (d *pages) scenarioShifts(ctx context.Context, before, after string) ([]scenarioShift, error) {
	var summaries [2]*bench.Summary
	for i, id := range []string{before, after} {
		run, err := d.Source.Run(ctx, id)
		if errors.Is(err, ErrNotFound) || err == nil && run.Summary == nil {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		summaries[i] = run.Summary
	}
	was := map[string]bench.ScenarioSummary{}
	for _, s := range summaries[0].Scenarios {
		was[s.ID] = s
	}
	var all []scenarioShift
	for _, is := range summaries[1].Scenarios {
		old, both := was[is.ID]
		if s := scenarioChange(old, is, summaries[1].Gate.Candidate); both && len(s.Texts) > 0 {
			s.URL = scenarioPath(after, is.ID)
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b scenarioShift) int { return cmp.Compare(b.lost, a.lost) })
	return all[:min(len(all), maxShiftScenarios)], nil
}

// scenarioChange is by how much a scenario became worse for a mode.
func scenarioChange(was, is bench.ScenarioSummary, mode bench.Mode) scenarioShift {
	s := scenarioShift{ID: is.ID}
	before, after := was.Modes[mode], is.Modes[mode]
	if before.Runs > 0 && after.Runs > 0 {
		share := func(m bench.ScenarioModeSummary) float64 { return float64(m.Successes) / float64(m.Runs) }
		if lost := share(before) - share(after); lost > 0 {
			s.Texts = append(s.Texts, fmt.Sprintf("succeeded %d of %d → %d of %d", before.Successes, before.Runs, after.Successes, after.Runs))
			s.lost += 1000 * lost
		}
	}
	for _, figure := range []struct {
		noun    string
		was, is *float64
	}{
		{"active tokens", was.TokensActiveReductionPct, is.TokensActiveReductionPct}, {"latency", was.LatencyReductionPct, is.LatencyReductionPct},
		{"tool calls", was.ToolCallReductionPct, is.ToolCallReductionPct}, {"cost", was.CostReductionPct, is.CostReductionPct},
	} {
		if figure.was == nil || figure.is == nil {
			continue
		}
		if lost := *figure.was - *figure.is; lost >= largeShift {
			s.Texts = append(s.Texts, fmt.Sprintf("%s %s → %s", figure.noun, bench.ReductionText(*figure.was), bench.ReductionText(*figure.is)))
			s.lost += lost
		}
	}
	return s
}
