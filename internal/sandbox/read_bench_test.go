package sandbox_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// BenchmarkReads has 64 clients ask at once for issues, over HTTP on loopback, by
// REST one by one and in lists, and by GraphQL, and fails on a wrong answer. It
// reports how many requests are answered in a second, and how many MB are in use
// after the last.
//
//	go test -run '^$' -bench Reads -benchtime 50000x ./internal/sandbox
func BenchmarkReads(b *testing.B) {
	const clients, issues = 64, 1000
	w := grown(b, issues)
	w.As("owner")
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	ask := func(method, path, body string) (all []byte) {
		request, err := http.NewRequestWithContext(b.Context(), method, w.URL+path, strings.NewReader(body))
		if !assert.NoError(b, err) {
			return nil
		}
		request.Header.Set("Authorization", "token "+sandboxtest.Token("owner"))
		response, err := client.Do(request)
		if !assert.NoError(b, err) {
			return nil
		}
		defer response.Body.Close()
		all, err = io.ReadAll(response.Body)
		assert.NoError(b, err)
		assert.Equal(b, http.StatusOK, response.StatusCode)
		return all
	}
	type issue struct {
		Number int    `json:"number"`
		Title  string `json:"title"`
	}
	check := func(n int, got issue) { assert.Equal(b, issue{n, fmt.Sprintf("issue %d", n-1)}, got) }
	var next atomic.Int64
	var all sync.WaitGroup
	b.ResetTimer()
	for range clients {
		all.Go(func() {
			for n := int(next.Add(1)); n <= b.N; n = int(next.Add(1)) {
				number := n%issues + 1
				switch n % 10 {
				case 0:
					var list []issue
					assert.NoError(b, json.Unmarshal(ask(http.MethodGet, sandboxtest.Path+fmt.Sprintf("/issues?state=all&direction=asc&per_page=10&page=%d", number/10+1), ""), &list))
					if assert.Len(b, list, 10) {
						check(number/10*10+1, list[0])
					}
				case 1:
					var answer struct {
						Data struct{ Repository struct{ Issue issue } }
					}
					query := fmt.Sprintf(`{"query":"{ repository(owner: \"owner\", name: \"hello\") { issue(number: %d) { number title } } }"}`, number)
					assert.NoError(b, json.Unmarshal(ask(http.MethodPost, "/graphql", query), &answer))
					check(number, answer.Data.Repository.Issue)
				default:
					var one issue
					assert.NoError(b, json.Unmarshal(ask(http.MethodGet, sandboxtest.Path+fmt.Sprintf("/issues/%d", number), ""), &one))
					check(number, one)
				}
			}
		})
	}
	all.Wait()
	b.StopTimer()
	require.False(b, b.Failed())
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	b.ReportMetric(float64(memory.HeapAlloc>>20), "MB")
}
