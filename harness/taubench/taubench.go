// Package taubench runs tau-bench, by the Python API of tau2
// (github.com/sierra-research/tau2-bench).
//
// Each run is a Python process of its own with an embedded driver, which is
// told what to run on standard input and tells of each simulation, as a JSON
// line on file descriptor 3, as soon as it is saved. Standard input is at its
// end then, so that tau2 has nobody to ask whether it should go on with an
// earlier run; the name that a run is saved under is never used twice.
package taubench

import (
	"bytes"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/child"
	"github.com/ghx-dev/bench-action/harness/internal/state"
	"github.com/ghx-dev/bench-action/internal/fault"
)

const (
	// DefaultSplit is the split that is run unless another one is said.
	DefaultSplit = harness.TestSplit
	// JudgeKeyVariable is the environment variable with the key of tau2's
	// judge of what was said, whose model is fixed.
	JudgeKeyVariable = "OPENAI_API_KEY"
	// Attempts is how often tau2 tries a simulation in which something fails.
	Attempts = 4
	// Margin is what a run is given over the simulations' own limits.
	Margin = 300 * time.Second
)

// Options say what to run.
type Options struct {
	Host harness.Host
	// Domain is that of the tasks, for example retail, airline or telecom.
	Domain string
	// Agent is told to the agent's code, agent/agent.py in the host's folder.
	// An empty Model is for [harness.Host.AgentModel] to say; SaveTrace is
	// true for the split train, and may be set for another one that is trained on. The process of tau2 is the agent's too: beside the
	// keys of the agent's model it has those of the user's and the judge's.
	Agent harness.Agent
	// UserModel is that of the simulated user, the agent's if it is empty.
	UserModel string
	// Split is the tasks' split, [harness.WholeDataset] for all of them.
	Split string
	// MaxConcurrency is how many simulations run at once.
	MaxConcurrency int
	// Seed is what the seed of a simulation is derived from, which models are
	// given, in each further epoch of the host from the next number. It orders
	// nothing.
	Seed int
	// OwnAgent is an agent that tau2 knows by this name; empty is the experiment's.
	OwnAgent string
	// Settings are fields of tau2's TextRunConfig, by its names, as of
	// [harness.Config.Options].
	Settings harness.Options
	// PerTaskTimeout is a simulation's limit, 0 for none, which tau2 looks at
	// between two messages. With it the whole run is bounded by
	// ceil(tasks / concurrency) × attempts × limit + [Margin], where attempts are
	// [Attempts], or one more than the setting max_retries.
	PerTaskTimeout time.Duration
	// Python is a Python that has tau2; empty is .venv/bin/python in the
	// host's folder, else python3 or python on PATH.
	Python string
	// Grace and After are those of [child.Command].
	Grace time.Duration
	After func(time.Duration) <-chan time.Time
}

// Defaults returns the options for a domain about which nothing else is said.
func Defaults(h harness.Host, domain string) Options {
	return Options{
		Host: h, Domain: domain, Split: DefaultSplit,
		MaxConcurrency: harness.DefaultMaxConcurrency, Seed: harness.DefaultTauSeed,
	}
}

// Runner is tau-bench.
type Runner struct {
	options Options
	python  string
}

var _ harness.Runner = (*Runner)(nil)

// New returns the runner. The error is of kind invalid.
func New(o Options) (*Runner, error) {
	switch {
	case o.Domain == "":
		return nil, fault.Invalidf("tau-bench needs a domain: name one, for example retail")
	case o.Split == "":
		return nil, fault.Invalidf("tau-bench needs a split: name one, for example %s", DefaultSplit)
	case o.MaxConcurrency < 1:
		return nil, fault.Invalidf("tau-bench's concurrency is %d, want 1 or more", o.MaxConcurrency)
	}
	o.Agent.Model = o.Host.AgentModel(o.Agent.Model)
	o.Agent.SaveTrace = o.Split == harness.TrainSplit || o.Agent.SaveTrace && o.Split != harness.WholeDataset
	if o.UserModel == "" {
		o.UserModel = o.Agent.Model
	}
	if o.After == nil {
		o.After = time.After
	}
	python := findPython(o.Host, o.Python)
	if python == "" {
		return nil, fault.Invalidf("tau-bench needs a Python with tau2: say which one with tau2_python")
	}
	return &Runner{o, python}, nil
}

