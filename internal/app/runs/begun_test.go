package runs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

func TestWhatARunHasBegunIsKeptUntilItsEnd(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := at(t, address)
		r.run("a", nil)
		r.run("b", nil)
		begun := func(id string) string {
			text, err := r.Begun(t.Context(), id)
			require.NoError(t, err)
			return string(text)
		}
		rows := func(id string) int {
			all, err := r.Rows(t.Context(), id)
			require.NoError(t, err)
			return len(all)
		}
		assert.Empty(t, begun("a"))
		for _, id := range []string{"a", "b"} {
			require.NoError(t, r.AddRow(t.Context(), id, bench.Cell{ScenarioID: "t", Mode: "m", Iteration: 1}, []byte("{}")))
		}
		require.NoError(t, r.SetBegun(t.Context(), "a", []byte("first"), false))
		assert.Equal(t, []any{"first", 1}, []any{begun("a"), rows("a")})
		require.NoError(t, r.SetBegun(t.Context(), "a", []byte("anew"), true))
		assert.Equal(t, []any{"anew", 0, "", 1}, []any{begun("a"), rows("a"), begun("b"), rows("b")})

		require.NoError(t, r.AddRow(t.Context(), "a", bench.Cell{ScenarioID: "t", Mode: "m", Iteration: 1}, []byte("{}")))
		require.True(t, r.end("a", runs.Finished, runs.Outcome{}))
		require.NoError(t, r.SetBegun(t.Context(), "a", []byte("late"), true))
		assert.Equal(t, []any{"", 1}, []any{begun("a"), rows("a")}, "a process that nobody waits for changes nothing")
		_, err := r.Begun(t.Context(), "none")
		require.Error(t, err)
	})
}
