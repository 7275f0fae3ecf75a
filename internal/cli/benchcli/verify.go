package benchcli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/station"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func (a *app) verifyCommand() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Run the whole sequence: seed, run the modes, report, judge",
		Long: `verify seeds the fixtures, runs the scenarios in each mode, interleaved, and
judges the rows with the dual gate. It prints the verdict, the checks, and
where the files are.

The profiles verify_pr and verify_release ask checks with fixed thresholds.
The others decide by evidence: regression asks whether the candidate is not
worse than the baseline by more than the margins, claim whether it saves what
the thresholds say. They look at the sessions after 2, 4, 6… repetitions, end as
soon as it can be told, and say so where it cannot.

Exit codes: 0 the gate passes, 1 it fails or the candidate's tool does not work
where the others do, 2 bad input or nothing to judge,
3 something around us failed or the run is not complete, 4 it cannot be told,
130 and 143 stopped by a signal (the run can go on with --resume).

By evidence, repetitions and margins are fixed before the first session: what is
changed later cannot pass, and a second run on the same content of both tools is
refused: the first one's verdict stands.

With --base REF ghx is compared with that of another commit: both are built, here
and in a worktree of REF that is removed afterwards. Builds see PATH and HOME and
nothing else of the environment. A base that cannot be built is no verdict.

With --rows the run begins with the rows of an earlier one of the same commit,
model and scenarios, and runs the cells that are missing there. What was tried
counts, whatever became of it: no row is dropped or run again, and those beyond
this run's repetitions count too. Rows that do not belong are counted and named.`,
		Example: `  bench verify
  bench verify --gate-profile verify_release --scenario-set ci-verify-release --repetitions 5
  bench verify --base main --build-command 'make' --ghx-command ./bin/ghx
  bench verify --gate-profile claim --repetitions 2..8 --margin-success 10
  bench verify --modes agent_direct,mcp,ghx --repetitions 4
  bench verify --script-fault 'ghx/pr-merge-001=stall'
  bench verify --resume
  bench verify --rows .bench/20260225T120000Z-k3v9qa`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			remove, err := a.buildBase(cmd, &f)
			defer remove()
			if err != nil {
				return err
			}
			p, how, design, err := a.prepareVerify(cmd, &f)
			if err != nil {
				return blameTool(err, f.judge.candidate)
			}
			defer p.provider.Close()
			switch {
			case f.suite.dryRun && design != nil:
				return a.plan(p, how, design, "")
			case f.suite.dryRun:
				return a.dryRun(p)
			case a.helps:
				_, err := a.runCells(cmd.Context(), p)
				return err
			case p.suite.Shard != nil:
				return a.runSuite(cmd.Context(), p)
			default:
				if design == nil && !p.provider.Describe().Simulated {
					fmt.Fprintf(a.stderr, "bench: %s\n", warnOfChecks(how.Profile, evidence.PlanOfChecks(evidence.Unknown(len(p.suite.Scenarios)), p.suite.Repetitions).Looks))
				}
				return blameTool(a.verify(cmd.Context(), p, how), f.judge.candidate)
			}
		},
	}
	f.add(cmd)
	return cmd
}

// blameTool has the error of a candidate's tool that does not work, where the other
// modes' do, be a verdict on it (rule N9).
func blameTool(err error, candidate string) error {
	var broken *station.BrokenTool
	if !errors.As(err, &broken) || string(broken.Mode) != candidate {
		return err
	}
	return fault.Toolf("FAIL: the candidate's tool does not work, and what it is compared with does: %w", err)
}

// parseModes reads names of modes that are known.
func parseModes(known *toolset.Library, names []string) ([]bench.Mode, error) {
	var modes []bench.Mode
	seen := map[bench.Mode]bool{}
	for _, name := range names {
		mode := bench.Mode(strings.TrimSpace(name))
		if _, err := known.Mode(mode); err != nil {
			return nil, err
		}
		if seen[mode] {
			return nil, fault.Invalidf("mode %s is named twice", mode)
		}
		seen[mode] = true
		modes = append(modes, mode)
	}
	if len(modes) == 0 {
		return nil, fault.Invalidf("no mode to run: name at least one, for example agent_direct,ghx")
	}
	return modes, nil
}

