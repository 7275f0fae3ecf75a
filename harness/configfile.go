package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// ReadConfig reads a configuration file. The error is of kind invalid and
// names the file and the line; it is [fs.ErrNotExist] if there is no file.
func ReadConfig(path string) (Config, error) {
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Config{}, fault.Invalidf("%s is not there: write one, for example with the line `benchmark: %s`: %w", path, DefaultBenchmark, err)
	case err != nil:
		return Config{}, fault.Infraf("read configuration: %w", err)
	}
	return ParseConfig(path, data)
}

// ParseConfig reads a configuration; file is for messages. An empty one has
// all defaults.
func ParseConfig(file string, data []byte) (Config, error) {
	values, err := parseYAML(file, data)
	if err != nil {
		return Config{}, err
	}
	var problems []error
	benchmark := Config{Benchmark: DefaultBenchmark}
	for _, v := range values {
		if v.key == benchmarkKey {
			problems = append(problems, keys()[benchmarkKey](&benchmark, v))
		}
	}
	c := DefaultConfig(benchmark.Benchmark)
	c.File = file
	for _, v := range values {
		set, known := keys()[v.key]
		switch {
		case !known:
			problems = append(problems, v.invalidf("unknown key %q%s", v.key, jsondoc.DidYouMean(v.key, ConfigKeys())))
		case v.key != benchmarkKey:
			problems = append(problems, set(&c, v))
		}
	}
	problems = append(problems, c.check())
	if err := errors.Join(problems...); err != nil {
		return Config{}, err
	}
	return c, nil
}

