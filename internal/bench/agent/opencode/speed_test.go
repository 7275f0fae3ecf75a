package opencode_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/opencode"
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
	spy := &spyHost{}
	provider := newReal(b, slowModel(), func(o *opencode.Options) {
		o.Hosts = func(bench.Mode, int) (opencode.Host, error) {
			host, err := opencode.NewLocalHost(b.TempDir())
			spy.Host = host
			return spy, err
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
		sessionByHand(b, spy)
		byHand = append(byHand, time.Since(began))
	}
	require.NoError(b, provider.Close())
	return whole, ours, byHand
}

func sessionByHand(b *testing.B, server *spyHost) {
	b.Helper()
	var session struct {
		ID string `json:"id"`
	}
	server.call(b, http.MethodPost, "/session", `{"title":"by hand"}`, &session)
	server.call(b, http.MethodPost, "/session/"+session.ID+"/message", `{"parts":[{"type":"text","text":"go"}],"system":"Work with the gh command."}`, nil)
	var messages []json.RawMessage
	server.call(b, http.MethodGet, "/session/"+session.ID+"/message", "", &messages)
	require.Len(b, messages, 3)
}

// spyHost is a host that knows how its server is spoken to.
type spyHost struct {
	opencode.Host
	password string
	printed  bytes.Buffer
}

func (h *spyHost) Start(ctx context.Context, command opencode.Command) (opencode.Process, error) {
	for _, entry := range command.Env {
		if value, ok := strings.CutPrefix(entry, "OPENCODE_SERVER_PASSWORD="); ok {
			h.password = value
		}
	}
	command.Output = io.MultiWriter(&h.printed, command.Output)
	return h.Host.Start(ctx, command)
}

var address = regexp.MustCompile(`http://\S+`)

// call sends a request to the server. It has been heard of by then.
func (h *spyHost) call(b *testing.B, method, path, body string, out any) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), method, address.FindString(h.printed.String())+path, strings.NewReader(body))
	require.NoError(b, err)
	request.SetBasicAuth("opencode", h.password)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	require.NoError(b, err)
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	require.NoError(b, err)
	require.Equal(b, http.StatusOK, response.StatusCode, "%s", read)
	if out != nil {
		require.NoError(b, json.Unmarshal(read, out))
	}
}
