package bench_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench"
)

func TestG9Prices(t *testing.T) {
	codex := bench.Price{Input: 1.75, Output: 14, CacheRead: 0.175}
	million := int64(1_000_000)
	cases := []struct {
		name   string
		price  bench.Price
		tokens bench.Tokens
		want   float64
	}{
		{"input", codex, bench.Tokens{Input: million}, 1.75},
		{"output", codex, bench.Tokens{Output: million}, 14},
		{"reasoning is priced as output", codex, bench.Tokens{Reasoning: million}, 14},
		{"what is read from a cache", codex, bench.Tokens{CacheRead: million}, 0.175},
		{"what is written to a cache", bench.Price{CacheWrite: 3}, bench.Tokens{CacheWrite: million}, 3},
		{"the total is no price of its own", codex, bench.Tokens{Total: million}, 0},
		{"a real row", codex, bench.Tokens{Input: 282, Output: 85, Reasoning: 8, CacheRead: 11520, Total: 11895},
			(282*1.75 + 93*14 + 11520*0.175) / 1e6},
		{"nothing", codex, bench.Tokens{}, 0},
		{"a free model", bench.Price{}, bench.Tokens{Input: million, Output: million}, 0},
	}
	for _, c := range cases {
		t.Run("G9: "+c.name, func(t *testing.T) { assert.InDelta(t, c.want, c.price.Cost(c.tokens), 1e-12) })
	}
}
