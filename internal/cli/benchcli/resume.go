package benchcli

import (
	"github.com/spf13/pflag"

	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
)

// resume takes what defines the run from its file; flags that were given must
// agree with it, which [verify.RunSuite] checks.
func (p *prepared) resume(given *pflag.FlagSet) error {
	dir := verify.Suite{Dir: p.flags.outputDir, RunID: p.flags.resume}.Folder()
	if p.flags.resume == resumeNewest {
		newest, err := ledger.NewestRun(p.flags.outputDir)
		if err != nil {
			return err
		}
		dir = newest
	}
	info, err := ledger.LoadRun(dir)
	if err != nil {
		return err
	}
	s := &p.suite
	s.RunID, s.OutputJSONL, s.Transcripts, p.resumed = info.RunID, info.OutputJSONL, info.Transcripts, true
	keep := func(name string) bool { return given.Changed(name) }
	if !keep("scenario-set") && !keep("scenario") {
		s.ScenarioSet, p.flags.scenarioIDs = info.ScenarioSet, nil
		if info.ScenarioSet == "" {
			for _, sc := range info.Scenarios {
				p.flags.scenarioIDs = append(p.flags.scenarioIDs, sc.ID)
			}
		}
	}
	if !keep("modes") {
		s.Modes = info.Modes
	}
	if !keep("repetitions") {
		s.Repetitions, s.FirstLook = info.Repetitions, info.FirstLook
	}
	if !keep("order") {
		s.Order = runner.OrderKind(info.OrderKind)
	}
	if !keep("order-seed") {
		s.OrderSeed = info.OrderSeed
	}
	if !keep("shard") && info.Shard != nil {
		s.Shard = info.Shard
	}
	if !keep("base-commit") && info.BaseCommit != nil {
		p.flags.baseCommit = *info.BaseCommit
	}
	if !keep("seed-id") && info.SeedID != "" {
		s.SeedID = info.SeedID
	}
	return nil
}
