package gate_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/gate"
)

// goldenRows returns made-up rows of the original harness's shape: its unknown
// fields, its kinds of error, rows without a timing breakdown.
func goldenRows(t *testing.T) []*bench.Row {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "golden", "rows.jsonl"))
	require.NoError(t, err)
	var rows []*bench.Row
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var row bench.Row
		require.NoError(t, json.Unmarshal(lines.Bytes(), &row))
		rows = append(rows, &row)
	}
	return rows
}

// The expected figures come from testdata/golden/make.py, an implementation of
// its own in another language.
func TestG12FiguresAndNamesAreThoseOfTheOriginal(t *testing.T) {
	rows := goldenRows(t)
	for _, profile := range []bench.GateProfile{bench.VerifyPR, bench.VerifyRelease} {
		t.Run("G12: "+string(profile), func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", "golden", string(profile)+".json"))
			require.NoError(t, err)
			var want, got any
			require.NoError(t, json.Unmarshal(data, &want))
			written, err := json.Marshal(summarize(t, rows, gate.Options{
				Profile: profile, Thresholds: bench.DefaultThresholds(profile), Seed: 1, Resamples: 100,
			}))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(written, &got))
			assert.Greater(t, requireWithin(t, "", want, got), 100, "figures were compared")
		})
	}
}

// requireWithin requires that got has all that want has, numbers to 1e-9, and
// returns how many values it compared.
func requireWithin(t *testing.T, path string, want, got any) int {
	t.Helper()
	compared := 0
	switch want := want.(type) {
	case map[string]any:
		require.IsType(t, want, got, path)
		for name, value := range want {
			require.Contains(t, got, name, path)
			compared += requireWithin(t, path+"."+name, value, got.(map[string]any)[name])
		}
	case []any:
		require.Len(t, got, len(want), path)
		for i, value := range want {
			compared += requireWithin(t, fmt.Sprintf("%s[%d]", path, i), value, got.([]any)[i])
		}
	case float64:
		require.InDelta(t, want, got, 1e-9, path)
		return 1
	default:
		require.Equal(t, want, got, path)
		return 1
	}
	return compared
}
