package verify_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/scripted"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
)

// A published session takes 33 s on average; those of pacedProvider are paced times
// as fast.
const (
	publishedSession = 33 * time.Second
	paced            = 20
)

// pacedProvider has sessions whose times and tokens vary as published ones do, with
// coefficients of variation from 0.09 to 0.45.
type pacedProvider struct {
	agent.Provider
	mu     sync.Mutex
	random *rand.Rand
}

func (p *pacedProvider) Start(ctx context.Context, setup agent.Setup) (agent.Session, error) {
	session, err := p.Provider.Start(ctx, setup)
	p.mu.Lock()
	defer p.mu.Unlock()
	cv := 0.09 + 0.36*p.random.Float64()
	variance := math.Log1p(cv * cv)
	factor := func() float64 { return math.Exp(math.Sqrt(variance)*p.random.NormFloat64() - variance/2) }
	return &pacedSession{Session: session, takes: time.Duration(factor() * float64(publishedSession/paced)), tokens: factor()}, err
}

// pacedSession takes a time and so many times the tokens.
type pacedSession struct {
	agent.Session
	takes  time.Duration
	tokens float64
}

func (s *pacedSession) Prompt(ctx context.Context, p agent.Prompt) (agent.Turn, error) {
	ends := time.NewTimer(s.takes)
	defer ends.Stop()
	turn, err := s.Session.Prompt(ctx, p)
	select {
	case <-ends.C:
	case <-ctx.Done():
		err = cmp.Or(err, context.Cause(ctx))
	}
	return turn, err
}

func (s *pacedSession) Transcript(ctx context.Context) (agent.Transcript, error) {
	transcript, err := s.Session.Transcript(ctx)
	transcript.Messages = slices.Clone(transcript.Messages)
	for i := range transcript.Messages {
		tokens := &transcript.Messages[i].Tokens
		for _, n := range []*int64{&tokens.Input, &tokens.Output, &tokens.CacheRead, &tokens.CacheWrite, &tokens.Reasoning, &tokens.Total} {
			*n = int64(s.tokens * float64(*n))
		}
	}
	return transcript, err
}

// BenchmarkUnchangedPullRequest judges a build against itself as the settings say
// that "bench init" writes: the whole sequence, with sessions that are paced times as
// fast as real ones. Its figure minutes is the time that it took, times that.
func BenchmarkUnchangedPullRequest(b *testing.B) {
	set, err := shipped(b).Set("ci-evidence")
	require.NoError(b, err)
	expectations, err := gate.ParseExpectations("none", []byte(`{"default_model": "a/b", "expectations": {}}`))
	require.NoError(b, err)
	sessions, took := 0, time.Duration(0)
	for i := 0; b.Loop(); i++ {
		v := newVaried(b)
		v.deps.Provider = &pacedProvider{Provider: v.deps.Provider, random: rand.New(rand.NewPCG(uint64(i), 33))}
		commit, base := "c0ffee", "ba5e"
		suite := verify.Suite{
			Dir: b.TempDir(), RunID: fmt.Sprintf("run-%d", i), ScenarioSet: "ci-evidence", Scenarios: set, Modes: []bench.Mode{bench.GHXBase, bench.GHX},
			FirstLook: 2, Repetitions: 12, Order: runner.Blocks, OrderSeed: uint64(i), Profile: bench.ProfileRegression, Provider: scripted.Name,
			Variations: bench.Variations{Seed: uint64(i + 1)}, Git: bench.GitRef{Commit: &commit}, BaseCommit: &base,
			Run: runner.Config{Routes: []bench.Mode{bench.GHX, bench.GHXBase}, Concurrency: 4, FirstAnswer: time.Minute, Stall: time.Minute},
		}
		start := time.Now()
		judged, err := verify.Verify(b.Context(), verify.Sequence{
			Seed:    func(context.Context, *verify.Suite) (target.Target, error) { return v.sandbox, nil },
			Entered: func(verify.Step) {},
		}, suite, v.deps, verify.JudgeOptions{Profile: bench.ProfileRegression, Expectations: expectations, Baseline: bench.GHXBase, Candidate: bench.GHX, Seed: 1})
		took += time.Since(start)
		require.NoError(b, err)
		sessions += judged.Rows
		b.Logf("%s after %d sessions in %s: %s", judged.Summary.Gate.Verdict, judged.Rows, time.Since(start).Round(time.Second/10), judged.Summary.Evidence.Sentence)
	}
	b.ReportMetric(float64(sessions)/float64(b.N), "sessions")
	b.ReportMetric(took.Minutes()*paced/float64(b.N), "minutes")
}
