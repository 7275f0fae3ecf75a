package githubschema

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Document is what is kept of the REST API's description.
type Document struct {
	Version    string
	Operations []*Operation
}

// document is a [Document] as JSON. Shapes are listed once each and named by
// their number; one refers to those before it only.
type document struct {
	Version    string      `json:"version"`
	Shapes     []wireShape `json:"shapes"`
	Operations []wireOp    `json:"operations"`
}

// wireShape is a [Shape]. References are the numbers of shapes, from 1; 0 is
// none.
type wireShape struct {
	Kind     Kind     `json:"k"`
	Nullable bool     `json:"null,omitempty"`
	Format   string   `json:"format,omitempty"`
	Enum     []string `json:"enum,omitempty"`
	Least    *int64   `json:"min,omitempty"`
	Most     *int64   `json:"max,omitempty"`
	Default  string   `json:"def,omitempty"`
	Elem     int      `json:"elem,omitempty"`
	// Names are those of fields, each followed by "?" if it is optional;
	// Fields are their shapes.
	Names    []string `json:"names,omitempty"`
	Fields   []int    `json:"fields,omitempty"`
	Required []string `json:"req,omitempty"`
	OneOf    []int    `json:"oneOf,omitempty"`
}

type wireOp struct {
	// Head is the method, the path and the operation's id.
	Head          string          `json:"op"`
	Documentation string          `json:"doc,omitempty"`
	Parameters    []wireParameter `json:"params,omitempty"`
	Body          int             `json:"body,omitempty"`
	Status        int             `json:"status"`
	Answer        int             `json:"answer,omitempty"`
}

type wireParameter struct {
	Name     string `json:"n"`
	In       string `json:"in"`
	Required bool   `json:"req,omitempty"`
	Many     bool   `json:"many,omitempty"`
	Shape    int    `json:"s"`
}

// docsRoot begins the address of every page of documentation.
const docsRoot = "https://docs.github.com/rest/"

// optionalMark follows the name of an optional field.
const optionalMark = "?"

// Encode returns a document as JSON.
func Encode(d Document) []byte {
	e := encoder{numbers: map[string]int{}, known: map[*Shape]int{}}
	e.out.Version = d.Version
	for _, op := range d.Operations {
		w := wireOp{
			Head: op.Method + " " + op.Path + " " + op.ID, Documentation: strings.TrimPrefix(op.Documentation, docsRoot),
			Body: e.shape(op.Body), Status: op.Status, Answer: e.shape(op.Answer),
		}
		for _, p := range op.Parameters {
			w.Parameters = append(w.Parameters, wireParameter{Name: p.Name, In: p.In, Required: p.Required, Many: p.Many, Shape: e.shape(p.Shape)})
		}
		e.out.Operations = append(e.out.Operations, w)
	}
	// Texts and numbers can be encoded.
	text, _ := json.Marshal(e.out)
	return text
}

type encoder struct {
	out document
	// numbers are those of shapes by their JSON, and known by where they are.
	numbers map[string]int
	known   map[*Shape]int
}

// shape returns the number of a shape, and lists it if it is new.
func (e *encoder) shape(s *Shape) int {
	if s == nil {
		return 0
	}
	if number := e.known[s]; number != 0 {
		return number
	}
	w := wireShape{Kind: s.Kind, Nullable: s.Nullable, Format: s.Format, Enum: s.Enum, Least: s.Least, Most: s.Most, Default: s.Default, Required: s.Required, Elem: e.shape(s.Elem)}
	for _, f := range s.Fields {
		name := f.Name
		if f.Optional {
			name += optionalMark
		}
		w.Names, w.Fields = append(w.Names, name), append(w.Fields, e.shape(f.Shape))
	}
	for _, one := range s.OneOf {
		w.OneOf = append(w.OneOf, e.shape(one))
	}
	text, _ := json.Marshal(w)
	number := e.numbers[string(text)]
	if number == 0 {
		e.out.Shapes = append(e.out.Shapes, w)
		number = len(e.out.Shapes)
		e.numbers[string(text)] = number
	}
	e.known[s] = number
	return number
}

// Decode is the reverse of [Encode].
func Decode(text []byte) (Document, error) {
	var w document
	if err := json.Unmarshal(text, &w); err != nil {
		return Document{}, err
	}
	shapes := make([]Shape, len(w.Shapes)+1)
	ref := func(number int) *Shape {
		if number == 0 {
			return nil
		}
		return &shapes[number]
	}
	for n, from := range w.Shapes {
		to := &shapes[n+1]
		*to = Shape{
			Kind: from.Kind, Nullable: from.Nullable, Format: from.Format, Enum: from.Enum,
			Least: from.Least, Most: from.Most, Default: from.Default, Required: from.Required, Elem: ref(from.Elem),
		}
		for i, name := range from.Names {
			name, optional := strings.CutSuffix(name, optionalMark)
			to.Fields = append(to.Fields, Field{name, optional, ref(from.Fields[i])})
		}
		for _, one := range from.OneOf {
			to.OneOf = append(to.OneOf, ref(one))
		}
	}
	d := Document{Version: w.Version, Operations: make([]*Operation, len(w.Operations))}
	for n, from := range w.Operations {
		head := strings.Fields(from.Head)
		if len(head) != 3 {
			return Document{}, fmt.Errorf("operation %d is %q, want method, path and id", n, from.Head)
		}
		op := &Operation{
			Method: head[0], Path: head[1], ID: head[2], Documentation: docsRoot + from.Documentation,
			Body: ref(from.Body), Status: from.Status, Answer: ref(from.Answer),
		}
		for _, p := range from.Parameters {
			op.Parameters = append(op.Parameters, Parameter{Name: p.Name, In: p.In, Required: p.Required, Many: p.Many, Shape: ref(p.Shape)})
		}
		d.Operations[n] = op
	}
	return d, nil
}
