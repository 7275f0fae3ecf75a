package benchcli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent/scripted"
	"github.com/ghx-dev/bench-action/internal/bench/audit"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// auditFlags are the flags of `bench scenarios audit`.
type auditFlags struct {
	dir, set, plans string
	modes, only     []string
	workers         int
	seed            uint64
	json, verbose   bool
}

// defaultAuditSeed is that of the variations that are audited: an audit that is
// repeated finds the same.
const defaultAuditSeed = 1

func (f *auditFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.dir, "scenarios", "", "read scenarios, and the mutants that pass rightly, from this `DIR` instead of the built-in ones")
	flags.StringVar(&f.set, "scenario-set", "", "audit this `SET` only")
	flags.StringVar(&f.plans, "script-plans", "", "read more right plays from this `DIR`")
	flags.StringSliceVar(&f.modes, "modes", nil, "make wrong agents out of the plays of these modes only")
	flags.StringSliceVar(&f.only, "only", nil, "make wrong agents of this `KIND` only: "+strings.Join(kindNames(), ", "))
	flags.IntVar(&f.workers, "concurrency", 0, "how many agents act at once (default: one per processor)")
	flags.Lookup("concurrency").DefValue = ""
	flags.Uint64Var(&f.seed, "variation-seed", defaultAuditSeed, "draw the variations of the fixtures from this `SEED`")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.BoolVar(&f.verbose, "verbose", false, "list every wrong agent, also those that fail as they should")
}

func kindNames() []string {
	var names []string
	for _, kind := range audit.Kinds() {
		names = append(names, string(kind))
	}
	return names
}

func (a *app) scenariosAuditCommand() *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use:   "audit [ID...]",
		Short: "Make wrong agents out of the right plays, and tell which of them pass",
		Long: `audit runs each right play of the scenarios (all without ID), on the sandbox, and
makes wrong agents out of it: one leaves a write out, does it twice, to another
object, with another value, by another method, does something else besides, or
does something and takes it back; one answers what is not true, without asking, or with what is right in another
variation of the fixtures. Each is judged as an agent of a run is.

It prints every wrong agent that passes, with what it changed and what would have
it fail. One that changes and answers the same as the right play is not wrong.
Agents that are wrong as a whole may never pass. Where one that is wrong in a
detail passes rightly, ` + audit.AcceptedFile + ` in the folder of the scenarios lists it by its
name, with the reason; a line of that list that is not true is told too.

Of a task that is not about GitHub an agent that does nothing is tried, and no other.

Exit codes: 0 no wrong agent passes, 1 one does, or a right play fails, 2 bad
input, 3 something around us failed.`,
		Example: `  bench scenarios audit
  bench scenarios audit pr-merge-001 --modes agent_direct --verbose
  bench scenarios audit --scenarios my-scenarios --script-plans my-plans
  bench scenarios audit --scenario-set ci-verify-pr --only extra-write,twice --json`,
		RunE: func(cmd *cobra.Command, ids []string) error { return a.audit(cmd, f, ids) },
	}
	f.add(cmd.Flags())
	return cmd
}

func (a *app) audit(cmd *cobra.Command, f auditFlags, ids []string) error {
	options, err := a.auditOptions(f, ids)
	if err != nil {
		return err
	}
	defer options.Deps.Target.Close()
	others := withoutPlays(&options)
	bar := a.auditBar(&options)
	report, err := audit.Run(cmd.Context(), options)
	if bar != nil {
		_ = bar.Finish()
	}
	if err == nil {
		err = a.auditIdle(cmd.Context(), f, others, &report)
	}
	if err != nil {
		return err
	}
	if len(report.Weak())+len(report.Problems) > 0 {
		a.verdict = exitGateFailed
	}
	if f.json {
		if !f.verbose {
			report.Mutants = slices.DeleteFunc(report.Mutants, func(m audit.Mutant) bool { return m.Result != audit.Passed })
		}
		return a.printJSON(report)
	}
	a.printAudit(report, f.verbose)
	return nil
}

// withoutPlays takes out the scenarios that are not about GitHub, which have no
// plans, and returns them.
func withoutPlays(o *audit.Options) (others []bench.Scenario) {
	about := func(s bench.Scenario) bool { return s.Target == nil }
	for _, s := range o.Scenarios {
		if !about(s) {
			others = append(others, s)
		}
	}
	o.Scenarios = slices.DeleteFunc(slices.Clone(o.Scenarios), func(s bench.Scenario) bool { return !about(s) })
	return others
}

// auditIdle tries an agent that does nothing on scenarios that are not about
// GitHub: no other wrong agent can be made there.
func (a *app) auditIdle(ctx context.Context, f auditFlags, scenarios []bench.Scenario, report *audit.Report) error {
	if len(scenarios) == 0 {
		return nil
	}
	fmt.Fprintf(a.stderr, "bench: %d scenarios are not about GitHub: of them an agent that does nothing is tried, and no other wrong one\n", len(scenarios))
	idle, err := exec.LookPath("true")
	if err != nil {
		return fault.Infraf("find a command that does nothing: %w", err)
	}
	agent := a.commandAgent([]string{idle})
	for _, s := range scenarios {
		t, err := a.openTrial(ctx, trialFlags{scenarios: f.dir, variationSeed: f.seed}, s.ID)
		if err != nil {
			return err
		}
		tried := t.once(ctx, agent, agent.reach(t.sandbox), bench.AgentDirect, 1)
		if err := errors.Join(context.Cause(ctx), t.close()); err != nil {
			return err
		}
		switch {
		case tried.Succeeded():
			report.Problems = append(report.Problems, audit.Problem{Scenario: s.ID, Text: "an agent that does nothing succeeds: have target.verify look for what is asked for"})
		case tried.Error.RunnerFailure():
			report.Problems = append(report.Problems, audit.Problem{Scenario: s.ID, Text: "an agent that does nothing cannot be judged: " + tried.Error.Message})
		}
	}
	return nil
}

