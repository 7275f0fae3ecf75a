package scene_test

import (
	"testing"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/scene"
)

// A scene is drawn in a few milliseconds.
func BenchmarkDraw(b *testing.B) {
	for n := 0; b.Loop(); n++ {
		scene.Draw(bench.Variation{Seed: 1, Number: n})
	}
}
