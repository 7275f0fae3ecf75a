package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/footprint"
)

const anything = "holds whatever there is, so that it guards nothing: "

// anyText are texts that have nothing in common: what matches all of them is
// taken to match any.
func anyText() []string { return []string{"", "\n", "a b-7", "é#\x00", "A\nz"} }

func matchesAnything(pattern string) bool {
	expression, err := regexp.Compile(pattern)
	return err == nil && !slices.ContainsFunc(anyText(), func(text string) bool { return !expression.MatchString(text) })
}

// holes warns of what passes whatever an attempt did (rule S12).
func (c *checker) holes() {
	for i, cp := range c.scenario.Assertions.Checkpoints {
		at := checkpointPath(i, "expected_value")
		operators, _ := cp.ExpectedValue.(map[string]any)
		_, isAny := operators["any"]
		switch {
		case cp.Condition == bench.ConditionCountGte && fmt.Sprint(cp.ExpectedValue) == "0":
			c.warn(at, anything+"a count is at least 0 anyway")
		case cp.Condition == bench.ConditionMatches && matchesAnything(fmt.Sprint(cp.ExpectedValue)):
			c.warn(at, anything+"name what the text has to be, or ask for non_empty")
		case isAny && len(operators) == 1:
			c.warn(at, `is a footprint's {"any": …}, which a checkpoint compares as it stands: name a value, or ask for non_empty`)
		}
	}
	for i, a := range c.scenario.Footprint {
		for field, want := range a.Fields {
			at := []string{"footprint", strconv.Itoa(i), "fields", field}
			operators, _ := want.(map[string]any)
			matches, is := operators[footprint.OpMatches].(string)
			switch {
			case is && matchesAnything(matches):
				c.warn(below(at, footprint.OpMatches), anything+`name what the text has to be, or write {"any": "…"}, with the reason`)
			case operators[footprint.OpAny] == true:
				c.warn(below(at, footprint.OpAny), `is a hole: %s may become anything: name what it has to be, or write {"any": "…"}, with the reason`, field)
			}
		}
	}
}
