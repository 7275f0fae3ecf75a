package audit

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/footprint"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
	"github.com/ghx-dev/bench-action/scenarios"
)

// AcceptedFile is the file of a scenario folder that lists the mutants that
// pass rightly.
const AcceptedFile = "audit.json"

// Acceptance is the reason why some mutants of some scenarios pass rightly.
type Acceptance struct {
	// Scenarios are their ids. In each of them each of the mutants passes.
	Scenarios []string `json:"scenarios"`
	// Modes are those in which they pass; nil means all that have such mutants.
	Modes []bench.Mode `json:"modes,omitempty"`
	// Mutants are their names, in which * stands for any text.
	Mutants []string `json:"mutants"`
	Reason  string   `json:"reason"`
}

// covered returns those of the acceptance's names that a mutant has.
func (a Acceptance) covered(m Mutant) []string {
	if !slices.Contains(a.Scenarios, m.Scenario) || a.Modes != nil && !slices.Contains(a.Modes, m.Mode) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(a.Mutants), func(pattern string) bool { return !footprint.Matches(pattern, m.Name) })
}

var acceptedSchema = sync.OnceValue(func() *jsondoc.Schema {
	const file = "audit.schema.json"
	data, err := scenarios.Files.ReadFile(file)
	if err != nil {
		panic("audit: read schema: " + err.Error())
	}
	schema, err := jsondoc.CompileSchema(file, data)
	if err != nil {
		panic("audit: " + err.Error())
	}
	return schema
})

// LoadAccepted reads the list of a scenario folder; without the file there is
// none. The error, of kind invalid, lists all problems.
func LoadAccepted(folder fs.FS) ([]Acceptance, error) {
	data, err := fs.ReadFile(folder, AcceptedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, jsondoc.Problems{{File: AcceptedFile, Line: 1, Column: 1, Message: "cannot be read: " + err.Error()}}.Err()
	}
	doc, problems := jsondoc.Parse(AcceptedFile, data)
	if doc != nil {
		problems = append(problems, acceptedSchema().Validate(doc)...)
	}
	if len(problems) > 0 {
		return nil, problems.Err()
	}
	var file struct{ Accepted []Acceptance }
	if err := doc.Decode(&file); err != nil {
		return nil, jsondoc.Problems{{File: AcceptedFile, Line: 1, Column: 1, Message: "cannot be read: " + err.Error()}}.Err()
	}
	return file.Accepted, nil
}

// accept notes which of the mutants that passed did so rightly, and the
// acceptances that are not true.
func (r *Report) accept(o Options) {
	type line struct{ scenario, name string }
	for _, a := range o.Accepted {
		passed := map[line]bool{}
		for i := range r.Mutants {
			m := &r.Mutants[i]
			if m.Result != Passed {
				continue
			}
			for _, name := range a.covered(*m) {
				passed[line{m.Scenario, name}] = true
				if !m.Kind.Whole() {
					m.Accepted = a.Reason
				}
			}
		}
		if o.Kinds != nil || o.Modes != nil {
			continue
		}
		for _, s := range o.Scenarios {
			for _, name := range a.Mutants {
				if slices.Contains(a.Scenarios, s.ID) && !passed[line{s.ID, name}] {
					r.Problems = append(r.Problems, Problem{Scenario: s.ID, Text: AcceptedFile + " lists " + name + ", which does not pass: take it off the list"})
				}
			}
		}
	}
}

// fieldsOf lists what expected_data compares.
func fieldsOf(s bench.Scenario) []string {
	return slices.Sorted(maps.Keys(s.Assertions.ExpectedData.Fields))
}
