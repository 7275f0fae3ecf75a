package bench_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
)

func TestACellIsReadAsItIsWritten(t *testing.T) {
	for _, mode := range bench.Modes() {
		cell := bench.Cell{ScenarioID: "pr-merge-001", Mode: mode, Iteration: 12}
		read, err := bench.ParseCell(cell.String())
		require.NoError(t, err)
		assert.Equal(t, cell, read)
	}
	other := bench.Cell{ScenarioID: "terminal-bench/[a]|b:c", Mode: "agent@3f9c2ab", Iteration: 2}
	read, err := bench.ParseCell(other.String())
	require.NoError(t, err)
	assert.Equal(t, other, read, "another benchmark's task may have any name")
	assert.Equal(t, "pr-merge-001/ghx@base/1", bench.Cell{ScenarioID: "pr-merge-001", Mode: bench.GHXBase, Iteration: 1}.String())
}

func TestParseCellSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                    `cell "": want <scenario>/<mode>/<iteration>`,
		"pr-merge-001":        "want <scenario>/<mode>/<iteration>, for example pr-merge-001/ghx/1",
		"pr-merge-001/ghx":    "want <scenario>/<mode>/<iteration>",
		"/ghx/1":              "want <scenario>/<mode>/<iteration>",
		"pr-merge-001/g h/1":  `"g h" is no name of a mode`,
		"pr-merge-001/ghx/0":  `iteration "0" is not a whole number of 1 or more`,
		"pr-merge-001/ghx/-1": `iteration "-1"`,
		"pr-merge-001/ghx/x":  `iteration "x"`,
		"pr-merge-001/ghx/":   `iteration ""`,
	} {
		_, err := bench.ParseCell(text)
		require.Error(t, err, text)
		assert.ErrorContains(t, err, want, text)
	}
}
