package sandboxtest_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
)

// openAPIVariable names GitHub's description of its REST API in OpenAPI.
const openAPIVariable = "BENCH_OPENAPI"

// exchange is a request to the API with its answer.
type exchange struct {
	method, path string
	body         []byte
	status       int
	header       http.Header
	answer       []byte
}

// referee stands before a world and compares what it answers with GitHub's
// publications. What they do not allow fails the test; each complaint once.
type referee struct {
	world http.Handler
	// check returns complaints.
	check func(exchange) []string

	mu   sync.Mutex
	said map[string]bool
}

// ServeHTTP has the world answer.
func (r *referee) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if host, _, err := net.SplitHostPort(request.Host); err == nil && host != "api.github.com" || err != nil && request.Host != "api.github.com" {
		r.world.ServeHTTP(w, request)
		return
	}
	sent, err := io.ReadAll(request.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	request.Body = io.NopCloser(bytes.NewReader(sent))
	answer := httptest.NewRecorder()
	r.world.ServeHTTP(answer, request)
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	// It fails if the client is gone.
	_, _ = w.Write(answer.Body.Bytes())
	r.hear(exchange{request.Method, request.URL.Path, sent, answer.Code, answer.Header(), answer.Body.Bytes()})
}

func (r *referee) hear(x exchange) {
	complaints := r.check(x)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range complaints {
		r.said[c] = true
	}
}

// refereed puts a referee before a world. It judges at the end of the test.
func refereed(t testing.TB, world http.Handler) http.Handler {
	t.Helper()
	r := &referee{world: world, said: map[string]bool{}, check: func(x exchange) []string {
		if x.path == "/graphql" {
			return checkGraphQL(x)
		}
		return checkREST(x)
	}}
	t.Cleanup(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		for complaint := range r.said {
			t.Error(complaint)
		}
	})
	return r
}

// published returns the description of the REST API. Where the variable names
// none, what needs it is left out.
func published() ([]byte, bool) {
	path := os.Getenv(openAPIVariable)
	if path == "" {
		return nil, false
	}
	data, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	return data, true
}

// TestPublicationIsThere says loudly if REST answers are not compared.
func TestPublicationIsThere(t *testing.T) {
	if strings.TrimSpace(os.Getenv(openAPIVariable)) == "" {
		t.Skipf("NOT TESTED: REST answers against GitHub's description: run `make clients`, or set %s", openAPIVariable)
	}
}
