package scripted

import (
	"fmt"
	"maps"

	"github.com/ghx-dev/bench-action/internal/jq"
)

// scope is what the expressions of a plan are applied to: an object with
//
//   - input, the scenario's input;
//   - repo, the repository's full name;
//   - route, the route that ghx takes, null in other modes;
//   - r, the responses so far by the names that their calls give them: the
//     bodies of REST responses, of archives their files as texts by name, the
//     data of GraphQL ones, and lists of those where calls are repeated;
//   - item, what a turn or a call is repeated for, null elsewhere;
//   - found, the response to wrong_object.find or wrong_object.query, null
//     elsewhere.
type scope map[string]any

// The fields of a scope.
const (
	fieldInput = "input"
	fieldRepo  = "repo"
	fieldRoute = "route"
	fieldR     = "r"
	fieldItem  = "item"
	fieldFound = "found"
)

func newScope(input map[string]any, repo, route string) (scope, error) {
	value, err := jq.Plain(input)
	if err != nil {
		return nil, fmt.Errorf("read input: %w", err)
	}
	s := scope{fieldInput: value, fieldRepo: repo, fieldRoute: nil, fieldR: map[string]any{}, fieldItem: nil, fieldFound: nil}
	if route != "" {
		s[fieldRoute] = route
	}
	return s, nil
}

// with returns a copy of the scope with another value in a field.
func (s scope) with(field string, value any) scope {
	other := maps.Clone(s)
	other[field] = value
	return other
}

// glance returns a copy of the scope whose responses are its own.
func (s scope) glance() scope { return s.with(fieldR, maps.Clone(s.responses())) }

// responses returns the responses so far. Copies of the scope share them.
func (s scope) responses() map[string]any { return s[fieldR].(map[string]any) }

// expectList empties a response that is to become a list.
func (s scope) expectList(name string) {
	if name != "" {
		s.responses()[name] = []any{}
	}
}

// keep stores a response, at the end of a list or by itself.
func (s scope) keep(name string, value any, listed bool) {
	if name == "" {
		return
	}
	if listed {
		list, _ := s.responses()[name].([]any)
		value = append(list, value)
	}
	s.responses()[name] = value
}
