package harness

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// Options are settings of a benchmark's own program, by the program's names for them,
// such as max_steps of tau2 or retry.max_retries of harbor. They are passed on as they
// are.
type Options map[string]any

// Number returns a number of the options, or the default where it is not said.
func (o Options) Number(name string, otherwise float64) float64 {
	switch is := o[name].(type) {
	case float64:
		return is
	case int64:
		return float64(is)
	case uint64:
		return float64(is)
	default:
		return otherwise
	}
}

// Below returns the options whose names begin with the group's and a dot, without
// that; of the empty group those without a dot.
func (o Options) Below(group string) map[string]any {
	below := map[string]any{}
	for name, is := range o {
		first, rest, grouped := strings.Cut(name, ".")
		switch {
		case !grouped && group == "":
			below[name] = is
		case grouped && first == group:
			below[rest] = is
		}
	}
	return below
}

// Secrets are the values of environment variables among the options whose names say
// that they are secret.
func (o Options) Secrets() []string {
	var environ []string
	for name, is := range o {
		variables, _ := is.(map[string]any)
		for variable, value := range variables {
			if strings.HasSuffix(name, ".env") {
				environ = append(environ, fmt.Sprint(variable, "=", value))
			}
		}
	}
	return Host{Environ: environ}.Secrets()
}

// optionKind takes what an option has, or says what it wants.
type optionKind func(value) (any, error)

// programOptions are the settings of the programs, by benchmark. What a key of the
// configuration says is none.
func programOptions() map[string]map[string]optionKind {
	return map[string]map[string]optionKind{
		// Fields of tau2's TextRunConfig.
		TauBench: {
			"user": asText, "llm_args_agent": asMapping, "llm_args_user": asMapping, "task_set_name": asText,
			"max_steps": asWhole(1), "max_errors": asWhole(1), "max_retries": asWhole(0), "retry_delay": asNumber,
			"enforce_communication_protocol": asFlag, "hallucination_retries": asWhole(0), "log_level": asText, "verbose_logs": asFlag,
			"auto_review": asFlag, "review_mode": asText, "review_model": asText,
			"retrieval_config": asText, "retrieval_config_kwargs": asMapping,
		},
		// harbor's JobConfig, of which agent is the only one of agents and dataset the
		// only one of datasets.
		TerminalBench: {
			"timeout_multiplier": asFactor, "agent_timeout_multiplier": asFactor, "verifier_timeout_multiplier": asFactor,
			"agent_setup_timeout_multiplier": asFactor, "environment_build_timeout_multiplier": asFactor,
			"debug": asFlag, "skip_credential_checks": asFlag, "extra_instructions": asTexts, "extra_instruction_paths": asTexts,
			"retry.max_retries": asWhole(0), "retry.include_exceptions": asTexts, "retry.exclude_exceptions": asTexts,
			"retry.wait_multiplier": asFactor, "retry.min_wait_sec": asNumber, "retry.max_wait_sec": asNumber,
			"agent.kwargs": asMapping, "agent.env": asMapping, "agent.base_url": asText, "agent.model_api_key_name": asText,
			"agent.model_api_format": asText, "agent.skip_model_parsing": asFlag, "agent.n_concurrent": asWhole(1), "agent.skills": asTexts,
			"agent.override_timeout_sec": asFactor, "agent.override_setup_timeout_sec": asFactor, "agent.extra_allowed_hosts": asTexts,
			"agent.mcp_servers": asAnything, "agent.resume_trajectory": asFlag, "agent.include_logs": asTexts, "agent.exclude_logs": asTexts,
			"environment.kwargs": asMapping, "environment.env": asMapping, "environment.force_build": asFlag, "environment.delete": asFlag,
			"environment.override_cpus": asFactor, "environment.override_memory_mb": asWhole(1), "environment.override_storage_mb": asWhole(1),
			"environment.override_gpus": asWhole(0), "environment.cpu_enforcement_policy": asText, "environment.memory_enforcement_policy": asText,
			"environment.mounts": asAnything, "environment.extra_docker_compose": asTexts, "environment.extra_allowed_hosts": asTexts,
			"verifier.env": asMapping, "verifier.kwargs": asMapping, "verifier.import_path": asText, "verifier.extra_allowed_hosts": asTexts,
			"verifier.override_timeout_sec": asFactor, "verifier.max_timeout_sec": asFactor,
			"dataset.registry_url": asText, "dataset.registry_path": asText, "dataset.overwrite": asFlag, "dataset.download_dir": asText,
			"dataset.exclude_task_names": asTexts, "dataset.n_tasks": asWhole(1),
		},
		// Settings of the ADK, which are environment variables in capitals.
		BirdInteract: {
			"llm_provider": asText, "litellm_api_base": asText, "prompt_version": asText,
			"pg_minconn": asWhole(1), "pg_maxconn": asWhole(1),
		},
	}
}

// OptionNames lists the settings that a configuration may have of a benchmark's own
// program, sorted.
func OptionNames(benchmark string) []string {
	return slices.Sorted(maps.Keys(programOptions()[benchmark]))
}