// verify runs the sequence and tells what it came to.
func (a *app) verify(ctx context.Context, p *prepared, how verify.JudgeOptions) error {
	// The App has its own runs beside each other.
	if a.runID == "" && !p.resumed {
		if err := p.suite.Spent(how, p.provider.Describe(), a.now()); err != nil {
			return err
		}
	}
	progress := a.watch(p)
	how.Expectations = p.expectations
	how.Outputs = verify.OutputsIn(p.suite.Folder())
	p.suite.Looked = func(judged bench.Evidence) {
		last := judged.Schedule[len(judged.Schedule)-1]
		for _, look := range judged.Looks[max(0, len(judged.Looks)-1):] {
			fmt.Fprintf(a.stderr, "bench: after %d of at most %d repetitions: %s. %s.\n", look.Blocks, last, judged.Verdict.Word(), judged.Sentence)
		}
	}
	branch, aside := a.branch()
	v, err := verify.Verify(ctx, verify.Sequence{
		Seed: func(ctx context.Context, s *verify.Suite) (target.Target, error) {
			return a.targetFor(ctx, s, p)
		},
		History: a.historyIn(p.suite.Dir),
		Branch:  branch, Aside: aside,
		Entered: p.enter,
	}, p.suite, p.deps, how)
	progress.end()
	a.result.RunID, a.result.Rows = p.suite.RunID, v.Files
	if err := a.afterRun(ctx, p, v.Result, err); err != nil {
		return err
	}
	a.result.Summary, a.result.Outputs = &v.Summary, how.Outputs
	for _, note := range v.Notes {
		fmt.Fprintf(a.stderr, "bench: %s\n", note)
	}
	if p.flags.json {
		progress.verdict(v.Summary, how.Outputs)
	} else if err := a.tell(v, how.Outputs); err != nil {
		return err
	}
	a.verdict = exitOf(v.Summary)
	return nil
}

// exitOf returns the exit code of a verdict (rule G16).
func exitOf(s bench.Summary) int {
	switch {
	case s.Gate.Verdict == bench.VerdictPass:
		return exitPass
	case s.Gate.Verdict == bench.VerdictFail:
		return exitGateFailed
	case s.Gate.Verdict == bench.VerdictInconclusive:
		return exitInconclusive
	case len(s.Missing) > 0:
		return exitInfrastructure
	default:
		return exitInvalid
	}
}

// tell prints verdict, checks and files.
func (a *app) tell(v verify.Verified, out verify.Outputs) error {
	if err := report.Text(a.stdout, v.Summary, a.textOptions()); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "\nFiles\n")
	for _, file := range v.Files {
		fmt.Fprintf(a.stdout, "  rows     %s\n", file)
	}
	fmt.Fprintf(a.stdout, "  summary  %s\n  report   %s\n  junit    %s\n", out.SummaryJSON, out.HTML, out.JUnit)
	fmt.Fprintf(a.stdout, "\nWhat happened in one cell: bench explain %s\n", exampleCell(v.Info))
	return nil
}

func exampleCell(info ledger.RunInfo) string {
	if len(info.Cells) == 0 {
		return "<scenario>/<mode>/<iteration>"
	}
	for _, cell := range slices.Backward(info.Cells) {
		if info.DecidedAt == 0 || cell.Iteration <= info.DecidedAt {
			return cell.String()
		}
	}
	return info.Cells[0].String()
}

// afterRun turns the ways in which a run can end early into errors that say
// how to go on. It returns nil for a complete run.
func (a *app) afterRun(ctx context.Context, p *prepared, r verify.Result, err error) error {
	for _, torn := range r.Torn {
		fmt.Fprintf(a.stderr, "bench: %s; its cell runs again\n", torn)
	}
	var unsaved *runner.UnsavedRow
	if errors.As(err, &unsaved) {
		if encodeErr := a.printRow(unsaved.Row); encodeErr != nil {
			return errors.Join(err, encodeErr)
		}
	}
	if err != nil {
		return err
	}
	if len(r.Left) == 0 {
		return nil
	}
	a.result.Stopped = r.Stopped
	if p.suite.Profile.ByEvidence() && r.Stopped == bench.MissingBudget {
		fmt.Fprintf(a.stderr, "bench: the budget is used up: %d cells are left out, and the looks that are whole are judged\n", len(r.Left))
		return nil
	}
	total := len(r.Info.Cells)
	goOn := fmt.Sprintf("bench %s --resume=%s", commandOf(p), p.suite.RunID)
	if p.suite.Dir != verify.DefaultDir {
		goOn += " --output-dir " + p.suite.Dir
	}
	if p.remote != nil {
		goOn += " --target " + p.remote.repo
	}
	why := "stopped"
	if r.Stopped == bench.MissingBudget {
		why = fmt.Sprintf("stopped because %.4f USD of --max-cost-usd %.4f are spent", r.CostUSD-r.Info.TakenUSD, p.flags.maxCostUSD)
	} else if cause := context.Cause(ctx); cause != nil {
		why = cause.Error()
	}
	return fault.Infraf("%s: %d of %d cells have their row, cells under way are not recorded; go on with `%s`", why, total-len(r.Left), total, goOn)
}

// printRow writes a row that its ledger did not take to standard error, so
// that it is not lost.
func (a *app) printRow(row *bench.Row) error {
	text, err := row.MarshalJSON()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "bench: this row could not be saved:\n%s\n", text)
	return nil
}

func commandOf(p *prepared) string {
	if p.suite.Profile != "" {
		return "verify"
	}
	return fmt.Sprintf("run %s %d", p.suite.Modes[0], p.suite.Repetitions)
}

