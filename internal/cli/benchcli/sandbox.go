package benchcli

import (
	"io"

	"github.com/spf13/cobra"
)

// console is the terminal, or what stands for it, as programs have it that the
// user runs.
type console struct {
	in       io.Reader
	out, err io.Writer
}

// programs is the console, or what the app writes to where there is none.
func (a *app) programs() console {
	if a.console.out == nil {
		return console{out: a.stdout, err: a.stderr}
	}
	return a.console
}

func (a *app) sandboxCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sandbox",
		Short: "A GitHub of your own on this machine, for agents and tests",
		Long: `sandbox has a GitHub inside this process that gh, ghx, git, octokit and GitHub's
MCP server cannot tell from the real one: REST, GraphQL, git, checks, Actions,
projects, webhooks. Nothing leaves this machine.`,
		Example: `  bench sandbox serve --proxy
  bench sandbox exec -- gh pr list --repo aryeko/ghx-bench-fixtures
  bench sandbox save world.sandbox`,
	}
	cmd.AddCommand(a.sandboxServeCommand(), a.sandboxExecCommand(), a.sandboxSaveCommand(), a.sandboxLoadCommand(), a.sandboxImportCommand())
	return cmd
}
