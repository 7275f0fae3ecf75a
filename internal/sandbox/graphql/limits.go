package graphql

import (
	"fmt"
	"math"

	"github.com/vektah/gqlparser/v2/ast"
)

// size measures a selection after its fragments are expanded.
type size struct {
	fields, aliases, depth int
}

func (s size) plus(other size) size {
	return size{add(s.fields, other.fields), add(s.aliases, other.aliases), max(s.depth, other.depth)}
}

// add adds without overflow: fragments that spread one another twice double
// the count at each step.
func add(a, b int) int {
	if a > math.MaxInt32-b {
		return math.MaxInt32
	}
	return a + b
}

// measure computes sizes of a document whose fragments have no cycles, each
// fragment once.
type measure struct {
	fragments map[string]size
}

func (m *measure) selections(set ast.SelectionSet) size {
	var total size
	for _, selection := range set {
		switch sel := selection.(type) {
		case *ast.Field:
			inner := m.selections(sel.SelectionSet)
			own := size{fields: add(inner.fields, 1), aliases: inner.aliases, depth: inner.depth + 1}
			if sel.Alias != sel.Name {
				own.aliases = add(own.aliases, 1)
			}
			total = total.plus(own)
		case *ast.InlineFragment:
			total = total.plus(m.selections(sel.SelectionSet))
		case *ast.FragmentSpread:
			total = total.plus(m.fragment(sel))
		}
	}
	return total
}

func (m *measure) fragment(spread *ast.FragmentSpread) size {
	s, ok := m.fragments[spread.Name]
	if !ok {
		s = m.selections(spread.Definition.SelectionSet)
		m.fragments[spread.Name] = s
	}
	return s
}

// oversized returns an error for the first operation that exceeds a limit.
func (e *Engine) oversized(doc *ast.QueryDocument) []*Error {
	m := measure{fragments: map[string]size{}}
	for _, op := range doc.Operations {
		s := m.selections(op.SelectionSet)
		var message string
		switch {
		case s.depth > e.options.MaxDepth:
			message = fmt.Sprintf("Query has depth of %d, which exceeds max depth of %d", s.depth, e.options.MaxDepth)
		case s.aliases > e.options.MaxAliases:
			message = fmt.Sprintf("Query has %d aliases, which exceeds max aliases of %d", s.aliases, e.options.MaxAliases)
		case s.fields > e.options.MaxFields:
			message = fmt.Sprintf("Query has complexity of %d, which exceeds max complexity of %d", s.fields, e.options.MaxFields)
		default:
			continue
		}
		return []*Error{{Message: message}}
	}
	return nil
}
