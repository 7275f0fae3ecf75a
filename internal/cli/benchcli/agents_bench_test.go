package benchcli_test

import (
	"bufio"
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
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

// The suite that is timed, and what it may take.
const (
	timedScenario    = "repo-view-001"
	timedRepetitions = "4"
	timedLatency     = 200 * time.Millisecond
	maxTimed         = 5 * time.Second
	maxOverByHand    = 15 // per cent
)

// timedModel takes its time for a tool call and an answer.
func timedModel(stubmodel.Request) []stubmodel.Step {
	answer := envelope(map[string]any{
		"id": "R_1", "name": "n", "nameWithOwner": "o/n", "isPrivate": false, "url": "https://github.com/o/n", "defaultBranch": "main",
	})
	return []stubmodel.Step{
		{Calls: []stubmodel.Call{bash("true")}, Latency: timedLatency, Usage: stubmodel.Usage{Prompt: 100, Completion: 10}},
		{Text: answer, Latency: timedLatency, Usage: stubmodel.Usage{Prompt: 200, Completion: 20}},
	}
}

// BenchmarkRealAgent times a whole command: four repetitions of a scenario with
// a model that takes 200 ms for each of two answers, and the same sessions had
// by hand of a server that is warm. It fails where the command takes longer
// than 5 s, or a repetition more than 15 % longer than by hand.
//
//	total_s        the command, from its start to its end
//	ms/repetition  from the beginning of an attempt to that of the next
//	ms/prompt      latency_ms_wall, from the prompt to the end of the turn
//	ms/by-hand     a session, from its beginning to its messages
func BenchmarkRealAgent(b *testing.B) {
	for name, flags := range map[string][]string{"with a warm-up": nil, "without": {"--skip-warmup"}} {
		b.Run(name, func(b *testing.B) {
			var totals, repetitions, prompts, byHand []time.Duration
			for b.Loop() {
				r := newRig(b, timedModel)
				ran := r.run(b, append([]string{
					"run", "agent_direct", timedRepetitions, "--scenario", timedScenario, "--gh-command", realtool.Find(b, realtool.GH()),
				}, flags...)...)
				require.Zero(b, ran.code, ran.stderr)
				totals = append(totals, ran.took)
				rows := r.rows(b)[bench.AgentDirect]
				for i, row := range rows {
					require.True(b, row.Success, "%+v", row.Error)
					prompts = append(prompts, time.Duration(row.LatencyMSWall*float64(time.Millisecond)))
					if i > 0 {
						repetitions = append(repetitions, began(b, row).Sub(began(b, rows[i-1])))
					}
				}
				byHand = append(byHand, r.byHand(b, len(rows))...)
			}
			over := 100 * (float64(median(repetitions))/float64(median(byHand)) - 1)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(totals).Seconds(), "total_s")
			b.ReportMetric(milliseconds(median(repetitions)), "ms/repetition")
			b.ReportMetric(milliseconds(median(prompts)), "ms/prompt")
			b.ReportMetric(milliseconds(median(byHand)), "ms/by-hand")
			b.ReportMetric(over, "overhead_pct")
			if median(totals) > maxTimed || over > maxOverByHand {
				b.Errorf("the command takes %s, a repetition %.0f %% longer than by hand", median(totals), over)
			}
		})
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return (d[(len(d)-1)/2] + d[len(d)/2]) / 2
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// began returns when a row's attempt began.
func began(b *testing.B, row bench.Row) time.Time {
	b.Helper()
	at, err := time.Parse(time.RFC3339, row.Timestamp)
	require.NoError(b, err)
	return at
}

// byHand has sessions with the rig's model, of a server that is started as the
// provider does, and returns how long they took.
func (r *rig) byHand(b *testing.B, sessions int) []time.Duration {
	b.Helper()
	requests := r.model.Requests()
	prompt := requests[len(requests)-1].Prompt()
	hand := &handHost{}
	provider, err := opencode.New(opencode.Options{
		Bin: r.flag("--opencode-bin"), Model: bench.ModelRef{ProviderID: "stub", ModelID: "m"},
		ModelBaseURL: r.flag("--model-base-url"), ModelKey: modelKey,
		Hosts: func(bench.Mode, int) (_ opencode.Host, err error) {
			hand.Host, err = opencode.NewLocalHost(b.TempDir())
			return hand, err
		},
	})
	require.NoError(b, err)
	defer provider.Close()
	require.NoError(b, provider.Prepare(b.Context(), agent.Setup{Mode: bench.AgentDirect, Env: []string{"PATH=/usr/bin:/bin"}}))
	hand.session(b, prompt) // The first one of a model is slower.
	var took []time.Duration
	for range sessions {
		start := time.Now()
		hand.session(b, prompt)
		took = append(took, time.Since(start))
	}
	return took
}

func (r *rig) flag(name string) string { return r.flags[slices.Index(r.flags, name)+1] }

// handHost is a host that knows how its server is spoken to.
type handHost struct {
	opencode.Host
	password string
	printed  bytes.Buffer
}

func (h *handHost) Start(ctx context.Context, command opencode.Command) (opencode.Process, error) {
	for _, entry := range command.Env {
		if value, ok := strings.CutPrefix(entry, "OPENCODE_SERVER_PASSWORD="); ok {
			h.password = value
		}
	}
	command.Output = io.MultiWriter(&h.printed, command.Output)
	return h.Host.Start(ctx, command)
}

// session has a session of the server and reads its messages.
func (h *handHost) session(b *testing.B, prompt string) {
	b.Helper()
	events := h.send(b, http.MethodGet, "/event", nil)
	defer events.Body.Close()
	var session struct {
		ID string `json:"id"`
	}
	h.call(b, http.MethodPost, "/session", map[string]string{"title": "by hand"}, &session)
	h.call(b, http.MethodPost, "/session/"+session.ID+"/prompt_async", map[string]any{
		"parts": []map[string]string{{"type": "text", "text": prompt}},
	}, nil)
	idle := `"type":"session.idle","properties":{"sessionID":"` + session.ID
	lines := bufio.NewScanner(events.Body)
	lines.Buffer(nil, 16*megabyte)
	for lines.Scan() && !strings.Contains(lines.Text(), idle) {
		continue
	}
	require.NoError(b, lines.Err())
	var messages []json.RawMessage
	h.call(b, http.MethodGet, "/session/"+session.ID+"/message", nil, &messages)
	require.Len(b, messages, 3)
}

func (h *handHost) call(b *testing.B, method, path string, in, out any) {
	b.Helper()
	response := h.send(b, method, path, in)
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	require.NoError(b, err)
	require.Less(b, response.StatusCode, 300, "%s", data)
	if out != nil {
		require.NoError(b, json.Unmarshal(data, out))
	}
}

var serverAddress = regexp.MustCompile(`http://\S+`)

func (h *handHost) send(b *testing.B, method, path string, in any) *http.Response {
	b.Helper()
	body, err := json.Marshal(in)
	require.NoError(b, err)
	if in == nil {
		body = nil
	}
	request, err := http.NewRequestWithContext(b.Context(), method, serverAddress.FindString(h.printed.String())+path, bytes.NewReader(body))
	require.NoError(b, err)
	request.SetBasicAuth("opencode", h.password)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	require.NoError(b, err)
	return response
}
