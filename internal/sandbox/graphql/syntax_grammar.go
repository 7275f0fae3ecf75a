package graphql

import (
	"fmt"
	"slices"
	"strings"
)

// document reads a whole text.
func (s *syntax) document() {
	for s.next(); s.until(tokenEnd); {
		s.definition()
	}
}

func (s *syntax) definition() {
	switch s.token.name {
	case "FRAGMENT":
		s.next()
		if !s.at("ON") {
			s.name()
		}
		s.expect("ON")
		s.name()
		s.directives()
		s.selectionSet()
	case "QUERY", "MUTATION", "SUBSCRIPTION":
		s.next()
		if !s.at("LPAREN") && !s.at("LCURLY") && !s.at("DIR_SIGN") {
			s.name()
		}
		s.variables()
		s.directives()
		s.selectionSet()
	case "LCURLY":
		s.selectionSet()
	default:
		s.schemaDefinition()
	}
}

// schemaDefinition deals with what cannot stand in a query.
func (s *syntax) schemaDefinition() {
	begin := []string{"SCHEMA", "SCALAR", "TYPE", "ENUM", "INPUT", "UNION", "INTERFACE"}
	switch {
	case slices.Contains(begin, s.token.name), s.at("DIRECTIVE"), s.at("EXTEND"):
		s.raise("Query cannot contain schema definitions")
		s.err.Path = []any{}
		s.err.Extensions = map[string]any{"code": "queryContainsSchemaDefinitions"}
	default:
		actual := s.token.name
		if actual == tokenEnd {
			actual = "NOTHING"
		}
		s.raiseHere(fmt.Sprintf("Expected one of %s, actual: %s (%q)", strings.Join(begin, ", "), actual, s.token.text))
	}
}

func (s *syntax) variables() {
	if !s.accept("LPAREN") {
		return
	}
	for s.until("RPAREN") {
		s.expect("VAR_SIGN")
		name := s.token.text
		s.name()
		s.expect("COLON")
		if s.err == nil && !s.typeReference() {
			s.raiseHere("Missing type definition for variable: $" + name)
		}
		if s.accept("EQUALS") {
			s.value()
		}
		s.directives()
	}
	s.expect("RPAREN")
}

// typeReference reports false if no type is next.
func (s *syntax) typeReference() bool {
	switch {
	case s.accept(tokenIdentifier):
	case s.accept("LBRACKET"):
		ok := s.typeReference()
		s.expect("RBRACKET")
		if !ok {
			return false
		}
	default:
		return false
	}
	s.accept("BANG")
	return true
}

func (s *syntax) selectionSet() {
	s.expect("LCURLY")
	for s.until("RCURLY") {
		if s.accept("ELLIPSIS") {
			s.fragment()
		} else {
			s.field()
		}
	}
	s.expect("RCURLY")
}

func (s *syntax) fragment() {
	inline := s.at("ON") || s.at("DIR_SIGN") || s.at("LCURLY")
	if s.accept("ON") || !inline {
		s.name()
	}
	s.directives()
	if inline {
		s.selectionSet()
	}
}

func (s *syntax) field() {
	s.name()
	if s.accept("COLON") {
		s.name()
	}
	s.arguments()
	s.directives()
	if s.at("LCURLY") {
		s.selectionSet()
	}
}

func (s *syntax) arguments() {
	if !s.accept("LPAREN") {
		return
	}
	if s.at("RPAREN") {
		s.expect("ARGUMENT_NAME")
	}
	for s.until("RPAREN") {
		s.pair()
	}
	s.expect("RPAREN")
}

// pair reads a name and a value.
func (s *syntax) pair() {
	s.name()
	s.expect("COLON")
	s.value()
}

func (s *syntax) directives() {
	for s.accept("DIR_SIGN") {
		s.name()
		s.arguments()
	}
}

func (s *syntax) value() {
	switch {
	case s.accept("INT"), s.accept("FLOAT"), s.accept(tokenString):
	case s.isName():
		s.next()
	case s.accept("VAR_SIGN"):
		s.name()
	case s.accept("LBRACKET"):
		for s.until("RBRACKET") {
			s.value()
		}
		s.expect("RBRACKET")
	case s.accept("LCURLY"):
		for s.until("RCURLY") {
			s.pair()
		}
		s.expect("RCURLY")
	default:
		s.expect("VALUE")
	}
}

// isName reports whether a name is next; keywords are names too.
func (s *syntax) isName() bool {
	return s.err == nil && (s.token.name == tokenIdentifier || slices.Contains(keywords(), strings.ToLower(s.token.name)))
}

func (s *syntax) name() {
	if s.isName() {
		s.next()
	} else {
		s.expect("NAME")
	}
}