// findPython returns the absolute path of the configured Python, else of the
// one of the experiment, else of one on PATH; empty if there is none.
func findPython(h harness.Host, configured string) string {
	if strings.ContainsRune(configured, filepath.Separator) {
		return h.Path(configured)
	}
	if configured != "" {
		return h.LookPath(configured)
	}
	own := h.Path(filepath.Join(".venv", "bin", "python"))
	if there, err := state.Exists(own); err == nil && there {
		return own
	}
	for _, name := range []string{"python3", "python"} {
		if path := h.LookPath(name); path != "" {
			return path
		}
	}
	return ""
}

// Run runs one simulation of each task. The error is of kind invalid for a task
// that is not in the split, and names those that have it.
func (r *Runner) Run(ctx context.Context, taskIDs []string) (harness.Results, error) {
	if taskIDs != nil && len(taskIDs) == 0 {
		return harness.Results{}, nil
	}
	saved, end, err := r.begin()
	if err != nil {
		return nil, err
	}
	results, err := r.run(ctx, distinct(taskIDs), filepath.Base(saved))
	if ended := end(); err == nil && ended != nil {
		return nil, ended
	}
	return results, err
}

// distinct returns ids in their order, each once: tau2 refuses repetitions. Nil
// stays nil.
func distinct(ids []string) []string {
	var once []string
	for _, id := range ids {
		if !slices.Contains(once, id) {
			once = append(once, id)
		}
	}
	return once
}

// The kinds of the folders with simulations. Those of tasks that are not
// trained on are nothing for the agent's author to read: they are removed.
const (
	trainKind  = "tau-bench train"
	unseenKind = "tau-bench unseen"
)

// begin makes the folder that tau2 saves simulations to, and says how to end
// its use.
func (r *Runner) begin() (dir string, end func() error, err error) {
	parent := filepath.Join(harness.Tau2DataDir(r.options.Host), "simulations")
	kind := unseenKind
	if r.options.Agent.SaveTrace {
		kind = trainKind
	}
	if err := errors.Join(state.Prune(parent, unseenKind), state.Prune(parent, kind)); err != nil {
		return "", nil, err
	}
	dir = filepath.Join(parent, "bench-"+rand.Text())
	release, err := state.Begin(dir, kind)
	if err != nil {
		return "", nil, err
	}
	return dir, func() error {
		release()
		return state.Prune(parent, unseenKind)
	}, nil
}

// request is what the driver is told.
type request struct {
	Domain         string   `json:"domain"`
	Split          *string  `json:"split"`
	TaskIDs        []string `json:"task_ids"`
	AgentModel     string   `json:"agent_model"`
	UserModel      string   `json:"user_model"`
	MaxConcurrency int      `json:"max_concurrency"`
	Seed           int      `json:"seed"`
	// Timeout is in seconds.
	Timeout  *float64        `json:"timeout"`
	SaveTo   string          `json:"save_to"`
	Agent    string          `json:"agent,omitempty"`
	Settings harness.Options `json:"settings,omitempty"`
	// Check has nothing be run.
	Check bool `json:"check,omitempty"`
}

func (r *Runner) request(taskIDs []string, saveTo string, check bool) ([]byte, error) {
	o := r.options
	told := request{
		Check:  check,
		Domain: o.Domain, Split: &o.Split, TaskIDs: taskIDs, AgentModel: o.Agent.Model, UserModel: o.UserModel,
		MaxConcurrency: o.MaxConcurrency, Seed: o.Seed + max(0, o.Host.Epoch-1), SaveTo: saveTo, Agent: o.OwnAgent, Settings: o.Settings,
	}
	if o.Split == harness.WholeDataset {
		told.Split = nil
	}
	if seconds := o.PerTaskTimeout.Seconds(); seconds > 0 {
		told.Timeout = &seconds
	}
	text, err := json.Marshal(told)
	if err != nil {
		return nil, fault.Internalf("ask tau2: %w", err)
	}
	return text, nil
}

// env returns the whole environment of tau2, and of the agent's code in it.
func (r *Runner) env() []string {
	o := r.options
	agent := o.Agent
	if agent.KeyVariables == nil {
		agent.KeyVariables = []string{harness.KeyVariable(agent.Model)}
	}
	agent.KeyVariables = append(slices.Clone(agent.KeyVariables), harness.KeyVariable(o.UserModel), JudgeKeyVariable)
	return append(o.Host.AgentEnv(agent),
		harness.Tau2DataVariable+"="+harness.Tau2DataDir(o.Host),
		// Without it, importing litellm fetches a list of prices.
		"LITELLM_LOCAL_MODEL_COST_MAP=True",
		"PYTHONUNBUFFERED=1",
	)
}

