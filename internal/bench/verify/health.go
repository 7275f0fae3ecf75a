package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// What it takes for a scenario to count (rule V10).
const (
	// healthBlocks are the last ones that are looked at, and how many a scenario
	// that somebody has added needs before it counts.
	healthBlocks = 20
	// quarantineSuccesses is how many of those the baseline succeeded in at most
	// in a scenario that tells nothing of the tool.
	quarantineSuccesses = 10
)

// Health is which scenarios the evidence counts. They run all the same: what is
// not counted today may be tomorrow.
type Health struct {
	// NotCounted has the reason of each that is not, by id.
	NotCounted map[string]string
	// Incubating is how many of those are new, so that they will count unless
	// their baseline fails.
	Incubating int
}

// HealthOf says which scenarios count by what runs of the default branch came to
// with that model and baseline. Shipped says that a scenario comes with the
// program, with that content, and so has passed its audit.
func HealthOf(history []bench.HistoryEntry, of Expecting, scenarios []bench.Scenario, shipped func(bench.Scenario) bool) Health {
	h := Health{NotCounted: map[string]string{}}
	for _, s := range scenarios {
		outcomes := lastOutcomes(history, of, s)
		blocks, solved := len(outcomes), strings.Count(outcomes, string(succeeded))
		switch {
		case blocks == healthBlocks && solved <= quarantineSuccesses:
			h.NotCounted[s.ID] = fmt.Sprintf("the scenario is not counted: it is in quarantine, as the baseline succeeded in %d of its last %d blocks", solved, blocks)
		case blocks < healthBlocks && !shipped(s):
			h.Incubating++
			h.NotCounted[s.ID] = fmt.Sprintf("the scenario is not counted: it is new, with %d of the %d blocks that it takes", blocks, healthBlocks)
		}
	}
	return h
}

// lastOutcomes returns those of the scenario's last sessions of the baseline, the
// oldest first.
func lastOutcomes(history []bench.HistoryEntry, of Expecting, s bench.Scenario) string {
	last := ""
	for _, entry := range slices.Backward(history) {
		past := entry.Scenarios[s.ID]
		if entry.Aside || entry.Model != of.Model || past.Hash != s.Hash {
			continue
		}
		last = past.Modes[of.Baseline].Outcomes + last
		if extra := len(last) - healthBlocks; extra >= 0 {
			return last[extra:]
		}
	}
	return last
}

// Warning says how many scenarios are not counted, and which for what reason;
// empty if all are.
func (h Health) Warning(scenarios int) string {
	if len(h.NotCounted) == 0 {
		return ""
	}
	const named = 5
	var parts []string
	for _, id := range sortedIDs(h.NotCounted) {
		if len(parts) == named {
			parts = append(parts, fmt.Sprintf("and %d more", len(h.NotCounted)-named))
			break
		}
		_, why, _ := strings.Cut(h.NotCounted[id], ": ")
		parts = append(parts, fmt.Sprintf("%s (%s)", id, why))
	}
	return fmt.Sprintf("%d of %d scenarios run and are not counted: %s", len(h.NotCounted), scenarios, strings.Join(parts, ", "))
}

func sortedIDs(m map[string]string) []string {
	ids := make([]string, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
