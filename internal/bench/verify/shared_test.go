package verify_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// others have taken all blocks of a run, and made their rows.
type others struct{ rows []bench.Row }

func (o *others) Offer(context.Context, []runner.Block) error { return nil }
func (o *others) Take(context.Context) (*runner.Block, error) { return nil, nil }
func (o *others) Finish(context.Context, runner.Block) error  { return nil }
func (o *others) News(context.Context, runner.Standing) (runner.News, error) {
	return runner.News{Rows: o.rows}, nil
}

// A machine with another version of the scenarios, or of the tool, must not add to a run.
func TestN1RowsOfOtherMachinesAreOfTheSameSuite(t *testing.T) {
	made := newRig(t)
	rows := rowsOf(t, made.run(t.Context(), t).Files)
	require.Len(t, rows, 8)
	for i := range rows {
		rows[i].Tools = map[string]string{"gh": "2.62.0"}
	}
	r := newRig(t)
	r.deps.Shared = &others{rows}
	result := r.run(t.Context(), t)
	assert.ElementsMatch(t, cellsOf(rows), cellsOf(rowsOf(t, result.Files)))
	assert.Empty(t, r.provider.Sessions(), "others have done it")
	assert.Contains(t, result.Info.Versions["gh"], "2.62.0", "what they ran with is noted")

	for name, change := range anotherSuites {
		t.Run("N1: "+name, func(t *testing.T) {
			r := newRig(t)
			row := rows[5]
			change(&row)
			r.deps.Shared = &others{[]bench.Row{rows[4], row}}
			_, err := verify.RunSuite(t.Context(), r.suite, r.deps)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.ErrorContains(t, err, "rows of different suites cannot be put together")
		})
	}
}
