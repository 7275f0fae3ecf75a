// Package birdinteract runs BIRD-Interact, by its ADK
// (github.com/bird-bench/BIRD-Interact).
//
// A run starts three services on this machine, the agent, a simulated user and
// a database environment, waits until each is the one that it should be, and
// has the ADK's orchestrator run the tasks. Services and orchestrator are ended
// with all that they have started, however the run ends.
package birdinteract

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/child"
	"github.com/ghx-dev/bench-action/harness/internal/state"
	"github.com/ghx-dev/bench-action/internal/fault"
)

const (
	// DefaultSplit is the split that is run unless another one is said.
	DefaultSplit = harness.TrainSplit
	// DefaultHealthTime is how long the services have to begin.
	DefaultHealthTime = 120 * time.Second
	// DefaultPoll is how often services and results are looked at.
	DefaultPoll = time.Second
	// ServiceGrace is how long a service has between SIGTERM and SIGKILL.
	ServiceGrace = 10 * time.Second
	// LeastTime is what a run is given at least.
	LeastTime = 600 * time.Second
	// Margin is what a run is given over its tasks' limits.
	Margin = 300 * time.Second
)

// Options say what to run.
type Options struct {
	Host harness.Host
	// BirdRepo, PythonBin and DataPath are for [harness.ResolveBirdADKDir],
	// [harness.ResolveBirdPythonBin] and [harness.ResolveBirdDataPath].
	BirdRepo, PythonBin, DataPath string
	// Split is that of [harness.BirdSplitFile] in the host's folder,
	// [harness.WholeDataset] all tasks of the dataset, for which no file is
	// needed.
	Split string
	// Mode is a-interact, c-interact, or oracle, which submits the solutions.
	Mode string
	// Dataset is the variant of the data, lite or full.
	Dataset string
	// OwnAgent is the ADK's agent, [ADKAgent]; empty is the experiment's.
	OwnAgent string
	// Settings are the ADK's, by its names, as of [harness.Config.Options].
	Settings harness.Options
	// Agent is told to the service with the agent's code. An empty Model is
	// that of the environment variable SYSTEM_AGENT_MODEL or AGENT_MODEL, else
	// the ADK's own; SaveTrace is that of the split.
	Agent harness.Agent
	// UserModel is that of the simulated user; an empty one is that of the
	// environment variable USER_SIM_MODEL, else the ADK's own.
	UserModel string
	// Patience is how much more a task may cost than it must; the ADK tries
	// nothing again for it.
	Patience int
	// Concurrency is how many tasks run at once.
	Concurrency int
	// PerTaskTimeout bounds the whole run, at ceil(tasks / concurrency) ×
	// limit + [Margin], and [LeastTime] at least. The ADK has limits of its
	// own for a task.
	PerTaskTimeout time.Duration
	// JobsDir is for the services' logs and the files of a run.
	JobsDir string
	// The services' ports on this machine.
	SystemAgentPort, UserSimPort, DBEnvPort int
	// The PostgreSQL server; what is empty or 0 is that of the environment
	// variable PG_HOST, PG_PORT, PG_USER or PG_PASSWORD, else the ADK's own.
	PGHost     string
	PGPort     int
	PGUser     string
	PGPassword string

	// LockDir has the locks on ports and databases; empty is a folder of ours
	// in TMPDIR, else /tmp.
	LockDir string
	// HealthTime is how long the services have to begin, Poll how often they
	// and the results are looked at.
	HealthTime, Poll time.Duration
	// Grace and After are those of [child.Command].
	Grace time.Duration
	After func(time.Duration) <-chan time.Time
}

// Defaults returns the options about which nothing else is said.
func Defaults(h harness.Host) Options {
	return Options{
		Host: h, Split: DefaultSplit, Mode: harness.DefaultBirdMode, Dataset: harness.DefaultBirdDataset,
		Patience: harness.DefaultBirdPatience, Concurrency: harness.DefaultMaxConcurrency,
		PerTaskTimeout: harness.DefaultBirdTimeout, JobsDir: harness.DefaultBirdJobs,
		SystemAgentPort: harness.DefaultSystemAgentPort, UserSimPort: harness.DefaultUserSimPort, DBEnvPort: harness.DefaultDBEnvPort,
		HealthTime: DefaultHealthTime, Poll: DefaultPoll,
	}
}

