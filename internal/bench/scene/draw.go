package scene

import "github.com/ghx-dev/bench-action/internal/bench"

// Draw returns the scene of a variation.
func Draw(v bench.Variation) *Scene {
	s := Plain("default")
	s.Variation = &v
	return s
}
