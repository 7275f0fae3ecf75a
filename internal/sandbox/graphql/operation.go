package graphql

import (
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// Operation says what a request would do.
type Operation struct {
	// Mutation is true for mutations.
	Mutation bool
	// Name is the operation's; empty if it has none.
	Name string
	// Fields are those that it selects at its root, each once, without
	// aliases.
	Fields []string
}

// String returns kind and name, for example "mutation PullRequestMerge".
func (o Operation) String() string {
	kind := "query"
	if o.Mutation {
		kind = "mutation"
	}
	return strings.TrimSpace(kind + " " + o.Name)
}

// Operation returns the operation that a request for text and name would
// execute. It is the zero Operation for a request that is refused.
func (e *Engine) Operation(text, name string) Operation {
	doc := e.document(text)
	if doc.fatal != nil || doc.errors != nil {
		return Operation{}
	}
	op, err := doc.operation(name)
	if err != nil || op == nil {
		return Operation{}
	}
	return Operation{Mutation: op.kind == ast.Mutation, Name: op.name, Fields: op.fields}
}

// rootFields returns the names of the fields that a valid document selects at
// an operation's root, each once.
func rootFields(set ast.SelectionSet) []string {
	names, fragments := map[string]bool{}, map[string]bool{}
	var read func(ast.SelectionSet)
	read = func(set ast.SelectionSet) {
		for _, selection := range set {
			switch s := selection.(type) {
			case *ast.Field:
				names[s.Name] = true
			case *ast.InlineFragment:
				read(s.SelectionSet)
			case *ast.FragmentSpread:
				if !fragments[s.Name] {
					fragments[s.Name] = true
					read(s.Definition.SelectionSet)
				}
			}
		}
	}
	read(set)
	return slices.Sorted(maps.Keys(names))
}
