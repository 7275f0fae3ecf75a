package benchcli

import (
	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// askedFlags say what rows are to be of, in the words of verify.
type askedFlags struct {
	provider, model, set, scenarioDir, repetitions, commit, baseCommit string
	scenarioIDs, modes, modeFiles                                      []string
}

func (f *askedFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.provider, "provider", "", "refuse rows that this `AGENT` has not made as the flags below say, which are those of verify")
	flags.StringVar(&f.model, "model", "", "… with this `PROVIDER/MODEL`")
	flags.StringVar(&f.set, "scenario-set", "", "… on this `SET` of scenarios")
	flags.StringArrayVar(&f.scenarioIDs, "scenario", nil, "… on the scenario with this `ID`; may be given several times")
	flags.StringVar(&f.scenarioDir, "scenarios", "", "… that are those of this `DIR` (default: the built-in ones)")
	flags.StringSliceVar(&f.modes, "modes", nil, "… in these modes")
	flags.StringArrayVar(&f.modeFiles, "mode-file", nil, "… that this `FILE` describes; may be given several times")
	flags.StringVar(&f.repetitions, "repetitions", "", "… so often")
	flags.StringVar(&f.commit, "git-commit", "", "… with the tooling of this `COMMIT`")
	flags.StringVar(&f.baseCommit, "base-commit", "", "… with that of this `COMMIT` in mode ghx@base")
	cmd.MarkFlagsRequiredTogether("provider", "modes", "repetitions")
}

// asked returns what the flags ask for, nil if they ask for nothing.
func (f *askedFlags) asked(profile bench.GateProfile) (*verify.Asked, error) {
	if f.provider == "" {
		if f.model+f.set+f.scenarioDir+f.commit+f.baseCommit != "" || len(f.scenarioIDs) > 0 {
			return nil, fault.Invalidf("what rows are to be of is said without --provider, --modes and --repetitions: give all of them, or none")
		}
		return nil, nil
	}
	library, err := loadLibrary(f.scenarioDir)
	if err != nil {
		return nil, err
	}
	known, err := toolset.LoadLibrary(f.modeFiles)
	if err != nil {
		return nil, err
	}
	asked := &verify.Asked{Provider: f.provider, Model: f.model, Profile: profile, Commit: f.commit, BaseCommit: f.baseCommit, Simulated: f.provider == defaultProvider}
	set := f.set
	if set == "" && len(f.scenarioIDs) == 0 {
		if set = defaultVerifySet; profile.ByEvidence() {
			set = defaultEvidenceSet
		}
	}
	if asked.Scenarios, err = scenario.Select(library, set, f.scenarioIDs); err != nil {
		return nil, err
	}
	if asked.Modes, err = parseModes(known, f.modes); err != nil {
		return nil, err
	}
	if asked.Repetitions, err = bench.ParseRepetitions(f.repetitions); err != nil {
		return nil, fault.Invalidf("--repetitions: %w", err)
	}
	return asked, nil
}
