package githubschema_test

import (
	"testing"

	"github.com/ghx-dev/bench-action/internal/githubschema"
)

func BenchmarkFind(b *testing.B) {
	githubschema.Operations()
	for b.Loop() {
		githubschema.Find("GET", "/repos/octocat/hello/issues/3/comments")
	}
}

func BenchmarkCheckQuery(b *testing.B) {
	githubschema.GraphQL()
	for b.Loop() {
		githubschema.CheckQuery(`{ repository(owner: "a", name: "b") { issue(number: 1) { title labels(first: 10) { nodes { name } } } } }`, githubschema.Reads)
	}
}
