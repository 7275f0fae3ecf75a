package appcli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/scenarios"
)

// Who opened the pull request cannot mend a file of the server.
func TestAMistakeOfTheOperatorIsTheOperatorsToMend(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		gone bool
		says string
	}{
		"a mistake":                  {text: "{\n  \"thresholds\": 1\n}\n", says: "BENCH_APP_EXPECTATIONS:2:"},
		"a file that went meanwhile": {text: "{}", gone: true, says: "cannot be read"},
		"one that is no JSON":        {text: "pricing: none\n", says: "BENCH_APP_EXPECTATIONS:1:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, trial)
			folder := t.TempDir()
			file := filepath.Join(folder, "prices.json")
			good, err := scenarios.Files.ReadFile("expectations.json")
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, good, 0o600))
			w.serve("BENCH_APP_EXPECTATIONS=" + file) // it does not start with a file that is of no use
			require.NoError(t, os.WriteFile(file, []byte(c.text), 0o600))
			if c.gone {
				require.NoError(t, os.Remove(file))
			}
			w.open()
			check := w.concluded(1)
			assert.Equal(t, model.Conclusion("action_required"), check.Conclusion)
			shown := plain(check.Output.Title + check.Output.Summary + check.Output.Text)
			assert.Contains(t, shown, "The App's operator has to mend the file of BENCH_APP_EXPECTATIONS")
			assert.Contains(t, shown, c.says)
			assert.NotContains(t, shown, folder)
			assert.NotContains(t, shown, "Mend it and push")
			w.said("The App's operator has to mend")
			assert.False(t, contains(w.comments(), folder))
		})
	}
}
