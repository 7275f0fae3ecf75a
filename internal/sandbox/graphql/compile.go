package graphql

import "github.com/vektah/gqlparser/v2/ast"

// compiler turns the selections of a valid document into bodies. Each named
// fragment is compiled once.
type compiler struct {
	schema    *schema
	fragments map[string]*body
}

func newCompiler(s *schema, doc *ast.QueryDocument) *compiler {
	return &compiler{schema: s, fragments: make(map[string]*body, len(doc.Fragments))}
}

func (c *compiler) body(selections ast.SelectionSet) *body {
	b := &body{nodes: make([]node, 0, len(selections))}
	for _, selection := range selections {
		n, ok := c.node(selection)
		if !ok {
			continue
		}
		b.nodes = append(b.nodes, n)
		b.conditional = b.conditional || n.when != nil || (n.inner != nil && n.inner.conditional)
	}
	return b
}

// node compiles one selection. It reports false for one that a literal
// condition leaves out.
func (c *compiler) node(selection ast.Selection) (node, bool) {
	switch sel := selection.(type) {
	case *ast.Field:
		when, ok := conditions(sel.Directives)
		return node{field: c.field(sel), when: when}, ok
	case *ast.InlineFragment:
		when, ok := conditions(sel.Directives)
		n := node{inner: c.body(sel.SelectionSet), when: when}
		if sel.TypeCondition != "" {
			n.on = c.schema.types[sel.TypeCondition]
		}
		return n, ok
	case *ast.FragmentSpread:
		when, ok := conditions(sel.Directives)
		inner := c.fragments[sel.Name]
		if inner == nil {
			inner = c.body(sel.Definition.SelectionSet)
			inner.named = true
			c.fragments[sel.Name] = inner
		}
		return node{inner: inner, on: c.schema.types[sel.Definition.TypeCondition], when: when}, ok
	default:
		return node{}, false
	}
}

func (c *compiler) field(f *ast.Field) *fieldNode {
	n := &fieldNode{
		key:      f.Alias,
		quoted:   string(append(appendString(nil, f.Alias), ':')),
		name:     f.Name,
		args:     f.Arguments,
		position: f.Position,
	}
	for _, a := range f.Arguments {
		n.dynamic = n.dynamic || hasVariable(a.Value)
	}
	if len(f.SelectionSet) > 0 {
		n.sub = newSet(c.body(f.SelectionSet))
	}
	return n
}

func hasVariable(v *ast.Value) bool {
	if v.Kind == ast.Variable {
		return true
	}
	for _, child := range v.Children {
		if hasVariable(child.Value) {
			return true
		}
	}
	return false
}

// conditions returns what @skip and @include ask of variables. It reports
// false if a literal leaves the selection out.
func conditions(directives ast.DirectiveList) ([]condition, bool) {
	var when []condition
	for _, d := range directives {
		if d.Name != "skip" && d.Name != "include" {
			continue
		}
		want := d.Name == "include"
		switch v := d.Arguments.ForName("if").Value; v.Kind {
		case ast.Variable:
			when = append(when, condition{v.Raw, want})
		default:
			if (v.Raw == "true") != want {
				return nil, false
			}
		}
	}
	return when, true
}
