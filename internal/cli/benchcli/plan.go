package benchcli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/scenarios"
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

// verifyFlags are the flags of commands that run, or plan, the whole sequence.
type verifyFlags struct {
	suite       suiteFlags
	judge       judgeFlags
	base        baseFlags
	modes       []string
	repetitions string
}

func (f *verifyFlags) add(cmd *cobra.Command) {
	f.suite.add(cmd.Flags(), defaultVerifySet)
	f.judge.add(cmd)
	f.base.add(cmd)
	cmd.Flags().StringSliceVar(&f.modes, "modes", []string{string(bench.AgentDirect), string(bench.GHX)}, "the modes to run: "+bench.JoinModes(bench.Modes(), ", ")+", or those of --mode-file")
	cmd.Flags().StringVar(&f.repetitions, "repetitions", fmt.Sprint(defaultRepetitions), "how often each scenario runs in each mode; of profiles that decide by evidence a range, by default "+evidenceRepetitions)
}

// prepareVerify turns flags into a suite and how it is judged, and refuses what
// cannot pass whatever happens. The design is nil where the profile does not
// decide by evidence. The caller closes the suite's provider.
func (a *app) prepareVerify(cmd *cobra.Command, flags *verifyFlags) (*prepared, verify.JudgeOptions, *evidence.Design, error) {
	f := &flags.suite
	how, err := flags.judge.judging()
	if err != nil {
		return nil, how, nil, err
	}
	f.profile = how.Profile
	set := defaultVerifySet
	if how.Profile.ByEvidence() {
		set = defaultEvidenceSet
		if !cmd.Flags().Changed("repetitions") {
			flags.repetitions = evidenceRepetitions
		}
		switch f.order {
		case string(runner.Interleaved):
			f.order = string(runner.Blocks)
		case string(runner.Sequential):
			return nil, how, nil, fault.Invalidf("--order sequential runs the modes one after the other, and %s compares them side by side: leave --order out", how.Profile)
		}
		// Shards need the same order.
		if !cmd.Flags().Changed("order-seed") && f.shard == "" {
			f.orderSeed = newSeed(a.random())
		}
	}
	n, err := f.repetitions(flags.repetitions, how.Profile)
	if err != nil {
		return nil, how, nil, err
	}
	p, err := a.prepare(cmd, f, flags.modes, n, set)
	if err != nil {
		return nil, how, nil, err
	}
	design, err := a.design(p, how)
	if err != nil {
		return nil, how, nil, errors.Join(err, p.provider.Close())
	}
	return p, how, design, nil
}

// design returns what a suite's verdict by evidence will stand on; nil where its
// profile does not decide by evidence. What cannot pass whatever happens is an
// error of kind invalid (rule V8).
func (a *app) design(p *prepared, how verify.JudgeOptions) (*evidence.Design, error) {
	s := &p.suite
	for _, compared := range []struct {
		mode       bench.Mode
		role, flag string
	}{{how.Baseline, "baseline", "--baseline-mode"}, {how.Candidate, "candidate", "--candidate-mode"}} {
		if !slices.Contains(s.Modes, compared.mode) {
			return nil, fault.Invalidf("mode %s, the %s, is not among the modes that run, so there would be nothing to judge: add it to --modes, or name another with %s", compared.mode, compared.role, compared.flag)
		}
	}
	model, err := p.expectations.ResolveModel(how.Model, []string{p.provider.Describe().Model.Key()})
	if err != nil {
		return nil, err
	}
	thresholds, _ := p.expectations.Thresholds(model, how.Profile)
	if !how.Profile.ByEvidence() {
		most := s.Repetitions
		for i := range s.Rows {
			most = max(most, s.Rows[i].Iteration)
		}
		return nil, refuseChecks(how.Profile, thresholds, most)
	}
	repetitions := bench.Repetitions{First: s.Repetitions, Most: s.Repetitions}
	if s.FirstLook > 0 {
		repetitions.First = s.FirstLook
	}
	design, err := how.Design(repetitions, thresholds)
	if err != nil {
		return nil, err
	}
	incubating, err := a.leaveOut(p, how)
	if err != nil {
		return nil, err
	}
	counted := len(s.Scenarios) - len(s.NotCounted)
	if incubating > 0 && design.Refuse(counted) != nil {
		// Only what runs ever counts.
		return design, design.Refuse(counted + incubating)
	}
	return design, design.Refuse(counted)
}

