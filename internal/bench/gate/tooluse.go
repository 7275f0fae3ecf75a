package gate

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// toolUses is how the agents of a mode used their tools.
type toolUses struct {
	// rows counts those that tell, by scenario number.
	rows []int
	// sums are by name and scenario number.
	sums map[string][]useSums
}

// useSums are of one tool in a scenario's rows, by the number of the measure.
type useSums [len(useMeasures)]struct{ sum, squares float64 }

// useMeasures are compared in this order; of two changes that are about as clear, the
// first is told: calls that fail say more than calls.
var useMeasures = [...]bench.UseMeasure{
	bench.UseBadArguments, bench.UseDeadEnds, bench.UseErrors, bench.UseRetries, bench.UseCalls, bench.UseBytes,
}

// add takes a row in. Rows that are older tell nothing, and neither do those
// whose agent never came to work.
func (u *toolUses) add(scenario int, row *bench.Row) {
	if len(row.ToolUse) == 0 && (row.ToolCalls > 0 || row.Error.RunnerFailure()) {
		return
	}
	for len(u.rows) <= scenario {
		u.rows = append(u.rows, 0)
	}
	u.rows[scenario]++
	if u.sums == nil {
		u.sums = map[string][]useSums{}
	}
	for _, use := range row.ToolUse {
		sums, known := u.sums[use.Name]
		for len(sums) <= scenario {
			sums = append(sums, useSums{})
		}
		for i, measure := range useMeasures {
			figure := use.Figure(measure)
			sums[scenario][i].sum += figure
			sums[scenario][i].squares += figure * figure
		}
		if !known {
			use.Name = strings.Clone(use.Name)
		}
		u.sums[use.Name] = sums
	}
}

// shared are the scenarios in which both modes' rows tell.
func (u *toolUses) shared(other *toolUses) []int {
	var scenarios []int
	for s := range min(len(u.rows), len(other.rows)) {
		if u.rows[s] > 0 && other.rows[s] > 0 {
			scenarios = append(scenarios, s)
		}
	}
	return scenarios
}

// moments returns a tool's mean in a scenario, and the sum of the squares of the
// rows' distances from it.
func (u *toolUses) moments(name string, scenario, measure int) (mean, squares float64) {
	sums := u.sums[name]
	if scenario >= len(sums) {
		return 0, 0
	}
	n, of := float64(u.rows[scenario]), sums[scenario][measure]
	mean = of.sum / n
	return mean, max(0, of.squares-n*mean*mean)
}

const (
	// clearUse is how many standard errors a change is away from none at least.
	// Several hundred are compared, so it is more than the usual two.
	clearUse = 3.5
	// muchClearer is so many times as clear as another change of the tool.
	muchClearer = 1.1
	// smallUse is the least change per attempt that is told, and smallUseBytes,
	// with smallUseShare of the baseline's, that of bytes.
	smallUse, smallUseBytes, smallUseShare = 0.1, 100, 0.1
	// maxToolChanges is how many are told, and maxAlone how many tools that the
	// candidate, or the baseline, alone used.
	maxToolChanges, maxCandidateAlone, maxBaselineAlone = 10, 10, 5
)

// toolChanges returns how tools are used otherwise by the candidate's agents:
// the clearest change of each tool first, then the tools that the candidate alone
// used, then the baseline's, the most called first.
func toolChanges(baseline, candidate *toolUses) []bench.UseChange {
	scenarios := baseline.shared(candidate)
	ofBaseline, ofCandidate := families(baseline), families(candidate)
	names := slices.Concat(slices.Collect(maps.Keys(baseline.sums)), slices.Collect(maps.Keys(candidate.sums)))
	slices.Sort(names)
	var changes, candidates, baselines []bench.UseChange
	for _, name := range slices.Compact(names) {
		of := family(name)
		if !ofBaseline[of] {
			candidates = append(candidates, useAlone(baseline, candidate, scenarios, name)...)
		}
		if !ofCandidate[of] {
			baselines = append(baselines, useAlone(baseline, candidate, scenarios, name)...)
			continue
		}
		if clearest := clearestChange(baseline, candidate, scenarios, name, ofBaseline[of]); clearest != nil {
			changes = append(changes, *clearest)
		}
	}
	slices.SortStableFunc(changes, func(a, b bench.UseChange) int {
		return cmp.Compare(math.Abs(b.Score), math.Abs(a.Score))
	})
	for _, alone := range [][]bench.UseChange{candidates, baselines} {
		slices.SortStableFunc(alone, func(a, b bench.UseChange) int {
			return cmp.Compare(b.Baseline+b.Candidate, a.Baseline+a.Candidate)
		})
	}
	return slices.Concat(changes[:min(len(changes), maxToolChanges)],
		candidates[:min(len(candidates), maxCandidateAlone)], baselines[:min(len(baselines), maxBaselineAlone)])
}

