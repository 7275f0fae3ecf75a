package jsondoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// MaxDepth is how deep objects and arrays may be nested.
	MaxDepth = 200
	// maxShown bounds how many characters of a file a message repeats.
	maxShown = 60
	// maxNumberLength bounds a number's digits, so that arithmetic on it is cheap.
	maxNumberLength = 100
	// maxInt is the first whole number beyond an int, as a float64.
	maxInt = 1 << 63

	byteOrderMark = "\uFEFF"
)

// Parse reads a JSON document (RFC 8259). The file's name is for messages.
//
// The document is nil if the syntax is wrong; then there is one problem. A
// field that is there twice is a problem too, but the document can be used to
// look for more; it has the later value.
func Parse(file string, data []byte) (*Document, Problems) {
	p := &parser{
		file: file, data: data, root: &node{}, line: 1, column: 1,
		tokens: jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true)),
	}
	if !p.document() {
		return nil, p.problems
	}
	return &Document{file: file, root: p.root}, p.problems
}

// parser makes nodes of tokens. Its methods return false once they have
// recorded the problem that ends the parsing.
type parser struct {
	file     string
	data     []byte
	tokens   *jsontext.Decoder
	root     *node
	path     []string
	problems Problems
	// line and column are those of the byte at an offset.
	at, line, column int
}

func (p *parser) document() bool {
	if bytes.HasPrefix(p.data, []byte(byteOrderMark)) {
		return p.fail(0, "the file begins with a byte order mark: save it as UTF-8 without one")
	}
	if !p.value(p.root, 0) {
		return false
	}
	if rest := p.space(p.offset()); rest < len(p.data) {
		return p.fail(rest, "want the end of the file after the value, found %s", p.found(rest))
	}
	return true
}

func (p *parser) value(n *node, depth int) bool {
	kind := p.tokens.PeekKind()
	if kind != '{' && kind != '[' {
		return p.scalar(n)
	}
	_, _ = p.tokens.ReadToken() // the bracket
	begin := p.offset() - 1
	n.line, n.column = p.position(begin)
	switch {
	case depth == MaxDepth:
		return p.fail(begin, "is nested deeper than %d levels", MaxDepth)
	case kind == '{':
		return p.object(n, depth)
	default:
		return p.array(n, depth)
	}
}

func (p *parser) scalar(n *node) bool {
	raw, err := p.tokens.ReadValue()
	if err != nil {
		return p.explain(err)
	}
	begin := p.offset() - len(raw)
	n.line, n.column = p.position(begin)
	switch raw.Kind() {
	case '"':
		n.value = unquote(raw)
	case '0':
		return p.number(n, begin)
	default:
		if word := p.letters(begin); len(word) > len(raw) {
			return p.noWord(begin)
		}
		if raw.Kind() != 'n' {
			n.value = raw.Kind() == 't'
		}
	}
	return true
}

func (p *parser) object(n *node, depth int) bool {
	object := map[string]any{}
	n.value, n.members = object, map[string]member{}
	for p.tokens.PeekKind() != '}' {
		raw, err := p.tokens.ReadValue()
		if err != nil {
			return p.explain(err)
		}
		name, begin, field := unquote(raw), p.offset()-len(raw), &node{}
		p.path = append(p.path, name)
		if first, twice := n.members[name]; twice {
			p.fail(begin, "is there twice: remove it here or in line %d", first.line)
		}
		line, column := p.position(begin)
		n.members[name] = member{line: line, column: column, node: field}
		if !p.value(field, depth+1) {
			return false
		}
		object[name] = field.value
		p.path = p.path[:len(p.path)-1]
	}
	_, _ = p.tokens.ReadToken() // the bracket
	return true
}

func (p *parser) array(n *node, depth int) bool {
	array := []any{}
	n.value = array
	for p.tokens.PeekKind() != ']' {
		p.path = append(p.path, strconv.Itoa(len(array)))
		item := &node{}
		n.items = append(n.items, item)
		if !p.value(item, depth+1) {
			return false
		}
		p.path = p.path[:len(p.path)-1]
		array = append(array, item.value)
	}
	n.value = array
	_, _ = p.tokens.ReadToken() // the bracket
	return true
}

// unquote returns the text of a string that the decoder has checked.
func unquote(raw jsontext.Value) string {
	text, _ := jsontext.AppendUnquote(nil, raw)
	return string(text)
}

// number reads the number at an offset, to its end as people see it.
func (p *parser) number(n *node, begin int) bool {
	rest := p.data[begin:]
	length := len(rest) - len(bytes.TrimLeft(rest, "+-.0123456789eE"))
	if length > maxNumberLength {
		return p.fail(begin, "the number has more than %d characters", maxNumberLength)
	}
	digits := string(rest[:length])
	if !json.Valid([]byte(digits)) {
		return p.fail(begin, "%s is no JSON number: want one like -12, 3.5 or 6e2", digits)
	}
	value, ok := numberValue(digits)
	if !ok {
		return p.fail(begin, "%s does not fit a 64-bit floating point number", digits)
	}
	n.value = value
	return true
}

// numberValue returns an int for a whole number that fits one, however it is
// written, else the nearest float64, as an int if that is whole; false if the
// number is too large or too close to 0 for a float64.
func numberValue(digits string) (any, bool) {
	value, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return nil, false
	}
	if value == 0 {
		mantissa, _, _ := strings.Cut(strings.ToLower(digits), "e")
		return 0, !strings.ContainsAny(mantissa, "123456789")
	}
	exact, _ := new(big.Rat).SetString(digits)
	if exact.IsInt() && exact.Num().IsInt64() {
		return int(exact.Num().Int64()), true
	}
	if value == math.Trunc(value) && math.Abs(value) < maxInt {
		return int(value), true
	}
	return value, true
}

// fail records a problem at an offset.
func (p *parser) fail(at int, format string, args ...any) bool {
	line, column := p.position(at)
	p.problems = append(p.problems, Problem{
		File: p.file, Line: line, Column: column,
		Path: p.root.show(p.path), Message: fmt.Sprintf(format, args...),
	})
	return false
}
