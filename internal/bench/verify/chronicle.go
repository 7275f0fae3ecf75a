package verify

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

// chronicle has of a run's rows what its history keeps beside the summary: the
// sessions that are not void, by mode and scenario.
type chronicle map[bench.Mode]map[string][]chronicled

type chronicled struct {
	iteration       int
	success         bool
	cost, latencyMS float64
}

// chronicleOf reads the rows of a run.
func chronicleOf(files []string, runID string) (chronicle, error) {
	c := chronicle{}
	_, err := ledger.Scan(files, func(row *bench.Row) error {
		if row.RunID != runID || row.ProviderFailure() != "" {
			return nil
		}
		if c[row.Mode] == nil {
			c[bench.Mode(strings.Clone(string(row.Mode)))] = map[string][]chronicled{}
		}
		id := strings.Clone(row.ScenarioID)
		c[row.Mode][id] = append(c[row.Mode][id], chronicled{row.Iteration, row.Success && row.ExternalRetryCount == 0, row.Cost, row.LatencyMSWall})
		return nil
	})
	return c, err
}

// scenarios returns what a history keeps of each scenario.
func (c chronicle) scenarios(summary bench.Summary, suite []bench.Scenario) map[string]bench.HistoryScenario {
	all := gate.HistoryScenarios(summary)
	for id, s := range all {
		for mode, sessions := range s.Modes {
			sessions.Outcomes = outcomes(c[mode][id])
			s.Modes[mode] = sessions
		}
		if i := slices.IndexFunc(suite, func(sc bench.Scenario) bool { return sc.ID == id }); i >= 0 {
			s.Hash = suite[i].Hash
		}
		all[id] = s
	}
	return all
}

// The letters of [bench.HistorySessions].
const (
	succeeded = '+'
	failed    = '-'
)

func outcomes(sessions []chronicled) string {
	sessions = slices.Clone(sessions)
	slices.SortStableFunc(sessions, func(a, b chronicled) int { return cmp.Compare(a.iteration, b.iteration) })
	letters := make([]byte, len(sessions))
	for i, s := range sessions {
		letters[i] = failed
		if s.success {
			letters[i] = succeeded
		}
	}
	return string(letters)
}

// noise returns how much sessions of one scenario vary, by mode; a mode without
// two sessions of a scenario is absent.
func (c chronicle) noise() map[bench.Mode]bench.HistoryNoise {
	all := map[bench.Mode]bench.HistoryNoise{}
	for mode, scenarios := range c {
		var cost, latency []float64
		for _, id := range slices.Sorted(maps.Keys(scenarios)) {
			cost = append(cost, distances(scenarios[id], func(s chronicled) float64 { return s.cost })...)
			latency = append(latency, distances(scenarios[id], func(s chronicled) float64 { return s.latencyMS })...)
		}
		if len(latency) > 0 {
			all[mode] = bench.HistoryNoise{Sessions: len(latency), CostLog: deviationOf(cost), LatencyLog: deviationOf(latency)}
		}
	}
	return all
}

// distances returns those of the sessions' logarithms from their median, made
// larger for what the median takes from so few; none of fewer than two sessions.
func distances(sessions []chronicled, of func(chronicled) float64) []float64 {
	var logs []float64
	for _, s := range sessions {
		if v := of(s); v > 0 {
			logs = append(logs, math.Log(v))
		}
	}
	if len(logs) < 2 {
		return nil
	}
	n := float64(len(logs))
	median := stats.Median(slices.Clone(logs))
	for i := range logs {
		logs[i] = math.Abs(logs[i]-median) * math.Sqrt(n/(n-1))
	}
	return logs
}

// deviationOf returns the standard deviation of a normal distribution with those
// distances from its median, 0 without any.
func deviationOf(distances []float64) float64 {
	const medianToDeviation = 1.4826
	if len(distances) == 0 {
		return 0
	}
	return medianToDeviation * stats.Median(distances)
}

// likeRuns returns the entries that runs with those tools may be compared with:
// of the default branch, and with the same versions of all but the tool that is
// measured. Figures of another base commit, and of scenarios and modes' files that
// were changed since, are left out of them.
func likeRuns(history []bench.HistoryEntry, tools map[string]string, runs []ledger.RunInfo) []bench.HistoryEntry {
	hashes := map[string]string{}
	for _, run := range runs {
		maps.Copy(hashes, run.Identity().ScenarioHashes)
	}
	var like []bench.HistoryEntry
	for _, entry := range history {
		if entry.Aside || otherTools(entry.Tools, tools) {
			continue
		}
		entry.Modes = maps.Clone(entry.Modes)
		maps.DeleteFunc(entry.Modes, func(mode bench.Mode, _ bench.ModeSummary) bool {
			return slices.ContainsFunc(runs, func(run ledger.RunInfo) bool { return otherMode(mode, entry, run) })
		})
		if entry.Scenarios != nil {
			entry.Scenarios = maps.Clone(entry.Scenarios)
			maps.DeleteFunc(entry.Scenarios, func(id string, s bench.HistoryScenario) bool {
				return s.Hash != "" && hashes[id] != "" && s.Hash != hashes[id]
			})
		}
		like = append(like, entry)
	}
	return like
}

// otherMode reports whether a mode of a run was another one in an earlier run: of
// another base commit, or of another file.
func otherMode(mode bench.Mode, entry bench.HistoryEntry, run ledger.RunInfo) bool {
	was, is := entry.ModeFiles[mode].Hash, run.ModeFiles[mode].Hash
	return mode == bench.GHXBase && slices.Contains(run.Modes, mode) && !sameCommit(entry.BaseCommit, run.BaseCommit) || was != "" && is != "" && was != is
}

// otherTools reports whether something has another version, other than the tool
// that is measured.
func otherTools(a, b map[string]string) bool {
	for name, version := range a {
		if other, has := b[name]; has && other != version && name != measuredTool {
			return true
		}
	}
	return false
}

// measuredTool is what versions of the tool under test are stated as.
const measuredTool = "ghx"

func sameCommit(a, b *string) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}
