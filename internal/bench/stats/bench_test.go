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

func BenchmarkLabelShufflerDraw(b *testing.B) {
	r := stats.Stream(1)
	for _, size := range []int{5, 100} {
		shuffler := stats.NewLabelShuffler(size, size)
		b.Run(fmt.Sprintf("rows=%d", 2*size), func(b *testing.B) {
			for b.Loop() {
				shuffler.Draw(r)
			}
		})
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
