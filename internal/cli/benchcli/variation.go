package benchcli

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// everyVariation is the value of --variation that fixes none.
const everyVariation = -1

func (f *suiteFlags) addVariation(flags *pflag.FlagSet) {
	flags.IntVar(&f.variation, "variation", everyVariation, "give every iteration the fixtures of variation `N` (default: each the variation of its own number)")
	flags.Lookup("variation").DefValue = ""
	flags.Uint64Var(&f.variationSeed, "variation-seed", 0, "draw the variations of the fixtures from this `SEED` (default: one that is drawn when the run starts)")
	flags.Lookup("variation-seed").DefValue = ""
}

func (f *suiteFlags) checkVariation() error {
	given := f.variation != everyVariation || f.variationSeed != 0
	switch {
	case f.variation < everyVariation:
		return fault.Invalidf("--variation is %d, want 0 or more", f.variation)
	case f.variationSeed > bench.MaxVariationSeed:
		return fault.Invalidf("--variation-seed is %d, want at most %d", f.variationSeed, uint64(bench.MaxVariationSeed))
	case given && f.live():
		return fault.Invalidf("--variation and --variation-seed are for the sandbox: the fixtures of %s do not vary", f.target)
	case given && f.manifest != "":
		return fault.Invalidf("--variation and --variation-seed do not go with --fixture-manifest: the fixtures of %s are one variation already; choose it with `bench fixtures seed --sandbox`", f.manifest)
	default:
		return nil
	}
}

// chooseVariations says which variations of the fixtures the suite has. The
// seed is that of the flag, else that of the run that goes on, else a new one.
func (a *app) chooseVariations(p *prepared) error {
	f, v := p.flags, &p.suite.Variations
	if f.live() {
		return nil
	}
	if err := p.begunVariations(); err != nil {
		return err
	}
	if f.variation != everyVariation {
		v.Number = &f.variation
	}
	if f.variationSeed != 0 {
		v.Seed = f.variationSeed
	}
	p.seedKnown = v.Seed != 0
	switch run := a.getenv(workflowRunVariable); {
	case v.Seed != 0:
	case f.shard == "":
		v.Seed = newSeed(a.random())
	case run != "":
		// The parts of a plan are jobs of one workflow run, also those that run
		// again.
		v.Seed = newSeed(a.getenv("GITHUB_REPOSITORY") + " " + run)
	default:
		return fault.Invalidf("--shard %s: the parts of a plan need the same fixtures: give each part the same --variation-seed, for example a number that you draw", f.shard)
	}
	return nil
}

// workflowRunVariable has the id of a run of GitHub Actions.
const workflowRunVariable = "GITHUB_RUN_ID"

// newSeed returns a seed that is the same for the same text.
func newSeed(text string) uint64 { return max(1, seedOf(text)&bench.MaxVariationSeed) }

// begunVariations takes the variations of a run that is there already.
func (p *prepared) begunVariations() error {
	if _, err := os.Stat(filepath.Join(p.suite.Folder(), ledger.RunFile)); os.IsNotExist(err) {
		return nil
	}
	info, err := ledger.LoadRun(p.suite.Folder())
	if err == nil && info.Variations != nil {
		p.suite.Variations = *info.Variations
	}
	return err
}

// followRows has a suite whose seed nobody has chosen take that of rows that it
// begins with.
func (p *prepared) followRows(rows []bench.Row) {
	for i := range rows {
		if v := rows[i].Variation; v != nil && !p.seedKnown {
			p.suite.Variations.Seed, p.seedKnown = v.Seed, true
		}
	}
}

// followCounterpart has a suite whose seed nobody has chosen take that of the
// run that it is the other half of.
func (a *app) followCounterpart(p *prepared) error {
	if p.seedKnown || p.suite.Variations.Seed == 0 {
		return nil
	}
	other, err := p.suite.Counterpart(p.provider.Describe().Model)
	if err == nil && other != nil {
		p.suite.Variations.Seed, p.seedKnown = other.Variations.Seed, true
		fmt.Fprintf(a.stderr, "bench: the fixtures are the same as in run %s of %s, so that the rows of both runs can be compared: nothing is to be done, or give a --variation-seed for fixtures of its own\n",
			other.RunID, joinModes(other.Modes))
	}
	return err
}

// again returns the flags that have a row's fixtures made again.
func again(v *bench.Variation) string {
	return fmt.Sprintf("--variation-seed %d --variation %d", v.Seed, v.Number)
}

// hasAgain says what command has a row's fixtures made again, and what its run does not
// tell of it.
func hasAgain(row *bench.Row, run ledger.RunInfo) string {
	command := fmt.Sprintf("bench run %s 1 --scenario %s", row.Mode, row.ScenarioID)
	var untold []string
	if shipped, err := loadLibrary(""); err == nil {
		if _, err := shipped.Scenario(row.ScenarioID); err != nil {
			untold = append(untold, "--scenarios")
		}
	}
	if run.ModeFiles[row.Mode].Hash != "" {
		untold = append(untold, "--mode-file")
	}
	if run.Provider != "" && run.Provider != defaultProvider {
		command += fmt.Sprintf(" --provider %s --model %s", run.Provider, row.Model.Key())
		untold = append(untold, "and what else the agent was given, such as the address and the key of its model's API")
	}
	text := fmt.Sprintf("`%s %s` has them again", command, again(row.Variation))
	if len(untold) > 0 {
		text += " once you add what " + ledger.RunFile + " does not tell: " + strings.Join(untold, ", ")
	}
	return text
}

// seedOf returns a number that is the same for the same text.
func seedOf(text string) uint64 {
	h := fnv.New64a()
	// Writing to a hash never fails.
	_, _ = fmt.Fprint(h, text)
	return h.Sum64()
}
