package benchcli

import (
	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/command"
)

// harnessRunners has a way to make a runner for each benchmark.
func harnessRunners() map[string]func(harnessRun) (harness.Runner, error) {
	return map[string]func(harnessRun) (harness.Runner, error){
		harness.Command: commandRunner,
	}
}

func commandRunner(r harnessRun) (harness.Runner, error) {
	c := r.config
	return command.New(command.Options{
		Host: r.host, Command: c.Command, Split: r.split, MaxConcurrency: c.MaxConcurrency,
		PerTaskTimeout: c.PerTaskTimeout, Agent: r.agent(),
	})
}
