package graphql_test

import (
	"encoding/base64"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
)

// letters pages through the letters a to e.
func letters(tb testing.TB, args graphql.Args) graphql.Page[string] {
	tb.Helper()
	page, err := graphql.Paginate([]string{"a", "b", "c", "d", "e"}, args)
	require.NoError(tb, err)
	return page
}

func TestPaginateCutsAPage(t *testing.T) {
	all := letters(t, graphql.Args{"first": 5})
	at := func(letter string) string {
		for _, e := range all.Edges {
			if e.Node == letter {
				return e.Cursor
			}
		}
		t.Fatalf("no %s", letter)
		return ""
	}
	type info = graphql.PageInfo
	tests := map[string]struct {
		args  graphql.Args
		nodes []string
		info  info
	}{
		"the first two":                  {graphql.Args{"first": 2}, []string{"a", "b"}, info{HasNextPage: true}},
		"the last two":                   {graphql.Args{"last": 2}, []string{"d", "e"}, info{HasPreviousPage: true}},
		"two after a cursor":             {graphql.Args{"first": 2, "after": at("b")}, []string{"c", "d"}, info{HasNextPage: true, HasPreviousPage: true}},
		"two before a cursor":            {graphql.Args{"last": 2, "before": at("d")}, []string{"b", "c"}, info{HasNextPage: true, HasPreviousPage: true}},
		"the first between two cursors":  {graphql.Args{"first": 1, "after": at("a"), "before": at("d")}, []string{"b"}, info{HasNextPage: true, HasPreviousPage: true}},
		"the last between two cursors":   {graphql.Args{"last": 5, "after": at("a"), "before": at("d")}, []string{"b", "c"}, info{HasNextPage: true, HasPreviousPage: true}},
		"more than there are":            {graphql.Args{"first": 100}, []string{"a", "b", "c", "d", "e"}, info{}},
		"after the end":                  {graphql.Args{"first": 2, "after": at("e")}, []string{}, info{HasPreviousPage: true}},
		"before the beginning":           {graphql.Args{"last": 2, "before": at("a")}, []string{}, info{HasNextPage: true}},
		"none":                           {graphql.Args{"first": 0}, []string{}, info{HasNextPage: true}},
		"no page, for what counts alone": {nil, []string{}, info{HasNextPage: true}},
		"between cursors the wrong way":  {graphql.Args{"first": 2, "after": at("d"), "before": at("b")}, []string{}, info{HasNextPage: true, HasPreviousPage: true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			page := letters(t, test.args)
			assert.Equal(t, test.nodes, page.Nodes)
			assert.Equal(t, 5, page.TotalCount)
			require.Len(t, page.Edges, len(test.nodes))
			if n := len(test.nodes); n > 0 {
				test.info.StartCursor, test.info.EndCursor = at(test.nodes[0]), at(test.nodes[n-1])
			}
			assert.Equal(t, test.info, page.PageInfo)
		})
	}
}

func TestPagingForthAndBackMeetsEveryItemOnce(t *testing.T) {
	var items []int
	for i := range 257 {
		items = append(items, i)
	}
	for _, step := range []struct{ size, cursor string }{{"first", "after"}, {"last", "before"}} {
		var seen []int
		args := graphql.Args{step.size: 100}
		for range 3 {
			page, err := graphql.Paginate(items, args)
			require.NoError(t, err)
			if step.size == "first" {
				seen = append(seen, page.Nodes...)
				args[step.cursor] = page.PageInfo.EndCursor
			} else {
				seen = append(append([]int{}, page.Nodes...), seen...)
				args[step.cursor] = page.PageInfo.StartCursor
			}
		}
		assert.Equal(t, items, seen)
	}
}

func TestCursorsLookLikeGitHubs(t *testing.T) {
	cursor := letters(t, graphql.Args{"first": 1}).PageInfo.EndCursor
	assert.Regexp(t, `^Y3Vyc29yOnYyOpHO[A-Za-z0-9_-]{6}==$`, cursor)

	for name, wrong := range map[string]string{
		"words":              "abc",
		"an empty text":      "",
		"Base64 of words":    base64.URLEncoding.EncodeToString([]byte("words")),
		"a cursor cut short": cursor[:len(cursor)-4],
	} {
		for _, arg := range []string{"after", "before"} {
			_, err := graphql.Paginate([]int{1}, graphql.Args{"first": 1, arg: wrong})
			assert.Equal(t, &graphql.Error{Type: "INVALID_CURSOR_ARGUMENTS", Message: fmt.Sprintf("`%s` does not appear to be a valid cursor.", wrong)}, err, name)
		}
	}
}

