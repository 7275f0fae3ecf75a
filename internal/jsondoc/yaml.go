package jsondoc

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	yamlparser "github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// MaxYAML is the greatest size of a YAML file in bytes.
const MaxYAML = 32 << 10

// ParseYAML reads a YAML document of the kind that settings are: mappings,
// sequences and plain values, as JSON has them. The file's name is for
// messages. An empty file is an empty object.
//
// Anchors, aliases, merge keys and tags are problems, so that a small file
// cannot grow into a large one. The document is nil if the file cannot be read
// at all.
func ParseYAML(file string, data []byte) (*Document, Problems) {
	return ParseYAMLUpTo(file, data, MaxYAML)
}

// ParseYAMLUpTo is [ParseYAML] for a file of another greatest size in bytes.
func ParseYAMLUpTo(file string, data []byte, most int) (*Document, Problems) {
	r := &yamlReader{file: file, root: &node{line: 1, column: 1, value: map[string]any{}}}
	if len(data) > most {
		r.report(r.root, "the file has %d bytes: want at most %d", len(data), most)
		return nil, r.problems
	}
	if deepest(data) > MaxDepth {
		r.report(r.root, "is nested deeper than %d levels", MaxDepth)
		return nil, r.problems
	}
	tokens := lexer.Tokenize(string(data))
	parsed, err := yamlparser.Parse(tokens, 0)
	if err != nil {
		r.syntax(err)
		return nil, r.problems
	}
	documents := slices.DeleteFunc(parsed.Docs, func(d *ast.DocumentNode) bool { return d.Body == nil })
	if len(documents) > 1 || headers(tokens) > 1 {
		r.report(r.root, "the file has several documents: want one, without ---")
		return nil, r.problems
	}
	for _, document := range documents {
		r.read(r.root, document.Body, 0)
	}
	return &Document{file: file, root: r.root}, r.problems
}

// headers counts the lines that begin a document. The parser leaves out all
// that comes after two of them without a value between.
func headers(tokens token.Tokens) int {
	count := 0
	for _, t := range tokens {
		if t.Type == token.DocumentHeaderType {
			count++
		}
	}
	return count
}

// deepest returns how deep brackets are nested, wherever they stand; the
// parser would go as deep. Indentation nests far less in a small file.
func deepest(data []byte) int {
	var depth, most int
	for _, c := range data {
		switch c {
		case '[', '{':
			depth++
			most = max(most, depth)
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return most
}

type yamlReader struct {
	file     string
	root     *node
	path     []string
	problems Problems
}

func (r *yamlReader) report(at *node, format string, args ...any) {
	r.reportAt(at.line, at.column, r.path, fmt.Sprintf(format, args...))
}

func (r *yamlReader) reportAt(line, column int, path []string, message string) {
	r.problems = append(r.problems, Problem{File: r.file, Line: line, Column: column, Path: r.root.show(path), Message: message})
}

func (r *yamlReader) syntax(err error) {
	at, message := &node{line: 1, column: 1}, err.Error()
	if syntax, ok := errors.AsType[yaml.Error](err); ok {
		at.place(syntax.GetToken())
		message = syntax.GetMessage()
	}
	r.report(at, "is no YAML: %s", clip(message))
}

// read fills n with a value of the file.
func (r *yamlReader) read(n *node, from ast.Node, depth int) {
	n.place(from.GetToken())
	if depth > MaxDepth {
		r.report(n, "is nested deeper than %d levels", MaxDepth)
		return
	}
	switch from := from.(type) {
	case *ast.MappingNode:
		r.mapping(n, from.Values, depth)
	case *ast.MappingValueNode:
		r.mapping(n, []*ast.MappingValueNode{from}, depth)
	case *ast.SequenceNode:
		r.sequence(n, from, depth)
	case *ast.CommentGroupNode:
		n.value = nil
	default:
		value, known := scalar(from)
		if !known {
			r.report(n, "is %s, which settings do not have: write the value itself", kindOf(from))
		}
		n.value = value
	}
}

func (n *node) place(t *token.Token) {
	n.line, n.column = 1, 1
	if t != nil && t.Position != nil {
		n.line, n.column = t.Position.Line, t.Position.Column
	}
}

func (r *yamlReader) mapping(n *node, values []*ast.MappingValueNode, depth int) {
	object := map[string]any{}
	n.value, n.members = object, map[string]member{}
	for i, value := range values {
		field := &node{}
		key := &node{}
		key.place(value.Key.GetToken())
		if i == 0 {
			n.line, n.column = key.line, key.column
		}
		name, ok := keyName(value.Key)
		if !ok {
			r.report(key, "has %s for a field's name: want a word", kindOf(value.Key))
			continue
		}
		if first, twice := n.members[name]; twice {
			r.reportAt(key.line, key.column, append(r.path, name), fmt.Sprintf("is there twice: remove it here or in line %d", first.line))
		}
		n.members[name] = member{line: key.line, column: key.column, node: field}
		r.path = append(r.path, name)
		r.read(field, value.Value, depth+1)
		r.path = r.path[:len(r.path)-1]
		object[name] = field.value
	}
}

func (r *yamlReader) sequence(n *node, from *ast.SequenceNode, depth int) {
	array := []any{}
	n.value = array // what is told of an element knows of the list
	for i, value := range from.Values {
		item := &node{}
		n.items = append(n.items, item)
		r.path = append(r.path, strconv.Itoa(i))
		r.read(item, value, depth+1)
		r.path = r.path[:len(r.path)-1]
		array = append(array, item.value)
	}
	n.value = array
}

// keyName returns the name of a field; numbers and such are names as they are
// written.
func keyName(key ast.Node) (string, bool) {
	switch key := key.(type) {
	case *ast.StringNode:
		return key.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return key.GetToken().Value, true
	default:
		return "", false
	}
}

// scalar returns a plain value as a JSON document has it.
func scalar(from ast.Node) (value any, known bool) {
	switch from := from.(type) {
	case *ast.StringNode:
		return from.Value, true
	case *ast.LiteralNode:
		return from.Value.Value, true
	case *ast.BoolNode:
		return from.Value, true
	case *ast.NullNode:
		return nil, true
	case *ast.FloatNode:
		return from.Value, true
	case *ast.IntegerNode:
		return wholeNumber(from.Value), true
	default:
		return nil, false
	}
}

// wholeNumber returns an int, or a float64 where that is too small.
func wholeNumber(value any) any {
	switch value := value.(type) {
	case int64:
		return int(value)
	case uint64:
		if value > math.MaxInt {
			return float64(value)
		}
		return int(value)
	default:
		return value
	}
}

func kindOf(n ast.Node) string {
	switch n.(type) {
	case *ast.AnchorNode:
		return "an anchor (&)"
	case *ast.AliasNode:
		return "an alias (*)"
	case *ast.MergeKeyNode:
		return "a merge key (<<)"
	case *ast.TagNode:
		return "a tag (!)"
	case *ast.InfinityNode, *ast.NanNode:
		return "no finite number"
	case *ast.MappingNode, *ast.MappingValueNode, *ast.MappingKeyNode:
		return "an object"
	default:
		return "something"
	}
}
