// Package graphql executes GraphQL requests the way GitHub does: a schema and
// resolvers go in, and requests are parsed, validated, executed and answered
// with GitHub's wordings, error codes and null propagation. It knows none of
// GitHub's objects.
//
// A request takes this way: text → document (parsed, validated and compiled
// once, then cached) → variables → execution, which writes the reply's JSON
// while it calls the resolvers.
//
// GitHub serves GraphQL with the Ruby library graphql-ruby; rules, their order
// and the wordings of errors follow that library where it differs from the
// specification. Its rule on fields that merge compares names and arguments
// but not types, which clients rely on: a query may select "state" of two
// types under one key.
package graphql

import (
	"context"
	"sync"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Limits on a request. A request beyond one of them is refused in bounded time.
const (
	// DefaultMaxQueryBytes is the longest query text, in bytes.
	DefaultMaxQueryBytes = 256 << 10
	// DefaultMaxTokens is the most tokens in a query text.
	DefaultMaxTokens = 100_000
	// DefaultMaxDefinitions is the most operations and fragments in a document.
	DefaultMaxDefinitions = 500
	// DefaultMaxDepth is the deepest nesting of fields. GraphiQL's introspection
	// query has a depth of 13.
	DefaultMaxDepth = 40
	// DefaultMaxFields is the most fields in an operation after its fragments
	// are expanded.
	DefaultMaxFields = 20_000
	// DefaultMaxAliases is the most aliased fields in an operation after its
	// fragments are expanded.
	DefaultMaxAliases = 2_000
	// DefaultMaxValues is the most fields and list items in a reply.
	DefaultMaxValues = 1_000_000
	// DefaultMaxReplyBytes is the longest reply, in bytes; one value may exceed
	// it.
	DefaultMaxReplyBytes = 32 << 20
	// DefaultMaxErrors is the most validation errors reported.
	DefaultMaxErrors = 100
)

// Options are an engine's settings. The zero value of a limit means its
// default.
type Options struct {
	// TypeOf returns the name of an object's concrete type where the schema
	// promises an interface or a union. It may be nil for a schema without
	// them.
	TypeOf func(obj any) string
	// Fallback returns the resolver of an object type's field that the resolver
	// map lacks, nil if there is none. [ConnectionField] is one.
	Fallback func(typeName, field string) Resolver
	// OnPanic, if not nil, is told of a panic in a resolver, with the place in
	// the reply. The client sees a generic message.
	OnPanic func(ctx context.Context, path []any, value any, stack []byte)
	// OnError, if not nil, is told of every error that the client sees as a
	// generic message: errors of resolvers that are no [*Error], and values
	// that do not fit the schema.
	OnError func(ctx context.Context, path []any, err error)

	// The limits, each with a default of like name.

	MaxQueryBytes  int
	MaxTokens      int
	MaxDefinitions int
	MaxDepth       int
	MaxFields      int
	MaxAliases     int
	MaxValues      int
	MaxReplyBytes  int
	MaxErrors      int
}

func (o Options) withDefaults() Options {
	for _, limit := range []struct {
		value    *int
		standard int
	}{
		{&o.MaxQueryBytes, DefaultMaxQueryBytes},
		{&o.MaxTokens, DefaultMaxTokens},
		{&o.MaxDefinitions, DefaultMaxDefinitions},
		{&o.MaxDepth, DefaultMaxDepth},
		{&o.MaxFields, DefaultMaxFields},
		{&o.MaxAliases, DefaultMaxAliases},
		{&o.MaxValues, DefaultMaxValues},
		{&o.MaxReplyBytes, DefaultMaxReplyBytes},
		{&o.MaxErrors, DefaultMaxErrors},
	} {
		if *limit.value == 0 {
			*limit.value = limit.standard
		}
	}
	return o
}

// Engine executes requests against one schema. It is safe for use by many
// goroutines.
type Engine struct {
	schema    *schema
	options   Options
	documents *cache
	// buffers are those of past executions, for reuse.
	buffers sync.Pool
}

// New returns an engine for a schema in GraphQL's schema language. Resolvers
// are named "Type.field"; one named after a field of an interface serves every
// object type that implements the interface and has no resolver of its own.
//
// The error is of kind internal. It lists every field of an object type that
// has no resolver and every resolver that names no field.
func New(sdl string, resolvers map[string]Resolver, opts Options) (*Engine, error) {
	s, err := loadSchema(sdl)
	if err != nil {
		return nil, fault.Internalf("load GraphQL schema: %w", err)
	}
	if opts.TypeOf == nil && s.hasAbstractTypes() {
		return nil, fault.Internalf("load GraphQL schema: it has interfaces or unions, so Options.TypeOf is needed")
	}
	if err := s.bind(resolvers, opts.Fallback); err != nil {
		return nil, fault.Internalf("bind GraphQL resolvers: %w", err)
	}
	return &Engine{schema: s, options: opts.withDefaults(), documents: newCache()}, nil
}

// Schema returns the engine's schema. Do not change it.
func (e *Engine) Schema() *ast.Schema { return e.schema.source }

// Query is one request.
type Query struct {
	// Text is the GraphQL document.
	Text string
	// OperationName chooses the operation in a document that has several.
	OperationName string
	// Variables are the values of the operation's variables, as encoding/json
	// decodes them, with or without UseNumber. Others are ignored.
	Variables map[string]any
	// Root is the object of the operation's fields; nil is allowed.
	Root any
}

// Execute answers a request. It ends early when ctx ends, with null as data
// and one error.
func (e *Engine) Execute(ctx context.Context, q Query) Response {
	doc := e.document(q.Text)
	if doc.fatal != nil {
		return Response{Errors: doc.fatal}
	}
	op, err := doc.operation(q.OperationName)
	if err != nil {
		return Response{Errors: []*Error{err}}
	}
	if doc.errors != nil {
		return Response{Errors: doc.errors}
	}
	vars, errs := e.schema.variables(op.variables, q.Variables)
	if errs != nil {
		return Response{Errors: errs}
	}
	if err := tooManyNodes(op, q.Variables); err != nil {
		return Response{Errors: []*Error{err}}
	}
	return e.run(ctx, op, vars, q.Root)
}

func (e *Engine) document(text string) *document {
	if doc, ok := e.documents.get(text); ok {
		return doc
	}
	doc := e.load(text)
	e.documents.put(text, doc)
	return doc
}
