package githubschema

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// Query is what is known of a GraphQL document with one operation.
type Query struct {
	// Problems are why GitHub would refuse it, in the order of the text. With
	// any, the rest is empty.
	Problems []Problem
	// Mutation is true for an operation that changes something.
	Mutation bool
	// Variables are those that the operation declares; one with a default, or
	// that may be null, is optional.
	Variables []Field
	// Data is the shape of "data" in the answer.
	Data *Shape
}

// Problem is a reason why GitHub would refuse a document.
type Problem struct {
	// Line and Column count from 1; 0 where the document as a whole is meant.
	Line, Column int
	Message      string
}

// String returns the place and the message, as in "2:15: Cannot query …".
func (p Problem) String() string {
	if p.Line == 0 {
		return p.Message
	}
	return fmt.Sprintf("%d:%d: %s", p.Line, p.Column, p.Message)
}

// Access is what an operation may do.
type Access bool

// Reads are queries alone; with Writes mutations are allowed too.
const (
	Reads  Access = false
	Writes Access = true
)

// Limits of GitHub on one request.
const (
	// MaxPage is the most nodes of one page of a connection.
	MaxPage = 100
	// MaxNodes is the most nodes that a request may ask for, all pages of its
	// connections full.
	MaxNodes = 500_000
)

// Limits on a document that is looked at, against ones made to keep a checker
// busy.
const (
	maxQueryBytes  = 256 << 10
	maxQueryTokens = 50_000
	// maxSelected is the most fields, after fragments are expanded.
	maxSelected = 20_000
)

// CheckQuery compares a document with GitHub's schema and limits. It must have
// exactly one operation, and one that access allows.
//
// Whether fields can be merged is not checked: GitHub answers queries that
// select the same key of several types with different types of value.
func CheckQuery(text string, access Access) Query {
	if len(text) > maxQueryBytes {
		return refused(Problem{Message: fmt.Sprintf("The query has %d bytes, and %d are read at most.", len(text), maxQueryBytes)})
	}
	document, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, maxQueryTokens)
	if err != nil {
		return refused(problemOf(gqlerror.WrapIfUnwrapped(err)))
	}
	if len(document.Operations) != 1 {
		return refused(Problem{Message: fmt.Sprintf("The document has %d operations, want one.", len(document.Operations))})
	}
	operation := document.Operations[0]
	if operation.Operation != ast.Query && (operation.Operation != ast.Mutation || access != Writes) {
		return refused(problemAt(operation.Position, "This is a %s, and only queries read.", operation.Operation))
	}
	schema := GraphQL()
	var problems []Problem
	for _, err := range validator.ValidateWithRules(schema, document, queryRules()) {
		problems = append(problems, problemOf(err))
	}
	if len(problems) > 0 {
		return refused(problems...)
	}
	s := shaper{schema: schema, operation: operation}
	out := Query{Mutation: operation.Operation == ast.Mutation, Data: s.operationData(), Variables: variables(schema, operation)}
	if len(s.problems) > 0 {
		return refused(s.problems...)
	}
	return out
}

func queryRules() *rules.Rules {
	all := rules.NewDefaultRules()
	all.RemoveRule(rules.OverlappingFieldsCanBeMergedRule.Name)
	return all
}

func refused(problems ...Problem) Query {
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return Query{Problems: slices.Compact(problems)}
}

func problemOf(err *gqlerror.Error) Problem {
	p := Problem{Message: err.Message}
	if len(err.Locations) > 0 {
		p.Line, p.Column = err.Locations[0].Line, err.Locations[0].Column
	}
	return p
}

func problemAt(at *ast.Position, format string, args ...any) Problem {
	return Problem{Line: at.Line, Column: at.Column, Message: fmt.Sprintf(format, args...)}
}

// variables returns those that an operation declares.
func variables(schema *ast.Schema, operation *ast.OperationDefinition) []Field {
	var out []Field
	for _, v := range operation.VariableDefinitions {
		out = append(out, Field{Name: v.Variable, Optional: !v.Type.NonNull || v.DefaultValue != nil, Shape: input(schema, v.Type)})
	}
	return out
}

// input returns the shape of an input type. No input object of GitHub's is a
// part of itself, and no field that must be there has a default.
func input(schema *ast.Schema, t *ast.Type) *Shape {
	definition := schema.Types[t.Name()]
	if definition.Kind != ast.InputObject {
		return wrapped(t, leaf(definition))
	}
	fields := map[string]Field{}
	for _, f := range definition.Fields {
		fields[f.Name] = Field{f.Name, !f.Type.NonNull, input(schema, f.Type)}
	}
	return wrapped(t, &Shape{Kind: Object, Fields: sortedFields(fields)})
}

func sortedFields(fields map[string]Field) []Field {
	return slices.SortedFunc(maps.Values(fields), func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
}
