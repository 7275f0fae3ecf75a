package benchcli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/station"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/toolset"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func (a *app) modesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "modes",
		Short: "Show what agents may have, and check files that give them something else",
		Long: `A mode is what an agent has: programs on its PATH, MCP servers, instructions. The
modes agent_direct, mcp, ghx and ghx@base are shipped. A file describes another
one, and --mode-file has run, verify, plan and doctor know it.`,
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(a.modesListCommand(), a.modesShowCommand(), a.modesCheckCommand())
	return cmd
}

func (a *app) modesListCommand() *cobra.Command {
	var f agentFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the modes that there are",
		Example: `  bench modes list
  bench modes list --mode-file mytool.yml`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			library, err := toolset.LoadLibrary(f.modeFiles)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(library.Modes())
			}
			table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for _, m := range library.Modes() {
				fmt.Fprintf(table, "%s\t%s\n", m.Name, m.Description)
			}
			return table.Flush()
		},
	}
	f.addModeFiles(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) modesShowCommand() *cobra.Command {
	var f agentFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show MODE",
		Short: "Show what an agent has in a mode",
		Example: `  bench modes show ghx
  bench modes show mytool --mode-file mytool.yml --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			library, err := toolset.LoadLibrary(f.modeFiles)
			if err != nil {
				return err
			}
			m, err := library.Mode(bench.Mode(args[0]))
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(m)
			}
			return a.showMode(library, m)
		},
	}
	f.addModeFiles(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) showMode(library *toolset.Library, m *toolset.ModeFile) error {
	setup := library.Setups()[m.Name]
	servers := []string{}
	for name, server := range m.MCP {
		servers = append(servers, name+" ("+firstOf(server.URL, strings.Join(server.Command, " "))+")")
	}
	slices.Sort(servers)
	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	for _, line := range [][2]string{
		{"mode", string(m.Name)}, {"description", m.Description}, {"of", m.Of},
		{"shell", map[bool]string{true: "yes", false: "no"}[m.Shell]},
		{"commands", strings.Join(setup.Commands, ", ")}, {"MCP servers", strings.Join(servers, ", ")},
		{"absent", strings.Join(m.Absent, ", ")}, {"preflight", m.Preflight}, {"canary", m.Canary}, {"capabilities", strings.Join(m.Capabilities, ", ")},
	} {
		if line[1] != "" {
			fmt.Fprintf(table, "%s\t%s\n", line[0], line[1])
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "\nThe agent is told:\n\n%s\n", setup.Instructions)
	return nil
}

func (a *app) modesCheckCommand() *cobra.Command {
	var f agentFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check [FILE …]",
		Short: "Find out whether modes can run on this machine",
		Long: `check reads mode files, looks for the programs that they name, and starts them
where an agent would, on a sandbox: it asks their versions, has MCP servers list
their tools, and runs preflight and canaries. Without files it checks the shipped
modes. The exit code is 2 if a file is wrong, 1 if something does not work.`,
		Example: `  bench modes check mytool.yml
  bench modes check --ghx-command ./packages/core/bin/ghx`,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.modeFiles = append(f.modeFiles, args...)
			return a.checkModes(cmd.Context(), f, asJSON)
		},
	}
	f.addPrograms(cmd.Flags())
	f.addModeFiles(cmd.Flags())
	cmd.Flags().StringArrayVar(&f.allowHosts, "allow-host", nil, "a further `HOST` that agents may reach; may be given several times")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) checkModes(ctx context.Context, f agentFlags, asJSON bool) (err error) {
	library, err := toolset.LoadLibrary(f.modeFiles)
	if err != nil {
		return err
	}
	f.tools.Library, f.tools.AllowHosts = library, f.allowHosts
	tools := toolset.Find(f.tools)
	found := []diagnosis{}
	if err := a.onSandbox(ctx, tools, f.allowHosts, func(stations *station.Stations, place *target.Place) error {
		for _, m := range library.Modes() {
			if m.Shipped() == (len(f.modeFiles) > 0) || m.Name == bench.GHXBase && f.tools.GHXBase == "" {
				continue
			}
			found = append(found, a.tryMode(ctx, tools, stations, place, m)...)
		}
		return ctx.Err()
	}); err != nil {
		return err
	}
	if slices.ContainsFunc(found, func(d diagnosis) bool { return !d.OK }) {
		a.verdict = exitGateFailed
	}
	if asJSON {
		return a.printJSON(found)
	}
	for _, d := range found {
		fmt.Fprintln(a.stdout, map[bool]string{true: "ok  ", false: "FAIL"}[d.OK], d.Name+":", d.Detail)
		if d.Mend != "" && !d.OK {
			fmt.Fprintln(a.stdout, "     mend:", d.Mend)
		}
	}
	return nil
}

// tryMode says what a mode has, or what of it does not work.
func (a *app) tryMode(ctx context.Context, tools *toolset.Set, stations *station.Stations, place *target.Place, m *toolset.ModeFile) []diagnosis {
	found := diagnoseMode(ctx, tools, stations, m.Name)
	if slices.ContainsFunc(found, func(d diagnosis) bool { return !d.OK }) {
		return found
	}
	err := stations.TryServers(ctx, []bench.Mode{m.Name})
	if err == nil {
		_, err = stations.Preflight(ctx, place, []bench.Mode{m.Name}, nil)
	}
	if err != nil {
		return []diagnosis{{Name: "mode " + string(m.Name), Detail: strings.TrimPrefix(err.Error(), fmt.Sprintf("mode %s: ", m.Name))}}
	}
	if !m.Shipped() && !m.Instructs() {
		found[0].Detail += " (the agent is told nothing of what it has: say it with instructions)"
	}
	return found
}

// checkModeFiles refuses modes of files that lack what their files name, where no
// agent needs it.
func (p *prepared) checkModeFiles() error {
	own := slices.DeleteFunc(slices.Clone(p.suite.Modes), bench.Mode.Shipped)
	if len(own) == 0 {
		return nil
	}
	tools := p.flags.agent.tools
	tools.Library, tools.AllowHosts = p.modes, p.flags.agent.allowHosts
	return toolset.Find(tools).Check(own)
}

// modeFacts tells of the suite's modes that are not a part of this program: their
// files, and what their tools are of. Nil if there are none.
func (a *app) modeFacts(ctx context.Context, p *prepared) (map[bench.Mode]bench.ModeFact, error) {
	var facts map[bench.Mode]bench.ModeFact
	for _, name := range p.suite.Modes {
		m, err := p.modes.Mode(name)
		if err != nil {
			return nil, err
		}
		if m.Shipped() {
			continue
		}
		if facts == nil {
			facts = map[bench.Mode]bench.ModeFact{}
		}
		fact := bench.ModeFact{Hash: m.Hash()}
		switch {
		case m.Of == toolset.OfHead:
			fact.Git = p.suite.Git
		case m.Of == toolset.OfBase:
			fact.Git = bench.GitRef{Repo: p.suite.Git.Repo, Commit: p.suite.BaseCommit, Tree: p.suite.BaseTree}
		case m.Checkout() != "":
			if fact.Git, err = a.checkoutRef(ctx, name, m.Checkout(), p.flags.outputs()...); err != nil {
				return nil, fault.Invalidf("mode %s: %s: %w", name, m.Of, err)
			}
		case m.Of == "":
			fmt.Fprintf(a.stderr, "bench: rows of mode %s tell no commit: say in its file what it is of, such as \"of: head\", or \"of: installed\" for none\n", name)
		}
		if fact.Git.Commit == nil && fact.Git.Tree == nil && p.tools != nil {
			fact.Git.Tree = a.contentOf(p, name)
		}
		facts[name] = fact
	}
	return facts, nil
}

// checkoutRef returns the commit that is checked out in a folder with a mode's
// tool, and the hash of its content. The user is told if that is not the commit's.
func (a *app) checkoutRef(ctx context.Context, mode bench.Mode, folder string, except ...string) (bench.GitRef, error) {
	w, err := openWorktree(ctx, folder)
	if err != nil {
		return bench.GitRef{}, err
	}
	head, err := w.commit(ctx, "HEAD")
	if err != nil {
		return bench.GitRef{}, err
	}
	tree, err := w.contentHash(ctx, except...)
	if err == nil && tree != head.tree {
		fmt.Fprintf(a.stderr, "bench: the tool of mode %s is commit %s with changes that are not committed: its rows tell the commit, and the hash of the content as it is\n", mode, head.sha)
	}
	return bench.GitRef{Commit: &head.sha, Tree: orNil(tree)}, err
}

// ownCommit says what the tool that is measured is of, where nobody has said it:
// the checkout that its program is in, which is none where it is installed. Where
// that is not known, rows tell none, and the user is told; what the program is, is
// told by its content then, as far as that is known.
func (a *app) ownCommit(ctx context.Context, p *prepared, tools *toolset.Set) {
	p.tools = tools
	if slices.Contains(p.suite.Modes, bench.GHXBase) && p.suite.BaseCommit == nil {
		if p.suite.BaseTree = orNil(p.flags.baseTree); p.suite.BaseTree == nil {
			p.suite.BaseTree = a.contentOf(p, bench.GHXBase)
		}
	}
	if p.flags.gitCommit != "" || a.getenv("BENCH_GIT_COMMIT") != "" || a.getenv("GITHUB_SHA") != "" {
		return
	}
	p.suite.Git.Commit, p.suite.Git.Tree = nil, orNil(p.flags.gitTree)
	var own []bench.Mode
	for _, mode := range p.suite.Modes {
		m := tools.File(mode)
		if !mode.OwnCommit() || m.Of != toolset.OfHead {
			continue
		}
		own = append(own, mode)
		why := "its program is installed"
		if file := tools.Made(mode); file != "" {
			ref, err := a.checkoutRef(ctx, mode, filepath.Dir(file), p.flags.outputs()...)
			if err == nil {
				p.suite.Git.Commit, p.suite.Git.Tree = ref.Commit, ref.Tree
				return
			}
			why = fmt.Sprintf("of which commit %s is cannot be told: %v", file, err)
		}
		fmt.Fprintf(a.stderr, "bench: rows of mode %s tell no commit: %s; say which it is with --git-commit\n", mode, why)
	}
	if len(own) > 0 && p.suite.Git.Tree == nil {
		p.suite.Git.Tree = a.contentOf(p, own...)
	}
}

// contentOf returns the hash of what modes' programs are, nil where that cannot be
// told.
func (a *app) contentOf(p *prepared, modes ...bench.Mode) *string {
	content, err := p.tools.Content(p.flags.outputs(), modes...)
	if err != nil {
		fmt.Fprintf(a.stderr, "bench: what the tool of mode %s is cannot be told: %v\n", modes[0], err)
	}
	return orNil(content)
}
