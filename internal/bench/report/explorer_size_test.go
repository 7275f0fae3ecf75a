package report_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// fillMany writes so many rows of a hundred scenarios, each with figures of its own.
func fillMany(t *testing.T, e explorer, rows int) {
	t.Helper()
	const scenarios = 100
	random := rand.New(rand.NewPCG(1, 2))
	s := failing()
	s.Scenarios = nil
	for i := range scenarios {
		s.Scenarios = append(s.Scenarios, scenario(fmt.Sprintf("scenario-%03d", i), rows/scenarios/2, rows/scenarios/2, rows/scenarios/3))
	}
	row := rowsFor(failing())[0]
	for i := range rows {
		row.ScenarioID, row.Mode, row.Iteration = s.Scenarios[i%scenarios].ID, []bench.Mode{bench.AgentDirect, bench.GHX}[i/scenarios%2], i/scenarios/2+1
		row.LatencyMSWall, row.Tokens.Total, row.Error = 1e5*random.Float64(), random.Int64N(90_000), nil
		row.ToolUse = []bench.ToolUse{{Name: "gh pr view"}, {Name: fmt.Sprint("tool ", i%200)}}
		if i%7 == 0 {
			row.Error = &bench.RowError{Type: bench.AssertionFailed, Message: fmt.Sprintf("want %d, got %d", i, random.IntN(i+1))}
		}
		require.NoError(t, e.Write(&row, report.Said{}))
	}
	require.NoError(t, e.Close(s))
	require.NoError(t, e.Release())
}

// A report opens at once however much is in it: what is said of an attempt is read when it
// is asked for.
func TestAReportOfManyAttemptsOpensAtOnce(t *testing.T) {
	testkit.NeedComplete(t)
	for rows, most := range map[int]time.Duration{10_000: time.Second, 100_000: 3 * time.Second} {
		folder := filepath.Join(t.TempDir(), "report")
		e, err := report.CreateFolder(folder)
		require.NoError(t, err)
		fillMany(t, e, rows)
		one := filepath.Join(t.TempDir(), "one.html")
		file, err := os.Create(one)
		require.NoError(t, err)
		fillMany(t, report.NewOnePage(file), rows)
		require.NoError(t, file.Close())
		for _, page := range []string{filepath.Join(folder, "index.html"), one} {
			ctx := testkit.OpenBrowser(t)
			fastest := time.Hour
			var count string
			for range 3 { // others work on this machine, too
				var took float64
				require.NoError(t, chromedp.Run(ctx, fresh("file://"+page), chromedp.Text(`#count`, &count, chromedp.ByQuery),
					chromedp.Evaluate(`performance.getEntriesByName("attempts shown")[0].startTime`, &took)))
				fastest = min(fastest, time.Duration(took*float64(time.Millisecond)))
			}
			assert.Contains(t, count, bench.CountText(float64(rows))+" attempts of ")
			t.Logf("%s with %d rows: %s", filepath.Base(page), rows, fastest)
			assert.Less(t, fastest, most, "%s with %d rows", page, rows)
		}
	}
}
