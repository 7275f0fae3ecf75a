package graphql

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// Operation says what a request would do.
type Operation struct {
	// Mutation is true for mutations.
	Mutation bool
	// Name is the operation's; empty if it has none.
	Name string
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
	return Operation{Mutation: op.kind == ast.Mutation, Name: op.name}
}
