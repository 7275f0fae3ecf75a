package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/harness/child"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// CommandMargin is what a run is given over the tasks' own limits.
const CommandMargin = 300 * time.Second

// CommandOptions say what to run.
type CommandOptions struct {
	Host Host
	// Command is the program and its arguments; it is run in the host's
	// folder.
	Command []string
	// Split is passed on; see [WholeDataset].
	Split string
	// MaxConcurrency is how many tasks may run at once.
	MaxConcurrency int
	// PerTaskTimeout is a task's limit; 0 is none. The whole run is bounded by
	// it if the tasks are given: ceil(tasks / concurrency) × limit + [CommandMargin].
	PerTaskTimeout time.Duration
	// Agent is told to the program by its environment, which has nothing else
	// of ours; see [Host.AgentEnv].
	Agent Agent
	// Grace and After are those of [child.Command].
	Grace time.Duration
	After func(time.Duration) <-chan time.Time
}

// CommandRunner is a benchmark that is any program.
//
// The program is told what to run by one JSON object on its standard input:
//
//	{"task_ids": ["a", "b"], "split": "train", "max_concurrency": 3, "per_task_timeout": 600}
//
// task_ids is null for all tasks of the split, split is null for the whole
// dataset, and per_task_timeout, in seconds, is 0 for none. It prints results on
// its standard output, a JSON object a line, {"a": 1.0} or several tasks in one,
// as soon as it has them. A reward is a number from 0 to 1 or null; it may also be
// {"reward": null, "status": "timeout", "reason": "…"}. A line {"task_ids": ["a", "b"]}
// before the first result says which tasks there are, if it was asked for all of
// them.
//
// All other lines, and what it prints to standard error, are its log: lines that are
// no JSON object, and objects that name no task that was asked for or hold nothing
// like a reward. An object that is a result in part, a reward that is no number from
// 0 to 1, and a second result of a task that is not the first one's are errors of
// kind invalid, with the line, that end the program at once. It ends with exit status
// 0.
type CommandRunner struct{ options CommandOptions }

var _ Runner = (*CommandRunner)(nil)

// NewCommand returns the runner. The error is of kind invalid.
func NewCommand(o CommandOptions) (*CommandRunner, error) {
	if len(o.Command) == 0 || o.Command[0] == "" {
		return nil, fault.Invalidf("the benchmark's command is empty: name a program and its arguments")
	}
	if o.MaxConcurrency < 1 {
		return nil, fault.Invalidf("the benchmark's concurrency is %d, want 1 or more", o.MaxConcurrency)
	}
	return &CommandRunner{o}, nil
}

// request is what the program is told.
type request struct {
	TaskIDs        []string `json:"task_ids"`
	Split          *string  `json:"split"`
	MaxConcurrency int      `json:"max_concurrency"`
	PerTaskTimeout float64  `json:"per_task_timeout"`
}

// Run runs the program once. That it exits with another status than 0 is an
// error: what it has printed may not be all.
func (r *CommandRunner) Run(ctx context.Context, taskIDs []string) (Results, error) {
	if taskIDs != nil && len(taskIDs) == 0 {
		return Results{}, nil
	}
	o := r.options
	asked := request{taskIDs, &o.Split, o.MaxConcurrency, o.PerTaskTimeout.Seconds()}
	if o.Split == WholeDataset {
		asked.Split = nil
	}
	told, err := json.Marshal(asked)
	if err != nil {
		return nil, fault.Internalf("ask the benchmark's command: %w", err)
	}
	log := o.Host.Stream("[command] ")
	bounded, end := context.WithCancelCause(ctx)
	defer end(nil)
	out := newOutput(o.Host, log, taskIDs, end)
	split := &child.LineWriter{Emit: out.line}
	err = child.Run(bounded, child.Command{
		Path: r.program(), Args: o.Command[1:], Env: o.Host.AgentEnv(o.Agent), Dir: o.Host.Dir,
		Stdin: bytes.NewReader(told), Stdout: split, Stderr: log,
		Deadline: r.deadline(len(taskIDs)), Grace: o.Grace, After: o.After,
	})
	split.Flush()
	log.Close()
	switch {
	case context.Cause(ctx) != nil:
		return nil, err
	case out.wrong != nil:
		return nil, fmt.Errorf("run the benchmark's command %s: %w", o.Command[0], out.wrong)
	case errors.Is(err, child.ErrDeadline):
		out.timeOut(err)
	case err != nil:
		return nil, fault.Infraf("run the benchmark's command %s: %w%s", o.Command[0], err, after(log.Tail()))
	}
	results, err := Complete(out.asked, out.results)
	if err != nil {
		return nil, fault.Infraf("run the benchmark's command %s: %w; it prints results as lines like {\"task\": 1.0}%s", o.Command[0], err, after(log.Tail()))
	}
	return results, nil
}

// program returns the program's place: a path begins in the host's folder.
func (r *CommandRunner) program() string {
	name := r.options.Command[0]
	if !strings.ContainsRune(name, filepath.Separator) {
		return name
	}
	return r.options.Host.Path(name)
}

// deadline bounds the run of a number of tasks; 0 is no bound.
func (r *CommandRunner) deadline(tasks int) time.Duration {
	o := r.options
	if o.PerTaskTimeout == 0 || tasks == 0 {
		return 0
	}
	rounds := (tasks + o.MaxConcurrency - 1) / o.MaxConcurrency
	return time.Duration(rounds)*o.PerTaskTimeout + CommandMargin
}

// after returns the end of a log for the end of a message.
func after(tail string) string {
	if tail == "" {
		return ""
	}
	return "; its last lines are:\n" + tail
}
