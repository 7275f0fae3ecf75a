package graphql

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
)

// Cost is what a request uses up of a rate limit.
type Cost struct {
	// Points are at least 1, Nodes are how many objects it can return.
	Points, Nodes int
}

// requestsPerPoint is how many requests for connections make one point.
const requestsPerPoint = 100

// Cost returns what a request costs by the formula of "Rate limits and query
// limits for the GraphQL API": each connection is asked for once for every
// object that those above it can return. One that is refused costs a point.
func (e *Engine) Cost(text, name string, variables map[string]any) Cost {
	doc := e.document(text)
	op, err := doc.operation(name)
	if doc.fatal != nil || doc.errors != nil || err != nil || op == nil {
		return Cost{Points: 1}
	}
	s := spending{operation: op, variables: variables}
	s.selections(op.selections, 1)
	return Cost{Points: max(1, (s.requests+requestsPerPoint/2)/requestsPerPoint), Nodes: s.nodes}
}

// MaxNodes is how many objects a request can return at most.
const MaxNodes = 500_000

// tooManyNodes refuses a request that can return more than [MaxNodes] objects, in
// one connection or in all. See "Rate limits and query limits for the GraphQL API".
func tooManyNodes(op *operation, variables map[string]any) *Error {
	s := spending{operation: op, variables: variables}
	s.selections(op.selections, 1)
	const beyond = "%s possible nodes which exceeds the maximum limit of 500,000."
	switch {
	case s.largest > MaxNodes:
		return &Error{Type: TypeMaxNodeLimit, Message: fmt.Sprintf("By the time this query traverses to the %s connection, it is requesting up to "+beyond, s.at, thousands(s.largest))}
	case s.nodes > MaxNodes:
		return &Error{Type: TypeMaxNodeLimit, Message: fmt.Sprintf("This query requests up to "+beyond, thousands(s.nodes))}
	default:
		return nil
	}
}

// thousands writes a number with commas.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// spending adds up what a query asks for.
type spending struct {
	operation       *operation
	variables       map[string]any
	requests, nodes int
	// largest is how many objects the first connection that goes beyond
	// [MaxNodes] can return, and at its name.
	largest int
	at      string
}

// selections adds what is selected on so many objects.
func (s *spending) selections(set ast.SelectionSet, objects int) {
	for _, selection := range set {
		switch sel := selection.(type) {
		case *ast.Field:
			below := objects
			if size, isConnection := s.pageSize(sel); isConnection {
				s.requests = add(s.requests, objects)
				below = int(min(int64(objects)*int64(size), math.MaxInt32))
				s.nodes = add(s.nodes, below)
				if below > MaxNodes && s.at == "" {
					s.largest, s.at = below, sel.Name
				}
			}
			s.selections(sel.SelectionSet, below)
		case *ast.InlineFragment:
			s.selections(sel.SelectionSet, objects)
		case *ast.FragmentSpread:
			s.selections(sel.Definition.SelectionSet, objects)
		}
	}
}

// maxPage is the most that a page of a connection can have.
const maxPage = 100

// pageSize returns how many objects a field asks for, if it is a connection.
func (s *spending) pageSize(f *ast.Field) (int, bool) {
	for _, name := range []string{"first", "last"} {
		if argument := f.Arguments.ForName(name); argument != nil {
			if n, ok := s.number(argument.Value); ok {
				return max(0, min(n, maxPage)), true
			}
		}
	}
	return 0, false
}

func (s *spending) number(v *ast.Value) (int, bool) {
	if v.Kind == ast.Variable {
		given, ok := s.variables[v.Raw]
		if !ok {
			if declared := s.operation.variables.ForName(v.Raw); declared != nil && declared.DefaultValue != nil {
				return s.number(declared.DefaultValue)
			}
			return 0, false
		}
		number, ok := given.(json.Number)
		if !ok {
			return 0, false
		}
		n, err := strconv.Atoi(number.String())
		return n, err == nil
	}
	n, err := strconv.Atoi(v.Raw)
	return n, v.Kind == ast.IntValue && err == nil
}
