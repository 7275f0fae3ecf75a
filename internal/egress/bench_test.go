package egress_test

import (
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/egress"
)

var small = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })

// BenchmarkRequest measures a request of a tool that was just started, and so
// has to connect, and one on a connection that is there.
func BenchmarkRequest(b *testing.B) {
	for name, reuse := range map[string]bool{"on a new connection": false, "on an open connection": true} {
		b.Run(name, func(b *testing.B) {
			p := serve(b, egress.Options{})
			p.Begin(small)
			c := p.client(b)
			var times []time.Duration
			for b.Loop() {
				began := time.Now()
				require.Equal(b, 200, do(b, c, "GET", "https://api.github.com/user", "").status)
				times = append(times, time.Since(began))
				if !reuse {
					c.CloseIdleConnections()
				}
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
		})
	}
}

func BenchmarkParallelRequests(b *testing.B) {
	p := serve(b, egress.Options{})
	p.Begin(small)
	c := p.client(b)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			do(b, c, "GET", "https://api.github.com/user", "")
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
}

func BenchmarkNewProxy(b *testing.B) {
	for b.Loop() {
		p, err := egress.New(egress.Options{Now: time.Now})
		require.NoError(b, err)
		require.NoError(b, p.Close())
	}
}
