package checkpoint

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/githubschema"
)

// CheckForm returns what is wrong with a read that ships with the program, and
// the example of its answer.
func CheckForm(task string) (wrong []string, example any) {
	f := forms()[task]
	answers := map[string]any{}
	var whole any = answers
	for _, s := range f.Steps {
		if s.Query == "" && s.Path == "" {
			wrong = append(wrong, "a step asks nothing")
		}
		answer, doubts := s.foresee()
		for _, d := range doubts {
			wrong = append(wrong, fmt.Sprint(d.At, d.Message))
		}
		if answer == nil {
			continue
		}
		if s.As == "" {
			whole = answer.marked
		}
		answers[s.As] = answer.marked
	}
	_, _, err := f.trial(func(object map[string]any, field string) {
		if d, is := lacking(object, field); is {
			wrong = append(wrong, d.Message)
		}
	}).Run(context.Background(), whole)
	if err != nil {
		wrong = append(wrong, err.Error())
	}
	return wrong, foreseenForms()(task).value
}

// StepInputs returns the inputs that the queries and paths of a form name.
func StepInputs(task string) []string {
	var names []string
	for _, s := range forms()[task].Steps {
		for _, v := range githubschema.CheckQuery(s.Query, githubschema.Reads).Variables {
			names = append(names, v.Name)
		}
		for _, found := range bench.Reference.FindAllStringSubmatch(s.Path, -1) {
			names = append(names, found[1][len("input."):])
		}
	}
	return names
}

// ReadForms reads forms from other files than those that ship.
func ReadForms(files fs.FS) error {
	_, err := readForms(files)
	return err
}
