package bench_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
)

func TestS15AnIterationHasTheVariationOfItsNumber(t *testing.T) {
	fixed := 7
	for _, c := range []struct {
		name       string
		variations bench.Variations
		want       *bench.Variation
		text       string
	}{
		{"fixtures that do not vary", bench.Variations{Number: &fixed}, nil, ""},
		{"each iteration its own", bench.Variations{Seed: 42}, &bench.Variation{Seed: 42, Number: 3}, "those of seed 42"},
		{"one for all", bench.Variations{Seed: 42, Number: &fixed}, &bench.Variation{Seed: 42, Number: 7}, "7 of seed 42"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, c.variations.Of(3))
			assert.Equal(t, c.text, c.variations.String())
		})
	}
}

func TestAManifestTellsItsVariation(t *testing.T) {
	want := bench.Variation{Seed: bench.MaxVariationSeed, Number: 4}
	m := bench.Manifest{Resources: map[string]map[string]any{
		bench.MetadataResource: {"variation": map[string]any{"seed": int64(want.Seed), "number": want.Number}},
	}}
	assert.Equal(t, &want, m.Variation(), "as it was seeded")
	text, err := json.Marshal(m)
	require.NoError(t, err)
	var read bench.Manifest
	require.NoError(t, json.Unmarshal(text, &read))
	assert.Equal(t, &want, read.Variation(), "as it was read from a file")
	assert.Nil(t, bench.Manifest{}.Variation())
}
