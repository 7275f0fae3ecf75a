package verify_test

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/target"
)

// judgingWatch takes the time from when an agent is gone to when its place is given
// back: that is the judging of its attempt.
type judgingWatch struct {
	mu            sync.Mutex
	gone, settled time.Time
}

func (w *judgingWatch) stop(at *time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*at = time.Now()
}

// timedProvider tells the watch when its agents are gone.
type timedProvider struct {
	agent.Provider
	watch *judgingWatch
}

func (p timedProvider) Start(ctx context.Context, setup agent.Setup) (agent.Session, error) {
	session, err := p.Provider.Start(ctx, setup)
	return timedSession{session, p.watch}, err
}

type timedSession struct {
	agent.Session
	watch *judgingWatch
}

func (s timedSession) Close() error {
	err := s.Session.Close()
	s.watch.stop(&s.watch.gone)
	return err
}

// timedTarget tells the watch when its places are given back.
type timedTarget struct {
	target.Target
	watch *judgingWatch
}

func (t timedTarget) Prepare(ctx context.Context, needs target.Needs) (*target.Place, error) {
	place, err := t.Target.Prepare(ctx, needs)
	if err == nil {
		giveBack := place.Close
		place.Close = func() error {
			t.watch.stop(&t.watch.settled)
			return giveBack()
		}
	}
	return place, err
}

// BenchmarkJudging judges the right play of each shipped scenario in each mode, on
// the fixtures and in the large world. Of each, the quicker of all times counts. It
// tells the median, the 95th percentile and the slowest, and logs the ten slowest.
func BenchmarkJudging(b *testing.B) {
	v, watch := newVaried(b), &judgingWatch{}
	v.deps.Provider, v.deps.Target = timedProvider{v.deps.Provider, watch}, timedTarget{v.deps.Target, watch}
	for name, large := range map[string]bool{"fixtures": false, "large world": true} {
		b.Run(name, func(b *testing.B) {
			best := map[string]time.Duration{}
			for b.Loop() {
				for _, s := range shippedScenarios(b) {
					if (s.World() != "") != large {
						continue
					}
					for _, mode := range playedIn(b, s) {
						require.Nil(b, v.try(b.Context(), s, mode, 0).Error, s.ID)
						play, took := s.ID+" in mode "+string(mode), watch.settled.Sub(watch.gone)
						if before, known := best[play]; !known || took < before {
							best[play] = took
						}
					}
				}
			}
			slowest := slices.SortedFunc(maps.Keys(best), func(x, y string) int { return cmp.Compare(best[y], best[x]) })
			for _, play := range slowest[:10] {
				b.Logf("%s: %s", play, best[play])
			}
			for name, rank := range map[string]int{"median": len(slowest) / 2, "p95": len(slowest) / 20, "worst": 0} {
				b.ReportMetric(float64(best[slowest[rank]].Microseconds())/1000, "ms-"+name)
			}
		})
	}
}
