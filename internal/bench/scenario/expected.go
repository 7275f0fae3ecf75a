package scenario

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/envelope"
)

// TruthVariables are the names of what an expression about the truth may use
// besides what was read: the scenario's input, the manifest's repository and
// resources, and the login of the agent's account.
func TruthVariables() []string { return []string{"$input", "$repo", "$resources", "$agent"} }

// boundExpectedData fills in what the read of the truth refers to.
func boundExpectedData(e *bench.ExpectedData, bound map[string]any, g ground) (*bench.ExpectedData, error) {
	if e == nil {
		return nil, nil
	}
	filled := *e
	var err error
	if filled.Read, err = g.read(e.Read, bound); err != nil {
		return nil, fmt.Errorf("bind expected_data: %w: mend the reference, or run `bench fixtures seed`", err)
	}
	return &filled, nil
}

// expectedData checks that every required field of data is compared with what
// GitHub says (rule S13).
func (c *checker) expectedData() {
	a := c.scenario.Assertions
	at := func(field ...string) []string { return append([]string{"assertions", "expected_data"}, field...) }
	e := a.ExpectedData
	switch {
	case e == nil:
		if len(a.RequiredDataFields) > 0 {
			c.warn([]string{"assertions"}, "lacks expected_data, so that %s may be made up: compare them with what the verifier reads", strings.Join(a.RequiredDataFields, ", "))
		}
		return
	case a.Outcome() == bench.OutcomeError:
		c.problem(at(), "goes with the expected outcome success alone: an error has no data")
		return
	}
	foreseen := c.read(e.Read, at("read")...)
	for _, field := range slices.Sorted(maps.Keys(e.Fields)) {
		_, doubts := foreseen.Try(e.Fields[field], TruthVariables(), c.truthExamples())
		for _, d := range doubts {
			d.At = nil
			c.doubt([]checkpoint.Doubt{d}, at("fields", field))
		}
	}
	for _, field := range a.RequiredDataFields {
		if _, compared := e.Fields[field]; !compared && e.Fields[envelope.Whole] == "" {
			c.problem(at("fields"), "lacks %q, which is a required data field: what is not compared may be made up", field)
		}
	}
	for _, field := range e.Ordered {
		if _, known := e.Fields[field]; !known {
			c.problem(at("ordered"), "names %q, which is not among the fields %s", field, slices.Sorted(maps.Keys(e.Fields)))
		}
	}
}

// numeric finds the names of a resource's fields that hold numbers.
var numeric = regexp.MustCompile(`(^|_)(number|count|line|size)$|^(database|workflow|run)_id$`)

// truthExamples are examples of the values of [TruthVariables].
func (c *checker) truthExamples() []any {
	_, made := c.made()
	resources := map[string]any{}
	for name, fields := range made {
		resource := map[string]any{}
		for _, field := range fields {
			resource[field] = "text"
			if numeric.MatchString(field) {
				resource[field] = 1
			}
		}
		resources[name] = resource
	}
	return []any{
		c.inputs(bench.Read{}).Example(), map[string]any{"owner": "text", "name": "text", "full_name": "text", "default_branch": "text"}, resources, "text",
	}
}
