package jq

import (
	"context"
	"reflect"

	"github.com/itchyny/gojq"
)

// Trial is an expression that is tried on an example of its input, not on the
// input itself.
type Trial struct {
	Source string
	// Definitions are those that it may use, as in [CompileWith].
	Definitions string
	// Variables are the names of those that it may use, Values what they have.
	Variables []string
	Values    []any
	// Missing is called when a field is asked for by name of an object that
	// does not have it.
	Missing func(object map[string]any, field string)
}

// Run applies the expression, and returns its first value; some is false if it
// gives none. As what is selected of an input says nothing about an example,
// select lets everything pass. Limits and errors are those of [Program.Run], but
// neither the example nor the values are written into: several trials may share
// them.
func (t Trial) Run(ctx context.Context, example any) (value any, some bool, err error) {
	query, err := parse(t.Definitions, t.Source)
	if err != nil {
		return nil, false, err
	}
	askAll(reflect.ValueOf(query))
	query = guarded(query)
	query.FuncDefs = append(lenient[:len(lenient):len(lenient)], query.FuncDefs...)
	asked := gojq.WithFunction(askedName, 1, 1, func(value any, args []any) any {
		object, is := value.(map[string]any)
		field, _ := args[0].(string)
		if _, has := object[field]; is && !has {
			t.Missing(object, field)
		}
		return value
	})
	program, err := compile(t.Source, query, t.Variables, asked)
	if err != nil {
		return nil, false, err
	}
	values, _ := copied(t.Values).([]any)
	value, _, err = program.first(ctx, copied(example), values)
	if err != nil || value == none {
		return nil, false, err
	}
	return value, true, nil
}

// askedName is the function that is told the fields that are asked for.
const askedName = "_asked"

// lenient are the functions that an example must not decide about.
var lenient = mustParse("def select(f): if [f] | false then empty else . end; .").FuncDefs

// askAll has a part of a query say which fields it asks for by name.
func askAll(part reflect.Value) {
	walk(part, func(part any) {
		if term, is := part.(*gojq.Term); is {
			askTerm(term)
		}
	})
}

// askTerm puts a question before each index of a term that is a name.
func askTerm(t *gojq.Term) {
	suffixes := t.SuffixList
	t.SuffixList = nil
	if t.Type == gojq.TermTypeIndex {
		suffixes = append([]*gojq.Suffix{{Index: t.Index}}, suffixes...)
		*t = gojq.Term{Type: gojq.TermTypeIdentity}
	}
	for _, s := range suffixes {
		if name, is := nameOf(s.Index); is {
			before := *t
			question := call(askedName, &gojq.Query{Term: &gojq.Term{Type: gojq.TermTypeString, Str: &gojq.String{Str: name}}})
			*t = gojq.Term{Type: gojq.TermTypeQuery, Query: &gojq.Query{Left: &gojq.Query{Term: &before}, Op: gojq.OpPipe, Right: question}}
		}
		t.SuffixList = append(t.SuffixList, s)
	}
}

// nameOf returns the name that an index is, as in .name and ."name".
func nameOf(i *gojq.Index) (string, bool) {
	switch {
	case i == nil:
		return "", false
	case i.Str != nil:
		return i.Str.Str, i.Str.Queries == nil
	default:
		return i.Name, i.Name != ""
	}
}
