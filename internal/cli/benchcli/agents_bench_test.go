package benchcli_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/codex"
	"github.com/ghx-dev/bench-action/internal/bench/agent/opencode"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

// The suite that is timed, and what it may take.
const (
	timedScenario    = "repo-view-001"
	timedRepetitions = "4"
	timedLatency     = 200 * time.Millisecond
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

// BenchmarkRealAgent times a whole command of each agent: four repetitions of a
// scenario with a model that takes 200 ms for each of two answers, and the same
// sessions had by hand: of OpenCode's server, which is warm, and of the commands
// `claude -p` and `codex exec`. It fails where a repetition takes more than 15 % longer
// than by hand; without a warm-up the first repetition is the one that warms up, and is
// left out.
//
//	total_s        the command, from its start to its end
//	ms/repetition  from the beginning of an attempt to that of the next
//	ms/prompt      latency_ms_wall, from the prompt to the end of the turn
//	ms/by-hand     a session, from its beginning to its messages
func BenchmarkRealAgent(b *testing.B) {
	for _, kind := range kinds() {
		for name, flags := range map[string][]string{"with a warm-up": nil, "without": {"--skip-warmup"}} {
			b.Run(kind.provider+" "+name, func(b *testing.B) {
				var totals, repetitions, prompts, byHand []time.Duration
				for b.Loop() {
					r := newRigWith(b, kind.provider, kind.program, timedModel)
					ran := r.run(b, append([]string{
						"run", "agent_direct", timedRepetitions, "--scenario", timedScenario, "--gh-command", realtool.Find(b, realtool.GH()),
					}, flags...)...)
					require.Zero(b, ran.code, ran.stderr)
					totals = append(totals, ran.took)
					rows := r.rows(b)[bench.AgentDirect]
					for i, row := range rows {
						require.True(b, row.OutputValid, "%+v", row.Error)
						require.Equal(b, 1, row.ToolCalls)
						prompts = append(prompts, time.Duration(row.LatencyMSWall*float64(time.Millisecond)))
						if cold := len(flags) > 0 && i == 1; i > 0 && !cold {
							repetitions = append(repetitions, began(b, row).Sub(began(b, rows[i-1])))
						}
					}
					byHand = append(byHand, r.byHand(b, kind.provider, len(rows))...)
				}
				over := 100 * (float64(median(repetitions))/float64(median(byHand)) - 1)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(median(totals).Seconds(), "total_s")
				b.ReportMetric(milliseconds(median(repetitions)), "ms/repetition")
				b.ReportMetric(milliseconds(median(prompts)), "ms/prompt")
				b.ReportMetric(milliseconds(median(byHand)), "ms/by-hand")
				b.ReportMetric(over, "overhead_pct")
				if over > maxOverByHand {
					b.Errorf("a repetition takes %.0f %% longer than by hand", over)
				}
			})
		}
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

// byHand has sessions with the rig's model, each with the prompt of the last one,
// and returns how long they took.
func (r *rig) byHand(b *testing.B, provider string, sessions int) []time.Duration {
	b.Helper()
	requests := r.model.Requests()
	prompt := requests[len(requests)-1].Prompt()
	session := func() { r.command(b, provider, prompt) }
	if provider == opencode.Name {
		server, end := r.server(b)
		defer end()
		session = func() { server.Session(b, prompt) }
	}
	session() // The first one of a model is slower.
	asked := len(r.model.Requests())
	var took []time.Duration
	for range sessions {
		start := time.Now()
		session()
		took = append(took, time.Since(start))
	}
	require.Len(b, r.model.Requests()[asked:], 2*sessions, "a tool call and an answer for each")
	return took
}

// server starts OpenCode as the provider does.
func (r *rig) server(b *testing.B) (hand *realtool.Server, end func()) {
	b.Helper()
	hand = &realtool.Server{}
	provider, err := opencode.New(opencode.Options{
		Bin: r.flag("--opencode-bin"), Model: bench.ModelRef{ProviderID: "stub", ModelID: "m"},
		ModelBaseURL: r.flag("--model-base-url"), ModelKey: modelKey,
		Hosts: func(bench.Mode, int) (_ agent.Host, err error) {
			hand.Host, err = agent.NewLocal(b.TempDir())
			return hand, err
		},
	})
	require.NoError(b, err)
	require.NoError(b, provider.Prepare(b.Context(), agent.Setup{Mode: bench.AgentDirect, Env: []string{"PATH=/usr/bin:/bin"}, Shell: true}))
	return hand, func() { require.NoError(b, provider.Close()) }
}

// command has a session of an agent that is a command, as people start it who want
// no questions.
func (r *rig) command(b *testing.B, provider, prompt string) {
	b.Helper()
	url, home := r.flag("--model-base-url"), b.TempDir()
	args := []string{"-p", "--bare", "--dangerously-skip-permissions", "--tools", "Bash", "--model", "m", prompt}
	if provider == codex.Name {
		args = []string{
			"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--model", "m", "-c", `model_provider="hand"`,
			"-c", fmt.Sprintf(`model_providers.hand={name="hand",base_url=%q,env_key="STUB_KEY",wire_api="responses"}`, url), prompt,
		}
	}
	cmd := exec.CommandContext(b.Context(), r.flag("--"+provider+"-bin"), args...)
	cmd.Dir = home
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "STUB_KEY=" + modelKey, "IS_SANDBOX=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"ANTHROPIC_BASE_URL=" + strings.TrimSuffix(url, "/v1"), "ANTHROPIC_API_KEY=" + modelKey,
	}
	out, err := cmd.CombinedOutput()
	require.NoError(b, err, "%s", out)
}

func (r *rig) flag(name string) string { return r.flags[slices.Index(r.flags, name)+1] }
