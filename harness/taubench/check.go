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
	quiet := o.Host
	quiet.Planned, quiet.Observe, quiet.Log = nil, nil, nil
	log := quiet.Stream("")
	defer log.Close()
	e := &events{host: quiet, results: harness.Results{}}
	told, err := r.request(distinct(taskIDs), "", true)
	if err == nil {
		err = r.drive(ctx, told, e, log)
	}
	c := harness.Check{Name: "tau2", Detail: fmt.Sprintf("%d tasks of domain %s, split %s", len(e.ids), o.Domain, o.Split)}
	if e.failed != "" {
		err = errors.New(e.failed)
	}
	switch {
	case e.refused != nil:
		c.Err = e.refusal(o.Domain, o.Split)
	case err != nil:
		c.Err = fault.Invalidf("%s cannot run tau2: %s", r.python, o.Host.Redact(err.Error()))
	case len(e.ids) == 0:
		c.Err = fault.Invalidf("split %q of tau-bench's domain %s has no tasks: name another one", o.Split, o.Domain)
	}
	return append(checks, c)
}
