package benchcli

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// compareFlags are the flags of compare.
type compareFlags struct {
	judgeFlags
	modeA, modeB string
	dir          string
	expectations string
	markdown     string
	json         bool
}

func (a *app) compareCommand() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare RUN_A RUN_B",
		Short: "Compare two runs that are there",
		Long: `compare puts two runs side by side. It says first what is not the same in both:
model, scenarios and their contents, target, versions of agent and tools,
settings. Then it prints how B differs from A in success, cost and latency, with
95 % intervals, over all scenarios and in each.

A run is a ledger, a folder with runs below, the id of a run, or a commit of
which the history knows a run. Modes that both have are compared with each
other; --mode-a and --mode-b choose others.

Two runs have figures and no verdict: what changed around them meanwhile cannot
be told from a difference between them. Where A and B are two modes of one run,
which ran side by side, there is one. It is told and does not change the exit
code; "bench report --gate" does that.`,
		Example: `  bench compare 20260225T120000Z-k3v9qa 20260301T090000Z-p7xw2c
  bench compare 3f9c2ab 81d04e7 --markdown comparison.md
  bench compare .bench/20260225T120000Z-k3v9qa .bench/20260225T120000Z-k3v9qa --mode-a agent_direct --mode-b ghx
  bench compare old.jsonl new.jsonl --json`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return a.compare(args[0], args[1], f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.modeA, "mode-a", "", "the `MODE` of A (default: each that both have)")
	flags.StringVar(&f.modeB, "mode-b", "", "the `MODE` of B (default: each that both have)")
	flags.StringVar(&f.profile, "gate-profile", string(bench.ProfileRegression), "what is asked where there is a verdict: regression or claim")
	flags.StringVar(&f.model, "expectations-model", "", "claim: use the thresholds of this `PROVIDER/MODEL` (default: the model in the rows)")
	f.addMargins(cmd)
	flags.StringVar(&f.dir, "output-dir", verify.DefaultDir, "look for runs and their history below this `DIR`")
	flags.StringVar(&f.expectations, "expectations-config", "", "thresholds and prices `FILE` (default: built in)")
	flags.StringVar(&f.markdown, "markdown", "", "write the comparison as Markdown to this `FILE`")
	flags.BoolVar(&f.json, "json", false, "print the comparison as JSON")
	return cmd
}

func (a *app) compare(nameA, nameB string, f compareFlags) error {
	how := verify.JudgeOptions{Profile: bench.GateProfile(f.profile), Model: f.model, Margins: f.margins, GeneratedAt: bench.FormatTime(a.now())}
	if !how.Profile.ByEvidence() {
		return fault.Invalidf("--gate-profile %q is none that decides by evidence: use %s or %s", f.profile, bench.ProfileRegression, bench.ProfileClaim)
	}
	err := f.checkMargins()
	if err != nil {
		return err
	}
	if how.Expectations, err = a.expectationsFrom(f.expectations); err != nil {
		return err
	}
	history, _, err := ledger.ReadHistory(a.historyIn(f.dir))
	if err != nil {
		return err
	}
	sides := [2]verify.ComparedSource{{Name: nameA}, {Name: nameB}}
	for i, mode := range [2]string{f.modeA, f.modeB} {
		if sides[i].Source, err = verify.SourceNamed(sides[i].Name, f.dir, history); err != nil {
			return err
		}
		if mode == "" {
			continue
		}
		if sides[i].Mode, err = bench.ParseMode(mode); err != nil {
			return fault.Invalidf("--mode-%c: %w", 'a'+rune(i), err)
		}
	}
	comparison, notes, err := verify.Compare(sides[0], sides[1], how)
	for _, note := range notes {
		fmt.Fprintf(a.stderr, "bench: %s\n", note)
	}
	if err != nil {
		return err
	}
	if f.markdown != "" {
		if err := writeFile(f.markdown, func(w io.Writer) error { return report.ComparisonMarkdown(w, comparison) }); err != nil {
			return err
		}
	}
	if f.json {
		return a.printJSON(comparison)
	}
	return report.ComparisonText(a.stdout, comparison, a.textOptions())
}

// writeFile creates a file, or writes it anew.
func writeFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return fault.Infraf("write %s: %w", path, err)
	}
	if err := write(file); err != nil {
		_ = file.Close()
		return err
	}
	if err := file.Close(); err != nil {
		return fault.Infraf("write %s: %w", path, err)
	}
	return nil
}
