package benchcli

import (
	"fmt"
	"path/filepath"
	"text/tabwriter"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// repetitions reads how many there are to be for a profile, which is empty if
// there is none.
func (f *suiteFlags) repetitions(text string, profile bench.GateProfile) (bench.Repetitions, error) {
	r, err := bench.ParseRepetitions(text)
	switch {
	case err != nil:
		return r, fault.Wrap(fault.Invalid, err)
	case r.Adapt() && !profile.ByEvidence():
		return r, fault.Invalidf("repetitions are %s: how many it takes is decided on the way by the profiles %s and %s alone; name one number", r, bench.ProfileRegression, bench.ProfileClaim)
	case r.Adapt() && f.shard != "":
		return r, fault.Invalidf("repetitions are %s with --shard: a shard does not see the rows of the others, so name one number, which is looked at in the end", r)
	default:
		return r, nil
	}
}

// design returns what a suite's verdict by evidence will stand on; nil where its
// profile does not decide by evidence. What cannot pass whatever happens is an
// error of kind invalid (rule V8).
func (p *prepared) design(how verify.Judging) (*evidence.Design, error) {
	if !how.Profile.ByEvidence() {
		return nil, nil
	}
	s := &p.suite
	repetitions := bench.Repetitions{First: s.Repetitions, Most: s.Repetitions}
	if s.FirstLook > 0 {
		repetitions.First = s.FirstLook
	}
	model, err := p.expectations.ResolveModel(how.Model, []string{p.provider.Describe().Model.Key()})
	if err != nil {
		return nil, err
	}
	thresholds, _ := p.expectations.Thresholds(model, how.Profile)
	design, err := how.Design(repetitions, thresholds)
	if err != nil {
		return nil, err
	}
	return design, design.Refuse(len(s.Scenarios))
}

// plan tells what a suite takes that decides by evidence, and what it could see,
// before anything is spent.
func (a *app) plan(p *prepared, design *evidence.Design) error {
	expected := evidence.Unknown(len(p.suite.Scenarios))
	expected.Concurrency = p.flags.concurrency
	history, _, err := ledger.ReadHistory(filepath.Join(p.suite.Dir, ledger.HistoryFile))
	if err != nil {
		return err
	}
	model := p.provider.Describe().Model.Key()
	if cost, known := verify.EstimateUSD(history, model, p.suite.ScenarioSet, 1); known {
		expected.CostUSD = cost
	}
	plan := design.Plan(expected)
	if p.flags.json {
		return a.printJSON(plan)
	}
	fmt.Fprintf(a.stdout, "%d scenarios with %s, judged after %d to %d repetitions\n", plan.Scenarios, model, design.Looks()[0], design.Most())
	fmt.Fprintf(a.stdout, "Expected: %s where nothing differs; at most %s\n", spendingText(plan.Expected), spendingText(plan.AtMost))
	fmt.Fprintf(a.stdout, "A candidate that does not differ passes in %s of runs, if sessions vary as is usual (30 %%)\n\n", bench.PercentText(plan.PassPct))
	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "repetitions\tsessions\tdrop of success seen\tcost seen\tlatency seen\tpassed by then\t")
	for _, look := range plan.Looks {
		fmt.Fprintf(table, "%d\t%d\t%s\t%s\t%s\t%s\t\n", look.Blocks, look.Sessions,
			seen(look.Success, bench.PointsText), seen(look.Cost, bench.ChangeText), seen(look.Latency, bench.ChangeText), bench.PercentText(look.PassPct))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout, "\nSeen is the least change for the worse that is shown in four runs of five.")
	return nil
}

func spendingText(s evidence.Spending) string {
	text := bench.NumberText(s.Sessions, 0) + " sessions"
	if s.CostUSD != nil {
		text += ", " + bench.USDText(*s.CostUSD) + " USD"
	}
	if s.Minutes != nil {
		text += ", " + bench.DurationText(*s.Minutes*60_000)
	}
	return text
}

func seen(change *float64, write func(float64) string) string {
	if change == nil {
		return "none"
	}
	return write(*change)
}
