package graphql

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"
)

const messageNoDefinitions = "Unexpected end of document"

// Names of tokens in errors. A name of the text is a token of its own in upper
// case if it is a keyword.
const (
	tokenEnd        = ""
	tokenIdentifier = "IDENTIFIER"
	tokenString     = "STRING"
	tokenUnknown    = "UNKNOWN_CHAR"
)

// token is a token as errors show it.
type token struct {
	name string
	text string
	// start is where the token begins, in runes.
	start int
}

// syntax reads a text that the parser refused once more, the way GitHub's
// parser does, to find GitHub's words for what is wrong. After an error nothing
// more is read.
type syntax struct {
	runes []rune
	lexer lexer.Lexer
	token token
	err   *Error
}

// explainSyntax returns GitHub's error for a text that the parser refused with
// cause.
func explainSyntax(text string, cause error) *Error {
	s := syntax{runes: []rune(text), lexer: lexer.New(&ast.Source{Input: text})}
	s.document()
	if s.err != nil {
		return s.err
	}
	return s.refuse(cause)
}

// refuse is the error for what GitHub's parser lets pass.
func (s *syntax) refuse(cause error) *Error {
	place := Location{Line: 1, Column: 1}
	if at, ok := errors.AsType[*gqlerror.Error](cause); ok && len(at.Locations) > 0 {
		place = Location{at.Locations[0].Line, at.Locations[0].Column}
	}
	s.lexer = lexer.New(&ast.Source{Input: string(s.runes)})
	s.token = token{}
	start := s.offset(place)
	for s.next(); s.until(tokenEnd) && s.token.start < start; {
		s.next()
	}
	return &Error{
		Message:   fmt.Sprintf("Parse error on %q (%s) at [%d, %d]", s.token.text, s.token.name, place.Line, place.Column),
		Locations: []Location{place},
	}
}

// next reads a token. At the end of the text the place of the last one stays.
func (s *syntax) next() {
	for {
		t, err := s.lexer.ReadToken()
		switch {
		case err != nil:
			s.malformed(t.Pos.Start)
		case t.Kind == lexer.Comment:
			continue
		case t.Kind == lexer.EOF:
			s.token.name, s.token.text = tokenEnd, ""
		default:
			s.token = token{tokenName(t), tokenText(t), t.Pos.Start}
		}
		return
	}
}

// malformed deals with something that is no token.
func (s *syntax) malformed(start int) {
	for start > 0 && s.runes[start-1] == '"' {
		start-- // the lexer is past the quotes
	}
	s.token.start = start
	rest := s.runes[start:]
	switch rest[0] {
	case '"':
		s.raise("Expected string or block string, but it was malformed")
	case '.':
		s.raise("Expected `...`, actual: %q", string(rest[:min(3, len(rest))]))
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		s.raise("Expected type 'number', but it was malformed: %q.", number(rest))
	default:
		s.token.name, s.token.text = tokenUnknown, string(rest[0])
		// Whatever is expected here, it is not this, so the lexer is not asked
		// for more.
	}
}

// number returns the beginning of a text that looks like a number.
func number(text []rune) string {
	end := 1
	for end < len(text) && (text[end] == '.' || text[end] >= '0' && text[end] <= '9') {
		end++
	}
	return string(text[:end])
}

// place returns where the current token begins.
func (s *syntax) place() Location {
	before := s.runes[:s.token.start]
	line := 1
	for _, r := range before {
		if r == '\n' {
			line++
		}
	}
	return Location{Line: line, Column: len(before) - lastIndex(before, '\n')}
}

// offset returns how many runes are before a place.
func (s *syntax) offset(place Location) int {
	start := 0
	for line := 1; line < place.Line && start < len(s.runes); start++ {
		if s.runes[start] == '\n' {
			line++
		}
	}
	return start + place.Column - 1
}

// raise sets the error, unless there is one.
func (s *syntax) raise(format string, args ...any) {
	if s.err == nil {
		s.err = &Error{Message: fmt.Sprintf(format, args...), Locations: []Location{s.place()}}
	}
}

// raiseHere is raise with the place in the message.
func (s *syntax) raiseHere(message string) {
	if s.err == nil {
		place := s.place()
		s.raise("%s at [%d, %d]", message, place.Line, place.Column)
	}
}

// at reports whether a token is next.
func (s *syntax) at(name string) bool { return s.err == nil && s.token.name == name }

// until reports whether to go on with a list that ends with a token.
func (s *syntax) until(end string) bool { return s.err == nil && s.token.name != end }

func (s *syntax) expect(name string) {
	switch {
	case s.at(name):
		s.next()
	case s.token.name == tokenEnd:
		s.raiseHere("Expected " + name + ", not end of file")
	default:
		s.raiseHere(fmt.Sprintf("Expected %s, actual: %s (%q)", name, s.token.name, s.token.text))
	}
}

// accept takes a token if it is next.
func (s *syntax) accept(name string) bool {
	ok := s.at(name)
	if ok {
		s.next()
	}
	return ok
}

func tokenName(t lexer.Token) string {
	switch t.Kind {
	case lexer.Name:
		if slices.Contains(keywords(), t.Value) {
			return strings.ToUpper(t.Value)
		}
		return tokenIdentifier
	case lexer.Int:
		return "INT"
	case lexer.Float:
		return "FLOAT"
	case lexer.String, lexer.BlockString:
		return tokenString
	case lexer.Spread:
		return "ELLIPSIS"
	default:
	}
	for _, p := range punctuation() {
		if p.kind == t.Kind {
			return p.name
		}
	}
	return tokenUnknown
}

func tokenText(t lexer.Token) string {
	if t.Kind == lexer.Spread {
		return "..."
	}
	for _, p := range punctuation() {
		if p.kind == t.Kind {
			return p.text
		}
	}
	return t.Value
}

func keywords() []string {
	return []string{
		"on", "fragment", "true", "false", "null", "query", "mutation", "subscription", "schema", "scalar", "type",
		"extend", "implements", "interface", "union", "enum", "input", "directive", "repeatable",
	}
}

type punctuator struct {
	kind       lexer.Type
	name, text string
}

func punctuation() []punctuator {
	return []punctuator{
		{lexer.BraceL, "LCURLY", "{"}, {lexer.BraceR, "RCURLY", "}"}, {lexer.ParenL, "LPAREN", "("}, {lexer.ParenR, "RPAREN", ")"},
		{lexer.BracketL, "LBRACKET", "["}, {lexer.BracketR, "RBRACKET", "]"}, {lexer.Colon, "COLON", ":"}, {lexer.Dollar, "VAR_SIGN", "$"},
		{lexer.At, "DIR_SIGN", "@"}, {lexer.Equals, "EQUALS", "="}, {lexer.Bang, "BANG", "!"}, {lexer.Pipe, "PIPE", "|"}, {lexer.Amp, "AMP", "&"},
	}
}
