package sandbox_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// BenchmarkShift moves a copy of a world of 5,000 issues to another time, as is done
// for each attempt. The copying is not counted.
func BenchmarkShift(b *testing.B) {
	const issues = 5000
	w := grown(b, issues)
	for b.Loop() {
		b.StopTimer()
		world := w.Clone()
		b.StartTimer()
		_, err := world.ShiftTo(model.Epoch.AddDate(1, 0, 0))
		require.NoError(b, err)
	}
}