//go:embed driver.py
var driver string

// maxEvent is how long a line of the driver is, in bytes: more than what it tells of
// a simulation.
const maxEvent = 32 << 20

func (r *Runner) run(ctx context.Context, taskIDs []string, saveTo string) (harness.Results, error) {
	o := r.options
	told, err := r.request(taskIDs, saveTo, false)
	if err != nil {
		return nil, err
	}
	log := o.Host.Stream("[tau2] ")
	defer log.Close()
	e := &events{host: o.Host, redact: o.Host.Redactor(), results: harness.Results{}}
	err = r.drive(ctx, told, e, log)
	if errors.Is(err, errNotStarted) || context.Cause(ctx) != nil {
		return nil, err
	}
	return r.judge(e, err, log)
}

// errNotStarted is wrapped by the error of a Python that could not be started.
var errNotStarted = errors.New("tau2 was not started")

// drive has the driver do what it is told, and e be told of it, until it ends.
func (r *Runner) drive(ctx context.Context, told []byte, e *events, log *harness.Stream) error {
	o := r.options
	read, write, err := os.Pipe()
	if err != nil {
		return fault.Infraf("run tau2: %w: %w", errNotStarted, err)
	}
	defer read.Close()
	bounded, over := context.WithCancelCause(ctx)
	defer over(nil)
	p, err := child.Start(bounded, child.Command{
		Path: r.python, Args: []string{"-c", driver}, Env: r.env(), Dir: o.Host.Dir, ExtraFiles: []*os.File{write},
		Stdin: bytes.NewReader(told), Stdout: log, Stderr: log, Grace: o.Grace, After: o.After,
	})
	// It is the child's now.
	_ = write.Close()
	if err != nil {
		return fmt.Errorf("%w: %w", err, errNotStarted)
	}
	e.limit = func(tasks int) {
		if d := r.deadline(tasks); d > 0 {
			time := o.After(d)
			go func() {
				select {
				case <-time:
					over(fault.Infraf("stop tau2 after %s: %w", d, child.ErrDeadline))
				case <-p.Done():
				}
			}()
		}
	}
	// The pipe is at its end when everything that could write it has ended.
	splitter := &child.LineWriter{Emit: e.line, Limit: maxEvent}
	_, readErr := read.WriteTo(splitter)
	splitter.Flush()
	return errors.Join(p.Wait(), readErr)
}

// deadline bounds the run of a number of tasks; 0 is no bound.
func (r *Runner) deadline(tasks int) time.Duration {
	o := r.options
	if o.PerTaskTimeout == 0 {
		return 0
	}
	rounds := (tasks + o.MaxConcurrency - 1) / o.MaxConcurrency
	attempts := time.Duration(o.Settings.Number("max_retries", Attempts-1)) + 1
	return time.Duration(rounds)*attempts*o.PerTaskTimeout + Margin
}

// judge makes results of what the driver has told until its end, err.
func (r *Runner) judge(e *events, err error, log *harness.Stream) (harness.Results, error) {
	o := r.options
	if e.refused != nil {
		return nil, e.refusal(o.Domain, o.Split)
	}
	if err == nil && e.failed != "" {
		err = errors.New(e.failed)
	}
	for _, id := range e.ids {
		if _, has := e.results[id]; has || err == nil {
			continue
		}
		if errors.Is(err, child.ErrDeadline) {
			e.results[id] = harness.NoReward(harness.Timeout, fault.Public(err))
		} else if len(e.results) > 0 {
			e.results[id] = harness.NoReward(harness.Missing, "tau2 ended before this task: "+o.Host.Redact(e.end(err)))
		}
	}
	results, none := harness.Complete(e.ids, e.results)
	if none == nil && len(results) > 0 {
		return results, nil
	}
	if tail := log.Tail(); tail != "" {
		return nil, fault.Infraf("run tau2: no task was tried: %s; its last lines are:\n%s", o.Host.Redact(e.end(err)), tail)
	}
	return nil, fault.Infraf("run tau2: no task was tried: %s", o.Host.Redact(e.end(err)))
}
