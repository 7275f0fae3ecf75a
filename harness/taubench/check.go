package taubench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/fault"
)

var _ harness.Checker = (*Runner)(nil)

// Check looks for the keys of the models that are sure to be asked, and has the driver import tau2 and the agent
// and look for the tasks.
func (r *Runner) Check(ctx context.Context, taskIDs []string, thorough bool) []harness.Check {
	o := r.options
	checks := []harness.Check{o.Host.CheckProgram("Python", r.python, "tau2_python")}
	dotenv := filepath.Join(o.Host.Path("."), ".env")
	if o.OwnAgent != "" || o.Agent.Named {
		checks = append(checks, o.Host.AgentKey(o.Agent, dotenv))
	}
	if user, said := o.Settings["user"]; !said || user == "user_simulator" {
		checks = append(checks, o.Host.Key("the simulated user", o.UserModel, "", dotenv))
	}
	if !thorough || harness.FirstProblem(checks) != nil {
		return checks
	}
	ids, err := r.look(ctx, taskIDs)
	return append(checks, harness.Check{Name: "tau2", Detail: fmt.Sprintf("%d tasks of domain %s, split %s", len(ids), o.Domain, o.Split), Err: err})
}

var _ harness.Lister = (*Runner)(nil)

// Tasks returns those of a split.
func (r *Runner) Tasks(ctx context.Context, split string) ([]string, error) {
	of := *r
	of.options.Split = split
	return of.look(ctx, nil)
}

// look has the driver begin a run of the tasks, nil for all, and end it before the first
// one. It returns which they are.
func (r *Runner) look(ctx context.Context, taskIDs []string) ([]string, error) {
	o := r.options
	quiet := o.Host
	quiet.Planned, quiet.Observe, quiet.Log = nil, nil, nil
	log := quiet.Stream("")
	defer log.Close()
	e := &events{host: quiet, redact: quiet.Redactor(), results: harness.Results{}}
	told, err := r.request(distinct(taskIDs), "", true)
	if err == nil {
		err = r.drive(ctx, told, e, log)
	}
	if e.failed != "" {
		err = errors.New(e.failed)
	}
	switch {
	case e.refused != nil:
		return nil, e.refusal(o.Domain, o.Split)
	case err != nil:
		return nil, fault.Invalidf("%s cannot run tau2: %s", r.python, o.Host.Redact(err.Error()))
	case len(e.ids) == 0:
		return nil, fault.Invalidf("split %q of tau-bench's domain %s has no tasks: name another one", o.Split, o.Domain)
	}
	return e.ids, nil
}
