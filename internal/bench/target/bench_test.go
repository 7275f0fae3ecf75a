package target_test

import (
	"bytes"
	"io"
	"net/http"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/sandbox"
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

// The requests that agents send most, by one client over loopback.
func BenchmarkRequests(b *testing.B) {
	place := prepare(b, seeded(b))
	const query = `{"query":"{ repository(owner: \"aryeko\", name: \"ghx-bench-fixtures\") { pullRequest(number: 5) {
		number title state body author { login } mergeable mergeStateStatus reviewDecision additions deletions changedFiles headRefName
		reviewThreads(first: 50) { nodes { id isResolved isOutdated line path comments(first: 10) { nodes { body author { login } } } } }
		statusCheckRollup { state contexts(first: 50) { nodes { ... on CheckRun { name status conclusion } } } } } } }"}`
	for _, c := range []struct{ name, method, path, body string }{
		{"REST pull request", http.MethodGet, "/repos/" + target.FixturesRepo + "/pulls/5", ""},
		{"REST issues", http.MethodGet, "/repos/" + target.FixturesRepo + "/issues", ""},
		{"GraphQL pull request", http.MethodPost, "/graphql", string(bytes.ReplaceAll([]byte(query), []byte("\n\t\t"), []byte(" ")))},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				request, err := http.NewRequestWithContext(b.Context(), c.method, place.Verifier.RESTURL+c.path, bytes.NewReader([]byte(c.body)))
				require.NoError(b, err)
				request.Header.Set("Authorization", "Bearer "+place.Verifier.Token)
				response, err := http.DefaultClient.Do(request)
				require.NoError(b, err)
				require.Equal(b, http.StatusOK, response.StatusCode)
				_, err = io.Copy(io.Discard, response.Body)
				require.NoError(b, err)
				require.NoError(b, response.Body.Close())
			}
		})
	}
}

func BenchmarkMemory(b *testing.B) {
	world := loadWorld(b)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
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
}
