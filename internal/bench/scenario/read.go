package scenario

import (
	"fmt"
	"maps"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// boundCheckpoints fills in what the reads of checkpoints, and the values that
// they expect, refer to.
func boundCheckpoints(checkpoints []bench.Checkpoint, bound map[string]any, g ground) ([]bench.Checkpoint, error) {
	filled := slices.Clone(checkpoints)
	for i, c := range filled {
		read, err := g.read(c.Look(), bound)
		if err == nil {
			c.ExpectedValue, err = g.fill(c.ExpectedValue)
		}
		if err != nil {
			return nil, fmt.Errorf("bind checkpoint %q: %w: mend the reference, or run `bench fixtures seed`", c.Name, err)
		}
		if c.Read == nil {
			c.VerificationInput = read.Input
		} else {
			c.Read = &read
		}
		filled[i] = c
	}
	return filled, nil
}

// read returns a read that can be made (rule S17): what it refers to is filled
// in. The bound inputs that a task takes are merged under its input; the inputs
// that a query declares as variables are merged under those, and its jq has all
// of them, as that of a path has.
func (g ground) read(r bench.Read, bound map[string]any) (bench.Read, error) {
	if r.Task != "" {
		return g.task(r, bound)
	}
	var err error
	if r.Input, err = normal(g.input); err != nil {
		return r, err
	}
	if r.From != "" {
		return r, nil
	}
	if r.Query == "" {
		r.Path, err = checkpoint.FillPath(r.Path, g.lookup)
		return r, err
	}
	given, err := g.object(r.Variables)
	if err != nil {
		return r, err
	}
	declared, err := declaredVariables(r.Query)
	if err != nil {
		return r, err
	}
	r.Variables = maps.Clone(r.Input)
	maps.DeleteFunc(r.Variables, func(name string, _ any) bool { return !slices.Contains(declared, name) })
	maps.Copy(r.Variables, given)
	return r, nil
}

func (g ground) task(r bench.Read, bound map[string]any) (bench.Read, error) {
	given, err := g.object(r.Input)
	if err != nil {
		return r, err
	}
	task, known := FindCapability(r.Task)
	if !known {
		return r, fault.Invalidf("%s", unknownCapability(r.Task))
	}
	r.Input = maps.Clone(bound)
	maps.DeleteFunc(r.Input, func(name string, _ any) bool {
		_, taken := task.Input[name]
		return !taken
	})
	maps.Copy(r.Input, given)
	// That nothing is missing was checked when the scenario was loaded.
	return r, fits(task.misfits(r.Input, slices.Collect(maps.Keys(task.Input))))
}

// object fills in the references of an object.
func (g ground) object(value map[string]any) (map[string]any, error) {
	own, err := normal(value)
	if err != nil {
		return nil, err
	}
	filled, err := g.fill(own)
	if err != nil {
		return nil, err
	}
	return normal(filled.(map[string]any))
}

// declaredVariables returns the names of the variables that a query declares.
func declaredVariables(query string) ([]string, error) {
	document, err := parser.ParseQuery(&ast.Source{Input: query})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, operation := range document.Operations {
		for _, variable := range operation.VariableDefinitions {
			names = append(names, variable.Variable)
		}
	}
	return names, nil
}

// read checks a read by what GitHub has published of its APIs (rule S17), and
// returns what GitHub answers to it.
func (c *checker) read(r bench.Read, at ...string) *checkpoint.Foreseen {
	if foreseen, done := c.reading(r, at); done {
		return foreseen
	}
	in := func(field string) []string { return append(slices.Clone(at), field) }
	before := len(c.problems)
	switch {
	case r.Task != "":
		c.readTask(r.Task, in("task"), r.Input, in("input"))
	case r.Query == "" && r.Path == "":
		c.problem(at, "reads nothing: want one of task, query and path")
	}
	c.references(r.Variables, in("variables")...)
	c.references(r.Path, in("path")...)
	for field, text := range map[string]string{"query": r.Query, "jq": r.JQ} {
		if bench.Reference.MatchString(text) {
			c.problem(in(field), "has a reference, which is filled in elsewhere alone: use a variable of the query, or $input in jq")
		}
	}
	if len(c.problems) > before {
		return &checkpoint.Foreseen{}
	}
	foreseen, doubts := checkpoint.Foresee(r, c.inputs(r))
	c.doubt(doubts, at)
	return foreseen
}

// doubt notes what cannot be right, below a path.
func (c *checker) doubt(doubts []checkpoint.Doubt, at []string) {
	for _, d := range doubts {
		place := append(slices.Clone(at), d.At...)
		if d.Certain {
			c.problem(place, "%s", d.Message)
		} else {
			c.warn(place, "%s", d.Message)
		}
	}
}

// inputs is what is known of the scenario's input, and of that of a read that
// ships with the program.
func (c *checker) inputs(r bench.Read) checkpoint.Inputs {
	known := checkpoint.Inputs{Given: maps.Clone(c.scenario.Input), Bound: map[string]any{}}
	if r.Task != "" {
		known.Given = maps.Clone(r.Input)
	}
	task, isTask := FindCapability(r.Task)
	for _, name := range boundNames(c.scenario.Fixture) {
		delete(known.Given, name)
		if _, taken := task.Input[name]; taken || !isTask {
			known.Bound[name] = exampleOf(name)
		}
	}
	return known
}

// exampleOf is an example of an input that is known later, of the type that
// capabilities take by that name.
func exampleOf(name string) any {
	examples := map[string]any{"integer": 1, "array": []any{"text"}, "object": map[string]any{"name": "text"}}
	for _, capability := range capabilityTable() {
		if types := capability.Input[name].Types; len(types) == 1 && examples[types[0]] != nil {
			return examples[types[0]]
		}
	}
	return "text"
}

// readTask checks a read that ships with the program, and its input. The types
// of what that refers to are known only when it is bound.
func (c *checker) readTask(task string, taskAt []string, input map[string]any, inputAt []string) {
	read, known := FindCapability(task)
	switch {
	case !known:
		c.problem(taskAt, "%s", unknownCapability(task))
		return
	case read.Mutates:
		c.problem(taskAt, "must be a read, but %s changes something", read.ID)
		return
	}
	given, bound := maps.Clone(input), boundNames(c.scenario.Fixture)
	for name, value := range input {
		text, _ := value.(string)
		if _, is := wholly(text); is && read.Input[name].Types != nil {
			delete(given, name)
			bound = append(bound, name)
		}
	}
	c.report(read, read.misfits(given, bound), inputAt)
	c.references(input, inputAt...)
}
