package bench_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
)

func TestShardsAreReadAndWritten(t *testing.T) {
	for text, want := range map[string]bench.Shard{"1/1": {Index: 1, Count: 1}, "2/4": {Index: 2, Count: 4}, "4/4": {Index: 4, Count: 4}} {
		got, err := bench.ParseShard(text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.Equal(t, text, got.String())
	}
	for _, text := range []string{"", "1", "/", "0/4", "5/4", "-1/4", "1/0", "a/b", "1/2/3", "1.5/2"} {
		_, err := bench.ParseShard(text)
		require.ErrorContains(t, err, "want i/n", text)
	}
}
