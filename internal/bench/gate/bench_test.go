package gate_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
)

// manyRows makes rows of two modes as a decoder would hand them over. One in
// fifty fails.
func manyRows(count, scenarios int) []*bench.Row {
	r := rand.New(rand.NewPCG(1, 1))
	set := "all"
	rows := make([]*bench.Row, count)
	for i := range rows {
		mode := []bench.Mode{bench.AgentDirect, bench.GHX}[i%2]
		size := 1 + float64(i%2)*-0.4 + r.ExpFloat64()
		row := &bench.Row{
			RunID: "run-1", Mode: mode, ScenarioID: fmt.Sprintf("pr-view-%03d", i/2%scenarios), ScenarioSet: &set,
			Iteration: i/(2*scenarios) + 1, Success: true, OutputValid: true,
			LatencyMSWall: float64(int(size * 20_000)), ToolCalls: 1 + int(size*3), Cost: size / 50,
			Tokens:          bench.Tokens{Total: 9000 + int64(size*1000), CacheRead: 9000},
			Model:           bench.ModelRef{ProviderID: "openai", ModelID: "gpt-5.3-codex"},
			TimingBreakdown: &bench.TimingBreakdown{AssistantTotalMS: float64(int(size * 18_000)), ToolTotalMS: float64(int(size * 3000))},
		}
		if i%50 == 0 {
			row.Success = false
			row.Error = &bench.RowError{Type: bench.CheckpointFailed, Message: "merged: want true, is false"}
		}
		rows[i] = row
	}
	return rows
}

func summarize(tb testing.TB, rows []*bench.Row, opts gate.Options) bench.Summary {
	tb.Helper()
	var c gate.Collector
	for _, row := range rows {
		require.NoError(tb, c.Add(row))
	}
	summary, err := c.Summarize(opts)
	require.NoError(tb, err)
	return summary
}

func BenchmarkReport(b *testing.B) {
	for _, size := range []struct{ rows, scenarios int }{{40, 4}, {2000, 8}, {100_000, 2}, {100_000, 74}} {
		rows := manyRows(size.rows, size.scenarios)
		opts := gate.Options{Profile: bench.VerifyPR, Thresholds: bench.DefaultThresholds(bench.VerifyPR), Seed: 1}
		b.Run(fmt.Sprintf("rows=%d/scenarios=%d/add", size.rows, size.scenarios), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var c gate.Collector
				for _, row := range rows {
					if err := c.Add(row); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
		var c gate.Collector
		for _, row := range rows {
			require.NoError(b, c.Add(row))
		}
		b.Run(fmt.Sprintf("rows=%d/scenarios=%d/summarize", size.rows, size.scenarios), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Summarize(opts); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What is kept of a row is bounded, since a report may be of 100,000 rows.
func TestCollectorKeepsLittleOfARow(t *testing.T) {
	const count, atMost = 100_000, 25 << 20
	rows := manyRows(1000, 74)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var c gate.Collector
	for i := range count {
		require.NoError(t, c.Add(rows[i%len(rows)]))
	}
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(atMost))
	require.Equal(t, count, c.Rows())
}
