package verify

import (
	"fmt"
	"math"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
)

// readHistory returns what earlier runs came to, with a warning for each line of
// the history that cannot be read.
func (seq Sequence) readHistory() (entries []bench.HistoryEntry, warnings []string, err error) {
	if seq.History == "" {
		return nil, nil, nil
	}
	return ledger.ReadHistory(seq.History)
}

// appendHistory adds what a complete run came to to the history, once however often
// it is reported. A shard is no complete run. Earlier is what the history has.
func (seq Sequence) appendHistory(v Verified, suite Suite, earlier []bench.HistoryEntry) error {
	if seq.History == "" || suite.Shard != nil {
		return nil
	}
	if slices.ContainsFunc(earlier, func(e bench.HistoryEntry) bool { return e.RunID == suite.RunID }) {
		return nil
	}
	told, err := chronicleOf(slices.DeleteFunc(slices.Clone(v.Files), isDevice), suite.RunID)
	if err != nil {
		return err
	}
	s := v.Summary
	return ledger.AppendHistory(seq.History, bench.HistoryEntry{
		Timestamp: s.GeneratedAt, Commit: suite.Git.Commit, Branch: seq.Branch, Profile: s.Gate.Profile, Modes: s.Modes, GatePassed: s.Gate.Passed,
		RunID: suite.RunID, ScenarioSet: v.ScenarioSet, Model: v.Info.Model.Key(),
		Cells: len(v.Info.Cells), CostUSD: s.CostUSD, Simulated: s.Simulated, Aside: seq.Aside,
		Tools: suite.Run.Tools, BaseCommit: suite.BaseCommit, ModeFiles: suite.Run.ModeFiles,
		Scenarios: told.scenarios(s, suite.Scenarios), Noise: told.noise(),
	})
}

// EstimateUSD returns what cells of a model will cost by the history: the mean
// cost of a cell in runs of that model and scenario set, times cells. ok is
// false if there were no such runs whose cost is known.
func EstimateUSD(history []bench.HistoryEntry, model, scenarioSet string, cells int) (cost float64, ok bool) {
	known, spent := 0, 0.0
	for _, e := range history {
		costKnown := e.CostUSD > 0 || e.Simulated
		if e.Model == model && e.ScenarioSet == scenarioSet && costKnown {
			known += e.Cells
			spent += e.CostUSD
		}
	}
	if known == 0 {
		return 0, false
	}
	return spent / float64(known) * float64(cells), true
}

// Expecting says what something is expected of.
type Expecting struct {
	Model, ScenarioSet string
	Baseline           bench.Mode
	Modes              []bench.Mode
	// Scenarios is how many there are, NotCounted how many of them the verdict
	// leaves out.
	Scenarios, NotCounted, Concurrency int
}

// enoughSessions is how many of the history it takes to know how much sessions
// vary and succeed.
const enoughSessions = 40

// Expect returns what the history says of sessions of a model in a scenario set,
// and what is usual where it says nothing (rule V8). Basis says in words how
// much sessions vary, and by what that is known.
func Expect(history []bench.HistoryEntry, of Expecting) (e evidence.Expected, basis string) {
	e = evidence.Unknown(of.Scenarios - of.NotCounted)
	e.Modes, e.Concurrency, e.NotCounted = len(of.Modes), of.Concurrency, of.NotCounted
	e.CostUSD, _ = EstimateUSD(history, of.Model, of.ScenarioSet, 1)
	sessions, took := 0, 0.0
	varied, cost, latency := 0, 0.0, 0.0
	tried, solved := 0, 0.0
	for _, entry := range history {
		if entry.Model != of.Model || entry.ScenarioSet != of.ScenarioSet {
			continue
		}
		for _, mode := range of.Modes {
			m := entry.Modes[mode]
			sessions += m.Runs
			took += float64(m.Runs) * m.MedianLatencyMS
			if n := entry.Noise[mode]; !entry.Aside {
				varied += n.Sessions
				cost += float64(n.Sessions) * n.CostLog * n.CostLog
				latency += float64(n.Sessions) * n.LatencyLog * n.LatencyLog
			}
		}
		if m := entry.Modes[of.Baseline]; !entry.Aside {
			tried += m.Runs
			solved += float64(m.Runs) * m.SuccessRate / 100
		}
	}
	if sessions > 0 {
		e.LatencyMS = took / float64(sessions)
	}
	if varied < enoughSessions || tried < enoughSessions {
		return e, "is usual, for want of history (30 %, of which 95 % succeed)"
	}
	e.CostCV, e.LatencyCV = variation(cost/float64(varied)), variation(latency/float64(varied))
	e.SuccessRate = (solved + 0.5) / float64(tried+1)
	return e, fmt.Sprintf("%d earlier ones did (cost %.0f %%, latency %.0f %%, of which %.0f %% succeed)", varied, 100*e.CostCV, 100*e.LatencyCV, 100*e.SuccessRate)
}

// variation returns the coefficient of variation of log-normal values whose
// logarithms have that variance.
func variation(variance float64) float64 { return math.Sqrt(math.Expm1(variance)) }
