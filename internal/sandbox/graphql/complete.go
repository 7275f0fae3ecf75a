package graphql

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// complete writes a value of a resolver as its type demands. It is written, or
// failed where null is not allowed.
func (x *execution) complete(ctx context.Context, t *typeRef, g *group, v any) outcome {
	start := len(x.buf)
	out := x.value(ctx, t, g, v)
	if out == written {
		return written
	}
	x.buf = x.buf[:start]
	if out == absent && t.nonNull {
		x.fail(ctx, g, x.nullDenied(ctx, g))
		out = failed
	}
	return x.null(t, out)
}

// nullDenied returns the error for a null that the schema rules out.
func (x *execution) nullDenied(ctx context.Context, g *group) error {
	field := g.def.owner.name + "." + g.def.name
	message := "Cannot return null for non-nullable field " + field
	if x.path[len(x.path)-1].key == "" {
		message = fmt.Sprintf("Cannot return null for non-nullable element of type '%s' for %s", g.def.typ.base().name, field)
	}
	if x.engine.options.OnError != nil {
		x.engine.options.OnError(ctx, x.place(), fmt.Errorf("the resolver returned null for %s", field))
	}
	return &Error{Message: message}
}

// value writes a value that may be null.
func (x *execution) value(ctx context.Context, t *typeRef, g *group, v any) outcome {
	if t.elem != nil {
		return x.list(ctx, t.elem, g, v)
	}
	switch t.named.kind {
	case ast.Scalar:
		return x.scalar(ctx, t.named, g, v)
	case ast.Enum:
		return x.enum(ctx, t.named, g, v)
	default:
		return x.composite(ctx, t.named, g, v)
	}
}

func (x *execution) composite(ctx context.Context, t *typeDef, g *group, v any) outcome {
	if isNil(v) {
		return absent
	}
	if t.abstract() {
		if t = x.concrete(ctx, t, g, v); t == nil {
			return failed
		}
	}
	return x.object(ctx, t, g.sub, v)
}

// concrete returns the object type of a value of an abstract type, nil after
// an error.
func (x *execution) concrete(ctx context.Context, t *typeDef, g *group, v any) *typeDef {
	name := x.engine.options.TypeOf(v)
	concrete := x.engine.schema.types[name]
	if concrete == nil || !t.members[concrete] {
		x.fail(ctx, g, fmt.Errorf("TypeOf says that a %T is a %q, which is no %s", v, name, t.name))
		return nil
	}
	return concrete
}

func (x *execution) scalar(ctx context.Context, t *typeDef, g *group, v any) outcome {
	v = plain(v)
	if v == nil || t.scalar.zeroIsNull && isZeroTime(v) {
		return absent
	}
	buf, ok := t.scalar.write(x.buf, v)
	if !ok {
		x.fail(ctx, g, fmt.Errorf("a %T is no value of %s", v, t.name))
		return failed
	}
	x.buf = buf
	return written
}

func isZeroTime(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case time.Time:
		return v.IsZero()
	default:
		return false
	}
}

func (x *execution) enum(ctx context.Context, t *typeDef, g *group, v any) outcome {
	v = plain(v)
	if v == nil || v == "" {
		return absent
	}
	name, ok := v.(string)
	if !ok || !t.values[name] {
		x.fail(ctx, g, fmt.Errorf("%v (%T) is no value of %s", v, v, t.name))
		return failed
	}
	x.buf = append(x.buf, '"')
	x.buf = append(x.buf, name...)
	x.buf = append(x.buf, '"')
	return written
}

func (x *execution) list(ctx context.Context, elem *typeRef, g *group, v any) outcome {
	if v == nil {
		return absent
	}
	items := reflect.ValueOf(v)
	if items.Kind() == reflect.Pointer {
		if items.IsNil() {
			return absent
		}
		items = items.Elem()
	}
	if items.Kind() != reflect.Slice && items.Kind() != reflect.Array {
		x.fail(ctx, g, fmt.Errorf("a %T is no list", v))
		return failed
	}
	x.buf = append(x.buf, '[')
	for i := range items.Len() {
		if i > 0 {
			x.buf = append(x.buf, ',')
		}
		x.path = append(x.path, step{index: i})
		out := x.item(ctx, elem, g, items.Index(i).Interface())
		x.path = x.path[:len(x.path)-1]
		if out != written {
			return failed
		}
	}
	x.buf = append(x.buf, ']')
	return written
}

func (x *execution) item(ctx context.Context, elem *typeRef, g *group, v any) outcome {
	if !x.spend(ctx, g) {
		return x.null(elem, failed)
	}
	return x.complete(ctx, elem, g, v)
}

// isNil reports whether v is nil or a nil pointer.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}
