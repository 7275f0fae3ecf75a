package benchcli

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// calibrateFlags are the flags of calibrate.
type calibrateFlags struct {
	judgeFlags
	source       sourceFlags
	repetitions  string
	expectations string
	unchanged    bool
	suites       int
	seed         uint64
	plot         string
	json         bool
}

const (
	defaultSuites = 1000
	// fewSessions is how many of a scenario say little of how they vary.
	fewSessions = 20
)

func (a *app) calibrateCommand() *cobra.Command {
	var f calibrateFlags
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Tell how often a verdict by evidence would be wrong, from rows that are there",
		Long: `calibrate tells how often a profile, its margins and its repetitions pass and fail
by luck, and how often they find what they are for, with sessions that vary as
yours do. It draws suites from the sessions of the baseline mode: both sides of a
block from the same ones, so that the two differ in nothing but what is done to
the candidate's. It judges each suite as a run is judged.

With --unchanged the rows are of a tool that was compared with itself, and blocks
are drawn whole, so that what both sessions of a block have in common is kept.

Where the rows have both modes, it also tells their verdict, and what it would be
without each of the scenarios.`,
		Example: `  bench calibrate
  bench calibrate --suite-jsonl rows.jsonl --gate-profile claim --margin-success 10
  bench calibrate --run 20260225T120000Z-k3v9qa --repetitions 2..8 --suites 4000 --seed 7
  bench calibrate --gate-profile regression --plot calibration.svg
  bench calibrate --unchanged --baseline-mode ghx@base --candidate-mode ghx --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.calibrate(f) },
	}
	f.add(cmd)
	f.source.add(cmd)
	flags := cmd.Flags()
	profile := flags.Lookup("gate-profile")
	profile.DefValue, f.profile = string(bench.ProfileRegression), string(bench.ProfileRegression)
	profile.Usage = "what is asked: regression or claim"
	flags.StringVar(&f.repetitions, "repetitions", evidenceRepetitions, "how often each scenario would run in each mode: a range, or a number")
	flags.StringVar(&f.expectations, "expectations-config", "", "thresholds and prices `FILE` (default: built in)")
	flags.BoolVar(&f.unchanged, "unchanged", false, "the rows are of a tool that was compared with itself: draw blocks whole")
	flags.IntVar(&f.suites, "suites", defaultSuites, "how many suites to draw for each truth")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of what is drawn")
	addPlot(flags, &f.plot)
	flags.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

// calibrated is what --json prints.
type calibrated struct {
	evidence.Calibration
	// Simulated is true if no model was involved in a row.
	Simulated bool `json:"simulated"`
	// Run is what the rows themselves come to; nil where one mode has none.
	Run *bench.Evidence `json:"run"`
}

func (a *app) calibrate(f calibrateFlags) error {
	how, err := f.judging()
	if err != nil {
		return err
	}
	if !how.Profile.ByEvidence() {
		return fault.Invalidf("--gate-profile %s has fixed thresholds: calibrate is for %s and %s", how.Profile, bench.ProfileRegression, bench.ProfileClaim)
	}
	repetitions, err := bench.ParseRepetitions(f.repetitions)
	if err != nil {
		return fault.Wrap(fault.Invalid, err)
	}
	if how.Expectations, err = a.expectationsFrom(f.expectations); err != nil {
		return err
	}
	source, notes, err := f.source.find(how)
	if err != nil {
		return err
	}
	read, err := how.Calibrating(source, f.unchanged)
	for _, note := range append(notes, read.Notes...) {
		fmt.Fprintf(a.stderr, "bench: %s\n", note)
	}
	if err != nil {
		return err
	}
	design, err := how.Design(repetitions, read.Thresholds)
	if err != nil {
		return err
	}
	result := calibrated{Simulated: read.Simulated, Run: read.Run}
	result.Calibration, err = design.Calibrate(read.Pool, f.suites, f.seed, func(truths, of int) {
		fmt.Fprintf(a.stderr, "bench: %d of %d done\n", truths, of)
	})
	if err != nil {
		return err
	}
	title := fmt.Sprintf("%s: verdicts of %d suites a line, drawn from %d sessions", result.Profile, f.suites, result.Sessions)
	if err := a.writePlot(f.plot, func(w io.Writer) error { return report.WriteCalibration(w, result.Calibration, title) }); err != nil {
		return err
	}
	if f.json {
		return a.printJSON(result)
	}
	return a.tellCalibrated(&result)
}

func (a *app) tellCalibrated(c *calibrated) error {
	fmt.Fprintf(a.stdout, "%s, judged after %s repetitions: %d suites a line, drawn from %d sessions of %d scenarios\n",
		c.Profile, bench.Repetitions{First: c.Schedule[0], Most: c.Schedule[len(c.Schedule)-1]}, c.Truths[0].Suites, c.Sessions, c.Scenarios)
	if c.Simulated {
		fmt.Fprintln(a.stdout, simulatedNotice)
	}
	if c.FewestSessions < fewSessions {
		fmt.Fprintf(a.stdout, "A scenario has only %d sessions: how they vary is hardly known, and so is this.\n", c.FewestSessions)
	}
	fmt.Fprintln(a.stdout)
	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "if the candidate…\tpass\tfail\tcan't tell\trepetitions\twrong\t")
	for i := range c.Truths {
		t := &c.Truths[i]
		share := func(n int) string { return bench.PercentText(100 * float64(n) / float64(t.Suites)) }
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t\n", t.Candidate, share(t.Pass), share(t.Fail), share(t.CannotTell), bench.NumberText(t.MeanBlocks, 1), share(t.Wrong()))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout, "\nWrong is a pass of what is too much worse, or a fail of what is not: at most 5% by design.")
	a.tellWithout(c.Run)
	return nil
}

// tellWithout tells the verdict of the rows, and which scenarios it depends on.
func (a *app) tellWithout(e *bench.Evidence) {
	if e == nil {
		return
	}
	fmt.Fprintf(a.stdout, "\nThese rows: %s. %s.\n", e.Verdict.Word(), e.Sentence)
	if len(e.Scenarios) < 2 {
		return
	}
	turning := slices.DeleteFunc(slices.Clone(e.Scenarios), func(s bench.ScenarioEvidence) bool { return s.Without == e.Verdict })
	if len(turning) == 0 {
		fmt.Fprintf(a.stdout, "Without any one of the %d scenarios it would be the same.\n", len(e.Scenarios))
	}
	for _, s := range turning {
		fmt.Fprintf(a.stdout, "Without %s it would be %s.\n", s.ID, s.Without.Word())
	}
}
