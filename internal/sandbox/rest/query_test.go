package rest_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/githubschema"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
)

// Of all that GitHub has published of queries, a value that there is not is refused for
// the state of issues alone; elsewhere it is as if the parameter were not there, or
// finds nothing. A value that there is, is read, or said to lack.
func TestQueriesAreReadAsPublished(t *testing.T) {
	_, owner, fill := furnished(t)
	absorbed, refused, read := 0, 0, 0
	var lacking []string
	for _, pattern := range slices.Sorted(maps.Keys(rest.Queries())) {
		op := rest.Queries()[pattern]
		path := fill(strings.TrimPrefix(pattern, "GET "))
		needed := url.Values{}
		if strings.HasPrefix(path, "/search/") {
			needed.Set("q", "x")
		}
		at := func(name, value string) (status int, address string) {
			asked := maps.Clone(needed)
			asked.Set(name, value)
			address = path + "?" + asked.Encode()
			return owner.Get(address).Status, address
		}
		plain := owner.Get(path + "?" + needed.Encode()).Status
		for _, p := range op.Parameters {
			if p.In != "query" {
				continue
			}
			if p.Shape.Enum != nil {
				status, address := at(p.Name, "no such value")
				if p.Name == "state" && strings.HasSuffix(path, "/issues") && plain != http.StatusNotFound {
					assert.Equal(t, http.StatusUnprocessableEntity, status, address)
					refused++
				} else {
					assert.Equal(t, plain, status, address)
					absorbed++
				}
			}
			for _, value := range valuesOf(p.Shape) {
				if status, address := at(p.Name, value); status == http.StatusNotImplemented {
					lacking = append(lacking, fmt.Sprint(pattern, " ", p.Name, "=", value))
				} else {
					assert.Less(t, status, http.StatusInternalServerError, address)
					read++
				}
			}
		}
	}
	t.Logf("of values that there are not %d were refused and %d not; of those that there are %d were read", refused, absorbed, read)
	assert.Equal(t, 3, refused, "those of a repository, and those that one has to do with")
	assert.Greater(t, absorbed, 90)
	assert.Greater(t, read, 600)
	// No client sends them without being told to.
	assert.Equal(t, []string{
		"GET /repos/{owner}/{repo}/issues issue_field_values=x", "GET /search/issues search_type=semantic", "GET /search/issues search_type=hybrid",
	}, lacking)
}

// valuesOf returns values of a parameter.
func valuesOf(shape *githubschema.Shape) []string {
	switch {
	case shape.Enum != nil:
		return shape.Enum
	case shape.Kind == githubschema.Boolean:
		return []string{"true", "false"}
	case shape.Kind == githubschema.Integer:
		return []string{"1"}
	case shape.Format == "date-time":
		return []string{"2026-01-05T09:00:00Z"}
	default:
		return []string{"x"}
	}
}

// What is said of single operations is of some that GitHub has published.
func TestParticularsAreOfOperations(t *testing.T) {
	left := rest.Particulars()
	for _, op := range githubschema.Operations() {
		delete(left, rest.Unnamed(op.String()))
	}
	assert.Empty(t, left)
}

// What a client has already is not said to lack anything: that has been answered.
func TestWhatWasFoundEmptyStaysSo(t *testing.T) {
	w := withIssues(t, 1)
	reader := w.As("reader")
	const path = base + "/actions/runs?branch=none&event=push"
	first := reader.Get(path)
	assert.Equal(t, http.StatusOK, first.Status)
	assert.Equal(t, http.StatusNotModified, reader.Get(path, "If-None-Match", first.Header.Get("ETag")).Status)
	assert.Equal(t, http.StatusNotImplemented, reader.Get(base+"/issues?issue_field_values=x").Status)
	assert.Equal(t, http.StatusOK, reader.Get(base+"/issues?no_such_parameter=bug&per_page=5&page=1&direction=desc").Status)
}