func TestConnectionsDemandPageSizes(t *testing.T) {
	const place = `"path":["books"],"locations":[{"line":1,"column":3}],"message":`
	tests := map[string]struct{ query, want string }{
		"none": {
			`{ books { nodes { id } } }`,
			`{"data":null,"errors":[{"type":"MISSING_PAGINATION_BOUNDARIES",` + place + "\"You must provide a `first` or `last` value to properly paginate the `books` connection.\"}]}",
		},
		"null": {
			`{ books(first: null) { ...E } } fragment E on BookConnection { edges { cursor } }`,
			`{"data":null,"errors":[{"type":"MISSING_PAGINATION_BOUNDARIES",` + place + "\"You must provide a `first` or `last` value to properly paginate the `books` connection.\"}]}",
		},
		"none, where only the count is selected": {
			`{ books { totalCount } }`,
			`{"data":{"books":{"totalCount":3}}}`,
		},
		"too large": {
			`{ books(first: 101) { totalCount } }`,
			`{"data":null,"errors":[{"type":"EXCESSIVE_PAGINATION",` + place + "\"Requesting 101 records on the `books` connection exceeds the `first` limit of 100 records.\"}]}",
		},
		"too large, from the end": {
			`{ books(last: 500) { totalCount } }`,
			`{"data":null,"errors":[{"type":"EXCESSIVE_PAGINATION",` + place + "\"Requesting 500 records on the `books` connection exceeds the `last` limit of 100 records.\"}]}",
		},
		"below zero": {
			`{ books(first: -1) { totalCount } }`,
			`{"data":null,"errors":[{"type":"INVALID_PAGINATION",` + place + "\"`first` on the `books` connection cannot be less than zero.\"}]}",
		},
		"two": {
			`{ books(first: 1, last: 1) { totalCount } }`,
			`{"data":null,"errors":[{"type":"INVALID_PAGINATION",` + place + "\"Passing both `first` and `last` to paginate the `books` connection is not supported.\"}]}",
		},
		"of a connection inside of a page": {
			`{ books(first: 2) { nodes { id similar { nodes { id } } } } }`,
			`{"data":{"books":{"nodes":[null,null]}},"errors":[` +
				`{"type":"MISSING_PAGINATION_BOUNDARIES","path":["books","nodes",0,"similar"],"locations":[{"line":1,"column":32}],"message":"You must provide a ` + "`first` or `last` value to properly paginate the `similar` connection.\"}," +
				`{"type":"MISSING_PAGINATION_BOUNDARIES","path":["books","nodes",1,"similar"],"locations":[{"line":1,"column":32}],"message":"You must provide a ` + "`first` or `last` value to properly paginate the `similar` connection.\"}]}",
		},
		"of more objects than a request may return, by one connection": {
			`{ books(first: 100) { nodes { similar(first: 100) { nodes { similar(first: 100) { nodes { id } } } } } } }`,
			`{"errors":[{"type":"MAX_NODE_LIMIT_EXCEEDED","message":"By the time this query traverses to the similar connection, it is requesting up to 1,000,000 possible nodes which exceeds the maximum limit of 500,000."}]}`,
		},
		"of more in all": {
			`{ books(first: 50) { nodes { similar(first: 100) { nodes { similar(first: 100) { nodes { id } } } } } } }`,
			`{"errors":[{"type":"MAX_NODE_LIMIT_EXCEEDED","message":"This query requests up to 505,050 possible nodes which exceeds the maximum limit of 500,000."}]}`,
		},
		"with a cursor that is none": {
			`{ books(first: 1, after: "x") { totalCount } }`,
			`{"data":null,"errors":[{"type":"INVALID_CURSOR_ARGUMENTS",` + place + "\"`x` does not appear to be a valid cursor.\"}]}",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, reply(t, test.query))
		})
	}
}

func TestConnectionFieldServesPages(t *testing.T) {
	assert.Equal(t, `{"data":{"books":{"totalCount":3,"nodes":[{"id":"B_2"}],"edges":[{"cursor":"Y3Vyc29yOnYyOpHOAAAAAQ==","node":{"id":"B_2"}}],`+
		`"pageInfo":{"hasNextPage":true,"hasPreviousPage":true,"startCursor":"Y3Vyc29yOnYyOpHOAAAAAQ==","endCursor":"Y3Vyc29yOnYyOpHOAAAAAQ=="}}}}`,
		reply(t, `query($after: String) { books(first: 1, after: $after) { totalCount nodes { id } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
			"after", "Y3Vyc29yOnYyOpHOAAAAAA=="))
	assert.Equal(t, `{"data":{"books":{"nodes":[],"pageInfo":{"hasNextPage":true,"hasPreviousPage":false,"startCursor":null,"endCursor":null}}}}`,
		reply(t, `{ books(first: 0) { nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`))
	assert.Nil(t, graphql.ConnectionField("BookConnection", "averagePrice"), "fields that not all connections have are left to others")
	assert.Nil(t, graphql.ConnectionField("Book", "nodes"))
}
