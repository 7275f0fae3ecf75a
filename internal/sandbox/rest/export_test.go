package rest

import (
	"net/http"
	"net/http/httptest"
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
	c := &call{Request: httptest.NewRequest(method, path, http.NoBody), body: []byte(body)}
	refusal := route{pattern: pattern}.refuseBody(c, reply{status: http.StatusOK}, nil)
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
