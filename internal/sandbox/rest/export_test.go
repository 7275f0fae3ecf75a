package rest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/githubschema"
)

// Bodies returns the published operations that are served and take a body, by
// the pattern of what serves them.
func Bodies() map[string]*githubschema.Operation {
	all := map[string]*githubschema.Operation{}
	for pattern, op := range publishedBodies().byPattern {
		if op != nil {
			all[pattern] = op
		}
	}
	for _, op := range publishedBodies().inside {
		all[op.String()] = op
	}
	return all
}

// CheckBody returns the status with which a body is refused of which the handler
// of a pattern has nothing to say, 0 if it is not refused.
func CheckBody(pattern, body string) int {
	method, path, _ := strings.Cut(pattern, " ")
	asked := httptest.NewRequest(method, path, http.NoBody)
	c := &call{Request: asked, URL: &address{URL: asked.URL}, body: []byte(body)}
	refusal := operationOf(route{pattern: pattern}).refuseBody(c, reply{status: http.StatusOK}, nil)
	if refusal == nil {
		return 0
	}
	return refusal.Status
}

// Patterns returns the patterns of all routes.
func Patterns() []string {
	var patterns []string
	for _, rt := range routes() {
		patterns = append(patterns, rt.pattern)
	}
	return patterns
}

// InsideOthers returns the operations that handlers of wider patterns serve.
func InsideOthers() []string { return insideOthers }

// Served returns whether one of GitHub's operations is served.
func Served() func(operation string) bool {
	served := operationsOf(routes())
	return func(operation string) bool { return served[unnamed(operation)] }
}

// Queries returns the published operations that are served and have parameters in their
// query, by the pattern of what serves them.
func Queries() map[string]*githubschema.Operation {
	byName := map[string]*githubschema.Operation{}
	for _, op := range githubschema.Operations() {
		if op.Method == http.MethodGet && slices.ContainsFunc(op.Parameters, func(p githubschema.Parameter) bool { return p.In == "query" }) {
			byName[unnamed(op.String())] = op
		}
	}
	all := map[string]*githubschema.Operation{}
	for _, pattern := range append(Patterns(), insideOthers...) {
		if op := byName[unnamed(pattern)]; op != nil {
			all[pattern] = op
		}
	}
	return all
}

// Particulars returns the names of the operations of which something is so that is so of
// few.
func Particulars() map[string]bool {
	all := map[string]bool{}
	for name := range particular {
		all[name] = true
	}
	return all
}

// Unnamed is a pattern without the names of its variables.
func Unnamed(pattern string) string { return unnamed(pattern) }
