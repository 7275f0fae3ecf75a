package audit

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"sync"

	"github.com/ghx-dev/bench-action/internal/githubschema"
	"github.com/ghx-dev/bench-action/internal/jq"
)

// method is another way to do what an operation does, nearly.
type method struct {
	// From and To are operations.
	From string `json:"from"`
	To   string `json:"to"`
	// Params and Input are jq expressions on {params, input} of the act; without
	// one they stay.
	Params string `json:"params"`
	Input  string `json:"input"`

	params, input *jq.Program
}

//go:embed methods.json
var methodsData []byte

var methodTable = sync.OnceValue(func() []method {
	const file = "methods.json"
	var all []method
	mustRead(file, methodsData, &all)
	for i, m := range all {
		if m.Params != "" {
			all[i].params = mustCompile(file, m.Params)
		}
		if m.Input != "" {
			all[i].input = mustCompile(file, m.Input)
		}
	}
	return all
})

// of returns an act done by the method; ok is false where it cannot be.
func (m method) of(a act) (other act, ok bool) {
	params := map[string]any{}
	for name, value := range a.params {
		params[name] = value
	}
	given := map[string]any{"params": params, "input": a.input}
	other = act{operation: m.To, params: maps.Clone(a.params), input: a.input}
	if m.params != nil {
		value, err := m.params.Run(context.Background(), given)
		named, is := value.(map[string]any)
		if err != nil || !is {
			return act{}, false
		}
		for name, value := range named {
			other.params[name] = fmt.Sprint(value)
		}
	}
	if m.input != nil {
		value, err := m.input.Run(context.Background(), given)
		if err != nil {
			return act{}, false
		}
		other.input = value
	}
	return other, true
}

// methods does a write by another operation, or by an option that the write
// does not state.
func methods(right recording) []mutant {
	var made []mutant
	for i, d := range right.deeds() {
		add := func(how string, other act) {
			made = append(made, mutant{
				kind: OtherMethod, name: fmt.Sprintf("%s %d %s %s", OtherMethod, i+1, d.name(), how),
				words: "does in its place " + other.words(), does: right.doing(right.instead(d, other)), same: true,
			})
		}
		for _, m := range methodTable() {
			if m.From != d.operation {
				continue
			}
			if other, ok := m.of(d.act); ok && encode(other.input)+other.operation != encode(d.input)+d.operation {
				add("by "+other.name(), other)
			}
		}
		for _, option := range options(d.act) {
			other := d.act
			other.input = withField(d.input, option.name, option.value)
			add(fmt.Sprintf("with %s = %v", option.name, option.value), other)
		}
	}
	return made
}

// options are the values of fields that an act's input could have and does not:
// of those that choose between ways.
func options(a act) []named {
	if a.shape == nil {
		return nil
	}
	given, _ := a.input.(map[string]any)
	var all []named
	for _, f := range a.shape.Fields {
		if _, there := given[f.Name]; there || f.Shape == nil {
			continue
		}
		for _, value := range choices(f.Shape) {
			all = append(all, named{f.Name, value})
		}
	}
	return all
}

func choices(shape *githubschema.Shape) []any {
	var values []any
	switch {
	case shape.Kind == githubschema.Boolean:
		values = []any{true, false}
	case shape.Enum != nil:
		for _, value := range shape.Enum {
			values = append(values, value)
		}
	}
	return values
}

// withField returns a copy of an input with a field more.
func withField(input any, name string, value any) any {
	object, _ := input.(map[string]any)
	object = maps.Clone(object)
	if object == nil {
		object = map[string]any{}
	}
	object[name] = value
	return object
}