// dryRun lists what would run, and what it would cost.
func (a *app) dryRun(p *prepared) error {
	cells := p.left()
	model := p.provider.Describe().Model.Key()
	session, basis, err := a.sessionPrice(p, model)
	if err != nil {
		return err
	}
	cost, known := session*float64(len(cells)), session > 0
	if p.flags.json {
		plan := map[string]any{"cells": cells, "model": model, "estimated_cost_usd": nil}
		if known {
			plan["estimated_cost_usd"] = cost
		}
		return a.printJSON(plan)
	}
	fmt.Fprintf(a.stdout, "%d cells with %s, %s order:\n", len(cells), model, p.suite.Order)
	for _, c := range cells {
		fmt.Fprintf(a.stdout, "  %s\n", c)
	}
	if known {
		fmt.Fprintf(a.stdout, "Expected cost: %.4f USD, %s\n", cost, basis)
	} else {
		fmt.Fprintf(a.stdout, "Expected cost: unknown, there is no earlier run of this set with this model in %s\n", p.suite.Dir)
	}
	return nil
}

func (a *app) runCommand() *cobra.Command {
	var f suiteFlags
	cmd := &cobra.Command{
		Use:   "run <mode,…> <repetitions>",
		Short: "Run scenarios in one mode or more and write their rows",
		Long: `run runs each scenario as often as asked in each mode and writes a row per cell.
Modes are agent_direct, mcp, ghx and ghx@base, and those that --mode-file
describes. "bench report" judges the rows of two modes.`,
		Example: `  bench run agent_direct 4 --scenario-set ci-verify-pr
  bench run ghx 4 --scenario-set ci-verify-pr
  bench report --gate

  bench run agent_direct,mytool 4 --mode-file mytool.yml
  bench report --gate --baseline-mode agent_direct --candidate-mode mytool

  bench run ghx 1 --scenario pr-view-001 --output-jsonl rows.jsonl
  bench run ghx 4 --fixture-manifest fixtures/latest.json --seed-if-missing`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := f.repetitions(args[1], "")
			if err != nil {
				return err
			}
			p, err := a.prepare(cmd, &f, strings.Split(args[0], ","), n, "default")
			if err != nil {
				return err
			}
			defer p.provider.Close()
			if err := a.followCounterpart(p); err != nil {
				return err
			}
			if f.dryRun {
				return a.dryRun(p)
			}
			return a.runSuite(cmd.Context(), p)
		},
	}
	f.add(cmd.Flags(), "default")
	cmd.SetFlagErrorFunc(negativeRepetitions)
	return cmd
}

// negativeRepetitions explains a negative number, which looks like a flag.
func negativeRepetitions(cmd *cobra.Command, err error) error {
	if text := err.Error(); strings.Contains(text, "unknown shorthand flag") && strings.ContainsAny(text, "0123456789") {
		return fault.Invalidf("repetitions are negative, want a whole number of 1 or more, for example 4")
	}
	return flagError(cmd, err)
}

// runCells runs the cells of a suite, and judges nothing.
func (a *app) runCells(ctx context.Context, p *prepared) (verify.Result, error) {
	progress := a.watch(p)
	defer progress.end()
	p.enter(verify.StepSeed)
	place, err := a.targetFor(ctx, &p.suite, p)
	if err != nil {
		return verify.Result{}, err
	}
	defer place.Close()
	p.deps.Target = place
	p.enter(verify.StepRun)
	return verify.RunSuite(ctx, p.suite, p.deps)
}

func (a *app) runSuite(ctx context.Context, p *prepared) error {
	result, err := a.runCells(ctx, p)
	a.result.RunID, a.result.Rows = p.suite.RunID, result.Files
	if err := a.afterRun(ctx, p, result, err); err != nil {
		return err
	}
	if err := a.tellFailures(result.Files); err != nil {
		return err
	}
	if p.flags.json {
		return nil
	}
	fmt.Fprintf(a.stdout, "%d rows of %s\n", len(result.Info.Cells), joinModes(p.suite.Modes))
	for _, file := range result.Files {
		fmt.Fprintf(a.stdout, "  %s\n", file)
	}
	if s := p.suite.Shard; s != nil {
		fmt.Fprintf(a.stdout, "This is shard %d of %d: give the ledgers of all shards to `bench report --gate --suite-jsonl FILE …`\n", s.Index, s.Count)
	}
	if p.provider.Describe().Simulated {
		fmt.Fprintln(a.stdout, simulatedNotice)
	}
	return nil
}

func joinModes(modes []bench.Mode) string {
	names := make([]string, 0, len(modes))
	for _, m := range modes {
		names = append(names, string(m))
	}
	return strings.Join(names, " and ")
}

// simulatedNotice is what every output of a scripted run says (rule G15).
const simulatedNotice = "Simulated: no model was involved; these rows say nothing about real agents."
