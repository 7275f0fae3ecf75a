package graphql

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
)

// Messages of errors whose cause the client is not told.
const (
	messageInternal = "Something went wrong while executing your query."
	messageTimeout  = "Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug."
	messageLimits   = "Resource limits for this query exceeded."
)

// execution is one request under way. It writes the reply's data while it
// calls the resolvers; where an error leaves null, what was written since is
// cut off again.
type execution struct {
	engine *Engine
	vars   map[string]any
	buf    []byte
	errs   []*Error
	path   []step
	// values counts down to the limit of fields and list items.
	values int
	// over says that the limits or the context ended the execution: the rest
	// is null, without further errors.
	over bool
	// args are those of groups with variables, each computed once.
	args map[*group]arguments
}

// step leads from a value of the reply into it: by key, or if key is empty by
// index.
type step struct {
	key   string
	index int
}

// outcome says what became of a value.
type outcome int

const (
	// written means that its JSON is in the buffer.
	written outcome = iota
	// absent means that it is null, and no error says why.
	absent
	// failed means that it is null because of an error, which is reported.
	failed
)

// keptBuffer is the largest buffer kept for reuse, in bytes.
const keptBuffer = 1 << 20

// run executes a validated operation.
func (e *Engine) run(ctx context.Context, op *operation, vars map[string]any, root any) Response {
	buffer, ok := e.buffers.Get().(*[]byte)
	if !ok {
		buffer = new([]byte)
	}
	x := execution{engine: e, vars: vars, buf: (*buffer)[:0], values: e.options.MaxValues}
	x.data(ctx, op, root)
	response := Response{Data: slices.Clone(x.buf), Errors: x.errs}
	if cap(x.buf) <= keptBuffer {
		*buffer = x.buf
		e.buffers.Put(buffer)
	}
	if ctx.Err() != nil {
		return Response{Data: []byte("null"), Errors: []*Error{{Message: messageTimeout}}}
	}
	return response
}

// data writes the reply's data. It survives panics in what is called besides
// resolvers, such as [Options.TypeOf].
func (x *execution) data(ctx context.Context, op *operation, root any) {
	defer func() {
		if cause := recover(); cause != nil {
			x.errs = append(x.errs, x.panicked(ctx, cause))
			x.buf = append(x.buf[:0], "null"...)
		}
	}()
	if x.object(ctx, op.root, op.set, root) != written {
		x.buf = append(x.buf[:0], "null"...)
	}
}

// object writes the selected fields of an object. It is written or failed.
func (x *execution) object(ctx context.Context, t *typeDef, s *set, obj any) outcome {
	x.buf = append(x.buf, '{')
	for i, g := range x.plan(s, t) {
		if i > 0 {
			x.buf = append(x.buf, ',')
		}
		x.buf = append(x.buf, g.node.quoted...)
		x.path = append(x.path, step{key: g.node.key})
		out := x.field(ctx, t, g, obj)
		x.path = x.path[:len(x.path)-1]
		if out != written {
			return failed
		}
	}
	x.buf = append(x.buf, '}')
	return written
}

// field resolves a field and writes its value.
func (x *execution) field(ctx context.Context, t *typeDef, g *group, obj any) outcome {
	if g.def == x.engine.schema.typename {
		x.buf = appendString(x.buf, t.name)
		return written
	}
	if !x.spend(ctx, g) {
		return x.null(g.def.typ, failed)
	}
	value, err := x.resolve(ctx, g, obj)
	if err != nil {
		x.fail(ctx, g, err)
		return x.null(g.def.typ, failed)
	}
	return x.complete(ctx, g.def.typ, g, value)
}

// null writes null where the type allows it, and otherwise hands the outcome
// on to the enclosing value.
func (x *execution) null(t *typeRef, out outcome) outcome {
	if t.nonNull {
		return out
	}
	x.buf = append(x.buf, "null"...)
	return written
}

// spend takes a field or list item off the limits. It reports false when the
// execution is over.
func (x *execution) spend(ctx context.Context, g *group) bool {
	if x.over {
		return false
	}
	x.values--
	if ctx.Err() != nil {
		x.over = true
	} else if x.values < 0 || len(x.buf) > x.engine.options.MaxReplyBytes {
		x.report(g, &Error{Type: TypeResourceLimits, Message: messageLimits})
		x.over = true
	}
	return !x.over
}

// resolve calls a field's resolver with its arguments.
func (x *execution) resolve(ctx context.Context, g *group, obj any) (value any, err error) {
	args, denied := x.argumentsOf(g)
	if denied != nil {
		return nil, &Error{Message: fmt.Sprintf("`null` is not a valid input for `%s`, please provide a value for this argument.", denied.text)}
	}
	if g.def.connection {
		if err := x.checkPage(g, args); err != nil {
			return nil, err
		}
	}
	defer func() {
		if cause := recover(); cause != nil {
			err = x.panicked(ctx, cause)
		}
	}()
	return g.def.resolve(ctx, Request{Object: obj, Args: args, execution: x, group: g})
}

// panicked reports a panic and returns the error that the client sees.
func (x *execution) panicked(ctx context.Context, cause any) *Error {
	if x.engine.options.OnPanic != nil {
		x.engine.options.OnPanic(ctx, x.place(), cause, debug.Stack())
	}
	return &Error{Message: messageInternal}
}

// fail reports an error of a resolver, or of the engine, at the current place.
func (x *execution) fail(ctx context.Context, g *group, err error) {
	if own, ok := errors.AsType[*Error](err); ok {
		x.report(g, own)
		return
	}
	if ctx.Err() != nil {
		x.over = true
		return
	}
	if x.engine.options.OnError != nil {
		x.engine.options.OnError(ctx, x.place(), err)
	}
	x.report(g, &Error{Message: messageInternal})
}

// report adds an error to the reply, with the current place unless it names
// another one.
func (x *execution) report(g *group, err *Error) {
	entry := *err
	if entry.Path == nil {
		entry.Path = x.place()
	}
	if entry.Locations == nil {
		entry.Locations = []Location{{g.node.position.Line, g.node.position.Column}}
	}
	x.errs = append(x.errs, &entry)
}

// place returns the current place in the reply.
func (x *execution) place() []any {
	path := make([]any, len(x.path))
	for i, s := range x.path {
		if path[i] = s.key; s.key == "" {
			path[i] = s.index
		}
	}
	return path
}

// arguments are a field's arguments after coercion.
type arguments struct {
	args Args
	// denied is the non-null type for which a variable is null, nil if there is
	// none.
	denied *typeRef
}

func (x *execution) argumentsOf(g *group) (Args, *typeRef) {
	if !g.node.dynamic {
		return g.args, g.denied
	}
	if known, ok := x.args[g]; ok {
		return known.args, known.denied
	}
	args, denied := x.arguments(g)
	if x.args == nil {
		x.args = map[*group]arguments{}
	}
	x.args[g] = arguments{args, denied}
	return args, denied
}

// arguments coerces the arguments of a field.
func (x *execution) arguments(g *group) (Args, *typeRef) {
	if len(g.def.args) == 0 {
		return nil, nil
	}
	args := make(Args, len(g.def.args))
	r := literalReader{vars: x.vars}
	for _, def := range g.def.args {
		if given := g.node.args.ForName(def.name); given != nil {
			if value, ok := r.read(def.typ, given.Value); ok {
				args[def.name] = value
				continue
			}
		}
		if def.fallback != nil {
			args[def.name] = def.value
		}
	}
	return args, r.denied
}
