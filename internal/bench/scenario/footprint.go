package scenario

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/footprint"
)

// boundFootprint fills in what the allowances refer to.
func boundFootprint(allowed []bench.Allowance, g ground) ([]bench.Allowance, error) {
	var bound []bench.Allowance
	for i, a := range allowed {
		name, err := g.text(a.Name)
		if err != nil {
			return nil, fmt.Errorf("bind footprint %d: %w: mend the reference, or run `bench fixtures seed`", i, err)
		}
		a.Name = name
		if a.Fields != nil {
			if a.Fields, err = boundFields(a.Fields, g); err != nil {
				return nil, fmt.Errorf("bind footprint %d: %w: mend the reference, or run `bench fixtures seed`", i, err)
			}
		}
		bound = append(bound, a)
	}
	return bound, nil
}

// boundFields fills in what names and values of fields refer to.
func boundFields(fields map[string]any, g ground) (map[string]any, error) {
	bound := map[string]any{}
	for name, want := range fields {
		name, err := g.text(name)
		if err != nil {
			return nil, err
		}
		if bound[name], err = g.fill(want); err != nil {
			return nil, err
		}
	}
	return bound, nil
}

// footprint checks what a scenario allows to be changed (rule S12).
func (c *checker) footprint() {
	allowed := c.scenario.Footprint
	if len(allowed) == 0 && Mutates(c.scenario) && c.scenario.Assertions.Outcome() == bench.OutcomeSuccess {
		c.warn([]string{"footprint"}, "is empty, so that whatever an attempt changes fails it: `bench scenarios footprint %s` proposes what to allow", c.scenario.ID)
	}
	for i, a := range allowed {
		at := []string{"footprint", strconv.Itoa(i)}
		c.references(a.Name, append(at, "name")...)
		for field, want := range a.Fields {
			place := append(append([]string{}, at...), "fields", field)
			c.reference(field, place)
			c.references(want, place...)
			object, _ := want.(map[string]any)
			pattern, _ := object["matches"].(string)
			if _, err := regexp.Compile(pattern); err != nil {
				c.problem(place, "must be a regular expression (RE2): %v", err)
			}
		}
	}
	if i, why := footprint.GuardsNothing(allowed); why != "" {
		c.problem([]string{"footprint", strconv.Itoa(i), "name"}, "%s", why)
	}
}