// saidByKeys are settings of programs for which the configuration has a key, or the
// command a flag.
func saidByKeys() map[string]map[string]string {
	return map[string]map[string]string{
		TauBench: {
			"domain": "domain", "agent": "agent", "llm_agent": "agent_model", "llm_user": "user_model", "task_split_name": "split", "num_trials": "epochs",
			"max_concurrency": "max_concurrency", "seed": "seed", "timeout": "per_task_timeout", "task_ids": "--task-ids", "num_tasks": "--task-ids",
			"save_to": "--output-dir", "auto_resume": "--resume",
		},
		TerminalBench: {
			"n_attempts": "epochs", "n_concurrent_trials": "max_concurrency", "agent.name": "agent", "agent.import_path": "agent_import_path",
			"agent.model_name": "agent_model", "agent.max_timeout_sec": "per_task_timeout", "environment.type": "env_provider",
			"environment.import_path": "env_provider", "dataset.name": "dataset", "dataset.path": "dataset", "dataset.version": "dataset",
			"dataset.ref": "dataset", "dataset.task_names": "--task-ids", "jobs_dir": "jobs_dir", "job_name": "--output-dir",
		},
		BirdInteract: {
			"patience": "patience", "dataset": "dataset", "system_agent_model": "agent_model", "user_sim_model": "user_model", "pg_host": "pg_host",
			"pg_port": "pg_port", "pg_user": "pg_user", "pg_password": "pg_password", "system_agent_port": "system_agent_port",
			"user_sim_port": "user_sim_port", "db_env_port": "db_env_port", "concurrency": "max_concurrency", "mode": "mode", "litellm_api_key": "model_key_env",
		},
	}
}

// options takes the settings of the benchmark's program. A name with a dot may be
// written as a mapping in a mapping.
func options(c *Config, v value) error {
	fields, is := v.is.(map[string]any)
	if v.is == nil {
		return nil
	}
	if !is {
		return v.wrong("a mapping of the program's own settings, for example {max_steps: 100}")
	}
	c.Options = Options{}
	return v.eachOption(c, programOptions()[c.Benchmark], "", fields)
}

// eachOption takes the options below a name, which is empty for all.
func (v value) eachOption(c *Config, known map[string]optionKind, below string, fields map[string]any) error {
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		one, full := v.field(name, fields[name]), name
		if below != "" {
			full = below + "." + name
		}
		nested, isMapping := one.is.(map[string]any)
		take, is := known[full]
		switch {
		case is && one.is == nil:
		case is:
			taken, err := take(one)
			if err == nil {
				c.Options[full] = taken
			}
			problems = append(problems, err)
		case isMapping && isGroup(known, full):
			problems = append(problems, one.eachOption(c, known, full, nested))
		default:
			problems = append(problems, one.unknownOption(c.Benchmark, full, known))
		}
	}
	return errors.Join(problems...)
}

// isGroup reports whether options have names below this one.
func isGroup(known map[string]optionKind, name string) bool {
	for other := range known {
		if strings.HasPrefix(other, name+".") {
			return true
		}
	}
	return false
}

// unknownOption says of a setting that the benchmark's program does not have what has
// it.
func (v value) unknownOption(benchmark, name string, known map[string]optionKind) error {
	if key := saidByKeys()[benchmark][name]; strings.HasPrefix(key, "--") {
		return v.invalidf("%s is what the flag %s says: leave it out", v.key, key)
	} else if key != "" {
		return v.invalidf("%s is what the key %s says: write that one", v.key, key)
	}
	for _, other := range Benchmarks() {
		_, is := programOptions()[other][name]
		_, said := saidByKeys()[other][name]
		if is || said || isGroup(programOptions()[other], name) {
			return v.invalidf("%s is of benchmark %s, and benchmark is %q: leave it out", v.key, other, benchmark)
		}
	}
	return v.invalidf("%s is none of the settings of %s%s", v.key, benchmark, jsondoc.DidYouMean(name, slices.Collect(maps.Keys(known))))
}

func asAnything(v value) (any, error) { return v.is, nil }

func asText(v value) (any, error) {
	if _, is := v.is.(string); !is {
		return nil, v.wrong("a text; put it in quotes")
	}
	return v.is, nil
}

func asFlag(v value) (any, error) {
	if _, is := v.is.(bool); !is {
		return nil, v.wrong("true or false")
	}
	return v.is, nil
}

func asTexts(v value) (any, error) {
	var taken []string
	err := list(func(*Config) *[]string { return &taken })(nil, v)
	return taken, err
}

func asMapping(v value) (any, error) {
	if _, is := v.is.(map[string]any); !is {
		return nil, v.wrong("a mapping of names to values")
	}
	return v.is, nil
}

// asWhole takes a whole number from least.
func asWhole(least int64) optionKind {
	const most = 1 << 30
	return func(v value) (any, error) {
		n, _, err := v.whole(least, most)
		return n, err
	}
}

// asNumber takes a number from 0.
func asNumber(v value) (any, error) {
	if n, is := v.number(); is && n >= 0 {
		return n, nil
	}
	return nil, v.wrong("a number from 0")
}

// asFactor takes a number above 0.
func asFactor(v value) (any, error) {
	if n, is := v.number(); is && n > 0 {
		return n, nil
	}
	return nil, v.wrong("a number above 0")
}

// number returns a number that is finite.
func (v value) number() (n float64, is bool) {
	const most = 1e9
	n = Options{"": v.is}.Number("", most+1)
	return n, n <= most
}
