package benchcli_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/opencode"
	"github.com/ghx-dev/bench-action/internal/bench/agent/place"
	"github.com/ghx-dev/bench-action/internal/testkit/byhand"
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
	hand := &byhand.Server{}
	provider, err := opencode.New(opencode.Options{
		Bin: r.flag("--opencode-bin"), Model: bench.ModelRef{ProviderID: "stub", ModelID: "m"},
		ModelBaseURL: r.flag("--model-base-url"), ModelKey: modelKey,
		Hosts: func(bench.Mode, int) (_ place.Host, err error) {
			hand.Host, err = place.NewLocal(b.TempDir())
			return hand, err
		},
	})
	require.NoError(b, err)
	defer provider.Close()
	require.NoError(b, provider.Prepare(b.Context(), agent.Setup{Mode: bench.AgentDirect, Env: []string{"PATH=/usr/bin:/bin"}}))
	hand.Session(b, prompt) // The first one of a model is slower.
	var took []time.Duration
	for range sessions {
		start := time.Now()
		hand.Session(b, prompt)
		took = append(took, time.Since(start))
	}
	return took
}

func (r *rig) flag(name string) string { return r.flags[slices.Index(r.flags, name)+1] }
