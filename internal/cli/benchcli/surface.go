package benchcli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/station"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/markdown"
)

// surfaceFlags are those of bench surface.
type surfaceFlags struct {
	verifyFlags
	json bool
}

func (a *app) surfaceCommand() *cobra.Command {
	var f surfaceFlags
	cmd := &cobra.Command{
		Use:   "surface [MODE [MODE]]",
		Short: "Show what a tool shows agents, or what changed between two, without a model",
		Long: `surface starts a mode's tools where an agent would work, and shows what an agent
sees of them: names, parameters and descriptions of MCP tools, of capabilities and
of commands, instructions and skill texts, the tokens that these take in every
prompt, and how large the answers to fixed calls on the sandbox are. No model is
asked and nothing is spent.

Of two modes it says what changed from the first to the second; without any, from
ghx@base to ghx. With --base REF both are built first, as bench verify does.

Tokens are counted in the vocabulary ` + toolset.Tokenizer + ` of OpenAI's models; those of
others differ.`,
		Example: `  bench surface ghx
  bench surface --base main
  bench surface --ghx-command ./packages/core/bin/ghx --base-ghx ../base/packages/core/bin/ghx
  bench surface prtool@v1 prtool@v2 --mode-file v1.yml --mode-file v2.yml
  bench surface mcp fewtools --mode-file fewtools.yml --json`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return a.surface(cmd, &f, args) },
	}
	flags := cmd.Flags()
	tools := &f.suite.agent.tools
	flags.StringVar(&tools.GH, "gh-command", "", "the `COMMAND` that agents have as gh (default: gh on PATH)")
	f.suite.agent.addGHX(flags)
	f.suite.agent.addModeFiles(flags)
	flags.StringArrayVar(&f.suite.agent.allowHosts, "allow-host", nil, "a further `HOST` that agents may reach; may be given several times")
	flags.StringVar(&f.base.ref, "base", "", "build ghx and that of this `REF`, a commit, branch or tag, and compare them")
	flags.StringVar(&f.base.buildCommand, "build-command", ghxbuild.Auto, "how ghx is built with --base: auto builds a ghx workspace, none builds nothing, any other `COMMAND` is run by sh")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

func (a *app) surface(cmd *cobra.Command, f *surfaceFlags, args []string) error {
	modes := []bench.Mode{bench.GHXBase, bench.GHX}
	switch {
	case f.base.ref != "" && len(args) > 0:
		return fault.Invalidf("--base compares ghx@base with ghx: leave out %s", strings.Join(args, " and "))
	case f.base.ref == "" && cmd.Flags().Changed("build-command"):
		return fault.Invalidf("--build-command is given without --base: name the commit to compare with, for example --base main")
	case f.base.ref != "":
		repo, base, err := openBase(cmd.Context(), f.base.ref)
		if err != nil {
			return err
		}
		remove, err := a.buildTools(cmd.Context(), &f.verifyFlags, repo, base)
		defer remove()
		if err != nil {
			return err
		}
	}
	agent := &f.suite.agent
	library, err := toolset.LoadLibrary(agent.modeFiles)
	if err != nil {
		return err
	}
	if len(args) > 0 {
		if modes, err = parseModes(library, args); err != nil {
			return err
		}
	}
	agent.tools.Library, agent.tools.AllowHosts = library, agent.allowHosts
	tools := toolset.Find(agent.tools)
	if err := tools.Check(modes); err != nil {
		return err
	}
	seen, err := a.lookAt(cmd.Context(), tools, agent.allowHosts, modes)
	switch {
	case err != nil:
		return err
	case len(seen) == 1 && f.json:
		return a.printJSON(seen[0])
	case len(seen) == 1:
		return a.showSurface(seen[0])
	}
	change := toolset.Diff(seen[0], seen[1])
	if f.json {
		return a.printJSON(map[string]any{"change": change, "baseline": seen[0], "candidate": seen[1]})
	}
	_, err = fmt.Fprint(a.stdout, surfaceText(change))
	return err
}

// lookAt returns the surfaces of modes.
func (a *app) lookAt(ctx context.Context, tools *toolset.Set, allow []string, modes []bench.Mode) (seen []toolset.Surface, err error) {
	err = a.onSandbox(ctx, tools, allow, func(stations *station.Stations, place *target.Place) error {
		seen, err = stations.Surfaces(ctx, place, modes)
		return err
	})
	return seen, err
}

