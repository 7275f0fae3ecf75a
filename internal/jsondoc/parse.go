package jsondoc

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// MaxDepth is how deep objects and arrays may be nested.
const MaxDepth = 200

// maxShown bounds how many characters of a file a message repeats.
const maxShown = 60

const byteOrderMark = "\uFEFF"

// Parse reads a JSON document (RFC 8259). The file's name is for messages.
//
// The document is nil if the syntax is wrong; then there is one problem. A
// field that is there twice is a problem too, but the document can be used to
// look for more; it has the later value.
func Parse(file string, data []byte) (*Document, Problems) {
	p := &parser{file: file, data: data, line: 1, column: 1, root: &node{}}
	if !p.document() {
		return nil, p.problems
	}
	return &Document{file: file, root: p.root}, p.problems
}

// parser is a recursive descent over the bytes. Its methods return false once
// they have recorded the problem that ends the parsing.
type parser struct {
	file         string
	data         []byte
	at           int
	line, column int
	root         *node
	path         []string
	problems     Problems
}

func (p *parser) document() bool {
	if bytes.HasPrefix(p.data, []byte(byteOrderMark)) {
		return p.fail("the file begins with a byte order mark: save it as UTF-8 without one")
	}
	p.space()
	if p.at == len(p.data) {
		return p.fail("the file is empty: want a JSON value")
	}
	if !p.value(p.root, 0) {
		return false
	}
	p.space()
	if p.at < len(p.data) {
		return p.fail("want the end of the file after the value, found %s", p.found())
	}
	return true
}

func (p *parser) value(n *node, depth int) bool {
	n.line, n.column = p.line, p.column
	c := p.peek()
	switch {
	case (c == '{' || c == '[') && depth == MaxDepth:
		return p.fail("is nested deeper than %d levels", MaxDepth)
	case c == '{':
		return p.object(n, depth)
	case c == '[':
		return p.array(n, depth)
	case c == '"':
		text, ok := p.quoted()
		n.value = text
		return ok
	case c == '-' || '0' <= c && c <= '9':
		return p.number(n)
	case unicode.IsLetter(rune(c)) && c < utf8.RuneSelf:
		return p.word(n)
	default:
		return p.noValue(c)
	}
}

func (p *parser) noValue(c byte) bool {
	switch c {
	case '\'':
		return p.fail(`want a string in double quotes, found a single quote`)
	case '/':
		return p.fail("JSON has no comments: want a value")
	default:
		return p.fail("want a value, found %s", p.found())
	}
}

func (p *parser) object(n *node, depth int) bool {
	object := map[string]any{}
	n.value, n.members = object, map[string]member{}
	p.advance(1)
	p.space()
	if p.skip('}') {
		return true
	}
	for {
		name, field, ok := p.name(n)
		if !ok {
			return false
		}
		p.path = append(p.path, name)
		p.space()
		if !p.skip(':') {
			return p.fail(`want ":" after the field's name, found %s`, p.found())
		}
		p.space()
		if !p.value(field, depth+1) {
			return false
		}
		object[name] = field.value
		p.path = p.path[:len(p.path)-1]
		p.space()
		if p.skip('}') {
			return true
		}
		if !p.skip(',') {
			return p.fail(`want "," or "}" after the value of %s, found %s`, strconv.Quote(clip(name)), p.found())
		}
		p.space()
	}
}

// name reads a field's name and enters the field into its object.
func (p *parser) name(object *node) (string, *node, bool) {
	line, column := p.line, p.column
	switch p.peek() {
	case '"':
	case '}':
		return "", nil, p.fail(`want another field after ",", or no "," before "}"`)
	case '/':
		return "", nil, p.fail("JSON has no comments: want a field's name in double quotes")
	default:
		return "", nil, p.fail("want a field's name in double quotes, found %s", p.found())
	}
	name, ok := p.quoted()
	if !ok {
		return "", nil, false
	}
	if first, twice := object.members[name]; twice {
		p.problemAt(line, column, append(p.path, name),
			"is there twice: remove it here or in line %d", first.line)
	}
	field := &node{}
	object.members[name] = member{line: line, column: column, node: field}
	return name, field, true
}

func (p *parser) array(n *node, depth int) bool {
	array := []any{}
	n.value = array
	p.advance(1)
	p.space()
	if p.skip(']') {
		return true
	}
	for {
		if p.peek() == ']' {
			return p.fail(`want another element after ",", or no "," before "]"`)
		}
		p.path = append(p.path, strconv.Itoa(len(array)))
		item := &node{}
		n.items = append(n.items, item)
		if !p.value(item, depth+1) {
			return false
		}
		p.path = p.path[:len(p.path)-1]
		array = append(array, item.value)
		p.space()
		if p.skip(']') {
			n.value = array
			return true
		}
		if !p.skip(',') {
			return p.fail(`want "," or "]" after an element, found %s`, p.found())
		}
		p.space()
	}
}

// peek returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	if p.at == len(p.data) {
		return 0
	}
	return p.data[p.at]
}

// skip goes over c if it is next.
func (p *parser) skip(c byte) bool {
	if p.at == len(p.data) || p.data[p.at] != c {
		return false
	}
	p.advance(1)
	return true
}

func (p *parser) space() {
	for p.at < len(p.data) && bytes.IndexByte([]byte(" \t\r\n"), p.data[p.at]) >= 0 {
		p.advance(1)
	}
}

// advance goes over n bytes and keeps count of lines and characters.
func (p *parser) advance(n int) {
	for range n {
		c := p.data[p.at]
		p.at++
		switch {
		case c == '\n':
			p.line, p.column = p.line+1, 1
		case utf8.RuneStart(c):
			p.column++
		}
	}
}

// found describes what is next.
func (p *parser) found() string {
	if p.at == len(p.data) {
		return "the end of the file"
	}
	r, size := utf8.DecodeRune(p.data[p.at:])
	if r == utf8.RuneError && size == 1 {
		return fmt.Sprintf("byte 0x%02x, which is not UTF-8", p.data[p.at])
	}
	if word := p.letters(); len(word) > 0 {
		return strconv.Quote(clip(string(word)))
	}
	return strconv.Quote(string(r))
}

// letters returns the ASCII letters that are next.
func (p *parser) letters() []byte {
	rest := p.data[p.at:]
	for i, c := range rest {
		if c >= utf8.RuneSelf || !unicode.IsLetter(rune(c)) {
			return rest[:i]
		}
	}
	return rest
}

// fail records a problem at the place that the parser has reached.
func (p *parser) fail(format string, args ...any) bool {
	p.problemAt(p.line, p.column, p.path, format, args...)
	return false
}

func (p *parser) problemAt(line, column int, path []string, format string, args ...any) {
	p.problems = append(p.problems, Problem{
		File: p.file, Line: line, Column: column,
		Path: p.root.show(path), Message: fmt.Sprintf(format, args...),
	})
}

// clip shortens what a message repeats of a file.
func clip(text string) string {
	runes := []rune(text)
	if len(runes) <= maxShown {
		return text
	}
	return string(runes[:maxShown]) + "…"
}
