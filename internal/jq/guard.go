package jq

import (
	"fmt"
	"math/big"
	"reflect"

	"github.com/itchyny/gojq"
)

// The functions that keep values small. Their names are not those of jq's own,
// and nothing is gained by calling them oneself.
const (
	guardName     = "_guard"
	indexName     = "_index_within"
	timesName     = "_times"
	joinName      = "_join"
	transposeName = "_transpose"
)

// shadows take the places of jq's own functions that make, of values that are
// not large, one that is.
var shadows = mustParse("def join($s): " + joinName + "($s); def transpose: " + transposeName + "; .").FuncDefs

// guarded returns a query each value of which is weighed where it may have
// grown: doubling one forty times takes but a few hundred steps.
func guarded(query *gojq.Query) *gojq.Query {
	guardAll(reflect.ValueOf(query))
	query.FuncDefs = append(shadows[:len(shadows):len(shadows)], query.FuncDefs...)
	return query
}

// guardAll guards the parts of a part of a query.
func guardAll(part reflect.Value) {
	walk(part, func(part any) {
		switch part := part.(type) {
		case *gojq.Query:
			guardQuery(part)
		case *gojq.Term:
			guardTerm(part)
		case *gojq.Index:
			guardIndex(part)
		}
	})
}

// walk visits the parts of a part of a query, the innermost first.
func walk(part reflect.Value, visit func(part any)) {
	switch part.Kind() {
	case reflect.Pointer:
		if !part.IsNil() {
			walk(part.Elem(), visit)
			visit(part.Interface())
		}
	case reflect.Slice:
		for i := range part.Len() {
			walk(part.Index(i), visit)
		}
	case reflect.Struct:
		for _, field := range part.Fields() {
			walk(field, visit)
		}
	default:
	}
}

// guardQuery guards an operation.
func guardQuery(q *gojq.Query) {
	operation := &gojq.Query{Left: q.Left, Op: q.Op, Right: q.Right}
	switch q.Op {
	case gojq.OpMul:
		operation = call(timesName, q.Left, q.Right)
	case gojq.OpAdd, gojq.OpAssign, gojq.OpModify,
		gojq.OpUpdateAdd, gojq.OpUpdateSub, gojq.OpUpdateMul, gojq.OpUpdateDiv, gojq.OpUpdateMod, gojq.OpUpdateAlt:
	default:
		return
	}
	q.Left, q.Op, q.Right = operation, gojq.OpPipe, call(guardName)
}

// guardTerm guards a call, or a value that is put together.
func guardTerm(t *gojq.Term) {
	switch t.Type {
	case gojq.TermTypeFunc:
		switch name := t.Func.Name; {
		case name[0] == '$':
			return
		case len(t.Func.Args) > 0 && (name == "getpath" || name == "setpath"):
			t.Func.Args[0] = pipe(t.Func.Args[0], indexName)
		}
	case gojq.TermTypeArray, gojq.TermTypeObject, gojq.TermTypeFormat:
	case gojq.TermTypeString:
		if t.Str.Queries == nil {
			return
		}
	default:
		return
	}
	inner := *t
	inner.SuffixList = nil
	*t = gojq.Term{Type: gojq.TermTypeQuery, Query: pipe(&gojq.Query{Term: &inner}, guardName), SuffixList: t.SuffixList}
}

// smallIndex is how many digits the number has that surely is no large index.
const smallIndex = 5

// guardIndex guards an index: a list becomes as long as what is assigned to
// needs.
func guardIndex(i *gojq.Index) {
	if i.Start == nil || i.IsSlice {
		return
	}
	if t := i.Start.Term; t != nil && t.Type == gojq.TermTypeNumber && len(t.Number) <= smallIndex {
		return
	}
	i.Start = pipe(i.Start, indexName)
}

// pipe gives what a query gives to a function of this package.
func pipe(q *gojq.Query, name string) *gojq.Query {
	return &gojq.Query{Left: q, Op: gojq.OpPipe, Right: call(name)}
}

func call(name string, args ...*gojq.Query) *gojq.Query {
	return &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeFunc, Func: &gojq.Func{Name: name, Args: args}}}
}

// functions are those of this package that a program may call.
func functions() []gojq.CompilerOption {
	return []gojq.CompilerOption{
		gojq.WithFunction(guardName, 0, 0, func(value any, _ []any) any {
			if over := weigh(value, MaxValue); over != "" {
				return fmt.Errorf("a value on the way has %s", over)
			}
			return value
		}),
		gojq.WithFunction(indexName, 0, 0, func(index any, _ []any) any { return within(index) }),
		gojq.WithFunction(timesName, 2, 2, func(_ any, args []any) any { return times(args[0], args[1]) }),
		gojq.WithFunction(joinName, 1, 1, func(list any, args []any) any { return join(list, args[0]) }),
		gojq.WithFunction(transposeName, 0, 0, func(rows any, _ []any) any { return transpose(rows) }),
	}
}

