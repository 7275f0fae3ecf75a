package benchcli

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
)

func (a *app) reportCommand() *cobra.Command {
	var j judgeFlags
	var from sourceFlags
	var askedFor askedFlags
	var expectations string
	var gated, asJSON bool
	var out verify.Outputs
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Summarize and judge rows",
		Long: `report reads rows, computes figures per mode and the dual gate, and prints them.
Without files it takes the newest run; where that run has one mode only, the
newest comparable run of the other mode is taken with it. Ledgers of the
original harness can be read too.

With --gate the exit code tells the verdict: 0 pass, 1 fail, 2 no verdict,
3 the run is not complete, 4 it cannot be told. By evidence, ledgers without the
run.json of their run do not pass: rows may have been left away.

With --html a browser shows every attempt, with what was said and done: from a disk,
without a network. The page of a folder is its index.html. All that is in it was kept
without secrets, but it is what agents read and wrote: give it to those who may see that.

With --provider and the flags beside it rows of others are held to what was asked
for: all cells of it, and no rows or plan of anything else.`,
		Example: `  bench report
  bench report --gate --gate-profile verify_release
  bench report --suite-jsonl agent_direct.jsonl --suite-jsonl ghx.jsonl --html report.html
  bench report --html report && open report/index.html`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			how, err := j.judging()
			if err != nil {
				return err
			}
			if how.Expectations, err = a.expectationsFrom(expectations); err != nil {
				return err
			}
			if how.Asked, err = askedFor.asked(how.Profile); err != nil {
				return err
			}
			source, notes, err := from.find(how)
			if err != nil {
				return err
			}
			if len(source.Runs) > 0 && source.Runs[0].Benchmark != nil {
				asRun(&how, source, cmd.Flags().Changed)
			}
			mend, err := source.Mend(from.dir, how.Baseline, how.Candidate)
			if err != nil {
				return err
			}
			if mend != "" {
				notes = append(notes, mend)
			}
			how.GeneratedAt, how.Outputs = bench.FormatTime(a.now()), out
			var warnings []string
			if how.History, warnings, err = ledger.ReadHistory(a.historyIn(from.dir)); err != nil {
				return err
			}
			reported, err := verify.Report(source, how)
			for _, note := range slices.Concat(notes, warnings, reported.Notes) {
				fmt.Fprintf(a.stderr, "bench: %s\n", note)
			}
			if err != nil {
				return err
			}
			a.result.Summary, a.result.Outputs, a.result.Rows = &reported.Summary, out, source.Files
			if gated {
				a.verdict = exitOf(reported.Summary)
			}
			if asJSON {
				return report.JSON(a.stdout, reported.Summary)
			}
			return report.Text(a.stdout, reported.Summary, a.textOptions())
		},
	}
	j.add(cmd)
	from.add(cmd)
	askedFor.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&expectations, "expectations-config", "", "thresholds and prices `FILE` (default: built in)")
	flags.BoolVar(&gated, "gate", false, "tell the verdict by the exit code")
	flags.BoolVar(&asJSON, "json", false, "print the summary as JSON")
	flags.StringVar(&out.SummaryJSON, "summary-json", "", "write the summary as JSON to this `FILE`")
	flags.StringVar(&out.SummaryMarkdown, "summary-md", "", "write the summary as Markdown to this `FILE`")
	flags.StringVar(&out.CSV, "csv", "", "write the rows as CSV to this `FILE`")
	flags.StringVar(&out.HTML, "html", "", "write the report with every attempt to this folder, or, if it ends in .html or is a file, as one page: a `PATH`")
	flags.BoolVar(&out.OnePage, "single-file", false, "write --html as one page, whatever it is called")
	flags.StringVar(&out.JUnit, "junit", "", "write the rows and checks as JUnit XML to this `FILE`")
	return cmd
}

// sourceFlags say which rows are read.
type sourceFlags struct {
	files, results []string
	dir, run       string
}

func (f *sourceFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.files, "suite-jsonl", nil, "read this ledger `FILE`; may be given several times")
	flags.StringArrayVar(&f.results, "results", nil, "read every run below this `DIR`, such as all shards of a plan; may be given several times")
	flags.StringVar(&f.run, "run", "", "read the run of this `ID`")
	flags.StringVar(&f.dir, "output-dir", verify.DefaultDir, "look for runs below this `DIR`")
	cmd.MarkFlagsMutuallyExclusive("suite-jsonl", "results", "run")
}

func (f *sourceFlags) find(how verify.JudgeOptions) (verify.Source, []string, error) {
	switch {
	case len(f.results) > 0:
		source, err := verify.SourceBelow(f.results...)
		return source, nil, err
	case len(f.files) > 0:
		return verify.Source{Files: f.files}, nil, nil
	case f.run != "":
		source, err := verify.SourceOf(filepath.Join(f.dir, f.run))
		return source, nil, err
	default:
		return verify.NewestSource(f.dir, []bench.Mode{how.Baseline, how.Candidate})
	}
}