// ConfigKeys lists the keys that a configuration may have, sorted.
func ConfigKeys() []string {
	var names []string
	for name := range keys() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// check is about keys that depend on each other.
func (c *Config) check() error {
	ports := map[int]bool{c.SystemAgentPort: true, c.UserSimPort: true, c.DBEnvPort: true}
	switch {
	case len(ports) < 3:
		return fault.Invalidf("%s: system_agent_port, user_sim_port and db_env_port are %d, %d and %d: want three different ones",
			c.File, c.SystemAgentPort, c.UserSimPort, c.DBEnvPort)
	case c.Agent != "" && c.Benchmark != TerminalBench:
		return fault.Invalidf("%s: agent is %q, and benchmark %q has no agents of its own: leave it out", c.File, c.Agent, c.Benchmark)
	case !ownAgent.MatchString(c.Agent):
		return fault.Invalidf("%s: agent is %q, want the name of one of harbor's, such as oracle; a class of yours is agent_import_path", c.File, c.Agent)
	case c.Benchmark == Command && len(c.Command) == 0:
		return fault.Invalidf("%s: benchmark %q needs a command, for example `command: [python, bench.py]`", c.File, Command)
	default:
		return nil
	}
}

// ownAgent is the name of an agent of harbor's own, or none.
var ownAgent = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9_-]{0,39})?$`)

const benchmarkKey = "benchmark"

// setter takes the value of a key into a configuration.
type setter func(*Config, value) error

// keys has every key.
func keys() map[string]setter {
	return map[string]setter{
		benchmarkKey:        text(func(c *Config) *string { return &c.Benchmark }, Benchmarks()...),
		"agent_model":       text(func(c *Config) *string { return &c.AgentModel }),
		"user_model":        text(func(c *Config) *string { return &c.UserModel }),
		"domain":            text(func(c *Config) *string { return &c.Domain }),
		"split":             part(func(c *Config) *string { return &c.Split }),
		"gate_split":        part(func(c *Config) *string { return &c.GateSplit }),
		"max_concurrency":   number(func(c *Config) *int { return &c.MaxConcurrency }, 1, math.MaxInt32),
		"threshold":         threshold,
		"reasoning_effort":  text(func(c *Config) *string { return &c.ReasoningEffort }),
		"env_provider":      provider,
		"dataset":           text(func(c *Config) *string { return &c.Dataset }),
		"mode":              text(func(c *Config) *string { return &c.Mode }, "a-interact", "c-interact", "oracle"),
		"patience":          number(func(c *Config) *int { return &c.Patience }, 0, math.MaxInt32),
		"per_task_timeout":  timeout,
		"system_agent_port": port(func(c *Config) *int { return &c.SystemAgentPort }),
		"user_sim_port":     port(func(c *Config) *int { return &c.UserSimPort }),
		"db_env_port":       port(func(c *Config) *int { return &c.DBEnvPort }),
		"bird_repo":         text(func(c *Config) *string { return &c.BirdRepo }),
		"bird_python_bin":   text(func(c *Config) *string { return &c.BirdPythonBin }),
		"bird_data_path":    text(func(c *Config) *string { return &c.BirdDataPath }),
		"pg_host":           text(func(c *Config) *string { return &c.PGHost }),
		"pg_port":           port(func(c *Config) *int { return &c.PGPort }),
		"pg_user":           text(func(c *Config) *string { return &c.PGUser }),
		"pg_password":       text(func(c *Config) *string { return &c.PGPassword }),
		"timeout_policy":    policy,

		"command":           list(func(c *Config) *[]string { return &c.Command }),
		"agent_env":         list(func(c *Config) *[]string { return &c.AgentEnv }),
		"model_key_env":     text(func(c *Config) *string { return &c.ModelKeyEnv }),
		"seed":              number(func(c *Config) *int { return &c.Seed }, 0, math.MaxInt32),
		"agent_import_path": class(func(c *Config) *string { return &c.AgentImportPath }),
		"agent":             text(func(c *Config) *string { return &c.Agent }),
		"gate":              gate,
		"jobs_dir":          text(func(c *Config) *string { return &c.JobsDir }),
		"tau2_python":       text(func(c *Config) *string { return &c.Tau2Python }),
		"harbor":            text(func(c *Config) *string { return &c.Harbor }),
	}
}

// value is what a key has, and where.
type value struct {
	file string
	line int
	key  string
	is   any
}

func (v value) invalidf(format string, args ...any) error {
	return fault.Invalidf("%s:%d: %w", v.file, v.line, fmt.Errorf(format, args...))
}

// wrong says that the value is not what is wanted. What a password is stays
// untold.
func (v value) wrong(want string) error {
	if v.key == "pg_password" {
		return v.invalidf("%s is no text: put it in quotes", v.key)
	}
	return v.invalidf("%s is %v, want %s", v.key, shown(v.is), want)
}

func shown(is any) string {
	switch is := is.(type) {
	case string:
		return fmt.Sprintf("%q", is)
	case []any:
		return "a list"
	case map[string]any:
		return "a mapping"
	default:
		return fmt.Sprint(is)
	}
}

// parseYAML returns the keys of a mapping, in order.
func parseYAML(file string, data []byte) ([]value, error) {
	tree, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, syntaxError(file, err)
	}
	if len(tree.Docs) == 0 || tree.Docs[0].Body == nil {
		return nil, nil
	}
	mapping, is := tree.Docs[0].Body.(*ast.MappingNode)
	if !is || len(tree.Docs) > 1 {
		return nil, fault.Invalidf("%s: want one mapping of keys to values, for example `benchmark: %s`", file, DefaultBenchmark)
	}
	decoded := map[string]any{}
	if err := yaml.Unmarshal(data, &decoded); err != nil {
		return nil, syntaxError(file, err)
	}
	var values []value
	for _, node := range mapping.Values {
		at := node.Key.GetToken()
		values = append(values, value{file: file, line: at.Position.Line, key: at.Value, is: decoded[at.Value]})
	}
	return values, nil
}

func syntaxError(file string, err error) error {
	var known yaml.Error
	if errors.As(err, &known) && known.GetToken() != nil {
		return fault.Invalidf("%s:%d: %s", file, known.GetToken().Position.Line, known.GetMessage())
	}
	return fault.Invalidf("%s: %w", file, err)
}

// text takes a text, one of those allowed if there are any; null leaves the
// default.
func text(field func(*Config) *string, allowed ...string) setter {
	return func(c *Config, v value) error {
		s, is := v.is.(string)
		switch {
		case v.is == nil:
		case len(allowed) > 0 && (!is || !slices.Contains(allowed, s)):
			return v.wrong("one of " + strings.Join(allowed, ", ") + jsondoc.DidYouMean(s, allowed))
		case !is:
			return v.wrong("a text; put it in quotes")
		default:
			*field(c) = s
		}
		return nil
	}
}

// part takes the name of a split; null is the whole dataset.
func part(field func(*Config) *string) setter {
	return func(c *Config, v value) error {
		if v.is == nil {
			*field(c) = WholeDataset
			return nil
		}
		if v.is == "" {
			return v.wrong("the name of a split, or null for the whole dataset")
		}
		return text(field)(c, v)
	}
}

// whole returns a whole number of the range; null is ok and none.
func (v value) whole(least, most int64) (n int64, given bool, err error) {
	switch is := v.is.(type) {
	case nil:
		return 0, false, nil
	case int64:
		n = is
	case uint64:
		n = int64(min(is, math.MaxInt64))
	default:
		return 0, false, v.wrong(fmt.Sprintf("a whole number from %d to %d", least, most))
	}
	if n < least || n > most {
		return 0, false, v.wrong(fmt.Sprintf("a whole number from %d to %d", least, most))
	}
	return n, true, nil
}

func number(field func(*Config) *int, least, most int64) setter {
	return func(c *Config, v value) error {
		n, given, err := v.whole(least, most)
		if given {
			*field(c) = int(n)
		}
		return err
	}
}

func port(field func(*Config) *int) setter { return number(field, 1, math.MaxUint16) }

// timeout takes seconds.
func timeout(c *Config, v value) error {
	n, given, err := v.whole(1, math.MaxInt32)
	if given {
		c.PerTaskTimeout = time.Duration(n) * time.Second
	}
	return err
}

func threshold(c *Config, v value) error {
	var share float64
	switch is := v.is.(type) {
	case nil:
		return nil
	case float64:
		share = is
	case uint64:
		share = float64(is)
	default:
		return v.wrong("a number from 0 to 1")
	}
	if !(share >= 0 && share <= 1) {
		return v.wrong("a number from 0 to 1")
	}
	c.Threshold = share
	return nil
}

func policy(c *Config, v value) error {
	name := string(c.TimeoutPolicy)
	err := text(func(*Config) *string { return &name }, string(ChargeAgent), string(BlameInfrastructure))(c, v)
	c.TimeoutPolicy = TimeoutPolicy(name)
	return err
}

// class takes a Python class.
func class(field func(*Config) *string) setter {
	return func(c *Config, v value) error {
		if s, is := v.is.(string); is {
			module, name, ok := strings.Cut(s, ":")
			if !ok || module == "" || name == "" {
				return v.wrong("a Python class as module:Class")
			}
		}
		return text(field)(c, v)
	}
}

func provider(c *Config, v value) error {
	field := func(c *Config) *string { return &c.EnvProvider }
	if s, is := v.is.(string); is && strings.Contains(s, ":") {
		return class(field)(c, v)
	}
	return text(field, providers()...)(c, v)
}

// providers are harbor's sandboxes, as of its version 0.22.
func providers() []string {
	return []string{
		DefaultEnvProvider, "daytona", "docker", "modal", "runloop", "langsmith", "ec2", "gke", "ack", "openshift", "novita", "apple-container",
		"singularity", "islo", "tensorlake", "cwsandbox", "wandb", "use-computer", "cua-cloud", "blaxel", "opensandbox", "beam", "skypilot",
		"hf-sandbox", "hyperbrowser", "vercel",
	}
}

// list takes texts; one alone is a list of one.
func list(field func(*Config) *[]string) setter {
	return func(c *Config, v value) error {
		if s, is := v.is.(string); is {
			*field(c) = []string{s}
			return nil
		}
		items, is := v.is.([]any)
		if !is && v.is != nil {
			return v.wrong("a list of texts")
		}
		for _, item := range items {
			s, is := item.(string)
			if !is {
				return v.invalidf("%s has %s in it, want a list of texts; put it in quotes", v.key, shown(item))
			}
			*field(c) = append(*field(c), s)
		}
		return nil
	}
}

// gate takes how the gate decides.
func gate(c *Config, v value) error {
	fields, is := v.is.(map[string]any)
	if v.is == nil {
		return nil
	}
	if !is {
		return v.wrong("a mapping, for example {policy: evidence}")
	}
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		one := value{v.file, v.line, "gate." + name, fields[name]}
		switch name {
		case "policy":
			policy := string(c.Gate.Policy)
			problems = append(problems, text(func(*Config) *string { return &policy }, string(GateSeed), string(GateEvidence))(c, one))
			c.Gate.Policy = GatePolicy(policy)
		case "epochs":
			problems = append(problems, epochs(c, one))
		case "margin":
			problems = append(problems, margin(c, one))
		case "baseline":
			problems = append(problems, text(func(c *Config) *string { return &c.Gate.Baseline })(c, one))
		default:
			problems = append(problems, v.invalidf("unknown key %q%s", one.key, jsondoc.DidYouMean(name, []string{"policy", "epochs", "margin", "baseline"})))
		}
	}
	return errors.Join(problems...)
}

var epochsForm = regexp.MustCompile(`^[1-9][0-9]*(\.\.[1-9][0-9]*)?$`)

// epochs takes a number, or two as "2..10".
func epochs(c *Config, v value) error {
	written := fmt.Sprint(v.is)
	if v.is != nil && !epochsForm.MatchString(written) {
		return v.wrong("a whole number, or two as 2..10")
	}
	if v.is != nil {
		c.Gate.Epochs = written
	}
	return nil
}

// margin takes percentage points.
func margin(c *Config, v value) error {
	var points float64
	switch is := v.is.(type) {
	case nil:
		return nil
	case float64:
		points = is
	case uint64:
		points = float64(is)
	}
	if !(points > 0 && points < 100) {
		return v.wrong("a number of percentage points above 0 and below 100")
	}
	c.Gate.MarginPoints = points
	return nil
}
