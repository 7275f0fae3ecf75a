package sandbox_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// readIssues is how many issues are read.
const readIssues = 1000

// readRequest is one of as many requests as there are issues: for issues by REST one
// by one and in lists, and by GraphQL.
func readRequest(b *testing.B, url string, n int) *http.Request {
	number := n%readIssues + 1
	method, path, body := http.MethodGet, fmt.Sprintf("%s/issues/%d", sandboxtest.Path, number), ""
	switch n % 10 {
	case 0:
		path = fmt.Sprintf("%s/issues?state=all&direction=asc&per_page=10&page=%d", sandboxtest.Path, number/10+1)
	case 1:
		method, path = http.MethodPost, "/graphql"
		body = fmt.Sprintf(`{"query":"{ repository(owner: \"owner\", name: \"hello\") { issue(number: %d) { number title } } }"}`, number)
	}
	request, err := http.NewRequestWithContext(b.Context(), method, url+path, strings.NewReader(body))
	assert.NoError(b, err)
	request.Header.Set("Authorization", "token "+sandboxtest.Token("owner"))
	request.Header.Set("User-Agent", "reader")
	return request
}

// checkRead looks whether an answer is about the issue that was asked for.
func checkRead(b *testing.B, n int, answer []byte) {
	type issue struct {
		Number int    `json:"number"`
		Title  string `json:"title"`
	}
	number := n%readIssues + 1
	var one issue
	switch n % 10 {
	case 0:
		var list []issue
		require.NoError(b, json.Unmarshal(answer, &list))
		require.Len(b, list, 10)
		one, number = list[0], number/10*10+1
	case 1:
		var found struct {
			Data struct{ Repository struct{ Issue issue } }
		}
		require.NoError(b, json.Unmarshal(answer, &found))
		one = found.Data.Repository.Issue
	default:
		require.NoError(b, json.Unmarshal(answer, &one))
	}
	require.Equal(b, issue{number, fmt.Sprintf("issue %d", number-1)}, one)
}

// BenchmarkReads has 64 clients ask at once for issues, over HTTP on loopback, and
// fails on a wrong answer: each must be as it was when nobody else asked, when it was
// looked at. It reports how many requests are answered in a second, clients and server
// on the same processors, and how many MB are in use after the last. How long the
// server alone takes for one is measured without clients and connections.
//
//	go test -run '^$' -bench Reads -benchtime 50000x ./internal/sandbox
func BenchmarkReads(b *testing.B) {
	const clients = 64
	w := grown(b, readIssues)
	w.As("owner")
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	ask := func(n int) []byte {
		response, err := client.Do(readRequest(b, w.URL, n))
		if !assert.NoError(b, err) {
			return nil
		}
		defer response.Body.Close()
		answer, err := io.ReadAll(response.Body)
		assert.NoError(b, err)
		assert.Equal(b, http.StatusOK, response.StatusCode)
		return answer
	}
	answers := make([]string, readIssues)
	for n := range readIssues {
		answer := ask(n)
		checkRead(b, n, answer)
		answers[n] = string(answer)
	}
	b.Run("clients", func(b *testing.B) {
		var next atomic.Int64
		var all sync.WaitGroup
		for range clients {
			all.Go(func() {
				for n := int(next.Add(1)); n <= b.N; n = int(next.Add(1)) {
					if answer := ask(n); string(answer) != answers[n%readIssues] {
						assert.Equal(b, answers[n%readIssues], string(answer))
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
	})
	b.Run("server alone", func(b *testing.B) {
		for n := range b.N {
			answer := httptest.NewRecorder()
			w.ServeHTTP(answer, readRequest(b, w.URL, n))
			if answer.Body.String() != answers[n%readIssues] {
				require.Equal(b, answers[n%readIssues], answer.Body.String())
			}
		}
	})
}
