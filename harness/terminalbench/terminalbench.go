// Package terminalbench runs Terminal-Bench, by the program harbor
// (github.com/harbor-framework/harbor).
//
// A run is a job of harbor with a name of its own, told by a configuration file
// what to do: flags know only a factor for the tasks' own limits, the file a
// limit. What has become of each trial is read from the job's folder while
// harbor is at it.
package terminalbench

import (
	"context"
	"crypto/rand"
	"errors"
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
	// DefaultHarbor is harbor's program, on PATH.
	DefaultHarbor = "harbor"
	// DefaultPoll is how often the job's result file is looked at.
	DefaultPoll = 2 * time.Second

	// BuildTime is what harbor gives a trial to build the environment.
	BuildTime = 600 * time.Second
	// SetupTime is what it gives a trial to set up the agent.
	SetupTime = 360 * time.Second
	// VerifierTime is what it gives a trial's verifier.
	VerifierTime = 600 * time.Second
	// Margin is what a run is given over all of its trials.
	Margin = 300 * time.Second
	// WholeTasks is how many tasks a dataset is taken to have where it is not
	// known, which is more than Terminal-Bench has.
	WholeTasks = 150
)

// Options say what to run.
type Options struct {
	Host harness.Host
	// Agent is told to the agent's code, which is in harbor's process. An
	// empty Model is for [harness.Host.AgentModel] to say; SaveTrace is that
	// of the split.
	Agent harness.Agent
	// Split is that of [harness.TerminalBenchSplitFile] in the host's folder,
	// [harness.WholeDataset] all tasks of the dataset, for which no file is
	// needed.
	Split string
	// EnvProvider is harbor's sandbox: e2b, daytona, docker or another one
	// that it has, or a Python class as module:Class.
	EnvProvider string
	// Concurrency is how many trials run at once.
	Concurrency int
	// Dataset is name@version, organization/name@reference, or a folder with
	// tasks, which begins with ./, ../ or /.
	Dataset string
	// AgentImportPath is the agent's Python class as module:Class, found from
	// the host's folder, or the name of an agent of harbor's own.
	AgentImportPath string
	// PerTaskTimeout is how long an agent has for a task. The task's own limit
	// holds too. The whole run is bounded by ceil(tasks / concurrency) ×
	// (PerTaskTimeout + [BuildTime] + [SetupTime] + [VerifierTime]) + [Margin],
	// with the multipliers and as often as the settings have a trial tried.
	PerTaskTimeout time.Duration
	// Settings are parts of harbor's JobConfig, by its names, as of
	// [harness.Config.Options].
	Settings harness.Options
	// JobsDir is where harbor keeps jobs. Only those that the package has made
	// are removed from it.
	JobsDir string
	// Harbor is harbor's program.
	Harbor string
	// Poll is how often the job's result file is looked at.
	Poll time.Duration
	// Grace and After are those of [child.Command].
	Grace time.Duration
	After func(time.Duration) <-chan time.Time
}

// Defaults returns the options about which nothing else is said.
func Defaults(h harness.Host) Options {
	return Options{
		Host: h, Split: DefaultSplit, EnvProvider: harness.DefaultEnvProvider, Concurrency: harness.DefaultTerminalBenchConcurrency,
		Dataset: harness.DefaultTerminalBenchDataset, AgentImportPath: harness.DefaultAgentImportPath,
		PerTaskTimeout: harness.DefaultTerminalBenchTimeout, JobsDir: harness.DefaultTerminalBenchJobs,
		Harbor: DefaultHarbor, Poll: DefaultPoll,
	}
}

// Runner is Terminal-Bench.
type Runner struct{ options Options }

var _ harness.Runner = (*Runner)(nil)

// New returns the runner. The error is of kind invalid.
func New(o Options) (*Runner, error) {
	for what, text := range map[string]string{
		"a split": o.Split, "an environment provider": o.EnvProvider, "a dataset": o.Dataset, "an agent": o.AgentImportPath,
		"a folder for jobs": o.JobsDir, "harbor's program": o.Harbor,
	} {
		if text == "" {
			return nil, fault.Invalidf("Terminal-Bench needs %s", what)
		}
	}
	if o.Concurrency < 1 {
		return nil, fault.Invalidf("Terminal-Bench's concurrency is %d, want 1 or more", o.Concurrency)
	}
	if o.PerTaskTimeout <= 0 || o.Poll <= 0 {
		return nil, fault.Invalidf("Terminal-Bench's limit of a task is %s, looked at each %s: want more than 0", o.PerTaskTimeout, o.Poll)
	}
	o.Agent.Model = o.Host.AgentModel(o.Agent.Model)
	o.Agent.SaveTrace = o.Split == harness.TrainSplit || o.Agent.SaveTrace && o.Split != harness.WholeDataset
	return &Runner{o}, nil
}

