package confine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/confine"
)

func BenchmarkOpenAndClose(b *testing.B) {
	dir := base(b)
	for b.Loop() {
		s, err := confine.Open(confine.Options{Name: "bench", Base: dir})
		require.NoError(b, err)
		require.NoError(b, s.Close())
	}
}

func BenchmarkStartAndWait(b *testing.B) {
	s, err := confine.Open(confine.Options{Name: "bench", Base: base(b)})
	require.NoError(b, err)
	defer s.Close()
	for b.Loop() {
		p, err := s.Start(b.Context(), confine.Command{Path: "/bin/true"})
		require.NoError(b, err)
		require.NoError(b, p.Wait())
	}
}