// families are those of the tools that a mode's agents used.
func families(u *toolUses) map[string]bool {
	used := map[string]bool{}
	for name := range u.sums {
		used[family(name)] = true
	}
	return used
}

// clearestChange returns the clearest change of a tool, nil if none is clear. How
// often it is called, and what it returns, is compared where both modes have
// something of its family; what went wrong, everywhere.
func clearestChange(baseline, candidate *toolUses, scenarios []int, name string, mutual bool) *bench.UseChange {
	var clearest *bench.UseChange
	for i, measure := range useMeasures {
		if !measure.OfFailure() && !mutual {
			continue
		}
		change := useChange(baseline, candidate, scenarios, name, i)
		if change != nil && (clearest == nil || math.Abs(change.Score) > muchClearer*math.Abs(clearest.Score)) {
			clearest = change
		}
	}
	return clearest
}

// useAlone returns how often a tool is called that one mode alone used; nothing if
// that was in no scenario that both have.
func useAlone(baseline, candidate *toolUses, scenarios []int, name string) []bench.UseChange {
	change := bench.UseChange{Name: name, Measure: bench.UseCalls, Alone: true}
	calls, errors := slices.Index(useMeasures[:], bench.UseCalls), slices.Index(useMeasures[:], bench.UseErrors)
	n := float64(len(scenarios))
	for _, s := range scenarios {
		for _, side := range []struct {
			uses *toolUses
			mean *float64
		}{{baseline, &change.Baseline}, {candidate, &change.Candidate}} {
			called, _ := side.uses.moments(name, s, calls)
			failed, _ := side.uses.moments(name, s, errors)
			*side.mean += called / n
			change.Failed += failed / n
		}
	}
	if change.Baseline+change.Candidate == 0 {
		return nil
	}
	return []bench.UseChange{change}
}

// useChange compares one figure of a tool: the mean over scenarios of the
// differences of means, in standard errors. The variance of rows within a
// scenario is taken to be the same everywhere. Nil means that there is no clear
// change, or none that matters.
func useChange(baseline, candidate *toolUses, scenarios []int, name string, measure int) *bench.UseChange {
	change := bench.UseChange{Name: name, Measure: useMeasures[measure]}
	var squares, weights float64
	freedom := -2 * len(scenarios)
	for _, s := range scenarios {
		b, ofB := baseline.moments(name, s, measure)
		c, ofC := candidate.moments(name, s, measure)
		change.Baseline += b
		change.Candidate += c
		squares += ofB + ofC
		freedom += baseline.rows[s] + candidate.rows[s]
		weights += 1/float64(baseline.rows[s]) + 1/float64(candidate.rows[s])
	}
	if freedom < 2 {
		return nil
	}
	n := float64(len(scenarios))
	change.Baseline, change.Candidate = change.Baseline/n, change.Candidate/n
	least := smallUse
	if change.Measure == bench.UseBytes {
		least = max(smallUseBytes, smallUseShare*change.Baseline)
	}
	difference := change.Candidate - change.Baseline
	if math.Abs(difference) < least {
		return nil
	}
	// Rows that are all alike are taken to vary by the least that is told.
	change.Alike = squares == 0
	variance := max(squares/float64(freedom), least*least)
	change.Score = difference / math.Sqrt(variance*weights/(n*n))
	if math.Abs(change.Score) < clearUse {
		return nil
	}
	return &change
}

// family returns what tools have in common that are had together: a command's
// program, or the server whose tool it is.
func family(name string) string {
	if program, _, command := strings.Cut(name, " "); command {
		return program
	}
	server, _, _ := strings.Cut(strings.TrimPrefix(name, "mcp__"), "_")
	server, _, _ = strings.Cut(server, ".")
	return server
}
