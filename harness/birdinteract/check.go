package birdinteract

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/ghx-dev/bench-action/harness"
)

var _ harness.Checker = (*Runner)(nil)

//go:embed check.py
var checkScript string

// asked is what the script looks at.
type asked struct {
	Packages  []string `json:"packages"`
	Agent     string   `json:"agent,omitempty"`
	Databases []string `json:"databases"`
}

// Check looks for the tasks and the keys of the models, has the ADK's Python import what
// the services need and the agent, and asks PostgreSQL for the databases.
func (r *Runner) Check(ctx context.Context, taskIDs []string, _ bool) []harness.Check {
	o := r.options
	checks := []harness.Check{{Name: "BIRD-Interact-ADK", Detail: r.adk}, o.Host.CheckProgram("Python", r.python, "bird_python_bin")}
	ids, split := harness.CheckSplit(o.Host.Path(harness.BirdSplitFile), o.Split, taskIDs)
	checks = append(checks, split)
	var databases []string
	if split.Err == nil {
		c := harness.Check{Name: "dataset", Detail: r.data}
		databases, c.Err = r.databases(ids)
		checks = append(checks, c)
	}
	checks = append(checks, r.keys(filepath.Join(r.adk, ".env"))...)
	if harness.FirstProblem(checks) != nil {
		return checks
	}
	ask := func(env []string, what asked) {
		if harness.FirstProblem(checks) == nil {
			checks = append(checks, o.Host.Probe(ctx, harness.Probe{
				Name: "Python", Path: r.python, Args: []string{"-c", checkScript}, Env: env, Dir: r.adk, Request: what, Secrets: r.secrets(),
			})...)
		}
	}
	module := r.planned()[0].module
	ask(r.agentEnv(), asked{Packages: []string{"uvicorn", "fastapi", "google.adk", "litellm"}, Agent: module})
	ask(r.databaseEnv(), asked{Packages: []string{"psycopg2", "sqlglot", "httpx", "orchestrator.runner"}, Databases: databases})
	return checks
}

var _ harness.Lister = (*Runner)(nil)

// Tasks returns those of a split, or of the whole dataset.
func (r *Runner) Tasks(_ context.Context, split string) ([]string, error) {
	ids, err := harness.ReadSplit(r.options.Host.Path(harness.BirdSplitFile), split)
	if err != nil || ids != nil {
		return ids, err
	}
	all, err := readTasks(r.data)
	return all.ids(), err
}

// databases are those that the tasks are copied from.
func (r *Runner) databases(ids []string) ([]string, error) {
	tasks, err := readTasks(r.data)
	if err == nil && ids != nil {
		tasks, err = tasks.choose(ids, r.data)
	}
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, t := range tasks {
		var said struct {
			Database string `json:"selected_database"`
		}
		if json.Unmarshal(t.line, &said) == nil && said.Database != "" {
			names = append(names, fmt.Sprintf("%s_template", said.Database))
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// keys looks for the keys of the models that are sure to be asked and are named: of
// others the ADK knows. One of LiteLLM's is for all.
func (r *Runner) keys(dotenv string) []harness.Check {
	o := r.options
	if o.Mode == "oracle" || o.Host.Getenv(liteLLMKey) != "" {
		return nil
	}
	var all []harness.Check
	if o.Agent.Model != "" {
		all = append(all, o.Host.AgentKey(o.Agent, dotenv))
	}
	if o.UserModel != "" {
		all = append(all, o.Host.Key("the simulated user", o.UserModel, "", dotenv))
	}
	return all
}
