package benchcli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// execFlags are the flags of `bench sandbox exec`.
type execFlags struct {
	worldFlags
	troubleFlags
	allow   []string
	env     []string
	confine bool
	save    string
	json    bool
}

func (a *app) sandboxExecCommand() *cobra.Command {
	var f execFlags
	cmd := &cobra.Command{
		Use:   "exec [flags] -- COMMAND [ARGUMENT...]",
		Short: "Run a command in a GitHub of its own, and tell what it changed",
		Long: `exec runs any command so that GitHub's names lead it to a fresh sandbox, and
nothing else can be reached by the proxy. Its environment is that of an agent:
PATH, a home folder of its own, tokens of the sandbox, and what --env adds; none
of your credentials.

What it changed and asked for is told on standard error afterwards; with --json,
on standard output, and the command's own output goes to standard error. The
exit status is the command's.`,
		Example: `  bench sandbox exec -- gh issue create --repo aryeko/ghx-bench-fixtures --title Hello --body World
  bench sandbox exec --json -- ./my-agent.sh > changes.json
  bench sandbox exec --faults faults.json --env OPENAI_API_KEY --allow-host api.openai.com -- ./my-agent.sh
  bench sandbox exec --confine -- sh -c 'git clone https://github.com/aryeko/ghx-bench-fixtures'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.execInSandbox(cmd.Context(), f, args) },
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false)
	f.worldFlags.add(flags)
	f.addAs(flags)
	f.addClock(flags)
	f.troubleFlags.add(flags)
	flags.StringArrayVar(&f.allow, "allow-host", nil, "a further `HOST` that the command may reach, *.name for all below it; may be given several times")
	flags.StringArrayVar(&f.env, "env", nil, "hand on the variable `NAME`, or set it with NAME=VALUE; may be given several times")
	flags.BoolVar(&f.confine, "confine", false, "hold the command to the proxy from outside, in an empty folder, as well as this system can")
	flags.StringVar(&f.save, "save", "", "write the world to this `FILE` afterwards")
	flags.BoolVar(&f.json, "json", false, "print what it changed as JSON")
	return cmd
}

// execInSandbox runs a command in a world and tells what it did.
func (a *app) execInSandbox(ctx context.Context, f execFlags, words []string) error {
	program, err := exec.LookPath(words[0])
	if err != nil {
		return fault.Invalidf("command %q cannot be run: %w", words[0], err)
	}
	if program, err = filepath.Abs(program); err != nil {
		return fault.Infraf("find the command: %w", err)
	}
	w, err := a.openWorld(ctx, f.worldFlags, f.needsTime())
	if err != nil {
		return err
	}
	if err := f.apply(w.World); err != nil {
		return err
	}
	before := len(w.Changes())
	run := a.runPlainly
	if f.confine {
		run = a.runHeld
	}
	job := &execution{world: w, flags: f, program: program, args: words[1:], variables: a.handedOn(f.env), console: a.programs()}
	if f.json {
		job.console.out = job.console.err
	}
	if err := run(ctx, job); err != nil {
		return err
	}
	a.verdict = job.code
	if f.save != "" {
		if err := writeWorld(f.save, w.World); err != nil {
			return err
		}
	}
	told := newExecReport(w, before, job)
	if f.json {
		return writeJSON(a.programs().out, told)
	}
	told.print(a.stderr)
	return nil
}

// execution is a command that is run in a world.
type execution struct {
	world   *localWorld
	flags   execFlags
	program string
	args    []string
	// variables are those that the user hands on.
	variables []string
	console   console
	// code is the exit status, refused are the hosts that it was kept from.
	code    int
	refused []string
}

// handedOn are the variables that the user names, with their values here where
// he gives none.
func (a *app) handedOn(names []string) []string {
	var env []string
	for _, name := range names {
		if !strings.Contains(name, "=") {
			name += "=" + a.getenv(name)
		}
		env = append(env, name)
	}
	return env
}

// usual are the variables of the user's that every command has.
var usual = []string{"PATH", "TERM", "LANG", "LC_ALL", "TZ", "USER", "SHELL", "COLORTERM", "NO_COLOR"}

// usualVariables are those that are set.
func (a *app) usualVariables() []string {
	var env []string
	for _, name := range usual {
		if value := a.getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// atHome are the variables by which programs find a home folder.
func atHome(home, temp string) []string {
	return []string{
		"HOME=" + home, "TMPDIR=" + temp, "XDG_CONFIG_HOME=" + home + "/.config", "XDG_CACHE_HOME=" + home + "/.cache",
		"GIT_CONFIG_NOSYSTEM=1", "GH_PROMPT_DISABLED=1", "NODE_NO_WARNINGS=1",
	}
}

// runPlainly runs a command where the user is, with a home folder of its own.
func (a *app) runPlainly(ctx context.Context, job *execution) (err error) {
	door, err := a.openHome(ctx, job.world, job.flags.allow)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, door.close()) }()
	cmd := exec.CommandContext(ctx, job.program, job.args...) //nolint:gosec // it is the user's own command
	cmd.Env = job.environment(door.door, door.home, a.usualVariables())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = job.console.in, job.console.out, job.console.err
	cmd.Cancel = func() error { return a.passOn(ctx, cmd.Process) }
	cmd.WaitDelay = patience
	return job.ended(ctx, cmd.Run(), door.door)
}

// patience is how long a command may take to end when it is told to.
const patience = 5 * time.Second

// passOn tells a command that we are to end. What is typed at a terminal has
// reached it already.
func (a *app) passOn(ctx context.Context, command *os.Process) error {
	var by stopped
	if a.terminal && errors.As(context.Cause(ctx), &by) && by.signal == syscall.SIGINT {
		return nil
	}
	return command.Signal(syscall.SIGTERM)
}

// runHeld runs a command in a space that reaches nothing but the proxy.
func (a *app) runHeld(ctx context.Context, job *execution) (err error) {
	space, err := confine.Open(confine.Options{Name: "sandbox", Base: os.TempDir()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, space.Close()) }()
	listener, err := space.Listen()
	if err != nil {
		return err
	}
	door, err := a.openDoor(listener, job.world, job.flags.allow, space.Provide)
	if err != nil {
		return err
	}
	// The space closes the listener that the proxy serves on, so it goes first.
	defer func() { err = errors.Join(err, door.close()) }()
	fmt.Fprintf(a.stderr, "bench: the command is held: %s\n", space.Isolation())
	staged, err := space.Stage(job.program)
	if err != nil {
		return err
	}
	p, err := space.Start(ctx, confine.Command{
		Path: staged, Args: job.args, Env: job.environment(door, atHome(space.Home(), space.Temp()), a.usualVariables()),
		Stdin: job.console.in, Stdout: job.console.out, Stderr: job.console.err,
	})
	if err != nil {
		return err
	}
	return job.ended(ctx, p.Wait(), door)
}

// environment is the whole environment of the command; of two entries with a
// name the last one counts.
func (j *execution) environment(d *door, parts ...[]string) []string {
	var env []string
	for _, part := range append(parts, j.world.identity(), d.env, j.variables) {
		env = append(env, part...)
	}
	return env
}

// ended notes how a command ended, and what it was refused. Where a signal to
// us has ended it, that decides the exit status.
func (j *execution) ended(ctx context.Context, err error, d *door) error {
	j.refused = d.attempt.Usage().Refused
	var exit *exec.ExitError
	var by stopped
	switch {
	case errors.As(context.Cause(ctx), &by):
		j.code = exitSignal + int(by.signal)
		return nil
	case err == nil:
		return nil
	case !errors.As(err, &exit):
		return fault.Infraf("run the command: %w", err)
	}
	j.code = exit.ExitCode()
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		j.code = exitSignal + int(status.Signal())
	}
	return nil
}

// split divides a variable into its name and its value.
func split(variable string) (name, value string) {
	name, value, _ = strings.Cut(variable, "=")
	return name, value
}

// environment is a list of variables by their names.
func environment(variables []string) map[string]string {
	env := map[string]string{}
	for _, variable := range variables {
		name, value := split(variable)
		env[name] = value
	}
	return env
}

// writeJSON writes a value as JSON that a person can read.
func writeJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