// leaveOut has the suite say which scenarios do not count, and returns how many
// of them are new. A run that goes on leaves out what it did.
func (a *app) leaveOut(p *prepared, how verify.JudgeOptions) (incubating int, err error) {
	s := &p.suite
	if p.resumed {
		info, err := ledger.LoadRun(s.Folder())
		if err != nil {
			return 0, err
		}
		s.NotCounted = info.NotCounted
		return len(s.NotCounted), nil
	}
	history, _, err := ledger.ReadHistory(a.historyIn(s.Dir))
	if err != nil {
		return 0, err
	}
	shipped := func(bench.Scenario) bool { return true }
	if p.flags.scenarioDir != "" {
		own, err := scenario.Load(scenarios.Files)
		if err != nil {
			return 0, err
		}
		shipped = func(s bench.Scenario) bool {
			known, err := own.Scenario(s.ID)
			return err == nil && known.Hash == s.Hash
		}
	}
	health := verify.HealthOf(history, p.expecting(how), s.Scenarios, shipped)
	s.NotCounted = health.NotCounted
	return health.Incubating, nil
}

// expecting says of what something is expected.
func (p *prepared) expecting(how verify.JudgeOptions) verify.Expecting {
	s := &p.suite
	return verify.Expecting{
		Model: p.provider.Describe().Model.Key(), ScenarioSet: s.ScenarioSet, Baseline: how.Baseline, Modes: s.Modes,
		Scenarios: len(s.Scenarios), NotCounted: len(s.NotCounted), Concurrency: p.flags.concurrency,
	}
}

// refuseChecks refuses what the gate's checks cannot pass whatever happens.
func refuseChecks(profile bench.GateProfile, thresholds bench.Thresholds, repetitions int) error {
	if wanted := thresholds.MinSamplesPerScenarioPerMode; thresholds.MinEfficiencyCoveragePct > 0 && wanted > repetitions {
		return fault.Invalidf("profile %s wants %d stable runs of a scenario in each mode, and %d repetitions are planned, so it cannot pass: use --repetitions %d or more", profile, wanted, repetitions, wanted)
	}
	return nil
}

