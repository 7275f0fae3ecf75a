package graphql

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/vektah/gqlparser/v2/ast"
)

// body is a compiled list of selections, between braces in the text.
type body struct {
	nodes []node
	// conditional says that a variable decides about one of the selections,
	// here or in a fragment at this level.
	conditional bool
	// named says that it is a named fragment's.
	named bool
}

// node is a field or, if field is nil, a fragment.
type node struct {
	field *fieldNode
	// inner and on are a fragment's selections and the type that they are for,
	// nil for every type.
	inner *body
	on    *typeDef
	// when must all hold for the selection to count.
	when []condition
}

// condition holds when the variable has the wanted value.
type condition struct {
	variable string
	want     bool
}

// fieldNode is a field in the text.
type fieldNode struct {
	key string
	// quoted is the key as the reply has it, with its colon.
	quoted   string
	name     string
	args     ast.ArgumentList
	dynamic  bool // the arguments hold variables
	position *ast.Position
	sub      *set // nil for a leaf
}

// set is the selection of a value: of one field, or of several fields that
// share a key.
type set struct {
	bodies      []*body
	conditional bool
	mu          sync.Mutex
	plans       atomic.Pointer[[]plan]
}

// plan is a set's selection on one concrete type.
type plan struct {
	of     *typeDef
	groups []*group
}

// group is a key of the reply on one concrete type, with all fields of the
// text that have that key.
type group struct {
	// node is the first field; it decides about name, arguments and location.
	node *fieldNode
	def  *fieldDef
	sub  *set
	// args and denied are those of a field without variables.
	args   Args
	denied *typeRef
}

func newSet(bodies ...*body) *set {
	return &set{bodies: bodies, conditional: slices.ContainsFunc(bodies, func(b *body) bool { return b.conditional })}
}

// plan returns the groups of a set on a concrete type.
func (x *execution) plan(s *set, t *typeDef) []*group {
	if s.conditional {
		return x.collect(s, t)
	}
	if groups, ok := s.remembered(t); ok {
		return groups
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if groups, ok := s.remembered(t); ok {
		return groups
	}
	groups := x.collect(s, t)
	var plans []plan
	if known := s.plans.Load(); known != nil {
		plans = slices.Clip(*known)
	}
	plans = append(plans, plan{t, groups})
	s.plans.Store(&plans)
	return groups
}

func (s *set) remembered(t *typeDef) ([]*group, bool) {
	if plans := s.plans.Load(); plans != nil {
		for i := range *plans {
			if (*plans)[i].of == t {
				return (*plans)[i].groups, true
			}
		}
	}
	return nil, false
}

// collector gathers the fields of a set that apply to one concrete type.
type collector struct {
	x     *execution
	of    *typeDef
	keys  map[string]int
	found [][]*fieldNode
	// seen are the named fragments that are in already.
	seen map[*body]bool
}

// collect groups a set's fields by key, in the order of the text.
func (x *execution) collect(s *set, t *typeDef) []*group {
	c := collector{x: x, of: t, keys: map[string]int{}, seen: map[*body]bool{}}
	for _, b := range s.bodies {
		c.body(b)
	}
	groups := make([]*group, 0, len(c.found))
	for _, nodes := range c.found {
		if g := x.newGroup(t, nodes); g != nil {
			groups = append(groups, g)
		}
	}
	return groups
}

func (c *collector) body(b *body) {
	if b.named {
		if c.seen[b] {
			return
		}
		c.seen[b] = true
	}
	for i := range b.nodes {
		n := &b.nodes[i]
		switch {
		case !c.x.holds(n.when):
		case n.field != nil:
			c.add(n.field)
		case n.on == nil || n.on.members[c.of]:
			c.body(n.inner)
		}
	}
}

func (c *collector) add(f *fieldNode) {
	i, ok := c.keys[f.key]
	if !ok {
		c.keys[f.key] = len(c.found)
		c.found = append(c.found, []*fieldNode{f})
		return
	}
	if c.found[i][0].name == f.name {
		c.found[i] = append(c.found[i], f)
	}
}

func (x *execution) newGroup(t *typeDef, nodes []*fieldNode) *group {
	g := &group{node: nodes[0], def: x.engine.schema.field(t, nodes[0].name), sub: nodes[0].sub}
	if g.def == nil {
		return nil
	}
	if len(nodes) > 1 && g.sub != nil {
		var bodies []*body
		for _, n := range nodes {
			bodies = append(bodies, n.sub.bodies...)
		}
		g.sub = newSet(bodies...)
	}
	if !g.node.dynamic {
		g.args, g.denied = x.arguments(g)
	}
	return g
}

// holds evaluates the conditions of @skip and @include.
func (x *execution) holds(when []condition) bool {
	for _, c := range when {
		if value, _ := x.vars[c.variable].(bool); value != c.want {
			return false
		}
	}
	return true
}

// selects reports whether a set selects a field, on whatever type.
func (x *execution) selects(s *set, field string) bool {
	return slices.ContainsFunc(s.bodies, func(b *body) bool { return x.bodySelects(b, field) })
}

func (x *execution) bodySelects(b *body, field string) bool {
	return slices.ContainsFunc(b.nodes, func(n node) bool {
		switch {
		case !x.holds(n.when):
			return false
		case n.field != nil:
			return n.field.name == field
		default:
			return x.bodySelects(n.inner, field)
		}
	})
}
