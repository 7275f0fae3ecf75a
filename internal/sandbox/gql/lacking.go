package gql

import (
	"fmt"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/ghx-dev/bench-action/internal/githubschema"
	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
)

// typeLacking is the type of an error about something that GitHub has and the
// sandbox lacks (rule S20). Like every error of GraphQL it comes with status
// 200: clients show the message of those, and try an answer of 501 again.
const typeLacking = "SANDBOX_UNSUPPORTED"

// lack is something that a request uses and the sandbox lacks, with its first
// place in the text.
type lack struct {
	name string
	path []any
	at   graphql.Location
}

func (l lack) err() *graphql.Error {
	return &graphql.Error{
		Type: typeLacking, Path: l.path, Locations: []graphql.Location{l.at},
		Message: fmt.Sprintf("This sandbox does not have %s yet; GitHub does.", l.name),
	}
}

// explain returns the errors of a request that was refused before anything was
// done, and the names of what it uses that GitHub has and the sandbox lacks: that
// first, and then what is wrong besides.
func (a *API) explain(text string, refused []*graphql.Error) ([]*graphql.Error, []string) {
	lacks := lacking(a.engine.Schema(), text)
	if len(lacks) == 0 {
		return refused, nil
	}
	var names []string
	var errs []*graphql.Error
	for _, l := range lacks {
		names, errs = append(names, l.name), append(errs, l.err())
	}
	for _, e := range refused {
		if !follows(e, names) {
			errs = append(errs, e)
		}
	}
	return errs, names
}

// follows reports whether an error follows from what the sandbox lacks, or may:
// variables that only that uses are of no use.
func follows(e *graphql.Error, names []string) bool {
	typeName, _ := e.Extensions["typeName"].(string)
	fieldName, _ := e.Extensions["fieldName"].(string)
	switch e.Extensions["code"] {
	case "undefinedField":
		return slices.Contains(names, fieldOf(typeName, fieldName))
	case "undefinedType":
		return slices.Contains(names, typeName)
	case "variableNotUsed", "variableRequiresValidType", "cannotSpreadFragment":
		return true
	default:
		return false
	}
}

// lacking returns what a document uses that GitHub's schema has and ours lacks,
// each once, in the order of the text. Below such a thing nothing is looked
// for. It is fields and types: what ours has of arguments, inputs and enums is
// whole, which a test holds.
func lacking(ours *ast.Schema, text string) []lack {
	document, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, graphql.DefaultMaxTokens)
	if err != nil {
		return nil
	}
	b := boundary{ours: ours, theirs: githubschema.GraphQL(), fragments: document.Fragments, seen: map[string]bool{}, known: map[string]bool{}}
	for _, o := range document.Operations {
		b.path = []any{string(o.Operation)}
		if root := b.root(o.Operation); root != nil {
			b.selections(root, o.SelectionSet)
		}
	}
	return b.found
}

// boundary walks through a document along both schemas.
type boundary struct {
	ours, theirs *ast.Schema
	fragments    ast.FragmentDefinitionList
	// seen are the fragments that were looked at, known the names of what was
	// found.
	seen, known map[string]bool
	path        []any
	found       []lack
}

func (b *boundary) root(kind ast.Operation) *ast.Definition {
	switch kind {
	case ast.Query:
		return b.theirs.Query
	case ast.Mutation:
		return b.theirs.Mutation
	default:
		return nil
	}
}

// lack notes that something is lacking.
func (b *boundary) lack(at *ast.Position, name string) {
	if b.known[name] {
		return
	}
	b.known[name] = true
	b.found = append(b.found, lack{name, slices.Clone(b.path), graphql.Location{Line: at.Line, Column: at.Column}})
}

// fieldOf names a field as people do: a mutation or query by itself, others
// with their type.
func fieldOf(typeName, field string) string {
	switch typeName {
	case "Mutation":
		return "mutation " + field
	case "Query":
		return "query " + field
	default:
		return typeName + "." + field
	}
}

// selections looks at what is selected of an object of a type, which both
// schemas have.
func (b *boundary) selections(of *ast.Definition, set ast.SelectionSet) {
	for _, one := range set {
		switch one := one.(type) {
		case *ast.Field:
			b.path = append(b.path, one.Alias)
			b.field(of, one)
			b.path = b.path[:len(b.path)-1]
		case *ast.InlineFragment:
			b.fragment(of, one.TypeCondition, one.SelectionSet, one.Position)
		case *ast.FragmentSpread:
			if f := b.fragments.ForName(one.Name); f != nil && !b.seen[one.Name] {
				b.seen[one.Name] = true
				b.fragment(of, f.TypeCondition, f.SelectionSet, f.Position)
			}
		}
	}
}

// fragment looks at a fragment. One for objects that ours can never be here is
// lacking too.
func (b *boundary) fragment(of *ast.Definition, condition string, set ast.SelectionSet, at *ast.Position) {
	if condition == "" {
		b.selections(of, set)
		return
	}
	theirs, ours := b.theirs.Types[condition], b.ours.Types[condition]
	switch {
	case theirs == nil:
	case ours == nil:
		b.lack(at, condition)
	case overlap(b.theirs, of, theirs) && !overlap(b.ours, b.ours.Types[of.Name], ours):
		b.lack(at, fmt.Sprintf("%s as %s", condition, of.Name))
	default:
		b.selections(theirs, set)
	}
}

// overlap reports whether an object can be of both types.
func overlap(s *ast.Schema, a, b *ast.Definition) bool {
	others := s.GetPossibleTypes(b)
	return slices.ContainsFunc(s.GetPossibleTypes(a), func(t *ast.Definition) bool { return slices.Contains(others, t) })
}

func (b *boundary) field(of *ast.Definition, f *ast.Field) {
	theirs := of.Fields.ForName(f.Name)
	if theirs == nil {
		return
	}
	ours := b.ours.Types[of.Name].Fields.ForName(f.Name)
	if ours == nil {
		b.lack(f.Position, fieldOf(of.Name, f.Name))
		return
	}
	b.selections(b.theirs.Types[theirs.Type.Name()], f.SelectionSet)
}