// onSandbox has f work with stations on a sandbox of their own.
func (a *app) onSandbox(ctx context.Context, tools *toolset.Set, allow []string, f func(*station.Stations, *target.Place) error) error {
	stations, err := station.New(station.Options{Tools: tools, Allow: allow, Now: a.now, Token: target.NewToken(), Login: target.Agent, Repo: target.FixturesRepo})
	if err != nil {
		return err
	}
	return errors.Join(a.withSandbox(ctx, stations, func(place *target.Place) error { return f(stations, place) }), stations.Close())
}

// withSandbox has f work at a place in a sandbox that stations reach.
func (a *app) withSandbox(ctx context.Context, stations *station.Stations, f func(*target.Place) error) (err error) {
	sandbox, err := verify.SeededSandbox(ctx, fixture.Options{
		Repo: target.FixturesRepo, SeedID: fixture.DefaultSeedID, RunID: "surface", Resources: toolset.Resources(), Now: a.now(),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sandbox.Close()) }()
	place, err := stations.Target(sandbox).Prepare(ctx, target.Needs{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, place.Close()) }()
	return f(place)
}

// compareSurfaces tells what changed between the suite's two versions of one tool,
// if it has two, before anything is spent. That it cannot be told is no reason not
// to run.
func (a *app) compareSurfaces(ctx context.Context, p *prepared, stations *station.Stations) error {
	pair := bench.VersionsOf(p.suite.Modes)
	if pair == nil || p.resumed || a.helps || p.suite.Shard != nil && p.suite.Shard.Index > 1 {
		return nil
	}
	var seen []toolset.Surface
	err := a.withSandbox(ctx, stations, func(place *target.Place) (err error) {
		seen, err = stations.Surfaces(ctx, place, pair)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		fmt.Fprintf(a.stderr, "bench: what changed for agents cannot be told: %v\n", err)
		return nil
	}
	p.suite.Surface = toolset.Diff(seen[0], seen[1])
	fmt.Fprint(a.stderr, surfaceText(p.suite.Surface))
	if a.surfaced != nil {
		a.surfaced(p.suite.Surface)
	}
	return nil
}

// maxSaid is how many characters of a text that is not ours are shown.
const maxSaid = 200

// said writes a text that is not ours.
func said(text string) string { return "`" + markdown.Log(text, maxSaid) + "`" }

// surfaceText says a change for people.
func surfaceText(c *bench.SurfaceChange) string {
	var text strings.Builder
	fmt.Fprintf(&text, "What agents see of %s, against %s (no model was asked):\n", c.Candidate, c.Baseline)
	for _, sentence := range c.Sentences(said) {
		fmt.Fprintf(&text, "  %s\n", sentence)
	}
	for _, note := range c.Notes {
		fmt.Fprintf(&text, "  not compared: %s\n", markdown.Log(note, maxSaid))
	}
	return text.String()
}

// showSurface prints a surface as tables.
func (a *app) showSurface(s toolset.Surface) error {
	fmt.Fprintf(a.stdout, "Every prompt of mode %s has %s tokens of its tools (%s):\n", s.Mode, bench.CountText(float64(s.PromptTokens)), toolset.Tokenizer)
	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, t := range s.Texts {
		fmt.Fprintf(table, "  %s\t%s tokens\n", markdown.Log(t.Name, maxSaid), bench.CountText(float64(t.Tokens)))
	}
	for _, i := range s.Items {
		cost := "when asked for"
		if i.Tokens > 0 {
			cost = bench.CountText(float64(i.Tokens)) + " tokens"
		}
		fmt.Fprintf(table, "  %s %s\t%s\t%s\n", i.Kind, markdown.Log(i.Name, maxSaid), cost, parameterList(i))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if len(s.Answers) > 0 {
		fmt.Fprintln(a.stdout, "\nAnswers to fixed calls on the sandbox:")
	}
	for _, answer := range s.Answers {
		failed := map[bool]string{true: "  (failed)"}[answer.Failed]
		fmt.Fprintf(table, "  %s\t%s bytes%s\n", markdown.Log(answer.Call, maxSaid), bench.CountText(float64(answer.Bytes)), failed)
	}
	for _, note := range s.Notes {
		fmt.Fprintf(table, "  not seen: %s\n", markdown.Log(note, maxSaid))
	}
	return table.Flush()
}

// parameterList lists an item's parameters, those that must be there first.
func parameterList(i toolset.Item) string {
	var required, optional []string
	for _, p := range i.Parameters {
		name := markdown.Log(p.Name, maxSaid)
		if p.Required {
			required = append(required, name)
		} else {
			optional = append(optional, "["+name+"]")
		}
	}
	return strings.Join(append(required, optional...), " ")
}
