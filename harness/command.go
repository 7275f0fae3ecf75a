package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"slices"
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
// {"reward": null, "status": "timeout", "reason": "…"}. Of a task that comes twice
// the later result counts. All other lines, and what it prints to standard error,
// are its log. It ends with exit status 0.
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
	out := &output{host: o.Host, log: log, results: Results{}, asked: taskIDs}
	split := &child.LineWriter{Emit: out.line}
	err = child.Run(ctx, child.Command{
		Path: r.program(), Args: o.Command[1:], Env: o.Host.AgentEnv(o.Agent), Dir: o.Host.Dir,
		Stdin: bytes.NewReader(told), Stdout: split, Stderr: log,
		Deadline: r.deadline(len(taskIDs)), Grace: o.Grace, After: o.After,
	})
	split.Flush()
	log.Close()
	switch {
	case errors.Is(err, child.ErrDeadline):
		out.timeOut(taskIDs, err)
	case context.Cause(ctx) != nil:
		return nil, err
	case err != nil:
		return nil, fault.Infraf("run the benchmark's command %s: %w%s", o.Command[0], err, after(log.Tail()))
	}
	results, err := Complete(taskIDs, out.results)
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

// output collects results from the lines that the program prints.
type output struct {
	host    Host
	log     *Stream
	results Results
	// asked are the tasks to report, nil for all.
	asked []string
}

// line takes a line of standard output.
func (o *output) line(line []byte, whole bool) {
	var found map[string]json.RawMessage
	if !whole || json.Unmarshal(line, &found) != nil {
		// Writing to the log never fails.
		_, _ = o.log.Write(append(line[:len(line):len(line)], '\n'))
		return
	}
	for _, id := range slices.SortedFunc(maps.Keys(found), CompareIDs) {
		if o.asked != nil && !slices.Contains(o.asked, id) {
			continue
		}
		var outcome Outcome
		if err := json.Unmarshal(found[id], &outcome); err != nil {
			outcome = NoReward(Infrastructure, "the result cannot be read: "+err.Error())
		}
		o.results[id] = outcome
		o.host.Done(Progress{TaskID: id, Outcome: outcome, Done: len(o.results), Total: len(o.asked)})
	}
}

// timeOut gives the tasks that the program did not get to their outcome.
func (o *output) timeOut(taskIDs []string, why error) {
	for _, id := range taskIDs {
		if _, has := o.results[id]; !has {
			o.results[id] = NoReward(Timeout, fault.Public(why))
		}
	}
}
