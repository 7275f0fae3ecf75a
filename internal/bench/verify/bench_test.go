package verify_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent/scripted"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
)

// BenchmarkReport reads a ledger and judges it, 10,000 resamples included.
func BenchmarkReport(b *testing.B) {
	for _, size := range []struct {
		rows, scenarios int
		profile         bench.GateProfile
	}{{40, 4, bench.VerifyPR}, {10_000, 4, bench.VerifyPR}, {100_000, 4, bench.VerifyPR}, {100_000, 500, bench.ProfileRegression}} {
		b.Run(fmt.Sprintf("rows=%d/%s", size.rows, size.profile), func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "suite.jsonl")
			writeRows(b, file, size.rows, size.scenarios)
			info, err := os.Stat(file)
			require.NoError(b, err)
			expectations, err := gate.ParseExpectations("none", []byte(`{"default_model": "a/b", "expectations": {}}`))
			require.NoError(b, err)
			b.SetBytes(info.Size())
			for b.Loop() {
				_, err := verify.Report(verify.Source{Files: []string{file}}, verify.JudgeOptions{
					Profile: size.profile, Expectations: expectations,
				})
				require.NoError(b, err)
			}
		})
	}
}

// writeRows writes made-up rows of so many scenarios in two modes, each of about
// the size that real ones have.
func writeRows(b *testing.B, path string, rows, scenarios int) {
	b.Helper()
	file, err := os.Create(path)
	require.NoError(b, err)
	out := bufio.NewWriter(file)
	encoder := json.NewEncoder(out)
	random := rand.New(rand.NewPCG(1, 1))
	session := "ses_36a21886dffeL2WSvtXDhSgZ7f"
	for i := range rows {
		row := bench.Row{
			Timestamp: "2026-02-25T17:35:31.510Z", RunID: "8c7c88a7-7298-4052-9d57-922eeffd0a2b",
			Mode: bench.Modes()[2*(i%2)], ScenarioID: fmt.Sprintf("issue-triage-comment-wf-%03d", i/2%scenarios+1), Iteration: i/(2*scenarios) + 1,
			SessionID: &session, Success: true, OutputValid: true, LatencyMSWall: 20_000 + 10_000*random.Float64(),
			Tokens: bench.Tokens{Input: 500, Output: 120, Reasoning: 60, CacheRead: 11_000, Total: 11_700 + random.Int64N(900)},
			Cost:   0.01 + 0.01*random.Float64(), ToolCalls: 1 + random.IntN(4),
			Model:           bench.ModelRef{ProviderID: "openai", ModelID: "gpt-5.3-codex"},
			TimingBreakdown: &bench.TimingBreakdown{AssistantTotalMS: 19_877, AssistantReasoningMS: 6_560, ToolTotalMS: 3_976, ToolBashMS: 3_976},
			Attempts:        []bench.Attempt{{LatencyMSWall: 20_000, Cost: 0.01}},
		}
		require.NoError(b, encoder.Encode(row))
	}
	require.NoError(b, out.Flush())
	require.NoError(b, file.Close())
}

// stopwatch adds up the time that requests take.
type stopwatch struct{ total atomic.Int64 }

// RoundTrip sends a request and takes its time.
func (s *stopwatch) RoundTrip(r *http.Request) (*http.Response, error) {
	start := time.Now()
	defer func() { s.total.Add(int64(time.Since(start))) }()
	return http.DefaultTransport.RoundTrip(r)
}

// BenchmarkCell runs scripted cells on the sandbox, without pauses. Its figure
// engine-ms/cell is all but the requests of the plans: fixtures, checkpoints,
// judging, transcript, and the synced row.
func BenchmarkCell(b *testing.B) {
	requests := &stopwatch{}
	provider, err := scripted.New(scripted.Options{Pause: -1, Now: time.Now, HTTP: &http.Client{Transport: requests}})
	require.NoError(b, err)
	sandbox, err := target.NewSandbox(nil)
	require.NoError(b, err)
	defer sandbox.Close()
	_, err = verify.SeedSandbox(b.Context(), sandbox, fixture.Options{
		Repo: target.FixturesRepo, SeedID: fixture.DefaultSeedID, RunID: "bench", Now: time.Now(),
	})
	require.NoError(b, err)
	set, err := shipped(b).Set("ci-verify-release")
	require.NoError(b, err)
	suite := verify.Suite{
		Dir: b.TempDir(), Scenarios: set, Modes: []bench.Mode{bench.AgentDirect, bench.GHX}, Repetitions: 4,
		Order: runner.Interleaved, Provider: scripted.Name, SeedID: fixture.DefaultSeedID,
		Run: runner.Config{Routes: []bench.Mode{bench.GHX, bench.GHXBase}, Concurrency: 1, SkipWarmup: true, FirstAnswer: time.Minute, Stall: time.Minute},
	}
	deps := runner.Deps{
		Target: sandbox, Provider: provider, Now: time.Now,
		Wait: func(context.Context, time.Duration) error { return nil },
		Reader: func(access target.Access) (checkpoint.Reader, error) {
			client, err := verify.Client(access)
			return checkpoint.NewGitHubReader(client), err
		},
	}
	cells, took := 0, time.Duration(0)
	for i := 0; b.Loop(); i++ {
		suite.RunID = fmt.Sprintf("run-%d", i)
		start := time.Now()
		result, err := verify.RunSuite(b.Context(), suite, deps)
		took += time.Since(start)
		require.NoError(b, err)
		require.Empty(b, result.Left)
		cells += result.Rows
	}
	own := took - time.Duration(requests.total.Load())
	b.ReportMetric(float64(own.Microseconds())/1000/float64(cells), "engine-ms/cell")
	b.ReportMetric(float64(took.Microseconds())/1000/float64(cells), "all-ms/cell")
}