// auditOptions says what the flags mean.
func (a *app) auditOptions(f auditFlags, ids []string) (o audit.Options, err error) {
	files, err := scenarioFiles(f.dir)
	if err != nil {
		return o, err
	}
	library, err := scenario.Load(files)
	if err != nil {
		return o, err
	}
	if o.Scenarios = library.All(); f.set != "" || len(ids) > 0 {
		if o.Scenarios, err = scenario.Select(library, f.set, ids); err != nil {
			return o, err
		}
	}
	if o.Accepted, err = audit.LoadAccepted(files); err != nil {
		return o, err
	}
	if len(f.modes) > 0 {
		if o.Modes, err = parseModes(toolset.Shipped(), f.modes); err != nil {
			return o, err
		}
	}
	for _, name := range f.only {
		kind := audit.Kind(strings.TrimSpace(name))
		if !slices.Contains(audit.Kinds(), kind) {
			return o, fault.Invalidf("--only %q is no kind of wrong agent: use some of %s", name, strings.Join(kindNames(), ", "))
		}
		o.Kinds = append(o.Kinds, kind)
	}
	if f.seed == 0 || f.seed > bench.MaxVariationSeed {
		return o, fault.Invalidf("--variation-seed is %d, want 1 to %d", f.seed, uint64(bench.MaxVariationSeed))
	}
	if o.Plays, err = rightPlays(f.plans); err != nil {
		return o, err
	}
	if o.Workers = f.workers; f.workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	o.Config = runner.Config{Variations: bench.Variations{Seed: f.seed}}
	sandbox := verify.VariedSandbox(fixture.Options{Repo: target.FixturesRepo, SeedID: fixture.DefaultSeedID, Now: a.now()})
	sandbox.FindWorlds(library.World, a.runWorldScript)
	o.Deps = runner.Deps{
		Now: a.now, Wait: wait, Target: sandbox,
		Reader: func(access target.Access) (checkpoint.Reader, error) {
			client, err := a.reader(access)
			return checkpoint.NewGitHubReader(client), err
		},
	}
	return o, nil
}

// rightPlays returns what finds the plays of a scenario: the shipped ones, with
// those of a folder before them, if one is named.
func rightPlays(dir string) (func(id string) []audit.Play, error) {
	options := scripted.Options{Pause: -1}
	if dir != "" {
		options.Plans = os.DirFS(dir)
	}
	provider, err := scripted.New(options)
	if err != nil {
		return nil, err
	}
	return func(id string) (plays []audit.Play) {
		for _, p := range provider.Plays(id) {
			plays = append(plays, audit.Play{Mode: p.Mode, Name: p.Alternative, Agent: provider.Playing(p.Alternative)})
		}
		return plays
	}, nil
}

// auditBar has progress drawn on a terminal; it is nil elsewhere.
func (a *app) auditBar(o *audit.Options) *progressbar.ProgressBar {
	if !a.terminal {
		return nil
	}
	const plays = 999 // it is not known yet how many there are
	width, _ := barWidth(a.barColumns, plays)
	bar := progressbar.NewOptions(-1,
		progressbar.OptionSetWriter(a.stderr), progressbar.OptionSetWidth(width), progressbar.OptionShowCount(), progressbar.OptionClearOnFinish())
	o.Observe = func(p audit.Progress) {
		bar.ChangeMax(p.Total)
		bar.Describe(fmt.Sprintf("%d wrong agents", p.Mutants))
		// The bar only draws; what it cannot draw is not missed.
		_ = bar.Set(p.Done)
	}
	return bar
}

func (a *app) printAudit(report audit.Report, verbose bool) {
	for _, m := range report.Mutants {
		switch {
		case m.Weak():
			fmt.Fprintf(a.stdout, "%s passes: %s; changes: %s; mend: %s\n", titleOf(m), m.Words, changesOf(m), m.Mend)
		case !verbose:
		case m.Result == audit.Passed:
			fmt.Fprintf(a.stdout, "%s passes rightly: %s\n", titleOf(m), m.Accepted)
		case m.Result == audit.Equal:
			fmt.Fprintf(a.stdout, "%s is not wrong: it changes and answers the same\n", titleOf(m))
		default:
			fmt.Fprintf(a.stdout, "%s fails: %s\n", titleOf(m), m.Why)
		}
	}
	for _, p := range report.Problems {
		fmt.Fprintln(a.stdout, p)
	}
	weak := len(report.Weak())
	fmt.Fprintf(a.stdout, "right plays: %d; wrong agents: %d (%d fail, %d are not wrong after all, %d pass rightly, %d pass and may not); problems: %d\n",
		report.Plays, len(report.Mutants), report.Count(audit.Failed), report.Count(audit.Equal), report.Count(audit.Passed)-weak, weak, len(report.Problems))
}

// titleOf names a mutant as the list of those that pass rightly does.
func titleOf(m audit.Mutant) string {
	play := string(m.Mode)
	if m.Play != "" {
		play += "/" + m.Play
	}
	return fmt.Sprintf("%s %s %q", m.Scenario, play, m.Name)
}

func changesOf(m audit.Mutant) string {
	var changes []string
	for _, c := range m.Changes {
		changes = append(changes, c.String())
	}
	if len(changes) == 0 {
		return "nothing"
	}
	return strings.Join(changes, ", ")
}
