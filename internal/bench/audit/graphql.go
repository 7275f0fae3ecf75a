package audit

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/ghx-dev/bench-action/internal/githubschema"
	"github.com/ghx-dev/bench-action/internal/jq"
)

// inputArgument is the one argument that GitHub's mutations have.
const inputArgument = "input"

// maxTokens bounds a document that is read.
const maxTokens = 50_000

// mutations returns what the body of a request to the GraphQL API does, nil
// where it is no mutation or one of another form than GitHub's.
func mutations(body []byte) []act {
	var sent struct {
		Query     string `json:"query"`
		Variables any    `json:"variables"`
	}
	if json.Unmarshal(body, &sent) != nil {
		return nil
	}
	// The variables once more, with whole numbers as such.
	whole, _ := jq.Decode(body)
	given, _ := whole.(map[string]any)["variables"].(map[string]any)
	document, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: sent.Query}, maxTokens)
	if err != nil || len(document.Operations) != 1 || document.Operations[0].Operation != ast.Mutation {
		return nil
	}
	scope := variables{given: given, declared: document.Operations[0].VariableDefinitions}
	var acts []act
	for _, selection := range document.Operations[0].SelectionSet {
		field, is := selection.(*ast.Field)
		switch {
		case is && strings.HasPrefix(field.Name, "__"):
		case !is || inputType(field.Name) == "":
			return nil
		default:
			a := act{operation: mutationPrefix + field.Name, shape: inputShape(field.Name)}
			if argument := field.Arguments.ForName(inputArgument); argument != nil {
				a.input, _ = scope.value(argument.Value)
			}
			acts = append(acts, a)
		}
	}
	return acts
}

// variables are those of an operation.
type variables struct {
	given    map[string]any
	declared ast.VariableDefinitionList
}

// value evaluates what is written in a document. It is not there if it is a
// variable that is not given.
func (v variables) value(written *ast.Value) (value any, there bool) {
	switch written.Kind {
	case ast.Variable:
		if value, there = v.given[written.Raw]; there {
			return value, true
		}
		if d := v.declared.ForName(written.Raw); d != nil && d.DefaultValue != nil {
			return v.value(d.DefaultValue)
		}
		return nil, false
	case ast.ListValue:
		list := []any{}
		for _, child := range written.Children {
			if one, there := v.value(child.Value); there {
				list = append(list, one)
			}
		}
		return list, true
	case ast.ObjectValue:
		object := map[string]any{}
		for _, child := range written.Children {
			if one, there := v.value(child.Value); there {
				object[child.Name] = one
			}
		}
		return object, true
	default:
		// Of a literal that was parsed.
		value, _ = written.Value(nil)
		return value, true
	}
}

// inputType returns the type of a mutation's input, empty for one that GitHub
// does not have.
func inputType(mutation string) string {
	field := githubschema.GraphQL().Mutation.Fields.ForName(mutation)
	if field == nil {
		return ""
	}
	argument := field.Arguments.ForName(inputArgument)
	if argument == nil {
		return ""
	}
	return argument.Type.String()
}

var inputShapes sync.Map // of *githubschema.Shape, by mutation

// inputShape returns what the input of a mutation can be.
func inputShape(mutation string) *githubschema.Shape {
	if shape, known := inputShapes.Load(mutation); known {
		return shape.(*githubschema.Shape)
	}
	query := githubschema.CheckQuery(mutationText([]act{{operation: mutationPrefix + mutation}}), githubschema.Writes)
	var shape *githubschema.Shape
	if len(query.Variables) == 1 {
		shape = query.Variables[0].Shape
	}
	inputShapes.Store(mutation, shape)
	return shape
}

// mutationText writes a document that does some acts; their inputs are its
// variables.
func mutationText(acts []act) string {
	var declared, fields []string
	for i, a := range acts {
		name, _ := a.mutation()
		declared = append(declared, fmt.Sprintf("$input%d: %s", i, inputType(name)))
		fields = append(fields, fmt.Sprintf("act%d: %s(input: $input%d) { __typename }", i, name, i))
	}
	return fmt.Sprintf("mutation(%s) { %s }", strings.Join(declared, ", "), strings.Join(fields, " "))
}

func mutationBody(acts []act) []byte {
	given := map[string]any{}
	for i, a := range acts {
		given[fmt.Sprintf("input%d", i)] = a.input
	}
	return []byte(encode(map[string]any{"query": mutationText(acts), "variables": given}))
}
