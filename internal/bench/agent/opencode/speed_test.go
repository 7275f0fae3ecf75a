package opencode_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/opencode"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

// The suite that is timed, and what it may take.
const (
	modelLatency  = 200 * time.Millisecond
	repetitions   = 4
	maxSuite      = 5 * time.Second
	maxOverByHand = 1.15
)

// slowModel takes its time for one tool call and an answer.
func slowModel() *stubmodel.Server {
	return &stubmodel.Server{Plan: func(stubmodel.Request) []stubmodel.Step {
		return []stubmodel.Step{{Latency: modelLatency, Calls: bash("true")}, {Latency: modelLatency, Text: "done"}}
	}}
}

// BenchmarkSuite times a suite of four repetitions with a model that takes
// 200 ms for each of two answers, the start of the server included, and the
// same sessions had by hand, over HTTP, of a server that is warm. It fails
// where a suite takes longer than 5 s or a repetition more than 15 % longer
// than by hand.
func BenchmarkSuite(b *testing.B) {
	var suites, ours, byHand []time.Duration
	for b.Loop() {
		whole, sessions, others := suite(b)
		suites, ours, byHand = append(suites, whole), append(ours, sessions...), append(byHand, others...)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(suites).Seconds(), "s/suite")
	b.ReportMetric(milliseconds(median(ours)), "ms/repetition")
	b.ReportMetric(milliseconds(median(byHand)), "ms/by-hand")
	if over := float64(median(ours)) / float64(median(byHand)); over > maxOverByHand {
		b.Errorf("a repetition takes %.2f times as long as by hand", over)
	}
	if median(suites) > maxSuite {
		b.Errorf("a suite takes %s", median(suites))
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return (d[(len(d)-1)/2] + d[len(d)/2]) / 2
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// suite runs the suite and then, on the same server, the same sessions by
// hand. It returns how long the suite took in all, and what each session did
// without the start of the server.
func suite(b *testing.B) (whole time.Duration, ours, byHand []time.Duration) {
	b.Helper()
	hand := &realtool.Server{}
	provider := newReal(b, slowModel(), func(o *opencode.Options) {
		o.Hosts = func(bench.Mode, int) (agent.Host, error) {
			host, err := agent.NewLocal(b.TempDir())
			hand.Host = host
			return hand, err
		}
	})
	start := time.Now()
	for range repetitions {
		began := time.Now()
		session, err := provider.Start(b.Context(), setup())
		require.NoError(b, err)
		if len(ours) == 0 {
			began = time.Now()
		}
		turn, err := session.Prompt(b.Context(), agent.Prompt{Text: "go"})
		require.NoError(b, err)
		require.Equal(b, "done", turn.Text)
		transcript, err := session.Transcript(b.Context())
		require.NoError(b, err)
		require.Len(b, transcript.Messages, 3)
		require.NoError(b, session.Close())
		ours = append(ours, time.Since(began))
	}
	whole = time.Since(start)
	for range repetitions {
		began := time.Now()
		hand.Session(b, "go")
		byHand = append(byHand, time.Since(began))
	}
	require.NoError(b, provider.Close())
	return whole, ours, byHand
}
