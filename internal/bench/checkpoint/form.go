package checkpoint

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jq"
)

//go:embed forms
var formFiles embed.FS

// form is a read that ships with the program: one step, written as it is in a
// scenario, or several in order.
type form struct {
	Only  step   `yaml:",inline"`
	Steps []step `yaml:"reads"`
	// JQ makes the answer out of that of the one step, or out of an object with
	// the answers of the steps by their names. No value means that the thing is
	// not there. It may use what forms/defs.jq defines.
	JQ string `yaml:"jq"`

	// defs are the definitions.
	defs   string
	answer *jq.Program
}

// step is a request of a form.
type step struct {
	// As is the name of its answer among those of several steps.
	As string `yaml:"as"`
	// Input is jq that makes the step's input, applied to the answers so far. No
	// value means that the step is left out, and its answer null. Empty means
	// the form's input. As everywhere, $input is that one.
	Input string `yaml:"input"`
	// The others are those of [bench.Read]. Its variables are the fields of the
	// input, of which GitHub takes those that the query declares.
	Query  string `yaml:"query"`
	Path   string `yaml:"path"`
	Accept string `yaml:"accept"`
	Pages  int    `yaml:"pages"`

	input *jq.Program
}

// The variables that jq has here: the input, and the number of the next page of
// a REST list of which one page was read, null without one.
const (
	inputVariable = "$input"
	nextVariable  = "$next"
)

// readVariables are those of every program of a read.
func readVariables() []string { return []string{inputVariable, nextVariable} }

// forms are the reads that ship with the program, by name. Tests hold that they
// can be read.
var forms = sync.OnceValue(func() map[string]*form {
	all, err := readForms(formFiles)
	if err != nil {
		panic(fmt.Sprintf("checkpoint: %v", err))
	}
	return all
})

// definitions is the file of what the expressions of forms have in common.
const definitions = "forms/defs.jq"

// readForms reads the forms of all files, by name.
func readForms(files fs.FS) (map[string]*form, error) {
	defs, err := fs.ReadFile(files, definitions)
	if err != nil {
		return nil, err
	}
	// The pattern is a right one.
	names, _ := fs.Glob(files, "forms/*.yaml")
	all := map[string]*form{}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		var some map[string]*form
		if err := yaml.UnmarshalWithOptions(text, &some, yaml.Strict()); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for task, f := range some {
			f.defs = string(defs)
			if err := f.compile(); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", name, task, err)
			}
		}
		maps.Copy(all, some)
	}
	return all, nil
}

func (f *form) compile() (err error) {
	if f.Steps == nil {
		f.Steps = []step{f.Only}
	}
	f.answer, err = jq.CompileWith(f.defs, orNull(f.JQ), readVariables()...)
	for i, s := range f.Steps {
		if s.Input != "" && err == nil {
			f.Steps[i].input, err = jq.CompileWith(f.defs, orNull(s.Input), readVariables()...)
		}
	}
	return err
}

// orNull gives null where an expression gives no value.
func orNull(source string) string { return "first((" + source + "), null)" }

// Tasks returns the names of the reads that ship with the program, sorted.
func Tasks() []string { return slices.Sorted(maps.Keys(forms())) }

// form answers a read that ships with the program.
func (r *GitHubReader) form(ctx context.Context, task string, given map[string]any) (any, error) {
	f, known := forms()[task]
	if !known {
		return nil, fault.Invalidf("verification task %q is unknown: use one of %s", task, strings.Join(Tasks(), ", "))
	}
	input, err := jq.Plain(given)
	if err != nil {
		return nil, err
	}
	answers := map[string]any{}
	var whole any = answers
	var next any
	for _, s := range f.Steps {
		var answer any
		answer, next, err = r.step(ctx, s, input, answers)
		if err != nil {
			return nil, err
		}
		if s.As == "" {
			whole = answer
		}
		answers[s.As] = answer
	}
	return f.answer.Run(ctx, whole, input, next)
}

// step makes a request of a form.
func (r *GitHubReader) step(ctx context.Context, s step, given any, answers map[string]any) (answer, next any, err error) {
	own := given
	if s.input != nil {
		if own, err = s.input.Run(ctx, answers, given, nil); own == nil {
			return nil, nil, err
		}
	}
	input, _ := own.(map[string]any)
	read := s.read()
	read.Variables = present(input)
	if read.Path, err = FillPath(s.Path, func(reference string) (any, error) {
		return input[strings.TrimPrefix(reference, "input.")], nil
	}); err != nil {
		return nil, nil, err
	}
	return r.ask(ctx, read)
}

// read is the request, with references where the input's fields will be.
func (s step) read() bench.Read {
	return bench.Read{Query: s.Query, Path: s.Path, Accept: s.Accept, Pages: s.Pages}
}

// present returns the fields of an input that are not null: a variable that is
// not given has its default.
func present(input map[string]any) map[string]any {
	given := maps.Clone(input)
	maps.DeleteFunc(given, func(_ string, value any) bool { return value == nil })
	return given
}
