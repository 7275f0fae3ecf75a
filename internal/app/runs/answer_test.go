package runs_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

func TestTheFirstAnswerStays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, address string) {
		r := openAt(t, address)
		first, undone := runs.Answer{Reaction: "+1", Body: "👍 done", Outcome: "carried_out"}, errors.New("undone")

		_, known, err := r.Answer(t.Context(), "a")
		require.NoError(t, err)
		assert.False(t, known)
		keep := func(a runs.Answer, end error) error {
			return r.db.Write(t.Context(), func(tx *queue.Tx) error {
				return errors.Join(r.SetAnswer(t.Context(), tx, "a", a, noon), end)
			})
		}
		require.ErrorIs(t, keep(runs.Answer{Reaction: "-1"}, undone), undone, "what was undone was not answered")
		require.NoError(t, keep(first, nil))
		require.NoError(t, keep(runs.Answer{Reaction: "-1", Body: "no"}, nil))
		got, known, err := r.Answer(t.Context(), "a")
		require.NoError(t, err)
		assert.True(t, known)
		assert.Equal(t, first, got)
	})
}

func TestHowLongACellTakesIsKnownFromWholeRunsOfItsKind(t *testing.T) {
	r := open(t)
	took := func(executor settings.Executor) time.Duration {
		t.Helper()
		each, err := r.CellTime(t.Context(), "aryeko/ghx", settings.Plan{Model: "a/b", Executor: executor})
		require.NoError(t, err)
		return each
	}
	assert.Zero(t, took(settings.Local), "no run has finished")
	for id, change := range map[string]func(*runs.Run){
		"whole":     func(run *runs.Run) { run.Request.Plan.Executor = settings.Local },
		"elsewhere": func(run *runs.Run) { run.Request.Plan.Executor = settings.Dispatch },
		"continued": func(run *runs.Run) { run.Request.Plan.Executor, run.Request.Continues = settings.Local, "x" },
		"other":     func(run *runs.Run) { run.Request.Plan.Executor, run.Request.Plan.Model = settings.Local, "c/d" },
	} {
		r.run(id, change)
		require.True(t, r.begin(id, noon))
		require.NoError(t, r.Progress(t.Context(), id, 16, 16, 1))
		long := 16 * time.Second
		if id != "whole" {
			long = time.Hour
		}
		require.NoError(t, r.db.Write(t.Context(), func(tx *queue.Tx) error {
			_, err := r.End(t.Context(), tx, id, runs.Finished, runs.Outcome{}, noon.Add(long))
			return err
		}))
	}
	assert.Equal(t, time.Second, took(settings.Local))
	assert.Equal(t, time.Hour/16, took(settings.Dispatch))
}
