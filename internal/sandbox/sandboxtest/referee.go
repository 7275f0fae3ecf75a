package sandboxtest

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/internal/sandbox"
)

// openAPIFile is the path of GitHub's description of its REST API in OpenAPI, empty
// for none: [Main] is given it.
var openAPIFile string

// referee compares what worlds answer with GitHub's publications, and keeps each
// complaint once.
type referee struct {
	mu sync.Mutex
	// heard counts answers by operation and status.
	heard map[string]int
	said  map[string]bool
}

// Of the answers of one kind the first ones are compared, and then one of so
// many: some tests ask tens of thousands of times.
const (
	allOfFirst = 50
	oneOfLater = 50
)

// hear compares an answer.
func (r *referee) hear(x sandbox.Heard) {
	graphql := strings.HasSuffix(x.Path, "/graphql")
	kind := x.Method + " " + placeIn(x.Path) + fmt.Sprint(" ", x.Status)
	r.mu.Lock()
	r.heard[kind]++
	n := r.heard[kind]
	r.mu.Unlock()
	if !graphql && n > allOfFirst && n%oneOfLater != 0 {
		return
	}
	check := checkREST
	if graphql {
		check = checkGraphQL
	}
	complaints := check(x)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range complaints {
		r.said[c] = true
	}
}

// placeIn returns a path without what names one thing or another.
func placeIn(path string) string {
	parts := strings.Split(path, "/")
	for n, part := range parts {
		if strings.ContainsAny(part, "0123456789%") || n == 2 || n == 3 {
			parts[n] = "*"
		}
	}
	return strings.Join(parts[:min(len(parts), 8)], "/")
}

// published returns the description of the REST API. Where there is none, what needs
// it is left out.
func published() ([]byte, bool) {
	if openAPIFile == "" {
		return nil, false
	}
	data, err := os.ReadFile(openAPIFile)
	if err != nil {
		panic(err)
	}
	return data, true
}
