package harness

import (
	"math"
	"slices"
)

const benchmarkKey = "benchmark"

// setter takes the value of a key into a configuration.
type setter func(*Config, value) error

// key is what a configuration may say.
type key struct {
	set setter
	// of are the benchmarks that it is about; none stands for all.
	of []string
}

// ownersOf lists the benchmarks that a key is about, nil for all.
func ownersOf(name string) []string { return keys()[name].of }

// isOf reports whether the key is about a benchmark.
func (k key) isOf(benchmark string) bool { return k.of == nil || slices.Contains(k.of, benchmark) }

// keys has every key.
func keys() map[string]key {
	var (
		all      []string
		tau      = []string{TauBench}
		terminal = []string{TerminalBench}
		bird     = []string{BirdInteract}
		own      = []string{Command}
		users    = []string{TauBench, BirdInteract}
		jobs     = []string{TerminalBench, BirdInteract}
		programs = []string{TauBench, TerminalBench, BirdInteract}
	)
	return map[string]key{
		benchmarkKey:        {text(func(c *Config) *string { return &c.Benchmark }, Benchmarks()...), all},
		"agent_model":       {text(func(c *Config) *string { return &c.AgentModel }), all},
		"user_model":        {text(func(c *Config) *string { return &c.UserModel }), users},
		"domain":            {text(func(c *Config) *string { return &c.Domain }), tau},
		"split":             {part(func(c *Config) *string { return &c.Split }), all},
		"gate_split":        {part(func(c *Config) *string { return &c.GateSplit }), all},
		"max_concurrency":   {number(func(c *Config) *int { return &c.MaxConcurrency }, 1, math.MaxInt32), all},
		"threshold":         {threshold, all},
		"reasoning_effort":  {text(func(c *Config) *string { return &c.ReasoningEffort }), all},
		"env_provider":      {provider, terminal},
		"dataset":           {text(func(c *Config) *string { return &c.Dataset }), jobs},
		"mode":              {text(func(c *Config) *string { return &c.Mode }, "a-interact", "c-interact", "oracle"), bird},
		"patience":          {number(func(c *Config) *int { return &c.Patience }, 0, math.MaxInt32), bird},
		"per_task_timeout":  {timeout, all},
		"system_agent_port": {port(func(c *Config) *int { return &c.SystemAgentPort }), bird},
		"user_sim_port":     {port(func(c *Config) *int { return &c.UserSimPort }), bird},
		"db_env_port":       {port(func(c *Config) *int { return &c.DBEnvPort }), bird},
		"bird_repo":         {text(func(c *Config) *string { return &c.BirdRepo }), bird},
		"bird_python_bin":   {text(func(c *Config) *string { return &c.BirdPythonBin }), bird},
		"bird_data_path":    {text(func(c *Config) *string { return &c.BirdDataPath }), bird},
		"pg_host":           {text(func(c *Config) *string { return &c.PGHost }), bird},
		"pg_port":           {port(func(c *Config) *int { return &c.PGPort }), bird},
		"pg_user":           {text(func(c *Config) *string { return &c.PGUser }), bird},
		"pg_password":       {text(func(c *Config) *string { return &c.PGPassword }), bird},
		"timeout_policy":    {policy, all},

		"command":           {list(func(c *Config) *[]string { return &c.Command }), own},
		"agent_env":         {list(func(c *Config) *[]string { return &c.AgentEnv }), all},
		"model_key_env":     {text(func(c *Config) *string { return &c.ModelKeyEnv }), all},
		"seed":              {number(func(c *Config) *int { return &c.Seed }, 0, math.MaxInt32), tau},
		"epochs":            {number(func(c *Config) *int { return &c.Epochs }, 1, MaxEpochs), all},
		"agent_import_path": {class(func(c *Config) *string { return &c.AgentImportPath }), terminal},
		"agent":             {agent, programs},
		"options":           {options, programs},
		"gate":              {gate, all},
		"jobs_dir":          {text(func(c *Config) *string { return &c.JobsDir }), jobs},
		"tau2_python":       {text(func(c *Config) *string { return &c.Tau2Python }), tau},
		"harbor":            {text(func(c *Config) *string { return &c.Harbor }), terminal},
	}
}
