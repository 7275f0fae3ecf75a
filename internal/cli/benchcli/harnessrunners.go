package benchcli

import (
	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/birdinteract"
	"github.com/ghx-dev/bench-action/harness/taubench"
	"github.com/ghx-dev/bench-action/harness/terminalbench"
)

// harnessRunners has a way to make a runner for each benchmark.
func harnessRunners() map[string]func(harnessRun) (harness.Runner, error) {
	return map[string]func(harnessRun) (harness.Runner, error){
		harness.TauBench:      tauBenchRunner,
		harness.TerminalBench: terminalBenchRunner,
		harness.BirdInteract:  birdInteractRunner,
		harness.Command:       commandRunner,
	}
}

func tauBenchRunner(r harnessRun) (harness.Runner, error) {
	c := r.config
	return taubench.New(taubench.Options{
		Host: r.host, Domain: c.Domain, Agent: r.agent(), OwnAgent: c.Agent, Settings: c.Options, UserModel: c.UserModel, Split: r.split,
		MaxConcurrency: c.MaxConcurrency, Seed: c.Seed, PerTaskTimeout: c.PerTaskTimeout, Python: c.Tau2Python,
	})
}

func terminalBenchRunner(r harnessRun) (harness.Runner, error) {
	c := r.config
	o := terminalbench.Defaults(r.host)
	o.Agent, o.Split, o.EnvProvider, o.Concurrency = r.agent(), r.split, c.EnvProvider, c.MaxConcurrency
	o.Dataset, o.AgentImportPath, o.PerTaskTimeout, o.JobsDir = c.Dataset, c.AgentImportPath, c.PerTaskTimeout, c.JobsDir
	o.Settings = c.Options
	if c.Agent != "" {
		o.AgentImportPath = c.Agent
	}
	if c.Harbor != "" {
		o.Harbor = c.Harbor
	}
	return terminalbench.New(o)
}

func birdInteractRunner(r harnessRun) (harness.Runner, error) {
	c := r.config
	o := birdinteract.Defaults(r.host)
	o.BirdRepo, o.PythonBin, o.DataPath = c.BirdRepo, c.BirdPythonBin, c.BirdDataPath
	o.Split, o.Mode, o.Dataset, o.Patience = r.split, c.Mode, c.Dataset, c.Patience
	o.Agent, o.UserModel, o.Concurrency, o.PerTaskTimeout, o.JobsDir = r.agent(), c.UserModel, c.MaxConcurrency, c.PerTaskTimeout, c.JobsDir
	o.OwnAgent, o.Settings = c.Agent, c.Options
	// Unless one is named the model is the ADK's own.
	if !o.Agent.Named {
		o.Agent.Model = ""
		o.Agent.KeyVariables = nil
	}
	if c.ModelKeyEnv != "" {
		o.Agent.KeyVariables = []string{c.ModelKeyEnv}
	}
	o.SystemAgentPort, o.UserSimPort, o.DBEnvPort = c.SystemAgentPort, c.UserSimPort, c.DBEnvPort
	o.PGHost, o.PGPort, o.PGUser, o.PGPassword = c.PGHost, c.PGPort, c.PGUser, c.PGPassword
	return birdinteract.New(o)
}

func commandRunner(r harnessRun) (harness.Runner, error) {
	c := r.config
	return harness.NewCommand(harness.CommandOptions{
		Host: r.host, Command: c.Command, Split: r.split, MaxConcurrency: c.MaxConcurrency,
		PerTaskTimeout: c.PerTaskTimeout, Agent: r.agent(),
	})
}
