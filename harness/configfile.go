package harness

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

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
	case errors.Is(err, syscall.EISDIR):
		return Config{}, fault.Invalidf("%s is a folder: name the file in it, for example with --config %s", path, filepath.Join(path, ConfigFile))
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
			problems = append(problems, keys()[benchmarkKey].set(&benchmark, v))
		}
	}
	if err := errors.Join(problems...); err != nil {
		// What other keys mean depends on it.
		return Config{}, err
	}
	c := DefaultConfig(benchmark.Benchmark)
	c.File = file
	for _, v := range values {
		key, known := keys()[v.key]
		switch {
		case !known:
			problems = append(problems, v.invalidf("unknown key %q%s", v.key, jsondoc.DidYouMean(v.key, ConfigKeys())))
		case !key.isOf(c.Benchmark):
			problems = append(problems, v.invalidf("%s is of benchmark %s, and benchmark is %q: leave it out", v.key, strings.Join(key.of, " and "), c.Benchmark))
		case v.key != benchmarkKey:
			problems = append(problems, key.set(&c, v))
		}
	}
	problems = append(problems, c.check())
	if err := errors.Join(problems...); err != nil {
		return Config{}, err
	}
	return c, nil
}

// KeyBenchmarks lists the benchmarks that a key of the configuration is about.
func KeyBenchmarks(name string) []string {
	if owners := ownersOf(name); owners != nil {
		return owners
	}
	return Benchmarks()
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
	case c.Benchmark == Command && len(c.Command) == 0:
		return fault.Invalidf("%s: benchmark %q needs a command, for example `command: [python, bench.py]`", c.File, Command)
	default:
		return nil
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
		lines := map[string]int{}
		linesBelow(node, "", lines)
		values = append(values, value{file, at.Position.Line, at.Value, decoded[at.Value], lines})
	}
	return values, nil
}

// linesBelow notes the lines of a key and of those below it, by their names from the
// top.
func linesBelow(node *ast.MappingValueNode, above string, lines map[string]int) {
	at := node.Key.GetToken()
	name := above + at.Value
	lines[name] = at.Position.Line
	switch below := node.Value.(type) {
	case *ast.MappingNode:
		for _, one := range below.Values {
			linesBelow(one, name+".", lines)
		}
	case *ast.MappingValueNode:
		linesBelow(below, name+".", lines)
	}
}

func syntaxError(file string, err error) error {
	var known yaml.Error
	if errors.As(err, &known) && known.GetToken() != nil {
		return fault.Invalidf("%s:%d: %s", file, known.GetToken().Position.Line, known.GetMessage())
	}
	return fault.Invalidf("%s: %w", file, err)
}
