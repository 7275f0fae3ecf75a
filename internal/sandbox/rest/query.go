package rest

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/githubschema"
)

// address is that of a request. It notes what is read of its query.
type address struct {
	*url.URL
	read []string
}

// Query returns what the query says.
func (a *address) Query() query { return query{a.URL.Query(), a} }

// query is what the query of an address says.
type query struct {
	values url.Values
	of     *address
}

// Get returns the first value of a parameter, empty for none.
func (q query) Get(name string) string {
	q.of.read = append(q.of.read, name)
	return q.values.Get(name)
}

// Has reports whether a parameter is there.
func (q query) Has(name string) bool {
	q.of.read = append(q.of.read, name)
	return q.values.Has(name)
}

// all returns the values of a parameter.
func (q query) all(name string) []string {
	q.of.read = append(q.of.read, name)
	return q.values[name]
}

// indifferent notes parameters of a query that make no difference here.
func (c *call) indifferent(names ...string) { c.URL.read = append(c.URL.read, names...) }

// lackingQuery is the answer to a request whose query asks for something that GitHub
// has published, and of which the handler has read nothing; nil for others. Where
// nothing was found, nothing more was to be read.
//
// Apart from that, GitHub takes what it does not know in queries for nothing: names,
// and with few exceptions values, see [ordering] and [invalidFilter].
func (c *call) lackingQuery(found []byte) *Response {
	if c.URL.RawQuery == "" || c.Method != http.MethodGet && c.Method != http.MethodHead {
		return nil
	}
	values := c.URL.URL.Query()
	if string(found) == "[]" || countsNone(found) && !values.Has("search_type") {
		return nil
	}
	maps.DeleteFunc(values, func(name string, _ []string) bool { return slices.Contains(c.URL.read, name) })
	if len(values) == 0 {
		return nil
	}
	known, published := githubschema.Find(c.Method, c.URL.EscapedPath())
	if !published {
		return nil
	}
	var dropped []string
	for _, p := range known.Parameters {
		if p.In == "query" && values.Has(p.Name) && asksFor(p, values.Get(p.Name)) {
			dropped = append(dropped, p.Name)
		}
	}
	if dropped == nil {
		return nil
	}
	return lackingFields(known, dropped)
}

// countsNone reports whether an answer says that it has none of what it counts.
func countsNone(found []byte) bool {
	var counted struct {
		Total *int `json:"total_count"`
	}
	return bytes.Contains(found, []byte(`"total_count":0`)) && json.Unmarshal(found, &counted) == nil && counted.Total != nil && *counted.Total == 0
}

// asksFor reports whether a value of a parameter asks for anything else than leaving
// the parameter away does.
func asksFor(p githubschema.Parameter, value string) bool {
	switch {
	case value == "", p.Shape.Enum != nil && !slices.Contains(p.Shape.Enum, value):
		return false
	case p.Name == "per_page", p.Name == "page" && value == "1":
		return false // what is not listed in pages is the first of them
	case p.Shape.Default != "":
		return strings.Trim(p.Shape.Default, `"`) != value
	default:
		return value != "false"
	}
}
