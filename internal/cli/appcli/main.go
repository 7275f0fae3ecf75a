// Package appcli wires the server of the GitHub App: settings, logs, signals
// and exit codes.
package appcli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/redact"
)

// Exit codes.
const (
	exitFine           = 0
	exitInvalid        = 2
	exitInfrastructure = 3
)

// program is what commands need of the world.
type program struct {
	stdout, stderr io.Writer
	getenv         func(string) string
	environ        func() []string
	now            func() time.Time
	random         func() string
	hostname       func() (string, error)
	secrets        *redact.Redactor
	// gitHub sends requests to GitHub.
	gitHub http.RoundTripper
}

// Main runs the command line and returns its exit code.
func Main() int {
	secrets := redact.New()
	stdout, stderr := secrets.Writer(os.Stdout), secrets.Writer(os.Stderr)
	p := &program{
		stdout: stdout, stderr: stderr, getenv: os.Getenv, environ: os.Environ, now: time.Now, random: rand.Text, hostname: os.Hostname, secrets: secrets,
		gitHub: github.NewTransport(),
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	code := exitInfrastructure
	if err := confine.HardenSelf(); err != nil {
		p.complain(err)
	} else if len(os.Args) > 1 && os.Args[1] == gateCommand {
		code = runGate(os.Args[2:])
	} else {
		code = p.run(ctx, os.Args[1:])
	}
	if err := errors.Join(stdout.Close(), stderr.Close()); err != nil && code == exitFine {
		return exitInfrastructure
	}
	return code
}

// run executes a command line and tells what went wrong.
func (p *program) run(ctx context.Context, args []string) int {
	root := p.rootCommand()
	root.SetArgs(args)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	err := root.ExecuteContext(ctx)
	p.complain(err)
	switch {
	case err == nil:
		return exitFine
	case fault.KindOf(err) == fault.Invalid:
		return exitInvalid
	default:
		return exitInfrastructure
	}
}

func (p *program) complain(err error) {
	if err != nil {
		fmt.Fprintln(p.stderr, "bench-app: "+strings.TrimSpace(err.Error()))
	}
}

func (p *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "bench-app",
		Short: "Run the GitHub App that benchmarks pull requests",
		Long: `bench-app receives GitHub's webhooks, stores each before it answers, and works
on what they start. It needs no other service: without DATABASE_URL its data is
in a SQLite file.`,
		Example: `  bench-app serve
  DATABASE_URL=postgres://bench:secret@db/bench bench-app serve
  bench-app check --config bench-app.yml`,
		Version:      version(),
		SilenceUsage: true, SilenceErrors: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fault.Invalidf("unknown command %q; see `bench-app --help`", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fault.Invalidf("%w; see `%s --help`", err, cmd.CommandPath())
	})
	root.AddCommand(p.serveCommand(), p.checkCommand(), p.versionCommand(), benchcli.ManualCommand(p.getenv))
	return root
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Show the version", Example: "  bench-app version", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), version())
			return err
		},
	}
}

// noArguments refuses arguments.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fault.Invalidf("%q is one argument too many; see `%s --help`", args[0], cmd.CommandPath())
	}
	return nil
}

// release is set by the build of a release.
var release string

// version returns what this program was built of.
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "development"
}
