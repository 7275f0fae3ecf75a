package target_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
)

// emptyWorld is a snapshot of a sandbox without anything in it.
func emptyWorld() ([]byte, error) {
	world, err := sandbox.New()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = world.Save(&out)
	return out.Bytes(), err
}

// loadWorld is the seeded world itself.
func loadWorld(b *testing.B) *sandbox.World {
	b.Helper()
	var snapshot bytes.Buffer
	require.NoError(b, seeded(b).Save(&snapshot))
	world, err := sandbox.Load(snapshot.Bytes())
	require.NoError(b, err)
	return world
}

func BenchmarkCloneOfTheFixtures(b *testing.B) {
	world := loadWorld(b)
	b.ReportAllocs()
	for b.Loop() {
		world.Clone()
	}
}

// BenchmarkShiftOfTheFixtures moves a copy to another time, as is done for each attempt.
// The copying is not counted.
func BenchmarkShiftOfTheFixtures(b *testing.B) {
	world := loadWorld(b)
	for b.Loop() {
		b.StopTimer()
		attempt := world.Clone()
		b.StartTimer()
		_, err := attempt.ShiftTo(time.Date(2027, 1, 5, 9, 0, 0, 0, time.UTC))
		require.NoError(b, err)
	}
}

func BenchmarkPrepareAndClose(b *testing.B) {
	sandbox := seeded(b)
	for b.Loop() {
		place := prepare(b, sandbox, "pr")
		require.NoError(b, place.Close())
	}
}

func BenchmarkSnapshot(b *testing.B) {
	world := loadWorld(b)
	var snapshot bytes.Buffer
	require.NoError(b, world.Save(&snapshot))
	b.Run("save", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, world.Save(io.Discard))
		}
		b.ReportMetric(float64(snapshot.Len()), "bytes")
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			_, err := sandbox.Load(snapshot.Bytes())
			require.NoError(b, err)
		}
	})
}

// frequent are the requests that agents send most.
func frequent() []frequentRequest {
	const query = `{"query":"{ repository(owner: \"aryeko\", name: \"ghx-bench-fixtures\") { pullRequest(number: 5) {
		number title state body author { login } mergeable mergeStateStatus reviewDecision additions deletions changedFiles headRefName
		reviewThreads(first: 50) { nodes { id isResolved isOutdated line path comments(first: 10) { nodes { body author { login } } } } }
		statusCheckRollup { state contexts(first: 50) { nodes { ... on CheckRun { name status conclusion } } } } } } }"}`
	return []frequentRequest{
		{"REST pull request", http.MethodGet, "/repos/" + target.FixturesRepo + "/pulls/5", ""},
		{"REST issues", http.MethodGet, "/repos/" + target.FixturesRepo + "/issues", ""},
		{"GraphQL pull request", http.MethodPost, "/graphql", string(bytes.ReplaceAll([]byte(query), []byte("\n\t\t"), []byte(" ")))},
	}
}

type frequentRequest struct{ name, method, path, body string }

// ask sends a request to an API and reads the answer.
func (f frequentRequest) ask(b *testing.B, c *http.Client, api, token string) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), f.method, api+f.path, bytes.NewReader([]byte(f.body)))
	require.NoError(b, err)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := c.Do(request)
	require.NoError(b, err)
	require.Equal(b, http.StatusOK, response.StatusCode)
	_, err = io.Copy(io.Discard, response.Body)
	require.NoError(b, err)
	require.NoError(b, response.Body.Close())
}

// timed asks again and again, and reports half of the times.
func (f frequentRequest) timed(b *testing.B, c *http.Client, api, token string) {
	b.Helper()
	var times []time.Duration
	for b.Loop() {
		began := time.Now()
		f.ask(b, c, api, token)
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
}

// BenchmarkRequests is one client over loopback.
func BenchmarkRequests(b *testing.B) {
	place := prepare(b, seeded(b))
	for _, f := range frequent() {
		b.Run(f.name, func(b *testing.B) { f.timed(b, http.DefaultClient, place.Verifier.RESTURL, place.Verifier.Token) })
	}
}

// BenchmarkRequestsThroughTheProxy is one client that goes by the egress proxy,
// with TLS, on a connection that is there.
func BenchmarkRequestsThroughTheProxy(b *testing.B) {
	place := prepare(b, seeded(b))
	bench := realtool.Open(b, place.GitHub, place.Env...)
	client := proxied(b, bench.Env)
	for _, f := range frequent() {
		b.Run(f.name, func(b *testing.B) { f.timed(b, client, "https://api.github.com", env(place, "GH_TOKEN")) })
	}
}

// proxied is a client that goes by an environment.
func proxied(b *testing.B, environment []string) *http.Client {
	b.Helper()
	value := func(name string) string {
		for _, entry := range environment {
			if text, found := strings.CutPrefix(entry, name+"="); found {
				return text
			}
		}
		return ""
	}
	proxy, err := url.Parse(value("HTTPS_PROXY"))
	require.NoError(b, err)
	authorities, err := os.ReadFile(value("SSL_CERT_FILE"))
	require.NoError(b, err)
	pool := x509.NewCertPool()
	require.True(b, pool.AppendCertsFromPEM(authorities))
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: &tls.Config{RootCAs: pool}}}
}

// BenchmarkRequestsInParallel is as many clients as there are processors.
func BenchmarkRequestsInParallel(b *testing.B) {
	place := prepare(b, seeded(b))
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2 * runtime.GOMAXPROCS(0)}}
	for _, f := range frequent() {
		b.Run(f.name, func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					f.ask(b, client, place.Verifier.RESTURL, place.Verifier.Token)
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
		})
	}
}

// BenchmarkStart makes a world with the fixtures repository and serves it.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		made, err := target.NewSandbox(nil)
		require.NoError(b, err)
		keys, err := made.Open(b.Context())
		require.NoError(b, err)
		require.NoError(b, keys.Close())
		require.NoError(b, made.Close())
	}
}

// heap is how many bytes are in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkMemory is what the seeded world takes, and what each copy adds.
func BenchmarkMemory(b *testing.B) {
	empty := heap()
	world := loadWorld(b)
	size := heap() - empty
	const copies = 100
	clones := make([]*sandbox.World, copies)
	for b.Loop() {
		before := heap()
		for i := range clones {
			clones[i] = world.Clone()
		}
		b.ReportMetric(float64(heap()-before)/copies, "bytes/clone")
		runtime.KeepAlive(clones)
		clear(clones)
	}
	b.ReportMetric(float64(size), "bytes/world")
}