// The operations themselves, on a list of what they work on.
var (
	timesCode     = must(".[0] * .[1]")
	joinCode      = must(".[1] as $s | .[0] | join($s)")
	transposeCode = must("transpose")
)

func must(source string) *gojq.Code {
	code, err := gojq.Compile(mustParse(source))
	if err != nil {
		panic(fmt.Sprintf("jq: %v", err))
	}
	return code
}

func mustParse(source string) *gojq.Query {
	query, err := gojq.Parse(source)
	if err != nil {
		panic(fmt.Sprintf("jq: %v", err))
	}
	return query
}

// first returns the value of a program that gives one.
func first(code *gojq.Code, input any) any {
	value, _ := code.Run(input).Next()
	return value
}

// maxIndex is the largest index.
const maxIndex = MaxValue / valueWeight

// within returns an index, or a path of several, if none is too large.
func within(index any) any {
	path, is := index.([]any)
	if !is {
		path = []any{index}
	}
	for _, step := range path {
		if n, isNumber := number(step); isNumber && n > maxIndex {
			return fmt.Errorf("%v is too large for an index: at most %d", step, maxIndex)
		}
	}
	return index
}

func times(a, b any) any {
	for _, pair := range [][2]any{{a, b}, {b, a}} {
		text, isText := pair[0].(string)
		n, isNumber := number(pair[1])
		if isText && isNumber && float64(len(text))*n > MaxValue {
			return fmt.Errorf("a text of %d bytes cannot be had %v times: %s", len(text), pair[1], tooLarge(MaxValue))
		}
	}
	return first(timesCode, []any{a, b})
}

func number(value any) (float64, bool) {
	switch value := value.(type) {
	case int:
		return float64(value), true
	case float64:
		return value, true
	case *big.Int:
		f, _ := new(big.Float).SetInt(value).Float64()
		return f, true
	default:
		return 0, false
	}
}

func join(list, separator any) any {
	parts, _ := list.([]any)
	text, _ := separator.(string)
	if len(parts)*len(text) > MaxValue {
		return fmt.Errorf("%d parts cannot be joined by a text of %d bytes: %s", len(parts), len(text), tooLarge(MaxValue))
	}
	return first(joinCode, []any{list, separator})
}

func transpose(value any) any {
	rows, _ := value.([]any)
	longest := 0
	for _, row := range rows {
		cells, _ := row.([]any)
		longest = max(longest, len(cells))
	}
	if len(rows)*longest*valueWeight > MaxValue {
		return fmt.Errorf("%d rows of %d cannot be transposed: %s", len(rows), longest, tooLarge(MaxValue))
	}
	return first(transposeCode, value)
}

// valueWeight is what each value weighs at least, in bytes: more than its JSON,
// which may be a digit and a comma, and less than what it takes in memory.
const valueWeight = 16

// maxDigits is how large a whole number may become, in bits.
const maxDigits = 4096

func tooLarge(most int) string { return fmt.Sprintf("more than %d MiB", most>>20) }

// weigh says what is too much about a value, empty if it is within the limits.
// A part that is in several places counts as often.
func weigh(value any, most int) (over string) {
	s := scale{left: most}
	switch {
	case s.add(value, 0):
		return ""
	case s.deep:
		return fmt.Sprintf("lists and objects in each other, more than %d deep", MaxDepth)
	case s.long:
		return fmt.Sprintf("a whole number of more than %d bits", maxDigits)
	default:
		return tooLarge(most)
	}
}

// scale weighs a value until it is over a limit.
type scale struct {
	left       int
	deep, long bool
}

// add reports whether a value that lies at a depth is within the limits yet.
func (s *scale) add(value any, depth int) bool {
	s.left -= valueWeight
	s.deep = depth > MaxDepth
	switch value := value.(type) {
	case string:
		s.left -= len(value)
	case *big.Int:
		s.long = value.BitLen() > maxDigits
	case []any:
		for _, element := range value {
			if !s.within() || !s.add(element, depth+1) {
				return false
			}
		}
	case map[string]any:
		for name, element := range value {
			s.left -= len(name)
			if !s.within() || !s.add(element, depth+1) {
				return false
			}
		}
	}
	return s.within()
}

func (s *scale) within() bool { return s.left >= 0 && !s.deep && !s.long }
