package graphql_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
)

// librarySDL is the schema of the tests: a small library.
const librarySDL = `
"A library."
schema { query: Query mutation: Mutation }

scalar URI
scalar DateTime

"Has an id."
interface Node { id: ID! }
interface Titled { title: String! url: URI }

enum Genre { NOVEL POEM ESSAY @deprecated(reason: "Nobody reads them.") }
enum OrderField { TITLE PAGES }

input BookOrder { field: OrderField! = TITLE descending: Boolean = false }
input BookFilter { genre: Genre, minPages: Int, tags: [String!], nested: BookFilter }
input AddBookInput { title: String!, pages: Int = 100, genre: Genre }

type Book implements Node & Titled {
  id: ID!
  title: String!
  url: URI
  genre: Genre
  pages: Int!
  price: Float
  lent: Boolean!
  added: DateTime
  tags: [String!]!
  author: Author
  editor: Author!
  similar(first: Int, last: Int, after: String, before: String): BookConnection!
  oldPages: Int @deprecated
}
type Author implements Node { id: ID! name: String! born: DateTime, books(first: Int, last: Int, after: String, before: String): BookConnection! }
type Magazine implements Node & Titled { id: ID! title: String! url: URI issue: Int! }
union Item = Book | Magazine
type Shelf { items: [Item!]! optional: [Item] strict: [Book!] }

type BookConnection { nodes: [Book] edges: [BookEdge] pageInfo: PageInfo! totalCount: Int! }
type BookEdge { cursor: String! node: Book }
type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }

type Query {
  book(id: ID!): Book
  node(id: ID!): Node
  nodes(ids: [ID!]!): [Node]!
  item(id: ID!): Item
  shelf: Shelf!
  books(first: Int, last: Int, after: String, before: String, orderBy: BookOrder = {}): BookConnection!
  "Returns its arguments as JSON."
  echo(text: String, number: Int, float: Float, flag: Boolean = true, id: ID, ids: [ID!], genre: Genre, filter: BookFilter, filters: [BookFilter!], when: DateTime, matrix: [[Int]], required: Int! = 7): String!
  fail(how: String!): Book
  required(how: String!): Book!
}
type Mutation {
  addBook(input: AddBookInput!): AddBookPayload
  fail: AddBookPayload
}
type AddBookPayload { book: Book, count: Int! }
`

type book struct {
	ID, Title, Genre string
	Pages            int
	Author, Editor   *author
	Added            time.Time
}

type author struct{ ID, Name string }

type magazine struct {
	ID, Title string
	Issue     int
}

type shelf struct{ items []any }

type payload struct {
	book  *book
	count int
}

// library is the root object: the books that there are, and what was asked.
type library struct {
	books []*book
	calls []string
}

func newLibrary() *library {
	melville := &author{"A_1", "Melville"}
	return &library{books: []*book{
		{ID: "B_1", Title: "Moby-Dick", Genre: "NOVEL", Pages: 635, Author: melville, Editor: melville, Added: time.Date(2024, 5, 6, 9, 8, 9, 0, time.FixedZone("", 2*60*60))},
		{ID: "B_2", Title: "Leaves of \"Grass\"", Genre: "POEM", Pages: 95, Editor: melville},
		{ID: "B_3", Title: "Essays", Pages: 200},
	}}
}

func (l *library) book(id string) *book {
	for _, b := range l.books {
		if b.ID == id {
			return b
		}
	}
	return nil
}

func (l *library) node(id string) any {
	if b := l.book(id); b != nil {
		return b
	}
	switch id {
	case "A_1":
		return &author{"A_1", "Melville"}
	case "M_1":
		return magazine{"M_1", "Punch", 7}
	case "X_1":
		return 42
	}
	return nil
}

func notFound(id string) error {
	return &graphql.Error{Type: "NOT_FOUND", Message: fmt.Sprintf("Could not resolve to a node with the global id of '%s'.", id)}
}

func typeOf(obj any) string {
	switch obj.(type) {
	case *book:
		return "Book"
	case *author:
		return "Author"
	case magazine:
		return "Magazine"
	}
	return ""
}

