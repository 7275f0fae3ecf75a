package benchcli

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
)

// measureFlags are the flags of measure.
type measureFlags struct {
	files        []string
	scenarioDir  string
	expectations string
	outputJSONL  string
	check, json  bool
}

func (a *app) measureCommand() *cobra.Command {
	var f measureFlags
	cmd := &cobra.Command{
		Use:   "measure DIR",
		Short: "Make rows anew from stored transcripts",
		Long: `measure reads the transcripts in a run's folder and makes the run's rows anew:
tokens, cost, tool calls, turns, timing, and how the answers are judged. So a
change of a metric, a price or an assertion needs no new model calls. What no
transcript tells stays as it was: wall latency, requests to GitHub, and what
checkpoints found.

DIR may also be a folder that --transcripts was given; the rows are then those
of --suite-jsonl. The rows are written to a new ledger; the old one is not
touched. With --check nothing is written, and the exit code is 1 if a row would
change.`,
		Example: `  bench measure .bench/20260225T120000Z-k3v9qa
  bench measure .bench/20260225T120000Z-k3v9qa --check
  bench measure transcripts --suite-jsonl rows.jsonl --output-jsonl measured.jsonl`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.measure(args[0], f) },
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.files, "suite-jsonl", nil, "measure the rows of this ledger `FILE`; may be given several times (default: those of the run in DIR)")
	flags.StringVar(&f.scenarioDir, "scenarios", "", "judge by the scenarios in this `DIR`, also if they have changed (default: the built-in ones)")
	flags.StringVar(&f.expectations, "expectations-config", "", "prices `FILE` (default: the run's price, else the built-in ones)")
	flags.StringVar(&f.outputJSONL, "output-jsonl", "", "write all rows to this new `FILE` instead of one per mode in DIR")
	flags.BoolVar(&f.check, "check", false, "write nothing, and exit with 1 if a row would change")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

func (a *app) measure(dir string, f measureFlags) error {
	how := verify.RemeasureOptions{ScenariosChosen: f.scenarioDir != ""}
	var err error
	if how.Source, how.Transcripts, err = verify.MeasuredFrom(dir, f.files); err != nil {
		return err
	}
	if how.Scenarios, err = loadLibrary(f.scenarioDir); err != nil {
		return err
	}
	expectations, err := a.expectationsFrom(f.expectations)
	if err != nil {
		return err
	}
	how.Price = priceOf(expectations, f.expectations != "", how.Runs)
	measured, err := verify.Measure(how)
	for _, torn := range measured.Torn {
		fmt.Fprintf(a.stderr, "bench: %s\n", torn)
	}
	if err != nil {
		return err
	}
	var files []string
	if !f.check {
		if files, err = measured.Save(dir, f.outputJSONL, a.now()); err != nil {
			return err
		}
	} else if len(measured.Changed) > 0 {
		a.verdict = exitGateFailed
	}
	if f.json {
		return a.printJSON(measuredJSON(measured, files))
	}
	a.tellMeasured(measured, files)
	return nil
}

// priceOf returns what tells prices: the expectations if they were chosen, else
// the run, else the expectations.
func priceOf(expectations *gate.Expectations, chosen bool, runs []ledger.RunInfo) func(bench.ModelRef) *bench.Price {
	return func(model bench.ModelRef) *bench.Price {
		var listed, recorded *bench.Price
		if price, known := expectations.Price(model.Key()); known {
			listed = &price
		}
		if len(runs) > 0 && runs[0].Model.Key() == model.Key() {
			recorded = runs[0].Price
		}
		if chosen {
			return cmp.Or(listed, recorded)
		}
		return cmp.Or(recorded, listed)
	}
}

func (a *app) tellMeasured(m verify.RemeasureResult, files []string) {
	for _, change := range m.Changed {
		fmt.Fprintln(a.stdout, change)
	}
	for _, cell := range m.Without {
		fmt.Fprintf(a.stdout, "%s  has no transcript, its row is kept as it is\n", cell)
	}
	fmt.Fprintf(a.stdout, "%d of %d rows change, %d are without a transcript\n", len(m.Changed), len(m.Rows), len(m.Without))
	for _, file := range files {
		fmt.Fprintf(a.stdout, "  rows  %s\n", file)
	}
	if simulated(m.Rows) {
		fmt.Fprintln(a.stdout, simulatedNotice)
	}
}

// measuredJSON is what --json prints; its lists are never null.
func measuredJSON(m verify.RemeasureResult, files []string) map[string]any {
	without := make([]string, 0, len(m.Without))
	for _, cell := range m.Without {
		without = append(without, cell.String())
	}
	return map[string]any{
		"rows": len(m.Rows), "changed": append([]verify.RowChange{}, m.Changed...), "without_transcript": without,
		"files": append([]string{}, files...), "simulated": simulated(m.Rows),
	}
}

// simulated reports whether no model was involved in a row (rule G15).
func simulated(rows []bench.Row) bool {
	for i := range rows {
		if rows[i].Simulated {
			return true
		}
	}
	return false
}
