package harness

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// value is what a key has, and where.
type value struct {
	file string
	line int
	key  string
	is   any
	// lines are those of the keys below, by their names from the top.
	lines map[string]int
}

// field is what a key of a mapping has.
func (v value) field(name string, is any) value {
	one := value{v.file, v.line, v.key + "." + name, is, v.lines}
	if line, known := v.lines[one.key]; known {
		one.line = line
	}
	return one
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

// provider takes a sandbox of harbor's, by its name or its class. Which names there are
// is for harbor to say: it has more with every version.
func provider(c *Config, v value) error {
	field := func(c *Config) *string { return &c.EnvProvider }
	if s, is := v.is.(string); is && strings.Contains(s, ":") {
		return class(field)(c, v)
	} else if is && !ownName.MatchString(s) {
		return v.wrong("the name of a sandbox of harbor's, such as docker, or a Python class as module:Class")
	}
	return text(field)(c, v)
}

// ownName is what a benchmark's program calls a thing of its own.
var ownName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$`)

// agent takes an agent that the benchmark's program brings along.
func agent(c *Config, v value) error {
	if s, is := v.is.(string); is && !ownName.MatchString(s) {
		return v.wrong("the name of an agent that the benchmark brings along, such as oracle of harbor")
	}
	return text(func(c *Config) *string { return &c.Agent })(c, v)
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
		one := v.field(name, fields[name])
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
			problems = append(problems, one.invalidf("unknown key %q%s", one.key, jsondoc.DidYouMean(name, []string{"policy", "epochs", "margin", "baseline"})))
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
