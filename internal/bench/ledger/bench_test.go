package ledger_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
)

func ref[T any](v T) *T { return &v }

// madeUp returns a row as a run might write it, of about 920 bytes.
func madeUp(random *rand.Rand, mode bench.Mode, scenario, iteration int) bench.Row {
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	tokens := bench.Tokens{
		Input: random.Int64N(900), Output: random.Int64N(400), Reasoning: random.Int64N(90),
		CacheRead: 11000 + random.Int64N(900), Total: 11000 + random.Int64N(3000),
	}
	latency := float64(random.IntN(40000))
	row := bench.Row{
		Timestamp: bench.FormatTime(start.Add(time.Duration(random.IntN(1e9)) * time.Millisecond)),
		RunID:     "20260301-7b52", Mode: mode,
		ScenarioID: fmt.Sprintf("pr-checks-rerun-%03d", scenario), ScenarioSet: ref("full-seeded"), Iteration: iteration,
		SessionID: ref(fmt.Sprintf("ses_%016x", random.Uint64())), Success: true, OutputValid: true,
		LatencyMSWall: latency, SDKLatencyMS: ref(latency / 3),
		TimingBreakdown: &bench.TimingBreakdown{
			AssistantTotalMS: latency, AssistantReasoningMS: latency / 4, ToolTotalMS: 3976, ToolBashMS: 3976, ObservedAssistantTurns: 3,
		},
		Tokens: tokens, Cost: random.Float64() / 10, ToolCalls: random.IntN(9), APICalls: 4,
		Model:         bench.ModelRef{ProviderID: "openai", ModelID: "gpt-5.3-codex"},
		Git:           bench.GitRef{Commit: ref("0123456789abcdef0123456789abcdef01234567")},
		SchemaVersion: bench.RowSchemaVersion,
	}
	if random.IntN(20) == 0 {
		row.Success = false
		row.Error = &bench.RowError{Type: bench.AssertionFailed, Message: "want \"ok\": true,\n\tgot <false>"}
	}
	return row
}

// modesMadeUp are the modes that made-up rows go through.
var modesMadeUp = []bench.Mode{bench.AgentDirect, bench.MCP, bench.GHX}

// writeRows writes a file of that many made-up rows.
func writeRows(t testing.TB, count int) string {
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	f, err := os.Create(path)
	require.NoError(t, err)
	out := bufio.NewWriterSize(f, 1<<20)
	random := rand.New(rand.NewPCG(1, 2))
	const scenarios = 200
	for i := range count {
		mode := modesMadeUp[i%len(modesMadeUp)]
		cell := i / len(modesMadeUp)
		line, err := json.Marshal(madeUp(random, mode, cell%scenarios, cell/scenarios+1))
		require.NoError(t, err)
		_, err = out.Write(append(line, '\n'))
		require.NoError(t, err)
	}
	require.NoError(t, out.Flush())
	require.NoError(t, f.Close())
	return path
}

func BenchmarkScan(b *testing.B) {
	for _, rows := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("%d rows", rows), func(b *testing.B) {
			path := writeRows(b, rows)
			info, err := os.Stat(path)
			require.NoError(b, err)
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				report, err := ledger.Scan([]string{path}, func(*bench.Row) error { return nil })
				require.NoError(b, err)
				require.Equal(b, rows, report.Rows)
			}
			b.ReportMetric(float64(info.Size())/float64(rows), "B/row")
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	w, _, err := ledger.Open(filepath.Join(b.TempDir(), "rows.jsonl"))
	require.NoError(b, err)
	defer w.Close()
	row := madeUp(rand.New(rand.NewPCG(1, 2)), bench.GHX, 1, 1)
	for b.Loop() {
		require.NoError(b, w.Append(&row))
	}
}
