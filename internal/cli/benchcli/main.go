// Package benchcli is the command line of bench: flags, wiring and exit codes.
package benchcli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/cli/taskrun"
	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/redact"
)

// Exit codes (rule G16).
const (
	exitPass           = 0
	exitGateFailed     = 1
	exitInvalid        = 2
	exitInfrastructure = 3
	exitInconclusive   = 4
	// exitSignal is added to the number of the signal that stopped the
	// program.
	exitSignal = 128
)

// app is what commands need of the world.
type app struct {
	stdout, stderr io.Writer
	getenv         func(string) string
	now            func() time.Time
	random         func() string
	// terminal is true if progress can be drawn on stderr.
	terminal bool
	// colour is true if stdout shows colours.
	colour bool
	// columns is the width of stdout, barColumns that of stderr; 0 where they are
	// no terminal.
	columns, barColumns int
	secrets             *redact.Redactor
	// console is where programs of the user's run, and tokens of a sandbox are
	// told, which are worth nothing outside of it: nothing is redacted.
	console console
	// verdict is the exit code of a command that did not fail.
	verdict int
	// observe is told how a run goes, beside the user; nil if nobody wants to
	// know.
	observe func(runner.Event)
	// entered is told when a step begins; it may be nil.
	entered func(verify.Step)
	// shared and helps are as in [World].
	shared runner.Shared
	helps  bool
	// surfaced is told what changed between two versions of one tool; it may be nil.
	surfaced func(*bench.SurfaceChange)
	// taskDone is told of a task of the harness; it may be nil.
	taskDone func(harness.Progress)
	// keeper is that of [World].
	keeper *taskrun.Keeper
	// runID and rows are those of [World].
	runID string
	// aside, proposed and view are those of [World].
	aside, proposed bool
	view            *confine.View
	// historyRefused says that the user knows that the history is not read.
	historyRefused bool
	rows           []bench.Row
	// continues is that of [World].
	continues []ledger.Begun
	// result is what the command came to.
	result Result
}

// Main runs the command line and returns its exit code.
func Main() int {
	secrets := redact.New()
	stdout, stderr := secrets.Writer(os.Stdout), secrets.Writer(os.Stderr)
	a := &app{
		stdout: stdout, stderr: stderr, getenv: os.Getenv, now: time.Now, random: rand.Text,
		terminal: term.IsTerminal(int(os.Stderr.Fd())), columns: columnsOf(os.Stdout), barColumns: columnsOf(os.Stderr),
		colour: term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("NO_COLOR") == "", secrets: secrets,
		console: console{os.Stdin, os.Stdout, os.Stderr},
	}
	ctx, stop := stopOnSignal(context.Background())
	defer stop()
	if err := confine.HardenSelf(); err != nil {
		a.complain(err)
		return exitInfrastructure
	}
	code := a.run(ctx, os.Args[1:])
	if err := errors.Join(stdout.Close(), stderr.Close()); err != nil && code == exitPass {
		return exitInfrastructure
	}
	return code
}

// columnsOf returns the width of a terminal, 0 if the file is none.
func columnsOf(file *os.File) int {
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// textOptions are those of what is read on stdout.
func (a *app) textOptions() report.TextOptions {
	return report.TextOptions{Colour: a.colour, Columns: a.columns}
}

// stopped is the cause of a context that a signal ended.
type stopped struct{ signal syscall.Signal }

// Error names the signal.
func (s stopped) Error() string { return "stopped by " + s.signal.String() }

// stopOnSignal returns a context that ends on the first SIGINT or SIGTERM. A
// second one ends the process at once.
func stopOnSignal(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			number, _ := s.(syscall.Signal)
			cancel(stopped{number})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// run executes a command line and tells what went wrong.
func (a *app) run(ctx context.Context, args []string) int {
	code, err := a.execute(ctx, args)
	a.complain(err)
	return code
}

// execute executes a command line and returns the exit code.
func (a *app) execute(ctx context.Context, args []string) (int, error) {
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(ctx)
	var signalled stopped
	switch {
	case errors.As(context.Cause(ctx), &signalled):
		return exitSignal + int(signalled.signal), err
	case err == nil:
		return a.verdict, nil
	case fault.KindOf(err) == fault.Invalid:
		return exitInvalid, err
	case fault.KindOf(err) == fault.Tool:
		return exitGateFailed, err
	default:
		return exitInfrastructure, err
	}
}

func (a *app) complain(err error) {
	if err == nil {
		return
	}
	fmt.Fprintln(a.stderr, "bench: "+strings.TrimSpace(err.Error()))
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "bench",
		Short: "Tell whether a change to an agent's tooling makes agents better or worse",
		Long: `bench gives the same tasks to the same agent with different tools, several
times each, and judges the difference: reliability first, then efficiency.

Without an account, a model or a network, "bench verify" runs the whole
sequence with a scripted agent on a GitHub inside this process.`,
		Example: `  bench verify
  bench run ghx 4 --scenario-set ci-verify-pr
  bench report --gate --html report.html`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate("bench {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		a.verifyCommand(), a.planCommand(), a.runCommand(), a.reportCommand(), a.viewCommand(), a.compareCommand(), a.calibrateCommand(), a.scenariosCommand(), a.modesCommand(), a.surfaceCommand(), a.fixturesCommand(),
		a.explainCommand(), a.measureCommand(), a.doctorCommand(), a.initCommand(), a.harnessCommand(), a.sandboxCommand(), a.versionCommand(), ManualCommand(a.getenv),
	)
	usage(root)
	complete(root)
	wrapUsage(root, a.columns)
	return root
}