// ADKAgent is the name of the agent that the ADK brings along.
const ADKAgent = "system_agent"

// Modes lists the ways to run tasks.
func Modes() []string { return []string{"a-interact", "c-interact", "oracle"} }

// Runner is BIRD-Interact.
type Runner struct {
	options           Options
	adk, python, data string
}

var _ harness.Runner = (*Runner)(nil)

// New returns the runner. The error is of kind invalid, and [fs.ErrNotExist] if
// the ADK or a Python for it is not found.
func New(o Options) (*Runner, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	adk, err := harness.ResolveBirdADKDir(o.Host, o.BirdRepo)
	if err != nil {
		return nil, err
	}
	python := harness.ResolveBirdPythonBin(o.Host, adk, o.PythonBin)
	if python == "" {
		return nil, fault.Invalidf("a Python for BIRD-Interact-ADK is not found: run `bench harness prepare`, or say which one with bird_python_bin or %s: %w",
			harness.BirdPythonVariable, fs.ErrNotExist)
	}
	for _, name := range []string{systemAgentModel, harness.AgentModelVariable} {
		if o.Agent.Model == "" {
			o.Agent.Model = o.Host.Getenv(name)
		}
	}
	if o.UserModel == "" {
		o.UserModel = o.Host.Getenv(userSimModel)
	}
	o.Agent.SaveTrace = o.Split == harness.TrainSplit || o.Agent.SaveTrace && o.Split != harness.WholeDataset
	return &Runner{o, adk, python, harness.ResolveBirdDataPath(o.Host, adk, o.Dataset, o.DataPath)}, nil
}

func (o Options) check() error {
	ports := []int{o.SystemAgentPort, o.UserSimPort, o.DBEnvPort}
	slices.Sort(ports)
	const highest = 1<<16 - 1
	switch {
	case o.Split == "" || o.Dataset == "" || o.JobsDir == "":
		return fault.Invalidf("BIRD-Interact needs a split, a dataset and a folder for runs: they are %q, %q and %q", o.Split, o.Dataset, o.JobsDir)
	case !slices.Contains(Modes(), o.Mode):
		return fault.Invalidf("BIRD-Interact has no mode %q: use %s", o.Mode, strings.Join(Modes(), ", "))
	case o.OwnAgent != "" && o.OwnAgent != ADKAgent:
		return fault.Invalidf("BIRD-Interact has no agent %q of its own: use %s, or leave agent out for that of the experiment", o.OwnAgent, ADKAgent)
	case o.Patience < 0 || o.Concurrency < 1:
		return fault.Invalidf("BIRD-Interact's patience is %d, want 0 or more, and its concurrency %d, want 1 or more", o.Patience, o.Concurrency)
	case o.PerTaskTimeout <= 0 || o.HealthTime <= 0 || o.Poll <= 0:
		return fault.Invalidf("BIRD-Interact's times must be more than 0")
	case ports[0] < 1 || ports[2] > highest || len(slices.Compact(ports)) < 3:
		return fault.Invalidf("BIRD-Interact's ports are %d, %d and %d: want three different ones", o.SystemAgentPort, o.UserSimPort, o.DBEnvPort)
	case o.PGPort < 0 || o.PGPort > highest:
		return fault.Invalidf("PostgreSQL's port is %d, which is none", o.PGPort)
	}
	return nil
}

// runKind marks the folders with the files of a run.
const runKind = "bird-interact run"

// Run runs each task once. The error is of kind invalid for a task that the
// dataset does not have.
func (r *Runner) Run(ctx context.Context, taskIDs []string) (harness.Results, error) {
	o := r.options
	if taskIDs == nil {
		var err error
		if taskIDs, err = harness.ReadSplit(o.Host.Path(harness.BirdSplitFile), o.Split); err != nil {
			return nil, err
		}
	}
	if taskIDs != nil && len(taskIDs) == 0 {
		return harness.Results{}, nil
	}
	tasks, err := readTasks(r.data)
	if err == nil && taskIDs != nil {
		tasks, err = tasks.choose(taskIDs, r.data)
	}
	if err != nil {
		return nil, err
	}
	release, err := r.lock()
	if err != nil {
		return nil, err
	}
	defer release()
	dir, end, err := r.begin()
	if err != nil {
		return nil, err
	}
	results, err := r.runIn(ctx, dir, tasks)
	return results, errors.Join(err, end())
}