// planCommand tells what bench verify would take with the same flags.
func (a *app) planCommand() *cobra.Command {
	var f verifyFlags
	var plot string
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Tell what a run takes and what it could see, before anything is spent",
		Long: `plan has the flags of "bench verify", runs nothing, and tells what that would take:
sessions, price and minutes, expected and at most, and the least change for the
worse that so many sessions show. Price and minutes are those of earlier runs of
the set with the model. What cannot pass at all is refused, as verify does. With
--plot the same is drawn: sessions against what they show.`,
		Example: `  bench plan
  bench plan --gate-profile regression --provider opencode --model openai/gpt-5.3-codex
  bench plan --gate-profile claim --repetitions 2..8 --margin-success 10 --concurrency 8
  bench plan --gate-profile regression --repetitions 2..20 --plot plan.svg
  bench plan --gate-profile verify_release --scenario-set ci-verify-release --repetitions 5 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.suite.dryRun = true
			if _, err := a.buildBase(cmd, &f); err != nil {
				return err
			}
			p, how, design, err := a.prepareVerify(cmd, &f)
			if err != nil {
				return err
			}
			defer p.provider.Close()
			return a.plan(p, how, design, plot)
		},
	}
	f.add(cmd)
	addPlot(cmd.Flags(), &plot)
	return cmd
}

func addPlot(flags *pflag.FlagSet, to *string) {
	flags.StringVar(to, "plot", "", "draw it as SVG to this `FILE`, too")
}

// writePlot writes a picture to a file; it does nothing without a name.
func (a *app) writePlot(path string, write func(io.Writer) error) error {
	if path == "" {
		return nil
	}
	var picture bytes.Buffer
	if err := write(&picture); err != nil {
		return err
	}
	if err := os.WriteFile(path, picture.Bytes(), 0o644); err != nil { //nolint:gosec // it is for everybody
		return fault.Invalidf("the plot cannot be written: %w", err)
	}
	fmt.Fprintf(a.stderr, "bench: drawn to %s\n", path)
	return nil
}

// planned is what --json prints.
type planned struct {
	Profile     bench.GateProfile `json:"profile"`
	Model       string            `json:"model"`
	Repetitions string            `json:"repetitions"`
	Concurrency int               `json:"concurrency"`
	evidence.Plan
	// Basis says how much sessions are taken to vary, and by what that is known.
	Basis string `json:"basis"`
	// Warnings are sentences.
	Warnings []string `json:"warnings"`
}

// plan tells what a suite takes and what it could see, before anything is spent
// (rule V8). Design is nil where the profile does not decide by evidence.
func (a *app) plan(p *prepared, how verify.JudgeOptions, design *evidence.Design, plot string) error {
	s := &p.suite
	told := planned{
		Profile: how.Profile, Model: p.provider.Describe().Model.Key(), Concurrency: p.flags.concurrency, Warnings: []string{},
		Repetitions: bench.Repetitions{First: cmp.Or(s.FirstLook, s.Repetitions), Most: s.Repetitions}.String(),
	}
	history, warnings, err := ledger.ReadHistory(a.historyIn(s.Dir))
	if err != nil {
		return err
	}
	told.Warnings = append(told.Warnings, warnings...)
	expected, basis := verify.Expect(history, p.expecting(how))
	told.Basis = "sessions vary as " + basis
	if text := (verify.Health{NotCounted: s.NotCounted}).Warning(len(s.Scenarios)); text != "" {
		told.Warnings = append(told.Warnings, text)
	}
	if expected.CostUSD == 0 {
		price, err := verify.PriceIn(s.Dir, p.expecting(how))
		if err != nil {
			return err
		}
		expected.CostUSD, expected.LatencyMS = price.USD, cmp.Or(expected.LatencyMS, price.LatencyMS)
		told.Warnings = append(told.Warnings, priceText(price, s.Dir))
	}
	if len(s.Rows) > 0 {
		told.Warnings = append(told.Warnings, fmt.Sprintf("%d rows of an earlier run are taken over, and need not be run again", len(s.Rows)))
	}
	if design != nil {
		told.Plan = design.Plan(expected)
	} else {
		told.Plan = evidence.PlanOfChecks(expected, s.Repetitions)
		told.Warnings = append(told.Warnings, warnOfChecks(how.Profile, told.Looks))
	}
	if plot != "" && len(told.Looks) == 0 {
		return fault.Invalidf("profile %s has nothing to draw with one repetition: use --repetitions 2 or more", how.Profile)
	}
	title := fmt.Sprintf("%d scenarios, %s repetitions, profile %s: what a run could see", told.Scenarios, told.Repetitions, told.Profile)
	if err := a.writePlot(plot, func(w io.Writer) error { return report.WritePlan(w, told.Plan, title) }); err != nil {
		return err
	}
	if p.flags.json {
		return a.printJSON(told)
	}
	return a.tellPlan(&told)
}

// priceText says what a price of the runs in a folder stands on.
func priceText(price verify.Price, dir string) string {
	if price.Sessions == 0 {
		return fmt.Sprintf("the price is unknown: there is no earlier run of this set with this model in %s", dir)
	}
	return "the price is " + price.Text()
}

// sessionPrice returns what a session of a suite costs by the history, else by the
// runs beside it, and what that stands on; 0 where it is not known.
func (a *app) sessionPrice(p *prepared, model string) (usd float64, basis string, err error) {
	s := &p.suite
	history, _, err := ledger.ReadHistory(a.historyIn(s.Dir))
	if err != nil {
		return 0, "", err
	}
	if usd, known := verify.EstimateUSD(history, model, s.ScenarioSet, 1); known {
		return usd, "from earlier runs of this set with this model", nil
	}
	price, err := verify.PriceIn(s.Dir, verify.Expecting{Model: model, ScenarioSet: s.ScenarioSet, Modes: s.Modes})
	return price.USD, price.Text(), err
}

func warnOfChecks(profile bench.GateProfile, looks []evidence.PlannedLook) string {
	unseen := "what one repetition finds is luck"
	for _, look := range looks {
		unseen = "no drop of success would be seen in so many sessions"
		if look.Success != nil {
			unseen = fmt.Sprintf("a drop of success under %s points would go unseen in so many sessions", bench.NumberText(-*look.Success, 0))
		}
	}
	return fmt.Sprintf("profile %s decides by fixed thresholds, and passes and fails by luck: %s; --gate-profile %s says how sure it is", profile, unseen, bench.ProfileRegression)
}

func (a *app) tellPlan(told *planned) error {
	fmt.Fprintf(a.stdout, "%d scenarios with %s, %s repetitions, %d at once, judged by profile %s\n", told.Scenarios, told.Model, told.Repetitions, told.Concurrency, told.Profile)
	if told.Profile.ByEvidence() {
		where, whose := "where nothing differs", "that does not differ"
		if told.Profile == bench.ProfileClaim {
			whose = "that saves what is claimed and as much again"
			where = "of a candidate " + whose
		}
		fmt.Fprintf(a.stdout, "Expected: %s %s; at most %s\n", spendingText(told.Expected), where, spendingText(told.AtMost))
		fmt.Fprintf(a.stdout, "A candidate %s passes in %s of runs, less those of 5%% at most that fail by luck, if %s\n", whose, bench.PercentText(*told.PassPct), told.Basis)
	} else {
		fmt.Fprintf(a.stdout, "Expected: %s\n", spendingText(told.AtMost))
	}
	for _, warning := range told.Warnings {
		fmt.Fprintf(a.stdout, "Note: %s.\n", warning)
	}
	if len(told.Looks) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "\nrepetitions\tsessions\tdrop of success seen\tcost seen\tlatency seen\t")
	if told.Profile.ByEvidence() {
		fmt.Fprint(table, "passed by then\t")
	}
	for _, look := range told.Looks {
		fmt.Fprintf(table, "\n%d\t%d\t%s\t%s\t%s\t", look.Blocks, look.Sessions,
			seen(look.Success, bench.PointsText), seen(look.Cost, bench.ChangeText), seen(look.Latency, bench.ChangeText))
		if told.Profile.ByEvidence() {
			fmt.Fprintf(table, "%s\t", bench.PercentText(*look.PassPct))
		}
	}
	fmt.Fprintln(table)
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