func libraryResolvers() map[string]graphql.Resolver {
	type args = graphql.Args
	resolvers := map[string]graphql.Resolver{
		"Query.book": graphql.Typed(func(_ context.Context, l *library, a args) (any, error) {
			l.calls = append(l.calls, "book "+a.String("id"))
			if b := l.book(a.String("id")); b != nil {
				return b, nil
			}
			return nil, notFound(a.String("id"))
		}),
		"Query.node": graphql.Typed(func(_ context.Context, l *library, a args) (any, error) {
			if n := l.node(a.String("id")); n != nil {
				return n, nil
			}
			return nil, notFound(a.String("id"))
		}),
		"Query.nodes": graphql.Typed(func(_ context.Context, l *library, a args) (any, error) {
			var nodes []any
			for _, id := range a.Strings("ids") {
				nodes = append(nodes, l.node(id))
			}
			return nodes, nil
		}),
		"Query.item":  graphql.Typed(func(_ context.Context, l *library, a args) (any, error) { return l.node(a.String("id")), nil }),
		"Query.shelf": graphql.Prop(func(l *library) any { return shelf{[]any{l.books[0], magazine{"M_1", "Punch", 7}}} }),
		"Query.books": graphql.Typed(func(_ context.Context, l *library, a args) (any, error) { return graphql.Paginate(l.books, a) }),
		"Query.echo": graphql.Typed(func(_ context.Context, _ *library, a args) (any, error) {
			text, err := json.Marshal(a)
			return string(text), err
		}),
		"Query.fail":     graphql.Typed(func(_ context.Context, _ *library, a args) (any, error) { return misbehave(a.String("how")) }),
		"Query.required": graphql.Typed(func(_ context.Context, _ *library, a args) (any, error) { return misbehave(a.String("how")) }),

		"Shelf.items":    graphql.Prop(func(s shelf) any { return s.items }),
		"Shelf.optional": graphql.Prop(func(s shelf) any { return append([]any{nil, 42}, s.items...) }),
		"Shelf.strict":   graphql.Prop(func(s shelf) any { return []*book{s.items[0].(*book), nil} }),

		"Mutation.addBook": graphql.Typed(func(_ context.Context, l *library, a args) (any, error) {
			in := a.Object("input")
			b := &book{ID: fmt.Sprintf("B_%d", len(l.books)+1), Title: in.String("title"), Pages: in.Int("pages"), Genre: in.Enum("genre")}
			if b.Title == "" {
				return nil, &graphql.Error{Type: "UNPROCESSABLE", Message: "Title can't be blank"}
			}
			l.books = append(l.books, b)
			return payload{b, len(l.books)}, nil
		}),
		"Mutation.fail":        graphql.Prop(func(*library) any { panic("no") }),
		"AddBookPayload.book":  graphql.Prop(func(p payload) any { return p.book }),
		"AddBookPayload.count": graphql.Prop(func(p payload) any { return p.count }),
	}
	for key, r := range bookResolvers() {
		resolvers[key] = r
	}
	return resolvers
}

func bookResolvers() map[string]graphql.Resolver {
	return map[string]graphql.Resolver{
		"Titled.url":     graphql.Prop(func(any) any { return nil }),
		"Book.id":        graphql.Prop(func(b *book) any { return b.ID }),
		"Book.title":     graphql.Prop(func(b *book) any { return b.Title }),
		"Book.genre":     graphql.Prop(func(b *book) any { return b.Genre }),
		"Book.pages":     graphql.Prop(func(b *book) any { return b.Pages }),
		"Book.price":     graphql.Prop(func(*book) any { return 9.5 }),
		"Book.lent":      graphql.Prop(func(b *book) any { return b.Pages > 100 }),
		"Book.added":     graphql.Prop(func(b *book) any { return b.Added }),
		"Book.tags":      graphql.Prop(func(b *book) any { return []string{"x", b.ID}[:min(2, b.Pages/100)] }),
		"Book.author":    graphql.Prop(func(b *book) any { return b.Author }),
		"Book.editor":    graphql.Prop(func(b *book) any { return b.Editor }),
		"Book.oldPages":  graphql.Prop(func(b *book) any { return b.Pages }),
		"Book.similar":   graphql.Typed(func(_ context.Context, _ *book, a graphql.Args) (any, error) { return graphql.Paginate([]*book{}, a) }),
		"Author.id":      graphql.Prop(func(a *author) any { return a.ID }),
		"Author.name":    graphql.Prop(func(a *author) any { return a.Name }),
		"Author.born":    graphql.Prop(func(*author) any { return (*time.Time)(nil) }),
		"Author.books":   graphql.Typed(func(_ context.Context, _ *author, a graphql.Args) (any, error) { return graphql.Paginate([]*book{}, a) }),
		"Magazine.id":    graphql.Prop(func(m magazine) any { return m.ID }),
		"Magazine.title": graphql.Prop(func(m magazine) any { return m.Title }),
		"Magazine.issue": graphql.Prop(func(m magazine) any { return m.Issue }),
	}
}

// misbehave is a resolver that fails in the named way.
func misbehave(how string) (any, error) {
	switch how {
	case "null":
		return nil, nil
	case "typed null":
		return (*book)(nil), nil
	case "panic":
		panic("resolver broke")
	case "plain error":
		return nil, errors.New("secret: disk on fire")
	case "own error":
		return nil, &graphql.Error{Type: "FORBIDDEN", Message: "No.", Extensions: map[string]any{"saml_failure": false}}
	case "wrapped error":
		return nil, fmt.Errorf("look up: %w", &graphql.Error{Type: "FORBIDDEN", Message: "No."})
	case "wrong enum":
		return &book{ID: "B_9", Genre: "COMIC"}, nil
	case "wrong object":
		return magazine{}, nil
	}
	return &book{ID: "B_9"}, nil
}

// newEngine returns an engine for the library.
func newEngine(tb testing.TB, adjust ...func(*graphql.Options)) *graphql.Engine {
	tb.Helper()
	opts := graphql.Options{TypeOf: typeOf, Fallback: graphql.ConnectionField}
	for _, f := range adjust {
		f(&opts)
	}
	e, err := graphql.New(librarySDL, libraryResolvers(), opts)
	require.NoError(tb, err)
	return e
}

// reply executes a query on a new library and returns the reply's JSON.
func reply(tb testing.TB, text string, vars ...any) string {
	tb.Helper()
	return replyOf(tb, newEngine(tb), graphql.Query{Text: text, Variables: pairs(vars), Root: newLibrary()})
}

func replyOf(tb testing.TB, e *graphql.Engine, q graphql.Query) string {
	tb.Helper()
	out, err := json.Marshal(e.Execute(tb.Context(), q))
	require.NoError(tb, err)
	return string(out)
}

// pairs makes variables of names and values that alternate.
func pairs(list []any) map[string]any {
	vars := map[string]any{}
	for i := 0; i+1 < len(list); i += 2 {
		vars[list[i].(string)] = list[i+1]
	}
	return vars
}
