package target

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/platform"
)

const (
	// maxOutput is how much of what a command prints is read, in bytes.
	maxOutput = 4 << 20
	// maxWords is how much of it an error or a reason has.
	maxWords = 500
	// outputDelay is how long output is awaited after a command's end, where
	// something that it left behind holds it open.
	outputDelay = time.Second
)

// exit is how a command ended, by itself.
type exit struct {
	// status is its exit status, output what it printed on standard output, and
	// said the end of that, unless it is JSON, and of its errors.
	status int
	output []byte
	said   string
}

// run runs one of the task's commands in a folder, within the time that the task
// gives it, and ends what that leaves running. An error says that it did not end
// by itself; it begins with the command's name.
func (p *place) run(ctx context.Context, name, text, folder string, input io.Reader, variables ...string) (exit, error) {
	limit := p.task.Commands.Timeout()
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it takes longer than %s", limit))
	defer cancel()
	out, errs := &limited{}, &limited{}
	cmd := exec.CommandContext(ctx, shell, "-eu", "-c", text, name) //nolint:gosec // it is the user's own command
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = folder, input, outputDelay
	cmd.Env = append(append(append([]string{}, p.target.options.Env...), p.variables()...), variables...)
	cmd.Stdout, cmd.Stderr = out, errs
	cmd.SysProcAttr = platform.GroupLeader(nil)
	cmd.Cancel = func() error { return endGroup(cmd.Process.Pid) }
	if err := cmd.Start(); err != nil {
		return exit{}, fault.Infraf("%s: %w", name, err)
	}
	err := cmd.Wait()
	// What it has started outlives nothing.
	_ = endGroup(cmd.Process.Pid)
	ended := exit{status: cmd.ProcessState.ExitCode(), output: out.kept.Bytes(), said: lastWords(errs.kept.Bytes())}
	if !isObject(ended.output) {
		ended.said = strings.TrimSpace(lastWords(ended.output) + " " + ended.said)
	}
	switch {
	case cmd.ProcessState.Exited():
		// It may have left something behind that held its output open.
	case ctx.Err() != nil:
		return exit{}, fault.Infraf("%s: %w: %s", name, context.Cause(ctx), ended.said)
	default:
		return exit{}, fault.Infraf("%s: %w: %s", name, err, ended.said)
	}
	if out.beyond {
		return exit{}, fault.Infraf("%s: it prints more than %d MiB", name, maxOutput>>20)
	}
	return ended, nil
}

// shell runs commands, as it runs the scripts of worlds.
const shell = "/bin/sh"

// endGroup ends a process group; one that is gone is what is wanted.
func endGroup(id int) error {
	if err := platform.SignalGroup(id, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// lastWords is the end of what a command printed, in one line.
func lastWords(said []byte) string {
	text := strings.ToValidUTF8(string(said[max(0, len(said)-maxWords):]), "")
	return strings.Join(strings.Fields(text), " ")
}

// isObject reports whether a command meant to print an object of JSON.
func isObject(output []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(output), []byte("{")) }

// limited keeps the beginning of what is written, and drops the rest.
type limited struct {
	kept   bytes.Buffer
	beyond bool
}

// Write never fails.
func (l *limited) Write(p []byte) (int, error) {
	room := maxOutput - l.kept.Len()
	l.beyond = l.beyond || len(p) > room
	l.kept.Write(p[:min(len(p), room)])
	return len(p), nil
}
