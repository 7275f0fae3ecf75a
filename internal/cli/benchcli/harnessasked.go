package benchcli

import (
	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// askedGate says how the gate decides where flags say it, whatever the configuration
// does: who has the gate run need not be who wrote that.
type askedGate struct {
	policy, epochs string
	judgeFlags
}

func (g *askedGate) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&g.policy, "policy", "", "how the full test is decided, "+string(harness.GateSeed)+" or "+string(harness.GateEvidence)+" (default: the configuration's gate.policy)")
	flags.StringVar(&g.epochs, "epochs", "", "by evidence: how often each task is run, a `NUMBER` or two as 2..10 (default: the configuration's gate.epochs)")
	g.addMargins(cmd)
	flags.Lookup("margin-success").Usage = "by evidence: a drop of the share of tasks that pass by so many `POINTS` is too much (default: the configuration's gate.margin)"
	flags.Lookup("margin-success").DefValue = "0" // shows no other default
	flags.Lookup("margin-cost").Usage = "by evidence: so many `TIMES` the baseline's cost is too much"
	flags.Lookup("margin-latency").Usage = "by evidence: so many `TIMES` the baseline's latency is too much"
}

// override puts what the flags say into the configuration, but for the margins of cost and
// latency, which that does not have. An error is of kind invalid.
func (g *askedGate) override(given func(string) bool, c *harness.Config) error {
	if given("policy") {
		c.Gate.Policy = harness.GatePolicy(g.policy)
		if c.Gate.Policy != harness.GateSeed && c.Gate.Policy != harness.GateEvidence {
			return fault.Invalidf("--policy is %q, want %s or %s", g.policy, harness.GateSeed, harness.GateEvidence)
		}
	}
	for _, flag := range []string{"epochs", "margin-success", "margin-cost", "margin-latency"} {
		if given(flag) && c.Gate.Policy != harness.GateEvidence {
			return fault.Invalidf("--%s is for gate.policy %s, and %s has %s: give --policy %[2]s, or leave it out", flag, harness.GateEvidence, c.File, c.Gate.Policy)
		}
	}
	if given("epochs") {
		if _, err := bench.ParseRepetitions(g.epochs); err != nil {
			return fault.Invalidf("--epochs: %w", err)
		}
		c.Gate.Epochs = g.epochs
	}
	if given("margin-success") {
		c.Gate.MarginPoints = g.margins.SuccessDropPct
	}
	return g.checkMargins()
}
