package stats_test

import (
	"fmt"
	"testing"

	"github.com/ghx-dev/bench-action/internal/bench/stats"
)

func BenchmarkMedianResamplerDraw(b *testing.B) {
	r := stats.Stream(1)
	resampler := stats.NewMedianResampler(676)
	for b.Loop() {
		resampler.Draw(r)
	}
}

func BenchmarkPooledMedianResampler(b *testing.B) {
	for _, size := range []struct{ strata, values int }{{4, 5}, {8, 125}, {2, 25_000}, {74, 676}} {
		r := stats.Stream(1)
		strata := make([][]float64, size.strata)
		for i := range strata {
			for range size.values {
				strata[i] = append(strata[i], r.ExpFloat64())
			}
		}
		name := fmt.Sprintf("strata=%d/values=%d", size.strata, size.strata*size.values)
		b.Run(name+"/new", func(b *testing.B) {
			for b.Loop() {
				stats.NewPooledMedianResampler(strata)
			}
		})
		resampler := stats.NewPooledMedianResampler(strata)
		b.Run(name+"/draw=250", func(b *testing.B) {
			for b.Loop() {
				resampler.Draw(r, 250)
			}
		})
	}
}

func BenchmarkRankPermutationP(b *testing.B) {
	r := stats.Stream(1)
	values := func() stats.Sample {
		v := make([]float64, 10)
		for i := range v {
			v[i] = r.Float64()
		}
		return stats.Sorted(v)
	}
	strata := make([]stats.Pair, 100)
	for i := range strata {
		strata[i] = stats.Pair{A: values(), B: values()}
	}
	for b.Loop() {
		stats.RankPermutationP([][]stats.Pair{strata, strata, strata, strata}, 10_000, 1, 1)
	}
}

func BenchmarkMedianOf74(b *testing.B) {
	r := stats.Stream(1)
	values := make([]float64, 74)
	for b.Loop() {
		for i := range values {
			values[i] = r.Float64()
		}
		stats.Median(values)
	}
}
