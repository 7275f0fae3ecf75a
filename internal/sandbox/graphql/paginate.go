package graphql

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
)

// MaxPage is the largest page of a connection.
const MaxPage = 100

// Page is a page of a connection. [ConnectionField] resolves its fields; a
// struct that embeds it can have more.
type Page[T any] struct {
	Nodes    []T
	Edges    []Edge[T]
	PageInfo PageInfo
	// TotalCount counts the items of all pages.
	TotalCount int
}

// Edge is an item of a page with its cursor.
type Edge[T any] struct {
	Cursor string
	Node   T
}

// PageInfo says where a page lies. The cursors of an empty page are empty, and
// null in the reply.
type PageInfo struct {
	HasNextPage     bool
	HasPreviousPage bool
	StartCursor     string
	EndCursor       string
}

// Paginate returns the page of items that the arguments first, last, after and
// before ask for. Without first and last the page has no items: the engine
// has made sure that none are selected. The error is an [*Error] about an
// invalid cursor.
func Paginate[T any](items []T, args Args) (Page[T], error) {
	page := Page[T]{TotalCount: len(items), Nodes: []T{}, Edges: []Edge[T]{}}
	from, to, err := window(len(items), args)
	if err != nil {
		return page, err
	}
	page.PageInfo = PageInfo{HasNextPage: to < len(items), HasPreviousPage: from > 0}
	if from == to {
		return page, nil
	}
	page.Nodes = items[from:to]
	for i, item := range page.Nodes {
		page.Edges = append(page.Edges, Edge[T]{Cursor: cursor(from + i), Node: item})
	}
	page.PageInfo.StartCursor = cursor(from)
	page.PageInfo.EndCursor = cursor(to - 1)
	return page, nil
}

// window returns the bounds of a page in a list of n items.
func window(n int, args Args) (from, to int, err error) {
	to = n
	if args.Has("after") {
		i, err := position(args.String("after"))
		if err != nil {
			return 0, 0, err
		}
		from = min(i+1, n)
	}
	if args.Has("before") {
		i, err := position(args.String("before"))
		if err != nil {
			return 0, 0, err
		}
		to = max(min(i, n), from)
	}
	switch {
	case args.Has("first"):
		to = min(to, from+max(args.Int("first"), 0))
	case args.Has("last"):
		from = max(from, to-max(args.Int("last"), 0))
	default:
		to = from
	}
	return from, to, nil
}

// cursorPrefix begins every cursor: GitHub's mark, and in MessagePack a list of
// one 32-bit number.
var cursorPrefix = []byte("cursor:v2:\x91\xce")

// cursor returns the cursor of the item at a position.
func cursor(i int) string {
	return base64.URLEncoding.EncodeToString(binary.BigEndian.AppendUint32(bytes.Clone(cursorPrefix), uint32(i)))
}

// position returns the position that a cursor stands for.
func position(cursor string) (int, error) {
	raw, err := base64.URLEncoding.DecodeString(cursor)
	digits, ok := bytes.CutPrefix(raw, cursorPrefix)
	if err != nil || !ok || len(digits) != 4 {
		return 0, &Error{Type: TypeInvalidCursor, Message: fmt.Sprintf("`%s` does not appear to be a valid cursor.", cursor)}
	}
	return int(binary.BigEndian.Uint32(digits)), nil
}

// isConnection reports whether a field is a connection: a list in pages.
func isConnection(f *fieldDef) bool {
	return strings.HasSuffix(f.typ.base().name, "Connection") && f.args.find("first") != nil && f.args.find("last") != nil
}

// checkPage checks the arguments of a connection. They may be missing where
// only the connection's other fields are selected, such as totalCount.
func (x *execution) checkPage(g *group, args Args) error {
	name := g.def.name
	if args.Has("first") && args.Has("last") {
		return pageError(TypeInvalidPagination, "Passing both `first` and `last` to paginate the `%s` connection is not supported.", name)
	}
	for _, bound := range []string{"first", "last"} {
		n := args.Int(bound)
		if n < 0 {
			return pageError(TypeInvalidPagination, "`%s` on the `%s` connection cannot be less than zero.", bound, name)
		}
		if n > MaxPage {
			return pageError(TypeExcessivePagination, "Requesting %d records on the `%s` connection exceeds the `%s` limit of %d records.", n, name, bound, MaxPage)
		}
	}
	if args.Has("first") || args.Has("last") || !x.selects(g.sub, "nodes") && !x.selects(g.sub, "edges") {
		return nil
	}
	return pageError(TypeMissingPagination, "You must provide a `first` or `last` value to properly paginate the `%s` connection.", name)
}

func pageError(kind, format string, args ...any) error {
	return &Error{Type: kind, Message: fmt.Sprintf(format, args...)}
}

// anyPage is what all pages have in common, whatever their items.
type anyPage interface {
	nodes() any
	edges() any
	info() PageInfo
	total() int
}

func (p Page[T]) nodes() any     { return p.Nodes }
func (p Page[T]) edges() any     { return p.Edges }
func (p Page[T]) info() PageInfo { return p.PageInfo }
func (p Page[T]) total() int     { return p.TotalCount }

// anyEdge is what all edges have in common.
type anyEdge interface {
	cursor() string
	node() any
}

func (e Edge[T]) cursor() string { return e.Cursor }
func (e Edge[T]) node() any      { return e.Node }

// ConnectionField returns resolvers for what connections have in common, for
// use as [Options.Fallback]: nodes, edges, pageInfo and totalCount of the types
// named …Connection, whose objects are a [Page] or embed one, cursor and node
// of the types named …Edge, and the fields of PageInfo. It returns nil for
// other fields.
func ConnectionField(typeName, field string) Resolver {
	switch {
	case strings.HasSuffix(typeName, "Connection"):
		return pageField(field)
	case strings.HasSuffix(typeName, "Edge"):
		return edgeField(field)
	case typeName == "PageInfo":
		return pageInfoField(field)
	default:
		return nil
	}
}

func pageField(field string) Resolver {
	switch field {
	case "nodes":
		return Prop(func(p anyPage) any { return p.nodes() })
	case "edges":
		return Prop(func(p anyPage) any { return p.edges() })
	case "pageInfo":
		return Prop(func(p anyPage) any { return p.info() })
	case "totalCount":
		return Prop(func(p anyPage) any { return p.total() })
	default:
		return nil
	}
}

func edgeField(field string) Resolver {
	switch field {
	case "cursor":
		return Prop(func(e anyEdge) any { return e.cursor() })
	case "node":
		return Prop(func(e anyEdge) any { return e.node() })
	default:
		return nil
	}
}

func pageInfoField(field string) Resolver {
	switch field {
	case "hasNextPage":
		return Prop(func(p PageInfo) any { return p.HasNextPage })
	case "hasPreviousPage":
		return Prop(func(p PageInfo) any { return p.HasPreviousPage })
	case "startCursor":
		return Prop(func(p PageInfo) any { return orNull(p.StartCursor) })
	case "endCursor":
		return Prop(func(p PageInfo) any { return orNull(p.EndCursor) })
	default:
		return nil
	}
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
