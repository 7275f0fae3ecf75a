package graphql

import (
	"context"
	"fmt"
	"reflect"
	"time"
)

// Resolver returns the value of a field. What it may return depends on the
// field's type in the schema:
//
//   - a scalar: a string, bool, number, [time.Time], [encoding/json.Number] or
//     [fmt.Stringer], or a pointer to one of them
//   - an enum: a string that is one of its values
//   - a list: any slice or array; a nil slice is an empty list
//   - an object, interface or union: any value, which becomes
//     [Request.Object] for the resolvers of its fields
//
// Nil and nil pointers are null, and so are a zero time and an empty string
// where an enum or a time is due.
//
// An [*Error] is reported as it is, another error as a generic message.
type Resolver func(ctx context.Context, r Request) (any, error)

// Request is what a resolver is asked. It is valid until the resolver returns.
type Request struct {
	// Object is what the resolver of the enclosing field returned; for a field
	// of an operation it is [Query.Root].
	Object any
	// Args are the field's arguments. They may be shared by several calls and
	// must not be changed.
	Args Args

	execution *execution
	group     *group
}

// Path returns the field's place in the reply.
func (r Request) Path() []any { return r.execution.place() }

// Selects reports whether the client selects the named field of the value, on
// whatever concrete type.
func (r Request) Selects(field string) bool {
	return r.group.sub != nil && r.execution.selects(r.group.sub, field)
}

// Typed returns a resolver that is called with objects of type T. An object of
// another type is an internal error; a nil object is passed on as T's zero
// value.
func Typed[T any](f func(ctx context.Context, obj T, args Args) (any, error)) Resolver {
	return func(ctx context.Context, r Request) (any, error) {
		obj, err := object[T](r.Object)
		if err != nil {
			return nil, err
		}
		return f(ctx, obj, r.Args)
	}
}

// Prop returns a resolver that reads a property of objects of type T, with the
// rules of [Typed].
func Prop[T any](f func(obj T) any) Resolver {
	return func(_ context.Context, r Request) (any, error) {
		obj, err := object[T](r.Object)
		if err != nil {
			return nil, err
		}
		return f(obj), nil
	}
}

func object[T any](v any) (T, error) {
	obj, ok := v.(T)
	if !ok && v != nil {
		return obj, fmt.Errorf("the resolver takes a %s, not a %T", reflect.TypeFor[T](), v)
	}
	return obj, nil
}

// Args are the arguments of a field, or the fields of an input object, after
// coercion: string, int (Int), float64 (Float), bool, []any, Args, or nil. Enums,
// IDs and GitHub's scalars are strings. An argument that was not given and has
// no default is absent.
type Args map[string]any

// Has reports whether the argument is present and not null.
func (a Args) Has(name string) bool { return a[name] != nil }

// String returns a string, enum, ID or other scalar, "" if there is none.
func (a Args) String(name string) string { return get[string](a, name) }

// Enum is [Args.String] for enums.
func (a Args) Enum(name string) string { return a.String(name) }

// Int returns an integer, 0 if there is none.
func (a Args) Int(name string) int { return get[int](a, name) }

// Float returns a number, 0 if there is none.
func (a Args) Float(name string) float64 { return get[float64](a, name) }

// Bool returns a boolean, false if there is none.
func (a Args) Bool(name string) bool { return get[bool](a, name) }

// Object returns an input object, nil if there is none. Nil Args may be asked
// like others.
func (a Args) Object(name string) Args { return get[Args](a, name) }

// List returns a list, nil if there is none. Its items are as in [Args].
func (a Args) List(name string) []any { return get[[]any](a, name) }

// Strings returns the strings of a list, without its nulls.
func (a Args) Strings(name string) []string { return items[string](a, name) }

// Objects returns the input objects of a list, without its nulls.
func (a Args) Objects(name string) []Args { return items[Args](a, name) }

// Time returns the moment that a DateTime, PreciseDateTime, GitTimestamp or
// Date names, the zero time if there is none.
func (a Args) Time(name string) time.Time {
	t, _ := parseTime(a.String(name))
	return t
}

func get[T any](a Args, name string) T {
	v, _ := a[name].(T)
	return v
}

func items[T any](a Args, name string) []T {
	var out []T
	for _, v := range a.List(name) {
		if v, ok := v.(T); ok {
			out = append(out, v)
		}
	}
	return out
}
