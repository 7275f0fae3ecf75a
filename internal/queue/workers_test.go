package queue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/testkit/dbtest"
)

func TestTheWorkersOfAllLivingProcessesAreCounted(t *testing.T) {
	db := open(t, dbtest.Postgres(t))
	first, second := newRig(t, db, "first", nil), newRig(t, db, "second", func(o *queue.Options) { o.Lanes = map[string]int{lane: 3, "other": 9} })
	workers := func() int {
		count, err := first.Workers(t.Context(), db, lane)
		require.NoError(t, err)
		return count
	}
	for _, r := range []*rig{first, second} {
		queue.Handle(r.Queue, kind(), newBlocking().do)
	}
	assert.Zero(t, workers(), "nobody works yet")
	first.start(t)
	assert.Equal(t, 4, workers())
	require.NoError(t, second.Start(t.Context()))
	assert.Equal(t, 7, workers())
	second.stop(t)
	assert.Equal(t, 4, workers())
}
