package verify

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Counterpart returns the newest run in the suite's folder of runs that the
// suite is the other half of, nil if there is none: one of other modes that can
// be compared with it, and of whose variations the suite's modes have no run
// yet. So running one mode after the other has both on the same fixtures.
func (s Suite) Counterpart(model bench.ModelRef) (*ledger.RunInfo, error) {
	entries, err := os.ReadDir(s.Dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Infraf("look for runs: %w", err)
	}
	var newest *ledger.RunInfo
	var had []uint64
	for _, entry := range entries {
		run, err := ledger.LoadRun(filepath.Join(s.Dir, entry.Name()))
		if err != nil || run.Variations == nil {
			continue // it is no run, or none whose fixtures vary
		}
		s.Variations = *run.Variations
		switch {
		case !sameSuite(run, s.info(run.CreatedAt, model)):
		case slices.ContainsFunc(s.Modes, func(m bench.Mode) bool { return slices.Contains(run.Modes, m) }):
			had = append(had, run.Variations.Seed)
		case newest == nil || run.CreatedAt.After(newest.CreatedAt):
			newest = &run
		}
	}
	if newest != nil && slices.Contains(had, newest.Variations.Seed) {
		return nil, nil
	}
	return newest, nil
}