// begin makes the folder for the files of a run, which have the solutions of
// its tasks and what agents did, and says how to end its use. What is left of
// earlier runs is removed.
func (r *Runner) begin() (dir string, end func() error, err error) {
	jobs := r.options.Host.Path(r.options.JobsDir)
	if err := state.Prune(jobs, runKind); err != nil {
		return "", nil, err
	}
	dir = filepath.Join(jobs, "run-"+strings.ToLower(rand.Text()))
	release, err := state.Begin(dir, runKind)
	if err != nil {
		return "", nil, err
	}
	return dir, func() error {
		release()
		return state.Prune(jobs, runKind)
	}, nil
}

// The files of a run.
const inputFile, outputFile = "bird_input.jsonl", "bird_output.json"

// logsDir is the folder of the services' logs in that of runs.
const logsDir = "service_logs"

func (r *Runner) runIn(ctx context.Context, dir string, tasks tasks) (results harness.Results, err error) {
	o := r.options
	input := filepath.Join(dir, inputFile)
	if err := state.Write(input, tasks.lines()); err != nil {
		return nil, err
	}
	logs := filepath.Join(filepath.Dir(dir), logsDir)
	services, err := r.startServices(ctx, logs)
	defer func() {
		services.stop()
		// The logs tell of tasks too.
		if !o.Agent.SaveTrace {
			err = errors.Join(err, os.RemoveAll(logs))
		}
	}()
	if err != nil {
		return nil, err
	}
	c := &collector{host: o.Host, ids: tasks.ids(), path: filepath.Join(dir, outputFile), redact: o.Host.Redactor(r.secrets()...), services: services}
	o.Host.Plan(c.ids)
	err = r.orchestrate(ctx, services, c, input)
	if context.Cause(ctx) != nil {
		return nil, err
	}
	services.stop()
	results, none := c.results(err, services)
	if none != nil {
		return nil, r.nothing(err, services)
	}
	if o.Agent.SaveTrace {
		if err := c.saveTraces(); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// nothing is the error of a run without a result.
func (r *Runner) nothing(why error, s *services) error {
	said := "the orchestrator left no result of any task"
	if why != nil {
		said += ": " + why.Error()
	}
	if tail := s.tail(); tail != "" {
		said += "; the last lines are:\n" + tail
	}
	return fault.Infraf("run BIRD-Interact: %s", said)
}

// orchestrate runs the tasks. It ends early if a service does.
func (r *Runner) orchestrate(ctx context.Context, s *services, c *collector, input string) error {
	o := r.options
	deadline := o.deadline(len(c.ids))
	o.Host.Logf("[bird] running %d tasks of %s in mode %s, %d at once, for %s at most", len(c.ids), o.Dataset, o.Mode, o.Concurrency, deadline)
	watched, over := context.WithCancelCause(ctx)
	defer over(nil)
	log := o.Host.Stream("[bird] ", r.secrets()...)
	defer log.Close()
	s.orchestrator = log
	p, err := child.Start(watched, child.Command{
		Path: r.python, Dir: r.adk, Env: r.orchestratorEnv(), Stdout: log, Stderr: log,
		Args: []string{
			"-m", "orchestrator.runner", "--mode", o.Mode, "--data", input, "--output", c.path,
			"--concurrency", strconv.Itoa(o.Concurrency),
		},
		Deadline: deadline, Grace: o.Grace, After: o.After,
	})
	if err != nil {
		return err
	}
	for _, one := range s.all {
		go func() {
			select {
			case <-one.process.Done():
				over(fmt.Errorf("%w: %s", errServiceEnded, one.name))
			case <-p.Done():
			}
		}()
	}
	c.follow(p.Done(), o.Poll)
	return p.Wait()
}

// errServiceEnded is why a run is ended whose services are not whole.
var errServiceEnded = errors.New("a service has ended while tasks were run")

// deadline bounds the run of a number of tasks.
func (o Options) deadline(tasks int) time.Duration {
	rounds := (tasks + o.Concurrency - 1) / o.Concurrency
	return max(LeastTime, time.Duration(rounds)*o.PerTaskTimeout+Margin)
}
