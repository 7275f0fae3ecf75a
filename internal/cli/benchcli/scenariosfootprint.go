package benchcli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/footprint"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// defaultSamples is in how many variations a play is looked at: enough that a
// value which is the same by chance is rare.
const defaultSamples = 3

// footprintFlags are the flags of `bench scenarios footprint`.
type footprintFlags struct {
	trialFlags
	scriptFlags
	modes   []string
	samples int
	json    bool
}

func (a *app) scenariosFootprintCommand() *cobra.Command {
	var f footprintFlags
	cmd := &cobra.Command{
		Use:   "footprint ID [flags] [-- COMMAND [ARGUMENT...]]",
		Short: "Print what the right play of a scenario changes, as its footprint could allow it",
		Long: `footprint plays the right plays of a scenario on fresh sandboxes, in several
variations of the fixtures, and prints what they changed as JSON for the
scenario's "footprint". What comes from the input or the fixtures is written as a
reference, ids as *, and what varies otherwise as {"any": true}. Plays that
differ are joined.

It is a proposal: read it before you use it. What a footprint allows is never
judged, so a field that may be anything is a hole. Remarks are on standard error.

The plays are those of the scenario's plan, or a script: see bench scenarios try.`,
		Example: `  bench scenarios footprint pr-merge-001
  bench scenarios footprint --scenarios mine issue-tidy-wf --script tidy.sh`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.proposeFootprint(cmd, f, args)
		},
	}
	f.trialFlags.add(cmd.Flags())
	f.scriptFlags.add(cmd.Flags())
	cmd.Flags().StringArrayVar(&f.modes, "mode", nil, "look at the plays of this `MODE` alone; may be given several times (default: all that have one)")
	cmd.Flags().IntVar(&f.samples, "variations", defaultSamples, "look at each play in this many variations of the fixtures")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the remarks too, as JSON")
	return cmd
}

// rightPlay is a right way to do a scenario.
type rightPlay struct {
	name string
	mode bench.Mode
	// alternative is its name in the plan, empty for the usual play.
	alternative string
	agent       agent.Provider
	// at is where it is played.
	at target.Target
}

func (a *app) proposeFootprint(cmd *cobra.Command, f footprintFlags, args []string) (err error) {
	ctx := cmd.Context()
	if f.samples < 1 {
		return fault.Invalidf("--variations is %d, want 1 or more", f.samples)
	}
	command, err := f.command(cmd, args)
	if err != nil {
		return err
	}
	t, err := a.openTrial(ctx, f.trialFlags, args[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	plays, err := a.rightPlays(t, f.modes, command)
	if err != nil {
		return err
	}
	var played []footprint.Played
	for _, play := range plays {
		p, err := t.sampled(ctx, play, f.samples)
		if err != nil {
			return err
		}
		played = append(played, p)
	}
	return a.tellProposal(footprint.Propose(played), f.json)
}

// sampled plays a right play on so many variations of the fixtures.
func (t *trial) sampled(ctx context.Context, play rightPlay, samples int) (footprint.Played, error) {
	played := footprint.Played{Name: play.name}
	for n := 1; n <= samples; n++ {
		if err := t.ready(ctx, play.mode, n); err != nil {
			return played, err
		}
		tried := t.once(ctx, play.agent, play.at, play.mode, n)
		if ctx.Err() != nil {
			return played, context.Cause(ctx)
		}
		if !rightButForChanges(tried) {
			return played, fault.Invalidf("%s of %s does not pass on variation %d of seed %d, so what it changes is not what is right: %s (%s); see it with `bench scenarios try`",
				play.name, t.scenario.ID, n, t.variations.Seed, tried.Error.Message, tried.Error.Type)
		}
		played.Samples = append(played.Samples, footprint.Sample{Seen: tried.Seen, Agent: tried.Agent, References: tried.Scenario.References(tried.Manifest)})
	}
	return played, nil
}

// rightButForChanges reports whether an attempt did all that it should. Whether
// the scenario allows what it changed is not looked at: that is to be found out.
func rightButForChanges(tried runner.Tried) bool {
	if tried.Succeeded() {
		return true
	}
	return tried.Error.Type == bench.CheckpointFailed && !slices.ContainsFunc(tried.Checkpoints, func(c bench.CheckpointResult) bool {
		return !c.Passed && c.Kind != bench.CheckFootprint
	})
}

// rightPlays returns the plays that are looked at: the user's own command, or
// those of the scenario's plan.
func (a *app) rightPlays(t *trial, modes []string, command []string) ([]rightPlay, error) {
	if command != nil {
		mode := bench.AgentDirect
		if len(modes) > 0 {
			parsed, err := parseModes(toolset.Shipped(), modes[:1])
			if err != nil {
				return nil, err
			}
			mode = parsed[0]
		}
		by := a.commandAgent(command)
		return []rightPlay{{name: "the script", mode: mode, agent: by, at: by.reach(t.sandbox)}}, nil
	}
	chosen := bench.Modes()
	if len(modes) > 0 {
		parsed, err := parseModes(toolset.Shipped(), modes)
		if err != nil {
			return nil, err
		}
		chosen = parsed
	}
	var plays []rightPlay
	for _, play := range t.scripted.Plays(t.scenario.ID) {
		name := string(play.Mode)
		if play.Alternative != "" {
			name = fmt.Sprintf("%s (%s)", play.Alternative, play.Mode)
		}
		if slices.Contains(chosen, play.Mode) {
			plays = append(plays, rightPlay{name: name, mode: play.Mode, alternative: play.Alternative, agent: t.scripted.Playing(play.Alternative), at: t.sandbox})
		}
	}
	if len(plays) == 0 {
		return nil, fault.Invalidf("no plan plays scenario %s in the modes %s: give a script of gh commands with --script FILE, or plans with --script-plans DIR",
			t.scenario.ID, joinModes(chosen))
	}
	return plays, nil
}

func (a *app) tellProposal(p footprint.Proposal, asJSON bool) error {
	if asJSON {
		return a.printJSON(p)
	}
	for _, text := range p.LeftOut {
		fmt.Fprintf(a.stderr, "# left out: %s\n", oneLine(text))
	}
	for _, text := range p.Notes {
		fmt.Fprintf(a.stderr, "# look: %s\n", oneLine(text))
	}
	if len(p.Footprint) == 0 {
		fmt.Fprintln(a.stderr, "# nothing is changed: leave \"footprint\" out")
	}
	return writeJSON(a.stdout, p.Footprint)
}
