package benchcli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// judgeFlags are the flags of commands that judge.
type judgeFlags struct {
	profile   string
	model     string
	baseline  string
	candidate string
	margins   bench.Margins
}

func (f *judgeFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.profile, "gate-profile", string(bench.VerifyPR), "what is asked: "+profileNames())
	flags.StringVar(&f.model, "expectations-model", "", "use the thresholds of this `PROVIDER/MODEL` (default: the model in the rows)")
	flags.StringVar(&f.baseline, "baseline-mode", string(bench.AgentDirect), "the mode to compare with")
	flags.StringVar(&f.candidate, "candidate-mode", string(bench.GHX), "the mode to judge")
	f.addMargins(cmd)
}

func (f *judgeFlags) addMargins(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Float64Var(&f.margins.SuccessDropPct, "margin-success", evidence.DefaultSuccessDropPct, "regression and claim: a drop of the success rate by so many `POINTS` is too much")
	flags.Float64Var(&f.margins.CostRatio, "margin-cost", evidence.DefaultCostRatio, "regression: so many `TIMES` the baseline's cost is too much")
	flags.Float64Var(&f.margins.LatencyRatio, "margin-latency", evidence.DefaultLatencyRatio, "regression: so many `TIMES` the baseline's latency is too much")
}

func (f *judgeFlags) judging() (verify.JudgeOptions, error) {
	how := verify.JudgeOptions{Profile: bench.GateProfile(f.profile), Model: f.model, Margins: f.margins}
	if !slices.Contains(bench.GateProfiles(), how.Profile) {
		return how, fault.Invalidf("--gate-profile %q is unknown: use %s", f.profile, profileNames())
	}
	var err error
	if how.Baseline, err = bench.ParseMode(f.baseline); err != nil {
		return how, fault.Invalidf("--baseline-mode: %w", err)
	}
	if how.Candidate, err = bench.ParseMode(f.candidate); err != nil {
		return how, fault.Invalidf("--candidate-mode: %w", err)
	}
	if how.Baseline == how.Candidate {
		return how, fault.Invalidf("--baseline-mode and --candidate-mode are both %s: name two modes", how.Baseline)
	}
	return how, f.checkMargins()
}

// checkMargins refuses what would stand for the usual margins further on.
func (f *judgeFlags) checkMargins() error {
	for flag, margin := range map[string]float64{"margin-success": f.margins.SuccessDropPct, "margin-cost": f.margins.CostRatio, "margin-latency": f.margins.LatencyRatio} {
		if !(margin > 0) { // NaN too
			return fault.Invalidf("--%s is %g: nothing could be shown to be within it, so leave it out, or give more", flag, margin)
		}
	}
	return nil
}

// profileNames lists the profiles of the gate.
func profileNames() string {
	var names []string
	for _, p := range bench.GateProfiles() {
		names = append(names, string(p))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
