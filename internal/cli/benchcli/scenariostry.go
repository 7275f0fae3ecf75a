package benchcli

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// tryFlags are the flags of `bench scenarios try`.
type tryFlags struct {
	trialFlags
	scriptFlags
	mode      string
	play      string
	variation int
	json      bool
}

func (a *app) scenariosTryCommand() *cobra.Command {
	var f tryFlags
	cmd := &cobra.Command{
		Use:   "try ID [flags] [-- COMMAND [ARGUMENT...]]",
		Short: "Run a scenario once against a play or a script, and show what was judged and why",
		Long: `try runs a scenario once on a fresh sandbox and shows what was asked, what was
answered and changed, and what was judged by what.

The agent is a play of the scenario's plan, or a shell script, or any command. A
script is where you are, with a home folder of its own; GitHub's names lead it to
the sandbox as they lead agents, so gh, git and curl work as they are. It has the
prompt in BENCH_PROMPT, the input as JSON in BENCH_INPUT, and each field of it by
itself: prNumber is INPUT_PR_NUMBER. What it prints on standard output is the
answer: for an atomic scenario one envelope, {"ok": …, "data": …, "error": …,
"meta": …}.

Exit codes: 0 it succeeded, 1 it failed, 2 bad input.`,
		Example: `  bench scenarios try pr-merge-001 --mode ghx
  bench scenarios try --scenarios mine issue-tidy-wf --script tidy.sh
  bench scenarios try issue-close-001 -- true`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.tryScenario(cmd, f, args) },
	}
	flags := cmd.Flags()
	f.trialFlags.add(flags)
	f.scriptFlags.add(flags)
	flags.StringVar(&f.mode, "mode", "", "be an agent of this `MODE` (default "+string(bench.AgentDirect)+", or the play's)")
	flags.StringVar(&f.play, "play", "", "play the alternative of this `NAME` in the scenario's plan")
	flags.IntVar(&f.variation, "variation", 1, "have variation `N` of the fixtures")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

func (a *app) tryScenario(cmd *cobra.Command, f tryFlags, args []string) (err error) {
	ctx := cmd.Context()
	command, err := f.command(cmd, args)
	switch {
	case err != nil:
		return err
	case f.variation < 0:
		return fault.Invalidf("--variation is %d, want 0 or more", f.variation)
	case command != nil && f.play != "":
		return fault.Invalidf("--play and a script are both given: give one of them")
	}
	t, err := a.openTrial(ctx, f.trialFlags, args[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	play, err := a.chosenPlay(t, f, command)
	if err != nil {
		return err
	}
	if err := t.ready(ctx, play.mode, f.variation); err != nil {
		return err
	}
	tried := t.once(ctx, play.agent, play.at, play.mode, f.variation)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !tried.Succeeded() {
		a.verdict = exitGateFailed
	}
	told := newTryReport(t, play, f.variation, tried)
	if f.json {
		return a.printJSON(told)
	}
	return told.print(a.stdout)
}

// chosenPlay returns the play that the flags name: a command of the user's, an
// alternative, or a mode's usual play.
func (a *app) chosenPlay(t *trial, f tryFlags, command []string) (rightPlay, error) {
	var modes []string
	if f.mode != "" || f.play == "" {
		modes = []string{modeOr(f.mode, bench.AgentDirect)}
	}
	plays, err := a.rightPlays(t, modes, command)
	if err != nil {
		return rightPlay{}, err
	}
	at := slices.IndexFunc(plays, func(p rightPlay) bool { return p.alternative == f.play })
	if at < 0 {
		var names []string
		for _, p := range plays {
			if p.alternative != "" {
				names = append(names, p.alternative)
			}
		}
		if len(names) == 0 {
			return rightPlay{}, fault.Invalidf("the plan of %s has no alternatives there, so --play %s is none of them", t.scenario.ID, f.play)
		}
		return rightPlay{}, fault.Invalidf("the plan of %s has no play %q there%s: it has %s", t.scenario.ID, f.play, jsondoc.DidYouMean(f.play, names), strings.Join(names, ", "))
	}
	return plays[at], nil
}

func modeOr(name string, mode bench.Mode) string {
	if name == "" {
		return string(mode)
	}
	return name
}
