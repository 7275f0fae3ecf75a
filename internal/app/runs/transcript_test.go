package runs_test

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

func saying(text string) agent.Transcript {
	return agent.Transcript{SchemaVersion: 1, Messages: []agent.Message{{Role: agent.Assistant, Parts: []agent.Part{{Type: agent.PartText, Text: text}}}}}
}

// said is what the kept transcript of a cell says, empty if there is none.
func (r *rig) said(id string, cell bench.Cell) string {
	r.Helper()
	kept, err := r.Transcript(r.Context(), id, cell)
	require.NoError(r, err)
	if kept == nil {
		return ""
	}
	return kept.Answer()
}

func (r *rig) say(id string, cell bench.Cell, text string) bool {
	r.Helper()
	kept, err := r.AddTranscript(r.Context(), id, cell, saying(text))
	require.NoError(r, err)
	return kept
}

func TestTranscriptsAreKeptAsLongAsTheirRun(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := at(t, address)
		r.run("a", nil)
		r.run("b", nil)
		first, second := bench.Cell{ScenarioID: "x", Mode: bench.GHX, Iteration: 1}, bench.Cell{ScenarioID: "x", Mode: bench.GHXBase, Iteration: 2}
		assert.Empty(t, r.said("a", first))
		require.True(t, r.say("a", first, "<b>first</b>"))
		require.True(t, r.say("a", first, "again"))
		assert.Equal(t, "again", r.said("a", first), "the cell was run again")

		require.True(t, r.say("b", second, "its own"))
		line := rowAt(t, "09:00", 1)
		require.NoError(t, r.TakeOver(t.Context(), "b", "a", map[bench.Cell][]byte{first: line, second: line}))
		assert.Equal(t, []string{"again", "its own"}, []string{r.said("b", first), r.said("b", second)})

		for n := range 105 { // more than one transaction removes
			require.True(t, r.say("a", bench.Cell{ScenarioID: "y", Mode: bench.GHX, Iteration: n + 1}, "x"))
		}
		r.rows("a", 105)
		r.endAt("a", noon)
		assert.Equal(t, runs.Pruned{Runs: 1, Rows: 105}, r.prune(noon.Add(day), noon.Add(day)))
		assert.Equal(t, 2, r.count("run_transcript"), "those of another run stay")
	})
}

func TestTranscriptsTakeNoMoreRoomThanTheyMay(t *testing.T) {
	r := open(t)
	r.run("a", nil)
	cell := bench.Cell{ScenarioID: "x", Mode: bench.GHX, Iteration: 1}
	var noise strings.Builder // nothing makes it smaller
	for noise.Len() < 1<<20 {
		noise.WriteString(rand.Text())
	}
	require.True(t, r.say("a", cell, noise.String()))
	assert.Less(t, len(r.said("a", cell)), 256<<10, "a session's")
	assert.Contains(t, r.said("a", cell), "bytes more are not kept")

	require.NoError(t, r.db.Write(t.Context(), func(tx *queue.Tx) error {
		_, err := tx.Exec(t.Context(), "UPDATE run_transcript SET size = $1", int64(64<<20))
		return err
	}))
	other := bench.Cell{ScenarioID: "x", Mode: bench.GHX, Iteration: 2}
	assert.False(t, r.say("a", other, "no room"), "a run's")
	assert.Empty(t, r.said("a", other))
	assert.True(t, r.say("a", cell, "in place of the large one"))
	assert.True(t, r.say("b", other, "another run"))
}