// The kinds of the folders of jobs. Those of tasks that are not trained on are
// nothing for the agent's author to read: they are removed.
const (
	trainKind  = "terminal-bench train"
	unseenKind = "terminal-bench unseen"
)

// Run runs one trial of each task.
func (r *Runner) Run(ctx context.Context, taskIDs []string) (harness.Results, error) {
	o := r.options
	if taskIDs == nil {
		var err error
		if taskIDs, err = r.known(o.Split); err != nil {
			return nil, err
		}
	}
	if taskIDs != nil && len(taskIDs) == 0 {
		return harness.Results{}, nil
	}
	if taskIDs != nil {
		o.Host.Plan(taskIDs)
	}
	job := &job{host: o.Host, wanted: taskIDs, dir: filepath.Join(o.Host.Path(o.JobsDir), "bench-"+strings.ToLower(rand.Text()))}
	end, err := r.begin(job)
	if err != nil {
		return nil, err
	}
	results, err := r.run(ctx, job)
	if err == nil && o.Agent.SaveTrace {
		err = job.saveTraces()
	}
	if ended := end(); err == nil {
		err = ended
	}
	if err != nil {
		return nil, err
	}
	return results, nil
}

// begin makes the job's folder, and says how to end its use: earlier ones are
// removed, and it too unless its tasks are for training.
func (r *Runner) begin(j *job) (end func() error, err error) {
	jobs, kind := filepath.Dir(j.dir), unseenKind
	if r.options.Agent.SaveTrace {
		kind = trainKind
	}
	if err := state.Prune(jobs, unseenKind); err != nil {
		return nil, err
	}
	release, err := state.Begin(j.dir, kind)
	if err != nil {
		return nil, err
	}
	return func() error {
		release()
		return errors.Join(state.Prune(jobs, trainKind, filepath.Base(j.dir)), state.Prune(jobs, unseenKind))
	}, nil
}

func (r *Runner) run(ctx context.Context, j *job) (harness.Results, error) {
	o := r.options
	tasks := len(j.wanted)
	if j.wanted == nil {
		tasks = WholeTasks
	}
	concurrency := min(o.Concurrency, tasks)
	config := filepath.Join(j.dir, "bench-config.json")
	if err := state.WriteJSON(config, r.config(j.wanted)); err != nil {
		return nil, err
	}
	deadline := o.deadline(tasks, concurrency)
	o.Host.Logf("[harbor] running %s of %s, %d at once, for %s at most", o.AgentImportPath, o.Dataset, concurrency, deadline)
	log := o.Host.Stream("[harbor] ")
	defer log.Close()
	p, err := child.Start(ctx, child.Command{
		Path: r.program(), Dir: o.Host.Dir, Env: r.env(), Stdout: log, Stderr: log,
		Args: []string{
			"run", "--config", config, "--job-name", filepath.Base(j.dir), "--jobs-dir", filepath.Dir(j.dir),
			"--n-concurrent", strconv.Itoa(concurrency), "--quiet", "--yes",
		},
		Deadline: deadline, Grace: o.Grace, After: o.After,
	})
	if err != nil {
		return nil, err
	}
	j.follow(p.Done(), o.Poll)
	err = p.Wait()
	if context.Cause(ctx) != nil {
		return nil, err
	}
	results, none := j.results(err)
	if none == nil && len(results) > 0 {
		return results, nil
	}
	return nil, nothing(err, log.Tail())
}

// nothing is the error of a run without a result.
func nothing(why error, tail string) error {
	said := "harbor left no result of any task"
	if why != nil {
		said += ": " + why.Error()
	}
	if tail != "" {
		said += "; its last lines are:\n" + tail
	}
	return fault.Infraf("run Terminal-Bench: %s", said)
}

// deadline bounds a run.
func (o Options) deadline(tasks, concurrency int) time.Duration {
	rounds := (tasks + concurrency - 1) / concurrency
	factor := o.Settings.Number("timeout_multiplier", 1)
	times := func(limit time.Duration, multiplier, override string) time.Duration {
		seconds := o.Settings.Number(override, limit.Seconds())
		return time.Duration(seconds * o.Settings.Number(multiplier, factor) * float64(time.Second))
	}
	trial := times(o.PerTaskTimeout, "agent_timeout_multiplier", "") + times(BuildTime, "environment_build_timeout_multiplier", "") +
		times(SetupTime, "agent_setup_timeout_multiplier", "agent.override_setup_timeout_sec") +
		times(VerifierTime, "verifier_timeout_multiplier", "verifier.override_timeout_sec")
	again := o.Settings.Number("retry.max_retries", 0)
	const longestWait = 60
	wait := time.Duration(again * o.Settings.Number("retry.max_wait_sec", longestWait) * float64(time.Second))
	return time.Duration(rounds)*(trial*time.Duration(1+again)+wait) + Margin
}

