package graphql

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
)

// document is a query text after parsing, validation and compilation. It does
// not change once it is made, save for the plans that its sets remember.
type document struct {
	// fatal are errors that say nothing can be done with the text.
	fatal []*Error
	// errors are those of validation. If there are any, the operations are not
	// compiled.
	errors     []*Error
	operations []*operation
}

// operation is a query or mutation of a document.
type operation struct {
	name       string
	kind       ast.Operation
	variables  ast.VariableDefinitionList
	root       *typeDef
	set        *set
	selections ast.SelectionSet
	// fields are the names of the fields at its root.
	fields []string
}

const (
	messageNoQuery  = "A query attribute must be specified and must be a string."
	messageTooLarge = "This query is too large to execute."
)

func refused(message string) *document { return &document{fatal: []*Error{{Message: message}}} }

// load makes the document of a text.
func (e *Engine) load(text string) *document {
	if text == "" {
		return refused(messageNoQuery)
	}
	if len(text) > e.options.MaxQueryBytes {
		return refused(messageTooLarge)
	}
	source, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, e.options.MaxTokens)
	if err != nil {
		if exceedsLimit(err) {
			return refused(messageTooLarge)
		}
		return &document{fatal: []*Error{explainSyntax(text, err)}}
	}
	definitions := len(source.Operations) + len(source.Fragments)
	if definitions == 0 {
		return refused(messageNoDefinitions)
	}
	if definitions > e.options.MaxDefinitions {
		return refused(messageTooLarge)
	}
	return e.prepare(text, source)
}

// exceedsLimit reports whether the parser gave up because of a limit on tokens
// or nesting.
func exceedsLimit(err error) bool {
	e, ok := errors.AsType[*gqlerror.Error](err)
	return ok && strings.HasPrefix(e.Message, "exceeded ")
}

// prepare validates and compiles a parsed text.
func (e *Engine) prepare(text string, source *ast.QueryDocument) *document {
	doc := &document{}
	for _, op := range source.Operations {
		doc.operations = append(doc.operations, &operation{
			name: op.Name, kind: op.Operation, variables: op.VariableDefinitions, root: e.schema.root(op.Operation),
		})
	}
	if doc.errors = e.schema.validate(text, source, e.options.MaxErrors); doc.errors != nil {
		return doc
	}
	if doc.errors = e.oversized(source); doc.errors != nil {
		return doc
	}
	c := newCompiler(e.schema, source)
	for i, op := range source.Operations {
		doc.operations[i].set = newSet(c.body(op.SelectionSet))
		doc.operations[i].selections, doc.operations[i].fields = op.SelectionSet, rootFields(op.SelectionSet)
	}
	return doc
}

// operation returns the operation that a request asks for: without a name the
// only one, or the one without a name. It is nil, without an error, for a
// document that has none; such a document is not valid.
func (d *document) operation(name string) (*operation, *Error) {
	if len(d.operations) == 0 {
		return nil, nil
	}
	if name == "" && d.sameName() {
		return d.operations[0], nil
	}
	for _, op := range d.operations {
		if op.name == name {
			return op, nil
		}
	}
	if name == "" {
		return nil, &Error{Message: "An operation name is required"}
	}
	return nil, &Error{Message: fmt.Sprintf("No operation named %q", name)}
}

// sameName reports whether all operations have one name, which is wrong if there
// are several, but not for lack of a name in the request.
func (d *document) sameName() bool {
	return !slices.ContainsFunc(d.operations, func(op *operation) bool {
		return op.name != d.operations[0].name
	})
}

// root returns the type of an operation's fields, nil if the schema has none.
func (s *schema) root(kind ast.Operation) *typeDef {
	switch kind {
	case ast.Query:
		return s.query
	case ast.Mutation:
		return s.mutation
	default:
		return nil
	}
}
