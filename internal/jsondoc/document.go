package jsondoc

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Document is a parsed JSON file that knows where its values are. It is not
// changed after parsing.
//
// Its methods take a place as a path of field names and array indexes, for
// example "assertions", "checkpoints", "0". Of a path that leads nowhere they
// take the part that is there, so that what is missing is reported where it
// belongs.
type Document struct {
	file string
	root *node
}

// node is one value and where it begins.
type node struct {
	line, column int
	value        any
	// members are an object's fields, items an array's elements.
	members map[string]member
	items   []*node
}

// member is a field of an object: where its name stands, and its value.
type member struct {
	line, column int
	node         *node
}

// File returns the name that was given to [Parse].
func (d *Document) File() string { return d.file }

// Value returns the document as map[string]any, []any, string, bool, nil, int
// for whole numbers and float64 for other ones and for those that do not fit
// an int. It must not be changed.
func (d *Document) Value() any { return d.root.value }

// At returns the value at the path, of the types of [Document.Value], and
// whether there is one.
func (d *Document) At(path ...string) (value any, exists bool) {
	at, rest := d.root.follow(path)
	if len(rest) > 0 {
		return nil, false
	}
	return at.value, true
}

// Decode stores the document in the value that v points to, as
// [json.Unmarshal] does, except that a whole number fits an integer however it
// is written: 1e3 too.
func (d *Document) Decode(v any) error {
	text, _ := json.Marshal(d.Value()) // It came of JSON, or of what YAML has in common with it.
	return json.Unmarshal(text, v)
}

// Position returns where the value at the path begins, both counted from 1.
func (d *Document) Position(path ...string) (line, column int) {
	at, _ := d.root.follow(path)
	return at.line, at.column
}

// KeyPosition returns where the name of the field at the path begins; for an
// element of an array, or a field that is missing, it is [Document.Position].
func (d *Document) KeyPosition(path ...string) (line, column int) {
	if len(path) == 0 {
		return d.Position()
	}
	last := len(path) - 1
	parent, rest := d.root.follow(path[:last])
	if len(rest) == 0 {
		if field, known := parent.members[path[last]]; known {
			return field.line, field.column
		}
	}
	return d.Position(path...)
}

// Problem returns a problem with the value at the path, or, if there is none,
// with its absence. The message is built as by [fmt.Sprintf].
func (d *Document) Problem(path []string, format string, args ...any) Problem {
	line, column := d.Position(path...)
	return d.problem(line, column, path, format, args)
}

// KeyProblem returns a problem with the name of the field at the path.
func (d *Document) KeyProblem(path []string, format string, args ...any) Problem {
	line, column := d.KeyPosition(path...)
	return d.problem(line, column, path, format, args)
}

func (d *Document) problem(line, column int, path []string, format string, args []any) Problem {
	return Problem{
		File: d.file, Line: line, Column: column,
		Path: d.root.show(path), Message: fmt.Sprintf(format, args...),
	}
}

// follow walks along the path and returns the last node that is there, and
// the rest of the path, empty if nothing is missing.
func (n *node) follow(path []string) (last *node, rest []string) {
	for i, name := range path {
		next := n.child(name)
		if next == nil {
			return n, path[i:]
		}
		n = next
	}
	return n, nil
}

func (n *node) child(name string) *node {
	if field, known := n.members[name]; known {
		return field.node
	}
	if i, err := strconv.Atoi(name); err == nil && 0 <= i && i < len(n.items) {
		return n.items[i]
	}
	return nil
}

var plainName = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$-]*$`)

// show writes a path as people do: a.b[0].c, and a["b.c"] for odd names.
func (n *node) show(path []string) string {
	var text strings.Builder
	for _, name := range path {
		_, isArray := valueOf(n).([]any)
		switch {
		case isArray:
			text.WriteString("[" + name + "]")
		case !plainName.MatchString(name):
			text.WriteString("[" + strconv.Quote(clip(name)) + "]")
		case text.Len() == 0:
			text.WriteString(name)
		default:
			text.WriteString("." + name)
		}
		if n != nil {
			n = n.child(name)
		}
	}
	return text.String()
}

func valueOf(n *node) any {
	if n == nil {
		return nil
	}
	return n.value
}