// program returns the program's place: a path begins in the host's folder.
func (r *Runner) program() string {
	name := r.options.Harbor
	if strings.ContainsRune(name, filepath.Separator) {
		return r.options.Host.Path(name)
	}
	if path := r.options.Host.LookPath(name); path != "" {
		return path
	}
	return name
}

// env returns the whole environment of harbor, and of the agent's code in it.
func (r *Runner) env() []string {
	o := r.options
	agent := o.Agent
	agent.Allow = append(slices.Clone(agent.Allow), providerVariables(o.EnvProvider)...)
	if key, is := o.Settings["agent.model_api_key_name"].(string); is {
		agent.Allow = append(agent.Allow, key)
	}
	return append(o.Host.AgentEnv(agent), "PYTHONPATH="+o.Host.Path("."), "HARBOR_TELEMETRY=0", "PYTHONUNBUFFERED=1")
}

// providerVariables are those that a sandbox needs to be reached.
func providerVariables(provider string) []string {
	return map[string][]string{
		"ack": {"KUBECONFIG"}, "beam": {"BEAM_TOKEN", "CONFIG_PATH"}, "boxd": {"BOXD_API_KEY", "BOXD_TOKEN", "BOXD_API_URL", "BOXD_BASE_URL", "BOXD_REGION"},
		"daytona":      {"DAYTONA_API_KEY", "DAYTONA_JWT_TOKEN", "DAYTONA_API_URL", "DAYTONA_TARGET", "DAYTONA_ORGANIZATION_ID"},
		"docker":       {"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY", "XDG_RUNTIME_DIR"},
		"e2b":          {"E2B_API_KEY", "E2B_DOMAIN", "E2B_API_URL"},
		"gke":          {"KUBECONFIG", "GCP_PROJECT", "GOOGLE_APPLICATION_CREDENTIALS"},
		"hyperbrowser": {"HYPERBROWSER_API_KEY", "HYPERBROWSER_BASE_URL"},
		"islo":         {"ISLO_API_KEY", "ISLO_API_URL", "ISLO_COMPUTE_URL"}, "kernel": {"KERNEL_API_KEY"},
		"modal":       {"MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET", "MODAL_PROFILE", "MODAL_ENVIRONMENT"},
		"mosaic":      {"MOSAIC_REGISTRY_USERNAME", "MOSAIC_REGISTRY_PASSWORD"},
		"novita":      {"NOVITA_API_KEY", "NOVITA_API_URL", "NOVITA_BASE_URL", "NOVITA_DOMAIN"},
		"opensandbox": {"OPENSANDBOX_API_KEY", "OPENSANDBOX_DOMAIN"},
		"podman":      {"CONTAINER_HOST", "DOCKER_HOST", "XDG_RUNTIME_DIR"},
		"runloop":     {"RUNLOOP_API_KEY"}, "runta": {"RUNTA_TOKEN", "RUNTA_CONFIG"}, "singularity": {"SINGULARITY_WORKDIR"},
		"skypilot": {"SKYPILOT_API_SERVER_ENDPOINT"}, "superserve": {"SUPERSERVE_API_KEY"}, "tensorlake": {"TENSORLAKE_API_KEY"},
		"use-computer": {"USE_COMPUTER_API_KEY", "USE_COMPUTER_HOST"}, "vercel": {"VERCEL_TOKEN", "VERCEL_OIDC_TOKEN", "VERCEL_PROJECT_ID", "VERCEL_TEAM_ID"},
	}[provider]
}

// saveTraces keeps what the agent did where its author looks for it.
func (j *job) saveTraces() error {
	dir := j.host.Path(state.TracesDir)
	for name, id := range j.trials {
		files := map[string][]byte{}
		for to, from := range map[string]string{"trace.json": "agent/trace.json", "result.json": "result.json"} {
			// The agent's code has made it: it may be a link to anywhere.
			path := filepath.Join(j.dir, name, from)
			info, err := os.Lstat(path)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			if files[to], err = os.ReadFile(path); err != nil {
				return fault.Infraf("read trace of task %s: %w", id, err)
			}
		}
		if err := state.SaveTrace(dir, id, files); err != nil {
			return err
		}
	}
	return nil
}
